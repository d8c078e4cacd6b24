// SPDX-License-Identifier: Apache-2.0
/* audit, module_version, module_history: kept within bounds, listed, numbered over restarts; damaged records are seen. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include <unit/state_fixture.h>

#include "state/audit.h"
#include "state/module_history.h"
#include "state/module_version.h"
#include "state/space.h"
#include "state/store.h"

static struct store *st;

static void open_store(const char *dir)
{
    struct store_options opt = {.create = true};
    struct buf why;

    buf_init(&why);
    store_free(&st);
    assert_int_equal(store_open(dir, &opt, &st, &why), STORE_OK);
    buf_fini(&why);
}

static void write_batch(struct store_batch **batch)
{
    struct buf why;

    buf_init(&why);
    assert_int_equal(store_write(st, *batch, false, &why), STORE_OK);
    store_batch_free(batch);
    buf_fini(&why);
}

struct seen {
    uint64_t n, first, last;
    struct buf names;
};

static bool count(void *ctx, const struct audit_entry *entry)
{
    struct seen *seen = ctx;

    seen->first = seen->n++ ? seen->first : entry->number;
    seen->last = entry->number;
    assert_string_equal(entry->who, "me");
    assert_string_equal(entry->result, "1 added (\xc3\xa4)");
    assert_true(entry->time == -5);
    return true;
}

static void add_entries(struct audit *audit, int n)
{
    struct store_batch *batch = store_batch_new();
    struct audit_entry entry = {.time = -5, .who = "me", .from = "127.0.0.1:1", .what = "put module",
                                .name = "a/b", .before = "", .after = "\"x\"",
                                .result = "1 added (\xc3\xa4)"};

    for (int i = 0; i < n; i++)
        audit_add(audit, batch, &entry);
    write_batch(&batch);
}

static void test_audit(void **state)
{
    char *dir = temp_dir(), *path = path_in(dir, "db");
    struct seen seen = {0};
    struct buf why;

    (void)state;
    buf_init(&why);
    open_store(path);
    struct audit *audit = audit_open(st, &why);
    add_entries(audit, 3);
    audit_free(&audit);
    open_store(path);
    audit = audit_open(st, &why);
    assert_int_equal(audit_next(audit), 4);
    add_entries(audit, AUDIT_MOST);
    assert_int_equal(audit_list(st, 1, count, &seen, &why), STORE_OK);
    assert_int_equal(seen.n, AUDIT_MOST);
    assert_int_equal(seen.first, 4);
    assert_int_equal(seen.last, AUDIT_MOST + 3);
    audit_free(&audit);
    /* damage */
    static const uint8_t key[9] = {SPACE_AUDIT, 0, 0, 0, 0, 0, 1, 0, 0};
    struct store_batch *batch = store_batch_new();
    store_batch_put(batch, key, sizeof key, "\x01" "abc", 4);
    write_batch(&batch);
    assert_int_equal(audit_list(st, 1, count, &seen, &why), STORE_CORRUPT);
    assert_non_null(strstr(why.data, "damaged"));
    store_free(&st);
    buf_fini(&why);
    free(path);
    temp_dir_end(dir);
}

static bool list(void *ctx, const struct module_version *version)
{
    struct seen *seen = ctx;

    buf_printf(&seen->names, "%u%s ", (unsigned)version->number, version->removed ? "-" : "");
    assert_memory_equal(version->who, "me", 2);
    return true;
}

static void versions_are(const char *name, const char *want)
{
    struct seen seen = {0};
    struct buf why;

    buf_init(&why);
    buf_init(&seen.names);
    buf_adds(&seen.names, "");
    assert_int_equal(module_version_list(st, name, list, &seen, &why), STORE_OK);
    assert_string_equal(seen.names.data, want);
    buf_fini(&seen.names);
    buf_fini(&why);
}

static void test_versions(void **state)
{
    char *dir = temp_dir(), *path = path_in(dir, "db");
    struct module_version version = {.time = 7, .who = "me", .who_len = 2, .text = "rule", .len = 4};
    struct store_batch *batch = store_batch_new();
    struct buf why;
    uint64_t last;

    (void)state;
    buf_init(&why);
    open_store(path);
    for (version.number = 1; version.number <= 7; version.number++) {
        version.removed = version.number == 6;
        module_version_put(batch, "a", &version, 3);
        module_version_put(batch, "a/b", &version, 100);
    }
    write_batch(&batch);
    versions_are("a", "5 6- 7 ");
    versions_are("a/b", "1 2 3 4 5 6- 7 ");
    versions_are("b", "");
    assert_int_equal(module_version_last(st, "a", &last, &why), STORE_OK);
    assert_int_equal(last, 7);
    assert_int_equal(module_version_last(st, "b", &last, &why), STORE_OK);
    assert_int_equal(last, 0);
    store_free(&st);
    buf_fini(&why);
    free(path);
    temp_dir_end(dir);
}

/* Writes a version of 1,000 bytes and marks it. */
static void add_version(struct module_history *history, struct store_batch *batch, const char *name,
                        uint64_t number, int64_t time, bool removed)
{
    static const char text[1000];
    struct module_version version = {.number = number, .time = time, .removed = removed, .who = "me",
                                     .who_len = 2, .text = text, .len = removed ? 0 : sizeof text};
    struct module_mark mark = {name, number, time, version.len, removed};

    module_version_put(batch, name, &version, 1000);
    module_history_add(history, &mark, 1000, batch);
}

static void test_history(void **state)
{
    char *dir = temp_dir(), *path = path_in(dir, "db");
    struct store_batch *batch = store_batch_new();
    struct buf why;

    (void)state;
    buf_init(&why);
    open_store(path);
    struct module_history *history = module_history_open(st, &why);
    assert_int_equal(module_history_bytes(history), 0);
    add_version(history, batch, "old", 1, 1, false);
    for (uint64_t n = 1; n <= 5; n++)
        add_version(history, batch, "b", n, (int64_t)(10 * n), false);
    for (uint64_t n = 1; n <= 5; n++)
        add_version(history, batch, "a", n, (int64_t)(10 * n + 5), n == 5);
    write_batch(&batch);
    uint64_t bytes = module_history_bytes(history);
    module_history_free(&history);

    /* the same is found again; the oldest go, whatever their names, but what is the newest of a module that is there */
    history = module_history_open(st, &why);
    assert_int_equal(module_history_bytes(history), bytes);
    batch = store_batch_new();
    module_history_prune(history, bytes, batch);
    assert_int_equal(store_batch_bytes(batch), 0);
    module_history_prune(history, bytes - 5000, batch);
    write_batch(&batch);
    versions_are("old", "1 ");
    versions_are("b", "4 5 ");
    versions_are("a", "3 4 5- ");
    batch = store_batch_new();
    module_history_prune(history, 0, batch);
    write_batch(&batch);
    versions_are("old", "1 ");
    versions_are("b", "5 ");
    versions_are("a", "");
    /* one more, of which none before it is wanted */
    batch = store_batch_new();
    struct module_mark mark = {"b", 6, 100, 0, false};
    module_history_add(history, &mark, 1, batch);
    write_batch(&batch);
    versions_are("b", "");
    module_history_free(&history);
    store_free(&st);
    buf_fini(&why);
    free(path);
    temp_dir_end(dir);
}

static void test_names(void **state)
{
    static const char *const good[] = {"a", "a/b.rule", "A-9_.x", "a/b/c"};
    static const char *const bad[] = {"", "/", "/a", "a/", "a//b", ".a", "a/.b", "a b", "a\n", "..", "\xc3\xa4"};

    (void)state;
    for (size_t i = 0; i < sizeof good / sizeof *good; i++)
        assert_true(module_name_ok(good[i]));
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++)
        assert_false(module_name_ok(bad[i]));
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_audit), cmocka_unit_test(test_versions),
                                       cmocka_unit_test(test_history), cmocka_unit_test(test_names)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
