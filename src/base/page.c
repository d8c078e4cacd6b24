// SPDX-License-Identifier: Apache-2.0
#include "base/page.h"

#include <stdbool.h>
#include <stdio.h>
#include <string.h>

void page_wrap(const char *text, int indent)
{
    int column = 0;

    while (*text) {
        int len = (int)strcspn(text, " \n");

        if (column > 0 && column + 1 + len > PAGE_WIDTH) {
            putchar('\n');
            column = 0;
        }
        column += column > 0 ? printf(" %.*s", len, text) : printf("%*s%.*s", indent, "", len, text);
        text += len;
        if (*text == '\n') {
            putchar('\n');
            column = 0;
        }
        text += *text != '\0';
    }
    putchar('\n');
}

void page_roff(const char *text)
{
    bool bold = false;

    for (char before = '\n'; *text; before = *text++) {
        if (before == '\n' && (*text == '.' || *text == '\''))
            fputs("\\&", stdout);
        if (*text == '`') {
            bold = !bold;
            fputs(bold ? "\\fB" : "\\fR", stdout);
        } else if (*text == '\n') {
            fputs("\n.PP\n", stdout);
        } else if (*text == '\\') {
            fputs("\\e", stdout);
        } else if (*text == '-') {
            fputs("\\-", stdout);
        } else {
            putchar(*text);
        }
    }
}
