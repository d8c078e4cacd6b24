# SPDX-License-Identifier: Apache-2.0
# The files of src/lang. To add one, append it and its header to the list:
#   libtocsin_sources += src/lang/noun.c src/lang/noun.h

libtocsin_sources += src/lang/resolve.c src/lang/resolve.h src/lang/resolve_priv.h
libtocsin_sources += src/lang/function.def src/lang/aggregate.def src/lang/window_aggregate.def
libtocsin_sources += src/lang/resolve_list.c src/lang/resolve_def.c src/lang/resolve_expr.c
libtocsin_sources += src/lang/resolve_call.c src/lang/resolve_match.c src/lang/resolve_bound.c
libtocsin_sources += src/lang/resolve_exception.c src/lang/resolve_table.c
libtocsin_sources += src/lang/resolve_table_kafka.c src/lang/table_kafka.h src/lang/table_kafka.def
libtocsin_sources += src/lang/table_file.c src/lang/table_file.h src/lang/table_csv.c src/lang/table_csv.h
libtocsin_sources += src/lang/table_upload.c src/lang/table_upload.h
libtocsin_sources += src/lang/resolve_derived.c src/lang/resolve_added.c src/lang/resolve_same.c
libtocsin_sources += src/lang/resolve_window.c src/lang/resolve_aggregate.c
libtocsin_sources += src/lang/resolve_rule.c src/lang/resolve_template.c src/lang/resolve_test.c
libtocsin_sources += src/lang/typecheck.c src/lang/typecheck_priv.h
libtocsin_sources += src/lang/typecheck_compare.c src/lang/typecheck_call.c
libtocsin_sources += src/lang/ast.c src/lang/ast.h
libtocsin_sources += src/lang/keyword.c src/lang/keyword.h src/lang/keyword.def src/lang/operator.def
libtocsin_sources += src/lang/lex.c src/lang/lex.h src/lang/lex_text.c src/lang/lex_number.c
libtocsin_sources += src/lang/parse.c src/lang/parse.h src/lang/parse_priv.h src/lang/parse_error.c src/lang/parse_hint.c src/lang/parse_hint.h src/lang/habit.def
libtocsin_sources += src/lang/conceal.c src/lang/conceal.h
libtocsin_sources += src/lang/build.h src/lang/build_expr.c src/lang/build_decl.c
libtocsin_sources += src/lang/build_rule.c src/lang/build_body.c src/lang/build_test.c
libtocsin_sources += src/lang/ast_print.c src/lang/ast_print.h src/lang/ast_print_priv.h
libtocsin_sources += src/lang/ast_print_expr.c src/lang/ast_print_rule.c
libtocsin_sources += src/lang/format.c src/lang/format.h src/lang/format_priv.h
libtocsin_sources += src/lang/format_lex.c src/lang/format_walk.c src/lang/format_emit.c
libtocsin_sources += src/lang/format_align.c src/lang/format_expr.c src/lang/format_walk_priv.h
