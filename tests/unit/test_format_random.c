// SPDX-License-Identifier: Apache-2.0
/* The formatter against 2,000 random programs, each in two layouts, with comments in any place. */
#include <unit/format_fixture.h>

static void expression(struct buf *out, int depth);

static void leaf(struct buf *out)
{
    static const char *const leaves[] = {
        "a", "user.name", "x.`y-z`[0]", "`where`.in", "s[-1].t", "5", "-1.5", "1e+3", "60s", "1h30m", "64KiB", "2027-01-01",
        "2027-01-01T10:00:00.5+02:00", "\"te\\\"xt # no comment\"", "'raw // ''text'", "true", "null", "[1, \"b\"]", "[]",
        "count(a)", "first(a).x[2]", "time()", "title", "to", "t[a.b].c", "any_field",
    };

    buf_adds(out, leaves[roll(sizeof leaves / sizeof *leaves)]);
}

static void expression(struct buf *out, int depth)
{
    static const char *const operators[] = {
        "and", "or", "and", "or", "==", "!=~", "<", ">=", "in", "not in~", "like~", "not\tcontains", "+", "-", "*", "/", "%", "?\?",
    };
    uint32_t kind = depth == 0 ? 0 : roll(8);

    if (kind < 2) {
        leaf(out);
    } else if (kind == 2) {
        buf_adds(out, roll(2) ? "not (" : "-(");
        expression(out, depth - 1);
        buf_adds(out, ")");
    } else if (kind == 3) {
        buf_adds(out, roll(2) ? "any(x in y: " : "sum(a where ");
        expression(out, depth - 1);
        buf_adds(out, ")");
    } else if (kind == 4) {
        buf_adds(out, roll(2) ? "if(" : "[");
        char close = out->data[out->len - 1] == '[' ? ']' : ')';

        for (uint32_t n = 1 + roll(roll(4) ? 3 : 30); n > 0; n--) {
            expression(out, depth - 1);
            buf_adds(out, n > 1 ? "," : "");
        }
        buf_addc(out, close);
    } else {
        buf_adds(out, "(");
        expression(out, depth - 1);
        buf_printf(out, ") %s (", operators[roll(sizeof operators / sizeof *operators)]);
        expression(out, depth - 1);
        buf_adds(out, ")");
    }
}

/* Terms in a row, without parentheses. */
static void condition(struct buf *out)
{
    for (uint32_t n = 1 + roll(5); n > 0; n--) {
        buf_addc(out, '(');
        expression(out, (int)roll(3));
        buf_adds(out, ") == ");
        leaf(out);
        if (n > 1)
            buf_adds(out, roll(3) ? " and " : " or not ");
    }
}

static void one_step(struct buf *out, bool match)
{
    static const char *const counts[] = {"", "", "", "{3}", "{2,}", "{1,5}", "+", "*", "?"};

    if (match && roll(4) == 0)
        buf_adds(out, roll(2) ? "not " : "next ");
    buf_printf(out, " s%u%s: ", (unsigned)roll(1000), match ? counts[roll(9)] : "");
    buf_adds(out, roll(3) ? "auth" : "[a, any]");
    if (roll(4) == 0)
        buf_adds(out, " by user.id, b = lower(c)");
    if (roll(2)) {
        buf_adds(out, " where ");
        condition(out);
    }
    if (match && roll(4) == 0)
        buf_adds(out, " within 5m");
    buf_adds(out, "\n");
}

static void random_body(struct buf *out)
{
    uint32_t kind = roll(5);

    if (kind < 2) {
        buf_adds(out, "match by a.b, ?c, d = e ?\? f within 60s { ");
        for (uint32_t n = 1 + roll(4); n > 0; n--)
            one_step(out, true);
        if (roll(3) == 0)
            buf_adds(out, "next all 2 { a: s by k b: t where x } until u: any");
    } else if (kind == 2) {
        buf_adds(out, roll(2) ? "window session 30m max 12h by k {" : "window tumbling 5m offset 1m zone \"Europe/Paris\" {");
        one_step(out, false);
        buf_adds(out, "having ");
        condition(out);
        buf_adds(out, roll(2) ? " fire on every match allow late 1m" : " fire on match reset");
    } else if (kind == 3) {
        buf_adds(out, "join within -5m..1h by k { a: s b?: t where a.x == b.y ");
    } else {
        buf_adds(out, "novel a.b, c[0] within 14d by d after 3d { e: f ");
    }
    buf_adds(out, "}\n");
}

static void random_json(struct buf *out, int depth)
{
    if (depth == 0 || roll(3) == 0) {
        static const char *const leaves[] = {"1", "-2.5e3", "\"a\\n# b\"", "true", "null", "[]", "{}"};

        buf_adds(out, leaves[roll(7)]);
        return;
    }
    bool list = roll(2);

    buf_addc(out, list ? '[' : '{');
    for (uint32_t n = 1 + roll(4); n > 0; n--) {
        if (!list)
            buf_printf(out, "\"k%u\":", (unsigned)n);
        random_json(out, depth - 1);
        buf_adds(out, n > 1 ? "," : "");
    }
    buf_addc(out, list ? ']' : '}');
}

static void random_rule(struct buf *out, unsigned number)
{
    static const char *const clauses[] = {
        "tags [\"a\", \"b\"] ", "disabled ", "suppress 10m by a.b, c summary ", "to [x, y] ", "limit runs 10 per key ", "limit state 1GiB ",
        "keep 3 ", "on_reload fresh ", "meta { a b c { d \"e\" f [1, 2] } } ", "limit alerts 5 per 1m ",
    };

    buf_printf(out, "rule r%u { title \"t {x}\" ", number);
    if (roll(2)) {
        buf_adds(out, "severity ");
        expression(out, 1 + (int)roll(2));
        buf_addc(out, ' ');
    }
    random_body(out);
    if (roll(2)) {
        buf_adds(out, roll(2) ? "emit { " : "emit into o { ");
        for (uint32_t n = roll(5); n > 0; n--) {
            buf_printf(out, "e.f%u = ", (unsigned)n);
            expression(out, (int)roll(4));
            buf_addc(out, '\n');
        }
        buf_adds(out, "} ");
    }
    for (uint32_t i = 0; i < sizeof clauses / sizeof *clauses; i++)
        buf_adds(out, roll(4) ? "" : clauses[i]);
    for (uint32_t n = roll(3); n > 0; n--) {
        buf_printf(out, "test \"t%u\" { lateness 5s 0s s ", (unsigned)n);
        buf_adds(out, "{\"a\":");
        random_json(out, 3);
        buf_adds(out, "} list l = [1] table t = [{\"k\":1}] expect alert at 30s {\"b\":");
        random_json(out, 2);
        buf_adds(out, "} expect 2 alerts expect none until 1h } ");
    }
    buf_adds(out, "}\n");
}

static void random_program(struct buf *out)
{
    static const char *const declarations[] = {
        "list l = cidr [\"10.0.0.0/8\"] ", "list f = file \"a\" ", "table t = kafka { brokers \"x\" options { a.b true } } key k.l ", "table u = from s key k keep 1d ",
        "engine { state \"x\" checkpoint 1s shards auto a -5 } ", "source auth { file \"*.x\" time_format [\"rfc3339\", \"epoch_ms\"] } ",
        "sink w { secret env(\"S\") headers { Authorization file(\"token\") } } ", "default_to [a, b] ", "http { tls { key \"k\" } } ",
    };

    for (uint32_t i = 0; i < sizeof declarations / sizeof *declarations; i++)
        buf_adds(out, roll(5) ? "" : declarations[i]);
    if (roll(2)) {
        buf_adds(out, "stream st = a, any where ");
        condition(out);
        buf_adds(out, roll(2) ? " { user = lower(user.name) b = 1 } expect x > 1 else drop " : "\n");
    }
    if (roll(2)) {
        buf_adds(out, roll(2) ? "def f(u, v) = " : "exception \"x\" for [a, b] until 2027-01-01 where ");
        condition(out);
        buf_addc(out, '\n');
    }
    for (unsigned n = 1 + roll(2); n > 0; n--)
        random_rule(out, n);
}

static void random_programs(void **state)
{
    (void)state;
    seed = 20271231;
    for (int i = 0; i < 2000; i++) {
        struct buf text;

        buf_init(&text);
        random_program(&text);
        if (!holds_in_any_layout(text.data, text.len, 1)) {
            struct diag *diag = diag_new();
            struct ast_module *module = ast_module_new();

            parse_file(module, diag, diag_file_add(diag, "t", text.data, text.len));
            buf_clear(&text);
            diag_print(diag, &text);
            fail_msg("a program that does not parse:\n%s", text.data);
        }
        buf_fini(&text);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(random_programs)};

    return cmocka_run_group_tests_name("format_random", tests, NULL, NULL);
}
