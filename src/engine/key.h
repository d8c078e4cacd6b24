// SPDX-License-Identifier: Apache-2.0
/*
 * key - under which keys is an event offered to a rule?
 *
 * Steps of one rule may have keys of their own (`by` on a step). Steps with the same key
 * expressions are one *class*; an event is evaluated once a class. A list-valued key offers the
 * event under each element; keys that several classes give alike are one offer, with the steps of
 * all of them.
 */
#ifndef ENGINE_KEY_H
#define ENGINE_KEY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "event/value.h"

struct arena;
struct program;
struct program_key;
struct program_rule;
struct vm;

enum { KEY_MAX_OFFERS = 1000 }; /* combinations of list-valued keys of one event */

struct key_class {
    const struct program_key *key; /* [n_keys] */
    uint64_t steps;                /* bit n: step n has these keys */
};

struct key_plan {
    struct key_class *classes; /* owned */
    uint32_t n_classes;
    uint32_t n_keys;
};

struct key_offer {
    struct value *key;  /* [n_keys], in scratch; values live as long as the event */
    uint64_t hash;
    uint64_t steps;     /* of the wanted ones, those with this key */
};

void key_plan_init(struct key_plan *plan, const struct program *prog,
                   const struct program_rule *rule);
void key_plan_fini(struct key_plan *plan);
/* Offers of vm->ev for the wanted steps (bits); returns their number, *offers_out in scratch.
 * *no_key_out: a class lacked a key. */
uint32_t key_offers(const struct key_plan *plan, struct vm *vm, uint64_t wanted,
                    struct key_offer **offers_out, bool *no_key_out);
uint64_t key_hash(const struct value *key, uint32_t n);
bool key_same(const struct value *a, const struct value *b, uint32_t n);

#endif
