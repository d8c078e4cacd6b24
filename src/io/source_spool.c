// SPDX-License-Identifier: Apache-2.0
#include "io/source_spool.h"

#include <string.h>
#include <time.h>

#include "base/buf.h"
#include "base/clock.h"
#include "base/mem.h"
#include "io/spool.h"

#define MS INT64_C(1000000)
#define SLICE (20 * MS)   /* of source_wait: wakes are looked for this often */
#define RETRY (1000 * MS)

struct source_spool {
    struct source source;
    char *name, *partition; /* owned */
    struct source_partition part;
    struct spool *spool;    /* borrowed */
    struct spool_reader *reader;
    _Atomic uint64_t offset; /* behind what was given; its thread's to change */
    struct buf why;         /* of STALLED */
    int64_t retry;          /* monotonic */
    struct source_item held; /* a line that waits until RESUMED was told */
    bool holds;
    bool opened, caught_up, stalled, ended, finished;
};

static void set(struct source_spool *s, struct source_item *item, enum source_event what)
{
    *item = (struct source_item){.what = what, .partition = &s->part, .offset = s->offset,
                                 .next = s->offset, .arrival = clock_wall()};
}

static void give_line(struct source_spool *s, const struct spool_line *line,
                      struct source_item *item)
{
    *item = (struct source_item){
        .what = line->text ? SOURCE_EVENT_LINE : SOURCE_EVENT_TOO_LONG, .partition = &s->part,
        .text = line->text, .len = line->len, .offset = line->offset, .next = line->next,
        .arrival = line->arrival};
    s->offset = line->next;
    s->caught_up = false;
    if (!s->stalled)
        return;
    s->stalled = false;
    s->held = *item;
    s->holds = true;
    set(s, item, SOURCE_EVENT_RESUMED);
    item->offset = item->next = s->held.offset;
}

static void stall(struct source_spool *s, struct source_item *item)
{
    s->retry = clock_monotonic() + RETRY;
    if (s->stalled) {
        item->what = SOURCE_EVENT_NOTHING;
        return;
    }
    s->stalled = true;
    set(s, item, SOURCE_EVENT_STALLED);
    item->text = s->why.data;
    item->len = s->why.len;
}

/* It can be read, and has nothing now: the end is told again. */
static void resume(struct source_spool *s, struct source_item *item)
{
    s->stalled = s->caught_up = false;
    set(s, item, SOURCE_EVENT_RESUMED);
}

static void read_on(struct source_spool *s, struct source_item *item)
{
    struct spool_line line;

    buf_clear(&s->why);
    switch (spool_read(s->reader, &line, &s->why)) {
    case SPOOL_LINE:
    case SPOOL_TOO_LONG:
        give_line(s, &line, item);
        break;
    case SPOOL_NOTHING:
        s->offset = spool_reader_offset(s->reader);
        if (s->stalled) {
            resume(s, item);
            break;
        }
        if (!s->caught_up)
            set(s, item, SOURCE_EVENT_CAUGHT_UP);
        s->caught_up = true;
        break;
    case SPOOL_END:
        s->offset = spool_reader_offset(s->reader);
        if (s->stalled) {
            resume(s, item);
            break;
        }
        s->ended = true;
        set(s, item, SOURCE_EVENT_ENDED);
        break;
    case SPOOL_BROKEN:
        stall(s, item);
        break;
    }
}

static void spool_source_next(struct source *source, struct source_item *item_out)
{
    struct source_spool *s = (struct source_spool *)source;

    *item_out = (struct source_item){.what = SOURCE_EVENT_NOTHING};
    if (s->finished || s->ended) {
        s->finished = true;
        item_out->what = SOURCE_EVENT_FINISHED;
    } else if (!s->opened) {
        s->opened = true;
        set(s, item_out, SOURCE_EVENT_OPENED);
    } else if (s->holds) {
        s->holds = false;
        *item_out = s->held;
    } else if (!atomic_load_explicit(&s->part.paused, memory_order_relaxed) &&
               (!s->stalled || clock_monotonic() >= s->retry)) {
        read_on(s, item_out);
    }
}

/* Whatever comes meanwhile, it is not read. */
static void rest(int64_t ns)
{
    struct timespec ts = {.tv_sec = ns / 1000000000, .tv_nsec = ns % 1000000000};

    nanosleep(&ts, NULL);
}

/* May source_next have something? */
static bool may_give(struct source_spool *s, int64_t timeout)
{
    if (!s->opened || s->holds || s->ended)
        return true;
    if (atomic_load(&s->part.paused) || (s->stalled && clock_monotonic() < s->retry)) {
        rest(timeout);
        return false;
    }
    return spool_wait(s->spool, s->offset, timeout);
}

static void spool_source_wait(struct source *source, int64_t timeout)
{
    struct source_spool *s = (struct source_spool *)source;
    int64_t until = clock_monotonic() + timeout;

    for (int64_t left = timeout; left > 0; left = until - clock_monotonic()) {
        if (atomic_exchange(&source->woken, false) || may_give(s, left < SLICE ? left : SLICE))
            return;
    }
}

static void spool_source_release(struct source *source, const struct source_position *position)
{
    spool_release(((struct source_spool *)source)->spool, position->resume);
}

static void spool_source_figures(struct source *source, struct source_figures *figures_out)
{
    struct source_spool *s = (struct source_spool *)source;
    uint64_t durable = spool_durable(s->spool), offset = atomic_load(&s->offset);

    figures_out->unread = durable > offset ? durable - offset : 0;
    figures_out->spool_bytes = spool_bytes(s->spool);
    figures_out->spool_limit = spool_limit(s->spool);
    figures_out->spool_failing = spool_failed(s->spool, NULL);
}

static void spool_source_free(struct source *source)
{
    struct source_spool *s = (struct source_spool *)source;

    spool_reader_free(&s->reader);
    buf_fini(&s->why);
    mem_free(s->name);
    mem_free(s->partition);
    mem_free(s);
}

static const struct source_ops ops = {spool_source_next, spool_source_wait, spool_source_release,
                                      spool_source_free, NULL, spool_source_figures, NULL};

struct source *source_spool_new(const char *name, const char *partition, struct spool *spool,
                                const struct source_position *saved, size_t padding)
{
    struct source_spool *s = mem_calloc(1, sizeof *s);

    s->name = mem_strndup(name, strlen(name));
    s->partition = mem_strndup(partition, strlen(partition));
    s->source.ops = &ops;
    s->source.name = s->name;
    s->part.name = s->partition;
    s->spool = spool;
    s->offset = saved ? saved->resume : 0;
    if (s->offset < spool_first(spool))
        s->offset = spool_first(spool);
    s->part.resume = s->offset;
    s->reader = spool_reader_new(spool, s->offset, padding);
    buf_init(&s->why);
    return &s->source;
}
