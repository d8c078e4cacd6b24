/* SPDX-License-Identifier: Apache-2.0 */
/* failpoint_fixture - tests that let steps fail, or kill: what they say where that cannot be had. */
#ifndef UNIT_FAILPOINT_FIXTURE_H
#define UNIT_FAILPOINT_FIXTURE_H

#include <stdio.h>
#include <stdlib.h>

/* The exit code of a test program whose other tests ended with `failed`, cmocka's. In a build without
 * failpoints `what` was left out, and that is no success: a skip (77), where CI is set a failure. */
static inline int failpoint_exit(int failed, const char *what)
{
#ifdef TOCSIN_FAILPOINTS
    (void)what;
    return failed;
#else
    const char *ci = getenv("CI");
    int code = failed ? failed : ci && *ci ? 1 : 77;

    fprintf(stderr, "%s: NOT TESTED: %s: this needs configure --enable-failpoints\n",
            code == 77 ? "SKIPPED" : "FAILED", what);
    return code;
#endif
}

#endif
