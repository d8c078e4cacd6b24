// SPDX-License-Identifier: Apache-2.0
/*
 * Any text to the reader of configurations. What it accepts is complete: names that are used are there,
 * every source reads and every sink writes something, numbers are in their limits, and fields of times
 * fit into a schema. What env() and file() give is in the text of a path at most. Texts of more than one
 * `file(` are left out: the input must not name many files of the machine.
 */
#include <fuzz/fuzz.h>

#include <string.h>

#include "base/buf.h"
#include "base/diag.h"
#include "base/mem.h"
#include "config/config.h"
#include "config/option.h"
#include "event/schema.h"
#include "flow/time_field.h"

/* Every number of a block is between what option.def allows. */
static void check_numbers(enum config_of of, const void *block)
{
    for (int i = 0; i < CONFIG_OPTION_COUNT; i++) {
        const struct config_option *o = &config_options[i];
        const char *field = (const char *)block + o->offset;
        int64_t n = 0;
        uint32_t small;

        if (config_block_of(o->of) != of || o->type > CONFIG_TYPE_COUNT)
            continue;
        if (o->size == sizeof n) {
            memcpy(&n, field, sizeof n);
        } else {
            memcpy(&small, field, sizeof small);
            n = small;
        }
        if (n < o->least || n > o->most)
            fuzz_fail("%s is %lld", o->key, (long long)n);
    }
}

static void check_name(const struct config *c, const char *sink)
{
    if (sink && config_sink_named(c, sink) == UINT32_MAX)
        fuzz_fail("there is no sink %s", sink);
}

static void check_blocks(const struct config *c)
{
    check_numbers(CONFIG_OF_engine, c);
    for (size_t i = 0; i < c->n_sources; i++) {
        const struct config_source *source = &c->source[i];
        check_numbers(CONFIG_OF_source, source);
        check_name(c, source->late);
        check_name(c, source->dead_letter);
        if ((source->kind == CONFIG_FILE) != (source->n_paths > 0))
            fuzz_fail("source %s reads nothing", source->name);
        if (config_source_named(c, source->name) != i)
            fuzz_fail("two sources %s", source->name);
    }
    for (size_t i = 0; i < c->n_sinks; i++) {
        const struct config_sink *sink = &c->sink[i];
        check_numbers(CONFIG_OF_sink, sink);
        if ((sink->kind == CONFIG_SINK_WEBHOOK) != (sink->web.url != NULL))
            fuzz_fail("sink %s posts nowhere", sink->name);
        if ((sink->kind == CONFIG_SINK_FILE) != (sink->path != NULL))
            fuzz_fail("sink %s writes nowhere", sink->name);
        if (config_sink_named(c, sink->name) != i)
            fuzz_fail("two sinks %s", sink->name);
    }
    for (size_t i = 0; i < c->n_routes; i++) {
        const struct config_route *route = &c->route[i];
        check_numbers(CONFIG_OF_route, route);
        if (route->to.n == 0 || (route->severities == 0 && route->tags.n == 0 && route->rules.n == 0))
            fuzz_fail("a route of nothing, or to nowhere");
        for (size_t k = 0; k < route->to.n; k++)
            check_name(c, route->to.text[k]);
    }
    if (!c->routes)
        fuzz_fail("there is no table of routes");
    for (size_t i = 0; i < c->n_default_to; i++)
        check_name(c, c->default_to[i]);
    if (c->n_sources == 0 || c->n_default_to == 0 || !*c->rules || !*c->state || c->shards != 1)
        fuzz_fail("something is not filled in");
}

static void check_times(const struct config *c)
{
    struct schema *schema = schema_new();
    struct time_specs specs;
    const char **path;
    uint32_t slot;
    size_t n;
    bool fit = true;

    time_specs_init(&specs);
    config_times(c, &specs);
    path = time_specs_paths(&specs, &n);
    for (size_t i = 0; i < n; i++)
        fit = schema_slot_text(schema, path[i], &slot) && fit;
    if (!fit && n <= SCHEMA_MAX_SLOTS)
        fuzz_fail("a field is none");
    for (size_t i = 0; i < c->n_sources && fit; i++) {
        struct time_spec spec;
        time_spec_bind(&specs, c->source[i].name, schema, &spec);
        if (spec.n == 0 || (spec.order_by != UINT32_MAX) != (c->source[i].order_by != NULL))
            fuzz_fail("source %s has no time", c->source[i].name);
    }
    mem_free(path);
    time_specs_fini(&specs);
    schema_unref(&schema);
}

static size_t count(const uint8_t *data, size_t size, const char *what)
{
    const uint8_t *end = data + size;
    size_t n = 0;

    while ((data = memmem(data, (size_t)(end - data), what, strlen(what)))) {
        data++;
        n++;
    }
    return n;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct diag *diag;
    struct config *c;
    struct buf said;

    if (size == 0 || count(data, size, "file(") > 1)
        return 0;
    diag = diag_new();
    c = config_read_text("a[b]/fuzz.conf", (const char *)data, size, diag);
    if ((c == NULL) != (diag_errors(diag) > 0))
        fuzz_fail("%zu errors, and %s configuration", diag_errors(diag), c ? "a" : "no");
    if (c) {
        check_blocks(c);
        check_times(c);
    }
    buf_init(&said);
    diag_print(diag, &said);
    buf_fini(&said);
    config_free(&c);
    diag_free(&diag);
    return 0;
}
