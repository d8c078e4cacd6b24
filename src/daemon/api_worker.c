// SPDX-License-Identifier: Apache-2.0
#include "daemon/api_worker.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>

#include "base/mem.h"
#include "base/queue.h"

struct job {
    api_work_fn *work;
    void *ctx;
};

struct api_worker {
    struct queue *queue; /* of struct job; one weighs 1 */
    size_t most;
    pthread_t thread;
    _Atomic bool ending;
};

static void *run(void *ctx)
{
    struct api_worker *worker = ctx;
    struct job *job;

    while ((job = queue_pop(worker->queue, -1)) != NULL || !queue_closed(worker->queue)) {
        if (!job)
            continue;
        job->work(job->ctx, atomic_load(&worker->ending));
        mem_free(job);
    }
    return NULL;
}

struct api_worker *api_worker_new(size_t most)
{
    struct api_worker *worker = mem_calloc(1, sizeof *worker);

    worker->queue = queue_new(UINT64_MAX);
    worker->most = most;
    if (pthread_create(&worker->thread, NULL, run, worker) != 0)
        abort();
    pthread_setname_np(worker->thread, "api");
    return worker;
}

bool api_worker_put(struct api_worker *worker, api_work_fn *work, void *ctx)
{
    struct job *job;

    if (queue_weight(worker->queue) >= worker->most)
        return false;
    job = mem_alloc(sizeof *job);
    *job = (struct job){work, ctx};
    if (queue_push_now(worker->queue, job, 1))
        return true;
    mem_free(job);
    return false;
}

bool api_worker_ending(struct api_worker *worker)
{
    return atomic_load(&worker->ending);
}

void api_worker_free(struct api_worker **workerp)
{
    struct api_worker *worker = *workerp;

    if (!worker)
        return;
    atomic_store(&worker->ending, true);
    queue_close(worker->queue);
    pthread_join(worker->thread, NULL);
    queue_free(&worker->queue);
    mem_free(worker);
    *workerp = NULL; /* its jobs may have looked at it until now */
}
