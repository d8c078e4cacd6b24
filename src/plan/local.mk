# SPDX-License-Identifier: Apache-2.0
# The files of src/plan. To add one, append it and its header to the list:
#   libtocsin_sources += src/plan/noun.c src/plan/noun.h

