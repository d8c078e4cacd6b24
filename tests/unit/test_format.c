// SPDX-License-Identifier: Apache-2.0
/*
 * The formatter: known texts, and for all rules, golden cases, examples of the reference and random
 * programs, in any layout and with comments in any place: what comes out is the same rules with the
 * same comments (format_text sees to that itself, here once more), and formatting it changes nothing.
 */
#include "lang/format.h"

#include <dirent.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include <cmocka.h>

#include "base/buf.h"
#include "base/diag.h"
#include "lang/ast.h"
#include "lang/ast_print.h"
#include "lang/format_priv.h"
#include "lang/parse.h"

static uint64_t seed;

static uint32_t roll(uint32_t n)
{
    seed ^= seed << 13;
    seed ^= seed >> 7;
    seed ^= seed << 17;
    return (uint32_t)(seed >> 33) % n;
}

/* ---- what always holds ------------------------------------------------------------------------ */

static bool tree_of(const char *text, size_t len, struct buf *out)
{
    struct diag *diag = diag_new();
    struct ast_module *module = ast_module_new();
    bool good = parse_file(module, diag, diag_file_add(diag, "t", text, len));

    buf_adds(out, "");
    if (good)
        ast_print_module(out, module);
    ast_module_free(&module);
    diag_free(&diag);
    return good;
}

static int by_text(const void *a, const void *b)
{
    return strcmp(*(char *const *)a, *(char *const *)b);
}

/* All comments, sorted: nothing of how the formatter compares them. */
static void comments_of(const char *text, size_t len, struct buf *out)
{
    struct format_text ft;
    char **all;

    format_lex(&ft, text, len);
    all = calloc(ft.n_comments + 1, sizeof *all);
    for (uint32_t i = 0; i < ft.n_comments; i++)
        all[i] = strndup(text + ft.comment[i].start, ft.comment[i].end - ft.comment[i].start);
    qsort(all, ft.n_comments, sizeof *all, by_text);
    for (uint32_t i = 0; i < ft.n_comments; i++) {
        buf_printf(out, "%s\n", all[i]);
        free(all[i]);
    }
    buf_adds(out, "");
    free(all);
    format_fini(&ft);
}

static void formatted(const char *text, size_t len, struct buf *out)
{
    struct diag *diag = diag_new();
    struct buf why;

    buf_init(&why);
    buf_adds(out, "");
    if (format_text("t", text, len, diag, out) != FORMAT_OK) {
        diag_print(diag, &why);
        fail_msg("%s\n%.*s", why.data, (int)len, text);
    }
    buf_fini(&why);
    diag_free(&diag);
}

static void no_blanks_at_ends(const struct buf *text)
{
    for (size_t i = 1; i < text->len; i++) {
        if (text->data[i] == '\n' && (text->data[i - 1] == ' ' || text->data[i - 1] == '\t') && !strchr(text->data, '\''))
            fail_msg("blanks at the end of a line:\n%s", text->data);
    }
    assert_true(text->len == 0 || text->data[text->len - 1] == '\n');
}

/* Returns false, and checks nothing, if the text is no rule file. */
static bool holds(const char *text, size_t len)
{
    struct buf tree, once, twice, tree_after, comments, comments_after;
    bool good;

    buf_init(&tree);
    buf_init(&once);
    buf_init(&twice);
    buf_init(&tree_after);
    buf_init(&comments);
    buf_init(&comments_after);
    good = tree_of(text, len, &tree);
    if (good) {
        formatted(text, len, &once);
        formatted(once.data, once.len, &twice);
        if (strcmp(once.data, twice.data) != 0)
            fail_msg("formatting twice is another thing:\n%.*s\n---\n%s\n---\n%s", (int)len, text, once.data, twice.data);
        assert_true(tree_of(once.data, once.len, &tree_after));
        assert_string_equal(tree_after.data, tree.data);
        comments_of(text, len, &comments);
        comments_of(once.data, once.len, &comments_after);
        assert_string_equal(comments_after.data, comments.data);
        no_blanks_at_ends(&once);
    }
    buf_fini(&tree);
    buf_fini(&once);
    buf_fini(&twice);
    buf_fini(&tree_after);
    buf_fini(&comments);
    buf_fini(&comments_after);
    return good;
}

/* The same tokens in another layout, comments in between. */
static void mess(const char *text, size_t len, struct buf *out)
{
    struct format_text ft;
    uint32_t often = 1 + roll(30);

    format_lex(&ft, text, len);
    for (uint32_t i = 0; i < ft.n; i++) {
        const struct format_token *t = &ft.token[i];
        bool touches = i > 0 && t->n_comments == 0 && ft.token[i - 1].end == t->start;

        for (uint32_t c = 0; c < t->n_comments; c++) {
            const struct format_comment *comment = &ft.comment[t->first_comment + c];

            buf_adds(out, comment->own_line ? "\n" : "  ");
            buf_add(out, text + comment->start, comment->end - comment->start);
            buf_adds(out, roll(3) ? "\n" : " \t\n\n\n");
        }
        if (roll(often) == 0)
            buf_printf(out, "%s%s%u%s", roll(2) ? " " : "\n", roll(2) ? "# c" : "//", (unsigned)roll(1000), roll(4) ? "\n" : " \r\n\n\n");
        else if (roll(often) == 0)
            buf_adds(out, roll(3) ? "\n" : "\n\n\n");
        else if (!touches || roll(4) == 0)
            buf_adds(out, roll(5) ? " " : "\t  ");
        buf_add(out, text + t->start, t->end - t->start);
    }
    format_fini(&ft);
}

static bool holds_in_any_layout(const char *text, size_t len, int times)
{
    if (!holds(text, len))
        return false;
    for (; times > 0; times--) {
        struct buf other;

        buf_init(&other);
        buf_adds(&other, "");
        mess(text, len, &other);
        if (!holds(other.data, other.len))
            fail_msg("in this layout it is not read any more:\n%s", other.data);
        buf_fini(&other);
    }
    return true;
}

/* ---- known texts ------------------------------------------------------------------------------ */

static void becomes(const char *text, const char *expected)
{
    struct buf out;

    buf_init(&out);
    formatted(text, strlen(text), &out);
    assert_string_equal(out.data, expected);
    buf_fini(&out);
    if (memcmp(text, "\xef\xbb", strlen(text) < 2 ? strlen(text) : 2) != 0 || *text == '\0')
        holds_in_any_layout(text, strlen(text), 20);
}

static void declarations(void **state)
{
    (void)state;
    becomes("", "");
    becomes("\n\n# alone\n\n\n", "# alone\n");
    becomes("\xef\xbb\xbf# mark\r\nlist a=[1]\r\n", "# mark\nlist a = [1]\n");
    becomes("stream auth=winlog,b where event.category==\"x\"stream iam = winlog",
            "stream auth = winlog, b where event.category == \"x\"\nstream iam  = winlog\n");
    becomes("stream s = a { user=lower(user.name) i=x.`y z` } expect x>1 else quarantine bad",
            "stream s = a {\n  user = lower(user.name)\n  i    = x.`y z`\n} expect x > 1 else quarantine bad\n");
    becomes("list f=text file \"a b.txt\" table t=file\"p\"key k.l table u = from s key k keep 1d",
            "list f = text file \"a b.txt\"\ntable t = file \"p\" key k.l\ntable u = from s key k keep 1d\n");
    becomes("def f( a,b )=a in b and not(a) def g()=-(1)*-2-a[-1]-h (-3)",
            "def f(a, b) = a in b and not (a)\ndef g() = -(1) * -2 - a[-1] - h(-3)\n");
    becomes("exception \"x\" for [a,b] until 2027-01-01 where source.ip in scanners",
            "exception \"x\" for [a, b] until 2027-01-01 where source.ip in scanners\n");
    becomes("default_to[a] rule a { match { x: s } } rule b { match { x: s } }",
            "default_to [a]\n\nrule a {\n  match {\n    x: s\n  }\n}\n\nrule b {\n  match {\n    x: s\n  }\n}\n");
}

static void settings(void **state)
{
    (void)state;
    becomes("sink disk { file \"a\" }", "sink disk { file \"a\" }\n");
    becomes("http {}", "http {}\n");
    becomes("http {\n}", "http {}\n");
    becomes("http {\n# c\n}", "http {\n  # c\n}\n");
    becomes("engine { rules \"rules\" # modules\nstate \"tocsin-state\" # kept\n\n\ncheckpoint 1s\ntls { a -5 } }",
            "engine {\n  rules \"rules\"         # modules\n  state \"tocsin-state\"  # kept\n\n  checkpoint 1s\n  tls { a -5 }\n}\n");
    becomes("sink s { secret env( \"S\" ) headers {\nA.b file(\"t\") } }",
            "sink s {\n  secret env(\"S\")\n  headers {\n    A.b file(\"t\")\n  }\n}\n");
}

static void bodies(void **state)
{
    (void)state;
    becomes("rule r { match by user.id,?host,ip=lower(a)??\"x\" within 60s select last { login:auth where a==1\n"
            "next not x{2,}:[s,t]by q within 5m any{a*:s b?:t}until bye:any } }",
            "rule r {\n"
            "  match by user.id, ?host, ip = lower(a) ?? \"x\" within 60s select last {\n"
            "    login:          auth where a == 1\n"
            "    next not x{2,}: [s, t] by q within 5m\n"
            "    any {\n"
            "      a*: s\n"
            "      b?: t\n"
            "    }\n"
            "    until bye:      any\n"
            "  }\n"
            "}\n");
}

static void windows(void **state)
{
    (void)state;
    becomes("rule w { window hopping 10m every 1m by host in hosts { a: s having count(a)>5 fire on match reset allow late 30s } }",
            "rule w {\n  window hopping 10m every 1m by host in hosts {\n    a: s\n    having count(a) > 5\n"
            "    fire on match reset\n    allow late 30s\n  }\n}\n");
    becomes("rule j { join by k within -5m .. 1h { a: s not b: t where a.x==b.x } }",
            "rule j {\n  join by k within -5m..1h {\n    a:     s\n    not b: t where a.x == b.x\n  }\n}\n");
    becomes("rule n { novel a.b,c by d within 14d after 3d { e: f } emit into o { n = count() } }",
            "rule n {\n  novel a.b, c by d within 14d after 3d {\n    e: f\n  }\n  emit into o {\n    n = count()\n  }\n}\n");
}

static void long_lines(void **state)
{
    (void)state;
    becomes("rule r { match { a: s where event.action == \"password_change_of_somebody\" and source.ip != login.source.ip "
            "and source.ip not in vpn_exits or x } }",
            "rule r {\n  match {\n"
            "    a: s where event.action == \"password_change_of_somebody\" and source.ip != login.source.ip\n"
            "           and source.ip not in vpn_exits or x\n  }\n}\n");
    /* Where the author broke, it stays broken, before the word. */
    becomes("rule r { match { a: s where x and\ny\n or (z and\n q) } }",
            "rule r {\n  match {\n    a: s where x\n           and y\n            or (z\n               and q)\n  }\n}\n");
    becomes("rule r { window tumbling 5m { a: s having x\nand y } }",
            "rule r {\n  window tumbling 5m {\n    a: s\n    having x\n       and y\n  }\n}\n");
    becomes("list l = [\n1,2,\n3]", "list l = [\n  1, 2,\n  3\n]\n");
    becomes("list l = [1,\n2]", "list l = [1, 2]\n");
}

static void comments(void **state)
{
    (void)state;
    becomes("# a\n\n\n# b\nrule r { # c\n# d\n\n# e\ntitle # f\n\"x\" # g\n\n\n# h\nmatch { # i\na: s # j\n# k\nbb: s # l\n# m\n} # n\n# o\n}\n# p",
            "# a\n\n# b\nrule r {  # c\n  # d\n\n  # e\n  title  # f\n      \"x\"  # g\n\n  # h\n  match {  # i\n    a:  s  # j\n"
            "    # k\n    bb: s  # l\n    # m\n  }  # n\n  # o\n}\n# p\n");
}

static void tests_of_rules(void **state)
{
    (void)state;
    becomes("rule r { match { a: s } test \"t\" { 0s auth{\"a\" : {\"b\":[1,-2.5e3,true,null]},\"c\":{}} 10m iam {} list v=[\"a\"] table t=[{\"k\":1}]\n"
            "lateness 5s expect none expect 2 alerts expect alert at 30s {\"x\":1} until 1h } }",
            "rule r {\n  match {\n    a: s\n  }\n  test \"t\" {\n    0s  auth {\"a\":{\"b\":[1, -2.5e3, true, null]}, \"c\":{}}\n"
            "    10m iam  {}\n    list v = [\"a\"]\n    table t = [{\"k\":1}]\n    lateness 5s\n    expect none\n    expect 2 alerts\n"
            "    expect alert at 30s {\"x\":1}\n    until 1h\n  }\n}\n");
    becomes("rule r { match { a: s } test \"t\" { 0s auth {\n\"a\":1, # one\n\"b\":\n2} } }",
            "rule r {\n  match {\n    a: s\n  }\n  test \"t\" {\n    0s auth {\n      \"a\":1,  # one\n      \"b\":2\n    }\n  }\n}\n");
}

static void refused(void **state)
{
    struct diag *diag = diag_new();
    struct buf out;

    (void)state;
    buf_init(&out);
    assert_int_equal(format_text("t", "rule {", 6, diag, &out), FORMAT_SYNTAX);
    assert_true(diag_errors(diag) > 0);
    assert_int_equal(out.len, 0);
    buf_fini(&out);
    diag_free(&diag);
}

/* ---- files of the project ---------------------------------------------------------------------- */

static const char *top(void)
{
    const char *dir = getenv("top_srcdir");

    return dir ? dir : ".";
}

static void read_file(const char *path, struct buf *out)
{
    FILE *f = fopen(path, "rb");
    char block[4096];

    buf_adds(out, "");
    if (!f)
        fail_msg("%s cannot be read", path);
    for (size_t n; (n = fread(block, 1, sizeof block, f)) > 0;)
        buf_add(out, block, n);
    fclose(f);
}

static uint32_t all_rules(const char *dir)
{
    DIR *d = opendir(dir);
    uint32_t n = 0;

    assert_non_null(d);
    for (struct dirent *entry; (entry = readdir(d)) != NULL;) {
        struct buf path, text;
        struct stat st;
        size_t len;

        if (entry->d_name[0] == '.')
            continue;
        buf_init(&path);
        buf_init(&text);
        buf_printf(&path, "%s/%s", dir, entry->d_name);
        len = strlen(entry->d_name);
        if (stat(path.data, &st) == 0 && S_ISDIR(st.st_mode)) {
            n += all_rules(path.data);
        } else if (len > 5 && strcmp(entry->d_name + len - 5, ".rule") == 0) {
            read_file(path.data, &text);
            if (!holds_in_any_layout(text.data, text.len, 3))
                fail_msg("%s does not parse", path.data);
            n++;
        }
        buf_fini(&path);
        buf_fini(&text);
    }
    closedir(d);
    return n;
}

static void rules_of_the_project(void **state)
{
    struct buf path;

    (void)state;
    buf_init(&path);
    buf_printf(&path, "%s/rules", top());
    assert_true(all_rules(path.data) >= 5);
    buf_clear(&path);
    buf_printf(&path, "%s/tests/data", top());
    assert_true(all_rules(path.data) >= 5);
    buf_fini(&path);
}

/* Calls with what stands between a line that begins with `from` and the next that begins with `to`. */
static uint32_t pieces(const char *path, const char *from, const char *to)
{
    struct buf text;
    uint32_t n = 0;

    buf_init(&text);
    read_file(path, &text);
    for (char *at = text.data; (at = strstr(at, from)) != NULL;) {
        char *begin = strchr(at, '\n'), *end;

        if (!begin || !(end = strstr(begin, to)))
            break;
        n += holds_in_any_layout(begin + 1, (size_t)(end - begin), 2);
        at = end + (strcmp(from, "```") == 0 ? 4 : 1);
    }
    buf_fini(&text);
    return n;
}

static void golden_cases(void **state)
{
    struct buf path;
    uint32_t n = 0;
    DIR *d;

    (void)state;
    buf_init(&path);
    buf_printf(&path, "%s/tests/golden/cases", top());
    d = opendir(path.data);
    assert_non_null(d);
    for (struct dirent *entry; (entry = readdir(d)) != NULL;) {
        if (entry->d_name[0] == '.')
            continue;
        buf_clear(&path);
        buf_printf(&path, "%s/tests/golden/cases/%s", top(), entry->d_name);
        n += pieces(path.data, "\n--- rule", "\n---");
    }
    closedir(d);
    assert_true(n > 200);
    buf_clear(&path);
    buf_printf(&path, "%s/grammar/README.md", top());
    assert_true(pieces(path.data, "```", "\n```") > 10);
    buf_fini(&path);
}

/* ---- random programs ---------------------------------------------------------------------------- */

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
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(declarations), cmocka_unit_test(settings), cmocka_unit_test(bodies), cmocka_unit_test(windows),
        cmocka_unit_test(long_lines), cmocka_unit_test(comments), cmocka_unit_test(tests_of_rules), cmocka_unit_test(refused),
        cmocka_unit_test(rules_of_the_project), cmocka_unit_test(golden_cases), cmocka_unit_test(random_programs),
    };

    seed = 4711;
    return cmocka_run_group_tests_name("format", tests, NULL, NULL);
}
