// SPDX-License-Identifier: Apache-2.0
#include "state/modules.h"

#include <string.h>

#include "base/buf.h"
#include "base/mem.h"
#include "base/reader.h"

/* 2: without origins and switches; 3: without uploads */
enum { CODEC_VERSION = 4, OLD_VERSION = 2, ORIGINS = 3, UPLOADS = 4 };

const char *module_origin_name(enum module_origin origin)
{
    static const char *const name[MODULE_N_ORIGINS] = {"file", "api", "topic"};

    return name[origin];
}

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

void generation_clear_texts(struct generation *gen)
{
    for (size_t i = 0; i < gen->n_texts; i++) {
        mem_free(gen->text[i].name);
        mem_free(gen->text[i].text);
    }
    mem_free(gen->text);
    gen->text = NULL;
    gen->n_texts = 0;
}

void generation_clear_uploads(struct generation *gen)
{
    for (size_t i = 0; i < gen->n_uploads; i++)
        mem_free(gen->upload[i].table);
    mem_free(gen->upload);
    gen->upload = NULL;
    gen->n_uploads = 0;
}

static void generation_fini(struct generation *gen)
{
    generation_clear_texts(gen);
    states_fini(gen->rule, gen->n_rules);
    states_fini(gen->table, gen->n_tables);
    generation_clear_uploads(gen);
}

void modules_fini(struct modules *mods)
{
    for (size_t i = 0; i < mods->n; i++)
        generation_fini(&mods->generation[i]);
    mem_free(mods->generation);
    for (size_t i = 0; i < mods->n_switches; i++)
        mem_free(mods->rule_switch[i].name);
    mem_free(mods->rule_switch);
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

struct module_text *generation_add_text(struct generation *gen, const char *name, const char *text,
                                        size_t len)
{
    gen->text = mem_realloc(gen->text, (gen->n_texts + 1) * sizeof *gen->text);
    gen->text[gen->n_texts++] = (struct module_text){
        .name = mem_strndup(name, strlen(name)), .text = mem_strndup(text, len), .len = len};
    return &gen->text[gen->n_texts - 1];
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

static struct module_upload *find_upload(const struct generation *gen, const char *table)
{
    for (size_t i = 0; i < gen->n_uploads; i++)
        if (strcmp(gen->upload[i].table, table) == 0)
            return &gen->upload[i];
    return NULL;
}

void generation_set_upload(struct generation *gen, const char *table, uint64_t version)
{
    struct module_upload *found = find_upload(gen, table);

    if (found && version == 0) {
        mem_free(found->table);
        *found = gen->upload[--gen->n_uploads];
    } else if (found) {
        found->version = version;
    } else if (version > 0) {
        gen->upload = mem_realloc(gen->upload, (gen->n_uploads + 1) * sizeof *gen->upload);
        gen->upload[gen->n_uploads++] =
            (struct module_upload){mem_strndup(table, strlen(table)), version};
    }
}

void generation_copy_uploads(struct generation *gen, const struct generation *from)
{
    generation_clear_uploads(gen);
    for (size_t i = 0; i < from->n_uploads; i++)
        generation_set_upload(gen, from->upload[i].table, from->upload[i].version);
}

static struct module_switch *find_switch(const struct modules *mods, const char *rule)
{
    for (size_t i = 0; i < mods->n_switches; i++)
        if (strcmp(mods->rule_switch[i].name, rule) == 0)
            return &mods->rule_switch[i];
    return NULL;
}

void modules_switch_set(struct modules *mods, const char *rule, bool on)
{
    struct module_switch *found = find_switch(mods, rule);

    if (!found) {
        mods->rule_switch =
            mem_realloc(mods->rule_switch, (mods->n_switches + 1) * sizeof *mods->rule_switch);
        found = &mods->rule_switch[mods->n_switches++];
        *found = (struct module_switch){.name = mem_strndup(rule, strlen(rule))};
    }
    found->on = on;
}

void modules_switch_remove(struct modules *mods, const char *rule)
{
    struct module_switch *found = find_switch(mods, rule);

    if (!found)
        return;
    mem_free(found->name);
    *found = mods->rule_switch[--mods->n_switches];
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

const struct module_text *generation_text(const struct generation *gen, const char *name)
{
    for (size_t i = 0; i < gen->n_texts; i++)
        if (strcmp(gen->text[i].name, name) == 0)
            return &gen->text[i];
    return NULL;
}

const struct module_upload *generation_upload(const struct generation *gen, const char *table)
{
    return find_upload(gen, table);
}

const struct module_switch *modules_switch(const struct modules *mods, const char *rule)
{
    return find_switch(mods, rule);
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

static void encode_uploads(struct buf *out, const struct generation *gen)
{
    buf_add_varint(out, gen->n_uploads);
    for (size_t i = 0; i < gen->n_uploads; i++) {
        buf_add_bytes(out, gen->upload[i].table, strlen(gen->upload[i].table));
        buf_add_varint(out, gen->upload[i].version);
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
            buf_add_u8(out, (uint8_t)gen->text[t].origin);
            buf_add_varint(out, gen->text[t].version);
        }
        encode_states(out, gen->rule, gen->n_rules);
        encode_states(out, gen->table, gen->n_tables);
        encode_uploads(out, gen);
    }
    buf_add_varint(out, mods->n_switches);
    for (size_t i = 0; i < mods->n_switches; i++) {
        buf_add_bytes(out, mods->rule_switch[i].name, strlen(mods->rule_switch[i].name));
        buf_add_u8(out, mods->rule_switch[i].on);
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

static bool read_flag(struct reader *r)
{
    uint8_t flag = reader_u8(r);

    r->bad |= flag > 1;
    return flag == 1;
}

static enum module_origin read_origin(struct reader *r)
{
    uint8_t origin = reader_u8(r);

    r->bad |= origin >= MODULE_N_ORIGINS;
    return r->bad ? MODULE_FILE : (enum module_origin)origin;
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
        state->drains = read_flag(r);
    }
}

static void decode_uploads(struct reader *r, struct generation *gen)
{
    uint64_t n = reader_varint(r);

    for (uint64_t i = 0; i < n && !r->bad; i++) {
        char *table = read_name(r);
        uint64_t version = reader_varint(r);
        r->bad |= version == 0;
        if (!r->bad)
            generation_set_upload(gen, table, version);
        mem_free(table);
    }
}

static void decode_generation(struct reader *r, struct generation *gen, uint64_t codec)
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
        if (!r->bad) {
            struct module_text *to = generation_add_text(gen, name, text, len);
            to->origin = codec >= ORIGINS ? read_origin(r) : MODULE_FILE;
            to->version = codec >= ORIGINS ? reader_varint(r) : 0;
        }
        mem_free(name);
    }
    decode_states(r, gen, generation_add_rule);
    decode_states(r, gen, generation_add_table);
    if (codec >= UPLOADS)
        decode_uploads(r, gen);
}

static void decode_switches(struct reader *r, struct modules *mods)
{
    uint64_t n = reader_varint(r);

    for (uint64_t i = 0; i < n && !r->bad; i++) {
        char *name = read_name(r);
        bool on = read_flag(r);
        if (!r->bad)
            modules_switch_set(mods, name, on);
        mem_free(name);
    }
}

bool modules_decode(const void *data, size_t len, struct modules *mods_out)
{
    struct reader r;
    uint64_t n;

    modules_init(mods_out);
    reader_init(&r, data, len);
    uint64_t codec = reader_varint(&r);
    if (codec < OLD_VERSION || codec > CODEC_VERSION)
        return false;
    uint32_t next_incarnation = read_number(&r), next_generation = read_number(&r);
    n = reader_varint(&r);
    for (uint64_t i = 0; i < n && !r.bad; i++)
        decode_generation(&r, modules_generation_add(mods_out, mods_out->n), codec);
    if (codec >= ORIGINS)
        decode_switches(&r, mods_out);
    mods_out->next_incarnation = next_incarnation;
    mods_out->next_generation = next_generation;
    if (!r.bad && reader_left(&r) == 0)
        return true;
    modules_fini(mods_out);
    modules_init(mods_out);
    return false;
}
