// SPDX-License-Identifier: Apache-2.0
/*
 * Writes made-up events, a line each, to standard output.
 *
 *   bench_events SIZE COUNT [SEED]
 *
 * A line has about SIZE bytes, 2 ms of event time after the one before it, one of 10^5 keys, and a
 * kind that ten.rule reads: x0..x4 or y0..y4. Each fits a step of two of its ten rules. 60 s are
 * 30,000 events, so before a y there was its x with the same key in 3 of 100 cases; a rule then
 * wants one of 30 ports (or zones) to be the same. That makes about one alert in 1,000 events.
 */
#include <stdio.h>
#include <stdlib.h>

#include "base/buf.h"
#include <bench/bench.h>

enum { KEYS = 100000, STEP_MS = 2 };

int main(int argc, char **argv)
{
    uint64_t random = argc > 3 ? strtoull(argv[3], NULL, 10) : 1;
    struct buf out;

    if (argc < 3)
        bench_die("usage: bench_events SIZE COUNT [SEED]");
    size_t size = strtoull(argv[1], NULL, 10), count = strtoull(argv[2], NULL, 10);
    buf_init(&out);
    for (size_t i = 0; i < count; i++) {
        uint64_t r = bench_random(&random);
        char kind[3] = {r & 1 ? 'x' : 'y', (char)('0' + (r >> 1) % 5), '\0'};
        buf_clear(&out);
        bench_event_text(&out, &random, size, (int64_t)i * STEP_MS, kind,
                         (uint32_t)((r >> 8) % KEYS));
        buf_addc(&out, '\n');
        fwrite(out.data, 1, out.len, stdout);
    }
    buf_fini(&out);
    return fflush(stdout) || ferror(stdout) ? 1 : 0;
}
