// SPDX-License-Identifier: Apache-2.0
/* table_priv - rows that events or records bring, shared by table.c (all) and table_topic.c (of topics). */
#ifndef ENGINE_TABLE_PRIV_H
#define ENGINE_TABLE_PRIV_H

#include "engine/table.h"

#define TABLE_MAX_BYTES (UINT64_C(1) << 30)

struct fed_row { /* one block: columns, then texts and lists */
    struct record_link link; /* first */
    struct deadline deadline;
    struct fed_row *prev, *next;
    struct fed_table *table;
    int64_t updated;   /* ns: time of the event that brought it */
    uint64_t hash;
    size_t size;
    struct value key;
    /* of a topic: */
    struct value id;               /* which row it is: what the record's key says; else missing */
    struct fed_row *above, *below; /* of rows of one key the last that was written is seen */
    uint64_t id_hash, seq;         /* seq: in the order in which they were written */
    int64_t partition, generation; /* of the topic, that it was read from */
    bool shown;                    /* it is in the index of keys, or below one that is */
    struct value column[];
};

/* The columns of a written row that are no column of the program: behind those. */
enum { TABLE_TOPIC_COLUMNS = 4 };
extern const char *const table_topic_column[TABLE_TOPIC_COLUMNS];

/* table.c */
struct fed_row *table_find(const struct fed_table *t, uint64_t hash, struct value key);
bool table_is_key(struct value v);
bool table_has_room(const struct fed_table *t);
struct fed_row *table_row_new(struct fed_table *t, struct value key, const struct value *column,
                              struct value id);
void table_row_append(struct fed_table *t, struct fed_row *row); /* to the list; counted */
/* What has the row's place in the store: the next one written there is no new record. */
void table_row_succeed(struct fed_row *old, struct fed_row *row);
void table_row_drop(struct engine *en, struct fed_row *row);

/* table_topic.c */
void table_topic_forget(struct fed_row *row); /* takes it out of both indexes */
/* column: the program's, then the four of the topic. False: damaged. */
bool table_topic_restore(struct fed_table *t, struct value key, const struct value *column, int64_t updated);

#endif
