/* SPDX-License-Identifier: Apache-2.0 */
/* Lines of files: at the edges of blocks, huge, with CRLF, packed, cut off. */
#include "io/source_file.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/buf.h"

enum { PADDING = 64 };

static char path[] = "test_source_file.XXXXXX";

static int make_file(void **state)
{
    int fd = mkstemp(path);

    (void)state;
    if (fd >= 0)
        close(fd);
    return fd < 0;
}

static int remove_file(void **state)
{
    (void)state;
    return unlink(path);
}

static void write_file(const void *data, size_t len)
{
    FILE *f = fopen(path, "wb");

    assert_non_null(f);
    assert_int_equal(fwrite(data, 1, len, f), len);
    assert_int_equal(fclose(f), 0);
}

static struct source_file *open_file(size_t max_line)
{
    struct buf why;
    struct source_file *sf;

    buf_init(&why);
    sf = source_file_open(path, max_line, PADDING, &why);
    assert_non_null(sf);
    buf_fini(&why);
    return sf;
}

static void expect_line(struct source_file *sf, const char *text, size_t len, uint64_t offset,
                        uint64_t number)
{
    struct source_line line;
    unsigned sum = 0;

    assert_int_equal(source_file_line(sf, &line), SOURCE_LINE);
    assert_int_equal(line.len, len);
    assert_memory_equal(line.text, text, len);
    assert_int_equal(line.offset, offset);
    assert_int_equal(line.number, number);
    for (size_t i = 0; i < PADDING; i++) /* the sanitizer sees what is not ours */
        sum += (unsigned char)line.text[line.len + i];
    assert_true(sum < PADDING * 256);
}

static void expect_end(struct source_file *sf, enum source_result result)
{
    struct source_line line;

    assert_int_equal(source_file_line(sf, &line), result);
    assert_int_equal(source_file_line(sf, &line), result);
    source_file_free(&sf);
    assert_null(sf);
}

static void line_ends(void **state)
{
    static const char text[] = "one\ntwo\r\n\n\r\n \t\nthree\r four\n\nlast";

    (void)state;
    write_file(text, sizeof text - 1);
    struct source_file *sf = open_file(100);
    assert_int_equal(source_file_size(sf), sizeof text - 1);
    expect_line(sf, "one", 3, 0, 1);
    expect_line(sf, "two", 3, 4, 2);
    expect_line(sf, "three\r four", 11, 15, 6);
    expect_line(sf, "last", 4, 28, 8);
    assert_int_equal(source_file_consumed(sf), sizeof text - 1);
    expect_end(sf, SOURCE_END);

    write_file("\xef\xbb\xbf{}\r", 6);
    sf = open_file(100);
    expect_line(sf, "{}", 2, 3, 1);
    expect_end(sf, SOURCE_END);

    write_file("", 0);
    expect_end(open_file(100), SOURCE_END);
    write_file("\n\n\r\n", 4);
    expect_end(open_file(100), SOURCE_END);
}

/* Lines of every length around those that end at the edge of a block. */
static void edges_of_blocks(void **state)
{
    struct buf all;
    size_t at = 0;

    (void)state;
    buf_init(&all);
    for (int i = 0; i < 4000; i++) {
        size_t len = (size_t)(1 + (i * 7919) % 1201);
        for (size_t j = 0; j < len; j++)
            buf_addc(&all, (char)('a' + (i + (int)j) % 26));
        buf_adds(&all, i % 3 ? "\n" : "\r\n");
    }
    write_file(all.data, all.len);
    struct source_file *sf = open_file(2000);
    for (int i = 0; i < 4000; i++) {
        size_t len = (size_t)(1 + (i * 7919) % 1201);
        expect_line(sf, all.data + at, len, at, (uint64_t)i + 1);
        at += len + (i % 3 ? 1 : 2);
    }
    expect_end(sf, SOURCE_END);
    buf_fini(&all);
}

static void expect_too_long(struct source_file *sf, size_t len, uint64_t offset)
{
    struct source_line line;

    assert_int_equal(source_file_line(sf, &line), SOURCE_TOO_LONG);
    assert_null(line.text);
    assert_int_equal(line.len, len);
    assert_int_equal(line.offset, offset);
}

static void add_run(struct buf *b, char c, size_t n)
{
    buf_reserve(b, n + 1);
    memset(b->data + b->len, c, n);
    b->len += n;
}

static void huge_lines(void **state)
{
    const size_t most = 700000;
    struct buf all;

    (void)state;
    buf_init(&all);
    add_run(&all, 'a', most);
    buf_adds(&all, "\r\n");
    add_run(&all, 'b', most + 1);
    buf_adds(&all, "\nshort\n");
    add_run(&all, 'c', 5 * most);
    buf_adds(&all, "\r\n\nshort\n");
    add_run(&all, 'd', most);
    buf_adds(&all, "\n");
    add_run(&all, 'e', 3 * most);
    write_file(all.data, all.len);

    struct source_file *sf = open_file(most);
    size_t at = 0;
    expect_line(sf, all.data, most, 0, 1);
    at += most + 2;
    expect_too_long(sf, most + 1, at);
    at += most + 2;
    expect_line(sf, "short", 5, at, 3);
    at += 6;
    expect_too_long(sf, 5 * most, at);
    at += 5 * most + 3;
    expect_line(sf, "short", 5, at, 6);
    at += 6;
    expect_line(sf, all.data + at, most, at, 7);
    at += most + 1;
    expect_too_long(sf, 3 * most, at);
    expect_end(sf, SOURCE_END);
    buf_fini(&all);
}

static const unsigned char gzip_header[] = {0x1f, 0x8b, 0x08, 0, 0, 0, 0, 0, 0, 0x03};

/* Writes text as gzip in a stored block (it needs no compressor), less the last `cut` bytes. */
static void write_gzip(const char *text, size_t cut)
{
    unsigned char data[64];
    size_t len = sizeof gzip_header;
    uint32_t crc = 0xffffffff;

    memcpy(data, gzip_header, len);
    data[len++] = 1;
    data[len++] = (unsigned char)strlen(text);
    data[len++] = 0;
    data[len++] = (unsigned char)~strlen(text);
    data[len++] = 0xff;
    memcpy(data + len, text, strlen(text));
    len += strlen(text);
    for (const char *p = text; *p; p++) {
        crc ^= (unsigned char)*p;
        for (int i = 0; i < 8; i++)
            crc = crc >> 1 ^ (crc & 1 ? 0xedb88320 : 0);
    }
    crc = ~crc;
    for (int i = 0; i < 4; i++)
        data[len++] = (unsigned char)(crc >> (8 * i));
    data[len++] = (unsigned char)strlen(text);
    memset(data + len, 0, 3);
    len += 3;
    write_file(data, len - cut);
}

static void packed_files(void **state)
{
    struct source_file *sf;

    (void)state;
    write_gzip("one\r\ntwo\nthree", 0);
    sf = open_file(100);
    expect_line(sf, "one", 3, 0, 1);
    expect_line(sf, "two", 3, 5, 2);
    expect_line(sf, "three", 5, 9, 3);
    expect_end(sf, SOURCE_END);

    /* Cut off: whole lines come, the piece of one does not. */
    write_gzip("one\ntwo\nthree", 10);
    sf = open_file(100);
    expect_line(sf, "one", 3, 0, 1);
    expect_line(sf, "two", 3, 4, 2);
    struct source_line line;
    assert_int_equal(source_file_line(sf, &line), SOURCE_ERROR);
    assert_non_null(strstr(source_file_error(sf), "truncated"));
    expect_end(sf, SOURCE_ERROR);

    write_gzip("one\n", 0);
    FILE *f = fopen(path, "ab");
    assert_non_null(f);
    fputs("garbage", f);
    fclose(f);
    sf = open_file(100);
    expect_line(sf, "one", 3, 0, 1);
    expect_end(sf, SOURCE_ERROR);
}

static void expect_refused(const char *name, const char *what)
{
    struct buf why;

    buf_init(&why);
    assert_null(source_file_open(name, 100, PADDING, &why));
    assert_non_null(strstr(why.data, what));
    buf_fini(&why);
}

static void what_is_no_file(void **state)
{
    (void)state;
    expect_refused(".", "is a directory");
    expect_refused("test_source_file.there-is-none", "No such file");
}

static void count_wait(void *ctx)
{
    ++*(int *)ctx;
}

static void waiting_is_told(void **state)
{
    int waits = 0;

    (void)state;
    write_file("a\nb\n", 4);
    struct source_file *sf = open_file(100);
    source_file_on_wait(sf, count_wait, &waits);
    expect_line(sf, "a", 1, 0, 1);
    assert_int_equal(waits, 1);
    expect_line(sf, "b", 1, 2, 2);
    assert_int_equal(waits, 1);
    expect_end(sf, SOURCE_END);
    assert_int_equal(waits, 2);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(line_ends),       cmocka_unit_test(edges_of_blocks),
        cmocka_unit_test(huge_lines),      cmocka_unit_test(packed_files),
        cmocka_unit_test(what_is_no_file), cmocka_unit_test(waiting_is_told),
    };

    return cmocka_run_group_tests_name("source_file", tests, make_file, remove_file);
}
