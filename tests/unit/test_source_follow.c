/* SPDX-License-Identifier: Apache-2.0 */
/* Files that grow, are renamed, truncated, deleted, cannot be read, while read and while stopped. */
#include "io/source_follow.h"

#include <unit/source_follow_fixture.h>

static void grows(void **state)
{
    struct reader *r = new_reader();

    (void)state;
    put("a.log", "\xef\xbb\xbfone\ntwo\r\n\n \t\npart", "w");
    open_one(r, "a.log");
    run(r, 50);
    expect(r, "open a.log 0\na.log 0 @3 one\na.log 0 @7 two\ncaught a.log 0\n");
    put("a.log", "ial", "a");
    run(r, 50);
    expect(r, "");
    put("a.log", " line\nnext\n", "a");
    run(r, 50);
    expect(r, "a.log 0 @16 partial line\na.log 0 @29 next\ncaught a.log 0\n");
    put("b.log", "not matched\n", "w");
    run(r, 50);
    expect(r, "");
    fini(r);
}

/* A file that is not there yet, in a directory that is not, either. */
static void appears_late(void **state)
{
    struct reader *r = new_reader();

    (void)state;
    open_one(r, "sub/*.log");
    run(r, 50);
    expect(r, "");
    assert_int_equal(mkdir(in_dir("sub"), 0700), 0);
    run(r, 50);
    put("sub/a.log", "one\n", "w");
    put("sub/a.log.gz", "no\n", "w");
    run(r, 50);
    expect(r, "open a.log 0\na.log 0 @0 one\ncaught a.log 0\n");
    put("sub/b.log", "", "w");
    run(r, 50);
    expect(r, "open b.log 0\ncaught b.log 0\n");
    put("sub/b.log", "two\n", "a");
    run(r, 50);
    expect(r, "b.log 0 @0 two\ncaught b.log 0\n");
    fini(r);
}

static void names(void **state)
{
    struct reader *r = new_reader();
    static const char *const tail[3] = {"*/a.log", "c/*.log", "c/a.log"};
    char text[3][256];
    const char *pattern[3];

    (void)state;
    for (int i = 0; i < 3; i++)
        pattern[i] = memcpy(text[i], in_dir(tail[i]), sizeof text[i]);
    r->quiet = true;
    mkdir(in_dir("x"), 0700);
    mkdir(in_dir("y"), 0700);
    mkdir(in_dir("c"), 0700);
    put("x/a.log", "x\n", "w");
    put("y/a.log", "y\n", "w");
    put("c/only.log", "c\n", "w");
    open_patterns(r, pattern, 3, true);
    run(r, 50);
    expect(r, "open only.log 0\nopen x/a.log 0\nopen y/a.log 0\n"
              "only.log 0 @0 c\nx/a.log 0 @0 x\ny/a.log 0 @0 y\n");
    /* a.log is free now, but one that comes with it later is not to change it */
    put("c/a.log", "late\n", "w");
    run(r, 50);
    expect(r, "open a.log 0\na.log 0 @0 late\n");
    mkdir(in_dir("z"), 0700);
    put("z/a.log", "later\n", "w");
    run(r, 50);
    expect(r, "open z/a.log 0\nz/a.log 0 @0 later\n");
    /* the same names after a restart, though a.log would be called c/a.log now */
    stop(r);
    put("c/a.log", "c2\n", "a");
    put("x/a.log", "x2\n", "a");
    put("z/a.log", "z2\n", "a");
    open_patterns(r, pattern, 3, true);
    run(r, 50);
    expect(r, "open a.log 0\nopen only.log 0\nopen x/a.log 0\nopen y/a.log 0\nopen z/a.log 0\n"
              "a.log 0 @5 c2\nx/a.log 0 @2 x2\nz/a.log 0 @6 z2\n");
    fini(r);
}

static void renamed(void **state)
{
    struct reader *r = new_reader();
    FILE *f;

    (void)state;
    r->forgets = true;
    put("a.log", "one\n", "w");
    open_one(r, "a.log*");
    run(r, 50);
    expect(r, "open a.log 0\na.log 0 @0 one\ncaught a.log 0\n");
    f = fopen(in_dir("a.log"), "a");
    move("a.log", "a.log.1");
    put("a.log", "", "w");
    run(r, 150);
    fputs("two\nrest", f); /* the writer has not turned to the new file yet */
    fflush(f);
    run(r, 150);
    expect(r, "a.log 0 @4 two\ncaught a.log 0\n");
    put("a.log", "new\n", "a");
    fclose(f);
    run(r, 200);
    expect(r, "a.log 0 @8 rest\nopen a.log 1\nend a.log 0\na.log 1 @0 new\ncaught a.log 1\n");
    /* once more; both renamed files are known */
    move("a.log.1", "a.log.2");
    move("a.log", "a.log.1");
    put("a.log", "newer\n", "w");
    run(r, 200);
    expect(r, "open a.log 2\nend a.log 1\na.log 2 @0 newer\ncaught a.log 2\n");
    /* and after a restart, too */
    stop(r);
    put("a.log", "more\n", "a");
    open_one(r, "a.log*");
    run(r, 100);
    expect(r, "open a.log 2\na.log 2 @6 more\ncaught a.log 2\n");
    /* gone from the patterns' sight: may be forgotten */
    unlink(in_dir("a.log.2"));
    run(r, 100);
    expect(r, "forget a.log 0\n");
    fini(r);
}

static void deleted(void **state)
{
    struct reader *r = new_reader();

    (void)state;
    put("a.log", "one\ntwo", "w");
    open_one(r, "*.log");
    run(r, 50);
    expect(r, "open a.log 0\na.log 0 @0 one\ncaught a.log 0\n");
    unlink(in_dir("a.log"));
    run(r, 200);
    expect(r, "a.log 0 @4 two\nend a.log 0\n");
    put("a.log", "three\n", "w");
    run(r, 100);
    expect(r, "open a.log 1\na.log 1 @0 three\ncaught a.log 1\n");
    fini(r);
}

#define LONG_LINE "a first line that is long enough to tell one file from another: "

static void truncated(void **state)
{
    struct reader *r = new_reader();

    (void)state;
    put("a.log", LONG_LINE "1\n", "w");
    open_one(r, "a.log");
    run(r, 50);
    put("a.log", "unread, but for the copy\n", "a");
    copy("a.log", "a.log.1");
    put("a.log", "", "w");
    r->quiet = true;
    buf_clear(&r->log);
    run(r, 50);
    put("a.log", LONG_LINE "2\n", "a");
    run(r, 100);
    /* the copy may have been needed, or not: the reader may have been faster */
    assert_non_null(strstr(r->log.data, "a.log 0 @66 unread, but for the copy\n"));
    assert_non_null(strstr(r->log.data, "open a.log 1\nend a.log 0\na.log 1 @0 a first line"));
    buf_clear(&r->log);
    /* truncated, and longer than before when it is looked at */
    stop(r);
    copy("a.log", "a.log.1");
    put("a.log", "lost by the reader, found in the copy\n", "a");
    copy("a.log", "a.log.1");
    put("a.log", LONG_LINE "3\n" LONG_LINE "4\n" LONG_LINE "5\n", "w");
    open_one(r, "a.log");
    run(r, 100);
    expect(r, "open a.log 1\na.log 1 @66 lost by the reader, found in the copy\n"
              "open a.log 2\nend a.log 1\n"
              "a.log 2 @0 " "a first line that is long enough to tell one file from anoth\n"
              "a.log 2 @66 " "a first line that is long enough to tell one file from anoth\n"
              "a.log 2 @132 " "a first line that is long enough to tell one file from anoth\n");
    /* no copy: a new generation all the same */
    unlink(in_dir("a.log.1"));
    put("a.log", "short\n", "w");
    run(r, 100);
    expect(r, "open a.log 3\nend a.log 2\na.log 3 @0 short\n");
    fini(r);
}

static void rotated_while_stopped(void **state)
{
    struct reader *r = new_reader();

    (void)state;
    r->quiet = true;
    put("a.log", "one\n", "w");
    open_one(r, "a.log");
    run(r, 50);
    stop(r);
    put("a.log", "two\nrest", "a");
    move("a.log", "a.log.2");
    usleep(20000);
    put("a.log.1", "between\n", "w");
    usleep(20000);
    put("a.log", "new\n", "w");
    put("a.log.bak", "not rotated\n", "w");
    open_one(r, "a.log");
    run(r, 150);
    expect(r, "open a.log 0\na.log 0 @0 one\n"
              "open a.log 0\na.log 0 @4 two\na.log 0 @8 rest\nopen a.log 1\nend a.log 0\n"
              "a.log 1 @0 between\nopen a.log 2\nend a.log 1\na.log 2 @0 new\n");
    /* not there at all: renamed, and no new file */
    stop(r);
    put("a.log", "newer\n", "a");
    move("a.log", "a.log.1");
    open_one(r, "a.log");
    run(r, 150);
    expect(r, "open a.log 2\na.log 2 @4 newer\n");
    put("a.log", "newest\n", "w");
    run(r, 150);
    expect(r, "open a.log 3\nend a.log 2\na.log 3 @0 newest\n");
    /* gone for good */
    stop(r);
    put("a.log", "never read\n", "a");
    unlink(in_dir("a.log"));
    put("other", "x\n", "w"); /* takes the inode, perhaps */
    put("a.log", "after the loss\n", "w");
    open_one(r, "a.log");
    run(r, 150);
    expect(r, "open a.log 3\nopen a.log 4\nend a.log 3\na.log 4 @0 after the loss\n");
    fini(r);
}

static void paused(void **state)
{
    struct reader *r = new_reader();
    struct source_item item;

    (void)state;
    r->quiet = true;
    put("a.log", "1\n2\n3\n", "w");
    put("b.log", "1\n2\n", "w");
    open_one(r, "*.log");
    source_next(r->source, &item);
    assert_int_equal(item.what, SOURCE_EVENT_OPENED);
    take(r, &item);
    atomic_store(&item.partition->paused, true);
    struct source_partition *a = item.partition;
    run(r, 50);
    expect(r, "open a.log 0\nopen b.log 0\nb.log 0 @0 1\nb.log 0 @2 2\n");
    atomic_store(&a->paused, false);
    run(r, 50);
    expect(r, "a.log 0 @0 1\na.log 0 @2 2\na.log 0 @4 3\n");
    fini(r);
}

static void unreadable(void **state)
{
    struct reader *r = new_reader();
    bool root = geteuid() == 0;

    (void)state;
    chmod(dir, 0755);
    put("a.log", "one\n", "w");
    chmod(in_dir("a.log"), 0);
    if (root)
        assert_int_equal(seteuid(65534), 0);
    open_one(r, "*.log");
    run(r, 50);
    expect(r, "open a.log 0\nstall a.log 0\n");
    if (root)
        assert_int_equal(seteuid(0), 0);
    chmod(in_dir("a.log"), 0644);
    run(r, 1200);
    expect(r, "resume a.log 0\na.log 0 @0 one\ncaught a.log 0\n");
    fini(r);
}

static void directory_vanishes(void **state)
{
    struct reader *r = new_reader();

    (void)state;
    mkdir(in_dir("d"), 0755);
    put("d/a.log", "one\n", "w");
    open_one(r, "d/*.log");
    run(r, 50);
    move("d", "e");
    run(r, 100);
    expect(r, "open a.log 0\na.log 0 @0 one\ncaught a.log 0\nstall a.log 0\n");
    move("e", "d");
    put("d/a.log", "two\n", "a");
    run(r, 1200);
    expect(r, "resume a.log 0\na.log 0 @4 two\ncaught a.log 0\n");
    fini(r);
}

/* A loop of links, then a directory, lie where a file lay that was read: stalled, though it is open;
 * what it got meanwhile is read before it is told to be at its end again. */
static void path_turns_bad(void **state)
{
    struct reader *r = new_reader();

    (void)state;
    mkdir(in_dir("away"), 0755);
    put("a.log", "one\n", "w");
    put("b.log", "b\n", "w");
    open_one(r, "*.log");
    await(r, "open a.log 0\nopen b.log 0\na.log 0 @0 one\ncaught a.log 0\n"
             "b.log 0 @0 b\ncaught b.log 0\n");
    for (int turn = 0; turn < 2; turn++) {
        char line[64];
        move("a.log", "away/a.log");
        assert_int_equal(turn == 0 ? symlink("a.log", in_dir("a.log")) : mkdir(in_dir("a.log"), 0755), 0);
        await(r, "stall a.log 0\n");
        put("away/a.log", "more\n", "a");
        put("b.log", "b\n", "a"); /* the others go on */
        snprintf(line, sizeof line, "b.log 0 @%d b\ncaught b.log 0\n", turn * 2 + 2);
        await(r, line);
        assert_int_equal(turn == 0 ? unlink(in_dir("a.log")) : rmdir(in_dir("a.log")), 0);
        move("away/a.log", "a.log");
        snprintf(line, sizeof line, "resume a.log 0\na.log 0 @%d more\ncaught a.log 0\n",
                 turn * 5 + 4);
        await(r, line);
    }
    /* nothing new came: that is told, too */
    move("a.log", "away/a.log");
    mkdir(in_dir("a.log"), 0755);
    await(r, "stall a.log 0\n");
    rmdir(in_dir("a.log"));
    move("away/a.log", "a.log");
    await(r, "resume a.log 0\ncaught a.log 0\n");
    /* another file lies there in the end: first the rest of the one that it was */
    move("a.log", "away/a.log");
    mkdir(in_dir("a.log"), 0755);
    await(r, "stall a.log 0\n");
    put("away/a.log", "last\n", "a");
    rmdir(in_dir("a.log"));
    put("a.log", "new\n", "w");
    r->quiet = true;
    await(r, "a.log 0 @14 last\nopen a.log 1\nend a.log 0\na.log 1 @0 new\n");
    fini(r);
}

/* Nothing lies there in the end: that is no error, the file was removed. */
static void bad_path_is_removed(void **state)
{
    struct reader *r = new_reader();

    (void)state;
    options.rotate_wait = 1000 * MS; /* it is to be seen before the file has ended */
    put("a.log", "one\n", "w");
    open_one(r, "a.log");
    run(r, 50);
    unlink(in_dir("a.log"));
    mkdir(in_dir("a.log"), 0755);
    await(r, "open a.log 0\na.log 0 @0 one\ncaught a.log 0\nstall a.log 0\n");
    rmdir(in_dir("a.log"));
    await(r, "resume a.log 0\ncaught a.log 0\nend a.log 0\n");
    options.rotate_wait = 60 * MS;
    fini(r);
}

enum bad_kind { LOOP, DIRECTORY, NO_PERMISSION };

static void make_bad(enum bad_kind kind)
{
    if (kind == NO_PERMISSION) {
        chmod(in_dir("d"), 0);
        return;
    }
    move("d/a.log", "away/a.txt");
    if (kind == LOOP)
        assert_int_equal(symlink("a.log", in_dir("d/a.log")), 0);
    else
        mkdir(in_dir("d/a.log"), 0755);
}

static void make_good(enum bad_kind kind)
{
    if (kind == NO_PERMISSION) {
        chmod(in_dir("d"), 0755);
        return;
    }
    assert_int_equal(remove(in_dir("d/a.log")), 0);
    move("away/a.txt", "d/a.log");
}

/* What cannot be read at a restart is not lost. */
static void bad_at_restart(void **state)
{
    static const struct {
        const char *pattern;
        enum bad_kind kind;
    } it[] = {{"d/a.log", LOOP}, {"d/*.log", DIRECTORY}, {"d/a.log", NO_PERMISSION},
              {"d/*.log", NO_PERMISSION}, {"*/a.log", NO_PERMISSION}};
    bool root = geteuid() == 0;

    (void)state;
    chmod(dir, 0755);
    mkdir(in_dir("d"), 0755);
    mkdir(in_dir("away"), 0755);
    for (size_t i = 0; i < sizeof it / sizeof *it; i++) {
        struct reader *r = new_reader();
        put("d/a.log", "one\n", "w");
        open_one(r, it[i].pattern);
        await(r, "open a.log 0\na.log 0 @0 one\ncaught a.log 0\n");
        stop(r);
        put("d/a.log", "two\n", "a");
        make_bad(it[i].kind);
        if (root)
            assert_int_equal(seteuid(65534), 0);
        open_one(r, it[i].pattern);
        await(r, "open a.log 0\nstall a.log 0\n");
        if (root)
            assert_int_equal(seteuid(0), 0);
        make_good(it[i].kind);
        await(r, "resume a.log 0\na.log 0 @4 two\ncaught a.log 0\n");
        fini(r);
        unlink(in_dir("d/a.log"));
    }
}

static void bounded(void **state)
{
    struct reader *r = new_reader();
    char text[256];
    const char *pattern[] = {memcpy(text, in_dir("*"), sizeof text)};
    char command[300];

    (void)state;
    put("a.log", "one\n\ntwo", "w");
    put("b.log", "1\n2\r\n3\n", "w");
    snprintf(command, sizeof command, "gzip %s", in_dir("b.log"));
    assert_int_equal(system(command), 0);
    open_patterns(r, pattern, 1, false);
    struct source_item item;
    for (int i = 0; i < 6; i++) {
        source_next(r->source, &item);
        take(r, &item);
    }
    expect(r, "open a.log 0\nopen b.log.gz 0\na.log 0 @0 one\na.log 0 @5 two\nend a.log 0\n"
              "b.log.gz 0 @0 1\n");
    stop(r);
    open_patterns(r, pattern, 1, false);
    run(r, 1000);
    assert_true(r->finished);
    expect(r, "open b.log.gz 0\nb.log.gz 0 @2 2\nb.log.gz 0 @5 3\nend b.log.gz 0\n");
    stop(r);
    open_patterns(r, pattern, 1, false);
    run(r, 1000);
    assert_true(r->finished);
    expect(r, "");
    /* followed from now on */
    stop(r);
    put("a.log", "\nthree\n", "a");
    open_patterns(r, pattern, 1, true);
    run(r, 50);
    expect(r, "open a.log 0\na.log 0 @9 three\ncaught a.log 0\n");
    fini(r);
}

static void refusals(void **state)
{
    const char *pattern[] = {"logs/"};
    struct source_follow_options opt = {.name = "s", .pattern = pattern, .n_patterns = 1};
    struct buf why;

    (void)state;
    buf_init(&why);
    assert_null(source_follow_new(&opt, &why));
    assert_string_equal(why.data, "`logs/` names no file");
    buf_fini(&why);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(grows), TEST(appears_late), TEST(names), TEST(renamed), TEST(deleted),
        TEST(truncated), TEST(rotated_while_stopped), TEST(paused), TEST(unreadable),
        TEST(directory_vanishes), TEST(path_turns_bad), TEST(bad_path_is_removed),
        TEST(bad_at_restart), TEST(bounded), TEST(refusals),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
