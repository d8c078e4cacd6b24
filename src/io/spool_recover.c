// SPDX-License-Identifier: Apache-2.0
/*
 * spool_recover - what lies in the directory when it is opened.
 *
 * Only the last segment is read: those before it were durable before it began. Its records are
 * followed to the first that is not whole:
 *
 *     [whole][whole][ not whole | ... no record that says SYNCED ]   torn: cut off
 *     [whole][ not whole | ... [whole, SYNCED] ...               ]   damage: refused
 *     [whole][whole, PART][whole, PART]                              no end of a batch: cut off, like torn
 */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/log.h"
#include "base/mem.h"
#include "io/spool_priv.h"

static bool refuse(struct buf *why, const char *path, const char *what, int err)
{
    buf_printf(why, "spool %s: %s%s%s", path, what, err ? ": " : "", err ? strerror(err) : "");
    return false;
}

static int by_base(const void *a, const void *b)
{
    uint64_t x = ((const struct spool_segment *)a)->base;
    uint64_t y = ((const struct spool_segment *)b)->base;

    return (x > y) - (x < y);
}

static bool read_dir(struct spool *sp, struct buf *why)
{
    DIR *d;

    if (mkdir(sp->dir, 0700) != 0 && errno != EEXIST)
        return refuse(why, sp->dir, "cannot be made", errno);
    d = opendir(sp->dir);
    if (!d)
        return refuse(why, sp->dir, "cannot be read", errno);
    for (struct dirent *e = readdir(d); e; e = readdir(d)) {
        char *end;
        uint64_t base;

        if (strlen(e->d_name) != 26 || strcmp(e->d_name + 20, ".spool") != 0)
            continue;
        errno = 0;
        base = strtoull(e->d_name, &end, 10);
        if (end == e->d_name + 20 && errno == 0)
            spool_add_segment(sp, base, 0);
    }
    closedir(d);
    if (sp->n_segments)
        qsort(sp->segment, sp->n_segments, sizeof *sp->segment, by_base);
    return true;
}

/* Opens the file of a segment and reads its header. False: it cannot be (errno in *err_out), or it is of
 * another format; *whole_out: whether the header holds. */
static bool read_header(struct spool *sp, struct spool_segment *seg, struct spool_header *h_out,
                        bool *whole_out, struct buf *why)
{
    unsigned char data[SPOOL_HEADER] = {0};
    char *path = spool_path(sp, seg->base);
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    ssize_t n = fd < 0 ? -1 : pread(fd, data, sizeof data, 0);
    struct stat st;
    bool ok = n >= 0 && fstat(fd, &st) == 0;

    *whole_out = false;
    if (!ok) {
        refuse(why, path, "cannot be opened", errno);
    } else if (spool_header_is_other(data)) {
        ok = refuse(why, path,
                    "is of another version of tocsin: let that one read what is in it, or remove it to go "
                    "on without its lines", 0);
    } else {
        *whole_out = n == sizeof data && spool_header_get(data, h_out) && h_out->base == seg->base;
        seg->size = (uint64_t)st.st_size;
    }
    if (fd >= 0)
        close(fd);
    mem_free(path);
    return ok;
}

static bool refuse_gap(struct spool *sp, uint64_t base, struct buf *why)
{
    char *path = spool_path(sp, base);

    refuse(why, path,
           "is too short, or a segment behind it is missing: lines are lost. Remove it and all before it "
           "to go on without them", 0);
    mem_free(path);
    return false;
}

/* Each segment but the last reaches the next one, which says how far that is. A damaged header says
 * nothing: that is found when it is read. */
static bool check_chain(struct spool *sp, struct buf *why)
{
    for (size_t i = 0; i < sp->n_segments; i++) {
        struct spool_segment *seg = &sp->segment[i];
        struct spool_header h;
        bool whole;

        if (!read_header(sp, seg, &h, &whole, why))
            return false;
        if (!whole)
            continue;
        sp->salt = h.salt;
        if (i == 0)
            continue;
        if (h.before_base != seg[-1].base || h.before_size > seg[-1].size)
            return refuse_gap(sp, seg[-1].base, why);
        seg[-1].size = h.before_size; /* what lies behind was never durable */
    }
    return true;
}

struct extent {
    size_t bytes;  /* that hold; 0: not even the header does */
    uint64_t next; /* offset behind them */
};

/* Does a whole record that says SYNCED, and lies behind what holds, begin in (from, size)? */
static bool synced_later(const unsigned char *data, size_t size, uint64_t salt, struct extent from)
{
    uint64_t work = UINT64_C(1) << 30; /* bytes of CRC */

    for (size_t at = from.bytes + 1; at + SPOOL_RECORD <= size; at++) {
        struct spool_record r;

        spool_record_get(data + at, salt, &r);
        if (r.offset < from.next || r.offset - from.next > UINT64_C(1) << 40 ||
            !(r.flags & SPOOL_SYNCED) || r.len > size - at - SPOOL_RECORD)
            continue;
        if (work < r.len)
            return true; /* looked at too much */
        work -= r.len;
        if (spool_record_is_whole(data + at, &r))
            return true;
    }
    return false;
}

/* How far the segment holds. false: damaged. Its header was durable before the first record was written. */
static bool find_extent(const unsigned char *data, size_t size, uint64_t base, struct extent *out)
{
    struct spool_header h;

    *out = (struct extent){.next = base};
    if (size < SPOOL_HEADER)
        return true;
    if (!spool_header_get(data, &h) || h.base != base)
        return size == SPOOL_HEADER;
    out->bytes = SPOOL_HEADER;
    struct extent all = *out; /* with a batch that has no end */
    while (all.bytes + SPOOL_RECORD <= size) {
        struct spool_record r;

        spool_record_get(data + all.bytes, h.salt, &r);
        if (r.offset != all.next || r.len > size - all.bytes - SPOOL_RECORD ||
            !spool_record_is_whole(data + all.bytes, &r))
            break;
        all.bytes += SPOOL_RECORD + r.len;
        all.next += r.span;
        if (!(r.flags & SPOOL_PART))
            *out = all;
    }
    return out->bytes == size || !synced_later(data, size, h.salt, all);
}

/* Cuts fd, the last segment, to its whole records. */
static bool repair(struct spool *sp, int fd, const char *path, struct buf *why)
{
    uint64_t base = sp->segment[sp->n_segments - 1].base;
    struct stat st;
    unsigned char *data = NULL;
    struct extent extent = {0};
    size_t size, whole;
    bool ok;

    if (fstat(fd, &st) != 0)
        return refuse(why, path, "cannot be read", errno);
    size = (size_t)st.st_size;
    if (size) {
        data = mmap(NULL, size, PROT_READ, MAP_PRIVATE, fd, 0);
        if (data == MAP_FAILED)
            return refuse(why, path, "cannot be read", errno);
    }
    ok = find_extent(data, size, base, &extent);
    whole = extent.bytes;
    if (data)
        munmap(data, size);
    if (!ok) {
        buf_printf(why,
                   "spool %s: damaged at byte %zu, and what follows was durable: restore it, or remove "
                   "it (and those after it) to go on without its lines", path, whole);
        return false;
    }
    if (whole < size)
        log_line(LOG_WARNING, LOG_source, "the spool has a torn end: cut off",
                 "path=%s at=%zu bytes=%zu", path, whole, size - whole);
    if (whole < size && (ftruncate(fd, (off_t)whole) != 0 || fsync(fd) != 0))
        return refuse(why, path, "its torn end cannot be cut off", errno);
    sp->durable = extent.next;
    if (whole < SPOOL_HEADER) { /* begun and nothing more: begun again by the writer */
        sp->n_segments--;
        if (unlink(path) != 0)
            return refuse(why, path, "cannot be removed", errno);
    } else {
        sp->synced = true;
        if (fsync(fd) != 0) /* what the last process wrote and did not sync is given from now on */
            return refuse(why, path, "cannot be synced", errno);
        sp->fd = dup(fd);
        sp->at = sp->segment[sp->n_segments - 1].size = whole;
    }
    return true;
}

static bool recover_last(struct spool *sp, struct buf *why)
{
    char *path = spool_path(sp, sp->segment[sp->n_segments - 1].base);
    int fd = open(path, O_RDWR | O_CLOEXEC);
    bool ok = fd >= 0 ? repair(sp, fd, path, why) : refuse(why, path, "cannot be opened", errno);

    if (fd >= 0)
        close(fd);
    mem_free(path);
    return ok;
}

/* The spool against what the state knows of it. */
static bool check_position(struct spool *sp, const struct spool_options *opt, struct buf *why)
{
    if (!opt->has_position) {
        if (sp->n_segments && sp->durable > 0)
            log_line(LOG_WARNING, LOG_source,
                     "the state knows nothing of what lies in the spool: all of it is read",
                     "dir=%s from=%" PRIu64 " to=%" PRIu64, sp->dir, sp->segment[0].base,
                     sp->durable);
        return true;
    }
    if (sp->n_segments == 0 && sp->durable == 0 && opt->read > 0) {
        if (opt->resume < opt->read)
            log_line(LOG_ERROR, LOG_source, "lines are lost: the spool is gone",
                     "dir=%s from=%" PRIu64 " to=%" PRIu64, sp->dir, opt->resume, opt->read);
        sp->durable = opt->read;
        return true;
    }
    if (sp->durable < opt->read) {
        buf_printf(why,
                   "spool %s ends at %" PRIu64 ", but it was read up to %" PRIu64 ": it is older than "
                   "the state. Restore it, or remove it to go on without its lines",
                   sp->dir, sp->durable, opt->read);
        return false;
    }
    if (sp->n_segments && sp->segment[0].base > opt->resume) {
        buf_printf(why,
                   "spool %s begins at %" PRIu64 ", but what follows %" PRIu64 " is needed: the state is "
                   "older. Restore it, or remove the spool to go on without its lines",
                   sp->dir, sp->segment[0].base, opt->resume);
        return false;
    }
    return true;
}

bool spool_recover(struct spool *sp, const struct spool_options *opt, struct buf *why)
{
    if (!read_dir(sp, why) || !check_chain(sp, why))
        return false;
    if (sp->n_segments && !recover_last(sp, why))
        return false;
    for (size_t i = 0; i < sp->n_segments; i++)
        sp->bytes += sp->segment[i].size;
    return check_position(sp, opt, why);
}
