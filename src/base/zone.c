// SPDX-License-Identifier: Apache-2.0
/*
 * zone - TZif files (RFC 8536, versions 1 to 4) and the cache of those that were asked for.
 *
 * A file is made of big-endian numbers: a header with counts, the transitions (times, then the
 * number of the type that begins there), the types, and things that are of no use here. From
 * version 2 on the same follows once more with times of 64 bits, and the footer. A file in which
 * anything does not fit is refused whole, and so are those that count leap seconds ("right/...").
 *
 * The cache only grows, at its head, under a mutex; readers go through it without one. A program
 * names a handful of zones, so it is a list.
 */
#include "base/zone.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/buf.h"
#include "base/mem.h"
#include "base/zone_rule.h"

enum {
    MAX_FILE = 1 << 20, /* bytes; the largest there is has some 4,000 */
    MAX_NAME = 255,
    HEADER = 44,        /* bytes */
    MIN_OFFSET = -89999, MAX_OFFSET = 93599, /* seconds; what RFC 8536 allows */
};

struct zone {
    struct zone *next; /* in the cache; const once it is there */
    char *name;
    int64_t *begin;    /* [n] UTC seconds, ascending */
    int32_t *offset;   /* [n] from begin[i] on */
    size_t n;
    int32_t first;     /* before begin[0] */
    bool has_rule;     /* from begin[n - 1] on */
    struct zone_rule rule;
};

static _Atomic(struct zone *) cache;
static pthread_mutex_t loading = PTHREAD_MUTEX_INITIALIZER;

/* ---- files ----------------------------------------------------------------------------------- */

struct header {
    size_t n_utc_flags, n_std_flags, n_leaps, n_times, n_types, n_chars;
    size_t size; /* bytes of the block behind the header */
    char version;
};

static uint32_t get32(const uint8_t *p)
{
    return (uint32_t)p[0] << 24 | (uint32_t)p[1] << 16 | (uint32_t)p[2] << 8 | p[3];
}

static int64_t get_time(const uint8_t *p, size_t width)
{
    if (width == 4)
        return (int32_t)get32(p);
    return (int64_t)((uint64_t)get32(p) << 32 | get32(p + 4));
}

/* False if the header, or what it announces, does not fit into `len` bytes. */
static bool read_header(const uint8_t *p, size_t len, size_t time_width, struct header *h)
{
    if (len < HEADER || memcmp(p, "TZif", 4) != 0)
        return false;
    h->version = (char)p[4];
    h->n_utc_flags = get32(p + 20);
    h->n_std_flags = get32(p + 24);
    h->n_leaps = get32(p + 28);
    h->n_times = get32(p + 32);
    h->n_types = get32(p + 36);
    h->n_chars = get32(p + 40);
    h->size = h->n_times * (time_width + 1) + h->n_types * 6 + h->n_chars +
              h->n_leaps * (time_width + 4) + h->n_std_flags + h->n_utc_flags;
    return h->size <= len - HEADER;
}

static bool type_offset(const uint8_t *types, size_t type, int32_t *offset_out)
{
    *offset_out = (int32_t)get32(types + 6 * type);
    return *offset_out >= MIN_OFFSET && *offset_out <= MAX_OFFSET;
}

/* p: the block behind the header h. */
static bool read_block(struct zone *zone, const uint8_t *p, const struct header *h, size_t width)
{
    const uint8_t *number = p + h->n_times * width, *types = number + h->n_times;

    if (h->n_types == 0 || h->n_leaps != 0 || !type_offset(types, 0, &zone->first))
        return false;
    zone->n = h->n_times;
    zone->begin = mem_calloc(zone->n + 1, sizeof *zone->begin);
    zone->offset = mem_calloc(zone->n + 1, sizeof *zone->offset);
    for (size_t i = 0; i < zone->n; i++) {
        zone->begin[i] = get_time(p + i * width, width);
        if (number[i] >= h->n_types || !type_offset(types, number[i], &zone->offset[i]) ||
            (i > 0 && zone->begin[i] <= zone->begin[i - 1]))
            return false;
    }
    return true;
}

/* "\nCET-1CEST,M3.5.0,M10.5.0/3\n"; nothing between the line ends: no rule is known. */
static bool read_footer(struct zone *zone, const uint8_t *p, size_t len)
{
    const uint8_t *end = len > 1 ? memchr(p + 1, '\n', len - 1) : NULL;

    if (!end || p[0] != '\n')
        return false;
    zone->has_rule = end > p + 1;
    return !zone->has_rule ||
           zone_rule_parse(&zone->rule, (const char *)p + 1, (size_t)(end - p) - 1);
}

static bool read_zone(struct zone *zone, const uint8_t *p, size_t len)
{
    struct header h;

    if (!read_header(p, len, 4, &h))
        return false;
    if (h.version == '\0')
        return read_block(zone, p + HEADER, &h, 4);
    p += HEADER + h.size;
    len -= HEADER + h.size;
    if (!read_header(p, len, 8, &h) || !read_block(zone, p + HEADER, &h, 8))
        return false;
    return read_footer(zone, p + HEADER + h.size, len - HEADER - h.size);
}

/* Letters, digits and _ + - in parts divided by single slashes: nothing that leaves the folder. */
static bool is_plain_name(const char *name, size_t len)
{
    char before = '/';

    for (size_t i = 0; i < len; before = name[i++]) {
        char c = name[i];
        bool word = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
                    c == '_' || c == '+' || c == '-';
        if (!word && (c != '/' || before == '/'))
            return false;
    }
    return len > 0 && len <= MAX_NAME && before != '/';
}

static void *read_file(const char *name, size_t name_len, size_t *len_out)
{
    const char *folder = getenv("TZDIR");
    struct buf path;

    buf_init(&path);
    buf_adds(&path, folder && *folder ? folder : "/usr/share/zoneinfo");
    buf_addc(&path, '/');
    buf_add(&path, name, name_len);
    FILE *file = fopen(path.data, "rb");
    buf_fini(&path);
    if (!file)
        return NULL;
    uint8_t *data = mem_alloc(MAX_FILE);
    *len_out = fread(data, 1, MAX_FILE, file);
    fclose(file);
    return data;
}

static void zone_free(struct zone *zone)
{
    mem_free(zone->name);
    mem_free(zone->begin);
    mem_free(zone->offset);
    mem_free(zone);
}

static struct zone *load(const char *name, size_t name_len)
{
    size_t len = 0;
    uint8_t *data = read_file(name, name_len, &len);

    if (!data)
        return NULL;
    struct zone *zone = mem_calloc(1, sizeof *zone);
    zone->name = mem_strndup(name, name_len);
    bool ok = read_zone(zone, data, len);
    mem_free(data);
    if (ok)
        return zone;
    zone_free(zone);
    return NULL;
}

static struct zone *cached(const char *name, size_t len)
{
    struct zone *zone = atomic_load_explicit(&cache, memory_order_acquire);

    while (zone && (strncmp(zone->name, name, len) != 0 || zone->name[len] != '\0'))
        zone = zone->next;
    return zone;
}

const struct zone *zone_find(const char *name, size_t len)
{
    if (!is_plain_name(name, len))
        return NULL;
    struct zone *zone = cached(name, len);
    if (zone)
        return zone;
    pthread_mutex_lock(&loading);
    zone = cached(name, len); /* another thread may have been faster */
    if (!zone)
        zone = load(name, len);
    if (zone && !cached(name, len)) {
        zone->next = atomic_load_explicit(&cache, memory_order_relaxed);
        atomic_store_explicit(&cache, zone, memory_order_release);
    }
    pthread_mutex_unlock(&loading);
    return zone;
}

const char *zone_name(const struct zone *zone)
{
    return zone->name;
}

/* ---- times ----------------------------------------------------------------------------------- */

/* Far outside what nanoseconds can say; keeps the arithmetic inside int64. */
static int64_t bounded(int64_t seconds)
{
    const int64_t bound = INT64_C(1) << 50;

    return seconds > bound ? bound : seconds < -bound ? -bound : seconds;
}

static struct zone_span span_at(const struct zone *zone, int64_t utc)
{
    size_t low = 0, high = zone->n; /* begin[low - 1] <= utc < begin[high] */

    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (zone->begin[middle] <= utc)
            low = middle + 1;
        else
            high = middle;
    }
    if (low == zone->n && zone->has_rule)
        return zone_rule_at(&zone->rule, utc);
    return (struct zone_span){ low ? zone->offset[low - 1] : zone->first,
                               low < zone->n ? zone->begin[low] : INT64_MAX };
}

int32_t zone_offset(const struct zone *zone, int64_t utc)
{
    return span_at(zone, bounded(utc)).offset;
}

/* Span by span, from before the first that may hold it: a local time that a span has not reached at
 * its end belongs to it, or to the gap before it. */
int64_t zone_to_utc(const struct zone *zone, int64_t local)
{
    int64_t begin = bounded(local) - MAX_OFFSET;

    if (local != bounded(local))
        return local;
    for (;;) {
        struct zone_span span = span_at(zone, begin);
        int64_t utc = local - span.offset;
        if (utc < span.end)
            return utc > begin ? utc : begin;
        begin = span.end;
    }
}
