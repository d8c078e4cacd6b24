// SPDX-License-Identifier: Apache-2.0
/* schema: paths and their slots, the limits, sharing. What the sealed trie finds is tested by
 * test_json_decode. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include <stdio.h>
#include <string.h>

#include "event/schema.h"
#include "event/schema_priv.h"

static struct path_part name(const char *n)
{
    return (struct path_part){.name = n, .len = (uint32_t)strlen(n)};
}

static struct path_part index_part(int32_t i)
{
    return (struct path_part){.index = i};
}

static void equal_paths_have_one_slot(void **state)
{
    struct schema *s = schema_new();
    uint32_t a, b, c;
    struct path_part ab[2] = {name("a"), name("b")};
    struct path_part quoted = name("a.b");
    struct path_part at0[2] = {name("a"), index_part(0)};
    struct path_part at1[2] = {name("a"), index_part(-1)};

    (void)state;
    assert_true(schema_slot_text(s, "a.b", &a));
    assert_int_equal(a, 0);
    assert_true(schema_slot(s, ab, 2, &b));
    assert_int_equal(a, b);
    assert_true(schema_slot(s, &quoted, 1, &b));
    assert_int_equal(a, b);
    assert_true(schema_slot(s, at0, 2, &b));
    assert_true(schema_slot(s, at1, 2, &c));
    assert_int_equal(b, 1);
    assert_int_equal(c, 2);
    assert_int_equal(schema_count(s), 3);
    schema_seal(s);
    schema_seal(s);
    assert_true(schema_slot(s, at1, 2, &c));
    assert_int_equal(c, 2);
    schema_unref(&s);
    assert_null(s);
    schema_unref(&s);
}

static void paths_are_written_as_in_a_rule(void **state)
{
    struct schema *s = schema_new();
    uint32_t slot;
    struct path_part p[5] = {name("http"), name("user-agent"), index_part(-1), name("@x"),
                             name("9lives")};
    struct path_part empty = name("");

    (void)state;
    assert_true(schema_slot(s, p, 5, &slot));
    assert_string_equal(schema_path(s, slot), "http.`user-agent`[-1].@x.`9lives`");
    assert_true(schema_slot(s, &empty, 1, &slot));
    assert_string_equal(schema_path(s, slot), "``");
    assert_true(schema_slot_text(s, "a..b", &slot));
    assert_string_equal(schema_path(s, slot), "a.``.b");
    schema_unref(&s);
}

static void parts_are_copied(void **state)
{
    struct schema *s = schema_new();
    char text[] = "user.id";
    uint32_t a, b;

    (void)state;
    assert_true(schema_slot_text(s, text, &a));
    memset(text, 'x', 7);
    assert_true(schema_slot_text(s, "user.id", &b));
    assert_int_equal(a, b);
    assert_string_equal(schema_path(s, a), "user.id");
    schema_unref(&s);
}

static void limits(void **state)
{
    struct schema *s = schema_new();
    uint32_t slot;
    struct path_part p[SCHEMA_MAX_PARTS + 1];
    char text[64];

    (void)state;
    for (size_t i = 0; i <= SCHEMA_MAX_PARTS; i++)
        p[i] = name("n");
    assert_true(schema_slot(s, p, SCHEMA_MAX_PARTS, &slot));
    assert_false(schema_slot(s, p, SCHEMA_MAX_PARTS + 1, &slot));
    p[0] = name("a.b");
    assert_false(schema_slot(s, p, SCHEMA_MAX_PARTS, &slot));
    assert_false(schema_slot(s, p, 0, &slot));
    for (uint32_t i = 1; i < SCHEMA_MAX_SLOTS; i++) {
        snprintf(text, sizeof text, "field_%u.x", i);
        assert_true(schema_slot_text(s, text, &slot));
        assert_int_equal(slot, i);
    }
    assert_false(schema_slot_text(s, "one.more", &slot));
    assert_true(schema_slot_text(s, "field_7.x", &slot));
    assert_int_equal(slot, 7);
    schema_seal(s);
    assert_int_equal(schema_count(s), SCHEMA_MAX_SLOTS);
    /* n.n.n...: an edge for each run of names, and two for each other path. */
    assert_int_equal(schema_trie(s)->n_edges,
                     SCHEMA_MAX_PARTS * (SCHEMA_MAX_PARTS + 1) / 2 + 3 * (SCHEMA_MAX_SLOTS - 1));
    schema_unref(&s);
}

static void every_key_is_found_and_no_other(void **state)
{
    struct schema *s = schema_new();
    uint32_t slot;
    char text[128] = {0};
    static const char *const lengths[] = {"",
                                          "1",
                                          "12345678",
                                          "123456789",
                                          "1234567890123456",
                                          "12345678901234567",
                                          "1234567890123456789012345678901"};

    (void)state;
    for (size_t i = 0; i < sizeof lengths / sizeof *lengths; i++)
        assert_true(schema_slot_text(s, lengths[i], &slot));
    schema_seal(s);
    const struct schema_trie *trie = schema_trie(s);
    for (size_t i = 0; i < sizeof lengths / sizeof *lengths; i++) {
        size_t len = strlen(lengths[i]);
        memset(text, 'z', sizeof text - 1);
        memcpy(text, lengths[i], len);
        const struct schema_entry *e = schema_find(trie, trie->node, text, len);
        assert_non_null(e);
        assert_int_equal(e->leaf, i);
        for (size_t at = 0; at < len; at++) {
            text[at] ^= 1;
            assert_null(schema_find(trie, trie->node, text, len));
            text[at] ^= 1;
        }
        assert_null(schema_find(trie, trie->node, text, len + 2));
    }
    schema_unref(&s);
}

static void references(void **state)
{
    struct schema *s = schema_new();
    uint32_t slot;

    (void)state;
    assert_true(schema_slot_text(s, "a", &slot));
    assert_false(schema_wants_texts(s));
    schema_want_texts(s);
    schema_seal(s);
    struct schema *other = schema_ref(s);
    schema_unref(&s);
    assert_string_equal(schema_path(other, 0), "a");
    assert_true(schema_wants_texts(other));
    schema_unref(&other);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(equal_paths_have_one_slot),
        cmocka_unit_test(paths_are_written_as_in_a_rule),
        cmocka_unit_test(parts_are_copied),
        cmocka_unit_test(limits),
        cmocka_unit_test(every_key_is_found_and_no_other),
        cmocka_unit_test(references),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
