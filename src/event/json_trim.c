// SPDX-License-Identifier: Apache-2.0
/*
 * json_trim - see json_trim.h. Members share the room that there is: small ones are whole, the large
 * ones get the same number of bytes (like water that fills vessels), so one huge member costs the
 * others nothing.
 */
#include "event/json_trim.h"

#include <string.h>

#include "base/buf.h"
#include "base/mem.h"

#define ELLIPSIS "\xe2\x80\xa6"

/* A member or element is kept only if it gets so much (or is smaller). */
enum { LEAST_MEMBER = 64, LEAST_ELEMENT = 1024, MAX_DEPTH = 16 };

size_t json_trim_level(const size_t *size, size_t n, size_t budget)
{
    size_t level = n > 0 ? budget / n : SIZE_MAX;

    for (;;) { /* each turn gives what small ones leave over to the others */
        size_t large = 0, rest = budget;
        for (size_t i = 0; i < n; i++) {
            if (size[i] > level)
                large++;
            else
                rest -= size[i];
        }
        if (large == 0)
            return SIZE_MAX;
        if (rest / large <= level)
            return level;
        level = rest / large;
    }
}

/* Bytes of the character or escape at p, which is inside a JSON text. */
static size_t unit_len(const char *p, const char *end)
{
    unsigned char byte = (unsigned char)*p;

    if (byte == '\\') {
        if (p[1] != 'u')
            return 2;
        bool high = (p[2] | 0x20) == 'd' && p[3] != '\0' && strchr("89abAB", p[3]) != NULL;
        return high && end - p >= 12 ? 12 : 6;
    }
    return byte < 0x80 ? 1 : byte < 0xe0 ? 2 : byte < 0xf0 ? 3 : 4;
}

bool json_add_trimmed_inside(struct buf *out, const char *inside, size_t len, size_t max)
{
    const char *p = inside, *end = inside + len;

    if (len <= max) {
        buf_add(out, inside, len);
        return false;
    }
    size_t room = max < sizeof ELLIPSIS - 1 ? 0 : max - (sizeof ELLIPSIS - 1);
    while (p < end) {
        size_t n = unit_len(p, end);
        if ((size_t)(p - inside) + n > room)
            break;
        p += n;
    }
    buf_add(out, inside, (size_t)(p - inside));
    if (max >= sizeof ELLIPSIS - 1)
        buf_adds(out, ELLIPSIS);
    return true;
}

/* A member or element: its name, what it takes with it, itself. */
struct part {
    struct json_view name, value;
};

/* How many of the first members or elements stay: at part_out and their sizes at size_out, which are owned;
 * what their names and commas take. */
static size_t choose(struct json_view value, size_t max, struct part **part_out, size_t **size_out,
                     size_t *taken_out)
{
    bool names = json_view_type(value) == JSON_VIEW_OBJECT;
    size_t least = names ? LEAST_MEMBER : LEAST_ELEMENT;
    struct json_view_walk walk = json_view_begin(value);
    struct part part;
    size_t n = 0, cap = 0, cap_size = 0, need = 0;

    *part_out = NULL;
    *size_out = NULL;
    *taken_out = 2;
    while (json_view_next(&walk, &part.name, &part.value)) {
        size_t around = (n > 0) + (names ? part.name.len + 1 : 0);
        size_t want = part.value.len < least ? part.value.len : least;
        if (n == 0 && !names && want + 2 > max && max >= LEAST_MEMBER)
            want = max - 2;
        if (around + want + need + *taken_out > max)
            break;
        *taken_out += around;
        need += want;
        *part_out = vec_reserve(*part_out, &cap, n + 1, sizeof **part_out);
        *size_out = vec_reserve(*size_out, &cap_size, n + 1, sizeof **size_out);
        (*part_out)[n] = part;
        (*size_out)[n++] = part.value.len;
    }
    return n;
}

static void trim(struct buf *out, struct json_view value, size_t max, int depth);

static void trim_members(struct buf *out, struct json_view value, size_t max, int depth)
{
    bool names = json_view_type(value) == JSON_VIEW_OBJECT;
    struct part *part;
    size_t *size, taken;
    size_t n = choose(value, max, &part, &size, &taken);
    size_t level = json_trim_level(size, n, max - taken);

    buf_addc(out, names ? '{' : '[');
    for (size_t i = 0; i < n; i++) {
        if (i > 0)
            buf_addc(out, ',');
        if (names) {
            buf_add(out, part[i].name.text, part[i].name.len);
            buf_addc(out, ':');
        }
        trim(out, part[i].value, level, depth + 1);
    }
    buf_addc(out, names ? '}' : ']');
    mem_free(part);
    mem_free(size);
}

/* Each level is looked at once more, so levels are limited: what is large and deep would take its depth
 * times its size. */
static void trim(struct buf *out, struct json_view value, size_t max, int depth)
{
    enum json_view_type type = json_view_type(value);
    bool many = type == JSON_VIEW_OBJECT || type == JSON_VIEW_ARRAY;

    if (value.len <= max) {
        buf_add(out, value.text, value.len);
    } else if (many && depth < MAX_DEPTH) {
        trim_members(out, value, max, depth);
    } else if (many || type == JSON_VIEW_TEXT) {
        buf_addc(out, '"');
        if (type == JSON_VIEW_TEXT)
            (void)json_add_trimmed_inside(out, value.text + 1, value.len - 2, max - 2);
        else if (max >= sizeof ELLIPSIS + 1)
            buf_adds(out, ELLIPSIS);
        buf_addc(out, '"');
    } else {
        buf_adds(out, "null");
    }
}

bool json_add_trimmed(struct buf *out, struct json_view value, size_t max)
{
    trim(out, value, max, 0);
    return value.len > max;
}
