// SPDX-License-Identifier: Apache-2.0
/* explain - see explain.h. What is filed is decided as by add_probe in program_build.c. */
#include "plan/explain.h"

#include <string.h>

#include "base/arena.h"
#include "base/buf.h"
#include "base/diag.h"
#include "base/mem.h"
#include "event/schema.h"
#include "event/value.h"
#include "lang/ast.h"
#include "lang/parse.h"
#include "lang/resolve.h"
#include "plan/expr_compile.h"
#include "plan/join_build.h"
#include "plan/nfa_build.h"
#include "plan/pools.h"
#include "plan/program.h"
#include "plan/window_build.h"

enum { MAX_VALUES = 8 }; /* shown */

struct explain_rule {
    const struct ast_rule *written;
    const struct ast_rule *resolved;
    struct necessary *necessary; /* [n_steps] */
};

struct explain {
    struct ast_module *written, *module;
    struct lang_unit unit;
    struct arena *arena;
    struct pools *pools;
    struct diag *diag;
    struct explain_rule *rule; /* [unit.n_rules] */
};

static const struct ast_rule *find_rule(const struct ast_module *module, const char *name)
{
    const struct ast_rule *rule = module->rules;
    while (rule != NULL && strcmp(rule->name.text, name) != 0)
        rule = rule->next;
    return rule;
}

static void find_necessary(struct explain *ex, struct explain_rule *er)
{
    struct expr_context cx = {.pools = ex->pools, .diag = ex->diag, .optimise = true,
                              .list = ex->unit.list, .n_lists = ex->unit.n_lists};
    struct unary unary[RESOLVE_MAX_STEPS] = {{0}};
    const struct ast_rule *rule = er->resolved;
    struct nfa *nfa;
    uint32_t n = rule->body == AST_BODY_MATCH ? rule->match->n_steps : rule->n_steps;
    if (rule->body == AST_BODY_MATCH)
        nfa_build(&cx, rule->match, &nfa, unary);
    else
        join_split(&cx, rule, unary);
    er->necessary = arena_alloc(ex->arena, (n + 1) * sizeof *er->necessary);
    for (uint32_t s = 0; s < n; s++) {
        const struct code *code;
        if (unary[s].n == 0)
            continue;
        expr_compile_all(&cx, unary[s].conjunct, unary[s].n, &code);
        necessary_find(&cx, unary[s].conjunct, unary[s].n, ex->arena, &er->necessary[s]);
    }
}

static void parse_all(struct ast_module *module, struct diag *diag,
                      const struct program_source_text *text, size_t n)
{
    for (size_t i = 0; i < n; i++)
        parse_file(module, diag, diag_file_add(diag, text[i].name, text[i].text, text[i].len));
}

struct explain *explain_new(const struct program_source_text *text, size_t n,
                            const struct program_options *opt)
{
    struct explain *ex = mem_calloc(1, sizeof *ex);
    struct lang_options lang = {.source = opt->source, .n_sources = opt->n_sources};
    ex->diag = diag_new();
    ex->written = ast_module_new();
    ex->module = ast_module_new();
    ex->arena = arena_new(0);
    ex->pools = pools_new(ex->arena);
    parse_all(ex->written, ex->diag, text, n);
    parse_all(ex->module, ex->diag, text, n);
    resolve_module(ex->module, &lang, ex->diag, &ex->unit);
    typecheck_module(&ex->unit, ex->diag);
    if (diag_errors(ex->diag) > 0) {
        explain_free(&ex);
        return NULL;
    }
    ex->rule = mem_calloc(ex->unit.n_rules + 1, sizeof *ex->rule);
    for (uint32_t r = 0; r < ex->unit.n_rules; r++) {
        struct ast_rule *rule = ex->unit.rule[r];
        ex->rule[r].resolved = rule;
        ex->rule[r].written = find_rule(ex->written, rule->name.text);
        if (rule->body == AST_BODY_WINDOW)
            window_number_aggregates(rule);
        find_necessary(ex, &ex->rule[r]);
    }
    return ex;
}

void explain_free(struct explain **ex_ref)
{
    struct explain *ex = *ex_ref;
    *ex_ref = NULL;
    if (ex == NULL)
        return;
    lang_unit_fini(&ex->unit);
    ast_module_free(&ex->written);
    ast_module_free(&ex->module);
    pools_free(&ex->pools);
    arena_free(&ex->arena);
    diag_free(&ex->diag);
    mem_free(ex->rule);
    mem_free(ex);
}

const struct ast_rule *explain_rule(const struct explain *ex, uint32_t rule)
{
    return ex->rule[rule].written;
}

const struct ast_stream *explain_stream(const struct explain *ex, const char *name)
{
    const struct ast_stream *stream = ex->written->streams;
    while (stream != NULL && strcmp(stream->name.text, name) != 0)
        stream = stream->next;
    return stream;
}

/* ---- steps ---------------------------------------------------------------------------------- */

static const struct ast_step *named(const struct ast_step *steps, const char *name)
{
    while (steps != NULL && strcmp(steps->name.text, name) != 0)
        steps = steps->next;
    return steps;
}

static const struct ast_step *named_in_match(const struct ast_match *match, const char *name)
{
    for (const struct ast_element *el = match->elements; el != NULL; el = el->next) {
        const struct ast_step *step = named(el->step, name);
        if (step != NULL)
            return step;
    }
    return named(match->until, name);
}

const struct ast_step *explain_step(const struct explain *ex, uint32_t rule, uint32_t step)
{
    const struct ast_rule *resolved = ex->rule[rule].resolved, *written = ex->rule[rule].written;
    const struct ast_step *const *steps = (const struct ast_step *const *)resolved->steps;
    if (resolved->body == AST_BODY_MATCH)
        steps = (const struct ast_step *const *)resolved->match->steps;
    const char *name = steps[step]->name.text;
    switch (written->body) {
    case AST_BODY_MATCH: return named_in_match(written->match, name);
    case AST_BODY_WINDOW: return named(written->window->inputs, name);
    case AST_BODY_JOIN: return named(written->join->sides, name);
    case AST_BODY_NOVEL: return named(written->novel->inputs, name);
    case AST_BODY_NONE: break;
    }
    return NULL;
}

/* ---- aggregates ----------------------------------------------------------------------------- */

struct wanted {
    uint32_t number;
    const struct ast_expr *call;
};

static bool look(struct ast_expr *expr, void *ctx)
{
    struct wanted *wanted = ctx;
    if (wanted->call == NULL && expr->kind == AST_CALL && expr->ref == REF_WINDOW_AGGREGATE &&
        expr->number == wanted->number)
        wanted->call = expr;
    return true;
}

const struct ast_expr *explain_aggregate(const struct explain *ex, uint32_t rule, uint32_t aggregate)
{
    const struct ast_rule *ast = ex->rule[rule].resolved;
    struct wanted wanted = {.number = aggregate};
    ast_walk(ast->window->having, look, &wanted);
    for (const struct ast_assign *a = ast->emit; a != NULL; a = a->next)
        ast_walk(a->expr, look, &wanted);
    ast_walk(ast->severity, look, &wanted);
    ast_walk(ast->risk, look, &wanted);
    return wanted.call;
}

/* ---- how events find a step ----------------------------------------------------------------- */

int explain_necessary(const struct explain *ex, uint32_t rule, uint32_t step, struct buf *out)
{
    const struct necessary *ne = &ex->rule[rule].necessary[step];
    const char *path = ne->kind != NECESSARY_NONE ? schema_path(ex->unit.schema, ne->slot) : "";
    switch (ne->kind) {
    case NECESSARY_NONE: break;
    case NECESSARY_EXISTS: buf_printf(out, "exists(%s)", path); break;
    case NECESSARY_EQUALS:
        buf_printf(out, ne->n == 1 ? "%s == " : "%s in [", path);
        for (uint32_t i = 0; i < ne->n && i < MAX_VALUES; i++) {
            buf_adds(out, i > 0 ? ", " : "");
            value_add_json(out, ne->value[i]);
        }
        if (ne->n > MAX_VALUES)
            buf_printf(out, ", ... %u", ne->n);
        buf_adds(out, ne->n == 1 ? "" : "]");
        break;
    }
    return (int)ne->kind;
}
