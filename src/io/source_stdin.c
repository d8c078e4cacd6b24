// SPDX-License-Identifier: Apache-2.0
/*
 *     data  [ given | line so far ........ | free ]
 *                   ^pos    ^scanned       ^end
 * A line beyond max_line is dropped as it comes; `skipped` counts its bytes.
 */
#include "io/source_stdin.h"

#include <errno.h>
#include <poll.h>
#include <pthread.h>
#include <stdatomic.h>
#include <string.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include "base/buf.h"
#include "base/clock.h"
#include "base/log.h"
#include "base/mem.h"
#include "io/spool.h"

enum { BLOCK = 256 * 1024 };

struct source_stdin {
    pthread_t thread;
    int fd;      /* borrowed */
    int stop_fd; /* an eventfd */
    struct spool *spool;
    size_t max_line;
    char *data;  /* owned */
    size_t cap, pos, scanned, end;
    size_t skipped;   /* bytes of a line that is too long */
    bool skipping, begun;
    int64_t arrival;
    _Atomic bool ended, stopping, paused;
};

static bool is_blank(const char *text, size_t len)
{
    for (size_t i = 0; i < len; i++)
        if (text[i] != ' ' && text[i] != '\t')
            return false;
    return true;
}

/* The line [pos, pos + len), with an end or without. False: stopped. */
static bool take(struct source_stdin *in, size_t len, bool has_end)
{
    const char *text = in->data + in->pos;
    uint64_t span = (uint64_t)in->skipped + len + has_end;
    size_t skipped = in->skipped;
    bool too_long;

    if (len > 0 && text[len - 1] == '\r')
        len--;
    if (!in->begun && !in->skipping && len >= 3 && memcmp(text, "\xef\xbb\xbf", 3) == 0) {
        spool_skip(in->spool, 3);
        text += 3;
        len -= 3;
        span -= 3;
    }
    in->begun = true;
    too_long = in->skipping || len > in->max_line;
    in->skipping = false;
    in->skipped = 0;
    if (too_long)
        return spool_append(in->spool, NULL, skipped + len, span, in->arrival);
    if (!is_blank(text, len))
        return spool_append(in->spool, text, len, span, in->arrival);
    spool_skip(in->spool, span);
    return true;
}

/* All whole lines. */
static bool take_lines(struct source_stdin *in)
{
    while (in->scanned < in->end) {
        char *nl = memchr(in->data + in->scanned, '\n', in->end - in->scanned);
        if (!nl) {
            in->scanned = in->end;
            break;
        }
        if (!take(in, (size_t)(nl - in->data) - in->pos, true))
            return false;
        in->pos = in->scanned = (size_t)(nl - in->data) + 1;
    }
    /* one byte more may be the \r of a line that just fits */
    if (in->skipping || in->end - in->pos > in->max_line + 1) {
        in->skipping = in->begun = true;
        in->skipped += in->end - in->pos;
        in->pos = in->scanned = in->end;
    }
    return true;
}

static void make_room(struct source_stdin *in)
{
    size_t kept = in->end - in->pos;

    if (in->pos > 0) {
        memmove(in->data, in->data + in->pos, kept);
        in->scanned -= in->pos;
        in->end = kept;
        in->pos = 0;
    }
    if (in->cap - kept >= BLOCK / 2)
        return;
    in->cap = kept < BLOCK ? 2 * (size_t)BLOCK : 2 * kept;
    if (in->cap > in->max_line + 2 * (size_t)BLOCK)
        in->cap = kept + BLOCK;
    in->data = mem_realloc(in->data, in->cap);
}

/* False: it is to stop. True: it is to look whether it is paused. */
static bool was_woken(struct source_stdin *in)
{
    uint64_t n;

    if (read(in->stop_fd, &n, sizeof n) < 0 && errno != EAGAIN && errno != EINTR)
        return false;
    return !atomic_load(&in->stopping);
}

/* Waits for input; syncs when that is due. False: stopped. */
static bool wait_input(struct source_stdin *in)
{
    for (;;) {
        struct pollfd fds[2] = {{.fd = atomic_load(&in->paused) ? -1 : in->fd, .events = POLLIN},
                                {.fd = in->stop_fd, .events = POLLIN}};
        int64_t due = spool_sync_due(in->spool);
        int timeout = due < 0 ? -1 : (int)((due + 999999) / 1000000);
        int n;

        if (due == 0 && !spool_sync(in->spool))
            return false;
        if (due == 0)
            continue;
        n = poll(fds, 2, timeout);
        if (n < 0 && errno != EINTR)
            return true; /* the read will say */
        if (n > 0 && fds[1].revents && !was_woken(in))
            return false;
        if (n > 0 && fds[0].revents)
            return true;
    }
}

/* > 0, 0 at the end; errors are told and end the input. */
static ssize_t read_some(struct source_stdin *in)
{
    ssize_t n = read(in->fd, in->data + in->end, in->cap - in->end);

    if (n < 0 && (errno == EINTR || errno == EAGAIN))
        return -1;
    if (n < 0) {
        log_line(LOG_ERROR, LOG_source, "standard input cannot be read: taken as its end",
                 "why=\"%s\"", strerror(errno));
        return 0;
    }
    in->arrival = clock_wall();
    return n;
}

static void *run(void *arg)
{
    struct source_stdin *in = arg;

    for (;;) {
        ssize_t n;

        if (!wait_input(in))
            return NULL;
        make_room(in);
        n = read_some(in);
        if (n < 0)
            continue;
        if (n == 0)
            break;
        in->end += (size_t)n;
        if (!take_lines(in))
            return NULL;
    }
    if ((in->skipping || in->end > in->pos) && !take(in, in->end - in->pos, false))
        return NULL;
    spool_end(in->spool);
    atomic_store(&in->ended, true);
    return NULL;
}

struct source_stdin *source_stdin_start(int fd, struct spool *spool, size_t max_line,
                                        struct buf *why)
{
    struct source_stdin *in = mem_calloc(1, sizeof *in);
    int err;

    in->fd = fd;
    in->spool = spool;
    in->max_line = max_line;
    in->stop_fd = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
    err = in->stop_fd < 0 ? errno : pthread_create(&in->thread, NULL, run, in);
    if (!err)
        return in;
    buf_printf(why, "standard input: %s", strerror(err));
    if (in->stop_fd >= 0)
        close(in->stop_fd);
    mem_free(in);
    return NULL;
}

bool source_stdin_ended(const struct source_stdin *in)
{
    return atomic_load(&in->ended);
}

static void wake(struct source_stdin *in)
{
    uint64_t one = 1;

    if (write(in->stop_fd, &one, sizeof one) < 0)
        log_line(LOG_WARNING, LOG_source, "standard input: its thread cannot be woken", NULL);
}

void source_stdin_pause(struct source_stdin *in, bool pause)
{
    atomic_store(&in->paused, pause);
    wake(in);
}

void source_stdin_free(struct source_stdin **inp)
{
    struct source_stdin *in = *inp;

    if (!in)
        return;
    *inp = NULL;
    atomic_store(&in->stopping, true);
    spool_stop(in->spool);
    wake(in);
    pthread_join(in->thread, NULL);
    close(in->stop_fd);
    mem_free(in->data);
    mem_free(in);
}
