// SPDX-License-Identifier: Apache-2.0
/*
 * clock - wall time and monotonic time, ns.
 *
 * In a build with failpoints (configure --enable-failpoints) the wall clock is moved by the number of
 * ns in the file that TOCSIN_CLOCK_OFFSET names, read anew at each call: tests step it both ways.
 */
#ifndef BASE_CLOCK_H
#define BASE_CLOCK_H

#include <stdint.h>

int64_t clock_wall(void);      /* since 1970, UTC; may step both ways */
int64_t clock_monotonic(void); /* never back; only differences mean something */
int64_t clock_thread(void);    /* of a CPU, that the calling thread had */

#endif
