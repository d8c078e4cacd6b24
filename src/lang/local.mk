# SPDX-License-Identifier: Apache-2.0
# The files of src/lang. To add one, append it and its header to the list:
#   libtocsin_sources += src/lang/noun.c src/lang/noun.h

