// SPDX-License-Identifier: Apache-2.0
/* Events that are posted: to the thread of their source, which answers when they are durable. */
#include <inttypes.h>
#include <string.h>

#include "daemon/api_priv.h"
#include "daemon/wiring.h"
#include "io/post_key.h"
#include "io/source_http.h"

enum { RETRY_AFTER = 1, RETRY_DISK = 5, RETRY_DRAINED = 5 }; /* seconds */

/* {"accepted":1,"rejected":[...]}; what is not told of is counted. */
static void answer_counts(struct http_request *rq, const struct source_http_answer *answer)
{
    struct buf b;

    buf_init(&b);
    buf_printf(&b, "{\"accepted\":%" PRIu64 ",\"rejected\":[%s]", answer->accepted,
               answer->rejects.len ? answer->rejects.data : "");
    if (answer->rejected > SOURCE_HTTP_REJECTS)
        buf_printf(&b, ",\"rejected_total\":%" PRIu64, answer->rejected);
    buf_adds(&b, "}\n");
    http_answer_json(rq, 200, &b);
}

static void answer_rejected(struct http_request *rq, const struct source_http_answer *answer)
{
    struct buf detail, list;

    buf_init(&detail);
    buf_init(&list);
    buf_printf(&detail, "none of %" PRIu64 " is one", answer->rejected);
    buf_printf(&list, "[%s]", answer->rejects.data);
    http_answer_problem_with(rq, HTTP_NO_EVENTS, detail.data, "rejected", &list);
    buf_fini(&detail);
}

/* On the source's thread. */
static void answer(void *ctx, const struct source_http_answer *answer)
{
    struct http_request *rq = ctx;

    switch (answer->outcome) {
    case SOURCE_HTTP_ACCEPTED:
        answer_counts(rq, answer);
        break;
    case SOURCE_HTTP_REJECTED:
        answer_rejected(rq, answer);
        break;
    case SOURCE_HTTP_BROKEN:
        http_answer_problem(rq, HTTP_BAD_BODY, "%s", answer->why.data);
        break;
    case SOURCE_HTTP_OTHER:
        http_answer_problem(rq, HTTP_KEY_REUSED, "each body has an `Idempotency-Key` of its own");
        break;
    case SOURCE_HTTP_TOO_MANY:
        http_answer_problem(rq, HTTP_TOO_LARGE, "the limit is %d events in one request",
                            (int)SOURCE_HTTP_EVENTS);
        break;
    case SOURCE_HTTP_FULL:
        http_answer_problem(rq, HTTP_BEHIND, "the spool is at its limit (`spool_limit`)");
        http_answer_retry_after(rq, RETRY_AFTER);
        break;
    case SOURCE_HTTP_FAILED:
        http_answer_problem(rq, HTTP_UNAVAILABLE, "%s", answer->why.data);
        http_answer_retry_after(rq, RETRY_DISK);
        break;
    case SOURCE_HTTP_STOPPED:
        http_answer_problem(rq, HTTP_UNAVAILABLE, "the source is being ended");
        http_answer_retry_after(rq, RETRY_AFTER);
        break;
    }
    http_request_done(rq);
}

static void answer_nobody(struct http_request *rq, bool drained, bool runs, const char *nearest)
{
    const char *name = http_request_name(rq);

    if (drained) {
        http_answer_problem(rq, HTTP_UNAVAILABLE, "the daemon is drained: it takes nothing until POST /v1/resume");
        http_answer_retry_after(rq, RETRY_DRAINED);
    } else if (!runs) {
        http_answer_problem(rq, HTTP_UNAVAILABLE, "the daemon begins, or changes its configuration, or ends");
        http_answer_retry_after(rq, RETRY_AFTER);
    } else if (nearest) {
        http_answer_problem(rq, HTTP_NOT_FOUND, "no source `%s` of `http`; did you mean `%s`?", name, nearest);
    } else {
        http_answer_problem(rq, HTTP_NOT_FOUND, "no source `%s` of `http`; GET /v1/sources lists those there are",
                            name);
    }
    http_request_done(rq);
}

void api_take_events(struct api *api, struct http_request *rq)
{
    struct source_http_post post = {.is_json = http_request_body_is_json(rq), .key = http_request_idempotency_key(rq), .answer = answer, .ctx = rq};
    struct source_http *in = NULL;
    struct buf near;
    const char *nearest = NULL;

    if (post.key && (!*post.key || strlen(post.key) > POST_KEY_LONGEST)) {
        http_answer_problem(rq, HTTP_BAD_REQUEST, "`Idempotency-Key` has 1 to %d bytes", (int)POST_KEY_LONGEST);
        http_request_done(rq);
        return;
    }
    post.text = http_request_body(rq, &post.len);
    buf_init(&near);
    pthread_mutex_lock(&api->lock); /* while it is held no source is ended */
    bool runs = api->state == API_RUNNING && api->spooler, drained = api->drained;
    if (runs && !drained)
        in = wiring_http(api->spooler, http_request_name(rq), &nearest);
    if (in)
        source_http_take(in, &post);
    if (nearest)
        buf_adds(&near, nearest);
    pthread_mutex_unlock(&api->lock);
    if (!in)
        answer_nobody(rq, drained, runs, near.data);
    buf_fini(&near);
}
