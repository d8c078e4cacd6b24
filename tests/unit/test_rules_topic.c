// SPDX-License-Identifier: Apache-2.0
/* Positions of topics, what records of a topic of rules want, what is kept of them, and which can come true together. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include <unit/state_fixture.h>

#include "base/mem.h"
#include "flow/rules_saved.h"
#include "flow/rules_search.h"
#include "flow/rules_wish.h"
#include "io/topic_position.h"
#include "io/topic_reader.h"
#include "plan/program.h"
#include "state/space.h"
#include "state/store.h"

/* ---- positions ------------------------------------------------------------------------------------------- */

static void positions_know_their_topic(void **state)
{
    (void)state;
    struct topic_position pos = {.partition = 3};

    assert_int_equal(topic_position_check_from(&pos, 7), 7);
    for (uint64_t i = 0; i < 40; i++)
        topic_position_note(&pos, 2 * i, 1000 + i); /* odd ones were compacted, or of transactions */
    assert_int_equal(pos.n_anchors, TOPIC_ANCHORS);
    assert_int_equal(pos.next, 79);
    assert_int_equal(topic_position_check_from(&pos, 0), 48);
    assert_int_equal(topic_position_check_from(&pos, 60), 60);
    assert_true(topic_position_knows(&pos, 50, 1025));
    assert_false(topic_position_knows(&pos, 50, 1));    /* another record at that place */
    assert_false(topic_position_knows(&pos, 51, 1025)); /* one where there was none */
    assert_true(topic_position_knows(&pos, 3, 1));      /* before all that is known */
    topic_position_pass(&pos, 90);
    topic_position_pass(&pos, 10);
    assert_int_equal(pos.next, 90);
    assert_false(topic_position_knows(&pos, 85, 1));
    topic_position_restart(&pos, 4);
    assert_int_equal(pos.next, 4);
    assert_int_equal(pos.n_anchors, 0);
    assert_true(topic_position_knows(&pos, 3, 1));
}

/* ---- records --------------------------------------------------------------------------------------------- */

static struct topic_record record;

static void begin_record(const char *key, const char *value)
{
    memset(&record, 0, sizeof record);
    record.partition = 2;
    record.offset = 17;
    record.time = 99;
    record.key = (char *)(uintptr_t)key;
    record.key_len = key ? strlen(key) : 0;
    record.value = (char *)(uintptr_t)value;
    record.len = value ? strlen(value) : 0;
}

static void add_header(const char *name, const char *value)
{
    record.header[record.n_headers++] = (struct topic_header){
        (char *)(uintptr_t)name, (char *)(uintptr_t)value, value ? strlen(value) : 2000};
}

static void wants(enum rules_fault fault, const char *text, struct rules_wish *wish)
{
    struct buf why;

    buf_init(&why);
    buf_adds(&why, "");
    assert_int_equal(rules_wish_read(&record, wish, &why), fault);
    if (!strstr(why.data, text))
        fail_msg("%s", why.data);
    buf_fini(&why);
}

static void refuses(enum rules_fault fault, const char *text)
{
    struct rules_wish wish;

    wants(fault, text, &wish);
    rules_wish_fini(&wish);
}

static void records_are_wishes(void **state)
{
    (void)state;
    struct rules_wish wish, back;
    struct buf b;

    begin_record("a/b.rule", "rule x {}");
    add_header("on_reload", "fresh");
    add_header("allow_state_drop", "true");
    add_header("author", "Zoë");
    add_header("else", NULL);
    wants(RULES_FINE, "", &wish);
    assert_string_equal(wish.name, "a/b.rule");
    assert_string_equal(wish.text, "rule x {}");
    assert_string_equal(wish.author, "Zoë");
    assert_int_equal(wish.policy.on_reload, RELOAD_FRESH);
    assert_true(wish.policy.allow_drop);
    wish.answered = true;
    buf_init(&b);
    rules_wish_encode(&b, &wish);
    assert_true(rules_wish_decode(b.data, b.len, &back));
    assert_string_equal(back.text, wish.text);
    assert_string_equal(back.author, wish.author);
    assert_int_equal(back.policy.on_reload, RELOAD_FRESH);
    assert_true(back.answered && back.policy.allow_drop);
    assert_int_equal(back.offset, 17);
    assert_int_equal(back.partition, 2);
    assert_int_equal(back.time, 99);
    rules_wish_fini(&back);
    for (size_t len = 0; len < b.len; len++)
        assert_false(rules_wish_decode(b.data, len, &back));
    buf_fini(&b);
    rules_wish_fini(&wish);

    begin_record("a", NULL); /* a tombstone */
    wants(RULES_FINE, "", &wish);
    assert_null(wish.text);
    assert_int_equal(wish.policy.on_reload, -1);
    rules_wish_fini(&wish);
}

static void records_that_are_none(void **state)
{
    (void)state;

    begin_record(NULL, "x");
    refuses(RULES_BAD_KEY, "the key is the name of a module");
    begin_record("../x", "x");
    refuses(RULES_BAD_KEY, "the key is the name of a module");
    begin_record("ab", "x");
    record.key_len = 1; /* as with a NUL in it */
    refuses(RULES_BAD_KEY, "the key is the name of a module");
    begin_record("a", "");
    refuses(RULES_BAD_VALUE, "empty");
    begin_record("a", "x\xff");
    refuses(RULES_BAD_VALUE, "byte 1 of the value is not UTF-8");
    begin_record("a", "xy");
    record.len = 3;
    refuses(RULES_BAD_VALUE, "NUL");
    begin_record("a", NULL);
    record.too_long = true;
    record.len = 99;
    refuses(RULES_TOO_LONG, "99 bytes");
    static const struct {
        const char *name, *value;
    } bad[] = {{"on_reload", "Drain"},      {"on_reload", NULL}, {"allow_state_drop", "yes"}, {"author", "\xff"},
               {"author", NULL},            {"dry_run", "0"},    {"if_match", "\"x\""},       {"allow_state_drop", ""}};
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        begin_record("a", "x");
        add_header(bad[i].name, bad[i].value);
        refuses(RULES_BAD_HEADER, bad[i].name);
    }
}

/* ---- the database ---------------------------------------------------------------------------------------- */

static void saved_comes_back(void **state)
{
    (void)state;
    char dir[] = "/tmp/test_rules_topic.XXXXXX";
    struct store_options opt = {.create = true};
    struct topic_position pos = {.partition = 1};
    struct rules_wish wish = {.name = (char *)(uintptr_t)"m", .policy = {.on_reload = -1}, .offset = 5};
    struct rules_answer answer = {.number = 7, .key = (char *)(uintptr_t)"m", .key_len = 1, .text = (char *)(uintptr_t)"{}", .len = 2};
    struct rules_saved saved;
    struct store *st;
    struct buf why;

    assert_non_null(mkdtemp(dir));
    buf_init(&why);
    assert_int_equal(store_open(dir, &opt, &st, &why), STORE_OK);
    struct store_batch *batch = store_batch_new();
    topic_position_note(&pos, 3, 33);
    topic_position_note(&pos, 300, 34);
    rules_saved_put_position(batch, "rules", &pos);
    pos.partition = 0;
    rules_saved_put_position(batch, "rules", &pos);
    rules_saved_put_position(batch, "other", &pos);
    rules_saved_put_wish(batch, "rules", &wish);
    rules_saved_put_wish(batch, "other", &wish);
    rules_saved_put_answer(batch, &answer);
    answer.number = 8;
    answer.key = NULL;
    answer.key_len = 0;
    rules_saved_put_answer(batch, &answer);
    assert_int_equal(store_write(st, batch, false, &why), STORE_OK);
    assert_true(rules_saved_read(st, "rules", &saved, &why));
    assert_true(saved.others);
    assert_int_equal(saved.n_positions, 2);
    assert_int_equal(saved.position[1].partition, 1);
    assert_int_equal(saved.position[1].next, 301);
    assert_int_equal(saved.position[1].anchor[0].hash, 33);
    assert_int_equal(saved.n_wishes, 1);
    assert_int_equal(saved.wish[0].offset, 5);
    assert_int_equal(saved.n_answers, 2);
    assert_int_equal(saved.answer[0].number, 7);
    assert_string_equal(saved.answer[0].key, "m");
    assert_null(saved.answer[1].key);
    rules_saved_fini(&saved);
    assert_true(rules_saved_read(st, "rule", &saved, &why)); /* no part of another one's name */
    assert_int_equal(saved.n_positions + saved.n_wishes, 0);
    rules_saved_fini(&saved);

    store_batch_clear(batch);
    rules_saved_remove_wish(batch, "rules", "m");
    rules_saved_remove_answer(batch, 7);
    assert_int_equal(store_write(st, batch, false, &why), STORE_OK);
    assert_true(rules_saved_read(st, "rules", &saved, &why));
    assert_int_equal(saved.n_wishes, 0);
    assert_int_equal(saved.n_answers, 1);
    rules_saved_fini(&saved);

    static const char damaged[] = {SPACE_RULES_TOPIC, 'p', 'r', 0, 0, 0, 0, 1};
    assert_false(rules_saved_is_fine(damaged, sizeof damaged, "\1", 1));
    assert_false(rules_saved_is_fine(damaged, 3, "\1\1\0", 3));
    assert_true(rules_saved_is_fine(damaged, sizeof damaged, "\1\1\0", 3));
    store_batch_put(batch, damaged, sizeof damaged, "\2", 1);
    assert_int_equal(store_write(st, batch, false, &why), STORE_OK);
    assert_false(rules_saved_read(st, "rules", &saved, &why));
    assert_non_null(strstr(why.data, "damaged"));
    store_batch_free(&batch);
    store_free(&st);
    buf_fini(&why);
    remove_tree(dir);
}

/* ---- the search ------------------------------------------------------------------------------------------ */

/* Wishes by letters: a lower-case letter is fine; `!` has a mistake of its own; `?` breaks what is no wish; an
 * upper-case letter needs its lower-case one before or behind it, by a mistake of its own; `1`, `2`: exclude each
 * other, and the later one is blamed. */
struct world {
    const char *wish;
    size_t n;
    unsigned tries;
    unsigned fails_at; /* this try cannot be known; 0: none */
    char last_good[200];
    char blamed[200];
};

static bool has(const struct world *w, const bool *in, char c)
{
    for (size_t i = 0; i < w->n; i++)
        if (in[i] && w->wish[i] == c)
            return true;
    return false;
}

static enum rules_try attempt(void *ctx, const bool *in, bool *blamed)
{
    struct world *w = ctx;
    bool good = true, one = false;
    size_t n = 0;

    if (++w->tries == w->fails_at)
        return RULES_TRY_FAILED;
    for (size_t i = 0; i < w->n; i++) {
        char c = w->wish[i];
        if (!in[i])
            continue;
        bool mistake = c == '!' || (c >= 'A' && c <= 'Z' && !has(w, in, (char)(c - 'A' + 'a'))) ||
                       ((c == '1' || c == '2') && one);
        one |= c == '1' || c == '2';
        blamed[i] = mistake;
        good &= !mistake && c != '?';
    }
    if (!good)
        return RULES_TRY_BAD;
    for (size_t i = 0; i < w->n; i++)
        if (in[i])
            w->last_good[n++] = w->wish[i];
    w->last_good[n] = '\0';
    return RULES_TRY_GOOD;
}

static void blame(void *ctx, size_t i, bool whole)
{
    struct world *w = ctx;

    w->blamed[i] = whole ? 'w' : 'o';
}

/* The letters that came true, in their order. Tries at most. */
static void finds(const char *wishes, const char *want, unsigned most_tries)
{
    struct world w = {.wish = wishes, .n = strlen(wishes)};
    struct rules_search_ops ops = {attempt, blame, &w};
    bool in[200] = {false}, undecided[200] = {false};
    char found[200];
    size_t n = 0;

    assert_true(rules_search(&ops, w.n, 1000, in, undecided));
    for (size_t i = 0; i < w.n; i++) {
        assert_false(undecided[i]);
        if (in[i])
            found[n++] = wishes[i];
        else
            assert_true(w.blamed[i]); /* each has its reason */
    }
    found[n] = '\0';
    assert_string_equal(found, want);
    assert_string_equal(w.last_good, want); /* what was tried last and good is what is made */
    if (w.tries > most_tries)
        fail_msg("%s: %u tries", wishes, w.tries);
}

static void searches(void **state)
{
    (void)state;
    finds("a", "a", 1);
    finds("!", "", 1);
    finds("?", "", 1);
    finds("abc", "abc", 1);
    finds("Aa", "Aa", 1);                 /* in whatever order */
    finds("a!b", "ab", 3);
    finds("!!!!!!a", "a", 5);
    finds("A", "", 1);
    finds("AB?b", "Bb", 12);
    finds("ab?cd", "abcd", 6);
    finds("abcdefgh?ijklmnop?qrst", "abcdefghijklmnopqrst", 20);
    finds("12", "1", 3);
    finds("21a", "2a", 3);
    finds("1?2!A", "1", 20);
}

static void searches_are_bounded(void **state)
{
    (void)state;
    char wishes[101];
    bool in[100], undecided[100];

    memset(wishes, '?', 100);
    wishes[100] = '\0';
    for (unsigned most = 1; most < 40; most++) {
        struct world w = {.wish = wishes, .n = 100};
        struct rules_search_ops ops = {attempt, blame, &w};
        memset(in, 0, sizeof in);
        memset(undecided, 0, sizeof undecided);
        assert_true(rules_search(&ops, 100, most, in, undecided));
        assert_true(w.tries <= most);
        size_t settled = 0;
        for (size_t i = 0; i < 100; i++) {
            settled += !undecided[i];
            assert_true(undecided[i] || w.blamed[i]);
        }
        assert_true(settled >= most / 8); /* it gets on */
        w = (struct world){.wish = wishes, .n = 100, .fails_at = most};
        memset(in, 0, sizeof in);
        assert_false(rules_search(&ops, 100, 1000, in, undecided));
        assert_int_equal(w.tries, most);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(positions_know_their_topic), cmocka_unit_test(records_are_wishes),
        cmocka_unit_test(records_that_are_none),      cmocka_unit_test(saved_comes_back),
        cmocka_unit_test(searches),                   cmocka_unit_test(searches_are_bounded),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
