// SPDX-License-Identifier: Apache-2.0
#include "io/line_writer.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <unistd.h>

#include "base/buf.h"
#include "base/mem.h"

enum { WRITE_SIZE = 256 * 1024 }; /* bytes gathered before a write */

struct line_writer {
    int fd;
    bool owned; /* fd is ours to close */
    int error;  /* errno of the first failure */
    struct buf out;
};

static struct line_writer *writer_new(int fd, bool owned)
{
    struct line_writer *w = mem_calloc(1, sizeof *w);

    w->fd = fd;
    w->owned = owned;
    buf_init(&w->out);
    return w;
}

struct line_writer *line_writer_open(const char *path, struct buf *why)
{
    int fd = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);

    if (fd < 0) {
        buf_printf(why, "cannot write: %s", strerror(errno));
        return NULL;
    }
    return writer_new(fd, true);
}

struct line_writer *line_writer_on(int fd)
{
    return writer_new(fd, false);
}

int line_writer_error(const struct line_writer *w)
{
    return w->error;
}

void line_writer_flush(struct line_writer *w)
{
    size_t done = 0;

    while (done < w->out.len && !w->error) {
        ssize_t n = write(w->fd, w->out.data + done, w->out.len - done);
        if (n >= 0)
            done += (size_t)n;
        else if (errno != EINTR)
            w->error = errno;
    }
    buf_clear(&w->out);
}

void line_writer_add(struct line_writer *w, const char *text, size_t len)
{
    if (w->error)
        return;
    buf_add(&w->out, text, len);
    buf_addc(&w->out, '\n');
    if (w->out.len >= WRITE_SIZE)
        line_writer_flush(w);
}

bool line_writer_close(struct line_writer **w, struct buf *why)
{
    if (!*w)
        return true;
    line_writer_flush(*w);
    if ((*w)->owned && close((*w)->fd) != 0 && !(*w)->error)
        (*w)->error = errno;

    int error = (*w)->error;
    if (error && why)
        buf_printf(why, "cannot write: %s", strerror(error));
    buf_fini(&(*w)->out);
    mem_free(*w);
    *w = NULL;
    return error == 0;
}
