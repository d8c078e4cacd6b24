/* SPDX-License-Identifier: Apache-2.0 */
/* spool_fixture - a directory for spools, lines that are numbers, and how they are read again. */
#ifndef UNIT_SPOOL_FIXTURE_H
#define UNIT_SPOOL_FIXTURE_H

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <pthread.h>
#include <setjmp.h>
#include <stdatomic.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/buf.h"
#include "base/clock.h"
#include "base/mem.h"
#include "io/spool.h"

#define MS INT64_C(1000000)
#define UNUSED __attribute__((unused))
enum { PADDING = 64, MAX_PATH = 300 };

static char dir[] = "test_spool.XXXXXX";

static UNUSED int make_dir(void **state)
{
    (void)state;
    memcpy(dir, "test_spool.XXXXXX", sizeof dir);
    return mkdtemp(dir) == NULL;
}

static UNUSED int remove_dir(void **state)
{
    char command[100];

    (void)state;
    snprintf(command, sizeof command, "rm -rf %s", dir);
    return system(command);
}

/* The segments' paths in order; how many. */
static UNUSED size_t segments(char path[][MAX_PATH], size_t max)
{
    struct dirent **entry;
    int n = scandir(dir, &entry, NULL, alphasort);
    size_t found = 0;

    assert_true(n >= 0);
    for (int i = 0; i < n; i++) {
        if (entry[i]->d_name[0] != '.' && found < max)
            snprintf(path[found++], MAX_PATH, "%s/%s", dir, entry[i]->d_name);
        free(entry[i]);
    }
    free(entry);
    return found;
}

static UNUSED char *read_bytes(const char *path, size_t *len_out)
{
    FILE *f = fopen(path, "rb");
    struct stat st;
    char *data;

    assert_non_null(f);
    assert_int_equal(fstat(fileno(f), &st), 0);
    data = mem_alloc((size_t)st.st_size + 1);
    *len_out = fread(data, 1, (size_t)st.st_size, f);
    assert_int_equal(*len_out, (size_t)st.st_size);
    fclose(f);
    return data;
}

static UNUSED void write_bytes(const char *path, const void *data, size_t len)
{
    FILE *f = fopen(path, "wb");

    assert_non_null(f);
    assert_int_equal(fwrite(data, 1, len, f), len);
    assert_int_equal(fclose(f), 0);
}

static struct spool_options opt;

/* With the message in why, or none. */
static UNUSED struct spool *open_spool(const char *refusal)
{
    struct spool *sp;
    struct buf why;

    buf_init(&why);
    opt.dir = dir;
    sp = spool_open(&opt, &why);
    if (refusal) {
        assert_null(sp);
        if (!strstr(why.data, refusal))
            fail_msg("%s", why.data);
    } else if (!sp) {
        fail_msg("%s", why.data);
    }
    buf_fini(&why);
    return sp;
}

/* Line n: its number, and some bytes that it decides. */
static UNUSED size_t line_text(unsigned n, char *text, size_t size)
{
    int len = snprintf(text, size, "%u", n);

    while (len < (int)(n * 2654435761U % 100))
        text[len++] = (char)('a' + n % 26);
    return (size_t)len;
}

static UNUSED bool append(struct spool *sp, unsigned n)
{
    char text[200];
    size_t len = line_text(n, text, sizeof text);

    return spool_append(sp, text, len, len + 1, 1000 + n);
}

static UNUSED void append_all(struct spool *sp, unsigned from, unsigned to)
{
    for (unsigned n = from; n <= to; n++)
        assert_true(append(sp, n));
}

static UNUSED void check_line(const struct spool_line *line, unsigned n)
{
    char text[200];
    size_t len = line_text(n, text, sizeof text);
    unsigned sum = 0;

    assert_int_equal(line->len, len);
    assert_memory_equal(line->text, text, len);
    assert_int_equal(line->arrival, 1000 + n);
    for (size_t i = 0; i < PADDING; i++)
        sum += (unsigned char)line->text[len + i];
    assert_true(sum < PADDING * 256);
}

/* Reads lines from number `from` on until `got`; the number behind the last. */
static UNUSED unsigned read_until(struct spool_reader *rd, unsigned from, enum spool_got got,
                                  const char *message)
{
    struct spool_line line;
    enum spool_got is;
    struct buf why;

    buf_init(&why);
    while ((is = spool_read(rd, &line, &why)) == SPOOL_LINE)
        check_line(&line, from++);
    if (is != got)
        fail_msg("%d, not %d: %s", is, got, why.data ? why.data : "");
    if (message)
        assert_non_null(strstr(why.data, message));
    buf_fini(&why);
    return from;
}

/* All that is in it: lines first..; the number behind the last. */
static UNUSED unsigned read_all(struct spool *sp, unsigned first)
{
    struct spool_reader *rd = spool_reader_new(sp, 0, PADDING);
    unsigned n = read_until(rd, first, SPOOL_NOTHING, NULL);

    spool_reader_free(&rd);
    return n;
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, make_dir, remove_dir)

#endif
