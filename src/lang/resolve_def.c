// SPDX-License-Identifier: Apache-2.0
/*
 * resolve_def - def f(u) = BODY: each call is replaced by a copy of the body in which the argument,
 * as it was written, stands for the parameter.
 *
 * What the body names itself is a parameter, a variable of its own any()/all(), a list, or a field
 * of the event at hand - never a step of the rule that uses it. So every copied node carries the
 * number of its expansion, and names meet only within one expansion; arguments keep the number of
 * the place that they came from (0 for what a rule says itself).
 * Bodies are resolved once alone, callees first, so mistakes are found in defs that nothing uses.
 */
#include <string.h>

#include "base/arena.h"
#include "base/diag.h"
#include "base/mem.h"
#include "event/schema.h"
#include "lang/resolve_priv.h"

enum { DEF_MAX_DEPTH = 50 }; /* defs that use defs that use ... */

struct copier {
    const struct scope *sc;
    const struct ast_def *def;
    const struct ast_expr *call;
    const struct variable *variable; /* of the body, around the node being copied */
    uint32_t expansion;
    uint32_t depth;
    bool failed;
};

static struct ast_expr *copy_expr(struct copier *c, const struct ast_expr *from, bool is_body);

static bool count_node(struct copier *c)
{
    struct resolver *r = c->sc->r;
    if (c->failed)
        return false;
    if (++r->expanded <= RESOLVE_MAX_EXPANDED && c->depth < RESOLVE_MAX_DEPTH)
        return true;
    diag_add(r->diag, DIAG_ERROR, c->call->span, "the defs grow to more than %d operators here",
             RESOLVE_MAX_EXPANDED);
    c->failed = true;
    return false;
}

static bool same_name(const struct path_part *part, const char *name)
{
    return part->name != NULL && strlen(name) == part->len &&
           memcmp(part->name, name, part->len) == 0;
}

/* The argument that the path of a body stands for; NULL: none. */
static struct ast_expr *argument_of(const struct copier *c, const struct ast_expr *path)
{
    if (path->kind != AST_PATH || path->n_parts == 0 || path->expansion != 0)
        return NULL;
    for (const struct variable *v = c->variable; v != NULL; v = v->outer) {
        if (v->expansion == 0 && same_name(&path->part[0], v->name))
            return NULL; /* hidden by a variable of the body */
    }
    for (uint32_t i = 0; i < c->def->params.n; i++) {
        if (same_name(&path->part[0], c->def->params.name[i].text))
            return c->call->args[i];
    }
    return NULL;
}

/* u.x.y where u stands for a.b: a.b.x.y */
static void append_parts(struct copier *c, struct ast_expr *to, const struct ast_expr *from)
{
    struct arena *a = c->sc->r->arena;
    uint32_t n = to->n_parts + from->n_parts - 1;
    struct path_part *part = arena_alloc(a, n * sizeof *part);
    bool *quoted = arena_alloc(a, n * sizeof *quoted);
    memcpy(part, to->part, to->n_parts * sizeof *part);
    memcpy(part + to->n_parts, from->part + 1, (from->n_parts - 1) * sizeof *part);
    for (uint32_t i = 0; i < to->n_parts; i++)
        quoted[i] = to->part_quoted != NULL && to->part_quoted[i];
    to->part = part;
    to->part_quoted = quoted;
    to->n_parts = n;
}

static struct ast_expr *copy_argument(struct copier *c, const struct ast_expr *path,
                                      struct ast_expr *arg)
{
    if (path->n_parts > 1 && arg->kind != AST_PATH) {
        diag_add(c->sc->r->diag, DIAG_ERROR, arg->span,
                 "`%s` reads a field of this argument, so it must be a field path",
                 c->def->name.text);
        c->failed = true;
        return NULL;
    }
    struct ast_expr *copy = copy_expr(c, arg, false);
    if (copy == NULL)
        return NULL;
    if (path->n_parts > 1)
        append_parts(c, copy, path);
    copy->parenthesised = true;
    return copy;
}

static void copy_children(struct copier *c, struct ast_expr *copy, const struct ast_expr *from,
                          bool is_body)
{
    struct variable v = {from->name.text, from->expansion, c->variable};
    copy->args = arena_alloc(c->sc->r->arena, from->n_args * sizeof(struct ast_expr *));
    for (uint32_t i = 0; i < from->n_args && !c->failed; i++) {
        bool inside = is_body && from->kind == AST_QUANTIFIED && i == 1;
        if (inside)
            c->variable = &v;
        copy->args[i] = copy_expr(c, from->args[i], is_body);
        if (inside)
            c->variable = v.outer;
    }
    if (from->where != NULL)
        copy->where = copy_expr(c, from->where, is_body);
    if (from->within != NULL)
        copy->within = copy_expr(c, from->within, is_body);
    if (from->index != NULL)
        copy->index = copy_expr(c, from->index, is_body);
}

/* NULL once it has failed. */
static struct ast_expr *copy_expr(struct copier *c, const struct ast_expr *from, bool is_body)
{
    if (!count_node(c))
        return NULL;
    struct ast_expr *arg = is_body ? argument_of(c, from) : NULL;
    if (arg != NULL)
        return copy_argument(c, from, arg);
    struct ast_expr *copy = arena_memdup(c->sc->r->arena, from, sizeof *from);
    copy->ref = REF_NONE;
    copy->has_slot = false;
    if (is_body && from->expansion == 0)
        copy->expansion = c->expansion;
    c->depth++;
    copy_children(c, copy, from, is_body);
    c->depth--;
    return c->failed ? NULL : copy;
}

static void resolve_def(struct resolver *r, struct def_info *info);

bool resolve_expand(const struct scope *sc, struct ast_expr *call, uint32_t def)
{
    struct resolver *r = sc->r;
    struct def_info *info = r->defs.item[def];
    const char *name = info->def->name.text;
    if (info->state == DEF_OPEN) {
        diag_add(r->diag, DIAG_ERROR, call->span, "def `%s` uses itself", name);
        return false;
    }
    if (info->state == DEF_NEW)
        resolve_def(r, info);
    if (call->n_args != info->def->params.n) {
        diag_add(r->diag, DIAG_ERROR, call->span, "`%s` takes %u argument%s, %u given", name,
                 info->def->params.n, info->def->params.n == 1 ? "" : "s", call->n_args);
        diag_hint(r->diag, "declared at %s", resolve_place(r, info->def->name.span));
        return false;
    }
    if (call->n_parts > 0 || call->where != NULL || call->within != NULL) {
        diag_add(r->diag, DIAG_ERROR, call->span,
                 "`%s` takes no `where`, no `within`, and has no fields", name);
        return false;
    }
    struct copier c = {
        .sc = sc, .def = info->def, .call = call, .expansion = ++r->expansions, .depth = r->depth};
    struct ast_expr *body = copy_expr(&c, info->def->body, true);
    if (body == NULL)
        return false;
    *call = *body;
    call->parenthesised = true;
    return true;
}

/* ---- declarations -------------------------------------------------------------------------- */

static void check_params(struct resolver *r, const struct ast_def *def)
{
    if (!resolve_count(r, def->params.span, def->params.n, RESOLVE_MAX_NAMES, "parameters"))
        return;
    for (uint32_t i = 0; i < def->params.n; i++) {
        for (uint32_t k = 0; k < i; k++) {
            if (strcmp(def->params.name[i].text, def->params.name[k].text) == 0) {
                diag_add(r->diag, DIAG_ERROR, def->params.name[i].span,
                         "parameter `%s` is named twice", def->params.name[i].text);
                break;
            }
        }
    }
}

static void resolve_def(struct resolver *r, struct def_info *info)
{
    struct ast_def *def = info->def;
    if (r->def_depth == DEF_MAX_DEPTH) {
        diag_add(r->diag, DIAG_ERROR, def->name.span,
                 "defs that use defs are nested more than %d deep", DEF_MAX_DEPTH);
        info->state = DEF_DONE;
        return;
    }
    info->state = DEF_OPEN;
    check_params(r, def);
    struct variable *param = arena_alloc(r->arena, (def->params.n + 1) * sizeof *param);
    const struct variable *scope = NULL;
    for (uint32_t i = 0; i < def->params.n; i++) {
        param[i] = (struct variable){def->params.name[i].text, 0, scope};
        scope = &param[i];
    }
    struct scope sc = {.r = r, .kind = SCOPE_DEF, .variable = scope};
    uint32_t depth = r->depth;
    r->depth = 0;
    r->def_depth++;
    resolve_expr(&sc, def->body);
    r->def_depth--;
    r->depth = depth;
    info->state = DEF_DONE;
}

void resolve_defs(struct resolver *r)
{
    uint32_t number;
    for (const struct ast_def *d = r->module->defs; d != NULL; d = d->next) {
        if (resolve_is_function_name(d->name.text)) {
            diag_add(r->diag, DIAG_ERROR, d->name.span, "def `%s` is named like a function",
                     d->name.text);
            diag_hint(r->diag, "rename it");
            continue;
        }
        if (!name_table_find(&r->defs, d->name.text, &number))
            continue;
        struct def_info *info = r->defs.item[number];
        if (info->def == d && info->state == DEF_NEW)
            resolve_def(r, info);
    }
}
