// SPDX-License-Identifier: Apache-2.0
#include "flow/replay_stream.h"

#include <string.h>

#include "base/buf.h"
#include "base/clock.h"
#include "base/mem.h"

#define WAIT INT64_C(100000000)

/* ---- what is told of a partition ------------------------------------------------------------- */

static void forget_stall(struct replay_stream_part *part)
{
    mem_free(part->why);
    part->why = NULL;
    part->stalled = 0;
}

static void note_stall(struct replay_stream_part *part, const struct source_item *item)
{
    int64_t since = part->stalled;

    forget_stall(part);
    part->stalled = since ? since : clock_monotonic();
    part->why = mem_strndup(item->text ? item->text : "", item->text ? item->len : 0);
}

/* What is no line. Partitions that came later have no user, and are not read. */
static void take_news(const struct source_item *item)
{
    struct replay_stream_part *part = item->partition ? item->partition->user : NULL;

    switch (item->what) {
    case SOURCE_EVENT_OPENED:
        item->partition->paused = true;
        break;
    case SOURCE_EVENT_STALLED:
        if (part)
            note_stall(part, item);
        break;
    case SOURCE_EVENT_RESUMED:
        if (part)
            forget_stall(part);
        break;
    case SOURCE_EVENT_ENDED:
        if (part)
            part->ended = true;
        break;
    default: /* where it is read to is of no matter: its end is told */
        break;
    }
}

/* ---- opening --------------------------------------------------------------------------------- */

struct opening {
    struct replay_stream_part **part;
    size_t n, cap;
};

static void add_part(struct opening *op, struct source *source, struct source_partition *partition)
{
    struct replay_stream_part *part = mem_calloc(1, sizeof *part);

    part->source = source;
    part->partition = partition;
    partition->user = part;
    op->part = vec_reserve(op->part, &op->cap, op->n + 1, sizeof *op->part);
    op->part[op->n++] = part;
}

/* Until it has nothing more to tell: all are paused, so no line comes. */
static bool gather(const struct replay_stream *stream, struct opening *op, struct buf *why)
{
    int64_t until = clock_monotonic() + REPLAY_PATIENCE;

    for (;;) {
        struct source_item item = {.what = SOURCE_EVENT_NOTHING};
        source_next(stream->source, &item);
        switch (item.what) {
        case SOURCE_EVENT_NOTHING:
        case SOURCE_EVENT_FINISHED:
            return true;
        case SOURCE_EVENT_UNREADY:
            if (clock_monotonic() >= until) {
                buf_adds(why, "in half a minute nobody said where its partitions begin and end");
                return false;
            }
            source_wait(stream->source, WAIT);
            break;
        case SOURCE_EVENT_STALLED:
            if (!item.partition) {
                buf_add(why, item.text, item.len);
                return false;
            }
            take_news(&item);
            break;
        case SOURCE_EVENT_OPENED:
            take_news(&item);
            add_part(op, stream->source, item.partition);
            break;
        default:
            take_news(&item);
        }
    }
}

bool replay_stream_open(const struct replay_stream *stream, struct replay_stream_part ***part_out, size_t *n_out,
                        struct buf *why)
{
    struct opening op = {.part = NULL};
    bool ok = gather(stream, &op, why) && (!stream->complete || stream->complete(stream->source, why));

    for (size_t i = 0; i < op.n && !ok; i++)
        replay_stream_part_free(&op.part[i]);
    if (!ok) {
        mem_free(op.part);
        op = (struct opening){.part = NULL};
    }
    *part_out = op.part;
    *n_out = op.n;
    return ok;
}

void replay_stream_part_free(struct replay_stream_part **part)
{
    if (*part)
        mem_free((*part)->why);
    mem_free(*part);
    *part = NULL;
}

/* ---- reading --------------------------------------------------------------------------------- */

static enum replay_stream_result wait(struct replay_stream_part *part, struct buf *why)
{
    if (part->stalled && clock_monotonic() - part->stalled >= REPLAY_PATIENCE) {
        buf_adds(why, part->why);
        return REPLAY_STREAM_FAILED;
    }
    source_wait(part->source, WAIT);
    return REPLAY_STREAM_WAITS;
}

enum replay_stream_result replay_stream_next(struct replay_stream_part *part, struct source_item *item_out,
                                             struct buf *why)
{
    enum replay_stream_result result = REPLAY_STREAM_END;
    bool goes_on = !part->ended;

    atomic_store_explicit(&part->partition->paused, false, memory_order_relaxed);
    while (goes_on) {
        source_next(part->source, item_out);
        goes_on = false;
        if (item_out->what == SOURCE_EVENT_LINE || item_out->what == SOURCE_EVENT_TOO_LONG) {
            result = REPLAY_STREAM_LINE;
        } else if (item_out->what == SOURCE_EVENT_NOTHING || item_out->what == SOURCE_EVENT_UNREADY) {
            result = wait(part, why);
        } else if (item_out->what != SOURCE_EVENT_FINISHED) {
            take_news(item_out);
            goes_on = !part->ended;
        }
    }
    atomic_store_explicit(&part->partition->paused, true, memory_order_relaxed);
    return result;
}
