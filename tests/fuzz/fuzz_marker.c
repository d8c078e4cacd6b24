// SPDX-License-Identifier: Apache-2.0
/*
 * Bytes as the text beside a marker, and as a saved position of a sink of kafka: they are refused, or they say what
 * is written again the same.
 */
#include <fuzz/fuzz.h>

#include <string.h>

#include "base/buf.h"
#include "io/sink_kafka_marker.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct kafka_marker marker;
    struct kafka_place place;
    struct buf again;

    buf_init(&again);
    if (kafka_marker_decode(1, (const char *)data, size, &marker)) {
        kafka_marker_encode(&marker, &again);
        if (again.len != size || memcmp(again.data, data, size) != 0)
            fuzz_fail("a marker is written otherwise than it was read");
    }
    buf_clear(&again);
    if (kafka_place_decode(data, size, &place)) {
        kafka_place_encode(&place, &again);
        if (again.len != size || memcmp(again.data, data, size) != 0)
            fuzz_fail("a position is written otherwise than it was read");
    }
    buf_fini(&again);
    return 0;
}
