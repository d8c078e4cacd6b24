// SPDX-License-Identifier: Apache-2.0
#include "io/sink_stdout.h"

#include <errno.h>
#include <limits.h>
#include <poll.h>
#include <stdatomic.h>
#include <string.h>
#include <unistd.h>

#include "base/buf.h"
#include "base/failpoint.h"
#include "base/mem.h"
#include "io/sink.h"

enum { WRITE_SIZE = 64 * 1024, WAIT_MS = 100 };

struct sink_stdout {
    struct sink base; /* first */
    char *name;       /* owned */
    int fd;
    struct buf out;
    bool line_open;   /* the last thing written was a part of a line */
    atomic_bool interrupted;
};

static bool fail(struct sink_stdout *s, const char *what, struct buf *why)
{
    buf_printf(why, "cannot write to standard output: %s", what);
    buf_clear(&s->out);
    return false;
}

/* Waits until something can be written; false: interrupted. A pipe that is ready takes PIPE_BUF bytes
 * without waiting, so no write of ours blocks for longer. */
static bool wait_ready(struct sink_stdout *s)
{
    struct pollfd p = {.fd = s->fd, .events = POLLOUT};

    while (!atomic_load(&s->interrupted)) {
        int n = poll(&p, 1, WAIT_MS);
        if (n > 0 || (n < 0 && errno != EINTR))
            return true; /* also at a fault: the write says which */
    }
    return false;
}

static bool write_out(struct sink_stdout *s, struct buf *why)
{
    size_t done = 0;

    while (done < s->out.len) {
        size_t most = s->out.len - done < PIPE_BUF ? s->out.len - done : PIPE_BUF;
        int error = failpoint_hit(FAILPOINT_stdout_write);
        if (!wait_ready(s))
            return fail(s, "nobody reads it, and the process stops", why);
        ssize_t n = error != 0 ? -1 : write(s->fd, s->out.data + done, most);
        if (n < 0 && error == 0 && (errno == EINTR || errno == EAGAIN))
            continue;
        if (n < 0)
            return fail(s, strerror(error != 0 ? error : errno), why);
        done += (size_t)n;
        s->line_open = s->out.data[done - 1] != '\n';
    }
    buf_clear(&s->out);
    return true;
}

static bool start(struct sink *sink, const struct sink_place *place, struct buf *why)
{
    struct sink_stdout *s = (struct sink_stdout *)sink;

    (void)place;
    (void)why;
    buf_clear(&s->out);
    return true;
}

static enum sink_result deliver(struct sink *sink, const struct sink_message *message,
                                struct buf *why)
{
    struct sink_stdout *s = (struct sink_stdout *)sink;

    if (s->line_open && s->out.len == 0)
        buf_addc(&s->out, '\n');
    buf_add(&s->out, message->text, message->len);
    buf_addc(&s->out, '\n');
    return s->out.len < WRITE_SIZE || write_out(s, why) ? SINK_TAKEN : SINK_FAILED;
}

static bool flush(struct sink *sink, struct buf *position_out, struct buf *why)
{
    (void)position_out;
    return write_out((struct sink_stdout *)sink, why);
}

static void interrupt(struct sink *sink)
{
    atomic_store(&((struct sink_stdout *)sink)->interrupted, true);
}

static void sink_stdout_free(struct sink *sink)
{
    struct sink_stdout *s = (struct sink_stdout *)sink;

    buf_fini(&s->out);
    mem_free(s->name);
    mem_free(s);
}

static const struct sink_ops ops = {
    .start = start,
    .deliver = deliver,
    .flush = flush,
    .interrupt = interrupt,
    .free = sink_stdout_free,
};

struct sink *sink_stdout_new(const char *name, int fd)
{
    struct sink_stdout *s = mem_calloc(1, sizeof *s);

    s->name = mem_strndup(name, strlen(name));
    s->base = (struct sink){.ops = &ops, .name = s->name};
    s->fd = fd;
    buf_init(&s->out);
    return &s->base;
}
