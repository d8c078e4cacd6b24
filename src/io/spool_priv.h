// SPDX-License-Identifier: Apache-2.0
/*
 * spool, inside.
 *
 *     record  [offset ^ SPOOL_MARK 8][length | flags 4][CRC 4][arrival 8][text]
 *
 * The CRC is of all others of these bytes. SYNCED: all before this record was durable when it was
 * written. TOO_LONG: the text is 8 bytes, the length of the line.
 */
#ifndef IO_SPOOL_PRIV_H
#define IO_SPOOL_PRIV_H

#include <pthread.h>

#include "base/buf.h"
#include "io/spool.h"

#define SPOOL_MARK UINT64_C(0x70b35a1c6f0e9d42)
#define SPOOL_SYNCED UINT32_C(0x80000000)
#define SPOOL_LONG UINT32_C(0x40000000)
#define SPOOL_LEN UINT32_C(0x3fffffff)
enum { SPOOL_VERSION = 1 };

struct spool_segment {
    uint64_t base; /* of its first record */
};

struct spool {
    char *dir;
    uint64_t segment_size, limit, sync_bytes;
    int64_t sync_every, retry;

    /* the appending thread's */
    int fd;                /* of the last segment; -1: there is none that may be written */
    uint64_t base;         /* of it */
    struct buf pending;    /* records behind `durable` */
    int64_t since;         /* monotonic: of the oldest in it */
    bool synced;           /* the next record says so */
    bool told;             /* a failure was */

    pthread_mutex_t lock;
    pthread_cond_t changed;
    struct spool_segment *segment; /* by base, without gaps; the last one is written */
    size_t n_segments, cap_segments;
    uint64_t durable;
    bool ended, stopped;
    char *failure;         /* owned; NULL: writing works */
};

struct spool_record { /* decoded header */
    uint32_t len, flags, crc;
    int64_t arrival;
};
void spool_header_put(unsigned char *data, uint64_t base);
bool spool_header_is(const unsigned char *data, uint64_t base);
void spool_record_put(struct buf *b, uint64_t offset, uint32_t flags, const void *text, size_t len,
                      int64_t arrival);
/* False: no record begins there. Only the header is looked at. */
bool spool_record_get(const unsigned char *data, uint64_t offset, struct spool_record *r_out);
bool spool_record_is_whole(const unsigned char *data, const struct spool_record *r);
char *spool_path(const struct spool *sp, uint64_t base); /* owned */
/* Reads the directory and the end of the last segment. */
bool spool_recover(struct spool *sp, const struct spool_options *opt, struct buf *why);
void spool_add_segment(struct spool *sp, uint64_t base);
int spool_sync_dir(const struct spool *sp); /* 0 or errno */

#endif
