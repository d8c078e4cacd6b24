// SPDX-License-Identifier: Apache-2.0
/* Dead letters over HTTP: which there are; putting them into queues again, removing them. */
#include <inttypes.h>
#include <pthread.h>
#include <stdio.h>

#include "base/clock.h"
#include "base/mem.h"
#include "base/suggest.h"
#include "config/config.h"
#include "daemon/api_priv.h"
#include "daemon/api_wait.h"
#include "state/audit.h"
#include "state/checkpoint.h"
#include "state/dead_letter.h"
#include "state/store.h"

enum { LIMIT = 100, MOST = 1000 };
enum { READ_MOST = 10000, READ_BYTES = 16 << 20, TEXT_MOST = 4 << 20 }; /* for one answer */

static bool is_of_sink(const struct http_request *rq)
{
    enum http_operation operation = http_request_operation(rq);

    return operation == HTTP_OP_sink_letters_list || operation == HTTP_OP_sink_letters_replay ||
           operation == HTTP_OP_sink_letters_drop;
}

/* Texts are the request's. False: it is answered. */
static bool read_choice(struct http_request *rq, const struct config *config,
                        struct dead_letter_choice *choice)
{
    const char *numbers = http_request_query(rq, "numbers"), *name = http_request_name(rq);

    *choice = (struct dead_letter_choice){.sink = is_of_sink(rq) ? name : http_request_query(rq, "sink"),
                                          .origin = http_request_query(rq, "origin"),
                                          .reason = http_request_query(rq, "reason")};
    if (!dead_letter_choice_parse(choice, numbers)) {
        http_answer_problem(rq, HTTP_BAD_REQUEST, "`numbers` is 17, 17-20, 17- or all");
        return false;
    }
    if (is_of_sink(rq) && config_sink_named(config, name) == UINT32_MAX) {
        http_answer_problem(rq, HTTP_NOT_FOUND,
                            "no sink `%s` is configured; of one that is no more: /v1/dead_letters?sink=", name);
        return false;
    }
    return true;
}

/* What is of a sink that is not there is nothing, and a name that was mistyped. True: that was answered. */
static bool is_unknown_sink(struct http_request *rq, const struct config *config, const char *sink)
{
    struct suggest s;

    if (!sink || config_sink_named(config, sink) != UINT32_MAX)
        return false;
    suggest_init(&s, sink);
    for (uint32_t i = 0; i < config->n_sinks; i++)
        suggest_try(&s, config->sink[i].name);
    if (suggest_result(&s))
        http_answer_problem(rq, HTTP_NOT_FOUND, "no sink `%s` is configured, and no dead letter is of one; did you mean `%s`?",
                            sink, suggest_result(&s));
    else
        http_answer_problem(rq, HTTP_NOT_FOUND, "no sink `%s` is configured, and no dead letter is of one", sink);
    return true;
}

/* ---- which there are --------------------------------------------------------------------------- */

struct page {
    struct dead_letter_choice choice;
    uint64_t limit, n, read, bytes;
    uint64_t next; /* 0: there are no more */
    struct buf out;
};

static bool found_letter(void *ctx, const struct dead_letter *letter, size_t value_len)
{
    struct page *page = ctx;

    if (letter->seq > page->choice.last)
        return false;
    if (page->n == page->limit || page->read == READ_MOST || page->bytes >= READ_BYTES ||
        page->out.len >= TEXT_MOST) {
        page->next = letter->seq;
        return false;
    }
    page->read++;
    page->bytes += value_len;
    if (!dead_letter_is_chosen(letter, &page->choice))
        return true;
    if (page->n++ > 0)
        buf_addc(&page->out, ',');
    dead_letter_add_json(&page->out, letter);
    return true;
}

static void answer_page(struct http_request *rq, struct page *page)
{
    buf_addc(&page->out, ']');
    if (page->next)
        buf_printf(&page->out, ",\"next\":%" PRIu64, page->next);
    buf_adds(&page->out, "}\n");
    http_answer_json(rq, 200, &page->out);
}

/* On the worker's thread: main may change the configuration. */
static bool names_unknown_sink(struct api *api, struct http_request *rq, const char *sink)
{
    pthread_mutex_lock(&api->lock);
    bool unknown = is_unknown_sink(rq, api->config, sink);
    pthread_mutex_unlock(&api->lock);
    return unknown;
}

void api_answer_letters(struct api *api, struct http_request *rq)
{
    struct page page = {.limit = http_request_count(rq, "limit", LIMIT)};
    struct buf why;

    pthread_mutex_lock(&api->lock);
    bool ok = read_choice(rq, api->config, &page.choice);
    pthread_mutex_unlock(&api->lock);
    if (!ok)
        return;
    page.limit = page.limit < 1 ? 1 : page.limit > MOST ? MOST : page.limit;
    buf_init(&why);
    buf_init(&page.out);
    buf_adds(&page.out, "{\"dead_letters\":[");
    if (dead_letter_list(checkpoint_store(*api->host->cp), page.choice.first, found_letter, &page,
                         &why) != STORE_OK)
        http_answer_problem(rq, HTTP_INTERNAL, "%s", why.len ? why.data : "the database failed");
    else if (page.n > 0 || page.next || page.choice.first > 0 || !names_unknown_sink(api, rq, page.choice.sink))
        answer_page(rq, &page);
    buf_fini(&page.out);
    buf_fini(&why);
}

/* ---- replay, drop ------------------------------------------------------------------------------ */

struct changing {
    struct api_wait wait;
    bool named;               /* numbers were given */
    struct api_audit *audit;  /* the checkpoint thread's */
    pthread_mutex_t lock;     /* all below */
    bool over, known;
    struct dead_letter_change change;
};

static void answer_change(struct http_request *rq, const struct dead_letter_change *change)
{
    struct buf b;

    buf_init(&b);
    buf_printf(&b,
               "{\"changed\":%" PRIu64 ",\"left\":{\"no_sink\":%" PRIu64 ",\"not_configured\":%" PRIu64
               ",\"at_bound\":%" PRIu64 "}}\n",
               change->removed, change->left_no_sink, change->left_not_configured,
               change->left_at_bound);
    http_answer_json(rq, 200, &b);
}

static bool changing_look(struct api_wait *w)
{
    struct changing *ch = (struct changing *)w;

    pthread_mutex_lock(&ch->lock);
    bool over = ch->over, known = ch->known;
    struct dead_letter_change change = ch->change;
    pthread_mutex_unlock(&ch->lock);
    if (!over)
        return false;
    if (!known)
        http_answer_problem(w->rq, HTTP_UNAVAILABLE, "the daemon stops, and it is not known how much was done");
    else if (ch->named && change.removed + change.left == 0)
        http_answer_problem(w->rq, HTTP_NOT_FOUND, "there is no such dead letter: %s",
                            http_request_query(w->rq, "numbers"));
    else if (change.removed + change.left > 0 ||
             !is_unknown_sink(w->rq, w->api->host->config, http_request_query(w->rq, "sink")))
        answer_change(w->rq, &change);
    return true;
}

static void changing_fini(struct api_wait *w)
{
    struct changing *ch = (struct changing *)w;

    api_audit_free(&ch->audit);
    pthread_mutex_destroy(&ch->lock);
}

/* On the checkpoint thread: what is written so far, in the entry of the audit log. */
static void record(void *ctx, struct store_batch *batch, const struct dead_letter_change *change,
                   bool complete)
{
    struct changing *ch = ctx;
    char result[80];

    if (change->removed + change->left == 0)
        return;
    snprintf(result, sizeof result, "changed=%" PRIu64 " left=%" PRIu64 "%s", change->removed,
             change->left, complete ? "" : " so far");
    api_audit_put(ch->audit, batch, result);
}

static void done(void *ctx, const struct dead_letter_change *change)
{
    struct changing *ch = ctx;

    pthread_mutex_lock(&ch->lock);
    ch->over = true;
    ch->known = change != NULL;
    if (change)
        ch->change = *change;
    pthread_mutex_unlock(&ch->lock);
    api_wait_unref(&ch->wait);
    api_wait_wake();
}

static const struct api_wait_ops changing_ops = {sizeof(struct changing), changing_look, NULL, changing_fini};

bool api_letters_change(struct api_call *call)
{
    enum http_operation operation = http_request_operation(call->rq);
    bool replay = operation == HTTP_OP_letters_replay || operation == HTTP_OP_sink_letters_replay;
    const char *numbers = http_request_query(call->rq, "numbers");
    struct dead_letter_order order = {.replay = replay, .record = record, .done = done};
    struct changing *ch;

    if (!read_choice(call->rq, call->host->config, &order.choice))
        return true;
    if (!numbers && !order.choice.reason && !order.choice.origin &&
        (is_of_sink(call->rq) || !order.choice.sink)) {
        http_answer_problem(call->rq, HTTP_BAD_REQUEST, "say which: `numbers=all` for all of them");
        return true;
    }
    ch = (struct changing *)api_wait_new(call, &changing_ops);
    pthread_mutex_init(&ch->lock, NULL);
    ch->named = order.choice.last != UINT64_MAX;
    ch->audit = api_audit_new(call, replay ? "replay dead letters" : "drop dead letters",
                              order.choice.sink ? order.choice.sink
                              : order.choice.origin ? order.choice.origin : "",
                              numbers ? numbers : "all", order.choice.reason);
    order.ctx = api_wait_ref(&ch->wait);
    checkpoint_order_dead_letters(*call->host->cp, &order);
    return true;
}
