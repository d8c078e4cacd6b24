// SPDX-License-Identifier: Apache-2.0
/* program_rule - the clauses of a rule that are not its body: texts, emit, suppress, limits. */
#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "base/buf.h"
#include "base/digest.h"
#include "event/value.h"
#include "lang/ast.h"
#include "lang/ast_print.h"
#include "lang/resolve.h"
#include "plan/pools.h"
#include "plan/program_priv.h"
#include "plan/shape.h"

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
    const char **name = arena_alloc(pools_arena(cx->pools), (n + 1) * sizeof *name);
    for (uint32_t i = 0; i < n; i++) {
        ok &= expr_compile(cx, ast->suppress.by[i], &by[i]);
        name[i] = dotted(pools_arena(cx->pools), ast->suppress.by[i]->part,
                         ast->suppress.by[i]->n_parts);
    }
    rule->suppress_by = by;
    rule->suppress_name = name;
    rule->n_suppress_by = n;
    return ok;
}

static bool build_excepted(const struct expr_context *cx, const struct ast_rule *ast,
                           struct program_rule *rule)
{
    bool ok = true;
    uint32_t n = 0;
    for (const struct ast_excepted *e = ast->excepted; e != NULL; e = e->next)
        n++;
    struct program_excepted *ex = arena_alloc(pools_arena(cx->pools), (n + 1) * sizeof *ex);
    n = 0;
    for (const struct ast_excepted *e = ast->excepted; e != NULL; e = e->next, n++) {
        ex[n].exception = e->exception->number;
        ok &= expr_compile_all(cx, &(struct ast_expr *){e->where}, 1, &ex[n].where);
    }
    rule->excepted = ex;
    rule->n_excepted = n;
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
    if (expr != NULL && expr->kind == AST_LITERAL && expr->value.type == VALUE_TEXT) {
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

/* ---- the bound of its state, in words ------------------------------------------------------ */

static void add_duration(struct buf *out, const struct ast_expr *literal)
{
    value_add_text(out, literal->value);
}

static const char *of_key(const struct ast_rule *ast)
{
    return ast->n_keys > 0 ? " for each key" : "";
}

static bool is_one_step(const struct ast_match *match)
{
    const struct ast_element *first = match->elements;
    return first->next == NULL && first->kind == AST_STEP && first->step->max == 1 &&
           match->until == NULL;
}

static void match_bound(struct buf *out, const struct ast_rule *ast,
                        const struct program_limits *limits)
{
    const struct ast_match *match = ast->match;
    if (is_one_step(match)) {
        buf_adds(out, "none: each event is a match of its own");
        return;
    }
    buf_printf(out, "at most %llu runs%s of at most %llu events; ",
               (unsigned long long)limits->runs, of_key(ast), (unsigned long long)limits->events);
    if (match->within == NULL) {
        buf_adds(out, "a run ends when the `within` of the step that it waits for has passed");
        return;
    }
    buf_adds(out, "a run takes its last event ");
    add_duration(out, match->within);
    buf_adds(out, " after its first at the latest");
    for (uint32_t i = 0; i < match->n_steps; i++) {
        const struct ast_step *step = match->steps[i];
        if (!step->negated || step->within == NULL)
            continue;
        buf_printf(out, ", and `not %s` is watched for ", step->name.text);
        add_duration(out, step->within);
    }
}

static void window_bound(struct buf *out, const struct ast_rule *ast,
                         const struct program_limits *limits)
{
    const struct ast_window *w = ast->window;
    switch (w->kind) {
    case AST_TUMBLING:
        buf_printf(out, "one window%s, of ", of_key(ast));
        add_duration(out, w->size);
        break;
    case AST_HOPPING:
        buf_printf(out, "%llu windows%s, of ",
                   (unsigned long long)(w->size->value.u.i / w->every->value.u.i), of_key(ast));
        add_duration(out, w->size);
        break;
    case AST_SESSION:
        buf_printf(out, "one session%s, of at most ", of_key(ast));
        value_add_text(out, value_duration(resolve_session_max(w)));
        break;
    case AST_SLIDING:
        buf_printf(out, "the events%s of the last ", of_key(ast));
        value_add_text(out, value_duration(ast->window->size->value.u.i));
        buf_adds(out, ", and as far as an aggregate has its own `within`");
        break;
    case AST_GLOBAL:
        buf_printf(out, "one window%s, dropped ", of_key(ast));
        add_duration(out, w->expire);
        buf_adds(out, " after its last event");
        break;
    }
    if (w->late != NULL) {
        buf_adds(out, ", kept ");
        add_duration(out, w->late);
        buf_adds(out, " longer for late events");
    }
    buf_printf(out, "; an aggregate holds at most %llu different values",
               (unsigned long long)limits->values);
}

static void join_bound(struct buf *out, const struct ast_rule *ast)
{
    const struct ast_join *join = ast->join;
    int64_t high = join->high->value.u.i, low = join->low != NULL ? join->low->value.u.i : -high;
    buf_printf(out, "events%s: of `%s` those of the last ", of_key(ast), ast->steps[0]->name.text);
    value_add_text(out, value_duration(high > 0 ? high : 0));
    buf_printf(out, ", of `%s` those of the last ", ast->steps[1]->name.text);
    value_add_text(out, value_duration(low < 0 ? -low : 0));
}

static void novel_bound(struct buf *out, const struct ast_rule *ast,
                        const struct program_limits *limits)
{
    buf_printf(out, "at most %llu values%s, each until it was not seen for ",
               (unsigned long long)limits->values, of_key(ast));
    add_duration(out, ast->novel->within);
}

static const char *state_bound(struct arena *a, const struct ast_rule *ast,
                               const struct program_limits *limits)
{
    struct buf text;
    buf_init(&text);
    switch (ast->body) {
    case AST_BODY_NONE: break;
    case AST_BODY_MATCH: match_bound(&text, ast, limits); break;
    case AST_BODY_WINDOW: window_bound(&text, ast, limits); break;
    case AST_BODY_JOIN: join_bound(&text, ast); break;
    case AST_BODY_NOVEL: novel_bound(&text, ast, limits); break;
    }
    const char *copy = arena_strndup(a, text.len > 0 ? text.data : "", text.len);
    buf_fini(&text);
    return copy;
}

/* A severity or risk that is no constant. */
static bool build_computed(const struct expr_context *cx, const struct ast_expr *expr,
                           const struct code **code_out)
{
    return expr == NULL || expr->kind == AST_LITERAL || expr_compile(cx, expr, code_out);
}

/* Of windows in pieces of time the old version closes what it has begun; those that never end, and
 * what is remembered, would be told wrongly for as long as they reach. */
static enum program_reload default_reload(const struct ast_rule *ast)
{
    bool endless = ast->body == AST_BODY_NOVEL ||
                   (ast->body == AST_BODY_WINDOW && (ast->window->kind == AST_SLIDING ||
                                                     ast->window->kind == AST_GLOBAL));
    return endless ? RELOAD_REFUSE : RELOAD_DRAIN;
}

static void build_identity(const struct ast_rule *ast, struct program_rule *rule)
{
    const struct ast_name *mode = &ast->on_reload;
    struct buf text;

    rule->on_reload = default_reload(ast);
    if (mode->text != NULL)
        rule->on_reload = strcmp(mode->text, "drain") == 0   ? RELOAD_DRAIN
                          : strcmp(mode->text, "fresh") == 0 ? RELOAD_FRESH
                                                             : RELOAD_REFUSE;
    shape_of_rule(ast, rule->shape);
    buf_init(&text);
    ast_print_rule(&text, ast);
    digest_id(text.data, text.len, rule->text_hash);
    buf_fini(&text);
}

bool program_rule_build(const struct expr_context *cx, const struct ast_rule *ast,
                        struct program_rule *rule)
{
    struct arena *a = pools_arena(cx->pools);
    rule->name = dup_name(a, &ast->name);
    const char *file = diag_file_name(cx->diag, ast->name.span.file);
    uint32_t column;
    rule->file = arena_strndup(a, file, strlen(file));
    diag_locate(cx->diag, ast->name.span, &rule->line, &column);
    rule->disabled = ast->disabled;
    rule->depth = ast->depth;
    rule->stream_own = ast->stream_own;
    rule->stream_into = ast->stream_into;
    rule->emits_into = ast->emit_into.text != NULL;
    rule->tells = !rule->emits_into || ast->to.n > 0;
    rule->severity = find_severity(ast->severity);
    rule->risk = -1;
    if (ast->risk != NULL && ast->risk->kind == AST_LITERAL)
        rule->risk = (int32_t)ast->risk->value.u.i;
    rule->keep = ast->keep != NULL ? (uint32_t)ast->keep->value.u.i : DEFAULT_KEEP;
    build_names(a, ast, rule);
    build_limits(ast, rule);
    build_identity(ast, rule);
    rule->state_bound = state_bound(a, ast, &rule->limits);
    if (ast->meta != NULL) {
        struct buf text;
        buf_init(&text);
        meta_block(&text, ast->meta, a);
        rule->meta_json = arena_strndup(a, text.data, text.len);
        buf_fini(&text);
    }
    bool ok = build_emit(cx, ast, rule);
    ok &= build_computed(cx, ast->severity, &rule->severity_code);
    ok &= build_computed(cx, ast->risk, &rule->risk_code);
    ok &= build_pieces(cx, ast->title_pieces, &rule->title, &rule->n_title);
    ok &= build_pieces(cx, ast->description_pieces, &rule->description, &rule->n_description);
    ok &= build_suppress(cx, ast, rule);
    ok &= build_excepted(cx, ast, rule);
    return ok;
}
