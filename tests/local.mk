# SPDX-License-Identifier: Apache-2.0
# The tests. A unit test is one file, tests/unit/test_NOUN.c, a cmocka program linked with
# src/libtocsin.a; to add one, append one line:
#   unit_tests += tests/unit/test_noun

unit_tests =
unit_tests += tests/unit/test_version
# base
unit_tests += tests/unit/test_arena
unit_tests += tests/unit/test_base64
unit_tests += tests/unit/test_buf
unit_tests += tests/unit/test_casefold
unit_tests += tests/unit/test_cidr
unit_tests += tests/unit/test_diag
unit_tests += tests/unit/test_digest
unit_tests += tests/unit/test_glob
unit_tests += tests/unit/test_gunzip
unit_tests += tests/unit/test_hash
unit_tests += tests/unit/test_intern
unit_tests += tests/unit/test_mem
unit_tests += tests/unit/test_metrics
unit_tests += tests/unit/test_log
unit_tests += tests/unit/test_compare
unit_tests += tests/unit/test_pem
tests_unit_test_pem_CPPFLAGS = $(AM_CPPFLAGS) -I$(top_srcdir)/tests
unit_tests += tests/unit/test_pool
unit_tests += tests/unit/test_reader
unit_tests += tests/unit/test_regex
unit_tests += tests/unit/test_suggest
unit_tests += tests/unit/test_utf8
unit_tests += tests/unit/test_zone
# names and types
EXTRA_DIST += tests/unit/resolve_fixture.h
tests_unit_test_resolve_CPPFLAGS = $(AM_CPPFLAGS) -I$(top_srcdir)/tests
tests_unit_test_resolve_match_CPPFLAGS = $(AM_CPPFLAGS) -I$(top_srcdir)/tests
tests_unit_test_resolve_window_CPPFLAGS = $(AM_CPPFLAGS) -I$(top_srcdir)/tests
tests_unit_test_typecheck_CPPFLAGS = $(AM_CPPFLAGS) -I$(top_srcdir)/tests
unit_tests += tests/unit/test_resolve
unit_tests += tests/unit/test_resolve_match
unit_tests += tests/unit/test_resolve_stream
unit_tests += tests/unit/test_typecheck
unit_tests += tests/unit/test_resolve_window
unit_tests += tests/unit/test_window_build
# io and flow
unit_tests += tests/unit/test_order tests/unit/test_order_live tests/unit/test_order_idle tests/unit/test_order_rows
unit_tests += tests/unit/test_group tests/unit/test_position tests/unit/test_spill
unit_tests += tests/unit/test_mute tests/unit/test_route
unit_tests += tests/unit/test_deliver tests/unit/test_deliver_kill tests/unit/test_alert_stamp
tests_unit_test_deliver_CPPFLAGS = $(AM_CPPFLAGS) -I$(top_srcdir)/tests
tests_unit_test_deliver_kill_CPPFLAGS = $(AM_CPPFLAGS) -I$(top_srcdir)/tests
unit_tests += tests/unit/test_courier tests/unit/test_courier_gather
tests_unit_test_courier_CPPFLAGS = $(AM_CPPFLAGS) -I$(top_srcdir)/tests -I$(top_srcdir)
tests_unit_test_courier_gather_CPPFLAGS = $(AM_CPPFLAGS) -I$(top_srcdir)/tests -I$(top_srcdir)
EXTRA_DIST += tests/unit/courier_fixture.h
unit_tests += tests/unit/test_body tests/unit/test_template tests/unit/test_body_reference tests/unit/test_body_entity
unit_tests += tests/unit/test_sink_kafka_marker tests/unit/test_kafka_told tests/unit/test_sink_kafka_key
unit_tests += tests/unit/test_source_kafka
unit_tests += tests/unit/test_sink_file tests/unit/test_sink_file_kill
tests_unit_test_sink_file_CPPFLAGS = $(AM_CPPFLAGS) -I$(top_srcdir)/tests
tests_unit_test_sink_file_kill_CPPFLAGS = $(AM_CPPFLAGS) -I$(top_srcdir)/tests
EXTRA_DIST += tests/unit/sink_fixture.h tests/unit/failpoint_fixture.h
unit_tests += tests/unit/test_address_policy tests/unit/test_backoff tests/unit/test_http_date tests/unit/test_sse_reader
unit_tests += tests/unit/test_web_answer tests/unit/test_web_settings tests/unit/test_web_sign tests/unit/test_web_url
tests_unit_test_web_settings_CPPFLAGS = $(AM_CPPFLAGS) -I$(top_srcdir)/tests
EXTRA_DIST += tests/unit/pem_fixture.h
unit_tests += tests/unit/test_source_file
unit_tests += tests/unit/test_source_follow tests/unit/test_source_follow_load
tests_unit_test_source_follow_CPPFLAGS = $(AM_CPPFLAGS) -I$(top_srcdir)/tests
tests_unit_test_source_follow_load_CPPFLAGS = $(AM_CPPFLAGS) -I$(top_srcdir)/tests
EXTRA_DIST += tests/unit/source_follow_fixture.h
unit_tests += tests/unit/test_spool tests/unit/test_spool_fail tests/unit/test_source_spool
unit_tests += tests/unit/test_source_http
tests_unit_test_source_http_CPPFLAGS = $(AM_CPPFLAGS) -I$(top_srcdir)/tests
tests_unit_test_spool_CPPFLAGS = $(AM_CPPFLAGS) -I$(top_srcdir)/tests
tests_unit_test_spool_fail_CPPFLAGS = $(AM_CPPFLAGS) -I$(top_srcdir)/tests
tests_unit_test_source_spool_CPPFLAGS = $(AM_CPPFLAGS) -I$(top_srcdir)/tests
tests_unit_test_source_spool_LDFLAGS = $(AM_LDFLAGS) -Wl,--wrap=clock_monotonic
EXTRA_DIST += tests/unit/spool_fixture.h
unit_tests += tests/unit/test_time_field
unit_tests += tests/unit/test_test_run
unit_tests += tests/unit/test_config tests/unit/test_config_rules tests/unit/test_conceal tests/unit/test_config_reference
EXTRA_DIST += tests/unit/config.t
# event
unit_tests += tests/unit/test_event
unit_tests += tests/unit/test_json_decode
unit_tests += tests/unit/test_json_differential
unit_tests += tests/unit/test_json_doc
unit_tests += tests/unit/test_json_walk
unit_tests += tests/unit/test_json_view tests/unit/test_json_trim
unit_tests += tests/unit/test_schema
unit_tests += tests/unit/test_time_format
unit_tests += tests/unit/test_value
# lang: text to tree and back
unit_tests += tests/unit/test_ast_print
unit_tests += tests/unit/test_parse
unit_tests += tests/unit/test_parse_error
EXTRA_DIST += tests/unit/parse_error.t
unit_tests += tests/unit/test_format tests/unit/test_format_random
# those that compare with texts of the project
EXTRA_DIST += tests/unit/text_fixture.h
tests_unit_test_body_reference_CPPFLAGS = $(AM_CPPFLAGS) -I$(top_srcdir)/tests
tests_unit_test_config_CPPFLAGS = $(AM_CPPFLAGS) -I$(top_srcdir)/tests
tests_unit_test_config_reference_CPPFLAGS = $(AM_CPPFLAGS) -I$(top_srcdir)/tests
tests_unit_test_function_CPPFLAGS = $(AM_CPPFLAGS) -I$(top_srcdir)/tests
tests_unit_test_http_uri_CPPFLAGS = $(AM_CPPFLAGS) -I$(top_srcdir)/tests
tests_unit_test_metrics_CPPFLAGS = $(AM_CPPFLAGS) -I$(top_srcdir)/tests
tests_unit_test_parse_error_CPPFLAGS = $(AM_CPPFLAGS) -I$(top_srcdir)/tests
tests_unit_test_format_CPPFLAGS = $(AM_CPPFLAGS) -I$(top_srcdir)/tests
tests_unit_test_format_random_CPPFLAGS = $(AM_CPPFLAGS) -I$(top_srcdir)/tests
EXTRA_DIST += tests/unit/format_fixture.h
# expressions
unit_tests += tests/unit/test_pools
unit_tests += tests/unit/test_function
unit_tests += tests/unit/test_function_edges
tests_unit_test_function_edges_CPPFLAGS = $(AM_CPPFLAGS) -I$(top_srcdir)/tests
EXTRA_DIST += tests/unit/function_fixture.h
unit_tests += tests/unit/test_vm
unit_tests += tests/unit/test_expr_compile
unit_tests += tests/unit/test_expr_differential
# engine
unit_tests += tests/unit/test_set_matcher

# engine and plan
unit_tests += tests/unit/test_deadline
unit_tests += tests/unit/test_program
unit_tests += tests/unit/test_nfa
unit_tests += tests/unit/test_engine
unit_tests += tests/unit/test_candidates
unit_tests += tests/unit/test_suppress
unit_tests += tests/unit/test_run
unit_tests += tests/unit/test_probe
unit_tests += tests/unit/test_piece_timer
unit_tests += tests/unit/test_reaper
unit_tests += tests/unit/test_key
unit_tests += tests/unit/test_alert
unit_tests += tests/unit/test_link_table
unit_tests += tests/unit/test_partition
unit_tests += tests/unit/test_table tests/unit/test_table_topic
tests_unit_test_table_CPPFLAGS = $(AM_CPPFLAGS) -I$(top_srcdir)/tests
tests_unit_test_table_topic_CPPFLAGS = $(AM_CPPFLAGS) -I$(top_srcdir)/tests
unit_tests += tests/unit/test_window_rows
tests_unit_test_window_rows_CPPFLAGS = $(AM_CPPFLAGS) -I$(top_srcdir)/tests
unit_tests += tests/unit/test_snapshot
unit_tests += tests/unit/test_explain
tests_unit_test_explain_CPPFLAGS = $(AM_CPPFLAGS) -I$(top_srcdir)/tests
tests_unit_test_deadline_CPPFLAGS = $(AM_CPPFLAGS) -I$(top_srcdir)/tests
tests_unit_test_link_table_CPPFLAGS = $(AM_CPPFLAGS) -I$(top_srcdir)/tests
tests_unit_test_partition_CPPFLAGS = $(AM_CPPFLAGS) -I$(top_srcdir)/tests
tests_unit_test_snapshot_CPPFLAGS = $(AM_CPPFLAGS) -I$(top_srcdir)/tests
tests_unit_test_alert_CPPFLAGS = $(AM_CPPFLAGS) -I$(top_srcdir)/tests
tests_unit_test_key_CPPFLAGS = $(AM_CPPFLAGS) -I$(top_srcdir)/tests
tests_unit_test_reaper_CPPFLAGS = $(AM_CPPFLAGS) -I$(top_srcdir)/tests
tests_unit_test_piece_timer_CPPFLAGS = $(AM_CPPFLAGS) -I$(top_srcdir)/tests
tests_unit_test_probe_CPPFLAGS = $(AM_CPPFLAGS) -I$(top_srcdir)/tests
tests_unit_test_run_CPPFLAGS = $(AM_CPPFLAGS) -I$(top_srcdir)/tests
tests_unit_test_suppress_CPPFLAGS = $(AM_CPPFLAGS) -I$(top_srcdir)/tests
tests_unit_test_window_build_CPPFLAGS = $(AM_CPPFLAGS) -I$(top_srcdir)/tests
tests_unit_test_candidates_CPPFLAGS = $(AM_CPPFLAGS) -I$(top_srcdir)/tests
tests_unit_test_engine_CPPFLAGS = $(AM_CPPFLAGS) -I$(top_srcdir)/tests
tests_unit_test_nfa_CPPFLAGS = $(AM_CPPFLAGS) -I$(top_srcdir)/tests
tests_unit_test_program_CPPFLAGS = $(AM_CPPFLAGS) -I$(top_srcdir)/tests
EXTRA_DIST += tests/unit/engine_fixture.h tests/unit/record_store.h
unit_tests += tests/unit/test_record
tests_unit_test_record_CPPFLAGS = $(AM_CPPFLAGS) -I$(top_srcdir)/tests
unit_tests += tests/unit/test_directory
tests_unit_test_directory_CPPFLAGS = $(AM_CPPFLAGS) -I$(top_srcdir)/tests

# aggregates of windows
unit_tests += tests/unit/test_accumulator
unit_tests += tests/unit/test_accumulator_number
unit_tests += tests/unit/test_accumulator_limit
unit_tests += tests/unit/test_sketch

# windows, joins, first sightings, rules as streams
unit_tests += tests/unit/test_window_pane
tests_unit_test_window_pane_CPPFLAGS = $(AM_CPPFLAGS) -I$(top_srcdir)/tests -I$(top_srcdir)
unit_tests += tests/unit/test_window_session
tests_unit_test_window_session_CPPFLAGS = $(AM_CPPFLAGS) -I$(top_srcdir)/tests -I$(top_srcdir)
unit_tests += tests/unit/test_window_sliding
tests_unit_test_window_sliding_CPPFLAGS = $(AM_CPPFLAGS) -I$(top_srcdir)/tests -I$(top_srcdir)
unit_tests += tests/unit/test_window_cell
tests_unit_test_window_cell_CPPFLAGS = $(AM_CPPFLAGS) -I$(top_srcdir)/tests -I$(top_srcdir)
unit_tests += tests/unit/test_join
tests_unit_test_join_CPPFLAGS = $(AM_CPPFLAGS) -I$(top_srcdir)/tests -I$(top_srcdir)
unit_tests += tests/unit/test_novel
tests_unit_test_novel_CPPFLAGS = $(AM_CPPFLAGS) -I$(top_srcdir)/tests -I$(top_srcdir)
unit_tests += tests/unit/test_derived
tests_unit_test_derived_CPPFLAGS = $(AM_CPPFLAGS) -I$(top_srcdir)/tests -I$(top_srcdir)
unit_tests += tests/unit/test_finding
tests_unit_test_finding_CPPFLAGS = $(AM_CPPFLAGS) -I$(top_srcdir)/tests -I$(top_srcdir)
EXTRA_DIST += tests/unit/window_fixture.h

# the daemon: threads, what flows between them, what is kept
unit_tests += tests/unit/test_queue
unit_tests += tests/unit/test_swap
tests_unit_test_swap_CPPFLAGS = $(AM_CPPFLAGS) -I$(top_srcdir)/tests -I$(top_srcdir)
unit_tests += tests/unit/test_drain
tests_unit_test_drain_CPPFLAGS = $(AM_CPPFLAGS) -I$(top_srcdir)/tests -I$(top_srcdir)

# the database, checkpoints, the outbox
unit_tests += tests/unit/test_store_batch
unit_tests += tests/unit/test_store_leveldb
tests_unit_test_store_leveldb_CPPFLAGS = $(AM_CPPFLAGS) -I$(top_srcdir)/tests
unit_tests += tests/unit/test_checkpoint
tests_unit_test_checkpoint_CPPFLAGS = $(AM_CPPFLAGS) -I$(top_srcdir)/tests
unit_tests += tests/unit/test_outbox
tests_unit_test_outbox_CPPFLAGS = $(AM_CPPFLAGS) -I$(top_srcdir)/tests -I$(top_srcdir)
unit_tests += tests/unit/test_outbox_race
tests_unit_test_outbox_race_CPPFLAGS = $(tests_unit_test_outbox_CPPFLAGS)
tests_unit_test_outbox_race_LDFLAGS = $(AM_LDFLAGS) -Wl,--wrap=store_read_from -Wl,--wrap=outbox_pending
unit_tests += tests/unit/test_dead_letter
unit_tests += tests/unit/test_modules
tests_unit_test_dead_letter_CPPFLAGS = $(AM_CPPFLAGS) -I$(top_srcdir)/tests -I$(top_srcdir)
unit_tests += tests/unit/test_alert_log tests/unit/test_alert_query
tests_unit_test_alert_log_CPPFLAGS = $(AM_CPPFLAGS) -I$(top_srcdir)/tests -I$(top_srcdir)
tests_unit_test_alert_query_CPPFLAGS = $(AM_CPPFLAGS) -I$(top_srcdir)/tests -I$(top_srcdir)
EXTRA_DIST += tests/unit/state_fixture.h tests/unit/outbox_fixture.h tests/unit/box_fixture.h tests/unit/alert_fixture.h

# A test program of another kind (tests/golden/run_golden.c) is added by
#   check_programs += tests/golden/run_golden
# and its data by EXTRA_DIST += tests/golden/FOLDER-OR-FILE.
check_programs =

# Golden cases: whole rules against events.
check_programs += tests/golden/run_golden
tests_golden_run_golden_CPPFLAGS = $(AM_CPPFLAGS) -I$(top_srcdir)/tests
tests_golden_run_golden_SOURCES = tests/golden/run_golden.c \
  tests/golden/case_file.c tests/golden/case_file.h tests/golden/judge.c tests/golden/judge.h
EXTRA_DIST += tests/golden/README.md tests/golden/cases

# The oracle: another matcher, in Python; random rules against it. The numbers of the real logs.
TESTS += tests/oracle/run.sh tests/data/run_real.sh tests/data/run_windows.sh tests/data/run_daemon.sh
EXTRA_DIST += tests/oracle/READINGS.md tests/oracle/run.sh tests/oracle/case_text.py \
  tests/oracle/expression.py tests/oracle/generate.py tests/oracle/oracle.py \
  tests/oracle/partition.py tests/oracle/rule_text.py tests/oracle/shrink.py tests/oracle/test_oracle.py \
  tests/oracle/vectors.py
EXTRA_DIST += tests/oracle/READINGS_WINDOWS.md tests/oracle/aggregates.py tests/oracle/body_oracle.py \
  tests/oracle/body_text.py tests/oracle/generate_bodies.py tests/oracle/generate_joins.py \
  tests/oracle/generate_novels.py tests/oracle/generate_ways.py tests/oracle/generate_windows.py tests/oracle/join_oracle.py \
  tests/oracle/late_windows.py tests/oracle/novel_oracle.py tests/oracle/shrink_bodies.py \
  tests/oracle/test_body_oracle.py tests/oracle/window_oracle.py
EXTRA_DIST += tests/data/run_windows.sh tests/data/window_numbers.py tests/data/card_windows.rule \
  tests/data/retail_windows.rule tests/data/ssh_failures.rule tests/data/trades_windows.rule
EXTRA_DIST += tests/data/run_daemon.sh tests/data/daemon_numbers.py
EXTRA_DIST += tests/data/run_real.sh tests/data/real_numbers.py \
  tests/data/cloudtrail_parameter.rule tests/data/cloudtrail_role.rule \
  tests/data/cloudtrail_user_key.rule tests/data/ssh_brute_force.rule \
  tests/data/ssh_login_session.rule tests/data/ssh_never_closed.rule

# What webhooks say, against the schemas of those who read it.
TESTS += tests/webhook/bodies.sh tests/webhook/template_check.sh
EXTRA_DIST += tests/webhook/template_check.sh
EXTRA_DIST += tests/webhook/bodies.sh tests/webhook/bodies.py tests/webhook/alerts.ndjson \
  tests/webhook/others.ndjson tests/webhook/schemas tests/webhook/golden
check_PROGRAMS += tests/webhook/make_bodies
tests_webhook_make_bodies_LDADD = $(tocsin_libs)

# The benchmarks, of `make bench' alone.
bench_programs = tests/bench/bench_body tests/bench/bench_events tests/bench/bench_replay tests/bench/bench_rules tests/bench/bench_runs \
  tests/bench/bench_record tests/bench/bench_state tests/bench/bench_store tests/bench/bench_window tests/bench/bench_window_memory \
  tests/bench/bench_web tests/bench/bench_kafka
EXTRA_PROGRAMS = $(bench_programs)
bench_common = tests/bench/bench.c tests/bench/bench.h
bench_cppflags = $(AM_CPPFLAGS) -I$(top_srcdir)/tests
tests_bench_bench_body_SOURCES = tests/bench/bench_body.c $(bench_common)
tests_bench_bench_body_CPPFLAGS = $(bench_cppflags)
tests_bench_bench_body_LDADD = $(tocsin_libs)
tests_bench_bench_events_SOURCES = tests/bench/bench_events.c $(bench_common)
tests_bench_bench_events_CPPFLAGS = $(bench_cppflags)
tests_bench_bench_events_LDADD = $(tocsin_libs)
tests_bench_bench_replay_SOURCES = tests/bench/bench_replay.c tests/bench/bare_loop.cc $(bench_common)
tests_bench_bench_replay_CPPFLAGS = $(bench_cppflags)
tests_bench_bench_replay_LDADD = $(tocsin_libs)
tests_bench_bench_rules_SOURCES = tests/bench/bench_rules.c $(bench_common)
tests_bench_bench_rules_CPPFLAGS = $(bench_cppflags)
tests_bench_bench_rules_LDADD = $(tocsin_libs)
tests_bench_bench_runs_SOURCES = tests/bench/bench_runs.c $(bench_common)
tests_bench_bench_runs_CPPFLAGS = $(bench_cppflags)
tests_bench_bench_runs_LDADD = $(tocsin_libs)
tests_bench_bench_record_SOURCES = tests/bench/bench_record.c $(bench_common)
tests_bench_bench_record_CPPFLAGS = $(bench_cppflags)
tests_bench_bench_record_LDADD = $(tocsin_libs)
tests_bench_bench_state_SOURCES = tests/bench/bench_state.c $(bench_common)
tests_bench_bench_state_CPPFLAGS = $(bench_cppflags)
tests_bench_bench_state_LDADD = $(tocsin_libs)
tests_bench_bench_store_SOURCES = tests/bench/bench_store.c $(bench_common)
tests_bench_bench_store_CPPFLAGS = $(bench_cppflags)
tests_bench_bench_store_LDADD = $(tocsin_libs)
tests_bench_bench_window_SOURCES = tests/bench/bench_window.c $(bench_common)
tests_bench_bench_window_CPPFLAGS = $(bench_cppflags)
tests_bench_bench_window_LDADD = $(tocsin_libs)
tests_bench_bench_window_memory_SOURCES = tests/bench/bench_window_memory.c $(bench_common)
tests_bench_bench_window_memory_CPPFLAGS = $(bench_cppflags)
tests_bench_bench_window_memory_LDADD = $(tocsin_libs)
tests_bench_bench_kafka_SOURCES = tests/bench/bench_kafka.c $(bench_common)
tests_bench_bench_kafka_CPPFLAGS = $(bench_cppflags)
tests_bench_bench_kafka_LDADD = $(tocsin_libs)
tests_bench_bench_web_SOURCES = tests/bench/bench_web.c tests/bench/receiver.c tests/bench/receiver.h $(bench_common)
tests_bench_bench_web_CPPFLAGS = $(bench_cppflags)
tests_bench_bench_web_LDADD = $(tocsin_libs)
CLEANFILES += $(bench_programs)
EXTRA_DIST += tests/bench/bench.sh tests/bench/daemon.py tests/bench/kafka.py tests/bench/webhook.py tests/bench/http_bench.py tests/bench/profile.sh tests/bench/ten.rule

# The alerting rules and the dashboard for tocsin itself (contrib/).
TESTS += tests/contrib/dashboards.sh
EXTRA_DIST += tests/contrib/dashboards.sh tests/contrib/dashboards.py tests/contrib/promtool.sh

# The HTTP server alone; the interface of the daemon.
check_PROGRAMS += tests/http/serve
tests_http_serve_LDADD = $(tocsin_libs)
unit_tests += tests/unit/test_http_auth tests/unit/test_http_uri
unit_tests += tests/unit/test_line_diff tests/unit/test_audit tests/unit/test_rules_topic tests/unit/test_topic_writer tests/unit/test_table_version
tests_unit_test_table_version_CPPFLAGS = $(AM_CPPFLAGS) -I$(top_srcdir)/tests
tests_unit_test_rules_topic_CPPFLAGS = $(AM_CPPFLAGS) -I$(top_srcdir)/tests
tests_unit_test_audit_CPPFLAGS = $(AM_CPPFLAGS) -I$(top_srcdir)/tests
http_tests = tests/http/server.sh tests/http/slow.sh
http_tests += tests/http/api.sh
http_tests += tests/http/ingest.sh
http_tests += tests/http/load.sh
http_tests += tests/http/operate.sh tests/http/operate_long.sh
http_tests += tests/http/schema.sh
http_tests += tests/http/tables.sh
http_tests += tests/http/alerts.sh
TESTS += $(http_tests)
EXTRA_DIST += $(http_tests) tests/http/server.py tests/http/slow.py
EXTRA_DIST += tests/http/api.py tests/http/modules.py tests/http/http_daemon.py
EXTRA_DIST += tests/http/ingest.py
EXTRA_DIST += tests/http/load.py
EXTRA_DIST += tests/http/schema.py
EXTRA_DIST += tests/http/operate.py tests/http/hook.py
EXTRA_DIST += tests/http/tables.py
EXTRA_DIST += tests/http/alerts.py tests/http/alerts_watch.py tests/http/alerts_cost.py

# Fuzz targets (tests/fuzz/fuzz.h). With --enable-fuzzing they are linked with libFuzzer, for
# tests/fuzz/run.sh; else each runs over its kept corpus.
fuzz_programs = \
  tests/fuzz/fuzz_body \
  tests/fuzz/fuzz_parse tests/fuzz/fuzz_compile tests/fuzz/fuzz_event \
  tests/fuzz/fuzz_time tests/fuzz/fuzz_pattern tests/fuzz/fuzz_gunzip \
  tests/fuzz/fuzz_rules tests/fuzz/fuzz_snapshot \
  tests/fuzz/fuzz_config tests/fuzz/fuzz_spool tests/fuzz/fuzz_record tests/fuzz/fuzz_key_record \
  tests/fuzz/fuzz_request \
  tests/fuzz/fuzz_http tests/fuzz/fuzz_web tests/fuzz/fuzz_route tests/fuzz/fuzz_post_key tests/fuzz/fuzz_sse tests/fuzz/fuzz_marker tests/fuzz/fuzz_rules_topic tests/fuzz/fuzz_topic_line \
  tests/fuzz/fuzz_rows tests/fuzz/fuzz_alert
fuzz_common = tests/fuzz/fuzz.c tests/fuzz/fuzz.h
fuzz_gen = tests/fuzz/rule_gen.c tests/fuzz/rule_gen.h
if FUZZING
EXTRA_PROGRAMS += $(fuzz_programs)
CLEANFILES += $(fuzz_programs)
else
fuzz_common += tests/fuzz/replay_main.c
check_PROGRAMS += $(fuzz_programs)
TESTS += $(fuzz_programs)
endif
fuzz_libs = $(FUZZER_LIBS) $(tocsin_libs)
fuzz_cppflags = $(AM_CPPFLAGS) -I$(top_srcdir)/tests
tests_fuzz_fuzz_body_SOURCES = tests/fuzz/fuzz_body.c $(fuzz_common)
tests_fuzz_fuzz_body_CPPFLAGS = $(fuzz_cppflags)
tests_fuzz_fuzz_body_LDADD = $(fuzz_libs)
tests_fuzz_fuzz_parse_SOURCES = tests/fuzz/fuzz_parse.c $(fuzz_common)
tests_fuzz_fuzz_parse_CPPFLAGS = $(fuzz_cppflags)
tests_fuzz_fuzz_parse_LDADD = $(fuzz_libs)
tests_fuzz_fuzz_web_SOURCES = tests/fuzz/fuzz_web.c $(fuzz_common)
tests_fuzz_fuzz_web_CPPFLAGS = $(fuzz_cppflags)
tests_fuzz_fuzz_web_LDADD = $(fuzz_libs)
tests_fuzz_fuzz_route_SOURCES = tests/fuzz/fuzz_route.c $(fuzz_common)
tests_fuzz_fuzz_route_CPPFLAGS = $(fuzz_cppflags)
tests_fuzz_fuzz_route_LDADD = $(fuzz_libs)
tests_fuzz_fuzz_sse_SOURCES = tests/fuzz/fuzz_sse.c $(fuzz_common)
tests_fuzz_fuzz_sse_CPPFLAGS = $(fuzz_cppflags)
tests_fuzz_fuzz_sse_LDADD = $(fuzz_libs)
tests_fuzz_fuzz_alert_SOURCES = tests/fuzz/fuzz_alert.c $(fuzz_common)
tests_fuzz_fuzz_alert_CPPFLAGS = $(fuzz_cppflags)
tests_fuzz_fuzz_alert_LDADD = $(fuzz_libs)
tests_fuzz_fuzz_rows_SOURCES = tests/fuzz/fuzz_rows.c $(fuzz_common)
tests_fuzz_fuzz_rows_CPPFLAGS = $(fuzz_cppflags)
tests_fuzz_fuzz_rows_LDADD = $(fuzz_libs)
tests_fuzz_fuzz_rules_topic_SOURCES = tests/fuzz/fuzz_rules_topic.c $(fuzz_common)
tests_fuzz_fuzz_rules_topic_CPPFLAGS = $(fuzz_cppflags)
tests_fuzz_fuzz_rules_topic_LDADD = $(fuzz_libs)
tests_fuzz_fuzz_topic_line_SOURCES = tests/fuzz/fuzz_topic_line.c $(fuzz_common)
tests_fuzz_fuzz_topic_line_CPPFLAGS = $(fuzz_cppflags)
tests_fuzz_fuzz_topic_line_LDADD = $(fuzz_libs)
tests_fuzz_fuzz_marker_SOURCES = tests/fuzz/fuzz_marker.c $(fuzz_common)
tests_fuzz_fuzz_marker_CPPFLAGS = $(fuzz_cppflags)
tests_fuzz_fuzz_marker_LDADD = $(fuzz_libs)
tests_fuzz_fuzz_post_key_SOURCES = tests/fuzz/fuzz_post_key.c $(fuzz_common)
tests_fuzz_fuzz_post_key_CPPFLAGS = $(fuzz_cppflags)
tests_fuzz_fuzz_post_key_LDADD = $(fuzz_libs)
tests_fuzz_fuzz_config_SOURCES = tests/fuzz/fuzz_config.c $(fuzz_common)
tests_fuzz_fuzz_config_CPPFLAGS = $(fuzz_cppflags)
tests_fuzz_fuzz_config_LDADD = $(fuzz_libs)
tests_fuzz_fuzz_record_SOURCES = tests/fuzz/fuzz_record.c $(fuzz_common)
tests_fuzz_fuzz_record_CPPFLAGS = $(fuzz_cppflags)
tests_fuzz_fuzz_record_LDADD = $(fuzz_libs)
tests_fuzz_fuzz_spool_SOURCES = tests/fuzz/fuzz_spool.c $(fuzz_common)
tests_fuzz_fuzz_spool_CPPFLAGS = $(fuzz_cppflags)
tests_fuzz_fuzz_spool_LDADD = $(fuzz_libs)
tests_fuzz_fuzz_request_SOURCES = tests/fuzz/fuzz_request.c $(fuzz_common)
tests_fuzz_fuzz_request_CPPFLAGS = $(fuzz_cppflags)
tests_fuzz_fuzz_request_LDADD = $(fuzz_libs)
tests_fuzz_fuzz_http_SOURCES = tests/fuzz/fuzz_http.c $(fuzz_common)
tests_fuzz_fuzz_http_CPPFLAGS = $(fuzz_cppflags)
tests_fuzz_fuzz_http_LDADD = $(fuzz_libs)
tests_fuzz_fuzz_compile_SOURCES = tests/fuzz/fuzz_compile.c $(fuzz_common)
tests_fuzz_fuzz_compile_CPPFLAGS = $(fuzz_cppflags)
tests_fuzz_fuzz_compile_LDADD = $(fuzz_libs)
tests_fuzz_fuzz_event_SOURCES = tests/fuzz/fuzz_event.c $(fuzz_common)
tests_fuzz_fuzz_event_CPPFLAGS = $(fuzz_cppflags)
tests_fuzz_fuzz_event_LDADD = $(fuzz_libs)
tests_fuzz_fuzz_time_SOURCES = tests/fuzz/fuzz_time.c $(fuzz_common)
tests_fuzz_fuzz_time_CPPFLAGS = $(fuzz_cppflags)
tests_fuzz_fuzz_time_LDADD = $(fuzz_libs)
tests_fuzz_fuzz_pattern_SOURCES = tests/fuzz/fuzz_pattern.c $(fuzz_common)
tests_fuzz_fuzz_pattern_CPPFLAGS = $(fuzz_cppflags)
tests_fuzz_fuzz_pattern_LDADD = $(fuzz_libs)
tests_fuzz_fuzz_gunzip_SOURCES = tests/fuzz/fuzz_gunzip.c $(fuzz_common)
tests_fuzz_fuzz_gunzip_CPPFLAGS = $(fuzz_cppflags)
tests_fuzz_fuzz_gunzip_LDADD = $(fuzz_libs)
tests_fuzz_fuzz_rules_SOURCES = tests/fuzz/fuzz_rules.c $(fuzz_common) $(fuzz_gen)
tests_fuzz_fuzz_rules_CPPFLAGS = $(fuzz_cppflags)
tests_fuzz_fuzz_rules_LDADD = $(fuzz_libs)
tests_fuzz_fuzz_snapshot_SOURCES = tests/fuzz/fuzz_snapshot.c tests/fuzz/damage.c tests/fuzz/damage.h $(fuzz_common) $(fuzz_gen)
tests_fuzz_fuzz_snapshot_CPPFLAGS = $(fuzz_cppflags)
tests_fuzz_fuzz_snapshot_LDADD = $(fuzz_libs)
tests_fuzz_fuzz_key_record_SOURCES = tests/fuzz/fuzz_key_record.c tests/fuzz/damage.c tests/fuzz/damage.h $(fuzz_common) $(fuzz_gen)
tests_fuzz_fuzz_key_record_CPPFLAGS = $(fuzz_cppflags)
tests_fuzz_fuzz_key_record_LDADD = $(fuzz_libs)
EXTRA_DIST += tests/fuzz/README.md tests/fuzz/run.sh tests/fuzz/rules.dict tests/fuzz/http.dict tests/fuzz/corpus \
  tests/fuzz/replay_main.c

# What a test may read from its environment. SEED: of what is random, so that each run tries the same; by hand and in
# check-long it is another one each time.
AM_TESTS_ENVIRONMENT = \
  SEED="$${SEED:-1}"; export SEED; \
  TOCSIN='$(abs_top_builddir)/tocsin'; export TOCSIN; \
  TOCSIND='$(abs_top_builddir)/tocsind'; export TOCSIND; \
  top_srcdir='$(abs_top_srcdir)'; export top_srcdir; \
  top_builddir='$(abs_top_builddir)'; export top_builddir; \
  CC='$(CC)'; export CC; \
  CPPFLAGS='-D_GNU_SOURCE -I$(abs_top_srcdir)/src -I$(abs_top_builddir) $(TOCSIN_CPPFLAGS) $(CPPFLAGS)'; \
  export CPPFLAGS;

TEST_EXTENSIONS = .sh
LOG_COMPILER = sh $(top_srcdir)/tests/timed.sh
SH_LOG_COMPILER = $(LOG_COMPILER) sh

EXTRA_DIST += tests/lint.sh tests/run.sh tests/skip.sh tests/skip.py tests/stacks.py tests/port.py tests/tocsind.py tests/timed.sh tests/tsan.sh tests/delays.sh tests/delays/delays.c
TESTS += tests/lint.sh
# what is written for people
TESTS += tests/documents.sh
EXTRA_DIST += tests/documents.sh tests/documents.py

# The command line, from outside.
cli_tests = tests/cli/usage.sh tests/cli/notes.sh tests/cli/long_line.sh tests/cli/check.sh tests/cli/test.sh tests/cli/replay.sh tests/cli/replay_apart.sh tests/cli/fmt.sh tests/cli/explain.sh tests/cli/reference.sh tests/cli/readme.sh tests/cli/man.sh tests/cli/tocsind.sh tests/cli/replay_config.sh tests/cli/example_config.sh tests/cli/state.sh tests/cli/remote.sh tests/cli/remote_hostile.sh
EXTRA_DIST += tests/cli/remote.py tests/cli/remote_hostile.py tests/cli/remote.golden
# The daemon, from outside; killed (tests/kill).
cli_tests += tests/daemon/run.sh tests/daemon/reload.sh tests/daemon/route.sh tests/daemon/large.sh \
  tests/daemon/faults.sh tests/daemon/fields.sh tests/daemon/stdin.sh tests/daemon/limits.sh \
  tests/daemon/reload_config.sh tests/daemon/log.sh tests/daemon/metrics.sh tests/daemon/metrics_swap.sh tests/daemon/notify.sh tests/daemon/clock.sh tests/daemon/sources.sh tests/daemon/over.sh tests/daemon/begun_again.sh tests/kill/kill.sh
EXTRA_DIST += tests/daemon/lib.sh tests/daemon/metrics_swap.py tests/daemon/sources.py tests/daemon/notify.py
check_PROGRAMS += tests/cli/make_state
tests_cli_make_state_LDADD = $(tocsin_libs)
EXTRA_DIST += tests/cli/lib.sh tests/cli/replay_apart.py $(cli_tests)
TESTS += $(cli_tests)

if HAVE_CMOCKA
check_PROGRAMS += $(unit_tests) $(check_programs)
TESTS += $(unit_tests) $(check_programs)
else
check-local:
	@echo 'make check: the unit tests need cmocka (Debian package libcmocka-dev);' >&2
	@echo 'install it and run configure again.' >&2
	@exit 1
endif

# The kill test: tests/kill/kill.sh.
EXTRA_DIST += tests/daemon/large.py tests/kill/kill.py tests/kill/harness.py tests/kill/variants.py \
  tests/kill/generate.py tests/kill/rules

# The webhook client against a receiver that misbehaves (tests/webhook/receiver.py).
EXTRA_DIST += tests/webhook/receiver.py tests/webhook/receiver_h2.py tests/webhook/certificates.sh \
  tests/webhook/web.sh tests/webhook/web.py tests/webhook/client.py tests/webhook/between.py
TESTS += tests/webhook/web.sh
# The daemon against it.
EXTRA_DIST += tests/webhook/deliver.sh tests/webhook/deliver.py tests/webhook/place.py \
  tests/webhook/kill.sh tests/webhook/kill.py
EXTRA_DIST += tests/webhook/attacks.sh tests/webhook/attacks.py
TESTS += tests/webhook/deliver.sh tests/webhook/attacks.sh tests/webhook/kill.sh
TESTS += tests/webhook/route.sh
EXTRA_DIST += tests/webhook/route.sh
check_PROGRAMS += tests/webhook/post
tests_webhook_post_LDADD = $(tocsin_libs)

# A real broker (tests/kafka/broker.sh) for what speaks with Kafka.
check_PROGRAMS += tests/kafka/admin
tests_kafka_admin_LDADD = $(tocsin_libs)
kafka_tests = tests/kafka/source.sh tests/kafka/source_rest.sh
TESTS += $(kafka_tests) tests/kafka/rules.sh
EXTRA_DIST += tests/kafka/rules.sh tests/kafka/rules.py tests/kafka/rules_place.py
EXTRA_DIST += $(kafka_tests) tests/kafka/source.py tests/kafka/source_place.py tests/kafka/replayed.py tests/kafka/broker.sh tests/kafka/broker.py tests/kafka/pom.xml tests/kafka/log4j
# The sink: what the broker must do for it, what is in the topics then, and kills.
check_PROGRAMS += tests/kafka/marker
tests_kafka_marker_LDADD = $(tocsin_libs)
TESTS += tests/kafka/sink.sh tests/kafka/sink_lives.sh tests/kafka/both.sh
TESTS += tests/kafka/cluster.sh
EXTRA_DIST += tests/kafka/cluster.sh tests/kafka/cluster.py
TESTS += tests/kafka/away.sh tests/kafka/secure.sh tests/kafka/tables.sh tests/kafka/tables_rest.sh
EXTRA_DIST += tests/kafka/away.sh tests/kafka/away.py tests/kafka/secure.sh tests/kafka/secure.py tests/kafka/rights.py
EXTRA_DIST += tests/kafka/tables.sh tests/kafka/tables_rest.sh tests/kafka/tables.py tests/kafka/tables_place.py
EXTRA_DIST += tests/kafka/c11_threads.c tests/kafka/tsan.supp tests/kafka/both.sh tests/kafka/sink.sh tests/kafka/sink_lives.sh tests/kafka/sink.py tests/kafka/sink_place.py tests/kafka/both.py
