// SPDX-License-Identifier: Apache-2.0
/*
 * sink_fixture - a directory for each test, and runs of a file sink in it: what flow/deliver does, with
 * a small file for the outbox that is saved at each third acknowledgement only.
 */
#ifndef UNIT_SINK_FIXTURE_H
#define UNIT_SINK_FIXTURE_H

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <ftw.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stdbool.h>
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
#include "base/failpoint.h"
#include "base/mem.h"
#include "io/sink.h"
#include "io/sink_file.h"

enum { LINES = 400, MAX_FILES = 64 };

static char dir[256];
static __attribute__((unused)) const char *self; /* argv[0]: called with `child DIRECTORY ROTATE_SIZE' */

/* ---- a directory for each test --------------------------------------------------------------- */

static const char *in_dir(const char *name)
{
    static char path[4][512];
    static unsigned next;
    char *p = path[next++ % 4];

    snprintf(p, sizeof path[0], "%s/%s", dir, name);
    return p;
}

static __attribute__((unused)) int make_dir(void **state)
{
    (void)state;
    snprintf(dir, sizeof dir, "test_sink_file.XXXXXX");
    return mkdtemp(dir) ? 0 : -1;
}

static int remove_one(const char *path, const struct stat *about, int type, struct FTW *ftw)
{
    (void)about, (void)type, (void)ftw;
    return remove(path);
}

static __attribute__((unused)) int remove_dir(void **state)
{
    (void)state;
    return nftw(dir, remove_one, 16, FTW_DEPTH | FTW_PHYS);
}

static __attribute__((unused)) void new_dir(void)
{
    remove_dir(NULL);
    assert_int_equal(make_dir(NULL), 0);
}

static __attribute__((unused)) void write_file(const char *name, const char *text)
{
    FILE *f = fopen(in_dir(name), "a");

    assert_non_null(f);
    fputs(text, f);
    fclose(f);
}

static char *read_file(const char *name)
{
    FILE *f = fopen(in_dir(name), "r");
    struct buf b;
    char block[4096];
    size_t n;

    if (!f)
        return NULL;
    buf_init(&b);
    buf_adds(&b, "");
    while ((n = fread(block, 1, sizeof block, f)) > 0)
        buf_add(&b, block, n);
    fclose(f);
    return buf_take(&b);
}

static __attribute__((unused)) void assert_file(const char *name, const char *text)
{
    char *found = read_file(name);

    assert_non_null(found);
    assert_string_equal(found, text);
    mem_free(found);
}

static __attribute__((unused)) int by_name(const void *a, const void *b)
{
    return strcmp(*(char *const *)a, *(char *const *)b);
}

/* The names that begin with "out." and a digit, sorted. */
static __attribute__((unused)) size_t archives(char *name[MAX_FILES])
{
    DIR *d = opendir(dir);
    struct dirent *e;
    size_t n = 0;

    while ((e = readdir(d)))
        if (strncmp(e->d_name, "out.2", 5) == 0 && n < MAX_FILES)
            name[n++] = strdup(e->d_name);
    closedir(d);
    qsort(name, n, sizeof *name, by_name);
    return n;
}

/* ---- a run: what flow/deliver does, with a file for the outbox ---------------------------------- */

struct run {
    struct sink *sink;
    struct buf position, why;
    uint64_t taken, acked, saved;
    unsigned acks;
};

static __attribute__((unused)) void run_save(struct run *r)
{
    char path[512];
    FILE *f;

    snprintf(path, sizeof path, "%s", in_dir("saved.tmp"));
    f = fopen(path, "w");
    fwrite(&r->acked, sizeof r->acked, 1, f);
    fwrite(r->position.data, 1, r->position.len, f);
    fclose(f);
    if (rename(path, in_dir("saved")) != 0)
        abort();
    r->saved = r->acked;
}

static __attribute__((unused)) void run_load(struct run *r)
{
    FILE *f = fopen(in_dir("saved"), "r");
    char block[256];
    size_t n;

    buf_clear(&r->position);
    r->acked = 0;
    if (!f)
        return;
    if (fread(&r->acked, sizeof r->acked, 1, f) != 1)
        abort();
    while ((n = fread(block, 1, sizeof block, f)) > 0)
        buf_add(&r->position, block, n);
    fclose(f);
}

static __attribute__((unused)) void run_begin_sized(struct run *r, uint64_t rotate_size, uint32_t keep)
{
    struct sink_file_options opt = {.name = "disk", .path = in_dir("out"),
                                    .rotate_size = rotate_size, .rotate_keep = keep};

    *r = (struct run){.sink = sink_file_new(&opt)};
    buf_init(&r->position);
    buf_init(&r->why);
    run_load(r);
}

static __attribute__((unused)) void run_begin(struct run *r)
{
    run_begin_sized(r, 0, 0);
}

static __attribute__((unused)) void run_end(struct run *r)
{
    sink_free(&r->sink);
    buf_fini(&r->position);
    buf_fini(&r->why);
}

static __attribute__((unused)) bool run_start(struct run *r)
{
    struct sink_place place = {.position = r->position.data, .len = r->position.len,
                               .acked = r->acked, .last = r->acked};

    buf_clear(&r->why);
    r->taken = r->acked;
    return sink_start(r->sink, &place, &r->why);
}

static __attribute__((unused)) bool run_flush(struct run *r)
{
    struct buf position;

    buf_init(&position);
    if (!sink_flush(r->sink, &position, &r->why)) {
        buf_fini(&position);
        return false;
    }
    buf_fini(&r->position);
    r->position = position;
    r->acked = r->taken;
    return true;
}

static __attribute__((unused)) bool run_settle(struct run *r)
{
    while (sink_unsettled(r->sink)) {
        if (!run_flush(r))
            return false;
        run_save(r);
        if (!sink_settled(r->sink, &r->why))
            return false;
    }
    return true;
}

static __attribute__((unused)) bool run_line(struct run *r, const char *text)
{
    struct sink_message m = {.seq = ++r->taken, .text = text, .len = strlen(text)};

    return sink_deliver(r->sink, &m, &r->why) == SINK_TAKEN;
}

static __attribute__((unused)) void begin_with(struct run *r, const char *line)
{
    run_begin(r);
    assert_true(run_start(r));
    assert_true(run_settle(r));
    assert_true(run_line(r, line));
    assert_true(run_flush(r));
    run_save(r);
}

/* Lines that are flushed, and acknowledged in memory only; then the process dies. */
static __attribute__((unused)) void die_after(struct run *r, const char *line)
{
    assert_true(run_line(r, line));
    assert_true(run_flush(r));
    run_end(r);
}

/* ---- runs in a process of their own ------------------------------------------------------------- */

static __attribute__((unused)) pid_t begin_child(const char *failpoints, unsigned rotate_size)
{
    char size[16];
    pid_t pid;

    snprintf(size, sizeof size, "%u", rotate_size);
    pid = fork();
    assert_true(pid >= 0);
    if (pid == 0) {
        int null = open("/dev/null", O_WRONLY);
        dup2(null, 2);
        setenv("TOCSIN_FAILPOINTS", failpoints, 1);
        execl(self, self, "child", dir, size, (char *)NULL);
        _exit(127);
    }
    return pid;
}

/* True: it was killed. */
static __attribute__((unused)) bool run_child(const char *failpoints, unsigned rotate_size)
{
    int status;

    waitpid(begin_child(failpoints, rotate_size), &status, 0);
    if (WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL)
        return true;
    assert_true(WIFEXITED(status));
    assert_int_equal(WEXITSTATUS(status), 0);
    return false;
}

/* All lines once, in order, over the rotated files and the last one. */
static __attribute__((unused)) void assert_all_lines(const char *what)
{
    char *name[MAX_FILES + 1];
    size_t n = archives(name);
    unsigned long next = 1;

    name[n++] = strdup("out");
    for (size_t i = 0; i < n; i++) {
        char *text = read_file(name[i]), *s = text;
        assert_non_null(text);
        while (*s) {
            char *end;
            unsigned long found = strtoul(s, &end, 10);
            if (found != next || *end != '\n')
                fail_msg("%s: %s has %lu, not %lu", what, name[i], found, next);
            next++;
            s = end + 1;
        }
        mem_free(text);
        free(name[i]);
    }
    if (next != LINES + 1)
        fail_msg("%s: ends at %lu", what, next - 1);
    assert_int_not_equal(access(in_dir("out.next"), F_OK), 0);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, make_dir, remove_dir)

#endif
