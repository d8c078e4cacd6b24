// SPDX-License-Identifier: Apache-2.0
/* json_walk: what a path finds. By examples for each rule of schema.h, and by random documents
 * against a model that is those rules written down once more, slowly. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "base/buf.h"
#include "event/json_decode.h"
#include "event/schema.h"

/* ---- examples -----------------------------------------------------------------------------------
 */

/* "a.b[0][-1].c": names and indexes. */
static uint32_t add_path(struct schema *s, const char *path)
{
    struct path_part part[SCHEMA_MAX_PARTS];
    size_t n = 0;
    uint32_t slot;

    while (*path) {
        size_t len = strcspn(path, ".[");
        if (*path == '[') {
            part[n++] = (struct path_part){.index = (int32_t)strtol(path + 1, NULL, 10)};
            path += strcspn(path, "]") + 1;
        } else if (len) {
            part[n++] = (struct path_part){.name = path, .len = (uint32_t)len};
            path += len;
        }
        path += *path == '.';
    }
    assert_true(schema_slot(s, part, n, &slot));
    return slot;
}

/* What the path finds, as JSON; "null" for nothing. Twice: nothing may stay from one line to the
 * next. */
static void finds(const char *line, const char *path, const char *want)
{
    struct schema *s = schema_new();
    struct event ev = {.time = 0};
    struct buf b;
    const char *why = "";

    buf_init(&b);
    uint32_t slot = add_path(s, path);
    schema_seal(s);
    struct decoder *de = decoder_new(s, 1 << 20);
    for (int round = 0; round < 2; round++) {
        if (!decoder_run_copy(de, line, strlen(line), &ev, &why))
            fail_msg("%s: %s", line, why);
        buf_clear(&b);
        value_add_json(&b, ev.slot[slot]);
        if (strcmp(b.data, want) != 0)
            fail_msg("%s in %s is %s, not %s", path, line, b.data, want);
    }
    decoder_free(&de);
    schema_unref(&s);
    buf_fini(&b);
}

static void nested_and_flat_keys(void **state)
{
    (void)state;
    finds("{\"a\":{\"b\":1}}", "a.b", "1");
    finds("{\"a.b\":1}", "a.b", "1");
    finds("{\"a.b\":1,\"a\":{\"b\":2}}", "a.b", "2");
    finds("{\"a\":{\"b\":2},\"a.b\":1}", "a.b", "2");
    finds("{\"a\":{\"b\":null},\"a.b\":1}", "a.b", "1");
    finds("{\"a\":{\"x\":0},\"a.b\":1}", "a.b", "1");
    finds("{\"a\":7,\"a.b\":1}", "a.b", "1");
    finds("{\"a.b.c\":1,\"a.b\":{\"c\":2},\"a\":{\"b.c\":3,\"b\":{\"c\":4}}}", "a.b.c", "4");
    finds("{\"a.b.c\":1,\"a.b\":{\"c\":2},\"a\":{\"b.c\":3}}", "a.b.c", "3");
    finds("{\"a.b.c\":1,\"a.b\":{\"c\":2}}", "a.b.c", "2");
    finds("{\"a.b.c\":1}", "a.b.c", "1");
    finds("{\"a\":1,\"a.\":2}", "a.b", "null");
    finds("{\"\":{\"\":5}}", "a", "null");
    finds("{\"a\\u002eb\":5}", "a.b", "5");
    finds("{\"\\u0061\":5}", "a", "5");
    finds("{\"a_name_of_more_than_16_bytes\":5}", "a_name_of_more_than_16_bytes", "5");
    finds("{\"a_name_of_more_thaN_16_bytes\":5}", "a_name_of_more_than_16_bytes", "null");
}

static void of_duplicate_keys_the_first_counts(void **state)
{
    (void)state;
    finds("{\"a\":1,\"a\":2}", "a", "1");
    finds("{\"a\":null,\"a\":2}", "a", "null");
    finds("{\"a\":null,\"a\":null,\"a\":2}", "a", "null");
    finds("{\"a\":1,\"a\":{\"b\":2}}", "a.b", "null");
    finds("{\"a\":{\"x\":1},\"a\":{\"b\":2}}", "a.b", "null");
    finds("{\"a\":{\"b\":null,\"b\":1}}", "a.b", "null");
    finds("{\"a\":{\"b\":3,\"b\":1}}", "a.b", "3");
    finds("{\"a.b\":null,\"a\":{\"b\":null},\"a.b\":3}", "a.b", "null");
    finds("{\"a.b\":1,\"a.b\":2,\"a\":5}", "a.b", "1");
    finds("{\"a\":1,\"\\u0061\":2}", "a", "1");
    finds("{\"a\":[],\"a\":2}", "a", "[]");
    finds("{\"a\":[{\"b\":1,\"b\":2},{\"b\":null,\"b\":3}]}", "a.b", "[1]");
}

static void arrays(void **state)
{
    (void)state;
    finds("{\"a\":[1,null,\"x\",[2,[3]],{\"k\":1.50}]}", "a", "[1,null,\"x\",[2,[3]],{\"k\":1.5}]");
    finds("{\"a\":[]}", "a", "[]");
    finds("{\"a\":[]}", "a.b", "null");
    finds("{\"a\":[{\"b\":1},{\"b\":2}]}", "a.b", "[1,2]");
    finds("{\"a\":[{\"b\":1},7,null,{\"c\":2}]}", "a.b", "[1]");
    finds("{\"a\":[{\"x\":1}]}", "a.b", "null");
    finds("{\"a\":[{\"b\":[]}]}", "a.b", "[]");
    finds("{\"a\":[{\"b\":[1,[2]]},{\"b\":3},{\"b\":[]}]}", "a.b", "[1,[2],3]");
    finds("{\"a\":[[{\"b\":1}],[[{\"b\":2}]],{\"b\":3}]}", "a.b", "[1,2,3]");
    finds("{\"a\":[{\"b\":[{\"c\":1},{\"c\":2}]},{\"b\":{\"c\":[3]}}]}", "a.b.c", "[1,2,3]");
    finds("{\"a\":[{\"b.c\":1,\"b\":[{\"c\":2},{\"c\":4}]},{\"b.c\":3}]}", "a.b.c", "[2,4,3]");
    finds("{\"a\":[{\"b\":[{\"c\":null}],\"b.c\":1}]}", "a.b.c", "[1]");
    finds("{\"a.b\":9,\"a\":[{\"b\":1}]}", "a.b", "[1]");
    finds("{\"a\":[{\"b\":1}],\"a.b\":9}", "a.b", "[1]");
    finds("{\"a\":[{}],\"a.b\":9}", "a.b", "9");
    finds("{\"a\":[{\"b\":{\"x\":1}}]}", "a.b", "[{\"x\":1}]");
}

static void indexes(void **state)
{
    (void)state;
    finds("{\"a\":[1,2,3]}", "a[0]", "1");
    finds("{\"a\":[1,2,3]}", "a[2]", "3");
    finds("{\"a\":[1,2,3]}", "a[3]", "null");
    finds("{\"a\":[1,2,3]}", "a[-1]", "3");
    finds("{\"a\":[1,2,3]}", "a[-3]", "1");
    finds("{\"a\":[1,2,3]}", "a[-4]", "null");
    finds("{\"a\":[]}", "a[-1]", "null");
    finds("{\"a\":{\"0\":1}}", "a[0]", "null");
    finds("{\"a\":5}", "a[0]", "null");
    finds("{\"a\":[[1,2],[3]]}", "a[0]", "[1,2]");
    finds("{\"a\":[[1,2],[3]]}", "a[0][1]", "2");
    finds("{\"a\":[{\"b\":1},{\"b\":2}]}", "a[-1].b", "2");
    finds("{\"a\":[{\"b\":[1,2]},{\"b\":[3]}]}", "a.b[0]", "[1,3]");
    finds("{\"a\":[{\"b\":[1,2]},{\"b\":[3]}]}", "a.b[1]", "[2]");
    finds("{\"a\":[[{\"b\":1}],[{\"b\":2}]]}", "a[0].b", "[1]");
    finds("{\"a.b\":[4]}", "a.b[0]", "4");
    finds("{\"a\":[null,1]}", "a[0]", "null");
}

static void objects_are_text(void **state)
{
    (void)state;
    finds("{\"a\": { \"b\" : [ 1 , 2.50, \"x\\u00e9\\n\" ], \"b\":null } }", "a",
          "{\"b\":[1,2.5,\"x\xc3\xa9\\n\"],\"b\":null}");
    finds("{\"a\":{\"n\":[-0,-0.0,1e2,18446744073709551615]}}", "a",
          "{\"n\":[0,0,100,1.8446744073709552e+19]}");
    finds("{\"a\":{}}", "a", "{}");
}

static void deep_lists_end_as_text(void **state)
{
    char line[400];
    struct schema *s = schema_new();
    struct event ev = {.time = 0};
    const char *why;

    (void)state;
    int n = snprintf(line, sizeof line, "{\"a\":");
    for (int i = 0; i < 100; i++)
        line[n++] = '[';
    for (int i = 0; i < 100; i++)
        line[n++] = ']';
    line[n++] = '}';
    add_path(s, "a");
    schema_seal(s);
    struct decoder *de = decoder_new(s, 1000);
    assert_true(decoder_run_copy(de, line, (size_t)n, &ev, &why));
    struct value v = ev.slot[0];
    for (int i = 0; i < VALUE_MAX_NESTING; i++) {
        assert_int_equal(v.type, VALUE_LIST);
        assert_int_equal(v.len, 1);
        v = v.u.list[0];
    }
    assert_int_equal(v.type, VALUE_OBJECT);
    assert_int_equal(v.len, 2 * (100 - VALUE_MAX_NESTING));
    decoder_free(&de);
    schema_unref(&s);
}

static void all_texts(void **state)
{
    const char *line =
        "{\"k\":\"1\",\"o\":{\"k\":[\"2\",3,{\"x\":\"3\"}],\"k\":\"4\"},\"n\":null,\"z\":\"\"}";
    struct schema *s = schema_new();
    struct event ev = {.time = 0};
    const char *why;

    (void)state;
    schema_want_texts(s);
    schema_seal(s);
    struct decoder *de = decoder_new(s, 1000);
    for (int round = 0; round < 2; round++) {
        assert_true(decoder_run_copy(de, line, strlen(line), &ev, &why));
        assert_int_equal(ev.n_slots, 0);
        assert_int_equal(ev.n_texts, 5);
        for (uint32_t i = 0; i < 4; i++) {
            char digit = (char)('1' + i);
            assert_true(value_same(ev.texts[i], value_text(&digit, 1)));
        }
        assert_int_equal(ev.texts[4].len, 0);
    }
    decoder_free(&de);
    schema_unref(&s);
}

/* ---- the model ----------------------------------------------------------------------------------
 */

enum kind { NUL, NUMBER, OBJECT, ARRAY };

struct node {
    enum kind kind;
    int number;
    int n;           /* members, elements */
    char key[6][12]; /* of members */
    struct node *at[6];
};

static const char *const keys[] = {"a", "b", "c", "a.b", "b.c", "a.b.c", "", "a.", "c.a"};

static struct node *random_node(struct arena *arena, int depth, bool object)
{
    struct node *node = arena_alloc(arena, sizeof *node);
    int r = rand() % 10;

    node->kind = object                ? OBJECT
                 : r < 1               ? NUL
                 : r < 4 || depth == 0 ? NUMBER
                 : r < 7               ? OBJECT
                                       : ARRAY;
    node->number = rand() % 1000;
    if (node->kind != OBJECT && node->kind != ARRAY)
        return node;
    node->n = rand() % 6;
    for (int i = 0; i < node->n; i++) {
        snprintf(node->key[i], sizeof node->key[i], "%s",
                 keys[(size_t)rand() % (sizeof keys / sizeof *keys)]);
        node->at[i] = random_node(arena, depth - 1, false);
    }
    return node;
}

static void print(struct buf *b, const struct node *node)
{
    switch (node->kind) {
    case NUL: buf_adds(b, "null"); return;
    case NUMBER: buf_printf(b, "%d", node->number); return;
    default: break;
    }
    buf_addc(b, node->kind == OBJECT ? '{' : '[');
    for (int i = 0; i < node->n; i++) {
        if (i)
            buf_addc(b, ',');
        if (node->kind == OBJECT)
            buf_printf(b, "\"%s\":", node->key[i]);
        print(b, node->at[i]);
    }
    buf_addc(b, node->kind == OBJECT ? '}' : ']');
}

static struct value whole(struct arena *arena, const struct node *node)
{
    struct buf b;

    if (node->kind == NUL)
        return value_missing();
    if (node->kind == NUMBER)
        return value_int(node->number);
    if (node->kind == ARRAY) {
        struct value *list = arena_alloc(arena, 6 * sizeof *list);
        for (int i = 0; i < node->n; i++)
            list[i] = whole(arena, node->at[i]);
        return value_list(list, (size_t)node->n);
    }
    buf_init(&b);
    print(&b, node);
    struct value v = value_text(arena_strndup(arena, b.data, b.len), b.len);
    v.type = VALUE_OBJECT;
    buf_fini(&b);
    return v;
}

static struct value find(struct arena *, const struct node *, const struct path_part *, size_t);

static struct value find_in_object(struct arena *arena, const struct node *node,
                                   const struct path_part *part, size_t n)
{
    char key[64] = "";
    int len = 0;

    for (size_t k = 0; k < n && part[k].name; k++) {
        len += snprintf(key + len, sizeof key - (size_t)len, "%s%.*s", k ? "." : "",
                        (int)part[k].len, part[k].name);
        for (int i = 0; i < node->n; i++) {
            if (strcmp(node->key[i], key) != 0)
                continue;
            struct value v = find(arena, node->at[i], part + k + 1, n - k - 1);
            if (!value_is_missing(v))
                return v;
            break; /* the first counts */
        }
    }
    return value_missing();
}

static struct value find_in_elements(struct arena *arena, const struct node *node,
                                     const struct path_part *part, size_t n)
{
    struct value *list = arena_alloc_raw(arena, 10000 * sizeof *list);
    size_t total = 0;
    bool any = false;

    for (int i = 0; i < node->n; i++) {
        if (node->at[i]->kind != OBJECT && node->at[i]->kind != ARRAY)
            continue;
        struct value v = find(arena, node->at[i], part, n);
        any = any || !value_is_missing(v);
        if (v.type != VALUE_LIST && !value_is_missing(v))
            list[total++] = v;
        for (uint32_t k = 0; v.type == VALUE_LIST && k < v.len; k++)
            list[total++] = v.u.list[k];
    }
    return any ? value_list(list, total) : value_missing();
}

static struct value find(struct arena *arena, const struct node *node, const struct path_part *part,
                         size_t n)
{
    if (n == 0)
        return whole(arena, node);
    if (node->kind == ARRAY && !part->name) {
        int i = part->index < 0 ? node->n + part->index : part->index;
        return i < 0 || i >= node->n ? value_missing() : find(arena, node->at[i], part + 1, n - 1);
    }
    if (node->kind == ARRAY)
        return find_in_elements(arena, node, part, n);
    if (node->kind == OBJECT && part->name)
        return find_in_object(arena, node, part, n);
    return value_missing();
}

static size_t random_path(struct path_part *part)
{
    static const char *const names[] = {"a", "b", "c", ""};
    size_t n = 1 + (size_t)rand() % 4;

    for (size_t i = 0; i < n; i++) {
        const char *name = names[(size_t)rand() % (rand() % 8 ? 3 : 4)];
        part[i] = i && rand() % 4 == 0
                      ? (struct path_part){.index = rand() % 5 - 2}
                      : (struct path_part){.name = name, .len = (uint32_t)strlen(name)};
    }
    return n;
}

static unsigned n_found; /* so that the test says when it compares nothing with nothing */

static void compare(const struct node *node, struct decoder *de, const struct path_part (*path)[4],
                    const size_t *path_n, const uint32_t *slot, size_t n)
{
    struct arena *arena = arena_new(1 << 16);
    struct event ev = {.time = 0};
    struct buf line, got, want;
    const char *why;

    buf_init(&line);
    buf_init(&got);
    buf_init(&want);
    print(&line, node);
    assert_true(decoder_run_copy(de, line.data, line.len, &ev, &why));
    for (size_t p = 0; p < n; p++) {
        struct value v = find(arena, node, path[p], path_n[p]);
        n_found += !value_is_missing(v);
        if (value_same(v, ev.slot[slot[p]]))
            continue;
        value_add_json(&want, v);
        value_add_json(&got, ev.slot[slot[p]]);
        fail_msg("path %zu of %s: %s, not %s", p, line.data, got.data, want.data);
    }
    buf_fini(&line);
    buf_fini(&got);
    buf_fini(&want);
    arena_free(&arena);
}

static void random_documents_agree_with_the_model(void **state)
{
    (void)state;
    srand(5);
    for (int round = 0; round < 400; round++) {
        struct path_part path[12][4];
        size_t path_n[12];
        uint32_t slot[12];
        size_t n = 1 + (size_t)rand() % 12;
        struct schema *s = schema_new();
        for (size_t i = 0; i < n; i++) {
            path_n[i] = random_path(path[i]);
            assert_true(schema_slot(s, path[i], path_n[i], &slot[i]));
        }
        schema_seal(s);
        struct decoder *de = decoder_new(s, 1 << 20);
        for (int k = 0; k < 50; k++) {
            struct arena *arena = arena_new(1 << 16);
            compare(random_node(arena, 5, true), de, (const struct path_part(*)[4])path, path_n,
                    slot, n);
            arena_free(&arena);
        }
        decoder_free(&de);
        schema_unref(&s);
    }
    assert_true(n_found > 10000);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(nested_and_flat_keys),
        cmocka_unit_test(of_duplicate_keys_the_first_counts),
        cmocka_unit_test(arrays),
        cmocka_unit_test(indexes),
        cmocka_unit_test(objects_are_text),
        cmocka_unit_test(deep_lists_end_as_text),
        cmocka_unit_test(all_texts),
        cmocka_unit_test(random_documents_agree_with_the_model),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
