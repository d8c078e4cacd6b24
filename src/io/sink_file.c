// SPDX-License-Identifier: Apache-2.0
#include "io/sink_file.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/buf.h"
#include "base/clock.h"
#include "base/failpoint.h"
#include "base/mem.h"
#include "io/sink_file_priv.h"

enum { WRITE_SIZE = 256 * 1024 }; /* bytes gathered before a write */
#define PUT_OFF INT64_C(60000000000) /* ns until a rotation that failed is tried again */

void sink_file_close(struct sink_file *f)
{
    if (f->fd >= 0)
        close(f->fd);
    if (f->next_fd >= 0)
        close(f->next_fd);
    f->fd = f->next_fd = -1;
    f->want = WANT_NOTHING;
    buf_clear(&f->out);
}

/* After a failure the file is of no use until the next start. What is not acknowledged goes at once if
 * it can: whoever reads the file should not see part of a line for long. */
static bool fail(struct sink_file *f, const char *what, int error, struct buf *why)
{
    buf_printf(why, "%s: cannot %s: %s", f->place.path, what, strerror(error));
    if (f->fd >= 0 && ftruncate(f->fd, (off_t)f->at.length) != 0)
        errno = 0; /* the start does it */
    sink_file_close(f);
    return false;
}

static bool write_out(struct sink_file *f, struct buf *why)
{
    size_t done = 0;

    while (done < f->out.len) {
        int error = failpoint_hit(FAILPOINT_sink_write);
        size_t most = f->out.len - done;
        if (error != 0)
            most = (most + 1) / 2; /* as a full disk: part of it is written */
        ssize_t n = write(f->fd, f->out.data + done, most);
        if (n < 0 && errno == EINTR)
            continue;
        if (n < 0 || error != 0)
            return fail(f, "write", n < 0 ? errno : error, why);
        done += (size_t)n;
    }
    f->written += done;
    buf_clear(&f->out);
    return true;
}

static enum sink_result deliver(struct sink *s, const struct sink_message *message, struct buf *why)
{
    struct sink_file *f = (struct sink_file *)s;

    if (f->fd < 0) {
        buf_printf(why, "%s: not open", f->place.path);
        return SINK_FAILED;
    }
    if (f->line_open)
        buf_addc(&f->out, '\n');
    f->line_open = false;
    buf_add(&f->out, message->text, message->len);
    buf_addc(&f->out, '\n');
    return f->out.len < WRITE_SIZE || write_out(f, why) ? SINK_TAKEN : SINK_FAILED;
}

static bool sync_file(struct sink_file *f, struct buf *why)
{
    int error = failpoint_hit(FAILPOINT_sink_sync);

    if (error == 0 && fdatasync(f->fd) != 0)
        error = errno;
    return error == 0 || fail(f, "sync", error, why);
}

/* Its length as it is: whoever cut it short meanwhile is told, and its end is where it is. */
static bool measure(struct sink_file *f, struct buf *why)
{
    struct stat st;
    char text[80];

    if (fstat(f->fd, &st) != 0)
        return fail(f, "stat", errno, why);
    if ((uint64_t)st.st_size != f->written) {
        snprintf(text, sizeof text, "%" PRId64 " bytes, not %" PRIu64, (int64_t)st.st_size,
                 f->written);
        sink_file_tell(f, true, "another program changed the file: on at its end", text);
    }
    f->written = f->at.length = (uint64_t)st.st_size;
    return true;
}

/* PATH.next, empty; left over from a rotation whose position was not saved, or new. */
static bool make_next(struct sink_file *f, struct buf *why)
{
    struct stat st;
    uint64_t size, last = file_place_last(&f->place);

    f->next = (struct file_position){.opened = clock_wall(), .number = f->at.number,
                                     .turning = true, .old = f->at.id};
    f->next.turned = f->next.opened;
    f->next.number = (last > f->next.number ? last : f->next.number) + 1;
    f->next_fd = file_place_file(&f->place, f->next_name, FILE_PLACE_ANY, &f->next.id, &size, why);
    if (f->next_fd < 0)
        return false;
    if (size != 0)
        buf_printf(why, "%s is in the way", f->next_name);
    else if (fstat(f->fd, &st) != 0 || fchmod(f->next_fd, st.st_mode & 0777) != 0)
        buf_printf(why, "cannot give %s the mode of the old file: %s", f->next_name,
                   strerror(errno));
    else
        return true;
    close(f->next_fd);
    f->next_fd = -1;
    return false;
}

/* Opens the file that lines will go to next. A rotation that cannot be is put off: it keeps no alert
 * from its file. Without a file at the path there is nothing to go on with. */
static bool prepare(struct sink_file *f, struct buf *why)
{
    if (f->want == WANT_MOVE) {
        f->next_fd = sink_file_adopt(f, &f->next, why);
        if (f->next_fd < 0)
            sink_file_close(f);
        return f->next_fd >= 0;
    }
    struct buf reason;
    buf_init(&reason);
    if (!make_next(f, &reason)) {
        buf_adds(&reason, "");
        sink_file_tell(f, true, "cannot rotate the file; tried again in a minute", reason.data);
        f->put_off = clock_monotonic() + PUT_OFF;
        f->want = WANT_NOTHING;
    }
    buf_fini(&reason);
    return true;
}

static bool flush(struct sink *s, struct buf *position_out, struct buf *why)
{
    struct sink_file *f = (struct sink_file *)s;

    if (f->fd < 0) {
        buf_printf(why, "%s: not open", f->place.path);
        return false;
    }
    if (!write_out(f, why))
        return false;
    (void)failpoint_hit(FAILPOINT_sink_written);
    if (!sync_file(f, why) || !measure(f, why))
        return false;
    (void)failpoint_hit(FAILPOINT_sink_synced);
    if (f->want != WANT_NOTHING && f->next_fd < 0 && !prepare(f, why))
        return false;
    if (f->next_fd >= 0)
        (void)failpoint_hit(FAILPOINT_sink_next_made);
    file_position_write(position_out, f->next_fd >= 0 ? &f->next : &f->at);
    return true;
}

static bool rotation_due(const struct sink_file *f)
{
    int64_t now = clock_wall();

    if (f->written == 0 || (f->put_off != 0 && clock_monotonic() < f->put_off))
        return false;
    return (f->rotate_size > 0 && f->written >= f->rotate_size) ||
           (f->rotate_every > 0 && now / f->rotate_every > f->at.opened / f->rotate_every);
}

static bool unsettled(struct sink *s)
{
    struct sink_file *f = (struct sink_file *)s;
    struct file_id there;

    if (f->fd < 0)
        return false; /* the next deliver says so */
    if (!f->settled || f->want != WANT_NOTHING)
        return true;
    if (atomic_exchange(&f->look, false))
        f->put_off = 0;
    if (!file_place_look(&f->place, f->place.name, &there) || !file_id_same(&there, &f->at.id))
        f->want = WANT_MOVE;
    else if (rotation_due(f))
        f->want = WANT_ROTATION;
    return f->want != WANT_NOTHING;
}

/* From the old file, which is complete, to the next. */
static bool turn(struct sink_file *f, struct buf *why)
{
    if (f->next.turning) {
        (void)failpoint_hit(FAILPOINT_sink_turn_saved);
        int error = sink_file_turn(f, &f->next);
        if (error != 0) {
            buf_printf(why, "%s: cannot rotate: %s", f->place.path, strerror(error));
            sink_file_close(f);
            return false;
        }
        (void)failpoint_hit(FAILPOINT_sink_turned);
    } else {
        sink_file_tell(f, false, "the file was renamed or replaced: on with the one at the path",
                       NULL);
    }
    close(f->fd);
    f->fd = f->next_fd;
    f->next_fd = -1;
    f->at = f->next;
    f->at.turning = false;
    f->written = f->at.length;
    f->line_open = !sink_file_ends_line(f->fd, f->written);
    f->want = WANT_NOTHING;
    if (f->rotate_keep > 0)
        file_place_prune(&f->place, f->rotate_keep);
    return true;
}

static bool settled(struct sink *s, struct buf *why)
{
    struct sink_file *f = (struct sink_file *)s;

    if (f->fd < 0) {
        buf_printf(why, "%s: not open", f->place.path);
        return false;
    }
    f->settled = true;
    return f->next_fd < 0 || turn(f, why);
}

static void reopen(struct sink *s)
{
    atomic_store(&((struct sink_file *)s)->look, true);
}

static void sink_file_free(struct sink *s)
{
    struct sink_file *f = (struct sink_file *)s;

    sink_file_close(f);
    buf_fini(&f->out);
    file_place_fini(&f->place);
    mem_free(f->name);
    mem_free(f->next_name);
    mem_free(f);
}

static const struct sink_ops ops = {
    .start = sink_file_start,
    .deliver = deliver,
    .flush = flush,
    .unsettled = unsettled,
    .settled = settled,
    .reopen = reopen,
    .free = sink_file_free,
};

struct sink *sink_file_new(const struct sink_file_options *opt)
{
    struct sink_file *f = mem_calloc(1, sizeof *f);
    struct buf next;

    f->name = mem_strndup(opt->name, strlen(opt->name));
    f->base = (struct sink){.ops = &ops, .name = f->name};
    file_place_init(&f->place, opt->path);
    buf_init(&next);
    buf_printf(&next, "%s.next", f->place.name);
    f->next_name = buf_take(&next);
    f->rotate_size = opt->rotate_size;
    f->rotate_every = opt->rotate_every;
    f->rotate_keep = opt->rotate_keep;
    f->fd = f->next_fd = -1;
    buf_init(&f->out);
    return &f->base;
}
