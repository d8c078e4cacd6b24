// SPDX-License-Identifier: Apache-2.0
/*
 * rules_saved - what the database keeps of a topic of rules (space RULES_TOPIC): how far it was read, wishes that
 * could not come true, answers that the topic of results does not have yet. Each is written with the change of
 * rules that it belongs to, in one batch.
 *
 *     'q' 'p' topic NUL partition (4)     topic_position
 *     'q' 'w' topic NUL module            rules_wish
 *     'q' 'a' number (8)                  rules_answer
 */
#ifndef FLOW_RULES_SAVED_H
#define FLOW_RULES_SAVED_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "flow/rules_wish.h"
#include "io/topic_position.h"

struct buf;
struct store;
struct store_batch;

struct rules_answer {
    uint64_t number;      /* from 1 */
    char *key;            /* owned; NULL: the record has none */
    size_t key_len;
    char *text;           /* owned; JSON */
    size_t len;
};
void rules_answer_fini(struct rules_answer *answer);

struct rules_saved { /* embedded: _read, _fini */
    struct topic_position *position; /* owned; by partition */
    size_t n_positions, cap_positions;
    struct rules_wish *wish;         /* owned; by name */
    size_t n_wishes, cap_wishes;
    struct rules_answer *answer;     /* owned; oldest first */
    size_t n_answers, cap_answers;
    bool others;                     /* there are positions of another topic */
};
/* Of this topic, and all answers. False and why: the database cannot be read, or a record is damaged. */
bool rules_saved_read(struct store *st, const char *topic, struct rules_saved *saved_out, struct buf *why);
void rules_saved_fini(struct rules_saved *saved);

void rules_saved_put_position(struct store_batch *batch, const char *topic, const struct topic_position *pos);
void rules_saved_put_wish(struct store_batch *batch, const char *topic, const struct rules_wish *wish);
void rules_saved_remove_wish(struct store_batch *batch, const char *topic, const char *name);
void rules_saved_put_answer(struct store_batch *batch, const struct rules_answer *answer);
void rules_saved_remove_answer(struct store_batch *batch, uint64_t number);

/* A record of that space: is it one? For who looks through a database. */
bool rules_saved_is_fine(const void *key, size_t key_len, const void *value, size_t len);

#endif
