/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The file sink: files that others rename, cut, replace or put in the way, at work and while nobody is;
 * what cannot be written; rotation. Kills: test_sink_file_kill.c.
 */
#include <unit/sink_fixture.h>

static void test_first_start_appends(void **state)
{
    struct run r;

    (void)state;
    write_file("out", "old\n");
    begin_with(&r, "a");
    die_after(&r, "b");
    assert_file("out", "old\na\nb\n");
    begin_with(&r, "b"); /* cut, and written again */
    run_end(&r);
    assert_file("out", "old\na\nb\n");
}

static void test_first_start_behind_a_piece(void **state)
{
    struct run r;

    (void)state;
    write_file("out", "half a li");
    begin_with(&r, "a");
    die_after(&r, "b");
    begin_with(&r, "b");
    run_end(&r);
    assert_file("out", "half a li\na\nb\n");
}

static void test_killed_before_the_first_position(void **state)
{
    struct run r;

    (void)state;
    run_begin(&r);
    assert_true(run_start(&r));
    assert_true(sink_unsettled(r.sink)); /* nothing may be written yet */
    run_end(&r);
    begin_with(&r, "a");
    run_end(&r);
    assert_file("out", "a\n");
}

static void test_renamed_while_down(void **state)
{
    struct run r;

    (void)state;
    begin_with(&r, "a");
    die_after(&r, "b");
    assert_int_equal(rename(in_dir("out"), in_dir("out.1")), 0);
    begin_with(&r, "b");
    run_end(&r);
    assert_file("out.1", "a\n");
    assert_file("out", "b\n");
}

static void test_replaced_while_down(void **state)
{
    struct run r;

    (void)state;
    begin_with(&r, "a");
    die_after(&r, "b");
    assert_int_equal(rename(in_dir("out"), in_dir("out.1")), 0);
    write_file("out", "foreign, longer than what we wrote\n");
    begin_with(&r, "b");
    run_end(&r);
    assert_file("out.1", "a\n");
    assert_file("out", "foreign, longer than what we wrote\nb\n");
}

static void test_removed_and_made_anew_while_down(void **state)
{
    struct run r;

    (void)state;
    begin_with(&r, "a");
    die_after(&r, "b");
    assert_int_equal(unlink(in_dir("out")), 0);
    write_file("out", "may have the same inode\n");
    begin_with(&r, "b");
    run_end(&r);
    assert_file("out", "may have the same inode\nb\n");
}

static void test_cut_short_while_down(void **state)
{
    struct run r;

    (void)state;
    begin_with(&r, "first");
    run_end(&r);
    assert_int_equal(truncate(in_dir("out"), 2), 0);
    begin_with(&r, "b");
    die_after(&r, "c");
    begin_with(&r, "c");
    run_end(&r);
    assert_file("out", "fi\nb\nc\n");
}

static void test_cut_short_while_running(void **state)
{
    struct run r;

    (void)state;
    begin_with(&r, "first");
    assert_int_equal(truncate(in_dir("out"), 0), 0);
    assert_true(run_line(&r, "b"));
    assert_true(run_flush(&r));
    run_save(&r);
    die_after(&r, "c");
    begin_with(&r, "c");
    run_end(&r);
    assert_file("out", "b\nc\n");
}

static void test_renamed_while_running(void **state)
{
    struct run r;

    (void)state;
    begin_with(&r, "a");
    assert_int_equal(rename(in_dir("out"), in_dir("out.1")), 0);
    assert_true(run_line(&r, "b")); /* not seen yet: to the file that it has */
    assert_true(run_flush(&r));
    sink_reopen(r.sink);
    assert_true(sink_unsettled(r.sink));
    assert_true(run_settle(&r));
    assert_true(run_line(&r, "c"));
    assert_true(run_flush(&r));
    run_save(&r);
    assert_false(sink_unsettled(r.sink));
    assert_file("out.1", "a\nb\n");
    assert_file("out", "c\n");
    die_after(&r, "d");
    assert_int_equal(rename(in_dir("out"), in_dir("out.2")), 0);
    begin_with(&r, "d");
    run_end(&r);
    assert_file("out.2", "c\n");
    assert_file("out", "d\n");
}

/* Killed between the new position and the first line in the file that others put there. */
static void test_killed_at_a_move(void **state)
{
    struct run r;

    (void)state;
    begin_with(&r, "a");
    assert_int_equal(rename(in_dir("out"), in_dir("out.1")), 0);
    write_file("out", "made by logrotate\n");
    assert_true(sink_unsettled(r.sink));
    assert_true(run_flush(&r));
    run_save(&r);
    run_end(&r);
    begin_with(&r, "b");
    run_end(&r);
    assert_file("out.1", "a\n");
    assert_file("out", "made by logrotate\nb\n");
}

static void test_damaged_position(void **state)
{
    struct run r;

    (void)state;
    begin_with(&r, "a");
    r.position.data[0] = 77;
    assert_true(run_start(&r));
    assert_true(run_settle(&r));
    assert_true(run_line(&r, "b"));
    assert_true(run_flush(&r));
    run_end(&r);
    assert_file("out", "a\nb\n");
}

static void assert_start_fails(const char *path, const char *reason)
{
    struct sink_file_options opt = {.name = "disk", .path = path};
    struct sink *s = sink_file_new(&opt);
    struct buf why;

    buf_init(&why);
    assert_false(sink_start(s, &(struct sink_place){0}, &why));
    if (!strstr(why.data, reason))
        fail_msg("%s: %s", path, why.data);
    buf_fini(&why);
    sink_free(&s);
}

static void test_what_cannot_be_written(void **state)
{
    struct run r;

    (void)state;
    write_file("target", "precious\n");
    assert_int_equal(symlink("target", in_dir("link")), 0);
    assert_start_fails(in_dir("link"), "symbolic link");
    assert_int_equal(mkfifo(in_dir("fifo"), 0600), 0);
    assert_start_fails(in_dir("fifo"), "not a regular file");
    assert_start_fails(dir, "Is a directory");
    assert_start_fails(in_dir("none/out"), "does not exist");
    assert_start_fails(in_dir("target/out"), "Not a directory");
    begin_with(&r, "a");
    assert_start_fails(in_dir("out"), "another sink");
    run_end(&r);
    assert_file("target", "precious\n");
}

/* ---- rotation ------------------------------------------------------------------------------------ */

static void rotate_lines(struct run *r, unsigned lines)
{
    for (unsigned i = 0; i < lines; i++) {
        assert_true(run_settle(r));
        assert_true(run_line(r, "0123456789"));
        assert_true(run_flush(r));
    }
    assert_true(run_settle(r));
}

static void test_keep(void **state)
{
    char *name[MAX_FILES];
    struct run r;

    (void)state;
    write_file("out.20201231T235959Z-000041", "of an earlier life\n");
    write_file("out.20201231T235959Z-000041.gz", "not one of ours\n");
    write_file("out.20201231T235959Z", "nor this\n");
    run_begin_sized(&r, 20, 2);
    assert_true(run_start(&r));
    rotate_lines(&r, 8); /* two lines a file */
    run_end(&r);
    size_t n = archives(name);
    assert_int_equal(n, 4);
    assert_non_null(strstr(name[2], "Z-000044"));
    assert_non_null(strstr(name[3], "Z-000045"));
    for (size_t i = 0; i < n; i++)
        free(name[i]);
    assert_file("out", "");
}

/* Something else is in the way of the next file: lines go on in the old one. */
static void test_rotation_put_off(void **state)
{
    struct run r;

    (void)state;
    write_file("out.next", "foreign\n");
    run_begin_sized(&r, 20, 0);
    assert_true(run_start(&r));
    rotate_lines(&r, 4);
    run_end(&r);
    assert_file("out.next", "foreign\n");
    assert_file("out", "0123456789\n0123456789\n0123456789\n0123456789\n");
}

/* Someone puts a file at the path between the two renames: it stays, and is gone on with. */
static void test_foreign_file_within_a_rotation(void **state)
{
    char *name[MAX_FILES];
    struct run r;

    (void)state;
    run_begin_sized(&r, 5, 0);
    assert_true(run_start(&r));
    assert_true(run_settle(&r));
    assert_true(run_line(&r, "0123456789"));
    assert_true(run_flush(&r));
    assert_true(sink_unsettled(r.sink));
    assert_true(run_flush(&r));
    run_save(&r);
    run_end(&r);
    assert_int_equal(rename(in_dir("out"), in_dir("out.20270101T000000Z-000001")), 0);
    write_file("out", "foreign\n");
    run_begin(&r);
    assert_true(run_start(&r));
    assert_true(run_settle(&r));
    assert_true(run_line(&r, "b"));
    assert_true(run_flush(&r));
    run_end(&r);
    assert_file("out", "foreign\nb\n");
    assert_int_not_equal(access(in_dir("out.next"), F_OK), 0);
    size_t n = archives(name);
    assert_int_equal(n, 1);
    assert_file(name[0], "0123456789\n");
    free(name[0]);
}

static void test_rotation_by_time(void **state)
{
    char *name[MAX_FILES];
    struct sink_file_options opt = {.name = "disk", .path = in_dir("out"),
                                    .rotate_every = INT64_C(1000000000)};
    struct run r;

    (void)state;
    run_begin(&r);
    sink_free(&r.sink);
    r.sink = sink_file_new(&opt);
    assert_true(run_start(&r));
    assert_true(run_settle(&r));
    usleep(1000000); /* empty: not rotated */
    assert_false(sink_unsettled(r.sink));
    assert_true(run_line(&r, "a"));
    assert_true(run_flush(&r));
    usleep(1000000);
    assert_true(run_settle(&r));
    run_end(&r);
    size_t n = archives(name);
    assert_int_equal(n, 1);
    assert_file(name[0], "a\n");
    assert_file("out", "");
    free(name[0]);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(test_first_start_appends),
        TEST(test_first_start_behind_a_piece),
        TEST(test_killed_before_the_first_position),
        TEST(test_renamed_while_down),
        TEST(test_replaced_while_down),
        TEST(test_removed_and_made_anew_while_down),
        TEST(test_cut_short_while_down),
        TEST(test_cut_short_while_running),
        TEST(test_renamed_while_running),
        TEST(test_killed_at_a_move),
        TEST(test_damaged_position),
        TEST(test_what_cannot_be_written),
        TEST(test_keep),
        TEST(test_rotation_put_off),
        TEST(test_foreign_file_within_a_rotation),
        TEST(test_rotation_by_time),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
