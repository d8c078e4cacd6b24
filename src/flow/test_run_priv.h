// SPDX-License-Identifier: Apache-2.0
/* test_run_priv - a test while it runs: test_run.c fills it, test_judge.c compares and reports. */
#ifndef FLOW_TEST_RUN_PRIV_H
#define FLOW_TEST_RUN_PRIV_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "engine/alert.h"

struct buf;
struct program;
struct program_test;
struct program_test_item;

/* What became of an event of the test. */
enum test_fate { TEST_FITS, TEST_FITS_ANOTHER, TEST_FITS_NOTHING, TEST_LATE };

struct test_outcome {
    const struct program *prog; /* the one that ran */
    const struct program_test *test;
    uint32_t rule;              /* in prog */
    int64_t start;              /* ns, event time of offset 0 */
    uint8_t *fate;              /* [test->n_items]: enum test_fate, of events */
    struct alert_list alerts;   /* of the rule alone, in the order of output */
};

/* "file:line: " of an item. */
void test_place(struct buf *out, const struct program_test_item *item);
/* Of a stream that no rule reads: "(unread)". */
const char *test_stream_name(const struct test_outcome *outcome, uint32_t stream);
/* Compares the alerts with what is expected; on false says in why what differs first. */
bool test_judge(const struct test_outcome *outcome, struct buf *why);
/* Appends the events and the alerts, for a test that failed. */
void test_report(const struct test_outcome *outcome, struct buf *why);

#endif
