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
tocsin_SOURCES += src/cli/completion.c src/cli/completion.h
tocsin_SOURCES += src/cli/check.c
tocsin_SOURCES += src/cli/state_module.c
tocsin_SOURCES += src/cli/token.c
tocsin_SOURCES += src/cli/test.c
tocsin_SOURCES += src/cli/progress.c src/cli/progress.h
tocsin_SOURCES += src/cli/replay_summary.c src/cli/replay_summary.h
tocsin_SOURCES += src/cli/replay.c src/cli/replay_priv.h src/cli/replay_config.c
tocsin_SOURCES += src/cli/fmt.c
tocsin_SOURCES += src/cli/explain.c
tocsin_SOURCES += src/cli/state.c src/cli/state_priv.h src/cli/state_letters.c src/cli/state_sink.c src/cli/state_keys.c src/cli/state_look.c
tocsin_SOURCES += src/cli/state_inspect.c src/cli/state_verify.c src/cli/state_dump.c
tocsin_SOURCES += src/cli/remote.c src/cli/remote.h src/cli/remote_answer.c
tocsin_SOURCES += src/cli/shown.c src/cli/shown.h src/cli/grid.c src/cli/grid.h
tocsin_SOURCES += src/cli/remote_change.c src/cli/remote_change.h src/cli/remote_put.c src/cli/remote_watch.c
tocsin_SOURCES += src/cli/remote_rules.c src/cli/remote_modules.c src/cli/remote_state.c src/cli/remote_status.c
tocsin_SOURCES += src/cli/remote_post.c src/cli/remote_alerts.c src/cli/remote_operate.c src/cli/remote_tables.c

# The manual page comes from the same tables as the help.
man1_MANS = tocsin.1
CLEANFILES += tocsin.1
# So does what bash completes.
completiondir = $(datadir)/bash-completion/completions
nodist_completion_DATA = completions/tocsin
CLEANFILES += completions/tocsin
completions/tocsin: tocsin$(EXEEXT)
	$(AM_V_GEN)$(MKDIR_P) completions && ./tocsin$(EXEEXT) --completion >$@.tmp && mv $@.tmp $@
tocsin.1: tocsin$(EXEEXT)
	$(AM_V_GEN)./tocsin$(EXEEXT) --man >$@.tmp && mv $@.tmp $@
