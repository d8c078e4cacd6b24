// SPDX-License-Identifier: Apache-2.0
/*
 * queue - hands items from threads to one thread, in order; bounded by weight (bytes, events).
 *
 * A mutex and two conditions: at batches of some hundred events the hand-over costs nothing beside
 * what is handed over. An item is taken when the weight that waits is below the limit, so one item
 * heavier than the limit still goes through.
 */
#ifndef BASE_QUEUE_H
#define BASE_QUEUE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct queue;

struct queue *queue_new(uint64_t limit); /* UINT64_MAX: none */
void queue_free(struct queue **q);       /* items left in it are the caller's to take first */
/* Waits for room; takes item. False (and the item stays the caller's) when it was closed. */
bool queue_push(struct queue *q, void *item, uint64_t weight);
/* Does not wait for room: for messages that must not wait. */
bool queue_push_now(struct queue *q, void *item, uint64_t weight);
/* The next item, or NULL after timeout ns (< 0: waits for ever; 0: at once), or when it was woken, or
 * closed and empty. */
void *queue_pop(struct queue *q, int64_t timeout);
void queue_wake(struct queue *q);  /* the waiting, or the next, queue_pop returns NULL if it is empty */
void queue_close(struct queue *q); /* pushes fail from now on; what is in it can be taken */
bool queue_closed(struct queue *q);
uint64_t queue_weight(struct queue *q);

#endif
