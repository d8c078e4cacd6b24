// SPDX-License-Identifier: Apache-2.0
/* box_fixture - an outbox of one sink in memory, in the place of state/outbox.c: messages {"n":1} to {"n":N}; every
 * second one is an alert. */
#ifndef UNIT_BOX_FIXTURE_H
#define UNIT_BOX_FIXTURE_H

#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/buf.h"
#include "base/mem.h"
#include "state/outbox.h"

struct outbox {
    pthread_mutex_t lock;
    pthread_cond_t come;
    uint64_t there, taken, acked; /* numbers of the last ones */
    uint64_t hidden; /* those behind the first ones wait, and cannot be taken */
    unsigned asked;  /* for the next one */
    unsigned settled, rejected;
    bool woken, stuck /* nothing becomes durable */;
    struct buf position;
};

static struct outbox box = {.lock = PTHREAD_MUTEX_INITIALIZER, .come = PTHREAD_COND_INITIALIZER};

static void box_begin(uint64_t there)
{
    buf_fini(&box.position);
    buf_init(&box.position);
    box.there = there;
    box.taken = box.acked = box.hidden = 0;
    box.woken = box.stuck = false;
    box.settled = box.rejected = 0;
}

static void box_more(uint64_t more)
{
    pthread_mutex_lock(&box.lock);
    box.there += more;
    pthread_cond_broadcast(&box.come);
    pthread_mutex_unlock(&box.lock);
}

static uint64_t box_acked(void)
{
    pthread_mutex_lock(&box.lock);
    uint64_t n = box.acked;
    pthread_mutex_unlock(&box.lock);
    return n;
}

static void box_wait_acked(uint64_t n)
{
    for (int i = 0; i < 20000 && box_acked() < n; i++)
        usleep(1000);
    assert_int_equal(box_acked(), n);
}

void outbox_position(struct outbox *ob, uint32_t sink, struct buf *position_out)
{
    (void)sink;
    buf_add(position_out, ob->position.data, ob->position.len);
}

void outbox_range(struct outbox *ob, uint32_t sink, uint64_t *acked_out, uint64_t *last_out)
{
    (void)sink;
    pthread_mutex_lock(&ob->lock);
    *acked_out = ob->acked;
    *last_out = ob->there;
    pthread_mutex_unlock(&ob->lock);
}

void outbox_reject(struct outbox *ob, uint32_t sink, uint64_t seq, const char *reason)
{
    (void)sink;
    pthread_mutex_lock(&ob->lock);
    if (seq > ob->taken || strcmp(reason, "nobody takes this one") != 0)
        abort();
    ob->rejected++;
    pthread_mutex_unlock(&ob->lock);
}

bool outbox_next(struct outbox *ob, uint32_t sink, int64_t timeout, struct outbox_entry *entry_out)
{
    struct timespec until;
    char text[96];

    (void)sink;
    clock_gettime(CLOCK_REALTIME, &until);
    int64_t ns = until.tv_nsec + timeout;
    until.tv_sec += ns / 1000000000;
    until.tv_nsec = ns % 1000000000;
    pthread_mutex_lock(&ob->lock);
    while (ob->taken >= ob->there && !ob->woken && timeout != 0)
        if (pthread_cond_timedwait(&ob->come, &ob->lock, &until) != 0)
            break;
    ob->woken = false;
    ob->asked++;
    bool good = ob->taken < ob->there - ob->hidden;
    if (good) {
        uint64_t n = ++ob->taken;
        int len = snprintf(text, sizeof text, n % 2 ? "{\"n\":%llu}" : "{\"id\":\"%llu\",\"time\":\"t\"}",
                           (unsigned long long)n);
        *entry_out = (struct outbox_entry){.seq = n, .is_alert = n % 2 == 0,
                                           .direct = n % 4 != 2, .len = (size_t)len};
        entry_out->text = mem_strndup(text, entry_out->len);
    }
    pthread_mutex_unlock(&ob->lock);
    return good;
}

void outbox_rewind(struct outbox *ob, uint32_t sink)
{
    (void)sink;
    pthread_mutex_lock(&ob->lock);
    ob->taken = ob->acked;
    pthread_mutex_unlock(&ob->lock);
}

void outbox_ack(struct outbox *ob, uint32_t sink, uint64_t seq, const void *position, size_t len)
{
    (void)sink;
    pthread_mutex_lock(&ob->lock);
    if (seq > ob->taken || (seq < ob->acked))
        abort();
    ob->acked = seq;
    buf_clear(&ob->position);
    buf_add(&ob->position, position, len);
    pthread_mutex_unlock(&ob->lock);
}

bool outbox_settle(struct outbox *ob, uint32_t sink, int64_t timeout)
{
    (void)sink;
    (void)timeout;
    usleep(1000);
    pthread_mutex_lock(&ob->lock);
    bool good = !ob->stuck;
    ob->settled += good;
    pthread_mutex_unlock(&ob->lock);
    return good;
}

void outbox_wake(struct outbox *ob)
{
    pthread_mutex_lock(&ob->lock);
    ob->woken = true;
    pthread_cond_broadcast(&ob->come);
    pthread_mutex_unlock(&ob->lock);
}

void outbox_stats(struct outbox *ob, uint32_t sink, struct outbox_stats *stats_out)
{
    (void)sink;
    pthread_mutex_lock(&ob->lock);
    *stats_out = (struct outbox_stats){.waiting = ob->there - ob->acked};
    pthread_mutex_unlock(&ob->lock);
}

#endif
