// SPDX-License-Identifier: Apache-2.0
/*
 * replay_input - the files of a replay, and the partitions of other sources (replay_stream.h): which source each
 * is, how its partition is called, what was wrong with its lines.
 *
 * A partition's name is its file's path without the directory. Two files of one source that would
 * then be called alike keep as many of their last directories as tell them apart.
 */
#ifndef FLOW_REPLAY_INPUT_H
#define FLOW_REPLAY_INPUT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "event/event.h"
#include "flow/replay_stream.h"
#include "flow/time_field.h"

struct buf;
struct source_file;

enum { REPLAY_MAX_REASONS = 5 }; /* kept, of one source */

/* What became of the lines of one source. */
struct replay_source {
    const char *name;
    bool rows;         /* its events are records of a table */
    uint64_t events;   /* decoded, with a time; late ones too */
    uint64_t late;
    uint64_t rejected;
    char *reason[REPLAY_MAX_REASONS]; /* owned: "file:17: invalid UTF-8" */
    uint32_t n_reasons;
};

/* A file, or a partition of a stream: what is read by itself and has an order of its own. */
struct replay_part {
    const char *path;    /* borrowed from the options; of a stream's NULL */
    int64_t lateness;
    size_t max_line;
    char *partition;     /* owned */
    struct origin origin;
    struct time_spec time;
    struct source_file *file; /* owned; NULL once it was read */
    struct replay_stream_part *stream; /* owned; NULL: it is a file */
    bool time_record;    /* the time of an event is its record's */
    bool latest;         /* of rows: as in struct replay_stream */
    int64_t future;      /* of rows */
    struct replay_source *source;
    uint32_t group;      /* of its source (flow/group.h), or their number */
    uint64_t consumed, size; /* bytes on disk, when it was read; size 0: not known */
};

struct replay_inputs { /* embedded */
    struct replay_part *part; /* first files, then partitions of streams */
    size_t n_parts, cap_parts;
    size_t n_files;
    struct replay_source *source;
    size_t n_sources;
};

struct replay_path {
    const char *source;
    const char *path;
    int64_t lateness; /* ns, or ORDER_WHOLE */
    size_t max_line;  /* bytes */
};

/* Names all files; false and a message in why if one is given twice. n_streams: that will be added. */
bool replay_inputs_init(struct replay_inputs *in, const struct replay_path *path, size_t n, size_t n_streams,
                        struct buf *why);
void replay_inputs_fini(struct replay_inputs *in);
/* Opens all; false and a line of message for each that cannot be opened. */
bool replay_inputs_open(struct replay_inputs *in, struct buf *why);
/* Asks for the partitions of a stream; false and why. */
bool replay_inputs_add(struct replay_inputs *in, const struct replay_stream *stream, struct buf *why);
void replay_part_close(struct replay_part *p);
/* Counts a bad line; keeps the first reasons. number: of the line, or of the record. */
void replay_part_reject(struct replay_part *p, uint64_t number, const char *reason);

#endif
