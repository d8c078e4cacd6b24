// SPDX-License-Identifier: Apache-2.0
/* program_test - test blocks to data that flow/test_run can run without an AST. */
#include <string.h>

#include "base/arena.h"
#include "base/diag.h"
#include "lang/ast.h"
#include "lang/resolve.h"
#include "plan/program_priv.h"

/* A source that feeds the stream: the one that carries a test's event. */
static uint32_t carrying_source(const struct program *prog, uint32_t stream)
{
    while (stream != 0 && !prog->stream[stream].is_source && prog->stream[stream].n_inputs > 0)
        stream = prog->stream[stream].input[0];
    return stream;
}

static uint32_t find_stream(const struct program *prog, const char *name)
{
    for (uint32_t s = 0; s < prog->n_streams; s++) {
        if (strcmp(prog->stream[s].name, name) == 0)
            return s;
    }
    return UINT32_MAX;
}

static void build_item(const struct program *prog, const struct ast_test_item *ast,
                       struct diag *diag, struct program_test_item *item)
{
    static const enum program_test_kind kinds[] = {
        [AST_TEST_EVENT] = TEST_EVENT, [AST_TEST_EXPECT_NONE] = TEST_NONE,
        [AST_TEST_EXPECT_COUNT] = TEST_COUNT, [AST_TEST_EXPECT_ALERT] = TEST_ALERT,
        [AST_TEST_UNTIL] = TEST_UNTIL, [AST_TEST_LATENESS] = TEST_LATENESS};
    struct arena *a = prog->arena;
    const char *file = diag_file_name(diag, ast->span.file);
    uint32_t column;
    item->kind = kinds[ast->kind];
    item->offset = ast->offset;
    item->has_offset = ast->has_offset;
    item->count = ast->count;
    item->file = arena_strndup(a, file, strlen(file));
    diag_locate(diag, ast->span, &item->line, &column);
    if (ast->json != NULL) {
        item->json = arena_strndup(a, ast->json, ast->json_len);
        item->json_len = ast->json_len;
    }
    if (ast->kind == AST_TEST_EVENT) {
        item->stream = find_stream(prog, ast->stream.text);
        item->source = item->stream == UINT32_MAX ? UINT32_MAX
                                                  : carrying_source(prog, item->stream);
    }
}

/* Compiles the set again with the test's own lists and tables in place of the declared ones, or with
 * its rule awake: a disabled one is tested all the same. */
static const struct program *replaced_program(struct lang_unit *unit, struct ast_rule *rule,
                                              const struct ast_test *ast,
                                              bool no_opt, struct diag *diag)
{
    struct ast_list saved[64];
    struct ast_list *at[64];
    uint32_t n = 0;
    for (const struct ast_test_item *it = ast->items; it != NULL; it = it->next) {
        if (it->kind != AST_TEST_LIST)
            continue;
        for (uint32_t l = 0; l < unit->n_lists && n < 64; l++) {
            if (strcmp(unit->list[l]->name.text, it->list->name.text) != 0)
                continue;
            at[n] = unit->list[l];
            saved[n++] = *unit->list[l];
            unit->list[l]->item = it->list->item;
            unit->list[l]->n_items = it->list->n_items;
        }
    }
    struct lang_table *were = arena_memdup(unit->module->arena, unit->table,
                                           unit->n_tables * sizeof *were);
    bool tables = false;
    for (const struct ast_test_item *it = ast->items; it != NULL; it = it->next) {
        if (it->kind != AST_TEST_TABLE)
            continue;
        struct lang_table *table = &unit->table[it->table->number];
        table->rows = it->table->rows;
        table->at = NULL;
        tables = true;
    }
    bool asleep = rule->disabled;
    rule->disabled = false;
    struct program *prog = n > 0 || tables || asleep ? program_build(unit, no_opt, diag) : NULL;
    rule->disabled = asleep;
    while (n-- > 0)
        *at[n] = saved[n];
    for (uint32_t t = 0; t < unit->n_tables; t++)
        unit->table[t] = were[t];
    return prog;
}

static void build_test(struct program *prog, struct lang_unit *unit, uint32_t rule,
                       const struct ast_test *ast, bool no_opt, struct diag *diag,
                       struct program_test *test)
{
    const char *file = diag_file_name(diag, ast->span.file);
    uint32_t column, n = 0;
    test->rule = rule;
    test->title = arena_strndup(prog->arena, ast->title.text, ast->title.len);
    test->file = arena_strndup(prog->arena, file, strlen(file));
    diag_locate(diag, ast->span, &test->line, &column);
    for (const struct ast_test_item *it = ast->items; it != NULL; it = it->next)
        n += it->kind != AST_TEST_LIST && it->kind != AST_TEST_TABLE;
    struct program_test_item *item = arena_alloc(prog->arena, (n + 1) * sizeof *item);
    test->item = item;
    for (const struct ast_test_item *it = ast->items; it != NULL; it = it->next) {
        if (it->kind != AST_TEST_LIST && it->kind != AST_TEST_TABLE)
            build_item(prog, it, diag, &item[test->n_items++]);
    }
    test->program = replaced_program(unit, unit->rule[rule], ast, no_opt, diag);
}

bool program_tests_build(struct program *prog, struct lang_unit *unit, bool no_opt,
                         struct diag *diag)
{
    uint32_t n = 0;
    for (uint32_t r = 0; r < unit->n_rules; r++) {
        for (const struct ast_test *t = unit->rule[r]->tests; t != NULL; t = t->next)
            n++;
    }
    struct program_test *test = arena_alloc(prog->arena, (n + 1) * sizeof *test);
    prog->test = test;
    for (uint32_t r = 0; r < unit->n_rules; r++) {
        for (const struct ast_test *t = unit->rule[r]->tests; t != NULL; t = t->next)
            build_test(prog, unit, r, t, no_opt, diag, &test[prog->n_tests++]);
    }
    return diag_errors(diag) == 0;
}
