// SPDX-License-Identifier: Apache-2.0
#include "base/queue.h"

#include <pthread.h>

#include "base/clock.h"
#include "base/cond.h"
#include "base/mem.h"

struct item {
    void *item;
    uint64_t weight;
};

struct queue {
    pthread_mutex_t lock;
    pthread_cond_t filled, drained;
    struct item *ring; /* [cap], a power of two; n from first on */
    size_t first, n, cap;
    uint64_t weight, limit;
    unsigned waiting; /* pushes that wait for room */
    bool closed, woken;
};

struct queue *queue_new(uint64_t limit)
{
    struct queue *q = mem_calloc(1, sizeof *q);

    pthread_mutex_init(&q->lock, NULL);
    cond_init(&q->filled);
    cond_init(&q->drained);
    q->limit = limit;
    return q;
}

void queue_free(struct queue **qp)
{
    struct queue *q = *qp;

    if (!q)
        return;
    *qp = NULL;
    pthread_mutex_destroy(&q->lock);
    pthread_cond_destroy(&q->filled);
    pthread_cond_destroy(&q->drained);
    mem_free(q->ring);
    mem_free(q);
}

static void grow(struct queue *q)
{
    size_t cap = q->cap ? q->cap * 2 : 16;
    struct item *ring = mem_calloc(cap, sizeof *ring);

    for (size_t i = 0; i < q->n; i++)
        ring[i] = q->ring[(q->first + i) & (q->cap - 1)];
    mem_free(q->ring);
    q->ring = ring;
    q->cap = cap;
    q->first = 0;
}

static bool push(struct queue *q, void *item, uint64_t weight, bool wait)
{
    bool ok;

    pthread_mutex_lock(&q->lock);
    while (wait && q->weight >= q->limit && !q->closed) {
        q->waiting++;
        pthread_cond_wait(&q->drained, &q->lock);
        q->waiting--;
    }
    ok = !q->closed;
    if (ok) {
        if (q->n == q->cap)
            grow(q);
        q->ring[(q->first + q->n++) & (q->cap - 1)] = (struct item){item, weight};
        q->weight += weight;
        if (q->n == 1)
            pthread_cond_signal(&q->filled);
    }
    pthread_mutex_unlock(&q->lock);
    return ok;
}

bool queue_push(struct queue *q, void *item, uint64_t weight)
{
    return push(q, item, weight, true);
}

bool queue_push_now(struct queue *q, void *item, uint64_t weight)
{
    return push(q, item, weight, false);
}

static void wait_filled(struct queue *q, int64_t timeout)
{
    int64_t until = timeout < 0 ? INT64_MAX : timeout == 0 ? 0 : clock_monotonic() + timeout;

    while (q->n == 0 && !q->closed && !q->woken && cond_wait_until(&q->filled, &q->lock, until))
        continue;
}

void *queue_pop(struct queue *q, int64_t timeout)
{
    void *item = NULL;

    pthread_mutex_lock(&q->lock);
    wait_filled(q, timeout);
    q->woken = false;
    if (q->n > 0) {
        item = q->ring[q->first].item;
        q->weight -= q->ring[q->first].weight;
        q->first = (q->first + 1) & (q->cap - 1);
        q->n--;
        if (q->waiting > 0)
            pthread_cond_broadcast(&q->drained);
    }
    pthread_mutex_unlock(&q->lock);
    return item;
}

void queue_wake(struct queue *q)
{
    pthread_mutex_lock(&q->lock);
    q->woken = true;
    pthread_cond_signal(&q->filled);
    pthread_mutex_unlock(&q->lock);
}

void queue_close(struct queue *q)
{
    pthread_mutex_lock(&q->lock);
    q->closed = true;
    pthread_cond_broadcast(&q->filled);
    pthread_cond_broadcast(&q->drained);
    pthread_mutex_unlock(&q->lock);
}

bool queue_closed(struct queue *q)
{
    pthread_mutex_lock(&q->lock);
    bool closed = q->closed;
    pthread_mutex_unlock(&q->lock);
    return closed;
}

uint64_t queue_weight(struct queue *q)
{
    pthread_mutex_lock(&q->lock);
    uint64_t weight = q->weight;
    pthread_mutex_unlock(&q->lock);
    return weight;
}
