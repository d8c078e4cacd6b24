// SPDX-License-Identifier: Apache-2.0
/*
 * program - compiling texts to a program: the compiler's table of contents, and its lifetime.
 *
 *     parse > resolve > typecheck > plan (nfa, conditions, candidates) > tests > seal
 *
 * Every stage reports all it finds; plan runs only on what the stages before found nothing in.
 */
#include "plan/program.h"

#include <string.h>

#include "base/arena.h"
#include "base/diag.h"
#include "base/mem.h"
#include "event/row_table.h"
#include "event/schema.h"
#include "lang/ast.h"
#include "lang/parse.h"
#include "lang/resolve.h"
#include "plan/join_build.h"
#include "plan/pools.h"
#include "plan/program_priv.h"
#include "plan/window_build.h"

static void add_extra_paths(struct schema *schema, const struct program_options *opt,
                            struct diag *diag)
{
    struct span nowhere = {.file = UINT32_MAX};
    uint32_t slot;
    bool fit = true;
    for (size_t i = 0; i < opt->n_extra_paths && fit; i++)
        fit = schema_slot_text(schema, opt->extra_path[i], &slot);
    if (!fit)
        diag_add(diag, DIAG_ERROR, nowhere,
                 "rules and sources together read more than %d different fields",
                 (int)SCHEMA_MAX_SLOTS);
}

static void apply_switches(struct ast_module *module, const struct program_options *opt)
{
    for (struct ast_rule *rule = module->rules; rule && opt->n_switches > 0; rule = rule->next)
        for (size_t i = 0; i < opt->n_switches; i++)
            if (strcmp(rule->name.text, opt->rule_switch[i].rule) == 0)
                rule->disabled = !opt->rule_switch[i].on;
}

struct program *program_compile(const struct program_source_text *text, size_t n,
                                const struct program_options *opt, struct diag *diag)
{
    struct ast_module *module = ast_module_new();
    struct lang_options lang = {.source = opt->source, .n_sources = opt->n_sources,
                                .sink = opt->sink, .n_sinks = opt->n_sinks, .now = opt->now,
                                .rows = opt->rows, .rows_ctx = opt->rows_ctx,
                                .check_kafka = opt->check_kafka,
                                .check_kafka_ctx = opt->check_kafka_ctx};
    struct lang_unit unit = {0};
    struct program *prog = NULL;
    bool *confined = mem_calloc(n + 1, sizeof *confined);
    for (size_t i = 0; i < n; i++) {
        uint32_t file = diag_file_add(diag, text[i].name, text[i].text, text[i].len);
        parse_file(module, diag, file);
        confined[i] = text[i].confined;
        if (i == 0)
            lang.confined_from = file;
    }
    lang.confined = confined;
    lang.n_confined = n;
    apply_switches(module, opt);
    resolve_module(module, &lang, diag, &unit);
    typecheck_module(&unit, diag);
    uint32_t n_rule_slots = schema_count(unit.schema);
    add_extra_paths(unit.schema, opt, diag);
    /* Also with errors: a regex that does not compile is listed with all other mistakes. */
    prog = program_build(&unit, opt->no_opt, diag);
    if (prog != NULL)
        prog->n_rule_slots = n_rule_slots;
    if (prog != NULL && !opt->no_tests && diag_errors(diag) == 0)
        program_tests_build(prog, &unit, opt->no_opt, diag);
    if (diag_errors(diag) > 0)
        program_unref(&prog);
    lang_unit_fini(&unit);
    ast_module_free(&module);
    mem_free(confined);
    return prog;
}

struct program *program_ref(struct program *prog)
{
    prog->refs++;
    return prog;
}

void program_unref(struct program **prog_ref)
{
    struct program *prog = *prog_ref;
    *prog_ref = NULL;
    if (prog == NULL || --prog->refs > 0)
        return;
    for (uint32_t i = 0; i < prog->n_tests; i++) {
        struct program *own = (struct program *)(uintptr_t)prog->test[i].program;
        program_unref(&own);
    }
    for (uint32_t i = 0; i < prog->n_tables; i++) {
        struct row_table *rows = prog->table[i].rows;
        row_table_unref(&rows);
        struct row_form *form = prog->table[i].form;
        row_form_free(&form);
    }
    pools_free(&prog->pools);
    schema_unref(&prog->schema);
    arena_free(&prog->arena);
    mem_free(prog);
}

static bool validate_body(const struct program *prog, const struct program_rule *rule,
                          const char **why_out)
{
    switch (rule->body) {
    case BODY_MATCH: return nfa_validate(rule->nfa, why_out);
    case BODY_WINDOW: return window_validate(prog, rule, why_out);
    case BODY_JOIN: return join_validate(prog, rule, why_out);
    case BODY_NOVEL: return novel_validate(prog, rule, why_out);
    }
    *why_out = "no such body";
    return false;
}

static bool validate_code(const struct program *prog, const struct code *code, const char **why_out)
{
    return code == NULL || code_validate(prog, code, why_out);
}

bool program_validate(const struct program *prog, const char **why_out)
{
    for (uint32_t r = 0; r < prog->n_rules; r++) {
        const struct program_rule *rule = &prog->rule[r];
        if (r > 0 && strcmp(prog->rule[r - 1].name, rule->name) >= 0) {
            *why_out = "rules are not sorted by name";
            return false;
        }
        if (rule->number != r || rule->first_probe + rule->n_probes > prog->n_probes) {
            *why_out = "a rule's probes are not its own";
            return false;
        }
        if (!validate_body(prog, rule, why_out) ||
            !validate_code(prog, rule->severity_code, why_out) ||
            !validate_code(prog, rule->risk_code, why_out))
            return false;
        for (uint32_t i = 0; i < rule->n_excepted; i++) {
            if (!code_validate(prog, rule->excepted[i].where, why_out))
                return false;
        }
        for (uint32_t i = 0; i < rule->n_emit; i++) {
            if (!code_validate(prog, rule->emit[i].code, why_out))
                return false;
        }
        for (uint16_t s = 0; s < rule->nfa->n_steps; s++) {
            const struct code *cross = rule->nfa->step[s].cross;
            if (cross != NULL && !code_validate(prog, cross, why_out))
                return false;
        }
    }
    for (uint32_t p = 0; p < prog->n_probes; p++) {
        const struct program_probe *probe = &prog->probe[p];
        if (!validate_code(prog, probe->unary, why_out) || !validate_code(prog, probe->late, why_out))
            return false;
    }
    return true;
}

uint32_t program_source(const struct program *prog, const char *name)
{
    for (uint32_t s = 0; s < prog->n_streams; s++) {
        if (prog->stream[s].is_source && strcmp(prog->stream[s].name, name) == 0)
            return s;
    }
    return PROGRAM_NO_SOURCE;
}

bool program_is_table_source(const char *source)
{
    return strncmp(source, LANG_TABLE_SOURCE, sizeof LANG_TABLE_SOURCE - 1) == 0;
}

static const struct program_table *table_of_source(const struct program *prog, const char *source)
{
    const char *name = source + sizeof LANG_TABLE_SOURCE - 1;
    for (uint32_t t = 0; t < prog->n_tables; t++) {
        if (prog->table[t].kafka != NULL && strcmp(prog->table[t].name, name) == 0)
            return &prog->table[t];
    }
    return NULL;
}

uint32_t program_source_before(const struct program *older, const struct program *prog, const char *source)
{
    if (program_is_table_source(source)) {
        const struct program_table *was = table_of_source(older, source), *is = table_of_source(prog, source);
        if (was == NULL || is == NULL || memcmp(was->shape, is->shape, sizeof was->shape) != 0)
            return PROGRAM_NO_SOURCE;
    }
    return program_source(older, source);
}

uint32_t program_rule_named(const struct program *prog, const char *name)
{
    for (uint32_t r = 0; r < prog->n_rules; r++) {
        if (strcmp(prog->rule[r].name, name) == 0)
            return r;
    }
    return UINT32_MAX;
}

const char *severity_name(enum severity severity)
{
    static const char *const names[] = {"info", "low", "medium", "high", "critical"};
    return names[severity];
}
