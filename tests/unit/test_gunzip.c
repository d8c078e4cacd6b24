// SPDX-License-Identifier: Apache-2.0
/* gunzip: fixed gzip members (made by gzip -n), put together, cut, and spoilt. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/buf.h"
#include "base/gunzip.h"

/* printf 'hello, ' | gzip -n; printf 'world\n' | gzip -n; gzip -n </dev/null */
static const char HELLO[] =
    "\x1f\x8b\x08\x00\x00\x00\x00\x00\x00\x03\xcb\x48\xcd\xc9\xc9\xd7\x51\x00\x00\x99"
    "\x56\xea\x11\x07\x00\x00\x00";
static const char WORLD[] =
    "\x1f\x8b\x08\x00\x00\x00\x00\x00\x00\x03\x2b\xcf\x2f\xca\x49\xe1\x02\x00\xa8\x61"
    "\x38\xdd\x06\x00\x00\x00";
static const char NOTHING[] =
    "\x1f\x8b\x08\x00\x00\x00\x00\x00\x00\x03\x03\x00\x00\x00\x00\x00\x00\x00\x00\x00";
/* 200000 times 'a' */
static const char LONG[] =
    "\x1f\x8b\x08\x00\x00\x00\x00\x00\x02\x03\xed\xc1\x31\x01\x00\x00\x00\xc2\xa0\xac"
    "\xeb\x5f\xc2\x0c\xfe\x40\x01\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00"
    "\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00"
    "\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00"
    "\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00"
    "\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00"
    "\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00"
    "\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00"
    "\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00"
    "\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00"
    "\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00"
    "\xaf\x01\x9b\x53\x69\xe0\x40\x0d\x03\x00";
enum { LONG_SIZE = 200000 };

static int file_of(const struct buf *b)
{
    char name[] = "/tmp/test_gunzip.XXXXXX";
    int fd = mkstemp(name);

    assert_true(fd >= 0);
    unlink(name);
    assert_int_equal(write(fd, b->data, b->len), b->len);
    assert_int_equal(lseek(fd, 0, SEEK_SET), 0);
    return fd;
}

/* Reads b as a file, `step` bytes at a time; returns the last result, *gz_out to be freed. */
static ssize_t read_all(const struct buf *b, size_t step, struct buf *text, struct gunzip **gz_out)
{
    char data[4096];
    ssize_t n;

    *gz_out = gunzip_new(file_of(b));
    buf_clear(text);
    while ((n = gunzip_read(*gz_out, data, step)) > 0)
        buf_add(text, data, (size_t)n);
    buf_add(text, NULL, 0);
    return n;
}

static void check(const struct buf *b, ssize_t end, const char *text, const char *error)
{
    static const size_t steps[] = { 1, 3, 4096 };
    struct buf got;

    buf_init(&got);
    for (size_t i = 0; i < sizeof steps / sizeof steps[0]; i++) {
        struct gunzip *gz;
        char byte;
        assert_int_equal(read_all(b, steps[i], &got, &gz), end);
        if (text)
            assert_string_equal(got.data, text);
        if (error)
            assert_non_null(strstr(gunzip_error(gz), error));
        else
            assert_string_equal(gunzip_error(gz), "");
        assert_int_equal(gunzip_read(gz, &byte, 1), end);
        if (end == 0)
            assert_int_equal(gunzip_consumed(gz), b->len);
        gunzip_free(&gz);
        assert_null(gz);
    }
    buf_fini(&got);
}

static void plain_files(void **state)
{
    static const char *const texts[] = { "", "x", "\x1f", "xy", "\x1f\x8c",
                                        "plain text\nof two lines\n" };
    struct buf b;

    (void)state;
    buf_init(&b);
    for (size_t i = 0; i < sizeof texts / sizeof texts[0]; i++) {
        buf_clear(&b);
        buf_adds(&b, texts[i]);
        check(&b, 0, texts[i], NULL);
    }
    buf_fini(&b);
}

static void members(void **state)
{
    struct buf b;

    (void)state;
    buf_init(&b);
    buf_add(&b, HELLO, sizeof HELLO - 1);
    check(&b, 0, "hello, ", NULL);
    buf_add(&b, NOTHING, sizeof NOTHING - 1);
    buf_add(&b, WORLD, sizeof WORLD - 1);
    check(&b, 0, "hello, world\n", NULL);
    buf_add(&b, NOTHING, sizeof NOTHING - 1);
    check(&b, 0, "hello, world\n", NULL);
    buf_clear(&b);
    buf_add(&b, NOTHING, sizeof NOTHING - 1);
    check(&b, 0, "", NULL);
    buf_fini(&b);
}

static void every_cut_is_truncated(void **state)
{
    struct buf b;

    (void)state;
    buf_init(&b);
    for (size_t cut = 2; cut < sizeof WORLD - 1; cut++) {
        buf_clear(&b);
        buf_add(&b, WORLD, cut);
        check(&b, -1, NULL, "truncated");
        buf_clear(&b);
        buf_add(&b, HELLO, sizeof HELLO - 1);
        buf_add(&b, WORLD, cut);
        check(&b, -1, NULL, "truncated");
    }
    buf_fini(&b);
}

static void bytes_before_the_fault_are_given(void **state)
{
    struct buf b;

    (void)state;
    buf_init(&b);
    buf_add(&b, HELLO, sizeof HELLO - 1);
    buf_add(&b, WORLD, sizeof WORLD - 1 - 3);
    check(&b, -1, "hello, world\n", "truncated");
    buf_fini(&b);
}

static void garbage_after_the_last_member(void **state)
{
    static const char *const garbage[] = { "x", "\x1f", "\x1f\x1f", "xx", "garbage\n" };
    struct buf b;

    (void)state;
    buf_init(&b);
    for (size_t i = 0; i < sizeof garbage / sizeof garbage[0]; i++) {
        buf_clear(&b);
        buf_add(&b, HELLO, sizeof HELLO - 1);
        buf_adds(&b, garbage[i]);
        check(&b, -1, "hello, ", "garbage");
    }
    buf_clear(&b);
    buf_add(&b, HELLO, sizeof HELLO - 1);
    buf_add(&b, "\0\0\0", 3);
    check(&b, -1, "hello, ", "garbage");
    buf_fini(&b);
}

static void no_flipped_bit_changes_the_text(void **state)
{
    struct buf b, got;

    (void)state;
    buf_init(&b);
    buf_init(&got);
    for (size_t at = 0; at < sizeof WORLD - 1; at++) {
        for (unsigned bit = 0; bit < 8; bit++) {
            struct gunzip *gz;
            buf_clear(&b);
            buf_add(&b, WORLD, sizeof WORLD - 1);
            b.data[at] ^= (char)(1 << bit);
            ssize_t end = read_all(&b, 7, &got, &gz);
            /* header and padding bits bear no check sum; without its magic it is a plain file */
            if (at >= 2 && end == 0)
                assert_string_equal(got.data, "world\n");
            if (end == -1)
                assert_true(gunzip_error(gz)[0] != '\0');
            gunzip_free(&gz);
        }
    }
    buf_fini(&b);
    buf_fini(&got);
}

static void long_text(void **state)
{
    struct buf b, got;
    struct gunzip *gz;

    (void)state;
    buf_init(&b);
    buf_init(&got);
    buf_add(&b, LONG, sizeof LONG - 1);
    assert_int_equal(read_all(&b, 1000, &got, &gz), 0);
    assert_int_equal(got.len, LONG_SIZE);
    for (size_t i = 0; i < got.len; i++)
        assert_int_equal(got.data[i], 'a');
    gunzip_free(&gz);

    /* plain, larger than the buffer inside */
    assert_int_equal(read_all(&got, 1000, &b, &gz), 0);
    assert_int_equal(b.len, LONG_SIZE);
    gunzip_free(&gz);

    /* many members that do not end where the buffer does */
    buf_clear(&b);
    for (int i = 0; i < 10000; i++)
        buf_add(&b, HELLO, sizeof HELLO - 1);
    assert_int_equal(read_all(&b, 4096, &got, &gz), 0);
    assert_int_equal(got.len, 70000);
    assert_memory_equal(got.data + 69993, "hello, ", 7);
    gunzip_free(&gz);
    buf_fini(&b);
    buf_fini(&got);
}

/* A pipe gives few bytes at a time, the magic too. */
static void pipe_byte_by_byte(void **state)
{
    int end[2];
    char data[16];
    size_t n = 0;

    (void)state;
    assert_int_equal(pipe(end), 0);
    struct gunzip *gz = gunzip_new(end[0]);
    assert_int_equal(write(end[1], HELLO, sizeof HELLO - 1), sizeof HELLO - 1);
    close(end[1]);
    for (ssize_t got; (got = gunzip_read(gz, data + n, 1)) != 0; n++)
        assert_int_equal(got, 1);
    assert_int_equal(n, 7);
    assert_int_equal(gunzip_read(gz, data, 0), 0);
    gunzip_free(&gz);
    gunzip_free(&gz);
}

static void growing_plain_file(void **state)
{
    struct buf b;
    char data[16];

    (void)state;
    buf_init(&b);
    buf_adds(&b, "");
    int fd = file_of(&b), writer = dup(fd);
    struct gunzip *gz = gunzip_new(fd);
    assert_int_equal(gunzip_read(gz, data, sizeof data), 0);
    assert_int_equal(pwrite(writer, "one", 3, 0), 3);
    assert_int_equal(gunzip_read(gz, data, sizeof data), 3);
    assert_int_equal(gunzip_read(gz, data, sizeof data), 0);
    assert_int_equal(pwrite(writer, "two", 3, 3), 3);
    assert_int_equal(gunzip_read(gz, data, sizeof data), 3);
    assert_memory_equal(data, "two", 3);
    gunzip_free(&gz);
    close(writer);
    buf_fini(&b);
}

static void read_error(void **state)
{
    char data[16];
    struct gunzip *gz = gunzip_new(-1);

    (void)state;
    assert_int_equal(gunzip_read(gz, data, sizeof data), -1);
    assert_non_null(strstr(gunzip_error(gz), strerror(EBADF)));
    assert_int_equal(gunzip_read(gz, data, sizeof data), -1);
    gunzip_free(&gz);
    assert_true(gunzip_version()[0] == '1');
}

/* The same from memory, with a bound. */
static void test_memory(void **state)
{
    char both[sizeof HELLO + sizeof WORLD], why[160];
    struct buf out;

    (void)state;
    memcpy(both, HELLO, sizeof HELLO - 1);
    memcpy(both + sizeof HELLO - 1, WORLD, sizeof WORLD - 1);
    size_t len = sizeof HELLO + sizeof WORLD - 2;
    buf_init(&out);
    assert_int_equal(gunzip_memory(both, len, 13, &out, why, sizeof why), GUNZIP_OK);
    assert_string_equal(out.data, "hello, world\n");
    buf_clear(&out);
    assert_int_equal(gunzip_memory(both, len, 12, &out, why, sizeof why), GUNZIP_TOO_LARGE);
    for (size_t cut = 0; cut < sizeof HELLO - 1; cut++) {
        buf_clear(&out);
        *why = '\0';
        assert_int_equal(gunzip_memory(HELLO, cut, 100, &out, why, sizeof why), GUNZIP_BROKEN);
        assert_true(*why);
    }
    buf_clear(&out);
    assert_int_equal(gunzip_memory("plain", 5, 100, &out, why, sizeof why), GUNZIP_BROKEN);
    assert_int_equal(gunzip_memory(LONG, sizeof LONG - 1, LONG_SIZE, &out, why, sizeof why), GUNZIP_OK);
    assert_int_equal(out.len, LONG_SIZE);
    buf_clear(&out);
    assert_int_equal(gunzip_memory(LONG, sizeof LONG - 1, 1000, &out, why, sizeof why), GUNZIP_TOO_LARGE);
    assert_true(out.len < LONG_SIZE);
    buf_fini(&out);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_memory),
        cmocka_unit_test(plain_files),
        cmocka_unit_test(members),
        cmocka_unit_test(every_cut_is_truncated),
        cmocka_unit_test(bytes_before_the_fault_are_given),
        cmocka_unit_test(garbage_after_the_last_member),
        cmocka_unit_test(no_flipped_bit_changes_the_text),
        cmocka_unit_test(long_text),
        cmocka_unit_test(pipe_byte_by_byte),
        cmocka_unit_test(growing_plain_file),
        cmocka_unit_test(read_error),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
