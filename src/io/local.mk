# SPDX-License-Identifier: Apache-2.0
# The files of src/io. To add one, append it and its header to the list:
#   libtocsin_sources += src/io/noun.c src/io/noun.h

