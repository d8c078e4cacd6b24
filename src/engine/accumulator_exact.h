// SPDX-License-Identifier: Apache-2.0
/*
 * accumulator_exact - a sum of doubles that loses nothing: what was added can be taken out again
 * (by adding its negative) in any order, and nothing of it stays behind.
 *
 * 16 bytes inline, two doubles that do not overlap (106 bits or more): numbers of one magnitude
 * never need more. When a bit would get lost, it moves to an integer of 2176 bits on the heap, which
 * holds every sum of up to 2^63 doubles, and stays there until it is finished.
 */
#ifndef ENGINE_ACCUMULATOR_EXACT_H
#define ENGINE_ACCUMULATOR_EXACT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct buf;
struct reader;
struct exact_wide;

struct exact_sum {
    union {
        double hi;               /* the sum, rounded */
        struct exact_wide *wide; /* owned; when mark says so */
    } a;
    union {
        double lo;     /* what hi lacks: at most half of its last place */
        uint64_t mark; /* a certain NaN: wide */
    } b;
};

enum { EXACT_CHUNKS = 68, EXACT_PARTS = EXACT_CHUNKS };

/* Wide: sum of chunk[i] * 2^(32 i - 1074). Also used on the stack, for results. */
struct exact_wide {
    int64_t chunk[EXACT_CHUNKS];
    uint32_t since; /* additions since carries were moved up: at most 2^30 */
};

void exact_init(struct exact_sum *e);
void exact_fini(struct exact_sum *e, uint64_t *bytes);
void exact_add(struct exact_sum *e, double x, uint64_t *bytes); /* x is finite */
void exact_add_int(struct exact_sum *e, int64_t i, int sign, uint64_t *bytes);
void exact_add_product(struct exact_sum *e, double x, double y, uint64_t *bytes);
void exact_merge(struct exact_sum *e, const struct exact_sum *other, uint64_t *bytes);

/* Doubles whose sum it is, greatest first; their number. An infinite one if it is out of range. */
size_t exact_parts(const struct exact_sum *e, double part[EXACT_PARTS]);
double exact_round(const struct exact_sum *e); /* the nearest double; may be infinite */
double exact_round_scaled(const struct exact_sum *e, int exponent); /* of the sum * 2^exponent */
/* The sum as an integer of 128 bits; false if it is none or out of range. */
bool exact_integer(const struct exact_sum *e, __int128 *int_out);

void exact_encode(const struct exact_sum *e, struct buf *out);
bool exact_decode(struct exact_sum *e, struct reader *r, uint64_t *bytes); /* e is empty */

void exact_wide_add(struct exact_wide *w, double x);
void exact_wide_add_product(struct exact_wide *w, double x, double y);
double exact_wide_round(const struct exact_wide *w);

#endif
