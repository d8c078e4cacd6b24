// SPDX-License-Identifier: Apache-2.0
/*
 * What the tests of an endpoint of the courier share: a real outbox; a web, bodies and routes that do
 * what the test says; time that the test sets.
 */
#ifndef TESTS_UNIT_COURIER_FIXTURE_H
#define TESTS_UNIT_COURIER_FIXTURE_H

#include <tests/unit/outbox_fixture.h>

#include <inttypes.h>

#include "flow/courier_priv.h"
#include "flow/courier_saved.h"
#include "flow/route.h"
#include "io/body.h"

#define MS INT64_C(1000000)

/* ---- the web ----------------------------------------------------------------------------------- */

struct posted {
    char *id, *body; /* owned; NULL: answered */
    void *ctx;
};

static struct posted posted[20000];
static size_t n_posted;

struct web *web_new(void)
{
    return NULL;
}

void web_free(struct web **w)
{
    (void)w;
}

void web_wake(struct web *w)
{
    (void)w;
}

struct web_endpoint *web_endpoint_new(struct web *w, const struct web_endpoint_options *opt,
                                      struct buf *message)
{
    (void)w, (void)opt, (void)message;
    return (struct web_endpoint *)&n_posted;
}

bool web_endpoint_renew(struct web_endpoint *ep, const struct web_endpoint_options *opt,
                        struct buf *message)
{
    (void)ep, (void)opt, (void)message;
    return true;
}

bool web_wait(struct web *w, int64_t timeout, struct web_answer *answer_out)
{
    (void)w, (void)timeout, (void)answer_out;
    return false;
}

void web_post(struct web_endpoint *ep, const struct web_request *request)
{
    (void)ep;
    if (n_posted == sizeof posted / sizeof *posted)
        abort();
    posted[n_posted++] = (struct posted){mem_strndup(request->id, strlen(request->id)),
                                         mem_strndup(request->body, request->len), request->ctx};
}

/* ---- bodies: the texts with spaces between; what holds "unsayable" cannot be said ------------------- */

static uint32_t most;

uint32_t body_most(const struct body *b, bool group)
{
    (void)b, (void)group;
    return most;
}

const char *body_content_type(const struct body *b, size_t n, bool group)
{
    (void)b, (void)n, (void)group;
    return "text/plain";
}

void body_free(struct body **b)
{
    *b = NULL;
}

bool body_write(const struct body *b, const struct body_alert *alert, size_t n,
                const struct body_group *group, int64_t now, struct buf *out, struct buf *message)
{
    (void)b, (void)now;
    for (size_t i = 0; i < n; i++)
        if (memmem(alert[i].text, alert[i].len, "unsayable", 9)) {
            buf_adds(message, "it is unsayable");
            return false;
        }
    if (group)
        buf_printf(out, "group of %" PRIu64 ":", group->count);
    for (size_t i = 0; i < n; i++) {
        buf_addc(out, ' ');
        buf_add(out, alert[i].text, alert[i].len);
    }
    return true;
}

/* ---- routes: by the rule's name ---------------------------------------------------------------- */

static bool is_muted;

bool route_has_policy(const struct route_table *rt, uint32_t sink)
{
    (void)rt, (void)sink;
    return true;
}

void route_policy(struct route_table *rt, uint32_t sink, bool direct, const char *alert,
                  size_t len, int64_t now_wall, struct route_policy *policy_out)
{
    (void)rt, (void)sink, (void)now_wall;
    *policy_out = (struct route_policy){
        .muted = !direct && is_muted && memmem(alert, len, "\"muted", 6),
        .group = !direct && memmem(alert, len, "\"group", 6) ? 10 * SECOND : 0,
    };
}

struct route_table *route_table_ref(struct route_table *rt)
{
    return rt;
}

void route_table_unref(struct route_table **rt)
{
    *rt = NULL;
}

/* ---- the endpoint ------------------------------------------------------------------------------ */

static struct courier c;
static struct endpoint e;
static struct moment now;
static struct courier_endpoint options;

static inline int begin(void **state)
{
    setup(state);
    options = (struct courier_endpoint){
        .sink = 0, .name = "hook", .web = {.url = "http://a/"}, .in_flight = 4, .batch_count = 1,
        .max_age = 3600 * SECOND, .retry_least = SECOND, .retry_most = 60 * SECOND,
    };
    most = 1000;
    is_muted = true;
    return 0;
}

static inline void forget_posted(void)
{
    for (size_t i = 0; i < n_posted; i++) {
        mem_free(posted[i].id);
        mem_free(posted[i].body);
    }
    n_posted = 0;
}

static inline void close_endpoint(void)
{
    if (e.c)
        endpoint_fini(&e);
    e = (struct endpoint){0};
    forget_posted();
}

static inline int end(void **state)
{
    close_endpoint();
    return teardown(state);
}

/* As after a start of the daemon: with what is in the database. */
static inline void open_endpoint_of(const struct outbox_sink *sink)
{
    close_endpoint();
    open_sinks(sink, 1);
    c = (struct courier){.ob = ob, .rt = (struct route_table *)&c};
    assert_true(endpoint_init(&e, &c, &options, &why));
    now = (struct moment){.mono = clock_monotonic(), .wall = clock_wall()};
    endpoint_recall(&e);
}

static inline void open_endpoint(void)
{
    static const struct outbox_sink hook = {.name = "hook"};

    open_endpoint_of(&hook);
}

static inline void step(void)
{
    for (int i = 0; endpoint_step(&e, now); i++)
        if (i > 100000)
            abort();
}

static inline void pass(int64_t time)
{
    now.mono += time;
    now.wall += time;
    step();
}

/* Alerts from..to of the rule, in an epoch. */
static inline void alerts(const char *rule, int from, int to, bool direct)
{
    struct epoch *ep = epoch_new();
    char text[128];

    for (int i = from; i <= to; i++) {
        snprintf(text, sizeof text, "{\"id\":\"a%d\",\"rule\":\"%s\",\"revision\":0}", i, rule);
        struct epoch_message *m = add(ep, text, 1);
        m->is_alert = true;
        m->direct = mem_calloc(1, sizeof *m->direct);
        m->direct[0] = direct;
    }
    checkpoint_submit(cp, ep);
    assert_true(checkpoint_settle(cp, 60 * SECOND));
    now.wall = now.wall > clock_wall() ? now.wall : clock_wall();
    atomic_store(&e.come, true);
    step();
}

/* Ids of what is under way: "a1.0 a2.0". */
static inline const char *under_way(void)
{
    static struct buf b;

    buf_clear(&b);
    buf_adds(&b, "");
    for (size_t i = 0; i < n_posted; i++)
        if (posted[i].id)
            buf_printf(&b, "%s%s", b.len ? " " : "", posted[i].id);
    return b.data;
}

static inline void answer_all_of(const char *id, enum web_outcome outcome, int status,
                                 int64_t retry_after, bool all)
{
    struct web_answer answer = {.outcome = outcome, .status = status, .retry_after = retry_after};
    bool found = false;

    snprintf(answer.why, sizeof answer.why, "HTTP %d", status);
    for (size_t i = 0; i < n_posted && (all || !found); i++) {
        if (!posted[i].id || (id && strcmp(posted[i].id, id) != 0))
            continue;
        answer.ctx = posted[i].ctx;
        mem_free(posted[i].id);
        mem_free(posted[i].body);
        posted[i].id = posted[i].body = NULL;
        endpoint_answer(&e, &answer, now);
        found = true;
    }
    if (!found)
        fail_msg("%s is not under way", id ? id : "anything");
    step();
}

static inline void answer(const char *id, int status)
{
    enum web_outcome outcome = status / 100 == 2 ? WEB_DONE
                               : status == 410   ? WEB_GONE
                               : status / 100 == 4 && status != 429 && status != 408 ? WEB_REFUSED
                                                                                     : WEB_AGAIN;
    answer_all_of(id, outcome, status, -1, false);
}

static inline uint64_t waiting(void)
{
    return stats_of(0).waiting;
}

#endif
