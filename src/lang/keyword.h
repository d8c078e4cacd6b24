// SPDX-License-Identifier: Apache-2.0
/* keyword - the words that the grammar knows: keyword.def as an enum, and the look-up. */
#ifndef LANG_KEYWORD_H
#define LANG_KEYWORD_H

#include <stdbool.h>
#include <stddef.h>

enum keyword_kind { KEYWORD_RESERVED, KEYWORD_EDGE, KEYWORD_WORD };

enum keyword_id {
#define KEYWORD(id, text, kind, doc) KEYWORD_##id,
#include "lang/keyword.def"
#undef KEYWORD
    KEYWORD_COUNT,
    KEYWORD_NO = KEYWORD_COUNT, /* not a keyword */
};

enum keyword_id keyword_find(const char *text, size_t len); /* KEYWORD_NO: it is none */
const char *keyword_text(enum keyword_id id);               /* static */
enum keyword_kind keyword_kind(enum keyword_id id);
/* Is it [A-Za-z_@][A-Za-z0-9_@]*: no back quotes needed? */
bool keyword_name_plain(const char *text, size_t len);

#endif
