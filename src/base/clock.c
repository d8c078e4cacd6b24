// SPDX-License-Identifier: Apache-2.0
#include "base/clock.h"

#include <stdio.h>
#include <stdlib.h>
#include <time.h>

static int64_t read_clock(clockid_t id)
{
    struct timespec ts;

    clock_gettime(id, &ts);
    return (int64_t)ts.tv_sec * 1000000000 + ts.tv_nsec;
}

#ifdef TOCSIN_FAILPOINTS
static int64_t offset(void)
{
    const char *path = getenv("TOCSIN_CLOCK_OFFSET");
    FILE *file = path ? fopen(path, "re") : NULL;
    long long ns = 0;

    if (!file)
        return 0;
    if (fscanf(file, "%lld", &ns) != 1)
        ns = 0;
    fclose(file);
    return ns;
}
#else
static int64_t offset(void)
{
    return 0;
}
#endif

int64_t clock_wall(void)
{
    return read_clock(CLOCK_REALTIME) + offset();
}

int64_t clock_monotonic(void)
{
    return read_clock(CLOCK_MONOTONIC);
}

int64_t clock_thread(void)
{
    return read_clock(CLOCK_THREAD_CPUTIME_ID);
}
