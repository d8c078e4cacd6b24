# SPDX-License-Identifier: Apache-2.0
# The files of src/base. To add one, append it and its header to the list:
#   libtocsin_sources += src/base/noun.c src/base/noun.h

libtocsin_sources += src/base/version.c src/base/version.h
