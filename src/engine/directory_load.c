// SPDX-License-Identifier: Apache-2.0
/*
 * directory_load - see directory.h: how it is read. Its records come in the order of their keys: head, pages
 * by hash, changes by epoch. What does not fit together makes it bad, never the start: then it is removed,
 * and the records of keys are read.
 */
#include "engine/directory.h"

#include "base/hash.h"
#include "base/mem.h"
#include "base/reader.h"
#include "engine/directory_priv.h"

enum { CHANGES_AHEAD = 16 };
#define MOST (UINT64_C(1) << 48) /* of a sum */

void directory_loading_free(struct directory_loading **loading)
{
    struct directory_loading *lo = *loading;
    if (lo == NULL)
        return;
    *loading = NULL;
    buf_fini(&lo->keys);
    mem_free(lo->page);
    mem_free(lo->place);
    mem_free(lo);
}

static uint64_t big_endian(struct reader *r, int bytes)
{
    uint64_t n = 0;
    while (bytes-- > 0)
        n = n << 8 | reader_u8(r);
    return n;
}

/* ---- records --------------------------------------------------------------------------------- */

bool directory_head_read(struct directory *dir, struct reader *r)
{
    struct directory_loading *lo = dir->loading;
    const void *head = r->p;
    size_t len = reader_left(r);
    uint8_t version = reader_u8(r), whole = reader_u8(r), sweeping = reader_u8(r);
    dir->whole = whole == 1;
    dir->sweeping = sweeping == 1;
    dir->bits = reader_u8(r);
    dir->next_bits = reader_u8(r);
    dir->cursor = reader_u64(r);
    dir->sweep_from = reader_u64(r);
    dir->epoch = reader_u64(r);
    lo->sums.keys = reader_u64(r);
    lo->sums.runs = reader_u64(r);
    lo->sums.charge = reader_u64(r);
    lo->sums.check = reader_u64(r);
    uint64_t hash = reader_u64(r);
    lo->has_head = true;
    return !r->bad && hash == hash64(head, len - sizeof hash, 0) && reader_left(r) == 0 && version == DIRECTORY_VERSION && whole <= 1 &&
           sweeping <= 1 && dir->bits <= MOST_BITS && dir->next_bits <= MOST_BITS &&
           dir->sweep_from <= dir->epoch && lo->sums.runs < MOST && lo->sums.charge < MOST;
}

bool directory_page_read(struct directory *dir, uint64_t start, struct reader *r)
{
    struct directory_loading *lo = dir->loading;
    uint8_t version = reader_u8(r);
    uint64_t epoch = reader_u64(r);
    size_t n = reader_left(r) / PLACE_BYTES;
    if (r->bad || version != DIRECTORY_VERSION || reader_left(r) % PLACE_BYTES != 0 || lo->placed ||
        epoch > dir->epoch || (lo->n_pages > 0 && lo->page[lo->n_pages - 1].start >= start))
        return false;
    lo->page = vec_reserve(lo->page, &lo->cap_pages, lo->n_pages + 1, sizeof *lo->page);
    lo->page[lo->n_pages++] = (struct directory_page){start, epoch};
    lo->place = vec_reserve(lo->place, &lo->cap_places, lo->n_places + n, sizeof *lo->place);
    for (size_t i = 0; i < n; i++) {
        struct record_place *place = &lo->place[lo->n_places++];
        place->hash = reader_u64(r);
        place->place = reader_u64(r);
        if ((place->place & 1) == 0)
            return false;
    }
    return true;
}

bool directory_has_all_pages(const struct directory *dir)
{
    const struct directory_loading *lo = dir->loading;
    uint64_t start = 0;
    for (size_t i = 0; i < lo->n_pages; i++) {
        bool is_new = dir->sweeping && start < dir->cursor;
        if (lo->page[i].start != start || (i > 0 && start == 0))
            return false;
        start += directory_span(is_new ? dir->next_bits : dir->bits);
    }
    return lo->n_pages > 0 && start == 0;
}

static bool place_pages(struct rule_state *rs, struct directory *dir)
{
    struct directory_loading *lo = dir->loading;
    lo->placed = true;
    if (!lo->has_head || !dir->whole || !directory_has_all_pages(dir) || rs->parts.n > 0)
        return false;
    partition_reserve(rs, lo->n_places);
    for (size_t i = 0; i < lo->n_places; i++)
        partition_stub_add(rs, lo->place[i].hash, lo->place[i].place);
    mem_free(lo->place);
    lo->place = NULL;
    lo->n_places = lo->cap_places = 0;
    return true;
}

uint64_t directory_page_epoch(const struct directory_loading *lo, uint64_t hash)
{
    size_t low = 0, high = lo->n_pages; /* the first page starts at 0 */
    while (high - low > 1) {
        size_t mid = low + (high - low) / 2;
        if (lo->page[mid].start <= hash)
            low = mid;
        else
            high = mid;
    }
    return lo->page[low].epoch;
}

static bool apply(struct rule_state *rs, uint64_t hash, uint64_t before, uint64_t after)
{
    if (before == 0) {
        partition_stub_add(rs, hash, after);
        return after != 0;
    }
    struct partition_slot *slot = partition_stub(&rs->parts, hash, before);
    if (slot == NULL)
        return false;
    if (after == 0)
        partition_unplace(&rs->parts, slot);
    else
        slot->part = partition_of_tag(after);
    return true;
}

bool directory_note_changes(struct directory *dir, uint64_t epoch, uint64_t part, size_t len)
{
    struct change_records *last = dir->n_records > 0 ? &dir->records[dir->n_records - 1] : NULL;
    if (last != NULL && last->epoch == epoch) {
        if (part != last->parts)
            return false;
    } else {
        if (part != 0 || epoch > dir->epoch || (last != NULL && last->epoch > epoch))
            return false;
        dir->records = vec_reserve(dir->records, &dir->cap_records, dir->n_records + 1,
                                   sizeof *dir->records);
        last = &dir->records[dir->n_records++];
        *last = (struct change_records){.epoch = epoch};
    }
    last->parts++;
    last->cost += len + RECORD_COST;
    dir->debt += len + RECORD_COST;
    return true;
}

/* Changes are of keys anywhere in the table: a miss each, so it is asked for some changes before. (A start with
 * 10^7 keys: 2.3 s, 2.5 s without it.) */
static void look_ahead(const struct rule_state *rs, const struct reader *r)
{
    struct reader ahead;
    if (reader_left(r) < (CHANGES_AHEAD + 1) * CHANGE_BYTES)
        return;
    reader_init(&ahead, r->p + CHANGES_AHEAD * CHANGE_BYTES, CHANGE_BYTES);
    partition_prefetch(&rs->parts, reader_u64(&ahead));
}

static bool read_changes(struct rule_state *rs, struct directory *dir, uint64_t epoch, uint64_t part,
                         struct reader *r)
{
    const struct directory_loading *lo = dir->loading;
    bool ok = directory_note_changes(dir, epoch, part, reader_left(r));
    if (!dir->whole)
        return ok;
    uint8_t version = reader_u8(r);
    ok = ok && !r->bad && version == DIRECTORY_VERSION && reader_left(r) % CHANGE_BYTES == 0 &&
         (lo->placed || place_pages(rs, dir));
    while (ok && reader_left(r) > 0) {
        look_ahead(rs, r);
        uint64_t hash = reader_u64(r), before = reader_u64(r), after = reader_u64(r);
        ok = (before == 0 || (before & 1) != 0) && (after == 0 || (after & 1) != 0);
        if (ok && epoch > directory_page_epoch(lo, hash))
            ok = apply(rs, hash, before, after);
    }
    return ok;
}

bool directory_restore(struct records *r, struct rule_state *rs, struct reader *key,
                       struct reader *value)
{
    struct rule_records *rr = rs->records;
    struct reader whole = *key;
    uint8_t what = reader_u8(key);
    if (rr->dir == NULL) {
        rr->dir = mem_calloc(1, sizeof *rr->dir);
        rr->dir->loading = mem_calloc(1, sizeof *rr->dir->loading);
        buf_init(&rr->dir->loading->keys);
    }
    struct directory *dir = rr->dir;
    if (dir->loading == NULL) /* they came before */
        return false;
    record_prefix(&r->key, 'D', rr->incarnation);
    buf_add(&r->key, whole.p, reader_left(&whole));
    buf_add_bytes(&dir->loading->keys, r->key.data, r->key.len);
    uint64_t first = what != 'h' ? big_endian(key, 8) : 0;
    uint64_t second = what == 'u' ? big_endian(key, 4) : 0;
    if (key->bad || reader_left(key) > 0)
        return false;
    bool ok = !dir->loading->bad;
    switch (what) {
    case 'h': ok = ok && directory_head_read(dir, value); break;
    case 'p': ok = ok && directory_page_read(dir, first, value); break;
    case 'u': ok = ok && read_changes(rs, dir, first, second, value); break;
    default: return false;
    }
    dir->loading->bad = !ok;
    return true;
}

/* ---- all of them ----------------------------------------------------------------------------- */

static void discard(struct records *r, struct rule_state *rs)
{
    struct directory_loading *lo = rs->records->dir->loading;
    if (rs->records->dir->whole || lo->bad)
        r->mended = "the directory of a rule's keys does not add up: their records were read";
    buf_add(&r->gone, lo->keys.data, lo->keys.len);
    partition_table_fini(&rs->parts);
    directory_free(&rs->records->dir);
}

static bool adds_up(const struct rule_state *rs, const struct directory_sums *sums)
{
    uint64_t check = 0;
    for (size_t i = 0; rs->parts.slot != NULL && i <= rs->parts.mask; i++) {
        const struct partition_slot *slot = &rs->parts.slot[i];
        if (slot->part != NULL)
            check += directory_check(slot->hash, (uint64_t)(uintptr_t)slot->part);
    }
    return rs->parts.n == sums->keys && check == sums->check;
}

bool directory_settle(struct records *r, struct rule_state *rs)
{
    struct rule_records *rr = rs->records;
    struct directory *dir = rr->dir;
    if (dir == NULL)
        return false;
    struct directory_loading *lo = dir->loading;
    if (lo == NULL)
        return true;
    lo->bad = lo->bad || !lo->has_head || (!lo->placed && dir->whole && !place_pages(rs, dir)) ||
              (dir->whole && !adds_up(rs, &lo->sums));
    if (lo->bad || !dir->whole) {
        discard(r, rs);
        return false;
    }
    rr->stored = dir->told = lo->sums;
    directory_loading_free(&dir->loading);
    stub_add_all(r, rs);
    r->n_stubs += rr->stored.keys;
    r->stub_bytes += rr->stored.charge;
    rs->stats.keys += rr->stored.keys;
    rs->stats.runs += rr->stored.runs;
    rs->stats.bytes += rr->stored.charge;
    return true;
}
