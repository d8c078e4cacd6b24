// SPDX-License-Identifier: Apache-2.0
/*
 * function - the functions of lang/function.def that are plain functions of values, and the loop
 * aggregates of lang/aggregate.def over an array of values. Pure; shared by folding and the vm.
 * TIME, STREAM, EXISTS, IF, EXTRACT and CIDR_MATCH have instructions of their own.
 */
#ifndef PLAN_FUNCTION_H
#define PLAN_FUNCTION_H

#include <stdbool.h>
#include <stdint.h>

#include "event/value.h"

struct operate;

enum { FUNCTION_MAX_ARGS = 32, FUNCTION_MAX_TEXT = 16 << 20 /* bytes; longer results are missing */ };

/* id: enum function_id of lang/resolve.h. Wrong types and missing arguments give missing. */
struct value function_call(const struct operate *op, uint32_t id, const struct value *arg,
                           uint32_t n);
const char *function_name(uint32_t id);

/* What is wrong with an argument, and what may be meant ("" if nothing is known). */
struct function_fault {
    uint32_t arg;
    char text[200];
    char hint[200];
};
/* Must the argument be constant: a zone, a unit, a format, an encoding? */
bool function_wants_constant(uint32_t id, uint32_t arg);
/* Looks at the constants among the arguments; arg[i] is NULL for what is none. False: a fault. */
bool function_check(uint32_t id, const struct value *const *arg, uint32_t n,
                    struct function_fault *fault_out);

/* id: enum aggregate_id of lang/resolve.h; value[n] in the order of the events. Elements of lists
 * count each; missing ones are passed over. Over nothing: missing (COUNT: 0). */
struct value function_aggregate(const struct operate *op, uint32_t id, const struct value *value,
                                uint32_t n);
const char *function_aggregate_name(uint32_t id);
uint32_t function_aggregate_count(void); /* ids are below this */
uint32_t function_count(void);           /* likewise for functions */

#endif
