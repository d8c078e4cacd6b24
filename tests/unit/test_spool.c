/* SPDX-License-Identifier: Apache-2.0 */
/* The spool: what is read again, torn ends, damage, retention, limits. */
#include <unit/spool_fixture.h>

#include "base/crc.h"

/* Bytes of all its files. */
static uint64_t file_bytes(void)
{
    char path[50][MAX_PATH];
    size_t n = segments(path, 50);
    uint64_t sum = 0;
    struct stat st;

    for (size_t i = 0; i < n; i++) {
        assert_int_equal(stat(path[i], &st), 0);
        sum += (uint64_t)st.st_size;
    }
    return sum;
}

static void reads_what_was_written(void **state)
{
    struct spool_reader *rd;
    struct spool *sp;

    (void)state;
    opt = (struct spool_options){.segment = 5000};
    sp = open_spool(NULL);
    rd = spool_reader_new(sp, 0, PADDING);
    assert_int_equal(read_until(rd, 1, SPOOL_NOTHING, NULL), 1);
    append_all(sp, 1, 10);
    assert_true(spool_sync_due(sp) >= 0);
    assert_int_equal(read_until(rd, 1, SPOOL_NOTHING, NULL), 1); /* not durable */
    assert_false(spool_wait(sp, 0, 2 * MS));
    assert_true(spool_sync(sp));
    assert_true(spool_sync_due(sp) < 0);
    assert_true(spool_wait(sp, 0, 2 * MS));
    assert_int_equal(read_until(rd, 1, SPOOL_NOTHING, NULL), 11);
    for (unsigned n = 11; n <= 500; n++) {
        assert_true(append(sp, n));
        if (n % 7 == 0)
            assert_true(spool_sync(sp));
    }
    assert_true(spool_sync(sp));
    assert_int_equal(read_until(rd, 11, SPOOL_NOTHING, NULL), 501);
    spool_reader_free(&rd);
    uint64_t durable = spool_durable(sp);
    assert_true(append(sp, 501));
    spool_free(&sp); /* syncs */
    char path[50][MAX_PATH];
    assert_in_range(segments(path, 50), 6, 40);

    sp = open_spool(NULL);
    assert_true(spool_durable(sp) > durable);
    append_all(sp, 502, 510);
    spool_end(sp);
    rd = spool_reader_new(sp, durable, PADDING);
    assert_int_equal(read_until(rd, 501, SPOOL_END, NULL), 511);
    spool_reader_free(&rd);
    assert_int_equal(read_until(rd = spool_reader_new(sp, 0, PADDING), 1, SPOOL_END, NULL), 511);
    spool_reader_free(&rd);
    spool_free(&sp);
}

static void large_and_too_long(void **state)
{
    size_t len = 3 << 20;
    char *text = mem_alloc(len);
    struct spool *sp;
    struct spool_line line;
    struct buf why;

    (void)state;
    buf_init(&why);
    memset(text, 'x', len);
    opt = (struct spool_options){.segment = 100000, .limit = 400000};
    sp = open_spool(NULL);
    assert_true(spool_append(sp, "", 0, 1, 1));
    assert_true(spool_append(sp, NULL, (size_t)1 << 33, ((uint64_t)1 << 33) + 2, 2));
    assert_true(spool_append(sp, text, len, len + 1, 3));
    assert_true(spool_append(sp, "y", 1, 2, 4));
    assert_true(spool_sync(sp));
    struct spool_reader *rd = spool_reader_new(sp, 0, PADDING);
    assert_int_equal(spool_read(rd, &line, &why), SPOOL_LINE);
    assert_int_equal(line.len, 0);
    assert_int_equal(spool_read(rd, &line, &why), SPOOL_TOO_LONG);
    assert_null(line.text);
    assert_int_equal(line.len, (uint64_t)1 << 33);
    assert_int_equal(spool_read(rd, &line, &why), SPOOL_LINE);
    assert_int_equal(line.len, len);
    assert_memory_equal(line.text, text, len);
    assert_int_equal(spool_read(rd, &line, &why), SPOOL_LINE);
    assert_int_equal(line.arrival, 4);
    assert_int_equal(line.len, 1);
    assert_int_equal(spool_read(rd, &line, &why), SPOOL_NOTHING);
    spool_reader_free(&rd);
    spool_free(&sp);
    mem_free(text);
    buf_fini(&why);
}

/* Offsets are those of the stream, whatever lies between lines and wherever segments begin. */
static void offsets(void **state)
{
    uint64_t want = 0, at[100];
    struct spool_line line;
    struct spool *sp;
    struct buf why;

    (void)state;
    buf_init(&why);
    opt = (struct spool_options){.segment = 300};
    sp = open_spool(NULL);
    for (unsigned n = 0; n < 100; n++) {
        if (n % 7 == 0)
            spool_skip(sp, 5);
        want += n % 7 == 0 ? 5 : 0;
        at[n] = want;
        want += n % 5 + 2;
        assert_true(spool_append(sp, n % 11 ? "abcd" : NULL, n % 5, n % 5 + 2, n));
        if (n % 10 == 9) {
            assert_true(spool_sync(sp));
            assert_int_equal(spool_durable(sp), want);
        }
        if (n % 20 == 19) {
            spool_free(&sp);
            sp = open_spool(NULL);
            assert_int_equal(spool_durable(sp), want);
        }
    }
    spool_skip(sp, 9);
    spool_end(sp);
    assert_int_equal(spool_durable(sp), want + 9);
    for (unsigned from = 0; from < 100; from++) { /* read from each of them on */
        struct spool_reader *rd = spool_reader_new(sp, at[from], PADDING);
        for (unsigned n = from; n < 100; n++) {
            assert_int_equal(spool_read(rd, &line, &why), n % 11 ? SPOOL_LINE : SPOOL_TOO_LONG);
            assert_int_equal(line.offset, at[n]);
            assert_int_equal(line.next, at[n] + n % 5 + 2);
            assert_int_equal(line.len, n % 5);
            assert_int_equal(line.arrival, n);
        }
        assert_int_equal(spool_read(rd, &line, &why), SPOOL_END);
        assert_int_equal(spool_reader_offset(rd), want + 9);
        spool_reader_free(&rd);
    }
    struct spool_reader *rd = spool_reader_new(sp, at[50] + 1, PADDING);
    assert_int_equal(spool_read(rd, &line, &why), SPOOL_BROKEN);
    assert_non_null(strstr(why.data, "within one"));
    spool_reader_free(&rd);
    spool_free(&sp);
    opt.has_position = true; /* blank lines behind the last one are no lack */
    opt.resume = opt.read = want;
    sp = open_spool(NULL);
    assert_int_equal(spool_durable(sp), want + 9);
    spool_free(&sp);
    buf_fini(&why);
}

/* Cut anywhere in the last group, and any byte of it changed: the lines before hold. */
static void torn(void **state)
{
    char path[2][MAX_PATH];
    size_t len, first;
    char *data;
    struct spool *sp;

    (void)state;
    opt = (struct spool_options){0};
    sp = open_spool(NULL);
    append_all(sp, 1, 20);
    assert_true(spool_sync(sp));
    first = file_bytes();
    append_all(sp, 21, 22);
    spool_free(&sp);
    assert_int_equal(segments(path, 2), 1);
    data = read_bytes(path[0], &len);
    for (size_t cut = first; cut <= len; cut++) {
        write_bytes(path[0], data, cut);
        sp = open_spool(NULL);
        unsigned n = read_all(sp, 1);
        assert_in_range(n, 21, 23);
        assert_true((cut == len) == (n == 23));
        append_all(sp, n, 30); /* goes on as if nothing had been */
        assert_true(spool_sync(sp));
        assert_int_equal(read_all(sp, 1), 31);
        spool_free(&sp);
    }
    for (size_t i = first; i < len; i++) {
        char kept = data[i];
        data[i] = (char)(kept ^ (1 << i % 8));
        write_bytes(path[0], data, len);
        /* the group's first record says that what is before it was durable: its damage is no sign */
        sp = open_spool(NULL);
        assert_in_range(read_all(sp, 1), 21, 22);
        spool_free(&sp);
        data[i] = kept;
    }
    for (size_t cut = 0; cut < first - 1; cut += 7) { /* what was durable is gone: cannot be seen */
        write_bytes(path[0], data, cut);
        sp = open_spool(NULL);
        assert_true(read_all(sp, 1) <= 21);
        spool_free(&sp);
    }
    mem_free(data);
}

/* Any byte before what was durable: refused in the last segment, found when read in others. */
static void damaged(void **state)
{
    char path[20][MAX_PATH];
    size_t len, durable;
    char *data;
    struct spool *sp;

    (void)state;
    opt = (struct spool_options){0};
    sp = open_spool(NULL);
    append_all(sp, 1, 10);
    assert_true(spool_sync(sp));
    durable = file_bytes();
    append_all(sp, 11, 12);
    spool_free(&sp);
    assert_int_equal(segments(path, 20), 1);
    data = read_bytes(path[0], &len);
    for (size_t i = 0; i < durable; i++) {
        char kept = data[i];
        data[i] = (char)(kept ^ (1 << i % 8));
        write_bytes(path[0], data, len);
        open_spool("damaged at byte");
        data[i] = kept;
    }
    write_bytes(path[0], data, len);
    mem_free(data);
    opt.segment = 300;
    sp = open_spool(NULL);
    for (unsigned n = 13; n <= 60; n++)
        assert_true(append(sp, n) && spool_sync(sp));
    spool_free(&sp);
    assert_true(segments(path, 20) > 5);
    data = read_bytes(path[1], &len);
    for (size_t i = 0; i < len; i++) {
        char kept = data[i];
        data[i] = (char)(kept ^ 1);
        write_bytes(path[1], data, len);
        sp = open_spool(NULL);
        struct spool_reader *rd = spool_reader_new(sp, 0, PADDING);
        unsigned n = read_until(rd, 1, SPOOL_BROKEN, ".spool: ");
        assert_in_range(n, 13, 20);
        assert_int_equal(read_until(rd, n, SPOOL_BROKEN, NULL), n);
        data[i] = kept;
        write_bytes(path[1], data, len); /* mended: it goes on */
        assert_int_equal(read_until(rd, n, SPOOL_NOTHING, NULL), 61);
        spool_reader_free(&rd);
        spool_free(&sp);
    }
    mem_free(data);
    unlink(path[2]);
    open_spool("segment behind it is missing");
}

static void retention(void **state)
{
    char path[50][MAX_PATH];
    struct spool *sp;

    (void)state;
    opt = (struct spool_options){.segment = 1000};
    sp = open_spool(NULL);
    for (unsigned n = 1; n <= 200; n++)
        assert_true(append(sp, n) && (n % 5 || spool_sync(sp)));
    uint64_t end = spool_durable(sp);
    for (uint64_t resume = 0; resume <= end; resume += 37) {
        spool_release(sp, resume);
        assert_true(spool_first(sp) <= resume);
        assert_true(resume - spool_first(sp) < 1700); /* less than a segment, and a group */
        assert_int_equal(spool_bytes(sp), file_bytes());
    }
    spool_release(sp, end);
    assert_int_equal(segments(path, 50), 1); /* says where offsets go on */
    spool_free(&sp);
    opt.has_position = true;
    opt.resume = opt.read = end;
    sp = open_spool(NULL);
    assert_int_equal(spool_durable(sp), end);
    spool_free(&sp);
    opt.read = end + 1;
    open_spool("older than the state");
    opt.resume = opt.read = 10;
    open_spool("begins at");
    /* gone altogether: offsets go on where they were */
    unlink(path[0]);
    opt.resume = end - 100;
    opt.read = end;
    sp = open_spool(NULL);
    append_all(sp, 1, 3);
    spool_end(sp);
    assert_int_equal(spool_first(sp), end);
    struct spool_reader *rd = spool_reader_new(sp, end - 100, PADDING);
    assert_int_equal(read_until(rd, 1, SPOOL_END, NULL), 4);
    spool_reader_free(&rd);
    spool_free(&sp);
}

struct limited {
    struct spool *sp;
    _Atomic unsigned appended;
    _Atomic bool done;
};

static void *append_many(void *arg)
{
    struct limited *l = arg;

    for (unsigned n = 1; n <= 5000 && append(l->sp, n); n++)
        atomic_store(&l->appended, n);
    spool_end(l->sp);
    atomic_store(&l->done, true);
    return NULL;
}

/* The writer waits at the limit, and goes on when a reader releases; it is stopped in its wait. */
static void limit(void **state)
{
    struct limited l = {0};
    struct spool_line line;
    struct buf why;
    pthread_t thread;
    unsigned n = 1;

    (void)state;
    buf_init(&why);
    for (int stop = 0; stop < 2; stop++) {
        opt = (struct spool_options){.segment = 4000, .limit = 20000, .sync_bytes = 1000};
        l = (struct limited){.sp = open_spool(NULL)};
        struct spool_reader *rd = spool_reader_new(l.sp, 0, PADDING);
        assert_int_equal(pthread_create(&thread, NULL, append_many, &l), 0);
        unsigned stuck = 0;
        do { /* it waits when nothing was appended for a while */
            stuck = l.appended;
            usleep(200000);
        } while (stuck != l.appended);
        assert_in_range(stuck, 1, 1000);
        assert_true(spool_bytes(l.sp) < 22000);
        usleep(50000);
        assert_int_equal(l.appended, stuck);
        if (stop) {
            spool_stop(l.sp);
            pthread_join(thread, NULL);
            assert_int_equal(l.appended, stuck);
        }
        for (enum spool_got got = SPOOL_NOTHING; !stop && got != SPOOL_END;) {
            got = spool_read(rd, &line, &why);
            if (got == SPOOL_NOTHING)
                spool_wait(l.sp, spool_durable(l.sp), 10 * MS);
            if (got != SPOOL_LINE)
                continue;
            check_line(&line, n++);
            spool_release(l.sp, line.next);
            assert_true(spool_bytes(l.sp) < 22000);
        }
        if (!stop) {
            pthread_join(thread, NULL);
            assert_int_equal(n, 5001);
        }
        spool_reader_free(&rd);
        spool_free(&l.sp);
        remove_dir(NULL);
        assert_int_equal(make_dir(NULL), 0);
    }
    buf_fini(&why);
}

static void refusals(void **state)
{
    char path[MAX_PATH];

    (void)state;
    opt = (struct spool_options){0};
    snprintf(path, sizeof path, "%s/00000000000000000000.spool", dir);
    write_bytes(path, "0123456789012345678901234567890", 31); /* torn before anything was durable */
    struct spool *sp = open_spool(NULL);
    assert_int_equal(spool_durable(sp), 0);
    spool_free(&sp);
    unsigned char header[24] = "tocsinsp\1"; /* the first format */
    uint32_t crc = crc_add(0, header, 20);
    for (int i = 0; i < 4; i++)
        header[20 + i] = (unsigned char)(crc >> 8 * i);
    write_bytes(path, header, sizeof header);
    open_spool("another version");
    unlink(path);
    mkdir(path, 0700);
    open_spool("cannot be opened");
    rmdir(path);
    rmdir(dir);
    write_bytes(dir, "x", 1);
    open_spool("cannot be read");
    unlink(dir);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(reads_what_was_written), TEST(large_and_too_long), TEST(offsets), TEST(torn), TEST(damaged),
        TEST(retention), TEST(limit), TEST(refusals),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
