// SPDX-License-Identifier: Apache-2.0
/*
 * value - what a field or an expression is at run time: 16 bytes, passed by value.
 *
 * VALUE_MISSING is "absent or null" (language section 2); it is 0, so zeroed memory is missing.
 * Text, list and JSON point to memory that someone else owns (an event, the program, a scratch
 * arena); a value never owns. Text is always valid UTF-8, not NUL-terminated.
 * Numbers: an integer that fits int64 is VALUE_INT, every other number VALUE_DOUBLE (finite).
 * 1 and 1.0 compare equal and hash equal.
 * Lists nest at most VALUE_MAX_NESTING deep; an array of an event that is deeper is a VALUE_OBJECT
 * (its JSON text), so that no coding, comparison or copy ever recurses further.
 */
#ifndef EVENT_VALUE_H
#define EVENT_VALUE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct arena;
struct buf;
struct reader;

enum value_type {
    VALUE_MISSING = 0,
    VALUE_BOOL,
    VALUE_INT,
    VALUE_DOUBLE,
    VALUE_TEXT,
    VALUE_TIME,     /* i: ns since 1970-01-01 UTC */
    VALUE_DURATION, /* i: ns */
    VALUE_LIST,     /* list[0..len) */
    VALUE_OBJECT,   /* text[0..len): a JSON object (or a very deep array) as text, minified */
};

enum { VALUE_MAX_NESTING = 16 };

struct value {
    uint8_t type; /* enum value_type */
    uint8_t flags; /* 0; reserved for the owner's use, ignored by comparison */
    uint16_t spare;
    uint32_t len; /* bytes of text / elements of a list */
    union {
        bool b;
        int64_t i;
        double d;
        const char *text;
        const struct value *list;
    } u;
};

/* Every member is named, because json_decode.cc reads this header as C++, which warns otherwise. */
static inline struct value value_of(enum value_type type, size_t len) { struct value v = {(uint8_t)type, 0, 0, (uint32_t)len, {.i = 0}}; return v; }
static inline struct value value_missing(void) { return value_of(VALUE_MISSING, 0); }
static inline struct value value_bool(bool b) { struct value v = value_of(VALUE_BOOL, 0); v.u.b = b; return v; }
static inline struct value value_int(int64_t i) { struct value v = value_of(VALUE_INT, 0); v.u.i = i; return v; }
static inline struct value value_time(int64_t ns) { struct value v = value_of(VALUE_TIME, 0); v.u.i = ns; return v; }
static inline struct value value_duration(int64_t ns) { struct value v = value_of(VALUE_DURATION, 0); v.u.i = ns; return v; }
static inline struct value value_text(const char *text, size_t len) { struct value v = value_of(VALUE_TEXT, len); v.u.text = text; return v; }
static inline struct value value_list(const struct value *list, size_t n) { struct value v = value_of(VALUE_LIST, n); v.u.list = list; return v; }
static inline bool value_is_missing(struct value v) { return v.type == VALUE_MISSING; }
static inline bool value_is_number(struct value v) { return v.type == VALUE_INT || v.type == VALUE_DOUBLE; }
/* A double result: missing if it is not finite. */
struct value value_double(double d);

/* Same type and same value; numbers by value without losing integers; lists element by element,
 * objects by their text. Missing equals missing (this is identity, for keys and tests; it is not
 * the `==` of the language, which engine/vm builds from value_order). */
bool value_same(struct value a, struct value b);

/* Order of two scalars of one comparable kind: *order_out < 0, 0, > 0. False if they cannot be
 * compared (either missing, a list or an object, or different types). bool: only equality (order 0
 * or 1). Text by bytes (= by code point). int64 against double exactly. */
bool value_order(struct value a, struct value b, int *order_out);

uint64_t value_hash(struct value v, uint64_t seed); /* agrees with value_same */

/* Canonical binary coding: equal values (value_same) give equal bytes; used for partition keys,
 * ids and snapshots. An integral double in int64 range is coded as the integer. */
void value_encode(struct buf *out, struct value v);
/* The same, but a double stays one: what is read back is also written the same (1e+17). For state that
 * is told later; not canonical, so not for ids and look-ups. */
void value_encode_exact(struct buf *out, struct value v);
/* Reads one; text and lists go into the arena. On malformed input sets r->bad, gives missing.
 * Nesting of lists is limited to VALUE_MAX_NESTING; deeper lists were encoded as JSON text. */
struct value value_decode(struct reader *r, struct arena *a);

/* Deep copy of text / lists into the arena. */
struct value value_copy(struct value v, struct arena *a);
size_t value_copy_size(struct value v); /* bytes that value_copy_to needs */
/* Deep copy into memory of value_copy_size bytes, aligned 8; moves *mem behind what it used. */
struct value value_copy_to(struct value v, char **mem);

/* JSON: text, number, true/false, null for missing, a time as RFC 3339 UTC text (fraction only as
 * long as needed, 0/3/6/9 digits), a duration as a number of seconds, lists, objects as they are. */
void value_add_json(struct buf *out, struct value v);
/* For titles: text without quotes, a duration as `1h30m`, missing as nothing, lists joined by ", ". */
void value_add_text(struct buf *out, struct value v);
const char *value_type_name(enum value_type type); /* "text", "integer", ... */

#endif
