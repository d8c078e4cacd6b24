/* SPDX-License-Identifier: Apache-2.0 */
/* spill: what is written comes back in order, also when segments are merged; faults are told. */
#include "flow/spill.h"

#include <dirent.h>
#include <fcntl.h>
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
#include "event/event.h"
#include "event/json_decode.h"
#include "flow/event_queue.h"

enum { N_PARTITIONS = 3, MAX_ITEMS = 4000 };

static const struct origin origins[N_PARTITIONS] = {
    {.source = "s", .partition = "b"}, {.source = "s", .partition = "a"}, {.source = "r", .partition = "z"}};
static const uint32_t fit[] = {4};
static char dir[] = "/tmp/test_spill.XXXXXX";
static bool can_reload = true;
static uint64_t seed = 4711;

static uint32_t below(uint32_t n)
{
    seed ^= seed << 13;
    seed ^= seed >> 7;
    seed ^= seed << 17;
    return (uint32_t)((seed >> 20) % n);
}

static const struct origin *origin_of(void *ctx, uint32_t partition)
{
    (void)ctx;
    assert_true(partition < N_PARTITIONS);
    return &origins[partition];
}

static bool reload(void *ctx, uint32_t partition, struct event *ev)
{
    (void)ctx;
    assert_ptr_equal(ev->origin, &origins[partition]);
    volatile char sum = 0;
    for (size_t i = 0; i < ev->raw_len + decoder_padding(); i++) /* it is readable */
        sum = (char)(sum + ev->raw[i]);
    ev->fits = fit;
    ev->n_fits = 1;
    return can_reload;
}

static struct spill *make(uint64_t limit, size_t max_segments)
{
    struct spill_options opt = {.dir = dir, .limit = limit, .max_segments = max_segments,
                                .origin = origin_of, .reload = reload};
    return spill_new(&opt);
}

static uint64_t next_offset[N_PARTITIONS];
static bool long_lines;

static struct event_queue_item random_item(void)
{
    static char text[3000];
    struct event_queue_item item = {.partition = below(N_PARTITIONS), .run = EVENT_QUEUE_NO_RUN};
    struct event ev = {.time = (int64_t)below(50) - 20, .origin = &origins[item.partition]};

    ev.offset = next_offset[item.partition]++;
    ev.raw_len = long_lines ? sizeof text : below(10) == 0 ? below(sizeof text) : below(100);
    memset(text, 'a' + (int)(ev.offset % 26), sizeof text);
    ev.raw = text;
    if (below(2))
        ev.order_by = below(2) ? value_int((int64_t)below(5)) : value_text("text", below(5));
    item.time = ev.time;
    if (below(4) == 0) {
        item.time += 3;
        item.run = EVENT_QUEUE_LATE;
    }
    item.ev = event_keep(&ev);
    return item;
}

static int by_place(const void *a, const void *b)
{
    return event_queue_before(a, b) ? -1 : event_queue_before(b, a) ? 1 : 0;
}

static void count_files(unsigned want)
{
    DIR *d = opendir(dir);
    const struct dirent *entry;
    unsigned n = 0;

    assert_non_null(d);
    while ((entry = readdir(d)))
        n += entry->d_name[0] != '.';
    closedir(d);
    assert_int_equal(n, want);
}

static void comes_back_in_order(void **state)
{
    struct event_queue_item *all = calloc(MAX_ITEMS, sizeof *all);
    struct spill *sp = make(UINT64_MAX, 5);
    size_t n = 0;

    (void)state;
    while (n + 100 < MAX_ITEMS) {
        size_t more = 1 + below(99);
        struct spill_oldest oldest = {.partition = 0, .offset = n, .max_before = -(int64_t)n};
        for (size_t i = 0; i < more; i++)
            all[n + i] = random_item();
        qsort(all + n, more, sizeof *all, by_place);
        assert_true(spill_write(sp, all + n, more, &oldest, 1));
        n += more;
    }
    struct spill_oldest oldest;
    assert_true(spill_oldest(sp, 0, &oldest));
    assert_int_equal(oldest.offset, 0);
    assert_false(spill_oldest(sp, 1, &oldest));
    qsort(all, n, sizeof *all, by_place);
    for (size_t i = 0; i < n; i++) {
        const struct event_queue_item *top = spill_top(sp);
        assert_int_equal(top->time, all[i].time);
        assert_int_equal(top->run, all[i].run);
        struct event *ev = spill_pop(sp);
        assert_non_null(ev);
        assert_true(ev->origin == all[i].ev->origin && ev->offset == all[i].ev->offset);
        assert_true(ev->time == all[i].ev->time && ev->n_fits == 1 && ev->fits[0] == 4);
        assert_true(value_same(ev->order_by, all[i].ev->order_by));
        assert_int_equal(ev->raw_len, all[i].ev->raw_len);
        assert_memory_equal(ev->raw, all[i].ev->raw, ev->raw_len);
        event_unref(ev);
        event_unref(all[i].ev);
    }
    assert_null(spill_top(sp));
    assert_int_equal(spill_bytes(sp), 0);
    count_files(0);
    spill_free(&sp);
    free(all);
}

static void write_some(struct spill *sp, size_t n, bool fits)
{
    struct event_queue_item item[100];

    for (size_t i = 0; i < n; i++)
        item[i] = random_item();
    qsort(item, n, sizeof *item, by_place);
    assert_int_equal(spill_write(sp, item, n, NULL, 0), fits);
    for (size_t i = 0; i < n; i++)
        event_unref(item[i].ev);
}

static void the_limit_holds(void **state)
{
    struct spill *sp = make(9000, 4);
    struct buf why;

    (void)state;
    buf_init(&why);
    write_some(sp, 1, true);
    uint64_t before = spill_bytes(sp);
    for (int i = 0; i < 4; i++)
        write_some(sp, 100, false);
    assert_int_equal(spill_bytes(sp), before);
    count_files(1);
    spill_why(sp, &why);
    assert_non_null(strstr(why.data, "limit"));
    write_some(sp, 1, true);
    spill_free(&sp);
    count_files(0);
    buf_fini(&why);
}

static void damage_is_told(void **state)
{
    (void)state;
    long_lines = true; /* segments of more than is read at once */
    for (int round = 0; round < 3; round++) {
        struct spill *sp = make(UINT64_MAX, 0);
        struct buf path, why;
        struct event *ev;
        size_t n = 0;

        for (int i = 0; i < 40; i++)
            write_some(sp, 100, true);
        buf_init(&path);
        buf_init(&why);
        for (int i = 0; i < 40; i++) { /* the ends of all */
            buf_clear(&path);
            buf_printf(&path, "%s/%d.spill", dir, i);
            int fd = open(path.data, O_RDWR);
            assert_true(fd >= 0);
            off_t size = lseek(fd, 0, SEEK_END);
            if (round == 0)
                assert_int_equal(ftruncate(fd, size - 1), 0);
            else if (round == 1)
                assert_int_equal(pwrite(fd, "!!!!", 4, size - 4), 4);
            close(fd);
        }
        can_reload = round != 2;
        while ((ev = spill_pop(sp)) && ++n < 4000)
            event_unref(ev);
        assert_null(ev);
        assert_null(spill_pop(sp)); /* and nothing more */
        spill_why(sp, &why);
        assert_non_null(strstr(why.data, ".spill: "));
        write_some(sp, 1, false);
        can_reload = true;
        spill_free(&sp);
        buf_fini(&path);
        buf_fini(&why);
    }
    count_files(0);
}

static void what_was_left_is_removed(void **state)
{
    struct buf path;
    struct spill *sp;

    (void)state;
    buf_init(&path);
    buf_printf(&path, "%s/17.spill", dir);
    FILE *f = fopen(path.data, "w");
    assert_non_null(f);
    fclose(f);
    count_files(1);
    sp = make(1, 0);
    count_files(0);
    spill_free(&sp);
    buf_fini(&path);
}

/* Of several spills, each with a directory in it; nothing else goes. */
static void a_directory_of_several_is_cleared(void **state)
{
    static const char *const name[] = {"3.spill", "0/1.spill", "0/2.spill", "12/7.spill"};
    static const char *const kept[] = {"keep.txt", "named/1.spill"};
    char path[200];

    (void)state;
    for (size_t i = 0; i < 3; i++) {
        snprintf(path, sizeof path, "%s/%s", dir, i == 0 ? "0" : i == 1 ? "12" : "named");
        mkdir(path, 0700);
    }
    for (size_t i = 0; i < 4; i++) {
        snprintf(path, sizeof path, "%s/%s", dir, name[i]);
        close(open(path, O_CREAT | O_WRONLY, 0600));
    }
    for (size_t i = 0; i < 2; i++) {
        snprintf(path, sizeof path, "%s/%s", dir, kept[i]);
        close(open(path, O_CREAT | O_WRONLY, 0600));
    }
    spill_clear(dir);
    for (size_t i = 0; i < 4; i++) {
        snprintf(path, sizeof path, "%s/%s", dir, name[i]);
        assert_int_not_equal(access(path, F_OK), 0);
    }
    snprintf(path, sizeof path, "%s/12", dir);
    assert_int_not_equal(access(path, F_OK), 0);
    for (size_t i = 0; i < 2; i++) {
        snprintf(path, sizeof path, "%s/%s", dir, kept[i]);
        assert_int_equal(unlink(path), 0);
    }
    snprintf(path, sizeof path, "%s/named", dir);
    assert_int_equal(rmdir(path), 0);
}

static int make_dir(void **state)
{
    (void)state;
    return mkdtemp(dir) ? 0 : -1;
}

static int remove_dir(void **state)
{
    (void)state;
    return rmdir(dir);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(comes_back_in_order),
        cmocka_unit_test(the_limit_holds),
        cmocka_unit_test(damage_is_told),
        cmocka_unit_test(what_was_left_is_removed),
        cmocka_unit_test(a_directory_of_several_is_cleared),
    };
    return cmocka_run_group_tests(tests, make_dir, remove_dir);
}
