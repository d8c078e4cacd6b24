// SPDX-License-Identifier: Apache-2.0
/* directory - see directory.h: how it is written. */
#include "engine/directory.h"

#include <string.h>

#include "base/hash.h"
#include "base/mem.h"
#include "engine/directory_priv.h"

enum { MOST_IDLE = 64 << 10 }; /* changes for which there is room in the next epoch */

static const struct directory_sizes usual = {.from = 256,
                                             .page_keys = 2048,
                                             .part = 2048,
                                             .least_debt = 64 << 10,
                                             .least_pace = 256 << 10,
                                             .first_pace = 4 << 20};
static const struct directory_sizes small = {.from = 2,
                                             .page_keys = 3,
                                             .part = 3,
                                             .least_debt = 2 * RECORD_COST,
                                             .least_pace = 100,
                                             .first_pace = 200};

void directory_init(struct records *r, bool is_small)
{
    r->sizes = is_small ? small : usual;
}

uint64_t directory_check(uint64_t hash, uint64_t place)
{
    return hash_mix(hash, place);
}

void directory_sums_add(struct directory_sums *sums, uint64_t hash, uint64_t place, uint64_t runs,
                        uint64_t charge)
{
    sums->keys++;
    sums->runs += runs;
    sums->charge += charge;
    sums->check += directory_check(hash, place);
}

void directory_sums_less(struct directory_sums *sums, const struct directory_sums *less)
{
    sums->keys -= less->keys;
    sums->runs -= less->runs;
    sums->charge -= less->charge;
    sums->check -= less->check;
}

static void free_gone(struct gone *gone)
{
    for (size_t i = 0; gone != NULL && i < GONE_LISTS; i++)
        mem_free(gone->list[i].at);
    mem_free(gone);
}

void directory_free(struct directory **dirp)
{
    struct directory *dir = *dirp;
    if (dir == NULL)
        return;
    *dirp = NULL;
    directory_loading_free(&dir->loading);
    free_gone(dir->open);
    free_gone(dir->went);
    mem_free(dir->closing.at);
    mem_free(dir->records);
    mem_free(dir);
}

/* ---- keys of records ------------------------------------------------------------------------- */

static void add_big_endian(struct buf *out, uint64_t n, int bytes)
{
    for (int shift = 8 * (bytes - 1); shift >= 0; shift -= 8)
        buf_add_u8(out, (uint8_t)(n >> shift));
}

static void directory_key(struct buf *out, uint32_t incarnation, char what)
{
    record_prefix(out, 'D', incarnation);
    buf_addc(out, what);
}

static void directory_page_key(struct buf *out, uint32_t incarnation, uint64_t start)
{
    directory_key(out, incarnation, 'p');
    add_big_endian(out, start, 8);
}

static void directory_changes_key(struct buf *out, uint32_t incarnation, uint64_t epoch, uint32_t part)
{
    directory_key(out, incarnation, 'u');
    add_big_endian(out, epoch, 8);
    add_big_endian(out, part, 4);
}

/* ---- changes --------------------------------------------------------------------------------- */

static void add_change(struct changes *changes, uint64_t hash, uint64_t before, uint64_t after)
{
    changes->at = vec_reserve(changes->at, &changes->cap, changes->n + 1, sizeof *changes->at);
    changes->at[changes->n++] = (struct change){hash, before, after};
}

void directory_change(struct rule_records *rr, uint64_t hash, uint64_t before, uint64_t after)
{
    if (rr->dir != NULL && before != after)
        add_change(&rr->dir->closing, hash, before, after);
}

void directory_gone(struct rule_records *rr, uint64_t hash, uint64_t place)
{
    struct directory *dir = rr->dir;
    if (dir == NULL)
        return;
    if (dir->open == NULL)
        dir->open = mem_calloc(1, sizeof *dir->open);
    add_change(&dir->open->list[hash >> (64 - GONE_BITS)], hash, place, 0);
    dir->open->n++;
}

static void begin_sweep(const struct records *r, const struct rule_state *rs,
                        struct directory *dir)
{
    dir->sweeping = true;
    dir->cursor = 0;
    dir->sweep_from = dir->epoch;
    dir->next_bits = 0;
    while (dir->next_bits < MOST_BITS && rs->parts.n >> dir->next_bits > r->sizes.page_keys)
        dir->next_bits++;
}

static void empty_changes(struct changes *changes)
{
    changes->n = 0;
    if (changes->cap <= MOST_IDLE)
        return;
    mem_free(changes->at);
    *changes = (struct changes){0};
}

void directory_close(struct records *r, struct rule_state *rs)
{
    struct rule_records *rr = rs->records;
    struct directory *dir = rr->dir;
    directory_sums_less(&rr->stored, &rr->gone);
    rr->gone = (struct directory_sums){0};
    if (dir == NULL && rs->parts.n >= r->sizes.from) {
        dir = rr->dir = mem_calloc(1, sizeof *dir);
        dir->epoch = 1;
        begin_sweep(r, rs, dir);
    } else if (dir != NULL) {
        free_gone(dir->went);
        dir->went = dir->open;
        dir->open = NULL;
        empty_changes(&dir->closing);
        dir->epoch++;
    } else {
        return;
    }
    dir->list = dir->written = 0;
    dir->planned = dir->moved = false;
}

/* The list that is written next; NULL: all are. */
static const struct changes *list_of(struct directory *dir)
{
    for (; dir->list <= GONE_LISTS; dir->list++, dir->written = 0) {
        const struct changes *list = &dir->closing;
        if (dir->list < GONE_LISTS)
            list = dir->went != NULL ? &dir->went->list[dir->list] : NULL;
        if (list != NULL && dir->written < list->n)
            return list;
    }
    return NULL;
}

static void write_changes(struct records *r, const struct rule_records *rr, struct directory *dir)
{
    struct change_records *last = dir->n_records > 0 ? &dir->records[dir->n_records - 1] : NULL;
    const struct changes *list;
    if (last == NULL || last->epoch != dir->epoch) {
        dir->records = vec_reserve(dir->records, &dir->cap_records, dir->n_records + 1,
                                   sizeof *dir->records);
        last = &dir->records[dir->n_records++];
        *last = (struct change_records){.epoch = dir->epoch};
    }
    buf_clear(&r->value);
    buf_add_u8(&r->value, DIRECTORY_VERSION);
    for (size_t i = 0; i < r->sizes.part && (list = list_of(dir)) != NULL; i++) {
        const struct change *change = &list->at[dir->written++];
        buf_add_u64(&r->value, change->hash);
        buf_add_u64(&r->value, change->before);
        buf_add_u64(&r->value, change->after);
    }
    directory_changes_key(&r->key, rr->incarnation, dir->epoch, last->parts++);
    record_put(r, &r->key, r->value.data, r->value.len);
    uint64_t cost = r->key.len + r->value.len + RECORD_COST;
    last->cost += cost;
    dir->debt += cost;
    dir->moved = true;
}

/* ---- pages ----------------------------------------------------------------------------------- */

/* Where the store has the key of the slot; 0: nowhere. */
static uint64_t place_of(const struct partition_slot *slot)
{
    if (partition_is_stub(slot->part))
        return (uint64_t)(uintptr_t)slot->part;
    const struct part_record *rec = record_of(slot->part);
    return rec->link.stored ? stub_place(rec->due) : 0;
}

static void add_place(struct buf *out, uint64_t hash, uint64_t place)
{
    buf_add_u64(out, hash);
    buf_add_u64(out, place);
}

/* The keys from start to last stand between their homes in the table, or in the slots in use behind. */
static void add_places(const struct partition_table *table, uint64_t start, uint64_t last,
                       struct buf *out)
{
    if (table->slot == NULL)
        return;
    size_t at = partition_home(table, start), end = partition_home(table, last);
    for (size_t i = 0; i <= table->mask; i++) {
        const struct partition_slot *slot = &table->slot[(at + i) & table->mask];
        if (slot->part == NULL && i >= end - at)
            return;
        uint64_t place = slot->part != NULL && slot->hash >= start && slot->hash <= last
                             ? place_of(slot)
                             : 0;
        if (place != 0)
            add_place(out, slot->hash, place);
    }
}

/* Those that the store has nevertheless, until the next epoch. */
static void add_gone(const struct gone *gone, uint64_t start, uint64_t last, struct buf *out)
{
    size_t list = (size_t)(start >> (64 - GONE_BITS)), end = (size_t)(last >> (64 - GONE_BITS));
    for (; list <= end; list++) {
        const struct changes *changes = &gone->list[list];
        for (size_t i = 0; i < changes->n; i++) {
            const struct change *change = &changes->at[i];
            if (change->hash >= start && change->hash <= last)
                add_place(out, change->hash, change->before);
        }
    }
}

static void write_page(struct records *r, const struct rule_state *rs, const struct directory *dir,
                       uint64_t start)
{
    uint64_t last = start + (directory_span(dir->next_bits) - 1);
    buf_clear(&r->value);
    buf_add_u8(&r->value, DIRECTORY_VERSION);
    buf_add_u64(&r->value, dir->epoch);
    add_places(&rs->parts, start, last, &r->value);
    if (dir->open != NULL)
        add_gone(dir->open, start, last, &r->value);
    directory_page_key(&r->key, rs->records->incarnation, start);
    record_put(r, &r->key, r->value.data, r->value.len);
}

/* Changes that all pages know. */
static void drop_changes(struct records *r, const struct rule_records *rr, struct directory *dir)
{
    size_t n = 0;
    for (size_t i = 0; i < dir->n_records; i++) {
        const struct change_records *of = &dir->records[i];
        if (of->epoch > dir->sweep_from) {
            dir->records[n++] = *of;
            continue;
        }
        dir->debt -= of->cost;
        for (uint32_t part = 0; part < of->parts; part++) {
            directory_changes_key(&r->key, rr->incarnation, of->epoch, part);
            record_remove(r, r->key.data, r->key.len);
        }
    }
    dir->n_records = n;
}

static void end_sweep(struct records *r, const struct rule_records *rr, struct directory *dir)
{
    dir->whole = true;
    dir->sweeping = false;
    dir->bits = dir->next_bits;
    drop_changes(r, rr, dir);
}

/* New pages that take the place of whole old ones. */
static void write_unit(struct records *r, const struct rule_state *rs, struct directory *dir)
{
    const struct rule_records *rr = rs->records;
    uint8_t old_bits = dir->whole ? dir->bits : dir->next_bits;
    uint8_t unit_bits = old_bits < dir->next_bits ? old_bits : dir->next_bits;
    uint64_t n = UINT64_C(1) << (dir->next_bits - unit_bits);
    uint64_t before = r->written;
    for (uint64_t i = 0; i < n; i++)
        write_page(r, rs, dir, dir->cursor + i * directory_span(dir->next_bits));
    for (uint64_t i = 1; i < UINT64_C(1) << (old_bits - unit_bits); i++) {
        directory_page_key(&r->key, rr->incarnation, dir->cursor + i * directory_span(old_bits));
        record_remove(r, r->key.data, r->key.len);
    }
    uint64_t bytes = r->written - before;
    dir->budget -= bytes < dir->budget ? bytes : dir->budget;
    dir->moved = true;
    dir->cursor += directory_span(unit_bits);
    if (dir->cursor == 0)
        end_sweep(r, rr, dir);
}

/* A sweep is to end before there are as many changes again. */
static void plan(const struct records *r, const struct rule_state *rs, struct directory *dir)
{
    uint64_t pages = rs->records->stored.keys * PLACE_BYTES;
    uint64_t n = dir->closing.n + (dir->went != NULL ? dir->went->n : 0);
    uint64_t pace = 4 * n * CHANGE_BYTES;
    uint64_t least = dir->whole ? r->sizes.least_pace : r->sizes.first_pace;
    dir->planned = true;
    if (!dir->sweeping && dir->debt >= r->sizes.least_debt && dir->debt >= pages)
        begin_sweep(r, rs, dir);
    dir->budget = pace > least ? pace : least;
}

/* ---- all of an epoch ------------------------------------------------------------------------- */

static void write_head(struct records *r, struct rule_records *rr, struct directory *dir)
{
    buf_clear(&r->value);
    buf_add_u8(&r->value, DIRECTORY_VERSION);
    buf_add_u8(&r->value, dir->whole);
    buf_add_u8(&r->value, dir->sweeping);
    buf_add_u8(&r->value, dir->bits);
    buf_add_u8(&r->value, dir->next_bits);
    buf_add_u64(&r->value, dir->cursor);
    buf_add_u64(&r->value, dir->sweep_from);
    buf_add_u64(&r->value, dir->epoch);
    buf_add_u64(&r->value, rr->stored.keys);
    buf_add_u64(&r->value, rr->stored.runs);
    buf_add_u64(&r->value, rr->stored.charge);
    buf_add_u64(&r->value, rr->stored.check);
    buf_add_u64(&r->value, hash64(r->value.data, r->value.len, 0));
    directory_key(&r->key, rr->incarnation, 'h');
    record_put(r, &r->key, r->value.data, r->value.len);
    dir->told = rr->stored;
}

static bool write_rule(struct records *r, const struct rule_state *rs, uint64_t until)
{
    struct rule_records *rr = rs->records;
    struct directory *dir = rr->dir;
    for (; list_of(dir) != NULL; write_changes(r, rr, dir)) {
        if (r->written >= until)
            return false;
    }
    if (!dir->planned)
        plan(r, rs, dir);
    for (; dir->sweeping && dir->budget > 0; write_unit(r, rs, dir)) {
        if (r->written >= until)
            return false;
    }
    if (dir->moved || memcmp(&dir->told, &rr->stored, sizeof dir->told) != 0)
        write_head(r, rr, dir);
    return true;
}

bool directory_write(struct records *r, uint64_t until)
{
    for (; r->directory_at < r->en->prog->n_rules; r->directory_at++) {
        const struct rule_state *rs = &r->en->rule[r->directory_at];
        if (rs->records != NULL && rs->records->dir != NULL && !write_rule(r, rs, until))
            return false;
    }
    return true;
}
