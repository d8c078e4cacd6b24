// SPDX-License-Identifier: Apache-2.0
/*
 * resolve_expr - what each path of an expression means: a variable, an emitted field, a step's
 * field, a key, a list, or a field of the event at hand. The order is that of resolve.h.
 */
#include <string.h>

#include "base/arena.h"
#include "base/buf.h"
#include "base/diag.h"
#include "event/schema.h"
#include "lang/resolve_priv.h"

/* ---- paths as text ------------------------------------------------------------------------- */

static bool is_word(const char *text, uint32_t len)
{
    for (uint32_t i = 0; i < len; i++) {
        char c = text[i];
        bool letter = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_' || c == '@';
        if (!letter && (i == 0 || c < '0' || c > '9'))
            return false;
    }
    return len > 0;
}

static const char *join_path(struct resolver *r, const struct path_part *part, uint32_t n,
                             bool quote)
{
    struct buf b;
    buf_init(&b);
    for (uint32_t i = 0; i < n; i++) {
        if (part[i].name == NULL) {
            buf_printf(&b, "[%d]", part[i].index);
            continue;
        }
        bool plain = !quote || is_word(part[i].name, part[i].len);
        buf_adds(&b, i > 0 ? "." : "");
        buf_adds(&b, plain ? "" : "`");
        buf_add(&b, part[i].name, part[i].len);
        buf_adds(&b, plain ? "" : "`");
    }
    const char *text = arena_strndup(r->arena, b.len > 0 ? b.data : "", b.len);
    buf_fini(&b);
    return text;
}

const char *resolve_path_text(struct resolver *r, const struct path_part *part, uint32_t n)
{
    return join_path(r, part, n, true);
}

const char *resolve_path_plain(struct resolver *r, const struct path_part *part, uint32_t n)
{
    return join_path(r, part, n, false);
}

static bool part_is(const struct path_part *part, const char *name)
{
    return part->name != NULL && strlen(name) == part->len &&
           memcmp(part->name, name, part->len) == 0;
}

/* ---- what a name may be -------------------------------------------------------------------- */

bool resolve_find_variable(const struct scope *sc, const struct ast_expr *path, uint32_t *depth_out)
{
    *depth_out = 0;
    for (const struct variable *v = sc->variable; v != NULL; v = v->outer) {
        if (v->expansion == path->expansion && part_is(&path->part[0], v->name))
            return true;
        ++*depth_out;
    }
    return false;
}

static const struct ast_step *step_named(const struct scope *sc, const struct path_part *part)
{
    if (sc->match == NULL)
        return NULL;
    const struct ast_match *match = sc->match->match;
    for (uint32_t i = 0; i < match->n_steps; i++) {
        if (part_is(part, match->steps[i]->name.text))
            return match->steps[i];
    }
    return NULL;
}

const struct ast_step *resolve_find_step(const struct scope *sc, const struct ast_expr *path)
{
    uint32_t depth;
    if (path->kind != AST_PATH || path->n_parts == 0 || path->expansion != 0 ||
        sc->kind == SCOPE_KEY || resolve_find_variable(sc, path, &depth))
        return NULL;
    return step_named(sc, &path->part[0]);
}

static bool find_emitted(const struct scope *sc, struct ast_expr *path)
{
    uint32_t number = 0;
    for (const struct ast_assign *a = sc->rule->emit; a != NULL; a = a->next, number++) {
        bool same = a->n_parts == path->n_parts;
        for (uint32_t i = 0; same && i < a->n_parts; i++)
            same = path->part[i].name != NULL && a->part[i].len == path->part[i].len &&
                   memcmp(a->part[i].name, path->part[i].name, a->part[i].len) == 0;
        if (!same)
            continue;
        path->ref = REF_EMITTED;
        path->emitted = number;
        return true;
    }
    return false;
}

static bool find_key(const struct scope *sc, struct ast_expr *path)
{
    if (sc->rule->key_names == NULL)
        return false;
    const char *quoted = join_path(sc->r, path->part, path->n_parts, true);
    const char *plain = join_path(sc->r, path->part, path->n_parts, false);
    uint32_t number = 0;
    for (const struct ast_key *k = sc->rule->key_names; k != NULL; k = k->next, number++) {
        if (strcmp(k->name.text, quoted) != 0 && strcmp(k->name.text, plain) != 0)
            continue;
        path->ref = REF_KEY;
        path->key = number;
        return true;
    }
    return false;
}

bool resolve_output(const struct scope *sc, struct ast_expr *path)
{
    if (path->kind != AST_PATH || path->n_parts == 0)
        return false;
    return (sc->kind == SCOPE_ALERT && find_emitted(sc, path)) || find_key(sc, path);
}

bool resolve_slot(const struct scope *sc, struct ast_expr *expr, const struct path_part *part,
                  uint32_t n)
{
    if (sc->kind == SCOPE_DEF)
        return true;
    if (n > SCHEMA_MAX_PARTS) {
        diag_add(sc->r->diag, DIAG_ERROR, expr->span, "a field path has at most %d parts",
                 SCHEMA_MAX_PARTS);
        return false;
    }
    if (!schema_slot(sc->r->unit->schema, part, n, &expr->slot)) {
        diag_add(sc->r->diag, DIAG_ERROR, expr->span, "the rules read more than %d fields",
                 SCHEMA_MAX_SLOTS);
        return false;
    }
    expr->has_slot = true;
    return true;
}

static void warn_of_list(const struct scope *sc, const struct ast_expr *path)
{
    uint32_t list;
    if (path->n_parts != 1 || path->part[0].name == NULL || path->part_quoted == NULL ||
        path->part_quoted[0] || !name_table_find(&sc->r->lists, path->part[0].name, &list))
        return;
    diag_add(sc->r->diag, DIAG_WARNING, path->span, "`%s` is read as a field here",
             path->part[0].name);
    diag_hint(sc->r->diag, "the declared list of that name stands to the right of `in`");
}

/* The names differ by more than an ending: `file.x` beside a step `files` is meant. */
static bool is_typo(const char *name, const char *of)
{
    size_t a = strlen(name), b = strlen(of), least = a < b ? a : b;
    return least >= 4 && (a == b || memcmp(name, of, least) != 0);
}

/* A field of the event by a name that is a letter away from a step's: it compiles, and is always missing. */
static void warn_of_step(const struct scope *sc, const struct ast_expr *path)
{
    struct suggest s;
    if (sc->match == NULL || sc->kind == SCOPE_KEY || path->expansion != 0 || path->n_parts < 2 ||
        path->part[0].name == NULL || (path->part_quoted != NULL && path->part_quoted[0]))
        return;
    const struct ast_match *match = sc->match->match;
    suggest_init(&s, path->part[0].name);
    for (uint32_t i = 0; i < match->n_steps; i++)
        suggest_try(&s, match->steps[i]->name.text);
    if (s.best == NULL || s.best_distance != 1 || !is_typo(path->part[0].name, s.best))
        return;
    diag_add(sc->r->diag, DIAG_WARNING, path->span, "`%s` is read as a field of the event here", path->part[0].name);
    resolve_did_you_mean(sc->r, &s);
}

static void resolve_any_field(const struct scope *sc, struct ast_expr *path)
{
    bool here = sc->kind == SCOPE_WHERE || sc->kind == SCOPE_STREAM || sc->kind == SCOPE_DEF ||
                sc->kind == SCOPE_ARGUMENT;
    if (!here || !sc->in_text_operator) {
        diag_add(sc->r->diag, DIAG_ERROR, path->span,
                 "`any_field` stands to the left of a text operator in `where` only");
        diag_hint(sc->r->diag, "a field of that name is written with back quotes");
        return;
    }
    path->ref = REF_ANY_FIELD;
    if (sc->argument != NULL)
        sc->argument->bare = true;
    if (sc->kind != SCOPE_DEF)
        schema_want_texts(sc->r->unit->schema);
}

static void resolve_step_path(const struct scope *sc, struct ast_expr *path,
                              const struct ast_step *step)
{
    struct diag *diag = sc->r->diag;
    const char *name = step->name.text;
    if (sc->kind == SCOPE_KEY || path->expansion != 0) {
        resolve_ambiguous(sc, step, path);
        return;
    }
    if (sc->kind == SCOPE_ARGUMENT) {
        resolve_argument_path(sc, path, step);
        return;
    }
    if (!resolve_may_refer(sc, step, USE_FIELD, path))
        return;
    if (path->n_parts == 1) {
        diag_add(diag, DIAG_ERROR, path->span, "`%s` is %s, not a field", name, sc->match->a_noun);
        diag_hint(diag, "name a field of it, as `%s.x`, or rename the %s", name, sc->match->noun);
    } else if (path->part[1].name == NULL && sc->match->body != AST_BODY_MATCH) {
        diag_add(diag, DIAG_ERROR, path->span, "`%s` is one event: it has no index", name);
    } else if (path->part[1].name == NULL) {
        diag_add(diag, DIAG_ERROR, path->span, "the events of a step have no index");
        diag_hint(diag, "there are `first(%s).x`, `last(%s).x` and `values(%s.x)`", name, name,
                  name);
    } else {
        struct candidate from = resolve_candidate_of(sc, step);
        resolve_field(sc, path, &from, path->part + 1, path->n_parts - 1, step);
    }
}

static void resolve_path(const struct scope *sc, struct ast_expr *path)
{
    uint32_t depth;
    if (path->n_parts == 0)
        return;
    if (resolve_lookup(sc, path))
        return;
    if (resolve_find_variable(sc, path, &depth)) {
        if (!resolve_inner_variable(sc, path, depth))
            return;
        path->ref = REF_VARIABLE;
        path->variable = depth;
        return;
    }
    if (sc->kind == SCOPE_ALERT && find_emitted(sc, path))
        return;
    bool quoted = path->part_quoted != NULL && path->part_quoted[0];
    if (path->n_parts == 1 && !quoted && part_is(&path->part[0], "any_field")) {
        resolve_any_field(sc, path);
        return;
    }
    const struct ast_step *step = step_named(sc, &path->part[0]);
    if (step != NULL) {
        resolve_step_path(sc, path, step);
        return;
    }
    if (resolve_window_bound(sc, path))
        return;
    bool outside = sc->kind == SCOPE_EMIT || sc->kind == SCOPE_ALERT || sc->kind == SCOPE_HAVING;
    if ((outside && find_key(sc, path)) || resolve_bare_path(sc, path))
        return;
    warn_of_list(sc, path);
    warn_of_step(sc, path);
    struct candidate from = resolve_candidate(sc);
    resolve_field(sc, path, &from, path->part, path->n_parts, NULL);
}

/* ---- operators ----------------------------------------------------------------------------- */

/* What may stand to the right of an operator. */
enum right_side {
    RIGHT_ANY,     /* any expression */
    RIGHT_PATTERN, /* a literal, a list of them, or a declared list */
    RIGHT_TEXT,    /* these, or any expression that is a text */
};

static enum right_side right_side(enum ast_op op)
{
    switch (op) {
    case AST_OP_IN:
    case AST_OP_NOT_IN:
    case AST_OP_LIKE:
    case AST_OP_NOT_LIKE:
    case AST_OP_REGEX:
    case AST_OP_NOT_REGEX: return RIGHT_PATTERN;
    case AST_OP_CONTAINS:
    case AST_OP_NOT_CONTAINS:
    case AST_OP_CONTAINS_ALL:
    case AST_OP_NOT_CONTAINS_ALL:
    case AST_OP_STARTSWITH:
    case AST_OP_NOT_STARTSWITH:
    case AST_OP_ENDSWITH:
    case AST_OP_NOT_ENDSWITH: return RIGHT_TEXT;
    default: return RIGHT_ANY;
    }
}

static bool takes_any_field(enum ast_op op)
{
    return right_side(op) != RIGHT_ANY || op == AST_OP_EQ || op == AST_OP_NE;
}

/* True if the path is a declared list, or what it should have been was told. */
static bool resolve_list_name(const struct scope *sc, struct ast_expr *path, enum right_side side)
{
    struct resolver *r = sc->r;
    uint32_t number, depth;
    if (path->kind != AST_PATH || path->n_parts == 0 || path->index != NULL ||
        resolve_find_variable(sc, path, &depth))
        return false;
    const char *name = path->part[0].name;
    if (path->n_parts == 1 && name_table_find(&r->lists, name, &number)) {
        path->ref = REF_LIST;
        path->list = number;
        return true;
    }
    if (side != RIGHT_PATTERN)
        return false;
    if (path->n_parts > 1 || resolve_find_step(sc, path) != NULL)
        return false; /* typecheck says what is wrong with it */
    struct suggest s;
    suggest_init(&s, name);
    name_table_suggest(&r->lists, &s);
    name_table_suggest(&r->tables, &s);
    diag_add(r->diag, DIAG_ERROR, path->span, "`%s` is not a declared list", name);
    if (resolve_did_you_mean(r, &s))
        return true;
    diag_hint(r->diag, "declare it; a field that is a list is compared by `==` or `!=`");
    return true;
}

static void resolve_binary(const struct scope *sc, struct ast_expr *expr)
{
    struct scope left = *sc, right = *sc;
    left.in_text_operator = takes_any_field(expr->op);
    right.in_text_operator = false;
    resolve_expr(&left, expr->args[0]);
    enum right_side side = right_side(expr->op);
    if (side == RIGHT_PATTERN && resolve_in_table(&right, expr))
        return;
    if (side == RIGHT_ANY || !resolve_list_name(&right, expr->args[1], side))
        resolve_expr(&right, expr->args[1]);
}

static void resolve_quantified(const struct scope *sc, struct ast_expr *expr)
{
    struct scope in = *sc;
    in.in_text_operator = false;
    resolve_expr(&in, expr->args[0]);
    struct variable v = {expr->name.text, expr->expansion, sc->variable};
    in.variable = &v;
    resolve_expr(&in, expr->args[1]);
}

static void resolve_args(const struct scope *sc, struct ast_expr *expr)
{
    struct scope in = *sc;
    in.in_text_operator = false;
    for (uint32_t i = 0; i < expr->n_args; i++)
        resolve_expr(&in, expr->args[i]);
}

void resolve_expr(const struct scope *sc, struct ast_expr *expr)
{
    struct resolver *r = sc->r;
    if (expr == NULL)
        return;
    if (r->depth == RESOLVE_MAX_DEPTH) {
        diag_add(r->diag, DIAG_ERROR, expr->span,
                 "an expression has at most %d operators within each other", RESOLVE_MAX_DEPTH);
        diag_hint(r->diag, "many alternatives are better written as `x in [...]`");
        return;
    }
    r->depth++;
    switch (expr->kind) {
    case AST_LITERAL: break;
    case AST_PATH: resolve_path(sc, expr); break;
    case AST_BINARY: resolve_binary(sc, expr); break;
    case AST_QUANTIFIED: resolve_quantified(sc, expr); break;
    case AST_CALL: resolve_call(sc, expr); break;
    case AST_LIST:
        for (uint32_t i = 0; i < expr->n_args; i++)
            resolve_fold_sign(expr->args[i]);
        resolve_args(sc, expr);
        break;
    case AST_UNARY: resolve_args(sc, expr); break;
    }
    r->depth--;
}
