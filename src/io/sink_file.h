// SPDX-License-Identifier: Apache-2.0
/*
 * sink_file - appends lines to a file; each line stands there exactly once, whatever is killed when.
 *
 * The position is which file it is (file_place.h) and how many of its bytes are acknowledged. A start
 * cuts that file, wherever it was renamed to, to these bytes. One invariant makes it exact:
 *
 *     no line is written to a file before a durable position names that file.
 *
 * So what came after the last durable position is in the file that it names, and no other file is ever
 * cut: what stands at the path and is not that file (someone put it there) is appended to, with a line
 * in the log. Rotation, when the file is as big as rotate_size or a multiple of rotate_every (UTC)
 * has passed:
 *
 *     flush the old file                     its lines are acknowledged: it is complete
 *     make PATH.next                         failpoint sink_next_made
 *     position: PATH.next, 0 bytes, and      (unsettled - flush - ack - durable - settled)
 *       that the old one is to be renamed    failpoint sink_turn_saved
 *     rename the old one                     failpoint sink_turn_renamed
 *     rename PATH.next to PATH               failpoint sink_turned
 *
 * A start that finds it half done finishes it. When others rename the file (logrotate), the next look
 * at the path (between batches, and at SIGHUP) sees it: the same with the file that stands at the path
 * or is made there, and no rename of ours. A file that others cut short (copytruncate) is gone on with
 * at its end; what was written in that instant may be lost to it: rename instead.
 *
 * Failed writes and syncs (disk full) are failures of deliver or flush; the file is cut back to what is
 * acknowledged at once if possible, and at the next start in any case: no part of a line stays.
 * The file is locked (flock), so that two sinks cannot share one. Symbolic links are refused.
 */
#ifndef IO_SINK_FILE_H
#define IO_SINK_FILE_H

#include <stdint.h>

struct sink;

struct sink_file_options {
    const char *name;     /* of the sink; copied, as is path */
    const char *path;
    uint64_t rotate_size; /* bytes; 0: never */
    int64_t rotate_every; /* ns; 0: never */
    uint32_t rotate_keep; /* rotated files that stay; 0: all */
};

/* Opens nothing yet: sink_start does. */
struct sink *sink_file_new(const struct sink_file_options *opt);

#endif
