// SPDX-License-Identifier: Apache-2.0
/*
 * deadline - things that fall due at an event time: FIFOs by delay, a heap over their heads.
 *
 * Deadlines of one delay fall due in the order in which they were set, so each (rule, delay) is a
 * list to which one appends; a small binary heap holds the lists that are not empty, by their
 * head's time. Setting, moving and clearing are O(1) but for the heap (O(log lists)), and there is
 * never a scan over keys. What is set far out of order (state that comes back from a store) is not
 * put into its list but into one heap of *stragglers*, O(log stragglers).
 *
 *     deadline_set ---> queue tail ... queue head ---> deadline_due ---> its owner decides
 *                          \__ deadline_clear (a run that ended) __/
 *
 * Invariants:
 *  1. a queue is sorted by due; the heap is ordered by the heads' due, then queue number.
 *  2. a deadline is in one queue at most; queue == NULL means that it is not set.
 *  3. a straggler has next == NULL and, in prev, its place in the heap. Of equals in due and queue it
 *     comes before those in the list: it was set before what is behind it there.
 */
#ifndef ENGINE_DEADLINE_H
#define ENGINE_DEADLINE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct deadline_queue;

struct deadline { /* embedded in what it is for */
    struct deadline *prev, *next;
    struct deadline_queue *queue; /* NULL: not set */
    int64_t due;                  /* ns, event time */
};

/* Sums of event times that stay in range: a `within` of centuries is as good as the end of time. */
static inline int64_t time_plus(int64_t time, int64_t delay)
{
    int64_t sum;
    return __builtin_add_overflow(time, delay, &sum) || sum == INT64_MAX ? INT64_MAX - 1 : sum;
}
static inline int64_t time_minus(int64_t time, int64_t delay)
{
    int64_t difference;
    return __builtin_sub_overflow(time, delay, &difference) ? INT64_MIN : difference;
}

enum deadline_kind { DEADLINE_LIFE, DEADLINE_WAIT, DEADLINE_LEAD, DEADLINE_SUPPRESS,
                     DEADLINE_LIMIT, DEADLINE_BODY, DEADLINE_LEAF, DEADLINE_SET, DEADLINE_SET_ITEM,
                     DEADLINE_TABLE };

struct deadline_queue {
    struct deadline head;      /* of the circular list */
    int64_t delay;             /* ns: what this queue's deadlines were set with */
    void *owner;               /* struct rule_state; of DEADLINE_TABLE struct fed_table */
    enum deadline_kind kind;
    uint32_t number;           /* for the order among equals */
    uint32_t heap_at;          /* place in the heap, or UINT32_MAX */
};

struct straggler {
    int64_t due;
    uint64_t order; /* queue number, then the order in which they were set */
    struct deadline *deadline;
};

struct deadline_heap {
    struct deadline_queue **queue; /* owned array */
    size_t n, cap;
    uint32_t n_queues;
    struct straggler *straggler;   /* owned binary heap */
    size_t n_stragglers, cap_stragglers;
    uint64_t n_set;                /* stragglers ever */
};

void deadline_heap_fini(struct deadline_heap *heap);
void deadline_queue_init(struct deadline_heap *heap, struct deadline_queue *queue,
                         enum deadline_kind kind, int64_t delay, void *owner);
/* Sets it, or moves it if it is set already. O(1) when due is near the queue's tail or above. */
void deadline_set(struct deadline_heap *heap, struct deadline_queue *queue, struct deadline *dl,
                  int64_t due);
void deadline_clear(struct deadline_heap *heap, struct deadline *dl); /* fine if not set */
/* The earliest deadline with due < frontier, still set; NULL if there is none. */
struct deadline *deadline_due(const struct deadline_heap *heap, int64_t frontier);

#endif
