// SPDX-License-Identifier: Apache-2.0
/* table_csv - see table_csv.h. */
#include "lang/table_csv.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "base/mem.h"
#include "base/suggest.h"

static void add_cell(struct csv *c, const char *text, size_t len)
{
    c->cell = vec_reserve(c->cell, &c->cap, (size_t)c->n + 1, sizeof *c->cell);
    c->cell[c->n++] = len > 0 ? value_text(text, len) : value_missing();
}

static bool quoted_field(struct csv *c, struct buf *why)
{
    buf_clear(&c->field);
    for (c->at++;; c->at++) {
        if (c->at == c->end) {
            buf_adds(why, "a quoted field does not end");
            return false;
        }
        if (*c->at == '"' && (++c->at == c->end || *c->at != '"'))
            break;
        c->next_line += *c->at == '\n';
        buf_addc(&c->field, *c->at);
    }
    if (c->at < c->end && *c->at != ',' && *c->at != '\n' && *c->at != '\r') {
        buf_adds(why, "behind the quotes of a field stands something else");
        return false;
    }
    const char *copy = arena_memdup(c->texts, c->field.len > 0 ? c->field.data : "", c->field.len + 1);
    add_cell(c, copy, c->field.len);
    return true;
}

bool csv_next(struct csv *c, struct buf *why)
{
    arena_reset(c->texts);
    c->n = 0;
    while (c->at < c->end && (*c->at == '\n' || *c->at == '\r'))
        c->next_line += *c->at++ == '\n';
    c->line = c->next_line;
    c->begin = c->at;
    while (c->at < c->end) {
        if (*c->at == '"') {
            if (!quoted_field(c, why))
                return false;
        } else {
            const char *from = c->at;
            while (c->at < c->end && *c->at != ',' && *c->at != '\n')
                c->at++;
            size_t len = (size_t)(c->at - from);
            if (len > 0 && (c->at == c->end || *c->at == '\n') && from[len - 1] == '\r')
                len--;
            add_cell(c, from, len);
        }
        c->at += c->at < c->end && *c->at == '\r';
        if (c->at == c->end || *c->at == '\n')
            break;
        if (++c->at == c->end)
            add_cell(c, "", 0); /* a comma ends the text */
    }
    return true;
}

bool csv_number(struct value text, struct value *number_out)
{
    char copy[64], *end;
    size_t i = 0;
    if (text.len >= sizeof copy)
        return false;
    memcpy(copy, text.u.text, text.len);
    copy[text.len] = '\0';
    i += copy[0] == '-';
    if (copy[i] < '0' || copy[i] > '9' || (copy[i] == '0' && copy[i + 1] >= '0' && copy[i + 1] <= '9'))
        return false;
    if (strspn(copy, "-+.eE0123456789") != text.len || text.u.text[text.len - 1] == '.')
        return false;
    errno = 0;
    if (strcspn(copy, ".eE") == text.len) {
        long long whole = strtoll(copy, &end, 10);
        *number_out = value_int(whole);
        if (errno == 0)
            return *end == '\0';
    }
    double d = strtod(copy, &end);
    *number_out = value_double(d);
    return *end == '\0' && isfinite(d);
}

static void add_names(struct buf *out, const struct csv *head)
{
    for (uint32_t i = 0; i < head->n && i < 12; i++)
        buf_printf(out, "%s`%.*s`", i > 0 ? ", " : "", (int)head->cell[i].len, head->cell[i].u.text);
    if (head->n > 12)
        buf_adds(out, ", ...");
}

bool csv_find(const struct csv *head, const char *name, uint32_t *at_out, struct buf *why)
{
    uint32_t found = 0;
    for (uint32_t i = 0; i < head->n; i++) {
        if (head->cell[i].len != strlen(name) ||
            memcmp(head->cell[i].u.text, name, head->cell[i].len) != 0)
            continue;
        *at_out = i;
        found++;
    }
    if (found == 1)
        return true;
    buf_printf(why, found > 1 ? "the column `%s` is there twice" : "there is no column `%s`", name);
    if (found > 1)
        return false;
    struct suggest s;
    char text[256] = "";
    suggest_init(&s, name);
    for (uint32_t i = 0; i < head->n; i++) {
        size_t len = head->cell[i].len;
        if (len == 0 || len >= sizeof text)
            continue;
        memcpy(text, head->cell[i].u.text, len);
        text[len] = '\0';
        struct suggest one;
        suggest_init(&one, name);
        suggest_try(&one, text);
        if (suggest_result(&one) != NULL) {
            buf_printf(why, ": did you mean `%s`?", text);
            return false;
        }
    }
    buf_adds(why, "; columns are ");
    add_names(why, head);
    return false;
}

void csv_open(struct csv *c, const char *text, size_t len)
{
    *c = (struct csv){.at = text, .end = text + len, .next_line = 1, .texts = arena_new(0)};
    buf_init(&c->field);
    if (len >= 3 && memcmp(text, "\xef\xbb\xbf", 3) == 0)
        c->at += 3; /* byte order mark */
}

void csv_close(struct csv *c)
{
    buf_fini(&c->field);
    mem_free(c->cell);
    arena_free(&c->texts);
}
