// SPDX-License-Identifier: Apache-2.0
/* sink_file_priv - what sink_file.c (lines, positions) and sink_file_start.c (recovery) share. */
#ifndef IO_SINK_FILE_PRIV_H
#define IO_SINK_FILE_PRIV_H

#include <stdatomic.h>

#include "base/buf.h"
#include "io/file_place.h"
#include "io/sink.h"

/* What is saved with an acknowledgement. */
struct file_position {
    struct file_id id;
    uint64_t length;  /* acknowledged bytes */
    int64_t opened;   /* wall ns: when the file began */
    uint64_t number;  /* of the last rotated file */
    bool turning;     /* `old` is to be renamed as rotated file `number`, and this one is at PATH.next */
    struct file_id old;
    int64_t turned;   /* wall ns: the stamp in its name */
};

enum want { WANT_NOTHING, WANT_ROTATION, WANT_MOVE /* the path has another file, or none */ };

struct sink_file {
    struct sink base; /* first */
    struct file_place place;
    char *name, *next_name; /* owned */
    uint64_t rotate_size;
    int64_t rotate_every;
    uint32_t rotate_keep;
    int fd;                  /* -1: not started, or it failed */
    struct file_position at; /* at.length: flushed */
    uint64_t written;        /* bytes of the file, those included that are not flushed */
    struct buf out;          /* lines that are not written yet */
    bool line_open;          /* the file ends within a line that is not ours */
    bool settled;            /* a durable position names the file, and its length holds */
    enum want want;
    int next_fd;             /* -1, or the file to go on with once the position is durable */
    struct file_position next;
    int64_t put_off;         /* monotonic ns: no rotation before, the last attempt failed; 0 */
    atomic_bool look;        /* SIGHUP: look at the path */
};

bool sink_file_start(struct sink *s, const struct sink_place *place, struct buf *why);
void sink_file_close(struct sink_file *f);
void file_position_write(struct buf *out, const struct file_position *at);
/* Opens what stands at the path, or makes it, and goes on at its end. */
int sink_file_adopt(struct sink_file *f, struct file_position *at_out, struct buf *why);
/* Renames at->old as at says, and PATH.next to the path; 0 or errno. */
int sink_file_turn(struct sink_file *f, const struct file_position *at);
bool sink_file_ends_line(int fd, uint64_t size);
/* A log line of this sink with its path; what: why, or NULL. */
void sink_file_tell(const struct sink_file *f, bool warning, const char *msg, const char *what);

#endif
