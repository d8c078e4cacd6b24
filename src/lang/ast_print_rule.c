// SPDX-License-Identifier: Apache-2.0
/* A rule as text: its clauses in the order title ... test, whatever the order in its source. */
#include "base/buf.h"
#include "lang/ast.h"
#include "lang/ast_print.h"
#include "lang/ast_print_priv.h"

/* ---- steps -------------------------------------------------------------------------------- */

static void print_count(struct buf *out, const struct ast_step *step)
{
    if (!step->quantified)
        return;
    if (step->max == AST_UNBOUNDED && step->min <= 1)
        buf_addc(out, step->min == 0 ? '*' : '+');
    else if (step->max == AST_UNBOUNDED)
        buf_printf(out, "{%u,}", (unsigned)step->min);
    else if (step->min == 0 && step->max == 1)
        buf_addc(out, '?');
    else if (step->min == step->max)
        buf_printf(out, "{%u}", (unsigned)step->min);
    else
        buf_printf(out, "{%u,%u}", (unsigned)step->min, (unsigned)step->max);
}

static void print_step(struct buf *out, const struct ast_step *step)
{
    print_word(out, step->name.text, step->name.len, PRINT_STEP);
    print_count(out, step);
    buf_adds(out, ": ");
    print_targets(out, &step->streams);
    print_keys(out, " by ", step->keys);
    print_clause(out, " where ", step->where);
    print_clause(out, " within ", step->within);
}

static void print_steps(struct buf *out, const struct ast_step *steps, int indent)
{
    for (const struct ast_step *step = steps; step; step = step->next) {
        print_indent(out, indent);
        buf_adds(out, step->negated ? "not " : "");
        print_step(out, step);
        buf_addc(out, '\n');
    }
}

/* ---- bodies ------------------------------------------------------------------------------- */

static void print_element(struct buf *out, const struct ast_element *element)
{
    print_indent(out, 2);
    buf_adds(out, element->is_next ? "next " : "");
    if (element->kind == AST_STEP || element->kind == AST_NOT) {
        buf_adds(out, element->kind == AST_NOT ? "not " : "");
        print_step(out, element->step);
        buf_addc(out, '\n');
        return;
    }
    buf_adds(out, element->kind == AST_ANY ? "any" : "all");
    if (element->has_need)
        buf_printf(out, " %u", (unsigned)element->need);
    buf_adds(out, " {\n");
    print_steps(out, element->step, 3);
    print_indent(out, 2);
    buf_adds(out, "}\n");
}

static void print_match(struct buf *out, const struct ast_match *match)
{
    static const char *const modes[] = {"first", "last", "each", "all"};

    buf_adds(out, "  match");
    print_keys(out, " by ", match->keys);
    print_clause(out, " within ", match->within);
    if (match->has_select) {
        buf_adds(out, " select ");
        buf_adds(out, modes[match->select]);
    }
    buf_adds(out, " {\n");
    for (const struct ast_element *element = match->elements; element; element = element->next)
        print_element(out, element);
    if (match->until) {
        buf_adds(out, "    until ");
        print_step(out, match->until);
        buf_addc(out, '\n');
    }
    buf_adds(out, "  }\n");
}

static void print_window(struct buf *out, const struct ast_window *window)
{
    static const char *const kinds[] = {"tumbling ", "hopping ", "session ", "sliding ", "global"};
    static const char *const fires[] = {NULL, "close", "match", "match reset", "every match", "change"};

    buf_adds(out, "  window ");
    print_clause(out, kinds[window->kind], window->size);
    if (!window->size)
        buf_adds(out, kinds[window->kind]);
    print_clause(out, " every ", window->every);
    print_clause(out, " offset ", window->offset);
    if (window->zone.text) {
        buf_adds(out, " zone ");
        print_text(out, &window->zone);
    }
    print_clause(out, " max ", window->max);
    print_clause(out, " expire ", window->expire);
    print_keys(out, " by ", window->keys);
    if (window->in_table.text) {
        buf_adds(out, " in ");
        print_name(out, &window->in_table);
    }
    buf_adds(out, " {\n");
    print_steps(out, window->inputs, 2);
    print_clause(out, "    having ", window->having);
    buf_adds(out, window->having ? "\n" : "");
    if (window->fire != AST_FIRE_DEFAULT)
        buf_printf(out, "    fire on %s\n", fires[window->fire]);
    print_clause(out, "    allow late ", window->late);
    buf_adds(out, window->late ? "\n  }\n" : "  }\n");
}

static void print_join(struct buf *out, const struct ast_join *join)
{
    buf_adds(out, "  join");
    print_keys(out, " by ", join->keys);
    if (join->low) {
        print_clause(out, " within ", join->low);
        print_clause(out, "..", join->high);
    } else {
        print_clause(out, " within ", join->high);
    }
    buf_adds(out, " {\n");
    print_steps(out, join->sides, 2);
    buf_adds(out, "  }\n");
}

static void print_novel(struct buf *out, const struct ast_novel *novel)
{
    buf_adds(out, "  novel ");
    print_exprs(out, novel->paths, novel->n_paths);
    print_keys(out, " by ", novel->keys);
    print_clause(out, " within ", novel->within);
    print_clause(out, " after ", novel->after);
    buf_adds(out, " {\n");
    print_steps(out, novel->inputs, 2);
    buf_adds(out, "  }\n");
}

static void print_body(struct buf *out, const struct ast_rule *rule)
{
    switch (rule->body) {
    case AST_BODY_NONE:
        break;
    case AST_BODY_MATCH:
        print_match(out, rule->match);
        break;
    case AST_BODY_WINDOW:
        print_window(out, rule->window);
        break;
    case AST_BODY_JOIN:
        print_join(out, rule->join);
        break;
    case AST_BODY_NOVEL:
        print_novel(out, rule->novel);
        break;
    }
}

/* ---- tests -------------------------------------------------------------------------------- */

static void print_test_item(struct buf *out, const struct ast_test_item *item)
{
    switch ((enum ast_test_item_kind)item->kind) {
    case AST_TEST_EVENT:
        print_duration(out, item->offset);
        buf_addc(out, ' ');
        print_name(out, &item->stream);
        buf_addc(out, ' ');
        buf_add(out, item->json, item->json_len);
        break;
    case AST_TEST_EXPECT_NONE:
        buf_adds(out, "expect none");
        break;
    case AST_TEST_EXPECT_COUNT:
        buf_printf(out, "expect %llu alert%s", (unsigned long long)item->count, item->count == 1 ? "" : "s");
        break;
    case AST_TEST_EXPECT_ALERT:
        buf_adds(out, "expect alert");
        if (item->has_offset) {
            buf_adds(out, " at ");
            print_duration(out, item->offset);
        }
        if (item->json) {
            buf_addc(out, ' ');
            buf_add(out, item->json, item->json_len);
        }
        break;
    case AST_TEST_UNTIL:
    case AST_TEST_LATENESS:
        buf_adds(out, item->kind == AST_TEST_UNTIL ? "until " : "lateness ");
        print_duration(out, item->offset);
        break;
    case AST_TEST_LIST:
        buf_adds(out, "list ");
        print_name(out, &item->list->name);
        buf_adds(out, " = [");
        print_exprs(out, item->list->item, item->list->n_items);
        buf_addc(out, ']');
        break;
    case AST_TEST_TABLE:
        buf_adds(out, "table ");
        print_name(out, &item->table->name);
        buf_adds(out, " = ");
        buf_adds(out, item->table_rows);
        break;
    }
}

static void print_test(struct buf *out, const struct ast_test *test)
{
    buf_adds(out, "  test ");
    print_text(out, &test->title);
    buf_adds(out, " {\n");
    for (const struct ast_test_item *item = test->items; item; item = item->next) {
        print_indent(out, 2);
        print_test_item(out, item);
        buf_addc(out, '\n');
    }
    buf_adds(out, "  }\n");
}

/* ---- the rule ----------------------------------------------------------------------------- */

static void print_limit(struct buf *out, const struct ast_limit *limit)
{
    static const char *const form[][2] = {
        [AST_LIMIT_RUNS] = {"runs", "per key"}, [AST_LIMIT_EVENTS] = {"events", "per run"},
        [AST_LIMIT_VALUES] = {"values", "per key"}, [AST_LIMIT_STATE] = {"state", ""},
        [AST_LIMIT_ALERTS] = {"alerts", "per "}, [AST_LIMIT_MATCHES] = {"matches", "per event"},
    };

    buf_printf(out, "  limit %s ", form[limit->kind][0]);
    if (limit->kind == AST_LIMIT_STATE) {
        print_size(out, limit->n);
    } else {
        buf_add_int(out, limit->n);
        buf_addc(out, ' ');
    }
    buf_adds(out, form[limit->kind][1]);
    if (limit->kind == AST_LIMIT_ALERTS)
        print_duration(out, limit->per);
    buf_addc(out, '\n');
}

static void print_line(struct buf *out, const char *word, const struct ast_expr *expr)
{
    print_clause(out, word, expr);
    buf_adds(out, expr ? "\n" : "");
}

static void print_head(struct buf *out, const struct ast_rule *rule)
{
    print_line(out, "  title ", rule->title);
    print_line(out, "  description ", rule->description);
    print_line(out, "  severity ", rule->severity);
    print_line(out, "  risk ", rule->risk);
    print_line(out, "  tags ", rule->tags);
    if (rule->meta) {
        buf_adds(out, "  meta ");
        print_entries(out, rule->meta, 1);
        buf_addc(out, '\n');
    }
    buf_adds(out, rule->disabled ? "  disabled\n" : "");
}

static void print_emit(struct buf *out, const struct ast_rule *rule)
{
    if (!rule->has_emit)
        return;
    buf_adds(out, "  emit ");
    if (rule->emit_into.text) {
        buf_adds(out, "into ");
        print_name(out, &rule->emit_into);
        buf_addc(out, ' ');
    }
    print_assigns(out, rule->emit, 1);
    buf_addc(out, '\n');
}

static void print_suppress(struct buf *out, const struct ast_rule *rule)
{
    if (!rule->suppress.delay)
        return;
    print_clause(out, "  suppress ", rule->suppress.delay);
    buf_adds(out, rule->suppress.n_by > 0 ? " by " : "");
    print_exprs(out, rule->suppress.by, rule->suppress.n_by);
    buf_adds(out, rule->suppress.summary ? " summary\n" : "\n");
}

void ast_print_rule(struct buf *out, const struct ast_rule *rule)
{
    buf_adds(out, "rule ");
    print_name(out, &rule->name);
    buf_adds(out, " {\n");
    print_head(out, rule);
    print_body(out, rule);
    print_emit(out, rule);
    print_suppress(out, rule);
    if (rule->to.n > 0) {
        buf_adds(out, "  to ");
        print_targets(out, &rule->to);
        buf_addc(out, '\n');
    }
    for (const struct ast_limit *limit = rule->limits; limit; limit = limit->next)
        print_limit(out, limit);
    print_line(out, "  keep ", rule->keep);
    if (rule->on_reload.text)
        buf_printf(out, "  on_reload %s\n", rule->on_reload.text);
    for (const struct ast_test *test = rule->tests; test; test = test->next)
        print_test(out, test);
    buf_adds(out, "}\n");
}
