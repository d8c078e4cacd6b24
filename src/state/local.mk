# SPDX-License-Identifier: Apache-2.0
# The files of src/state. To add one, append it and its header to the list:
#   libtocsin_sources += src/state/noun.c src/state/noun.h

libtocsin_sources += src/state/space.def src/state/store.h src/state/checkpoint.h src/state/outbox.h
libtocsin_sources += src/state/modules.c src/state/modules.h
