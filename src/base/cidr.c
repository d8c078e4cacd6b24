// SPDX-License-Identifier: Apache-2.0
/*
 * cidr - a set of networks as sorted, disjoint ranges of addresses.
 *
 * Networks are ranges [low, high]; seal sorts and merges those that overlap or touch, so a look-up
 * is one binary search for the last range that begins at or before the address. IPv4 has a table of
 * its own with 32-bit numbers, which halves the work for the usual case.
 *
 * An IPv4-mapped address (::ffff:a.b.c.d, RFC 4291 2.5.5.2) or network (/96 and longer) is IPv4,
 * and a shorter IPv6 network holds no IPv4 addresses: 10.0.0.1 is not in ::/0.
 */
#include "base/cidr.h"

#include <arpa/inet.h>
#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"

typedef unsigned __int128 u128;

static const uint8_t MAPPED[12] = { 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0xff, 0xff };

struct range4 {
    uint32_t low;
    uint32_t high; /* inclusive */
};

struct range6 {
    u128 low;
    u128 high; /* inclusive */
};

struct cidr_set {
    struct range4 *v4; /* owned */
    size_t v4_n;
    size_t v4_cap;
    struct range6 *v6; /* owned */
    size_t v6_n;
    size_t v6_cap;
    bool sealed; /* sorted and disjoint */
};

static bool is_v4(const struct ip_address *ip)
{
    return memcmp(ip->bytes, MAPPED, sizeof MAPPED) == 0;
}

static uint32_t number4(const struct ip_address *ip)
{
    const uint8_t *p = ip->bytes + sizeof MAPPED;

    return (uint32_t)p[0] << 24 | (uint32_t)p[1] << 16 | (uint32_t)p[2] << 8 | p[3];
}

static u128 number6(const struct ip_address *ip)
{
    u128 n = 0;

    for (size_t i = 0; i < sizeof ip->bytes; i++)
        n = n << 8 | ip->bytes[i];
    return n;
}

/* Four decimal numbers of 0 to 255 without leading zeros (010 is 8 to some programs). */
static bool parse_v4(const char *text, size_t len, uint8_t out[4])
{
    size_t i = 0;

    for (unsigned part = 0; part < 4; part++) {
        unsigned n = 0;
        size_t start = i;
        if (part > 0 && (i == len || text[i] != '.'))
            return false;
        if (part > 0)
            start = ++i;
        for (; i < len && i - start < 3 && text[i] >= '0' && text[i] <= '9'; i++)
            n = n * 10 + (unsigned)(text[i] - '0');
        if (i == start || n > 255 || (text[start] == '0' && i - start > 1))
            return false;
        out[part] = (uint8_t)n;
    }
    return i == len;
}

bool ip_parse(const char *text, size_t len, struct ip_address *ip_out)
{
    char copy[INET6_ADDRSTRLEN];

    if (len < sizeof "::" - 1 || len >= sizeof copy)
        return false;
    if (!memchr(text, ':', len)) {
        memcpy(ip_out->bytes, MAPPED, sizeof MAPPED);
        return parse_v4(text, len, ip_out->bytes + sizeof MAPPED);
    }
    if (memchr(text, '\0', len))
        return false;
    memcpy(copy, text, len);
    copy[len] = '\0';
    return inet_pton(AF_INET6, copy, ip_out->bytes) == 1;
}

struct cidr_set *cidr_set_new(void)
{
    return mem_calloc(1, sizeof(struct cidr_set));
}

void cidr_set_free(struct cidr_set **set)
{
    if (!*set)
        return;
    mem_free((*set)->v4);
    mem_free((*set)->v6);
    mem_free(*set);
    *set = NULL;
}

/* 0 to max, at most three digits, no sign, no leading zero; -1 if it is none. */
static int parse_bits(const char *text, size_t len, int max)
{
    int n = 0;

    if (len == 0 || len > 3 || (text[0] == '0' && len > 1))
        return -1;
    for (size_t i = 0; i < len; i++) {
        if (text[i] < '0' || text[i] > '9')
            return -1;
        n = n * 10 + (text[i] - '0');
    }
    return n <= max ? n : -1;
}

static bool add_v4(struct cidr_set *set, uint32_t low, int bits)
{
    uint32_t host = bits == 0 ? UINT32_MAX : (UINT32_C(1) << (32 - bits)) - 1;

    if (low & host)
        return false;
    set->v4 = vec_reserve(set->v4, &set->v4_cap, set->v4_n + 1, sizeof *set->v4);
    set->v4[set->v4_n++] = (struct range4){ low, low | host };
    return true;
}

static bool add_v6(struct cidr_set *set, u128 low, int bits)
{
    u128 host = bits == 0 ? ~(u128)0 : ((u128)1 << (128 - bits)) - 1;

    if (low & host)
        return false;
    set->v6 = vec_reserve(set->v6, &set->v6_cap, set->v6_n + 1, sizeof *set->v6);
    set->v6[set->v6_n++] = (struct range6){ low, low | host };
    return true;
}

bool cidr_set_add(struct cidr_set *set, const char *text, size_t len, const char **why_out)
{
    const char *slash = len ? memchr(text, '/', len) : NULL;
    size_t ip_len = slash ? (size_t)(slash - text) : len;
    struct ip_address ip;

    if (!ip_parse(text, ip_len, &ip)) {
        *why_out = "not an IPv4 or IPv6 address";
        return false;
    }
    bool dotted = !memchr(text, ':', ip_len);
    int max = dotted ? 32 : 128, bits = max;
    if (slash)
        bits = parse_bits(slash + 1, len - ip_len - 1, max);
    if (bits < 0) {
        *why_out = dotted ? "the prefix length must be 0 to 32"
                          : "the prefix length must be 0 to 128";
        return false;
    }
    if (dotted)
        bits += 96;
    bool added = is_v4(&ip) && bits >= 96 ? add_v4(set, number4(&ip), bits - 96)
                                          : add_v6(set, number6(&ip), bits);
    if (!added)
        *why_out = "address bits behind the prefix length are set";
    else
        set->sealed = false;
    return added;
}

static int compare4(const void *a, const void *b)
{
    const struct range4 *x = a, *y = b;

    return (x->low > y->low) - (x->low < y->low);
}

static int compare6(const void *a, const void *b)
{
    const struct range6 *x = a, *y = b;

    return (x->low > y->low) - (x->low < y->low);
}

/* Merges sorted ranges in place; returns how many are left. */
static size_t merge4(struct range4 *r, size_t n)
{
    size_t kept = 0;

    for (size_t i = 0; i < n; i++) {
        struct range4 *last = kept ? &r[kept - 1] : NULL;
        if (!last || (last->high != UINT32_MAX && r[i].low > last->high + 1))
            r[kept++] = r[i];
        else if (r[i].high > last->high)
            last->high = r[i].high;
    }
    return kept;
}

static size_t merge6(struct range6 *r, size_t n)
{
    size_t kept = 0;

    for (size_t i = 0; i < n; i++) {
        struct range6 *last = kept ? &r[kept - 1] : NULL;
        if (!last || (last->high != ~(u128)0 && r[i].low > last->high + 1))
            r[kept++] = r[i];
        else if (r[i].high > last->high)
            last->high = r[i].high;
    }
    return kept;
}

void cidr_set_seal(struct cidr_set *set)
{
    if (set->v4_n > 1) {
        qsort(set->v4, set->v4_n, sizeof *set->v4, compare4);
        set->v4_n = merge4(set->v4, set->v4_n);
    }
    if (set->v6_n > 1) {
        qsort(set->v6, set->v6_n, sizeof *set->v6, compare6);
        set->v6_n = merge6(set->v6, set->v6_n);
    }
    set->sealed = true;
}

static bool has4(const struct cidr_set *set, uint32_t x)
{
    const struct range4 *r = set->v4;

    if (set->v4_n == 0)
        return false;
    /* halving without a branch on the data: r stays the last range that may begin at or before x */
    for (size_t n = set->v4_n; n > 1; n -= n / 2)
        r += r[n / 2].low <= x ? n / 2 : 0;
    return r->low <= x && x <= r->high;
}

static bool has6(const struct cidr_set *set, u128 x)
{
    const struct range6 *r = set->v6;

    if (set->v6_n == 0)
        return false;
    for (size_t n = set->v6_n; n > 1; n -= n / 2)
        r += r[n / 2].low <= x ? n / 2 : 0;
    return r->low <= x && x <= r->high;
}

bool cidr_set_has(const struct cidr_set *set, const char *text, size_t len)
{
    struct ip_address ip;

    assert(set->sealed);
    if (!ip_parse(text, len, &ip))
        return false;
    return is_v4(&ip) ? has4(set, number4(&ip)) : has6(set, number6(&ip));
}
