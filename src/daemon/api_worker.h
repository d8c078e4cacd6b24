// SPDX-License-Identifier: Apache-2.0
/*
 * api_worker - a thread of the interface for answers that take a while and do not need main: reading much
 * from the database, writing a file. One job after the other, in the order in which they came.
 *
 *   server's thread --api_worker_put--> [queue, bounded] --> work(ctx, false), which answers
 *                    \-- full: false        \-- at the end: work(ctx, true), which answers "the daemon stops"
 *
 * A job that reads the database uses store_look, or bounds its waiting otherwise: the end of the thread waits
 * for the one that is under way.
 */
#ifndef DAEMON_API_WORKER_H
#define DAEMON_API_WORKER_H

#include <stdbool.h>
#include <stddef.h>

struct api_worker;

/* ended: it was not begun, and nothing is to be done but to answer. */
typedef void api_work_fn(void *ctx, bool ended);

/* most: jobs that may wait. Starts the thread. */
struct api_worker *api_worker_new(size_t most);
/* Any thread. False: too many wait, or it ends; ctx stays the caller's. */
bool api_worker_put(struct api_worker *worker, api_work_fn *work, void *ctx);
/* Is the worker about to end? A long job looks now and then, and gives up. */
bool api_worker_ending(struct api_worker *worker);
/* What waits is ended. NULL is fine. */
void api_worker_free(struct api_worker **worker);

#endif
