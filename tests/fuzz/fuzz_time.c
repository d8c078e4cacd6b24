// SPDX-License-Identifier: Apache-2.0
/*
 * Times and durations. The first byte says which formats, the second the zone; the rest is a text,
 * and its first eight bytes an integer and a double. What is read is written and read again.
 */
#include <fuzz/fuzz.h>

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/buf.h"
#include "event/time_format.h"
#include "lang/parse.h"

static void check_time(struct value v, unsigned formats, int zone)
{
    struct buf out;
    int64_t ns, again = 0;

    if (!time_read(v, formats, zone, &ns))
        return;
    buf_init(&out);
    time_add_text(&out, ns);
    if (!time_read(value_text(out.data, out.len), TIME_RFC3339, 0, &again) || again != ns)
        fuzz_fail("%lld is written %s, and read as %lld", (long long)ns, out.data, (long long)again);
    buf_fini(&out);
}

static void check_duration(const char *text)
{
    struct buf out;
    int64_t ns, again = 0;

    if (!parse_duration(text, &ns))
        return;
    buf_init(&out);
    duration_add_text(&out, ns);
    if (!parse_duration(out.data, &again) || again != ns)
        fuzz_fail("duration %s is %lld, written %s, and read as %lld", text, (long long)ns, out.data,
                  (long long)again);
    buf_clear(&out);
    duration_add_seconds(&out, ns);
    buf_fini(&out);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct fuzz_bytes fb = {data, data + size};
    unsigned formats = fuzz_byte(&fb) & TIME_ALL;
    int zone = ((int)fuzz_byte(&fb) - 128) * 7;
    size_t len = (size_t)(fb.end - fb.p);
    char *text = malloc(len + 1);
    enum time_format format;
    uint64_t bits;
    double d;

    memcpy(text, fb.p, len);
    text[len] = '\0';
    check_duration(text);
    text = realloc(text, len + !len); /* no NUL behind it now */
    check_time(value_text(text, len), formats, zone);
    time_format_named(text, len, &format);
    bits = fuzz_u64(&fb);
    memcpy(&d, &bits, sizeof d);
    check_time(value_int((int64_t)bits), formats, zone);
    if (isfinite(d))
        check_time(value_double(d), formats, zone);
    struct buf out;
    buf_init(&out);
    duration_add_text(&out, (int64_t)bits);
    duration_add_seconds(&out, (int64_t)bits);
    time_add_text(&out, (int64_t)bits);
    buf_fini(&out);
    free(text);
    return 0;
}
