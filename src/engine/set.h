// SPDX-License-Identifier: Apache-2.0
/*
 * set - the second matcher (matcher_sets): runs that move together are moved together.
 *
 * In a rule whose conditions never compare two events, runs of a key that stand at one element with
 * as many events differ in nothing but their start: what one does, all do. So they are one queue,
 * and an event costs O(1) amortised, however many runs are open. What it does is what matcher.c does
 * run by run (the reference, used with --no-opt): same alerts, same order.
 *
 * At each element of a key (struct set_stand) the runs are in four sets by how many events c they
 * have there, in order of arrival; this is their order in the reference's list too:
 *
 *      STILL     take no more here: c = max, or the step's own `within` has passed since their last
 *      CAPPED    would take more, but `limit events` is reached
 *      READY     min <= c < max
 *      FILLING   c < min
 *
 * A set is a list of items; an item is a leaf (one run) or a whole set that moved here with one event:
 *
 *   element 0                                element 1
 *   log  a1 -> a2 -> a3 -> a4 (tail)         log  b5 (tail)
 *          \      \      \                          \
 *   FILLING |      |      leaf(a3..)         READY   moved(b5..) -- inner --> set, frozen at `end`
 *   READY   |      leaf(a2..a4)                                               leaf(a1..a4), ...
 *           leaf(a1..a4)
 *
 * What a run has bound is read upwards from its leaf: the slice of the log that the leaf saw, then
 * that of the item around its set, and so on. Events are bound once for all members (struct
 * set_entry): FILLING and READY take each event that the step fits, so their members' slices are
 * log[joined..end). An entry keeps the next one alive, items keep their first: what nobody's slice
 * reaches any more is freed from the front.
 *
 * Runs that complete become a struct run each (`first` without trailing `not`: the earliest only) and
 * go the way of the reference: done_finish, the waiting list, engine_match.
 *
 * Invariants:
 *  1. part->n_runs = leaves in stands + waiting runs; set->n_leaves counts all below it.
 *  2. no set is empty; a stand's log has a tail if and only if FILLING or READY is there.
 *  3. members of FILLING and READY have the log's tail as their last event; items of STILL and
 *     CAPPED are sorted by the time of theirs.
 *  4. in FILLING and READY counts never rise from front to back, so who has enough is in front.
 *  5. a set's owner is NULL in a stand; depth is at most two sets an element.
 *  6. the wait of a set is set in FILLING and READY, and goes on in a READY that passed its `within`
 *     as a whole (an item with n = 0 around it); items have one in STILL and CAPPED. A deadline that
 *     fires for what has moved on since is cleared, nothing else.
 *  7. a rule is charged what the reference would be: each run for itself and for each event that it
 *     has bound, an upper bound of what is held. So `limit state` is reached at the same event, after
 *     a restart too. Entries and sets hold running sums for it.
 */
#ifndef ENGINE_SET_H
#define ENGINE_SET_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct deadline;
struct done;
struct engine;
struct event;
struct offer;
struct partition;
struct restore;
struct rule_state;
struct run;
struct set_part;  /* what a key holds: its stands. In the partition's block. */
struct set_pool;  /* memory of one engine */
struct set_rule;  /* what belongs to a whole rule: elements as sets see them, queues of deadlines */

struct set_pool *set_pool_new(void);
void set_pool_free(struct set_pool **pool);

/* NULL: the rule is matched run by run (the optimiser's choice, or `limit events` could end loops of
 * different runs at different counts). */
struct set_rule *set_rule_new(struct engine *en, struct rule_state *rs);
void set_rule_free(struct set_rule **rule);
size_t set_part_size(const struct rule_state *rs);
void set_part_fini(struct engine *en, struct partition *part);

/* One event against the open runs of a key, and its start. Completed runs are added to done. */
void set_walk(struct engine *en, const struct offer *of, struct done *done);
/* Ends all open runs. */
void set_end_all(struct engine *en, struct partition *part);
/* Ends the open runs that began at seq or before. */
void set_end_before(struct engine *en, struct partition *part, uint64_t seq);
/* Ends the oldest of the runs that stand longest at their elements if it began before `than` (NULL:
 * any). */
bool set_end_oldest(struct engine *en, struct partition *part, const struct run *than);
/* A deadline of a leaf, a set or an item has passed. Returns the key that it was of. */
struct partition *set_due(struct engine *en, struct deadline *dl);
/* Runs that waited for a trailing `not` are gone: so is what carried their lives. */
void set_forget_ghosts(struct partition *part);

/* ---- snapshot: runs out and in ---- */

struct set_bind {
    struct event *ev; /* borrowed */
    uint64_t seq;
    uint16_t step, stream;
};
/* One leaf as the run that it stands for. */
struct set_run {
    int64_t start_time;
    uint64_t start_seq;
    int64_t life, wait; /* its deadlines, INT64_MAX: not set; only for set_each_at */
    uint32_t count;   /* events bound at its element */
    struct set_bind *bind;
    size_t n, cap;
};
/* What telling its runs will read soon, into the cache: body.h, `ahead`. */
void set_ahead(const struct partition *part, unsigned step);
uint32_t set_count_at(const struct partition *part, uint16_t element);
/* Tells all runs that stand at the element, in order. */
void set_each_at(const struct partition *part, uint16_t element,
                 void (*tell)(void *ctx, const struct set_run *run), void *ctx);
/* Makes a leaf of an open run, detached and checked; the caller frees the run. life, wait: its
 * deadlines, INT64_MAX: not set. False: its last event is older than that of a run before it, so this
 * is no order that a matcher makes. */
bool set_adopt(struct engine *en, struct partition *part, const struct run *run, int64_t life,
               int64_t wait);
/* All runs of the key are adopted: their deadlines. False: they are not of this rule. */
bool set_adopted(struct restore *re, struct partition *part);
/* A hash of what sets derive from the rule: delays, counts. Never 0. */
uint32_t set_rule_layout(const struct rule_state *rs);

#endif
