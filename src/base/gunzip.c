// SPDX-License-Identifier: Apache-2.0
/*
 * gunzip - a file descriptor as plain text.
 *
 *     UNKNOWN --two bytes read--> PLAIN                       (gives what it reads)
 *        |                          ^
 *        +--1f 8b--> MEMBER         +--fewer than two bytes in all
 *                      |  ^
 *          end of its stream  another 1f 8b
 *                      v  |
 *                    BETWEEN --end of file--> clean end (0)
 *     any --fault--> BROKEN: -1 from then on
 *
 * A member that ends with the file is truncated; anything but 1f 8b behind a member is garbage.
 * The descriptor must block. A plain file that grows may be read on after a 0.
 */
#include "base/gunzip.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>
#include <zlib.h>

#include "base/buf.h"
#include "base/mem.h"

enum { INPUT = 64 * 1024 };   /* bytes read at a time */
enum { GZIP_WINDOW = 15 + 16 }; /* largest window; a gzip, not a zlib, header */

enum state { UNKNOWN, PLAIN, MEMBER, BETWEEN, BROKEN };

struct gunzip {
    int fd; /* owned; not used while memory is read */
    const char *memory; /* borrowed, or NULL: what is left of it, */
    size_t left;        /* and how much */
    enum state state;
    bool stream_ready;  /* inflateInit2 was done */
    bool at_end;        /* the last read gave 0 */
    long long consumed; /* bytes read from fd */
    z_stream stream;    /* next_in, avail_in: what of input is unread, for PLAIN too */
    char error[160];
    unsigned char input[INPUT];
};

struct gunzip *gunzip_new(int fd)
{
    struct gunzip *gz = mem_calloc(1, sizeof *gz);

    gz->fd = fd;
    gz->stream.next_in = gz->input;
    return gz;
}

void gunzip_free(struct gunzip **gz)
{
    if (!*gz)
        return;
    if ((*gz)->stream_ready)
        inflateEnd(&(*gz)->stream);
    if ((*gz)->fd >= 0)
        close((*gz)->fd);
    mem_free(*gz);
    *gz = NULL;
}

static void fail(struct gunzip *gz, const char *what, const char *why)
{
    snprintf(gz->error, sizeof gz->error, "%s%s%s", what, *why ? ": " : "", why);
    gz->state = BROKEN;
}

/* read(2) without EINTR; keeps count. -1: gz is BROKEN. */
static ssize_t read_fd(struct gunzip *gz, void *data, size_t size)
{
    ssize_t n;

    if (gz->memory) {
        n = (ssize_t)(size < gz->left ? size : gz->left);
        memcpy(data, gz->memory, (size_t)n);
        gz->memory += n;
        gz->left -= (size_t)n;
        gz->at_end = n == 0;
        return n;
    }
    do
        n = read(gz->fd, data, size);
    while (n < 0 && errno == EINTR);
    if (n < 0)
        fail(gz, "read", strerror(errno));
    else
        gz->consumed += n;
    gz->at_end = n == 0;
    return n;
}

/* Reads until at least `want` (1 or 2) bytes are unread, or the file ends. */
static void fill(struct gunzip *gz, size_t want)
{
    while (gz->state != BROKEN && gz->stream.avail_in < want) {
        memmove(gz->input, gz->stream.next_in, gz->stream.avail_in);
        gz->stream.next_in = gz->input;
        ssize_t n = read_fd(gz, gz->input + gz->stream.avail_in, INPUT - gz->stream.avail_in);
        if (n <= 0)
            return;
        gz->stream.avail_in += (unsigned)n;
    }
}

static bool at_magic(const struct gunzip *gz)
{
    return gz->stream.avail_in >= 2 && gz->stream.next_in[0] == 0x1f &&
           gz->stream.next_in[1] == 0x8b;
}

static void begin_member(struct gunzip *gz)
{
    int rc = gz->stream_ready ? inflateReset(&gz->stream)
                              : inflateInit2(&gz->stream, GZIP_WINDOW);

    gz->stream_ready = gz->stream_ready || rc == Z_OK;
    gz->state = MEMBER;
    if (rc != Z_OK)
        fail(gz, "gzip", zError(rc));
}

/* UNKNOWN or BETWEEN: what comes next? Leaves the state as it is at the end of the file. */
static void look(struct gunzip *gz)
{
    fill(gz, 2);
    if (gz->state == BROKEN || gz->stream.avail_in == 0)
        return;
    if (at_magic(gz))
        begin_member(gz);
    else if (gz->state == UNKNOWN)
        gz->state = PLAIN;
    else
        fail(gz, "gzip", "garbage after the last member");
}

static ssize_t read_plain(struct gunzip *gz, void *data, size_t size)
{
    size_t n = gz->stream.avail_in < size ? gz->stream.avail_in : size;

    if (n == 0)
        return read_fd(gz, data, size);
    memcpy(data, gz->stream.next_in, n);
    gz->stream.next_in += n;
    gz->stream.avail_in -= (unsigned)n;
    return (ssize_t)n;
}

/* Inflates until there is something to give (its size), or the state has changed (0). */
static ssize_t read_member(struct gunzip *gz, void *data, size_t size)
{
    unsigned room = size < INT_MAX ? (unsigned)size : INT_MAX;
    z_stream *z = &gz->stream;

    z->next_out = data;
    z->avail_out = room;
    while (gz->state == MEMBER && z->avail_out == room) {
        fill(gz, 1);
        if (gz->state == BROKEN)
            break;
        int rc = inflate(z, Z_NO_FLUSH);
        if (rc == Z_STREAM_END)
            gz->state = BETWEEN;
        else if (rc == Z_MEM_ERROR)
            fail(gz, "gzip", "out of memory");
        else if (rc != Z_OK && rc != Z_BUF_ERROR)
            fail(gz, "gzip", z->msg ? z->msg : "corrupt");
        else if (z->avail_out == room && z->avail_in == 0 && gz->at_end)
            fail(gz, "gzip", "truncated");
    }
    return (ssize_t)(room - z->avail_out);
}

ssize_t gunzip_read(struct gunzip *gz, void *data, size_t size)
{
    if (size == 0)
        return 0;
    for (;;) {
        ssize_t n = 0;
        switch (gz->state) {
        case BROKEN:
            return -1;
        case PLAIN:
            return read_plain(gz, data, size);
        case MEMBER:
            n = read_member(gz, data, size);
            break;
        case UNKNOWN:
        case BETWEEN:
            look(gz);
            if (gz->state == UNKNOWN || gz->state == BETWEEN)
                return 0;
            break;
        }
        if (n > 0)
            return n;
    }
}

const char *gunzip_error(const struct gunzip *gz)
{
    return gz->error;
}

long long gunzip_consumed(const struct gunzip *gz)
{
    return gz->consumed;
}

enum gunzip_result gunzip_memory(const void *data, size_t len, size_t most, struct buf *out,
                                 char *why, size_t why_size)
{
    struct gunzip *gz = gunzip_new(-1);
    enum gunzip_result result = GUNZIP_OK;
    size_t before = out->len;
    ssize_t n = 1;

    gz->memory = len > 0 ? data : "";
    gz->left = len;
    fill(gz, 2);
    if (!at_magic(gz))
        fail(gz, "gzip", "it does not begin as gzip does");
    while (n > 0 && out->len - before <= most) {
        buf_reserve(out, INPUT);
        n = gunzip_read(gz, out->data + out->len, INPUT);
        out->len += n > 0 ? (size_t)n : 0;
    }
    if (n < 0) {
        snprintf(why, why_size, "%s", gz->error);
        result = GUNZIP_BROKEN;
    } else if (out->len - before > most) {
        result = GUNZIP_TOO_LARGE;
    }
    buf_adds(out, ""); /* NUL-terminated */
    gunzip_free(&gz);
    return result;
}

const char *gunzip_version(void)
{
    return zlibVersion();
}
