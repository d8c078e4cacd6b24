// SPDX-License-Identifier: Apache-2.0
/*
 * spool_read - records in blocks.
 *
 *     data  [ given | record | ........ ]     data[pos] is the byte `at` of the file; [pos, len) was read
 *
 * A segment is read up to where the next one begins, the last one up to what is durable. To begin within
 * a segment is to pass over the records before that place.
 */
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <string.h>
#include <unistd.h>

#include "base/mem.h"
#include "io/spool_priv.h"

enum { BLOCK = 256 * 1024 };

struct spool_reader {
    struct spool *spool;
    size_t padding;
    uint64_t offset; /* of the next record to give */
    int fd;          /* of the segment that begins at base; -1: none */
    uint64_t base, salt;
    uint64_t at, here; /* place in the file of the next record, and its offset; here <= offset */
    unsigned char *data; /* owned; cap + padding */
    size_t cap, pos, len;
};

struct spool_reader *spool_reader_new(struct spool *sp, uint64_t offset, size_t padding)
{
    struct spool_reader *rd = mem_calloc(1, sizeof *rd);
    uint64_t first = spool_first(sp);

    rd->spool = sp;
    rd->padding = padding;
    rd->offset = offset > first ? offset : first;
    rd->fd = -1;
    return rd;
}

void spool_reader_free(struct spool_reader **rdp)
{
    struct spool_reader *rd = *rdp;

    if (!rd)
        return;
    *rdp = NULL;
    if (rd->fd >= 0)
        close(rd->fd);
    mem_free(rd->data);
    mem_free(rd);
}

uint64_t spool_reader_offset(const struct spool_reader *rd)
{
    return rd->offset;
}

/* The segment that holds the reader's offset, and the bytes of its file that may be read. */
static bool locate(struct spool_reader *rd, uint64_t *base_out, uint64_t *size_out, bool *ended_out)
{
    struct spool *sp = rd->spool;
    bool there = false;

    pthread_mutex_lock(&sp->lock);
    *ended_out = sp->ended && rd->offset >= sp->durable;
    for (size_t i = sp->n_segments; i-- > 0 && !there;)
        if (sp->segment[i].base <= rd->offset) {
            there = true;
            *base_out = sp->segment[i].base;
            *size_out = sp->segment[i].size;
        }
    there &= rd->offset < sp->durable;
    pthread_mutex_unlock(&sp->lock);
    return there;
}

static bool broken(struct spool_reader *rd, const char *what, int err, struct buf *why)
{
    char *path = spool_path(rd->spool, rd->base);

    buf_printf(why, "spool %s: %s at offset %" PRIu64 "%s%s", path, what, rd->here,
               err ? ": " : "", err ? strerror(err) : "");
    mem_free(path);
    if (rd->fd >= 0)
        close(rd->fd);
    rd->fd = -1;
    rd->pos = rd->len = 0;
    return false;
}

static bool open_segment(struct spool_reader *rd, uint64_t base, struct buf *why)
{
    unsigned char data[SPOOL_HEADER];
    struct spool_header header;
    char *path;

    if (rd->fd >= 0 && rd->base == base)
        return true;
    if (rd->fd >= 0)
        close(rd->fd);
    rd->base = rd->here = base;
    rd->at = SPOOL_HEADER;
    rd->pos = rd->len = 0;
    path = spool_path(rd->spool, base);
    rd->fd = open(path, O_RDONLY | O_CLOEXEC);
    mem_free(path);
    if (rd->fd < 0)
        return broken(rd, "cannot be opened", errno, why);
    if (pread(rd->fd, data, sizeof data, 0) != sizeof data || !spool_header_get(data, &header) ||
        header.base != base)
        return broken(rd, "its header is damaged", 0, why);
    rd->salt = header.salt;
    return true;
}

/* At least `need` bytes from `at` on, of a file of which `size` may be read. */
static bool fill(struct spool_reader *rd, size_t need, uint64_t size, struct buf *why)
{
    size_t kept = rd->len - rd->pos;

    if (kept >= need)
        return true;
    if (rd->at > size || need > size - rd->at)
        return broken(rd, "a record goes beyond its end", 0, why);
    if (rd->pos)
        memmove(rd->data, rd->data + rd->pos, kept);
    rd->pos = 0;
    rd->len = kept;
    if (rd->cap < need || (rd->cap > BLOCK && need <= BLOCK && kept <= BLOCK)) {
        rd->cap = need > BLOCK ? need : BLOCK;
        rd->data = mem_realloc(rd->data, rd->cap + rd->padding);
        memset(rd->data + rd->cap, 0, rd->padding);
    }
    while (rd->len < need) {
        uint64_t at = rd->at + rd->len;
        size_t room = rd->cap - rd->len < size - at ? rd->cap - rd->len : (size_t)(size - at);
        ssize_t n = pread(rd->fd, rd->data + rd->len, room, (off_t)at);
        if (n < 0 && errno == EINTR)
            continue;
        if (n <= 0)
            return broken(rd, n < 0 ? "cannot be read" : "is cut off", n < 0 ? errno : 0, why);
        rd->len += (size_t)n;
    }
    return true;
}

/* The record at `at`, whole; what it holds is at data[pos]. */
static bool look(struct spool_reader *rd, uint64_t size, struct spool_record *r, struct buf *why)
{
    if (!fill(rd, SPOOL_RECORD, size, why))
        return false;
    spool_record_get(rd->data + rd->pos, rd->salt, r);
    if (r->offset != rd->here)
        return broken(rd, "damaged", 0, why);
    if (!fill(rd, SPOOL_RECORD + r->len, size, why))
        return false;
    if (!spool_record_is_whole(rd->data + rd->pos, r))
        return broken(rd, "damaged", 0, why);
    return true;
}

static void step(struct spool_reader *rd, const struct spool_record *r)
{
    rd->pos += SPOOL_RECORD + r->len;
    rd->at += SPOOL_RECORD + r->len;
    rd->here += r->span;
}

static void give(struct spool_reader *rd, const struct spool_record *r, struct spool_line *line_out)
{
    const unsigned char *text = rd->data + rd->pos + SPOOL_RECORD;

    *line_out = (struct spool_line){.text = (const char *)text, .len = r->len, .offset = r->offset,
                                    .next = r->offset + r->span, .arrival = r->arrival};
    if (r->flags & SPOOL_LONG) {
        line_out->text = NULL;
        line_out->len = spool_record_is_blank(r) ? 0 : (size_t)spool_long_get(text);
    }
}

enum spool_got spool_read(struct spool_reader *rd, struct spool_line *line_out, struct buf *why)
{
    for (;;) {
        uint64_t base = 0, size = 0;
        struct spool_record r;
        bool ended;

        if (!locate(rd, &base, &size, &ended))
            return ended ? SPOOL_END : SPOOL_NOTHING;
        if (!open_segment(rd, base, why) || !look(rd, size, &r, why))
            return SPOOL_BROKEN;
        if (r.offset < rd->offset && r.offset + r.span > rd->offset) {
            broken(rd, "no line begins where it is to be read from: within one", 0, why);
            return SPOOL_BROKEN;
        }
        bool wanted = r.offset == rd->offset;
        if (wanted) {
            give(rd, &r, line_out);
            rd->offset = line_out->next;
        }
        step(rd, &r);
        if (wanted && !spool_record_is_blank(&r))
            return r.flags & SPOOL_LONG ? SPOOL_TOO_LONG : SPOOL_LINE;
    }
}
