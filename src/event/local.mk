# SPDX-License-Identifier: Apache-2.0
# The files of src/event. To add one, append it and its header to the list:
#   libtocsin_sources += src/event/noun.c src/event/noun.h

libtocsin_sources += src/event/value.c src/event/value.h
libtocsin_sources += src/event/event.c src/event/event.h
libtocsin_sources += src/event/schema.c src/event/schema.h src/event/schema_priv.h
libtocsin_sources += src/event/json_decode.cc src/event/json_decode.h
libtocsin_sources += src/event/json_walk.c src/event/json_walk_priv.h
libtocsin_sources += src/event/time_format.c src/event/time_format.h
libtocsin_sources += src/event/json_doc.c src/event/json_doc.h
libtocsin_sources += src/event/row_table.c src/event/row_table.h src/event/row_form.c src/event/row_form.h
libtocsin_sources += src/event/json_view.c src/event/json_view.h
libtocsin_sources += src/event/json_trim.c src/event/json_trim.h
libtocsin_sources += src/event/json_write.c src/event/json_write.h
