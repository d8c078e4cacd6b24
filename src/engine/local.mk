# SPDX-License-Identifier: Apache-2.0
# The files of src/engine. To add one, append it and its header to the list:
#   libtocsin_sources += src/engine/noun.c src/engine/noun.h

libtocsin_sources += src/engine/vm.c src/engine/vm.h
