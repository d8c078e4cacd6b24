// SPDX-License-Identifier: Apache-2.0
/*
 * grid - a table on standard output: columns as wide as what is in them, two blanks between. Cells are made safe
 * (cli/shown.h). Columns count code points.
 *
 *     grid_begin(&g, "NAME|>EVENTS|STATE");    `>`: to the right
 *     grid_text(&g, name);                     cell by cell; a row ends by itself
 *     grid_count(&g, 12000);
 *     grid_print(&g);                          and frees it
 */
#ifndef CLI_GRID_H
#define CLI_GRID_H

#include <stddef.h>
#include <stdint.h>

struct buf;

enum { GRID_COLUMNS = 16 };

struct grid { /* embedded: _begin, _print */
    const char *heads;
    size_t columns;
    char **cell; /* owned, row by row */
    size_t n, cap;
};

/* heads: static. */
void grid_begin(struct grid *g, const char *heads);
void grid_text(struct grid *g, const char *text);
void grid_take(struct grid *g, struct buf *text); /* what is in it, made safe before; text is empty after */
void grid_time(struct grid *g, const char *time); /* of RFC 3339 */
void grid_count(struct grid *g, int64_t n);       /* 12,000 */
void grid_bytes(struct grid *g, double n);
void grid_age(struct grid *g, double seconds);
/* Nothing but `none` if there is no row. */
void grid_print(struct grid *g, const char *none);

#endif
