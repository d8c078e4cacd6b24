// SPDX-License-Identifier: Apache-2.0
/* outbox: queues of sinks over restarts, bounds, refusals. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include <unit/outbox_fixture.h>

/* ---- queues ---------------------------------------------------------------------------------- */

static void each_sink_has_its_own_queue(void **state)
{
    (void)state;
    open_sinks(two, 2);
    empty(0);
    send(1, 3, 2);
    send(4, 4, 1);
    assert_int_equal(take(0, 1), 1);
    assert_int_equal(take(0, 2), 2);
    assert_int_equal(take(1, 1), 1);
    outbox_rewind(ob, 0);
    assert_int_equal(take(0, 1), 1);
    outbox_ack(ob, 0, 1, "pos", 3);
    assert_int_equal(take(0, 2), 2);
    assert_int_equal(take(0, 3), 3);
    assert_int_equal(take(0, 4), 4);
    empty(0);
    outbox_rewind(ob, 0);
    assert_int_equal(take(0, 2), 2);
    assert_int_equal(stats_of(0).waiting, 3);
    assert_int_equal(stats_of(0).waiting_bytes, 3);
    assert_int_equal(stats_of(0).delivered, 1);
    assert_int_equal(stats_of(1).waiting, 3);

    open_sinks(two, 2); /* again */
    struct buf position;
    buf_init(&position);
    outbox_position(ob, 0, &position);
    assert_string_equal(position.data, "pos");
    buf_clear(&position);
    outbox_position(ob, 1, &position);
    assert_int_equal(position.len, 0);
    buf_fini(&position);
    assert_int_equal(stats_of(0).waiting, 3);
    assert_int_equal(take(0, 2), 2);
    assert_int_equal(take(0, 3), 3);
    outbox_ack(ob, 0, 3, "", 0);
    assert_int_equal(take(0, 4), 4);
    outbox_ack(ob, 0, 4, "", 0);
    assert_int_equal(stats_of(0).waiting, 0);

    open_sinks(two, 2); /* numbers go on though nothing is left */
    empty(0);
    send(5, 5, 2);
    assert_int_equal(take(0, 5), 5);
    assert_int_equal(take(1, 1), 1);
}

static bool found_any(void *ctx, const void *key, size_t key_len, const void *value, size_t len)
{
    (void)key, (void)key_len, (void)value, (void)len;
    ++*(int *)ctx;
    return true;
}

static int entries(void)
{
    int n = 0;

    assert_int_equal(store_read(checkpoint_store(cp), "o", 1, found_any, &n, &why), STORE_OK);
    return n;
}

static void acknowledged_entries_go(void **state)
{
    (void)state;
    open_sinks(two, 1);
    send(1, 10, 1);
    assert_int_equal(entries(), 10);
    for (int i = 1; i <= 7; i++)
        take(0, i);
    outbox_ack(ob, 0, 7, "", 0);
    int64_t since = clock_monotonic();
    while (entries() != 3)
        usleep(1000);
    assert_true(clock_monotonic() - since < 20 * OUTBOX_ACK_DELAY); /* 50 ms, on a busy machine */
    outbox_ack(ob, 0, 7, "later", 5); /* the position alone */
    settle_acks();
    open_sinks(two, 1);
    struct buf position;
    buf_init(&position);
    outbox_position(ob, 0, &position);
    assert_string_equal(position.data, "later");
    buf_fini(&position);
}

/* As a power failure can leave it: the removal is lost, a later record of the sink is not. */
static void entries_that_came_back_are_removed(void **state)
{
    (void)state;
    open_sinks(two, 1);
    send(1, 5, 1);
    for (int i = 1; i <= 4; i++)
        take(0, i);
    outbox_ack(ob, 0, 4, "", 0);
    settle_acks();
    struct epoch *ep = epoch_new();
    for (uint64_t seq = 1; seq <= 3; seq++) {
        uint8_t key[OUTBOX_KEY_BYTES];
        outbox_entry_key(key, 0, seq);
        store_batch_put(ep->batch, key, sizeof key, "\1\1old", 5);
    }
    checkpoint_submit(cp, ep);
    assert_true(checkpoint_settle(cp, 60 * SECOND));
    assert_int_equal(entries(), 4);
    open_sinks(two, 1);
    assert_int_equal(entries(), 1);
    assert_int_equal(take(0, 5), 5);
}

static void more_than_memory_takes(void **state)
{
    (void)state;
    enum { N = 5000 };
    bool rewound = false;

    open_sinks(two, 2);
    for (int i = 1; i <= N; i += 500)
        send(i, i + 499, 2);
    for (int i = 1; i <= 700; i++)
        assert_int_equal(take(0, i), i);
    send(N + 1, N + 1, 2); /* while the database is behind memory */
    for (int i = 701; i <= N + 1; i++) {
        assert_int_equal(take(0, i), i);
        if (i % 1000 == 0)
            outbox_ack(ob, 0, (uint64_t)i, "", 0);
        if (i == 2500 && !rewound) {
            outbox_rewind(ob, 0);
            rewound = true;
            i = 2000;
        }
    }
    empty(0);
    send(N + 2, N + 3, 1);
    take(0, N + 2);
    open_sinks(two, 2);
    for (int i = 5001; i <= N + 3; i++)
        assert_int_equal(take(0, i), i);
    for (int i = 1; i <= N + 1; i++)
        assert_int_equal(take(1, i), i);
    empty(1);
}

static void sinks_may_come_and_go(void **state)
{
    (void)state;
    static const struct outbox_sink other[] = {{.name = "c"}, {.name = "b"}};
    static const struct outbox_sink twice[] = {{.name = "a"}, {.name = "a"}};

    open_sinks(two, 2);
    send(1, 2, 2);
    assert_true(outbox_configure(ob, other, 2, &why)); /* a reload */
    send(3, 3, 2);
    assert_int_equal(take(0, 3), 1); /* c, new */
    assert_int_equal(take(1, 1), 1); /* b */
    open_sinks(two, 2);
    assert_int_equal(take(0, 1), 1); /* a was kept */
    take(0, 2);
    empty(0);
    for (int i = 1; i <= 3; i++)
        assert_int_equal(take(1, i), i);
    assert_false(outbox_configure(ob, twice, 2, &why));
    assert_non_null(strstr(why.data, "two sinks `a`"));
}

static void *wake_later(void *arg)
{
    usleep(50000);
    outbox_wake(arg);
    return NULL;
}

static void *send_later(void *arg)
{
    usleep(50000);
    send(1, 1, 1);
    return arg;
}

static void next_waits(void **state)
{
    (void)state;
    struct outbox_entry entry;
    pthread_t thread;

    open_sinks(two, 1);
    int64_t since = clock_monotonic();
    assert_false(outbox_next(ob, 0, SECOND / 50, &entry));
    assert_true(clock_monotonic() - since >= SECOND / 50);
    pthread_create(&thread, NULL, wake_later, ob);
    assert_false(outbox_next(ob, 0, -1, &entry));
    pthread_join(thread, NULL);
    pthread_create(&thread, NULL, send_later, NULL);
    take(0, 1);
    pthread_join(thread, NULL);
    for (int i = 2; i <= 4; i++)
        send(i, i, 1);
    outbox_rewind(ob, 0); /* now they are in the database only */
    outbox_wake(ob);      /* not for one that does not wait */
    assert_true(outbox_next(ob, 0, 0, &entry));
    mem_free(entry.text);
    for (int i = 2; i <= 4; i++)
        take(0, i);
    outbox_wake(ob); /* not waiting: the next one returns */
    assert_false(outbox_next(ob, 0, -1, &entry));
}

/* ---- what does not fit, what is refused ------------------------------------------------------ */

static void what_does_not_fit_is_a_dead_letter(void **state)
{
    (void)state;
    static const struct outbox_sink small[] = {{.name = "a", .max_count = 2},
                                               {.name = "b", .max_bytes = 3}};
    open_sinks(small, 2);
    send(1, 3, 2);
    send(44, 44, 2);
    letters_are("sink alert a|the queue of the sink is full: 2 messages, 2 bytes|3\n"
                "sink a|the queue of the sink is full: 2 messages, 2 bytes|44\n"
                "sink b|the queue of the sink is full: 3 messages, 3 bytes|44\n");
    assert_int_equal(stats_of(0).overflowed, 2);
    assert_int_equal(stats_of(1).overflowed, 1);
    assert_false(checkpoint_blocked(cp));
    take(0, 1);
    take(0, 2);
    outbox_ack(ob, 0, 2, "", 0);
    for (int i = 1; i <= 3; i++)
        take(1, i);
    /* again, now that there is room for one of them, then for both */
    change(2, 3, true, 1, 1);
    outbox_ack(ob, 1, 3, "", 0);
    change(2, 3, true, 1, 0);
    take(0, 44);
    take(1, 44);
    letters_are("sink alert a|the queue of the sink is full: 2 messages, 2 bytes|3\n");
    open_sinks(small, 2);
    change(0, UINT64_MAX, true, 1, 0);
    letters_are("");
    take(0, 44);
    take(0, 3);
    assert_int_equal(checkpoint_dead_letters(cp).added, 3);
}

static void a_sink_that_waits_stops_input(void **state)
{
    (void)state;
    static const struct outbox_sink small[] = {{.name = "a", .max_count = 2,
                                                .on_full = OUTBOX_WAIT}};
    open_sinks(small, 1);
    send(1, 1, 1);
    assert_false(checkpoint_blocked(cp));
    send(2, 4, 1); /* what was found already is kept */
    assert_true(checkpoint_blocked(cp));
    open_sinks(small, 1);
    assert_true(checkpoint_blocked(cp));
    for (int i = 1; i <= 4; i++) {
        outbox_ack(ob, 0, take(0, i), "", 0);
        assert_int_equal(checkpoint_blocked(cp), i < 3);
    }
    letters_are("");
}

static void what_a_sink_refuses_is_a_dead_letter(void **state)
{
    (void)state;
    open_sinks(two, 1);
    send(1, 4, 1);
    take(0, 1);
    outbox_reject(ob, 0, take(0, 2), "too long");
    outbox_reject(ob, 0, 2, "said twice");
    outbox_rewind(ob, 0);
    take(0, 1); /* 2 does not come again, whether it is written or not */
    take(0, 3);
    outbox_rewind(ob, 0);
    settle_acks();
    take(0, 1);
    outbox_ack(ob, 0, take(0, 3), "", 0);
    settle_acks();
    letters_are("sink a|too long|2\n");
    assert_int_equal(stats_of(0).waiting, 1);
    assert_int_equal(stats_of(0).rejected, 1);
    assert_int_equal(stats_of(0).delivered, 2);
    open_sinks(two, 1);
    letters_are("sink a|too long|2\n");
    assert_int_equal(stats_of(0).waiting, 1);
    assert_int_equal(take(0, 4), 4);
    outbox_reject(ob, 0, 4, "and this"); /* the last one, never acknowledged */
    settle_acks();
    open_sinks(two, 1);
    empty(0);
    assert_int_equal(stats_of(0).waiting, 0);
    change(2, 2, true, 1, 0);
    assert_int_equal(take(0, 4), 5); /* a new number */
}

static void a_damaged_entry_is_a_dead_letter(void **state)
{
    (void)state;
    open_sinks(two, 1);
    send(1, 3, 1);
    struct epoch *ep = epoch_new();
    uint8_t key[OUTBOX_KEY_BYTES];
    outbox_entry_key(key, 0, 2);
    store_batch_put(ep->batch, key, sizeof key, "\x63 2", 3);
    checkpoint_submit(cp, ep);
    open_sinks(two, 1);
    take(0, 1);
    outbox_ack(ob, 0, take(0, 3), "", 0);
    settle_acks();
    letters_are("a|its record in the database was damaged|\"632032\"\n");
    assert_int_equal(stats_of(0).waiting, 0);
    change(1, 1, true, 0, 1);
}

/* ---- out of order ---------------------------------------------------------------------------- */

static void those_done_behind_a_slow_one_go(void **state)
{
    (void)state;
    enum { N = 3000 };

    open_sinks(two, 1);
    send(1, N, 1);
    for (int i = 1; i <= N; i++)
        assert_int_equal(take(0, i), i);
    outbox_done(ob, 0, 2);
    outbox_done(ob, 0, 2); /* said twice */
    outbox_done(ob, 0, N + 7); /* not taken */
    outbox_reject(ob, 0, 3, "no");
    for (int i = 5; i <= N; i++)
        if (i != 2000)
            outbox_done(ob, 0, (uint64_t)i);
    settle_acks();
    assert_int_equal(stats_of(0).waiting, 3);
    assert_int_equal(stats_of(0).delivered, N - 4);
    assert_int_equal(entries(), 3);
    outbox_done(ob, 0, 4);
    outbox_rewind(ob, 0); /* 4 is not given again, whether it is written or not */
    take(0, 1);
    take(0, 2000);
    empty(0);
    open_sinks(two, 1);
    take(0, 1);
    take(0, 2000);
    outbox_done(ob, 0, 1); /* the front */
    settle_acks();
    open_sinks(two, 1);
    letters_are("sink alert a|no|3\n");
    take(0, 2000);
    outbox_done(ob, 0, 2000);
    send(N + 1, N + 2, 1);
    assert_int_equal(take(0, N + 1), N + 1);
    assert_int_equal(take(0, N + 2), N + 2);
    outbox_reject(ob, 0, N + 1, "no"); /* the front, without an acknowledgement behind it */
    outbox_ack(ob, 0, N + 2, "", 0);
    settle_acks();
    assert_int_equal(stats_of(0).waiting, 0);
    assert_int_equal(entries(), 0);
    open_sinks(two, 1);
    empty(0);
}

static void entries_know_when_and_why_they_came(void **state)
{
    (void)state;
    struct outbox_entry entry;
    int64_t before = clock_wall();

    open_sinks(two, 2);
    struct epoch *ep = epoch_new();
    struct epoch_message *m = add(ep, "1", 2);
    m->direct = mem_calloc(2, sizeof *m->direct);
    m->direct[1] = true;
    add(ep, "2", 1);
    checkpoint_submit(cp, ep);
    assert_true(checkpoint_settle(cp, 60 * SECOND));
    for (int again = 0; again < 2; again++) {
        for (int i = 0; i < 2; i++) {
            assert_true(outbox_next(ob, 0, 0, &entry));
            assert_int_equal(entry.direct, i == 1);
            assert_in_range(entry.at, before, clock_wall());
            mem_free(entry.text);
        }
        assert_true(outbox_next(ob, 1, 0, &entry));
        assert_true(entry.direct);
        mem_free(entry.text);
        open_sinks(two, 2); /* from the database */
    }
    /* as version 1 wrote it: nobody knows when it came */
    uint8_t key[OUTBOX_KEY_BYTES];
    ep = epoch_new();
    outbox_entry_key(key, 0, 1);
    store_batch_put(ep->batch, key, sizeof key, "\1\1" "1", 3);
    checkpoint_submit(cp, ep);
    open_sinks(two, 1);
    assert_true(outbox_next(ob, 0, 0, &entry));
    assert_true(entry.is_alert && entry.direct && entry.at == 0 && entry.text[0] == '1');
    mem_free(entry.text);
    struct outbox_entry_record record;
    assert_true(outbox_entry_decode("\1\1{}", 4, &record));
    assert_true(record.is_alert && record.direct && record.at == 0 && record.len == 2);
    assert_true(outbox_entry_decode("\1\0{}", 4, &record));
    assert_true(!record.is_alert && record.direct);
    assert_false(outbox_entry_decode("\1\2{}", 4, &record));
    assert_false(outbox_entry_decode("\2\3{}", 4, &record));
    assert_false(outbox_entry_decode("\2\4" "12345678{}", 12, &record));
    assert_false(outbox_entry_decode("\3\0" "12345678{}", 12, &record));
    assert_false(outbox_entry_decode("\2", 1, &record));
}

static void count_call(void *ctx)
{
    __atomic_add_fetch((int *)ctx, 1, __ATOMIC_SEQ_CST);
}

static void who_listens_is_told(void **state)
{
    (void)state;
    int told = 0;

    open_sinks(two, 2);
    outbox_listen(ob, 1, count_call, &told);
    send(1, 5, 2); /* an epoch */
    settle_acks();
    assert_int_equal(told, 1);
    send(6, 6, 1); /* not for this one */
    settle_acks();
    assert_int_equal(told, 1);
    outbox_done(ob, 1, take(1, 1));
    settle_acks();
    assert_int_equal(told, 1);
    outbox_listen(ob, 1, NULL, NULL);
    send(7, 7, 2);
    settle_acks();
    assert_int_equal(told, 1);
}

/* What is rejected is bounded in memory and in a batch, whoever rejects. */
static void rejections_are_taken_in_pieces(void **state)
{
    (void)state;
    enum { N = REJECTING_COUNT + 100 };
    struct outbox_entry entry;
    int told = 0;

    open_sinks(two, 1);
    send(1, N, 1);
    settle_acks();
    outbox_listen(ob, 0, count_call, &told);
    for (int i = 1; i <= N; i++) {
        if (!outbox_next(ob, 0, 0, &entry)) { /* all that may be said at once: it is being written */
            assert_true(i > REJECTING_COUNT);
            assert_true(outbox_next(ob, 0, 60 * SECOND, &entry));
            assert_int_equal(told, 1);
        }
        assert_int_equal(entry.seq, i);
        mem_free(entry.text);
        outbox_reject(ob, 0, entry.seq, "gone");
    }
    settle_acks();
    assert_int_equal(stats_of(0).waiting, 0);
    assert_int_equal(entries(), 0);
    assert_int_equal(checkpoint_dead_letters(cp).count, N);
}

/* ---- threads --------------------------------------------------------------------------------- */

enum { N_THREADED = 3000 };

/* Takes all, with rewinds, refusals and acknowledgements, from another thread than sends. */
static void *deliver(void *arg)
{
    uint32_t sink = *(uint32_t *)arg;
    struct outbox_entry entry;
    uint64_t last = 0;
    int n = 0;

    while (last < N_THREADED && outbox_next(ob, sink, 60 * SECOND, &entry)) {
        assert_int_equal(entry.seq, strtoull(entry.text, NULL, 10));
        mem_free(entry.text);
        if (++n % 997 == 0) {
            outbox_rewind(ob, sink);
            continue;
        }
        if (entry.seq % 500 == 0)
            outbox_reject(ob, sink, entry.seq, "no");
        if (n % 10 == 0 || entry.seq == N_THREADED)
            outbox_ack(ob, sink, entry.seq, &n, sizeof n);
        last = entry.seq;
    }
    return NULL;
}

static void threads(void **state)
{
    (void)state;
    pthread_t thread[2];
    uint32_t number[2] = {0, 1};

    open_sinks(two, 2);
    for (int i = 0; i < 2; i++)
        pthread_create(&thread[i], NULL, deliver, &number[i]);
    for (int i = 1; i <= N_THREADED; i += 3) {
        struct epoch *ep = epoch_new();
        char text[32];
        for (int k = i; k < i + 3; k++) {
            snprintf(text, sizeof text, "%d", k);
            add(ep, text, 2);
        }
        checkpoint_submit(cp, ep);
    }
    for (int i = 0; i < 2; i++) {
        pthread_join(thread[i], NULL);
        assert_int_equal(stats_of((uint32_t)i).waiting, 0);
        assert_int_equal(stats_of((uint32_t)i).rejected, N_THREADED / 500);
    }
    settle_acks();
    assert_int_equal(entries(), 0);
    assert_int_equal(checkpoint_dead_letters(cp).count, 2 * (N_THREADED / 500));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(each_sink_has_its_own_queue, setup, teardown),
        cmocka_unit_test_setup_teardown(acknowledged_entries_go, setup, teardown),
        cmocka_unit_test_setup_teardown(entries_that_came_back_are_removed, setup, teardown),
        cmocka_unit_test_setup_teardown(more_than_memory_takes, setup, teardown),
        cmocka_unit_test_setup_teardown(sinks_may_come_and_go, setup, teardown),
        cmocka_unit_test_setup_teardown(next_waits, setup, teardown),
        cmocka_unit_test_setup_teardown(what_does_not_fit_is_a_dead_letter, setup, teardown),
        cmocka_unit_test_setup_teardown(a_sink_that_waits_stops_input, setup, teardown),
        cmocka_unit_test_setup_teardown(what_a_sink_refuses_is_a_dead_letter, setup, teardown),
        cmocka_unit_test_setup_teardown(a_damaged_entry_is_a_dead_letter, setup, teardown),
        cmocka_unit_test_setup_teardown(those_done_behind_a_slow_one_go, setup, teardown),
        cmocka_unit_test_setup_teardown(entries_know_when_and_why_they_came, setup, teardown),
        cmocka_unit_test_setup_teardown(who_listens_is_told, setup, teardown),
        cmocka_unit_test_setup_teardown(rejections_are_taken_in_pieces, setup, teardown),
        cmocka_unit_test_setup_teardown(threads, setup, teardown),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
