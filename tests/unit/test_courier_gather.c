// SPDX-License-Identifier: Apache-2.0
/* courier: what becomes one message: batches, groups, ids; what is muted; all of it at random. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include <unit/courier_fixture.h>

/* ---- batches ----------------------------------------------------------------------------------- */

static void a_batch_is_full_or_has_waited(void **state)
{
    (void)state;
    options.batch_count = 3;
    options.batch_wait = 200 * MS;
    open_endpoint();
    alerts("r", 1, 4, true);
    /* printf 'a1.0\na2.0\na3.0' | sha256sum */
    assert_string_equal(under_way(), "22985c6f70a3d1ff8cdbc2bcc49ffc7a");
    assert_string_equal(posted[0].body, " {\"id\":\"a1\",\"rule\":\"r\",\"revision\":0}"
                                        " {\"id\":\"a2\",\"rule\":\"r\",\"revision\":0}"
                                        " {\"id\":\"a3\",\"rule\":\"r\",\"revision\":0}");
    answer(NULL, 200);
    assert_int_equal(waiting(), 1);
    assert_string_equal(under_way(), "");
    assert_true(endpoint_due(&e, now) <= now.mono + 200 * MS);
    pass(200 * MS);
    assert_string_equal(under_way(), "a4.0"); /* alone: under its own id */
    answer("a4.0", 200);
    assert_int_equal(waiting(), 0);
    most = 2; /* the body takes less */
    alerts("r", 5, 8, true);
    assert_int_equal(e.n_in_flight, 2);
    assert_true(strchr(under_way(), '.') == NULL);
}

static void a_batch_stays_within_memory(void **state)
{
    (void)state;
    options.batch_count = 10000;
    options.batch_wait = 3600 * SECOND;
    most = 10000;
    open_endpoint();
    alerts("r", 1, 5000, true);
    assert_int_equal(e.n_in_flight, 1); /* it does not wait for what has no room */
    assert_int_equal(e.window.first->n, HELD_COUNT);
    answer(NULL, 200);
    assert_int_equal(e.n_in_flight, 0);
    pass(3600 * SECOND);
    answer(NULL, 200);
    assert_int_equal(waiting(), 0);
}

static void a_batch_that_does_not_wait_takes_what_is_there(void **state)
{
    (void)state;
    options.batch_count = 100;
    options.in_flight = 1;
    open_endpoint();
    alerts("r", 1, 1, true);
    assert_string_equal(under_way(), "a1.0");
    for (int i = 2; i <= 150; i++)
        alerts("r", i, i, true);
    answer("a1.0", 200);
    assert_int_equal(e.window.first->n, 100);
    answer(NULL, 200);
    assert_int_equal(e.window.first->n, 49);
    answer(NULL, 200);
    assert_int_equal(waiting(), 0);
}

static void a_refused_batch_is_halved(void **state)
{
    (void)state;
    options.batch_count = 8;
    options.in_flight = 1;
    open_endpoint();
    alerts("r", 1, 5, true);
    alerts("bad", 6, 6, true);
    alerts("r", 7, 8, true);
    answer(NULL, 503);
    pass(SECOND);
    /* the receiver refuses what holds "bad" */
    for (int i = 0; i < 20 && waiting() > 0; i++) {
        size_t last = n_posted - 1;
        answer(NULL, strstr(posted[last].body, "bad") ? 413 : 200);
    }
    settle_acks();
    letters_are("sink alert hook|refused: HTTP 413|{\"id\":\"a6\",\"rule\":\"bad\",\"revision\":0}\n");
    assert_int_equal(e.stats.delivered, 7);
    assert_int_equal(waiting(), 0);
    alerts("r", 11, 15, true);
    while (waiting() > 0)
        answer(NULL, 401); /* nothing to do with the content: refused as it is */
    assert_int_equal(e.stats.rejected, 6);
    alerts("unsayable", 16, 16, true);
    settle_acks();
    assert_int_equal(e.stats.rejected, 7);
}

/* ---- groups, mute ------------------------------------------------------------------------------ */

static void alerts_of_a_rule_are_grouped(void **state)
{
    (void)state;
    open_endpoint();
    alerts("group one", 1, 3, false);
    alerts("group two", 4, 4, false);
    alerts("r", 5, 5, false);
    alerts("group one", 6, 6, true); /* directly: not grouped */
    assert_string_equal(under_way(), "a5.0 a6.0");
    pass(9 * SECOND);
    assert_int_equal(n_posted, 2);
    assert_true(endpoint_due(&e, now) <= now.mono + SECOND);
    pass(SECOND);
    assert_int_equal(n_posted, 4);
    assert_string_equal(posted[2].body, "group of 3:"
                                        " {\"id\":\"a1\",\"rule\":\"group one\",\"revision\":0}"
                                        " {\"id\":\"a2\",\"rule\":\"group one\",\"revision\":0}"
                                        " {\"id\":\"a3\",\"rule\":\"group one\",\"revision\":0}");
    assert_string_equal(posted[2].id, "22985c6f70a3d1ff8cdbc2bcc49ffc7a");
    assert_string_equal(posted[3].id, "a4.0");
    answer("a5.0", 200);
    answer("a6.0", 200);
    answer("22985c6f70a3d1ff8cdbc2bcc49ffc7a", 500);
    assert_int_equal(waiting(), 4);
    pass(SECOND);
    answer("22985c6f70a3d1ff8cdbc2bcc49ffc7a", 200);
    answer("a4.0", 200);
    assert_int_equal(waiting(), 0);
}

static void a_group_is_the_same_after_a_restart(void **state)
{
    (void)state;
    open_endpoint();
    alerts("group", 1, 3, false);
    pass(4 * SECOND);
    open_endpoint();
    now.wall += 4 * SECOND;
    step();
    pass(5 * SECOND);
    assert_string_equal(under_way(), "");
    pass(1 * SECOND);
    assert_string_equal(under_way(), "22985c6f70a3d1ff8cdbc2bcc49ffc7a");
    open_endpoint(); /* long after it was due */
    now.wall += 1000 * SECOND;
    step();
    assert_string_equal(under_way(), "22985c6f70a3d1ff8cdbc2bcc49ffc7a");
}

static void a_full_group_does_not_wait(void **state)
{
    (void)state;
    most = 3;
    open_endpoint();
    alerts("group", 1, 4, false);
    assert_string_equal(under_way(), "22985c6f70a3d1ff8cdbc2bcc49ffc7a");
    answer(NULL, 200);
    pass(10 * SECOND);
    assert_string_equal(under_way(), "a4.0");
}

static void groups_stay_within_memory(void **state)
{
    (void)state;
    enum { N = 3 * HELD_COUNT };
    char rule[32];

    open_endpoint();
    for (int i = 0; i < 6; i++) {
        snprintf(rule, sizeof rule, "group %d", i);
        alerts(rule, i * N / 6 + 1, (i + 1) * N / 6, false);
    }
    uint64_t open = 0;
    for (const struct parcel *p = e.groups.first; p; p = p->next)
        open += p->n;
    assert_in_range(e.held, HELD_COUNT - 2000, HELD_COUNT);
    while (waiting() > 0) {
        pass(SECOND);
        while (*under_way())
            answer(NULL, 200);
        assert_true(e.held <= HELD_COUNT);
    }
    assert_int_equal(e.stats.delivered, N);
}

static void what_is_muted_is_counted(void **state)
{
    (void)state;
    open_endpoint();
    alerts("muted", 1, 2000, false);
    alerts("r", 2001, 2001, false);
    assert_string_equal(under_way(), "a2001.0");
    assert_int_equal(e.stats.muted, 2000);
    alerts("muted", 2002, 2002, true); /* directly */
    assert_string_equal(under_way(), "a2001.0 a2002.0");
    is_muted = false;
    alerts("muted", 2003, 2003, false);
    assert_string_equal(under_way(), "a2001.0 a2002.0 a2003.0");
    assert_int_equal(waiting(), 3);
    settle_acks();
    letters_are("");
}

/* ---- ids --------------------------------------------------------------------------------------- */

static const char *id_of(const char *text, uint64_t seq, bool is_alert)
{
    static struct buf id;
    struct held held = {.seq = seq, .at = 17, .text = mem_strndup(text, strlen(text)),
                        .len = strlen(text), .is_alert = is_alert};

    buf_clear(&id);
    message_id(&held, "hook", &id);
    mem_free(held.text);
    return id.data;
}

static void ids(void **state)
{
    (void)state;
    assert_string_equal(id_of("{\"rule\":\"r\",\"id\":\"abc\",\"x\":[{\"id\":1}],\"revision\":12}", 1, true),
                        "abc.12");
    assert_string_equal(id_of("{\"id\":\"abc\"}", 1, true), "abc.0");
    /* printf 'hook\n1\n17\n{"id":"abc"}' | sha256sum */
    assert_string_equal(id_of("{\"id\":\"abc\"}", 1, false), "c7dba45bfcbb71a55d352654fd71d804");
    char *one = strdup(id_of("no JSON", 1, true));
    assert_string_not_equal(id_of("no JSON", 2, true), one);
    free(one);
    assert_int_equal(strlen(id_of("{\"id\":\"a b\"}", 1, true)), 32);
    assert_int_equal(strlen(id_of("{\"id\":7}", 1, true)), 32);
    assert_int_equal(strlen(id_of("{\"id\":\"a\\u0007\"}", 1, true)), 32);
    assert_int_equal(strlen(id_of("", 1, true)), 32);
}

/* ---- at random --------------------------------------------------------------------------------- */

static uint64_t dice;

static unsigned roll(unsigned below)
{
    dice = dice * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return (unsigned)((dice >> 33) % below);
}

enum { N_RANDOM = 1500 };
static unsigned accepted[N_RANDOM + 1];

/* Alerts "a<n>" in the body are accepted. */
static void accept(const char *body)
{
    for (const char *at = body; (at = strstr(at, "\"id\":\"a")) != NULL; at += 7)
        accepted[strtoul(at + 7, NULL, 10)]++;
}

static void answer_at_random(void)
{
    static const int status[] = {200, 200, 200, 500, 0, 429, 422};
    size_t at = n_posted;

    for (size_t i = 0, n = 0; i < n_posted; i++)
        if (posted[i].id && roll((unsigned)++n) == 0)
            at = i;
    if (at == n_posted)
        return;
    char *id = strdup(posted[at].id), *body = strdup(posted[at].body);
    int said = status[roll(7)];
    if (said == 422 && strstr(body, "bad") == NULL)
        said = 200;
    if (said == 200)
        accept(body);
    answer(id, said);
    free(id);
    free(body);
}

static void whatever_it_answers_each_arrives_once(void **state)
{
    (void)state;
    static const char *const rule[] = {"r", "group one", "group two", "bad", "muted"};
    int sent = 0, muted = 0;

    for (dice = 1; dice < 6; dice++) {
        uint64_t seed = dice;
        uint64_t before = cp ? checkpoint_dead_letters(cp).count : 0;
        options.in_flight = 1 + roll(6);
        options.batch_count = 1 + roll(5);
        options.batch_wait = roll(2) * SECOND;
        memset(accepted, 0, sizeof accepted);
        open_endpoint();
        for (sent = 0, muted = 0; sent < N_RANDOM || waiting() > 0;) {
            if (sent < N_RANDOM && roll(4) == 0) {
                unsigned which = roll(5);
                int n = 1 + (int)roll(20);
                n = n < N_RANDOM - sent ? n : N_RANDOM - sent;
                alerts(rule[which], sent + 1, sent + n, false);
                muted += which == 4 ? n : 0;
                sent += n;
            }
            answer_at_random();
            assert_true(e.window.n <= options.in_flight);
            assert_true(e.n_in_flight <= options.in_flight);
            if (roll(3) == 0)
                pass((int64_t)roll(2000) * MS);
            step();
        }
        settle_acks();
        int once = 0;
        for (int i = 1; i <= N_RANDOM; i++) {
            assert_true(accepted[i] <= 1);
            once += (int)accepted[i];
        }
        uint64_t dead = checkpoint_dead_letters(cp).count - before;
        if (once + (int)dead + muted != N_RANDOM)
            fail_msg("seed %" PRIu64 ": %d once, %" PRIu64 " dead, %d muted", seed, once, dead, muted);
        assert_int_equal(e.held, 0);
        dice = seed;
    }
}

int main(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(name, begin, end)
    const struct CMUnitTest tests[] = {
        TEST(a_batch_is_full_or_has_waited),
        TEST(a_batch_stays_within_memory),
        TEST(a_batch_that_does_not_wait_takes_what_is_there),
        TEST(a_refused_batch_is_halved),
        TEST(alerts_of_a_rule_are_grouped),
        TEST(a_group_is_the_same_after_a_restart),
        TEST(a_full_group_does_not_wait),
        TEST(groups_stay_within_memory),
        TEST(what_is_muted_is_counted),
        TEST(ids),
        TEST(whatever_it_answers_each_arrives_once),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
