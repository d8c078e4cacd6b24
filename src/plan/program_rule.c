// SPDX-License-Identifier: Apache-2.0
/* program_rule - the clauses of a rule that are not its body: texts, emit, suppress, limits. */
#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "base/buf.h"
#include "event/value.h"
#include "lang/ast.h"
#include "plan/pools.h"
#include "plan/program_priv.h"

static const struct program_limits default_limits = {
    .runs = 10000, .events = 10000, .state = UINT64_C(1) << 30, .alerts = 0, .alerts_per = 0,
    .values = 100000, .matches = 1000};
enum { RUNS_WITHOUT_KEY = 1000000, DEFAULT_KEEP = 10 };

static const char *dup_name(struct arena *a, const struct ast_name *name)
{
    return arena_strndup(a, name->text, name->len);
}

static char *dotted(struct arena *a, const struct path_part *part, uint32_t n)
{
    struct buf text;
    buf_init(&text);
    for (uint32_t i = 0; i < n; i++) {
        if (i > 0)
            buf_addc(&text, '.');
        buf_add(&text, part[i].name, part[i].len);
    }
    buf_addc(&text, '\0');
    char *copy = arena_strndup(a, text.data, text.len - 1);
    buf_fini(&text);
    return copy;
}

static struct path_part *dup_parts(struct arena *a, const struct path_part *part, uint32_t n)
{
    struct path_part *copy = arena_memdup(a, part, n * sizeof *part);
    for (uint32_t i = 0; i < n; i++) {
        if (part[i].name != NULL)
            copy[i].name = arena_strndup(a, part[i].name, part[i].len);
    }
    return copy;
}

static bool build_emit(const struct expr_context *cx, const struct ast_rule *ast,
                       struct program_rule *rule)
{
    struct arena *a = pools_arena(cx->pools);
    bool ok = true;
    uint32_t n = 0;
    for (const struct ast_assign *as = ast->emit; as != NULL; as = as->next)
        n++;
    struct program_emit *emit = arena_alloc(a, (n + 1) * sizeof *emit);
    n = 0;
    for (const struct ast_assign *as = ast->emit; as != NULL; as = as->next, n++) {
        emit[n].name = dotted(a, as->part, as->n_parts);
        emit[n].part = dup_parts(a, as->part, as->n_parts);
        emit[n].n_parts = as->n_parts;
        ok &= expr_compile(cx, as->expr, &emit[n].code);
    }
    rule->emit = emit;
    rule->n_emit = n;
    return ok;
}

static bool build_pieces(const struct expr_context *cx, const struct ast_piece *ast,
                         const struct program_piece **piece_out, uint32_t *n_out)
{
    struct arena *a = pools_arena(cx->pools);
    bool ok = true;
    uint32_t n = 0;
    for (const struct ast_piece *p = ast; p != NULL; p = p->next)
        n++;
    struct program_piece *piece = arena_alloc(a, (n + 1) * sizeof *piece);
    n = 0;
    for (const struct ast_piece *p = ast; p != NULL; p = p->next, n++) {
        if (p->expr != NULL) {
            ok &= expr_compile(cx, p->expr, &piece[n].code);
        } else {
            piece[n].text = arena_strndup(a, p->text, p->len);
            piece[n].len = p->len;
        }
    }
    *piece_out = piece;
    *n_out = n;
    return ok;
}

static bool build_suppress(const struct expr_context *cx, const struct ast_rule *ast,
                           struct program_rule *rule)
{
    bool ok = true;
    rule->suppress = -1;
    if (ast->suppress.delay == NULL)
        return true;
    rule->suppress = ast->suppress.delay->value.u.i;
    rule->suppress_summary = ast->suppress.summary;
    uint32_t n = ast->suppress.n_by;
    const struct code **by = arena_alloc(pools_arena(cx->pools), (n + 1) * sizeof *by);
    for (uint32_t i = 0; i < n; i++)
        ok &= expr_compile(cx, ast->suppress.by[i], &by[i]);
    rule->suppress_by = by;
    rule->n_suppress_by = n;
    return ok;
}

static void build_limits(const struct ast_rule *ast, struct program_rule *rule)
{
    rule->limits = default_limits;
    if (rule->n_keys == 0)
        rule->limits.runs = RUNS_WITHOUT_KEY;
    for (const struct ast_limit *li = ast->limits; li != NULL; li = li->next) {
        uint64_t n = (uint64_t)li->n;
        switch (li->kind) {
        case AST_LIMIT_RUNS: rule->limits.runs = n; break;
        case AST_LIMIT_EVENTS: rule->limits.events = n; break;
        case AST_LIMIT_STATE: rule->limits.state = n; break;
        case AST_LIMIT_ALERTS:
            rule->limits.alerts = n;
            rule->limits.alerts_per = li->per;
            break;
        case AST_LIMIT_VALUES: rule->limits.values = n; break;
        case AST_LIMIT_MATCHES: rule->limits.matches = n; break;
        default: break;
        }
    }
}

static void meta_value(struct buf *out, const struct ast_expr *expr)
{
    if (expr->kind == AST_LITERAL) {
        value_add_json(out, expr->value);
    } else if (expr->kind == AST_PATH) {
        char last[256];
        size_t n = 0;
        for (uint32_t i = 0; i < expr->n_parts && n + expr->part[i].len + 1 < sizeof last; i++) {
            if (i > 0)
                last[n++] = '.';
            memcpy(last + n, expr->part[i].name, expr->part[i].len);
            n += expr->part[i].len;
        }
        buf_add_json_text(out, last, n);
    } else {
        buf_addc(out, '[');
        for (uint32_t i = 0; i < expr->n_args; i++) {
            if (i > 0)
                buf_addc(out, ',');
            meta_value(out, expr->args[i]);
        }
        buf_addc(out, ']');
    }
}

static void meta_block(struct buf *out, const struct ast_config *block, struct arena *a)
{
    buf_addc(out, '{');
    for (const struct ast_config *co = block; co != NULL; co = co->next) {
        if (co != block)
            buf_addc(out, ',');
        const char *name = dotted(a, co->key, co->n_key);
        buf_add_json_text(out, name, strlen(name));
        buf_addc(out, ':');
        if (co->has_block)
            meta_block(out, co->block, a);
        else
            meta_value(out, co->value);
    }
    buf_addc(out, '}');
}

static enum severity find_severity(const struct ast_expr *expr)
{
    const char *name = "medium";
    size_t len = 6;
    if (expr != NULL && expr->kind == AST_PATH) {
        name = expr->part[0].name;
        len = expr->part[0].len;
    } else if (expr != NULL && expr->value.type == VALUE_TEXT) {
        name = expr->value.u.text;
        len = expr->value.len;
    }
    for (int s = SEVERITY_INFO; s <= SEVERITY_CRITICAL; s++) {
        const char *is = severity_name((enum severity)s);
        if (strlen(is) == len && memcmp(is, name, len) == 0)
            return (enum severity)s;
    }
    return SEVERITY_MEDIUM;
}

static void build_names(struct arena *a, const struct ast_rule *ast, struct program_rule *rule)
{
    const char **key = arena_alloc(a, (ast->n_keys + 1) * sizeof *key);
    uint32_t n = 0;
    for (const struct ast_key *k = ast->key_names; k != NULL && n < ast->n_keys; k = k->next)
        key[n++] = dup_name(a, &k->name);
    rule->key_name = key;
    rule->n_keys = n;
    const char **to = arena_alloc(a, (ast->to.n + 1) * sizeof *to);
    for (uint32_t i = 0; i < ast->to.n; i++)
        to[i] = dup_name(a, &ast->to.name[i]);
    rule->to = to;
    rule->n_to = ast->to.n;
    uint32_t n_tags = ast->tags != NULL ? ast->tags->n_args : 0;
    const char **tag = arena_alloc(a, (n_tags + 1) * sizeof *tag);
    for (uint32_t i = 0; i < n_tags; i++)
        tag[i] = arena_strndup(a, ast->tags->args[i]->value.u.text, ast->tags->args[i]->value.len);
    rule->tag = tag;
    rule->n_tags = n_tags;
}

bool program_rule_build(const struct expr_context *cx, const struct ast_rule *ast,
                        struct program_rule *rule)
{
    struct arena *a = pools_arena(cx->pools);
    rule->name = dup_name(a, &ast->name);
    rule->disabled = ast->disabled;
    rule->stream_own = rule->stream_into = UINT32_MAX;
    rule->tells = true;
    rule->severity = find_severity(ast->severity);
    rule->risk = ast->risk != NULL ? (int32_t)ast->risk->value.u.i : -1;
    rule->keep = ast->keep != NULL ? (uint32_t)ast->keep->value.u.i : DEFAULT_KEEP;
    build_names(a, ast, rule);
    build_limits(ast, rule);
    if (ast->meta != NULL) {
        struct buf text;
        buf_init(&text);
        meta_block(&text, ast->meta, a);
        rule->meta_json = arena_strndup(a, text.data, text.len);
        buf_fini(&text);
    }
    bool ok = build_emit(cx, ast, rule);
    ok &= build_pieces(cx, ast->title_pieces, &rule->title, &rule->n_title);
    ok &= build_pieces(cx, ast->description_pieces, &rule->description, &rule->n_description);
    ok &= build_suppress(cx, ast, rule);
    return ok;
}
