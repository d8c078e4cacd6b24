/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The file sink killed at each step of its protocol, failing at some, killed at random moments. The lines
 * of a run are numbers; whatever happens, all its files together hold each once, in order.
 */
#include <unit/failpoint_fixture.h>
#include <unit/sink_fixture.h>

static bool run_batch(struct run *r, unsigned n)
{
    char text[32];

    if (!run_settle(r))
        return false;
    for (unsigned i = 0; i < n && r->taken < LINES; i++) {
        snprintf(text, sizeof text, "%llu", (unsigned long long)r->taken + 1);
        if (!run_line(r, text))
            return false;
    }
    if (!run_flush(r))
        return false;
    if (++r->acks % 3 == 0) /* what is acknowledged is durable later only */
        run_save(r);
    return true;
}

/* In a process of its own: all lines, whatever fails. */
static int child(uint64_t rotate_size)
{
    struct run r;
    bool started = false;

    run_begin_sized(&r, rotate_size, 0);
    for (unsigned tries = 0; tries < 1000 && (!started || r.acked < LINES); tries++) {
        if (!started)
            started = run_start(&r);
        else
            started = run_batch(&r, 7);
    }
    run_save(&r);
    int code = r.acked < LINES;
    run_end(&r);
    return code;
}

/* ---- kills and failures --------------------------------------------------------------------------- */

static void test_plain_run(void **state)
{
    (void)state;
    assert_false(run_child("", 0));
    assert_all_lines("no rotation");
    new_dir();
    assert_false(run_child("", 300));
    assert_all_lines("rotation");
}

#ifdef TOCSIN_FAILPOINTS

static void test_kill_at_each_step(void **state)
{
    static const unsigned at[] = {1, 2, 5};
    char what[64];

    for (int i = FAILPOINT_sink_write; i <= FAILPOINT_sink_turned; i++) {
        bool killed = false;
        for (size_t k = 0; k < sizeof at / sizeof *at; k++) {
            new_dir();
            snprintf(what, sizeof what, "%s=kill@%u", failpoint_name(i), at[k]);
            killed |= run_child(what, 300);
            killed |= run_child(what, 300); /* and once more, after a recovery */
            run_child("", 300);
            assert_all_lines(what);
        }
        if (!killed)
            fail_msg("%s is never passed", failpoint_name(i));
    }
    new_dir(); /* a start that is killed before it cuts, and when it finishes a rotation */
    assert_true(run_child("sink_written=kill@5", 300));
    assert_true(run_child("sink_cut=kill", 300));
    assert_true(run_child("sink_turn_saved=kill", 300));
    assert_true(run_child("sink_turn_renamed=kill", 300));
    assert_false(run_child("", 300));
    assert_all_lines("killed starts");
    (void)state;
}

static void test_failing_steps(void **state)
{
    static const char *const failpoints[] = {
        "sink_write=full@3", "sink_write=full@1", "sink_sync=error@4", "sink_sync=error@1",
        "sink_write=error@5,sink_sync=error@9", "sink_turn_renamed=error@1",
        "sink_turn_renamed=error@2,sink_write=full@9", "sink_write=full@3,sink_cut=error@1",
        "sink_write=full@3,sink_written=kill@7",
    };
    for (size_t i = 0; i < sizeof failpoints / sizeof *failpoints; i++) {
        new_dir();
        if (run_child(failpoints[i], 300))
            run_child("", 300);
        assert_all_lines(failpoints[i]);
    }
    (void)state;
}

#endif

static void test_kill_at_random(void **state)
{
    const char *given = getenv("SEED"); /* of when it is killed: make check sets it */
    unsigned seed = given ? (unsigned)strtoul(given, NULL, 10) : (unsigned)getpid();
    int status, kills = 0;

    (void)state;
    for (int round = 0; round < 2; round++) {
        new_dir();
        for (bool done = false; !done;) {
            pid_t pid = begin_child("sink_synced=delay:1", 300);
            usleep((useconds_t)(rand_r(&seed) % 40000));
            kill(pid, SIGKILL);
            waitpid(pid, &status, 0);
            done = WIFEXITED(status) && WEXITSTATUS(status) == 0;
            kills += !done;
            if (kills > 2000)
                run_child("", 300), done = true;
        }
        assert_all_lines("killed at random");
    }
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        TEST(test_plain_run),
#ifdef TOCSIN_FAILPOINTS
        TEST(test_kill_at_each_step),
        TEST(test_failing_steps),
#endif
        TEST(test_kill_at_random),
    };
    self = argv[0];
    if (argc == 4 && strcmp(argv[1], "child") == 0) {
        snprintf(dir, sizeof dir, "%s", argv[2]);
        return child(strtoul(argv[3], NULL, 10));
    }
    return failpoint_exit(cmocka_run_group_tests(tests, NULL, NULL),
                          "kills and failures at each step");
}
