# SPDX-License-Identifier: Apache-2.0
# The files of src/flow. To add one, append it and its header to the list:
#   libtocsin_sources += src/flow/noun.c src/flow/noun.h

