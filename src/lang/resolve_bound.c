// SPDX-License-Identifier: Apache-2.0
/*
 * resolve_bound - the keys of a match, and the proof that its state is bounded: either the head has
 * `within`, or nothing that a run can wait for, or look back for, lacks a `within` of its own.
 * A `not` between two elements needs none: it ends when the element behind it begins.
 */
#include <string.h>

#include "base/arena.h"
#include "base/diag.h"
#include "lang/resolve_priv.h"

/* ---- keys ---------------------------------------------------------------------------------- */

static uint32_t count_keys(const struct ast_key *key)
{
    uint32_t n = 0;
    for (; key != NULL; key = key->next)
        n++;
    return n;
}

static void check_key_names(struct resolver *r, const struct ast_key *keys,
                            const struct match_info *info)
{
    if (keys != NULL && !resolve_count(r, keys->span, count_keys(keys), RESOLVE_MAX_KEYS, "keys"))
        return;
    for (const struct ast_key *k = keys; k != NULL; k = k->next) {
        for (const struct ast_key *other = keys; other != k; other = other->next) {
            if (strcmp(other->name.text, k->name.text) != 0)
                continue;
            diag_add(r->diag, DIAG_ERROR, k->span, "key `%s` is named twice", k->name.text);
            break;
        }
        for (uint32_t i = 0; i < info->match->n_steps; i++) {
            const struct ast_step *step = info->match->steps[i];
            if (strcmp(step->name.text, k->name.text) != 0 ||
                (info->ambiguous & UINT64_C(1) << i) != 0)
                continue;
            diag_add(r->diag, DIAG_ERROR, k->span, "key `%s` is named like %s", k->name.text,
                     info->a_noun);
            diag_hint(r->diag, "rename one of them; the %s is at %s", info->noun,
                      resolve_place(r, step->name.span));
        }
    }
}

static void resolve_key_exprs(struct resolver *r, struct ast_rule *rule, struct match_info *info,
                              struct ast_key *keys, const struct ast_step *of)
{
    struct scope sc = {.r = r, .kind = SCOPE_KEY, .rule = rule, .match = info, .key_of = of};
    for (struct ast_key *k = keys; k != NULL; k = k->next)
        resolve_expr(&sc, k->expr);
}

/* The head's keys as the step's streams mean them: a copy if these add fields. */
static struct ast_key *copy_keys(struct resolver *r, struct ast_key *keys,
                                 const struct ast_step *step)
{
    bool adds = false;
    struct ast_key *first = NULL, **end = &first;
    for (uint32_t i = 0; step->stream != NULL && i < step->streams.n; i++)
        adds |= resolve_adds(r, step->stream[i]);
    if (!adds)
        return keys;
    for (const struct ast_key *k = keys; k != NULL; k = k->next) {
        struct ast_key *copy = arena_memdup(r->arena, k, sizeof *k);
        copy->expr = resolve_copy(r, k->expr);
        if (copy->expr == NULL)
            return keys;
        *end = copy;
        end = &copy->next;
    }
    return first;
}

static void check_key_count(struct resolver *r, const struct match_info *info,
                            const struct ast_step *step, uint32_t want)
{
    uint32_t n = count_keys(step->keys);
    if (n == want)
        return;
    diag_add(r->diag, DIAG_ERROR, step->keys->span, "`%s` has %u key%s, the rule has %u",
             step->name.text, n, n == 1 ? "" : "s", want);
    diag_hint(r->diag, "%s's keys stand for the rule's, position by position", info->a_noun);
}

/* The step that sets the names of keys when the head has none: the first with keys. */
static const struct ast_step *find_leader(const struct match_info *info)
{
    const struct ast_match *match = info->match;
    for (uint32_t i = 0; i < match->n_steps; i++) {
        if (match->steps[i]->keys != NULL && info->role[i] == ROLE_STEP)
            return match->steps[i];
    }
    for (uint32_t i = 0; i < match->n_steps; i++) {
        if (match->steps[i]->keys != NULL)
            return match->steps[i];
    }
    return NULL;
}

void resolve_keys(struct resolver *r, struct ast_rule *rule, struct match_info *info)
{
    struct ast_match *match = info->match;
    const struct ast_step *leader = match->keys == NULL ? find_leader(info) : NULL;
    rule->key_names = leader != NULL ? leader->keys : match->keys;
    rule->n_keys = count_keys(rule->key_names);
    for (uint32_t i = 0; i < match->n_steps; i++)
        match->steps[i]->effective_keys = copy_keys(r, match->keys, match->steps[i]);
    resolve_key_exprs(r, rule, info, match->keys, NULL);
    for (uint32_t i = 0; i < match->n_steps; i++) {
        struct ast_step *step = match->steps[i];
        if (step->keys != NULL)
            step->effective_keys = step->keys;
        if (step->effective_keys != match->keys)
            resolve_key_exprs(r, rule, info, step->effective_keys, step);
        if (step->keys != NULL) {
            check_key_count(r, info, step, rule->n_keys);
        } else if (leader != NULL) {
            diag_add(r->diag, DIAG_ERROR, step->span, "`%s` has no `by`, `%s` has one",
                     step->name.text, leader->name.text);
            diag_hint(r->diag, "put `by` into the head, or into every %s%s", info->noun,
                      info->body == AST_BODY_MATCH ? ", `not` and `until`" : "");
        }
    }
    check_key_names(r, rule->key_names, info);
}

/* ---- bounds -------------------------------------------------------------------------------- */

bool resolve_duration(struct resolver *r, const struct ast_expr *expr, const char *what)
{
    if (expr == NULL)
        return true;
    bool negated = expr->kind == AST_UNARY && expr->op == AST_OP_NEG;
    if (expr->kind == AST_LITERAL && expr->value.type == VALUE_DURATION && expr->value.u.i >= 0)
        return true;
    if (negated || (expr->kind == AST_LITERAL && expr->value.type == VALUE_DURATION)) {
        diag_add(r->diag, DIAG_ERROR, expr->span, "`%s` cannot be negative", what);
        return false;
    }
    diag_add(r->diag, DIAG_ERROR, expr->span, "`%s` takes a duration", what);
    diag_hint(r->diag, "as `30s`, `5m` or `1h30m`");
    return false;
}

/* Can a run that stands at the first element wait for more events of it? */
static bool takes_several(const struct ast_element *el)
{
    if (el->kind == AST_STEP)
        return el->step->max > 1;
    if (el->kind == AST_ANY)
        return false;
    return el->need > 1 || el->step == NULL || el->step->max > 1 || el->n_steps > el->need;
}

/* The step whose state nothing bounds when the head has no `within`; NULL: there is none. */
static const struct ast_step *find_unbounded(const struct match_info *info)
{
    const struct ast_match *match = info->match;
    for (uint32_t i = 0; i < match->n_steps; i++) {
        const struct ast_step *step = match->steps[i];
        enum step_role role = info->role[i];
        if (step->within != NULL || role == ROLE_NOT_BETWEEN || role == ROLE_UNTIL)
            continue;
        if (info->element_of[i] == info->first && !takes_several(info->first))
            continue;
        return step;
    }
    return NULL;
}

static void check_first_within(struct resolver *r, const struct match_info *info)
{
    if (info->first == NULL || takes_several(info->first))
        return;
    for (const struct ast_step *s = info->first->step; s != NULL; s = s->next) {
        if (s->within == NULL)
            continue;
        diag_add(r->diag, DIAG_ERROR, s->within->span,
                 "the first element has no `within`: no event is bound before it");
        diag_hint(r->diag, "`match within ...` bounds the whole match");
    }
}

void resolve_bounds(struct resolver *r, struct ast_rule *rule, const struct match_info *info)
{
    const struct ast_match *match = info->match;
    resolve_duration(r, match->within, "within");
    for (uint32_t i = 0; i < match->n_steps; i++)
        resolve_duration(r, match->steps[i]->within, "within");
    check_first_within(r, info);
    if (match->within != NULL)
        return;
    const struct ast_step *step = find_unbounded(info);
    if (step == NULL)
        return;
    const char *what = info->role[step->number] == ROLE_STEP ? "" : "not ";
    diag_add(r->diag, DIAG_ERROR, rule->body_span,
             "the match has no `within`, and `%s%s` has none of its own", what, step->name.text);
    diag_hint(r->diag, "add `within`: without it this state would grow for ever");
}
