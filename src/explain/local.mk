# SPDX-License-Identifier: Apache-2.0
# The files of src/explain. To add one, append it to the list.

libtocsin_sources += src/explain/explain_code.c src/explain/explain_dot.c
libtocsin_sources += src/explain/explain_report.c src/explain/explain_report.h
libtocsin_sources += src/explain/explain_rule.c src/explain/explain_rule.h
libtocsin_sources += src/explain/explain_state.c src/explain/explain_words.c
