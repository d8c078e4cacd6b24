# SPDX-License-Identifier: Apache-2.0
# The program tocsind. To add a file, append it and its header to the list.
#   tocsind_SOURCES += src/daemon/noun.c src/daemon/noun.h

bin_PROGRAMS += tocsind
tocsind_LDADD = $(tocsin_libs)
tocsind_SOURCES =
tocsind_SOURCES += src/daemon/main.c
tocsind_SOURCES += src/daemon/options.c src/daemon/options.h src/daemon/option.def
tocsind_SOURCES += src/daemon/boot.c src/daemon/boot.h
tocsind_SOURCES += src/daemon/wiring.c src/daemon/wiring.h
tocsind_SOURCES += src/daemon/ruleset.c src/daemon/ruleset.h

# The manual pages come from the same tables as the help and the reader of configurations.
man1_MANS += tocsind.1
man5_MANS = tocsin.conf.5
CLEANFILES += tocsind.1 tocsin.conf.5
tocsind.1: tocsind$(EXEEXT)
	$(AM_V_GEN)./tocsind$(EXEEXT) --man >$@.tmp && mv $@.tmp $@
tocsin.conf.5: tocsind$(EXEEXT)
	$(AM_V_GEN)./tocsind$(EXEEXT) --man-conf >$@.tmp && mv $@.tmp $@
