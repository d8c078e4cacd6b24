// SPDX-License-Identifier: Apache-2.0
/* `tocsin state inspect --rule R --key K`: what the rule keeps of the key, as a daemon that runs tells it: its rules
 * are compiled and an engine takes up its records. Of each generation that has the rule. */
#include <stdio.h>
#include <string.h>

#include "base/buf.h"
#include "base/diag.h"
#include "base/mem.h"
#include "cli/state_priv.h"
#include "engine/engine.h"
#include "engine/look.h"
#include "engine/record.h"
#include "event/json_doc.h"
#include "event/value.h"
#include "flow/saved.h"
#include "plan/program.h"
#include "state/modules.h"
#include "state/space.h"

struct looking {
    struct store *st;
    struct engine *en;
    uint32_t incarnation; /* of the rule: of no other anything is wanted */
    bool draining;        /* its generation is an older one */
    const char *why;      /* NULL: nothing is wrong */
};

/* ---- records ------------------------------------------------------------------------------------ */

struct reading {
    record_found_fn *found;
    void *ctx;
};

static bool give_record(void *ctx, const void *key, size_t key_len, const void *value, size_t len)
{
    struct reading *rd = ctx;

    return rd->found(rd->ctx, (const char *)key + 1, key_len - 1, value, len);
}

static bool read_records(void *ctx, const void *prefix, size_t prefix_len, record_found_fn *found, void *found_ctx)
{
    struct looking *l = ctx;
    struct reading rd = {found, found_ctx};
    struct buf key, why;

    buf_init(&key);
    buf_init(&why);
    buf_addc(&key, SPACE_ENGINE);
    buf_add(&key, prefix, prefix_len);
    bool ok = store_read(l->st, key.data, key.len, give_record, &rd, &why) == STORE_OK;
    buf_fini(&key);
    buf_fini(&why);
    return ok;
}

static bool restore(void *ctx, const void *key, size_t key_len, const void *value, size_t len)
{
    struct looking *l = ctx;
    uint32_t incarnation;
    char kind;

    if (!state_engine_key(key, key_len, &kind, &incarnation) || incarnation != l->incarnation)
        return true;
    if (kind == 'P' && engine_restore_knows(l->en, incarnation))
        return true;
    return engine_restore_record(l->en, (const char *)key + 1, key_len - 1, value, len, &l->why);
}

/* ---- one generation ------------------------------------------------------------------------------ */

static struct program *compile(const struct generation *gen, struct buf *why)
{
    struct program_options opt = {.no_tests = true};
    struct program_source_text *text = mem_calloc(gen->n_texts + 1, sizeof *text);
    struct diag *diag = diag_new();

    for (size_t i = 0; i < gen->n_texts; i++)
        text[i] = (struct program_source_text){.name = gen->text[i].name, .text = gen->text[i].text,
                                               .len = gen->text[i].len};
    struct program *prog = program_compile(text, gen->n_texts, &opt, diag);
    if (!prog)
        diag_print_brief(diag, why);
    diag_free(&diag);
    mem_free(text);
    return prog;
}

/* [n_keys] of JSON; texts are doc's. */
static bool read_key(const struct json_doc *doc, uint32_t n_keys, struct value *key)
{
    if (n_keys == 1)
        return json_doc_value(doc, &key[0]);
    if (json_doc_elements(doc) != n_keys)
        return false;
    for (uint32_t i = 0; i < n_keys; i++)
        if (!json_doc_value(json_doc_element(doc, i), &key[i]))
            return false;
    return true;
}

/* Appends the JSON of what it keeps. False and why. */
static bool look(struct looking *l, struct program *prog, const struct engine_clock *clock, uint32_t number,
                 const struct value *key, struct buf *out, struct buf *why)
{
    uint32_t *rule = mem_calloc(prog->n_rules + 1, sizeof *rule), *table = mem_calloc(prog->n_tables + 1, sizeof *table);
    struct engine_attachment attachment = {.reader = {.read = read_records, .ctx = l},
                                           .rule_incarnation = rule,
                                           .table_incarnation = table,
                                           .draining = l->draining};
    struct look_page page = {.limit = LOOK_LIMIT};
    uint8_t space = SPACE_ENGINE;

    rule[number] = l->incarnation;
    l->en = engine_new(prog);
    engine_attach(l->en, &attachment);
    engine_clock_set(l->en, clock);
    mem_free(rule);
    mem_free(table);
    l->why = NULL;
    buf_clear(out);
    buf_clear(why);
    bool ok = store_read(l->st, &space, 1, restore, l, why) == STORE_OK && !l->why;
    if (ok) {
        engine_restore_end(l->en);
        ok = engine_look(l->en, number, key, &page, out) && !engine_broken(l->en);
    }
    if (!ok && why->len == 0)
        buf_adds(why, l->why ? l->why : engine_broken(l->en) ? engine_broken(l->en) : "its records are others");
    engine_free(&l->en);
    return ok;
}

/* By the clock of the sources that the rule reads: by another one its state is not possible. */
static void look_by_clocks(struct looking *l, struct program *prog, uint32_t number, const struct value *key,
                           struct buf *out, struct buf *why)
{
    bool done = false;

    for (uint32_t i = 0; i < prog->n_streams && !done; i++) {
        struct engine_clock clock;
        struct buf wrong;
        bool found = false;
        buf_init(&wrong);
        if (saved_clock_get(l->st, prog->stream[i].name, &found, &clock, &wrong) && found)
            done = look(l, prog, &clock, number, key, out, why);
        buf_fini(&wrong);
    }
    if (!done && why->len == 0)
        buf_adds(why, "of no source that it reads it is known how far it was");
}

void state_look(struct store *st, const struct modules *mods, size_t generation, const char *rule, const char *key_json)
{
    const struct generation *gen = &mods->generation[generation];
    struct looking l = {.st = st, .incarnation = generation_rule(gen, rule)->incarnation, .draining = generation > 0};
    char wrong[160];
    struct json_doc *doc = json_doc_parse_any(key_json, strlen(key_json), wrong, sizeof wrong);
    struct buf out, why;

    buf_init(&out);
    buf_init(&why);
    struct program *prog = compile(gen, &why);
    uint32_t number = prog ? program_rule_named(prog, rule) : UINT32_MAX;
    if (number != UINT32_MAX) {
        uint32_t n_keys = prog->rule[number].n_keys;
        struct value *key = mem_calloc(n_keys + 1, sizeof *key);
        if (doc && read_key(doc, n_keys, key))
            look_by_clocks(&l, prog, number, key, &out, &why);
        mem_free(key);
    }
    if (out.len > 0 && why.len == 0)
        printf("    %s\n", out.data);
    else if (why.len > 0)
        fprintf(stderr, "tocsin: what it keeps of it cannot be shown: %.*s\n", (int)strcspn(why.data, "\n"), why.data);
    json_doc_free(&doc);
    program_unref(&prog);
    buf_fini(&out);
    buf_fini(&why);
}
