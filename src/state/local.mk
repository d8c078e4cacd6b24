# SPDX-License-Identifier: Apache-2.0
# The files of src/state. To add one, append it and its header to the list:
#   libtocsin_sources += src/state/noun.c src/state/noun.h

libtocsin_sources += src/state/space.def src/state/space.h
libtocsin_sources += src/state/store_leveldb.c src/state/store.h
libtocsin_sources += src/state/store_batch.c src/state/store_batch.h
libtocsin_sources += src/state/store_log.c src/state/store_log.h
libtocsin_sources += src/state/database.c src/state/database.h
libtocsin_sources += src/state/epoch.c
libtocsin_sources += src/state/checkpoint.c src/state/checkpoint.h src/state/checkpoint_priv.h
libtocsin_sources += src/state/dead_letter.c src/state/dead_letter.h
libtocsin_sources += src/state/dead_letter_choice.c src/state/dead_letter_request.c
libtocsin_sources += src/state/outbox.c src/state/outbox.h src/state/outbox_priv.h
libtocsin_sources += src/state/outbox_record.c src/state/outbox_record.h
libtocsin_sources += src/state/outbox_write.c src/state/outbox_done.c
libtocsin_sources += src/state/savepoint.c src/state/savepoint.h
libtocsin_sources += src/state/modules.c src/state/modules.h
libtocsin_sources += src/state/audit.c src/state/audit.h
libtocsin_sources += src/state/module_version.c src/state/module_version.h
libtocsin_sources += src/state/module_history.c src/state/module_history.h
libtocsin_sources += src/state/alert_log.c src/state/alert_log.h
libtocsin_sources += src/state/alert_record.c src/state/alert_record.h
libtocsin_sources += src/state/table_version.c src/state/table_version.h
