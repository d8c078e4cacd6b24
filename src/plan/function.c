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
    if (n == 0)
        return value_missing();
    switch (id) {
    case FUNCTION_LOWER: return function_lower(op, arg[0]);
    case FUNCTION_UPPER: return function_upper(op, arg[0]);
    case FUNCTION_LENGTH: return function_length(arg[0]);
    case FUNCTION_SUBSTRING: return function_substring(arg, n);
    case FUNCTION_CONCAT: return function_concat(op, arg, n);
    case FUNCTION_TRIM: return function_trim(arg[0]);
    case FUNCTION_NUMBER: return function_number(op, arg[0]);
    case FUNCTION_STRING: return function_string(op, arg[0]);
    case FUNCTION_ABS: return function_abs(arg[0]);
    case FUNCTION_SECONDS: return function_seconds(arg[0]);
    default: return value_missing(); /* has an instruction of its own */
    }
}
