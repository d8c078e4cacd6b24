// SPDX-License-Identifier: Apache-2.0
/*
 * Windows of mute, and alerts at delivery. Up to the first line end: the text of a window. One that is
 * taken is written in another way, read again, and is the same at each quarter of an hour of two weeks in
 * which clocks change. The rest: an alert, of which routes read the beginning.
 */
#include <fuzz/fuzz.h>

#include <string.h>

#include "base/buf.h"
#include "base/civil.h"
#include "base/mem.h"
#include "base/zone.h"
#include "flow/mute.h"
#include "flow/route.h"

#define NS INT64_C(1000000000)
enum { QUARTERS = 14 * 96 };

/* With the days one by one, and the zone named. */
static void write_window(const struct mute *mute, struct buf *out)
{
    static const char *const names[] = {"sunday", "Mon", "TUE", "Wednesday", "Thu", "Fri", "sat"};
    const char *between = "";

    for (int day = 6; day >= 0; day--)
        if (mute->days & (1 << day)) {
            buf_printf(out, "%s%s", between, names[day]);
            between = ",";
        }
    buf_printf(out, "  %02u:%02u-%02u:%02u %s", mute->begin / 3600, mute->begin / 60 % 60, mute->end / 3600,
               mute->end / 60 % 60, zone_name(mute->zone));
}

static void check_window(const char *text, size_t len)
{
    struct mute mute, again;
    struct buf why, out;
    int64_t from = civil_days(2027, 3, 8) * 86400;

    buf_init(&why);
    buf_init(&out);
    if (!mute_parse(text, len, &mute, &why)) {
        if (why.len == 0)
            fuzz_fail("nothing is said");
    } else {
        write_window(&mute, &out);
        if (mute.days == 0 || mute.begin >= 86400 || mute.end > 86400 || mute.begin == mute.end)
            fuzz_fail("a window that is none: %s", out.data);
        if (!mute_parse(out.data, out.len, &again, &why))
            fuzz_fail("%s: %s", out.data, why.data);
        for (int q = 0; q < QUARTERS; q++)
            if (mute_has(&mute, (from + q * 900) * NS) != mute_has(&again, (from + q * 900) * NS))
                fuzz_fail("%s is another window", out.data);
    }
    buf_fini(&why);
    buf_fini(&out);
}

static void check_alert(const char *text, size_t len)
{
    static const char *const sink = "s", *const any[] = {"*"}, *const some[] = {"a*", "?\xc3\xa9"},
                      *const always[] = {"00:00-24:00"};
    static const uint32_t number = 0;
    struct route_spec route[] = {
        {.rule = some, .n_rules = 2, .sink = &number, .n_sinks = 1, .group = 5},
        {.tag = some, .n_tags = 2, .severities = 4, .sink = &number, .n_sinks = 1, .mute = always, .n_mutes = 1},
        {.rule = any, .n_rules = 1, .sink = &number, .n_sinks = 1, .mute = always, .n_mutes = 1},
    };
    struct route_options opt = {.sink = &sink, .n_sinks = 1, .route = route, .n_routes = 3};
    struct route_table *rt = route_table_new(&opt);
    struct route_policy policy;

    route_policy(rt, 0, false, text, len, 0, &policy);
    if (policy.muted != (policy.group == 0))
        fuzz_fail("muted and grouped, or neither");
    route_table_unref(&rt);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    char *text = mem_strndup((const char *)data, size); /* each end is seen */
    const char *line = memchr(text, '\n', size);
    size_t len = line ? (size_t)(line - text) : size;

    check_window(text, len);
    if (line) {
        char *alert = mem_alloc(size - len);
        memcpy(alert, line + 1, size - len - 1);
        check_alert(alert, size - len - 1);
        mem_free(alert);
    }
    mem_free(text);
    return 0;
}
