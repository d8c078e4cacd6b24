/* SPDX-License-Identifier: Apache-2.0 */
/* Where a source keeps its time: reading --time, and an event's time by it. */
#include "flow/time_field.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "base/buf.h"
#include "base/mem.h"
#include "event/event.h"
#include "event/json_decode.h"
#include "event/schema.h"
#include "event/time_format.h"

enum { NS_S = 1000000000 };

static void add(struct time_specs *specs, const char *text)
{
    struct buf why;

    buf_init(&why);
    assert_true(time_specs_add(specs, text, &why));
    buf_fini(&why);
}

static void refuse(const char *text, const char *what)
{
    struct time_specs specs;
    struct buf why;

    time_specs_init(&specs);
    buf_init(&why);
    assert_false(time_specs_add(&specs, text, &why));
    assert_int_equal(specs.n, 0);
    if (!strstr(why.data, what))
        fail_msg("%s: %s", text, why.data);
    buf_fini(&why);
    time_specs_fini(&specs);
}

static void settings_are_read(void **state)
{
    struct time_specs specs;

    (void)state;
    time_specs_init(&specs);
    add(&specs, "auth=event.created,rfc3339,epoch_ms");
    add(&specs, "ts");
    add(&specs, "a-b=c"); /* a-b is no name: all of it is the field */
    assert_string_equal(specs.setting[0].source, "auth");
    assert_string_equal(specs.setting[0].path, "event.created");
    assert_int_equal(specs.setting[0].formats, TIME_RFC3339 | TIME_EPOCH_MS);
    assert_null(specs.setting[1].source);
    assert_string_equal(specs.setting[1].path, "ts");
    assert_int_equal(specs.setting[1].formats, TIME_ALL);
    assert_null(specs.setting[2].source);
    assert_string_equal(specs.setting[2].path, "a-b=c");
    time_specs_fini(&specs);
    assert_int_equal(specs.n, 0);
}

static void wrong_settings_are_refused(void **state)
{
    (void)state;
    refuse("", "names no field");
    refuse("auth=", "names no field");
    refuse(",rfc3339", "names no field");
    refuse("a..b", "must be a path");
    refuse(".a", "must be a path");
    refuse("a.", "must be a path");
    refuse("a.b.c.d.e.f.g.h.i.j.k.l.m.n.o.p.q.r.s.t.u.v.w.x.y.z.a.b.c.d.e.f.g", "must be a path");
    refuse("a,", "unknown time format \"\"");
    refuse("a,rfc3338", "did you mean rfc3339?");
    refuse("a,epoch_ms,cheese", "epoch_us");
}

struct fixture {
    struct time_specs specs;
    struct schema *schema;
    struct decoder *decoder;
};

static void start(struct fixture *f)
{
    size_t n;
    const char **path = time_specs_paths(&f->specs, &n);
    uint32_t slot;

    f->schema = schema_new();
    for (size_t i = 0; i < n; i++)
        assert_true(schema_slot_text(f->schema, path[i], &slot));
    schema_seal(f->schema);
    mem_free(path);
    f->decoder = decoder_new(f->schema, 4096);
}

static void stop(struct fixture *f)
{
    decoder_free(&f->decoder);
    schema_unref(&f->schema);
    time_specs_fini(&f->specs);
}

/* expected: ns, or -1 and what the explanation holds. */
static void expect(struct fixture *f, const char *source, const char *json, int64_t ns,
                   const char *explained)
{
    struct time_spec spec;
    struct event ev = {0};
    const char *reason;
    struct buf why;

    time_spec_bind(&f->specs, source, f->schema, &spec);
    assert_true(decoder_run_copy(f->decoder, json, strlen(json), &ev, &reason));
    enum time_outcome outcome = time_spec_read(&spec, &ev);
    if (ns >= 0) {
        assert_int_equal(outcome, TIME_FOUND);
        assert_int_equal(ev.time, ns);
        return;
    }
    assert_int_not_equal(outcome, TIME_FOUND);
    buf_init(&why);
    time_spec_explain(&spec, &ev, &why);
    if (!strstr(why.data, explained))
        fail_msg("%s", why.data);
    buf_fini(&why);
}

static void default_fields(void **state)
{
    struct fixture f;

    (void)state;
    time_specs_init(&f.specs);
    start(&f);
    expect(&f, "x", "{\"ts\":1,\"timestamp\":2}", 2 * (int64_t)NS_S, NULL);
    expect(&f, "x", "{\"ts\":1,\"time\":3}", 3 * (int64_t)NS_S, NULL);
    expect(&f, "x", "{\"@timestamp\":\"1970-01-01T00:00:04Z\",\"timestamp\":2}",
           4 * (int64_t)NS_S, NULL);
    expect(&f, "x", "{\"@timestamp\":null,\"ts\":5}", 5 * (int64_t)NS_S, NULL);
    expect(&f, "x", "{\"TS\":5}", -1, "none of the fields @timestamp, timestamp, time, ts is there");
    /* The first that is there counts, readable or not. */
    expect(&f, "x", "{\"@timestamp\":\"noon\",\"ts\":5}", -1,
           "unreadable time in @timestamp: \"noon\"");
    expect(&f, "x", "{\"ts\":[5]}", -1, "unreadable time in ts: [5]");
    expect(&f, "x",
           "{\"ts\":\"ssssssssssssssssssssssssssssssssssssssssssssssssssssssssss\xc3\xa4\xc3\xa4\"}",
           -1, "s...");
    stop(&f);
}

static void settings_of_sources(void **state)
{
    struct fixture f;

    (void)state;
    time_specs_init(&f.specs);
    add(&f.specs, "when,epoch_ms");
    add(&f.specs, "auth=a.b");
    add(&f.specs, "auth=when,epoch_s");
    start(&f);
    expect(&f, "other", "{\"when\":7000,\"a\":{\"b\":1}}", 7 * (int64_t)NS_S, NULL);
    expect(&f, "other", "{\"ts\":5}", -1, "the field when is not there");
    expect(&f, "auth", "{\"when\":7,\"a\":{\"b\":1}}", 1 * (int64_t)NS_S, NULL);
    expect(&f, "auth", "{\"when\":7,\"a.b\":2}", 2 * (int64_t)NS_S, NULL);
    expect(&f, "auth", "{\"when\":7}", 7 * (int64_t)NS_S, NULL);
    expect(&f, "auth", "{\"ts\":5}", -1, "none of the fields a.b, when is there");
    stop(&f);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(settings_are_read),
        cmocka_unit_test(wrong_settings_are_refused),
        cmocka_unit_test(default_fields),
        cmocka_unit_test(settings_of_sources),
    };

    return cmocka_run_group_tests_name("time_field", tests, NULL, NULL);
}
