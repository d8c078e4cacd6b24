// SPDX-License-Identifier: Apache-2.0
/*
 * program_build - a checked unit to a program: streams, rules with their automata, probes, index.
 */
#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "base/diag.h"
#include "base/digest.h"
#include "base/buf.h"
#include "base/mem.h"
#include "event/row_table.h"
#include "event/schema.h"
#include "lang/ast.h"
#include "lang/ast_print.h"
#include "lang/resolve.h"
#include "plan/candidates.h"
#include "plan/join_build.h"
#include "plan/necessary.h"
#include "plan/nfa.h"
#include "plan/nfa_build.h"
#include "plan/pools.h"
#include "plan/program_priv.h"
#include "plan/shape.h"
#include "plan/window_build.h"

struct build {
    struct program *prog;
    struct lang_unit *unit;
    struct expr_context cx;
    struct program_rule *rule;
    struct program_probe *probe;
    struct necessary *necessary;
    uint32_t n_probes;
    bool ok;
};

static void build_streams(struct build *bd)
{
    struct lang_unit *unit = bd->unit;
    struct arena *a = bd->prog->arena;
    struct program_stream *stream = arena_alloc(a, unit->n_streams * sizeof *stream);
    uint32_t *expecting = arena_alloc(a, unit->n_streams * sizeof *expecting);
    for (uint32_t i = 0; i < unit->n_streams; i++) {
        const struct lang_stream *from = &unit->stream[i];
        stream[i] = (struct program_stream){
            .name = arena_strndup(a, from->name, strlen(from->name)),
            .is_source = from->is_source || from->is_derived,
            .is_derived = from->is_derived,
            .is_table = from->is_table,
            .input = arena_memdup(a, from->input, from->n_inputs * sizeof *from->input),
            .n_inputs = from->n_inputs};
        if (from->where != NULL)
            bd->ok &= expr_compile(&bd->cx, from->where, &stream[i].where);
        if (from->expect == NULL)
            continue;
        expecting[bd->prog->n_expecting++] = i;
        bd->ok &= expr_compile(&bd->cx, from->expect, &stream[i].expect);
        stream[i].drops = from->expect_else != AST_ELSE_WARN;
        if (from->quarantine != NULL)
            stream[i].quarantine = arena_strndup(a, from->quarantine, strlen(from->quarantine));
    }
    bd->prog->expecting = expecting;
    bd->prog->stream = stream;
    bd->prog->n_streams = unit->n_streams;
}

static void build_exceptions(struct build *bd)
{
    uint32_t n = 0;
    for (const struct ast_exception *e = bd->unit->module->exceptions; e != NULL; e = e->next)
        n++;
    struct program_exception *ex = arena_alloc(bd->prog->arena, (n + 1) * sizeof *ex);
    for (const struct ast_exception *e = bd->unit->module->exceptions; e != NULL; e = e->next) {
        ex[e->number].title = arena_strndup(bd->prog->arena, e->title.text, e->title.len);
        ex[e->number].until = e->until != NULL ? e->until->value.u.i : INT64_MAX;
    }
    bd->prog->exception = ex;
    bd->prog->n_exceptions = n;
}

static struct program_key *program_keys_build(const struct expr_context *cx, const struct ast_key *keys,
                                       uint32_t n, bool *ok)
{
    struct program_key *key = arena_alloc(pools_arena(cx->pools), (n + 1) * sizeof *key);
    uint32_t i = 0;
    for (const struct ast_key *k = keys; k != NULL && i < n; k = k->next, i++) {
        key[i].optional = k->optional;
        key[i].slot = UINT32_MAX;
        if (k->expr->kind == AST_PATH && k->expr->ref == REF_FIELD)
            key[i].slot = k->expr->slot;
        *ok &= expr_compile(cx, k->expr, &key[i].code);
    }
    return key;
}

static void add_probe(struct build *bd, const struct program_rule *rule,
                      const struct ast_step *step, enum probe_kind kind,
                      const struct unary *unary)
{
    struct arena *a = bd->prog->arena;
    struct program_probe *probe = &bd->probe[bd->n_probes];
    struct necessary *necessary = &bd->necessary[bd->n_probes++];
    *probe = (struct program_probe){
        .rule = rule->number, .step = (uint16_t)step->number, .kind = (uint8_t)kind,
        .stream = arena_memdup(a, step->stream, step->streams.n * sizeof *step->stream),
        .n_streams = step->streams.n};
    probe->key = program_keys_build(&bd->cx, step->effective_keys, rule->n_keys, &bd->ok);
    if (kind == PROBE_TOUCH || unary->n == 0)
        return;
    struct ast_expr **part = arena_alloc(a, unary->n * sizeof(struct ast_expr *));
    uint32_t early = 0, late = unary->n;
    for (uint32_t i = 0; i < unary->n; i++) {
        bool fed = resolve_reads_fed(unary->conjunct[i]);
        part[fed ? --late : early++] = unary->conjunct[i];
    }
    if (early > 0)
        bd->ok &= expr_compile_all(&bd->cx, part, early, &probe->unary);
    if (late < unary->n)
        bd->ok &= expr_compile_all(&bd->cx, part + late, unary->n - late, &probe->late);
    necessary_find(&bd->cx, unary->conjunct, unary->n, a, necessary);
}

static struct table_kafka_setting copy_setting(struct arena *a, const struct table_kafka_setting *from)
{
    struct table_kafka_setting to = *from;
    if (from->text != NULL)
        to.text = arena_strndup(a, from->text, strlen(from->text));
    return to;
}

static void build_topic(struct build *bd, const struct lang_table *from, struct program_table *table)
{
    struct arena *a = bd->prog->arena;
    const struct table_kafka *is = from->kafka;
    struct table_kafka *kafka = arena_memdup(a, is, sizeof *is);
    struct table_kafka_setting *broker = arena_alloc(a, (is->n_brokers + 1) * sizeof *broker);
    struct table_kafka_option *option = arena_alloc(a, (is->n_options + 1) * sizeof *option);
    kafka->topic = copy_setting(a, &is->topic);
    kafka->source = copy_setting(a, &is->source);
    for (uint32_t i = 0; i < is->n_brokers; i++)
        broker[i] = copy_setting(a, &is->broker[i]);
    for (uint32_t i = 0; i < is->n_options; i++) {
        option[i] = is->option[i];
        option[i].name = arena_strndup(a, is->option[i].name, strlen(is->option[i].name));
        option[i].value = copy_setting(a, &is->option[i].value);
    }
    kafka->broker = broker;
    kafka->option = option;
    table->kafka = kafka;
    bd->ok &= expr_compile(&bd->cx, from->row, &table->row);
    bd->ok &= expr_compile(&bd->cx, from->deleted, &table->deleted);
}

static void build_fed(struct build *bd, const struct lang_table *from, struct program_table *table)
{
    const struct code **column =
        arena_alloc(bd->prog->arena, (from->n_columns + 1) * sizeof *column);
    table->stream = from->stream;
    table->keep = from->keep;
    bd->ok &= expr_compile(&bd->cx, from->key, &table->key);
    for (uint32_t i = 0; i < from->n_columns; i++)
        bd->ok &= expr_compile(&bd->cx, from->column[i].expr, &column[i]);
    table->column = column;
    if (from->kafka != NULL)
        build_topic(bd, from, table);
    shape_of_table(from, table->shape);
}

static void build_known(struct arena *a, const struct lang_table *from, struct program_table *table)
{
    table->rows = row_table_ref(from->rows);
    table->is_given = from->given;
    if (from->at != NULL)
        table->at = arena_memdup(a, from->at, from->n_columns * sizeof *from->at);
    struct row_path *column = arena_alloc(a, (from->n_columns + 1) * sizeof *column);
    for (uint32_t i = 0; i < from->n_columns; i++)
        column[i] = (struct row_path){from->column[i].name, from->column[i].part,
                                      from->column[i].n_parts};
    struct row_form form = {.key = {from->key_name, from->key_part, from->n_key_parts},
                            .column = column, .n_columns = from->n_columns};
    table->form = row_form_copy(&form);
}

static void place_table(struct build *bd, const struct lang_table *from, struct program_table *table)
{
    struct arena *a = bd->prog->arena;
    const char *file = diag_file_name(bd->cx.diag, from->decl->name.span.file);
    const struct ast_name *path = &from->decl->file;
    uint32_t column;
    table->file = arena_strndup(a, file, strlen(file));
    diag_locate(bd->cx.diag, from->decl->name.span, &table->line, &column);
    if (from->decl->from == AST_TABLE_FILE)
        table->path = arena_strndup(a, path->text, path->len);
    table->key_name = arena_strndup(a, from->key_name, strlen(from->key_name));
}

static void build_tables(struct build *bd)
{
    const struct lang_unit *unit = bd->unit;
    struct arena *a = bd->prog->arena;
    struct program_table *table = arena_alloc(a, (unit->n_tables + 1) * sizeof *table);
    bd->prog->table = table;
    bd->prog->n_tables = unit->n_tables;
    for (uint32_t i = 0; i < unit->n_tables; i++) {
        const struct lang_table *from = &unit->table[i];
        const char **name = arena_alloc(a, (from->n_columns + 1) * sizeof *name);
        for (uint32_t c = 0; c < from->n_columns; c++)
            name[c] = arena_strndup(a, from->column[c].name, strlen(from->column[c].name));
        table[i] = (struct program_table){.name = arena_strndup(a, from->name, strlen(from->name)),
                                          .column_name = name, .n_columns = from->n_columns,
                                          .keep = -1};
        place_table(bd, from, &table[i]);
        if (from->rows != NULL)
            build_known(a, from, &table[i]);
        else
            build_fed(bd, from, &table[i]);
    }
}

/* Behind those of the rules: an event that brings a row must come to the engine. */
static void add_table_probes(struct build *bd)
{
    for (uint32_t i = 0; i < bd->prog->n_tables; i++) {
        const struct program_table *table = &bd->prog->table[i];
        if (table->rows != NULL)
            continue;
        bd->probe[bd->n_probes++] = (struct program_probe){
            .rule = PROGRAM_NO_RULE, .step = (uint16_t)i, .kind = PROBE_TABLE,
            .stream = &table->stream, .n_streams = 1};
    }
}

static void build_match_rule(struct build *bd, const struct ast_rule *ast,
                             struct program_rule *rule)
{
    const struct ast_match *match = ast->match;
    struct unary unary[RESOLVE_MAX_STEPS] = {{0}};
    struct nfa *nfa;
    bd->ok &= nfa_build(&bd->cx, match, &nfa, unary);
    rule->nfa = nfa;
    rule->body = BODY_MATCH;
    rule->n_steps = nfa->n_steps;
    const char **name = arena_alloc(bd->prog->arena, (nfa->n_steps + 1) * sizeof *name);
    for (uint16_t s = 0; s < nfa->n_steps; s++)
        name[s] = nfa->step[s].name;
    rule->step_name = name;
    rule->first_probe = bd->n_probes;
    for (uint32_t s = 0; s < match->n_steps; s++)
        add_probe(bd, rule, match->steps[s], PROBE_STEP, &unary[s]);
    for (uint32_t s = 0; nfa->has_next && s < match->n_steps; s++)
        add_probe(bd, rule, match->steps[s], PROBE_TOUCH, NULL);
    rule->n_probes = bd->n_probes - rule->first_probe;
}

/* Window, join, novel: one probe for each input or side. */
static void build_other_rule(struct build *bd, const struct ast_rule *ast,
                             struct program_rule *rule)
{
    struct unary unary[RESOLVE_MAX_STEPS] = {{0}};
    struct arena *a = bd->prog->arena;
    const char **name = arena_alloc(a, (ast->n_steps + 1) * sizeof *name);
    for (uint32_t s = 0; s < ast->n_steps; s++)
        name[s] = arena_strndup(a, ast->steps[s]->name.text, ast->steps[s]->name.len);
    rule->n_steps = ast->n_steps;
    rule->step_name = name;
    switch (ast->body) {
    case AST_BODY_WINDOW:
        rule->body = BODY_WINDOW;
        bd->ok &= window_build(&bd->cx, ast, rule);
        break;
    case AST_BODY_JOIN:
        rule->body = BODY_JOIN;
        bd->ok &= join_build(&bd->cx, ast, rule);
        break;
    default:
        rule->body = BODY_NOVEL;
        bd->ok &= novel_build(&bd->cx, ast, rule);
        break;
    }
    join_split(&bd->cx, ast, unary);
    rule->first_probe = bd->n_probes;
    for (uint32_t s = 0; s < ast->n_steps; s++)
        add_probe(bd, rule, ast->steps[s], PROBE_STEP, &unary[s]);
    rule->n_probes = bd->n_probes - rule->first_probe;
}

/* Which tables did the code of the rule, compiled since the last time, read? */
static void note_tables(struct build *bd, struct program_rule *rule)
{
    uint32_t *table = arena_alloc(bd->prog->arena, (bd->prog->n_tables + 1) * sizeof *table);
    for (uint32_t i = 0; i < bd->prog->n_tables; i++) {
        if (bd->cx.reads_table[i])
            table[rule->n_tables++] = i;
        bd->cx.reads_table[i] = false;
    }
    rule->table = table;
}

static void build_rule(struct build *bd, struct ast_rule *ast, struct program_rule *rule)
{
    rule->nfa = &nfa_none;
    if (ast->body == AST_BODY_WINDOW)
        window_number_aggregates(ast);
    bd->ok &= program_rule_build(&bd->cx, ast, rule);
    if (ast->body == AST_BODY_MATCH)
        build_match_rule(bd, ast, rule);
    else
        build_other_rule(bd, ast, rule);
    note_tables(bd, rule);
}

static uint32_t count_probes(const struct lang_unit *unit)
{
    uint32_t n = 0;
    for (uint32_t r = 0; r < unit->n_rules; r++)
        n += 2 * unit->rule[r]->n_steps;
    return n;
}

static void hash_rules(struct program *prog, struct lang_unit *unit)
{
    struct buf text;
    buf_init(&text);
    ast_print_module(&text, unit->module);
    digest_id(text.data, text.len, prog->hash);
    struct ast_module declared = *unit->module;
    declared.rules = NULL;
    buf_clear(&text);
    ast_print_module(&text, &declared);
    if (unit->has_loaded) /* other rows or items are another declaration */
        buf_add(&text, unit->loaded, sizeof unit->loaded);
    digest_id(text.data, text.len, prog->declared_hash);
    buf_fini(&text);
}

/* Rules with an error of their own in them cannot be planned: their trees have holes. */
static bool can_plan(const struct lang_unit *unit, const struct diag *diag)
{
    (void)unit;
    return diag_errors(diag) == 0;
}

struct program *program_build(struct lang_unit *unit, bool no_opt, struct diag *diag)
{
    if (!can_plan(unit, diag))
        return NULL;
    struct program *prog = mem_calloc(1, sizeof *prog);
    prog->refs = 1;
    prog->arena = arena_new(0);
    prog->schema = schema_ref(unit->schema);
    prog->pools = pools_new(prog->arena);
    struct build bd = {.prog = prog, .unit = unit, .ok = true};
    bd.cx = (struct expr_context){.pools = prog->pools, .diag = diag, .optimise = !no_opt,
                                    .list = unit->list, .n_lists = unit->n_lists};
    uint32_t max_probes = count_probes(unit) + unit->n_tables;
    bd.rule = arena_alloc(prog->arena, (unit->n_rules + 1) * sizeof *bd.rule);
    bd.probe = arena_alloc(prog->arena, (max_probes + 1) * sizeof *bd.probe);
    bd.necessary = arena_alloc(prog->arena, (max_probes + 1) * sizeof *bd.necessary);
    prog->rule = bd.rule;
    prog->probe = bd.probe;
    build_streams(&bd);
    build_exceptions(&bd);
    build_tables(&bd);
    bd.cx.reads_table = arena_alloc(prog->arena, unit->n_tables + 1);
    for (uint32_t r = 0; r < unit->n_rules; r++) {
        bd.rule[r].number = r;
        build_rule(&bd, unit->rule[r], &bd.rule[r]);
    }
    add_table_probes(&bd);
    prog->n_rules = unit->n_rules;
    prog->n_probes = bd.n_probes;
    hash_rules(prog, unit);
    if (!bd.ok) {
        program_unref(&prog);
        return NULL;
    }
    schema_seal(unit->schema);
    prog->candidates = candidates_build(prog, bd.necessary, !no_opt, prog->arena);
    const char *why = NULL;
    if (!program_validate(prog, &why)) {
        diag_add(diag, DIAG_ERROR, (struct span){0}, "internal error: %s", why);
        program_unref(&prog);
    }
    return prog;
}
