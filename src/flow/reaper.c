// SPDX-License-Identifier: Apache-2.0
#include "flow/reaper.h"

#include <pthread.h>
#include <stdbool.h>

#include "base/mem.h"
#include "base/queue.h"
#include "engine/engine.h"
#include "engine/record.h"
#include "plan/program.h"

struct body {
    struct engine *en;    /* the thread's */
    struct program *prog; /* a reference */
    uint64_t bytes;
    bool freed;           /* with the lock */
    struct body *next;
};

struct reaper {
    pthread_t thread;
    struct queue *in; /* of struct body */
    pthread_mutex_t lock;
    pthread_cond_t freed;
    uint64_t left;       /* with the lock: bytes */
    struct body *bodies; /* the owner's: whose program is not let go yet */
};

static void *run(void *ctx)
{
    struct reaper *rp = ctx;

    for (;;) {
        struct body *body = queue_pop(rp->in, -1);
        if (!body && queue_closed(rp->in))
            return NULL;
        if (!body)
            continue;
        engine_free(&body->en);
        pthread_mutex_lock(&rp->lock);
        rp->left -= body->bytes;
        body->freed = true;
        pthread_cond_signal(&rp->freed);
        pthread_mutex_unlock(&rp->lock);
    }
}

struct reaper *reaper_new(void)
{
    struct reaper *rp = mem_calloc(1, sizeof *rp);

    rp->in = queue_new(UINT64_MAX);
    pthread_mutex_init(&rp->lock, NULL);
    pthread_cond_init(&rp->freed, NULL);
    pthread_create(&rp->thread, NULL, run, rp);
    return rp;
}

static void let_go(struct reaper *rp)
{
    struct body **at = &rp->bodies;

    pthread_mutex_lock(&rp->lock);
    while (*at) {
        struct body *body = *at;
        if (!body->freed) {
            at = &body->next;
            continue;
        }
        *at = body->next;
        program_unref(&body->prog);
        mem_free(body);
    }
    pthread_mutex_unlock(&rp->lock);
}

void reaper_free(struct reaper **rpp)
{
    struct reaper *rp = *rpp;

    if (!rp)
        return;
    *rpp = NULL;
    queue_close(rp->in);
    pthread_join(rp->thread, NULL);
    let_go(rp);
    queue_free(&rp->in);
    pthread_mutex_destroy(&rp->lock);
    pthread_cond_destroy(&rp->freed);
    mem_free(rp);
}

void reaper_room(struct reaper *rp, uint64_t most)
{
    pthread_mutex_lock(&rp->lock);
    while (rp->left > most)
        pthread_cond_wait(&rp->freed, &rp->lock);
    pthread_mutex_unlock(&rp->lock);
    let_go(rp);
}

void reaper_take(struct reaper *rp, struct engine *en, struct program *prog)
{
    struct body *body = mem_calloc(1, sizeof *body);

    *body = (struct body){
        .en = en, .prog = program_ref(prog), .bytes = engine_memory(en), .next = rp->bodies};
    rp->bodies = body;
    pthread_mutex_lock(&rp->lock);
    rp->left += body->bytes;
    pthread_mutex_unlock(&rp->lock);
    queue_push_now(rp->in, body, 1);
}
