// SPDX-License-Identifier: Apache-2.0
/*
 * What typecheck says of expressions that cannot work, and the types it finds.
 *
 * A case is a text and all that is said about it, a line a message:
 *     LINE:COLUMN: LEVEL: MESSAGE (HINT)
 */
#include <unit/resolve_fixture.h>

/* what may be true */
static const struct text_case conditions[] = {
    { "rule r { match within 5m {\n"
      "a{2}: s\n"
      "b: s where x and x == 1 and not x and (x or true) and exists(a) and any(t in tags: "
      "t == \"x\") and if(x, y, z)\n"
      "} }\n",
      "" },
    { "rule r { match within 5m {\n"
      "a{2}: s\n"
      "b: s where 5\n"
      "} }\n",
      "3:12: error: a condition is true or false, this is a number\n" },
    { "rule r { match within 5m {\n"
      "a{2}: s\n"
      "b: s where \"text\" and not 7 or 5m\n"
      "} }\n",
      "3:12: error: a condition is true or false, this is a text\n"
      "3:27: error: a condition is true or false, this is a number\n"
      "3:32: error: a condition is true or false, this is a duration\n" },
    { "rule r { match within 5m {\n"
      "a{2}: s\n"
      "b: s where x + 1\n"
      "} }\n",
      "3:12: error: a condition is true or false, this is a number\n" },
    { "rule r { match within 5m {\n"
      "a{2}: s\n"
      "b: s where null\n"
      "} }\n",
      "3:12: error: a condition is true or false, this is null\n" },
    { "rule r { match within 5m {\n"
      "a{2}: s\n"
      "b: s where time(a) or x\n"
      "} }\n",
      "3:12: error: a condition is true or false, this is a time\n" },
    { "rule r { match within 5m {\n"
      "a{2}: s\n"
      "b: s where any(t in \"abc\": t) and any(t in tags: t + 1) and all(t in [1, 2]: t)\n"
      "} }\n",
      "3:21: error: `any(... in ...)` goes through a list, this is a text\n"
      "3:50: error: a condition is true or false, this is a number\n" },
    { "stream s = q where lower(x)\n",
      "1:20: error: a condition is true or false, this is a text\n" },
};

/* numbers, times and durations */
static const struct text_case arithmetic[] = {
    { "rule r { match within 5m {\n"
      "a{2}: s\n"
      "b: s where time() - time(a) > 5s and time(a) + 5m < time() and 5m + time(a) < "
      "time() and 5m / 2 < 10s and 5m / 2s > 3 and 2 * 5m - 1s > -x * 1s and x % 2 == 1\n"
      "} }\n",
      "" },
    { "rule r { match within 5m {\n"
      "a{2}: s\n"
      "b: s where \"a\" + 1 == 2\n"
      "} }\n",
      "3:12: error: `+` does not take a text and a number (`concat(x, y)` joins texts)\n" },
    { "rule r { match within 5m {\n"
      "a{2}: s\n"
      "b: s where time(a) + time(a) == x and x + \"a\" == 1\n"
      "} }\n",
      "3:12: error: `+` does not take a time and a time\n"
      "3:39: error: `+` does not take a field and a text (`concat(x, y)` joins texts)\n" },
    { "rule r { match within 5m {\n"
      "a{2}: s\n"
      "b: s where time(a) + time(a) > time()\n"
      "} }\n",
      "3:12: error: `+` does not take a time and a time\n" },
    { "rule r { match within 5m {\n"
      "a{2}: s\n"
      "b: s where 5m * 5m > 1s\n"
      "} }\n",
      "3:12: error: `*` does not take a duration and a duration\n" },
    { "rule r { match within 5m {\n"
      "a{2}: s\n"
      "b: s where 1 / 5m > 1 and 5m % 2m > 1s\n"
      "} }\n",
      "3:12: error: `/` does not take a number and a duration (a duration is written with "
      "its unit, as `5s`)\n"
      "3:27: error: `%` does not take a duration and a duration\n" },
    { "rule r { match within 5m {\n"
      "a{2}: s\n"
      "b: s where time(a) + 5 > time()\n"
      "} }\n",
      "3:12: error: `+` does not take a time and a number (a duration is written with its "
      "unit, as `5s`)\n" },
    { "rule r { match within 5m {\n"
      "a{2}: s\n"
      "b: s where time(a) - x.started > 5m\n"
      "} }\n",
      "3:12: error: `-` does not take a time and a field (no field is a time or a "
      "duration: JSON has none)\n" },
    { "rule r { match within 5m {\n"
      "a{2}: s\n"
      "b: s where -\"a\" == 1 and -true == 1 and -time(a) > 1\n"
      "} }\n",
      "3:12: error: `-` takes a number or a duration, this is a text\n"
      "3:26: error: `-` takes a number or a duration, this is true or false\n"
      "3:41: error: `-` takes a number or a duration, this is a time\n" },
    { "rule r { match within 5m {\n"
      "a{2}: s\n"
      "b: s where (x ?? 5) + 1 > 2 and (\"a\" ?? \"b\") + 1 == 2\n"
      "} }\n",
      "3:33: error: `+` does not take a text and a number (`concat(x, y)` joins texts)\n" },
};

/* that can never be true */
static const struct text_case comparisons[] = {
    { "rule r { match within 5m {\n"
      "a{2}: s\n"
      "b: s where x == 1 and x == \"a\" and 1 == 1.0 and x == true and x < \"b\" and tags "
      "== \"x\" and time(a) < 2027-01-01 and stream() == \"s\" and count(a) > 1\n"
      "} }\n",
      "" },
    { "rule r { match within 5m {\n"
      "a{2}: s\n"
      "b: s where 1 == \"a\"\n"
      "} }\n",
      "3:12: warning: this comparison can never be true (a number is compared with a text)\n" },
    { "rule r { match within 5m {\n"
      "a{2}: s\n"
      "b: s where time(a) == 5\n"
      "} }\n",
      "3:12: warning: this comparison can never be true (a time is compared with a number)\n" },
    { "rule r { match within 5m {\n"
      "a{2}: s\n"
      "b: s where time() - time(a) > 5 or 2.5 < time() - time(a)\n"
      "} }\n",
      "3:12: warning: this comparison can never be true (a number is no duration: did you "
      "mean `5s`?)\n"
      "3:36: warning: this comparison can never be true (a number is compared with a "
      "duration)\n" },
    { "rule r { match within 5m {\n"
      "a{2}: s\n"
      "b: s where time(a) < \"2027-01-01\"\n"
      "} }\n",
      "3:12: warning: this comparison can never be true (a text is no time: write it "
      "without quotes, as 2027-01-01T12:00:00Z)\n" },
    { "rule r { match within 5m {\n"
      "a{2}: s\n"
      "b: s where true < false or x < true\n"
      "} }\n",
      "3:12: warning: this comparison can never be true (true and false are equal or "
      "different, not less or more)\n"
      "3:28: warning: this comparison can never be true (a field is compared with true or "
      "false)\n" },
    { "rule r { match within 5m {\n"
      "a{2}: s\n"
      "b: s where null == x or x != null or x < null\n"
      "} }\n",
      "3:12: warning: this comparison can never be true (null equals nothing: write `not "
      "exists(x)`)\n"
      "3:25: warning: this comparison can never be true (null equals nothing: write "
      "`exists(x)`)\n"
      "3:38: warning: this comparison can never be true (null equals nothing: write "
      "`exists(x)`)\n" },
    { "rule r { match within 5m {\n"
      "a{2}: s\n"
      "b: s where lower(x) == 5 or length(x) > \"5\" or count(a) == \"1\"\n"
      "} }\n",
      "3:12: warning: this comparison can never be true (a text is compared with a number)\n"
      "3:29: warning: this comparison can never be true (a number is compared with a text)\n"
      "3:48: warning: this comparison can never be true (a number is compared with a text)\n" },
    { "rule r { match within 5m {\n"
      "a{2}: s\n"
      "b: s where x == [\"a\"] or x != [1] or [1] < x\n"
      "} }\n",
      "3:17: error: `==` does not take a list (write `x in [...]`)\n"
      "3:31: error: `!=` does not take a list (write `x not in [...]`)\n"
      "3:38: error: `<` does not take a list\n" },
    { "rule r { match within 5m {\n"
      "a{2}: s\n"
      "b: s where 5m == 300\n"
      "} }\n",
      "3:12: warning: this comparison can never be true (a number is no duration: did you "
      "mean `300s`?)\n" },
    { "rule r { match within 5m {\n"
      "a{2}: s\n"
      "b: s where sum(a.x) > 5s and avg(a.x) > \"1\" and max(a.x) > 5s and values(a.x) == "
      "5s\n"
      "} }\n",
      "3:12: warning: this comparison can never be true (a number is compared with a "
      "duration)\n"
      "3:30: warning: this comparison can never be true (a number is compared with a text)\n"
      "3:49: warning: this comparison can never be true (a text or a number is compared "
      "with a duration)\n"
      "3:67: warning: this comparison can never be true (a list is compared with a "
      "duration)\n" },
};

/* in and the text operators */
static const struct text_case lists[] = {
    { "list nums = [1, 2]\n"
      "list nets = cidr [\"10.0.0.0/8\"]\n"
      "list words = text [\"a\"]\n"
      "list mixed = [\"a\", 1]\n"
      "rule r { match within 5m {\n"
      "a{2}: s\n"
      "b: s where x in [\"a\", 1, 2.5, true] and x not in~ words and x in nums and x in "
      "nets and x like words and x regex words and x contains mixed2 and x in values(a.x) "
      "and x not in a.b.c\n"
      "} }\n",
      "" },
    { "list nums = [1, 2]\n"
      "list nets = cidr [\"10.0.0.0/8\"]\n"
      "list words = text [\"a\"]\n"
      "list mixed = [\"a\", 1]\n"
      "rule r { match within 5m {\n"
      "a{2}: s\n"
      "b: s where x in \"abc\"\n"
      "} }\n",
      "7:17: error: `in` takes a list, this is a text (write `[...]` around it; a part of "
      "a text is found by `contains`)\n" },
    { "rule r { match {\n"
      "a: s where x like \"%adm%\" and x not like [\"*\", \"adm%\"] and x like \"%TEMP%*\" and x regex \"a%\"\n"
      "} }\n",
      "2:19: warning: `%` stands for itself here (any characters are `*`, one is `?`)\n"
      "2:48: warning: `%` stands for itself here (any characters are `*`, one is `?`)\n" },
    { "list nums = [1, 2]\n"
      "list nets = cidr [\"10.0.0.0/8\"]\n"
      "list words = text [\"a\"]\n"
      "list mixed = [\"a\", 1]\n"
      "rule r { match within 5m {\n"
      "a{2}: s\n"
      "b: s where x in 5 and x in lower(x)\n"
      "} }\n",
      "7:17: error: `in` takes a list, this is a number (write `[...]` around it; a part "
      "of a text is found by `contains`)\n"
      "7:28: error: `in` takes a list, this is a text\n" },
    { "list nums = [1, 2]\n"
      "list nets = cidr [\"10.0.0.0/8\"]\n"
      "list words = text [\"a\"]\n"
      "list mixed = [\"a\", 1]\n"
      "rule r { match within 5m {\n"
      "a{2}: s\n"
      "b: s where x in [a.y, 1]\n"
      "} }\n",
      "7:18: error: a list holds literals only (a text stands in quotes; fields: `x == a "
      "or x == b`)\n" },
    { "list nums = [1, 2]\n"
      "list nets = cidr [\"10.0.0.0/8\"]\n"
      "list words = text [\"a\"]\n"
      "list mixed = [\"a\", 1]\n"
      "rule r { match within 5m {\n"
      "a{2}: s\n"
      "b: s where x in [null]\n"
      "} }\n",
      "7:18: error: `null` in a list equals nothing\n" },
    { "rule r { match within 5m {\n"
      "a{2}: s\n"
      "b: s where x in []\n"
      "} }\n",
      "3:17: warning: an empty list holds nothing\n" },
    { "list nums = [1, 2]\n"
      "list nets = cidr [\"10.0.0.0/8\"]\n"
      "list words = text [\"a\"]\n"
      "list mixed = [\"a\", 1]\n"
      "rule r { match within 5m {\n"
      "a{2}: s\n"
      "b: s where 5 in [\"a\"] and 5 in words and 5 in nets and time(a) in nums and \"a\" "
      "in mixed\n"
      "} }\n",
      "7:12: warning: this comparison can never be true (a number is compared with a text)\n"
      "7:27: warning: this comparison can never be true (a number is compared with a text)\n"
      "7:42: warning: this comparison can never be true (a number is compared with a text)\n"
      "7:56: warning: this comparison can never be true (a time is compared with a number)\n" },
    { "list nums = [1, 2]\n"
      "list nets = cidr [\"10.0.0.0/8\"]\n"
      "list words = text [\"a\"]\n"
      "list mixed = [\"a\", 1]\n"
      "rule r { match within 5m {\n"
      "a{2}: s\n"
      "b: s where x like nets and x not regex nets and x contains mixed and x startswith "
      "nums\n"
      "} }\n",
      "7:19: error: the `cidr` list `nets` stands behind `in` only (write `in nets`)\n"
      "7:40: error: the `cidr` list `nets` stands behind `in` only (write `not in nets`)\n"
      "7:60: error: `contains` takes texts, the list `mixed` holds others too\n"
      "7:83: error: `startswith` takes texts, the list `nums` holds others too\n" },
    { "rule r { match within 5m {\n"
      "a{2}: s\n"
      "b: s where x regex 5 and x like [1] and x contains true and x endswith null and x "
      "startswith [2]\n"
      "} }\n",
      "3:20: error: `regex` takes a text on its right, this is a number\n"
      "3:34: error: `like` takes a text on its right, this is a number\n"
      "3:52: error: `contains` takes a text on its right, this is true or false\n"
      "3:72: error: `endswith` takes a text on its right, this is null\n"
      "3:95: error: `startswith` takes a text on its right, this is a number\n" },
    { "rule r { match within 5m {\n"
      "a{2}: s\n"
      "b: s where x regex \"(\" and x not regex ['ok', '[']\n"
      "} }\n",
      "3:20: error: bad pattern: missing closing parenthesis at offset 1\n"
      "3:47: error: bad pattern: missing terminating ] for character class at offset 1\n" },
    { "rule r { match within 5m {\n"
      "a{2}: s\n"
      "b: s where x like y.z and x regex lower(y)\n"
      "} }\n",
      "3:19: error: `like` takes a text in quotes, a list of them or a declared list (a "
      "pattern must be known when the rule is compiled)\n"
      "3:35: error: `regex` takes a text in quotes, a list of them or a declared list (a "
      "pattern must be known when the rule is compiled)\n" },
    { "rule r { match within 5m {\n"
      "a{2}: s\n"
      "b: s where x contains y.z and x startswith lower(y) and x endswith length(y)\n"
      "} }\n",
      "3:68: error: `endswith` takes a text on its right, this is a number\n" },
    { "rule r { match within 5m {\n"
      "a{2}: s\n"
      "b: s where 5 contains \"a\" and time(a) like \"x\" and length(x) regex \"1\"\n"
      "} }\n",
      "3:12: error: `contains` takes a text on its left, this is a number\n"
      "3:31: error: `like` takes a text on its left, this is a time\n"
      "3:52: error: `regex` takes a text on its left, this is a number\n" },
    { "rule r { match within 5m {\n"
      "a{2}: s\n"
      "b: s where x contains_all [\"a\", \"b\"] and x not contains_all \"a\" and x "
      "contains_all y\n"
      "} }\n",
      "3:61: error: `not contains_all` takes a list in brackets or a declared list\n"
      "3:84: error: `contains_all` takes a list in brackets or a declared list\n" },
    { "rule r { match within 5m {\n"
      "a{2}: s\n"
      "b: s where x like []\n"
      "} }\n",
      "3:19: warning: an empty list holds nothing\n" },
};

/* what they take */
static const struct text_case functions[] = {
    { "rule r { match within 5m {\n"
      "a{2}: s\n"
      "b: s where lower(x) == upper(\"a\") and length(tags) > 1 and length(\"a\") > 1 and "
      "substring(x, 1, -2) == \"a\" and concat(x, 1, \"a\") == \"\" and trim(x) == \"\" "
      "and number(5m) > 1 and string(time()) == \"\" and abs(5m) > 1s and abs(x) > 1 and "
      "seconds(5m) > 1 and extract(x, \"(a)b(c)\", 2) == \"c\" and cidr_match(x, "
      "\"10.0.0.0/8\", \"::1\") and if(x == 1, \"a\", 5m) == \"a\"\n"
      "} }\n",
      "" },
    { "rule r { match within 5m {\n"
      "a{2}: s\n"
      "b: s where lower(5) == \"a\" or length(5) == 1 or substring(x, \"1\") == \"a\" or "
      "concat(5m) == \"\" or trim(true) == \"\" or seconds(5) > 1 or abs(\"a\") > 1 or "
      "number(time()) > 1 or if(5, 1, 2) == 1\n"
      "} }\n",
      "3:18: error: `lower` takes a text here, this is a number\n"
      "3:38: error: `length` takes a text or a list here, this is a number\n"
      "3:62: error: `substring` takes a number here, this is a text\n"
      "3:84: error: `concat` takes a text or a number here, this is a duration\n"
      "3:102: error: `trim` takes a text here, this is true or false\n"
      "3:125: error: `seconds` takes a duration here, this is a number\n"
      "3:139: error: `abs` takes a number or a duration here, this is a text\n"
      "3:158: error: `number` takes a text or a number or true or false or a duration "
      "here, this is a time\n"
      "3:176: error: `if` takes true or false here, this is a number\n" },
    { "rule r { match within 5m {\n"
      "a{2}: s\n"
      "b: s where extract(x, \"(\") == \"a\" or extract(x, y) == \"a\" or extract(x, "
      "\"(a)\", 2) == \"a\" or extract(x, \"a\", -1) == \"b\" or extract(x, \"a\", y) == "
      "\"b\" or extract(5, \"a\") == \"b\"\n"
      "} }\n",
      "3:23: error: bad pattern: missing closing parenthesis at offset 1\n"
      "3:49: error: the pattern of `extract` is a text in quotes\n"
      "3:80: error: the pattern has 1 group\n"
      "3:109: error: the group of `extract` is a whole number, as `1`\n"
      "3:139: error: the group of `extract` is a whole number, as `1`\n"
      "3:160: error: `extract` takes a text here, this is a number\n" },
    { "list nums = [1, 2]\n"
      "list nets = cidr [\"10.0.0.0/8\"]\n"
      "list words = text [\"a\"]\n"
      "list mixed = [\"a\", 1]\n"
      "rule r { match within 5m {\n"
      "a{2}: s\n"
      "b: s where cidr_match(x, \"10.0.0.1/8\") or cidr_match(x, nets) or cidr_match(5, "
      "\"10.0.0.0/8\")\n"
      "} }\n",
      "7:26: error: bad network `10.0.0.1/8`: address bits behind the prefix length are set\n"
      "7:57: warning: `nets` is read as a field here (the declared list of that name "
      "stands to the right of `in`)\n"
      "7:57: error: a network of `cidr_match` is a text in quotes (a declared `cidr` list "
      "is asked by `x in name`)\n"
      "7:77: error: `cidr_match` takes a text here, this is a number\n" },
};

static void check_conditions(void **state)
{
    (void)state;
    check_cases(conditions, sizeof conditions / sizeof conditions[0], NULL);
}

static void check_arithmetic(void **state)
{
    (void)state;
    check_cases(arithmetic, sizeof arithmetic / sizeof arithmetic[0], NULL);
}

static void check_comparisons(void **state)
{
    (void)state;
    check_cases(comparisons, sizeof comparisons / sizeof comparisons[0], NULL);
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

/* The types of an expression that a rule emits. */
static uint16_t types_of(const char *expr)
{
    struct fixture f;
    struct buf text;
    buf_init(&text);
    buf_printf(&text, "rule r { match by k = lower(u.id) within 5m { a+: s b: s } emit { x = %s } }",
               expr);
    read_text(&f, "t", text.data, NULL);
    assert_int_equal(diag_errors(f.diag), 0);
    uint16_t types = f.unit.rule[0]->emit->expr->types;
    buf_fini(&text);
    drop(&f);
    return types;
}

static void types_are_found(void **state)
{
    static const struct {
        const char *expr;
        uint16_t types;
    } cases[] = {
        { "5", T_INT },
        { "\"a\"", T_TEXT },
        { "[1, 2]", T_LIST },
        { "x", T_FIELD | T_MISSING },
        { "a.x", T_FIELD | T_MISSING },
        { "k", T_TEXT | T_MISSING },
        { "x == 1", T_BOOL },
        { "not x", T_BOOL },
        { "x + 1", T_NUMBER | T_MISSING },
        { "x * 5m", T_DURATION | T_MISSING },
        { "time()", T_TIME },
        { "time(b) - time(a)", T_DURATION | T_MISSING },
        { "(time(b) - time(a)) / 1s", T_NUMBER | T_MISSING },
        { "count(a)", T_INT },
        { "values(a.x)", T_LIST | T_MISSING },
        { "max(a.x)", T_NUMBER | T_TEXT | T_MISSING },
        { "x ?? \"none\"", T_FIELD },
        { "lower(x) ?? 5", T_TEXT | T_INT },
        { "if(x, 5m, \"a\")", T_DURATION | T_TEXT },
        { "abs(time(b) - time(a))", T_DURATION | T_MISSING },
        { "exists(a)", T_BOOL },
        { "null", T_MISSING },
    };
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        uint16_t got = types_of(cases[i].expr);
        if (got != cases[i].types)
            print_error("types of %s\n", cases[i].expr);
        assert_int_equal(got, cases[i].types);
    }
}

int main(void)
{
    const struct CMUnitTest all[] = {
        cmocka_unit_test(check_conditions),  cmocka_unit_test(check_arithmetic),
        cmocka_unit_test(check_comparisons), cmocka_unit_test(check_lists),
        cmocka_unit_test(check_functions),   cmocka_unit_test(types_are_found),
    };

    return cmocka_run_group_tests_name("typecheck", all, NULL, NULL);
}
