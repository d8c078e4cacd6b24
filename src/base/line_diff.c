// SPDX-License-Identifier: Apache-2.0
#include "base/line_diff.h"

#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#include "base/buf.h"
#include "base/mem.h"

enum { AROUND = 3 };

struct line {
    const char *text;
    size_t len; /* without its end */
    bool open;  /* the last one, without a line end */
};

struct lines {
    struct line *line; /* owned */
    size_t n, cap;
};

/* One step of the way from old to new. */
struct step {
    char sign; /* ' ', '-', '+' */
    const struct line *line;
};

struct script {
    struct step *step; /* owned */
    size_t n, cap;
};

static void split(struct lines *lines, const char *text, size_t len)
{
    while (len > 0) {
        const char *end = memchr(text, '\n', len);
        size_t n = end ? (size_t)(end - text) : len;
        lines->line = vec_reserve(lines->line, &lines->cap, lines->n + 1, sizeof *lines->line);
        lines->line[lines->n++] = (struct line){text, n, !end};
        text += n + (end != NULL);
        len -= n + (end != NULL);
    }
}

static bool same(const struct line *a, const struct line *b)
{
    return a->len == b->len && a->open == b->open && memcmp(a->text, b->text, a->len) == 0;
}

static void add(struct script *script, char sign, const struct line *line)
{
    script->step = vec_reserve(script->step, &script->cap, script->n + 1, sizeof *script->step);
    script->step[script->n++] = (struct step){sign, line};
}

/* a[0..n) to b[0..m): cell (i, j) is the length of what a[i..] and b[j..] have in common. */
static void add_middle(struct script *script, const struct line *a, size_t n, const struct line *b,
                       size_t m)
{
    size_t i = 0, j = 0, width = m + 1;

    if (n > 0 && m > 0 && (n + 1) <= LINE_DIFF_CELLS / width) {
        uint32_t *cell = mem_calloc((n + 1) * width, sizeof *cell);
        for (size_t x = n; x-- > 0;)
            for (size_t y = m; y-- > 0;) {
                uint32_t down = cell[(x + 1) * width + y], right = cell[x * width + y + 1];
                cell[x * width + y] = same(&a[x], &b[y]) ? cell[(x + 1) * width + y + 1] + 1
                                      : down > right     ? down
                                                         : right;
            }
        while (i < n && j < m) {
            if (same(&a[i], &b[j])) {
                add(script, ' ', &a[i++]);
                j++;
            } else if (cell[(i + 1) * width + j] >= cell[i * width + j + 1]) {
                add(script, '-', &a[i++]);
            } else {
                add(script, '+', &b[j++]);
            }
        }
        mem_free(cell);
    }
    while (i < n)
        add(script, '-', &a[i++]);
    while (j < m)
        add(script, '+', &b[j++]);
}

static void make_script(struct script *script, const struct lines *a, const struct lines *b)
{
    size_t head = 0, tail = 0;

    while (head < a->n && head < b->n && same(&a->line[head], &b->line[head]))
        head++;
    while (tail < a->n - head && tail < b->n - head &&
           same(&a->line[a->n - 1 - tail], &b->line[b->n - 1 - tail]))
        tail++;
    for (size_t i = 0; i < head; i++)
        add(script, ' ', &a->line[i]);
    add_middle(script, a->line + head, a->n - head - tail, b->line + head, b->n - head - tail);
    for (size_t i = a->n - tail; i < a->n; i++)
        add(script, ' ', &a->line[i]);
}

/* Behind the last step of the hunk that begins with the change at `from`. */
static size_t hunk_end(const struct script *script, size_t from)
{
    size_t last = from;

    for (size_t i = from; i < script->n && i <= last + 2 * AROUND; i++)
        if (script->step[i].sign != ' ')
            last = i;
    return last + 1 + AROUND < script->n ? last + 1 + AROUND : script->n;
}

static void add_hunk(struct buf *out, const struct script *script, size_t from, size_t to,
                     size_t old_at, size_t new_at)
{
    size_t old_n = 0, new_n = 0;

    for (size_t i = from; i < to; i++) {
        old_n += script->step[i].sign != '+';
        new_n += script->step[i].sign != '-';
    }
    buf_printf(out, "@@ -%zu,%zu +%zu,%zu @@\n", old_at + (old_n > 0), old_n, new_at + (new_n > 0),
               new_n);
    for (size_t i = from; i < to; i++) {
        buf_addc(out, script->step[i].sign);
        buf_add(out, script->step[i].line->text, script->step[i].line->len);
        buf_adds(out, script->step[i].line->open ? "\n\\ No newline at end of file\n" : "\n");
    }
}

void line_diff(struct buf *out, const char *old_name, const char *old_text, size_t old_len,
               const char *new_name, const char *new_text, size_t new_len)
{
    struct lines a = {0}, b = {0};
    struct script script = {0};
    size_t old_at = 0, new_at = 0, done = 0; /* lines before step `done` */
    bool any = false;

    split(&a, old_text, old_len);
    split(&b, new_text, new_len);
    make_script(&script, &a, &b);
    for (size_t i = 0; i < script.n; i++) {
        if (script.step[i].sign == ' ')
            continue;
        size_t from = i > done + AROUND ? i - AROUND : done, to = hunk_end(&script, i);
        if (!any)
            buf_printf(out, "--- %s\n+++ %s\n", old_name, new_name);
        any = true;
        for (; done < from; done++, old_at++, new_at++)
            ; /* only lines that both have stand between hunks */
        add_hunk(out, &script, from, to, old_at, new_at);
        for (; done < to; done++) {
            old_at += script.step[done].sign != '+';
            new_at += script.step[done].sign != '-';
        }
        i = to - 1;
    }
    mem_free(script.step);
    mem_free(a.line);
    mem_free(b.line);
}
