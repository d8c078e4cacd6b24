// SPDX-License-Identifier: Apache-2.0
/*
 * Invariants:
 *  1. segment[at..n) are without holes: each begins where the one before it ends, the last ends at `next`;
 *     only the last one grows.
 *  2. numbers below the first segment's are not in the database, those from there to `next` are, or are in
 *     the batch that is being written.
 *  3. what is put or taken out and what is counted of it are in one batch.
 */
#include "state/alert_log.h"

#include <pthread.h>
#include <string.h>

#include "base/buf.h"
#include "base/mem.h"
#include "base/reader.h"
#include "state/space.h"

enum { COUNTS_VERSION = 1, SEGMENT_VERSION = 1 };
enum { SEGMENTS = 256 };             /* for each bound */
enum { LEAST_SEGMENT_BYTES = 4096 };
enum { REMOVE_MOST = 50000 };        /* taken out with one batch, but for the last segment of them */
#define SECOND INT64_C(1000000000)

static const char counts_key[] = {SPACE_META, 'a', 'l', 'e', 'r', 't', 's'};

struct alert_log {
    struct alert_log_options opt;
    struct store *store;   /* borrowed */
    /* the thread's */
    uint64_t next;         /* number of the next one */
    uint64_t first_staged; /* those from here on are in the batch that is being written */
    bool grown;            /* the last segment is to be written */
    bool changed;          /* the counts are */
    struct buf value;      /* scratch */

    pthread_mutex_t lock;  /* all below; of segments the thread may read without it */
    struct alert_segment *segment; /* [at..n) */
    size_t at, n, cap;
    struct alert_log_stats stats;
    uint64_t end;          /* below it all are durable */
    void (*come)(void *ctx); /* or NULL */
    void *come_ctx;
};

/* ---- records --------------------------------------------------------------------------------- */

static void segment_key(uint8_t key[ALERT_KEY_BYTES], uint64_t first)
{
    key[0] = SPACE_SEGMENT;
    key_put_u64(key + 1, first);
}

void alert_segment_encode(const struct alert_segment *segment, struct buf *value_out)
{
    buf_add_u8(value_out, SEGMENT_VERSION);
    buf_add_varint(value_out, segment->n);
    buf_add_varint(value_out, segment->bytes);
    buf_add_u64(value_out, (uint64_t)segment->oldest_at);
    buf_add_u64(value_out, (uint64_t)segment->newest_at);
    buf_add_u64(value_out, (uint64_t)segment->least_time);
    buf_add_u64(value_out, (uint64_t)segment->most_time);
}

bool alert_segment_decode(const void *key, size_t key_len, const void *value, size_t len,
                          struct alert_segment *segment_out)
{
    struct reader r;

    if (key_len != ALERT_KEY_BYTES)
        return false;
    reader_init(&r, value, len);
    uint8_t version = reader_u8(&r);
    segment_out->first = key_get_u64((const uint8_t *)key + 1);
    segment_out->n = reader_varint(&r);
    segment_out->bytes = reader_varint(&r);
    segment_out->oldest_at = (int64_t)reader_u64(&r);
    segment_out->newest_at = (int64_t)reader_u64(&r);
    segment_out->least_time = (int64_t)reader_u64(&r);
    segment_out->most_time = (int64_t)reader_u64(&r);
    return version == SEGMENT_VERSION && !r.bad && reader_left(&r) == 0 && segment_out->first > 0 &&
           segment_out->n > 0 && segment_out->n <= UINT64_MAX - segment_out->first;
}

bool alert_log_read_counts(const void *key, size_t key_len, const void *value, size_t len,
                           uint64_t *next_out, bool *known_out)
{
    struct reader r;

    *known_out = key_len == sizeof counts_key && memcmp(key, counts_key, key_len) == 0;
    if (!*known_out)
        return true;
    reader_init(&r, value, len);
    uint8_t version = reader_u8(&r);
    *next_out = reader_u64(&r);
    return version == COUNTS_VERSION && !r.bad && reader_left(&r) == 0 && *next_out > 0;
}

static void put_counts(struct alert_log *log, struct store_batch *batch)
{
    buf_clear(&log->value);
    buf_add_u8(&log->value, COUNTS_VERSION);
    buf_add_u64(&log->value, log->next);
    store_batch_put(batch, counts_key, sizeof counts_key, log->value.data, log->value.len);
}

static void put_segment(struct alert_log *log, struct store_batch *batch,
                        const struct alert_segment *segment)
{
    uint8_t key[ALERT_KEY_BYTES];

    segment_key(key, segment->first);
    buf_clear(&log->value);
    alert_segment_encode(segment, &log->value);
    store_batch_put(batch, key, sizeof key, log->value.data, log->value.len);
}

/* ---- opening --------------------------------------------------------------------------------- */

struct opening {
    struct alert_log *log;
    bool damaged;
};

static bool found_segment(void *ctx, const void *key, size_t key_len, const void *value, size_t len)
{
    struct opening *opening = ctx;
    struct alert_log *log = opening->log;
    struct alert_segment segment;

    if (!alert_segment_decode(key, key_len, value, len, &segment) ||
        (log->n > 0 && segment.first !=
                           log->segment[log->n - 1].first + log->segment[log->n - 1].n)) {
        opening->damaged = true;
        return false;
    }
    log->segment = vec_reserve(log->segment, &log->cap, log->n + 1, sizeof *log->segment);
    log->segment[log->n++] = segment;
    log->stats.count += segment.n;
    log->stats.bytes += segment.bytes;
    return true;
}

static bool read_counts(struct alert_log *log, struct store *st, struct buf *why)
{
    static const uint8_t space = SPACE_SEGMENT;
    struct opening opening = {.log = log};
    struct buf value;
    bool found, known;

    buf_init(&value);
    bool ok = store_get(st, counts_key, sizeof counts_key, &found, &value, why) == STORE_OK &&
              store_read(st, &space, 1, found_segment, &opening, why) == STORE_OK;
    if (ok && found)
        opening.damaged |= !alert_log_read_counts(counts_key, sizeof counts_key, value.data, value.len,
                                                  &log->next, &known);
    if (ok && log->n > 0)
        opening.damaged |= log->segment[log->n - 1].first + log->segment[log->n - 1].n != log->next;
    buf_fini(&value);
    if (ok && opening.damaged)
        buf_adds(why, "the record of the alerts that are kept is damaged, or of a later version");
    return ok && !opening.damaged;
}

struct alert_log *alert_log_open(struct store *st, const struct alert_log_options *opt,
                                 struct buf *why)
{
    struct alert_log *log = mem_calloc(1, sizeof *log);

    log->opt = *opt;
    log->store = st;
    log->next = 1;
    pthread_mutex_init(&log->lock, NULL);
    buf_init(&log->value);
    if (!read_counts(log, st, why)) {
        alert_log_free(&log);
        return NULL;
    }
    log->end = log->first_staged = log->next;
    log->stats.added = log->next - 1;
    log->stats.pushed_out = log->stats.added - log->stats.count;
    return log;
}

void alert_log_free(struct alert_log **log)
{
    if (!*log)
        return;
    pthread_mutex_destroy(&(*log)->lock);
    buf_fini(&(*log)->value);
    mem_free((*log)->segment);
    mem_free(*log);
    *log = NULL;
}

/* ---- adding ---------------------------------------------------------------------------------- */

static uint64_t enough_bytes(const struct alert_log *log)
{
    uint64_t bytes = log->opt.max_bytes / SEGMENTS;

    return bytes > LEAST_SEGMENT_BYTES ? bytes : LEAST_SEGMENT_BYTES;
}

/* Has it all that a segment should have? */
static bool is_full(const struct alert_log *log, const struct alert_segment *segment, int64_t now)
{
    return segment->n >= log->opt.max_count / SEGMENTS || segment->bytes >= enough_bytes(log) ||
           now - segment->oldest_at > log->opt.keep / SEGMENTS;
}

static struct alert_segment empty_segment(uint64_t first, int64_t at)
{
    return (struct alert_segment){.first = first,
                                  .oldest_at = at,
                                  .newest_at = at,
                                  .least_time = INT64_MAX,
                                  .most_time = INT64_MIN};
}

static void grow(struct alert_segment *segment, uint64_t bytes, int64_t at, int64_t time)
{
    segment->n++;
    segment->bytes += bytes;
    segment->newest_at = at > segment->newest_at ? at : segment->newest_at;
    segment->least_time = time < segment->least_time ? time : segment->least_time;
    segment->most_time = time > segment->most_time ? time : segment->most_time;
}

/* Called with the lock. */
static struct alert_segment *segment_for(struct alert_log *log, struct store_batch *batch, int64_t now)
{
    struct alert_segment *last = log->n > log->at ? &log->segment[log->n - 1] : NULL;

    if (last && !is_full(log, last, now))
        return last;
    if (last && log->grown)
        put_segment(log, batch, last);
    if (log->at > SEGMENTS && log->at > log->n / 2) {
        memmove(log->segment, log->segment + log->at, (log->n - log->at) * sizeof *log->segment);
        log->n -= log->at;
        log->at = 0;
    }
    log->segment = vec_reserve(log->segment, &log->cap, log->n + 1, sizeof *log->segment);
    log->segment[log->n] = empty_segment(log->next, now);
    return &log->segment[log->n++];
}

void alert_log_add(struct alert_log *log, struct store_batch *batch, const struct alert_record *record)
{
    uint8_t key[ALERT_KEY_BYTES];

    pthread_mutex_lock(&log->lock);
    struct alert_segment *segment = segment_for(log, batch, record->at);
    buf_clear(&log->value);
    alert_record_encode(record, &log->value);
    alert_record_key(key, log->next++);
    store_batch_put(batch, key, sizeof key, log->value.data, log->value.len);
    grow(segment, log->value.len, record->at, record->about.time);
    log->stats.count++;
    log->stats.added++;
    log->stats.bytes += log->value.len;
    log->grown = log->changed = true;
    pthread_mutex_unlock(&log->lock);
}

/* ---- taking out ------------------------------------------------------------------------------ */

/* Is the oldest segment to go? One that the batch itself brings something of stays. */
static bool is_beyond(const struct alert_log *log, int64_t now)
{
    if (log->at == log->n)
        return false;
    const struct alert_segment *segment = &log->segment[log->at];
    return segment->first + segment->n <= log->first_staged &&
           (log->stats.count > log->opt.max_count || log->stats.bytes > log->opt.max_bytes ||
            now - segment->newest_at > log->opt.keep);
}

struct splitting {
    struct alert_log *log;
    const struct alert_segment *whole;
    struct alert_segment *part; /* owned */
    size_t n, cap;
    uint64_t n_read, bytes;
};

static bool found_part(void *ctx, const void *key, size_t key_len, const void *value, size_t len)
{
    struct splitting *sp = ctx;
    struct alert_segment *last = sp->n > 0 ? &sp->part[sp->n - 1] : NULL;
    struct alert_record record;

    if (!alert_record_decode(key, key_len, value, len, &record) || record.number != sp->whole->first + sp->n_read)
        return false;
    if (!last || is_full(sp->log, last, record.at)) {
        sp->part = vec_reserve(sp->part, &sp->cap, sp->n + 1, sizeof *sp->part);
        last = &sp->part[sp->n++];
        *last = empty_segment(record.number, record.at);
    }
    grow(last, len, record.at, record.about.time);
    sp->bytes += len;
    return ++sp->n_read < sp->whole->n;
}

/* The oldest one is of other bounds, which were larger: would more go with it than need be? */
static bool is_coarse(const struct alert_log *log)
{
    const struct alert_segment *segment = &log->segment[log->at];
    const struct alert_log_stats *stats = &log->stats;
    uint64_t enough = log->opt.max_count / SEGMENTS > 0 ? log->opt.max_count / SEGMENTS : 1;

    return (segment->n > 2 * enough && stats->count - segment->n < log->opt.max_count) ||
           (segment->n > 1 && segment->bytes > 2 * enough_bytes(log) && stats->bytes - segment->bytes < log->opt.max_bytes);
}

/* The oldest one becomes several, as they would be had the bounds been these. If it cannot be read it stays one. */
static void split(struct alert_log *log, struct store_batch *batch)
{
    struct alert_segment whole = log->segment[log->at];
    struct splitting sp = {.log = log, .whole = &whole};
    uint8_t key[ALERT_KEY_BYTES];
    struct buf why;

    buf_init(&why);
    alert_record_key(key, whole.first);
    bool good = store_look(log->store, key, 1, key, sizeof key, false, found_part, &sp, &why) == STORE_OK &&
                sp.n_read == whole.n && sp.bytes == whole.bytes;
    buf_fini(&why);
    if (good) {
        pthread_mutex_lock(&log->lock);
        log->segment = vec_reserve(log->segment, &log->cap, log->n + sp.n, sizeof *log->segment);
        struct alert_segment *from = &log->segment[log->at];
        memmove(from + sp.n, from + 1, (log->n - log->at - 1) * sizeof *from);
        memcpy(from, sp.part, sp.n * sizeof *from);
        log->n += sp.n - 1;
        pthread_mutex_unlock(&log->lock);
    }
    for (size_t i = 0; good && i < sp.n; i++)
        put_segment(log, batch, &sp.part[i]);
    mem_free(sp.part);
}

/* Called with the lock. */
static void take_out(struct alert_log *log, struct store_batch *batch)
{
    const struct alert_segment *segment = &log->segment[log->at];
    uint8_t key[ALERT_KEY_BYTES];

    for (uint64_t i = 0; i < segment->n; i++) {
        alert_record_key(key, segment->first + i);
        store_batch_remove(batch, key, sizeof key);
    }
    segment_key(key, segment->first);
    store_batch_remove(batch, key, sizeof key);
    log->stats.count -= segment->n;
    log->stats.bytes -= segment->bytes;
    log->stats.pushed_out += segment->n;
    log->at++;
}

void alert_log_finish(struct alert_log *log, struct store_batch *batch, int64_t now_wall)
{
    uint64_t removed = log->stats.pushed_out;

    if (log->grown)
        put_segment(log, batch, &log->segment[log->n - 1]);
    while (is_beyond(log, now_wall) && log->stats.pushed_out - removed < REMOVE_MOST) {
        if (now_wall - log->segment[log->at].newest_at <= log->opt.keep && is_coarse(log))
            split(log, batch);
        pthread_mutex_lock(&log->lock);
        take_out(log, batch);
        pthread_mutex_unlock(&log->lock);
    }
    if (log->changed)
        put_counts(log, batch);
    log->grown = log->changed = false;
}

void alert_log_told(struct alert_log *log)
{
    log->first_staged = log->next;
    pthread_mutex_lock(&log->lock);
    bool news = log->end != log->next;
    log->end = log->next;
    if (news && log->come)
        log->come(log->come_ctx);
    pthread_mutex_unlock(&log->lock);
}

int64_t alert_log_due(struct alert_log *log, int64_t now_wall)
{
    int64_t due = INT64_MAX;

    if (log->at < log->n) {
        const struct alert_segment *segment = &log->segment[log->at];
        due = is_beyond(log, now_wall) ? 0 : segment->newest_at + log->opt.keep - now_wall + SECOND;
        due = due > 0 ? due : 0;
    }
    return due;
}

/* ---- any thread ------------------------------------------------------------------------------ */

/* Called with the lock. */
static uint64_t first_of(const struct alert_log *log)
{
    uint64_t first = log->at < log->n ? log->segment[log->at].first : log->end;

    return first < log->end ? first : log->end;
}

struct alert_log_range alert_log_range(struct alert_log *log)
{
    pthread_mutex_lock(&log->lock);
    struct alert_log_range range = {first_of(log), log->end};
    pthread_mutex_unlock(&log->lock);
    return range;
}

struct alert_log_stats alert_log_stats(struct alert_log *log)
{
    pthread_mutex_lock(&log->lock);
    struct alert_log_stats stats = log->stats;
    pthread_mutex_unlock(&log->lock);
    return stats;
}

void alert_log_listen(struct alert_log *log, void (*come)(void *ctx), void *ctx)
{
    pthread_mutex_lock(&log->lock);
    log->come = come;
    log->come_ctx = ctx;
    pthread_mutex_unlock(&log->lock);
}

static bool may_hold(const struct alert_segment *segment, int64_t since, int64_t until)
{
    return segment->most_time >= since && segment->least_time < until;
}

/* The last segment that begins at or before number; log->at if none does. Called with the lock. */
static size_t segment_of(const struct alert_log *log, uint64_t number)
{
    size_t low = log->at, high = log->n;

    while (high - low > 1) {
        size_t middle = low + (high - low) / 2;
        if (log->segment[middle].first <= number)
            low = middle;
        else
            high = middle;
    }
    return low;
}

static uint64_t seek_forward(const struct alert_log *log, uint64_t number, int64_t since,
                             int64_t until)
{
    for (size_t i = segment_of(log, number); i < log->n; i++) {
        const struct alert_segment *segment = &log->segment[i];
        if (segment->first + segment->n <= number || !may_hold(segment, since, until))
            continue;
        return number > segment->first ? number : segment->first;
    }
    return 0;
}

static uint64_t seek_back(const struct alert_log *log, uint64_t number, int64_t since, int64_t until)
{
    if (log->at == log->n)
        return 0;
    for (size_t i = segment_of(log, number) + 1; i-- > log->at;) {
        const struct alert_segment *segment = &log->segment[i];
        uint64_t last = segment->first + segment->n - 1;
        if (segment->first > number || !may_hold(segment, since, until))
            continue;
        return number < last ? number : last;
    }
    return 0;
}

uint64_t alert_log_seek(struct alert_log *log, uint64_t number, int64_t since, int64_t until,
                        bool back)
{
    pthread_mutex_lock(&log->lock);
    uint64_t found = back ? seek_back(log, number, since, until)
                          : seek_forward(log, number, since, until);
    if (found >= log->end)
        found = 0;
    pthread_mutex_unlock(&log->lock);
    return found;
}

struct reading {
    alert_log_found_fn *found;
    void *ctx;
};

static bool found_record(void *ctx, const void *key, size_t key_len, const void *value, size_t len)
{
    struct reading *reading = ctx;
    struct alert_record record;

    if (key_len != ALERT_KEY_BYTES)
        return true;
    bool good = alert_record_decode(key, key_len, value, len, &record);
    return reading->found(reading->ctx, key_get_u64((const uint8_t *)key + 1), good ? &record : NULL);
}

enum store_result alert_log_read(struct store *st, uint64_t number, bool back,
                                 alert_log_found_fn *found, void *ctx, struct buf *why)
{
    struct reading reading = {found, ctx};
    uint8_t key[ALERT_KEY_BYTES];

    alert_record_key(key, number);
    return store_look(st, key, 1, key, sizeof key, back, found_record, &reading, why);
}
