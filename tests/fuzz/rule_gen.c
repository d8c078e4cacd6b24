// SPDX-License-Identifier: Apache-2.0
/* rule_gen - the text of rules, and events for them, from bytes. */
#include <fuzz/rule_gen.h>

#include <stdio.h>
#include <string.h>

#include <fuzz/fuzz.h>

#include "base/buf.h"

enum { MAX_BOUND = 12 };

struct gen {
    struct fuzz_bytes *fb;
    struct buf *out;
    const char *select;
    struct {
        char name[8];
        bool quantified;
    } bound[MAX_BOUND];
    uint32_t n_bound;
    uint32_t n_names; /* names given */
    bool keyed;       /* by one key: steps may have a `by` of their own */
};

#define PICK(g, array) ((array)[fuzz_below((g)->fb, sizeof(array) / sizeof *(array))])

/* ---- conditions ----------------------------------------------------------------------------- */

static void add_unary(struct gen *g)
{
    static const char *const conditions[] = {
        "k == 0", "k == 1", "k == 2", "k in [0, 2]", "k >= 1", "k != 1", "not k == 1", "v >= 2",
        "(k == 1 or v == 2)", "exists(o)", "(o ?? 1) == 1", "t like \"a*\"", "t contains \"b\"",
        "t ==~ \"AB\"", "t regex '^a'", "t in~ [\"AB\", \"bc\"]", "t startswith [\"a\", \"c\"]",
        "t not contains \"a\"", "t in names", "t not in names", "k in few", "list == 1", "list != 1",
        "any(z in list: z > 0)", "all(z in list: z > 0)", "list[0] == 1", "list[-1] == 0",
        "length(t) > 1", "v / k > 1", "number(t) == 1", "v * 9223372036854775807 > 1",
        "any_field contains \"b\"", "if(k == 1, v, o) > 1", "lower(t) == \"ab\"", "ip in nets",
        "cidr_match(ip, \"10.0.0.0/8\")", "extract(t, '(.)b') == \"a\"", "t regex '(a|b)+$'",
        "k == \"x\"", "string(v) == \"1\"", "stream() == \"s\"", "v % 2 == 0", "not (k == 0 and v == 0)",
        "t not in~ names", "good(k)", "not exists(o.p)", "o.p == 1", "(o.p ?? o) == 1", "time() > 0s + time()",
    };

    buf_adds(g->out, PICK(g, conditions));
}

/* @ stands for an earlier step. */
static void add_cross(struct gen *g)
{
    static const char *const plain[] = {
        "l == @.l", "@.l == l", "v >= @.v", "v != @.v", "v == @.v and l == @.l", "o != @.o",
        "time() - time(@) >= 2s", "exists(@)", "v in @.list", "list == @.l", "(v > @.v or k == @.k)",
        "t == @.t", "stream() != stream(@)", "o == @.o", "v + @.v > 3", "not v == @.v", "l ==  @.v",
    };
    static const char *const loop[] = {
        "count(@) >= 2", "sum(@.v) > 2", "v >= first(@).v", "avg(@.v) >= 1", "v in values(@.v)",
        "count_distinct(@.v) >= 2", "min(@.v) < v", "max(@.v) >= v", "not count(@) == 2", "last(@).l == l",
        "(sum(@.v) ?? 0) + v <= 4", "max(@.t) == t",
    };
    uint32_t i = fuzz_below(g->fb, g->n_bound);
    const char *text = g->bound[i].quantified && fuzz_chance(g->fb, 160) ? PICK(g, loop) : PICK(g, plain);

    for (; *text != '\0'; text++) {
        if (*text == '@')
            buf_adds(g->out, g->bound[i].name);
        else
            buf_addc(g->out, *text);
    }
}

static void add_own(struct gen *g, const char *name)
{
    static const char *const conditions[] = {
        "v >= (prev(@).v ?? 0)", "count(@) < 2", "(sum(@.v) ?? 0) + v <= 4", "not v == prev(@).v",
        "not v in values(@.v)", "l == (first(@).l ?? l)", "time() - (time(prev(@)) ?? time()) <= 2s",
    };
    const char *text = PICK(g, conditions);

    for (; *text != '\0'; text++) {
        if (*text == '@')
            buf_adds(g->out, name);
        else
            buf_addc(g->out, *text);
    }
}

/* ---- steps ---------------------------------------------------------------------------------- */

enum step_place { PLACE_ELEMENT, PLACE_LAST, PLACE_GROUP, PLACE_NOT, PLACE_INPUT };

static const char *add_quantifier(struct gen *g, enum step_place place)
{
    static const char *const middle[] = {"{2}", "+", "*", "?", "{2,}", "{2,3}", "{1,2}", "{3}", "{0,2}"};
    static const char *const last[] = {"{2}", "+", "{2,}", "{3}", "{2,4}"};
    static const char *const exact[] = {"{2}", "{3}"};
    static const char *const slots[] = {"{2}", "?", "{3}"};
    const char *quantifier = "";

    if (place >= PLACE_NOT || !fuzz_chance(g->fb, 80))
        return "";
    if (place == PLACE_GROUP || (place == PLACE_LAST && strcmp(g->select, "last") == 0))
        quantifier = PICK(g, exact);
    else if (strcmp(g->select, "last") == 0)
        quantifier = PICK(g, slots);
    else if (place == PLACE_LAST)
        quantifier = PICK(g, last);
    else
        quantifier = PICK(g, middle);
    buf_adds(g->out, quantifier);
    return quantifier;
}

static void add_where(struct gen *g, const char *own)
{
    const char *joint = " where ";

    if (fuzz_chance(g->fb, 200)) {
        buf_adds(g->out, joint);
        add_unary(g);
        joint = " and ";
    }
    if (g->n_bound > 0 && fuzz_chance(g->fb, 80)) {
        buf_adds(g->out, joint);
        add_cross(g);
        joint = " and ";
    }
    if (own != NULL && fuzz_chance(g->fb, 80)) {
        buf_adds(g->out, joint);
        add_own(g, own);
    }
}

/* Returns true if it may be empty. */
static bool add_step(struct gen *g, char letter, enum step_place place, uint32_t within_of_256)
{
    static const char *const streams[] = {"s", "s", "t", "st", "[s, t]", "any", "u"};
    static const char *const by[] = {" by w", " by u", " by list", " by ?o"};
    char name[8];
    const char *quantifier;

    snprintf(name, sizeof name, "%c%u", letter, g->n_names++ % 100);
    buf_adds(g->out, name);
    quantifier = add_quantifier(g, place);
    buf_printf(g->out, ": %s", PICK(g, streams));
    if (g->keyed && fuzz_chance(g->fb, 30))
        buf_adds(g->out, PICK(g, by));
    add_where(g, quantifier[0] != '\0' && quantifier[0] != '?' ? name : NULL);
    if (fuzz_chance(g->fb, within_of_256))
        buf_printf(g->out, " within %us", 1 + fuzz_below(g->fb, 5));
    if (place != PLACE_NOT && g->n_bound < MAX_BOUND) {
        memcpy(g->bound[g->n_bound].name, name, sizeof name);
        g->bound[g->n_bound++].quantified = quantifier[0] != '\0';
    }
    return strcmp(quantifier, "?") == 0 || strcmp(quantifier, "*") == 0 ||
           strncmp(quantifier, "{0", 2) == 0;
}

/* ---- match ---------------------------------------------------------------------------------- */

static void add_group(struct gen *g)
{
    uint32_t n = 2 + fuzz_below(g->fb, 3);
    bool all = fuzz_chance(g->fb, 160);

    buf_adds(g->out, all ? "all " : "any ");
    if (all && n > 2 && fuzz_chance(g->fb, 80))
        buf_adds(g->out, "2 ");
    buf_adds(g->out, "{ ");
    for (uint32_t i = 0; i < n; i++) {
        add_step(g, 'g', all ? PLACE_GROUP : PLACE_NOT, 20);
        buf_addc(g->out, ' ');
    }
    buf_adds(g->out, "}");
}

static void add_nots(struct gen *g, uint32_t within_of_256)
{
    for (int i = 0; i < 2 && fuzz_chance(g->fb, 60); i++) {
        buf_adds(g->out, "    not ");
        add_step(g, 'n', PLACE_NOT, within_of_256);
        buf_addc(g->out, '\n');
    }
}

static void add_elements(struct gen *g)
{
    uint32_t n = 1 + fuzz_below(g->fb, 4);
    bool empty = true; /* may the element before be empty? */

    add_nots(g, 128);
    for (uint32_t i = 0; i < n; i++) {
        bool last = i == n - 1;

        buf_adds(g->out, "    ");
        if (i > 0 && !empty && fuzz_chance(g->fb, 40))
            buf_adds(g->out, "next ");
        empty = false;
        if (fuzz_chance(g->fb, 50))
            add_group(g);
        else
            empty = add_step(g, 'a', last ? PLACE_LAST : PLACE_ELEMENT, i > 0 ? 30 : 0);
        buf_addc(g->out, '\n');
        if (!empty)
            add_nots(g, last ? 128 : 0);
    }
    if (fuzz_chance(g->fb, 50)) {
        buf_adds(g->out, "    until ");
        add_step(g, 'e', PLACE_NOT, 0);
        buf_addc(g->out, '\n');
    }
}

static void add_keys(struct gen *g)
{
    static const char *const keys[] = {"by w", "by u", "by ?o", "by list", "by u, w", "by x = lower(t)",
                                       "by u, ?o", "by list, u", "by x = if(k == 1, w, u)"};

    g->keyed = false;
    if (!fuzz_chance(g->fb, 140))
        return;
    const char *key = PICK(g, keys);
    g->keyed = strchr(key, ',') == NULL || strchr(key, '(') != NULL;
    buf_printf(g->out, " %s", key);
}

static void add_match(struct gen *g)
{
    static const char *const modes[] = {"first", "last", "each", "first", "last", "all"};

    g->select = PICK(g, modes);
    buf_adds(g->out, "  match");
    add_keys(g);
    buf_printf(g->out, " within %us select %s {\n", 1 + fuzz_below(g->fb, 12), g->select);
    add_elements(g);
    buf_adds(g->out, "  }\n");
}

/* ---- the other bodies ----------------------------------------------------------------------- */

/* @ stands for an input. */
static void add_replaced(struct gen *g, const char *text)
{
    uint32_t i = fuzz_below(g->fb, g->n_bound);

    for (; *text != '\0'; text++) {
        if (*text == '@')
            buf_adds(g->out, g->bound[i].name);
        else
            buf_addc(g->out, *text);
    }
}

static const char *const window_values[] = {
    "count(@)", "count()", "sum(@.v)", "avg(@.v)", "min(@.v)", "max(@.t)", "stddev(@.v)", "variance(@.v)",
    "count_distinct(@.l)", "count_distinct(@.l, @.k)", "first(@).v", "last(@).v", "percentile(@.v, 50)",
    "approx_count_distinct(@.t)", "sum(@.v where @.k == 1)", "count(@ where @.k == 1)", "length(values(@.v, 3))",
    "length(collect(@.v, 3))", "length(top(@.t, 2))", "prev(@.v)",
};

static void add_window(struct gen *g)
{
    static const char *const kinds[] = {
        "tumbling 5s", "hopping 6s every 2s", "session 2s", "session 2s max 5s", "sliding 4s",
        "global expire 10s", "tumbling 3s offset 1s",
    };
    static const char *const fires[] = {"close", "match", "match reset", "every match", "change"};
    uint32_t inputs = 1 + (uint32_t)fuzz_chance(g->fb, 60);

    buf_printf(g->out, "  window %s", PICK(g, kinds));
    add_keys(g);
    buf_adds(g->out, " {\n");
    for (uint32_t i = 0; i < inputs; i++) {
        uint32_t bound = g->n_bound;

        g->n_bound = 0;
        buf_adds(g->out, "    ");
        g->bound[1] = g->bound[0];
        add_step(g, 'i', PLACE_INPUT, 0);
        if (bound == 1) {
            g->bound[2] = g->bound[0];
            g->bound[0] = g->bound[1];
            g->bound[1] = g->bound[2];
        }
        g->n_bound = bound + 1;
        buf_addc(g->out, '\n');
    }
    if (fuzz_chance(g->fb, 200)) {
        buf_adds(g->out, "    having ");
        add_replaced(g, PICK(g, window_values));
        buf_printf(g->out, " >= %u\n", fuzz_below(g->fb, 4));
    }
    if (fuzz_chance(g->fb, 128))
        buf_printf(g->out, "    fire on %s\n", PICK(g, fires));
    buf_adds(g->out, "  }\n");
}

static void add_join(struct gen *g)
{
    static const char *const bounds[] = {"3s", "0s..4s", "1s..3s", "-2s..2s"};

    buf_adds(g->out, "  join");
    add_keys(g);
    buf_printf(g->out, " within %s {\n    ", PICK(g, bounds));
    add_step(g, 'a', PLACE_INPUT, 0);
    buf_adds(g->out, "\n    ");
    if (fuzz_chance(g->fb, 40))
        buf_adds(g->out, "not ");
    add_step(g, 'b', PLACE_INPUT, 0);
    buf_adds(g->out, "\n  }\n");
}

static void add_novel(struct gen *g)
{
    static const char *const values[] = {"k", "v", "list", "t, k", "list, l", "o"};
    uint32_t bound = g->n_bound;

    buf_printf(g->out, "  novel %s", PICK(g, values));
    add_keys(g);
    buf_printf(g->out, " within %us", 2 + fuzz_below(g->fb, 8));
    if (fuzz_chance(g->fb, 80))
        buf_printf(g->out, " after %us", 1 + fuzz_below(g->fb, 2));
    buf_adds(g->out, " {\n    ");
    add_step(g, 'o', PLACE_INPUT, 0);
    g->n_bound = bound;
    buf_adds(g->out, "\n  }\n");
}

/* ---- rules ---------------------------------------------------------------------------------- */

static void add_clauses(struct gen *g)
{
    static const struct {
        char kind; /* one of a kind */
        const char *text;
    } clauses[] = {
        {'r', "limit runs 2 per key"},     {'e', "limit events 3 per run"}, {'a', "limit alerts 2 per 3s"},
        {'m', "limit state 8KiB"},         {'s', "suppress 3s"},            {'s', "suppress 4s by v"},
        {'s', "suppress 2s summary"},      {'k', "keep 2"},                 {'k', "keep 1"},
        {'t', "title \"{k} of {v} {{\""},  {'k', "keep 3"},                 {'d', "description \"{o} {t}\""},
        {'c', "severity if(v == 1, \"high\", \"low\")"},                  {'i', "risk v * 10"},
        {'x', "limit matches 3 per event"}, {'v', "limit values 2 per key"}, {'r', "limit runs 1 per key"},
    };
    char used[32] = "";

    for (size_t n = 0; n < 8 && fuzz_chance(g->fb, 70); n++) {
        size_t i = fuzz_below(g->fb, sizeof clauses / sizeof *clauses);

        if (strchr(used, clauses[i].kind) != NULL)
            continue;
        used[strlen(used)] = clauses[i].kind;
        buf_printf(g->out, "  %s\n", clauses[i].text);
    }
}

static void add_emit(struct gen *g, bool window)
{
    static const char *const loop[] = {"count(@)", "sum(@.v)", "values(@.t)", "first(@).v", "max(@.v)", "@.v"};
    static const char *const plain[] = {"@.v", "@.list", "time(@)", "stream(@)", "v", "o", "exists(@)"};

    if (g->n_bound == 0 || !fuzz_chance(g->fb, 128))
        return;
    buf_adds(g->out, fuzz_chance(g->fb, 20) ? "  emit into u {" : "  emit {");
    for (int i = 0; i < 3 && (i == 0 || fuzz_chance(g->fb, 128)); i++) {
        uint32_t step = fuzz_below(g->fb, g->n_bound);
        const char *text = window ? PICK(g, window_values) : g->bound[step].quantified ? PICK(g, loop)
                                                                                       : PICK(g, plain);

        buf_printf(g->out, " %s%d = ", i == 2 ? "k.x" : "x", i);
        for (; *text != '\0'; text++) {
            if (*text == '@')
                buf_adds(g->out, g->bound[step].name);
            else
                buf_addc(g->out, *text);
        }
    }
    buf_adds(g->out, " }\n");
}

static void add_rule(struct gen *g, char name)
{
    uint32_t body = fuzz_below(g->fb, 16);

    g->n_bound = 0;
    g->select = "first";
    buf_printf(g->out, "rule %c {\n", name);
    add_clauses(g);
    if (body < 13)
        add_match(g);
    else if (body < 14)
        add_join(g);
    else if (body < 15)
        add_novel(g);
    else
        add_window(g);
    add_emit(g, body >= 15);
    buf_adds(g->out, "}\n");
}

void rule_gen(struct fuzz_bytes *fb, struct buf *out)
{
    struct gen g = {.fb = fb, .out = out};

    buf_adds(out, "stream st = s, t where v >= 1\nlist few = [0, 1]\nlist names = like [\"a*\", \"?c\"]\n"
                  "list nets = cidr [\"10.0.0.0/8\", \"::1\"]\ndef good(x) = x == 1 or v == 3\n");
    add_rule(&g, 'r');
    if (fuzz_chance(fb, 60))
        add_rule(&g, 'q');
}

/* ---- events --------------------------------------------------------------------------------- */

void event_gen(struct fuzz_bytes *fb, struct gen_event *event, struct buf *json)
{
    static const int64_t second = 1000000000;
    static const uint8_t seconds[8] = {0, 1, 0, 1, 2, 3, 1, 13};
    static const char *const texts[] = {"\"ab\"", "\"Ab\"", "\"b\"", "\"bc\"", "\"cab\"", "\"\"", "1", "null"};
    static const char *const lists[] = {"0", "1", "[0,1]", "[1,0,1]", "[]", "[0]", "[null]", "[[1],{\"a\":1}]"};
    static const char *const others[] = {"null", "0", "1", "{\"p\":1}", "[1]", "1.0", "\"x\"", "-0.5"};
    static const char *const ips[] = {"\"10.1.2.3\"", "\"::1\"", "\"x\"", "null"};
    uint8_t a = fuzz_byte(fb), b = fuzz_byte(fb), c = fuzz_byte(fb), d = fuzz_byte(fb);

    event->source = a & 3 ? (a & 3) - 1u : 0;
    event->after = seconds[a >> 2 & 7] * second + ((a & 0xe0) == 0xe0 ? 1 : 0);
    buf_clear(json);
    buf_printf(json, "{\"k\":%d,\"v\":%d,\"l\":%d,\"u\":%d,\"w\":%d", b & 3, b >> 2 & 3, b >> 4 & 1, b >> 5 & 1,
               b >> 6 & 1);
    if (b & 0x80)
        buf_adds(json, ",\"k\":\"twice\"");
    buf_printf(json, ",\"t\":%s,\"list\":%s,\"o\":%s,\"ip\":%s}", texts[c & 7], lists[c >> 3 & 7],
               others[d & 7], ips[d >> 3 & 3]);
}
