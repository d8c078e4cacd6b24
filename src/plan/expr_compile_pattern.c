// SPDX-License-Identifier: Apache-2.0
/*
 * expr_compile_pattern - constant right sides, compiled: sets of values, globs, regexes, networks,
 * parts of texts; from literals and from declared lists.
 */
#include <string.h>

#include "base/arena.h"
#include "base/buf.h"
#include "base/casefold.h"
#include "base/cidr.h"
#include "base/glob.h"
#include "base/mem.h"
#include "base/regex.h"
#include "lang/ast.h"
#include "plan/expr_compile.h"
#include "plan/expr_compile_priv.h"
#include "plan/pools.h"

/* One member of a right side, and where it was written. */
struct member {
    struct value value;
    struct span span;
};

struct members {
    struct member *member; /* in the lowering's arena */
    size_t n, cap;
};

/* null is passed over, nested lists are flat. */
static void members_add(struct lower *l, struct members *m, struct value v, struct span span)
{
    if (v.type == VALUE_LIST) {
        for (uint32_t i = 0; i < v.len; i++)
            members_add(l, m, v.u.list[i], span);
    } else if (v.type != VALUE_MISSING) {
        if (m->n == m->cap) {
            m->cap = m->cap ? m->cap * 2 : 8;
            struct member *more = arena_alloc_raw(l->arena, m->cap * sizeof *more);
            if (m->n)
                memcpy(more, m->member, m->n * sizeof *more);
            m->member = more;
        }
        m->member[m->n++] = (struct member){ v, span };
    }
}

static struct members members_of(struct lower *l, const struct ast_expr *expr, struct value v)
{
    struct members m = { 0 };
    bool same = expr->kind == AST_LIST && v.type == VALUE_LIST && v.len == expr->n_args;

    if (!same)
        members_add(l, &m, v, expr->span);
    for (uint32_t i = 0; same && i < v.len; i++)
        members_add(l, &m, v.u.list[i], expr->args[i]->span);
    return m;
}

/* ---- each kind --------------------------------------------------------------------------------- */

static bool all_text(struct lower *l, const struct members *m, const char *what)
{
    bool good = true;

    for (size_t i = 0; i < m->n; i++) {
        if (m->member[i].value.type == VALUE_TEXT)
            continue;
        lower_error(l, m->member[i].span, "%s must be a text, not a %s", what,
                    value_type_name(m->member[i].value.type));
        good = false;
    }
    return good;
}

static void make_set(struct pattern *p, const struct members *m)
{
    struct value_set *set = value_set_new(p->fold);

    for (size_t i = 0; i < m->n; i++)
        value_set_add(set, m->member[i].value);
    p->set = set;
    p->n = value_set_count(set);
}

static bool make_globs(struct lower *l, struct pattern *p, const struct members *m)
{
    struct glob **glob = arena_alloc(pools_arena(l->cx->pools), m->n * sizeof *glob + 1);

    if (!all_text(l, m, "a pattern of `like`"))
        return false;
    for (size_t i = 0; i < m->n; i++)
        glob[i] = glob_new(m->member[i].value.u.text, m->member[i].value.len, p->fold);
    p->glob = glob;
    return true;
}

static bool make_regexes(struct lower *l, struct pattern *p, const struct members *m)
{
    struct regex **regex = arena_alloc(pools_arena(l->cx->pools), m->n * sizeof *regex + 1);
    uint32_t good = 0;

    if (!all_text(l, m, "a regular expression"))
        return false;
    for (size_t i = 0; i < m->n; i++) {
        struct value v = m->member[i].value;
        char *why = NULL;
        size_t at = 0;
        regex[good] = regex_new(v.u.text, v.len, p->fold, &why, &at);
        if (!regex[good])
            lower_error(l, m->member[i].span, "bad regular expression at offset %zu: %s", at,
                        why ? why : "?");
        else
            good++;
        mem_free(why);
    }
    p->regex = regex;
    if (good == m->n)
        return true;
    for (uint32_t i = 0; i < good; i++)
        regex_free(&regex[i]);
    return false;
}

static bool make_networks(struct lower *l, struct pattern *p, const struct members *m)
{
    struct cidr_set *set;
    const char *why = "";
    bool good = all_text(l, m, "a network");

    if (!good)
        return false;
    set = cidr_set_new();
    for (size_t i = 0; i < m->n; i++) {
        struct value v = m->member[i].value;
        if (!cidr_set_add(set, v.u.text, v.len, &why)) {
            lower_error(l, m->member[i].span, "`%.*s` is no network: %s", (int)v.len, v.u.text, why);
            good = false;
        }
    }
    if (!good) {
        cidr_set_free(&set);
        return false;
    }
    cidr_set_seal(set);
    p->network = set;
    return true;
}

static bool make_parts(struct lower *l, struct pattern *p, const struct members *m, enum relation r)
{
    struct arena *a = pools_arena(l->cx->pools);
    struct value *part = arena_alloc(a, m->n * sizeof *part + 1);
    struct buf folded;

    for (size_t i = 0; i < m->n; i++)
        if (m->member[i].value.type != VALUE_TEXT)
            lower_error(l, m->member[i].span, "the right side of `%s` must be text, not a %s",
                        relation_name(r), value_type_name(m->member[i].value.type));
    if (l->failed)
        return false;
    buf_init(&folded);
    for (size_t i = 0; i < m->n; i++) {
        struct value v = m->member[i].value;
        if (p->fold) {
            buf_clear(&folded);
            casefold_add(&folded, v.u.text, v.len);
            v = value_text(folded.data, folded.len);
        }
        part[i] = value_copy(v, a);
    }
    buf_fini(&folded);
    p->part = part;
    return true;
}

static bool make_pattern(struct lower *l, struct pattern *p, const struct members *m,
                         enum relation r, uint32_t *number_out)
{
    struct arena *a = pools_arena(l->cx->pools);
    bool good = true;

    p->n = (uint32_t)m->n;
    switch (p->kind) {
    case PATTERN_SET: make_set(p, m); break;
    case PATTERN_GLOBS: good = make_globs(l, p, m); break;
    case PATTERN_REGEXES: good = make_regexes(l, p, m); break;
    case PATTERN_NETWORKS: good = make_networks(l, p, m); break;
    case PATTERN_PARTS: good = make_parts(l, p, m, r); break;
    }
    if (!good)
        return false;
    if (p->kind != PATTERN_SET) {
        struct value *source = arena_alloc(a, m->n * sizeof *source + 1);
        for (size_t i = 0; i < m->n; i++)
            source[i] = value_copy(m->member[i].value, a);
        p->source = source;
    }
    *number_out = pools_pattern(l->cx->pools, p);
    return true;
}

/* ---- which kind -------------------------------------------------------------------------------- */

static enum pattern_kind kind_of(enum relation r)
{
    switch (relation_positive(r)) {
    case RELATION_EQ:
    case RELATION_IN: return PATTERN_SET;
    case RELATION_LIKE: return PATTERN_GLOBS;
    case RELATION_REGEX: return PATTERN_REGEXES;
    default: return PATTERN_PARTS;
    }
}

/* What a declared list is to a relation; false if the two do not go together. */
static bool list_kind(enum ast_list_kind list, enum relation r, enum pattern_kind *kind_out)
{
    bool equality = r <= RELATION_NOT_IN;

    r = relation_positive(r);
    *kind_out = kind_of(r);
    switch (list) {
    case AST_LIST_CIDR: *kind_out = PATTERN_NETWORKS; return equality;
    case AST_LIST_LIKE: *kind_out = PATTERN_GLOBS; return equality || r == RELATION_LIKE;
    case AST_LIST_REGEX: *kind_out = PATTERN_REGEXES; return equality || r == RELATION_REGEX;
    default: return r < RELATION_LT;
    }
}

bool lower_pattern(struct lower *l, enum relation r, bool fold, const struct ast_expr *expr,
                   struct value value, uint32_t *number_out)
{
    struct pattern p = { .kind = kind_of(r), .fold = fold };
    struct members m = members_of(l, expr, value);

    if (value_is_missing(value)) {
        lower_error(l, expr->span, "the right side of `%s` is missing", relation_name(r));
        return false;
    }
    return make_pattern(l, &p, &m, r, number_out);
}

static bool list_pattern(struct lower *l, const struct ast_list *list, struct pattern *p,
                         enum relation r, uint32_t *number_out)
{
    struct members m = { 0 };

    if (pools_find_pattern(l->cx->pools, p->name, p->kind, p->fold, number_out))
        return true;
    for (uint32_t i = 0; i < list->n_items; i++) {
        struct node *node = lower_constant(l, list->item[i]);
        if (node->kind != NODE_CONST)
            lower_error(l, list->item[i]->span, "an element of a list must be constant");
        else
            members_add(l, &m, node->value, list->item[i]->span);
    }
    return !l->failed && make_pattern(l, p, &m, r, number_out);
}

bool lower_list_pattern(struct lower *l, enum relation r, bool fold, const struct ast_expr *expr,
                        uint32_t *number_out)
{
    static const char *const kind_name[] = { "", "text ", "cidr ", "like ", "regex " };
    struct pattern p = { .fold = fold };

    if (expr->list >= l->cx->n_lists) {
        lower_error(l, expr->span, "this list is not known here");
        return false;
    }
    const struct ast_list *list = l->cx->list[expr->list];
    p.name = arena_strndup(pools_arena(l->cx->pools), list->name.text, list->name.len);
    if (!list_kind(list->kind, r, &p.kind)) {
        lower_error(l, expr->span, "`%s` does not work with the %slist `%s`", relation_name(r),
                    kind_name[list->kind], list->name.text);
        diag_hint(l->cx->diag, "use `in` or `not in`");
        return false;
    }
    return list_pattern(l, list, &p, r, number_out);
}

bool lower_networks(struct lower *l, struct ast_expr *const *expr, uint32_t n, uint32_t *number_out)
{
    struct pattern p = { .kind = PATTERN_NETWORKS };
    struct members m = { 0 };

    if (n == 1 && expr[0]->kind == AST_PATH && expr[0]->ref == REF_LIST)
        return lower_list_pattern(l, RELATION_IN, false, expr[0], number_out);
    for (uint32_t i = 0; i < n; i++) {
        struct node *node = lower_constant(l, expr[i]);
        if (node->kind != NODE_CONST && !l->failed)
            lower_error(l, expr[i]->span, "the networks of cidr_match must be constant");
        struct members more = members_of(l, expr[i], node->value);
        for (size_t k = 0; k < more.n; k++)
            members_add(l, &m, more.member[k].value, more.member[k].span);
    }
    return !l->failed && make_pattern(l, &p, &m, RELATION_IN, number_out);
}
