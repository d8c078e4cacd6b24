// SPDX-License-Identifier: Apache-2.0
/* record_priv - what the files of the records share: lists, tombstones, the heap of stubs. */
#ifndef ENGINE_RECORD_PRIV_H
#define ENGINE_RECORD_PRIV_H

#include "base/buf.h"
#include "engine/directory.h"
#include "engine/engine_priv.h"
#include "engine/record.h"
#include "engine/record_link.h"
#include "engine/snapshot.h"

enum { RECORD_VERSION = 1, RECORD_RULE_VERSION = 2 }; /* of rules: 1 has no times at its end */
enum { RECORD_CHUNKED = 1 }; /* flags of a key's record */

/* Ids of the chunks of a big record, in its order: hashes of what they hold. */
struct record_chunks {
    size_t n;
    uint64_t id[];
};

/* At the end of a partition's block. */
struct part_record {
    struct record_link link;
    struct partition *part;
    uint64_t charge;              /* bytes of the rule's that are this key's */
    uint64_t content;             /* hash of the record in the store; 0: none */
    int64_t due;                  /* of the record in the store: the earliest deadline; NO_DUE: none */
    uint64_t stored_charge;       /* what that record says */
    uint64_t stored_runs;
    struct record_chunks *chunks; /* owned; NULL: one record */
};

/* A key that is in the store alone, and is due. */
struct stub {
    int64_t due;
    uint64_t hash;
    uint32_t rule, depth;
};

/* Where a key is in the store: stub_place. */
struct record_place {
    uint64_t hash, place;
};

struct rule_records { /* of one rule */
    struct records *all;
    uint32_t incarnation;
    bool restored;                /* its own record was there */
    struct partition *charging;   /* whose change is under way; or NULL */
    uint64_t mark;                /* of the rule's bytes, when it began */
    uint64_t content;             /* of its own record; 0: none */
    struct directory_sums stored; /* its keys in the store, with the closing epoch; */
    struct directory_sums gone;   /* of them went since the barrier */
    struct directory *dir;        /* NULL: its keys are few */
    struct record_place *found;   /* while records are read: keys that have one */
    size_t n_found, cap_found;
};

struct table_records {
    struct records *all;
    uint32_t incarnation;
    uint64_t content;
    uint32_t *column;             /* of a restored row: the program's column, or UINT32_MAX */
    size_t n_columns;
    bool shared;                  /* another engine writes them */
    bool restored, moved;         /* moved: rows have other columns now; all are written again */
};

struct record_list {
    struct record_link *first, *last;
};

struct records {
    struct engine *en;
    struct record_reader reader;
    struct rule_records *rule;    /* [n_rules] */
    struct table_records *table;  /* [n_tables] */
    struct record_list changed, closing, clean;
    uint64_t epoch;               /* open */
    uint64_t complete, durable;   /* epochs up to these */
    bool is_closing;
    const struct record_writer *writer;
    struct buf gone, gone_closing; /* keys of records to remove: length and bytes each */
    size_t gone_at;
    struct buf own;               /* records of rules and tables as they were at the barrier */
    size_t own_at;
    uint64_t changed_bytes;       /* charged for what changed in the open epoch, */
    uint64_t closing_bytes;       /* in the closing one, */
    uint64_t closing_from;        /* and what was written before it */
    uint64_t ratio;               /* of 1024: what is written of what is charged; 0: not known */
    uint64_t written;             /* bytes given to the writer */
    struct encoding ec;
    struct buf key, state, value; /* scratch */
    struct restore re;
    struct stub *stub;            /* heap by (due, depth); entries may be out of date */
    size_t n_heap, cap_heap;
    size_t n_stubs, n_keys;       /* keys in the store alone; in memory */
    uint64_t loads;               /* keys read from the store */
    uint64_t stub_bytes;          /* charged for those in the store alone */
    const char *broken;
    const char *mended;
    struct directory_sizes sizes;
    uint32_t directory_at;        /* the rule whose directory is written next */
    uint32_t rule_at, table_at;   /* of the last record: they come in order */
    bool loading;
};

/* A key's record without its body. */
struct record_head {
    uint8_t flags;
    int64_t due;
    uint64_t charge, runs;
};

/* record.c */
void record_broken(struct records *rs, const char *why);
void record_append(struct record_list *list, struct record_link *link, enum record_where where);
void record_take(struct records *r, struct record_link *link);
struct part_record *record_of(const struct partition *part);
/* Out of memory, leaving a stub or nothing. */
void record_forget(struct records *r, struct partition *part, bool stub);

/* record_write.c */
void record_encode(struct records *r, struct record_link *link);
void record_put(struct records *r, const struct buf *key, const void *value, size_t len);
void record_remove(struct records *r, const void *key, size_t len);
void record_prefix(struct buf *out, char kind, uint32_t incarnation);
/* The tombstone of what is gone; its chunks' too. */
void record_bury(struct records *r, const struct record_link *link);
/* Those of rules and tables that changed, into r->own. */
void record_encode_own(struct records *r);
/* True when all of them are written. */
bool record_write_gone(struct records *r, uint64_t until);
bool record_write_own(struct records *r, uint64_t until);

/* record_ahead.c: what is encoded next. While it is in use nothing but that leaves the list. */
enum { RECORD_AHEAD = 8 };
struct record_ahead {
    const struct record_link *link[RECORD_AHEAD]; /* the nearest first; NULL: the list ends before */
};
void record_ahead_begin(struct record_ahead *ahead, const struct record_link *first);
void record_ahead_next(struct record_ahead *ahead); /* the nearest is about to be encoded */

/* record_chunk.c */
/* Writes the state in chunks; out: the body of the record that lists them. */
void record_chunk(struct records *r, struct part_record *rec, const struct buf *key,
                  const struct buf *state, struct buf *out);
void record_chunks_remove(struct records *r, struct part_record *rec, const struct buf *key);
struct record_chunks *record_chunks_decode(struct reader *r);

/* drain.c */
void drain_attach(struct engine *en, const struct engine_attachment *attachment);
/* When the rules' own records are there. */
void drain_bound(struct engine *en);

/* record_stub.c */
void stub_add(struct records *r, const struct rule_state *rs, uint64_t hash, int64_t due);
void stub_heap_build(struct records *r);
/* The heap gets those that are in the rule's table; it is built later. */
void stub_add_all(struct records *r, const struct rule_state *rs);

/*
 * In place of the pointer: bit 0 set; bit 1: the heap has an entry; the rest of when it is due, so that an entry
 * of an earlier stay can be told. So it is due up to 3 ns too soon: then it is only loaded sooner.
 */
static inline uint64_t stub_tag(int64_t due, bool in_heap)
{
    return ((uint64_t)due & ~UINT64_C(3)) | (uint64_t)in_heap << 1 | 1;
}
static inline int64_t stub_tag_due(uint64_t tag)
{
    return (int64_t)(tag & ~UINT64_C(3));
}
/* The tag of a key that is in the store alone; it is also its place in the directory. */
static inline uint64_t stub_place(int64_t due)
{
    return stub_tag(due, due != NO_DUE);
}

/* record_load.c */
bool record_head_decode(struct record_head *head, struct reader *r);

#endif
