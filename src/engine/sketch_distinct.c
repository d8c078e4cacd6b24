// SPDX-License-Identifier: Apache-2.0
/*
 * sketch_distinct - see sketch_distinct.h.
 *
 * A hash is a register (its first 14 bits) and a rank k = 1 .. 51: the leading zeros of the rest,
 * plus 1; rank k has the chance 2^-k, the last what is left, 2^-50. A register is one byte: the
 * greatest rank seen, u, times 4; plus 2 if u - 1 was seen; plus 1 if u - 2 was. 0: nothing yet.
 *
 * With n hashes in m registers, rank k of one register was seen about Poisson(n / m 2^-k) times. So
 * of each register we know of some ranks that they were seen (u, and by its bits u - 1, u - 2) and
 * of others that they were not (all above u, the other bits). With x = n / m the likelihood is
 *     product over seen (1 - exp(-x w_k)) * product over unseen exp(-x w_k),   w_k = 2^-k
 * whose logarithm has one greatest value, where
 *     sum over seen w_k / (exp(x w_k) - 1) = sum over unseen w_k.
 * The left side is convex and falling, so Newton's steps from the left find it without overshooting.
 */
#include "engine/sketch_distinct.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/buf.h"
#include "base/mem.h"
#include "base/reader.h"
#include "engine/accumulator_priv.h"

enum {
    REGISTER_BITS = 14,
    REGISTERS = 1 << REGISTER_BITS,
    TOP_RANK = 64 - REGISTER_BITS + 1,
    FIRST_SLOTS = 8,
    MOST_SLOTS = REGISTERS / 8, /* hashes take no more memory than registers */
};

struct sketch_distinct {
    uint32_t n;     /* hashes; DENSE: registers */
    uint32_t slots; /* of hash[]; a power of two */
    union {
        uint64_t *hash;          /* open addressing by the lowest bits; 0: empty (a hash 0 is 1) */
        uint8_t *register_bytes; /* REGISTERS */
    } u;
    double estimate; /* of the registers; < 0: not computed since one changed */
};

enum { DENSE = UINT32_MAX };

/* ---- registers -------------------------------------------------------------------------------- */

/* What a register tells, once rank k is in. */
static uint8_t register_with(uint8_t old, unsigned k)
{
    unsigned u = old >> 2;

    if (k == u || old == 0)
        return (uint8_t)(old | k << 2);
    if (k < u)
        return (uint8_t)(old | (u - k == 1 ? 2 : u - k == 2 ? 1 : 0));
    unsigned seen = 4 | (old & 3);
    return (uint8_t)(k << 2 | (k - u > 2 ? 0 : seen >> (k - u) & 3));
}

static uint8_t register_union(uint8_t a, uint8_t b)
{
    if (a >> 2 < b >> 2) {
        uint8_t c = a;
        a = b;
        b = c;
    }
    if (b == 0)
        return a;
    unsigned below = (a >> 2) - (b >> 2);
    unsigned seen = 4 | (b & 3);
    return (uint8_t)(a | (below > 2 ? 0 : seen >> below & 3));
}

static void dense_add(struct sketch_distinct *s, uint64_t hash)
{
    uint64_t rest = hash << REGISTER_BITS;
    unsigned k = rest ? (unsigned)__builtin_clzll(rest) + 1 : TOP_RANK;
    uint8_t *reg = &s->u.register_bytes[hash >> (64 - REGISTER_BITS)];
    uint8_t new = register_with(*reg, k);

    if (new != *reg) {
        *reg = new;
        s->estimate = -1;
    }
}

/* 2^-k, the last one as great as the one before it. */
static double chance(unsigned k)
{
    return ldexp(1, -(int)(k < TOP_RANK ? k : TOP_RANK - 1));
}

/* Counts how often each rank was seen; returns the sum of the chances of the unseen. */
static double gather(const uint8_t *reg, uint32_t seen[TOP_RANK + 1])
{
    uint32_t histogram[256] = {0};
    double unseen = 0;

    for (unsigned i = 0; i < REGISTERS; i++)
        histogram[reg[i]]++;
    unseen += histogram[0];
    for (unsigned r = 4; r <= TOP_RANK * 4 + 3; r++) {
        unsigned u = r >> 2;
        double n = histogram[r];
        seen[u] += histogram[r];
        if (u < TOP_RANK)
            unseen += n * chance(u);
        for (unsigned below = 1; below <= 2 && below < u; below++) {
            if (r & (below == 1 ? 2 : 1))
                seen[u - below] += histogram[r];
            else
                unseen += n * chance(u - below);
        }
    }
    return unseen;
}

static double dense_estimate(const uint8_t *reg)
{
    static const double most = 0x1p62; /* a sketch that nobody filled by adding */
    static const double bias = 1 + 0.48147376527720065 / REGISTERS; /* Ertl, section 4 */
    uint32_t seen[TOP_RANK + 1] = {0};
    double unseen = gather(reg, seen), n_seen = 0, weight = 0;

    for (unsigned k = 1; k <= TOP_RANK; k++) {
        n_seen += seen[k];
        weight += seen[k] * chance(k);
    }
    if (n_seen == 0)
        return 0;
    if (unseen == 0)
        return most;
    /* y / (exp(y) - 1) >= 1 - y / 2 makes this a lower bound. */
    double x = n_seen / (unseen + weight / 2);
    for (int step = 0; step < 200; step++) {
        double left = 0, slope = 0;
        for (unsigned k = 1; k <= TOP_RANK; k++) {
            double w = chance(k), y = x * w;
            if (seen[k] == 0 || y > 700)
                continue;
            double e = expm1(y);
            left += seen[k] * w / e;
            slope += seen[k] * w * w * (e + 1) / (e * e);
        }
        double forward = (left - unseen) / slope;
        if (!(forward > x * 1e-9))
            break;
        x += forward;
    }
    return fmin(x * REGISTERS / bias, most);
}

/* ---- hashes ----------------------------------------------------------------------------------- */

/* False if it is there. There is room. */
static bool slots_add(uint64_t *slot, uint32_t slots, uint64_t hash)
{
    uint32_t at = (uint32_t)hash & (slots - 1);

    while (slot[at]) {
        if (slot[at] == hash)
            return false;
        at = (at + 1) & (slots - 1);
    }
    slot[at] = hash;
    return true;
}

static void make_dense(struct sketch_distinct *s, uint64_t *bytes)
{
    uint64_t *hash = s->u.hash;
    uint32_t slots = s->slots;

    s->u.register_bytes = charged_alloc(REGISTERS, bytes);
    s->n = DENSE;
    s->slots = 0;
    s->estimate = -1;
    for (uint32_t i = 0; i < slots; i++)
        if (hash[i])
            dense_add(s, hash[i]);
    charged_free(hash, slots * sizeof *hash, bytes);
}

static void grow(struct sketch_distinct *s, uint64_t *bytes)
{
    if (s->slots == MOST_SLOTS) {
        make_dense(s, bytes);
        return;
    }
    uint32_t slots = s->slots ? s->slots * 2 : FIRST_SLOTS;
    uint64_t *hash = charged_alloc(slots * sizeof *hash, bytes);
    for (uint32_t i = 0; i < s->slots; i++)
        if (s->u.hash[i])
            slots_add(hash, slots, s->u.hash[i]);
    charged_free(s->u.hash, s->slots * sizeof *hash, bytes);
    s->u.hash = hash;
    s->slots = slots;
}

/* ---- both ------------------------------------------------------------------------------------- */

void sketch_distinct_add(struct sketch_distinct **sketch, uint64_t hash, uint64_t *bytes)
{
    if (!*sketch)
        *sketch = charged_alloc(sizeof **sketch, bytes);
    struct sketch_distinct *s = *sketch;
    if (s->n != DENSE && s->n >= s->slots / 8 * 7)
        grow(s, bytes);
    if (s->n == DENSE)
        dense_add(s, hash);
    else
        s->n += slots_add(s->u.hash, s->slots, hash + (hash == 0));
}

void sketch_distinct_merge(struct sketch_distinct **sketch, const struct sketch_distinct *other,
                           uint64_t *bytes)
{
    if (!other)
        return;
    if (other->n != DENSE) {
        for (uint32_t i = 0; i < other->slots; i++)
            if (other->u.hash[i])
                sketch_distinct_add(sketch, other->u.hash[i], bytes);
        return;
    }
    if (!*sketch)
        *sketch = charged_alloc(sizeof **sketch, bytes);
    struct sketch_distinct *s = *sketch;
    if (s->n != DENSE)
        make_dense(s, bytes);
    s->estimate = -1;
    for (unsigned i = 0; i < REGISTERS; i++)
        s->u.register_bytes[i] = register_union(s->u.register_bytes[i],
                                                other->u.register_bytes[i]);
}

uint64_t sketch_distinct_count(const struct sketch_distinct *sketch)
{
    if (!sketch)
        return 0;
    if (sketch->n != DENSE)
        return sketch->n;
    /* Kept, because most events change no register: it costs as much as thousands of them. */
    struct sketch_distinct *s = (struct sketch_distinct *)(uintptr_t)sketch;
    if (s->estimate < 0)
        s->estimate = dense_estimate(s->u.register_bytes);
    return (uint64_t)(s->estimate + 0.5);
}

void sketch_distinct_free(struct sketch_distinct **sketch, uint64_t *bytes)
{
    struct sketch_distinct *s = *sketch;

    if (!s)
        return;
    charged_free(s->u.hash, s->n == DENSE ? REGISTERS : s->slots * sizeof *s->u.hash, bytes);
    charged_free(s, sizeof *s, bytes);
    *sketch = NULL;
}

static int by_size(const void *a, const void *b)
{
    uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
    return (x > y) - (x < y);
}

void sketch_distinct_encode(const struct sketch_distinct *sketch, struct buf *out)
{
    if (sketch && sketch->n == DENSE) {
        buf_add_varint(out, DENSE);
        buf_add(out, sketch->u.register_bytes, REGISTERS);
        return;
    }
    uint32_t n = sketch ? sketch->n : 0, k = 0;
    uint64_t *sorted = mem_alloc((n + 1) * sizeof *sorted);
    for (uint32_t i = 0; sketch && i < sketch->slots; i++)
        if (sketch->u.hash[i])
            sorted[k++] = sketch->u.hash[i];
    qsort(sorted, n, sizeof *sorted, by_size);
    buf_add_varint(out, n);
    for (uint32_t i = 0; i < n; i++)
        buf_add_u64(out, sorted[i]);
    mem_free(sorted);
}

/* A bit for a rank below 1 cannot have been seen. */
static bool register_valid(uint8_t r)
{
    return r == 0 || (r >= 4 && r <= TOP_RANK * 4 + 3 && !(r < 8 && r & 3) && !(r < 12 && r & 1));
}

bool sketch_distinct_decode(struct sketch_distinct **sketch, struct reader *r, uint64_t *bytes)
{
    uint64_t n = reader_varint(r);

    if (n == DENSE) {
        if (r->bad || reader_left(r) < REGISTERS)
            return false;
        *sketch = charged_alloc(sizeof **sketch, bytes);
        make_dense(*sketch, bytes);
        for (unsigned i = 0; i < REGISTERS; i++) {
            uint8_t one = reader_u8(r);
            if (!register_valid(one))
                return false;
            (*sketch)->u.register_bytes[i] = one;
        }
        return true;
    }
    if (r->bad || n > MOST_SLOTS / 8 * 7 || n * 8 > reader_left(r))
        return false;
    for (uint64_t before = 0; n > 0; n--) {
        uint64_t hash = reader_u64(r);
        if (hash <= before)
            return false;
        sketch_distinct_add(sketch, hash, bytes);
        before = hash;
    }
    return true;
}
