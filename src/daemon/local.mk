# SPDX-License-Identifier: Apache-2.0
# The program tocsind. To add a file, append it and its header to the list.
#   tocsind_SOURCES += src/daemon/noun.c src/daemon/noun.h

bin_PROGRAMS += tocsind
tocsind_LDADD = $(tocsin_libs)
tocsind_SOURCES =
tocsind_SOURCES += src/daemon/main.c
tocsind_SOURCES += src/daemon/options.c src/daemon/options.h src/daemon/option.def
tocsind_SOURCES += src/daemon/boot.c src/daemon/boot.h src/daemon/boot_priv.h
tocsind_SOURCES += src/daemon/reload.c src/daemon/drain.c src/daemon/watch.c
tocsind_SOURCES += src/daemon/notify.c src/daemon/notify.h
tocsind_SOURCES += src/daemon/check.c src/daemon/check.h
tocsind_SOURCES += src/daemon/wiring.c src/daemon/wiring_spool.c src/daemon/wiring_webhook.c src/daemon/wiring_kafka.c src/daemon/wiring_table.c src/daemon/wiring.h
tocsind_SOURCES += src/daemon/api.c src/daemon/api.h src/daemon/api_priv.h src/daemon/api_change.c
tocsind_SOURCES += src/daemon/api_alerts.c src/daemon/api_dry.c src/daemon/api_dry.h src/daemon/api_streams.c src/daemon/api_streams.h src/daemon/api_worker.c src/daemon/api_worker.h
tocsind_SOURCES += src/daemon/api_events.c src/daemon/api_explain.c src/daemon/api_health.c src/daemon/api_modules.c src/daemon/api_rules.c src/daemon/api_state.c src/daemon/api_versions.c
tocsind_SOURCES += src/daemon/api_audit.c src/daemon/api_drain.c src/daemon/api_export.c src/daemon/api_letters.c src/daemon/api_operate.c src/daemon/api_wait.c src/daemon/api_wait.h
tocsind_SOURCES += src/daemon/figures.c src/daemon/figures.h src/daemon/figures_priv.h src/daemon/figures_ask.c
tocsind_SOURCES += src/daemon/ruleset.c src/daemon/ruleset.h src/daemon/ruleset_change.c src/daemon/ruleset_priv.h
tocsind_SOURCES += src/daemon/rules_topic.c src/daemon/rules_topic.h src/daemon/rules_topic_priv.h src/daemon/rules_topic_answer.c
tocsind_SOURCES += src/daemon/rules_topic_gather.c src/daemon/rules_topic_round.c src/daemon/rules_topic_try.c
tocsind_SOURCES += src/daemon/change_told.c src/daemon/change_told.h
tocsind_SOURCES += src/daemon/uploads.c src/daemon/uploads.h
tocsind_SOURCES += src/daemon/api_tables.c src/daemon/api_table_rows.c src/daemon/api_table_change.c
tocsind_SOURCES += src/daemon/api_table_job.c src/daemon/api_table_priv.h

# The manual pages come from the same tables as the help and the reader of configurations.
man1_MANS += tocsind.1
man5_MANS = tocsin.conf.5
CLEANFILES += tocsind.1 tocsin.conf.5
tocsind.1: tocsind$(EXEEXT)
	$(AM_V_GEN)./tocsind$(EXEEXT) --man >$@.tmp && mv $@.tmp $@
tocsin.conf.5: tocsind$(EXEEXT)
	$(AM_V_GEN)./tocsind$(EXEEXT) --man-conf >$@.tmp && mv $@.tmp $@
