// SPDX-License-Identifier: Apache-2.0
/*
 * vm - runs bytecode over a candidate event and what a run has bound.
 *
 * Pure: no clock, no random source, no I/O, no state but the scratch given. Bad data is an outcome
 * (missing, false), never an error; what was odd is counted in vm_counters per rule.
 */
#ifndef ENGINE_VM_H
#define ENGINE_VM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "event/value.h"
#include "plan/operate.h" /* struct vm_counters */

struct arena;
struct code;
struct event;
struct program;
struct table_set;

/* The events a run has bound to one step, newest first. */
struct bind {
    const struct bind *prev; /* the one bound to the same step before */
    struct event *ev;
    uint16_t stream;         /* number of the stream it was taken from (program streams) */
};
struct bound {
    const struct bind *last; /* NULL: the step is not bound */
    uint32_t count;
};

/* What a window rule's expressions read of the window: aggregates by number, either all there, or
 * asked for one by one (only what `having` needs is computed). */
struct vm_window {
    const struct value *aggregate; /* [n_aggregates]; NULL: ask */
    uint32_t n_aggregates;
    bool is_window;
    int64_t start, end;            /* ns */
    struct value (*ask)(void *ctx, uint32_t aggregate, struct arena *scratch);
    void *ctx;
};

struct vm {
    const struct program *prog;
    const struct event *ev;      /* candidate; in emit the completing event; NULL: fields missing */
    uint16_t ev_stream;          /* the stream that it is offered through */
    const struct bound *bound;   /* [n_steps of the rule]; NULL: nothing bound */
    const struct value *key;     /* the partition's key values; NULL: none */
    const struct table_set *tables; /* that events feed; NULL: they have no rows */
    const struct value *emitted; /* emitted values, for templates */
    struct vm_window window;     /* of a window rule */
    struct arena *scratch;       /* results and intermediate texts; the caller resets it */
    struct regex_scratch *regex;
    struct vm_counters *counters; /* never NULL */
};

/* The value of an expression; texts and lists live in scratch, the events, or the program. */
struct value vm_eval(struct vm *vm, const struct code *code);
/* A condition: true only if the value is the bool true. */
bool vm_test(struct vm *vm, const struct code *code);

#endif
