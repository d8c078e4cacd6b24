/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Checkpoints, outbox, delivery and a file sink that rotates, together, killed at each step of theirs:
 * all files of the sink hold each message once, in order.
 */
#include <unit/failpoint_fixture.h>
#include <unit/sink_fixture.h>

#include "flow/deliver.h"
#include "state/checkpoint.h"
#include "state/checkpoint_priv.h"
#include "state/outbox.h"

enum { EPOCH_LINES = 8 };

static struct epoch *epoch_from(uint64_t first)
{
    struct epoch *ep = epoch_new();
    char text[32];

    for (uint64_t i = first; i < first + EPOCH_LINES; i++) {
        struct epoch_message *m = epoch_message_add(ep);
        m->sink = mem_calloc(1, sizeof *m->sink);
        m->n_sinks = 1;
        m->len = (size_t)snprintf(text, sizeof text, "%llu", (unsigned long long)i);
        m->text = mem_strndup(text, m->len);
    }
    return ep;
}

/* Submits all lines that are not durable yet, and ends when all are delivered. */
static int child(uint64_t rotate_size)
{
    struct sink_file_options file = {.name = "disk", .path = in_dir("out"),
                                     .rotate_size = rotate_size};
    struct checkpoint_options opt = {.dir = in_dir("state"), .create = true};
    struct outbox_sink config = {.name = "disk"};
    struct outbox_stats stats;
    struct buf why;

    buf_init(&why);
    struct checkpoint *cp = checkpoint_open(&opt, &why);
    if (!cp || !outbox_configure(checkpoint_outbox(cp), &config, 1, &why))
        return 2;
    struct sink *sink = sink_file_new(&file);
    uint64_t epochs = checkpoint_meta(cp).epoch;
    checkpoint_start(cp);
    struct deliver *d = deliver_start(checkpoint_outbox(cp), checkpoint_meta(cp).id, &sink, 1, NULL);
    for (; epochs < LINES / EPOCH_LINES; epochs++) {
        checkpoint_submit(cp, epoch_from(epochs * EPOCH_LINES + 1));
        while (checkpoint_waiting(cp) > 2)
            usleep(200);
    }
    if (!checkpoint_settle(cp, -1))
        return 3;
    do {
        usleep(1000);
        outbox_stats(checkpoint_outbox(cp), 0, &stats);
    } while (stats.waiting > 0);
    if (!deliver_stop(&d, INT64_C(10000000000)))
        return 4;
    checkpoint_free(&cp);
    sink_free(&sink);
    buf_fini(&why);
    return 0;
}

static void assert_after(const char *failpoints)
{
    new_dir();
    run_child(failpoints, 300);
    run_child(failpoints, 300);
    run_child("", 300);
    assert_all_lines(failpoints);
}

static void test_plain_run(void **state)
{
    (void)state;
    assert_after("");
}

#ifdef TOCSIN_FAILPOINTS

static void test_kill_at_each_step(void **state)
{
    char what[64];

    (void)state;
    for (int i = FAILPOINT_epoch_submitted; i <= FAILPOINT_sink_cut; i++)
        for (unsigned at = 1; at < 10; at += 5) {
            snprintf(what, sizeof what, "%s=kill@%u", failpoint_name(i), at);
            assert_after(what);
        }
}

static void test_failing_steps(void **state)
{
    static const char *const failpoints[] = {
        "sink_write=full@3", "sink_sync=error@4,store_write=error@3", "sink_turn_renamed=error@2",
        "store_write=full@2", "store_written=error@5", "store_read=error@7,sink_write=error@2",
        "sink_write=full@3,sink_cut=error@1,sink_synced=kill@9",
    };

    (void)state;
    for (size_t i = 0; i < sizeof failpoints / sizeof *failpoints; i++)
        assert_after(failpoints[i]);
}

#endif

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        TEST(test_plain_run),
#ifdef TOCSIN_FAILPOINTS
        TEST(test_kill_at_each_step),
        TEST(test_failing_steps),
#endif
    };
    self = argv[0];
    if (argc == 4 && strcmp(argv[1], "child") == 0) {
        snprintf(dir, sizeof dir, "%s", argv[2]);
        return child(strtoul(argv[3], NULL, 10));
    }
    return failpoint_exit(cmocka_run_group_tests(tests, NULL, NULL),
                          "kills and failures at each step");
}
