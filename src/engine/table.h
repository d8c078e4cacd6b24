// SPDX-License-Identifier: Apache-2.0
/*
 * table - tables at run time: rows that are known (event/row_table), and rows that events bring.
 *
 *   event ---> rules (see the rows as they were before it) ---> table_feed: its row, or a new version
 *
 * A row is a copy of the key and of the columns that something reads, as they were in the event that
 * brought it. Of a table that is read from a topic: table_topic.c. With `keep d` it is seen up to d after that event; its deadline, one ns later, only gives
 * the memory back, so what is seen never depends on the order in which deadlines are decided.
 * In a snapshot rows are in the order in which they came, columns by name.
 */
#ifndef ENGINE_TABLE_H
#define ENGINE_TABLE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "engine/deadline.h"
#include "engine/record_link.h"
#include "event/value.h"

struct buf;
struct engine;
struct event;
struct fed_row;
struct hash_index;
struct program_table;
struct reader;
struct restore;
struct vm_counters;

enum { TABLE_MAX_ROWS = 10000000 };

struct table_records;

struct fed_table {
    const struct program_table *plan;
    struct hash_index *index;        /* NULL: not fed */
    struct hash_index *by_id;        /* of a topic: rows by what records' keys say; else NULL */
    uint64_t seq;                    /* of a topic: of the last row that was written */
    struct fed_row *first, *last;    /* in the order in which they came */
    struct deadline_queue queue;
    size_t n, bytes;
    uint64_t refused;                /* rows, by the limits; events without a key */
    struct table_records *records;   /* rows are tracked (record.h); or NULL */
};

struct table_set {
    struct fed_table *table;         /* [n] by number */
    uint32_t n;
    int64_t now;                     /* as of when they are asked */
};

void tables_init(struct engine *en);
void tables_fini(struct engine *en);
/* Has the table a row of the key? set may be NULL, where no table is fed. */
bool table_has(const struct table_set *set, const struct program_table *plan, uint32_t number,
               struct value key);
/* Missing without such a row, and of a key that is a list. */
struct value table_get(const struct table_set *set, const struct program_table *plan,
                       uint32_t number, struct value key, uint32_t column);
/* The event brings rows of the table. */
void table_feed(struct engine *en, uint32_t number, const struct event *ev);
/* The same of one that is read from a topic: its records are no events of the group, and have no place in its
 * time; the tables alone change. */
void engine_feed_row(struct engine *en, const struct event *ev);
/* What a source of records was read again from its start, in a partition: rows of an earlier generation of it
 * are no more. source_id: its number in the program. */
void engine_drop_rows(struct engine *en, uint32_t source_id, int64_t partition, int64_t generation);
/* "TOPIC/NUMBER" > NUMBER. */
int64_t table_partition_number(const char *partition);
struct topic_record {
    struct value id;            /* which row; missing: it has no key */
    bool gone;
    struct value key;
    const struct value *column;
    const struct event *ev;
};
void table_topic_put(struct engine *en, struct fed_table *t, const struct topic_record *record);
/* When all rows are restored: which of those with one key is seen. Of other tables: nothing. */
void table_topic_settle(struct fed_table *t);
void table_row_due(struct engine *en, struct deadline *dl);

void tables_encode(struct buf *out, const struct engine *en);
bool tables_decode(struct restore *re, struct reader *r);
/* What belongs to the whole table: counter, names of columns. *to_out: for each column that was
 * written the program's, or UINT32_MAX; owned. t NULL: only read. */
void table_head_encode(struct buf *out, const struct fed_table *t);
bool table_head_decode(struct fed_table *t, struct reader *r, uint32_t **to_out, size_t *n_out);
/* Are columns of rows that were written where the program has them? */
bool table_same_columns(const struct fed_table *t, const uint32_t *to, size_t n);
/* A row's key alone (equal keys give equal bytes), and all of it. */
const struct fed_table *table_of_row(const struct record_link *link);
void table_row_key(struct buf *out, const struct record_link *link);
void table_row_encode(struct buf *out, const struct record_link *link);
bool table_row_decode(struct restore *re, struct fed_table *t, const uint32_t *to, size_t n,
                      struct reader *r);
/* All rows are written again. */
void table_touch_all(struct fed_table *t);

#endif
