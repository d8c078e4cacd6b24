# SPDX-License-Identifier: Apache-2.0
# The files of src/lang. To add one, append it and its header to the list:
#   libtocsin_sources += src/lang/noun.c src/lang/noun.h

libtocsin_sources += src/lang/resolve.c src/lang/resolve.h src/lang/resolve_priv.h
libtocsin_sources += src/lang/resolve_list.c src/lang/resolve_def.c src/lang/resolve_expr.c
libtocsin_sources += src/lang/resolve_call.c src/lang/resolve_match.c src/lang/resolve_bound.c
libtocsin_sources += src/lang/resolve_rule.c src/lang/resolve_template.c src/lang/resolve_test.c
libtocsin_sources += src/lang/typecheck.c src/lang/typecheck_priv.h
libtocsin_sources += src/lang/typecheck_compare.c src/lang/typecheck_call.c
