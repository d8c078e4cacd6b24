// SPDX-License-Identifier: Apache-2.0
/*
 * spill - segments of records, read from their beginnings.
 *
 *   segment: record ... record
 *   record:  length u32, checksum u32 | partition, late, place, time, offset, order_by, line
 *
 * Invariants:
 *  1. a segment that is there has a head: the record at seg->at of its buffer, parsed into seg->item.
 *  2. the records of a segment are in the order of event_queue_before.
 *  3. sp->least is the segment whose head is first.
 */
#include "flow/spill.h"

#include <assert.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/arena.h"
#include "base/buf.h"
#include "base/failpoint.h"
#include "base/hash.h"
#include "base/mem.h"
#include "base/reader.h"
#include "event/event.h"
#include "event/json_decode.h"
#include "flow/event_queue.h"

enum {
    WRITE_BUFFER = 256 * 1024,
    READ_BUFFER = 64 * 1024,
    RECORD_HEAD = 8,
    MAX_SEGMENTS = 64,
    DIR_FLAGS = O_RDONLY | O_DIRECTORY | O_CLOEXEC,
};

static const char suffix[] = ".spill";

struct segment {
    char *path;           /* owned */
    int fd;
    uint64_t size, read;  /* bytes of the file; of it read into the buffer so far */
    char *data;           /* owned; [at .. end) is read and not yet popped */
    size_t at, end, cap;
    size_t record;        /* bytes of the head's record */
    struct arena *arena;  /* of the head's order_by */
    struct event ev;      /* the head: key, raw */
    struct event_queue_item item;
    struct spill_oldest *oldest; /* owned */
    size_t n_oldest;
};

struct spill {
    struct spill_options opt;
    char *dir;
    struct segment **segment; /* owned */
    size_t n, cap;
    size_t least;
    uint64_t next_name, bytes;
    struct buf why;
    bool broken; /* a record cannot be read */
};

/* ---- making and freeing ---------------------------------------------------------------------- */

static bool fail(struct spill *sp, const char *path, const char *what)
{
    buf_clear(&sp->why);
    buf_printf(&sp->why, "%s: %s", path, what);
    return false;
}

static bool is_segment(const char *name)
{
    size_t len = strlen(name), end = sizeof suffix - 1;

    return len > end && strcmp(name + len - end, suffix) == 0;
}

static bool is_number(const char *name)
{
    return *name && name[strspn(name, "0123456789")] == '\0';
}

/* What a process before has left in a directory. Takes fd, which may be -1. */
static void wipe(int fd, bool inner)
{
    DIR *d = fd < 0 ? NULL : fdopendir(fd);

    for (const struct dirent *e; d && (e = readdir(d));) {
        if (is_segment(e->d_name)) {
            unlinkat(dirfd(d), e->d_name, 0);
        } else if (!inner && is_number(e->d_name)) {
            wipe(openat(dirfd(d), e->d_name, DIR_FLAGS | O_NOFOLLOW), true);
            unlinkat(dirfd(d), e->d_name, AT_REMOVEDIR);
        }
    }
    if (d)
        closedir(d);
}

void spill_clear(const char *dir)
{
    mkdir(dir, 0700);
    wipe(open(dir, DIR_FLAGS), false);
}

struct spill *spill_new(const struct spill_options *opt)
{
    struct spill *sp = mem_calloc(1, sizeof *sp);

    sp->opt = *opt;
    if (sp->opt.max_segments == 0)
        sp->opt.max_segments = MAX_SEGMENTS;
    assert(sp->opt.max_segments >= 2);
    sp->dir = mem_strndup(opt->dir, strlen(opt->dir));
    buf_init(&sp->why);
    spill_clear(sp->dir);
    return sp;
}

static struct segment *segment_new(struct spill *sp)
{
    struct segment *seg = mem_calloc(1, sizeof *seg);
    struct buf path;

    buf_init(&path);
    buf_printf(&path, "%s/%llu%s", sp->dir, (unsigned long long)sp->next_name++, suffix);
    seg->path = buf_take(&path);
    seg->fd = -1;
    seg->arena = arena_new(0);
    return seg;
}

static void segment_free(struct segment *seg)
{
    if (seg->fd >= 0) {
        close(seg->fd);
        unlink(seg->path);
    }
    arena_free(&seg->arena);
    mem_free(seg->path);
    mem_free(seg->data);
    mem_free(seg->oldest);
    mem_free(seg);
}

void spill_free(struct spill **spp)
{
    struct spill *sp = *spp;

    *spp = NULL;
    if (!sp)
        return;
    for (size_t i = 0; i < sp->n; i++)
        segment_free(sp->segment[i]);
    mem_free(sp->segment);
    mem_free(sp->dir);
    buf_fini(&sp->why);
    mem_free(sp);
}

/* ---- writing --------------------------------------------------------------------------------- */

static bool flush(struct spill *sp, struct segment *seg, struct buf *out)
{
    size_t done = 0;

    if (sp->bytes + seg->size + out->len > sp->opt.limit)
        return fail(sp, sp->dir, "what waits there has reached its limit");
    int injected = failpoint_hit(FAILPOINT_spill_write);
    if (injected)
        return fail(sp, seg->path, strerror(injected));
    while (done < out->len) {
        ssize_t n = write(seg->fd, out->data + done, out->len - done);
        if (n < 0 && errno == EINTR)
            continue;
        if (n < 0)
            return fail(sp, seg->path, strerror(errno));
        done += (size_t)n;
    }
    seg->size += out->len;
    buf_clear(out);
    return true;
}

static bool create(struct spill *sp, struct segment *seg)
{
    seg->fd = open(seg->path, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
    return seg->fd >= 0 || fail(sp, seg->path, strerror(errno));
}

static void put_u32(char *at, uint32_t v)
{
    for (int i = 0; i < 4; i++)
        at[i] = (char)(v >> (8 * i));
}

static void add_record(struct buf *out, const struct event_queue_item *item)
{
    const struct event *ev = item->ev;
    size_t start = out->len;

    buf_add_u64(out, 0); /* length and checksum, below */
    buf_add_varint(out, item->partition);
    buf_add_u8(out, item->run == EVENT_QUEUE_LATE ? 1 : item->run == EVENT_QUEUE_ROW ? 2 : 0);
    buf_add_u64(out, (uint64_t)item->time);
    buf_add_u64(out, (uint64_t)ev->time);
    buf_add_varint(out, ev->offset);
    value_encode_exact(out, ev->order_by);
    buf_add_bytes(out, ev->raw, ev->raw_len);

    size_t len = out->len - start - RECORD_HEAD;
    put_u32(out->data + start, (uint32_t)len);
    put_u32(out->data + start + 4, (uint32_t)hash64(out->data + start + RECORD_HEAD, len, 0));
}

static bool write_items(struct spill *sp, struct segment *seg, const struct event_queue_item *item,
                        size_t n)
{
    struct buf out;
    bool ok = create(sp, seg);

    buf_init(&out);
    for (size_t i = 0; ok && i < n; i++) {
        add_record(&out, &item[i]);
        if (out.len >= WRITE_BUFFER || i + 1 == n)
            ok = flush(sp, seg, &out);
    }
    buf_fini(&out);
    return ok;
}

/* ---- reading --------------------------------------------------------------------------------- */

/* `need` bytes from seg->at on, and the padding that a decoder reads, are in the buffer. */
static bool fill(struct spill *sp, struct segment *seg, size_t need)
{
    if (seg->end - seg->at >= need)
        return true;
    memmove(seg->data ? seg->data : "", seg->data ? seg->data + seg->at : "", seg->end - seg->at);
    seg->end -= seg->at;
    seg->at = 0;
    size_t room = need > READ_BUFFER ? need : READ_BUFFER;
    if (room + decoder_padding() > seg->cap) {
        seg->cap = room + decoder_padding();
        seg->data = mem_realloc(seg->data, seg->cap);
        memset(seg->data + seg->end, 0, seg->cap - seg->end);
    }
    while (seg->end < need) {
        ssize_t n = pread(seg->fd, seg->data + seg->end, room - seg->end, (off_t)seg->read);
        int injected = failpoint_hit(FAILPOINT_spill_read);
        if (n < 0 && errno == EINTR)
            continue;
        if (n <= 0 || injected)
            return fail(sp, seg->path, injected ? strerror(injected)
                                       : n < 0  ? strerror(errno)
                                                : "it is shorter than what was written");
        seg->read += (uint64_t)n;
        seg->end += (size_t)n;
    }
    return true;
}

static uint32_t get_u32(const char *at)
{
    struct reader r;

    reader_init(&r, at, 4);
    return reader_u32(&r);
}

static bool parse(struct spill *sp, struct segment *seg, const char *data, size_t len)
{
    struct reader r;
    size_t raw_len = 0;

    arena_reset(seg->arena);
    reader_init(&r, data, len);
    seg->item.partition = (uint32_t)reader_varint(&r);
    uint8_t kind = reader_u8(&r);
    seg->item.run = kind == 1 ? EVENT_QUEUE_LATE : kind == 2 ? EVENT_QUEUE_ROW : EVENT_QUEUE_NO_RUN;
    seg->item.time = (int64_t)reader_u64(&r);
    seg->ev = (struct event){.time = (int64_t)reader_u64(&r)};
    seg->ev.offset = reader_varint(&r);
    seg->ev.order_by = value_decode(&r, seg->arena);
    seg->ev.raw = reader_bytes(&r, &raw_len);
    seg->ev.raw_len = (uint32_t)raw_len;
    if (r.bad)
        return fail(sp, seg->path, "a record is damaged");
    seg->ev.origin = sp->opt.origin(sp->opt.ctx, seg->item.partition);
    seg->item.ev = &seg->ev;
    return true;
}

static bool is_empty(const struct segment *seg)
{
    return seg->at == seg->end && seg->read == seg->size;
}

/* The record at seg->at becomes the head. */
static bool load_head(struct spill *sp, struct segment *seg)
{
    if (!fill(sp, seg, RECORD_HEAD))
        return false;
    size_t len = get_u32(seg->data + seg->at);
    if (len > seg->size)
        return fail(sp, seg->path, "a record is damaged");
    if (!fill(sp, seg, RECORD_HEAD + len))
        return false;

    const char *data = seg->data + seg->at + RECORD_HEAD;
    if ((uint32_t)hash64(data, len, 0) != get_u32(seg->data + seg->at + 4))
        return fail(sp, seg->path, "a record is damaged");
    seg->record = RECORD_HEAD + len;
    return parse(sp, seg, data, len);
}

static void find_least(struct spill *sp)
{
    sp->least = 0;
    for (size_t i = 1; i < sp->n; i++)
        if (event_queue_before(&sp->segment[i]->item, &sp->segment[sp->least]->item))
            sp->least = i;
}

static void drop(struct spill *sp, size_t i)
{
    sp->bytes -= sp->segment[i]->size;
    segment_free(sp->segment[i]);
    sp->segment[i] = sp->segment[--sp->n];
}

/* Behind the head. */
static bool advance(struct spill *sp, struct segment *seg)
{
    seg->at += seg->record;
    return is_empty(seg) || load_head(sp, seg);
}

/* ---- merging --------------------------------------------------------------------------------- */

static void add_oldest(struct segment *seg, const struct spill_oldest *more, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        size_t k = 0;
        while (k < seg->n_oldest && seg->oldest[k].partition != more[i].partition)
            k++;
        if (k == seg->n_oldest) {
            seg->oldest = mem_realloc(seg->oldest, (k + 1) * sizeof *seg->oldest);
            seg->oldest[seg->n_oldest++] = more[i];
        } else if (more[i].offset < seg->oldest[k].offset) {
            seg->oldest[k] = more[i];
        }
    }
}

static int by_size(const void *a, const void *b)
{
    const struct segment *x = *(struct segment *const *)a, *y = *(struct segment *const *)b;
    uint64_t x_left = x->size - x->read, y_left = y->size - y->read;

    return x_left != y_left ? x_left < y_left ? -1 : 1 : strcmp(x->path, y->path);
}

/* Copies of segments that can be read again from their heads on. */
static struct segment *reader_of(const struct segment *seg)
{
    struct segment *copy = mem_calloc(1, sizeof *copy);

    copy->fd = -1;
    copy->arena = arena_new(0);
    copy->path = mem_strndup(seg->path, strlen(seg->path));
    copy->size = seg->size;
    copy->read = seg->read - (seg->end - seg->at);
    return copy;
}

static struct segment *first_of(struct segment **seg, size_t n)
{
    struct segment *first = NULL;

    for (size_t i = 0; i < n; i++)
        if (seg[i] && (!first || event_queue_before(&seg[i]->item, &first->item)))
            first = seg[i];
    return first;
}

static bool copy_in_order(struct spill *sp, struct segment *to, struct segment **from, size_t n)
{
    struct segment *first;
    struct buf out;
    bool ok = create(sp, to);

    buf_init(&out);
    while (ok && (first = first_of(from, n))) {
        buf_add(&out, first->data + first->at, first->record);
        ok = advance(sp, first);
        for (size_t i = 0; ok && i < n && is_empty(first); i++)
            if (from[i] == first)
                from[i] = NULL;
        if (ok && (out.len >= WRITE_BUFFER || !first_of(from, n)))
            ok = flush(sp, to, &out);
    }
    buf_fini(&out);
    return ok;
}

/* The smaller half becomes one. What goes wrong leaves all as it was. */
static void merge(struct spill *sp)
{
    size_t n = sp->n / 2;
    struct segment *to = segment_new(sp);
    struct segment **copy = mem_calloc(n, sizeof *copy), **from = mem_calloc(n, sizeof *from);
    bool ok = true;

    qsort(sp->segment, sp->n, sizeof(struct segment *), by_size);
    for (size_t i = 0; i < n; i++) {
        from[i] = copy[i] = reader_of(sp->segment[i]);
        copy[i]->fd = sp->segment[i]->fd;
        ok = ok && load_head(sp, copy[i]);
        add_oldest(to, sp->segment[i]->oldest, sp->segment[i]->n_oldest);
    }
    ok = ok && copy_in_order(sp, to, from, n) && load_head(sp, to);
    for (size_t i = 0; i < n; i++) {
        copy[i]->fd = -1; /* it is the segment's own */
        segment_free(copy[i]);
    }
    if (ok) {
        for (size_t i = n; i-- > 0;)
            drop(sp, i);
        sp->segment[sp->n++] = to;
        sp->bytes += to->size;
    } else {
        segment_free(to);
    }
    find_least(sp);
    mem_free(copy);
    mem_free(from);
}

/* ---- what others see ------------------------------------------------------------------------- */

bool spill_write(struct spill *sp, const struct event_queue_item *item, size_t n,
                 const struct spill_oldest *oldest, size_t n_oldest)
{
    struct segment *seg = segment_new(sp);

    assert(n > 0);
    if (sp->broken || !write_items(sp, seg, item, n) || !load_head(sp, seg)) {
        segment_free(seg);
        return false;
    }
    add_oldest(seg, oldest, n_oldest);
    sp->segment = vec_reserve(sp->segment, &sp->cap, sp->n + 1, sizeof(struct segment *));
    sp->segment[sp->n++] = seg;
    sp->bytes += seg->size;
    if (sp->n >= sp->opt.max_segments)
        merge(sp);
    else
        find_least(sp);
    return true;
}

const struct event_queue_item *spill_top(const struct spill *sp)
{
    return sp->n ? &sp->segment[sp->least]->item : NULL;
}

struct event *spill_pop(struct spill *sp)
{
    struct segment *seg = sp->segment[sp->least];
    struct event *kept;

    if (sp->broken)
        return NULL;
    if (!sp->opt.reload(sp->opt.ctx, seg->item.partition, &seg->ev)) {
        sp->broken = !fail(sp, seg->path, "an event cannot be decoded any more");
        return NULL;
    }
    kept = event_keep(&seg->ev);
    if (!advance(sp, seg))
        sp->broken = true;
    else if (is_empty(seg))
        drop(sp, sp->least);
    find_least(sp);
    if (sp->broken) {
        event_unref(kept);
        return NULL;
    }
    return kept;
}

bool spill_oldest(const struct spill *sp, uint32_t partition, struct spill_oldest *oldest_out)
{
    bool found = false;

    for (size_t i = 0; i < sp->n; i++) {
        const struct segment *seg = sp->segment[i];
        for (size_t k = 0; k < seg->n_oldest; k++) {
            if (seg->oldest[k].partition != partition ||
                (found && seg->oldest[k].offset >= oldest_out->offset))
                continue;
            *oldest_out = seg->oldest[k];
            found = true;
        }
    }
    return found;
}

uint64_t spill_bytes(const struct spill *sp)
{
    return sp->bytes;
}

void spill_why(const struct spill *sp, struct buf *out)
{
    buf_add(out, sp->why.data, sp->why.len);
}
