// SPDX-License-Identifier: Apache-2.0
/* The table of keyword.def, sorted by text; a unit test checks that it is. */
#include "lang/keyword.h"

#include <string.h>

static const struct {
    const char *text;
    enum keyword_kind kind;
} table[] = {
#define KEYWORD(id, text, kind, doc) {text, KEYWORD_##kind},
#include "lang/keyword.def"
#undef KEYWORD
};

enum keyword_id keyword_find(const char *text, size_t len)
{
    size_t low = 0, high = KEYWORD_COUNT;

    while (low < high) {
        size_t middle = (low + high) / 2;
        const char *word = table[middle].text;
        int order = strncmp(text, word, len);

        if (order == 0 && word[len] != '\0')
            order = -1;
        if (order == 0)
            return (enum keyword_id)middle;
        if (order < 0)
            high = middle;
        else
            low = middle + 1;
    }
    return KEYWORD_NO;
}

const char *keyword_text(enum keyword_id id)
{
    return table[id].text;
}

enum keyword_kind keyword_kind(enum keyword_id id)
{
    return table[id].kind;
}

static bool name_byte(unsigned char c, bool first)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_' || c == '@' ||
           (!first && c >= '0' && c <= '9');
}

bool keyword_name_plain(const char *text, size_t len)
{
    for (size_t i = 0; i < len; i++)
        if (!name_byte((unsigned char)text[i], i == 0))
            return false;
    return len > 0;
}
