// SPDX-License-Identifier: Apache-2.0
/* checkpoint: epochs become durable in order, whatever fails; whose directory it is; kills at each step. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include <signal.h>
#include <sys/wait.h>

#include "base/failpoint.h"
#include "base/mem.h"
#include "state/checkpoint.h"
#include "state/outbox.h"
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

static struct checkpoint *open_cp(const char *where)
{
    struct checkpoint_options opt = {.dir = where, .create = true};
    struct checkpoint *cp;

    buf_clear(&why);
    cp = checkpoint_open(&opt, &why);
    if (!cp)
        fail_msg("%s", why.data);
    return cp;
}

static void refused(const char *where, bool create, const char *text)
{
    struct checkpoint_options opt = {.dir = where, .create = create};

    buf_clear(&why);
    assert_null(checkpoint_open(&opt, &why));
    if (!strstr(why.data, text))
        fail_msg("`%s' is not in: %s", text, why.data);
}

/* ---- epochs ---------------------------------------------------------------------------------- */

static void one_sink(struct checkpoint *cp)
{
    struct outbox_sink sink = {.name = "out"};

    assert_true(outbox_configure(checkpoint_outbox(cp), &sink, 1, &why));
}

/* Epoch i: puts "en" = i and the message "mI". */
static struct epoch *epoch_of(int i, void (*done)(void *ctx, struct epoch *ep), void *ctx)
{
    struct epoch *ep = epoch_new();
    struct epoch_message *m = epoch_message_add(ep);
    char text[32];

    snprintf(text, sizeof text, "%d", i);
    store_batch_put(ep->batch, "en", 2, text, strlen(text));
    snprintf(text, sizeof text, "m%d", i);
    m->text = mem_strndup(text, strlen(text));
    m->len = strlen(text);
    m->is_alert = true;
    m->sink = mem_calloc(1, sizeof *m->sink);
    m->n_sinks = 1;
    ep->done = done;
    ep->ctx = ctx;
    return ep;
}

static void count(void *ctx, struct epoch *ep)
{
    (void)ep;
    __atomic_add_fetch((int *)ctx, 1, __ATOMIC_SEQ_CST);
}

static int stored(struct checkpoint *cp)
{
    struct buf value;
    bool found;

    buf_init(&value);
    assert_int_equal(store_get(checkpoint_store(cp), "en", 2, &found, &value, &why), STORE_OK);
    int n = found ? (int)strtol(value.data, NULL, 10) : 0;
    buf_fini(&value);
    return n;
}

static void epochs_become_durable_in_order(void **state)
{
    (void)state;
    struct checkpoint *cp = open_cp(dir);
    int done = 0;

    one_sink(cp);
    checkpoint_start(cp);
    for (int i = 1; i <= 500; i++)
        checkpoint_submit(cp, epoch_of(i, count, &done));
    assert_true(checkpoint_settle(cp, 60 * SECOND));
    assert_int_equal(__atomic_load_n(&done, __ATOMIC_SEQ_CST), 500);
    assert_int_equal(checkpoint_waiting(cp), 0);
    assert_int_equal(stored(cp), 500);
    assert_int_equal(checkpoint_meta(cp).epoch, 500);
    struct database_meta meta = checkpoint_meta(cp);
    assert_true(meta.created > 0 && meta.epoch_time >= meta.created);
    for (int i = 501; i <= 520; i++) /* not settled: written at the end */
        checkpoint_submit(cp, epoch_of(i, count, &done));
    checkpoint_free(&cp);
    assert_int_equal(done, 520);

    cp = open_cp(dir);
    assert_int_equal(stored(cp), 520);
    assert_int_equal(checkpoint_meta(cp).epoch, 520);
    assert_memory_equal(checkpoint_meta(cp).id, meta.id, sizeof meta.id);
    one_sink(cp);
    struct outbox_entry entry;
    for (uint64_t i = 1; i <= 520; i++) {
        char text[32];
        snprintf(text, sizeof text, "m%d", (int)i);
        assert_true(outbox_next(checkpoint_outbox(cp), 0, 0, &entry));
        assert_int_equal(entry.seq, i);
        assert_string_equal(entry.text, text);
        mem_free(entry.text);
    }
    assert_false(outbox_next(checkpoint_outbox(cp), 0, 0, &entry));
    checkpoint_free(&cp);
    checkpoint_free(&cp);
}

static void settle_has_an_end(void **state)
{
    (void)state;
    struct checkpoint *cp = open_cp(dir);

    one_sink(cp);
    assert_true(checkpoint_settle(cp, 0)); /* nothing was submitted */
    checkpoint_submit(cp, epoch_of(1, NULL, NULL));
    assert_int_equal(checkpoint_waiting(cp), 1);
    assert_false(checkpoint_settle(cp, SECOND / 100)); /* it was not started */
    checkpoint_start(cp);
    assert_true(checkpoint_settle(cp, -1));
    checkpoint_free(&cp);
}

/* ---- directories ----------------------------------------------------------------------------- */

static void refuses_what_is_not_ours(void **state)
{
    (void)state;
    char *file = path_in(dir, "thesis.tex"), *db = path_in(dir, "db"), *none = path_in(dir, "a/b");

    refused(none, true, "cannot make it: No such file");
    refused(none, false, "cannot read it");
    refused(dir, false, "holds no state");
    write_file(file, "x");
    refused(dir, true, "holds `thesis.tex`, which is not of tocsin");
    assert_int_equal(access(db, F_OK), -1); /* and nothing was made there */
    assert_int_equal(remove(file), 0);
    write_file(db, "x");
    refused(dir, true, "is no directory");
    assert_int_equal(remove(db), 0);

    /* another program's LevelDB */
    struct store_options opt = {.create = true};
    struct store *st;
    struct store_batch *batch = store_batch_new();
    assert_int_equal(store_open(db, &opt, &st, &why), STORE_OK);
    store_batch_put(batch, "chrome", 6, "x", 1);
    assert_int_equal(store_write(st, batch, true, &why), STORE_OK);
    store_free(&st);
    refused(dir, true, "its database is not of tocsin");
    /* a crash before its name was written: empty, so it is ours */
    assert_int_equal(store_open(db, &opt, &st, &why), STORE_OK);
    store_batch_clear(batch);
    store_batch_remove(batch, "chrome", 6);
    assert_int_equal(store_write(st, batch, true, &why), STORE_OK);
    store_free(&st);
    refused(dir, false, "holds no state yet");
    struct checkpoint *cp = open_cp(dir);
    checkpoint_free(&cp);
    /* once it is ours, a stray file does not matter */
    write_file(file, "x");
    cp = open_cp(dir);
    checkpoint_free(&cp);
    store_batch_free(&batch);
    free(file);
    free(db);
    free(none);
}

static void overwrite(const char *key, const char *value, size_t len)
{
    struct store_options opt = {0};
    char *db = path_in(dir, "db");
    struct store_batch *batch = store_batch_new();
    struct store *st;

    assert_int_equal(store_open(db, &opt, &st, &why), STORE_OK);
    store_batch_put(batch, key, strlen(key), value, len);
    assert_int_equal(store_write(st, batch, true, &why), STORE_OK);
    store_batch_free(&batch);
    store_free(&st);
    free(db);
}

static void refuses_other_formats(void **state)
{
    (void)state;
    struct checkpoint *cp = open_cp(dir);

    checkpoint_free(&cp);
    overwrite("mdatabase", "\3\0\0\0later", 9);
    refused(dir, true, "written by a later version");
    overwrite("mdatabase", "\0\0\0\0", 4);
    refused(dir, true, "export it with the version that wrote it");
    overwrite("mdatabase", "\2\0\0\0", 4);
    refused(dir, true, "are damaged");
    overwrite("mdatabase", "", 0);
    refused(dir, true, "are damaged");
}

/* It is of the format of today from then on: an earlier version would not know what comes into it. */
static void takes_an_older_format(void **state)
{
    (void)state;
    struct checkpoint *cp = open_cp(dir);
    struct store_options read_only = {.read_only = true};
    struct database_meta meta;

    checkpoint_free(&cp);
    overwrite("mdatabase", "\1\0\0\0createda0123456789abcdef", 28);
    struct store *st = database_open(dir, &read_only, &meta, &why);
    assert_non_null(st);
    assert_int_equal(meta.format, 1);
    store_free(&st);
    cp = open_cp(dir);
    checkpoint_free(&cp);
    st = database_open(dir, &read_only, &meta, &why);
    assert_non_null(st);
    assert_int_equal(meta.format, STATE_FORMAT);
    assert_memory_equal(meta.id, "0123456789abcdef", sizeof meta.id);
    assert_memory_equal(&meta.created, "createda", sizeof meta.created);
    store_free(&st);
}

static void refuses_damaged_counts(void **state)
{
    (void)state;
    struct checkpoint *cp = open_cp(dir);

    checkpoint_free(&cp);
    overwrite("sout", "\7nonsense", 9);
    refused(dir, true, "the record of the sink `out` is damaged");
    overwrite("mdead", "\7", 1);
    refused(dir, true, "the record of the dead letters is damaged");
    overwrite("mepoch", "", 0);
    refused(dir, true, "are damaged");
}

static void says_who_has_it(void **state)
{
    (void)state;
    struct checkpoint *cp = open_cp(dir);

    refused(dir, true, "the daemon has it while it runs");
    checkpoint_free(&cp);
}

/* ---- failures -------------------------------------------------------------------------------- */

#ifdef TOCSIN_FAILPOINTS

/* This program again, to run one body (of main's list) in `dir` with these failpoints. */
static int in_process(const char *failpoints, const char *body)
{
    int status;

    fflush(NULL);
    pid_t pid = fork();
    if (pid == 0) {
        setenv("TOCSIN_FAILPOINTS", failpoints, 1);
        execl("/proc/self/exe", "test_checkpoint", body, dir, (char *)NULL);
        _exit(99);
    }
    if (waitpid(pid, &status, 0) != pid)
        return -1;
    return WIFSIGNALED(status) ? -WTERMSIG(status) : WEXITSTATUS(status);
}

#define MUST(x) do { if (!(x)) { fprintf(stderr, "line %d: %s\n", __LINE__, #x); return 1; } } while (0)

/* Two failures, each at once tried again; nobody notices. */
static int goes_on(void)
{
    struct checkpoint *cp = open_cp(dir);
    int done = 0;

    one_sink(cp);
    checkpoint_start(cp);
    for (int i = 1; i <= 20; i++)
        checkpoint_submit(cp, epoch_of(i, count, &done));
    MUST(checkpoint_settle(cp, 60 * SECOND));
    MUST(!checkpoint_failed(cp, &why));
    MUST(done == 20 && stored(cp) == 20 && checkpoint_meta(cp).epoch % 20 == 0);
    checkpoint_free(&cp);
    return 0;
}

static void a_failure_is_tried_again(void **state)
{
    (void)state;
    assert_int_equal(in_process("store_write=error@2,store_written=full@3", "goes_on"), 0);
    assert_int_equal(in_process("store_open=error@2", "goes_on"), 0);
}

/* Failures for longer: it is told, and goes on by itself once it works. */
static int comes_back(void)
{
    struct checkpoint *cp = open_cp(dir);
    int done = 0;

    one_sink(cp);
    checkpoint_start(cp);
    checkpoint_submit(cp, epoch_of(1, count, &done));
    MUST(!checkpoint_settle(cp, 60 * SECOND));
    MUST(checkpoint_failed(cp, &why));
    MUST(strstr(why.data, "no space left"));
    MUST(done == 0);
    checkpoint_submit(cp, epoch_of(2, count, &done));
    while (checkpoint_failed(cp, &why))
        usleep(10000);
    MUST(checkpoint_settle(cp, 60 * SECOND));
    MUST(done == 2 && stored(cp) == 2);
    checkpoint_free(&cp);
    return 0;
}

static void a_long_failure_is_told(void **state)
{
    (void)state;
    /* Opening fails twice and a write twice: more than CHECKPOINT_TRIES, with no `+` that would never end. */
    assert_int_equal(in_process("store_write=full@2,store_open=full@2,store_written=full@2",
                                "comes_back"), 0);
}

static int dropped;

static void count_dropped(void *ctx)
{
    (void)ctx;
    __atomic_add_fetch(&dropped, 1, __ATOMIC_SEQ_CST);
}

static int never_comes_back(void)
{
    struct checkpoint *cp = open_cp(dir);
    int done = 0;

    one_sink(cp);
    checkpoint_start(cp);
    for (int i = 1; i <= 3; i++) {
        struct epoch *ep = epoch_of(i, count, &done);
        ep->dropped = count_dropped;
        checkpoint_submit(cp, ep);
    }
    MUST(!checkpoint_settle(cp, 60 * SECOND));
    MUST(checkpoint_failed(cp, &why));
    checkpoint_abandon(cp);
    checkpoint_free(&cp);
    MUST(done == 0);
    MUST(dropped == 3); /* each is told to who waits for it */
    return 0;
}

/* A refused message that cannot be read when it is to become a dead letter becomes one later: 5. */
static int rejects_later(void)
{
    struct checkpoint *cp = open_cp(dir);
    struct outbox *ob = checkpoint_outbox(cp);
    struct outbox_entry entry;
    int done = 0;

    one_sink(cp);
    checkpoint_start(cp);
    uint64_t before = checkpoint_dead_letters(cp).count;
    checkpoint_submit(cp, epoch_of(1, count, &done));
    checkpoint_submit(cp, epoch_of(2, count, &done));
    MUST(checkpoint_settle(cp, 60 * SECOND));
    MUST(outbox_next(ob, 0, 60 * SECOND, &entry));
    outbox_reject(ob, 0, entry.seq, "no");
    mem_free(entry.text);
    MUST(outbox_next(ob, 0, 60 * SECOND, &entry));
    outbox_ack(ob, 0, entry.seq, "", 0);
    mem_free(entry.text);
    MUST(outbox_settle(ob, 0, 60 * SECOND));
    bool later = checkpoint_dead_letters(cp).count == before;
    checkpoint_submit(cp, epoch_of(3, count, &done));
    MUST(checkpoint_settle(cp, 60 * SECOND));
    MUST(checkpoint_dead_letters(cp).count == before + 1);
    checkpoint_free(&cp);
    return later ? 5 : 0;
}

static void a_refused_message_is_not_lost(void **state)
{
    (void)state;
    bool later = false;

    for (int i = 1; i <= 12; i++) { /* some of these reads are those of the opening */
        char failpoints[40];
        snprintf(failpoints, sizeof failpoints, "store_read=error@%d", i);
        int code = in_process(failpoints, "rejects_later");
        assert_int_not_equal(code, 1);
        later |= code == 5;
    }
    assert_true(later);
}

static void an_end_while_nothing_can_be_written(void **state)
{
    (void)state;
    assert_int_equal(in_process("store_write=error@2+", "never_comes_back"), 0);
    assert_int_equal(in_process("store_write=error@1,store_open=full@2+", "never_comes_back"), 0);
    struct checkpoint *cp = open_cp(dir);
    assert_int_equal(checkpoint_meta(cp).epoch, 0);
    checkpoint_free(&cp);
}

/* ---- kills ----------------------------------------------------------------------------------- */

/* Each epoch done, and each message taken, is written to a file as soon as it is known. */
static int log_fd;

static void note_done(void *ctx, struct epoch *ep)
{
    (void)ctx, (void)ep;
    if (write(log_fd, "d", 1) != 1)
        abort();
}

static int works_until_killed(void)
{
    struct checkpoint *cp = open_cp(dir);
    struct outbox *ob = checkpoint_outbox(cp);
    struct outbox_entry entry;
    char *path = path_in(dir, "notes");

    log_fd = open(path, O_CREAT | O_WRONLY | O_APPEND, 0600);
    free(path);
    one_sink(cp);
    checkpoint_start(cp);
    for (int i = stored(cp) + 1;; i++) {
        checkpoint_submit(cp, epoch_of(i, note_done, NULL));
        MUST(checkpoint_settle(cp, 60 * SECOND));
        while (outbox_next(ob, 0, 0, &entry)) {
            MUST(write(log_fd, "t", 1) == 1);
            mem_free(entry.text);
            outbox_ack(ob, 0, entry.seq, &entry.seq, sizeof entry.seq);
        }
        MUST(i < 1000);
    }
}

/* After the kill: no epoch that was done is lost, no message is lost or comes with another's number. */
static void look_after_kill(const char *step, int round)
{
    struct checkpoint *cp = open_cp(dir);
    struct outbox *ob = checkpoint_outbox(cp);
    struct outbox_entry entry;
    struct buf position;
    char *path = path_in(dir, "notes"), text[32];
    uint64_t seq = 0;
    int done = 0, taken = 0;

    FILE *f = fopen(path, "r");
    for (int c; (c = fgetc(f)) != EOF;) {
        done += c == 'd';
        taken += c == 't';
    }
    fclose(f);
    int n = stored(cp);
    if (n < done || n > done + round)
        fail_msg("%s: %d epochs were told to be durable, %d are", step, done, n);
    assert_true(checkpoint_meta(cp).epoch == (uint64_t)n);
    one_sink(cp);
    buf_init(&position);
    outbox_position(ob, 0, &position);
    uint64_t acked = 0;
    if (position.len == sizeof acked)
        memcpy(&acked, position.data, sizeof acked);
    assert_true((int)acked <= taken);
    for (seq = acked + 1; outbox_next(ob, 0, 0, &entry); seq++) {
        assert_int_equal(entry.seq, seq);
        snprintf(text, sizeof text, "m%d", (int)seq);
        assert_string_equal(entry.text, text); /* one message an epoch: the same number */
        mem_free(entry.text);
    }
    assert_int_equal(seq, n + 1); /* each message of a durable epoch is there, or acknowledged */
    buf_fini(&position);
    free(path);
    checkpoint_free(&cp);
}

static void kills_at_each_step(void **state)
{
    (void)state;
    static const enum failpoint steps[] = {
        FAILPOINT_epoch_submitted, FAILPOINT_epoch_numbered, FAILPOINT_store_write,
        FAILPOINT_store_written, FAILPOINT_epoch_written, FAILPOINT_epoch_done,
        FAILPOINT_epoch_told, FAILPOINT_ack_taken, FAILPOINT_ack_written, FAILPOINT_store_open,
    };

    struct checkpoint *cp = open_cp(dir);
    checkpoint_free(&cp);
    char *path = path_in(dir, "notes");
    write_file(path, "");
    free(path);
    int round = 0;
    for (size_t i = 0; i < sizeof steps / sizeof *steps; i++)
        for (int at = 1; at < (steps[i] == FAILPOINT_store_open ? 2 : 4); at++) {
            char text[64];
            snprintf(text, sizeof text, "%s=kill@%d", failpoint_name(steps[i]), at);
            assert_int_equal(in_process(text, "works_until_killed"), -SIGKILL);
            look_after_kill(text, ++round);
        }
}

#endif

int main(int argc, char **argv)
{
#ifdef TOCSIN_FAILPOINTS
    static const struct {
        const char *name;
        int (*run)(void);
    } body[] = {{"goes_on", goes_on}, {"comes_back", comes_back},
                {"never_comes_back", never_comes_back}, {"rejects_later", rejects_later},
                {"works_until_killed", works_until_killed}};

    for (size_t i = 0; argc == 3 && i < sizeof body / sizeof *body; i++)
        if (strcmp(argv[1], body[i].name) == 0) {
            dir = argv[2];
            buf_init(&why);
            int code = body[i].run();
            buf_fini(&why);
            return code;
        }
#endif
    (void)argc, (void)argv;
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(epochs_become_durable_in_order, setup, teardown),
        cmocka_unit_test_setup_teardown(settle_has_an_end, setup, teardown),
        cmocka_unit_test_setup_teardown(refuses_what_is_not_ours, setup, teardown),
        cmocka_unit_test_setup_teardown(refuses_other_formats, setup, teardown),
        cmocka_unit_test_setup_teardown(takes_an_older_format, setup, teardown),
        cmocka_unit_test_setup_teardown(refuses_damaged_counts, setup, teardown),
        cmocka_unit_test_setup_teardown(says_who_has_it, setup, teardown),
#ifdef TOCSIN_FAILPOINTS
        cmocka_unit_test_setup_teardown(a_failure_is_tried_again, setup, teardown),
        cmocka_unit_test_setup_teardown(a_long_failure_is_told, setup, teardown),
        cmocka_unit_test_setup_teardown(an_end_while_nothing_can_be_written, setup, teardown),
        cmocka_unit_test_setup_teardown(a_refused_message_is_not_lost, setup, teardown),
        cmocka_unit_test_setup_teardown(kills_at_each_step, setup, teardown),
#endif
    };

    return failpoint_exit(cmocka_run_group_tests(tests, NULL, NULL),
                          "failures and kills");
}
