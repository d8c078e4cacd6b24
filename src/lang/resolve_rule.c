// SPDX-License-Identifier: Apache-2.0
/*
 * resolve_rule - the clauses of a rule around its body: texts, severity, emit, suppress, limits.
 * A rule whose body this version does not support is told once, and what would refer to the body
 * is passed over.
 */
#include <string.h>

#include "base/arena.h"
#include "base/diag.h"
#include "lang/resolve_priv.h"

enum { KEEP_MAX = 1000, RISK_MAX = 100 };

/* ---- literal clauses ----------------------------------------------------------------------- */

static const char *const severities[] = {"info", "low", "medium", "high", "critical"};
static const char *const reloads[] = {"drain", "fresh", "refuse"};

static bool one_of(const char *text, size_t len, const char *const *word, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        if (strlen(word[i]) == len && memcmp(word[i], text, len) == 0)
            return true;
    }
    return false;
}

static void unknown_word(struct resolver *r, struct span span, const char *what, const char *text,
                         size_t len, const char *const *word, size_t n)
{
    const char *want = arena_strndup(r->arena, text, len);
    diag_add(r->diag, DIAG_ERROR, span, "unknown %s `%s`", what, want);
    struct suggest s;
    suggest_init(&s, want);
    for (size_t i = 0; i < n; i++)
        suggest_try(&s, word[i]);
    if (resolve_did_you_mean(r, &s))
        return;
    if (n == 5)
        diag_hint(r->diag, "one of %s, %s, %s, %s, %s", word[0], word[1], word[2], word[3],
                  word[4]);
    else
        diag_hint(r->diag, "one of %s, %s, %s", word[0], word[1], word[2]);
}

static bool is_word(const struct ast_expr *expr)
{
    return expr->kind == AST_PATH && expr->n_parts == 1 && expr->part[0].name != NULL &&
           expr->index == NULL;
}

/* `if(n > 5, hihg, low)`: a field, but hardly meant. */
static void warn_of_slip(struct resolver *r, const struct ast_expr *word)
{
    struct suggest s;
    suggest_init(&s, word->part[0].name);
    for (size_t i = 0; i < sizeof severities / sizeof severities[0]; i++)
        suggest_try(&s, severities[i]);
    if (suggest_result(&s) == NULL)
        return;
    diag_add(r->diag, DIAG_WARNING, word->span, "`%s` is read as a field here",
             word->part[0].name);
    resolve_did_you_mean(r, &s);
}

/* Where the value of a severity may come from, a bare word becomes the text literal that it stands
 * for: `high`, `if(n > 5, critical, high)`. What is no severity is told. */
static void name_severities(struct resolver *r, struct ast_expr *expr, bool whole)
{
    size_t n = 5;
    if (is_word(expr)) {
        const struct path_part *part = &expr->part[0];
        if (one_of(part->name, part->len, severities, n)) {
            expr->kind = AST_LITERAL;
            expr->value = value_text(part->name, part->len);
        } else if (whole && !expr->parenthesised) {
            unknown_word(r, expr->span, "severity", part->name, part->len, severities, n);
        } else {
            warn_of_slip(r, expr);
        }
    } else if (expr->kind == AST_LITERAL && expr->value.type != VALUE_TEXT) {
        diag_add(r->diag, DIAG_ERROR, expr->span, "a severity is a word");
        diag_hint(r->diag, "one of info, low, medium, high, critical");
    } else if (expr->kind == AST_LITERAL) {
        const char *text = expr->value.u.text;
        if (!one_of(text, expr->value.len, severities, n))
            unknown_word(r, expr->span, "severity", text, expr->value.len, severities, n);
    } else if (expr->kind == AST_CALL && strcmp(expr->name.text, "if") == 0 && expr->n_args == 3) {
        name_severities(r, expr->args[1], false);
        name_severities(r, expr->args[2], false);
    } else if (expr->kind == AST_BINARY && expr->op == AST_OP_DEFAULT) {
        name_severities(r, expr->args[0], false);
        name_severities(r, expr->args[1], false);
    }
}

/* sc: NULL if nothing can refer to the body. */
static void resolve_severity(struct resolver *r, const struct scope *sc, struct ast_expr *expr)
{
    if (expr == NULL)
        return;
    bool named = sc != NULL && is_word(expr) &&
                 !one_of(expr->part[0].name, expr->part[0].len, severities, 5) &&
                 resolve_output(sc, expr);
    if (named)
        return;
    name_severities(r, expr, true);
    if (sc != NULL && (!is_word(expr) || expr->parenthesised))
        resolve_expr(sc, expr);
}

static void resolve_risk(struct resolver *r, const struct scope *sc, struct ast_expr *expr)
{
    if (expr == NULL)
        return;
    resolve_fold_sign(expr);
    if (expr->kind != AST_LITERAL && sc != NULL)
        resolve_expr(sc, expr);
    else if (expr->kind != AST_LITERAL)
        return;
    else if (expr->value.type != VALUE_INT || expr->value.u.i < 0 || expr->value.u.i > RISK_MAX)
        diag_add(r->diag, DIAG_ERROR, expr->span, "`risk` is an integer from 0 to %d", RISK_MAX);
}

static void resolve_tags(struct resolver *r, struct ast_expr *tags)
{
    if (tags == NULL)
        return;
    if (tags->kind != AST_LIST) {
        diag_add(r->diag, DIAG_ERROR, tags->span, "`tags` is a list of texts");
        return;
    }
    for (uint32_t i = 0; i < tags->n_args; i++) {
        const struct ast_expr *tag = tags->args[i];
        if (tag->kind != AST_LITERAL || tag->value.type != VALUE_TEXT)
            diag_add(r->diag, DIAG_ERROR, tag->span, "a tag is a text in quotes");
    }
}

static bool same_key(const struct ast_config *a, const struct ast_config *b)
{
    if (a->n_key != b->n_key)
        return false;
    for (uint32_t i = 0; i < a->n_key; i++) {
        if (a->key[i].len != b->key[i].len ||
            memcmp(a->key[i].name, b->key[i].name, a->key[i].len) != 0)
            return false;
    }
    return true;
}

static void check_meta_value(struct resolver *r, struct ast_expr *value)
{
    resolve_fold_sign(value);
    if (value->kind == AST_LIST) {
        for (uint32_t i = 0; i < value->n_args; i++)
            check_meta_value(r, value->args[i]);
    } else if (value->kind != AST_LITERAL) {
        diag_add(r->diag, DIAG_ERROR, value->span, "a value in `meta` is a literal");
        if (value->kind == AST_PATH)
            diag_hint(r->diag, "a text stands in quotes");
    }
}

static void resolve_meta(struct resolver *r, const struct ast_config *meta)
{
    size_t n = 0;
    for (const struct ast_config *m = meta; m != NULL; m = m->next)
        n++;
    if (n > 0 && !resolve_count(r, meta->span, n, RESOLVE_MAX_NAMES, "entries"))
        return;
    for (const struct ast_config *m = meta; m != NULL; m = m->next) {
        for (const struct ast_config *other = meta; other != m; other = other->next) {
            if (!same_key(other, m))
                continue;
            diag_add(r->diag, DIAG_ERROR, m->key_span, "`%s` stands twice in `meta`",
                     resolve_path_text(r, m->key, m->n_key));
            break;
        }
        if (m->value != NULL)
            check_meta_value(r, m->value);
        resolve_meta(r, m->block);
    }
}

static void resolve_names(struct resolver *r, const struct ast_rule *rule)
{
    uint32_t n = rule->to.n;
    if (!resolve_count(r, rule->to.span, n, RESOLVE_MAX_NAMES, "sinks"))
        n = 0;
    for (uint32_t i = 0; i < n; i++) {
        for (uint32_t k = 0; k < i; k++) {
            if (strcmp(rule->to.name[i].text, rule->to.name[k].text) != 0)
                continue;
            diag_add(r->diag, DIAG_ERROR, rule->to.name[i].span, "sink `%s` is named twice",
                     rule->to.name[i].text);
            break;
        }
        resolve_sink(r, &rule->to.name[i]);
    }
    const struct ast_name *reload = &rule->on_reload;
    if (reload->text != NULL && !one_of(reload->text, reload->len, reloads, 3))
        unknown_word(r, reload->span, "way to reload", reload->text, reload->len, reloads, 3);
    const struct ast_expr *keep = rule->keep;
    if (keep != NULL && (keep->kind != AST_LITERAL || keep->value.type != VALUE_INT ||
                         keep->value.u.i < 1 || keep->value.u.i > KEEP_MAX))
        diag_add(r->diag, DIAG_ERROR, keep->span, "`keep` is an integer from 1 to %d", KEEP_MAX);
}

/* Does a body of this kind keep what is limited? */
static bool has_limit(enum ast_body body, enum ast_limit_kind kind)
{
    switch (kind) {
    case AST_LIMIT_RUNS:
    case AST_LIMIT_EVENTS: return body == AST_BODY_MATCH;
    case AST_LIMIT_VALUES: return body == AST_BODY_WINDOW || body == AST_BODY_NOVEL;
    case AST_LIMIT_MATCHES: return body == AST_BODY_MATCH || body == AST_BODY_JOIN;
    default: return true;
    }
}

static void resolve_limits(struct resolver *r, const struct ast_rule *rule)
{
    static const char *const bodies[] = {"", "match", "window", "join", "novel"};
    static const char *const names[] = {
        [AST_LIMIT_RUNS] = "runs",   [AST_LIMIT_EVENTS] = "events", [AST_LIMIT_VALUES] = "values",
        [AST_LIMIT_STATE] = "state", [AST_LIMIT_ALERTS] = "alerts", [AST_LIMIT_MATCHES] = "matches",
    };
    const struct ast_limit *seen[AST_LIMIT_COUNT] = {NULL};
    for (const struct ast_limit *l = rule->limits; l != NULL; l = l->next) {
        const char *name = names[l->kind];
        if (seen[l->kind] != NULL) {
            diag_add(r->diag, DIAG_ERROR, l->span, "`limit %s` stands twice", name);
            diag_hint(r->diag, "first at %s", resolve_place(r, seen[l->kind]->span));
        }
        seen[l->kind] = l;
        if (rule->body != AST_BODY_NONE && !has_limit(rule->body, l->kind))
            diag_add(r->diag, DIAG_ERROR, l->span, "a `%s` has no `limit %s`", bodies[rule->body],
                     name);
        else if (rule->body == AST_BODY_MATCH && l->kind == AST_LIMIT_MATCHES &&
                 rule->match->select != AST_SELECT_ALL)
            diag_add(r->diag, DIAG_ERROR, l->span, "`limit matches` belongs to `select all`");
        else if (l->n < 1)
            diag_add(r->diag, DIAG_ERROR, l->span, "`limit %s` must be 1 at least", name);
        else if (l->kind == AST_LIMIT_ALERTS && l->per < 1)
            diag_add(r->diag, DIAG_ERROR, l->span, "`limit alerts` needs a time, as `per 1m`");
    }
}

/* ---- what refers to the body --------------------------------------------------------------- */

static bool is_prefix(const struct ast_assign *a, const struct ast_assign *b)
{
    if (a->n_parts > b->n_parts)
        return false;
    for (uint32_t i = 0; i < a->n_parts; i++) {
        if (a->part[i].len != b->part[i].len ||
            memcmp(a->part[i].name, b->part[i].name, a->part[i].len) != 0)
            return false;
    }
    return true;
}

void resolve_left_sides(struct resolver *r, const struct ast_assign *emit, const char *verb)
{
    size_t n = 0;
    for (const struct ast_assign *a = emit; a != NULL; a = a->next)
        n++;
    if (n > 0 && !resolve_count(r, emit->span, n, RESOLVE_MAX_NAMES, "fields"))
        return;
    for (const struct ast_assign *a = emit; a != NULL; a = a->next) {
        for (const struct ast_assign *b = emit; b != a; b = b->next) {
            if (!is_prefix(a, b) && !is_prefix(b, a))
                continue;
            const char *left = resolve_path_text(r, a->part, a->n_parts);
            if (a->n_parts == b->n_parts)
                diag_add(r->diag, DIAG_ERROR, a->left_span, "`%s` is %s twice", left, verb);
            else
                diag_add(r->diag, DIAG_ERROR, a->left_span,
                         "`%s` cannot stand beside `%s`: one is inside the other", left,
                         resolve_path_text(r, b->part, b->n_parts));
            break;
        }
    }
}

struct emitted_check {
    struct resolver *r;
    const struct ast_assign *emit, *of; /* all, and whose right side is looked at */
};

static bool is_path_of(const struct ast_expr *expr, const struct ast_assign *a)
{
    struct ast_assign path = {.part = expr->part, .n_parts = expr->n_parts};
    return expr->kind == AST_PATH && expr->n_parts == a->n_parts && is_prefix(&path, a);
}

/* `km = ...  speed = km / 2`: there `km` is a field of the event, which it has not. */
static bool warn_of_emitted(struct ast_expr *expr, void *ctx)
{
    const struct emitted_check *c = ctx;
    if (expr->kind != AST_PATH || expr->ref != REF_FIELD)
        return true;
    for (const struct ast_assign *a = c->emit; a != NULL; a = a->next) {
        if (a == c->of || !is_path_of(expr, a) || is_path_of(a->expr, a))
            continue;
        const char *name = resolve_path_text(c->r, a->part, a->n_parts);
        diag_add(c->r->diag, DIAG_WARNING, expr->span, "`%s` is a field of the event here, not what is emitted as `%s`",
                 name, name);
        diag_hint(c->r->diag, "write out what it is made of, or name that with a `def`");
    }
    return true;
}

static void check_emitted(struct resolver *r, const struct ast_rule *rule)
{
    for (struct ast_assign *a = rule->emit; a != NULL; a = a->next) {
        struct emitted_check c = {.r = r, .emit = rule->emit, .of = a};
        ast_walk(a->expr, warn_of_emitted, &c);
    }
}

static void resolve_suppress(struct resolver *r, struct ast_rule *rule, const struct scope *sc)
{
    resolve_duration(r, rule->suppress.delay, "suppress");
    for (uint32_t i = 0; sc != NULL && i < rule->suppress.n_by; i++)
        resolve_expr(sc, rule->suppress.by[i]);
}

static void resolve_texts(struct ast_rule *rule, const struct scope *sc)
{
    if (rule->title != NULL)
        rule->title_pieces = resolve_template(sc, rule->title);
    if (rule->description != NULL)
        rule->description_pieces = resolve_template(sc, rule->description);
}

/* False: nothing can refer to the body. */
static bool resolve_body(struct resolver *r, struct ast_rule *rule, struct match_info *info)
{
    switch (rule->body) {
    case AST_BODY_MATCH: return resolve_match(r, rule, info);
    case AST_BODY_WINDOW: return resolve_window(r, rule, info);
    case AST_BODY_JOIN: return resolve_join(r, rule, info);
    case AST_BODY_NOVEL: return resolve_novel(r, rule, info);
    case AST_BODY_NONE: break;
    }
    diag_add(r->diag, DIAG_ERROR, rule->name.span, "rule `%s` has no body", rule->name.text);
    diag_hint(r->diag, "what it looks for is one of `match`, `window`, `join` and `novel`");
    return false;
}

void resolve_rule(struct resolver *r, struct ast_rule *rule)
{
    struct match_info info;
    bool known = resolve_body(r, rule, &info);
    resolve_tags(r, rule->tags);
    resolve_meta(r, rule->meta);
    resolve_names(r, rule);
    resolve_limits(r, rule);
    resolve_left_sides(r, rule->emit, "emitted");
    if (!known) {
        resolve_severity(r, NULL, rule->severity);
        resolve_risk(r, NULL, rule->risk);
        resolve_suppress(r, rule, NULL);
        return;
    }
    struct scope sc = {.r = r, .kind = SCOPE_EMIT, .rule = rule, .match = &info};
    for (struct ast_assign *a = rule->emit; a != NULL; a = a->next)
        resolve_expr(&sc, a->expr);
    check_emitted(r, rule);
    sc.kind = SCOPE_ALERT;
    resolve_severity(r, &sc, rule->severity);
    resolve_risk(r, &sc, rule->risk);
    resolve_suppress(r, rule, &sc);
    resolve_texts(rule, &sc);
    resolve_exceptions_of(&sc, rule);
}
