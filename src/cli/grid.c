// SPDX-License-Identifier: Apache-2.0
#include "cli/grid.h"

#include <stdio.h>
#include <string.h>

#include "base/buf.h"
#include "base/mem.h"
#include "base/utf8.h"
#include "cli/shown.h"
#include "explain/explain_report.h"

void grid_begin(struct grid *g, const char *heads)
{
    *g = (struct grid){.heads = heads, .columns = 1};
    for (const char *p = heads; *p; p++)
        g->columns += *p == '|';
}

void grid_take(struct grid *g, struct buf *text)
{
    buf_adds(text, "");
    g->cell = vec_reserve(g->cell, &g->cap, g->n + 1, sizeof(char *));
    g->cell[g->n++] = buf_take(text);
}

void grid_text(struct grid *g, const char *text)
{
    struct buf b;

    buf_init(&b);
    shown_adds(&b, text);
    grid_take(g, &b);
}

void grid_time(struct grid *g, const char *time)
{
    struct buf b;

    buf_init(&b);
    shown_add_time(&b, time);
    grid_take(g, &b);
}

void grid_count(struct grid *g, int64_t n)
{
    struct buf b;

    buf_init(&b);
    if (n < 0)
        buf_add_int(&b, n);
    else
        report_add_count(&b, (uint64_t)n);
    grid_take(g, &b);
}

void grid_bytes(struct grid *g, double n)
{
    struct buf b;

    buf_init(&b);
    shown_add_bytes(&b, n);
    grid_take(g, &b);
}

void grid_age(struct grid *g, double seconds)
{
    struct buf b;

    buf_init(&b);
    shown_add_age(&b, seconds);
    grid_take(g, &b);
}

static void pad(size_t n)
{
    printf("%*s", (int)n, "");
}

/* The last column has no blanks behind it. */
static void print_cell(const char *text, size_t width, bool right, bool last)
{
    size_t len = utf8_length(text, strlen(text));
    size_t blanks = width > len ? width - len : 0;

    if (right)
        pad(blanks);
    fputs(text, stdout);
    if (!right && !last)
        pad(blanks);
    fputs(last ? "\n" : "  ", stdout);
}

static void print_rows(const struct grid *g, char head[][32], const bool *right, const size_t *width)
{
    for (size_t c = 0; c < g->columns; c++)
        print_cell(head[c], width[c], right[c], c + 1 == g->columns);
    for (size_t i = 0; i < g->n; i++)
        print_cell(g->cell[i], width[i % g->columns], right[i % g->columns], i % g->columns + 1 == g->columns);
}

void grid_print(struct grid *g, const char *none)
{
    size_t width[GRID_COLUMNS] = {0};
    char head[GRID_COLUMNS][32];
    bool right[GRID_COLUMNS];
    const char *at = g->heads;

    for (size_t c = 0; c < g->columns; c++) {
        right[c] = *at == '>';
        at += right[c];
        size_t len = strcspn(at, "|");
        snprintf(head[c], sizeof head[c], "%.*s", (int)len, at);
        at += len + (at[len] == '|');
        width[c] = strlen(head[c]);
    }
    for (size_t i = 0; i < g->n; i++) {
        size_t len = utf8_length(g->cell[i], strlen(g->cell[i]));
        if (len > width[i % g->columns])
            width[i % g->columns] = len;
    }
    if (g->n > 0)
        print_rows(g, head, right, width);
    else if (none)
        puts(none);
    for (size_t i = 0; i < g->n; i++)
        mem_free(g->cell[i]);
    mem_free(g->cell);
}
