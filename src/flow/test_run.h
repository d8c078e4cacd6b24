// SPDX-License-Identifier: Apache-2.0
/*
 * test_run - runs a `test` block of a rule (language section 10), by the same stages as a replay.
 *
 * The events of a source are one partition, in the order written; `lateness` is 0s unless the test
 * says otherwise. Offset 0s is 2027-01-01T00:00:00Z. At the end time goes to infinity, or with
 * `until OFFSET` to that offset: what falls due at it has not been decided then.
 * All rules run; alerts of the test's own are judged, in the order of output. An expectation takes
 * the next alert (`expect N alerts`: the next N); what none takes fails the test.
 */
#ifndef FLOW_TEST_RUN_H
#define FLOW_TEST_RUN_H

#include <stdbool.h>

struct buf;
struct program;
struct program_test;

/* Runs one test of the program. False if it failed; then appends to why, in lines, what was
 * expected where, the events, and the alerts that came. */
bool test_run(struct program *prog, const struct program_test *test, struct buf *why);

#endif
