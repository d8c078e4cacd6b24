// SPDX-License-Identifier: Apache-2.0
/*
 * pipeline_restore - an engine for each generation of rules and group, filled from the database: each
 * record goes to the engine that has its incarnation. Records of numbers that nobody has any more are
 * of rules that were removed or begun anew: they are removed here, in the background, bit by bit.
 */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/buf.h"
#include "base/failpoint.h"
#include "base/log.h"
#include "base/mem.h"
#include "base/queue.h"
#include "engine/engine.h"
#include "flow/barrier.h"
#include "flow/batch.h"
#include "flow/group.h"
#include "flow/pipeline_priv.h"
#include "plan/program.h"
#include "state/checkpoint.h"
#include "state/modules.h"

enum { PURGE_RECORDS = 10000 }; /* removed in one batch */

/* ---- reading bodies ---------------------------------------------------------------------------- */

/* The engine's keys are behind the space's byte. */
struct record_reading {
    record_found_fn *found;
    void *ctx;
};

static bool give_record(void *ctx, const void *key, size_t key_len, const void *value, size_t len)
{
    struct record_reading *rd = ctx;

    return rd->found(rd->ctx, (const char *)key + 1, key_len - 1, value, len);
}

static bool read_records(void *ctx, const void *prefix, size_t prefix_len, record_found_fn *found,
                         void *found_ctx)
{
    struct store *store = ctx;
    struct record_reading rd = {found, found_ctx};
    struct buf key, why;
    bool ok;

    buf_init(&key);
    buf_init(&why);
    buf_addc(&key, SAVED_ENGINE);
    buf_add(&key, prefix, prefix_len);
    ok = store_read(store, key.data, key.len, give_record, &rd, &why) == STORE_OK;
    if (!ok)
        log_line(LOG_ERROR, LOG_engine, "state cannot be read", "why=\"%.*s\"", (int)why.len,
                 why.len ? why.data : "");
    buf_fini(&key);
    buf_fini(&why);
    return ok;
}

/* ---- making the engines ----------------------------------------------------------------------- */

static void name_group_sources(struct pipeline *p)
{
    p->group_source = mem_calloc(p->n_groups + 1, sizeof *p->group_source);
    p->n_group_sources = mem_calloc(p->n_groups + 1, sizeof *p->n_group_sources);
    for (uint32_t g = 0; g < p->n_groups; g++)
        p->group_source[g] = mem_calloc(p->opt.n_sources + 1, sizeof **p->group_source);
    for (size_t i = 0; i < p->opt.n_sources; i++) {
        uint32_t g = p->source[i].stage.group;
        p->group_source[g][p->n_group_sources[g]++] = p->source[i].name;
    }
}

/* The numbers of those rules and tables that belong to the group; 0 for the others. */
static void find_incarnations(const struct pipeline *p, size_t r, uint32_t group, uint32_t *rule,
                              uint32_t *table)
{
    const struct program *prog = p->rules[r].prog;
    const struct generation *gen = p->rules[r].generation;

    for (uint32_t i = 0; i < prog->n_rules; i++) {
        const struct module_state *state = generation_rule(gen, prog->rule[i].name);
        rule[i] = state && p->map->rule[r][i] == group ? state->incarnation : 0;
    }
    for (uint32_t i = 0; i < prog->n_tables; i++) {
        const struct module_state *state = generation_table(gen, prog->table[i].name);
        table[i] = state && p->map->table[r][i] == group ? state->incarnation : 0;
    }
}

/*
 * Where an older version of a rule gives way to a newer one. Invariants:
 *  1. it lies at or behind all that the older one was given: the clocks are those of the checkpoint
 *     that holds the change, and of sources that were put together the latest counts. So no event of a
 *     window that starts behind it was given to the older version alone.
 *  2. both sides take the same: it is what all versions' groups say. Of one whose time is over that is the
 *     latest event: all that was open there is decided.
 *  3. it is found once: with the next checkpoint it is in both rules' records, and until then the
 *     clocks are the same.
 */
static int64_t find_border(const struct pipeline *p, const char *name, uint32_t group)
{
    int64_t border = p->clock_known[group] ? p->clock[group].shown : INT64_MIN;

    for (size_t r = 0; r < p->opt.n_rules; r++) {
        uint32_t number = program_rule_named(p->rules[r].prog, name);
        uint32_t other = number == UINT32_MAX || !generation_rule(p->rules[r].generation, name)
                             ? GROUP_NONE
                             : p->map->rule[r][number];
        if (other == GROUP_NONE || !p->clock_known[other])
            continue;
        border = p->clock[other].shown > border ? p->clock[other].shown : border;
    }
    return border;
}

static bool has_older(const struct pipeline *p, size_t r, const char *name)
{
    while (++r < p->opt.n_rules)
        if (generation_rule(p->rules[r].generation, name))
            return true;
    return false;
}

static void find_borders(const struct pipeline *p, size_t r, uint32_t group, int64_t *begins,
                         int64_t *ends)
{
    const struct program *prog = p->rules[r].prog;

    for (uint32_t i = 0; i < prog->n_rules; i++) {
        const char *name = prog->rule[i].name;
        begins[i] = has_older(p, r, name) ? find_border(p, name, group) : INT64_MIN;
        ends[i] = r > 0 && generation_rule(p->rules[r].generation, name)
                      ? find_border(p, name, group)
                      : INT64_MAX;
    }
}

/* The records of a table that several programs are fed are the newest's to write. */
static bool is_shared(const struct pipeline *p, size_t r, uint32_t incarnation)
{
    for (size_t newer = 0; newer < r; newer++)
        for (size_t i = 0; i < p->rules[newer].generation->n_tables; i++)
            if (p->rules[newer].generation->table[i].incarnation == incarnation)
                return true;
    return false;
}

static void make_engine(struct pipeline *p, size_t r, uint32_t group)
{
    struct program *prog = p->rules[r].prog;
    uint32_t *rule = mem_calloc(prog->n_rules + 1, sizeof *rule);
    uint32_t *table = mem_calloc(prog->n_tables + 1, sizeof *table);
    bool *shared = mem_calloc(prog->n_tables + 1, sizeof *shared);
    int64_t *begins = mem_calloc(prog->n_rules + 1, sizeof *begins);
    int64_t *ends = mem_calloc(prog->n_rules + 1, sizeof *ends);
    struct engine_attachment attachment = {
        .reader = {.read = read_records, .ctx = checkpoint_store(p->opt.checkpoint)},
        .rule_incarnation = rule,
        .table_incarnation = table,
        .table_shared = shared,
        .small_directories = failpoint_hit(FAILPOINT_small_directories) != 0,
        .draining = r > 0,
        .rule_begins = begins,
        .rule_ends = ends};
    struct shard_engine *engine = &p->engine[p->n_engines++];

    find_incarnations(p, r, group, rule, table);
    find_borders(p, r, group, begins, ends);
    for (uint32_t i = 0; i < prog->n_tables; i++)
        shared[i] = is_shared(p, r, table[i]);
    *engine = (struct shard_engine){.en = engine_new(prog),
                                    .prog = prog,
                                    .route = p->rules[r].route,
                                    .group = group,
                                    .generation = p->rules[r].generation->number,
                                    .over = p->over[group],
                                    .draining = r > 0,
                                    .source = p->group_source[group],
                                    .n_sources = p->n_group_sources[group]};
    engine_attach(engine->en, &attachment);
    if (p->clock_known[group])
        engine_clock_set(engine->en, &p->clock[group]);
    mem_free(rule);
    mem_free(table);
    mem_free(shared);
    mem_free(begins);
    mem_free(ends);
}

/* Which engine has the number: most have one, tables of drained rules may have several. */
struct owner {
    uint32_t incarnation;
    uint32_t engine;
};

struct restoring {
    struct pipeline *p;
    struct owner *owner; /* [n] by incarnation */
    size_t n, cap, last;
    const char *why;     /* what is damaged; NULL: nothing */
    char kind;           /* of the record that is damaged, */
    uint32_t number;     /* and its incarnation */
    struct buf from;     /* the key to go on with */
    bool jumps;          /* there: what is before it is not wanted */
    struct epoch *purge; /* removals, or NULL */
    size_t purged, records;
};

static void add_owner(struct restoring *rs, uint32_t incarnation, uint32_t engine)
{
    if (incarnation == 0)
        return;
    rs->owner = vec_reserve(rs->owner, &rs->cap, rs->n + 1, sizeof *rs->owner);
    rs->owner[rs->n++] = (struct owner){incarnation, engine};
}

static void make_engines(struct pipeline *p, struct restoring *rs)
{
    name_group_sources(p);
    p->engine = mem_calloc(p->opt.n_rules * p->map->n_groups + 1, sizeof *p->engine);
    for (size_t r = 0; r < p->opt.n_rules; r++) {
        const struct program *prog = p->rules[r].prog;
        uint32_t *rule = mem_calloc(prog->n_rules + 1, sizeof *rule);
        uint32_t *table = mem_calloc(prog->n_tables + 1, sizeof *table);
        for (uint32_t group = 0; group < p->map->n_groups; group++) {
            make_engine(p, r, group);
            find_incarnations(p, r, group, rule, table);
            for (uint32_t i = 0; i < prog->n_rules; i++)
                add_owner(rs, rule[i], (uint32_t)p->n_engines - 1);
            for (uint32_t i = 0; i < prog->n_tables; i++)
                add_owner(rs, table[i], (uint32_t)p->n_engines - 1);
        }
        mem_free(rule);
        mem_free(table);
    }
}

/* ---- records ---------------------------------------------------------------------------------- */

static void flush_purge(struct restoring *rs)
{
    if (!rs->purge)
        return;
    checkpoint_submit(rs->p->opt.checkpoint, rs->purge);
    rs->purge = NULL;
}

static void purge(struct restoring *rs, const void *key, size_t key_len)
{
    if (!rs->purge)
        rs->purge = epoch_new();
    store_batch_remove(rs->purge->batch, key, key_len);
    if (++rs->purged % PURGE_RECORDS == 0)
        flush_purge(rs);
}

static bool restore_into(struct restoring *rs, uint32_t engine, const void *key, size_t key_len,
                         const void *value, size_t len)
{
    return engine_restore_record(rs->p->engine[engine].en, (const char *)key + 1, key_len - 1, value,
                                 len, &rs->why);
}

static int by_incarnation(const void *a, const void *b)
{
    const struct owner *x = a, *y = b;

    return (x->incarnation > y->incarnation) - (x->incarnation < y->incarnation);
}

/* Records of one number come together: the place is remembered. */
static size_t first_owner(struct restoring *rs, uint32_t incarnation)
{
    size_t low = 0, high = rs->n;

    if (rs->last < rs->n && rs->owner[rs->last].incarnation == incarnation)
        return rs->last;
    while (low < high) {
        size_t mid = low + (high - low) / 2;
        if (rs->owner[mid].incarnation < incarnation)
            low = mid + 1;
        else
            high = mid;
    }
    rs->last = low;
    return low;
}

/* Records of keys that a directory knows are passed over: a start need not read them all. */
static bool passes_over(struct restoring *rs, char kind, uint32_t incarnation)
{
    size_t owner = kind == 'P' ? first_owner(rs, incarnation) : rs->n;

    if (owner == rs->n || rs->owner[owner].incarnation != incarnation || incarnation == UINT32_MAX ||
        !engine_restore_knows(rs->p->engine[rs->owner[owner].engine].en, incarnation))
        return false;
    buf_clear(&rs->from);
    buf_addc(&rs->from, SAVED_ENGINE);
    buf_addc(&rs->from, kind);
    for (int shift = 24; shift >= 0; shift -= 8)
        buf_add_u8(&rs->from, (uint8_t)((incarnation + 1) >> shift));
    rs->jumps = true;
    return true;
}

/* Key: space, kind, incarnation (4 bytes, big endian) ...; of exceptions: space, 'X', title. */
static bool restore_record(void *ctx, const void *key, size_t key_len, const void *value,
                           size_t len)
{
    struct restoring *rs = ctx;
    const uint8_t *k = key;
    bool ok = true, found = false;

    rs->why = NULL;
    if (rs->p->opt.progress)
        rs->p->opt.progress(rs->p->opt.progress_ctx);
    if (key_len >= 2 && k[1] == 'X') {
        for (uint32_t e = 0; e < rs->p->n_engines && ok; e++)
            if (!rs->p->engine[e].draining)
                return restore_into(rs, e, key, key_len, value, len);
        return true;
    }
    if (key_len < 6) {
        rs->why = "a key is too short";
        return false;
    }
    uint32_t incarnation = (uint32_t)k[2] << 24 | (uint32_t)k[3] << 16 | (uint32_t)k[4] << 8 | k[5];
    if (passes_over(rs, (char)k[1], incarnation))
        return false;
    rs->records++;
    for (size_t i = first_owner(rs, incarnation);
         ok && i < rs->n && rs->owner[i].incarnation == incarnation; i++) {
        found = true;
        ok = restore_into(rs, rs->owner[i].engine, key, key_len, value, len);
    }
    if (!found)
        purge(rs, key, key_len);
    rs->kind = (char)k[1];
    rs->number = incarnation;
    return ok;
}

static const char *name_of(const struct pipeline *p, uint32_t incarnation)
{
    for (size_t r = 0; r < p->opt.n_rules; r++) {
        const struct generation *gen = p->rules[r].generation;
        for (size_t i = 0; i < gen->n_rules; i++)
            if (gen->rule[i].incarnation == incarnation)
                return gen->rule[i].name;
        for (size_t i = 0; i < gen->n_tables; i++)
            if (gen->table[i].incarnation == incarnation)
                return gen->table[i].name;
    }
    return "nobody";
}

static bool read_all(struct restoring *rs, struct buf *why)
{
    static const char prefix = SAVED_ENGINE;
    struct store *store = checkpoint_store(rs->p->opt.checkpoint);
    bool ok;

    buf_init(&rs->from);
    buf_addc(&rs->from, prefix);
    do {
        rs->jumps = false;
        ok = store_read_from(store, &prefix, 1, rs->from.data, rs->from.len, restore_record, rs,
                             why) == STORE_OK;
    } while (ok && rs->jumps);
    buf_fini(&rs->from);
    return ok;
}

static void tell_mended(const struct pipeline *p)
{
    struct buf field;

    for (size_t i = 0; i < p->n_engines; i++) {
        if (!engine_mended(p->engine[i].en))
            continue;
        buf_init(&field);
        log_field(&field, "why", engine_mended(p->engine[i].en));
        log_line(LOG_WARNING, LOG_engine, "state was mended", "%s", field.data);
        buf_fini(&field);
    }
}

bool pipeline_restore(struct pipeline *p, struct buf *why)
{
    struct restoring rs = {.p = p};
    bool ok;

    make_engines(p, &rs);
    if (rs.n > 1)
        qsort(rs.owner, rs.n, sizeof *rs.owner, by_incarnation);
    ok = read_all(&rs, why);
    if (ok && rs.why) {
        buf_printf(why, "the state of %s is damaged: %s (record %c%" PRIu32 ")",
                   name_of(p, rs.number), rs.why, rs.kind, rs.number);
        ok = false;
    }
    flush_purge(&rs);
    for (size_t i = 0; i < p->n_engines && ok; i++)
        engine_restore_end(p->engine[i].en);
    tell_mended(p);
    if (ok && rs.records > 0)
        log_line(LOG_INFO, LOG_engine, "state is there", "records=%zu removed=%zu", rs.records,
                 rs.purged);
    mem_free(rs.owner);
    return ok;
}

void pipeline_drop_engines(struct pipeline *p)
{
    for (size_t i = 0; i < p->n_engines; i++)
        engine_free(&p->engine[i].en);
    mem_free(p->engine);
    for (uint32_t g = 0; p->group_source && g < p->n_groups; g++)
        mem_free(p->group_source[g]);
    mem_free(p->group_source);
    mem_free(p->n_group_sources);
}

void pipeline_drop_batches(struct pipeline *p)
{
    struct batch *batch;

    while ((batch = queue_pop(p->batches, 0)) != NULL) {
        barrier_free(&batch->barrier);
        batch_free(&batch);
    }
    queue_free(&p->batches);
}
