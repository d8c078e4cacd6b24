// SPDX-License-Identifier: Apache-2.0
/*
 * failpoint - numbered steps at which tests kill the daemon or make an operation fail.
 *
 * Only in a build with configure --enable-failpoints; otherwise failpoint_hit is a constant.
 *     TOCSIN_FAILPOINTS='NAME=ACTION[@N][,...]'     N: at the N-th time (1); @N+: from then on; @N-M: to the M-th
 * ACTION: kill (SIGKILL to itself), error (failpoint_hit returns EIO), full (ENOSPC), delay:MS.
 * A name that is not in failpoint.def ends the process: a test must not pass for a slip of the pen.
 */
#ifndef BASE_FAILPOINT_H
#define BASE_FAILPOINT_H

enum failpoint {
#define FAILPOINT(name, where) FAILPOINT_##name,
#include "base/failpoint.def"
#undef FAILPOINT
    N_FAILPOINTS
};

#ifdef TOCSIN_FAILPOINTS
/* 0, or the errno that the step must end with. Threads may call it at once. */
int failpoint_hit(enum failpoint point);
#else
static inline int failpoint_hit(enum failpoint point)
{
    (void)point;
    return 0;
}
#endif

/* "barrier_placed": for lists of them in tests. */
const char *failpoint_name(enum failpoint point);

#endif
