// SPDX-License-Identifier: Apache-2.0
/*
 * The formatter: known texts, and for all rules, golden cases and examples of the reference, in any
 * layout and with comments in any place: what comes out is the same rules with the same comments
 * (format_text sees to that itself, here once more), and formatting it changes nothing.
 */
#include <dirent.h>
#include <sys/stat.h>

#include <unit/format_fixture.h>
#include <unit/text_fixture.h>

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
    becomes("rule r { match { a: s } emit { pieces = sum(item.quantity where event.action == \"add_to_cart\") - "
            "sum(item.quantity where event.action == \"remove\") } }",
            "rule r {\n  match {\n    a: s\n  }\n  emit {\n    pieces = sum(item.quantity where event.action == \"add_to_cart\")\n"
            "           - sum(item.quantity where event.action == \"remove\")\n  }\n}\n");
    becomes("rule r { match { a: s where f(x) >=\ng(y) and z } }", "rule r {\n  match {\n    a: s where f(x)\n                 >= g(y) and z\n  }\n}\n");
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

static bool ends_with(const char *name, const char *end)
{
    size_t len = strlen(name), n = strlen(end);

    return len > n && strcmp(name + len - n, end) == 0;
}

/* Calls `each` with every file below a directory of the project whose name ends so; the sum of what it says. */
static uint32_t all_files(const char *dir, const char *end, uint32_t (*each)(const char *name))
{
    struct buf path;
    uint32_t n = 0;
    DIR *d;

    buf_init(&path);
    buf_printf(&path, "%s/%s", text_top(), dir);
    d = opendir(path.data);
    assert_non_null(d);
    for (struct dirent *entry; (entry = readdir(d)) != NULL;) {
        const char *name;
        struct stat st;

        if (entry->d_name[0] == '.')
            continue;
        buf_clear(&path);
        buf_printf(&path, "%s/%s/%s", text_top(), dir, entry->d_name);
        name = path.data + strlen(text_top()) + 1;
        if (stat(path.data, &st) == 0 && S_ISDIR(st.st_mode))
            n += all_files(name, end, each);
        else if (ends_with(name, end))
            n += each(name);
    }
    closedir(d);
    buf_fini(&path);
    return n;
}

static uint32_t rule_of_the_project(const char *name)
{
    char *text = text_of(name);

    if (!holds_in_any_layout(text, strlen(text), 3))
        fail_msg("%s does not parse", name);
    mem_free(text);
    return 1;
}

static void rules_of_the_project(void **state)
{
    (void)state;
    assert_true(all_files("rules", ".rule", rule_of_the_project) >= 5);
    assert_true(all_files("tests/data", ".rule", rule_of_the_project) >= 5);
}

/* How many pieces of a file, between a line that begins with `from` and the next that begins with `to`, hold. */
static uint32_t pieces(const char *name, const char *from, const char *to)
{
    char *text = text_of(name);
    uint32_t n = 0;

    for (char *at = text; (at = strstr(at, from)) != NULL;) {
        char *begin = strchr(at + 1, '\n'), *end;

        if (!begin || !(end = strstr(begin, to)))
            break;
        n += holds_in_any_layout(begin + 1, (size_t)(end - begin), 2);
        at = end + (strcmp(from, "```") == 0 ? 4 : 1);
    }
    mem_free(text);
    return n;
}

static uint32_t golden_case(const char *name)
{
    return pieces(name, "\n--- rule", "\n---");
}

static uint32_t chapter(const char *name)
{
    return pieces(name, "```", "\n```");
}

static void golden_cases(void **state)
{
    (void)state;
    assert_true(all_files("tests/golden/cases", ".t", golden_case) > 200);
    assert_true(all_files("grammar", ".md", chapter) > 10);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(declarations), cmocka_unit_test(settings), cmocka_unit_test(bodies), cmocka_unit_test(windows),
        cmocka_unit_test(long_lines), cmocka_unit_test(comments), cmocka_unit_test(tests_of_rules), cmocka_unit_test(refused),
        cmocka_unit_test(rules_of_the_project), cmocka_unit_test(golden_cases),
    };

    seed = 4711;
    return cmocka_run_group_tests_name("format", tests, NULL, NULL);
}
