// SPDX-License-Identifier: Apache-2.0
/*
 * question - what a rule keeps of a key (engine/look.h), or which of its keys are the largest
 * (engine/look_keys.h): asked of the engine thread by any other, answered between two batches; the second bit
 * by bit, so that no event waits long for it.
 */
#ifndef FLOW_QUESTION_H
#define FLOW_QUESTION_H

#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>

#include "base/buf.h"
#include "engine/look.h"

struct engine;
struct look_keys;
struct program;
struct value;

struct question {
    const char *rule;        /* borrowed until done, as the key */
    const struct value *key; /* [n_keys] */
    uint32_t n_keys;
    struct look_page page;
    struct look_keys *largest; /* borrowed; the largest keys, not one; NULL: one */
    size_t at;               /* largest: the engine that is looked at; 0 at first */
    struct buf out;          /* of a key: JSON objects with commas between, one an engine that has the rule */
    bool ended;              /* the engine thread has ended, or cannot go on, before it could answer */
    void (*done)(void *ctx, struct question *question); /* on the engine thread, or where that is joined */
    void *ctx;
    struct question *next;
};

struct question_box { /* embedded: _init, _fini */
    pthread_mutex_t lock;
    struct question *first; /* in any order; under the lock */
};

void question_box_init(struct question_box *box);
void question_box_fini(struct question_box *box); /* it is empty */
void question_put(struct question_box *box, struct question *question);
bool question_waits(struct question_box *box); /* is there any? */
/* Those that were put are done: ended, or answered by `answer`; false: it stays, and is asked again. */
void question_answer_all(struct question_box *box, bool ended,
                         bool (*answer)(void *ctx, struct question *question), void *ctx);
/* More of question->largest in this engine. True: all of it. */
bool question_look_keys(struct question *question, const struct program *prog, struct engine *en);
/* Appends what this engine says of a key. */
void question_answer(struct question *question, const struct program *prog, struct engine *en);

#endif
