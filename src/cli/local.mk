# SPDX-License-Identifier: Apache-2.0
# The program `tocsin'. To add a file, append it and its header to the list:
#   tocsin_SOURCES += src/cli/noun.c src/cli/noun.h

bin_PROGRAMS += tocsin
tocsin_LDADD = $(tocsin_libs)
tocsin_SOURCES =
tocsin_SOURCES += src/cli/main.c
