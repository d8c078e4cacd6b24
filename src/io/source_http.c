// SPDX-License-Identifier: Apache-2.0
#include "io/source_http.h"

#include <pthread.h>
#include <string.h>

#include "base/clock.h"
#include "base/digest.h"
#include "base/mem.h"
#include "event/json_decode.h"
#include "event/schema.h"
#include "io/post_key.h"
#include "io/posted.h"
#include "io/spool.h"

#define KEYS_BYTES (UINT64_C(16) << 20)
#define GROUP_MOST (UINT64_C(4) << 20) /* bytes of posts for one fsync; one may have more */

struct job {
    struct source_http_post post;
    struct source_http_answer answer;
    bool adds;     /* lines to the group that is not committed */
    bool has_note; /* likewise */
    struct job *next;
};

struct source_http {
    pthread_t thread;
    struct spool *spool;     /* borrowed */
    size_t max_line;
    struct schema *schema;   /* of no fields */
    struct decoder *decoder;
    struct buf flat;         /* an event without line ends */
    struct post_keys *keys;
    struct buf note;

    pthread_mutex_t lock;
    pthread_cond_t come, settled;
    struct job *first, **last;
    size_t n;                /* that have no answer */
    bool stopping;
};

/* ---- one event ------------------------------------------------------------------------------- */

static void reject(struct source_http_answer *answer, uint64_t line, const char *reason)
{
    if (answer->rejected++ >= SOURCE_HTTP_REJECTS)
        return;
    buf_printf(&answer->rejects, "%s{\"line\":%llu,\"reason\":", answer->rejects.len ? "," : "",
               (unsigned long long)line);
    buf_add_json_text(&answer->rejects, reason, strlen(reason));
    buf_addc(&answer->rejects, '}');
}

/* A line end in an event stands between its values: in a text it would be no JSON. */
static const char *flatten(struct source_http *in, const char *text, size_t len)
{
    if (!memchr(text, '\n', len) && !memchr(text, '\r', len))
        return text;
    buf_clear(&in->flat);
    buf_add(&in->flat, text, len);
    for (size_t i = 0; i < len; i++)
        if (in->flat.data[i] == '\n' || in->flat.data[i] == '\r')
            in->flat.data[i] = ' ';
    return in->flat.data;
}

static void take_event(struct source_http *in, struct job *job, uint64_t line, const char *text,
                       size_t len, int64_t arrival)
{
    struct source_http_answer *answer = &job->answer;
    struct event ev = {.origin = NULL};
    const char *reason;

    if (len > in->max_line) {
        reject(answer, line, "longer than max_line allows");
    } else if (!decoder_run_copy(in->decoder, text, len, &ev, &reason)) {
        reject(answer, line, reason);
    } else {
        (job->post.key ? spool_add_part : spool_add)(in->spool, flatten(in, text, len), len, len + 1, arrival);
        answer->accepted++;
    }
}

/* ---- one post -------------------------------------------------------------------------------- */

/* Is it whole, and not too much? Nothing of it is in the spool yet. */
static bool look_at(struct job *job)
{
    struct source_http_answer *answer = &job->answer;
    struct posted posted;
    const char *text, *why;
    enum posted_got got;
    uint64_t n = 0;
    size_t len;

    posted_init(&posted, job->post.text, job->post.len, job->post.is_json);
    while ((got = posted_next(&posted, &text, &len, &why)) == POSTED_EVENT && ++n <= SOURCE_HTTP_EVENTS)
        continue;
    if (got == POSTED_BROKEN) {
        answer->outcome = SOURCE_HTTP_BROKEN;
        buf_printf(&answer->why, "%s (byte %zu)", why, posted.at + 1);
    } else if (got == POSTED_EVENT) {
        answer->outcome = SOURCE_HTTP_TOO_MANY;
    }
    return got == POSTED_END;
}

/* Was it there before? Then it is answered. */
static bool is_again(struct source_http *in, struct job *job, uint8_t body[16])
{
    struct source_http_answer *answer = &job->answer;
    struct post_key was;

    digest_id(job->post.text, job->post.len, body);
    if (!post_keys_find(in->keys, job->post.key, &was))
        return false;
    if (memcmp(was.body, body, sizeof was.body) != 0) {
        answer->outcome = SOURCE_HTTP_OTHER;
        return true;
    }
    answer->accepted = was.accepted;
    answer->rejected = was.rejected;
    buf_add(&answer->rejects, was.rejects, was.rejects_len);
    return true;
}

static void add_note(struct source_http *in, struct job *job, const uint8_t body[16])
{
    const struct source_http_answer *answer = &job->answer;
    struct post_key key = {.key = job->post.key,
                           .key_len = strlen(job->post.key),
                           .accepted = answer->accepted,
                           .rejected = answer->rejected,
                           .rejects = answer->rejects.len ? answer->rejects.data : "",
                           .rejects_len = answer->rejects.len};

    memcpy(key.body, body, sizeof key.body);
    buf_clear(&in->note);
    post_key_put(&in->note, &key);
    spool_add_note(in->spool, in->note.data, in->note.len);
    post_keys_add(in->keys, in->note.data, in->note.len);
    job->has_note = true;
}

static void take_post(struct source_http *in, struct job *job)
{
    struct source_http_answer *answer = &job->answer;
    int64_t arrival = clock_wall();
    struct posted posted;
    const char *text, *why;
    uint8_t body[16];
    size_t len;

    if (!look_at(job) || (job->post.key && is_again(in, job, body)))
        return;
    if (spool_full(in->spool)) {
        answer->outcome = SOURCE_HTTP_FULL;
        return;
    }
    posted_init(&posted, job->post.text, job->post.len, job->post.is_json);
    while (posted_next(&posted, &text, &len, &why) == POSTED_EVENT)
        take_event(in, job, posted.number, text, len, arrival);
    job->adds = answer->accepted > 0;
    if (answer->accepted == 0 && answer->rejected > 0)
        answer->outcome = SOURCE_HTTP_REJECTED;
    else if (answer->accepted > 0 && job->post.key)
        add_note(in, job, body);
}

static void answer(struct job *job)
{
    job->post.answer(job->post.ctx, &job->answer);
    buf_fini(&job->answer.rejects);
    buf_fini(&job->answer.why);
    mem_free(job);
}

static struct job *job_new(const struct source_http_post *post)
{
    struct job *job = mem_calloc(1, sizeof *job);

    job->post = *post;
    buf_init(&job->answer.rejects);
    buf_init(&job->answer.why);
    return job;
}

/* ---- the thread ------------------------------------------------------------------------------- */

/* What waits, at most GROUP_MOST bytes; NULL: it is to end. */
static struct job *next_group(struct source_http *in)
{
    struct job *group, **end;
    uint64_t bytes = 0;

    pthread_mutex_lock(&in->lock);
    while (!in->first && !in->stopping)
        pthread_cond_wait(&in->come, &in->lock);
    group = in->first;
    for (end = &group; *end && bytes < GROUP_MOST; end = &(*end)->next)
        bytes += (*end)->post.len;
    in->first = *end;
    if (!in->first)
        in->last = &in->first;
    *end = NULL;
    pthread_mutex_unlock(&in->lock);
    return group;
}

static void answer_group(struct source_http *in, struct job *group)
{
    size_t n = 0;

    while (group) {
        struct job *job = group;
        group = job->next;
        answer(job);
        n++;
    }
    pthread_mutex_lock(&in->lock);
    in->n -= n;
    if (in->n == 0)
        pthread_cond_broadcast(&in->settled);
    pthread_mutex_unlock(&in->lock);
}

static void carry(void *ctx, const void *note, size_t len)
{
    spool_add_note(ctx, note, len);
}

static void take_group(struct source_http *in, struct job *group, struct buf *why)
{
    bool any = false;

    if (spool_begins_segment(in->spool))
        post_keys_each(in->keys, carry, in->spool);
    for (struct job *job = group; job; job = job->next) {
        take_post(in, job);
        any |= job->adds;
    }
    if (!any)
        spool_drop(in->spool);
    bool ok = spool_commit(in->spool, why);
    for (struct job *job = group; job && !ok; job = job->next) {
        if (job->answer.accepted == 0)
            continue;
        if (job->has_note)
            post_keys_remove(in->keys, job->post.key);
        job->answer.outcome = SOURCE_HTTP_FAILED;
        buf_add(&job->answer.why, why->data, why->len);
    }
}

static void *run(void *arg)
{
    struct source_http *in = arg;
    struct buf why;

    buf_init(&why);
    for (struct job *group; (group = next_group(in)) != NULL;) {
        buf_clear(&why);
        take_group(in, group, &why);
        answer_group(in, group);
    }
    buf_fini(&why);
    return NULL;
}

/* ---- any thread ------------------------------------------------------------------------------- */

void source_http_take(struct source_http *in, const struct source_http_post *post)
{
    struct job *job = job_new(post);

    pthread_mutex_lock(&in->lock);
    bool stopping = in->stopping;
    if (!stopping) {
        *in->last = job;
        in->last = &job->next;
        in->n++;
        pthread_cond_signal(&in->come);
    }
    pthread_mutex_unlock(&in->lock);
    if (!stopping)
        return;
    job->answer.outcome = SOURCE_HTTP_STOPPED;
    answer(job);
}

void source_http_settle(struct source_http *in)
{
    pthread_mutex_lock(&in->lock);
    while (in->n > 0)
        pthread_cond_wait(&in->settled, &in->lock);
    pthread_mutex_unlock(&in->lock);
}

static void destroy(struct source_http *in)
{
    pthread_mutex_destroy(&in->lock);
    pthread_cond_destroy(&in->come);
    pthread_cond_destroy(&in->settled);
    decoder_free(&in->decoder);
    schema_unref(&in->schema);
    buf_fini(&in->flat);
    buf_fini(&in->note);
    post_keys_free(&in->keys);
    mem_free(in);
}

static void take_note(void *ctx, const void *note, size_t len)
{
    post_keys_add(ctx, note, len);
}

struct source_http *source_http_start(struct spool *spool, size_t max_line, struct buf *why)
{
    struct source_http *in = mem_calloc(1, sizeof *in);

    in->spool = spool;
    in->max_line = max_line;
    in->schema = schema_new();
    schema_seal(in->schema);
    in->decoder = decoder_new(in->schema, max_line);
    in->last = &in->first;
    buf_init(&in->flat);
    buf_init(&in->note);
    in->keys = post_keys_new(spool_limit(spool) / 16 < KEYS_BYTES ? spool_limit(spool) / 16 : KEYS_BYTES);
    pthread_mutex_init(&in->lock, NULL);
    pthread_cond_init(&in->come, NULL);
    pthread_cond_init(&in->settled, NULL);
    if (!spool_each_note(spool, take_note, in->keys, why)) {
        destroy(in);
        return NULL;
    }
    int err = pthread_create(&in->thread, NULL, run, in);
    if (!err)
        return in;
    buf_printf(why, "a thread for posts: %s", strerror(err));
    destroy(in);
    return NULL;
}

void source_http_free(struct source_http **inp)
{
    struct source_http *in = *inp;

    if (!in)
        return;
    *inp = NULL;
    pthread_mutex_lock(&in->lock);
    in->stopping = true;
    pthread_cond_signal(&in->come);
    pthread_mutex_unlock(&in->lock);
    pthread_join(in->thread, NULL);
    destroy(in);
}
