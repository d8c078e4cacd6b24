// SPDX-License-Identifier: Apache-2.0
/*
 * The printer against the parser: what is printed is read again as the same; and the parser against
 * noise: mutated and random token sequences never crash it, and what it accepts prints the same
 * twice. The random numbers are seeded: each run is the same.
 */
#include "lang/ast_print.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/arena.h"
#include "base/buf.h"
#include "base/diag.h"
#include "lang/ast.h"
#include "lang/keyword.h"
#include "lang/parse.h"

static uint64_t seed;

static uint32_t roll(uint32_t n)
{
    seed ^= seed << 13;
    seed ^= seed >> 7;
    seed ^= seed << 17;
    return (uint32_t)(seed >> 33) % n;
}

/* Parses and prints; false, and the errors printed, if there are any. */
static bool printed(const char *text, size_t len, struct buf *out)
{
    struct diag *diag = diag_new();
    struct ast_module *module = ast_module_new();
    bool good = parse_file(module, diag, diag_file_add(diag, "t", text, len));

    assert_int_equal(good, diag_errors(diag) == 0);
    if (good)
        ast_print_module(out, module);
    else
        diag_print(diag, out); /* for whom it surprises */
    ast_module_free(&module);
    diag_free(&diag);
    return good;
}

static bool same_twice(const char *text, size_t len, bool must)
{
    struct buf once, twice;
    bool good;

    buf_init(&once);
    buf_init(&twice);
    good = printed(text, len, &once);
    if (must && !good)
        fail_msg("%s", once.data);
    if (good && once.len > 0) {
        if (!printed(once.data, once.len, &twice))
            fail_msg("what was printed is not read again:\n%s\n%s", once.data, twice.data);
        assert_string_equal(twice.data, once.data);
    }
    buf_fini(&once);
    buf_fini(&twice);
    return good;
}

/* ---- known texts -------------------------------------------------------------------------- */

static const char *const corpus[] = {
    "stream auth = winlog where event.category == \"authentication\"\n"
    "list vpn_exits = cidr [\"10.8.0.0/16\", \"192.0.2.0/24\"] list f = text file \"a b.txt\"\n"
    "stream s = a, b where x not in~ ['it''s', 'b'] { user = lower(user.name) Image = process.`executable x` } expect x > 1 else quarantine bad\n",
    "rule login_then_password_change {\n"
    "  title \"{user} changed {gap} {{\" description 'raw \\d' severity high risk if(count(f) > 3, 50, -1) tags [\"a\", \"b\"]\n"
    "  match by user.id, ip = lower(source.ip) ?? \"x\", ?host within 60s select last {\n"
    "    login: auth where event.action == \"login\" and event.outcome == \"success\"\n"
    "    any { a: s b: t by c where d } next all 2 { e{2}: s f: t g: u } not h: [s, t] where (x or y) and not z within 5m\n"
    "    change: iam where source.ip != login.source.ip and source.ip not in vpn_exits\n"
    "    until bye: any where time() - time(login) > 5m\n  }\n"
    "  emit { user.name = user.id login_ip = first(login).source.ip gap = -(time(change) - time(login)) * 2 }\n"
    "  suppress 10m by a.b, c summary to [soc_webhook, alerts_topic] limit runs 10 per key limit alerts 5 per 1m keep 3\n"
    "  test \"fires\" { lateness 5s 0s auth {\"user\": {\"id\": \"u1\"}, \"n\": [1, -2.5e3, true, null]} list vpn_exits = [\"a\"]\n"
    "    table t = [{\"k\": 1}] expect none expect 2 alerts expect alert at 30s {\"x\": {}} until 1h }\n}\n",
    "rule w { window tumbling 5m offset 1m zone \"Europe/Paris\" by host in hosts { a: s by b where c d: e having sum(a.x where y, within 1h) / 3 > 2.5\n"
    "  fire on match reset allow late 30s } emit into other { n = count() p = percentile(x, 95) } on_reload fresh limit state 1.5GiB }\n"
    "rule x { window hopping 10m every 1m { a: s } } rule y { window session 30m max 12h { a: s fire on change } }\n"
    "rule z { window global expire 30d { a: s } disabled meta { a b c { d \"e\" } } }\n",
    "rule j { join by k within -5m..1h { a: s b?: t where a.x[0] == b.x[-1] } } rule n { novel a.b, c by d within 14d after 3d { e: f } }\n"
    "table t = file \"path.csv\" key k.l table u = from s key k keep 1d table v = kafka { brokers \"x\" options { a.b true } } key k\n"
    "def is_admin(u, v) = u in admins or v like~ \"adm-*\" and any(x in y: x == z[x].col or all(q in x: q > 2027-01-01))\n"
    "exception \"scan\\\"ner\" for [a, b] until 2027-01-01T10:00:00.5+02:00 where source.ip in scanners and t < 1h30m + 0.5ms\n",
    "engine { state \"x\" checkpoint 1s memory_limit 4GiB shards auto } source auth { file \"*.ndjson\" time_format [\"rfc3339\", \"epoch_ms\"] follow false }\n"
    "sink w { webhook \"https://x/y\" secret env(\"S\") headers { Authorization file(\"token\") } } default_to [disk] route { to [a, b] } http { tls { key \"k\" } }\n",
};
enum { CORPUS = sizeof corpus / sizeof *corpus };

static void known_texts(void **state)
{
    (void)state;
    for (size_t i = 0; i < CORPUS; i++)
        same_twice(corpus[i], strlen(corpus[i]), true);
}

static void prints(const char *text, const char *expected)
{
    struct diag *diag = diag_new();
    struct ast_module *module = ast_module_new();
    struct ast_expr *expr = parse_expr(module, diag, diag_file_add(diag, "t", text, strlen(text)));
    struct buf out;

    assert_non_null(expr);
    buf_init(&out);
    ast_print_expr(&out, expr);
    assert_string_equal(out.data, expected);
    buf_fini(&out);
    ast_module_free(&module);
    diag_free(&diag);
}

static void canonical_forms(void **state)
{
    (void)state;
    prints("a   ==  'b'", "a == 'b'");
    prints("\"\\u0041\\/\\t\"", "\"A/\\t\"");
    prints("(((a)))", "(a)");
    prints("60s", "1m");
    prints("90m", "1h30m");
    prints("1.5h", "1h30m");
    prints("1ns", "0.000000001s");
    prints("1000ms", "1s");
    prints("1024B", "1KiB");
    prints("1000B", "1KB");
    prints("1500B", "1500B");
    prints("5.0", "5.0");
    prints("1e3", "1000.0");
    prints("1e300", "1e+300");
    prints("-5", "-5");
    prints("- -5", "-(-5)");
    prints("-a", "-a");
    prints("- - a", "--a");
    prints("2027-01-01", "2027-01-01");
    prints("2027-01-01T00:00:00+01:00", "2026-12-31T23:00:00Z");
    prints("`a`.`b`.c", "`a`.`b`.c");
    prints("a.where", "a.where");
    prints("`where`", "`where`");
    prints("until", "until");
    prints("f(a,b)", "f(a, b)");
    prints("count(where  a , within 60s)", "count(where a, within 1m)");
    prints("a[ 0 ].b[ -1 ][c].d", "a[0].b[-1][c].d");
    prints("not(a)", "not (a)");
    prints("a not  in~ b", "a not in~ b");
}

/* ---- random trees --------------------------------------------------------------------------- */

static struct span no_span;

static struct ast_expr *random_tree(struct arena *a, int depth);

static struct ast_expr *random_leaf(struct arena *a)
{
    static const char *const names[] = {"a", "b1", "@t", "user-agent", "where", "in", "until", "count", "not", "x`y", "é"};
    const char *name = names[roll(sizeof names / sizeof *names)];
    struct path_part part[3] = {{.name = name, .len = (uint32_t)strlen(name)}, {.index = (int32_t)roll(5) - 2}, {.name = "in", .len = 2}};
    bool quoted[3] = {roll(4) == 0};

    switch (roll(9)) {
    case 0:
        return ast_literal(a, no_span, value_int((int64_t)roll(9) - 4), AST_FORM_PLAIN);
    case 1:
        return ast_literal(a, no_span, value_double(((double)roll(9) - 4) * (roll(2) ? 0.5 : 1e20)), AST_FORM_PLAIN);
    case 2:
        return ast_literal(a, no_span, value_text("a\"'\\\n\x01", 6), AST_FORM_PLAIN);
    case 3:
        return ast_literal(a, no_span, value_text("a\"'\\\nb", 6), AST_FORM_RAW_TEXT);
    case 4:
        return ast_literal(a, no_span, value_duration(((int64_t)roll(2000000) - 1000000) * 1000003), AST_FORM_PLAIN);
    case 5:
        return ast_literal(a, no_span, value_time((int64_t)roll(1000000000) * 1000000007), AST_FORM_TIME);
    case 6:
        return ast_literal(a, no_span, value_bool(roll(2)), AST_FORM_PLAIN);
    default:
        return ast_path(a, no_span, part, quoted, 1 + roll(3));
    }
}

static struct ast_expr *random_call(struct arena *a, int depth)
{
    struct ast_name name = {.text = "first", .len = 5};
    struct path_part part = {.name = "x", .len = 1};
    struct ast_expr *args[3];
    uint32_t n = roll(4);
    struct ast_expr *call;

    for (uint32_t i = 0; i < n; i++)
        args[i] = random_tree(a, depth);
    if (roll(3) == 0)
        return ast_list_expr(a, no_span, args, n);
    if (roll(4) == 0)
        return ast_quantified(a, no_span, roll(2), name, random_tree(a, depth), random_tree(a, depth));
    call = ast_call(a, no_span, name, args, n);
    if (roll(4) == 0)
        call->where = random_tree(a, depth);
    if (roll(4) == 0)
        call->within = ast_literal(a, no_span, value_duration(3600000000000), AST_FORM_PLAIN);
    if (roll(4) == 0) {
        call->part = arena_memdup(a, &part, sizeof part);
        call->n_parts = 1;
    }
    return call;
}

static struct ast_expr *random_tree(struct arena *a, int depth)
{
    enum ast_op op = (enum ast_op)roll(AST_OP_COUNT);
    bool text = (op >= AST_OP_IN && op <= AST_OP_NOT_ENDSWITH) || op == AST_OP_EQ || op == AST_OP_NE;
    struct ast_expr *x;

    if (depth == 0 || roll(6) == 0)
        return random_leaf(a);
    if (roll(5) == 0)
        return random_call(a, depth - 1);
    if (op == AST_OP_NOT || op == AST_OP_NEG)
        x = ast_unary(a, no_span, op, random_tree(a, depth - 1));
    else
        x = ast_binary(a, no_span, op, text && roll(3) == 0, random_tree(a, depth - 1), random_tree(a, depth - 1));
    x->parenthesised = roll(8) == 0;
    return x;
}

/* The shape of a tree; terms of `and` and `or` in a row, however they were grouped. */
static void dump(struct buf *out, const struct ast_expr *x)
{
    struct ast_expr leaf = *x;

    if (x->kind == AST_BINARY && (x->op == AST_OP_AND || x->op == AST_OP_OR)) {
        for (int i = 0; i < 2; i++) {
            bool same = x->args[i]->kind == AST_BINARY && x->args[i]->op == x->op && !x->args[i]->parenthesised;

            buf_adds(out, same ? "" : "(");
            dump(out, x->args[i]);
            buf_adds(out, same ? "" : ")");
            buf_printf(out, i == 0 ? "%d" : "", (int)x->op);
        }
        return;
    }
    if (x->n_args == 0 && x->kind != AST_LIST) {
        leaf.parenthesised = false;
        ast_print_expr(out, &leaf);
        return;
    }
    buf_printf(out, "{%d %d %d ", (int)x->kind, (int)x->op, (int)x->fold);
    for (uint32_t i = 0; i < x->n_args; i++) {
        dump(out, x->args[i]);
        buf_addc(out, ',');
    }
    if (x->where)
        dump(out, x->where);
    buf_addc(out, '}');
}

static void random_trees(void **state)
{
    (void)state;
    seed = 4711;
    for (int i = 0; i < 5000; i++) {
        struct ast_module *module = ast_module_new();
        struct diag *diag = diag_new();
        struct ast_expr *tree = random_tree(module->arena, 1 + (int)roll(6)), *again;
        struct buf text, before, after;

        buf_init(&text);
        buf_init(&before);
        buf_init(&after);
        ast_print_expr(&text, tree);
        dump(&before, tree);
        again = parse_expr(module, diag, diag_file_add(diag, "t", text.data, text.len));
        if (!again) {
            buf_clear(&after);
            diag_print(diag, &after);
            fail_msg("%s", after.data);
        }
        dump(&after, again);
        assert_string_equal(after.data, before.data);
        buf_clear(&after);
        ast_print_expr(&after, again);
        assert_string_equal(after.data, text.data);
        buf_fini(&text);
        buf_fini(&before);
        buf_fini(&after);
        ast_module_free(&module);
        diag_free(&diag);
    }
}

/* ---- noise ----------------------------------------------------------------------------------- */

static const char *random_token(void)
{
    static const char *const tokens[] = {
        "{", "}", "(", ")", "[", "]", ",", ":", ".", "..", "?", "?\?", "=", "==", "==~", "!=", "<", ">=", "+", "-", "*", "/", "%",
        "5", "1.5", "60s", "1h30m", "64KiB", "2027-01-01", "\"text\"", "'raw'", "`quoted`", "name", "a.b", "not in", "like~",
        "{3}", "{2,}", "\n", "\n", "\nrule r {", "# c\n", "\"open", "'open", "`open", "5min", "a-b", "\x80", "\xc3\xa9", "\x01", "~", ";", "&&",
    };
    uint32_t i = roll(sizeof tokens / sizeof *tokens + 60);

    return i < sizeof tokens / sizeof *tokens ? tokens[i] : keyword_text((enum keyword_id)roll(KEYWORD_COUNT));
}

static void add_token(struct buf *out)
{
    buf_adds(out, random_token());
    if (roll(8))
        buf_addc(out, ' ');
}

/* A text of the corpus in which pieces are cut out, doubled, or replaced by tokens. */
static void mutate(struct buf *out)
{
    const char *from = corpus[roll(CORPUS)];
    size_t len = strlen(from);

    buf_add(out, from, len);
    for (uint32_t n = 1 + roll(4); n > 0; n--) {
        size_t at = roll((uint32_t)out->len + 1), cut = roll(3) ? roll(12) : roll(200);
        struct buf rest;

        if (at + cut > out->len)
            cut = out->len - at;
        buf_init(&rest);
        buf_add(&rest, out->data + at + cut, out->len - at - cut);
        if (roll(4))
            out->len = at;
        if (roll(2))
            add_token(out);
        buf_add(out, rest.data ? rest.data : "", rest.len);
        buf_fini(&rest);
    }
}

static void noise(void **state)
{
    uint32_t accepted = 0;

    (void)state;
    seed = 20270101;
    for (int i = 0; i < 100000; i++) {
        struct buf text;

        buf_init(&text);
        if (roll(3) == 0)
            mutate(&text);
        else
            for (uint32_t n = roll(40); n > 0; n--)
                add_token(&text);
        accepted += same_twice(text.data ? text.data : "", text.len, false);
        buf_fini(&text);
    }
    assert_true(accepted > 1000); /* not all is refused */
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(known_texts), cmocka_unit_test(canonical_forms), cmocka_unit_test(random_trees),
        cmocka_unit_test(noise),
    };

    return cmocka_run_group_tests_name("ast_print", tests, NULL, NULL);
}
