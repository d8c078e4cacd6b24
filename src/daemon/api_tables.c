// SPDX-License-Identifier: Apache-2.0
/* Tables over HTTP: what they are, and the versions of their rows. */
#include <inttypes.h>
#include <string.h>

#include "daemon/api_priv.h"
#include "daemon/api_table_priv.h"
#include "daemon/figures.h"
#include "daemon/uploads.h"
#include "event/row_table.h"
#include "flow/pipeline.h"
#include "plan/program.h"

const struct program_table *api_table_named(const struct api_call *call, const char *name)
{
    const struct program *prog = call->host->rules->prog[0];

    for (uint32_t i = 0; i < prog->n_tables; i++)
        if (strcmp(prog->table[i].name, name) == 0)
            return &prog->table[i];
    return NULL;
}

const struct upload_head *api_table_upload(const struct api_call *call, const char *name)
{
    const struct module_upload *upload = generation_upload(api_running(call), name);

    return upload ? uploads_head(*call->host->uploads, name, upload->version) : NULL;
}

void api_table_etag(const uint8_t id[16], char etag_out[40])
{
    static const char digit[] = "0123456789abcdef";
    char *at = etag_out;

    *at++ = '"';
    for (int i = 0; i < 16; i++) {
        *at++ = digit[id[i] >> 4];
        *at++ = digit[id[i] & 15];
    }
    *at++ = '"';
    *at = '\0';
}

/* ---- one table -------------------------------------------------------------------------------- */

static const char *module_of(const struct api_call *call, const struct program_table *table)
{
    const struct generation *gen = api_running(call);

    for (size_t i = 0; i < gen->n_texts; i++)
        if (api_is_file_of(call, table->file, gen->text[i].name))
            return gen->text[i].name;
    return NULL;
}

static void add_upload(struct buf *out, const struct upload_head *head)
{
    char etag[40];

    api_table_etag(head->is.id, etag);
    buf_printf(out, ",\"origin\":\"api\",\"version\":%" PRIu64 ",", head->is.number);
    api_add_text(out, "etag", etag);
    buf_addc(out, ',');
    api_add_time(out, "changed", head->is.time);
    buf_addc(out, ',');
    api_add_text(out, "by", head->who);
    buf_printf(out, ",\"rows\":%" PRIu64 ",\"bytes\":%" PRIu64, head->is.rows, head->is.bytes);
}

/* What rules read, and of which types it is. */
static void add_columns(struct buf *out, const struct program_table *table)
{
    buf_adds(out, ",\"columns\":[");
    for (uint32_t i = 0; i < table->n_columns; i++) {
        uint32_t at = table->at ? table->at[i] : i;
        bool any = false;
        buf_adds(out, i > 0 ? ",{" : "{");
        api_add_text(out, "name", table->column_name[i]);
        for (int type = VALUE_BOOL; table->rows && type <= VALUE_OBJECT; type++) {
            if (row_table_types(table->rows, at, type) == 0)
                continue;
            buf_printf(out, "%s\"%s\"", any ? "," : ",\"types\":[", value_type_name((enum value_type)type));
            any = true;
        }
        buf_adds(out, any ? "]}" : "}");
    }
    buf_addc(out, ']');
}

/* A topic whose name is elsewhere is not told: it may be a secret. */
static void add_topic(struct buf *out, const struct api_call *call, const struct program_table *table)
{
    struct buf how;

    if (table->kafka->topic.from == TABLE_KAFKA_TEXT) {
        api_add_text(out, "topic", table->kafka->topic.text);
        buf_addc(out, ',');
    }
    api_add_text(out, "as_of", table->kafka->latest ? "latest" : "record");
    buf_init(&how);
    if (figures_source_loading(call->host->figures, call->host->rules->prog[0]->stream[table->stream].name, &how)) {
        buf_addc(out, ',');
        api_add_text(out, "loading", how.data);
    }
    buf_fini(&how);
}

static void add_declared(struct buf *out, const struct api_call *call, const struct program_table *table)
{
    const char *module = module_of(call, table);

    buf_printf(out, ",\"kind\":\"%s\",", table->path ? "file" : table->kafka ? "kafka" : "stream");
    if (module)
        api_add_text(out, "module", module);
    else
        buf_adds(out, "\"module\":null");
    buf_printf(out, ",\"line\":%u,", (unsigned)table->line);
    api_add_text(out, "key", table->key_name);
    buf_addc(out, ',');
    if (table->path) {
        api_add_text(out, "file", table->path);
        return;
    }
    if (table->kafka) {
        add_topic(out, call, table);
        return;
    }
    api_add_text(out, "stream", call->host->rules->prog[0]->stream[table->stream].name);
    if (table->keep >= 0)
        buf_printf(out, ",\"keep_seconds\":%.9g", (double)table->keep / 1e9);
    else
        buf_adds(out, ",\"keep_seconds\":null");
}

struct fed {
    const char *name;
    struct rule_watch_table most; /* while an old version is drained there are two of them */
};

static void found_fed(void *ctx, const char *name, const struct rule_watch_table *stats)
{
    struct fed *fed = ctx;

    if (strcmp(name, fed->name) == 0 && stats->rows >= fed->most.rows)
        fed->most = *stats;
}

/* About a second old at most. */
static void add_fed(struct buf *out, const struct api_call *call, const char *name)
{
    struct fed fed = {.name = name};

    pipeline_each_table(*call->host->pipeline, found_fed, &fed);
    buf_printf(out, ",\"origin\":\"events\",\"rows\":%" PRIu64 ",\"refused\":%" PRIu64, fed.most.rows,
               fed.most.refused);
}

/* The members of its object. table, head: NULL if there is none. */
static void add_table(struct buf *out, const struct api_call *call, const char *name,
                      const struct program_table *table, const struct upload_head *head)
{
    api_add_text(out, "name", name);
    if (table)
        add_declared(out, call, table);
    else
        buf_adds(out, ",\"kind\":\"orphan\",\"module\":null");
    if (!table && head) {
        buf_addc(out, ',');
        api_add_text(out, "key", head->key);
    }
    if (head)
        add_upload(out, head);
    else if (table->rows)
        buf_printf(out, ",\"origin\":\"file\",\"rows\":%u", (unsigned)row_table_count(table->rows));
    else
        add_fed(out, call, name);
    if (table)
        add_columns(out, table);
}

/* ---- answers ---------------------------------------------------------------------------------- */

bool api_tables_list(struct api_call *call)
{
    const struct program *prog = call->host->rules->prog[0];
    const struct generation *gen = api_running(call);
    bool any = false;
    struct buf b;

    buf_init(&b);
    buf_adds(&b, "{\"tables\":[");
    for (uint32_t i = 0; i < prog->n_tables; i++) {
        const struct program_table *table = &prog->table[i];
        buf_adds(&b, any ? ",{" : "{");
        add_table(&b, call, table->name, table, table->path ? api_table_upload(call, table->name) : NULL);
        buf_addc(&b, '}');
        any = true;
    }
    for (size_t i = 0; i < gen->n_uploads; i++) {
        const char *name = gen->upload[i].table;
        const struct program_table *table = api_table_named(call, name);
        const struct upload_head *head = api_table_upload(call, name);
        if ((table && table->path) || !head)
            continue;
        buf_adds(&b, any ? ",{" : "{");
        add_table(&b, call, name, NULL, head);
        buf_addc(&b, '}');
        any = true;
    }
    buf_adds(&b, "]}\n");
    http_answer_json(call->rq, 200, &b);
    return true;
}

bool api_table_get(struct api_call *call)
{
    const char *name = http_request_name(call->rq);
    const struct program_table *table = api_table_named(call, name);
    const struct upload_head *head = !table || table->path ? api_table_upload(call, name) : NULL;
    char etag[40];
    struct buf b;

    if (!table && !head) {
        http_answer_problem(call->rq, HTTP_NOT_FOUND, "no module declares a table %s", name);
        return true;
    }
    buf_init(&b);
    add_table(&b, call, name, table, head);
    bool answered = api_table_rows(call, table, &b);
    if (head && answered) {
        api_table_etag(head->is.id, etag);
        http_answer_etag(call->rq, etag);
    }
    buf_fini(&b);
    return true;
}

static void add_version(struct buf *out, const struct table_version *v, const char *who)
{
    char etag[40];

    buf_printf(out, "{\"version\":%" PRIu64 ",", v->number);
    api_add_time(out, "time", v->time);
    buf_addc(out, ',');
    api_add_text(out, "by", who);
    buf_printf(out, ",\"deleted\":%s,\"change\":%s,\"rows\":%" PRIu64 ",\"bytes\":%" PRIu64,
               v->kind == TABLE_VERSION_REMOVED ? "true" : "false",
               v->kind == TABLE_VERSION_CHANGE ? "true" : "false", v->rows, v->bytes);
    if (v->kind != TABLE_VERSION_REMOVED) {
        api_table_etag(v->id, etag);
        buf_addc(out, ',');
        api_add_text(out, "etag", etag);
    }
    buf_addc(out, '}');
}

bool api_table_versions(struct api_call *call)
{
    const char *name = http_request_name(call->rq);
    bool any = false;
    struct buf b;
    size_t n;
    const struct upload_head *head = uploads_heads(*call->host->uploads, &n);

    buf_init(&b);
    buf_addc(&b, '{');
    api_add_text(&b, "name", name);
    buf_adds(&b, ",\"versions\":[");
    while (n-- > 0) {
        if (strcmp(head[n].table, name) != 0)
            continue;
        if (any)
            buf_addc(&b, ',');
        add_version(&b, &head[n].is, head[n].who);
        any = true;
    }
    buf_adds(&b, "]}\n");
    if (any) {
        http_answer_json(call->rq, 200, &b);
    } else {
        buf_fini(&b);
        http_answer_problem(call->rq, HTTP_NOT_FOUND, "nothing was uploaded to a table %s", name);
    }
    return true;
}
