# SPDX-License-Identifier: Apache-2.0
# The program `tocsin'. To add a file, append it and its header to the list:
#   tocsin_SOURCES += src/cli/noun.c src/cli/noun.h

bin_PROGRAMS += tocsin
tocsin_LDADD = $(tocsin_libs)
tocsin_SOURCES =
tocsin_SOURCES += src/cli/main.c
tocsin_SOURCES += src/cli/command.c src/cli/command.h src/cli/command.def src/cli/option.def \
  src/cli/action.def
tocsin_SOURCES += src/cli/help.c src/cli/help.h
tocsin_SOURCES += src/cli/man.c src/cli/man.h
tocsin_SOURCES += src/cli/check.c
tocsin_SOURCES += src/cli/test.c
tocsin_SOURCES += src/cli/progress.c src/cli/progress.h
tocsin_SOURCES += src/cli/replay_summary.c src/cli/replay_summary.h
tocsin_SOURCES += src/cli/replay.c src/cli/replay_priv.h src/cli/replay_config.c
tocsin_SOURCES += src/cli/fmt.c
tocsin_SOURCES += src/cli/explain.c src/cli/explain_priv.h
tocsin_SOURCES += src/cli/explain_report.c src/cli/explain_report.h
tocsin_SOURCES += src/cli/explain_rule.c src/cli/explain_words.c src/cli/explain_state.c
tocsin_SOURCES += src/cli/explain_code.c src/cli/explain_dot.c
tocsin_SOURCES += src/cli/state.c src/cli/state_priv.h src/cli/state_letters.c src/cli/state_keys.c
tocsin_SOURCES += src/cli/state_inspect.c src/cli/state_verify.c src/cli/state_dump.c

# The manual page comes from the same tables as the help.
man1_MANS = tocsin.1
CLEANFILES += tocsin.1
tocsin.1: tocsin$(EXEEXT)
	$(AM_V_GEN)./tocsin$(EXEEXT) --man >$@.tmp && mv $@.tmp $@
