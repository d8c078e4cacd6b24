// SPDX-License-Identifier: Apache-2.0
/*
 * Rows of tables over HTTP: put, changed, taken away, rolled back. To the rules each is a change like one of
 * their texts: the program is compiled with these rows in place of the file's, the swap's checkpoint holds the
 * new version.
 */
#include <inttypes.h>
#include <string.h>

#include "base/digest.h"
#include "base/failpoint.h"
#include "base/mem.h"
#include "config/config.h"
#include "daemon/api_priv.h"
#include "daemon/api_table_priv.h"
#include "daemon/figures.h"
#include "daemon/uploads.h"
#include "event/row_table.h"
#include "plan/program.h"
#include "state/checkpoint.h"

enum { WHOLE = 1 << 20, CHANGES_MOST = 1000 }; /* bytes of a table that is always written whole; in a row */

/* ---- may it be? ------------------------------------------------------------------------------- */

/* The table, if rows may be put into it. NULL: it is answered. */
static const struct program_table *open_table(struct api_call *call)
{
    const char *name = http_request_name(call->rq);
    const struct program_table *table = api_table_named(call, name);

    if (!table)
        http_answer_problem(call->rq, HTTP_NOT_FOUND, "no module declares a table %s", name);
    else if (!table->path)
        http_answer_problem(call->rq, HTTP_CONFLICT,
                            "the rows of %s come from events: `table %s = file ...` takes others", name,
                            name);
    else
        return table;
    return NULL;
}

static void etag_now(const struct api_call *call, const char *name, char etag_out[40])
{
    const struct upload_head *head = api_table_upload(call, name);

    *etag_out = '\0';
    if (head)
        api_table_etag(head->is.id, etag_out);
}

/* Bytes that all other tables have. */
static uint64_t bytes_of_others(const struct api_call *call, const char *name)
{
    return uploads_bytes(*call->host->uploads, api_running(call), name);
}

static void answer_too_large(struct api_call *call)
{
    http_answer_problem(call->rq, HTTP_TOO_LARGE,
                        "the rows of all tables may have %" PRIu64 " bytes as lines of JSON "
                        "(`table_bytes`), and a table %d rows",
                        call->host->config->http.table_bytes, (int)ROW_TABLE_MAX_ROWS);
}

static void answer_mistakes(struct api_call *call, const struct table_mistakes *mistakes)
{
    struct buf json, detail;

    buf_init(&json);
    buf_init(&detail);
    table_mistakes_json(mistakes, &json);
    buf_printf(&detail, "%zu mistake%s; nothing was changed", mistakes->total,
               mistakes->total == 1 ? "" : "s");
    http_answer_problem_with(call->rq, HTTP_ROWS, detail.data, "diagnostics", &json);
    buf_fini(&detail);
}

/* ---- a new version ---------------------------------------------------------------------------- */

struct new_rows { /* what is about to be a version */
    const char *what;             /* for the audit log */
    enum table_version_kind kind;
    struct row_form *form;        /* taken */
    struct row_table *rows;       /* taken; NULL: removed */
    const struct table_changes *changes;
    struct piece_writer *pieces;  /* NULL: removed */
    uint8_t id[16];
};

static void fill_head(const struct api_call *call, const struct new_rows *new, const char *key,
                      struct table_version *head)
{
    const char *name = http_request_name(call->rq), *who = http_request_who(call->rq);
    const struct upload_head *last = uploads_last(*call->host->uploads, name);

    *head = (struct table_version){.number = last ? last->is.number + 1 : 1,
                                   .kind = new->kind,
                                   .rows = new->rows ? row_table_count(new->rows) : 0,
                                   .bytes = new->rows ? new->changes->bytes : 0,
                                   .table = name,
                                   .table_len = strlen(name),
                                   .who = who,
                                   .who_len = strlen(who),
                                   .key = key,
                                   .key_len = strlen(key)};
    if (new->pieces && new->pieces->n > 0) {
        head->data = new->pieces->data;
        head->n_pieces = new->pieces->n;
        head->data_bytes = new->pieces->bytes;
    }
    memcpy(head->id, new->id, sizeof head->id);
}

static void tell_rows(const struct new_rows *new, const struct table_version *head, struct buf *out)
{
    buf_printf(out, "{\"rows\":%" PRIu64 ",\"bytes\":%" PRIu64, head->rows, head->bytes);
    if (new->kind == TABLE_VERSION_CHANGE)
        buf_printf(out, ",\"added\":%" PRIu64 ",\"replaced\":%" PRIu64 ",\"removed\":%" PRIu64,
                   new->changes->added, new->changes->replaced, new->changes->removed);
    buf_addc(out, '}');
}

/* After it: what is there now. False: the daemon cannot go on. */
static bool settle(struct api_call *call, const struct new_rows *new, const struct table_version *head)
{
    struct uploads *up = *call->host->uploads;
    const struct module_upload *now = generation_upload(api_running(call), http_request_name(call->rq));
    bool taken = new->kind == TABLE_VERSION_REMOVED ? !now : now && now->version == head->number;

    uploads_keep_only(up, &call->host->rules->mods);
    if (!taken && new->pieces)
        piece_writer_drop(new->pieces);
    if (!taken)
        return true;
    bool ok = uploads_reread(up, call->why);
    struct epoch *ep = epoch_new();
    uploads_prune(up, &call->host->rules->mods, http_request_name(call->rq),
                  call->host->config->http.table_versions, ep->batch);
    if (store_batch_bytes(ep->batch) > 0)
        checkpoint_submit(*call->host->cp, ep);
    else
        epoch_free(&ep);
    figures_note_uploads(call->host->figures, api_running(call)->n_uploads,
                         uploads_bytes(up, api_running(call), NULL));
    return ok;
}

/* Answers. Takes form and rows. */
static bool make_version(struct api_call *call, struct new_rows *new, const char *key)
{
    const char *name = http_request_name(call->rq);
    struct uploads *up = *call->host->uploads;
    struct ruleset_upload wish = {.table = name};
    struct table_version head;
    struct api_change change;
    struct buf told;

    fill_head(call, new, key, &head);
    if (new->rows) {
        uploads_take(up, &head, new->form, new->rows);
        wish.version = head.number;
    }
    if (!api_change_begin(call, &change))
        return settle(call, new, &head);
    buf_init(&told);
    tell_rows(new, &head, &told);
    head.time = change.wish.wall;
    change.what = new->what;
    change.name = name;
    change.version = head.number;
    change.table = told.data;
    change.wish.upload = &wish;
    etag_now(call, name, change.before);
    if (new->rows)
        api_table_etag(head.id, change.after);
    table_version_put(change.extra, &head);
    if (new->pieces && new->pieces->ahead)
        table_data_done(change.extra, new->pieces->data);
    else if (new->pieces)
        store_batch_append(change.extra, new->pieces->batch);
    bool ok = api_change_make(call, &change);
    failpoint_hit(FAILPOINT_table_swapped);
    buf_fini(&told);
    return settle(call, new, &head) && ok;
}

/* The same rows: nothing changes. */
static bool answer_same(struct api_call *call, const struct upload_head *head)
{
    struct api_change change;

    if (!api_change_begin(call, &change))
        return true;
    change.name = head->table;
    change.version = head->is.number;
    api_table_etag(head->is.id, change.after);
    api_answer_unchanged(call, &change);
    return true;
}

/* ---- PUT, rollback ---------------------------------------------------------------------------- */

/* Of the text; NUL: there is nothing. */
static char first_character(const char *text, size_t len)
{
    size_t at = len >= 3 && memcmp(text, "\xef\xbb\xbf", 3) == 0 ? 3 : 0;

    while (at < len && (text[at] == ' ' || text[at] == '\t' || text[at] == '\r' || text[at] == '\n'))
        at++;
    return at < len ? text[at] : '\0';
}

/* Says what they are, or else what they look like. */
static bool is_csv(const struct http_request *rq, const char *text, size_t len)
{
    if (http_request_body_is_csv(rq) || http_request_body_is_lines(rq))
        return http_request_body_is_csv(rq);
    return first_character(text, len) != '{';
}

static bool is_array(const struct http_request *rq, const char *text, size_t len)
{
    return !http_request_body_is_csv(rq) && first_character(text, len) == '[';
}

bool api_table_put(struct api_call *call)
{
    const struct program_table *table = open_table(call);
    char etag[40];
    size_t len;
    const char *text = http_request_body(call->rq, &len);

    if (!table)
        return true;
    etag_now(call, table->name, etag);
    if (len == 0) {
        http_answer_problem(call->rq, HTTP_BAD_BODY,
                            "the body is the rows: CSV with a header line, or lines of JSON");
        return true;
    }
    if (is_array(call->rq, text, len)) {
        http_answer_problem(call->rq, HTTP_MEDIA_TYPE, "an array of JSON: write a line for each object, without "
                                                       "brackets and commas");
        return true;
    }
    struct api_table_job *job = api_table_job_new(call, "put table", table->form);
    job->text = text;
    job->len = len;
    job->csv = is_csv(call->rq, text, len);
    api_table_job_add(call, job);
    return true;
}

/* The last one before that which rules use; 0: none. */
static uint64_t version_before(const struct api_call *call, const char *name)
{
    const struct upload_head *now = api_table_upload(call, name);
    uint64_t number = 0;
    size_t n;
    const struct upload_head *head = uploads_heads(*call->host->uploads, &n);

    for (size_t i = 0; i < n; i++)
        if (strcmp(head[i].table, name) == 0 && head[i].is.kind != TABLE_VERSION_REMOVED &&
            (!now || head[i].is.number < now->is.number))
            number = head[i].is.number;
    return number;
}

bool api_table_rollback(struct api_call *call)
{
    const struct program_table *table = open_table(call);
    struct table_version *chain;

    if (!table)
        return true;
    uint64_t number = http_request_query(call->rq, "version")
                          ? http_request_count(call->rq, "version", 0)
                          : version_before(call, table->name);
    const struct upload_head *head = uploads_head(*call->host->uploads, table->name, number);
    size_t n = uploads_chain(*call->host->uploads, table->name, number, &chain);
    if (n == 0) {
        if (head && head->is.kind == TABLE_VERSION_REMOVED)
            http_answer_problem(call->rq, HTTP_CONFLICT, "in version %" PRIu64 " it was taken away", number);
        else
            http_answer_problem(call->rq, HTTP_NOT_FOUND, "version %" PRIu64 " of %s is not kept", number,
                                table->name);
        return true;
    }
    struct api_table_job *job = api_table_job_new(call, "roll table back", table->form);
    job->chain = chain;
    job->n_chain = n;
    api_table_job_add(call, job);
    return true;
}

/* Rules may read other columns by now: uploads_given makes the rows again then. */
bool api_table_job_take(struct api_call *call, struct api_table_job *job)
{
    const struct program_table *table = open_table(call);
    const struct upload_head *now;
    char etag[40];
    bool taken = false, ok = true;

    if (table && job->rows && !row_path_same(&table->form->key, &job->form->key)) {
        http_answer_problem(call->rq, HTTP_CONFLICT, "the key of %s has changed meanwhile", table->name);
    } else if (table) {
        etag_now(call, table->name, etag);
        now = api_table_upload(call, table->name);
        bool same = now && job->rows && memcmp(now->is.id, job->pieces.id, sizeof now->is.id) == 0;
        if (job->mistakes.total > 0) {
            answer_mistakes(call, &job->mistakes);
        } else if (job->mistakes.too_large ||
                   (job->rows && job->changes.bytes + bytes_of_others(call, table->name) > job->most)) {
            answer_too_large(call);
        } else if (job->why.len > 0) {
            http_answer_problem(call->rq, HTTP_UNAVAILABLE, "%s; nothing was changed", job->why.data);
        } else if (same) {
            answer_same(call, now);
        } else if (api_check_match(call, etag)) {
            struct new_rows new = {.what = job->what,
                                   .kind = TABLE_VERSION_FULL,
                                   .form = job->form,
                                   .rows = job->rows,
                                   .changes = &job->changes,
                                   .pieces = &job->pieces};
            memcpy(new.id, job->pieces.id, sizeof new.id);
            job->form = NULL;
            job->rows = NULL;
            taken = true;
            ok = make_version(call, &new, table->key_name);
        }
    }
    if (!taken)
        piece_writer_drop(&job->pieces);
    return ok;
}

/* ---- POST ------------------------------------------------------------------------------------- */

/* The lines as they stand, without blanks around them. */
static void write_lines(struct piece_writer *pw, const char *text, size_t len)
{
    const char *at = text, *end = text + len;

    if (len >= 3 && memcmp(at, "\xef\xbb\xbf", 3) == 0)
        at += 3;
    while (at < end) {
        const char *newline = memchr(at, '\n', (size_t)(end - at));
        const char *to = newline ? newline : end, *next = newline ? newline + 1 : end;
        while (to > at && (to[-1] == ' ' || to[-1] == '\t' || to[-1] == '\r'))
            to--;
        if (to > at)
            piece_writer_line(pw, at, (size_t)(to - at));
        at = next;
    }
}

/* Small tables, and those with many changes since they were written, are written whole. */
static bool is_whole(const struct api_call *call, const struct upload_head *now,
                     const struct table_changes *changes, size_t len)
{
    struct table_version *chain;
    size_t n = uploads_chain(*call->host->uploads, now->table, now->is.number, &chain);
    uint64_t bytes = len;

    for (size_t i = 1; i < n; i++)
        bytes += chain[i].data_bytes;
    bool whole = n == 0 || n >= CHANGES_MOST || changes->bytes < WHOLE || bytes > chain[0].bytes / 2;
    mem_free(chain);
    return whole;
}

static bool take_changes(struct api_call *call, const struct program_table *table,
                         const struct upload_head *now, const struct row_form *form,
                         struct row_table *rows, const struct table_changes *changes)
{
    size_t len;
    const char *text = http_request_body(call->rq, &len);
    struct piece_writer pieces;
    struct new_rows new = {.what = "change rows",
                           .kind = TABLE_VERSION_CHANGE,
                           .rows = rows,
                           .changes = changes,
                           .pieces = &pieces};
    bool ok = true;

    piece_writer_init(&pieces, *call->host->cp, NULL, uploads_next_data(*call->host->uploads),
                      http_request_flag(call->rq, "dry_run"));
    if (is_whole(call, now, changes, len)) {
        new.kind = TABLE_VERSION_FULL;
        piece_writer_rows(&pieces, rows, form->n_columns);
    } else {
        write_lines(&pieces, text, len);
    }
    if (piece_writer_end(&pieces)) {
        uint8_t pair[32];
        memcpy(pair, now->is.id, 16);
        memcpy(pair + 16, pieces.id, 16);
        if (new.kind == TABLE_VERSION_CHANGE)
            digest_id(pair, sizeof pair, new.id);
        else
            memcpy(new.id, pieces.id, sizeof new.id);
        new.form = row_form_copy(form);
        ok = make_version(call, &new, table->key_name);
    } else {
        row_table_unref(&rows);
        piece_writer_drop(&pieces);
        http_answer_problem(call->rq, HTTP_UNAVAILABLE, "the database cannot be written; nothing was changed");
    }
    piece_writer_fini(&pieces);
    return ok;
}

static bool change_rows(struct api_call *call, const struct program_table *table,
                        const struct upload_head *now)
{
    struct uploads *up = *call->host->uploads;
    uint64_t most = call->host->config->http.table_bytes, others = bytes_of_others(call, table->name);
    struct table_mistakes mistakes = {.n = 0};
    struct table_changes changes;
    struct buf why;
    size_t len;
    const char *text = http_request_body(call->rq, &len);
    bool ok = true;

    buf_init(&why);
    const struct upload *upload = uploads_get(up, table->name, now->is.number, table->form, &why);
    if (!upload)
        return api_failed(call, &why);
    struct row_form *form = row_form_copy(upload->form);
    struct table_reader *rd = table_reader_new(form, upload->rows, &mistakes);
    table_reader_limit(rd, now->is.bytes, most > others ? most - others : 0);
    table_reader_lines(rd, text, len);
    struct row_table *rows = table_reader_end(&rd, &changes);
    if (mistakes.total > 0) {
        answer_mistakes(call, &mistakes);
    } else if (!rows) {
        answer_too_large(call);
    } else if (changes.added + changes.replaced + changes.removed == 0) {
        row_table_unref(&rows);
        ok = answer_same(call, now);
    } else {
        ok = take_changes(call, table, now, form, rows, &changes);
    }
    row_form_free(&form);
    table_mistakes_fini(&mistakes);
    buf_fini(&why);
    return ok;
}

bool api_table_post(struct api_call *call)
{
    const struct program_table *table = open_table(call);
    const struct upload_head *now = table ? api_table_upload(call, table->name) : NULL;
    uint64_t most = call->host->config->http.max_body;
    char etag[40];
    size_t len;
    const char *text = http_request_body(call->rq, &len);

    if (!table)
        return true;
    etag_now(call, table->name, etag);
    if (len == 0 || is_csv(call->rq, text, len))
        http_answer_problem(call->rq, len == 0 ? HTTP_BAD_BODY : HTTP_MEDIA_TYPE,
                            "the body is lines of JSON, a row each");
    else if (len > most)
        http_answer_problem(call->rq, HTTP_TOO_LARGE, "the limit is %" PRIu64 " bytes (`max_body`); PUT "
                            "takes more", most);
    else if (!now)
        http_answer_problem(call->rq, HTTP_CONFLICT,
                            "the rows of %s are those of its file: PUT them first, they then stand in place of "
                            "the file", table->name);
    else if (api_check_match(call, etag))
        return change_rows(call, table, now);
    return true;
}

/* ---- DELETE ----------------------------------------------------------------------------------- */

bool api_table_delete(struct api_call *call)
{
    const char *name = http_request_name(call->rq);
    const struct upload_head *now = api_table_upload(call, name);
    struct new_rows new = {.what = "delete table", .kind = TABLE_VERSION_REMOVED};
    char etag[40];

    etag_now(call, name, etag);
    if (!now) {
        if (!api_table_named(call, name))
            http_answer_problem(call->rq, HTTP_NOT_FOUND, "no module declares a table %s", name);
        else
            http_answer_problem(call->rq, HTTP_NOT_FOUND, "nothing was uploaded to %s", name);
        return true;
    }
    return !api_check_match(call, etag) || make_version(call, &new, "");
}
