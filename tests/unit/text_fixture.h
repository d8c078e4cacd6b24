/* SPDX-License-Identifier: Apache-2.0 */
/* text_fixture - files of the project: texts that a test compares with, and lists of cases. */
#ifndef UNIT_TEXT_FIXTURE_H
#define UNIT_TEXT_FIXTURE_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/buf.h"
#include "base/mem.h"

/* The project's directory. */
static inline const char *text_top(void)
{
    const char *top = getenv("top_srcdir");

    return top ? top : ".";
}

/* The text of a file, by its path from the project's directory. Returns owned (mem_free). */
static inline char *text_of(const char *name)
{
    struct buf path, text;
    char block[4096];
    FILE *file;

    buf_init(&path);
    buf_init(&text);
    buf_adds(&text, "");
    buf_printf(&path, "%s/%s", text_top(), name);
    file = fopen(path.data, "rb");
    if (!file)
        fail_msg("%s cannot be read", path.data);
    for (size_t n; (n = fread(block, 1, sizeof block, file)) > 0;)
        buf_add(&text, block, n);
    fclose(file);
    buf_fini(&path);
    return buf_take(&text);
}

/* Does a chapter of the reference have this table? If not, prints what it should be. */
static inline bool text_has_table(const char *chapter, const char *table)
{
    char *text = text_of(chapter);
    bool has = strstr(text, table) != NULL;

    if (!has)
        printf("%s does not have this table:\n%s\n", chapter, table);
    mem_free(text);
    return has;
}

#endif
