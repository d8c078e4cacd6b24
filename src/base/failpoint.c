// SPDX-License-Identifier: Apache-2.0
#include "base/failpoint.h"

#include <errno.h>
#include <limits.h>
#include <pthread.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const char *const names[N_FAILPOINTS + 1] = {
#define FAILPOINT(name, where) #name,
#include "base/failpoint.def"
#undef FAILPOINT
};

const char *failpoint_name(enum failpoint point)
{
    return names[point];
}

#ifdef TOCSIN_FAILPOINTS

enum action { ACTION_NONE, ACTION_KILL, ACTION_ERROR, ACTION_FULL, ACTION_DELAY };

static struct {
    enum action action;
    unsigned long at, to; /* the times at which it acts */
    unsigned delay;     /* ms */
    unsigned long hits;
} state[N_FAILPOINTS + 1];

static pthread_once_t once = PTHREAD_ONCE_INIT;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static void refuse(const char *text)
{
    fprintf(stderr, "TOCSIN_FAILPOINTS: cannot read `%s`\n", text);
    exit(2);
}

static int find(const char *name)
{
    for (int i = 0; i < N_FAILPOINTS; i++)
        if (strcmp(names[i], name) == 0)
            return i;
    return -1;
}

/* NAME=ACTION[@N[+|-M]] */
static void take(char *item)
{
    char *action = strchr(item, '='), *at;
    int i;

    if (!action)
        refuse(item);
    *action++ = '\0';
    i = find(item);
    if (i < 0)
        refuse(item);
    state[i].at = state[i].to = 1;
    at = strchr(action, '@');
    if (at) {
        char *end;
        *at++ = '\0';
        state[i].at = state[i].to = strtoul(at, &end, 10);
        if (*end == '+')
            state[i].to = ULONG_MAX;
        else if (*end == '-')
            state[i].to = strtoul(end + 1, NULL, 10);
    }
    if (strcmp(action, "kill") == 0)
        state[i].action = ACTION_KILL;
    else if (strcmp(action, "error") == 0)
        state[i].action = ACTION_ERROR;
    else if (strcmp(action, "full") == 0)
        state[i].action = ACTION_FULL;
    else if (strncmp(action, "delay:", 6) == 0) {
        state[i].action = ACTION_DELAY;
        state[i].delay = (unsigned)strtoul(action + 6, NULL, 10);
    } else
        refuse(action);
}

static void read_all(void)
{
    const char *text = getenv("TOCSIN_FAILPOINTS");
    char *copy = text ? strdup(text) : NULL, *save = NULL;

    for (char *item = copy ? strtok_r(copy, ",", &save) : NULL; item;
         item = strtok_r(NULL, ",", &save))
        take(item);
    free(copy);
}

int failpoint_hit(enum failpoint point)
{
    bool acts;

    pthread_once(&once, read_all);
    if (state[point].action == ACTION_NONE)
        return 0;
    pthread_mutex_lock(&lock);
    unsigned long hits = ++state[point].hits;
    acts = hits >= state[point].at && hits <= state[point].to;
    pthread_mutex_unlock(&lock);
    if (!acts)
        return 0;
    switch (state[point].action) {
    case ACTION_KILL:
        kill(getpid(), SIGKILL);
        pause();
        return 0;
    case ACTION_ERROR:
        return EIO;
    case ACTION_FULL:
        return ENOSPC;
    case ACTION_DELAY:
        usleep(state[point].delay * 1000);
        return 0;
    default:
        return 0;
    }
}

#endif
