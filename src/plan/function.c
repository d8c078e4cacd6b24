// SPDX-License-Identifier: Apache-2.0
/* function - from a function's number to the C function that does it. */
#include "plan/function.h"

#include "lang/resolve.h"
#include "plan/function_priv.h"
#include "plan/operate.h"

static const char *const NAMES[] = {
#define FUNCTION(id, name, min_args, max_args, types, doc) name,
#include "lang/function.def"
#undef FUNCTION
};

static const uint8_t MIN_ARGS[] = {
#define FUNCTION(id, name, min_args, max_args, types, doc) min_args,
#include "lang/function.def"
#undef FUNCTION
};

const char *function_name(uint32_t id)
{
    return id < FUNCTION_COUNT ? NAMES[id] : "?";
}

uint32_t function_count(void)
{
    return FUNCTION_COUNT;
}

struct value function_call(const struct operate *op, uint32_t id, const struct value *arg,
                           uint32_t n)
{
    if (id >= FUNCTION_COUNT || n == 0 || n < MIN_ARGS[id])
        return value_missing();
    switch (id) {
    case FUNCTION_LOWER: return function_lower(op, arg[0]);
    case FUNCTION_UPPER: return function_upper(op, arg[0]);
    case FUNCTION_LENGTH: return function_length(arg[0]);
    case FUNCTION_SUBSTRING: return function_substring(arg, n);
    case FUNCTION_CONCAT: return function_concat(op, arg, n);
    case FUNCTION_TRIM: return function_trim(arg[0]);
    case FUNCTION_REPLACE: return function_replace(op, arg[0], arg[1], arg[2]);
    case FUNCTION_SPLIT: return function_split(op, arg, n);
    case FUNCTION_JOIN: return function_join(op, arg[0], arg[1]);
    case FUNCTION_BASENAME: return function_basename(arg[0]);
    case FUNCTION_BASE64_DECODE: return function_base64_decode(op, arg, n);
    case FUNCTION_URL_DECODE: return function_url_decode(op, arg[0]);
    case FUNCTION_ENTROPY: return function_entropy(op, arg[0]);
    case FUNCTION_LEVENSHTEIN: return function_levenshtein(op, arg[0], arg[1]);
    case FUNCTION_HASH64: return function_hash64(op, arg[0]);
    case FUNCTION_NUMBER: return function_number(op, arg[0]);
    case FUNCTION_STRING: return function_string(op, arg[0]);
    case FUNCTION_ABS: return function_abs(arg[0]);
    case FUNCTION_FLOOR: return function_floor(arg[0]);
    case FUNCTION_CEIL: return function_ceil(arg[0]);
    case FUNCTION_ROUND: return function_round(arg, n);
    case FUNCTION_LEAST: return function_extreme(arg, n, false);
    case FUNCTION_GREATEST: return function_extreme(arg, n, true);
    case FUNCTION_GEO_DISTANCE_KM: return function_geo_distance_km(arg);
    case FUNCTION_SECONDS: return function_seconds(arg[0]);
    case FUNCTION_HOUR: return function_hour(arg, n);
    case FUNCTION_WEEKDAY: return function_weekday(arg, n);
    case FUNCTION_DATE_TRUNC: return function_date_trunc(arg, n);
    case FUNCTION_PARSE_TIME: return function_parse_time(arg, n);
    default: return value_missing(); /* has an instruction of its own */
    }
}
