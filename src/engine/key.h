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
struct event;
struct program;
struct program_key;
struct program_rule;
struct vm;

enum { KEY_MAX_OFFERS = 1000 }; /* combinations of list-valued keys of one event */

struct key_class {
    const struct program_key *key; /* [n_keys] */
    uint64_t steps;                /* bit n: step n has these keys */
};

struct key_offer {
    const struct value *key; /* [n_keys], in scratch or the event's own; live as long as the event */
    uint64_t hash;
    uint64_t steps;     /* of the wanted ones, those with this key */
};

/* Rules mostly have one key and the same: its hash is computed once an event. */
struct key_memo {
    const struct event *ev; /* NULL: nothing known */
    uint32_t slot;
    uint64_t hash;
};

struct key_plan {
    struct key_class *classes; /* owned */
    uint32_t n_classes;
    uint32_t n_keys;
    uint32_t plain;         /* the slot, if that is all of the key of all steps; else UINT32_MAX */
    uint64_t cut;           /* elements beyond KEY_MAX_OFFERS, of all events */
    struct key_offer one;   /* what key_offers gives of a plain key */
    struct key_memo *memo;  /* of the engine; or NULL */
};

void key_plan_init(struct key_plan *plan, const struct program *prog,
                   const struct program_rule *rule);
void key_plan_fini(struct key_plan *plan);
/* Offers of vm->ev for the wanted steps (bits); returns their number, *offers_out lives
 * until the next call.
 * *no_key_out: a class lacked a key. */
uint32_t key_offers(struct key_plan *plan, struct vm *vm, uint64_t wanted,
                    struct key_offer **offers_out, bool *no_key_out);
/* Is the event's key a plain one? Its hash, before key_offers is asked. */
bool key_plain_hash(const struct key_plan *plan, const struct event *ev, uint64_t *hash_out);
uint64_t key_hash(const struct value *key, uint32_t n);
bool key_same(const struct value *a, const struct value *b, uint32_t n);

#endif
