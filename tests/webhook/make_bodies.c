// SPDX-License-Identifier: Apache-2.0
/*
 * Writes the messages of all kinds of bodies for the alerts that stand, one a line, in a file:
 *
 *     make_bodies [--template FILE [--content-type TYPE]] [--max BYTES] [--others] FILE
 *
 * Each alert alone, then batches of 3, then groups of 3 that stand for 7; with --others lines are no alerts.
 * Output: a line {"kind","content_type","n","group","max","body"} each, body a text. bodies.py checks them.
 */
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/buf.h"
#include "base/utf8.h"
#include "event/json_write.h"
#include "io/body.h"

#define NOW INT64_C(1800000000123456789)

enum { SEVERAL = 3 };

static void show(const struct body *b, enum body_kind kind, const struct body_alert *alert, size_t n,
                 const struct body_group *group, uint64_t max)
{
    struct buf out, why, line;

    buf_init(&out);
    buf_init(&why);
    buf_init(&line);
    if (!body_write(b, alert, n, group, NOW, &out, &why)) {
        fprintf(stderr, "make_bodies: %s: %s\n", body_kind_word(kind), why.data);
        exit(1);
    }
    if (!utf8_valid(out.data, out.len, NULL)) {
        fprintf(stderr, "make_bodies: %s: not UTF-8\n", body_kind_word(kind));
        exit(1);
    }
    buf_addc(&line, '{');
    json_add_member_word(&line, "kind", body_kind_word(kind));
    json_add_member_word(&line, "content_type", body_content_type(b, n, group != NULL));
    json_add_member_int(&line, "n", (int64_t)n);
    json_add_member(&line, "group");
    buf_adds(&line, group ? "true" : "false");
    json_add_member_int(&line, "max", (int64_t)max);
    json_add_member_text(&line, "body", out.data, out.len);
    buf_adds(&line, "}\n");
    fwrite(line.data, 1, line.len, stdout);
    buf_fini(&out);
    buf_fini(&why);
    buf_fini(&line);
}

static void show_all(const struct body *b, enum body_kind kind, const struct body_alert *alert, size_t n,
                     uint64_t max)
{
    struct body_group group = {7, NOW - 30000000000, NOW};

    for (size_t i = 0; i < n; i++)
        show(b, kind, &alert[i], 1, NULL, max);
    for (size_t i = 0; i < n; i += SEVERAL) {
        size_t some = n - i < SEVERAL ? n - i : SEVERAL;
        if (some > 1 && body_most(b, false) >= some)
            show(b, kind, &alert[i], some, NULL, max);
        show(b, kind, &alert[i], some, &group, max);
    }
}

static char *read_all(const char *path, size_t *len_out)
{
    FILE *file = fopen(path, "r");
    struct buf b;
    char block[65536];
    size_t n;

    if (!file) {
        perror(path);
        exit(1);
    }
    buf_init(&b);
    while ((n = fread(block, 1, sizeof block, file)) > 0)
        buf_add(&b, block, n);
    fclose(file);
    *len_out = b.len;
    return buf_take(&b);
}

int main(int argc, char **argv)
{
    struct body_options opt = {.sink = "soc", .url = "https://soc.example/alerts/{id}?rule={rule}",
                               .routing_key = "0123456789abcdef0123456789abcdef"};
    bool others = false;
    size_t len, n = 0;
    int i = 1;

    for (; i + 1 < argc; i++) {
        if (strcmp(argv[i], "--others") == 0)
            others = true;
        else if (strcmp(argv[i], "--max") == 0)
            opt.max_bytes = strtoull(argv[++i], NULL, 10);
        else if (strcmp(argv[i], "--content-type") == 0)
            opt.content_type = argv[++i];
        else if (strcmp(argv[i], "--template") == 0)
            opt.template = read_all(argv[++i], &len);
        else
            return 2;
    }
    if (i >= argc)
        return 2;
    char *text = read_all(argv[i], &len), *end = text + len;
    struct body_alert *alert = calloc(len + 1, sizeof *alert);
    for (char *p = text; p < end;) {
        char *newline = memchr(p, '\n', (size_t)(end - p));
        size_t line = (size_t)((newline ? newline : end) - p);
        if (line > 0)
            alert[n++] = (struct body_alert){p, line, !others};
        p += line + 1;
    }
    for (int k = 0; k < BODY_N_KINDS; k++) {
        struct buf why;
        buf_init(&why);
        opt.kind = (enum body_kind)k;
        if ((opt.kind == BODY_KIND_template) != (opt.template != NULL))
            continue;
        struct body *b = body_new(&opt, &why);
        if (!b) {
            fprintf(stderr, "make_bodies: %s\n", why.data);
            return 1;
        }
        show_all(b, opt.kind, alert, n, opt.max_bytes);
        body_free(&b);
        buf_fini(&why);
    }
    free(alert);
    free(text);
    free((void *)(uintptr_t)opt.template);
    return 0;
}
