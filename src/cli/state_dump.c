// SPDX-License-Identifier: Apache-2.0
/* `tocsin state export` and `import`: savepoints. */
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/buf.h"
#include "base/gunzip.h"
#include "cli/command.h"
#include "cli/state_priv.h"
#include "state/savepoint.h"

struct output {
    int fd;
    const char *name;
};

static bool write_out(void *ctx, const void *data, size_t len, struct buf *why)
{
    const struct output *out = ctx;
    const char *p = data;

    while (len > 0) {
        ssize_t n = write(out->fd, p, len);
        if (n < 0 && errno == EINTR)
            continue;
        if (n < 0) {
            buf_printf(why, "%s: cannot write: %s", out->name, strerror(errno));
            return false;
        }
        p += n;
        len -= (size_t)n;
    }
    return true;
}

static bool open_output(const char *path, struct output *out)
{
    *out = (struct output){STDOUT_FILENO, "standard output"};
    if (!path) {
        if (isatty(STDOUT_FILENO))
            state_fail("a savepoint is no text: name a file with --output, or send it into one");
        return !isatty(STDOUT_FILENO);
    }
    out->name = path;
    out->fd = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
    if (out->fd < 0)
        fprintf(stderr, "tocsin: %s: cannot make it: %s\n", path, strerror(errno));
    return out->fd >= 0;
}

/* A file that is not whole does not stay. */
static bool close_output(const char *path, struct output *out, bool ok, struct buf *why)
{
    if (!path)
        return ok;
    if (ok && fsync(out->fd) != 0 && errno != EINVAL) {
        buf_printf(why, "%s: cannot write: %s", path, strerror(errno));
        ok = false;
    }
    close(out->fd);
    if (!ok)
        unlink(path);
    return ok;
}

int state_export(const struct state_arguments *args)
{
    struct database_meta meta;
    struct store *st = state_open(args->dir, &meta);
    struct output out;
    struct buf why;
    uint64_t n;

    if (!st)
        return EXIT_FAILED;
    if (!open_output(args->output, &out)) {
        store_free(&st);
        return EXIT_FAILED;
    }
    buf_init(&why);
    bool ok = savepoint_export(st, write_out, &out, &n, &why);
    ok = close_output(args->output, &out, ok, &why);
    if (ok)
        fprintf(stderr, "%" PRIu64 " records\n", n);
    else
        state_fail(why.data);
    buf_fini(&why);
    store_free(&st);
    return ok ? EXIT_OK : EXIT_FAILED;
}

static ssize_t read_in(void *ctx, void *data, size_t size, struct buf *why)
{
    struct gunzip *gz = ctx;
    ssize_t n = gunzip_read(gz, data, size);

    if (n < 0)
        buf_adds(why, gunzip_error(gz));
    return n;
}

static int import_from(const char *dir, const char *path, struct gunzip *gz)
{
    struct buf why;
    uint64_t n;

    buf_init(&why);
    struct store *st = database_make(dir, &why);
    bool ok = st && savepoint_import(st, read_in, gz, &n, &why);
    if (ok)
        fprintf(stderr, "%" PRIu64 " records\n", n);
    else if (st)
        fprintf(stderr, "tocsin: %s: %s; what is in %s by now is of no use: remove it\n", path,
                why.data, dir);
    else
        state_fail(why.data);
    store_free(&st);
    buf_fini(&why);
    return ok ? EXIT_OK : EXIT_FAILED;
}

int state_import(const struct state_arguments *args)
{
    bool is_stdin = strcmp(args->more, "-") == 0;
    int fd = is_stdin ? dup(STDIN_FILENO) : open(args->more, O_RDONLY | O_CLOEXEC);

    if (fd < 0) {
        fprintf(stderr, "tocsin: %s: cannot read it: %s\n", args->more, strerror(errno));
        return EXIT_FAILED;
    }
    struct gunzip *gz = gunzip_new(fd);
    int code = import_from(args->dir, args->more, gz);
    gunzip_free(&gz);
    return code;
}
