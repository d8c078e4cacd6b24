// SPDX-License-Identifier: Apache-2.0
/*
 * resolve_exception - exceptions: which rules they are for, and their conditions, which are copied
 * for each rule and resolved where its texts are: emitted fields, steps, keys.
 */
#include <string.h>

#include "base/arena.h"
#include "base/buf.h"
#include "base/diag.h"
#include "lang/resolve_priv.h"

static void check_rules(struct resolver *r, struct ast_exception *ex)
{
    struct ast_names *names = &ex->rules;
    if (!resolve_count(r, names->span, names->n, RESOLVE_MAX_NAMES, "rules"))
        names->n = 0;
    for (uint32_t i = 0; i < names->n; i++) {
        const struct ast_name *name = &names->name[i];
        uint32_t number;
        bool twice = false;
        for (uint32_t k = 0; k < i; k++)
            twice |= strcmp(names->name[k].text, name->text) == 0;
        if (twice)
            diag_add(r->diag, DIAG_ERROR, name->span, "rule `%s` is named twice", name->text);
        if (name_table_find(&r->rules, name->text, &number)) {
            const struct ast_rule *rule = r->rules.item[number];
            if (rule->emit_into.text == NULL || rule->to.n > 0)
                continue;
            diag_add(r->diag, DIAG_WARNING, name->span, "rule `%s` makes no alerts", name->text);
            diag_hint(r->diag, "it emits into `%s`; no exception holds that back",
                      rule->emit_into.text);
            continue;
        }
        diag_add(r->diag, DIAG_ERROR, name->span, "unknown rule `%s`", name->text);
        struct suggest s;
        suggest_init(&s, name->text);
        name_table_suggest(&r->rules, &s);
        resolve_did_you_mean(r, &s);
    }
}

static void check_until(struct resolver *r, const struct ast_exception *ex)
{
    const struct ast_expr *until = ex->until;
    if (until == NULL)
        return;
    if (until->kind != AST_LITERAL || until->value.type != VALUE_TIME) {
        diag_add(r->diag, DIAG_ERROR, until->span, "`until` takes a date or a time");
        diag_hint(r->diag, "as `2027-01-01` or `2027-01-01T12:00:00Z`");
    } else if (r->opt != NULL && r->opt->now != 0 && until->value.u.i <= r->opt->now) {
        struct buf text;
        buf_init(&text);
        value_add_text(&text, until->value);
        diag_add(r->diag, DIAG_WARNING, until->span, "exception `%s` expired at %s",
                 ex->title.text, text.data);
        diag_hint(r->diag, "it holds back nothing that happens from then on: remove it or renew it");
        buf_fini(&text);
    }
}

void resolve_exceptions(struct resolver *r)
{
    uint32_t number = 0;
    for (struct ast_exception *ex = r->module->exceptions; ex != NULL; ex = ex->next) {
        ex->number = number++;
        for (const struct ast_exception *o = r->module->exceptions; o != ex; o = o->next) {
            if (strcmp(o->title.text, ex->title.text) != 0)
                continue;
            diag_add(r->diag, DIAG_ERROR, ex->title.span, "exception `%s` is declared twice",
                     ex->title.text);
            diag_hint(r->diag, "first declared at %s", resolve_place(r, o->title.span));
            break;
        }
        check_rules(r, ex);
        check_until(r, ex);
    }
}

static bool is_for(const struct ast_exception *ex, const struct ast_rule *rule)
{
    for (uint32_t i = 0; i < ex->rules.n; i++) {
        if (strcmp(ex->rules.name[i].text, rule->name.text) == 0)
            return true;
    }
    return false;
}

void resolve_exceptions_of(const struct scope *sc, struct ast_rule *rule)
{
    struct resolver *r = sc->r;
    struct ast_excepted **end = &rule->excepted;
    for (struct ast_exception *ex = r->module->exceptions; ex != NULL; ex = ex->next) {
        if (!is_for(ex, rule))
            continue;
        struct ast_excepted *held = arena_alloc(r->arena, sizeof *held);
        held->exception = ex;
        held->where = resolve_copy(r, ex->where);
        if (held->where == NULL)
            return;
        resolve_expr(sc, held->where);
        *end = held;
        end = &held->next;
    }
}
