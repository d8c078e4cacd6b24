// SPDX-License-Identifier: Apache-2.0
/*
 * value - comparing, hashing, coding and printing of what fields and expressions are.
 *
 * Identity (value_same, value_hash, value_encode) is one notion in three forms and must stay so:
 * same values have equal hashes and equal bytes. The only place where two representations are the
 * same value is numbers (1 and 1.0, 0 and -0.0), so each of the three goes through number_int
 * first. [tag:value-identity]
 *
 * The code of a value is one tag byte and then: nothing (missing), 0 or 1 (bool), zigzag varint
 * (integer, time, duration), the eight bytes of the double, varint length and bytes (text, object),
 * varint count and the elements (list). The tags are on disk: never renumber them.
 */
#include "event/value.h"

#include <math.h>
#include <string.h>

#include "base/arena.h"
#include "base/buf.h"
#include "base/hash.h"
#include "base/mem.h"
#include "base/reader.h"
#include "base/utf8.h"
#include "event/time_format.h"

static const double two_to_63 = 9223372036854775808.0;

struct value value_double(double d)
{
    struct value v = value_missing();
    if (isfinite(d)) {
        v.type = VALUE_DOUBLE;
        v.u.d = d;
    }
    return v;
}

const char *value_type_name(enum value_type type)
{
    switch (type) {
    case VALUE_MISSING: return "missing";
    case VALUE_BOOL: return "bool";
    case VALUE_INT: return "integer";
    case VALUE_DOUBLE: return "number";
    case VALUE_TEXT: return "text";
    case VALUE_TIME: return "time";
    case VALUE_DURATION: return "duration";
    case VALUE_LIST: return "list";
    case VALUE_OBJECT: return "object";
    }
    return "unknown";
}

/* ---- order and identity ---------------------------------------------------------------------- */

static int order_int(int64_t a, int64_t b)
{
    return (a > b) - (a < b);
}

static int order_int_double(int64_t i, double d)
{
    if (d >= two_to_63)
        return -1;
    if (d < -two_to_63)
        return 1;
    /* Converting i to double would lose what is beyond 2^53; the whole part of d loses nothing. */
    int64_t whole = (int64_t)d;
    if (i != whole)
        return order_int(i, whole);
    double rest = d - (double)whole;
    return (rest < 0) - (rest > 0);
}

static int order_numbers(struct value a, struct value b)
{
    if (a.type == VALUE_INT && b.type == VALUE_INT)
        return order_int(a.u.i, b.u.i);
    if (a.type == VALUE_INT)
        return order_int_double(a.u.i, b.u.d);
    if (b.type == VALUE_INT)
        return -order_int_double(b.u.i, a.u.d);
    return (a.u.d > b.u.d) - (a.u.d < b.u.d);
}

static int order_text(struct value a, struct value b)
{
    uint32_t n = a.len < b.len ? a.len : b.len;
    int order = n ? memcmp(a.u.text, b.u.text, n) : 0;
    return order ? order : (a.len > b.len) - (a.len < b.len);
}

bool value_order(struct value a, struct value b, int *order_out)
{
    if (value_is_number(a) && value_is_number(b)) {
        *order_out = order_numbers(a, b);
        return true;
    }
    if (a.type != b.type)
        return false;
    switch (a.type) {
    case VALUE_BOOL: *order_out = a.u.b != b.u.b; return true;
    case VALUE_TEXT: *order_out = order_text(a, b); return true;
    case VALUE_TIME:
    case VALUE_DURATION: *order_out = order_int(a.u.i, b.u.i); return true;
    default: return false;
    }
}

static bool same_lists(struct value a, struct value b)
{
    if (a.len != b.len)
        return false;
    for (uint32_t i = 0; i < a.len; i++)
        if (!value_same(a.u.list[i], b.u.list[i]))
            return false;
    return true;
}

bool value_same(struct value a, struct value b)
{
    if (value_is_number(a) && value_is_number(b))
        return order_numbers(a, b) == 0;
    if (a.type != b.type)
        return false;
    switch (a.type) {
    case VALUE_MISSING: return true;
    case VALUE_BOOL: return a.u.b == b.u.b;
    case VALUE_TEXT:
    case VALUE_OBJECT: return a.len == b.len && order_text(a, b) == 0;
    case VALUE_LIST: return same_lists(a, b);
    default: return a.u.i == b.u.i;
    }
}

/* The integer that a double is the same value as, if there is one. [tag:value-identity] */
static bool number_int(double d, int64_t *int_out)
{
    if (!(d >= -two_to_63 && d < two_to_63))
        return false;
    *int_out = (int64_t)d;
    return (double)*int_out == d;
}

static uint64_t double_bits(double d)
{
    uint64_t bits;
    memcpy(&bits, &d, sizeof bits);
    return bits;
}

/* Far apart for each type: hash_mix only xors the seed to the integer, so seeds that differ in a
 * few low bits would give some time and some duration the same hash. */
static uint64_t type_seed(uint64_t seed, enum value_type type)
{
    return seed + type * UINT64_C(0x9fb21c651e98df25);
}

uint64_t value_hash(struct value v, uint64_t seed)
{
    int64_t i;
    uint64_t h;

    switch (v.type) {
    case VALUE_MISSING: return hash_mix(VALUE_MISSING, seed);
    case VALUE_BOOL: return hash_mix(v.u.b, type_seed(seed, VALUE_BOOL));
    case VALUE_DOUBLE:
        if (number_int(v.u.d, &i))
            return hash_mix((uint64_t)i, type_seed(seed, VALUE_INT));
        return hash_mix(double_bits(v.u.d), type_seed(seed, VALUE_DOUBLE));
    case VALUE_TEXT:
    case VALUE_OBJECT: return hash64(v.len ? v.u.text : "", v.len, type_seed(seed, v.type));
    case VALUE_LIST:
        h = hash_mix(v.len, type_seed(seed, VALUE_LIST));
        for (uint32_t k = 0; k < v.len; k++)
            h = value_hash(v.u.list[k], h);
        return h;
    default: return hash_mix((uint64_t)v.u.i, type_seed(seed, v.type));
    }
}

/* ---- the binary coding ----------------------------------------------------------------------- */

enum tag {
    TAG_MISSING = 0,
    TAG_BOOL = 1,
    TAG_INT = 2,
    TAG_DOUBLE = 3,
    TAG_TEXT = 4,
    TAG_TIME = 5,
    TAG_DURATION = 6,
    TAG_LIST = 7,
    TAG_OBJECT = 8,
    TAG_WHOLE = 9, /* a double that is a whole number: value_encode_exact only */
};

static void encode_int(struct buf *out, enum tag tag, int64_t i)
{
    buf_addc(out, (char)tag);
    buf_add_varint(out, ((uint64_t)i << 1) ^ (uint64_t)(i >> 63));
}

static void encode_bytes(struct buf *out, enum tag tag, const char *text, size_t len)
{
    buf_addc(out, (char)tag);
    buf_add_bytes(out, len ? text : "", len);
}

/* What is nested deeper than value_decode reads is coded as its JSON text, as the decoder of
 * events does with such arrays. */
static void encode_deep(struct buf *out, struct value v)
{
    struct buf text;
    buf_init(&text);
    value_add_json(&text, v);
    encode_bytes(out, TAG_OBJECT, text.data, text.len);
    buf_fini(&text);
}

static void encode(struct buf *out, struct value v, int depth, bool exact)
{
    int64_t i;

    switch (v.type) {
    case VALUE_BOOL:
        buf_addc(out, TAG_BOOL);
        buf_addc(out, v.u.b ? 1 : 0);
        break;
    case VALUE_INT: encode_int(out, TAG_INT, v.u.i); break;
    case VALUE_DOUBLE:
        if (number_int(v.u.d, &i) && !exact) {
            encode_int(out, TAG_INT, i);
        } else {
            buf_addc(out, number_int(v.u.d, &i) ? TAG_WHOLE : TAG_DOUBLE);
            buf_add_u64(out, double_bits(v.u.d));
        }
        break;
    case VALUE_TEXT: encode_bytes(out, TAG_TEXT, v.u.text, v.len); break;
    case VALUE_TIME: encode_int(out, TAG_TIME, v.u.i); break;
    case VALUE_DURATION: encode_int(out, TAG_DURATION, v.u.i); break;
    case VALUE_LIST:
        if (depth >= VALUE_MAX_NESTING) {
            encode_deep(out, v);
            break;
        }
        buf_addc(out, TAG_LIST);
        buf_add_varint(out, v.len);
        for (uint32_t k = 0; k < v.len; k++)
            encode(out, v.u.list[k], depth + 1, exact);
        break;
    case VALUE_OBJECT: encode_bytes(out, TAG_OBJECT, v.u.text, v.len); break;
    default: buf_addc(out, TAG_MISSING); break;
    }
}

void value_encode(struct buf *out, struct value v)
{
    encode(out, v, 0, false);
}

void value_encode_exact(struct buf *out, struct value v)
{
    encode(out, v, 0, true);
}

static struct value decode_bad(struct reader *r)
{
    r->bad = true;
    return value_missing();
}

static int64_t decode_int(struct reader *r)
{
    uint64_t z = reader_varint(r);
    return (int64_t)((z >> 1) ^ (0 - (z & 1)));
}

static struct value decode_double(struct reader *r, bool whole)
{
    uint64_t bits = reader_u64(r);
    double d;
    int64_t i;

    memcpy(&d, &bits, sizeof d);
    if (r->bad || !isfinite(d) || number_int(d, &i) != whole)
        return decode_bad(r);
    return value_double(d);
}

static struct value decode_bytes(struct reader *r, struct arena *a, enum value_type type)
{
    size_t len = 0;
    const char *text = reader_bytes(r, &len);

    /* A corrupt store must not give invalid text to PCRE2, which does not check it again. */
    if (r->bad || len > UINT32_MAX || (len && !utf8_valid(text, len, NULL)))
        return decode_bad(r);
    struct value v = value_text(len ? arena_memdup(a, text, len) : "", len);
    v.type = (uint8_t)type;
    return v;
}

static struct value decode(struct reader *r, struct arena *a, int depth);

static struct value decode_list(struct reader *r, struct arena *a, int depth)
{
    uint64_t n = reader_varint(r);

    /* An element takes at least one byte, so no count can ask for more memory than 16 x input. */
    if (r->bad || depth >= VALUE_MAX_NESTING || n > reader_left(r) || n > UINT32_MAX)
        return decode_bad(r);
    if (!n)
        return value_list(NULL, 0);
    struct value *list = arena_alloc(a, n * sizeof *list);
    for (uint64_t i = 0; i < n && !r->bad; i++)
        list[i] = decode(r, a, depth + 1);
    return r->bad ? value_missing() : value_list(list, n);
}

static struct value decode(struct reader *r, struct arena *a, int depth)
{
    struct value v;
    uint8_t b;

    switch (reader_u8(r)) {
    case TAG_MISSING: return value_missing();
    case TAG_BOOL: b = reader_u8(r); return b > 1 ? decode_bad(r) : value_bool(b);
    case TAG_INT: v = value_int(decode_int(r)); break;
    case TAG_DOUBLE: v = decode_double(r, false); break;
    case TAG_WHOLE: v = decode_double(r, true); break;
    case TAG_TEXT: v = decode_bytes(r, a, VALUE_TEXT); break;
    case TAG_TIME: v = value_time(decode_int(r)); break;
    case TAG_DURATION: v = value_duration(decode_int(r)); break;
    case TAG_LIST: v = decode_list(r, a, depth); break;
    case TAG_OBJECT: v = decode_bytes(r, a, VALUE_OBJECT); break;
    default: return decode_bad(r);
    }
    return r->bad ? value_missing() : v;
}

struct value value_decode(struct reader *r, struct arena *a)
{
    struct value v = decode(r, a, 0);
    return r->bad ? value_missing() : v;
}

/* ---- copies ---------------------------------------------------------------------------------- */

struct value value_copy(struct value v, struct arena *a)
{
    if (v.type == VALUE_TEXT || v.type == VALUE_OBJECT) {
        v.u.text = v.len ? arena_memdup(a, v.u.text, v.len) : "";
    } else if (v.type == VALUE_LIST && v.len) {
        struct value *list = arena_alloc_raw(a, v.len * sizeof *list);
        for (uint32_t i = 0; i < v.len; i++)
            list[i] = value_copy(v.u.list[i], a);
        v.u.list = list;
    }
    return v;
}

static size_t round_up_8(size_t n)
{
    return (n + 7) & ~(size_t)7;
}

size_t value_copy_size(struct value v)
{
    if (v.type == VALUE_TEXT || v.type == VALUE_OBJECT)
        return round_up_8(v.len);
    if (v.type != VALUE_LIST)
        return 0;
    size_t size = v.len * sizeof v;
    for (uint32_t i = 0; i < v.len; i++)
        size += value_copy_size(v.u.list[i]);
    return size;
}

struct value value_copy_to(struct value v, char **mem)
{
    if (v.type == VALUE_TEXT || v.type == VALUE_OBJECT) {
        char *text = *mem;
        if (v.len)
            memcpy(text, v.u.text, v.len);
        *mem += round_up_8(v.len);
        v.u.text = v.len ? text : "";
    } else if (v.type == VALUE_LIST) {
        struct value *list = (struct value *)(void *)*mem;
        *mem += v.len * sizeof *list;
        for (uint32_t i = 0; i < v.len; i++)
            list[i] = value_copy_to(v.u.list[i], mem);
        v.u.list = v.len ? list : NULL;
    }
    return v;
}

/* ---- printing -------------------------------------------------------------------------------- */

void value_add_json(struct buf *out, struct value v)
{
    switch (v.type) {
    case VALUE_BOOL: buf_adds(out, v.u.b ? "true" : "false"); break;
    case VALUE_INT: buf_add_int(out, v.u.i); break;
    case VALUE_DOUBLE: buf_add_double(out, v.u.d); break;
    case VALUE_TEXT: buf_add_json_text(out, v.len ? v.u.text : "", v.len); break;
    case VALUE_TIME:
        buf_addc(out, '"');
        time_add_text(out, v.u.i);
        buf_addc(out, '"');
        break;
    case VALUE_DURATION: duration_add_seconds(out, v.u.i); break;
    case VALUE_LIST:
        buf_addc(out, '[');
        for (uint32_t i = 0; i < v.len; i++) {
            if (i)
                buf_addc(out, ',');
            value_add_json(out, v.u.list[i]);
        }
        buf_addc(out, ']');
        break;
    case VALUE_OBJECT: buf_add(out, v.u.text, v.len); break;
    default: buf_adds(out, "null"); break;
    }
}

void value_add_text(struct buf *out, struct value v)
{
    switch (v.type) {
    case VALUE_MISSING: break;
    case VALUE_TEXT:
        if (v.len)
            buf_add(out, v.u.text, v.len);
        break;
    case VALUE_TIME: time_add_text(out, v.u.i); break;
    case VALUE_DURATION: duration_add_text(out, v.u.i); break;
    case VALUE_LIST:
        for (uint32_t i = 0; i < v.len; i++) {
            if (i)
                buf_adds(out, ", ");
            value_add_text(out, v.u.list[i]);
        }
        break;
    default: value_add_json(out, v); break;
    }
}
