/* SPDX-License-Identifier: Apache-2.0 */
/* Followed files: long lines, many files, rotation while they are written and while nothing runs. */
#include <unit/failpoint_fixture.h>
#include <unit/source_follow_fixture.h>

static void long_lines(void **state)
{
    struct reader *r = new_reader();
    size_t n = 30 << 20;
    char *text = mem_alloc(n + 1);
    FILE *f = fopen(in_dir("a.log"), "w");
    static const size_t len[] = {99998, 99999, 100000, 100001, 100002, 30 << 20, 5};

    (void)state;
    memset(text, 'x', n);
    text[n] = '\0';
    for (size_t i = 0; i < sizeof len / sizeof *len; i++)
        fprintf(f, "%.*s%s", (int)len[i], text, i % 2 ? "\r\n" : "\n");
    fclose(f);
    open_one(r, "a.log");
    run(r, 100);
    size_t offset = 0;
    struct buf all;
    buf_init(&all);
    buf_adds(&all, "open a.log 0\n");
    for (size_t i = 0; i < sizeof len / sizeof *len; i++) {
        if (len[i] > 100000)
            buf_printf(&all, "a.log 0 @%zu too long %zu\n", offset, len[i]);
        else
            buf_printf(&all, "a.log 0 @%zu %.*s\n", offset, len[i] < 60 ? (int)len[i] : 60, text);
        offset += len[i] + 1 + i % 2;
    }
    buf_adds(&all, "caught a.log 0\n");
    expect(r, all.data);
    buf_fini(&all);
    mem_free(text);
    fini(r);
}

/* Lines of up to some blocks, of several files, against what was written. */
static void blocks(void **state)
{
    struct reader *r = new_reader();
    size_t written = 0;

    (void)state;
    r->quiet = true;
    options.max_line = 2 << 20;
    for (int i = 0; i < 100; i++) {
        char name[20];
        snprintf(name, sizeof name, "f%d.log", i);
        FILE *f = fopen(in_dir(name), "w");
        for (int j = 0; j < (i < 3 ? 200 : 900); j++, written++)
            fprintf(f, "%*d\n", i < 3 ? 1 + (j * 7919) % 700000 : 300, j);
        fclose(f);
    }
    open_one(r, "f*.log");
    int next[100] = {0};
    for (int64_t last = clock_monotonic(); clock_monotonic() - last < 100 * MS;) {
        struct source_item item;
        source_next(r->source, &item);
        if (item.what == SOURCE_EVENT_LINE) {
            int i = (int)strtol(item.partition->name + 1, NULL, 10);
            char number[20];
            int n = snprintf(number, sizeof number, "%d", next[i]);
            assert_memory_equal(item.text + item.len - n, number, n);
            assert_int_equal(item.len, i < 3 ? (1 + (next[i] * 7919) % 700000 > n
                                                    ? 1 + (next[i] * 7919) % 700000 : n) : 300);
            next[i]++;
            r->lines++;
            last = clock_monotonic();
        } else if (item.what == SOURCE_EVENT_NOTHING) {
            source_wait(r->source, 5 * MS);
        }
    }
    assert_int_equal(r->lines, written);
    options.max_line = 100000;
    fini(r);
}

/* More files than may be open; each gets a second line, and one is renamed while closed. */
static void many(void **state)
{
    struct reader *r = new_reader();
    enum { N = 5000 };
    char name[30];

    (void)state;
    r->quiet = true;
    options.max_open = 100;
    for (int round = 0; round < 2; round++) {
        for (int i = 0; i < N; i++) {
            snprintf(name, sizeof name, "f%d.log", i);
            put(name, "line\n", "a");
        }
        if (round == 0)
            open_one(r, "f*.log");
        run_to(r, (size_t)(round + 1) * N);
        assert_int_equal(r->lines, (round + 1) * N);
    }
    buf_clear(&r->log);
    put("f7.log", "late\n", "a");
    move("f7.log", "f7.log.1");
    put("f7.log", "new\n", "w");
    run_to(r, 2 * N + 2);
    expect(r, "f7.log 0 @10 late\nopen f7.log 1\nend f7.log 0\nf7.log 1 @0 new\n");
    options.max_open = 0;
    fini(r);
}

#ifdef TOCSIN_FAILPOINTS
/* A disk that fails for a moment. Fails to be opened at first, and at the second read. */
static void failing(void **state)
{
    struct reader *r = new_reader();

    put("a.log", "one\n", "w");
    open_one(r, "a.log");
    run(r, 50);
    expect(r, "open a.log 0\nstall a.log 0\n");
    run(r, 1200);
    expect(r, "resume a.log 0\na.log 0 @0 one\nstall a.log 0\nresume a.log 0\ncaught a.log 0\n");
    put("a.log", "two\n", "a");
    run(r, 50);
    expect(r, "a.log 0 @4 two\ncaught a.log 0\n");
    fini(r);
    (void)state;
}
#endif

/* ---- under load ------------------------------------------------------------------------------- */

enum { LOAD_LINES = 60000, LOAD_RESTARTS = 6 };
struct writer {
    bool copytruncate;
    _Atomic bool done;
};

static void *write_load(void *arg)
{
    struct writer *w = arg;
    FILE *f = fopen(in_dir("load.log"), "a");
    unsigned seed = 7;

    for (int i = 0; i < LOAD_LINES; i++) {
        fprintf(f, "{\"n\": %d, \"pad\": \"%*s\"}\n", i, rand_r(&seed) % 200, "");
        if (rand_r(&seed) % 500 == 0) {
            fflush(f);
            usleep(3000);
        }
        if (i % 10000 == 9999) {
            char to[40];
            snprintf(to, sizeof to, "load.log.%d", 99 - i / 10000);
            fflush(f);
            if (w->copytruncate) {
                copy("load.log", to);
                if (truncate(in_dir("load.log"), 0) != 0)
                    abort();
                usleep(150000); /* two between two looks cannot be told apart (source_follow.h) */
            } else {
                move("load.log", to);
                fclose(f);
                usleep(30000);
                f = fopen(in_dir("load.log"), "a");
            }
        }
    }
    fclose(f);
    atomic_store(&w->done, true);
    return NULL;
}

/* Each line comes once and in order, over rotations and restarts (of what is renamed: what is copied and
 * truncated again and again while nobody looks is lost). */
static void under_load(bool copytruncate)
{
    struct reader *r = new_reader();
    struct writer w = {.copytruncate = copytruncate};
    pthread_t thread;
    int next = 0, restarts = 0;
    unsigned seed = 11;

    r->quiet = true;
    put("load.log", "", "w");
    open_one(r, "load.log");
    pthread_create(&thread, NULL, write_load, &w);
    for (int64_t last = clock_monotonic(), begun = last;
         next < LOAD_LINES && clock_monotonic() - last < 5000 * MS;) {
        struct source_item item;

        source_next(r->source, &item);
        if (item.what == SOURCE_EVENT_NOTHING) {
            source_wait(r->source, 5 * MS);
            continue;
        }
        if (item.what == SOURCE_EVENT_LINE) {
            assert_true(item.len > 6);
            assert_int_equal(strtol(item.text + 6, NULL, 10), next);
            next++;
            last = clock_monotonic();
        }
        take(r, &item);
        buf_clear(&r->log);
        if (!copytruncate && restarts < LOAD_RESTARTS && clock_monotonic() - begun > (30 + 50 * restarts) * MS &&
            rand_r(&seed) % 100 == 0) {
            restarts++;
            stop(r);
            usleep((useconds_t)(rand_r(&seed) % 30000));
            open_one(r, "load.log");
        }
    }
    pthread_join(thread, NULL);
    assert_int_equal(next, LOAD_LINES);
    fini(r);
}

static void rename_under_load(void **state)
{
    (void)state;
    under_load(false);
}

static void copytruncate_under_load(void **state)
{
    (void)state;
    under_load(true);
}

int main(void)
{
    setenv("TOCSIN_FAILPOINTS", "follow_open=error@1,follow_read=error@2", 1);

    const struct CMUnitTest tests[] = {
#ifdef TOCSIN_FAILPOINTS
        TEST(failing), /* first: its failpoints count */
#endif
        TEST(long_lines), TEST(blocks), TEST(many),
        TEST(rename_under_load), TEST(copytruncate_under_load),
    };

    return failpoint_exit(cmocka_run_group_tests(tests, NULL, NULL),
                          "a disk that fails for a moment");
}
