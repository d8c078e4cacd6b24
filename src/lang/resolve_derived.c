// SPDX-License-Identifier: Apache-2.0
/*
 * resolve_derived - streams that rules make: the names behind `emit into`, and the names of rules
 * that someone reads. No such stream is a source, so `any` does not hold it.
 *
 *     rule --makes--> stream --is read by--> stream --is read by--> rule ...
 *
 * A way round is an error, told with the chain. A rule's depth is 0 if it reads sources only, else
 * one more than that of the deepest rule that it reads: events of one instant come by depth.
 */
#include <stdio.h>
#include <string.h>

#include "base/arena.h"
#include "base/buf.h"
#include "base/diag.h"
#include "base/intern.h"
#include "base/mem.h"
#include "lang/resolve_priv.h"

enum { RULE_MAX_DEPTH = 100 }; /* rules that read rules that read ... */

/* ---- names --------------------------------------------------------------------------------- */

static void declare_into(struct resolver *r, const struct ast_name *name)
{
    struct diag *diag = r->diag;
    uint32_t number;
    if (strcmp(name->text, "any") == 0) {
        diag_add(diag, DIAG_ERROR, name->span, "no rule can emit into `any`");
        diag_hint(diag, "`any` is all sources");
    } else if (name_table_find(&r->rules, name->text, &number)) {
        diag_add(diag, DIAG_ERROR, name->span, "`emit into %s`: that is the name of a rule",
                 name->text);
        diag_hint(diag, "a rule's name is the stream of its own matches; name another stream");
    } else if (!name_table_find(&r->streams, name->text, &number)) {
        resolve_add_derived(r, name);
    } else if (r->streams.item[number] != NULL) {
        diag_add(diag, DIAG_ERROR, name->span, "`emit into %s`: that stream is declared",
                 name->text);
        diag_hint(diag, "what is declared at %s reads other streams; emit into one of a new name "
                  "and let it read that", resolve_place(r, r->streams.span[number]));
    } else if (!r->stream[number].is_derived) {
        diag_add(diag, DIAG_ERROR, name->span, "`emit into %s`: that is a source", name->text);
        diag_hint(diag, "name another stream");
    }
}

void resolve_declare_into(struct resolver *r)
{
    for (const struct ast_rule *rule = r->module->rules; rule != NULL; rule = rule->next) {
        if (rule->emit_into.text != NULL)
            declare_into(r, &rule->emit_into);
    }
}

/* ---- what reads what ----------------------------------------------------------------------- */

struct maker { /* a rule that makes events of a stream */
    struct maker *next;
    struct ast_rule *rule;
};

enum { NEW, OPEN, DONE };

struct graph {
    struct resolver *r;
    uint32_t n_streams;
    struct maker **maker;   /* by stream */
    uint32_t *depth;        /* by stream: of a rule that reads it */
    uint8_t *state;         /* by stream: is depth known */
    const char **name;      /* chain of names that is being followed */
    size_t n_names, cap_names;
    uint32_t level;         /* rules in the chain */
    bool told;              /* something was: one is enough */
};

static void add_maker(struct graph *g, struct ast_rule *rule, const char *stream,
                      uint32_t *number_out)
{
    uint32_t number;
    if (!name_table_find(&g->r->streams, stream, &number) || !g->r->stream[number].is_derived)
        return;
    struct maker *maker = arena_alloc(g->r->arena, sizeof *maker);
    *maker = (struct maker){.next = g->maker[number], .rule = rule};
    g->maker[number] = maker;
    if (g->r->used[number])
        *number_out = number;
}

static void push(struct graph *g, const char *name)
{
    g->name = vec_reserve(g->name, &g->cap_names, g->n_names + 1, sizeof *g->name);
    g->name[g->n_names++] = name;
}

/* The chain from the rule on, which was come to again. */
static void report_cycle(struct graph *g, const struct ast_rule *rule)
{
    if (g->told)
        return;
    g->told = true;
    struct buf chain;
    size_t from = g->n_names;
    buf_init(&chain);
    while (from > 0 && g->name[from - 1] != rule->name.text)
        from--;
    for (size_t i = from > 0 ? from - 1 : 0; i < g->n_names; i++)
        buf_printf(&chain, "%s -> ", g->name[i]);
    buf_adds(&chain, rule->name.text);
    diag_add(g->r->diag, DIAG_ERROR, rule->name.span, "rule `%s` reads itself: %s",
             rule->name.text, chain.data);
    diag_hint(g->r->diag, "a rule may read what other rules make, but nothing that comes of its "
              "own events");
    buf_fini(&chain);
}

static void report_depth(struct graph *g, const struct ast_rule *rule)
{
    if (!g->told)
        diag_add(g->r->diag, DIAG_ERROR, rule->name.span,
                 "rules that read rules are nested more than %d deep", RULE_MAX_DEPTH);
    g->told = true;
}

static uint32_t rule_depth(struct graph *g, struct ast_rule *rule);

static uint32_t stream_depth(struct graph *g, uint32_t number)
{
    const struct lang_stream *stream = &g->r->stream[number];
    if (g->state[number] == DONE)
        return g->depth[number];
    uint32_t depth = 0;
    for (uint32_t i = 0; i < stream->n_inputs; i++) {
        uint32_t of = stream_depth(g, stream->input[i]);
        depth = of > depth ? of : depth;
    }
    for (const struct maker *m = g->maker[number]; m != NULL; m = m->next) {
        bool own = strcmp(m->rule->name.text, stream->name) == 0;
        if (!own)
            push(g, stream->name);
        uint32_t of = rule_depth(g, m->rule) + 1;
        depth = of > depth ? of : depth;
        g->n_names -= !own;
    }
    g->state[number] = DONE;
    g->depth[number] = depth;
    return depth;
}

static uint32_t rule_depth(struct graph *g, struct ast_rule *rule)
{
    if (rule->depth_state == DONE)
        return rule->depth;
    if (rule->depth_state == OPEN) {
        report_cycle(g, rule);
        return 0;
    }
    if (g->level == RULE_MAX_DEPTH) {
        report_depth(g, rule);
        return 0;
    }
    rule->depth_state = OPEN;
    g->level++;
    push(g, rule->name.text);
    for (uint32_t s = 0; s < rule->n_steps; s++) {
        const struct ast_step *step = rule->steps[s];
        for (uint32_t i = 0; i < step->streams.n && step->stream != NULL; i++) {
            uint32_t of = stream_depth(g, step->stream[i]);
            rule->depth = of > rule->depth ? of : rule->depth;
        }
    }
    if (rule->depth >= RULE_MAX_DEPTH)
        report_depth(g, rule);
    g->n_names--;
    g->level--;
    rule->depth_state = DONE;
    return rule->depth;
}

static void check_into(struct resolver *r, const struct ast_rule *rule)
{
    if (rule->emit_into.text == NULL || rule->to.n > 0 || rule->suppress.delay == NULL)
        return;
    diag_add(r->diag, DIAG_WARNING, rule->suppress.span, "`suppress` has no effect here");
    diag_hint(r->diag, "a rule with `emit into` and without `to` makes no alerts, and its events "
              "are never suppressed");
}

void resolve_depths(struct resolver *r)
{
    struct graph g = {.r = r, .n_streams = intern_count(r->streams.names)};
    g.maker = mem_calloc(g.n_streams + 1, sizeof(struct maker *));
    g.depth = mem_calloc(g.n_streams + 1, sizeof *g.depth);
    g.state = mem_calloc(g.n_streams + 1, sizeof *g.state);
    for (struct ast_rule *rule = r->module->rules; rule != NULL; rule = rule->next) {
        rule->stream_own = rule->stream_into = UINT32_MAX;
        add_maker(&g, rule, rule->name.text, &rule->stream_own);
        if (rule->emit_into.text != NULL)
            add_maker(&g, rule, rule->emit_into.text, &rule->stream_into);
        check_into(r, rule);
    }
    for (struct ast_rule *rule = r->module->rules; rule != NULL; rule = rule->next)
        rule_depth(&g, rule);
    mem_free(g.maker);
    mem_free(g.depth);
    mem_free(g.state);
    mem_free(g.name);
}
