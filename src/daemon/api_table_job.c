// SPDX-License-Identifier: Apache-2.0
/* Rows are read, and written ahead, by a thread of their own: api_table_priv.h draws it. */
#include <string.h>

#include "base/digest.h"
#include "base/failpoint.h"
#include "base/mem.h"
#include "config/config.h"
#include "daemon/api_priv.h"
#include "daemon/api_table_priv.h"
#include "daemon/api_wait.h"
#include "daemon/uploads.h"
#include "event/row_table.h"
#include "flow/pipeline.h"
#include "state/checkpoint.h"

enum { PIECE = 256 << 10, AHEAD = 1 << 20 }; /* bytes: of a piece; that are written together */
#define SETTLE INT64_C(200000000)            /* ns between two looks whether it is still wanted */

/* ---- pieces ----------------------------------------------------------------------------------- */

void piece_writer_init(struct piece_writer *pw, struct checkpoint *cp, _Atomic bool *cancelled,
                       uint64_t data, bool dry)
{
    *pw = (struct piece_writer){.cp = cp, .cancelled = cancelled, .data = data, .dry = dry};
    pw->batch = store_batch_new();
    buf_init(&pw->piece);
}

void piece_writer_fini(struct piece_writer *pw)
{
    store_batch_free(&pw->batch);
    buf_fini(&pw->piece);
}

static bool wanted(const struct piece_writer *pw)
{
    return !pw->cancelled || !atomic_load(pw->cancelled);
}

/* Waits until it is durable: no more than this is in memory, and the checkpoints of events come between. */
static void write_ahead(struct piece_writer *pw)
{
    struct epoch *ep = epoch_new();
    bool durable = false;

    if (!pw->ahead)
        table_data_begin(ep->batch, pw->data);
    pw->ahead = true;
    store_batch_append(ep->batch, pw->batch);
    checkpoint_submit(pw->cp, ep);
    while (!durable && wanted(pw) && !checkpoint_failed(pw->cp, NULL))
        durable = checkpoint_settle(pw->cp, SETTLE);
    pw->failed |= !durable;
    failpoint_hit(FAILPOINT_table_piece);
}

static void end_piece(struct piece_writer *pw)
{
    uint8_t pair[32];

    memcpy(pair, pw->id, 16);
    digest_id(pw->piece.data, pw->piece.len, pair + 16);
    digest_id(pair, sizeof pair, pw->id);
    if (!pw->dry)
        table_piece_put(pw->batch, pw->data, pw->n, pw->piece.data, pw->piece.len);
    pw->n++;
    pw->bytes += pw->piece.len;
    buf_clear(&pw->piece);
    if (store_batch_bytes(pw->batch) >= AHEAD)
        write_ahead(pw);
}

void piece_writer_line(struct piece_writer *pw, const char *text, size_t len)
{
    buf_add(&pw->piece, text, len);
    buf_addc(&pw->piece, '\n');
    if (pw->piece.len >= PIECE)
        end_piece(pw);
}

void piece_writer_rows(struct piece_writer *pw, const struct row_table *rows, uint32_t line_column)
{
    for (uint32_t row = 0; row < row_table_count(rows) && !pw->failed && wanted(pw); row++) {
        struct value line = row_table_get(rows, row, line_column);
        piece_writer_line(pw, line.u.text, line.len);
    }
}

bool piece_writer_end(struct piece_writer *pw)
{
    if (pw->piece.len > 0)
        end_piece(pw);
    if (pw->ahead && store_batch_bytes(pw->batch) > 0)
        write_ahead(pw);
    return !pw->failed;
}

void piece_writer_drop(struct piece_writer *pw)
{
    if (!pw->ahead)
        return;
    struct epoch *ep = epoch_new();
    table_pieces_remove(ep->batch, pw->data, pw->n);
    table_data_done(ep->batch, pw->data);
    checkpoint_submit(pw->cp, ep);
}

/* ---- a job ------------------------------------------------------------------------------------ */

struct api_table_job *api_table_job_new(struct api_call *call, const char *what,
                                        const struct row_form *form)
{
    struct api_table_job *job = mem_calloc(1, sizeof *job);

    job->rq = call->rq;
    job->what = what;
    job->form = row_form_copy(form);
    job->most = call->host->config->http.table_bytes;
    job->store = api_store(call);
    piece_writer_init(&job->pieces, *call->host->cp, &job->cancelled,
                      uploads_next_data(*call->host->uploads), http_request_flag(call->rq, "dry_run"));
    buf_init(&job->why);
    return job;
}

static void job_free(struct api_table_job **jobp)
{
    struct api_table_job *job = *jobp;

    *jobp = NULL;
    row_form_free(&job->form);
    row_table_unref(&job->rows);
    table_mistakes_fini(&job->mistakes);
    piece_writer_fini(&job->pieces);
    buf_fini(&job->why);
    mem_free(job->chain);
    mem_free(job);
}

static void read_text(struct api_table_job *job)
{
    struct table_reader *rd = table_reader_new(job->form, NULL, &job->mistakes);

    table_reader_limit(rd, 0, job->most);
    if (job->csv)
        table_reader_csv(rd, job->text, job->len);
    else
        table_reader_lines(rd, job->text, job->len);
    job->rows = table_reader_end(&rd, &job->changes);
}

static void read_version(struct api_table_job *job)
{
    job->rows = uploads_read(job->store, job->chain, job->n_chain, job->form, &job->why);
    job->changes.bytes = job->chain[job->n_chain - 1].bytes;
    if (job->rows)
        job->changes.added = row_table_count(job->rows);
}

static void *run(void *arg)
{
    struct api_table_job *job = arg;

    if (job->n_chain > 0)
        read_version(job);
    else
        read_text(job);
    if (job->rows) {
        piece_writer_rows(&job->pieces, job->rows, job->form->n_columns);
        if (!piece_writer_end(&job->pieces))
            buf_adds(&job->why, "the database cannot be written");
        failpoint_hit(FAILPOINT_table_ahead);
    }
    atomic_store(&job->done, true);
    api_wait_wake();
    return NULL;
}

static void start(struct api_table_job *job)
{
    job->started = pthread_create(&job->thread, NULL, run, job) == 0;
    if (job->started) {
        pthread_setname_np(job->thread, "table");
    } else {
        buf_adds(&job->why, "no thread can be made");
        atomic_store(&job->done, true);
        api_wait_wake();
    }
}

void api_table_job_add(struct api_call *call, struct api_table_job *job)
{
    struct api_table_job **at = &call->api->jobs;

    call->later = true;
    while (*at)
        at = &(*at)->next;
    *at = job;
    if (job == call->api->jobs)
        start(job);
}

bool api_table_jobs_look(struct api *api, struct buf *why)
{
    struct api_table_job *job = api->jobs;

    if (!job || !atomic_load(&job->done))
        return true;
    if (job->started)
        pthread_join(job->thread, NULL);
    api->jobs = job->next;
    struct api_call call = {.api = api, .host = api->host, .rq = job->rq, .why = why};
    call.frontier = pipeline_frontier(*api->host->pipeline);
    bool ok = api_table_job_take(&call, job);
    http_request_done(job->rq);
    job_free(&job);
    if (ok && api->jobs)
        start(api->jobs);
    return ok;
}

void api_table_jobs_end(struct api *api)
{
    for (struct api_table_job *job = api->jobs; job; job = job->next)
        atomic_store(&job->cancelled, true);
    while (api->jobs) {
        struct api_table_job *job = api->jobs;
        api->jobs = job->next;
        if (job->started)
            pthread_join(job->thread, NULL);
        piece_writer_drop(&job->pieces);
        http_answer_problem(job->rq, HTTP_UNAVAILABLE, "the daemon stops; nothing was changed");
        http_request_done(job->rq);
        job_free(&job);
    }
}
