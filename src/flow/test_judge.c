// SPDX-License-Identifier: Apache-2.0
/* test_judge - the second half of test_run: were the alerts those that the test expects? */
#include <inttypes.h>
#include <string.h>

#include "base/buf.h"
#include "event/json_doc.h"
#include "event/time_format.h"
#include "flow/test_run_priv.h"
#include "plan/program.h"

enum { MAX_SHOWN = 400 }; /* bytes of an event or of an alert's fields */

void test_place(struct buf *out, const struct program_test_item *item)
{
    buf_printf(out, "%s:%" PRIu32 ": ", item->file, item->line);
}

const char *test_stream_name(const struct test_outcome *outcome, uint32_t stream)
{
    return stream < outcome->prog->n_streams ? outcome->prog->stream[stream].name : "(unread)";
}

/* ---- showing --------------------------------------------------------------------------------- */

static void add_shortened(struct buf *out, const char *text, size_t len)
{
    size_t n = len;

    if (len > MAX_SHOWN)
        for (n = MAX_SHOWN; n > 0 && ((unsigned char)text[n] & 0xc0) == 0x80; n--)
            continue;
    buf_add(out, text, n);
    if (n < len)
        buf_adds(out, " ...");
}

/* Behind the text that starts at `at`, a double quote. */
static size_t behind_text(const char *json, size_t len, size_t at)
{
    for (at++; at < len && json[at] != '"'; at++)
        at += json[at] == '\\';
    return at + 1;
}

/* Behind the value that starts at `at`: at the comma or bracket that follows it. */
static size_t behind_value(const char *json, size_t len, size_t at)
{
    int depth = 0;

    while (at < len) {
        char c = json[at];
        if (c == '"') {
            at = behind_text(json, len, at);
            continue;
        }
        if (depth == 0 && (c == ',' || c == '}' || c == ']'))
            break;
        depth += (c == '{' || c == '[') - (c == '}' || c == ']');
        at++;
    }
    return at;
}

/* The text of a member of a minified object; NULL if it has none. */
static const char *member_text(const char *json, size_t len, const char *name, size_t *len_out)
{
    size_t at = 1, n = strlen(name);

    while (at < len && json[at] == '"') {
        size_t value = behind_text(json, len, at) + 1;
        size_t end = behind_value(json, len, value);
        if (end > len)
            return NULL;
        if (value - at == n + 3 && memcmp(json + at + 1, name, n) == 0) {
            *len_out = end - value;
            return json + value;
        }
        at = end + 1;
    }
    return NULL;
}

static void show_alert(const struct test_outcome *outcome, const struct alert *alert,
                       struct buf *out)
{
    size_t len = 0;
    const char *fields = member_text(alert->json, alert->json_len, "fields", &len);

    buf_adds(out, "alert at ");
    duration_add_text(out, alert->time - outcome->start);
    buf_addc(out, ' ');
    if (fields)
        add_shortened(out, fields, len);
}

static void show_event(const struct test_outcome *outcome, uint32_t i, struct buf *out)
{
    static const char *const told[] = {
        [TEST_FITS] = "", [TEST_FITS_ANOTHER] = "   # fits another rule's step, none of this one",
        [TEST_FITS_NOTHING] = "   # fits no step", [TEST_LATE] = "   # late"};
    const struct program_test_item *item = &outcome->test->item[i];

    buf_printf(out, "      %" PRIu32 ": ", item->line);
    duration_add_text(out, item->offset);
    buf_printf(out, " %s ", test_stream_name(outcome, item->stream));
    add_shortened(out, item->json, item->json_len);
    buf_printf(out, "%s\n", told[outcome->fate[i]]);
}

void test_report(const struct test_outcome *outcome, struct buf *why)
{
    buf_adds(why, "    events:\n");
    for (uint32_t i = 0; i < outcome->test->n_items; i++)
        if (outcome->test->item[i].kind == TEST_EVENT)
            show_event(outcome, i, why);
    buf_printf(why, "    got: %s\n", outcome->alerts.n ? "" : "no alert");
    for (size_t i = 0; i < outcome->alerts.n; i++) {
        buf_adds(why, "      ");
        show_alert(outcome, &outcome->alerts.alert[i], why);
        buf_addc(why, '\n');
    }
}

/* ---- judging --------------------------------------------------------------------------------- */

static void say_expected(const struct program_test_item *item, struct buf *why)
{
    test_place(why, item);
    buf_adds(why, "expected an alert");
    if (item->has_offset) {
        buf_adds(why, " at ");
        duration_add_text(why, item->offset);
    }
    if (item->json) {
        buf_adds(why, " with ");
        add_shortened(why, item->json, item->json_len);
    }
}

/* Does the alert hold the fields? On false *path gets where they differ. */
static bool fields_fit(const struct program_test_item *item, const struct alert *alert,
                       struct buf *path)
{
    char reason[160];
    struct json_doc *want = json_doc_parse(item->json, item->json_len, reason, sizeof reason);
    struct json_doc *have = json_doc_parse(alert->json, alert->json_len, reason, sizeof reason);
    const struct json_doc *fields = have ? json_doc_member(have, "fields") : NULL;
    bool fit = want && fields && json_doc_contains(fields, want, path);

    if (!want || !fields)
        buf_printf(path, "(%s)", !want ? reason : "the alert has no fields");
    json_doc_free(&want);
    json_doc_free(&have);
    return fit;
}

static bool judge_alert(const struct test_outcome *outcome, const struct program_test_item *item,
                        const struct alert *alert, struct buf *why)
{
    struct buf path;
    bool right_time = !item->has_offset || alert->time - outcome->start == item->offset;
    bool fit;

    buf_init(&path);
    fit = right_time && (!item->json || fields_fit(item, alert, &path));
    if (!fit) {
        say_expected(item, why);
        buf_adds(why, "\n    got ");
        show_alert(outcome, alert, why);
        if (path.len)
            buf_printf(why, "\n    which differs at %s", path.data);
        buf_addc(why, '\n');
    }
    buf_fini(&path);
    return fit;
}

/* One expectation, from alert number *n on, which it moves. */
static bool judge_item(const struct test_outcome *outcome, const struct program_test_item *item,
                       size_t *n, struct buf *why)
{
    const struct alert_list *alerts = &outcome->alerts;

    switch (item->kind) {
    case TEST_ALERT:
        if (*n < alerts->n)
            return judge_alert(outcome, item, &alerts->alert[(*n)++], why);
        say_expected(item, why);
        buf_printf(why, ", there was none%s\n", *n ? " left" : "");
        return false;
    case TEST_COUNT:
        if (alerts->n - *n >= item->count) {
            *n += item->count;
            return true;
        }
        test_place(why, item);
        buf_printf(why, "expected %" PRIu64 " alert%s, there %s %zu%s\n", item->count,
                   item->count == 1 ? "" : "s", alerts->n - *n == 1 ? "was" : "were",
                   alerts->n - *n, *n ? " left" : "");
        return false;
    case TEST_NONE:
        if (alerts->n == *n)
            return true;
        test_place(why, item);
        buf_printf(why, "expected no alert%s, there %s %zu\n", *n ? " more" : "",
                   alerts->n - *n == 1 ? "was" : "were", alerts->n - *n);
        return false;
    case TEST_EVENT:
    case TEST_UNTIL:
    case TEST_LATENESS:
        break;
    }
    return true;
}

bool test_judge(const struct test_outcome *outcome, struct buf *why)
{
    const struct program_test *test = outcome->test;
    size_t n = 0;

    for (uint32_t i = 0; i < test->n_items; i++)
        if (!judge_item(outcome, &test->item[i], &n, why))
            return false;
    if (n == outcome->alerts.n)
        return true;
    buf_printf(why, "%s:%" PRIu32 ": %zu alert%s more than expected, the first:\n    ", test->file,
               test->line, outcome->alerts.n - n, outcome->alerts.n - n == 1 ? "" : "s");
    show_alert(outcome, &outcome->alerts.alert[n], why);
    buf_addc(why, '\n');
    return false;
}
