# SPDX-License-Identifier: Apache-2.0
# The files of src/plan. To add one, append it and its header to the list:
#   libtocsin_sources += src/plan/noun.c src/plan/noun.h

libtocsin_sources += src/plan/nfa.c src/plan/nfa.h
libtocsin_sources += src/plan/nfa_build.c src/plan/nfa_build.h
libtocsin_sources += src/plan/window_build.c src/plan/window_build.h
libtocsin_sources += src/plan/join_build.c src/plan/join_build.h
libtocsin_sources += src/plan/candidates.c src/plan/candidates.h
libtocsin_sources += src/plan/program.c src/plan/program.h src/plan/program_priv.h
libtocsin_sources += src/plan/program_build.c src/plan/program_rule.c src/plan/program_test.c
libtocsin_sources += src/plan/code.c src/plan/code.h src/plan/opcode.def
libtocsin_sources += src/plan/expr_compile.c src/plan/expr_compile.h src/plan/expr_compile_priv.h
libtocsin_sources += src/plan/expr_compile_lower.c src/plan/expr_compile_match.c
libtocsin_sources += src/plan/expr_compile_pattern.c src/plan/expr_compile_call.c src/plan/fold.c
libtocsin_sources += src/plan/operate.c src/plan/operate.h
libtocsin_sources += src/plan/function.c src/plan/function.h src/plan/function_priv.h
libtocsin_sources += src/plan/function_text.c src/plan/function_number.c src/plan/function_aggregate.c
libtocsin_sources += src/plan/function_member.c src/plan/function_part.c src/plan/function_decode.c
libtocsin_sources += src/plan/function_measure.c src/plan/function_time.c
libtocsin_sources += src/plan/function_time_text.c src/plan/function_check.c
libtocsin_sources += src/plan/pools.c src/plan/pools.h src/plan/value_set.c
libtocsin_sources += src/plan/necessary.c src/plan/necessary.h
libtocsin_sources += src/plan/aggregate.h src/plan/window_plan.h src/plan/join_plan.h src/plan/novel_plan.h
libtocsin_sources += src/plan/explain.c src/plan/explain.h
libtocsin_sources += src/plan/shape.c src/plan/shape.h
