// SPDX-License-Identifier: Apache-2.0
/*
 * operate - relations between values. The rules stand in operate.h; here each relation is a loop
 * over pairs of scalars that fills a tally, and one verdict over the tally.
 */
#include "plan/operate.h"

#include <string.h>

#include "base/arena.h"
#include "base/buf.h"
#include "base/casefold.h"
#include "base/cidr.h"
#include "base/glob.h"
#include "base/regex.h"
#include "base/utf8.h"
#include "plan/pools.h"

const char *relation_name(enum relation relation)
{
    static const char *const name[RELATION_COUNT] = {
        [RELATION_EQ] = "==",
        [RELATION_NE] = "!=",
        [RELATION_IN] = "in",
        [RELATION_NOT_IN] = "not in",
        [RELATION_LIKE] = "like",
        [RELATION_NOT_LIKE] = "not like",
        [RELATION_REGEX] = "regex",
        [RELATION_NOT_REGEX] = "not regex",
        [RELATION_CONTAINS] = "contains",
        [RELATION_NOT_CONTAINS] = "not contains",
        [RELATION_CONTAINS_ALL] = "contains_all",
        [RELATION_NOT_CONTAINS_ALL] = "not contains_all",
        [RELATION_STARTSWITH] = "startswith",
        [RELATION_NOT_STARTSWITH] = "not startswith",
        [RELATION_ENDSWITH] = "endswith",
        [RELATION_NOT_ENDSWITH] = "not endswith",
        [RELATION_LT] = "<",
        [RELATION_LE] = "<=",
        [RELATION_GT] = ">",
        [RELATION_GE] = ">=",
    };
    return relation < RELATION_COUNT ? name[relation] : "?";
}

/* What was seen of the pairs of a comparison. */
struct tally {
    bool left;       /* a scalar that is not missing, on the left */
    bool right;      /* one on the right */
    bool comparable; /* a pair of comparable types */
    bool hit;        /* a pair for which the positive relation is true */
    bool limit;      /* a regex gave up */
};

enum outcome { NOT_COMPARABLE, NO, YES, GAVE_UP };

static void tally_add(struct tally *t, enum outcome outcome)
{
    t->comparable |= outcome != NOT_COMPARABLE;
    t->hit |= outcome == YES;
    t->limit |= outcome == GAVE_UP;
}

static bool verdict(const struct operate *op, enum relation relation, const struct tally *t)
{
    if (t->limit)
        op->counters->regex_limit++;
    if (!t->left)
        return false;
    if (!t->right)
        return relation_negative(relation) && relation != RELATION_NE;
    if (!t->comparable) {
        op->counters->type_clash++;
        return false;
    }
    return relation_negative(relation) ? !t->hit && !t->limit : t->hit;
}

static inline bool is_scalar(struct value v)
{
    return v.type != VALUE_LIST && v.type != VALUE_MISSING;
}

/* The verdict over one pair, which most comparisons are. */
static inline bool scalar_verdict(const struct operate *op, enum relation relation,
                                  enum outcome outcome)
{
    switch (outcome) {
    case NO: return relation_negative(relation);
    case YES: return !relation_negative(relation);
    case GAVE_UP: op->counters->regex_limit++; return false;
    default: op->counters->type_clash++; return false;
    }
}

/* ---- scalar against scalar ------------------------------------------------------------------- */

static int order_folded(struct value x, struct value y)
{
    size_t i = 0, j = 0;

    while (i < x.len && j < y.len) {
        uint32_t a = casefold_char(utf8_next(x.u.text, x.len, &i));
        uint32_t b = casefold_char(utf8_next(y.u.text, y.len, &j));
        if (a != b)
            return a < b ? -1 : 1;
    }
    return (i < x.len) - (j < y.len);
}

/* The folded text, in the arena. A simple folding takes at most 3 bytes for 2. */
static struct value folded(const struct operate *op, struct value v)
{
    struct buf b = { .cap = 2 * (size_t)v.len + 16 };

    b.data = arena_alloc_raw(op->arena, b.cap);
    casefold_add(&b, v.u.text, v.len);
    return value_text(b.data, b.len);
}

static bool has_part(enum relation relation, bool fold, struct value x, struct value part)
{
    if (fold) {
        switch (relation) {
        case RELATION_STARTSWITH:
            return casefold_startswith(x.u.text, x.len, part.u.text, part.len);
        case RELATION_ENDSWITH: return casefold_endswith(x.u.text, x.len, part.u.text, part.len);
        default: return casefold_contains(x.u.text, x.len, part.u.text, part.len);
        }
    }
    if (part.len == 0)
        return true;
    if (part.len > x.len)
        return false;
    switch (relation) {
    case RELATION_STARTSWITH: return memcmp(x.u.text, part.u.text, part.len) == 0;
    case RELATION_ENDSWITH:
        return memcmp(x.u.text + x.len - part.len, part.u.text, part.len) == 0;
    default: return memmem(x.u.text, x.len, part.u.text, part.len) != NULL;
    }
}

static enum outcome yes_if(bool yes)
{
    return yes ? YES : NO;
}

/* relation: a positive one. */
static enum outcome compare_scalars(const struct operate *op, enum relation relation, bool fold,
                                    struct value x, struct value y)
{
    int order;

    if (x.type == VALUE_TEXT && y.type == VALUE_TEXT && relation < RELATION_LT && !fold) {
        if (relation <= RELATION_IN)
            return yes_if(x.len == y.len && (x.len == 0 || memcmp(x.u.text, y.u.text, x.len) == 0));
        return yes_if(has_part(relation, false, x, y));
    }
    if (relation >= RELATION_CONTAINS && relation <= RELATION_ENDSWITH) {
        if (x.type != VALUE_TEXT || y.type != VALUE_TEXT)
            return NOT_COMPARABLE;
        return yes_if(has_part(relation, fold, x, fold ? folded(op, y) : y));
    }
    if (fold && x.type == VALUE_TEXT && y.type == VALUE_TEXT) {
        if (relation <= RELATION_IN)
            return yes_if(casefold_equal(x.u.text, x.len, y.u.text, y.len));
        order = order_folded(x, y);
    } else if (!value_order(x, y, &order)) {
        return NOT_COMPARABLE;
    }
    if (relation >= RELATION_LT && x.type == VALUE_BOOL)
        return NOT_COMPARABLE;
    switch (relation) {
    case RELATION_LT: return yes_if(order < 0);
    case RELATION_LE: return yes_if(order <= 0);
    case RELATION_GT: return yes_if(order > 0);
    case RELATION_GE: return yes_if(order >= 0);
    default: return yes_if(order == 0);
    }
}

/* ---- lists ------------------------------------------------------------------------------------ */

/* A comparison under way: `relation` is the positive one. */
struct comparison {
    const struct operate *op;
    enum relation relation;
    bool fold;
    struct tally tally;
};

static void compare_right(struct comparison *c, struct value x, struct value y)
{
    if (y.type == VALUE_LIST) {
        for (uint32_t i = 0; i < y.len && !c->tally.hit; i++)
            compare_right(c, x, y.u.list[i]);
    } else if (y.type != VALUE_MISSING) {
        c->tally.right = true;
        tally_add(&c->tally, compare_scalars(c->op, c->relation, c->fold, x, y));
    }
}

/* Does the text x have all parts of y? Both texts, or else no outcome. */
static void compare_parts(struct comparison *c, struct value x, struct value y, bool *lacks)
{
    if (y.type == VALUE_LIST) {
        for (uint32_t i = 0; i < y.len; i++)
            compare_parts(c, x, y.u.list[i], lacks);
    } else if (y.type != VALUE_MISSING) {
        c->tally.right = true;
        enum outcome outcome = compare_scalars(c->op, RELATION_CONTAINS, c->fold, x, y);
        c->tally.comparable |= outcome != NOT_COMPARABLE;
        *lacks |= outcome != YES;
    }
}

static void compare_left(struct comparison *c, struct value x, struct value y)
{
    bool lacks = false;

    if (x.type == VALUE_LIST) {
        for (uint32_t i = 0; i < x.len && !c->tally.hit; i++)
            compare_left(c, x.u.list[i], y);
    } else if (x.type != VALUE_MISSING) {
        c->tally.left = true;
        if (c->relation == RELATION_CONTAINS_ALL) {
            compare_parts(c, x, y, &lacks);
            c->tally.hit |= c->tally.right && !lacks;
        } else {
            compare_right(c, x, y);
        }
    }
}

/* ---- long list against long list ---------------------------------------------------------------- */

enum { MANY_PAIRS = 4096 }; /* from here on equality is looked up */

static uint64_t count_scalars(struct value v)
{
    uint64_t n = 0;

    if (v.type != VALUE_LIST)
        return v.type != VALUE_MISSING;
    for (uint32_t i = 0; i < v.len; i++)
        n += count_scalars(v.u.list[i]);
    return n;
}

/* The right side of an equality, hashed; in the arena. */
struct lookup {
    struct value *value;
    uint32_t *bucket; /* number of a value + 1; 0: free */
    uint64_t mask;
    uint32_t n;
    uint32_t types;   /* OR of 1 << type; doubles count as integers */
};

static uint32_t lookup_type(struct value v)
{
    return 1u << (v.type == VALUE_DOUBLE ? VALUE_INT : v.type);
}

static bool lookup_find(const struct lookup *k, struct value v, uint64_t *at_out)
{
    uint64_t at = value_hash(v, 0) & k->mask;

    while (k->bucket[at] && !value_same(k->value[k->bucket[at] - 1], v))
        at = (at + 1) & k->mask;
    *at_out = at;
    return k->bucket[at];
}

static struct value lookup_form(const struct comparison *c, struct value v)
{
    return c->fold && v.type == VALUE_TEXT ? folded(c->op, v) : v;
}

static void lookup_add(struct comparison *c, struct lookup *k, struct value y)
{
    uint64_t at;

    if (y.type == VALUE_LIST) {
        for (uint32_t i = 0; i < y.len; i++)
            lookup_add(c, k, y.u.list[i]);
    } else if (y.type != VALUE_MISSING && y.type != VALUE_OBJECT) {
        y = lookup_form(c, y);
        k->types |= lookup_type(y);
        if (lookup_find(k, y, &at))
            return;
        k->value[k->n++] = y;
        k->bucket[at] = k->n;
    }
}

static void lookup_left(struct comparison *c, const struct lookup *k, struct value x)
{
    uint64_t at;

    if (x.type == VALUE_LIST) {
        for (uint32_t i = 0; i < x.len && !c->tally.hit; i++)
            lookup_left(c, k, x.u.list[i]);
    } else if (x.type != VALUE_MISSING) {
        c->tally.left = true;
        c->tally.comparable |= (k->types & lookup_type(x)) != 0;
        c->tally.hit |= k->n && lookup_find(k, lookup_form(c, x), &at);
    }
}

/* Equality of lists by hashing, if there are many pairs: two long lists of one event must not cost
 * the product of their lengths. */
static bool compare_many(struct comparison *c, struct value x, struct value y)
{
    struct lookup k = { .mask = 15 };

    if (c->relation > RELATION_IN || x.type != VALUE_LIST || y.type != VALUE_LIST)
        return false;
    uint64_t n = count_scalars(y);
    if (n * count_scalars(x) < MANY_PAIRS)
        return false;
    while (k.mask < 2 * n)
        k.mask = k.mask * 2 + 1;
    k.value = arena_alloc_raw(c->op->arena, n * sizeof *k.value);
    k.bucket = arena_alloc(c->op->arena, (k.mask + 1) * sizeof *k.bucket);
    lookup_add(c, &k, y);
    c->tally.right = n > 0;
    lookup_left(c, &k, x);
    return true;
}

bool operate_compare(const struct operate *op, enum relation relation, bool fold, struct value x,
                     struct value y)
{
    if (x.type == VALUE_MISSING || y.type == VALUE_MISSING)
        return false;
    if (is_scalar(x) && is_scalar(y))
        return scalar_verdict(op, relation,
                              compare_scalars(op, relation_positive(relation), fold, x, y));

    struct comparison c = { op, relation_positive(relation), fold, { 0 } };
    if (!compare_many(&c, x, y))
        compare_left(&c, x, y);
    return verdict(op, relation, &c.tally);
}

/* ---- compiled right sides ----------------------------------------------------------------------- */

static enum outcome match_regexes(const struct operate *op, const struct pattern *p, struct value x)
{
    bool limit = false;

    for (uint32_t i = 0; i < p->n; i++) {
        enum regex_result result = regex_match(p->regex[i], op->regex, x.u.text, x.len);
        if (result == REGEX_YES)
            return YES;
        limit |= result == REGEX_LIMIT;
    }
    return limit ? GAVE_UP : NO;
}

static bool match_parts(enum relation relation, const struct pattern *p, struct value x)
{
    bool all = relation == RELATION_CONTAINS_ALL;

    for (uint32_t i = 0; i < p->n; i++)
        if (has_part(relation, p->fold, x, p->part[i]) != all)
            return !all;
    return all;
}

static enum outcome match_scalar(const struct operate *op, enum relation relation,
                                 const struct pattern *p, struct value x)
{
    if (p->kind == PATTERN_SET) {
        if (value_set_has(p->set, x))
            return YES;
        return value_set_comparable(p->set, x) ? NO : NOT_COMPARABLE;
    }
    if (x.type != VALUE_TEXT)
        return NOT_COMPARABLE;
    switch (p->kind) {
    case PATTERN_GLOBS:
        for (uint32_t i = 0; i < p->n; i++)
            if (glob_match(p->glob[i], x.u.text, x.len))
                return YES;
        return NO;
    case PATTERN_REGEXES: return match_regexes(op, p, x);
    case PATTERN_NETWORKS: return yes_if(cidr_set_has(p->network, x.u.text, x.len));
    default: return yes_if(match_parts(relation, p, x));
    }
}

static void match_left(const struct operate *op, enum relation relation, const struct pattern *p,
                       struct value x, struct tally *t)
{
    if (x.type == VALUE_LIST) {
        for (uint32_t i = 0; i < x.len && !t->hit; i++)
            match_left(op, relation, p, x.u.list[i], t);
    } else if (x.type != VALUE_MISSING) {
        t->left = true;
        if (t->right)
            tally_add(t, match_scalar(op, relation, p, x));
    }
}

bool operate_match(const struct operate *op, enum relation relation, struct value x,
                   const struct pattern *pattern)
{
    if (is_scalar(x) && pattern->n > 0)
        return scalar_verdict(op, relation,
                              match_scalar(op, relation_positive(relation), pattern, x));

    struct tally t = { .right = pattern->n > 0 };
    match_left(op, relation_positive(relation), pattern, x, &t);
    return verdict(op, relation, &t);
}

struct value operate_extract(const struct operate *op, struct value x,
                             const struct pattern *pattern, unsigned group)
{
    size_t start, len;

    if (x.type != VALUE_TEXT)
        return value_missing();
    switch (regex_group(pattern->regex[0], op->regex, x.u.text, x.len, group, &start, &len)) {
    case REGEX_YES: return value_text(x.u.text + start, len);
    case REGEX_LIMIT: op->counters->regex_limit++; return value_missing();
    default: return value_missing();
    }
}
