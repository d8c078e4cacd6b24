// SPDX-License-Identifier: Apache-2.0
/*
 * checkpoint - the thread that writes. One round:
 *
 *     gather    all epochs that wait, up to GROUP_BYTES; requests about dead letters
 *     build     one batch of their records, their messages with numbers, acknowledgements, alerts to be
 *               kept, counts
 *     write     synced; after a failure again and again, the same batch
 *     tell      who reads alerts, the sinks' threads, then done() of each epoch, then who waits in _settle
 *
 * Invariants:
 *  1. a batch that was built is written before the next one is built, whatever fails meanwhile: numbers
 *     that were given out stay with their messages.
 *  2. `durable` counts epochs in the order of their submission.
 *  3. who is told that an epoch is durable finds all of it: its number, its alerts, its messages in the queues;
 *     who has an alert from a sink finds it, too.
 */
#include "state/checkpoint.h"

#include <assert.h>
#include <inttypes.h>
#include <pthread.h>
#include <stdlib.h>

#include "base/buf.h"
#include "base/clock.h"
#include "base/cond.h"
#include "base/failpoint.h"
#include "base/log.h"
#include "base/mem.h"
#include "state/checkpoint_priv.h"
#include "state/outbox_priv.h"

#define GROUP_BYTES (UINT64_C(64) << 20)
#define TRY_AGAIN INT64_C(1000000000) /* ns */
#define LOOK_AGAIN INT64_C(60000000000) /* ns: at how old alerts are; the wall clock may step */
#define DEFAULT_DEAD_BYTES (UINT64_C(1) << 30)
#define DEFAULT_DEAD_COUNT UINT64_C(1000000)

/* ---- opening and closing --------------------------------------------------------------------- */

static void poke(void *ctx)
{
    struct checkpoint *cp = ctx;

    pthread_mutex_lock(&cp->lock);
    cp->poked = true;
    pthread_cond_signal(&cp->come);
    pthread_mutex_unlock(&cp->lock);
}

static void init_waiting(struct checkpoint *cp)
{
    pthread_mutex_init(&cp->lock, NULL);
    cond_init(&cp->come);
    cond_init(&cp->settled);
}

struct checkpoint *checkpoint_open(const struct checkpoint_options *opt, struct buf *why)
{
    struct checkpoint *cp = mem_calloc(1, sizeof *cp);
    struct store_options store = {.create = opt->create};

    init_waiting(cp);
    buf_init(&cp->failure);
    cp->store = database_open(opt->dir, &store, &cp->meta, why);
    if (cp->store)
        cp->dead = dead_letters_open(
            cp->store, opt->dead_letter_bytes ? opt->dead_letter_bytes : DEFAULT_DEAD_BYTES,
            opt->dead_letter_count ? opt->dead_letter_count : DEFAULT_DEAD_COUNT, why);
    if (cp->dead) {
        cp->dead_stats = dead_letters_stats(cp->dead);
        cp->outbox = outbox_open(cp->store, cp->dead, poke, cp, why);
    }
    if (cp->outbox && opt->alerts.max_count > 0)
        cp->alerts = alert_log_open(cp->store, &opt->alerts, why);
    if (!cp->outbox || (opt->alerts.max_count > 0 && !cp->alerts))
        checkpoint_free(&cp);
    return cp;
}

/* It will never be durable. */
static void drop(struct epoch **ep)
{
    if ((*ep)->dropped)
        (*ep)->dropped((*ep)->ctx);
    epoch_free(ep);
}

void checkpoint_free(struct checkpoint **cpp)
{
    struct checkpoint *cp = *cpp;

    if (!cp)
        return;
    *cpp = NULL;
    pthread_mutex_lock(&cp->lock);
    cp->stopping = true;
    pthread_cond_signal(&cp->come);
    pthread_mutex_unlock(&cp->lock);
    if (cp->started)
        pthread_join(cp->thread, NULL);
    for (size_t i = 0; i < cp->n_waiting; i++)
        drop(&cp->waiting[i]);
    alert_log_free(&cp->alerts);
    outbox_free(&cp->outbox);
    dead_letters_free(&cp->dead);
    store_free(&cp->store);
    while (cp->requests) {
        struct dead_letter_request *request = cp->requests;
        cp->requests = request->after;
        dead_letter_request_end(&request, false);
    }
    buf_fini(&cp->failure);
    mem_free(cp->waiting);
    mem_free(cp->group);
    pthread_cond_destroy(&cp->come);
    pthread_cond_destroy(&cp->settled);
    pthread_mutex_destroy(&cp->lock);
    mem_free(cp);
}

/* ---- gather ---------------------------------------------------------------------------------- */

/* Are alerts that are kept to go? If not, until when nothing is to be done. */
static bool alerts_are_due(struct checkpoint *cp, int64_t *until)
{
    int64_t due = cp->alerts ? alert_log_due(cp->alerts, clock_wall()) : INT64_MAX;

    if (due == INT64_MAX)
        return false;
    int64_t look = clock_monotonic() + (due < LOOK_AGAIN ? due : LOOK_AGAIN);
    *until = look < *until ? look : *until;
    return due == 0;
}

/* Waits for work. False: none will come. Called with the lock. */
static bool wait_for_work(struct checkpoint *cp)
{
    bool sync;

    for (;;) {
        cp->poked = false;
        pthread_mutex_unlock(&cp->lock);
        int64_t since = outbox_pending(cp->outbox, &sync);
        pthread_mutex_lock(&cp->lock);
        int64_t until = since ? since + OUTBOX_ACK_DELAY : INT64_MAX;
        bool acks = since && (cp->stopping || until <= clock_monotonic());
        bool old = !cp->stopping && alerts_are_due(cp, &until);
        if (cp->n_waiting > 0 || cp->requests || acks || old)
            return true;
        if (cp->poked)
            continue; /* an acknowledgement since it was asked for: not lost at the end either */
        if (cp->stopping)
            return false;
        cond_wait_until(&cp->come, &cp->lock, until);
    }
}

/* The epochs that go together, out of the queue. Called with the lock. */
static void take_group(struct checkpoint *cp)
{
    uint64_t bytes = 0;

    cp->group = vec_reserve(cp->group, &cp->cap_group, cp->n_waiting ? cp->n_waiting : 1,
                            sizeof *cp->group);
    cp->n_group = 0;
    while (cp->n_group < cp->n_waiting && (cp->n_group == 0 || bytes < GROUP_BYTES)) {
        bytes += epoch_bytes(cp->waiting[cp->n_group]);
        cp->group[cp->n_group] = cp->waiting[cp->n_group];
        cp->n_group++;
    }
    cp->n_waiting -= cp->n_group;
    for (size_t i = 0; i < cp->n_waiting; i++)
        cp->waiting[i] = cp->waiting[cp->n_group + i];
}

/* ---- write ----------------------------------------------------------------------------------- */

static void tell_failure(struct checkpoint *cp, const struct buf *why, unsigned tries)
{
    struct buf field;

    buf_init(&field);
    log_field(&field, "why", why->data ? why->data : "");
    log_line(LOG_ERROR, LOG_checkpoint, "the state cannot be written", "%s tries=%u", field.data,
             tries);
    buf_fini(&field);
    pthread_mutex_lock(&cp->lock);
    cp->stats.failures++;
    buf_clear(&cp->failure);
    buf_add(&cp->failure, why->data, why->len);
    if (tries >= CHECKPOINT_TRIES) {
        cp->failed = true;
        pthread_cond_broadcast(&cp->settled);
    }
    pthread_mutex_unlock(&cp->lock);
}

/* Waits before the next try. False: the process is to end, and it was tried often enough. */
static bool wait_to_try(struct checkpoint *cp, unsigned tries, unsigned *last_tries)
{
    int64_t until = clock_monotonic() + TRY_AGAIN;

    pthread_mutex_lock(&cp->lock);
    while (tries >= CHECKPOINT_TRIES && !cp->stopping && clock_monotonic() < until)
        cond_wait_until(&cp->come, &cp->lock, until);
    pulse_beat(&cp->pulse); /* a disk that is full is no thread that hangs */
    bool more = !cp->stopping || ++*last_tries <= CHECKPOINT_TRIES;
    pthread_mutex_unlock(&cp->lock);
    return more;
}

/* Until it is written. False: given up, at the end. */
static bool write_batch(struct checkpoint *cp, const struct store_batch *batch, bool sync)
{
    unsigned tries = 0, last_tries = 0;
    struct buf why;

    buf_init(&why);
    while (store_write(cp->store, batch, sync, &why) != STORE_OK) {
        do {
            tell_failure(cp, &why, ++tries);
            buf_clear(&why);
            if (!wait_to_try(cp, tries, &last_tries)) {
                log_line(LOG_ERROR, LOG_checkpoint, "ended with state that was not written: its "
                         "input will be read again", "epochs=%zu", cp->n_group);
                buf_fini(&why);
                return false;
            }
        } while (store_reopen(cp->store, &why) != STORE_OK);
    }
    if (tries > 0) {
        log_line(LOG_INFO, LOG_checkpoint, "the state is written again", "tries=%u", tries);
        pthread_mutex_lock(&cp->lock);
        cp->failed = false;
        buf_clear(&cp->failure);
        pthread_mutex_unlock(&cp->lock);
    }
    buf_fini(&why);
    return true;
}

static bool write_measured(struct checkpoint *cp, const struct store_batch *batch, bool sync)
{
    int64_t begin = clock_monotonic();
    bool written = write_batch(cp, batch, sync);

    pthread_mutex_lock(&cp->lock);
    cp->stats.last_write_ns = clock_monotonic() - begin;
    cp->stats.write_ns += cp->stats.last_write_ns;
    histogram_add(&cp->stats.writes, cp->stats.last_write_ns, 1);
    cp->stats.bytes += written ? store_batch_bytes(batch) : 0;
    if (written && cp->n_group > 0)
        cp->stats.last_bytes = store_batch_bytes(batch);
    pthread_mutex_unlock(&cp->lock);
    return written;
}

/* ---- one round ------------------------------------------------------------------------------- */

static void keep_alerts(struct checkpoint *cp, struct store_batch *batch, int64_t now)
{
    for (size_t i = 0; i < cp->n_group; i++)
        for (size_t k = 0; k < cp->group[i]->n_messages; k++) {
            const struct epoch_message *m = &cp->group[i]->message[k];
            if (m->is_alert && !m->reason)
                alert_log_add(cp->alerts, batch,
                              &(struct alert_record){.at = now, .about = m->about, .text = m->text,
                                                     .len = m->len});
        }
    alert_log_finish(cp->alerts, batch, now);
}

static void build(struct checkpoint *cp, struct store_batch *batch,
                  struct dead_letter_request *request, bool *sync_out)
{
    struct database_meta *meta = &cp->next_meta;
    int64_t now = clock_wall();

    *sync_out |= cp->n_group > 0;
    if (request)
        *sync_out |= dead_letter_request_build(request, cp, batch);
    for (size_t i = 0; i < cp->n_group; i++)
        store_batch_append(batch, cp->group[i]->batch);
    *meta = cp->meta;
    if (cp->n_group > 0) {
        meta->epoch += cp->n_group;
        meta->epoch_time = now;
        database_put_epoch(batch, meta->epoch, meta->epoch_time);
    }
    *sync_out |= outbox_build(cp->outbox, batch, cp->group, cp->n_group, now);
    dead_letters_finish(cp->dead, batch);
    if (cp->alerts)
        keep_alerts(cp, batch, now);
}

static void tell(struct checkpoint *cp, struct dead_letter_request *request)
{
    if (cp->alerts)
        alert_log_told(cp->alerts);
    pthread_mutex_lock(&cp->lock);
    cp->meta = cp->next_meta;
    cp->stats.epochs += cp->n_group;
    if (cp->n_group > 0)
        cp->stats.last = clock_wall();
    cp->dead_stats = dead_letters_stats(cp->dead);
    pthread_mutex_unlock(&cp->lock);
    outbox_told(cp->outbox);
    if (cp->n_group > 0)
        failpoint_hit(FAILPOINT_epoch_told);
    for (size_t i = 0; i < cp->n_group; i++)
        if (cp->group[i]->done)
            cp->group[i]->done(cp->group[i]->ctx, cp->group[i]);
    if (cp->n_group > 0)
        failpoint_hit(FAILPOINT_epoch_done);
    pthread_mutex_lock(&cp->lock);
    cp->durable += cp->n_group;
    if (request && request->complete)
        cp->requests = request->after;
    pthread_cond_broadcast(&cp->settled);
    pthread_mutex_unlock(&cp->lock);
    if (request && request->complete)
        dead_letter_request_end(&request, true);
}

static bool round_of(struct checkpoint *cp, struct dead_letter_request *request)
{
    struct store_batch *batch = store_batch_new();
    bool sync, acks;

    acks = outbox_pending(cp->outbox, &sync) != 0;
    build(cp, batch, request, &sync);
    if (cp->n_group > 0)
        failpoint_hit(FAILPOINT_epoch_numbered);
    if (acks)
        failpoint_hit(FAILPOINT_ack_taken);
    bool written = store_batch_bytes(batch) == 0 || write_measured(cp, batch, sync);
    store_batch_free(&batch);
    if (written && cp->n_group > 0)
        failpoint_hit(FAILPOINT_epoch_written);
    if (written && acks)
        failpoint_hit(FAILPOINT_ack_written);
    if (written) {
        tell(cp, request);
        store_rest(cp->store);
    }
    for (size_t i = 0; i < cp->n_group; i++) {
        if (written)
            epoch_free(&cp->group[i]);
        else
            drop(&cp->group[i]);
    }
    cp->n_group = 0;
    return written;
}

static void *run(void *arg)
{
    struct checkpoint *cp = arg;
    bool goes_on = true;

    pthread_mutex_lock(&cp->lock);
    while (goes_on && wait_for_work(cp)) {
        struct dead_letter_request *request = cp->requests;
        take_group(cp);
        pthread_mutex_unlock(&cp->lock);
        pulse_beat(&cp->pulse);
        goes_on = round_of(cp, request);
        pulse_rest(&cp->pulse);
        pthread_mutex_lock(&cp->lock);
    }
    cp->ended = true;
    pthread_cond_broadcast(&cp->settled);
    pthread_mutex_unlock(&cp->lock);
    return NULL;
}

/* ---- other threads --------------------------------------------------------------------------- */

void checkpoint_start(struct checkpoint *cp)
{
    assert(!cp->started);
    cp->started = pthread_create(&cp->thread, NULL, run, cp) == 0;
    if (!cp->started) {
        log_line(LOG_ERROR, LOG_checkpoint, "no thread can be made", NULL);
        abort();
    }
    pthread_setname_np(cp->thread, "checkpoint");
}

void checkpoint_submit(struct checkpoint *cp, struct epoch *ep)
{
    pthread_mutex_lock(&cp->lock);
    cp->waiting = vec_reserve(cp->waiting, &cp->cap_waiting, cp->n_waiting + 1,
                              sizeof *cp->waiting);
    cp->waiting[cp->n_waiting++] = ep;
    cp->submitted++;
    pthread_cond_signal(&cp->come);
    pthread_mutex_unlock(&cp->lock);
    failpoint_hit(FAILPOINT_epoch_submitted);
}

unsigned checkpoint_waiting(struct checkpoint *cp)
{
    pthread_mutex_lock(&cp->lock);
    uint64_t n = cp->submitted - cp->durable;
    pthread_mutex_unlock(&cp->lock);
    return (unsigned)n;
}

bool checkpoint_settle(struct checkpoint *cp, int64_t timeout)
{
    int64_t until = timeout < 0 ? INT64_MAX : clock_monotonic() + timeout;
    bool timely = true;

    pthread_mutex_lock(&cp->lock);
    uint64_t all = cp->submitted;
    while (timely && cp->durable < all && !cp->failed && !cp->ended)
        timely = checkpoint_wait(cp, until);
    bool ok = cp->durable >= all;
    pthread_mutex_unlock(&cp->lock);
    return ok;
}

bool checkpoint_wait(struct checkpoint *cp, int64_t until)
{
    return cond_wait_until(&cp->settled, &cp->lock, until);
}

void checkpoint_abandon(struct checkpoint *cp)
{
    store_abandon(cp->store);
}

bool checkpoint_failed(struct checkpoint *cp, struct buf *why)
{
    pthread_mutex_lock(&cp->lock);
    bool failed = cp->failed;
    if (failed && why)
        buf_add(why, cp->failure.data, cp->failure.len);
    pthread_mutex_unlock(&cp->lock);
    return failed;
}

bool checkpoint_stuck(struct checkpoint *cp, int64_t longest)
{
    return pulse_stuck(&cp->pulse, longest);
}

bool checkpoint_blocked(struct checkpoint *cp)
{
    return outbox_blocked(cp->outbox);
}

struct store *checkpoint_store(struct checkpoint *cp)
{
    return cp->store;
}

struct outbox *checkpoint_outbox(struct checkpoint *cp)
{
    return cp->outbox;
}

struct alert_log *checkpoint_alerts(struct checkpoint *cp)
{
    return cp->alerts;
}

struct database_meta checkpoint_meta(struct checkpoint *cp)
{
    pthread_mutex_lock(&cp->lock);
    struct database_meta meta = cp->meta;
    pthread_mutex_unlock(&cp->lock);
    return meta;
}

struct dead_letter_stats checkpoint_dead_letters(struct checkpoint *cp)
{
    pthread_mutex_lock(&cp->lock);
    struct dead_letter_stats stats = cp->dead_stats;
    pthread_mutex_unlock(&cp->lock);
    return stats;
}

struct checkpoint_stats checkpoint_stats(struct checkpoint *cp)
{
    pthread_mutex_lock(&cp->lock);
    struct checkpoint_stats stats = cp->stats;
    stats.waiting = (unsigned)(cp->submitted - cp->durable);
    stats.failed = cp->failed;
    pthread_mutex_unlock(&cp->lock);
    return stats;
}
