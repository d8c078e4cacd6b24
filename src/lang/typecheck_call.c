// SPDX-License-Identifier: Apache-2.0
/* typecheck_call - what functions and aggregates take and give. */
#include "base/cidr.h"
#include "base/diag.h"
#include "lang/typecheck_priv.h"

struct signature {
    uint16_t arg[3]; /* 0: as the one before; the first 0: anything */
};
static const struct signature signatures[FUNCTION_COUNT] = {
    [FUNCTION_LOWER] = {{T_TEXT}},
    [FUNCTION_UPPER] = {{T_TEXT}},
    [FUNCTION_LENGTH] = {{T_TEXT | T_LIST}},
    [FUNCTION_SUBSTRING] = {{T_TEXT, T_NUMBER, T_NUMBER}},
    [FUNCTION_CONCAT] = {{T_TEXT | T_NUMBER}},
    [FUNCTION_TRIM] = {{T_TEXT}},
    [FUNCTION_NUMBER] = {{T_TEXT | T_NUMBER | T_BOOL | T_DURATION}},
    [FUNCTION_STRING] = {{T_TEXT | T_NUMBER | T_BOOL | T_TIME | T_DURATION}},
    [FUNCTION_ABS] = {{T_NUMBER | T_DURATION}},
    [FUNCTION_IF] = {{T_BOOL, T_UNKNOWN, T_UNKNOWN}},
    [FUNCTION_EXTRACT] = {{T_TEXT, T_TEXT, T_INT}},
    [FUNCTION_CIDR_MATCH] = {{T_TEXT}},
    [FUNCTION_SECONDS] = {{T_DURATION}},
    [FUNCTION_REPLACE] = {{T_TEXT}},
    [FUNCTION_SPLIT] = {{T_TEXT, T_TEXT, T_NUMBER}},
    [FUNCTION_JOIN] = {{T_LIST | T_TEXT | T_NUMBER | T_BOOL | T_TIME | T_DURATION, T_TEXT}},
    [FUNCTION_BASENAME] = {{T_TEXT}},
    [FUNCTION_BASE64_DECODE] = {{T_TEXT}},
    [FUNCTION_URL_DECODE] = {{T_TEXT}},
    [FUNCTION_ENTROPY] = {{T_TEXT}},
    [FUNCTION_LEVENSHTEIN] = {{T_TEXT}},
    [FUNCTION_HASH64] = {{T_TEXT | T_NUMBER | T_BOOL | T_TIME | T_DURATION}},
    [FUNCTION_FLOOR] = {{T_NUMBER}},
    [FUNCTION_CEIL] = {{T_NUMBER}},
    [FUNCTION_ROUND] = {{T_NUMBER}},
    [FUNCTION_LEAST] = {{T_NUMBER | T_TEXT | T_TIME | T_DURATION}},
    [FUNCTION_GREATEST] = {{T_NUMBER | T_TEXT | T_TIME | T_DURATION}},
    [FUNCTION_GEO_DISTANCE_KM] = {{T_NUMBER}},
    [FUNCTION_HOUR] = {{T_TIME, T_TEXT}},
    [FUNCTION_WEEKDAY] = {{T_TIME, T_TEXT}},
    [FUNCTION_DATE_TRUNC] = {{T_TEXT, T_TIME, T_TEXT}},
    [FUNCTION_PARSE_TIME] = {{T_TEXT | T_NUMBER, T_TEXT}},
};

static const uint16_t function_types[] = {
#define FUNCTION(id, name, min_args, max_args, types, doc) types,
#include "lang/function.def"
#undef FUNCTION
};

static const char *const function_names[] = {
#define FUNCTION(id, name, min_args, max_args, types, doc) name,
#include "lang/function.def"
#undef FUNCTION
};

/* False: an error was reported. */
static bool check_args(struct checker *c, struct ast_expr *call)
{
    const struct signature *sig = &signatures[call->function];
    char want[TYPES_TEXT_MAX], got[TYPES_TEXT_MAX];
    unsigned takes = sig->arg[0] != 0 ? sig->arg[0] : (unsigned)T_UNKNOWN;
    bool ok = true;
    for (uint32_t i = 0; i < call->n_args; i++) {
        if (i < 3 && sig->arg[i] != 0)
            takes = sig->arg[i];
        struct ast_expr *arg = call->args[i];
        uint16_t types = typecheck_expr(c, arg);
        if ((types & takes) != 0)
            continue;
        diag_add(c->diag, DIAG_ERROR, arg->span, "`%s` takes %s here, this is %s",
                 function_names[call->function], types_text(takes, want), types_text(types, got));
        if (takes == T_TIME && (types & (T_TEXT | T_NUMBER)) != 0)
            diag_hint(c->diag, "`parse_time(x, \"rfc3339\")` makes a time of a text");
        ok = false;
    }
    return ok;
}

static bool is_text_literal(const struct ast_expr *expr)
{
    return expr->kind == AST_LITERAL && expr->value.type == VALUE_TEXT;
}

static void check_extract(struct checker *c, struct ast_expr *call)
{
    unsigned groups;
    if (!is_text_literal(call->args[1])) {
        diag_add(c->diag, DIAG_ERROR, call->args[1]->span,
                 "the pattern of `extract` is a text in quotes");
        return;
    }
    if (!typecheck_regex(c, call->args[1], &groups) || call->n_args < 3)
        return;
    const struct ast_expr *n = call->args[2];
    if (n->kind != AST_LITERAL || n->value.type != VALUE_INT || n->value.u.i < 0)
        diag_add(c->diag, DIAG_ERROR, n->span, "the group of `extract` is a whole number, as `1`");
    else if (n->value.u.i > groups)
        diag_add(c->diag, DIAG_ERROR, n->span, "the pattern has %u group%s", groups,
                 groups == 1 ? "" : "s");
}

static void check_networks(struct checker *c, struct ast_expr *call)
{
    struct cidr_set *nets = cidr_set_new();
    for (uint32_t i = 1; i < call->n_args; i++) {
        const struct ast_expr *net = call->args[i];
        const char *why;
        if (!is_text_literal(net)) {
            diag_add(c->diag, DIAG_ERROR, net->span,
                     "a network of `cidr_match` is a text in quotes");
            diag_hint(c->diag, "a declared `cidr` list is asked by `x in name`");
        } else if (!cidr_set_add(nets, net->value.u.text, net->value.len, &why)) {
            diag_add(c->diag, DIAG_ERROR, net->span, "bad network `%.*s`: %s", (int)net->value.len,
                     net->value.u.text, why);
        }
    }
    cidr_set_free(&nets);
}

/* least(), greatest(): the types that all of the arguments may have. */
static uint16_t common_types(struct checker *c, struct ast_expr *call, uint16_t types)
{
    char first[TYPES_TEXT_MAX], other[TYPES_TEXT_MAX];
    for (uint32_t i = 0; i < call->n_args; i++) {
        uint16_t arg = call->args[i]->types;
        if ((arg & T_NUMBER) != 0)
            arg |= T_NUMBER;
        if ((types & arg) != 0) {
            types &= arg;
            continue;
        }
        diag_add(c->diag, DIAG_ERROR, call->args[i]->span, "`%s` cannot compare %s with %s",
                 call->name.text, types_text(types, first), types_text(arg, other));
        return T_UNKNOWN;
    }
    return types | T_MISSING;
}

static uint16_t check_function(struct checker *c, struct ast_expr *call)
{
    uint16_t types = function_types[call->function];
    if (!check_args(c, call))
        return types | T_MISSING;
    switch (call->function) {
    case FUNCTION_EXISTS: return T_BOOL;
    case FUNCTION_TIME:
    case FUNCTION_STREAM: return call->n_args == 0 ? types : types | T_MISSING;
    case FUNCTION_IF: return call->args[1]->types | call->args[2]->types;
    case FUNCTION_ABS:
        types &= call->args[0]->types;
        return ((types & T_INT) != 0 ? types | T_DOUBLE : types) | T_MISSING;
    case FUNCTION_SPLIT: types = call->n_args > 2 ? T_TEXT : T_LIST; break;
    case FUNCTION_LEAST:
    case FUNCTION_GREATEST: return common_types(c, call, types);
    case FUNCTION_EXTRACT: check_extract(c, call); break;
    case FUNCTION_CIDR_MATCH: check_networks(c, call); break;
    default: break;
    }
    return types | T_MISSING;
}

/* Over fields, which hold neither times nor durations; or over what a stream computes, `arg`. */
static uint16_t aggregate_types(uint32_t aggregate, uint16_t arg)
{
    arg &= T_TIME | T_DURATION;
    switch (aggregate) {
    case AGGREGATE_COUNT: return T_INT;
    case AGGREGATE_SUM:
    case AGGREGATE_AVG: return T_NUMBER | T_MISSING | arg;
    case AGGREGATE_MIN:
    case AGGREGATE_MAX: return T_NUMBER | T_TEXT | T_MISSING | arg;
    case AGGREGATE_VALUES: return T_LIST | T_MISSING;
    case AGGREGATE_COUNT_DISTINCT: return T_INT | T_MISSING;
    default: return T_FIELD | T_MISSING | arg;
    }
}

/* ---- aggregates of a window ---------------------------------------------------------------- */

static const uint16_t window_types[] = {
#define WINDOW_AGGREGATE(id, name, min_args, max_args, types, nothing, doc) types,
#include "lang/window_aggregate.def"
#undef WINDOW_AGGREGATE
};

/* What it takes; 0: anything. */
static uint16_t window_takes(uint32_t aggregate)
{
    switch (aggregate) {
    case LANG_WINDOW_SUM:
    case LANG_WINDOW_AVG: return T_NUMBER | T_DURATION;
    case LANG_WINDOW_STDDEV:
    case LANG_WINDOW_VARIANCE:
    case LANG_WINDOW_PERCENTILE: return T_NUMBER;
    case LANG_WINDOW_MIN:
    case LANG_WINDOW_MAX: return T_NUMBER | T_TEXT | T_TIME | T_DURATION;
    default: return 0;
    }
}

static uint16_t window_result(uint32_t aggregate, uint16_t arg)
{
    uint16_t types = window_types[aggregate], takes = window_takes(aggregate);
    switch (aggregate) {
    case LANG_WINDOW_SUM:
    case LANG_WINDOW_AVG:
        types = arg & takes;
        if ((types & T_INT) != 0)
            types |= T_DOUBLE; /* a mean, or more than an integer holds */
        return aggregate == LANG_WINDOW_SUM ? types : types | T_MISSING;
    case LANG_WINDOW_MIN:
    case LANG_WINDOW_MAX: return (arg & takes) | T_MISSING;
    case LANG_WINDOW_FIRST:
    case LANG_WINDOW_LAST:
    case LANG_WINDOW_PREV: return arg | T_MISSING;
    case LANG_WINDOW_STDDEV:
    case LANG_WINDOW_VARIANCE:
    case LANG_WINDOW_PERCENTILE: return types | T_MISSING;
    default: return types;
    }
}

static uint16_t check_window_aggregate(struct checker *c, struct ast_expr *call)
{
    uint16_t takes = window_takes(call->aggregate), arg = T_UNKNOWN;
    char want[TYPES_TEXT_MAX], got[TYPES_TEXT_MAX];
    for (uint32_t i = 0; i < call->n_args; i++) {
        if (call->args[i]->ref == REF_STEP)
            call->args[i]->types = T_UNKNOWN; /* count(a) */
        else if (call->aggregate == LANG_WINDOW_COUNT)
            typecheck_condition(c, call->args[i]);
        else
            typecheck_expr(c, call->args[i]);
    }
    if (call->n_args > 0)
        arg = call->args[0]->types;
    if (takes != 0 && (arg & takes) == 0) {
        diag_add(c->diag, DIAG_ERROR, call->args[0]->span, "`%s` takes %s, this is %s",
                 call->name.text, types_text(takes, want), types_text(arg, got));
        arg = T_UNKNOWN;
    }
    if (call->where != NULL)
        typecheck_condition(c, call->where);
    if (call->within != NULL)
        typecheck_expr(c, call->within);
    return window_result(call->aggregate, arg);
}

uint16_t typecheck_call(struct checker *c, struct ast_expr *call)
{
    switch (call->ref) {
    case REF_WINDOW_AGGREGATE: return check_window_aggregate(c, call);
    case REF_FUNCTION: return check_function(c, call);
    case REF_AGGREGATE:
        if (call->is_over)
            return aggregate_types(call->aggregate, typecheck_expr(c, call->args[0]));
        call->args[0]->types = T_FIELD | T_MISSING;
        return aggregate_types(call->aggregate, 0);
    case REF_IN_STREAM:
    case REF_STEP_IN_STREAM: return T_BOOL;
    case REF_PREV: call->args[0]->types = T_FIELD | T_MISSING; return T_FIELD | T_MISSING;
    default: return T_UNKNOWN;
    }
}
