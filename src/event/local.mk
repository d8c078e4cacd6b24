# SPDX-License-Identifier: Apache-2.0
# The files of src/event. To add one, append it and its header to the list:
#   libtocsin_sources += src/event/noun.c src/event/noun.h

