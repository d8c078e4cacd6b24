// SPDX-License-Identifier: Apache-2.0
/*
 * A line of JSON to the decoder, for a schema of paths that get in each other's way. What it finds
 * lives on in a kept event, and in the coding of values.
 */
#include <fuzz/fuzz.h>

#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "base/buf.h"
#include "base/reader.h"
#include "event/json_decode.h"
#include "event/schema.h"

enum { MAX_LINE = 1 << 16 };

static const char *const dotted[] = {"a", "a.b", "a.b.c", "a.b.c.d", "b.c", "x", "x.y", "@t", "é.a",
                                     "a.a.a.a.a.a"};
#define NAME(s) {.name = (s), .len = sizeof(s) - 1}
#define AT(i) {.index = (i)}
static const struct {
    size_t n;
    struct path_part part[4];
} indexed[] = {
    {2, {NAME("a"), AT(0)}},
    {3, {NAME("a"), AT(-1), NAME("b")}},
    {4, {NAME("a"), NAME("b"), AT(0), NAME("c")}},
    {3, {NAME("x"), AT(0), AT(1)}},
    {2, {NAME("a.b"), NAME("c")}},
    {2, {NAME("x"), AT(INT32_MIN)}},
    {2, {NAME("x"), AT(INT32_MAX)}},
    {1, {NAME("")}},
    {2, {NAME("a"), NAME("")}},
    {2, {NAME("."), NAME("a")}},
};

static struct decoder *open_decoder(bool texts)
{
    struct schema *schema = schema_new();
    uint32_t slot;

    for (size_t i = 0; i < sizeof dotted / sizeof *dotted; i++)
        schema_slot_text(schema, dotted[i], &slot);
    for (size_t i = 0; i < sizeof indexed / sizeof *indexed; i++)
        schema_slot(schema, indexed[i].part, indexed[i].n, &slot);
    if (texts)
        schema_want_texts(schema);
    schema_seal(schema);
    return decoder_new(schema, MAX_LINE);
}

static void same_value(struct value a, struct value b, const char *what, uint32_t slot)
{
    if (!value_same(a, b) || value_hash(a, 7) != value_hash(b, 7))
        fuzz_fail("%s: slot %u is not the same", what, slot);
}

static void code_value(struct value v, uint32_t slot)
{
    struct buf out;
    struct arena *arena = arena_new(0);
    struct reader r;

    buf_init(&out);
    value_encode(&out, v);
    reader_init(&r, out.data, out.len);
    same_value(v, value_decode(&r, arena), "coded", slot);
    if (r.bad || reader_left(&r) != 0)
        fuzz_fail("slot %u: its code is not read to its end", slot);
    same_value(v, value_copy(v, arena), "copied", slot);
    buf_clear(&out);
    value_add_json(&out, v);
    value_add_text(&out, v);
    buf_fini(&out);
    arena_free(&arena);
}

static void check_event(const struct event *ev, const struct event *kept, const char *what)
{
    if (ev->n_slots != kept->n_slots || ev->n_texts != kept->n_texts || ev->raw_len != kept->raw_len ||
        memcmp(ev->raw, kept->raw, ev->raw_len) != 0)
        fuzz_fail("%s: not the same event", what);
    for (uint32_t i = 0; i < ev->n_slots; i++)
        same_value(ev->slot[i], kept->slot[i], what, i);
    for (uint32_t i = 0; i < ev->n_texts; i++)
        same_value(ev->texts[i], kept->texts[i], what, i);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static struct decoder *decoder[4]; /* 0, 1: without texts */
    static const struct origin origin = {.source = "s", .partition = "p"};
    struct event ev = {.origin = &origin}, copied = {.origin = &origin};
    const char *why = NULL, *other_why = NULL;
    bool right;
    char *text;

    for (int i = 0; i < 4 && decoder[3] == NULL; i++)
        decoder[i] = open_decoder(i >= 2);
    if (size == 0 || size > MAX_LINE)
        return 0;
    struct decoder **pair = &decoder[data[0] & 2];
    size--;
    text = malloc(size + decoder_padding());
    memcpy(text, data + 1, size);
    memset(text + size, data[0], decoder_padding());
    right = decoder_run(pair[0], text, size, &ev, &why);
    if (right != decoder_run_copy(pair[1], text, size, &copied, &other_why) ||
        (!right && strcmp(why, other_why) != 0))
        fuzz_fail("with padding %s, as a copy %s", why, other_why);
    if (right) {
        struct event *kept = event_keep(&ev);

        check_event(&ev, &copied, "copy");
        check_event(&ev, kept, "kept");
        for (uint32_t i = 0; i < ev.n_slots; i++)
            code_value(ev.slot[i], i);
        event_unref(kept);
    }
    free(text);
    return 0;
}
