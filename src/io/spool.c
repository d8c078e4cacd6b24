// SPDX-License-Identifier: Apache-2.0
/*
 * spool - the appending side.
 *
 *     spool_append --> pending --spool_sync--> pwrite at durable, fdatasync --> durable moves
 *                                    |  fails: the file is shut, the next try begins a new one
 *     spool_add ----> pending --spool_commit--> likewise, in one try: if it fails, pending is dropped
 *
 * pending holds all that is behind durable, so whatever fails, it can be written again.
 */
#include "io/spool.h"

#include <assert.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <string.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/cond.h"
#include "base/failpoint.h"
#include "base/log.h"
#include "base/mem.h"
#include "io/spool_priv.h"

/* ---- segments --------------------------------------------------------------------------------- */

char *spool_path(const struct spool *sp, uint64_t base)
{
    struct buf b;

    buf_init(&b);
    buf_printf(&b, "%s/%020" PRIu64 ".spool", sp->dir, base);
    return buf_take(&b);
}

/* 0 or errno */
static int spool_sync_dir(const struct spool *sp)
{
    int fd = open(sp->dir, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    int err = fd < 0 || fsync(fd) != 0 ? errno : 0;

    if (fd >= 0)
        close(fd);
    return err;
}

void spool_add_segment(struct spool *sp, uint64_t base, uint64_t size)
{
    sp->segment = vec_reserve(sp->segment, &sp->cap_segments, sp->n_segments + 1,
                              sizeof *sp->segment);
    sp->segment[sp->n_segments++] = (struct spool_segment){.base = base, .size = size};
    sp->bytes += size;
}

static int write_at(int fd, const void *data, size_t len, uint64_t at)
{
    for (size_t n = 0; n < len;) {
        ssize_t r = pwrite(fd, (const char *)data + n, len - n, (off_t)(at + n));
        if (r < 0 && errno == EINTR)
            continue;
        if (r < 0)
            return errno;
        n += (size_t)r;
    }
    return 0;
}

/* What the header of a segment that begins at durable says. One that begins there already has
 * nothing durable, and goes. */
static void new_header(const struct spool *sp, unsigned char *data)
{
    struct spool_header h = {.base = sp->durable, .salt = sp->salt};
    size_t n = sp->n_segments;

    if (n > 0 && sp->segment[n - 1].base == sp->durable)
        n--;
    if (n > 0) {
        h.before_base = sp->segment[n - 1].base;
        h.before_size = sp->segment[n - 1].size;
    }
    spool_header_put(data, &h);
}

/* A new last segment that begins at durable. */
static int begin_segment(struct spool *sp)
{
    unsigned char header[SPOOL_HEADER];
    char *path = spool_path(sp, sp->durable);
    int err = failpoint_hit(FAILPOINT_spool_roll), fd = -1;

    if (!err && unlink(path) != 0 && errno != ENOENT)
        err = errno;
    if (!err) {
        fd = open(path, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
        err = fd < 0 ? errno : 0;
    }
    pthread_mutex_lock(&sp->lock);
    new_header(sp, header);
    pthread_mutex_unlock(&sp->lock);
    if (!err)
        err = write_at(fd, header, sizeof header, 0);
    if (!err && fdatasync(fd) != 0)
        err = errno;
    if (!err)
        err = spool_sync_dir(sp);
    if (err) {
        if (fd >= 0)
            close(fd);
    } else {
        pthread_mutex_lock(&sp->lock);
        if (sp->n_segments == 0 || sp->segment[sp->n_segments - 1].base != sp->durable)
            spool_add_segment(sp, sp->durable, SPOOL_HEADER);
        pthread_mutex_unlock(&sp->lock);
        sp->fd = fd;
        sp->at = SPOOL_HEADER;
    }
    mem_free(path);
    return err;
}

static void shut(struct spool *sp)
{
    if (sp->fd >= 0)
        close(sp->fd);
    sp->fd = -1;
}

/* ---- writing ---------------------------------------------------------------------------------- */

static int write_pending(struct spool *sp)
{
    int err = 0;

    if (sp->fd >= 0 && sp->at - SPOOL_HEADER >= sp->segment_size)
        shut(sp); /* all of it is durable */
    if (sp->fd < 0)
        err = begin_segment(sp);
    if (!err)
        err = failpoint_hit(FAILPOINT_spool_write);
    if (!err)
        err = write_at(sp->fd, sp->pending.data, sp->pending.len, sp->at);
    if (err)
        return err;
    err = failpoint_hit(FAILPOINT_spool_sync);
    if (!err && fdatasync(sp->fd) != 0)
        err = errno;
    if (err)
        shut(sp); /* the kernel may have dropped what it could not write, and say no more of it */
    return err;
}

/* become: what input does meanwhile. */
static void set_failure(struct spool *sp, int err, const char *become)
{
    pthread_mutex_lock(&sp->lock);
    mem_free(sp->failure);
    sp->failure = err ? mem_strndup(strerror(err), strlen(strerror(err))) : NULL;
    pthread_mutex_unlock(&sp->lock);
    if (err) {
        struct buf b;
        buf_init(&b);
        log_field(&b, "dir", sp->dir);
        log_field(&b, "why", strerror(err));
        buf_printf(&b, " waiting_bytes=%zu", sp->pending.len);
        log_line(LOG_ERROR, LOG_source, become, "%s", b.data);
        buf_fini(&b);
    } else {
        log_line(LOG_INFO, LOG_source, "the spool can be written again", NULL);
    }
    sp->told = err != 0;
}

/* Sleeps until `ns` from now, or until it is stopped: false. */
static bool sleep_unless_stopped(struct spool *sp, int64_t ns)
{
    int64_t until = clock_monotonic() + ns;
    bool stopped;

    pthread_mutex_lock(&sp->lock);
    while (!sp->stopped && cond_wait_until(&sp->changed, &sp->lock, until))
        continue;
    stopped = sp->stopped;
    pthread_mutex_unlock(&sp->lock);
    return !stopped;
}

/* pending was written. */
static void is_durable(struct spool *sp)
{
    if (sp->told)
        set_failure(sp, 0, NULL);
    pthread_mutex_lock(&sp->lock);
    sp->at += sp->pending.len;
    sp->bytes += sp->pending.len;
    sp->segment[sp->n_segments - 1].size = sp->at;
    sp->durable = sp->end;
    pthread_cond_broadcast(&sp->changed);
    pthread_mutex_unlock(&sp->lock);
    buf_clear(&sp->pending);
    if (sp->pending.cap > 4 * sp->sync_bytes)
        buf_fini(&sp->pending);
    sp->synced = true;
}

bool spool_sync(struct spool *sp)
{
    if (sp->pending.len == 0)
        return true;
    for (int err; (err = write_pending(sp)) != 0;) {
        set_failure(sp, err, "the spool cannot be written: input waits, and it is tried again");
        if (!sleep_unless_stopped(sp, sp->retry))
            return false;
    }
    is_durable(sp);
    return true;
}

void spool_drop(struct spool *sp)
{
    if (sp->pending.len == 0)
        return;
    buf_clear(&sp->pending);
    sp->end = sp->durable;
    sp->skipped = 0;
    sp->synced = true;
}

bool spool_commit(struct spool *sp, struct buf *why)
{
    int err = sp->pending.len > 0 ? write_pending(sp) : 0;

    if (err) {
        if (!sp->told) /* each try would be told */
            set_failure(sp, err, "the spool cannot be written: what is posted is refused");
        buf_printf(why, "the spool cannot be written: %s", strerror(err));
        shut(sp); /* the next record is in a new segment: what may be behind durable in this one is not read */
        spool_drop(sp);
    } else if (sp->pending.len > 0) {
        is_durable(sp);
    }
    return err == 0;
}

int64_t spool_sync_due(const struct spool *sp)
{
    int64_t due = sp->since + sp->sync_every - clock_monotonic();

    if (sp->pending.len == 0)
        return -1;
    return due > 0 ? due : 0;
}

/* Under lock. The last one holds nothing durable: what it took over from the one before may not be there. */
static bool is_needed(const struct spool *sp, size_t i)
{
    return i + 2 == sp->n_segments && sp->segment[i + 1].base == sp->durable;
}

/* Under lock. A lone segment is no reason to wait: it is removed only when the next one begins. */
static bool is_full(const struct spool *sp)
{
    return sp->n_segments > 1 && sp->bytes + sp->pending.len >= sp->limit && !sp->stopped;
}

bool spool_full(struct spool *sp)
{
    pthread_mutex_lock(&sp->lock);
    bool full = is_full(sp);
    pthread_mutex_unlock(&sp->lock);
    return full;
}

/* Waits until there is room; false: stopped. */
static bool wait_for_room(struct spool *sp)
{
    bool ok;

    if (spool_full(sp)) {
        if (!spool_sync(sp)) /* else nobody could get on */
            return false;
        log_line(LOG_WARNING, LOG_source, "the spool is at its limit: input waits",
                 "dir=%s limit=%" PRIu64, sp->dir, sp->limit);
    }
    pthread_mutex_lock(&sp->lock);
    while (is_full(sp))
        pthread_cond_wait(&sp->changed, &sp->lock);
    ok = !sp->stopped;
    pthread_mutex_unlock(&sp->lock);
    return ok;
}

static void add_record(struct spool *sp, uint32_t flags, const void *text, size_t len, uint64_t span,
                       int64_t arrival)
{
    struct spool_record r = {.offset = sp->end, .span = span, .len = (uint32_t)len, .flags = flags,
                             .arrival = arrival};

    if (sp->pending.len == 0) {
        sp->since = clock_monotonic();
        r.flags |= sp->synced ? SPOOL_SYNCED : 0;
        sp->synced = false;
    }
    spool_record_put(&sp->pending, sp->salt, &r, text);
    sp->end += span;
}

static void add_skipped(struct spool *sp)
{
    if (sp->skipped > 0)
        add_record(sp, SPOOL_LONG, NULL, 0, sp->skipped, 0);
    sp->skipped = 0;
}

void spool_skip(struct spool *sp, uint64_t span)
{
    sp->skipped += span;
}

bool spool_append(struct spool *sp, const char *text, size_t len, uint64_t span, int64_t arrival)
{
    unsigned char number[8];

    assert((len <= SPOOL_LEN || !text) && span > 0);
    failpoint_hit(FAILPOINT_spool_append);
    if (!wait_for_room(sp))
        return false;
    add_skipped(sp);
    if (text) {
        add_record(sp, 0, text, len, span, arrival);
    } else {
        spool_long_put(number, len);
        add_record(sp, SPOOL_LONG, number, sizeof number, span, arrival);
    }
    return sp->pending.len < sp->sync_bytes || spool_sync(sp);
}

void spool_add(struct spool *sp, const char *text, size_t len, uint64_t span, int64_t arrival)
{
    assert(len <= SPOOL_LEN && span > 0);
    failpoint_hit(FAILPOINT_spool_append);
    add_skipped(sp);
    add_record(sp, 0, text, len, span, arrival);
}

void spool_add_part(struct spool *sp, const char *text, size_t len, uint64_t span, int64_t arrival)
{
    assert(len <= SPOOL_LEN && span > 0);
    failpoint_hit(FAILPOINT_spool_append);
    add_skipped(sp);
    add_record(sp, SPOOL_PART, text, len, span, arrival);
}

void spool_add_note(struct spool *sp, const void *note, size_t len)
{
    assert(len >= SPOOL_NOTE_LEAST && len <= 1 << 20);
    add_record(sp, SPOOL_LONG, note, len, 0, 0);
}

bool spool_begins_segment(struct spool *sp)
{
    pthread_mutex_lock(&sp->lock);
    bool empty = sp->n_segments == 0 || sp->segment[sp->n_segments - 1].base == sp->durable;
    pthread_mutex_unlock(&sp->lock);
    return sp->pending.len == 0 &&
           (empty || sp->fd < 0 || sp->at - SPOOL_HEADER >= sp->segment_size);
}

uint64_t spool_limit(const struct spool *sp)
{
    return sp->limit;
}

void spool_end(struct spool *sp)
{
    add_skipped(sp);
    if (!spool_sync(sp))
        return;
    pthread_mutex_lock(&sp->lock);
    sp->ended = true;
    pthread_cond_broadcast(&sp->changed);
    pthread_mutex_unlock(&sp->lock);
}

/* ---- any thread ------------------------------------------------------------------------------- */

void spool_stop(struct spool *sp)
{
    pthread_mutex_lock(&sp->lock);
    sp->stopped = true;
    pthread_cond_broadcast(&sp->changed);
    pthread_mutex_unlock(&sp->lock);
}

uint64_t spool_durable(struct spool *sp)
{
    pthread_mutex_lock(&sp->lock);
    uint64_t durable = sp->durable;
    pthread_mutex_unlock(&sp->lock);
    return durable;
}

uint64_t spool_first(struct spool *sp)
{
    pthread_mutex_lock(&sp->lock);
    uint64_t first = sp->n_segments ? sp->segment[0].base : sp->durable;
    pthread_mutex_unlock(&sp->lock);
    return first;
}

uint64_t spool_bytes(struct spool *sp)
{
    pthread_mutex_lock(&sp->lock);
    uint64_t n = sp->bytes;
    pthread_mutex_unlock(&sp->lock);
    return n;
}

bool spool_failed(struct spool *sp, struct buf *why)
{
    bool failed;

    pthread_mutex_lock(&sp->lock);
    failed = sp->failure != NULL;
    if (failed && why)
        buf_printf(why, "spool %s: %s", sp->dir, sp->failure);
    pthread_mutex_unlock(&sp->lock);
    return failed;
}

void spool_release(struct spool *sp, uint64_t resume)
{
    size_t n = 0;

    pthread_mutex_lock(&sp->lock);
    /* the last one is never removed: it says where offsets go on */
    while (n + 1 < sp->n_segments && sp->segment[n + 1].base <= resume && !is_needed(sp, n)) {
        char *path = spool_path(sp, sp->segment[n].base);
        int err = failpoint_hit(FAILPOINT_spool_remove);

        if (!err && unlink(path) != 0 && errno != ENOENT)
            err = errno;
        if (err)
            log_line(LOG_WARNING, LOG_source,
                     "a segment that nobody needs cannot be removed; it is tried again",
                     "path=%s why=\"%s\"", path, strerror(err));
        mem_free(path);
        if (err)
            break;
        sp->bytes -= sp->segment[n].size;
        n++;
    }
    if (n > 0) {
        memmove(sp->segment, sp->segment + n, (sp->n_segments - n) * sizeof *sp->segment);
        sp->n_segments -= n;
        pthread_cond_broadcast(&sp->changed);
    }
    pthread_mutex_unlock(&sp->lock);
}

bool spool_wait(struct spool *sp, uint64_t offset, int64_t timeout)
{
    int64_t until = clock_monotonic() + timeout;
    bool there;

    pthread_mutex_lock(&sp->lock);
    while (sp->durable <= offset && !sp->ended &&
           cond_wait_until(&sp->changed, &sp->lock, until))
        continue;
    there = sp->durable > offset || sp->ended;
    pthread_mutex_unlock(&sp->lock);
    return there;
}

/* ---- opening ---------------------------------------------------------------------------------- */

static void init_sync(struct spool *sp)
{
    pthread_mutex_init(&sp->lock, NULL);
    cond_init(&sp->changed);
}

static void destroy(struct spool *sp)
{
    shut(sp);
    buf_fini(&sp->pending);
    pthread_mutex_destroy(&sp->lock);
    pthread_cond_destroy(&sp->changed);
    mem_free(sp->failure);
    mem_free(sp->segment);
    mem_free(sp->dir);
    mem_free(sp);
}

struct spool *spool_open(const struct spool_options *opt, struct buf *why)
{
    struct spool *sp = mem_calloc(1, sizeof *sp);

    sp->dir = mem_strndup(opt->dir, strlen(opt->dir));
    sp->limit = opt->limit ? opt->limit : UINT64_C(4) << 30;
    sp->segment_size = opt->segment ? opt->segment : UINT64_C(64) << 20;
    if (sp->segment_size > sp->limit / 4)
        sp->segment_size = sp->limit / 4;
    sp->sync_every = opt->sync_every ? opt->sync_every : 20000000;
    sp->sync_bytes = opt->sync_bytes ? opt->sync_bytes : UINT64_C(1) << 20;
    sp->retry = opt->retry ? opt->retry : 1000000000;
    sp->fd = -1;
    buf_init(&sp->pending);
    init_sync(sp);
    if (getrandom(&sp->salt, sizeof sp->salt, 0) != sizeof sp->salt) /* an old spool's replaces it */
        sp->salt = (uint64_t)clock_wall();
    if (!spool_recover(sp, opt, why)) {
        destroy(sp);
        return NULL;
    }
    sp->end = sp->durable;
    return sp;
}

void spool_free(struct spool **spp)
{
    struct spool *sp = *spp;

    if (!sp)
        return;
    *spp = NULL;
    spool_stop(sp);
    spool_sync(sp);
    destroy(sp);
}
