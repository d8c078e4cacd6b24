// SPDX-License-Identifier: Apache-2.0
/* space - the spaces of the database's keys as an enum (space.def), and numbers in keys. */
#ifndef STATE_SPACE_H
#define STATE_SPACE_H

#include <endian.h>
#include <stdint.h>
#include <string.h>

enum space {
#define SPACE(name, byte, what) SPACE_##name = (byte),
#include "state/space.def"
#undef SPACE
};

/* Big endian, so that the order of the keys is that of the numbers. */
static inline void key_put_u32(uint8_t out[4], uint32_t v)
{
    v = htobe32(v);
    memcpy(out, &v, sizeof v);
}

static inline void key_put_u64(uint8_t out[8], uint64_t v)
{
    v = htobe64(v);
    memcpy(out, &v, sizeof v);
}

static inline uint32_t key_get_u32(const uint8_t in[4])
{
    uint32_t v;

    memcpy(&v, in, sizeof v);
    return be32toh(v);
}

static inline uint64_t key_get_u64(const uint8_t in[8])
{
    uint64_t v;

    memcpy(&v, in, sizeof v);
    return be64toh(v);
}

#endif
