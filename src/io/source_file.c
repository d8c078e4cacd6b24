// SPDX-License-Identifier: Apache-2.0
/*
 * source_file - lines of a file, in place.
 *
 *     data  [ given | line | rest ............ | free ........ ][ padding ]
 *                   ^pos   ^scanned            ^end            ^cap
 *
 * Invariants:
 *  1. pos <= scanned <= end <= cap; data has cap + padding bytes.
 *  2. no '\n' in [pos, scanned): what was looked at once is not looked at again.
 *  3. data[pos] is the byte `offset` of the uncompressed text.
 *  4. cap grows only while one line does not fit, up to max_line + SOURCE_BLOCK.
 * A line that is too long is skipped block by block: `skipped` counts its bytes so far.
 */
#include "io/source_file.h"

#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/buf.h"
#include "base/gunzip.h"
#include "base/mem.h"
#include "io/interrupt.h"

struct source_file {
    struct gunzip *gz; /* owned */
    int fd;            /* gz's */
    uint64_t size;     /* bytes on disk; 0: not a plain file */
    size_t max_line;   /* bytes, without the line end */
    size_t padding;    /* bytes */
    char *data;        /* owned; NULL before the first line */
    size_t cap, pos, scanned, end;
    uint64_t offset;
    uint64_t lines;  /* taken */
    bool at_end;     /* gunzip has no more */
    bool failed;     /* gunzip_error says why */
    bool skipping;   /* in a line that is too long */
    uint64_t skipped; /* its bytes so far */
    source_wait_fn *wait;
    void *wait_ctx;
};

static int open_path(const char *path, uint64_t *size_out, struct buf *why)
{
    struct stat st;
    int fd = strcmp(path, "-") == 0 ? dup(STDIN_FILENO) : open(path, O_RDONLY | O_CLOEXEC);

    if (fd < 0) {
        buf_printf(why, "cannot open: %s", strerror(errno));
        return -1;
    }
    if (fstat(fd, &st) == 0 && S_ISDIR(st.st_mode)) {
        buf_adds(why, "is a directory");
        close(fd);
        return -1;
    }
    *size_out = S_ISREG(st.st_mode) && st.st_size > 0 ? (uint64_t)st.st_size : 0;
    return fd;
}

struct source_file *source_file_open(const char *path, size_t max_line, size_t padding,
                                     struct buf *why)
{
    uint64_t size = 0;
    int fd = open_path(path, &size, why);

    if (fd < 0)
        return NULL;

    struct source_file *sf = mem_calloc(1, sizeof *sf);
    sf->gz = gunzip_new(fd);
    sf->fd = fd;
    sf->size = size;
    sf->max_line = max_line;
    sf->padding = padding;
    return sf;
}

void source_file_free(struct source_file **sf)
{
    if (!*sf)
        return;
    gunzip_free(&(*sf)->gz);
    mem_free((*sf)->data);
    mem_free(*sf);
    *sf = NULL;
}

void source_file_on_wait(struct source_file *sf, source_wait_fn *fn, void *ctx)
{
    sf->wait = fn;
    sf->wait_ctx = ctx;
}

const char *source_file_error(const struct source_file *sf)
{
    return gunzip_error(sf->gz);
}

uint64_t source_file_consumed(const struct source_file *sf)
{
    return (uint64_t)gunzip_consumed(sf->gz);
}

uint64_t source_file_size(const struct source_file *sf)
{
    return sf->size;
}

/* Room for at least one block more behind `end`. */
static void make_room(struct source_file *sf)
{
    size_t kept = sf->end - sf->pos;

    if (sf->pos > 0) {
        memmove(sf->data, sf->data + sf->pos, kept);
        sf->scanned -= sf->pos;
        sf->end = kept;
        sf->pos = 0;
    }
    if (sf->cap - kept >= SOURCE_BLOCK)
        return;
    sf->cap = kept < SOURCE_BLOCK ? 2 * (size_t)SOURCE_BLOCK : 2 * kept;
    if (sf->cap > sf->max_line + 2 * (size_t)SOURCE_BLOCK)
        sf->cap = kept + SOURCE_BLOCK;
    sf->data = mem_realloc(sf->data, sf->cap + sf->padding);
    memset(sf->data + sf->cap, 0, sf->padding);
}

/* Reads on; false at the end and on a fault. */
static bool fill(struct source_file *sf)
{
    if (sf->at_end || sf->failed)
        return false;
    make_room(sf);
    if (sf->wait)
        sf->wait(sf->wait_ctx);
    interrupt_reading(sf->fd);
    ssize_t n = gunzip_read(sf->gz, sf->data + sf->end, sf->cap - sf->end);
    interrupt_done();
    if (n > 0) {
        sf->end += (size_t)n;
        return true;
    }
    sf->at_end = n == 0;
    sf->failed = n < 0;
    return false;
}

/* Moves past `n` bytes. */
static void pass(struct source_file *sf, size_t n)
{
    sf->pos += n;
    sf->offset += n;
    if (sf->scanned < sf->pos)
        sf->scanned = sf->pos;
}

/* Takes the line in [pos, pos + len) that `ending` bytes of line end follow. */
static enum source_result take(struct source_file *sf, size_t len, size_t ending,
                               struct source_line *line_out)
{
    const char *text = sf->data + sf->pos;
    size_t all = len + ending;
    enum source_result result = SOURCE_LINE;

    if (len > 0 && text[len - 1] == '\r')
        len--;
    *line_out = (struct source_line){
        .text = text, .len = len, .offset = sf->offset, .number = ++sf->lines};
    if (sf->skipping || len > sf->max_line) {
        line_out->text = NULL;
        line_out->len += sf->skipped;
        line_out->offset -= sf->skipped;
        sf->skipping = false;
        sf->skipped = 0;
        result = SOURCE_TOO_LONG;
    }
    pass(sf, all);
    return result;
}

/* The next line, of whatever kind. */
static enum source_result next_line(struct source_file *sf, struct source_line *line_out)
{
    for (;;) {
        const char *nl = NULL;

        if (sf->end > sf->scanned)
            nl = memchr(sf->data + sf->scanned, '\n', sf->end - sf->scanned);
        if (nl)
            return take(sf, (size_t)(nl - (sf->data + sf->pos)), 1, line_out);
        sf->scanned = sf->end;
        /* One byte more may be the \r of a line that just fits. */
        if (sf->skipping || sf->end - sf->pos > sf->max_line + 1) {
            sf->skipping = true;
            sf->skipped += sf->end - sf->pos;
            pass(sf, sf->end - sf->pos);
        }
        if (fill(sf))
            continue;
        if (sf->failed)
            return SOURCE_ERROR;
        if (sf->end > sf->pos || sf->skipping)
            return take(sf, sf->end - sf->pos, 0, line_out);
        return SOURCE_END;
    }
}

static bool is_blank(const char *text, size_t len)
{
    for (size_t i = 0; i < len; i++)
        if (text[i] != ' ' && text[i] != '\t')
            return false;
    return true;
}

enum source_result source_file_line(struct source_file *sf, struct source_line *line_out)
{
    for (;;) {
        enum source_result result = next_line(sf, line_out);

        if (result != SOURCE_LINE)
            return result;
        if (line_out->offset == 0 && line_out->len >= 3 &&
            memcmp(line_out->text, "\xef\xbb\xbf", 3) == 0) {
            line_out->text += 3;
            line_out->len -= 3;
            line_out->offset = 3;
        }
        if (line_out->len > 0 && (*line_out->text > ' ' || !is_blank(line_out->text, line_out->len)))
            return SOURCE_LINE;
    }
}
