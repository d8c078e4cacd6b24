# SPDX-License-Identifier: Apache-2.0
# The files of src/config. To add one, append it and its header to the list:
#   libtocsin_sources += src/config/noun.c src/config/noun.h

libtocsin_sources += src/config/config.h
