/* SPDX-License-Identifier: Apache-2.0 */
/* Standard input through the spool, as a source: in one process, and over restarts. */
#include <unit/spool_fixture.h>

#include "io/source_spool.h"
#include "io/source_stdin.h"

static _Atomic unsigned looks; /* at the clock, of all threads */

int64_t __real_clock_monotonic(void);
int64_t __wrap_clock_monotonic(void);

int64_t __wrap_clock_monotonic(void)
{
    looks++;
    return __real_clock_monotonic();
}

struct stage {
    struct spool *spool;
    struct source_stdin *in;
    struct source *source;
    int pipe[2];
    struct source_position position;
    struct buf log;
    bool quiet; /* CAUGHT_UP is not written down */
    bool numbers; /* offsets are */
};

static void begin(struct stage *st, size_t max_line)
{
    struct buf why;

    buf_init(&why);
    opt.has_position = st->position.partition != NULL;
    opt.resume = st->position.resume;
    opt.read = st->position.read;
    st->spool = open_spool(NULL);
    assert_int_equal(pipe(st->pipe), 0);
    st->in = source_stdin_start(st->pipe[0], st->spool, max_line, &why);
    assert_non_null(st->in);
    st->source = source_spool_new("events", "stdin", st->spool,
                                  st->position.partition ? &st->position : NULL, PADDING);
    buf_fini(&why);
}

static void end(struct stage *st)
{
    source_free(&st->source);
    source_stdin_free(&st->in);
    spool_free(&st->spool);
    close(st->pipe[0]);
    if (st->pipe[1] >= 0)
        close(st->pipe[1]);
    buf_fini(&st->log);
}

static void write_text(struct stage *st, const char *text)
{
    assert_int_equal(write(st->pipe[1], text, strlen(text)), strlen(text));
}

/* Writes down what is told until there was nothing for 100 ms. */
static void run(struct stage *st)
{
    static const char *const word[] = {"line", "long", "open", "caught", "end", "stall", "resume",
                                       "forget", "nothing", "finished"};
    int64_t last = clock_monotonic();

    while (clock_monotonic() - last < 100 * MS) {
        struct source_item item;

        source_next(st->source, &item);
        if (item.what == SOURCE_EVENT_NOTHING) {
            source_wait(st->source, 10 * MS);
            continue;
        }
        last = clock_monotonic();
        if (item.what == SOURCE_EVENT_FINISHED) {
            buf_adds(&st->log, "finished");
            return;
        }
        assert_string_equal(item.partition->name, "stdin");
        assert_int_equal(item.partition->generation, 0);
        if (item.what == SOURCE_EVENT_LINE) {
            buf_printf(&st->log, "%.*s ", (int)item.len, item.text);
            if (st->numbers)
                buf_printf(&st->log, "@%" PRIu64 "-%" PRIu64 " ", item.offset, item.next);
            assert_true(item.arrival > INT64_C(1700000000) * 1000000000);
        } else if (item.what == SOURCE_EVENT_TOO_LONG) {
            buf_printf(&st->log, "long:%zu ", item.len);
        } else if (!st->quiet || item.what != SOURCE_EVENT_CAUGHT_UP) {
            buf_printf(&st->log, "%s ", word[item.what]);
        }
        st->position.partition = "stdin";
        st->position.read = item.next;
    }
}

static void expect(struct stage *st, const char *text)
{
    assert_string_equal(st->log.data, text);
    buf_clear(&st->log);
    st->log.data[0] = '\0';
}

static void lines(void **state)
{
    struct stage st = {0};

    (void)state;
    opt = (struct spool_options){0};
    begin(&st, 10);
    run(&st);
    expect(&st, "open caught ");
    write_text(&st, "\xef\xbb\xbfone\n\n  \ntwo\r\n0123456789\r\n0123456789a\n01234567890123456789012345\npart");
    run(&st);
    expect(&st, "one two 0123456789 long:11 long:26 caught ");
    write_text(&st, "ial\nlast");
    run(&st);
    expect(&st, "partial caught ");
    st.quiet = true; /* it may be caught up before it has ended */
    close(st.pipe[1]);
    st.pipe[1] = -1;
    run(&st);
    expect(&st, "last end finished");
    for (int i = 0; i < 1000 && !source_stdin_ended(st.in); i++)
        usleep(10000);
    assert_true(source_stdin_ended(st.in));
    run(&st);
    expect(&st, "finished");
    end(&st);
}

static void restarts(void **state)
{
    struct stage st = {0};

    (void)state;
    opt = (struct spool_options){0};
    st.quiet = true;
    begin(&st, 1000);
    write_text(&st, "one\ntwo\nthree\n");
    run(&st);
    expect(&st, "open one two three ");
    st.position.resume = 4; /* the rules had one */
    source_release(st.source, &st.position);
    end(&st);
    begin(&st, 1000);
    write_text(&st, "four\n");
    usleep(100000);
    run(&st);
    expect(&st, "open two three four ");
    st.position.resume = st.position.read;
    st.position.ended = true; /* of a standard input that ended; there is another one now */
    end(&st);
    begin(&st, 1000);
    write_text(&st, "five\n");
    run(&st);
    close(st.pipe[1]);
    st.pipe[1] = -1;
    run(&st);
    assert_non_null(strstr(st.log.data, "five "));
    assert_non_null(strstr(st.log.data, "end finished"));
    end(&st);
}

/* Offsets are bytes of the stream over all runs: those that a replay of all of it has. */
static void stream_offsets(void **state)
{
    struct stage st = {.quiet = true, .numbers = true};

    (void)state;
    opt = (struct spool_options){0};
    begin(&st, 10);
    write_text(&st, "\xef\xbb\xbfone\n\n \ntwo\r\n0123456789abcdef\n");
    run(&st);
    write_text(&st, "x\n\n\n");
    close(st.pipe[1]);
    st.pipe[1] = -1;
    run(&st);
    expect(&st, "open one @3-7 two @10-15 long:16 x @32-34 end finished");
    st.position.resume = st.position.read;
    assert_int_equal(st.position.read, 36);
    end(&st);
    begin(&st, 10);
    write_text(&st, "four\nfive");
    close(st.pipe[1]);
    st.pipe[1] = -1;
    run(&st);
    expect(&st, "open four @36-41 five @41-45 end finished");
    end(&st);
}

static void pauses_and_wakes(void **state)
{
    struct stage st = {0};
    struct source_item item;

    (void)state;
    opt = (struct spool_options){0};
    begin(&st, 1000);
    source_next(st.source, &item);
    assert_int_equal(item.what, SOURCE_EVENT_OPENED);
    atomic_store(&item.partition->paused, true);
    write_text(&st, "one\n");
    run(&st);
    assert_null(st.log.data);
    int64_t begun = clock_monotonic();
    source_wake(st.source);
    source_wait(st.source, 60000 * MS);
    assert_true(clock_monotonic() - begun < 60000 * MS);
    atomic_store(&item.partition->paused, false);
    run(&st);
    expect(&st, "one caught ");
    end(&st);
}

/* What is behind it has come to its end: nothing more can come, and the thread rests all the same. */
static void rests_while_paused(void **state)
{
    struct stage st = {0};
    struct source_item item;

    (void)state;
    opt = (struct spool_options){0};
    begin(&st, 1000);
    source_next(st.source, &item);
    atomic_store(&item.partition->paused, true);
    write_text(&st, "one\n");
    close(st.pipe[1]);
    st.pipe[1] = -1;
    while (!source_stdin_ended(st.in))
        usleep(1000);
    looks = 0;
    source_wait(st.source, 200 * MS);
    assert_in_range(looks, 1, 100); /* each time it looks it sleeps for 20 ms */
    atomic_store(&item.partition->paused, false);
    run(&st);
    expect(&st, "one end finished");
    end(&st);
}

static void damage_stalls(void **state)
{
    struct stage st = {0};
    char path[3][MAX_PATH], *data;
    size_t len;

    (void)state;
    opt = (struct spool_options){.segment = 20};
    begin(&st, 1000);
    write_text(&st, "one\n");
    run(&st);
    write_text(&st, "two\n");
    run(&st);
    end(&st);
    assert_int_equal(segments(path, 3), 2);
    data = read_bytes(path[0], &len);
    data[len - 1] ^= 1;
    write_bytes(path[0], data, len);
    st.position = (struct source_position){.partition = "stdin"};
    begin(&st, 1000);
    run(&st);
    expect(&st, "open stall ");
    data[len - 1] ^= 1;
    write_bytes(path[0], data, len);
    mem_free(data);
    for (int i = 0; i < 12; i++)
        run(&st);
    expect(&st, "resume one two caught ");
    end(&st);
}

struct feeder {
    int fd;
    unsigned lines;
};

static void *feed(void *arg)
{
    struct feeder *f = arg;
    FILE *out = fdopen(dup(f->fd), "w");

    for (unsigned n = 1; n <= f->lines; n++)
        fprintf(out, "%u %*s\n", n, (int)(n * 7 % 300), "x");
    fclose(out);
    close(f->fd);
    return NULL;
}

/* Much input through a small spool, released as it is read. */
static void much(void **state)
{
    struct stage st = {0};
    struct feeder f = {.lines = 100000};
    pthread_t thread;
    unsigned n = 0;

    (void)state;
    opt = (struct spool_options){.segment = 200000, .limit = 1000000, .sync_bytes = 100000};
    begin(&st, 1000);
    f.fd = st.pipe[1];
    st.pipe[1] = -1;
    assert_int_equal(pthread_create(&thread, NULL, feed, &f), 0);
    for (;;) {
        struct source_item item;

        source_next(st.source, &item);
        if (item.what == SOURCE_EVENT_FINISHED)
            break;
        if (item.what == SOURCE_EVENT_NOTHING)
            source_wait(st.source, 10 * MS);
        if (item.what != SOURCE_EVENT_LINE)
            continue;
        assert_int_equal(strtoul(item.text, NULL, 10), ++n);
        if (n % 100 == 0)
            source_release(st.source, &(struct source_position){.partition = "stdin",
                                                                .resume = item.next});
        assert_true(spool_bytes(st.spool) < 1300000);
    }
    assert_int_equal(n, f.lines);
    pthread_join(thread, NULL);
    end(&st);
}

int main(void)
{
    const struct CMUnitTest tests[] = {TEST(lines), TEST(restarts), TEST(stream_offsets), TEST(pauses_and_wakes),
                                       TEST(rests_while_paused), TEST(damage_stalls), TEST(much)};

    return cmocka_run_group_tests(tests, NULL, NULL);
}
