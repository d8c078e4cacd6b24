// SPDX-License-Identifier: Apache-2.0
/*
 * Rules and events, both made from the input: they must give the same alerts with the passes that
 * only make things faster and without, and with a snapshot restored on the way. The first byte says
 * behind which event (255: behind each), the second how many of the bytes make the rules.
 * TOCSIN_FUZZ_SHOW=1 prints the rules, the events and the alerts.
 */
#include <fuzz/fuzz.h>
#include <fuzz/rule_gen.h>

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/buf.h"
#include "plan/program.h"

enum { MAX_EVENTS = 60, EACH = 255, NEVER = -1 };

static void run(struct feed *feed, struct program *prog, struct fuzz_bytes events, int renew, bool show)
{
    struct buf json;
    int64_t time = INT64_C(1800000000000000000);

    buf_init(&json);
    feed_open(feed, prog);
    for (int i = 0; i < MAX_EVENTS && events.p < events.end; i++) {
        struct gen_event event;

        event_gen(&events, &event, &json);
        time += event.after;
        if (show)
            printf("%.9f %s %s\n", (double)(time - INT64_C(1800000000000000000)) / 1e9,
                   feed->origin[event.source].source, json.data);
        feed_event(feed, event.source, time, json.data, json.len);
        if (renew == i || renew == EACH)
            feed_renew(feed);
    }
    feed_end(feed);
    for (size_t i = 0; show && i < feed->out.n; i++)
        printf("%s\n", feed->out.alert[i].json);
    buf_fini(&json);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct fuzz_bytes rules = {data, data + size}, events = {data + size, data + size};
    int renew = fuzz_byte(&rules);
    size_t length = fuzz_byte(&rules);
    bool show = getenv("TOCSIN_FUZZ_SHOW") != NULL;
    struct feed plain, other;
    struct program *prog, *no_opt;
    struct buf text, messages;

    if (length < (size_t)(rules.end - rules.p))
        rules.end = events.p = rules.p + length;
    buf_init(&text);
    buf_init(&messages);
    rule_gen(&rules, &text);
    prog = fuzz_compile(text.data, text.len, false, &messages);
    if (show)
        printf("%s\n%s\n", text.data, messages.data ? messages.data : "");
    if (prog != NULL) {
        no_opt = fuzz_compile(text.data, text.len, true, NULL);
        if (no_opt == NULL)
            fuzz_fail("it compiles only with optimisation");
        run(&plain, prog, events, NEVER, show);
        run(&other, no_opt, events, NEVER, false);
        feed_same(&plain, &other, "no_opt");
        feed_close(&other);
        run(&other, prog, events, renew, false);
        feed_same(&plain, &other, "snapshot");
        feed_close(&other);
        feed_close(&plain);
        program_unref(&no_opt);
        program_unref(&prog);
    }
    buf_fini(&text);
    buf_fini(&messages);
    return 0;
}
