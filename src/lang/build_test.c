// SPDX-License-Identifier: Apache-2.0
/*
 * Test blocks. The grammar has checked that the JSON is well formed; here its text is read once
 * more and written without blanks and comments, with the escapes of buf_add_json_text, so that the
 * printer gives back what it was given.
 */
#include <string.h>

#include "base/buf.h"
#include "lang/parse_priv.h"

/* The end of the "text" that begins at `at`. */
static uint32_t text_end(const char *text, uint32_t at, uint32_t end)
{
    for (at++; at < end && text[at] != '"'; at++)
        if (text[at] == '\\')
            at++;
    return at < end ? at + 1 : end;
}

static uint32_t comment_end(const char *text, uint32_t at, uint32_t end)
{
    const char *line = memchr(text + at, '\n', end - at);

    return line ? (uint32_t)(line - text) : end;
}

static const char *canonical(struct parse *p, struct span json, uint32_t *len_out)
{
    const char *text = p->lex.text;
    struct buf out, inside;
    const char *result;

    buf_init(&out);
    buf_init(&inside);
    for (uint32_t at = json.start; at < json.end;) {
        char c = text[at];

        if (c == '"') {
            uint32_t end = text_end(text, at, json.end);

            buf_clear(&inside);
            lex_decode(&p->lex, (struct span){json.file, at + 1, end - 1}, true, &inside);
            buf_add_json_text(&out, inside.len ? inside.data : "", inside.len);
            at = end;
        } else if (c == '#' || (c == '/' && at + 1 < json.end && text[at + 1] == '/')) {
            at = comment_end(text, at, json.end);
        } else {
            if (!strchr(" \t\r\n\f", c))
                buf_addc(&out, c);
            at++;
        }
    }
    result = arena_strndup(p->arena, out.len ? out.data : "", out.len);
    *len_out = (uint32_t)out.len;
    buf_fini(&out);
    buf_fini(&inside);
    return result;
}

static struct ast_test_item *item(struct parse *p, struct span span, enum ast_test_item_kind kind)
{
    struct ast_test_item *it = arena_alloc(p->arena, sizeof *it);

    it->kind = (uint8_t)kind;
    it->span = span;
    return it;
}

static struct ast_test_item *item_at(struct parse *p, struct span span, enum ast_test_item_kind kind, const struct ast_expr *offset)
{
    struct ast_test_item *it = item(p, span, kind);

    if (offset) {
        it->offset = offset->value.u.i;
        it->has_offset = true;
    }
    return it;
}

struct ast_test_item *build_event(struct parse *p, struct span span, struct ast_expr *offset, struct ast_name stream, struct span json)
{
    struct ast_test_item *it = item_at(p, span, AST_TEST_EVENT, offset);

    it->stream = stream;
    it->json = canonical(p, json, &it->json_len);
    return it;
}

struct ast_test_item *build_expect_none(struct parse *p, struct span span)
{
    return item(p, span, AST_TEST_EXPECT_NONE);
}

struct ast_test_item *build_expect_count(struct parse *p, struct span span, struct ast_expr *n)
{
    struct ast_test_item *it = item(p, span, AST_TEST_EXPECT_COUNT);

    it->count = (uint64_t)parse_number(p, n, 0, 1000000000, "the number of alerts");
    return it;
}

struct ast_test_item *build_expect_alert(struct parse *p, struct span span, struct ast_expr *at, struct span json)
{
    struct ast_test_item *it = item_at(p, span, AST_TEST_EXPECT_ALERT, at);

    if (json.start < json.end)
        it->json = canonical(p, json, &it->json_len);
    return it;
}

struct ast_test_item *build_test_until(struct parse *p, struct span span, struct ast_expr *offset)
{
    return item_at(p, span, AST_TEST_UNTIL, offset);
}

struct ast_test_item *build_test_lateness(struct parse *p, struct span span, struct ast_expr *lateness)
{
    return item_at(p, span, AST_TEST_LATENESS, lateness);
}

struct ast_test_item *build_test_list(struct parse *p, struct span span, struct ast_name name, struct ast_expr *items)
{
    struct ast_test_item *it = item(p, span, AST_TEST_LIST);

    it->list = build_list_items(p, items);
    it->list->name = name;
    it->list->span = span;
    return it;
}

struct ast_test_item *build_test_table(struct parse *p, struct span span, struct ast_name name, struct span json)
{
    struct ast_test_item *it = item(p, span, AST_TEST_TABLE);
    uint32_t len;

    it->table = arena_alloc(p->arena, sizeof *it->table);
    it->table->name = name;
    it->table->span = span;
    it->table_rows = canonical(p, json, &len);
    return it;
}

void build_test(struct parse *p, struct span span, struct ast_expr *title, struct build_list *items)
{
    struct ast_test *test = arena_alloc(p->arena, sizeof *test);

    test->title = build_text_name(p, title);
    test->items = parse_chain(items);
    test->span = span;
    *p->test_tail = test;
    p->test_tail = &test->next;
}
