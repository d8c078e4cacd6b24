// SPDX-License-Identifier: Apache-2.0
/*
 * spool, inside.
 *
 *     header  [magic 8][version 4][base 8][salt 8][before_base 8][before_size 8][CRC 4]
 *     record  [offset ^ salt 8][length | flags 4][CRC 4][arrival 8][span 8][text]
 *
 * The CRC is of all others of these bytes. The records of a spool tile its stream: each begins where
 * the one before it ends, at offset + span. SYNCED: all before this record was durable when it was
 * written. LONG: a line that was too long, the text is its length, 8 bytes; or, without text, bytes that
 * hold no line (blank ones); or, with 16 bytes and more, a note, which takes no bytes of the stream.
 * PART: of a batch that ends with a note: without it nothing of the batch is there.
 * The salt is random, one for each spool, so that no text can look like a record. before_*: the segment
 * before this one, and how many bytes of its file hold.
 */
#ifndef IO_SPOOL_PRIV_H
#define IO_SPOOL_PRIV_H

#include <pthread.h>

#include "base/buf.h"
#include "io/spool.h"

#define SPOOL_SYNCED UINT32_C(0x80000000)
#define SPOOL_SPAN (UINT64_C(1) << 48) /* most bytes between two lines; more is damage */
#define SPOOL_LONG UINT32_C(0x40000000)
#define SPOOL_PART UINT32_C(0x20000000)
#define SPOOL_LEN UINT32_C(0x1fffffff)
enum { SPOOL_VERSION = 3, SPOOL_OLDEST = 2 /* without notes */, SPOOL_NOTE_LEAST = 16 };

struct spool_segment {
    uint64_t base; /* offset of its first record */
    uint64_t size; /* bytes of its file that hold: header and durable records */
};

struct spool {
    char *dir;
    uint64_t segment_size, limit, sync_bytes;
    int64_t sync_every, retry;

    /* the appending thread's */
    int fd;                /* of the last segment; -1: there is none that may be written */
    uint64_t at;           /* where it is written */
    uint64_t salt;
    uint64_t end;          /* behind the last record of `pending` */
    uint64_t skipped;      /* bytes behind `end` that hold no line and have no record yet */
    struct buf pending;    /* records behind `durable` */
    int64_t since;         /* monotonic: of the oldest in it */
    bool synced;           /* the next record says so */
    bool told;             /* a failure was */

    pthread_mutex_t lock;
    pthread_cond_t changed;
    struct spool_segment *segment; /* by base, without gaps; the last one is written */
    size_t n_segments, cap_segments;
    uint64_t bytes;        /* of all of them */
    uint64_t durable;
    bool ended, stopped;
    char *failure;         /* owned; NULL: writing works */
};

/* ---- spool_record.c */

struct spool_header {
    uint64_t base, salt, before_base, before_size;
};
void spool_header_put(unsigned char *data, const struct spool_header *h);
bool spool_header_get(const unsigned char *data, struct spool_header *h_out); /* false: damaged */
bool spool_header_is_other(const unsigned char *data); /* of another version of the format */

struct spool_record { /* its header */
    uint64_t offset, span;
    uint32_t len, flags, crc;
    int64_t arrival;
};
void spool_record_put(struct buf *b, uint64_t salt, const struct spool_record *r, const void *text);
/* Whatever is there: the offset tells whether it is the record that is looked for. */
void spool_record_get(const unsigned char *data, uint64_t salt, struct spool_record *r_out);
bool spool_record_is_whole(const unsigned char *data, const struct spool_record *r);
bool spool_record_is_blank(const struct spool_record *r); /* or a note */
bool spool_record_is_note(const struct spool_record *r);
void spool_long_put(unsigned char *text, uint64_t len);
uint64_t spool_long_get(const unsigned char *text);

/* ---- the others */

char *spool_path(const struct spool *sp, uint64_t base); /* owned */
/* Reads the directory and the end of the last segment. */
bool spool_recover(struct spool *sp, const struct spool_options *opt, struct buf *why);
void spool_add_segment(struct spool *sp, uint64_t base, uint64_t size);

#endif
