/* SPDX-License-Identifier: Apache-2.0 */
/* The spool on a disk that fails, and its process killed at each step: no line is lost or doubled. */
#include <unit/failpoint_fixture.h>
#include <unit/spool_fixture.h>

#include <signal.h>

#include "base/failpoint.h"

enum { LINES = 250 };
static UNUSED const char *self;

static unsigned count_lines(struct spool *sp, unsigned first, uint64_t *next_out)
{
    struct spool_reader *rd = spool_reader_new(sp, 0, PADDING);
    struct spool_line line = {0};
    struct buf why;
    unsigned n = first;

    buf_init(&why);
    while (spool_read(rd, &line, &why) == SPOOL_LINE) {
        unsigned is = 0;
        for (size_t i = 0; i < line.len && line.text[i] >= '0' && line.text[i] <= '9'; i++)
            is = is * 10 + (unsigned)(line.text[i] - '0');
        if (n == 0)
            n = is; /* those before it were released */
        if (n != is)
            exit(3);
        n++;
        *next_out = line.next;
    }
    buf_fini(&why);
    spool_reader_free(&rd);
    return n;
}

/* Appends what is not in it yet, up to LINES; releases what is older than the last 100 lines. */
static int child(void)
{
    struct spool *sp;
    struct buf why;
    uint64_t next = 0;
    unsigned n;

    buf_init(&why);
    opt = (struct spool_options){.dir = dir, .segment = 1500, .retry = MS};
    sp = spool_open(&opt, &why);
    if (!sp)
        return 4;
    n = count_lines(sp, 0, &next);
    for (n = n ? n : 1; n <= LINES; n++) {
        if (!append(sp, n) || (n % 3 == 0 && !spool_sync(sp)))
            return 5;
        if (n % 100 == 0)
            spool_release(sp, next);
        if (n % 100 == 50)
            next = spool_durable(sp);
    }
    if (!spool_sync(sp))
        return 6;
    n = count_lines(sp, 0, &next);
    spool_free(&sp);
    buf_fini(&why);
    return n == LINES + 1 ? 0 : 7;
}

/* True: killed. */
static UNUSED bool run_child(const char *failpoints)
{
    int status;
    pid_t pid = fork();

    assert_true(pid >= 0);
    if (pid == 0) {
        int null = open("/dev/null", O_WRONLY);
        dup2(null, 2);
        setenv("TOCSIN_FAILPOINTS", failpoints, 1);
        execl(self, self, dir, (char *)NULL);
        _exit(127);
    }
    waitpid(pid, &status, 0);
    if (WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL)
        return true;
    if (!WIFEXITED(status) || WEXITSTATUS(status) != 0)
        fail_msg("%s: status %x", failpoints, (unsigned)status);
    return false;
}

#ifdef TOCSIN_FAILPOINTS
static void killed(void **state)
{
    unsigned kills = 0;

    (void)state;
    for (int i = FAILPOINT_spool_append; i <= FAILPOINT_spool_remove; i++)
        for (int at = 1; at < 60; at *= 3) {
            char text[80];

            snprintf(text, sizeof text, "%s=kill@%d", failpoint_name((enum failpoint)i), at);
            kills += run_child(text);
            kills += run_child(text);
            assert_false(run_child(""));
            remove_dir(NULL);
            assert_int_equal(make_dir(NULL), 0);
        }
    assert_true(kills > 15);
}

static void failing(void **state)
{
    static const char *const points[] = {
        "spool_sync=error@1", "spool_sync=error@2", "spool_sync=full@30", "spool_write=full@1",
        "spool_write=error@17", "spool_roll=full@1", "spool_roll=error@3", "spool_remove=error@1",
        "spool_sync=error@40,spool_roll=full@5,spool_write=full@31", "spool_sync=error@1,spool_roll=error@2",
    };

    (void)state;
    for (size_t i = 0; i < sizeof points / sizeof *points; i++) {
        assert_false(run_child(points[i]));
        struct spool *sp = open_spool(NULL);
        uint64_t next;
        assert_int_equal(count_lines(sp, 0, &next), LINES + 1);
        spool_free(&sp);
        remove_dir(NULL);
        assert_int_equal(make_dir(NULL), 0);
    }
}

/* Never works again: stopped, it comes back; nothing that was not durable was shown. */
static void fails_for_good(void **state)
{
    (void)state;
    for (int i = 0; i < 3; i++) {
        static const char *const points[] = {"spool_sync=error@20+", "spool_write=full@20+",
                                             "spool_roll=full@2+"};
        char text[100];
        int status;
        pid_t pid = fork();

        if (pid == 0) {
            int null = open("/dev/null", O_WRONLY);
            dup2(null, 2);
            setenv("TOCSIN_FAILPOINTS", points[i], 1);
            execl(self, self, dir, (char *)NULL);
            _exit(127);
        }
        usleep(150000); /* it waits, for ever */
        assert_int_equal(waitpid(pid, &status, WNOHANG), 0);
        kill(pid, SIGKILL);
        waitpid(pid, &status, 0);
        snprintf(text, sizeof text, "after %s", points[i]);
        assert_false(run_child(""));
        remove_dir(NULL);
        assert_int_equal(make_dir(NULL), 0);
    }
}
#else
static void works(void **state)
{
    (void)state;
    assert_false(run_child(""));
}
#endif

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
#ifdef TOCSIN_FAILPOINTS
        TEST(killed), TEST(failing), TEST(fails_for_good),
#else
        TEST(works),
#endif
    };

    self = argv[0];
    if (argc == 2) {
        snprintf(dir, sizeof dir, "%s", argv[1]);
        return child();
    }
    return failpoint_exit(cmocka_run_group_tests(tests, NULL, NULL),
                          "kills and failures of the spool at each step");
}
