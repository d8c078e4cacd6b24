// SPDX-License-Identifier: Apache-2.0
/*
 * notify - what the service manager is told (sd_notify(3), of libsystemd): states, a line of text, that
 * it is alive, that something takes longer. Nothing if none asked (NOTIFY_SOCKET), or if tocsin was built
 * without libsystemd.
 *
 *     start --notify_ready--> running --notify_reloading--> --notify_ready--> running --notify_stopping--> end
 *
 * The main thread alone calls.
 */
#ifndef DAEMON_NOTIFY_H
#define DAEMON_NOTIFY_H

#include <stdbool.h>
#include <stdint.h>

struct notify { /* embedded */
    bool on;          /* somebody listens */
    int64_t watchdog; /* ns: it wants to hear that often that we are alive; 0: it does not */
    int64_t fed, extended; /* monotonic */
};

void notify_init(struct notify *n); /* asks the environment */
void notify_ready(struct notify *n);
void notify_reloading(struct notify *n);
/* within: ns that the end may take; so long it does not want to hear that we are alive. */
void notify_stopping(struct notify *n, int64_t within);
/* What comes now may take so long (ns), and nothing is heard meanwhile. */
void notify_wait(struct notify *n, int64_t within);
void notify_status(struct notify *n, const char *text);
/* All that matters gets on: told when it is due. */
void notify_alive(struct notify *n);
/* A start, a reload or a stop gets on and takes its time: more of it is asked for, once a second. */
void notify_busy(struct notify *n);

#endif
