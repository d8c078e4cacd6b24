// SPDX-License-Identifier: Apache-2.0
/*
 * What resolve makes of rule files: the messages, and the fields that it fills.
 *
 * A case is a text and all that is said about it, a line a message:
 *     LINE:COLUMN: LEVEL: MESSAGE (HINT)
 */
#include <unistd.h>

#include <unit/resolve_fixture.h>

#include "event/schema.h"

/* streams, lists, defs, rules: names and what is refused */
static const struct text_case declarations[] = {
    { "stream s = a, b where x == 1\n"
      "list l = [\"a\"]\n"
      "rule r { match within 5m { p: s where y in l } }\n",
      "" },
    { "stream s = a\n"
      "stream s = b\n"
      "list l = []\n"
      "list l = []\n"
      "rule r { match within 5m { a: s } }\n"
      "rule r { match within 5m { a: s } }\n",
      "2:8: error: stream `s` is declared twice (first declared at t:1)\n"
      "4:6: error: list `l` is declared twice (first declared at t:3)\n"
      "6:6: error: rule `r` is declared twice (first declared at t:5)\n" },
    { "stream `any` = a\n"
      "list `any` = []\n",
      "1:8: error: a stream cannot be named `any` (`any` is all sources)\n"
      "2:6: error: a list cannot be named `any` (`any` is all sources)\n" },
    { "stream a = b\n"
      "stream b = c, a\n"
      "stream c = c\n",
      "1:8: error: stream `a` reads itself: a -> b -> a\n"
      "3:8: error: stream `c` reads itself: c -> c\n" },
    { "stream s = a, a\n",
      "1:15: error: `a` is named twice\n" },
    { "stream r = a\n"
      "rule r { match within 5m { a: s } }\n"
      "rule q { match { a: r b: q within 5s } }\n",
      "2:6: error: rule `r` is named like a stream (a rule's name is a stream too; the "
      "other is at t:1)\n"
      "3:6: error: rule `q` reads itself: q -> q (a rule may read what other rules make, but "
      "nothing that comes of its own events)\n" },
    { "rule p { match { a: s } }\n"
      "rule q { match { a: p } }\n",
      "" },
    { "stream s = a { x = y } expect z else drop\n", "" },
    { "table t = kafka { topic \"x\" } key k\n"
      "exception \"e\" for rule_a where a == 1\n"
      "engine { state \"x\" }\n"
      "source a { file \"x\" }\n",
      "1:1: error: the table `t` has no `brokers` (add `brokers \"127.0.0.1:9092\"`, or `source "
      "NAME`: those of a source of the configuration)\n"
      "2:19: error: unknown rule `rule_a`\n"
      "3:1: error: `engine` belongs into the configuration file (a rule file holds "
      "`stream`, `list`, `def` and `rule`)\n"
      "4:1: error: `source` belongs into the configuration file (a rule file holds "
      "`stream`, `list`, `def` and `rule`)\n" },
    { "table t = kafka { topic \"\" brokers [\"\", 1] reread_after 0s } key @kafka\n"
      "table u = kafka { topic \"u\" brokers \"b:1\" } key @kafka.kye\n"
      "table v = kafka { topic \"v\" brokers \"b:1\" } key @kafka.headers\n"
      "table w = kafka { topic \"w\" brokers \"b:1\" } key @kafka.headers.id\n"
      "rule r { match { a: s where w[x].@kafka.key.y == 1 and w[x].@kafka.offset > 5 } }\n",
      "1:25: error: `topic` is empty\n"
      "1:37: error: `brokers` is empty\n"
      "1:41: error: `brokers` is a text (write \"...\", or env(\"NAME\"), or file(\"path\"))\n"
      "1:57: error: `reread_after` must be more than 0 (so long as Kafka remembers which rows were deleted: the "
      "topic's `delete.retention.ms`)\n"
      "1:66: error: no record has a value `@kafka` (the key of the record is `@kafka.key`; there are topic, "
      "partition, offset, timestamp and headers.NAME too)\n"
      "2:49: error: no record has a value `@kafka.kye` (did you mean `@kafka.key`?)\n"
      "3:49: error: no record has a value `@kafka.headers` (a header is `@kafka.headers.NAME`)\n"
      "5:29: error: no record has a value `@kafka.key.y` (the key of the record is `@kafka.key`; there are topic, "
      "partition, offset, timestamp and headers.NAME too)\n" },
    { "rule w { window tumbling 5m { a: s having count() > 5 } emit { x = nowhere.y } "
      "severity hihg }\n"
      "rule j { join by k within 5m { a: s b: t } }\n"
      "rule n { novel x by k within 14d { a: s } }\n",
      "1:68: error: `nowhere.y` is no key, and the window holds many events (take a value of it, "
      "as `last(nowhere.y)`)\n"
      "1:89: error: unknown severity `hihg` (did you mean `high`?)\n" },
    { "table t = file \"x.csv\" key k\n"
      "rule r { match within 5m { a: s where x in t and t[x].y == 1 } }\n",
      "1:16: error: cannot read `x.csv`: No such file or directory\n" },
    { "rule r { match within 5m { a: s where t[x].y == 1 } }\n",
      "1:39: error: `t[...]` looks into a table, and no such is declared (an element of a list is "
      "`x[0]` or `x[-1]`)\n" },
    { "rule r { match within 5m select all { a: s } }\n",
      "1:33: error: `select all` is not supported by this version\n" },
    { "def f(u) = g(u)\n"
      "def g(u) = f(u)\n"
      "def lower(x) = x\n"
      "def p(x, x) = nope(x)\n",
      "2:12: error: def `f` uses itself\n"
      "3:5: error: def `lower` is named like a function (rename it)\n"
      "4:10: error: parameter `x` is named twice\n"
      "4:15: error: unknown function `nope`\n" },
    { "def adm(u) = u.name == \"root\" or any(y in u.groups: y == \"wheel\")\n"
      "rule r { match within 5m { a: s where adm(user) and adm(lower(user)) } }\n",
      "2:57: error: `adm` reads a field of this argument, so it must be a field path\n" },
    { "def many(s, n) = count(s) >= n\n"
      "rule r { match within 5m { a+: s b: s where many(a, 3) and many(b, 1) and many(a) } "
      "}\n",
      "2:75: error: `many` takes 2 arguments, 1 given (declared at t:1)\n" },
    { "def own(u) = u == source.ip\n"
      "rule r { match within 5m { source: s b: s where own(source.ip) } }\n",
      "2:28: error: step `source` is named like the first part of the field `source.ip` "
      "(rename the step; the field is read at t:1)\n" },
};

/* items are of the kind; a file is read beside the rules */
static const struct text_case lists[] = {
    { "list a = cidr [\"10.0.0.0/8\", \"10.0.0.1/8\", \"nonsense\", 5]\n"
      "list b = regex [\"a+\", \"(\"]\n"
      "list c = like [\"*\", 1]\n"
      "list d = text [\"x\", 2h]\n"
      "list e = [-1, 2.5, \"x\", true, 5m, 2027-01-01]\n",
      "1:30: error: bad network `10.0.0.1/8`: address bits behind the prefix length are set\n"
      "1:44: error: bad network `nonsense`: not an IPv4 or IPv6 address\n"
      "1:56: error: an entry of a `cidr` list is a text, this is not\n"
      "2:23: error: bad pattern: missing closing parenthesis at offset 1\n"
      "3:21: error: an entry of a `like` list is a text, this is not\n"
      "4:21: error: an entry of a `text` list is a text, this is not\n" },
    { "list a = file \"no_such_file.txt\"\n"
      "list b = file \"/\"\n",
      "1:15: error: cannot read `no_such_file.txt`: No such file or directory\n"
      "2:15: error: cannot read `/`: not a file\n" },
    { "list vpn = cidr []\n"
      "rule r { match within 5m { a: s where ip in vpm and x in long.path and y like zzz "
      "and vpn == \"x\" } }\n",
      "2:45: error: `vpm` is not a declared list (did you mean `vpn`?)\n"
      "2:79: error: `zzz` is not a declared list (declare it; a field that is a list is "
      "compared by `==` or `!=`)\n"
      "2:87: warning: `vpn` is read as a field here (the declared list of that name stands "
      "to the right of `in`)\n" },
};

/* names and numbers of arguments */
static const struct text_case functions[] = {
    { "rule r { match within 5m { a: s where lowr(x) == \"a\" and length() == 1 and if(x) "
      "== 1 and concat() == \"\" and geo_distance_km(1,2,3,4) > 5 and nonsense(x) == 1 } }\n",
      "1:39: error: unknown function `lowr` (did you mean `lower`?)\n"
      "1:58: error: `length` takes 1 argument, 0 given\n"
      "1:76: error: `if` takes 3 arguments, 1 given\n"
      "1:91: error: `concat` takes 1 or more arguments, 0 given\n"
      "1:143: error: unknown function `nonsense`\n" },
    { "rule r { match within 5m { a: s where lower(x).y == 1 and lower(x where y) == \"a\" "
      "and time(1, 2) > time() } }\n",
      "1:39: error: `lower` takes no `where`, no `within`, and has no fields\n"
      "1:59: error: `lower` takes no `where`, no `within`, and has no fields\n"
      "1:87: error: `time` takes 1 or fewer arguments, 2 given\n" },
};

/* everything around the body */
static const struct text_case clauses[] = {
    { "rule r { match by k { a: s } emit {\n"
      "km = a.x * 2  half = km / 2  name = name  k = 1  key = k  to.km = a.x\n"
      "other = to.km } }\n",
      "2:22: warning: `km` is a field of the event here, not what is emitted as `km` (write out what it is made of, "
      "or name that with a `def`)\n"
      "3:9: warning: `to.km` is a field of the event here, not what is emitted as `to.km` (write out what it is made of, "
      "or name that with a `def`)\n" },
    { "rule r { match  { a: s } severity high risk 0 tags [\"x\"] keep 10 to [x, y] "
      "on_reload fresh limit runs 5 per key limit state 1GiB limit alerts 10 per 1m meta { "
      "a 1 b.c \"x\" d { e [1, \"x\"] } } }\n",
      "" },
    { "rule r { title \"{lgoin.u} {login.u}\" match within 5m { login: s  files{3}: s where file.p == 1 } "
      "emit { u = logn.u  v = `lgoin`.u  w = logins.u } }\n",
      "1:18: warning: `lgoin` is read as a field of the event here (did you mean `login`?)\n"
      "1:109: warning: `logn` is read as a field of the event here (did you mean `login`?)\n" },
    { "rule r { match  { a: s } severity \"higH\" }\n",
      "1:35: error: unknown severity `higH` (did you mean `high`?)\n" },
    { "rule r { match  { a: s } severity 5 }\n",
      "1:35: error: a severity is a word (one of info, low, medium, high, critical)\n" },
    { "rule r { match  { a: s } severity if(x == 1, \"high\", \"low\") }\n",
      "" },
    { "rule r { match  { a: s } severity if(x == 1, high, lwo) }\n",
      "1:52: warning: `lwo` is read as a field here (did you mean `low`?)\n" },
    { "rule r { match  { a: s } severity if(x == 1, high, \"lwo\") }\n",
      "1:52: error: unknown severity `lwo` (did you mean `low`?)\n" },
    { "rule r { match  { a: s } severity level emit { level = x } }\n",
      "" },
    { "rule r { match  { a: s } severity count(a) }\n",
      "1:35: error: `severity` is a text, this is a number\n" },
    { "rule r { match  { a: s } severity purple }\n",
      "1:35: error: unknown severity `purple` (one of info, low, medium, high, critical)\n" },
    { "rule r { match  { a: s } risk 101 }\n",
      "1:31: error: `risk` is an integer from 0 to 100\n" },
    { "rule r { match  { a: s } risk -1 }\n",
      "1:31: error: `risk` is an integer from 0 to 100\n" },
    { "rule r { match  { a: s } risk 5.5 }\n",
      "1:31: error: `risk` is an integer from 0 to 100\n" },
    { "rule r { match  { a: s } risk count(a) }\n",
      "" },
    { "rule r { match  { a: s } risk lower(x) }\n",
      "1:31: error: `risk` is a number, this is a text\n" },
    { "rule r { match  { a: s } keep 1001 }\n",
      "1:31: error: `keep` is an integer from 1 to 1000\n" },
    { "rule r { match  { a: s } to [x, x] limit values 5 per key limit matches 5 per event "
      "}\n",
      "1:33: error: sink `x` is named twice\n"
      "1:42: error: a `match` has no `limit values`\n"
      "1:65: error: `limit matches` belongs to `select all`\n" },
    { "rule r { match  { a: s } meta { a x b { c 1 c 2 } a 2 } }\n",
      "1:35: error: a value in `meta` is a literal (a text stands in quotes)\n"
      "1:45: error: `c` stands twice in `meta`\n"
      "1:51: error: `a` stands twice in `meta`\n" },
    { "rule r { match  { a: s } emit { a.b = 1  a = 2  a.b = 3  a.c = 4 } }\n",
      "1:42: error: `a` cannot stand beside `a.b`: one is inside the other\n"
      "1:49: error: `a.b` is emitted twice\n"
      "1:58: error: `a.c` cannot stand beside `a`: one is inside the other\n" },
    { "rule r { match  { a: s } suppress 5m by user, a.x summary }\n",
      "" },
    { "rule r { match  { a: s } emit into other { x = 1 } }\n",
      "" },
};

/* texts with {path} in them */
static const struct text_case templates[] = {
    { "rule r { match by user.id within 5m { login: s } emit { who.name = user.id  n = "
      "count(login) } title \"{who.name} {user.id} {login.source.ip} {n} {src[0].ip} {`odd "
      "key`.x[-1]} {{literal}} } { n }\" description \"none\" }\n",
      "" },
    { "rule r { match  { a: s } title \"{\" }\n",
      "1:33: error: `{` has no `}` (a brace itself is written `{{`)\n" },
    { "rule r { match  { a: s } title \"{} {a b} {a.} {[0]} {a.x\" }\n",
      "1:34: error: `{}` is not a field path (a brace itself is written `{{`)\n"
      "1:37: error: `{a b}` is not a field path (a brace itself is written `{{`)\n"
      "1:43: error: `{a.}` is not a field path (a brace itself is written `{{`)\n"
      "1:48: error: `{[0]}` is not a field path (a brace itself is written `{{`)\n"
      "1:53: error: `{` has no `}` (a brace itself is written `{{`)\n" },
    { "rule r { match  { a: s } title \"tab\\t{a b}\" }\n",
      "1:32: error: `{a b}` is not a field path (a brace itself is written `{{`)\n" },
    { "rule r { match  { a: s b: s within 5s } title '{c.x} {a} {b.x}' }\n",
      "1:55: error: `a` is a step, not a field (name a field of it, as `a.x`, or rename "
      "the step)\n" },
    { "rule r { match  { a: s not n: s within 5s } title \"{n.x}\" }\n",
      "1:53: error: no event is ever bound to `n`, which is a `not` (if a field is meant, "
      "rename the step `n`)\n" },
};

/* test blocks */
static const struct text_case tests[] = {
    { "list l = cidr [\"10.0.0.0/8\"]\n"
      "stream q = other\n"
      "rule r { match  { a: s } test \"t\" { lateness 5s list l = [\"10.1.0.0/16\"] 0s s "
      "{\"a\":1} 1s q {} expect 2 alerts expect alert at 1s {\"a\":1} until 5m } test "
      "\"u\" { expect none } }\n",
      "" },
    { "rule r { match  { a: sshd } test \"t\" { 0s shsd {} 1s quite_other {} expect none } "
      "}\n",
      "1:43: warning: no rule reads `shsd` (did you mean `sshd`?)\n"
      "1:54: warning: no rule reads `quite_other`\n" },
    { "rule r { match  { a: any } test \"t\" { 0s whatever {} expect none } }\n",
      "" },
    { "list l = cidr []\n"
      "rule r { match  { a: s } test \"t\" { list l = [\"10.1.0.1/16\"] list m = [] 0s s "
      "{} expect none expect 1 alerts } }\n",
      "2:47: error: bad network `10.1.0.1/16`: address bits behind the prefix length are set\n"
      "2:67: error: no list `m` is declared (did you mean `l`?)\n"
      "2:82: error: `expect none` beside another `expect`\n" },
    { "rule r { match  { a: s } test \"t\" { 0s s {} } test \"u\" { expect none expect "
      "none until 5s until 6s } }\n",
      "1:31: warning: this test expects nothing (say so with `expect none`)\n"
      "1:70: error: `expect none` stands twice in this test\n"
      "1:91: error: `until` stands twice in this test\n" },
};

static void check_declarations(void **state)
{
    (void)state;
    check_cases(declarations, sizeof declarations / sizeof declarations[0], NULL);
}

static void check_lists(void **state)
{
    (void)state;
    check_cases(lists, sizeof lists / sizeof lists[0], NULL);
}

static void check_functions(void **state)
{
    (void)state;
    check_cases(functions, sizeof functions / sizeof functions[0], NULL);
}

static void check_clauses(void **state)
{
    (void)state;
    check_cases(clauses, sizeof clauses / sizeof clauses[0], NULL);
}

static void check_templates(void **state)
{
    (void)state;
    check_cases(templates, sizeof templates / sizeof templates[0], NULL);
}

static void check_tests(void **state)
{
    (void)state;
    check_cases(tests, sizeof tests / sizeof tests[0], NULL);
}

static void limits_of_steps(void **state)
{
    struct buf text;
    (void)state;
    for (int n = 16; n <= 17; n++) {
        buf_init(&text);
        buf_adds(&text, "rule r { match within 5m { all { ");
        for (int i = 0; i < n; i++)
            buf_printf(&text, "a%d: s ", i);
        buf_adds(&text, "} } }");
        expect(text.data, n == 16 ? "" : "1:28: error: `all { }` has at most 16 steps\n", NULL);
        buf_fini(&text);
    }
    for (int n = 64; n <= 65; n++) {
        buf_init(&text);
        buf_adds(&text, "rule r { match within 5m {\n");
        for (int i = 0; i < n; i++)
            buf_printf(&text, "a%d: s\n", i);
        buf_adds(&text, "} }");
        expect(text.data,
               n == 64 ? ""
                       : "66:1: error: a rule has at most 64 steps, `not` and `until` included\n",
               NULL);
        buf_fini(&text);
    }
}

static void sources_that_there_are(void **state)
{
    static const char *const names[] = { "auth", "winlog", "dns" };
    struct lang_options opt = { .source = names, .n_sources = 3 };
    (void)state;
    expect("stream s = auth\nrule r { match { a: [s, any, dns] } }", "", &opt);
    expect("rule r { match { a: autth } }\nrule q { match { a: autth } }\n"
           "rule p { match { a: x } }",
           "1:21: error: unknown stream or source `autth` (did you mean `auth`?)\n"
           "3:21: error: unknown stream or source `x` (sources are `auth`, `winlog`, ...)\n",
           &opt);
    expect("rule r { match { a: auth } }",
           "1:21: error: unknown stream or source `auth` (the only source is `events`; name a file as auth=FILE, "
           "or declare `source auth`)\n",
           &(struct lang_options){ .source = (const char *const[]){ "events" }, .n_sources = 1 });
    expect("stream auth = winlog\nrule dns { match { a: auth } }",
           "1:8: error: stream `auth` is named like a source (rename the stream)\n"
           "2:6: error: rule `dns` is named like a source "
           "(a rule's name is a stream too; rename the rule)\n",
           &opt);
    opt.n_sources = 0;
    expect("rule r { match { a: x } }",
           "1:21: error: unknown stream or source `x` (there is no source; name one as x=FILE)\n",
           &opt);
}

static void streams_are_numbered(void **state)
{
    struct fixture f;
    (void)state;
    read_text(&f, "t", "rule b { match { x: s } }\nrule a { disabled match { x: [u, v] } }\n"
                       "stream s = u, w where k == 1\n", NULL);
    assert_int_equal(diag_errors(f.diag), 0);
    assert_int_equal(f.unit.n_streams, 5);
    static const char *const names[] = { "any", "s", "u", "w", "v" };
    for (uint32_t i = 0; i < 5; i++) {
        assert_string_equal(f.unit.stream[i].name, names[i]);
        assert_int_equal(f.unit.stream[i].is_source, i > 1);
    }
    assert_int_equal(f.unit.stream[1].n_inputs, 2);
    assert_int_equal(f.unit.stream[1].input[1], 3);
    assert_non_null(f.unit.stream[1].where);
    assert_int_equal(f.unit.n_rules, 2);
    assert_string_equal(f.unit.rule[0]->name.text, "a");
    assert_true(f.unit.rule[0]->disabled);
    assert_int_equal(f.unit.rule[1]->number, 1);
    assert_int_equal(f.unit.rule[0]->match->steps[0]->stream[1], 4);
    drop(&f);
}

static void names_are_resolved(void **state)
{
    struct fixture f;
    (void)state;
    read_text(&f, "t",
              "def fresh(u) = u.age < 5\n"
              "rule r { match by user.id within 5m { not n: s a{2}: s b: s where x.y == a.x.y and "
              "z == 1\n"
              "  c: s where fresh(b) until u: s }\n"
              "  emit { k = user.id  f = z  g.h = count(a) } title \"{k}: {g.h} {b.z}!\" }\n",
              NULL);
    assert_int_equal(diag_errors(f.diag), 0);
    struct ast_rule *rule = f.unit.rule[0];
    struct ast_match *match = rule->match;
    assert_int_equal(match->n_steps, 5);
    assert_int_equal(match->until->number, 4);
    assert_ptr_equal(match->steps[1]->effective_keys, match->keys);
    assert_int_equal(rule->n_keys, 1);

    struct ast_expr *equal = match->steps[2]->where->args[0];
    assert_int_equal(equal->args[0]->ref, REF_FIELD);
    assert_int_equal(equal->args[1]->ref, REF_STEP_FIELD);
    assert_int_equal(equal->args[1]->step, 1);
    assert_int_equal(equal->args[0]->slot, equal->args[1]->slot);
    bool own;
    assert_int_equal(resolve_steps_used(match->steps[2]->where, &own), 1 << 1);
    assert_true(own);
    assert_int_equal(resolve_steps_used(match->steps[3]->where, &own), 1 << 2);
    assert_false(own);
    assert_string_equal(schema_path(f.unit.schema, match->steps[3]->where->args[0]->slot), "age");

    struct ast_assign *emit = rule->emit;
    assert_int_equal(emit->expr->ref, REF_KEY);
    assert_int_equal(emit->next->expr->ref, REF_FIELD);
    assert_int_equal(emit->next->next->expr->ref, REF_AGGREGATE);
    struct ast_piece *piece = rule->title_pieces;
    assert_int_equal(piece->expr->ref, REF_EMITTED);
    assert_int_equal(piece->next->len, 2);
    assert_int_equal(piece->next->next->expr->emitted, 2);
    piece = piece->next->next->next;
    assert_string_equal(piece->text, " ");
    assert_int_equal(piece->next->expr->step, 2);
    assert_string_equal(piece->next->next->text, "!");
    drop(&f);
}

static void lists_come_from_files(void **state)
{
    char folder[] = "/tmp/test_resolve_XXXXXX", path[64], rules[64];
    struct fixture f;
    struct buf got;
    (void)state;
    assert_non_null(mkdtemp(folder));
    snprintf(path, sizeof path, "%s/nets.txt", folder);
    snprintf(rules, sizeof rules, "%s/a.rule", folder);
    FILE *file = fopen(path, "w");
    assert_non_null(file);
    fputs("\xef\xbb\xbf# networks\r\n\r\n 10.0.0.0/8 \r\n\t# more\n::1\nx", file);
    fclose(file);
    read_text(&f, rules, "list n = file \"nets.txt\"\nlist c = cidr file \"nets.txt\"\n", NULL);
    const struct ast_list *list = f.unit.list[0];
    assert_int_equal(list->n_items, 3);
    assert_int_equal(list->item[0]->value.len, strlen("10.0.0.0/8"));
    assert_memory_equal(list->item[2]->value.u.text, "x", 1);
    assert_int_equal(diag_errors(f.diag), 1);
    buf_init(&got);
    diag_print(f.diag, &got);
    assert_non_null(strstr(got.data, "a.rule:2:20: error: nets.txt, line 6: bad network `x`"));
    buf_fini(&got);
    drop(&f);
    unlink(path);
    rmdir(folder);
}

/* A def may not grow without bound, however often it is used. */
static void defs_stay_small(void **state)
{
    struct buf text;
    (void)state;
    buf_init(&text);
    buf_adds(&text, "def f0(u) = u == 1\n");
    for (int i = 1; i < 30; i++)
        buf_printf(&text, "def f%d(u) = f%d(u) or f%d(u)\n", i, i - 1, i - 1);
    struct fixture f;
    read_text(&f, "t", text.data, NULL);
    assert_true(diag_errors(f.diag) > 0);
    drop(&f);
    buf_fini(&text);
}

int main(void)
{
    const struct CMUnitTest all[] = {
        cmocka_unit_test(check_declarations),     cmocka_unit_test(check_lists),
        cmocka_unit_test(check_functions),        cmocka_unit_test(check_clauses),
        cmocka_unit_test(check_templates),        cmocka_unit_test(check_tests),
        cmocka_unit_test(limits_of_steps),
        cmocka_unit_test(sources_that_there_are), cmocka_unit_test(streams_are_numbered),
        cmocka_unit_test(names_are_resolved),     cmocka_unit_test(lists_come_from_files),
        cmocka_unit_test(defs_stay_small),
    };

    return cmocka_run_group_tests_name("resolve", all, NULL, NULL);
}
