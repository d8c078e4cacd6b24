// SPDX-License-Identifier: Apache-2.0
/* Declarations as text, in the order in which they stand in their files. */
#include "lang/ast_print.h"

#include <stdlib.h>

#include "base/buf.h"
#include "base/mem.h"
#include "lang/ast.h"
#include "lang/ast_print_priv.h"

void print_indent(struct buf *out, int indent)
{
    buf_printf(out, "%*s", 2 * indent, "");
}

void print_assigns(struct buf *out, const struct ast_assign *fields, int indent)
{
    buf_adds(out, "{\n");
    for (; fields; fields = fields->next) {
        print_indent(out, indent + 1);
        print_parts(out, fields->part, fields->n_parts);
        buf_adds(out, " = ");
        ast_print_expr(out, fields->expr);
        buf_addc(out, '\n');
    }
    print_indent(out, indent);
    buf_addc(out, '}');
}

void print_entries(struct buf *out, const struct ast_config *entries, int indent)
{
    buf_adds(out, "{\n");
    for (; entries; entries = entries->next) {
        print_indent(out, indent + 1);
        print_parts(out, entries->key, entries->n_key);
        buf_addc(out, ' ');
        if (entries->has_block)
            print_entries(out, entries->block, indent + 1);
        else
            ast_print_expr(out, entries->value);
        buf_addc(out, '\n');
    }
    print_indent(out, indent);
    buf_addc(out, '}');
}

/* ---- one declaration ---------------------------------------------------------------------- */

static void print_stream(struct buf *out, const struct ast_stream *stream)
{
    buf_adds(out, "stream ");
    print_name(out, &stream->name);
    print_names(out, &stream->inputs, " = ", "");
    print_clause(out, " where ", stream->where);
    if (stream->fields) {
        buf_addc(out, ' ');
        print_assigns(out, stream->fields, 0);
    }
    print_clause(out, " expect ", stream->expect);
    if (stream->expect_else == AST_ELSE_WARN)
        buf_adds(out, " else warn");
    if (stream->expect_else == AST_ELSE_DROP)
        buf_adds(out, " else drop");
    if (stream->expect_else == AST_ELSE_QUARANTINE) {
        buf_adds(out, " else quarantine ");
        print_name(out, &stream->quarantine);
    }
}

static void print_list(struct buf *out, const struct ast_list *list)
{
    static const char *const kinds[] = {"", "text ", "cidr ", "like ", "regex "};

    buf_adds(out, "list ");
    print_name(out, &list->name);
    buf_adds(out, " = ");
    buf_adds(out, kinds[list->kind]);
    if (list->file.text) {
        buf_adds(out, "file ");
        print_text(out, &list->file);
        return;
    }
    buf_addc(out, '[');
    print_exprs(out, list->item, list->n_items);
    buf_addc(out, ']');
}

static void print_table(struct buf *out, const struct ast_table *table)
{
    buf_adds(out, "table ");
    print_name(out, &table->name);
    switch ((enum ast_table_from)table->from) {
    case AST_TABLE_FILE:
        buf_adds(out, " = file ");
        print_text(out, &table->file);
        break;
    case AST_TABLE_STREAM:
        buf_adds(out, " = from ");
        print_name(out, &table->stream);
        break;
    case AST_TABLE_KAFKA:
        buf_adds(out, " = kafka ");
        print_entries(out, table->kafka, 0);
        break;
    }
    print_clause(out, " key ", table->key);
    print_clause(out, " keep ", table->keep);
}

static void print_def(struct buf *out, const struct ast_def *def)
{
    buf_adds(out, "def ");
    print_name(out, &def->name);
    print_names(out, &def->params, "(", ") = ");
    ast_print_expr(out, def->body);
}

static void print_exception(struct buf *out, const struct ast_exception *exception)
{
    buf_adds(out, "exception ");
    print_text(out, &exception->title);
    buf_adds(out, " for ");
    print_targets(out, &exception->rules);
    print_clause(out, " until ", exception->until);
    print_clause(out, " where ", exception->where);
}

static void print_config(struct buf *out, const struct ast_config_decl *config)
{
    static const char *const words[] = {"engine", "source", "sink", "http", "route", "default_to"};

    buf_adds(out, words[config->kind]);
    buf_addc(out, ' ');
    if (config->kind == AST_DEFAULT_TO) {
        print_targets(out, &config->to);
        return;
    }
    if (config->name.text) {
        print_name(out, &config->name);
        buf_addc(out, ' ');
    }
    print_entries(out, config->entries, 0);
}

/* ---- all of them, in order ------------------------------------------------------------------ */

enum decl_kind { DECL_STREAM, DECL_LIST, DECL_TABLE, DECL_DEF, DECL_EXCEPTION, DECL_CONFIG, DECL_RULE };

struct decl {
    struct span span;
    enum decl_kind kind;
    const void *node;
};

struct decls {
    struct decl *decl;
    size_t n, cap;
};

static void collect(struct decls *all, enum decl_kind kind, struct span span, const void *node)
{
    all->decl = vec_reserve(all->decl, &all->cap, all->n + 1, sizeof *all->decl);
    all->decl[all->n++] = (struct decl){span, kind, node};
}

static int by_place(const void *a, const void *b)
{
    const struct decl *x = a, *y = b;

    if (x->span.file != y->span.file)
        return x->span.file < y->span.file ? -1 : 1;
    if (x->span.start != y->span.start)
        return x->span.start < y->span.start ? -1 : 1;
    return 0;
}

static void collect_all(struct decls *all, const struct ast_module *module)
{
    for (const struct ast_stream *s = module->streams; s; s = s->next)
        collect(all, DECL_STREAM, s->span, s);
    for (const struct ast_list *l = module->lists; l; l = l->next)
        collect(all, DECL_LIST, l->span, l);
    for (const struct ast_table *t = module->tables; t; t = t->next)
        collect(all, DECL_TABLE, t->span, t);
    for (const struct ast_def *d = module->defs; d; d = d->next)
        collect(all, DECL_DEF, d->span, d);
    for (const struct ast_exception *e = module->exceptions; e; e = e->next)
        collect(all, DECL_EXCEPTION, e->span, e);
    for (const struct ast_config_decl *c = module->configs; c; c = c->next)
        collect(all, DECL_CONFIG, c->span, c);
    for (const struct ast_rule *r = module->rules; r; r = r->next)
        collect(all, DECL_RULE, r->span, r);
}

static void print_decl(struct buf *out, const struct decl *decl)
{
    switch (decl->kind) {
    case DECL_STREAM:
        print_stream(out, decl->node);
        break;
    case DECL_LIST:
        print_list(out, decl->node);
        break;
    case DECL_TABLE:
        print_table(out, decl->node);
        break;
    case DECL_DEF:
        print_def(out, decl->node);
        break;
    case DECL_EXCEPTION:
        print_exception(out, decl->node);
        break;
    case DECL_CONFIG:
        print_config(out, decl->node);
        break;
    case DECL_RULE:
        ast_print_rule(out, decl->node);
        return; /* ends its line itself */
    }
    buf_addc(out, '\n');
}

void ast_print_module(struct buf *out, const struct ast_module *module)
{
    struct decls all = {0};

    collect_all(&all, module);
    if (all.n > 0)
        qsort(all.decl, all.n, sizeof *all.decl, by_place);
    for (size_t i = 0; i < all.n; i++) {
        bool block = all.decl[i].kind == DECL_RULE || all.decl[i].kind == DECL_CONFIG;

        if (i > 0 && (block || all.decl[i].kind != all.decl[i - 1].kind))
            buf_addc(out, '\n');
        print_decl(out, &all.decl[i]);
    }
    mem_free(all.decl);
}
