// SPDX-License-Identifier: Apache-2.0
/* outbox: what happens while the database is read, or while the checkpoint thread looks for work; what is there
 * when an epoch is told to be durable. The moments are made by wrapping the call that lies between (ld --wrap). */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include <stdatomic.h>

#include "state/alert_log.h"
#include "state/outbox_priv.h"
#include "state/checkpoint_priv.h"
#include "state/store.h"
#include <unit/outbox_fixture.h>

typedef void then_fn(void);
static then_fn *_Atomic after_read, *_Atomic after_pending;

enum store_result __real_store_read_from(struct store *st, const void *prefix, size_t prefix_len,
                                         const void *from, size_t from_len, store_found_fn *found, void *ctx,
                                         struct buf *reason);
enum store_result __wrap_store_read_from(struct store *st, const void *prefix, size_t prefix_len,
                                         const void *from, size_t from_len, store_found_fn *found, void *ctx,
                                         struct buf *reason);
int64_t __real_outbox_pending(struct outbox *of, bool *sync_out);
int64_t __wrap_outbox_pending(struct outbox *of, bool *sync_out);

enum store_result __wrap_store_read_from(struct store *st, const void *prefix, size_t prefix_len,
                                         const void *from, size_t from_len, store_found_fn *found, void *ctx,
                                         struct buf *reason)
{
    enum store_result result = __real_store_read_from(st, prefix, prefix_len, from, from_len, found, ctx, reason);
    then_fn *then = atomic_exchange(&after_read, NULL);

    if (then)
        then();
    return result;
}

int64_t __wrap_outbox_pending(struct outbox *of, bool *sync_out)
{
    int64_t since = __real_outbox_pending(of, sync_out);
    then_fn *then = atomic_exchange(&after_pending, NULL);

    if (then)
        then();
    return since;
}

static void what_is_removed_while_it_is_read_does_not_come_again(void **state)
{
    (void)state;
    open_sinks(two, 1);
    send(1, 5, 1);
    for (int i = 1; i <= 4; i++)
        assert_int_equal(take(0, i), i);
    outbox_done(ob, 0, 2);
    outbox_reject(ob, 0, 3, "no");
    outbox_rewind(ob, 0);
    after_read = settle_acks; /* 2 and 3 were read, then removed */
    assert_int_equal(take(0, 1), 1);
    assert_int_equal(take(0, 4), 4);
    assert_int_equal(take(0, 5), 5);
    empty(0);
    assert_int_equal(stats_of(0).waiting, 3);
    outbox_done(ob, 0, 1); /* those that stayed meanwhile are not in the way of later ones */
    outbox_done(ob, 0, 5);
    settle_acks();
    open_sinks(two, 1);
    assert_int_equal(take(0, 4), 4);
    empty(0);
    assert_int_equal(stats_of(0).waiting, 1);
    letters_are("sink alert a|no|3\n");
}

static struct checkpoint *ending; /* cp; the test's thread may be ending it */

static void acknowledge_and_stop(void)
{
    outbox_ack(checkpoint_outbox(ending), 0, 2, "end", 3);
    pthread_mutex_lock(&ending->lock);
    ending->stopping = true;
    pthread_mutex_unlock(&ending->lock);
}

/* The thread found nothing to write; then the last acknowledgement comes, then the end. */
static void the_last_acknowledgement_is_not_lost(void **state)
{
    struct buf position;

    (void)state;
    open_sinks(two, 1);
    send(1, 2, 1);
    checkpoint_free(&cp);
    cp = checkpoint_open(&(struct checkpoint_options){.dir = dir}, &why);
    assert_non_null(cp);
    ob = checkpoint_outbox(cp);
    assert_true(outbox_configure(ob, two, 1, &why));
    take(0, 1);
    take(0, 2);
    ending = cp;
    after_pending = acknowledge_and_stop;
    checkpoint_start(cp);
    open_sinks(two, 1);
    empty(0);
    assert_int_equal(stats_of(0).waiting, 0);
    buf_init(&position);
    outbox_position(ob, 0, &position);
    assert_string_equal(position.data, "end");
    buf_fini(&position);
}

/* ---- what is durable, when its epoch is told ---------------------------------------------------- */

static struct {
    uint64_t number, epochs, alerts_end, message;
    bool timed;
} found;
static uint64_t heard; /* the end of the alerts, when the sink's thread was told */

static void hear(void *ctx)
{
    (void)ctx;
    heard = alert_log_range(checkpoint_alerts(cp)).end;
}

static void look_for_it(void *ctx, struct epoch *ep)
{
    struct outbox_entry entry = {0};

    (void)ctx, (void)ep;
    found.number = checkpoint_meta(cp).epoch;
    found.epochs = checkpoint_stats(cp).epochs;
    found.timed = checkpoint_stats(cp).last > 0;
    found.alerts_end = alert_log_range(checkpoint_alerts(cp)).end;
    if (outbox_next(ob, 0, 0, &entry))
        mem_free(entry.text);
    found.message = entry.seq;
}

static void who_is_told_finds_it(void **state)
{
    (void)state;
    open_with(&(struct checkpoint_options){.alerts = {.max_count = 100, .max_bytes = 1 << 20, .keep = 3600 * SECOND}},
              two, 1);
    outbox_listen(ob, 0, hear, NULL);
    for (uint64_t i = 1; i <= 3; i++) {
        struct epoch *ep = epoch_new();
        add(ep, "{}", 1)->is_alert = true;
        ep->done = look_for_it;
        checkpoint_submit(cp, ep);
        assert_true(checkpoint_settle(cp, 60 * SECOND));
        assert_int_equal(found.number, i);
        assert_int_equal(found.epochs, i);
        assert_true(found.timed);
        assert_int_equal(found.alerts_end, i + 1);
        assert_int_equal(found.message, i);
        assert_int_equal(heard, i + 1);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(what_is_removed_while_it_is_read_does_not_come_again, setup, teardown),
        cmocka_unit_test_setup_teardown(who_is_told_finds_it, setup, teardown),
        cmocka_unit_test_setup_teardown(the_last_acknowledgement_is_not_lost, setup, teardown),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
