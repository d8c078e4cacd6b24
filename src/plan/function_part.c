// SPDX-License-Identifier: Apache-2.0
/* function_part - functions that take texts apart and put them together. */
#include <string.h>

#include "base/arena.h"
#include "base/buf.h"
#include "plan/function.h"
#include "plan/function_priv.h"
#include "plan/operate.h"

enum { MAX_PARTS = 10000 };

/* Byte of the first `what` at or behind byte `from`; the length if there is none. */
static size_t find_next(struct value x, struct value what, size_t from)
{
    if (from >= x.len)
        return x.len;
    const char *at = memmem(x.u.text + from, x.len - from, what.u.text, what.len);

    return at ? (size_t)(at - x.u.text) : x.len;
}

static bool two_texts(struct value x, struct value what)
{
    return x.type == VALUE_TEXT && what.type == VALUE_TEXT && what.len > 0;
}

/* Counts up to `max`. */
static size_t occurrences(struct value x, struct value what, size_t max)
{
    size_t n = 0;

    for (size_t at = find_next(x, what, 0); at < x.len && n < max; n++)
        at = find_next(x, what, at + what.len);
    return n;
}

struct value function_replace(const struct operate *op, struct value x, struct value old,
                              struct value by)
{
    if (!two_texts(x, old) || by.type != VALUE_TEXT)
        return value_missing();
    size_t n = occurrences(x, old, SIZE_MAX);
    size_t len = x.len - n * old.len + n * (size_t)by.len;
    if (n == 0)
        return x;
    if (len > FUNCTION_MAX_TEXT)
        return value_missing();
    struct buf b = function_buf(op, len + 1);
    for (size_t at = 0; n-- > 0;) {
        size_t next = find_next(x, old, at);
        buf_add(&b, x.u.text + at, next - at);
        buf_add(&b, by.u.text, by.len);
        at = next + old.len;
        if (n == 0)
            buf_add(&b, x.u.text + at, x.len - at);
    }
    return value_text(b.data, b.len);
}

/* Part n without making the list. */
static struct value one_part(struct value x, struct value separator, int64_t n)
{
    size_t from = 0, next;

    if (n < 0)
        n += (int64_t)occurrences(x, separator, SIZE_MAX) + 1;
    if (n < 0)
        return value_missing();
    for (;; n--) {
        next = find_next(x, separator, from);
        if (n == 0)
            return value_text(x.u.text + from, next - from);
        if (next == x.len)
            return value_missing();
        from = next + separator.len;
    }
}

struct value function_split(const struct operate *op, const struct value *arg, uint32_t n)
{
    struct value x = arg[0], separator = arg[1];
    int64_t number;

    if (!two_texts(x, separator))
        return value_missing();
    if (n > 2)
        return function_whole(arg[2], &number) ? one_part(x, separator, number) : value_missing();
    size_t parts = occurrences(x, separator, MAX_PARTS - 1) + 1, from = 0;
    struct value *part = arena_alloc_raw(op->arena, parts * sizeof *part);
    for (size_t i = 0; i < parts; i++) {
        size_t end = i + 1 < parts ? find_next(x, separator, from) : x.len;
        part[i] = value_text(x.u.text + from, end - from);
        from = end + separator.len;
    }
    return value_list(part, parts);
}

/* One value that is no list is a list of one, as for any(). */
struct value function_join(const struct operate *op, struct value list, struct value separator)
{
    const struct value *element = list.type == VALUE_LIST ? list.u.list : &list;
    size_t n = list.type == VALUE_LIST ? list.len : 1, len = 0, kept = 0;

    if (list.type == VALUE_MISSING || separator.type != VALUE_TEXT)
        return value_missing();
    struct value *piece = arena_alloc_raw(op->arena, (n + 1) * sizeof *piece);
    for (size_t i = 0; i < n; i++) {
        if (element[i].type == VALUE_MISSING)
            continue;
        piece[kept] = function_string(op, element[i]);
        if (piece[kept].type != VALUE_TEXT)
            return value_missing();
        len += piece[kept].len + (kept > 0 ? separator.len : 0);
        kept++;
    }
    if (len > FUNCTION_MAX_TEXT)
        return value_missing();
    struct buf b = function_buf(op, len + 1);
    for (size_t i = 0; i < kept; i++) {
        if (i > 0)
            buf_add(&b, separator.u.text, separator.len);
        buf_add(&b, piece[i].u.text, piece[i].len);
    }
    return value_text(b.data, b.len);
}

struct value function_basename(struct value x)
{
    size_t from = x.len;

    if (x.type != VALUE_TEXT)
        return value_missing();
    while (from > 0 && x.u.text[from - 1] != '/' && x.u.text[from - 1] != '\\')
        from--;
    return value_text(x.u.text + from, x.len - from);
}
