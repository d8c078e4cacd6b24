// SPDX-License-Identifier: Apache-2.0
/*
 * What resolve refuses in a match body: references, structure, bounds, keys.
 *
 * A case is a text and all that is said about it, a line a message:
 *     LINE:COLUMN: LEVEL: MESSAGE (HINT)
 */
#include <unit/resolve_fixture.h>

/* which step an expression may refer to */
static const struct text_case references[] = {
    { "rule r { match within 5m { a: s b: s where x == a.x and time() - time(a) > 5s and "
      "exists(a) and stream(a) == \"s\" } }\n",
      "" },
    { "rule r { match within 5m { a: s where x == b.x b: s } }\n",
      "1:44: error: `b` comes later: no event is bound to it yet (if a field is meant, "
      "rename the step `b`)\n" },
    { "rule r { match within 5m { a: s where a.x == 1 and time(a) > time() and count(a) == "
      "0 and exists(a) } }\n",
      "1:39: error: `a` is not bound yet in its own `where` (`x` is the candidate's, "
      "`prev(a).x` that of the event bound before; if the field `a.x` is meant, rename the "
      "step)\n"
      "1:52: error: `a` is not bound yet in its own `where` (the candidate's is `time()`)\n" },
    { "rule r { match within 5m { a{3}: s where x > prev(a).x and sum(a.x) < 5 and time() "
      "- time(prev(a)) < 1m and exists(prev(a)) and stream(prev(a)) == \"s\" } }\n",
      "" },
    { "rule r { match within 5m { a: s where prev(a).x == 1 b: s where prev(a).x == 1 } "
      "emit { x = prev(a).x } }\n",
      "1:39: warning: `prev(a)` is always missing (`a` takes one event only)\n"
      "1:65: error: `prev(a)` stands in the `where` of `a` only (the last event bound to "
      "it is `a.x`)\n"
      "1:93: error: `prev(a)` stands in the `where` of `a` only (the last event bound to "
      "it is `a.x`)\n" },
    { "rule r { match within 5m { a: s not n: s where x == a.x b: s where n.x == 1 and "
      "exists(n) and count(n) == 0 until u: s where x == a.x and y == b.y and u.x == 1 } "
      "emit { x = u.x  y = n } }\n",
      "1:68: error: no event is ever bound to `n`, which is a `not` (if a field is meant, "
      "rename the step `n`)\n"
      "1:88: error: no event is ever bound to `n`, which is a `not` (if a field is meant, "
      "rename the step `n`)\n"
      "1:95: error: no event is ever bound to `n`, which is a `not` (if a field is meant, "
      "rename the step `n`)\n"
      "1:152: error: no event is ever bound to `u`, which is the `until` (if a field is "
      "meant, rename the step `u`)\n"
      "1:174: error: no event is ever bound to `u`, which is the `until` (if a field is "
      "meant, rename the step `u`)\n"
      "1:183: error: no event is ever bound to `n`, which is a `not` (if a field is meant, "
      "rename the step `n`)\n" },
    { "rule r { match within 5m { not n: s where x == a.x and y == b.y and count(a) > 1 a: "
      "s b: s not t: s where x == a.x and y == b.y } }\n",
      "1:61: error: a `not` before the first step may refer to the first step only\n"
      "1:69: error: a `not` before the first step knows no more than the first event "
      "(write `a.x`)\n" },
    { "rule r { match within 5m { all { a: s where x == b.x  b: s where y == a.y } c: s "
      "where x == a.x and x == b.x } }\n",
      "" },
    { "rule r { match within 5m { any { a: s where x == b.x  b: s } c: s where x == a.x } }\n",
      "1:50: error: `a` and `b` are never both bound (exactly one of the steps in `any { "
      "}` is)\n" },
    { "rule r { match within 5m { a: s b: s where a == 1 and a[0] == 1 and time(a.x) == "
      "time() and time(x) == time(c) } }\n",
      "1:44: error: `a` is a step, not a field (name a field of it, as `a.x`, or rename "
      "the step)\n"
      "1:55: error: the events of a step have no index (there are `first(a).x`, "
      "`last(a).x` and `values(a.x)`)\n"
      "1:69: error: `time` takes the step itself (write `time(a)`)\n"
      "1:98: error: `x` is not a step of this match (did you mean `a`?)\n"
      "1:109: error: `c` is not a step of this match (did you mean `a`?)\n" },
    { "rule r { match within 5m { a: s } emit { n = count(a)  s = sum(a.x)  f = "
      "first(a).x.y  l = last(a).x  v = values(a.x)  d = count_distinct(a.x)  f2 = "
      "first(a.x) } }\n",
      "" },
    { "rule r { match within 5m { a: s } emit { b = count(a.x)  c = sum(a)  d = first(a)  "
      "e = min(a).x  f = count()  g = sum(a.x, a.y)  h = sum(x.y)  i = count(a where x == "
      "1)  j = sum(5) k = sum(a[0]) } }\n",
      "1:46: error: `count` takes the step itself (write `count(a)`)\n"
      "1:62: error: `sum` needs a field of the step (write `sum(a.x)`)\n"
      "1:74: error: `first` needs a field of the step (write `first(a).x`)\n"
      "1:88: error: `min(...)` has no fields (write `min(a.x)`)\n"
      "1:102: error: `count` takes one step of the match, 0 given\n"
      "1:115: error: `sum` takes one step of the match, 2 given\n"
      "1:138: error: `x` is not a step of this match (it is of a field of a step: `sum(a.x.y)`)\n"
      "1:148: error: `where` in `count(...)` is not supported by this version\n"
      "1:179: error: `sum` takes a step of the match\n"
      "1:186: error: the events of a step have no index\n" },
    { "stream s = q where count(a) > 1\n"
      "rule r { match by k = count(a) within 5m { a: s } }\n",
      "1:20: error: `count` of a step is not known in a `stream`\n"
      "2:23: error: `count` of a step is not known in a key\n" },
    { "rule r { match within 5m { a: s where any(x in a.tags: x == y) and any(x in tags: "
      "any(y in x.z: x == y and q == 1)) } }\n",
      "1:48: error: `a` is not bound yet in its own `where` (`tags` is the candidate's, "
      "`prev(a).tags` that of the event bound before; if the field `a.tags` is meant, "
      "rename the step)\n" },
    { "rule r { match within 5m { a: s where any_field contains \"x\" and any_field in "
      "[\"a\"] and lower(any_field) == \"x\" and a contains any_field and `any_field` == 1 "
      "} emit { x = any_field } }\n",
      "1:95: error: `any_field` stands to the left of a text operator in `where` only (a "
      "field of that name is written with back quotes)\n"
      "1:117: error: `a` is not bound yet in its own `where` (`x` is the candidate's, "
      "`prev(a).x` that of the event bound before; if the field `a` is meant, rename the "
      "step)\n"
      "1:128: error: `any_field` stands to the left of a text operator in `where` only (a "
      "field of that name is written with back quotes)\n"
      "1:172: error: `any_field` stands to the left of a text operator in `where` only (a "
      "field of that name is written with back quotes)\n" },
};

/* a step named like the first part of a field path */
static const struct text_case ambiguity[] = {
    { "rule r { match by source.ip within 5m { source: s b: s where source.ip == \"x\" } }\n",
      "1:41: error: step `source` is named like the first part of the field `source.ip` "
      "(rename the step; the field is read at t:1)\n" },
    { "rule r { match within 5m { source: s where source.ip == \"x\" b: s } }\n",
      "1:44: error: `source` is not bound yet in its own `where` (`ip` is the candidate's, "
      "`prev(source).ip` that of the event bound before; if the field `source.ip` is "
      "meant, rename the step)\n" },
    { "rule r { match within 5m { a: s where source.ip == \"x\" source: s } }\n",
      "1:39: error: `source` comes later: no event is bound to it yet (if a field is "
      "meant, rename the step `source`)\n" },
    { "stream s = q where source.ip == \"x\"\n"
      "stream t = s\n"
      "rule r { match within 5m { source: t b: u } }\n",
      "3:28: error: step `source` is named like the first part of the field `source.ip` "
      "(rename the step; the field is read at t:1)\n" },
    { "rule r { match by user = user.id within 5m { user: s } }\n",
      "1:46: error: step `user` is named like the first part of the field `user.id` "
      "(rename the step; the field is read at t:1)\n" },
    { "rule r { match by user = name within 5m { user: s b: s where x == user.id } }\n",
      "1:19: error: key `user` is named like a step (rename one of them; the step is at "
      "t:1)\n" },
    { "rule r { match within 5m { source: s b: s where x == source.ip } emit { y = "
      "source.ip } }\n",
      "" },
};

/* what a match body may not be */
static const struct text_case structure[] = {
    { "rule r { match within 5m { a: s not n: s not o: t b{2}: s c?: s d+: s all { e{2}: s "
      "f: s } any { g: s h: t } next i: s not k: s within 5s not l: s } }\n",
      "" },
    { "rule r { match within 5m { not n: s } }\n",
      "1:10: error: a match needs a step that takes an event\n" },
    { "rule r { match within 5m { a?: s b*: s } }\n",
      "1:35: error: all elements may be empty (one of them must take an event)\n" },
    { "rule r { match within 5m { a: s b?: s } }\n",
      "1:34: error: the last element may be empty (the match is complete without it: leave "
      "it out, or let it take one)\n" },
    { "rule r { match within 5m { a: s b?: s not n: s c: s } }\n",
      "1:39: error: `not n` stands directly behind `b`, which may be empty (from when on "
      "it would watch is not defined)\n" },
    { "rule r { match within 5m { next a: s } }\n",
      "1:28: error: `next` needs an element before it\n" },
    { "rule r { match within 5m { a: s b?: s next c: s } }\n",
      "1:39: error: `next` stands directly behind `b`, which may be empty (from when on it "
      "would watch is not defined)\n" },
    { "rule r { match within 5m { not x: s next a: s } }\n",
      "1:37: error: `next` needs an element before it\n" },
    { "rule r { match within 5m { a: s not n: s within 5s b: s } }\n",
      "1:49: error: a `not` between two elements has no `within` (it reaches from the "
      "element before it to the one behind it)\n" },
    { "rule r { match within 5m select last { a{3}: s b+: s c{2,5}: s d?: s e{2,}: s f: s "
      "} }\n",
      "1:49: error: `select last` takes the quantifiers `{n}` and `?` only (`select first` "
      "and `select each` take the others)\n"
      "1:55: error: `select last` takes the quantifiers `{n}` and `?` only (`select first` "
      "and `select each` take the others)\n"
      "1:71: error: `select last` takes the quantifiers `{n}` and `?` only (`select first` "
      "and `select each` take the others)\n" },
    { "rule r { match within 5m select last { a{2}: s b?: s c: s } }\n",
      "" },
    { "rule r { match within 5m { a: s all { b{2,3}: s c{2,}: s d{2}: s } } }\n",
      "1:40: error: a step in `all { }` takes an exact count only (write `b{2}`)\n"
      "1:50: error: a step in `all { }` takes an exact count only (write `c{2}`)\n" },
    { "rule r { match within 5m { all 2 { a: s b: s c: s } } }\n",
      "" },
    { "rule r { match within 5m { a: s a: t not a: s until a: s } }\n",
      "1:33: error: step `a` is named twice (first named at t:1)\n"
      "1:42: error: step `a` is named twice (first named at t:1)\n"
      "1:53: error: step `a` is named twice (first named at t:1)\n" },
    { "rule r { match within 5m { a: [s, t, s] } }\n",
      "1:38: error: `s` is named twice\n" },
    { "rule r { match within 5m { a: s within 5s b: s within 5s } }\n",
      "1:40: error: the first element has no `within`: no event is bound before it (`match "
      "within ...` bounds the whole match)\n" },
    { "rule r { match within 5m { a{3}: s within 5s b: s within 0s } }\n",
      "" },
    { "rule r { match within 5m { any { a: s within 5s b: s } c: s } }\n",
      "1:46: error: the first element has no `within`: no event is bound before it (`match "
      "within ...` bounds the whole match)\n" },
};

/* every state is bounded, or the match is refused */
static const struct text_case bounds[] = {
    { "rule a { match { a: s } }\n"
      "rule b { match { any { a: s b: s } } }\n"
      "rule c { match { a: s not b: s within 5s } }\n"
      "rule d { match { not b: s within 5s a: s } }\n"
      "rule e { match { a: s not n: t b: s within 5s until u: s } }\n"
      "rule f { match { a{2}: s within 5s all { b: s within 5s c: s within 5s } } }\n"
      "rule g { match { a?: s b: s within 1m } }\n"
      "rule h { match { all 1 { a: s within 1s b: s within 1s } } }\n",
      "" },
    { "rule r { match  { a{3}: s } }\n",
      "1:10: error: the match has no `within`, and `a` has none of its own (add `within`: "
      "without it this state would grow for ever)\n" },
    { "rule r { match  { a+: s within 5s b: s } }\n",
      "1:10: error: the match has no `within`, and `b` has none of its own (add `within`: "
      "without it this state would grow for ever)\n" },
    { "rule r { match  { a?: s b: s } }\n",
      "1:10: error: the match has no `within`, and `b` has none of its own (add `within`: "
      "without it this state would grow for ever)\n" },
    { "rule r { match  { all { a: s b: s within 5s } } }\n",
      "1:10: error: the match has no `within`, and `a` has none of its own (add `within`: "
      "without it this state would grow for ever)\n" },
    { "rule r { match  { a: s any { b: s within 5s c: s } } }\n",
      "1:10: error: the match has no `within`, and `c` has none of its own (add `within`: "
      "without it this state would grow for ever)\n" },
    { "rule r { match  { not n: s a: s } }\n",
      "1:10: error: the match has no `within`, and `not n` has none of its own (add "
      "`within`: without it this state would grow for ever)\n" },
    { "rule r { match  { a: s not n: s within 5s not o: s } }\n",
      "1:10: error: the match has no `within`, and `not o` has none of its own (add "
      "`within`: without it this state would grow for ever)\n" },
    { "rule r { match  { a: s b: s within 5s c{2}: s } }\n",
      "1:10: error: the match has no `within`, and `c` has none of its own (add `within`: "
      "without it this state would grow for ever)\n" },
};

/* keys of the head and of steps */
static const struct text_case keys[] = {
    { "rule r { match by k, l = lower(m) within 5m { a: s b: t by x.y, z c: u by q until "
      "u: s by k } }\n",
      "1:75: error: `c` has 1 key, the rule has 2 (a step's keys stand for the rule's, "
      "position by position)\n"
      "1:91: error: `u` has 1 key, the rule has 2 (a step's keys stand for the rule's, "
      "position by position)\n" },
    { "rule r { match within 5m { a: s by x b: s by y not n: s by z } emit { k = x  f = y "
      "}  title \"{x}\" }\n",
      "" },
    { "rule r { match within 5m { a: s by x b: s not n: s by z, y } }\n",
      "1:38: error: `b` has no `by`, `a` has one (put `by` into the head, or into every "
      "step, `not` and `until`)\n"
      "1:55: error: `n` has 2 keys, the rule has 1 (a step's keys stand for the rule's, "
      "position by position)\n" },
    { "rule r { match by x, y = z, x, ?y within 5m { a: s } }\n",
      "1:29: error: key `x` is named twice\n"
      "1:32: error: key `y` is named twice\n" },
    { "rule r { match by user.id, `odd name`.x within 5m { a: s b: s } emit { u = user.id  "
      "o = `odd name`.x  p = other } }\n",
      "" },
};

static void check_references(void **state)
{
    (void)state;
    check_cases(references, sizeof references / sizeof references[0], NULL);
}

static void check_ambiguity(void **state)
{
    (void)state;
    check_cases(ambiguity, sizeof ambiguity / sizeof ambiguity[0], NULL);
}

static void check_structure(void **state)
{
    (void)state;
    check_cases(structure, sizeof structure / sizeof structure[0], NULL);
}

static void check_bounds(void **state)
{
    (void)state;
    check_cases(bounds, sizeof bounds / sizeof bounds[0], NULL);
}

static void check_keys(void **state)
{
    (void)state;
    check_cases(keys, sizeof keys / sizeof keys[0], NULL);
}

int main(void)
{
    const struct CMUnitTest all[] = {
        cmocka_unit_test(check_references),
        cmocka_unit_test(check_ambiguity),
        cmocka_unit_test(check_structure),
        cmocka_unit_test(check_bounds),
        cmocka_unit_test(check_keys),
    };

    return cmocka_run_group_tests_name("resolve_match", all, NULL, NULL);
}
