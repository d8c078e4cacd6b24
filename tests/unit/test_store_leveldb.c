// SPDX-License-Identifier: Apache-2.0
/* store_leveldb: order, atomic batches, what is durable comes back, whose lock it is, damage is told. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include <pthread.h>
#include <sys/mount.h>
#include <sys/wait.h>
#include <time.h>

#include "base/clock.h"
#include "base/failpoint.h"
#include "state/store.h"
#include <unit/failpoint_fixture.h>
#include <unit/state_fixture.h>

static char *dir;
static struct buf why;

static int setup(void **state)
{
    (void)state;
    dir = temp_dir();
    buf_init(&why);
    return 0;
}

static int teardown(void **state)
{
    (void)state;
    temp_dir_end(dir);
    buf_fini(&why);
    return 0;
}

static struct store *open_store(bool create)
{
    struct store_options opt = {.create = create};
    struct store *st;

    buf_clear(&why);
    if (store_open(dir, &opt, &st, &why) != STORE_OK)
        fail_msg("%s", why.data);
    return st;
}

static void put(struct store_batch *batch, const char *key, const char *value)
{
    store_batch_put(batch, key, strlen(key), value, strlen(value));
}

static bool collect(void *ctx, const void *key, size_t key_len, const void *value, size_t len)
{
    struct buf *b = ctx;

    buf_add(b, key, key_len);
    buf_addc(b, '=');
    buf_add(b, value, len);
    buf_addc(b, ' ');
    return !memchr(value, '!', len);
}

static void holds(struct store *st, const char *prefix, const char *from, const char *expected)
{
    struct buf got;

    buf_init(&got);
    buf_adds(&got, "");
    assert_int_equal(store_read_from(st, prefix, strlen(prefix), from, strlen(from), collect, &got,
                                     &why), STORE_OK);
    assert_string_equal(got.data, expected);
    buf_fini(&got);
}

static void reads_by_prefix_in_order(void **state)
{
    (void)state;
    struct store *st = open_store(true);
    struct store_batch *batch = store_batch_new(), *more = store_batch_new();
    struct buf value;
    bool found;

    put(batch, "b1", "x");
    put(batch, "a", "1");
    put(more, "b\xff", "z");
    put(more, "b0", "");
    put(more, "c", "3");
    store_batch_remove(more, "a", 1);
    size_t bytes = store_batch_bytes(batch) + store_batch_bytes(more);
    store_batch_append(batch, more);
    assert_int_equal(store_batch_bytes(batch), bytes);
    assert_int_equal(store_write(st, batch, true, &why), STORE_OK);
    holds(st, "", "", "b0= b1=x b\xff=z c=3 ");
    holds(st, "b", "b", "b0= b1=x b\xff=z ");
    holds(st, "b", "b01", "b1=x b\xff=z ");
    holds(st, "a", "a", "");
    buf_init(&value);
    assert_int_equal(store_get(st, "b1", 2, &found, &value, &why), STORE_OK);
    assert_true(found);
    assert_string_equal(value.data, "x");
    assert_int_equal(store_get(st, "a", 1, &found, &value, &why), STORE_OK);
    assert_false(found);
    /* the batch may be written again; a cleared one may be filled again */
    assert_int_equal(store_write(st, batch, false, &why), STORE_OK);
    store_batch_clear(batch);
    assert_int_equal(store_batch_bytes(batch), 0);
    put(batch, "b1", "stop!");
    assert_int_equal(store_write(st, batch, true, &why), STORE_OK);
    holds(st, "b", "b", "b0= b1=stop! ");
    holds(st, "c", "c", "c=3 ");
    assert_true(store_disk_bytes(st) > 0);
    assert_int_equal(store_reopen(st, &why), STORE_OK);
    holds(st, "c", "c", "c=3 ");
    buf_fini(&value);
    store_batch_free(&batch);
    store_batch_free(&more);
    store_free(&st);
    store_free(&st);
}

/* A process of its own writes and is killed. */
static void survives_a_killed_process(void **state)
{
    (void)state;
    for (int sync = 0; sync < 2; sync++) {
        fflush(NULL);
        pid_t pid = fork();
        if (pid == 0) {
            struct store *st = open_store(true);
            struct store_batch *batch = store_batch_new();
            put(batch, sync ? "synced" : "plain", "1");
            _exit(store_write(st, batch, sync, &why) == STORE_OK ? 0 : 1);
        }
        int status;
        assert_int_equal(waitpid(pid, &status, 0), pid);
        assert_int_equal(status, 0);
    }
    struct store *st = open_store(false);
    holds(st, "", "", "plain=1 synced=1 ");
    store_free(&st);
}

static void one_process_at_a_time(void **state)
{
    (void)state;
    struct store *st = open_store(true), *other;
    struct store_options opt = {.read_only = true};

    /* another process */
    char expected[64];
    snprintf(expected, sizeof expected, "in use by process %ld: the daemon has it", (long)getpid());
    fflush(NULL);
    pid_t pid = fork();
    if (pid == 0)
        _exit(store_open(dir, &opt, &other, &why) == STORE_LOCKED && strstr(why.data, expected)
                  ? 0
                  : 1);
    int status;
    assert_int_equal(waitpid(pid, &status, 0), pid);
    assert_int_equal(status, 0);
    /* this process; (then the system's lock is gone: closing any of its descriptors ends it) */
    assert_int_equal(store_open(dir, &opt, &other, &why), STORE_LOCKED);
    assert_null(other);
    assert_non_null(strstr(why.data, "in use by another process: the daemon"));
    store_free(&st);
}

static void does_not_make_what_is_missing(void **state)
{
    (void)state;
    struct store_options opt = {.create = false};
    struct store *st;

    assert_int_equal(store_open(dir, &opt, &st, &why), STORE_FAILED);
    assert_null(st);
    opt = (struct store_options){.create = true, .read_only = true};
    assert_int_equal(store_open(dir, &opt, &st, &why), STORE_FAILED);
}

/* ---- damage ---------------------------------------------------------------------------------- */

enum { N_RECORDS = 3000 };

/* Records in a table, and others in the log. */
static void fill(bool table)
{
    struct store *st = open_store(true);
    struct store_batch *batch = store_batch_new();
    char key[16], value[200];

    for (int i = 0; i < N_RECORDS; i++) {
        snprintf(key, sizeof key, "k%06d", i);
        for (size_t k = 0; k < sizeof value - 1; k++)
            value[k] = (char)('a' + (i * 31 + (int)k * (i % 7 + 3)) % 26);
        value[sizeof value - 1] = '\0';
        put(batch, key, value);
        if (i % 100 == 99) {
            assert_int_equal(store_write(st, batch, true, &why), STORE_OK);
            store_batch_clear(batch);
        }
    }
    if (table)
        assert_int_equal(store_reopen(st, &why), STORE_OK); /* what is in the log becomes tables */
    store_batch_free(&batch);
    store_free(&st);
}

static bool count(void *ctx, const void *key, size_t key_len, const void *value, size_t len)
{
    (void)key, (void)key_len, (void)value, (void)len;
    ++*(int *)ctx;
    return true;
}

/* What opening and reading all gives; *n_out records were found. */
static enum store_result read_all(int *n_out)
{
    struct store_options opt = {.create = true};
    struct store *st;

    *n_out = 0;
    buf_clear(&why);
    enum store_result result = store_open(dir, &opt, &st, &why);
    if (result == STORE_OK)
        result = store_read(st, "", 0, count, n_out, &why);
    store_free(&st);
    return result;
}

static void refused(void)
{
    int n;

    assert_int_equal(read_all(&n), STORE_CORRUPT);
    assert_non_null(strstr(why.data, "is damaged"));
    assert_non_null(strstr(why.data, "savepoint"));
    /* and it stays so: nothing was made anew or repaired */
    assert_int_equal(read_all(&n), STORE_CORRUPT);
}

static void tells_damage_in_a_table(void **state)
{
    (void)state;
    fill(true);
    char *path = file_of(dir, ".ldb");
    off_t size = file_size(path);
    int n, n_refused = 0;
    for (int part = 1; part < 40; part++) { /* data blocks, then the filter, the index, the footer */
        flip(path, size * part / 40);
        if (read_all(&n) != STORE_OK) {
            refused();
            n_refused++;
        } else { /* a damaged filter is not used: it only makes faster */
            assert_int_equal(n, N_RECORDS);
        }
        flip(path, size * part / 40);
    }
    assert_true(n_refused > 30);
    flip(path, size - 3); /* the magic number */
    refused();
    flip(path, size - 3);
    assert_int_equal(read_all(&n), STORE_OK);
    assert_int_equal(n, N_RECORDS);
    free(path);
}

static void tells_a_short_or_missing_table(void **state)
{
    (void)state;
    fill(true);
    char *path = file_of(dir, ".ldb"), *aside = path_in(dir, "aside");
    assert_int_equal(rename(path, aside), 0);
    refused();
    assert_int_equal(rename(aside, path), 0);
    assert_int_equal(truncate(path, file_size(path) / 2), 0);
    refused();
    free(path);
    free(aside);
}

static void tells_a_damaged_manifest(void **state)
{
    (void)state;
    fill(true);
    char *path = file_of(dir, "MANIFEST-");
    flip(path, file_size(path) / 2);
    refused();
    assert_int_equal(truncate(path, 0), 0);
    refused();
    assert_int_equal(remove(path), 0);
    refused();
    free(path);
}

static void tells_a_missing_current(void **state)
{
    (void)state;
    fill(true);
    char *path = path_in(dir, "CURRENT"), *aside = path_in(dir, "aside");
    assert_int_equal(rename(path, aside), 0);
    refused(); /* LevelDB alone would make a new database here */
    assert_int_equal(rename(aside, path), 0);
    int n;
    assert_int_equal(read_all(&n), STORE_OK);
    assert_int_equal(n, N_RECORDS);
    write_file(path, "MANIFEST-000099\n");
    refused();
    write_file(path, "");
    refused();
    free(path);
    free(aside);
}

static void a_making_that_was_cut_short_begins_again(void **state)
{
    (void)state;
    char *manifest = path_in(dir, "MANIFEST-000001");
    write_file(manifest, "half a mani");
    struct store *st = open_store(true); /* LevelDB writes its own */
    store_free(&st);
    free(manifest);
}

static void tells_damage_in_the_log(void **state)
{
    (void)state;
    fill(false);
    char *path = file_of(dir, ".log");
    off_t size = file_size(path);
    for (int part = 1; part < 20; part++) {
        flip(path, size * part / 20);
        refused();
        flip(path, size * part / 20);
    }
    flip(path, 4); /* the first one's length, crc and type */
    refused();
    flip(path, 4);
    flip(path, 0);
    refused();
    flip(path, 0);
    flip(path, 6);
    refused();
    flip(path, 6);
    int n;
    assert_int_equal(read_all(&n), STORE_OK);
    assert_int_equal(n, N_RECORDS);
    free(path);
}

/* What LevelDB would pass over without a word. */
static void tells_what_leveldb_does_not(void **state)
{
    (void)state;
    static const char zeros[8];
    for (int how = 0; how < 2; how++) {
        struct store *st = open_store(true);
        struct store_batch *batch = store_batch_new();
        for (int i = 0; i < 20; i++)
            put(batch, "key", "value");
        for (int i = 0; i < 20; i++)
            assert_int_equal(store_write(st, batch, true, &why), STORE_OK);
        store_batch_free(&batch);
        store_free(&st);
        char *path = file_of(dir, ".log");
        if (how == 0) {
            flip(path, 5); /* a length beyond the end of the file */
        } else {
            int fd = open(path, O_WRONLY);
            assert_int_equal(pwrite(fd, zeros, 7, 0), 7);
            close(fd);
        }
        refused();
        free(path);
        remove_tree(dir);
        mkdir(dir, 0700);
    }
}

/* What a power failure may leave of the last batch, which was not synced then. */
static void leaves_out_a_torn_end(void **state)
{
    (void)state;
    enum { LAST_BYTES = 100 * 210 }; /* of the last batch, at least: it spans blocks */
    int n;

    for (int how = 0; how < 5; how++) {
        fill(false);
        char *path = file_of(dir, ".log");
        off_t size = file_size(path);
        static const char zeros[4096];
        int fd = open(path, O_WRONLY);
        if (how == 0)
            flip(path, size - 1);
        else if (how == 1)
            flip(path, size - LAST_BYTES + 500); /* its beginning, its end is there */
        else if (how == 2)
            assert_int_equal(pwrite(fd, zeros, sizeof zeros, size - 4096), sizeof zeros);
        else if (how == 3)
            assert_int_equal(pwrite(fd, zeros, sizeof zeros, size - 3 * 4096), sizeof zeros);
        else
            assert_int_equal(ftruncate(fd, size - 1000), 0);
        close(fd);
        assert_int_equal(read_all(&n), STORE_OK);
        assert_int_equal(n, N_RECORDS - 100);
        assert_int_equal(read_all(&n), STORE_OK);
        assert_int_equal(n, N_RECORDS - 100);
        free(path);
        remove_tree(dir);
        mkdir(dir, 0700);
    }
    /* zeros behind all of it */
    fill(false);
    char *path = file_of(dir, ".log");
    assert_int_equal(truncate(path, file_size(path) + 100000), 0);
    assert_int_equal(read_all(&n), STORE_OK);
    assert_int_equal(n, N_RECORDS);
    free(path);
}

/* ---- the disk fails -------------------------------------------------------------------------- */

static void nothing_after_a_failed_write(void **state)
{
    (void)state;
    struct store *st = open_store(true);
    struct store_batch *batch = store_batch_new();

    put(batch, "a", "1");
    assert_int_equal(store_write(st, batch, true, &why), STORE_OK);
#ifdef TOCSIN_FAILPOINTS
    enum store_result result = store_write(st, batch, true, &why);
    assert_int_equal(result, STORE_FULL); /* TOCSIN_FAILPOINTS, in main */
    assert_non_null(strstr(why.data, "no space left for"));
    assert_int_equal(store_write(st, batch, true, &why), STORE_FAILED);
    assert_int_equal(store_reopen(st, &why), STORE_FAILED); /* this fails once, too */
    store_abandon(st);
    bool found;
    struct buf value;
    buf_init(&value);
    assert_int_equal(store_get(st, "a", 1, &found, &value, &why), STORE_FAILED);
    assert_int_equal(store_reopen(st, &why), STORE_OK);
    assert_int_equal(store_get(st, "a", 1, &found, &value, &why), STORE_OK);
    assert_true(found);
    assert_int_equal(store_write(st, batch, true, &why), STORE_OK);
    buf_fini(&value);
#endif
    holds(st, "", "", "a=1 ");
    store_batch_free(&batch);
    store_free(&st);
}

static void a_disk_that_is_full(void **state)
{
    (void)state;
    if (mount("tmpfs", dir, "tmpfs", 0, "size=4m") != 0) {
        print_message("\n*** NOT TESTED: a full disk: no tmpfs can be mounted here (needs root)\n\n");
        return;
    }
    struct store_options opt = {.create = true, .write_buffer = 256 << 10};
    struct store *st;
    struct store_batch *batch = store_batch_new();
    enum store_result result = STORE_OK;
    char key[16];
    int n = 0, found = 0;

    char *value = malloc(40000);
    char *ballast = path_in(dir, "ballast");
    int fd = open(ballast, O_CREAT | O_WRONLY, 0600);
    assert_int_equal(posix_fallocate(fd, 0, 2 << 20), 0);
    close(fd);
    for (int i = 0; i < 40000; i++)
        value[i] = (char)(rand() % 256);
    assert_int_equal(store_open(dir, &opt, &st, &why), STORE_OK);
    while (result == STORE_OK) {
        snprintf(key, sizeof key, "k%06d", n++);
        store_batch_clear(batch);
        store_batch_put(batch, key, 7, value, 40000);
        result = store_write(st, batch, true, &why);
    }
    assert_int_equal(result, STORE_FULL);
    assert_int_equal(store_write(st, batch, true, &why), STORE_FAILED);
    assert_int_equal(remove(ballast), 0);
    assert_int_equal(store_reopen(st, &why), STORE_OK);
    assert_int_equal(store_write(st, batch, true, &why), STORE_OK);
    assert_int_equal(store_read(st, "", 0, count, &found, &why), STORE_OK);
    assert_int_equal(found, n);
    store_free(&st);
    store_batch_free(&batch);
    free(value);
    free(ballast);
    assert_int_equal(umount(dir), 0);
}

/* ---- threads --------------------------------------------------------------------------------- */

struct reading {
    struct store *st;
    bool stop;
    uint64_t n;
};

static bool found_pair(void *ctx, const void *key, size_t key_len, const void *value, size_t len)
{
    struct reading *reading = ctx;
    struct buf b;
    bool found;

    (void)value, (void)len;
    buf_init(&b);
    /* read while reading */
    assert_int_equal(store_get(reading->st, key, key_len, &found, &b, &why), STORE_OK);
    assert_true(found);
    buf_fini(&b);
    reading->n++;
    return true;
}

static void *read_on(void *arg)
{
    struct reading *reading = arg;
    struct buf mine;

    buf_init(&mine);
    while (!__atomic_load_n(&reading->stop, __ATOMIC_ACQUIRE))
        assert_int_equal(store_read(reading->st, "k", 1, found_pair, reading, &mine), STORE_OK);
    buf_fini(&mine);
    return NULL;
}

static void readers_wait_while_it_is_opened_again(void **state)
{
    (void)state;
    struct store *st = open_store(true);
    struct store_batch *batch = store_batch_new();
    struct reading reading[2] = {{.st = st}, {.st = st}};
    pthread_t thread[2];

    put(batch, "k1", "1");
    put(batch, "k2", "2");
    assert_int_equal(store_write(st, batch, true, &why), STORE_OK);
    for (int i = 0; i < 2; i++)
        assert_int_equal(pthread_create(&thread[i], NULL, read_on, &reading[i]), 0);
    for (int i = 0; i < 20; i++) {
        assert_int_equal(store_reopen(st, &why), STORE_OK);
        assert_int_equal(store_write(st, batch, true, &why), STORE_OK);
    }
    for (int i = 0; i < 2; i++) {
        __atomic_store_n(&reading[i].stop, true, __ATOMIC_RELEASE);
        pthread_join(thread[i], NULL);
        assert_true(reading[i].n > 0);
    }
    store_batch_free(&batch);
    store_free(&st);
}

int main(int argc, char **argv)
{
    (void)argc, (void)argv;
#ifdef TOCSIN_FAILPOINTS
    /* the failpoints are those of the process: this test alone counts its writes */
    if (!getenv("TOCSIN_FAILPOINTS")) {
        const struct CMUnitTest alone[] = {
            cmocka_unit_test_setup_teardown(nothing_after_a_failed_write, setup, teardown)};
        fflush(NULL);
        pid_t pid = fork();
        if (pid == 0) {
            setenv("TOCSIN_FAILPOINTS", "store_write=full@2,store_open=error@2", 1);
            _exit(cmocka_run_group_tests(alone, NULL, NULL));
        }
        int status;
        if (waitpid(pid, &status, 0) != pid || status != 0)
            return 1;
    }
#endif
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(reads_by_prefix_in_order, setup, teardown),
        cmocka_unit_test_setup_teardown(survives_a_killed_process, setup, teardown),
        cmocka_unit_test_setup_teardown(one_process_at_a_time, setup, teardown),
        cmocka_unit_test_setup_teardown(does_not_make_what_is_missing, setup, teardown),
        cmocka_unit_test_setup_teardown(tells_damage_in_a_table, setup, teardown),
        cmocka_unit_test_setup_teardown(tells_a_short_or_missing_table, setup, teardown),
        cmocka_unit_test_setup_teardown(tells_a_damaged_manifest, setup, teardown),
        cmocka_unit_test_setup_teardown(tells_a_missing_current, setup, teardown),
        cmocka_unit_test_setup_teardown(a_making_that_was_cut_short_begins_again, setup, teardown),
        cmocka_unit_test_setup_teardown(tells_damage_in_the_log, setup, teardown),
        cmocka_unit_test_setup_teardown(tells_what_leveldb_does_not, setup, teardown),
        cmocka_unit_test_setup_teardown(leaves_out_a_torn_end, setup, teardown),
        cmocka_unit_test_setup_teardown(a_disk_that_is_full, setup, teardown),
        cmocka_unit_test_setup_teardown(readers_wait_while_it_is_opened_again, setup, teardown),
    };
#ifndef TOCSIN_FAILPOINTS
    (void)nothing_after_a_failed_write;
#endif
    return failpoint_exit(cmocka_run_group_tests(tests, NULL, NULL), "a write that failed");
}
