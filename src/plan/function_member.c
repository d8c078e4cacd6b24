// SPDX-License-Identifier: Apache-2.0
/*
 * function_member - fields of objects that are values: x.name in any(x in files: x.name == "a").
 *
 * Such an object is kept as its JSON text (VALUE_OBJECT), which the decoder validated, so this
 * steps over it without checks, but never past its end. A path finds what it would find in an event
 * (event/json_decode.h): nested objects before flat keys with dots, the first of equal keys, the
 * list of what is found in an array. What is nested in arrays costs one pass for each element.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "base/utf8.h"
#include "event/schema.h"
#include "plan/function.h"
#include "plan/operate.h"

/* A piece of JSON text: [p, end). */
struct piece {
    const char *p, *end;
};

static bool at(const struct piece *j, char c)
{
    return j->p < j->end && *j->p == c;
}

static void skip_blanks(struct piece *j)
{
    while (j->p < j->end && (*j->p == ' ' || *j->p == '\t' || *j->p == '\n' || *j->p == '\r'))
        j->p++;
}

/* p at the opening quote; leaves it behind the closing one, *inside the text between. */
static void skip_string(struct piece *j, struct piece *inside)
{
    inside->p = ++j->p;
    while (j->p < j->end && *j->p != '"')
        j->p += *j->p == '\\' && j->end - j->p > 1 ? 2 : 1;
    inside->end = j->p;
    if (j->p < j->end)
        j->p++;
}

/* Steps over one value and gives its text. */
static struct piece next_value(struct piece *j)
{
    struct piece value, ignored;
    uint32_t depth = 0;

    skip_blanks(j);
    value.p = j->p;
    while (j->p < j->end) {
        char c = *j->p;
        if (c == '"') {
            skip_string(j, &ignored);
        } else if (c == '{' || c == '[') {
            depth++;
            j->p++;
        } else if (depth == 0 && (c == ',' || c == '}' || c == ']')) {
            break;
        } else {
            depth -= c == '}' || c == ']';
            j->p++;
        }
        if (depth == 0 && (c == '"' || c == '}' || c == ']'))
            break;
    }
    value.end = j->p;
    skip_blanks(j);
    return value;
}

/* ---- values ------------------------------------------------------------------------------------ */

static unsigned hex4(const char *p)
{
    unsigned cp = 0;

    for (int i = 0; i < 4; i++)
        cp = cp << 4 | (unsigned)(p[i] <= '9' ? p[i] - '0' : (p[i] | 0x20) - 'a' + 10);
    return cp & 0xffff;
}

/* \uXXXX at p + 1, perhaps one of a pair; moves *p behind it. */
static size_t unescape_unicode(const char **p, const char *end, char out[4])
{
    uint32_t cp = 0xfffd;

    if (end - *p < 5) {
        *p = end;
        return utf8_encode(cp, out);
    }
    cp = hex4(*p + 1);
    *p += 5;
    if (cp >= 0xd800 && cp < 0xdc00 && end - *p >= 6) {
        cp = 0x10000 + ((cp - 0xd800) << 10) + (hex4(*p + 2) - 0xdc00);
        *p += 6;
    }
    return utf8_encode(cp, out);
}

static struct value unescaped(struct arena *a, struct piece s)
{
    static const char from[] = "bfnrt", to[] = "\b\f\n\r\t";
    size_t len = (size_t)(s.end - s.p);
    char *out, *o;

    if (!memchr(s.p, '\\', len))
        return value_text(s.p, len);
    out = o = arena_alloc_raw(a, len + 4);
    while (s.p < s.end) {
        if (*s.p != '\\' || s.end - s.p < 2) {
            *o++ = *s.p++;
            continue;
        }
        s.p++;
        const char *known = strchr(from, *s.p);
        if (*s.p == 'u') {
            o += unescape_unicode(&s.p, s.end, o);
        } else {
            *o++ = known && *known ? to[known - from] : *s.p;
            s.p++;
        }
    }
    return value_text(out, (size_t)(o - out));
}

static struct value to_number(struct arena *a, struct piece j)
{
    char *text = arena_strndup(a, j.p, (size_t)(j.end - j.p));

    if (!strpbrk(text, ".eE")) {
        errno = 0;
        long long i = strtoll(text, NULL, 10);
        if (errno == 0)
            return value_int(i);
    }
    return value_double(strtod(text, NULL));
}

static uint32_t count_elements(struct piece j)
{
    uint32_t n = 0;

    for (j.p++, skip_blanks(&j); j.p < j.end && *j.p != ']'; j.p += at(&j, ',')) {
        const char *before = j.p;
        next_value(&j);
        n++;
        if (j.p == before)
            break; /* no JSON */
    }
    return n;
}

static struct value to_value(struct arena *a, struct piece j);

static struct value to_list(struct arena *a, struct piece j)
{
    uint32_t n = count_elements(j);
    struct value *element = arena_alloc_raw(a, n * sizeof *element);

    j.p++;
    for (uint32_t i = 0; i < n; i++, j.p += at(&j, ','))
        element[i] = to_value(a, next_value(&j));
    return value_list(element, n);
}

static struct value to_value(struct arena *a, struct piece j)
{
    struct piece inside;
    size_t len = (size_t)(j.end - j.p);

    switch (len ? *j.p : 'n') {
    case '"': skip_string(&j, &inside); return unescaped(a, inside);
    case '{': {
        struct value v = value_text(j.p, len);
        v.type = VALUE_OBJECT;
        return v;
    }
    case '[': return to_list(a, j);
    case 't': return value_bool(true);
    case 'f': return value_bool(false);
    case 'n': return value_missing();
    default: return to_number(a, j);
    }
}

/* ---- paths ------------------------------------------------------------------------------------- */

/* Is the key the names part[0..n) joined by dots? */
static bool is_key(struct value key, const struct path_part *part, uint32_t n)
{
    size_t used = 0;

    for (uint32_t i = 0; i < n; i++) {
        if (i && (used == key.len || key.u.text[used++] != '.'))
            return false;
        if (key.len - used < part[i].len || memcmp(key.u.text + used, part[i].name, part[i].len) != 0)
            return false;
        used += part[i].len;
    }
    return used == key.len;
}

static bool find_key(struct arena *a, struct piece j, const struct path_part *part, uint32_t n,
                     struct piece *value_out)
{
    struct piece key;

    for (j.p++, skip_blanks(&j); at(&j, '"'); skip_blanks(&j)) {
        skip_string(&j, &key);
        skip_blanks(&j);
        j.p += at(&j, ':');
        *value_out = next_value(&j);
        if (is_key(unescaped(a, key), part, n))
            return true;
        j.p += at(&j, ',');
    }
    return false;
}

static struct value find(struct arena *a, struct value x, const struct path_part *part, uint32_t n);

static struct value find_in_object(struct arena *a, struct value x, const struct path_part *part,
                                   uint32_t n)
{
    struct piece json = { x.u.text, x.u.text + x.len }, member;

    for (uint32_t k = 1; k <= n && part[k - 1].name; k++) {
        if (!find_key(a, json, part, k, &member))
            continue;
        struct value v = find(a, to_value(a, member), part + k, n - k);
        if (v.type != VALUE_MISSING)
            return v;
    }
    return value_missing();
}

static struct value element_at(struct value list, int32_t index)
{
    int64_t i = index < 0 ? (int64_t)list.len + index : index;

    return i >= 0 && i < list.len ? list.u.list[i] : value_missing();
}

/* What the elements have at the path, as one flat list; missing if none has anything. */
static struct value find_in_elements(struct arena *a, struct value x, const struct path_part *part,
                                     uint32_t n)
{
    struct value *found = arena_alloc_raw(a, x.len * sizeof *found);
    uint32_t hits = 0, total = 0;

    for (uint32_t i = 0; i < x.len; i++) {
        found[hits] = find(a, x.u.list[i], part, n);
        if (found[hits].type == VALUE_MISSING)
            continue;
        total += found[hits].type == VALUE_LIST ? found[hits].len : 1;
        hits++;
    }
    if (hits == 0)
        return value_missing();
    struct value *flat = arena_alloc_raw(a, total * sizeof *flat);
    for (uint32_t i = 0, k = 0; i < hits; i++) {
        uint32_t len = found[i].type == VALUE_LIST ? found[i].len : 1;
        if (len)
            memcpy(flat + k, found[i].type == VALUE_LIST ? found[i].u.list : &found[i],
                   len * sizeof *flat);
        k += len;
    }
    return value_list(flat, total);
}

static struct value find(struct arena *a, struct value x, const struct path_part *part, uint32_t n)
{
    if (n == 0)
        return x;
    if (x.type == VALUE_OBJECT)
        return find_in_object(a, x, part, n);
    if (x.type != VALUE_LIST)
        return value_missing();
    if (!part[0].name)
        return find(a, element_at(x, part[0].index), part + 1, n - 1);
    return find_in_elements(a, x, part, n);
}

struct value operate_member(const struct operate *op, struct value x, const struct path_part *part,
                            uint32_t n)
{
    return find(op->arena, x, part, n);
}
