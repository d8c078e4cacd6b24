// SPDX-License-Identifier: Apache-2.0
/* shape - a rule without all that may change, as canonical text; its hash is the shape. */
#include "plan/shape.h"

#include <stdlib.h>
#include <string.h>

#include "base/buf.h"
#include "base/digest.h"
#include "base/mem.h"
#include "lang/ast.h"
#include "lang/ast_print.h"
#include "lang/resolve.h"
#include "plan/window_build.h"

static void add_name(struct buf *out, const struct ast_name *name)
{
    if (name->text)
        buf_add_bytes(out, name->text, name->len);
    else
        buf_add_u8(out, 0);
}

/* A literal or another expression; absent ones are told apart from all others. */
static void add_expr(struct buf *out, const struct ast_expr *expr)
{
    buf_addc(out, expr ? '(' : '-');
    if (expr)
        ast_print_expr(out, expr);
    buf_addc(out, ';');
}

static void add_keys(struct buf *out, const struct ast_key *keys)
{
    buf_adds(out, " by ");
    for (const struct ast_key *key = keys; key; key = key->next) {
        add_name(out, &key->name);
        buf_addc(out, key->optional ? '?' : '=');
        add_expr(out, key->expr);
    }
}

/* A step, an input, a side. */
static void add_step(struct buf *out, const struct ast_step *step)
{
    buf_adds(out, " step ");
    add_name(out, &step->name);
    for (uint32_t i = 0; i < step->streams.n; i++)
        add_name(out, &step->streams.name[i]);
    buf_addc(out, step->negated ? '!' : '.');
    buf_addc(out, step->optional_side ? '?' : '.');
    add_keys(out, step->effective_keys);
}

static void add_match(struct buf *out, const struct ast_match *match)
{
    add_keys(out, match->keys);
    for (const struct ast_element *element = match->elements; element; element = element->next) {
        buf_printf(out, " element %d %d ", (int)element->kind, element->is_next);
        for (const struct ast_step *step = element->step; step; step = step->next)
            add_step(out, step);
    }
    if (match->until) {
        buf_adds(out, " until ");
        add_step(out, match->until);
    }
}

static void add_inputs(struct buf *out, const struct ast_step *inputs)
{
    for (const struct ast_step *step = inputs; step; step = step->next)
        add_step(out, step);
}

static void add_window(struct buf *out, const struct ast_rule *ast)
{
    const struct ast_window *window = ast->window;

    buf_printf(out, " window %d ", (int)window->kind);
    add_expr(out, window->size);
    add_expr(out, window->every);
    add_expr(out, window->offset);
    add_expr(out, window->max);
    add_expr(out, window->expire);
    add_expr(out, window->late);
    add_name(out, &window->zone);
    add_name(out, &window->in_table);
    add_keys(out, window->keys);
    add_inputs(out, window->inputs);
    window_print_aggregates(out, ast);
}

static void add_novel(struct buf *out, const struct ast_novel *novel)
{
    add_keys(out, novel->keys);
    for (uint32_t i = 0; i < novel->n_paths; i++)
        add_expr(out, novel->paths[i]);
    add_inputs(out, novel->inputs);
}

void shape_of_rule(const struct ast_rule *ast, uint8_t shape_out[16])
{
    struct buf out;

    buf_init(&out);
    buf_printf(&out, "body %d ", (int)ast->body);
    if (ast->body == AST_BODY_MATCH)
        add_match(&out, ast->match);
    else if (ast->body == AST_BODY_WINDOW)
        add_window(&out, ast);
    else if (ast->body == AST_BODY_NOVEL)
        add_novel(&out, ast->novel);
    else if (ast->body == AST_BODY_JOIN) {
        add_keys(&out, ast->join->keys);
        add_inputs(&out, ast->join->sides);
    }
    digest_id(out.data, out.len, shape_out);
    buf_fini(&out);
}

static void add_setting(struct buf *out, const struct table_kafka_setting *setting)
{
    buf_addc(out, "tef"[setting->from]);
    buf_add_bytes(out, setting->text ? setting->text : "", setting->text ? strlen(setting->text) : 0);
}

static int by_name(const void *a, const void *b)
{
    const char *const *x = a, *const *y = b;

    return strcmp(*x, *y);
}

/* Rows have the columns that something reads: those of others are still in the topic alone. */
static void add_columns(struct buf *out, const struct lang_table *table)
{
    const char **name = mem_calloc(table->n_columns + 1, sizeof *name);

    for (uint32_t i = 0; i < table->n_columns; i++)
        name[i] = table->column[i].name;
    if (table->n_columns > 1)
        qsort(name, table->n_columns, sizeof *name, by_name);
    for (uint32_t i = 0; i < table->n_columns; i++)
        buf_add_bytes(out, name[i], strlen(name[i]));
    mem_free(name);
}

/* What says which records they are, and what of them is kept: not how the client logs in. */
static void add_topic(struct buf *out, const struct lang_table *table)
{
    const struct table_kafka *kafka = table->kafka;

    buf_adds(out, "kafka ");
    add_setting(out, &kafka->topic);
    add_setting(out, &kafka->source);
    for (uint32_t i = 0; i < kafka->n_brokers; i++)
        add_setting(out, &kafka->broker[i]);
    buf_addc(out, kafka->latest ? 'l' : 'r');
    add_columns(out, table);
}

void shape_of_table(const struct lang_table *table, uint8_t shape_out[16])
{
    struct buf out;

    buf_init(&out);
    buf_adds(&out, "table ");
    if (table->kafka)
        add_topic(&out, table);
    else
        add_name(&out, &table->decl->stream);
    add_expr(&out, table->key);
    digest_id(out.data, out.len, shape_out);
    buf_fini(&out);
}
