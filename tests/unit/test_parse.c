// SPDX-License-Identifier: Apache-2.0
/* What the parser makes of each construct: expressions as text (the printer's), the rest field by
 * field. */
#include "lang/parse.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "base/buf.h"
#include "base/diag.h"
#include "lang/ast.h"
#include "lang/ast_print.h"
#include "lang/keyword.h"

static const int64_t second = 1000000000;

static struct diag *diag;
static struct ast_module *module;

static int begin(void **state)
{
    (void)state;
    diag = diag_new();
    module = ast_module_new();
    return 0;
}

static int end(void **state)
{
    (void)state;
    ast_module_free(&module);
    diag_free(&diag);
    return 0;
}

static void show_errors(const char *text)
{
    struct buf out;

    buf_init(&out);
    diag_print(diag, &out);
    print_message("%s\n%s", text, out.len ? out.data : "");
    buf_fini(&out);
}

static struct ast_expr *expr(const char *text)
{
    struct ast_expr *x = parse_expr(module, diag, diag_file_add(diag, "e", text, strlen(text)));

    if (!x)
        show_errors(text);
    assert_non_null(x);
    return x;
}

static void file(const char *text)
{
    bool good = parse_file(module, diag, diag_file_add(diag, "f", text, strlen(text)));

    if (!good)
        show_errors(text);
    assert_true(good);
}

/* The only rule of a module; a body or clauses are given. */
static struct ast_rule *rule(const char *clauses)
{
    struct buf text;
    struct ast_rule *last;

    buf_init(&text);
    buf_printf(&text, "rule r { %s }", clauses);
    file(text.data);
    buf_fini(&text);
    for (last = module->rules; last->next;)
        last = last->next;
    return last;
}

/* ---- expressions ------------------------------------------------------------------------- */

/* The tree with all parentheses: (a + (b * c)). */
static void add_tree(struct buf *out, const struct ast_expr *x)
{
    static const char *const operators[] = {
#define OPERATOR(id, text, arity, precedence, doc) text,
#include "lang/operator.def"
#undef OPERATOR
    };

    if (x->kind == AST_UNARY || x->kind == AST_BINARY) {
        buf_addc(out, '(');
        if (x->kind == AST_BINARY)
            add_tree(out, x->args[0]);
        buf_printf(out, x->kind == AST_BINARY ? " %s%s " : "%s%s ", operators[x->op], x->fold ? "~" : "");
        add_tree(out, x->args[x->n_args - 1]);
        buf_addc(out, ')');
        return;
    }
    ast_print_expr(out, x);
}

static void tree_is(const char *text, const char *expected)
{
    struct buf out;

    buf_init(&out);
    add_tree(&out, expr(text));
    assert_string_equal(out.data, expected);
    buf_fini(&out);
}

static void precedence(void **state)
{
    (void)state;
    tree_is("a or b and c", "(a or (b and c))");
    tree_is("a and b or c and d", "((a and b) or (c and d))");
    tree_is("a and b and c and d and e", "(((a and b) and c) and (d and e))");
    tree_is("not a and b", "((not a) and b)");
    tree_is("not a == b", "(not (a == b))");
    tree_is("not not a", "(not (not a))");
    tree_is("a == b + c", "(a == (b + c))");
    tree_is("a ?? b == c", "((a ?\? b) == c)");
    tree_is("a ?? b ?? c", "((a ?\? b) ?\? c)");
    tree_is("a ?? b + c", "(a ?\? (b + c))");
    tree_is("a - b - c", "((a - b) - c)");
    tree_is("a + b * c / d % e", "(a + (((b * c) / d) % e))");
    tree_is("-a * b", "((- a) * b)");
    tree_is("a - -b", "(a - (- b))");
}

static void operators(void **state)
{
    (void)state;
    tree_is("a ==~ b and a !=~ b", "((a ==~ b) and (a !=~ b))");
    tree_is("a in~ b or a like~ b", "((a in~ b) or (a like~ b))");
    tree_is("a regex~ b or a contains~ b", "((a regex~ b) or (a contains~ b))");
    tree_is("a contains_all~ b or a startswith~ b or a endswith~ b",
            "(((a contains_all~ b) or (a startswith~ b)) or (a endswith~ b))");
    tree_is("a not in b", "(a not in b)");
    tree_is("a not\n\tin b", "(a not in b)");
    tree_is("a not # so\n // to say\n like~ b", "(a not like~ b)");
    tree_is("a not regex b and a not contains b", "((a not regex b) and (a not contains b))");
    tree_is("a not contains_all b and a not startswith b", "((a not contains_all b) and (a not startswith b))");
    tree_is("a not endswith~ b", "(a not endswith~ b)");
    tree_is("not in_admins", "(not in_admins)");
    tree_is("not a in b", "(not (a in b))");
    tree_is("a < b and a <= b and a > b and a >= b", "(((a < b) and (a <= b)) and ((a > b) and (a >= b)))");
}

static void literals(void **state)
{
    (void)state;
    assert_int_equal(expr("9223372036854775807")->value.u.i, INT64_MAX);
    assert_int_equal(expr("-9223372036854775808")->value.u.i, INT64_MIN);
    assert_int_equal(expr("9223372036854775808")->value.type, VALUE_DOUBLE);
    assert_int_equal(expr("-5")->value.u.i, -5);
    assert_int_equal(expr("- 5m")->value.u.i, -300 * second);
    assert_int_equal(expr("-(5)")->kind, AST_UNARY);
    assert_true(expr("1.5e3")->value.u.d == 1500.0);
    assert_true(expr("1e-2")->value.u.d == 0.01);
    assert_int_equal(expr("1e2")->value.type, VALUE_DOUBLE);
    assert_int_equal(expr("true")->value.u.b, true);
    assert_int_equal(expr("null")->value.type, VALUE_MISSING);
    assert_int_equal(expr("64KiB")->value.u.i, 65536);
    assert_int_equal(expr("64KiB")->literal_form, AST_FORM_SIZE);
    assert_int_equal(expr("1.5MB")->value.u.i, 1500000);
    assert_int_equal(expr("2027-01-01")->value.u.i, INT64_C(1798761600) * second);
    assert_int_equal(expr("2027-01-01")->literal_form, AST_FORM_DATE);
    assert_int_equal(expr("2027-01-01T01:00:00.5+01:00")->value.u.i, INT64_C(1798761600) * second + second / 2);
    assert_int_equal(expr("2027-01-01T00:00:00Z")->literal_form, AST_FORM_TIME);
    tree_is("x-1", "(x - 1)");
    tree_is("[1, 'a', [2]]", "[1, 'a', [2]]");
    tree_is("[1, 2,]", "[1, 2]");
    tree_is("[]", "[]");
}

static void texts(void **state)
{
    struct ast_expr *x = expr("\"\\\"\\\\\\/\\b\\f\\n\\r\\t\\u00e9\\ud83d\\ude00\"");
    static const char want[] = "\"\\/\b\f\n\r\t\xc3\xa9\xf0\x9f\x98\x80";

    (void)state;
    assert_int_equal(x->value.len, strlen(want));
    assert_memory_equal(x->value.u.text, want, strlen(want));
    x = expr("\"a\\u0000b\"");
    assert_int_equal(x->value.len, 3);
    x = expr("'it''s \\d\nraw'");
    assert_int_equal(x->literal_form, AST_FORM_RAW_TEXT);
    assert_memory_equal(x->value.u.text, "it's \\d\nraw", 11);
    x = expr("''");
    assert_int_equal(x->value.len, 0);
    x = expr("''''");
    assert_int_equal(x->value.len, 1);
}

static void durations(void **state)
{
    static const struct {
        const char *text;
        int64_t ns;
    } good[] = {
        {"0s", 0}, {"1ns", 1}, {"1us", 1000}, {"500ms", 500000000}, {"60s", 60000000000}, {"5m", 300000000000},
        {"1h30m", 5400000000000}, {"1.5h", 5400000000000}, {"7d", 604800000000000}, {"1w", 604800000000000},
        {"0.000000001s", 1}, {"1d2h3m4s5ms6us7ns", 93784005006007}, {"106751d", INT64_C(9223286400000000000)},
        {"0.5ms", 500000}, {"1m0.25s", 60250000000},
    };
    static const char *const bad[] = {"", "5", "s", "5min", "1m1h", "1h1h", "-5s", "5 s", "0.1ns", "106752d", "5s ", "1.s"};
    int64_t ns;

    (void)state;
    for (size_t i = 0; i < sizeof good / sizeof *good; i++) {
        assert_true(parse_duration(good[i].text, &ns));
        assert_int_equal(ns, good[i].ns);
        assert_int_equal(expr(good[i].text)->value.u.i, good[i].ns);
        assert_int_equal(expr(good[i].text)->value.type, VALUE_DURATION);
    }
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++)
        assert_false(parse_duration(bad[i], &ns));
}

static void paths(void **state)
{
    struct ast_expr *x = expr("http.`user-agent`[0].`a``b`[-1].in");

    (void)state;
    assert_int_equal(x->n_parts, 6);
    assert_string_equal(x->part[1].name, "user-agent");
    assert_true(x->part_quoted[1]);
    assert_false(x->part_quoted[0]);
    assert_null(x->part[2].name);
    assert_int_equal(x->part[2].index, 0);
    assert_string_equal(x->part[3].name, "a`b");
    assert_int_equal(x->part[4].index, -1);
    assert_string_equal(x->part[5].name, "in");
    x = expr("assets[host.name].owner.name");
    assert_non_null(x->index);
    assert_int_equal(x->index_at, 1);
    assert_int_equal(x->n_parts, 3);
    assert_int_equal(x->index->n_parts, 2);
    tree_is("@timestamp == source.ip", "(@timestamp == source.ip)");
    tree_is("a . b", "a.b");
    tree_is("a.not in b", "(a.not in b)");
}

static void calls(void **state)
{
    struct ast_expr *x = expr("first(a).x[0].y");

    (void)state;
    assert_int_equal(x->kind, AST_CALL);
    assert_string_equal(x->name.text, "first");
    assert_int_equal(x->n_args, 1);
    assert_int_equal(x->n_parts, 3);
    assert_string_equal(x->part[2].name, "y");
    assert_int_equal(expr("count()")->n_args, 0);
    x = expr("sum(x.y where z == 1, within 1h)");
    assert_int_equal(x->n_args, 1);
    assert_int_equal(x->where->op, AST_OP_EQ);
    assert_int_equal(x->within->value.u.i, 3600 * second);
    assert_non_null(expr("count(where x)")->where);
    assert_non_null(expr("count(within 5m)")->within);
    assert_non_null(expr("count(where x, within 5m)")->within);
    assert_int_equal(expr("percentile(x, 95 where c)")->n_args, 2);
    assert_int_equal(expr("percentile(x, 95, within 5m)")->n_args, 2);
    x = expr("any(t in tags: t like~ \"x*\" or t == y)");
    assert_int_equal(x->kind, AST_QUANTIFIED);
    assert_false(x->all);
    assert_string_equal(x->name.text, "t");
    assert_int_equal(x->args[1]->op, AST_OP_OR);
    assert_true(expr("all(t in split(x, \",\"): t)")->all);
    tree_is("if(a, b, c)", "if(a, b, c)");
}

/* Every word but the reserved is a field, a step, a stream, a member. */
static void words_are_names(void **state)
{
    (void)state;
    for (int id = 0; id < KEYWORD_COUNT; id++) {
        const char *word = keyword_text((enum keyword_id)id);
        enum keyword_kind kind = keyword_kind((enum keyword_id)id);
        struct buf text;

        assert_int_equal(keyword_find(word, strlen(word)), id);
        assert_true(id == 0 || strcmp(keyword_text((enum keyword_id)(id - 1)), word) < 0);
        buf_init(&text);
        buf_printf(&text, "rule `%s` { match { `%s`: `%s` where x.%s == 1 and `%s`.%s } }", word, word, word, word, word, word);
        file(text.data);
        buf_clear(&text);
        if (kind != KEYWORD_RESERVED) {
            buf_printf(&text, "stream %s = %s, %s where %s == %s(1) and %s { %s = %s }\n", word, word, word, word, word, word, word, word);
            buf_printf(&text, "rule %s { match by %s, %s = 1 { %s: [%s, %s] where %s by %s } to %s emit { %s.%s = %s } }\n", word, word,
                       word, kind == KEYWORD_EDGE ? "a" : word, word, word, word, word, word, word, word, word);
            buf_printf(&text, "source %s { %s %s  %s { %s \"x\" } %s.%s [%s] } table %s = from %s key %s\n", word, word, word, word, word,
                       word, word, word, word, word, word);
            buf_printf(&text, "def %s(%s) = %s list %s = [] exception \"x\" for %s where %s\n", word, word, word, word, word, word);
            file(text.data);
        }
        buf_fini(&text);
    }
    assert_int_equal(keyword_find("ma", 2), KEYWORD_NO);
    assert_int_equal(keyword_find("matchx", 6), KEYWORD_NO);
    assert_int_equal(keyword_find("matchx", 5), KEYWORD_MATCH);
}

/* ---- declarations ------------------------------------------------------------------------ */

static void streams(void **state)
{
    struct ast_stream *s;

    (void)state;
    file("stream s = a, b where x == 1 { user = lower(user.name)  a.b = process.executable } expect y else quarantine bad");
    s = module->streams;
    assert_string_equal(s->name.text, "s");
    assert_int_equal(s->inputs.n, 2);
    assert_string_equal(s->inputs.name[1].text, "b");
    assert_non_null(s->where);
    assert_string_equal(s->fields->next->part[1].name, "b");
    assert_int_equal(s->expect_else, AST_ELSE_QUARANTINE);
    assert_string_equal(s->quarantine.text, "bad");
    file("stream t = any expect x else warn stream u = t expect x else drop");
    assert_string_equal(s->next->inputs.name[0].text, "any");
    assert_int_equal(s->next->expect_else, AST_ELSE_WARN);
    assert_int_equal(s->next->next->expect_else, AST_ELSE_DROP);
}

static void lists_and_tables(void **state)
{
    struct ast_list *l;
    struct ast_table *t;

    (void)state;
    file("list a = [\"x\", 2, -1.5, 5m, true] list b = text [] list c = cidr [\"10.0.0.0/8\"]\n"
         "list d = like file \"d.txt\" list e = regex ['a']");
    l = module->lists;
    assert_int_equal(l->n_items, 5);
    assert_int_equal(l->kind, AST_LIST_PLAIN);
    assert_int_equal(l->next->kind, AST_LIST_TEXT);
    assert_int_equal(l->next->next->kind, AST_LIST_CIDR);
    assert_string_equal(l->next->next->next->file.text, "d.txt");
    assert_int_equal(l->next->next->next->next->kind, AST_LIST_REGEX);
    file("table a = file \"a.csv\" key k.x table b = from s key k keep 1d table c = kafka { topic \"t\" } key k");
    t = module->tables;
    assert_string_equal(t->file.text, "a.csv");
    assert_int_equal(t->key->n_parts, 2);
    assert_string_equal(t->next->stream.text, "s");
    assert_int_equal(t->next->keep->value.u.i, 86400 * second);
    assert_string_equal(t->next->next->kafka->key[0].name, "topic");
}

static void definitions_and_exceptions(void **state)
{
    (void)state;
    file("def f(a, b) = a in b def g() = 1\n"
         "exception \"s\" for [r, q] until 2027-01-01 where x exception 'e' for r where x");
    assert_int_equal(module->defs->params.n, 2);
    assert_int_equal(module->defs->next->params.n, 0);
    assert_int_equal(module->exceptions->rules.n, 2);
    assert_int_equal(module->exceptions->until->value.type, VALUE_TIME);
    assert_null(module->exceptions->next->until);
    assert_string_equal(module->exceptions->next->title.text, "e");
}

static void configuration(void **state)
{
    struct ast_config_decl *c;

    (void)state;
    file("engine { checkpoint 1s } source a { file \"x\" kafka { options { a.b \"c\" } } follow false }\n"
         "sink b { secret env(\"S\") n -5 } http { } route { to [b, c] } default_to [b] default_to b");
    c = module->configs;
    assert_int_equal(c->kind, AST_ENGINE);
    assert_int_equal(c->entries->value->value.u.i, second);
    c = c->next;
    assert_string_equal(c->name.text, "a");
    assert_true(c->entries->next->has_block);
    assert_int_equal(c->entries->next->block->block->n_key, 2);
    assert_int_equal(c->entries->next->next->value->value.type, VALUE_BOOL);
    c = c->next;
    assert_int_equal(c->entries->value->kind, AST_CALL);
    assert_int_equal(c->entries->next->value->value.u.i, -5);
    assert_int_equal(c->next->kind, AST_HTTP);
    assert_int_equal(c->next->next->entries->value->n_args, 2);
    assert_int_equal(c->next->next->next->to.n, 1);
    assert_string_equal(c->next->next->next->next->to.name[0].text, "b");
}

/* ---- rules ------------------------------------------------------------------------------- */

static void clauses(void **state)
{
    struct ast_rule *r = rule("match { a: s } title \"t\" description 'd' severity if(x, \"low\", \"high\") risk 50\n"
                              "tags [\"a\"] meta { a b  c { d 1 } } disabled emit into o { a.b = c } suppress 10m by x.y, z summary\n"
                              "to [k, l] keep 3 on_reload drain limit runs 5 per key limit alerts 7 per 2m limit state 1GiB\n"
                              "limit events 1 per run limit values 2 per key limit matches 3 per event");
    struct ast_limit *limit = r->limits;

    (void)state;
    assert_string_equal(r->title->value.u.text, "t");
    assert_int_equal(r->description->literal_form, AST_FORM_RAW_TEXT);
    assert_int_equal(r->severity->kind, AST_CALL);
    assert_int_equal(r->risk->value.u.i, 50);
    assert_int_equal(r->tags->n_args, 1);
    assert_true(r->meta->next->has_block);
    assert_true(r->disabled);
    assert_string_equal(r->emit_into.text, "o");
    assert_int_equal(r->emit->n_parts, 2);
    assert_int_equal(r->suppress.n_by, 2);
    assert_true(r->suppress.summary);
    assert_int_equal(r->to.n, 2);
    assert_int_equal(r->keep->value.u.i, 3);
    assert_string_equal(r->on_reload.text, "drain");
    assert_int_equal(limit->n, 5);
    assert_int_equal(limit->next->per, 120 * second);
    assert_int_equal(limit->next->next->n, 1 << 30);
    assert_int_equal(limit->next->next->next->kind, AST_LIMIT_EVENTS);
    assert_int_equal(limit->next->next->next->next->kind, AST_LIMIT_VALUES);
    assert_int_equal(limit->next->next->next->next->next->kind, AST_LIMIT_MATCHES);
}

static void match_head(void **state)
{
    struct ast_match *m = rule("match by user.id, ip = lower(source.ip), ?host[0] within 60s select last { a: s }")->match;

    (void)state;
    assert_string_equal(m->keys->name.text, "user.id");
    assert_string_equal(m->keys->next->name.text, "ip");
    assert_int_equal(m->keys->next->expr->kind, AST_CALL);
    assert_true(m->keys->next->next->optional);
    assert_string_equal(m->keys->next->next->name.text, "host[0]");
    assert_int_equal(m->within->value.u.i, 60 * second);
    assert_int_equal(m->select, AST_SELECT_LAST);
    m = rule("match { a: s }")->match;
    assert_null(m->keys);
    assert_false(m->has_select);
    assert_int_equal(rule("match select all { a: s }")->match->select, AST_SELECT_ALL);
    assert_int_equal(rule("match select each { a: s }")->match->select, AST_SELECT_EACH);
}

static void match_elements(void **state)
{
    struct ast_match *m = rule("match { a{3}: s b{2,5}: [s, t] c{3,}: s d+: any e*: s f?: s by k where x within 5s\n"
                               "any { g: s h: s where x } next all 2 { i{2}: s j: s } not k: s within 1m next l: s until u: s where z }")->match;
    struct ast_element *e = m->elements;

    (void)state;
    assert_int_equal(e->step->min, 3);
    assert_int_equal(e->step->max, 3);
    e = e->next;
    assert_int_equal(e->step->max, 5);
    assert_int_equal(e->step->streams.n, 2);
    e = e->next;
    assert_int_equal(e->step->max, AST_UNBOUNDED);
    e = e->next;
    assert_int_equal(e->step->min, 1);
    assert_true(e->step->quantified);
    e = e->next;
    assert_int_equal(e->step->min, 0);
    e = e->next;
    assert_int_equal(e->step->max, 1);
    assert_string_equal(e->step->keys->name.text, "k");
    assert_int_equal(e->step->within->value.u.i, 5 * second);
    e = e->next;
    assert_int_equal(e->kind, AST_ANY);
    assert_int_equal(e->n_steps, 2);
    assert_non_null(e->step->next->where);
    e = e->next;
    assert_int_equal(e->kind, AST_ALL);
    assert_true(e->is_next && e->has_need);
    assert_int_equal(e->need, 2);
    e = e->next;
    assert_int_equal(e->kind, AST_NOT);
    assert_true(e->step->negated);
    e = e->next;
    assert_true(e->is_next);
    assert_null(e->next);
    assert_string_equal(m->until->name.text, "u");
    assert_int_equal(rule("match { all { a: s b: s } }")->match->elements->need, 2);
}

static void windows(void **state)
{
    struct ast_window *w = rule("window tumbling 1d offset 6h zone \"Europe/Paris\" by host in hosts {\n"
                                "a: s by h where x b: t having count(a) > 3 fire on match reset allow late 5m }")->window;

    (void)state;
    assert_int_equal(w->offset->value.u.i, 6 * 3600 * second);
    assert_string_equal(w->zone.text, "Europe/Paris");
    assert_string_equal(w->in_table.text, "hosts");
    assert_string_equal(w->inputs->next->name.text, "b");
    assert_int_equal(w->having->op, AST_OP_GT);
    assert_int_equal(w->fire, AST_FIRE_ON_MATCH_RESET);
    assert_int_equal(w->late->value.u.i, 300 * second);
    w = rule("window hopping 10m every 1m { a: s fire on close }")->window;
    assert_int_equal(w->every->value.u.i, 60 * second);
    assert_int_equal(w->fire, AST_FIRE_ON_CLOSE);
    w = rule("window session 30m max 12h { a: s fire on change }")->window;
    assert_int_equal(w->max->value.u.i, 12 * 3600 * second);
    assert_int_equal(w->fire, AST_FIRE_ON_CHANGE);
    w = rule("window sliding 10m by k { a: s fire on every match }")->window;
    assert_int_equal(w->fire, AST_FIRE_ON_EVERY_MATCH);
    w = rule("window global expire 30d { a: s fire on match }")->window;
    assert_null(w->size);
    assert_int_equal(w->expire->value.u.i, 30 * 86400 * second);
    assert_int_equal(rule("window session 1m { a: s }")->window->fire, AST_FIRE_DEFAULT);
}

static void joins_and_novel(void **state)
{
    struct ast_join *j = rule("join by k within 0s..1h { a: s b?: t by l where x == a.x }")->join;
    struct ast_novel *n;

    (void)state;
    assert_int_equal(j->low->value.u.i, 0);
    assert_int_equal(j->high->value.u.i, 3600 * second);
    assert_false(j->sides->optional_side);
    assert_true(j->sides->next->optional_side);
    j = rule("join by k within 5m { a: s not b: t }")->join;
    assert_null(j->low);
    assert_true(j->sides->next->negated);
    assert_int_equal(rule("join by k within -5m..0s { a?: s b?: t }")->join->low->value.u.i, -300 * second);
    n = rule("novel a.b, c by user within 14d after 3d { n: s where x m: t }")->novel;
    assert_int_equal(n->n_paths, 2);
    assert_string_equal(n->keys->name.text, "user");
    assert_int_equal(n->after->value.u.i, 3 * 86400 * second);
    assert_string_equal(n->inputs->next->name.text, "m");
}

static void test_blocks(void **state)
{
    struct ast_test_item *i = rule("match { a: s } test \"t\" { lateness 5s 0s s { \"a\" : [1 , -2.50, {} ] # c\n , \"\\u0041\\/\": \"\\u0000\" }\n"
                                   "list l = [\"x\"] table t = [{\"k\": 1}] expect none expect 2 alerts expect 1 alert expect alert\n"
                                   "expect alert at 30s expect alert {\"x\": null} until 1h }")->tests->items;

    (void)state;
    assert_int_equal(i->kind, AST_TEST_LATENESS);
    i = i->next;
    assert_string_equal(i->json, "{\"a\":[1,-2.50,{}],\"A/\":\"\\u0000\"}");
    i = i->next;
    assert_int_equal(i->list->n_items, 1);
    i = i->next;
    assert_string_equal(i->table_rows, "[{\"k\":1}]");
    i = i->next;
    assert_int_equal(i->kind, AST_TEST_EXPECT_NONE);
    i = i->next;
    assert_int_equal(i->count, 2);
    i = i->next->next;
    assert_int_equal(i->kind, AST_TEST_EXPECT_ALERT);
    assert_false(i->has_offset);
    assert_null(i->json);
    i = i->next;
    assert_int_equal(i->offset, 30 * second);
    i = i->next;
    assert_string_equal(i->json, "{\"x\":null}");
    i = i->next;
    assert_int_equal(i->offset, 3600 * second);
}

static void spans(void **state)
{
    struct ast_expr *x = expr("  a.b + f(c) ");
    struct ast_step *step = rule("match { abc{2}: s where x }")->match->elements->step;

    (void)state;
    assert_int_equal(x->span.start, 2);
    assert_int_equal(x->span.end, 12);
    assert_int_equal(x->args[1]->span.start, 8);
    assert_int_equal(step->span.start, 17);
    assert_int_equal(step->span.end, 34);
    assert_int_equal(step->quantifier_span.start, 20);
    assert_int_equal(step->name.span.end, 20);
    assert_int_equal(step->streams.span.start, 25);
}

int main(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(name, begin, end)
    const struct CMUnitTest tests[] = {
        TEST(precedence), TEST(operators), TEST(literals), TEST(texts), TEST(durations), TEST(paths), TEST(calls),
        TEST(words_are_names), TEST(streams), TEST(lists_and_tables), TEST(definitions_and_exceptions),
        TEST(configuration), TEST(clauses), TEST(match_head), TEST(match_elements), TEST(windows),
        TEST(joins_and_novel), TEST(test_blocks), TEST(spans),
    };

    return cmocka_run_group_tests_name("parse", tests, NULL, NULL);
}
