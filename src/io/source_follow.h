// SPDX-License-Identifier: Apache-2.0
/*
 * source_follow - files as a source: followed for ever, or (bounded) read to their ends and over.
 *
 * A partition is a path that the patterns match; each file that lies there in turn is a generation:
 *
 *     renamed, new file      old: by descriptor to its end, until it was quiet for `rotate_wait`
 *                            and the new one has bytes; then OPENED (new), ENDED (old), new lines
 *     truncated in place     (shorter, or its first bytes are others: copytruncate) a file beside it
 *                            that begins alike is its copy, and the rest is read there
 *     deleted                read to its end, ENDED when quiet
 *     all while stopped      the saved identity is looked for beside the path; files rotated in
 *                            between (a.log.1, a.log-20260101; by time of change) are read, too
 *
 * What lies at a path and is no file, or cannot be told, is no end: the file that lay there is stalled,
 * also after a restart, until it can be read or nothing lies there.
 * What is not found is told in the log, with offsets: lost lines are never silent. (What was written
 * between two truncations that nobody saw, and was not copied, is not even known to have been.) A generation's
 * lines come before the next one's. `identity` is a hash of device, inode and time of birth, and a
 * fingerprint of the first bytes (up to 255; it grows with a young file, so take it anew for each
 * position) with a hash of the path. A file whose beginning is edited in place is a new generation.
 *
 * Names are those of replay (flow/replay_input.h) for the files found at first; one that appears
 * later gets the shortest name that is free; a name that was told, or saved, stays.
 * The last line waits for its newline, except at the end of a generation or when bounded. Blank
 * lines and a byte order mark are passed over. .gz only when bounded. Patterns should not match what
 * rotation makes (a.log* and a.log.1): renamed files are known again, copies are not.
 *
 * Memory: a block of 256 KiB for up to 64 files that have lines, and one line. No more than
 * `max_open` descriptors: quiet files are closed and looked at by name.
 */
#ifndef IO_SOURCE_FOLLOW_H
#define IO_SOURCE_FOLLOW_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "io/source.h"

struct buf;

struct source_follow_options { /* borrowed for the call; times in ns, 0: the default */
    const char *name;
    const char *const *pattern; /* as glob(7); one that is a file's very name is that file */
    size_t n_patterns;
    bool follow;                /* false: bounded */
    size_t max_line;            /* bytes without the line end; 0: SOURCE_MAX_LINE */
    size_t padding;             /* readable bytes behind each line */
    int64_t poll;               /* 10 ms: how often a busy file is looked at; quiet ones of
                                   many (beyond 100) less often, to 500 ms */
    int64_t rescan;             /* 500 ms: how often the patterns are looked at */
    int64_t rotate_wait;        /* 1 s */
    int64_t forget_after;       /* 24 h: the last generation of a path that is gone */
    uint32_t max_open;          /* descriptors; 0: half of what the process may have */
    const struct source_position *saved;
    size_t n_saved;
};

/* NULL and a message in why if a pattern cannot be used. Touches files at the first source_next. */
struct source *source_follow_new(const struct source_follow_options *opt, struct buf *why);

#endif
