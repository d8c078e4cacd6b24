// SPDX-License-Identifier: Apache-2.0
#include "daemon/uploads.h"

#include <inttypes.h>
#include <string.h>

#include "base/buf.h"
#include "base/log.h"
#include "base/mem.h"
#include "event/row_table.h"
#include "lang/table_upload.h"
#include "state/checkpoint.h"
#include "state/modules.h"

struct uploads {
    struct store *store;
    struct upload_head *head; /* by table, oldest first */
    size_t n_heads, cap_heads;
    struct upload *upload;    /* in memory */
    size_t n, cap;
    uint64_t next_data;
    uint32_t *at;             /* lent by uploads_given */
    size_t cap_at;
};

/* ---- heads ------------------------------------------------------------------------------------ */

static void head_fini(struct upload_head *head)
{
    mem_free(head->table);
    mem_free(head->who);
    mem_free(head->key);
}

static void clear_heads(struct uploads *up)
{
    for (size_t i = 0; i < up->n_heads; i++)
        head_fini(&up->head[i]);
    up->n_heads = 0;
}

static bool found_head(void *ctx, const struct table_version *found)
{
    struct uploads *up = ctx;

    up->head = vec_reserve(up->head, &up->cap_heads, up->n_heads + 1, sizeof *up->head);
    struct upload_head *head = &up->head[up->n_heads++];
    *head = (struct upload_head){.table = mem_strndup(found->table, found->table_len),
                                 .who = mem_strndup(found->who, found->who_len),
                                 .key = mem_strndup(found->key, found->key_len),
                                 .is = *found};
    head->is.table = head->table;
    head->is.who = head->who;
    head->is.key = head->key;
    if (found->data >= up->next_data)
        up->next_data = found->data + 1;
    return true;
}

bool uploads_reread(struct uploads *up, struct buf *why)
{
    clear_heads(up);
    return table_version_list(up->store, NULL, found_head, up, why) == STORE_OK;
}

const struct upload_head *uploads_head(const struct uploads *up, const char *table, uint64_t version)
{
    for (size_t i = 0; i < up->n_heads; i++)
        if (up->head[i].is.number == version && strcmp(up->head[i].table, table) == 0)
            return &up->head[i];
    return NULL;
}

const struct upload_head *uploads_last(const struct uploads *up, const char *table)
{
    for (size_t i = up->n_heads; i-- > 0;)
        if (strcmp(up->head[i].table, table) == 0)
            return &up->head[i];
    return NULL;
}

const struct upload_head *uploads_heads(const struct uploads *up, size_t *n_out)
{
    *n_out = up->n_heads;
    return up->head;
}

uint64_t uploads_next_data(struct uploads *up)
{
    return up->next_data++;
}

/* ---- lifetime --------------------------------------------------------------------------------- */

struct uploads *uploads_open(struct checkpoint *cp, struct buf *why)
{
    struct uploads *up = mem_calloc(1, sizeof *up);
    struct epoch *ep = epoch_new();
    uint64_t begun;

    up->store = checkpoint_store(cp);
    up->next_data = 1;
    if (table_data_forget(up->store, ep->batch, &begun, why) != STORE_OK || !uploads_reread(up, why)) {
        epoch_free(&ep);
        uploads_free(&up);
        return NULL;
    }
    if (begun == 0) {
        epoch_free(&ep);
        return up;
    }
    if (begun >= up->next_data)
        up->next_data = begun + 1;
    log_line(LOG_INFO, LOG_rules, "rows of tables whose upload was not completed are removed", NULL);
    checkpoint_submit(cp, ep);
    return up;
}

static void upload_fini(struct upload *upload)
{
    mem_free(upload->table);
    row_form_free(&upload->form);
    row_table_unref(&upload->rows);
}

void uploads_free(struct uploads **upp)
{
    struct uploads *up = *upp;

    if (!up)
        return;
    *upp = NULL;
    clear_heads(up);
    for (size_t i = 0; i < up->n; i++)
        upload_fini(&up->upload[i]);
    mem_free(up->head);
    mem_free(up->upload);
    mem_free(up->at);
    mem_free(up);
}

/* ---- rows ------------------------------------------------------------------------------------- */

static struct upload *in_memory(struct uploads *up, const char *table, uint64_t version)
{
    for (size_t i = 0; i < up->n; i++)
        if (up->upload[i].version == version && strcmp(up->upload[i].table, table) == 0)
            return &up->upload[i];
    return NULL;
}

void uploads_take(struct uploads *up, const struct table_version *head, struct row_form *form,
                  struct row_table *rows)
{
    up->upload = vec_reserve(up->upload, &up->cap, up->n + 1, sizeof *up->upload);
    struct upload *upload = &up->upload[up->n++];
    *upload = (struct upload){.table = mem_strndup(head->table, head->table_len),
                              .version = head->number,
                              .form = form,
                              .rows = rows};
    memcpy(upload->id, head->id, sizeof upload->id);
}

static bool has_generation(const struct modules *mods, const char *table, uint64_t version)
{
    for (size_t g = 0; g < mods->n; g++) {
        const struct module_upload *upload = generation_upload(&mods->generation[g], table);
        if (upload && upload->version == version)
            return true;
    }
    return false;
}

void uploads_keep_only(struct uploads *up, const struct modules *mods)
{
    size_t kept = 0;

    for (size_t i = 0; up && i < up->n; i++) {
        if (has_generation(mods, up->upload[i].table, up->upload[i].version))
            up->upload[kept++] = up->upload[i];
        else
            upload_fini(&up->upload[i]);
    }
    if (up)
        up->n = kept;
}

uint64_t uploads_bytes(const struct uploads *up, const struct generation *gen, const char *but)
{
    uint64_t bytes = 0;

    for (size_t i = 0; i < gen->n_uploads; i++) {
        const struct upload_head *head = uploads_head(up, gen->upload[i].table, gen->upload[i].version);
        if (head && (!but || strcmp(head->table, but) != 0))
            bytes += head->is.bytes;
    }
    return bytes;
}

/* ---- reading ---------------------------------------------------------------------------------- */

size_t uploads_chain(const struct uploads *up, const char *table, uint64_t version,
                     struct table_version **chain_out)
{
    const struct upload_head *head = uploads_head(up, table, version);
    size_t n = 0;

    *chain_out = NULL;
    if (!head || head->is.kind == TABLE_VERSION_REMOVED)
        return 0;
    const struct upload_head *first = head;
    while (first && first->is.kind == TABLE_VERSION_CHANGE)
        first = first > up->head && strcmp(first[-1].table, table) == 0 &&
                        first[-1].is.number == first->is.number - 1
                    ? first - 1
                    : NULL;
    if (!first || first->is.kind != TABLE_VERSION_FULL)
        return 0;
    *chain_out = mem_calloc((size_t)(head - first) + 1, sizeof **chain_out);
    for (; first <= head; first++)
        (*chain_out)[n++] = first->is;
    return n;
}

static bool take_piece(void *ctx, uint32_t piece, const char *text, size_t len)
{
    (void)piece;
    table_reader_lines(ctx, text, len);
    return true;
}

/* Appends the first mistake. */
static void say_mistake(const struct table_mistakes *mistakes, struct buf *why)
{
    if (mistakes->n > 0)
        buf_printf(why, "row %u: %s", mistakes->item[0].line, mistakes->item[0].message);
    else
        buf_adds(why, "too many rows");
}

struct row_table *uploads_read(struct store *st, const struct table_version *head, size_t n,
                               const struct row_form *form, struct buf *why)
{
    struct table_mistakes mistakes = {.n = 0};
    struct row_table *rows = NULL;

    for (size_t i = 0; i < n; i++) {
        struct table_reader *rd = table_reader_new(form, rows, &mistakes);
        enum store_result result = STORE_OK;
        if (head[i].n_pieces > 0)
            result = table_data_read(st, head[i].data, take_piece, rd, why);
        row_table_unref(&rows);
        rows = table_reader_end(&rd, NULL);
        if (!rows)
            say_mistake(&mistakes, why);
        if (result != STORE_OK || !rows) {
            row_table_unref(&rows);
            break;
        }
    }
    table_mistakes_fini(&mistakes);
    return rows;
}

const struct upload *uploads_get(struct uploads *up, const char *table, uint64_t version,
                                 const struct row_form *form, struct buf *why)
{
    struct upload *found = in_memory(up, table, version);
    struct table_version *chain;

    if (found)
        return found;
    size_t n = uploads_chain(up, table, version, &chain);
    struct row_table *rows = n > 0 ? uploads_read(up->store, chain, n, form, why) : NULL;
    if (n == 0)
        buf_printf(why, "version %" PRIu64 " is not in the database", version);
    if (rows)
        uploads_take(up, &chain[n - 1], row_form_copy(form), rows);
    mem_free(chain);
    return rows ? in_memory(up, table, version) : NULL;
}

/* ---- for the compiler ------------------------------------------------------------------------- */

/* Sets up->at. False: it has not all columns. */
static bool find_columns(struct uploads *up, const struct upload *upload, const struct row_form *form)
{
    bool all = true;

    up->at = vec_reserve(up->at, &up->cap_at, (size_t)form->n_columns + 1, sizeof *up->at);
    for (uint32_t i = 0; i < form->n_columns && all; i++)
        all = row_form_column(upload->form, &form->column[i], &up->at[i]);
    return all;
}

/* Rules want other columns than before. */
static bool make_again(struct upload *upload, const struct row_form *form, struct buf *why)
{
    struct table_mistakes mistakes = {.n = 0};
    struct row_table *rows =
        table_rows_again(upload->rows, upload->form->n_columns, form, &mistakes);

    if (rows) {
        row_table_unref(&upload->rows);
        row_form_free(&upload->form);
        upload->rows = rows;
        upload->form = row_form_copy(form);
    } else {
        say_mistake(&mistakes, why);
    }
    table_mistakes_fini(&mistakes);
    return rows != NULL;
}

bool uploads_given(void *ctx, const char *table, const struct row_form *form,
                   struct row_given *given_out, struct buf *why)
{
    const struct uploads_view *view = ctx;
    const struct module_upload *version = view->up ? generation_upload(view->gen, table) : NULL;

    if (!version)
        return false;
    struct upload *upload =
        (struct upload *)(uintptr_t)uploads_get(view->up, table, version->version, form, why);
    if (!upload)
        return false;
    if (!row_path_same(&upload->form->key, &form->key)) {
        buf_printf(why, "their key is `%s`, and the table's is `%s`", upload->form->key.name,
                   form->key.name);
        return false;
    }
    if (!find_columns(view->up, upload, form) &&
        (!make_again(upload, form, why) || !find_columns(view->up, upload, form)))
        return false;
    *given_out = (struct row_given){.rows = row_table_ref(upload->rows), .at = view->up->at};
    memcpy(given_out->id, upload->id, sizeof given_out->id);
    return true;
}

/* ---- what goes -------------------------------------------------------------------------------- */

void uploads_prune(struct uploads *up, const struct modules *mods, const char *table, uint32_t keep,
                   struct store_batch *batch)
{
    bool *needed = mem_calloc(up->n_heads + 1, sizeof *needed);
    uint32_t newer = 0;
    size_t kept = 0;

    for (size_t i = up->n_heads; i-- > 0;) {
        const struct upload_head *head = &up->head[i];
        bool other = strcmp(head->table, table) != 0;
        needed[i] |= other || newer++ < keep || has_generation(mods, table, head->is.number);
        if (!other && needed[i] && head->is.kind == TABLE_VERSION_CHANGE && i > 0)
            needed[i - 1] = true;
    }
    for (size_t i = 0; i < up->n_heads; i++) {
        struct upload_head *head = &up->head[i];
        if (needed[i]) {
            up->head[kept++] = *head;
            continue;
        }
        table_version_remove(batch, table, head->is.number, head->is.data, head->is.n_pieces);
        head_fini(head);
    }
    up->n_heads = kept;
    mem_free(needed);
}
