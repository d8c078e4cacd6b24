// SPDX-License-Identifier: Apache-2.0
/* record_about - what can be said of the records of a key without the program: for tools. */
#ifndef ENGINE_RECORD_ABOUT_H
#define ENGINE_RECORD_ABOUT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct buf;

struct record_about {
    uint32_t incarnation;
    bool is_chunk;   /* a part of a big state: nothing else is known of it */
    int64_t due;     /* its next deadline; INT64_MAX: none */
    uint64_t charge; /* bytes that it costs in memory */
    uint64_t runs;   /* that are open */
};

/* Of a record 'P' (engine/record.h); appends the key as JSON, an array unless it is one value. False: it is
 * damaged, or of a later version. */
bool record_about_key(const void *key, size_t key_len, const void *value, size_t len,
                      struct record_about *about_out, struct buf *json_out);

#endif
