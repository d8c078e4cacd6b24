// SPDX-License-Identifier: Apache-2.0
/*
 * c11_threads - the threads, locks and conditions of C11 as those of POSIX, to be preloaded. librdkafka uses the former,
 * of which the thread sanitizer knows nothing: a program with both hangs. In glibc the objects are the same.
 */
#include <errno.h>
#include <pthread.h>
#include <stdint.h>
#include <stdlib.h>
#include <threads.h>

static int result(int error)
{
    switch (error) {
    case 0: return thrd_success;
    case ETIMEDOUT: return thrd_timedout;
    case EBUSY: return thrd_busy;
    case ENOMEM: return thrd_nomem;
    default: return thrd_error;
    }
}

struct start {
    thrd_start_t function;
    void *arg;
};

static void *run(void *ctx)
{
    struct start start = *(struct start *)ctx;

    free(ctx);
    return (void *)(intptr_t)start.function(start.arg);
}

int thrd_create(thrd_t *thread, thrd_start_t function, void *arg)
{
    struct start *start = malloc(sizeof *start);

    if (!start)
        return thrd_nomem;
    *start = (struct start){function, arg};
    return result(pthread_create((pthread_t *)thread, NULL, run, start));
}

int thrd_join(thrd_t thread, int *result_out)
{
    void *value = NULL;
    int error = pthread_join((pthread_t)thread, &value);

    if (result_out)
        *result_out = (int)(intptr_t)value;
    return result(error);
}

int mtx_init(mtx_t *mutex, int type)
{
    pthread_mutexattr_t attr;

    pthread_mutexattr_init(&attr);
    if (type & mtx_recursive)
        pthread_mutexattr_settype(&attr, PTHREAD_MUTEX_RECURSIVE);
    int error = pthread_mutex_init((pthread_mutex_t *)mutex, &attr);
    pthread_mutexattr_destroy(&attr);
    return result(error);
}

void mtx_destroy(mtx_t *mutex)
{
    pthread_mutex_destroy((pthread_mutex_t *)mutex);
}

int mtx_lock(mtx_t *mutex)
{
    return result(pthread_mutex_lock((pthread_mutex_t *)mutex));
}

int mtx_unlock(mtx_t *mutex)
{
    return result(pthread_mutex_unlock((pthread_mutex_t *)mutex));
}

int cnd_init(cnd_t *cond)
{
    return result(pthread_cond_init((pthread_cond_t *)cond, NULL));
}

void cnd_destroy(cnd_t *cond)
{
    pthread_cond_destroy((pthread_cond_t *)cond);
}

int cnd_signal(cnd_t *cond)
{
    return result(pthread_cond_signal((pthread_cond_t *)cond));
}

int cnd_broadcast(cnd_t *cond)
{
    return result(pthread_cond_broadcast((pthread_cond_t *)cond));
}

int cnd_wait(cnd_t *cond, mtx_t *mutex)
{
    return result(pthread_cond_wait((pthread_cond_t *)cond, (pthread_mutex_t *)mutex));
}

int cnd_timedwait(cnd_t *cond, mtx_t *mutex, const struct timespec *until)
{
    return result(pthread_cond_timedwait((pthread_cond_t *)cond, (pthread_mutex_t *)mutex, until));
}
