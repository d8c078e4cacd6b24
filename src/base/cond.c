// SPDX-License-Identifier: Apache-2.0
#include "base/cond.h"

#include <time.h>

#define SECOND INT64_C(1000000000)

void cond_init(pthread_cond_t *cond)
{
    pthread_condattr_t attr;

    pthread_condattr_init(&attr);
    pthread_condattr_setclock(&attr, CLOCK_MONOTONIC);
    pthread_cond_init(cond, &attr);
    pthread_condattr_destroy(&attr);
}

bool cond_wait_until(pthread_cond_t *cond, pthread_mutex_t *lock, int64_t until)
{
    const struct timespec at = {.tv_sec = until / SECOND, .tv_nsec = until % SECOND};

    if (until == INT64_MAX)
        return pthread_cond_wait(cond, lock) == 0;
    return until > 0 && pthread_cond_timedwait(cond, lock, &at) == 0;
}
