// SPDX-License-Identifier: Apache-2.0
/* format_align - the columns of cells and of the comments behind lines; lines to text. */
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "lang/format_priv.h"

enum { WIDEST_CELL = 32, WIDEST_GAP = 40, NO_COMMENT = UINT32_MAX };

static uint32_t cell_width(const struct format_lines *lines, const struct format_out *out, uint32_t cell)
{
    const struct format_cell *c = &out->cell[cell];

    return format_columns(lines->text.data + c->start, c->end - c->start);
}

/* ---- cells ----------------------------------------------------------------------------------- */

struct order {
    const struct format_out *out;
    uint32_t n;
};

static int by_group(const void *a, const void *b)
{
    const struct order *x = a, *y = b;

    if (x->out->section != y->out->section)
        return x->out->section < y->out->section ? -1 : 1;
    if (x->out->kind != y->out->kind)
        return x->out->kind < y->out->kind ? -1 : 1;
    return x->n < y->n ? -1 : 1;
}

/* order[0..n): lines that are aligned with one another. */
static void align_group(struct format_lines *lines, const struct order *order, uint32_t n)
{
    uint32_t widest[FORMAT_MAX_CELLS] = {0};

    for (uint32_t i = 0; i < n; i++) {
        for (uint32_t c = 0; c + 1 < order[i].out->n_cells; c++) {
            uint32_t width = cell_width(lines, order[i].out, c);

            if (width <= WIDEST_CELL && width > widest[c])
                widest[c] = width;
        }
    }
    for (uint32_t i = 0; i < n; i++) {
        struct format_out *out = &lines->line[order[i].n];

        out->at[0] = out->column;
        for (uint32_t c = 0; c + 1 < out->n_cells; c++) {
            uint32_t width = cell_width(lines, out, c);

            out->at[c + 1] = out->at[c] + (width < widest[c] ? widest[c] : width) + 1;
        }
    }
}

static void align_cells(struct format_lines *lines)
{
    struct order *order = mem_calloc((size_t)lines->n + 1, sizeof *order);
    uint32_t n = 0;

    for (uint32_t i = 0; i < lines->n; i++)
        if (!lines->line[i].continues)
            order[n++] = (struct order){&lines->line[i], i};
    if (n > 1)
        qsort(order, n, sizeof *order, by_group);
    for (uint32_t from = 0, to; from < n; from = to) {
        for (to = from + 1; to < n && order[to].out->section == order[from].out->section &&
                            order[to].out->kind == order[from].out->kind;)
            to++;
        align_group(lines, order + from, to - from);
    }
    mem_free(order);
}

/* ---- comments behind lines -------------------------------------------------------------------- */

static uint32_t line_end(const struct format_lines *lines, const struct format_out *out)
{
    return out->n_cells > 0 ? out->at[out->n_cells - 1] + cell_width(lines, out, out->n_cells - 1u) : 0;
}

static bool goes_on(const struct format_lines *lines, uint32_t line)
{
    const struct format_out *out = &lines->line[line];

    return out->comment != NO_COMMENT && !out->blank_before && out[-1].comment != NO_COMMENT &&
           out->section == out[-1].section && !out->continues && !out[-1].continues;
}

static void align_comments(struct format_lines *lines)
{
    for (uint32_t from = 0, to; from < lines->n; from = to) {
        uint32_t low = UINT32_MAX, high = 0;

        for (to = from; to < lines->n && (to == from || goes_on(lines, to)); to++) {
            uint32_t end = line_end(lines, &lines->line[to]);

            low = end < low ? end : low;
            high = end > high ? end : high;
        }
        for (uint32_t i = from; i < to; i++)
            lines->line[i].comment_at =
                (high - low > WIDEST_GAP ? line_end(lines, &lines->line[i]) : high) + 2;
    }
}

void format_align(struct format_lines *lines)
{
    align_cells(lines);
    for (uint32_t i = 0; i < lines->n; i++) {
        struct format_out *out = &lines->line[i];

        if (out->continues)
            out->at[0] = out->column + (out->anchor == FORMAT_NO_ANCHOR ? 0
                                        : lines->line[out->anchor].at[out->anchor_cell]);
    }
    align_comments(lines);
}

/* ---- text ------------------------------------------------------------------------------------- */

static void blanks(struct buf *out, uint32_t n)
{
    for (; n > 0; n--)
        buf_addc(out, ' ');
}

void format_print(const struct format_lines *lines, struct buf *out)
{
    for (uint32_t i = 0; i < lines->n; i++) {
        const struct format_out *line = &lines->line[i];

        if (line->blank_before)
            buf_addc(out, '\n');
        blanks(out, line->at[0]);
        for (uint32_t c = 0; c < line->n_cells; c++) {
            const struct format_cell *cell = &line->cell[c];

            buf_add(out, lines->text.data + cell->start, cell->end - cell->start);
            if (c + 1u < line->n_cells)
                blanks(out, line->at[c + 1] - line->at[c] - cell_width(lines, line, c));
        }
        if (line->comment != NO_COMMENT) {
            const struct format_comment *c = &lines->ft->comment[line->comment];

            blanks(out, line->comment_at - line_end(lines, line));
            buf_add(out, lines->ft->text + c->start, c->end - c->start);
        }
        buf_addc(out, '\n');
    }
}
