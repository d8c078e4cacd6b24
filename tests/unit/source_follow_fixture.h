/* SPDX-License-Identifier: Apache-2.0 */
/* source_follow_fixture - a directory for a test, and a reader that writes down all it is told. */
#ifndef UNIT_SOURCE_FOLLOW_FIXTURE_H
#define UNIT_SOURCE_FOLLOW_FIXTURE_H

#include <fcntl.h>
#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/buf.h"
#include "base/clock.h"
#include "base/mem.h"
#include "io/source_follow.h"

#define MS INT64_C(1000000)
enum { PADDING = 64 };

static char dir[] = "test_source_follow.XXXXXX";

/* ---- files ------------------------------------------------------------------------------------ */

static char *in_dir(const char *name)
{
    static _Thread_local char path[8][256];
    static _Thread_local int at;
    char *p = path[at++ % 8];

    snprintf(p, 256, "%s/%s", dir, name);
    return p;
}

static inline void put(const char *name, const char *text, const char *mode)
{
    FILE *f = fopen(in_dir(name), mode);

    assert_non_null(f);
    assert_int_equal(fwrite(text, 1, strlen(text), f), strlen(text));
    assert_int_equal(fclose(f), 0);
}

static inline void move(const char *from, const char *to)
{
    assert_int_equal(rename(in_dir(from), in_dir(to)), 0);
}

static inline void copy(const char *from, const char *to)
{
    char command[600];

    snprintf(command, sizeof command, "cp %s %s", in_dir(from), in_dir(to));
    assert_int_equal(system(command), 0);
}

static inline int make_dir(void **state)
{
    (void)state;
    memcpy(dir, "test_source_follow.XXXXXX", sizeof dir);
    return mkdtemp(dir) == NULL;
}

static inline int remove_dir(void **state)
{
    char command[100];

    (void)state;
    snprintf(command, sizeof command, "chmod -R u+rwx %s; rm -rf %s", dir, dir);
    return system(command);
}

/* ---- a reader that writes down all it is told ------------------------------------------------- */

/* What is told, one line each: "open a.log 0", "a.log 0 @0 text", "end a.log 0" ...; positions as a
 * checkpoint would have them when everything read was given. */
struct reader {
    struct source *source;
    struct buf log;
    bool forgets; /* FORGET is written down */
    bool quiet; /* CAUGHT_UP, STALLED and RESUMED are not written down */
    struct source_position position[8000];
    char *name[8000];
    size_t n;
    size_t lines;
    bool finished;
};

static inline struct source_position *position_of(struct reader *r, const struct source_partition *part)
{
    for (size_t i = r->n; i-- > 0;)
        if (strcmp(r->name[i], part->name) == 0 && r->position[i].generation == part->generation)
            return &r->position[i];
    assert_true(r->n < 8000);
    r->name[r->n] = mem_strndup(part->name, strlen(part->name));
    r->position[r->n] = (struct source_position){
        .partition = r->name[r->n], .generation = part->generation,
        .resume = part->resume, .read = part->resume};
    return &r->position[r->n++];
}

static inline void drop_position(struct reader *r, struct source_position *pos)
{
    size_t i = (size_t)(pos - r->position);

    mem_free(r->name[i]);
    r->n--;
    r->name[i] = r->name[r->n];
    r->position[i] = r->position[r->n];
}

static inline void check_padding(const struct source_item *item)
{
    unsigned sum = 0;

    for (size_t i = 0; i < PADDING; i++)
        sum += (unsigned char)item->text[item->len + i];
    assert_true(sum < PADDING * 256);
}

static inline void take(struct reader *r, const struct source_item *item)
{
    static const char *const word[] = {"", "", "open", "caught", "end", "stall", "resume", "forget"};
    const struct source_partition *part = item->partition;
    struct source_position *pos = position_of(r, part);

    switch (item->what) {
    case SOURCE_EVENT_LINE:
        check_padding(item);
        buf_printf(&r->log, "%s %u @%llu %.*s\n", part->name, part->generation,
                   (unsigned long long)item->offset, item->len < 60 ? (int)item->len : 60,
                   item->text);
        r->lines++;
        break;
    case SOURCE_EVENT_TOO_LONG:
        assert_null(item->text);
        buf_printf(&r->log, "%s %u @%llu too long %zu\n", part->name, part->generation,
                   (unsigned long long)item->offset, item->len);
        break;
    case SOURCE_EVENT_ENDED:
        pos->ended = true;
        /* fall through */
    case SOURCE_EVENT_OPENED:
        buf_printf(&r->log, "%s %s %u\n", word[item->what], part->name, part->generation);
        break;
    default:
        if (item->what == SOURCE_EVENT_FORGET ? r->forgets : !r->quiet)
            buf_printf(&r->log, "%s %s %u\n", word[item->what], part->name, part->generation);
    }
    if (item->what == SOURCE_EVENT_FORGET) {
        drop_position(r, pos);
        return;
    }
    if (item->what == SOURCE_EVENT_LINE || item->what == SOURCE_EVENT_TOO_LONG) {
        assert_true(item->offset >= pos->read);
        pos->read = pos->resume = item->next;
    }
    pos->identity[0] = part->identity[0];
    pos->identity[1] = part->identity[1];
    if (item->what == SOURCE_EVENT_ENDED)
        source_release(r->source, pos);
}

/* Reads until nothing was there for `quiet` ms. */
static inline void run(struct reader *r, int quiet)
{
    int64_t last = clock_monotonic();

    while (!r->finished && clock_monotonic() - last < quiet * MS) {
        struct source_item item;

        source_next(r->source, &item);
        if (item.what == SOURCE_EVENT_FINISHED) {
            r->finished = true;
        } else if (item.what == SOURCE_EVENT_NOTHING) {
            source_wait(r->source, 5 * MS);
        } else {
            take(r, &item);
            last = clock_monotonic();
        }
    }
}

static struct source_follow_options options = {
    .name = "s", .follow = true, .max_line = 100000, .padding = PADDING, .poll = 2 * MS,
    .rescan = 20 * MS, .rotate_wait = 60 * MS};

/* Keeps the positions that r has. */
static inline void open_patterns(struct reader *r, const char *const *pattern, size_t n, bool follow)
{
    struct source_follow_options opt = options;
    struct buf why;

    buf_init(&why);
    opt.pattern = pattern;
    opt.n_patterns = n;
    opt.follow = follow;
    opt.saved = r->position;
    opt.n_saved = r->n;
    r->source = source_follow_new(&opt, &why);
    assert_non_null(r->source);
    buf_fini(&why);
}

static inline void open_one(struct reader *r, const char *pattern)
{
    char *path = mem_strndup(in_dir(pattern), strlen(in_dir(pattern)));
    const char *patterns[] = {path};

    open_patterns(r, patterns, 1, true);
    mem_free(path);
}

static inline void stop(struct reader *r)
{
    source_free(&r->source);
    assert_null(r->source);
    r->finished = false;
}

static inline void fini(struct reader *r)
{
    stop(r);
    for (size_t i = 0; i < r->n; i++)
        mem_free(r->name[i]);
    r->n = 0;
    buf_fini(&r->log);
}

/* What was told since the last call. */
static inline void expect(struct reader *r, const char *text)
{
    assert_string_equal(r->log.data ? r->log.data : "", text);
    buf_clear(&r->log);
    if (r->log.data)
        r->log.data[0] = '\0';
}

/* The same, as soon as it was told; half a minute at most. */
static inline void await(struct reader *r, const char *text)
{
    for (int i = 0; i < 1500 && strcmp(r->log.data ? r->log.data : "", text) != 0; i++)
        run(r, 20);
    expect(r, text);
}

/* Until so many lines were read, and a moment more. */
static inline void run_to(struct reader *r, size_t lines)
{
    for (int i = 0; i < 600 && r->lines < lines; i++)
        run(r, 100);
    run(r, 100);
}

static struct reader reader; /* large */

static inline struct reader *new_reader(void)
{
    reader = (struct reader){0};
    buf_init(&reader.log);
    return &reader;
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, make_dir, remove_dir)

#endif
