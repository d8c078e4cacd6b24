// SPDX-License-Identifier: Apache-2.0
/* function_priv - the functions of values, one C function each; their docs are in function.def. */
#ifndef PLAN_FUNCTION_PRIV_H
#define PLAN_FUNCTION_PRIV_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "event/value.h"

struct buf;
struct function_fault;
struct operate;

/* function_text.c */
/* A buffer over arena memory. It must never grow: cap is a true bound. */
struct buf function_buf(const struct operate *op, size_t cap);
/* Is it a number without a fraction (of a double: up to 10^15)? */
bool function_whole(struct value v, int64_t *i_out);
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
struct value function_floor(struct value x);
struct value function_ceil(struct value x);
struct value function_round(const struct value *arg, uint32_t n);
struct value function_extreme(const struct value *arg, uint32_t n, bool greatest);

/* function_part.c */
struct value function_replace(const struct operate *op, struct value x, struct value old,
                              struct value by);
struct value function_split(const struct operate *op, const struct value *arg, uint32_t n);
struct value function_join(const struct operate *op, struct value list, struct value separator);
struct value function_basename(struct value x);

/* function_decode.c */
struct value function_base64_decode(const struct operate *op, const struct value *arg, uint32_t n);
struct value function_url_decode(const struct operate *op, struct value x);
bool function_encoding_named(struct value name, bool *utf16_out);

/* function_measure.c */
struct value function_entropy(const struct operate *op, struct value x);
struct value function_levenshtein(const struct operate *op, struct value a, struct value b);
struct value function_geo_distance_km(const struct value *arg);
struct value function_hash64(const struct operate *op, struct value x);

/* function_time.c */
enum time_unit {
    UNIT_SECOND, UNIT_MINUTE, UNIT_HOUR, UNIT_DAY, UNIT_WEEK, UNIT_MONTH, UNIT_QUARTER, UNIT_YEAR,
    UNIT_COUNT
};
bool function_unit_named(struct value name, enum time_unit *unit_out);
const char *function_unit_name(enum time_unit unit);
struct value function_hour(const struct value *arg, uint32_t n);
struct value function_weekday(const struct value *arg, uint32_t n);
struct value function_date_trunc(const struct value *arg, uint32_t n);

/* function_check.c: bytes of a text that a message shows. */
int function_shown(struct value v);

/* function_time_text.c */
struct value function_parse_time(const struct value *arg, uint32_t n);
/* *zone_out: has a zone a meaning with it? False: what is wrong is in the fault. */
bool function_check_format(struct value format, bool *zone_out, struct function_fault *fault);

#endif
