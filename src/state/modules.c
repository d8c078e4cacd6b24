// SPDX-License-Identifier: Apache-2.0
#include "state/modules.h"

#include <string.h>

#include "base/buf.h"
#include "base/mem.h"
#include "base/reader.h"

enum { CODEC_VERSION = 2 };

void modules_init(struct modules *mods)
{
    *mods = (struct modules){.next_incarnation = 1, .next_generation = 1};
}

static void states_fini(struct module_state *state, size_t n)
{
    for (size_t i = 0; i < n; i++)
        mem_free(state[i].name);
    mem_free(state);
}

static void generation_fini(struct generation *gen)
{
    for (size_t i = 0; i < gen->n_texts; i++) {
        mem_free(gen->text[i].name);
        mem_free(gen->text[i].text);
    }
    mem_free(gen->text);
    states_fini(gen->rule, gen->n_rules);
    states_fini(gen->table, gen->n_tables);
}

void modules_fini(struct modules *mods)
{
    for (size_t i = 0; i < mods->n; i++)
        generation_fini(&mods->generation[i]);
    mem_free(mods->generation);
    *mods = (struct modules){0};
}

/* ---- changing -------------------------------------------------------------------------------- */

struct generation *modules_generation_add(struct modules *mods, size_t at)
{
    mods->generation = mem_realloc(mods->generation, (mods->n + 1) * sizeof *mods->generation);
    memmove(mods->generation + at + 1, mods->generation + at,
            (mods->n - at) * sizeof *mods->generation);
    mods->n++;
    mods->generation[at] = (struct generation){.number = mods->next_generation++,
                                               .frontier = INT64_MAX};
    return &mods->generation[at];
}

void modules_generation_remove(struct modules *mods, size_t at)
{
    generation_fini(&mods->generation[at]);
    memmove(mods->generation + at, mods->generation + at + 1,
            (mods->n - at - 1) * sizeof *mods->generation);
    mods->n--;
}

void generation_add_text(struct generation *gen, const char *name, const char *text, size_t len)
{
    gen->text = mem_realloc(gen->text, (gen->n_texts + 1) * sizeof *gen->text);
    gen->text[gen->n_texts++] = (struct module_text){
        .name = mem_strndup(name, strlen(name)), .text = mem_strndup(text, len), .len = len};
}

static struct module_state *add_state(struct module_state **state, size_t *n, const char *name)
{
    *state = mem_realloc(*state, (*n + 1) * sizeof **state);
    (*state)[*n] = (struct module_state){.name = mem_strndup(name, strlen(name))};
    return &(*state)[(*n)++];
}

struct module_state *generation_add_rule(struct generation *gen, const char *name)
{
    return add_state(&gen->rule, &gen->n_rules, name);
}

struct module_state *generation_add_table(struct generation *gen, const char *name)
{
    return add_state(&gen->table, &gen->n_tables, name);
}

/* ---- asking ---------------------------------------------------------------------------------- */

static const struct module_state *find(const struct module_state *state, size_t n,
                                       const char *name)
{
    for (size_t i = 0; i < n; i++)
        if (strcmp(state[i].name, name) == 0)
            return &state[i];
    return NULL;
}

const struct module_state *generation_rule(const struct generation *gen, const char *name)
{
    return find(gen->rule, gen->n_rules, name);
}

const struct module_state *generation_table(const struct generation *gen, const char *name)
{
    return find(gen->table, gen->n_tables, name);
}

static const char *find_number(const struct module_state *state, size_t n, uint32_t incarnation)
{
    for (size_t i = 0; i < n; i++)
        if (state[i].incarnation == incarnation)
            return state[i].name;
    return NULL;
}

const char *modules_name(const struct modules *mods, uint32_t incarnation, bool *is_table_out)
{
    const char *name = NULL;

    *is_table_out = false;
    for (size_t i = 0; i < mods->n && !name; i++)
        name = find_number(mods->generation[i].rule, mods->generation[i].n_rules, incarnation);
    if (name)
        return name;
    *is_table_out = true;
    for (size_t i = 0; i < mods->n && !name; i++)
        name = find_number(mods->generation[i].table, mods->generation[i].n_tables, incarnation);
    return name;
}

/* ---- codec ----------------------------------------------------------------------------------- */

static void encode_states(struct buf *out, const struct module_state *state, size_t n)
{
    buf_add_varint(out, n);
    for (size_t i = 0; i < n; i++) {
        buf_add_bytes(out, state[i].name, strlen(state[i].name));
        buf_add_varint(out, state[i].incarnation);
        buf_add(out, state[i].shape, sizeof state[i].shape);
        buf_add(out, state[i].text_hash, sizeof state[i].text_hash);
        buf_add_u8(out, state[i].drains);
    }
}

void modules_encode(struct buf *out, const struct modules *mods)
{
    buf_add_varint(out, CODEC_VERSION);
    buf_add_varint(out, mods->next_incarnation);
    buf_add_varint(out, mods->next_generation);
    buf_add_varint(out, mods->n);
    for (size_t i = 0; i < mods->n; i++) {
        const struct generation *gen = &mods->generation[i];
        buf_add_varint(out, gen->number);
        buf_add_u64(out, (uint64_t)gen->since);
        buf_add_u64(out, (uint64_t)gen->frontier);
        buf_add(out, gen->declared_hash, sizeof gen->declared_hash);
        buf_add_varint(out, gen->n_texts);
        for (size_t t = 0; t < gen->n_texts; t++) {
            buf_add_bytes(out, gen->text[t].name, strlen(gen->text[t].name));
            buf_add_bytes(out, gen->text[t].text, gen->text[t].len);
        }
        encode_states(out, gen->rule, gen->n_rules);
        encode_states(out, gen->table, gen->n_tables);
    }
}

static void read_hash(struct reader *r, uint8_t hash_out[16])
{
    for (int i = 0; i < 16; i++)
        hash_out[i] = reader_u8(r);
}

static uint32_t read_number(struct reader *r)
{
    uint64_t n = reader_varint(r);

    if (n > UINT32_MAX)
        r->bad = true;
    return (uint32_t)n;
}

/* Texts within a record hold no NUL: they are used as such. */
static char *read_name(struct reader *r)
{
    size_t len = 0;
    const char *text = reader_bytes(r, &len);

    if (r->bad || memchr(text, '\0', len) != NULL) {
        r->bad = true;
        return NULL;
    }
    return mem_strndup(text, len);
}

static void decode_states(struct reader *r, struct generation *gen,
                          struct module_state *(*add)(struct generation *gen, const char *name))
{
    uint64_t n = reader_varint(r);

    for (uint64_t i = 0; i < n && !r->bad; i++) {
        char *name = read_name(r);
        if (!name)
            return;
        struct module_state *state = add(gen, name);
        mem_free(name);
        state->incarnation = read_number(r);
        read_hash(r, state->shape);
        read_hash(r, state->text_hash);
        uint8_t drains = reader_u8(r);
        r->bad |= drains > 1;
        state->drains = drains == 1;
    }
}

static void decode_generation(struct reader *r, struct generation *gen)
{
    gen->number = read_number(r);
    gen->since = (int64_t)reader_u64(r);
    gen->frontier = (int64_t)reader_u64(r);
    read_hash(r, gen->declared_hash);

    uint64_t n = reader_varint(r);
    for (uint64_t i = 0; i < n && !r->bad; i++) {
        size_t len = 0;
        char *name = read_name(r);
        const char *text = reader_bytes(r, &len);
        if (!r->bad)
            generation_add_text(gen, name, text, len);
        mem_free(name);
    }
    decode_states(r, gen, generation_add_rule);
    decode_states(r, gen, generation_add_table);
}

bool modules_decode(const void *data, size_t len, struct modules *mods_out)
{
    struct reader r;
    uint64_t n;

    modules_init(mods_out);
    reader_init(&r, data, len);
    if (reader_varint(&r) != CODEC_VERSION)
        return false;
    uint32_t next_incarnation = read_number(&r), next_generation = read_number(&r);
    n = reader_varint(&r);
    for (uint64_t i = 0; i < n && !r.bad; i++)
        decode_generation(&r, modules_generation_add(mods_out, mods_out->n));
    mods_out->next_incarnation = next_incarnation;
    mods_out->next_generation = next_generation;
    if (!r.bad && reader_left(&r) == 0)
        return true;
    modules_fini(mods_out);
    modules_init(mods_out);
    return false;
}
