// SPDX-License-Identifier: Apache-2.0
/* stage_take - what was read, item by item: into the order, or to where it is told. */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/log.h"
#include "base/mem.h"
#include "engine/engine.h"
#include "event/event.h"
#include "event/json_decode.h"
#include "event/time_format.h"
#include "flow/batch.h"
#include "flow/order.h"
#include "flow/saved.h"
#include "flow/stage_priv.h"
#include "io/source.h"
#include "plan/program.h"
#include "state/checkpoint.h"

static const uint32_t only_drained = BATCH_FITS_OLD;

/* ---- what did not become an event -------------------------------------------------------------- */

/* {"source":..,"partition":..,"generation":..,"offset":..,"reason":..,"event":".."} */
static void describe(struct stage *st, const struct live_partition *lp, uint64_t offset,
                     const char *reason, const char *raw, size_t len)
{
    struct buf *b = &st->text;

    buf_clear(b);
    buf_adds(b, "{\"source\":");
    buf_add_json_text(b, lp->origin.source, strlen(lp->origin.source));
    buf_adds(b, ",\"partition\":");
    buf_add_json_bytes(b, lp->origin.partition, strlen(lp->origin.partition));
    buf_printf(b, ",\"generation\":%" PRIu32 ",\"offset\":%" PRIu64 ",\"reason\":",
               lp->origin.generation, offset);
    buf_add_json_text(b, reason, strlen(reason));
    if (raw) {
        buf_adds(b, ",\"event\":");
        buf_add_json_bytes(b, raw, len);
    }
    buf_addc(b, '}');
}

static char *copy_of(const char *text)
{
    return mem_strndup(text, strlen(text));
}

/* A message to one sink, or to the dead letters. Copies text. */
static void tell(struct stage *st, const struct live_partition *lp, uint32_t sink,
                 const char *reason, const char *text, size_t len)
{
    struct epoch_message *message = epoch_message_add(st->ep);

    message->text = mem_strndup(text, len);
    message->len = len;
    st->changed = true;
    if (sink != STAGE_NO_SINK) {
        message->sink = mem_alloc(sizeof *message->sink);
        message->sink[0] = sink;
        message->n_sinks = 1;
        return;
    }
    struct buf origin;
    buf_init(&origin);
    buf_printf(&origin, "%s %s", lp->origin.source, lp->origin.partition);
    message->reason = copy_of(reason);
    message->origin = buf_take(&origin);
}

static void tell_bad(struct stage *st, const struct live_partition *lp, uint64_t offset,
                     const char *reason, const char *raw, size_t len)
{
    describe(st, lp, offset, reason, raw, len);
    tell(st, lp, st->input[lp->source_number].is.dead_sink, reason, st->text.data, st->text.len);
}

static void log_bad(const struct live_partition *lp, const char *msg, uint64_t offset,
                    const char *reason)
{
    struct buf b;

    buf_init(&b);
    log_field(&b, "source", lp->origin.source);
    log_field(&b, "partition", lp->origin.partition);
    buf_printf(&b, " offset=%" PRIu64, offset);
    if (reason)
        log_field(&b, "reason", reason);
    log_line(LOG_WARNING, LOG_source, msg, "%s", b.data);
    buf_fini(&b);
}

/* ---- events ---------------------------------------------------------------------------------- */

/* As the configuration writes it; not exact: rounded up to seconds, below ten of them to ms. */
static void add_duration(struct buf *b, const char *before, int64_t ns)
{
    int64_t unit = ns < INT64_C(10000000000) ? 1000000 : 1000000000;
    int64_t n = ns / unit + (ns % unit > 0);

    buf_adds(b, before);
    duration_add_text(b, n < INT64_MAX / unit ? n * unit : ns);
}

/* "12s behind the latest of its partition, with `lateness 5s': ..." */
static void explain_late(const struct stage *st, const struct live_partition *lp, int64_t time,
                         struct buf *out)
{
    struct order_late late;

    order_explain_late(st->group[st->input[lp->source_number].is.group].order, lp->number, time,
                       &late);
    if (late.behind > late.lateness) {
        add_duration(out, "", late.behind);
        add_duration(out, " behind the latest of its partition, and `lateness` is ", late.lateness);
        add_duration(out, ": with `lateness ", late.behind);
        buf_adds(out, "` in the source it would have been in time");
    } else {
        add_duration(out, "", late.below);
        buf_adds(out, " behind the time that others had reached while its partition was idle or not "
                      "there: a longer `idle` would have waited for it");
    }
}

static void tell_late(struct stage *st, const struct live_partition *lp, const struct event *ev)
{
    const struct stage_source *source = &st->input[lp->source_number].is;
    struct buf why;

    st->input[lp->source_number].stats.late++;
    buf_init(&why);
    explain_late(st, lp, ev->time, &why);
    log_bad(lp, "late events", ev->offset, why.data);
    buf_fini(&why);
    if (source->late_sink != STAGE_NO_SINK && ev->raw)
        tell(st, lp, source->late_sink, NULL, ev->raw, ev->raw_len);
}

static void tell_aside(struct stage *st, const struct live_partition *lp, const struct event *ev)
{
    static const char reason[] = "its time is too far ahead of its arrival (`future`)";

    st->input[lp->source_number].stats.aside++;
    log_bad(lp, "an event is set aside", ev->offset, reason);
    tell_bad(st, lp, ev->offset, reason, ev->raw, ev->raw_len);
}

/* raw was copied before: the event may be the engine's thread's by now. */
static void tell_quarantine(struct stage *st, const struct intake_item *item, const struct buf *raw)
{
    for (uint32_t i = 0; raw->len > 0 && i < item->n_quarantine; i++) {
        st->input[item->lp->source_number].stats.quarantined++;
        tell(st, item->lp, item->quarantine[i], NULL, raw->data, raw->len);
    }
}

static void tell_full(struct stage_group *group)
{
    struct stage *st = group->st;
    struct buf b;

    buf_clear(&st->text);
    if (group->disk_full || !order_spill_full(group->order, &st->text))
        return;
    group->disk_full = true;
    buf_addc(&st->text, '\0');
    buf_init(&b);
    log_field(&b, "why", st->text.data);
    log_line(LOG_ERROR, LOG_order, "events that wait find no room: their source waits", "%s", b.data);
    buf_fini(&b);
}

static void tell_room(struct stage_group *group)
{
    if (group->disk_full)
        log_line(LOG_INFO, LOG_order, "events that wait find room again", NULL);
    group->disk_full = false;
}

static bool take_event(struct stage *st, struct intake_item *item)
{
    struct live_partition *lp = item->lp;
    struct stage_group *group = &st->group[st->input[lp->source_number].is.group];
    struct event bare = {.origin = &lp->origin, .offset = item->offset, .time = item->time};
    struct event *ev = item->ev && item->fits ? item->ev : &bare; /* else it only moves time */

    lp->ended = lp->settled = false;
    if (item->fits && ev->n_fits == 0) {
        ev->fits = &only_drained;
        ev->n_fits = 1;
    }
    buf_clear(&st->raw);
    if (item->n_quarantine > 0)
        buf_add(&st->raw, item->ev->raw, item->ev->raw_len);
    switch (order_add(group->order, lp->number, ev, item->next, item->arrival, item->wants_late)) {
    case ORDER_FULL:
        tell_full(group);
        return false;
    case ORDER_AGAIN:
        st->input[lp->source_number].stats.again++;
        return true;
    case ORDER_TAKEN:
        tell_room(group);
        if (ev == item->ev)
            item->ev = NULL; /* the reference is the order's now, or the engine's thread's */
        tell_quarantine(st, item, &st->raw);
        break;
    case ORDER_LATE:
        tell_quarantine(st, item, &st->raw);
        tell_late(st, lp, item->ev ? item->ev : &bare);
        break;
    case ORDER_ASIDE:
        tell_aside(st, lp, item->ev ? item->ev : &bare);
        break;
    }
    st->changed = true;
    st->input[lp->source_number].stats.events++;
    return true;
}

bool stage_reload(void *ctx, uint32_t partition, struct event *ev)
{
    struct stage *st = ctx;
    const char *reason;
    uint32_t fits = 0;

    (void)partition;
    for (size_t i = 0; i < st->opt.n_draining && fits == 0; i++) {
        struct origin origin = *ev->origin;
        struct event old = *ev;
        old.origin = &origin;
        origin.source_id = program_source_before(st->opt.draining[i], st->opt.prog, origin.source);
        if (!decoder_run(st->old_decoder[i], ev->raw, ev->raw_len, &old, &reason))
            continue;
        engine_probe(st->opt.draining[i], st->old_probe[i], &old);
        fits = old.n_fits;
    }
    if (!decoder_run(st->decoder, ev->raw, ev->raw_len, ev, &reason))
        return false;
    engine_probe(st->opt.prog, st->probe, ev);
    if (ev->n_fits == 0 && fits > 0) {
        ev->fits = &only_drained;
        ev->n_fits = 1;
    }
    return true;
}

/* ---- partitions ------------------------------------------------------------------------------- */

/* The saved position of a partition, taken out of those that wait for theirs. */
static bool take_saved(struct stage *st, const struct live_partition *lp, struct position *out)
{
    for (size_t i = 0; i < st->n_saved; i++) {
        struct position *pos = &st->saved[i];
        if (strcmp(pos->source, st->input[lp->source_number].saved_as) != 0 ||
            strcmp(pos->partition, lp->origin.partition) != 0 ||
            pos->generation != lp->origin.generation)
            continue;
        *out = *pos;
        st->saved[i] = st->saved[--st->n_saved];
        return true;
    }
    return false;
}

static void open_partition(struct stage *st, struct live_partition *lp)
{
    const struct stage_source *source = &st->input[lp->source_number].is;
    struct position saved;
    bool known = take_saved(st, lp, &saved);
    struct order_partition_options opt = {.lateness = source->lateness,
                                          .idle = source->idle,
                                          .future = source->future,
                                          .order_by = source->order_by,
                                          .rows = source->rows,
                                          .latest = source->latest,
                                          .saved = known ? &saved : NULL};

    st->lp = vec_reserve(st->lp, &st->cap_lp, st->n_lp + 1, sizeof *st->lp);
    st->lp[st->n_lp++] = lp;
    lp->number = order_partition(st->group[source->group].order, &lp->origin, &opt);
    lp->ended = known && saved.ended;
    if (known)
        position_fini(&saved);
}

/* For who asks. */
static void keep_why(struct stage_input *input, const char *partition, const char *why)
{
    snprintf(input->stats.stalled_why, sizeof input->stats.stalled_why, "%s%s%s", partition, *partition ? ": " : "",
             why ? why : "it cannot be read");
}

static void note_stalled(struct stage_input *input, struct live_partition *lp, bool stalled, const char *why)
{
    struct buf b;

    if (!lp->stalled && !stalled)
        return;
    lp->stalled = stalled;
    if (stalled)
        keep_why(input, lp->origin.partition, why);
    buf_init(&b);
    log_field(&b, "source", lp->origin.source);
    log_field(&b, "partition", lp->origin.partition);
    if (why)
        log_field(&b, "why", why);
    log_line(stalled ? LOG_ERROR : LOG_INFO, LOG_source,
             stalled ? "stalled: time stands still until it can be read" : "it can be read again",
             "%s", b.data);
    buf_fini(&b);
}

/* Nothing is known of its partitions yet. */
static void note_source_stalled(struct stage_input *input, bool stalled, const char *why)
{
    struct buf b;

    input->stalled = stalled;
    if (stalled)
        keep_why(input, "", why);
    buf_init(&b);
    log_field(&b, "source", input->is.name);
    if (why)
        log_field(&b, "why", why);
    log_line(stalled ? LOG_ERROR : LOG_INFO, LOG_source,
             stalled ? "stalled: time stands still until it can be read" : "it can be read again", "%s", b.data);
    buf_fini(&b);
}

static void forget(struct stage *st, const struct stage_input *input, const struct intake_item *item)
{
    for (size_t i = 0; i < st->n_saved; i++) {
        struct position *pos = &st->saved[i];
        if (strcmp(pos->source, input->saved_as) == 0 && strcmp(pos->partition, item->text) == 0 &&
            pos->generation == item->offset) {
            position_fini(pos);
            *pos = st->saved[--st->n_saved];
            break;
        }
    }
    if (item->lp && !item->lp->forgotten) {
        item->lp->forgotten = true; /* its number may be used again */
        order_forget(st->group[input->is.group].order, item->lp->number);
    }
    saved_position_remove(st->ep->batch, input->saved_as, item->text, (uint32_t)item->offset);
    st->changed = true;
}

static void become_ready(struct stage *st, struct stage_input *input)
{
    if (input->ready)
        return;
    input->ready = true;
    order_release(st->group[input->is.group].order);
}

bool stage_take(struct stage *st, struct intake_item *item, uint32_t source_number)
{
    struct stage_input *input = &st->input[source_number];
    struct order *order = st->group[input->is.group].order;
    struct live_partition *lp = item->lp;

    switch ((enum intake_kind)item->kind) {
    case INTAKE_EVENT:
        return take_event(st, item);
    case INTAKE_BROKEN:
        lp->ended = lp->settled = false;
        if (!order_pass(order, lp->number, item->offset, item->next))
            break;
        input->stats.broken++;
        log_bad(lp, "a line is no event", item->offset, item->reason);
        tell_bad(st, lp, item->offset, item->reason, item->text,
                 item->text ? strlen(item->text) : 0);
        break;
    case INTAKE_OPENED:
        open_partition(st, lp);
        break;
    case INTAKE_CAUGHT_UP:
        order_caught_up(order, lp->number);
        break;
    case INTAKE_BEHIND:
        order_behind(order, lp->number);
        break;
    case INTAKE_ENDED:
        lp->ended = true;
        order_end(order, lp->number);
        st->changed = true;
        break;
    case INTAKE_PASSED:
        order_skip(order, lp->number, item->next);
        st->changed = true;
        break;
    case INTAKE_STALLED:
    case INTAKE_RESUMED:
        if (!lp) {
            note_source_stalled(input, item->kind == INTAKE_STALLED, item->text);
            if (item->kind == INTAKE_STALLED && input->known)
                become_ready(st, input); /* its rows are there as they were */
            break;
        }
        note_stalled(input, lp, item->kind == INTAKE_STALLED, item->text);
        order_stall(order, lp->number, item->kind == INTAKE_STALLED);
        break;
    case INTAKE_FORGET:
        forget(st, input, item);
        break;
    case INTAKE_READY:
        become_ready(st, input);
        break;
    case INTAKE_FINISHED:
        input->finished = true;
        break;
    }
    return true;
}
