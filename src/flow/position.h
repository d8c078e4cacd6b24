// SPDX-License-Identifier: Apache-2.0
/*
 * position - how far one partition was read and given to the rules: what a checkpoint keeps of it,
 * so that a restart goes on as if there had been none.
 *
 *     0 ....... resume ............ read ......
 *       given   |  some given,      |  new
 *               |  some wait        |
 *
 * Reading goes on at `resume`. A line below `read` was read before; its place in the stream (its
 * time; of a late one the watermark that its partition had) against the *cut* says whether it was
 * given: it was if its place is below `cut`, or at it and its offset below cut_event (late:
 * cut_late). Within a partition the events of one place are given by offset, so no more is needed.
 * The watermark at `resume` follows from max_before, lateness and floor.
 * Times are ns of event time; INT64_MIN: none yet.
 */
#ifndef FLOW_POSITION_H
#define FLOW_POSITION_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct buf;

struct position {          /* embedded: _init, _fini */
    char *source;          /* owned */
    char *partition;       /* owned */
    uint32_t generation;
    uint64_t identity[2];  /* what the source tells of it; order_save leaves it alone */
    uint64_t resume;       /* the oldest offset that is needed; = read: all was given */
    uint64_t read;         /* behind the last line that was read */
    int64_t first;         /* the lowest time taken; INT64_MAX: none */
    int64_t max_before;    /* the highest time shown by lines before resume */
    int64_t lateness;      /* that lines below read were judged by */
    int64_t floor;         /* lines from floor_at on are late below this: it was new, or back from */
    uint64_t floor_at;     /* idle; INT64_MIN: none */
    int64_t cut;           /* how far its group's stream had been given; of rows: order_rows.c */
    uint64_t cut_event;    /* at the time of the cut: its events below this offset were given, */
    uint64_t cut_late;     /* and its late ones below this */
    uint64_t *aside;       /* owned, ascending: offsets from resume on that were set aside as too */
    size_t n_aside;        /* far in the future (that depends on when they came) */
    bool idle;             /* it held nobody back */
    bool ended;            /* nothing more comes of it, and all was given */
};

void position_init(struct position *pos); /* a partition of which nothing is known */
void position_fini(struct position *pos);
/* Deep copy into an initialised one. */
void position_copy(struct position *to, const struct position *from);
void position_name(struct position *pos, const char *source, const char *partition,
                   uint32_t generation);

/* Appends the record's key: source NUL partition NUL generation (4 bytes, big endian). */
void position_key(struct buf *out, const char *source, const char *partition, uint32_t generation);
/* Appends the record's value: versioned, all but the names. */
void position_encode(struct buf *out, const struct position *pos);
/* From a record into an initialised one. False and a static text in *why_out if it is damaged. */
bool position_decode(struct position *pos, const void *key, size_t key_len, const void *value,
                     size_t len, const char **why_out);

#endif
