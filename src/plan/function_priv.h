// SPDX-License-Identifier: Apache-2.0
/* function_priv - the functions of values, one C function each; their docs are in function.def. */
#ifndef PLAN_FUNCTION_PRIV_H
#define PLAN_FUNCTION_PRIV_H

#include <stdint.h>

#include "event/value.h"

struct operate;

/* function_text.c */
struct value function_lower(const struct operate *op, struct value x);
struct value function_upper(const struct operate *op, struct value x);
struct value function_length(struct value x);
struct value function_substring(const struct value *arg, uint32_t n);
struct value function_concat(const struct operate *op, const struct value *arg, uint32_t n);
struct value function_trim(struct value x);
struct value function_string(const struct operate *op, struct value x);

/* function_number.c */
struct value function_number(const struct operate *op, struct value x);
struct value function_abs(struct value x);
struct value function_seconds(struct value x);

#endif
