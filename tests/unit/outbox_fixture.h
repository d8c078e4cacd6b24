// SPDX-License-Identifier: Apache-2.0
/* What the tests of the outbox and of dead letters share: a checkpoint in a directory of its own, messages. */
#ifndef TESTS_UNIT_OUTBOX_FIXTURE_H
#define TESTS_UNIT_OUTBOX_FIXTURE_H

#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include <pthread.h>

#include "base/clock.h"
#include "base/mem.h"
#include "state/checkpoint.h"
#include "state/outbox.h"
#include "state/outbox_priv.h"
#include <tests/unit/state_fixture.h>

static const struct outbox_sink two[] = {{.name = "a"}, {.name = "b"}};

static char *dir;
static struct buf why;
static struct checkpoint *cp;
static struct outbox *ob;

static inline int setup(void **state)
{
    (void)state;
    dir = temp_dir();
    buf_init(&why);
    return 0;
}

static inline int teardown(void **state)
{
    (void)state;
    checkpoint_free(&cp);
    temp_dir_end(dir);
    buf_fini(&why);
    return 0;
}

static inline void open_with(const struct checkpoint_options *limits, const struct outbox_sink *sink,
                      uint32_t n)
{
    struct checkpoint_options opt = *limits;

    opt.dir = dir;
    opt.create = true;
    checkpoint_free(&cp);
    buf_clear(&why);
    cp = checkpoint_open(&opt, &why);
    if (!cp)
        fail_msg("%s", why.data);
    ob = checkpoint_outbox(cp);
    assert_true(outbox_configure(ob, sink, n, &why));
    checkpoint_start(cp);
}

static inline void open_sinks(const struct outbox_sink *sink, uint32_t n)
{
    struct checkpoint_options none = {0};

    open_with(&none, sink, n);
}

static inline struct epoch_message *add(struct epoch *ep, const char *text, uint32_t n_sinks)
{
    struct epoch_message *m = epoch_message_add(ep);

    m->text = mem_strndup(text, strlen(text));
    m->len = strlen(text);
    m->n_sinks = n_sinks;
    m->sink = mem_calloc(n_sinks + 1, sizeof *m->sink);
    for (uint32_t i = 0; i < n_sinks; i++)
        m->sink[i] = i;
    return m;
}

/* Messages "from" .. "to", each to the first n_sinks sinks, in one epoch. */
static inline void send(int from, int to, uint32_t n_sinks)
{
    struct epoch *ep = epoch_new();
    char text[32];

    for (int i = from; i <= to; i++) {
        snprintf(text, sizeof text, "%d", i);
        add(ep, text, n_sinks)->is_alert = i % 2;
    }
    checkpoint_submit(cp, ep);
    assert_true(checkpoint_settle(cp, 60 * SECOND));
}

static inline uint64_t take(uint32_t sink, int expected)
{
    struct outbox_entry entry;
    char text[32];

    snprintf(text, sizeof text, "%d", expected);
    if (!outbox_next(ob, sink, 10 * SECOND, &entry))
        fail_msg("there is no %s", text);
    assert_string_equal(entry.text, text);
    assert_int_equal(entry.len, strlen(text));
    assert_int_equal(entry.is_alert, expected % 2);
    mem_free(entry.text);
    return entry.seq;
}

static inline void empty(uint32_t sink)
{
    struct outbox_entry entry;

    assert_false(outbox_next(ob, sink, 0, &entry));
}

static inline struct outbox_stats stats_of(uint32_t sink)
{
    struct outbox_stats stats;

    outbox_stats(ob, sink, &stats);
    return stats;
}

static inline void settle_acks(void)
{
    bool sync;

    while (outbox_pending(ob, &sync))
        usleep(5000);
    checkpoint_submit(cp, epoch_new()); /* behind the batch that has them */
    assert_true(checkpoint_settle(cp, 60 * SECOND));
}

/* ---- dead letters ----------------------------------------------------------------------------- */

struct letters {
    struct buf text;
    uint64_t first, last;
    int n;
};

static inline bool found_letter(void *ctx, const struct dead_letter *letter, size_t value_len)
{
    struct letters *letters = ctx;

    (void)value_len;
    if (letters->n++ == 0)
        letters->first = letter->seq;
    letters->last = letter->seq;
    buf_printf(&letters->text, "%s%s%.*s|%.*s|%.*s\n", letter->of_sink ? "sink " : "",
               letter->is_alert ? "alert " : "", (int)letter->origin_len, letter->origin,
               (int)letter->reason_len, letter->reason, (int)letter->len, letter->text);
    return true;
}

static inline void letters_are(const char *expected)
{
    struct letters letters = {0};

    buf_init(&letters.text);
    buf_adds(&letters.text, "");
    assert_int_equal(dead_letter_list(checkpoint_store(cp), 0, found_letter, &letters, &why),
                     STORE_OK);
    assert_string_equal(letters.text.data, expected);
    assert_int_equal(checkpoint_dead_letters(cp).count, letters.n);
    buf_fini(&letters.text);
}

static inline void change(uint64_t first, uint64_t last, bool replay, uint64_t removed, uint64_t left)
{
    struct dead_letter_change did;
    struct dead_letter_choice choice = {.first = first, .last = last};

    assert_true(checkpoint_change_dead_letters(cp, &choice, replay, 60 * SECOND, &did, &why));
    assert_int_equal(did.removed, removed);
    assert_int_equal(did.left, left);
}

#endif
