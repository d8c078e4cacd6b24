// SPDX-License-Identifier: Apache-2.0
/*
 * resolve - the tables of names, the declarations that are no rules, and the order of it all.
 *
 * Every declaration is entered before any is looked into, so they may stand in any order and file.
 * What is wrong is reported and passed over; a name that was reported once is known from then on,
 * so that one mistake gives one message.
 */
#include "lang/resolve.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "base/diag.h"
#include "base/intern.h"
#include "base/mem.h"
#include "event/row_table.h"
#include "event/schema.h"
#include "lang/resolve_priv.h"

enum { STREAM_MAX_DEPTH = 100 }; /* streams that read streams that read ... */

/* ---- tables of names ---------------------------------------------------------------------- */

static void name_table_init(struct name_table *t)
{
    *t = (struct name_table){.names = intern_new()};
}

static void name_table_fini(struct name_table *t)
{
    intern_free(&t->names);
    mem_free(t->span);
    mem_free(t->item);
}

bool name_table_find(const struct name_table *t, const char *name, uint32_t *number_out)
{
    return intern_find(t->names, name, strlen(name), number_out);
}

static uint32_t name_table_put(struct name_table *t, const char *name, struct span span, void *item)
{
    uint32_t number = intern_add(t->names, name, strlen(name));
    t->span = vec_reserve(t->span, &t->span_cap, number + 1, sizeof *t->span);
    t->item = vec_reserve(t->item, &t->item_cap, number + 1, sizeof *t->item);
    t->span[number] = span;
    t->item[number] = item;
    return number;
}

const char *resolve_place(struct resolver *r, struct span span)
{
    uint32_t line, column;
    diag_locate(r->diag, span, &line, &column);
    const char *file = diag_file_name(r->diag, span.file);
    size_t size = strlen(file) + 16;
    char *text = arena_alloc(r->arena, size);
    snprintf(text, size, "%s:%u", file, line);
    return text;
}

bool name_table_add(struct resolver *r, struct name_table *t, const char *what,
                    const struct ast_name *name, void *item, uint32_t *number_out)
{
    if (strcmp(name->text, "any") == 0) {
        diag_add(r->diag, DIAG_ERROR, name->span, "a %s cannot be named `any`", what);
        diag_hint(r->diag, "`any` is all sources");
        return false;
    }
    if (name_table_find(t, name->text, number_out)) {
        diag_add(r->diag, DIAG_ERROR, name->span, "%s `%s` is declared twice", what, name->text);
        diag_hint(r->diag, "first declared at %s", resolve_place(r, t->span[*number_out]));
        return false;
    }
    *number_out = name_table_put(t, name->text, name->span, item);
    return true;
}

void name_table_suggest(const struct name_table *t, struct suggest *s)
{
    for (uint32_t i = 0; i < intern_count(t->names); i++)
        suggest_try(s, intern_text(t->names, i));
}

bool resolve_did_you_mean(struct resolver *r, const struct suggest *s)
{
    const char *best = suggest_result(s);
    if (best == NULL)
        return false;
    diag_hint(r->diag, "did you mean `%s`?", best);
    return true;
}

void resolve_sink(struct resolver *r, const struct ast_name *name)
{
    struct suggest s;
    if (r->opt == NULL || r->opt->sink == NULL)
        return;
    suggest_init(&s, name->text);
    for (size_t i = 0; i < r->opt->n_sinks; i++) {
        if (strcmp(r->opt->sink[i], name->text) == 0)
            return;
        suggest_try(&s, r->opt->sink[i]);
    }
    diag_add(r->diag, DIAG_ERROR, name->span, "unknown sink `%s`", name->text);
    if (!resolve_did_you_mean(r, &s))
        diag_hint(r->diag, "the configuration declares sinks: sink %s { ... }", name->text);
}

bool resolve_count(struct resolver *r, struct span span, size_t n, size_t max, const char *what)
{
    if (n > max)
        diag_add(r->diag, DIAG_ERROR, span, "more than %zu %s in one place", max, what);
    return n <= max;
}

/* ---- streams ------------------------------------------------------------------------------ */

static uint32_t add_stream(struct resolver *r, const char *name, struct span span,
                           struct ast_stream *decl)
{
    uint32_t number = name_table_put(&r->streams, name, span, decl);
    r->stream = vec_reserve(r->stream, &r->stream_cap, number + 1, sizeof *r->stream);
    r->used = vec_reserve(r->used, &r->used_cap, number + 1, sizeof *r->used);
    r->stream[number] = (struct lang_stream){
        .name = arena_strndup(r->arena, name, strlen(name)),
        .is_source = decl == NULL && number != LANG_STREAM_ANY,
        .where = decl != NULL ? decl->where : NULL,
        .expect = decl != NULL ? decl->expect : NULL,
        .expect_else = decl != NULL ? decl->expect_else : AST_ELSE_NONE,
        .quarantine = decl != NULL ? decl->quarantine.text : NULL,
        .span = span,
    };
    r->used[number] = false;
    return number;
}

uint32_t resolve_add_derived(struct resolver *r, const struct ast_name *name)
{
    uint32_t number = add_stream(r, name->text, name->span, NULL);
    r->stream[number].is_source = false;
    r->stream[number].is_derived = true;
    return number;
}

uint32_t resolve_add_table_source(struct resolver *r, const char *name, struct span span)
{
    uint32_t number = add_stream(r, name, span, NULL);
    r->stream[number].is_table = true;
    return number;
}

static void unknown_stream(struct resolver *r, const struct ast_name *name)
{
    diag_add(r->diag, DIAG_ERROR, name->span, "unknown stream or source `%s`", name->text);
    struct suggest s;
    suggest_init(&s, name->text);
    for (uint32_t i = 1; i < intern_count(r->streams.names); i++)
        if (!r->stream[i].is_table)
            suggest_try(&s, r->stream[i].name);
    if (name->len > 1) /* `r` for `x` is no help */
        name_table_suggest(&r->rules, &s);
    if (resolve_did_you_mean(r, &s))
        return;
    if (r->opt->n_sources == 0)
        diag_hint(r->diag, "there is no source; name one as %s=FILE", name->text);
    else if (r->opt->n_sources == 1 && strcmp(r->opt->source[0], "events") == 0)
        diag_hint(r->diag, "the only source is `events`; name a file as %s=FILE, or declare `source %s`",
                  name->text, name->text);
    else
        diag_hint(r->diag, "sources are `%s`%s%s%s%s", r->opt->source[0],
                  r->opt->n_sources > 1 ? ", `" : "",
                  r->opt->n_sources > 1 ? r->opt->source[1] : "", r->opt->n_sources > 1 ? "`" : "",
                  r->opt->n_sources > 2 ? ", ..." : "");
}

bool resolve_stream(struct resolver *r, const struct ast_name *name, uint32_t *number_out)
{
    if (name_table_find(&r->streams, name->text, number_out)) {
        struct lang_stream *s = &r->stream[*number_out];
        if (s->is_table) {
            diag_add(r->diag, DIAG_ERROR, name->span, "what a table from Kafka reads is no stream");
            return false;
        }
        if (s->is_source && s->span.end == 0)
            s->span = name->span;
        return true;
    }
    uint32_t rule;
    if (name_table_find(&r->rules, name->text, &rule)) {
        *number_out = resolve_add_derived(r, name);
        return true;
    }
    bool known = r->opt == NULL || r->opt->source == NULL;
    if (!known)
        unknown_stream(r, name); /* and known from here on: told once */
    *number_out = add_stream(r, name->text, name->span, NULL);
    return known;
}

static void add_sources(struct resolver *r)
{
    if (r->opt == NULL || r->opt->source == NULL)
        return;
    for (size_t i = 0; i < r->opt->n_sources; i++) {
        const char *name = r->opt->source[i];
        uint32_t number;
        if (!name_table_find(&r->streams, name, &number)) {
            add_stream(r, name, (struct span){0}, NULL);
        } else if (!r->stream[number].is_source && number != LANG_STREAM_ANY) {
            diag_add(r->diag, DIAG_ERROR, r->streams.span[number],
                     "stream `%s` is named like a source", name);
            diag_hint(r->diag, "rename the stream");
        }
    }
}

static void declare_streams(struct resolver *r)
{
    add_stream(r, "any", (struct span){0}, NULL);
    for (struct ast_stream *s = r->module->streams; s != NULL; s = s->next) {
        uint32_t number;
        if (name_table_add(r, &r->streams, "stream", &s->name, s, &number))
            add_stream(r, s->name.text, s->name.span, s);
    }
}

static void resolve_inputs(struct resolver *r, struct ast_stream *decl)
{
    uint32_t *input = arena_alloc(r->arena, decl->inputs.n * sizeof *input), n = 0;
    if (!resolve_count(r, decl->inputs.span, decl->inputs.n, RESOLVE_MAX_NAMES, "streams"))
        return;
    for (uint32_t i = 0; i < decl->inputs.n; i++) {
        const struct ast_name *name = &decl->inputs.name[i];
        bool twice = false;
        for (uint32_t k = 0; k < i; k++)
            twice |= strcmp(decl->inputs.name[k].text, name->text) == 0;
        if (twice)
            diag_add(r->diag, DIAG_ERROR, name->span, "`%s` is named twice", name->text);
        else if (resolve_stream(r, name, &input[n]))
            r->used[input[n++]] = true;
    }
    uint32_t number;
    if (name_table_find(&r->streams, decl->name.text, &number) && r->streams.item[number] == decl) {
        r->stream[number].input = input;
        r->stream[number].n_inputs = n;
    }
}

struct stream_chain {
    uint32_t number[STREAM_MAX_DEPTH];
    uint32_t n;
};

static void report_cycle(struct resolver *r, const struct stream_chain *chain, uint32_t again)
{
    uint32_t from = 0;
    while (chain->number[from] != again)
        from++;
    size_t size = strlen(r->stream[again].name) + 1;
    for (uint32_t i = from; i < chain->n; i++)
        size += strlen(r->stream[chain->number[i]].name) + 4;
    char *text = arena_alloc(r->arena, size), *end = text;
    for (uint32_t i = from; i < chain->n; i++)
        end +=
            snprintf(end, size - (size_t)(end - text), "%s -> ", r->stream[chain->number[i]].name);
    snprintf(end, size - (size_t)(end - text), "%s", r->stream[again].name);
    diag_add(r->diag, DIAG_ERROR, r->streams.span[again], "stream `%s` reads itself: %s",
             r->stream[again].name, text);
}

/* False: a cycle or too deep, and told. */
static bool check_chain(struct resolver *r, uint32_t number, struct stream_chain *chain)
{
    struct ast_stream *decl = r->streams.item[number];
    if (decl == NULL || decl->resolved)
        return true;
    if (decl->resolving) {
        report_cycle(r, chain, number);
        return false;
    }
    if (chain->n == STREAM_MAX_DEPTH) {
        diag_add(r->diag, DIAG_ERROR, decl->name.span,
                 "streams that read streams are nested more than %d deep", STREAM_MAX_DEPTH);
        return false;
    }
    decl->resolving = true;
    chain->number[chain->n++] = number;
    bool ok = true;
    for (uint32_t i = 0; i < r->stream[number].n_inputs; i++)
        ok &= check_chain(r, r->stream[number].input[i], chain);
    chain->n--;
    decl->resolving = false;
    decl->resolved = true; /* told once, though it be wrong */
    return ok;
}

/* Those of a cycle lose their inputs, so that no walk over streams goes round. */
static void check_chains(struct resolver *r)
{
    uint32_t n = intern_count(r->streams.names);
    bool ok = true;
    for (uint32_t i = 0; i < n; i++) {
        struct stream_chain chain = {.n = 0};
        ok &= check_chain(r, i, &chain);
    }
    for (uint32_t i = 0; !ok && i < n; i++)
        r->stream[i].n_inputs = 0;
}

static void resolve_streams(struct resolver *r)
{
    uint32_t number;
    for (struct ast_stream *s = r->module->streams; s != NULL; s = s->next) {
        resolve_inputs(r, s);
        if (s->quarantine.text != NULL)
            resolve_sink(r, &s->quarantine);
    }
    check_chains(r);
    for (uint32_t i = 0; i < intern_count(r->streams.names); i++)
        resolve_adds(r, i);
    for (struct ast_stream *s = r->module->streams; s != NULL; s = s->next) {
        if (name_table_find(&r->streams, s->name.text, &number) && r->streams.item[number] == s)
            resolve_stream_fields(r, s, number);
    }
}

/* ---- the other declarations --------------------------------------------------------------- */

static void refuse_later(struct resolver *r)
{
    static const char *const names[] = {
        [AST_ENGINE] = "engine", [AST_SOURCE] = "source", [AST_SINK] = "sink",
        [AST_HTTP] = "http",     [AST_ROUTE] = "route",   [AST_DEFAULT_TO] = "default_to",
    };
    for (const struct ast_config_decl *c = r->module->configs; c != NULL; c = c->next) {
        diag_add(r->diag, DIAG_ERROR, c->span, "`%s` belongs into the configuration file",
                 names[c->kind]);
        diag_hint(r->diag, "a rule file holds `stream`, `list`, `def` and `rule`");
    }
}

static void declare_all(struct resolver *r)
{
    uint32_t number;
    declare_streams(r);
    for (struct ast_list *l = r->module->lists; l != NULL; l = l->next) {
        if (name_table_add(r, &r->lists, "list", &l->name, l, &number))
            l->number = number;
    }
    resolve_declare_tables(r);
    for (struct ast_def *d = r->module->defs; d != NULL; d = d->next) {
        struct def_info *info = arena_alloc(r->arena, sizeof *info);
        info->def = d;
        name_table_add(r, &r->defs, "def", &d->name, info, &number);
    }
    for (struct ast_rule *rule = r->module->rules; rule != NULL; rule = rule->next) {
        if (!name_table_add(r, &r->rules, "rule", &rule->name, rule, &number))
            continue;
        if (!name_table_find(&r->streams, rule->name.text, &number))
            continue;
        diag_add(r->diag, DIAG_ERROR, rule->name.span, "rule `%s` is named like a stream",
                 rule->name.text);
        diag_hint(r->diag, "a rule's name is a stream too; the other is at %s",
                  resolve_place(r, r->streams.span[number]));
    }
    add_sources(r);
    for (struct ast_rule *rule = r->module->rules; rule != NULL; rule = rule->next) {
        if (name_table_find(&r->streams, rule->name.text, &number) && r->stream[number].is_source) {
            diag_add(r->diag, DIAG_ERROR, rule->name.span, "rule `%s` is named like a source",
                     rule->name.text);
            diag_hint(r->diag, "a rule's name is a stream too; rename the rule");
        }
    }
    resolve_declare_into(r);
}

static int by_name(const void *a, const void *b)
{
    struct ast_rule *const *x = a, *const *y = b;
    return strcmp((*x)->name.text, (*y)->name.text);
}

static void fill_unit(struct resolver *r)
{
    struct lang_unit *unit = r->unit;
    unit->n_streams = intern_count(r->streams.names);
    unit->stream = arena_memdup(r->arena, r->stream, unit->n_streams * sizeof *unit->stream);
    unit->table = r->table;
    unit->n_tables = intern_count(r->tables.names);
    unit->n_lists = intern_count(r->lists.names);
    unit->list = arena_alloc(r->arena, unit->n_lists * sizeof(struct ast_list *));
    for (uint32_t i = 0; i < unit->n_lists; i++)
        unit->list[i] = r->lists.item[i];
    for (struct ast_rule *rule = r->module->rules; rule != NULL; rule = rule->next)
        unit->n_rules++;
    unit->rule = arena_alloc(r->arena, unit->n_rules * sizeof(struct ast_rule *));
    uint32_t n = 0;
    for (struct ast_rule *rule = r->module->rules; rule != NULL; rule = rule->next)
        unit->rule[n++] = rule;
    if (n > 0)
        qsort(unit->rule, n, sizeof(struct ast_rule *), by_name);
    for (uint32_t i = 0; i < n; i++)
        unit->rule[i]->number = i;
}

bool resolve_module(struct ast_module *module, const struct lang_options *opt, struct diag *diag,
                    struct lang_unit *unit_out)
{
    *unit_out = (struct lang_unit){.module = module, .schema = schema_new()};
    struct resolver r = {
        .module = module,
        .opt = opt,
        .diag = diag,
        .unit = unit_out,
        .arena = module->arena,
    };
    struct name_table *const tables[] = {&r.streams, &r.lists, &r.tables, &r.defs, &r.rules};
    for (size_t i = 0; i < sizeof tables / sizeof tables[0]; i++)
        name_table_init(tables[i]);

    refuse_later(&r);
    declare_all(&r);
    for (struct ast_list *l = module->lists; l != NULL; l = l->next)
        resolve_list_items(&r, l, l->kind);
    resolve_defs(&r);
    resolve_streams(&r);
    resolve_tables(&r);
    resolve_exceptions(&r);
    for (struct ast_rule *rule = module->rules; rule != NULL; rule = rule->next)
        resolve_rule(&r, rule);
    resolve_depths(&r);
    resolve_load_tables(&r);
    for (struct ast_rule *rule = module->rules; rule != NULL; rule = rule->next)
        resolve_tests(&r, rule); /* last: they may name only what is read */
    fill_unit(&r);

    for (size_t i = 0; i < sizeof tables / sizeof tables[0]; i++)
        name_table_fini(tables[i]);
    mem_free(r.stream);
    mem_free(r.used);
    return diag_errors(diag) == 0;
}

void lang_unit_fini(struct lang_unit *unit)
{
    if (unit->schema != NULL)
        schema_unref(&unit->schema);
    for (uint32_t i = 0; i < unit->n_tables; i++)
        mem_free(unit->table[i].column);
    mem_free(unit->table);
    for (size_t i = 0; i < unit->n_rows; i++)
        row_table_unref(&unit->rows[i]);
    mem_free(unit->rows);
    *unit = (struct lang_unit){0};
}

/* ---- what an expression reads -------------------------------------------------------------- */

struct steps_used {
    uint64_t steps;
    bool own;
};

static bool note_step(struct ast_expr *expr, void *ctx)
{
    struct steps_used *used = ctx;
    switch (expr->ref) {
    case REF_STEP:
    case REF_STEP_FIELD:
    case REF_STEP_IN_STREAM:
    case REF_AGGREGATE:
    case REF_PREV: used->steps |= UINT64_C(1) << expr->step; break;
    case REF_FIELD:
    case REF_ANY_FIELD: used->own = true; break;
    case REF_FUNCTION:
        if ((expr->function == FUNCTION_TIME || expr->function == FUNCTION_STREAM) &&
            expr->n_args == 0)
            used->own = true;
        break;
    default: break;
    }
    return true;
}

uint64_t resolve_steps_used(struct ast_expr *expr, bool *own_out)
{
    struct steps_used used = {0};
    ast_walk(expr, note_step, &used);
    *own_out = used.own;
    return used.steps;
}
