// SPDX-License-Identifier: Apache-2.0
#include "cli/progress.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

enum { BAR = 30, REDRAW_NS = 100 * 1000 * 1000 };

static int64_t now(void)
{
    struct timespec ts;

    clock_gettime(CLOCK_MONOTONIC, &ts);
    return (int64_t)ts.tv_sec * 1000000000 + ts.tv_nsec;
}

void progress_init(struct progress *p)
{
    /* Alerts that are printed to the same terminal would tear the line. */
    *p = (struct progress){.shown = isatty(STDERR_FILENO) && !isatty(STDOUT_FILENO)};
    p->started = now();
    p->last = p->started;
}

double progress_seconds(const struct progress *p)
{
    return (double)(now() - p->started) / 1e9;
}

void progress_draw(struct progress *p, uint64_t done, uint64_t total, uint64_t events)
{
    char bar[BAR + 1];
    int64_t t;

    if (!p->shown || (t = now()) - p->last < REDRAW_NS)
        return;
    p->last = t;
    p->drawn = true;
    if (total == 0) {
        fprintf(stderr, "\r\033[K%.1f MB, %" PRIu64 " events", (double)done / 1e6, events);
        return;
    }
    if (done > total)
        done = total;
    int full = (int)((double)done / (double)total * BAR);
    memset(bar, '.', BAR);
    memset(bar, '#', (size_t)full);
    bar[BAR] = '\0';
    fprintf(stderr, "\r\033[K[%s] %3.0f %% of %.1f MB, %" PRIu64 " events", bar,
            (double)done / (double)total * 100, (double)total / 1e6, events);
}

void progress_wipe(struct progress *p)
{
    if (p->drawn)
        fputs("\r\033[K", stderr);
    p->drawn = false;
}
