# SPDX-License-Identifier: Apache-2.0
# The scanner and the parser. rule.y gives grammar/rule_parser.{c,h}, rule.l gives
# grammar/rule_lexer.{c,h}, all in the build tree; include them as "grammar/rule_parser.h".

grammar_flags_bison = -Wall -Wcounterexamples -Werror=conflicts-sr -Werror=conflicts-rr

grammar/rule_parser.c: $(top_srcdir)/grammar/rule.y
	$(AM_V_GEN)$(MKDIR_P) grammar && $(BISON) $(grammar_flags_bison) \
	  --header=grammar/rule_parser.h -o $@ $(top_srcdir)/grammar/rule.y
grammar/rule_parser.h: grammar/rule_parser.c

grammar/rule_lexer.c: $(top_srcdir)/grammar/rule.l
	$(AM_V_GEN)$(MKDIR_P) grammar && $(FLEX) --header-file=grammar/rule_lexer.h -o $@ \
	  $(top_srcdir)/grammar/rule.l
grammar/rule_lexer.h: grammar/rule_lexer.c

# The generated code and its users need the generated headers first. What flex and bison write is
# not ours to warn about; the hand-written rest keeps all warnings.
grammar/rule_parser.$(OBJEXT): grammar/rule_lexer.h
grammar/rule_lexer.$(OBJEXT): grammar/rule_parser.h
src/lang/parse.$(OBJEXT): grammar/rule_parser.h grammar/rule_lexer.h
grammar/rule_parser.$(OBJEXT): WARN_CFLAGS = -Wall
grammar/rule_lexer.$(OBJEXT): WARN_CFLAGS = -Wall -Wno-unused-function -Wno-sign-compare

libtocsin_generated += grammar/rule_parser.c grammar/rule_parser.h
libtocsin_generated += grammar/rule_lexer.c grammar/rule_lexer.h
BUILT_SOURCES += $(libtocsin_generated)
CLEANFILES += $(libtocsin_generated)
EXTRA_DIST += grammar/rule.y grammar/rule.l

# The reference: the entrance, then its chapters in their order (tests/documents.py compares).
grammar_chapters = grammar/README.md grammar/expressions.md grammar/functions.md \
  grammar/streams.md grammar/tables.md grammar/rules.md grammar/match.md grammar/window.md \
  grammar/join.md grammar/novel.md grammar/tests.md grammar/changing-rules.md grammar/rules-topic.md \
  grammar/configuration.md grammar/webhooks.md grammar/kafka.md grammar/http.md grammar/figures.md \
  grammar/errors.md
