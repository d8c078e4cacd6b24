// SPDX-License-Identifier: Apache-2.0
/*
 * cond - conditions whose waits end by the monotonic clock: a wall clock that is stepped moves none of them.
 *
 * A wait may end for no reason, as those of POSIX do: who waits looks again at what it waits for.
 */
#ifndef BASE_COND_H
#define BASE_COND_H

#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>

void cond_init(pthread_cond_t *cond); /* ended by pthread_cond_destroy */
/* With the lock, until it is signalled or clock_monotonic() is `until` (ns; INT64_MAX: never). False: the time is
 * over. */
bool cond_wait_until(pthread_cond_t *cond, pthread_mutex_t *lock, int64_t until);

#endif
