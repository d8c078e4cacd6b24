// SPDX-License-Identifier: Apache-2.0
/*
 * spool - input that cannot be asked for again, kept on disk until nobody needs it.
 *
 *     <dir>/00000000000000000000.spool  00000000000067108864.spool ...    named by their first offset
 *                  |                         |             |        |
 *                first (removed below     resume        durable   end (in memory until synced)
 *                        release)
 *
 * Offsets are bytes of the stream of input, cumulative over all that was ever appended (line ends and
 * blank lines counted, the headers of records not): a replay of the same bytes has the same offsets. They
 * only grow. A segment is a header (SPOOL_HEADER bytes) and records (SPOOL_RECORD bytes: offset, length,
 * CRC-32, arrival, bytes of the stream; then the text). A record counts when it is durable: readers see
 * no other.
 *
 * One thread appends; readers, spool_release and the rest may be called by any.
 * - A write that fails (disk full) or an fsync that fails is told in the log and tried again until
 *   it works or spool_stop; the appending thread waits meanwhile. After a failed fsync nothing is
 *   believed of that file: it is closed, and what was not durable is written again into a new segment
 *   that begins there (what the old one has behind that offset is not read).
 * - When opened, a torn end of the last segment is cut off and told. A record is torn only if no
 *   later one says that all before it was durable; else it is damage, and the spool is refused.
 *   Damage in an older segment is found when it is read (SPOOL_BROKEN). Nothing is passed over.
 * What a writer had read of its input and was not durable is lost with the process: who writes to it
 * cannot know. Only durable lines count.
 */
#ifndef IO_SPOOL_H
#define IO_SPOOL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct buf;
struct spool;
struct spool_reader;

enum { SPOOL_HEADER = 48, SPOOL_RECORD = 32 }; /* bytes */

struct spool_options {
    const char *dir;       /* made if it is not there (its parent must be) */
    uint64_t segment;      /* bytes; 0: 64 MiB; at most a quarter of limit */
    uint64_t limit;        /* bytes on disk; 0: 4 GiB. Beyond it spool_append waits */
    int64_t sync_every;    /* ns; 0: 20 ms: the longest that a line waits to be durable */
    uint64_t sync_bytes;   /* 0: 1 MiB: and the most that waits */
    int64_t retry;         /* ns; 0: 1 s: after a failure */
    bool has_position;     /* what the state knows of it: */
    uint64_t resume, read; /* offsets; resume <= read */
};

/* NULL and a message with advice in why: damaged; older than `read`; begins behind `resume`. */
struct spool *spool_open(const struct spool_options *opt, struct buf *why);
/* Syncs what waits, once; no other thread may use it. */
void spool_free(struct spool **sp);

/* ---- the appending thread */

/* span: bytes of the stream, > 0: the line with its end. arrival: wall ns. text NULL: a line that was too
 * long, of len bytes. Waits for room and for the disk; false: stopped, and whether the line is in it is
 * not known. len < 2^29. */
bool spool_append(struct spool *sp, const char *text, size_t len, uint64_t span, int64_t arrival);
/* Bytes of the stream that hold no line. They become durable with the next line, or spool_end. */
void spool_skip(struct spool *sp, uint64_t span);
/* Makes all that was appended durable, however long it takes; false: stopped before. */
bool spool_sync(struct spool *sp);
/* ns from now until spool_sync is to be called; < 0: nothing waits. */
int64_t spool_sync_due(const struct spool *sp);
/* For who does not wait. spool_full: is it at its limit? spool_add: appends in spite of it, in memory.
 * spool_commit: makes what was appended durable in one try; false and why (appended): it is dropped, though
 * after a kill some of it may be found to be there. */
bool spool_full(struct spool *sp);
void spool_add(struct spool *sp, const char *text, size_t len, uint64_t span, int64_t arrival);
bool spool_commit(struct spool *sp, struct buf *why);
/* The same for a line of a batch: nothing of it is there after a kill unless its end is, a note (16 bytes to
 * 1 MiB) that readers do not see. All of it and its note go into one commit. */
void spool_add_part(struct spool *sp, const char *text, size_t len, uint64_t span, int64_t arrival);
void spool_add_note(struct spool *sp, const void *note, size_t len);
/* Will the next commit begin a segment? Then notes that are still wanted are to be added first: those of
 * older segments go with them. */
bool spool_begins_segment(struct spool *sp);
/* Drops what was added and not committed. */
void spool_drop(struct spool *sp);
uint64_t spool_limit(const struct spool *sp);
/* The notes of the last two segments, in order; some twice. Before anything is appended. False and why. */
bool spool_each_note(struct spool *sp, void (*found)(void *ctx, const void *note, size_t len),
                     void *ctx, struct buf *why);
/* No more will be appended: readers come to an end. Syncs. */
void spool_end(struct spool *sp);

/* ---- any thread */

void spool_stop(struct spool *sp); /* what waits in spool_append or spool_sync returns false */
uint64_t spool_durable(struct spool *sp);
uint64_t spool_first(struct spool *sp);  /* the oldest offset that is there */
uint64_t spool_bytes(struct spool *sp);  /* on disk */
/* Removes segments wholly below resume. */
void spool_release(struct spool *sp, uint64_t resume);
/* Waits until something behind `offset` is durable, or it ended: true; or timeout ns. */
bool spool_wait(struct spool *sp, uint64_t offset, int64_t timeout);
/* Does writing fail now? Appends why (or NULL). */
bool spool_failed(struct spool *sp, struct buf *why);

/* ---- reading; a reader is used by one thread, and freed before the spool */

enum spool_got {
    SPOOL_LINE,
    SPOOL_TOO_LONG, /* text NULL, len */
    SPOOL_NOTHING,  /* durable yet */
    SPOOL_END,      /* and nothing will come: spool_end */
    SPOOL_BROKEN,   /* message in why; asked again, it tries again */
};
struct spool_line {
    const char *text; /* valid until the next call, `padding` readable bytes behind */
    size_t len;
    uint64_t offset, next; /* next: behind its end; blank lines may follow */
    int64_t arrival;
};
/* From offset on, or from the oldest that is there. */
struct spool_reader *spool_reader_new(struct spool *sp, uint64_t offset, size_t padding);
void spool_reader_free(struct spool_reader **rd);
uint64_t spool_reader_offset(const struct spool_reader *rd); /* of what it looks at next */
enum spool_got spool_read(struct spool_reader *rd, struct spool_line *line_out, struct buf *why);

#endif
