# SPDX-License-Identifier: Apache-2.0
# The program tocsind. To add a file, append it and its header to the list.
#   tocsind_SOURCES += src/daemon/noun.c src/daemon/noun.h

