// SPDX-License-Identifier: Apache-2.0
/*
 * The start of a file sink: the file that the position names is found and cut to what is acknowledged,
 * a rotation that was broken off is finished, and the file to go on with is opened. See sink_file.h.
 */
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/buf.h"
#include "base/clock.h"
#include "base/failpoint.h"
#include "base/log.h"
#include "base/mem.h"
#include "base/reader.h"
#include "io/sink_file_priv.h"

enum { POSITION_VERSION = 1, MAX_NAMES_TRIED = 1000 };

void file_position_write(struct buf *out, const struct file_position *at)
{
    buf_add_u8(out, POSITION_VERSION);
    file_id_write(out, &at->id);
    buf_add_u64(out, at->length);
    buf_add_u64(out, (uint64_t)at->opened);
    buf_add_u64(out, at->number);
    buf_add_u8(out, at->turning);
    if (at->turning) {
        file_id_write(out, &at->old);
        buf_add_u64(out, (uint64_t)at->turned);
    }
}

static bool file_position_read(const void *data, size_t len, struct file_position *at_out)
{
    struct reader r;
    bool known;

    *at_out = (struct file_position){0};
    reader_init(&r, data, len);
    known = reader_u8(&r) == POSITION_VERSION;
    file_id_read(&r, &at_out->id);
    at_out->length = reader_u64(&r);
    at_out->opened = (int64_t)reader_u64(&r);
    at_out->number = reader_u64(&r);
    at_out->turning = reader_u8(&r) == 1;
    if (at_out->turning) {
        file_id_read(&r, &at_out->old);
        at_out->turned = (int64_t)reader_u64(&r);
    }
    return known && !r.bad && reader_left(&r) == 0;
}

void sink_file_tell(const struct sink_file *f, bool warning, const char *msg, const char *what)
{
    struct buf fields;

    buf_init(&fields);
    log_field(&fields, "sink", f->name);
    log_field(&fields, "path", f->place.path);
    if (what)
        log_field(&fields, "what", what);
    log_line(warning ? LOG_WARNING : LOG_INFO, LOG_sink, msg, "%s", fields.data);
    buf_fini(&fields);
}

bool sink_file_ends_line(int fd, uint64_t size)
{
    char last;

    return size == 0 || (pread(fd, &last, 1, (off_t)(size - 1)) == 1 && last == '\n');
}

int sink_file_adopt(struct sink_file *f, struct file_position *at_out, struct buf *why)
{
    uint64_t last = file_place_last(&f->place);
    int fd = file_place_file(&f->place, f->place.name, FILE_PLACE_ANY, &at_out->id,
                             &at_out->length, why);

    at_out->turning = false;
    at_out->opened = clock_wall();
    at_out->number = last > f->at.number ? last : f->at.number;
    return fd;
}

int sink_file_turn(struct sink_file *f, const struct file_position *at)
{
    struct file_id there;
    struct buf name;
    int error = 0;

    if (file_place_look(&f->place, f->place.name, &there) && file_id_same(&there, &at->old)) {
        uint64_t number = at->number;
        do {
            buf_init(&name);
            file_place_archive(&f->place, at->turned, number++, &name);
            error = file_place_rename(&f->place, f->place.name, name.data);
            buf_fini(&name);
        } while (error == EEXIST && number - at->number < MAX_NAMES_TRIED);
    }
    if (error == 0)
        error = failpoint_hit(FAILPOINT_sink_turn_renamed);
    if (error == 0)
        error = file_place_rename(&f->place, f->next_name, f->place.name);
    return error;
}

/* Takes back what is behind the acknowledged bytes. length_out: where the file ends then. */
static bool cut(struct sink_file *f, int fd, uint64_t size, uint64_t acknowledged,
                uint64_t *length_out, struct buf *why)
{
    char text[96];
    int error = 0;

    *length_out = size < acknowledged ? size : acknowledged;
    if (size < acknowledged) {
        snprintf(text, sizeof text, "%" PRIu64 " bytes, %" PRIu64 " were written", size,
                 acknowledged);
        sink_file_tell(f, true, "the file is shorter than what was written to it: on at its end",
                       text);
    } else if (size > acknowledged) {
        error = failpoint_hit(FAILPOINT_sink_cut);
        if (error == 0 && ftruncate(fd, (off_t)acknowledged) != 0)
            error = errno;
        if (error == 0) {
            snprintf(text, sizeof text, "%" PRIu64 " bytes", size - acknowledged);
            sink_file_tell(f, false, "cut off what was not acknowledged; it is written again", text);
        }
    }
    if (error != 0)
        buf_printf(why, "%s: cannot cut off what was not acknowledged: %s", f->place.path,
                   strerror(error));
    return error == 0;
}

/* The file of the position is not at the path: if it has another name, it is cut there. */
static bool cut_elsewhere(struct sink_file *f, const struct file_position *at, struct buf *why)
{
    char *name = file_place_find(&f->place, &at->id);
    struct file_id id;
    uint64_t size, length;
    bool done = false;
    int fd;

    if (!name) {
        sink_file_tell(f, true, "the file written last is gone: its last lines may come again", NULL);
        return true;
    }
    fd = file_place_file(&f->place, name, FILE_PLACE_OLD, &id, &size, why);
    if (fd >= 0) {
        done = !file_id_same(&id, &at->id) || cut(f, fd, size, at->length, &length, why);
        close(fd);
    } else if (errno == ENOENT) {
        done = true; /* gone meanwhile */
    }
    mem_free(name);
    return done;
}

/* The path has not the file of the position: what is there is gone on with, at its end. */
static bool go_on_elsewhere(struct sink_file *f, struct buf *why)
{
    f->fd = sink_file_adopt(f, &f->at, why);
    f->settled = false;
    if (f->fd >= 0 && f->at.length > 0)
        sink_file_tell(f, true, "the file is not the one written last: appended to as it is", NULL);
    return f->fd >= 0;
}

static bool is_next(const struct sink_file *f, const struct file_position *at)
{
    struct file_id id;

    return file_place_look(&f->place, f->next_name, &id) && file_id_same(&id, &at->id);
}

/* A rotation whose position is durable: on, if the new file waits at PATH.next. */
static void finish_turn(struct sink_file *f, const struct file_position *at)
{
    struct file_id id;
    bool in_place;

    if (!at->turning || !is_next(f, at))
        return;
    in_place = file_place_look(&f->place, f->place.name, &id) && file_id_same(&id, &at->id);
    int error = in_place ? 0 : sink_file_turn(f, at);
    if (error != 0)
        sink_file_tell(f, true, "a rotation that was broken off cannot be finished", strerror(error));
    if (is_next(f, at)) /* a second name of it, or of no use */
        (void)unlinkat(f->place.dir, f->next_name, 0);
}

static bool recover(struct sink_file *f, struct buf *why)
{
    struct file_position at = f->at;
    struct file_id id;
    uint64_t size;

    finish_turn(f, &at);
    f->fd = file_place_file(&f->place, f->place.name, FILE_PLACE_OLD, &id, &size, why);
    if (f->fd < 0 && errno != ENOENT)
        return false;
    if (f->fd >= 0 && file_id_same(&id, &at.id)) {
        f->at.turning = false;
        f->settled = size >= at.length;
        return cut(f, f->fd, size, at.length, &f->at.length, why);
    }
    if (f->fd >= 0)
        close(f->fd);
    f->fd = -1;
    bool never_written = at.turning && at.length == 0;
    return (never_written || cut_elsewhere(f, &at, why)) && go_on_elsewhere(f, why);
}

bool sink_file_start(struct sink *s, const struct sink_place *place, struct buf *why)
{
    struct sink_file *f = (struct sink_file *)s;
    bool known = place->len > 0 && file_position_read(place->position, place->len, &f->at);
    bool done;

    sink_file_close(f);
    if (!file_place_open(&f->place, why))
        return false;
    if (place->len > 0 && !known)
        sink_file_tell(f, true, "the saved position cannot be read: on at the end of the file", NULL);
    if (known) {
        done = recover(f, why);
    } else {
        f->at = (struct file_position){0};
        f->fd = sink_file_adopt(f, &f->at, why);
        f->settled = false;
        done = f->fd >= 0;
    }
    if (!done) {
        sink_file_close(f);
        return false;
    }
    f->written = f->at.length;
    f->line_open = !sink_file_ends_line(f->fd, f->written);
    return true;
}
