// SPDX-License-Identifier: Apache-2.0
#include <fuzz/damage.h>

#include <string.h>

#include <fuzz/fuzz.h>
#include <fuzz/rule_gen.h>

#include "base/buf.h"
#include "plan/program.h"

/* A bit of everything that has state. */
static const char *const rules[] = {
    "rule first { limit alerts 3 per 5s match by u within 8s { not n: s where k == 3 within 2s\n"
    "  a{2,}: s where v >= (prev(a).v ?? 0)  b: t where l == first(a).l  not x: u within 3s\n"
    "  until e: s where k == 2 and v == 3 } emit { n = sum(a.v) o = values(a.t) } }\n",
    "rule last { suppress 5s by u match by ?o within 9s select last {\n"
    "  a: s b: t where l == a.l next c{2}: any d?: u e: t } }\n",
    "rule each { suppress 3s match by list within 7s select each {\n"
    "  all { a{2}: s b: t where v >= 1 c: [s, t] } d: any within 3s } }\n",
    "rule summary { suppress 3s summary match by u { a: s where k == 1 } }\n",
    "rule absent { match by u, w within 4s { a: s where k == 0 not b: t not c: u within 6s } }\n",
    "rule depth { match within 6s { a: absent b: s where k == 1 } emit into deep { k = b.k } }\n",
    "rule deeper { match within 5s { a{2}: deep } }\n",
    "rule pairs { join by u within 3s { a: s b: t where l == a.l } }\n",
    "rule alone { join by u within 0s..3s { a: s where k == 1 b?: t where k == 1 } }\n",
    "rule new { novel k, list by u within 6s after 1s { a: s b: t } }\n",
    "rule w1 { window tumbling 5s by u { a: s having count() > 1 } emit { c = count_distinct(a.t) } }\n",
    "rule w2 { window hopping 6s every 2s { a: s } emit { s = sum(a.v) v = values(a.t, 3) } }\n",
    "rule w3 { window session 2s by u { a: s b: t allow late 2s } emit { m = max(a.v) } }\n",
    "rule w4 { window sliding 4s by list { a: s having avg(a.v) > 1 } emit { p = percentile(a.v, 50) } }\n",
    "rule w5 { window global expire 9s by u { a: s having count() > 2 fire on match reset } }\n",
};

void damage_feed(struct feed *feed, uint64_t seed, uint32_t n, int64_t time)
{
    struct buf json;
    int64_t at = time;

    buf_init(&json);
    for (uint32_t i = 0; i < n; i++) {
        uint8_t bytes[4];
        struct fuzz_bytes fb = {bytes, bytes + sizeof bytes};
        struct gen_event event;

        seed = seed * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
        for (size_t b = 0; b < sizeof bytes; b++)
            bytes[b] = (uint8_t)(seed >> (32 + 8 * b));
        event_gen(&fb, &event, &json);
        if (at < INT64_MAX - event.after)
            at += event.after;
        feed_event(feed, event.source, at, json.data, json.len);
    }
    buf_fini(&json);
}

void damage_bytes(struct fuzz_bytes *fb, struct buf *bytes)
{
    size_t at = (size_t)(fuzz_byte(fb) << 8);
    at = (at | fuzz_byte(fb)) % (bytes->len + 1);
    uint8_t kind = fuzz_byte(fb), value = fuzz_byte(fb);

    if (kind % 8 == 0) {
        bytes->len = at; /* cut */
    } else if (kind % 8 == 1 && at < bytes->len) { /* take some out */
        size_t n = value % 16 + 1u < bytes->len - at ? value % 16 + 1u : bytes->len - at;

        memmove(bytes->data + at, bytes->data + at + n, bytes->len - at - n);
        bytes->len -= n;
    } else if (kind % 8 == 2) { /* put one in */
        buf_addc(bytes, 0);
        memmove(bytes->data + at + 1, bytes->data + at, bytes->len - at - 1);
        bytes->data[at] = (char)value;
    } else if (kind % 8 == 3 && at < bytes->len) {
        bytes->data[at] = (char)(bytes->data[at] ^ value);
    } else if (kind % 8 == 4 && at < bytes->len) {
        bytes->data[at] = (char)((uint8_t)bytes->data[at] + value);
    } else if (kind % 8 == 5 && bytes->len - at >= 8) { /* eight bytes, all bits or none or one */
        memset(bytes->data + at, value & 0x80 ? 0xff : 0, 8);
        bytes->data[at + value % 8] ^= 1;
    } else if (at < bytes->len) {
        bytes->data[at] = (char)value;
    }
}

struct program *damage_program(void)
{
    struct program *prog;
    struct buf text, messages;

    buf_init(&text);
    buf_init(&messages);
    for (size_t i = 0; i < sizeof rules / sizeof *rules; i++) {
        buf_clear(&messages);
        prog = fuzz_compile(rules[i], strlen(rules[i]), false, &messages);
        if (prog == NULL)
            fuzz_fail("%s", messages.data);
        buf_adds(&text, rules[i]);
        program_unref(&prog);
    }
    prog = fuzz_compile(text.data, text.len, false, &messages);
    if (prog == NULL)
        fuzz_fail("%s", messages.data);
    buf_fini(&text);
    buf_fini(&messages);
    return prog;
}
