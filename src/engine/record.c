// SPDX-License-Identifier: Apache-2.0
/* record - see record.h: what changed, epochs, what may leave memory. */
#include "engine/record.h"

#include <stdlib.h>

#include "base/arena.h"
#include "base/hash.h"
#include "base/mem.h"
#include "engine/record_priv.h"

enum { LINK_BYTES = 64 }; /* about what a changed thing costs besides what it is charged */
enum { MOST_IDLE = 1 << 20 }; /* bytes of a buffer that is kept for the next epoch */
enum { ALL = 1024, MOST_RATIO = 4 * ALL, TELLING = 64 << 10 };

/* ---- lists ---------------------------------------------------------------------------------- */

/* The barrier moves a whole list from CHANGED to CLOSING without touching what is in it. */
static enum record_where record_where(const struct records *r, const struct record_link *link)
{
    bool is_closed = link->where == RECORD_CHANGED && link->epoch != r->epoch;
    return is_closed ? RECORD_CLOSING : (enum record_where)link->where;
}

void record_append(struct record_list *list, struct record_link *link, enum record_where where)
{
    link->where = where;
    link->prev = list->last;
    link->next = NULL;
    if (list->last != NULL)
        list->last->next = link;
    else
        list->first = link;
    list->last = link;
}

static struct record_list *list_of(struct records *r, const struct record_link *link)
{
    switch (record_where(r, link)) {
    case RECORD_CHANGED: return &r->changed;
    case RECORD_CLOSING: return &r->closing;
    case RECORD_CLEAN: return &r->clean;
    case RECORD_NONE: break;
    }
    return NULL;
}

void record_take(struct records *r, struct record_link *link)
{
    struct record_list *list = list_of(r, link);
    link->where = RECORD_NONE;
    if (list == NULL)
        return;
    if (link->prev != NULL)
        link->prev->next = link->next;
    else
        list->first = link->next;
    if (link->next != NULL)
        link->next->prev = link->prev;
    else
        list->last = link->prev;
}

struct part_record *record_of(const struct partition *part)
{
    return (struct part_record *)(void *)((char *)(uintptr_t)part + part->block -
                                          sizeof(struct part_record));
}

size_t record_part_size(void)
{
    return sizeof(struct part_record);
}

/* ---- what changes --------------------------------------------------------------------------- */

void record_link_touch(struct records *r, struct record_link *link)
{
    enum record_where where = record_where(r, link);
    if (where == RECORD_CHANGED)
        return;
    if (where == RECORD_CLOSING)
        record_encode(r, link);
    record_take(r, link);
    link->epoch = r->epoch;
    record_append(&r->changed, link, RECORD_CHANGED);
    r->changed_bytes += LINK_BYTES;
}

void record_link_gone(struct records *r, struct record_link *link)
{
    record_link_touch(r, link);
    record_take(r, link);
    r->changed_bytes -= LINK_BYTES;
    if (link->stored)
        record_bury(r, link);
}

/* What was charged since the mark is that key's. */
static void record_settle(struct rule_state *rs)
{
    struct rule_records *rr = rs->records;
    if (rr->charging != NULL) {
        struct part_record *rec = record_of(rr->charging);
        uint64_t more = rs->stats.bytes - rr->mark;
        rec->charge += more;
        if (record_where(rr->all, &rec->link) == RECORD_CHANGED)
            rr->all->changed_bytes += more;
    }
    rr->mark = rs->stats.bytes;
}

void record_charge_none(struct rule_state *rs)
{
    if (rs->records == NULL)
        return;
    record_settle(rs);
    rs->records->charging = NULL;
}

void record_uncharged(struct rule_state *rs, int64_t bytes)
{
    if (rs->records != NULL)
        rs->records->mark += (uint64_t)bytes;
}

void record_touch(struct partition *part)
{
    struct rule_state *rs = part->rs;
    struct rule_records *rr = rs->records;
    struct part_record *rec = record_of(part);
    bool is_changed = record_where(rr->all, &rec->link) == RECORD_CHANGED;
    if (rr->charging == part && is_changed)
        return;
    record_settle(rs);
    if (!is_changed) {
        record_link_touch(rr->all, &rec->link);
        rr->all->changed_bytes += rec->charge;
    }
    rr->charging = part; /* behind the touch, which may have encoded it */
    rr->mark = rs->stats.bytes;
}

void record_new(struct partition *part)
{
    struct rule_state *rs = part->rs;
    struct rule_records *rr = rs->records;
    struct part_record *rec = record_of(part);
    *rec = (struct part_record){.link = {.kind = RECORD_KEY}, .part = part, .due = NO_DUE};
    record_settle(rs);
    rr->charging = part;
    rr->all->n_keys++;
    if (!rr->all->loading)
        record_link_touch(rr->all, &rec->link);
}

void record_gone(struct partition *part)
{
    struct records *r = part->rs->records->all;
    struct part_record *rec = record_of(part);
    record_touch(part);
    record_charge_none(part->rs);
    r->changed_bytes -= rec->charge;
    record_link_gone(r, &rec->link);
    mem_free(rec->chunks);
    r->n_keys--;
}

/* ---- attached ------------------------------------------------------------------------------- */

void engine_attach(struct engine *en, const struct engine_attachment *attachment)
{
    struct records *r = en->records = mem_calloc(1, sizeof *r);
    r->en = en;
    r->reader = attachment->reader;
    r->epoch = 1;
    directory_init(r, attachment->small_directories);
    r->rule = mem_calloc(en->prog->n_rules + 1, sizeof *r->rule);
    r->table = mem_calloc(en->prog->n_tables + 1, sizeof *r->table);
    for (uint32_t i = 0; i < en->prog->n_rules; i++) {
        r->rule[i] = (struct rule_records){.all = r,
                                           .incarnation = attachment->rule_incarnation[i]};
        en->rule[i].off = r->rule[i].incarnation == 0;
        en->rule[i].records = r->rule[i].incarnation != 0 ? &r->rule[i] : NULL;
    }
    for (uint32_t i = 0; i < en->prog->n_tables; i++) {
        struct fed_table *t = &en->tables.table[i];
        r->table[i] = (struct table_records){.all = r,
                                             .incarnation = attachment->table_incarnation[i]};
        r->table[i].shared = attachment->table_shared != NULL && attachment->table_shared[i];
        t->records = t->index != NULL && r->table[i].incarnation != 0 ? &r->table[i] : NULL;
    }
    drain_attach(en, attachment);
    encoding_init(&r->ec, en->prog);
    restore_init(&r->re, en);
    r->loading = true; /* until engine_restore_end */
}

void records_free(struct engine *en)
{
    struct records *r = en->records;
    if (r == NULL)
        return;
    for (uint32_t i = 0; i < en->prog->n_tables; i++)
        mem_free(r->table[i].column);
    for (uint32_t i = 0; i < en->prog->n_rules; i++) {
        directory_free(&r->rule[i].dir);
        mem_free(r->rule[i].found);
    }
    encoding_fini(&r->ec);
    restore_fini(&r->re);
    buf_fini(&r->gone);
    buf_fini(&r->gone_closing);
    buf_fini(&r->own);
    buf_fini(&r->key);
    buf_fini(&r->state);
    buf_fini(&r->value);
    mem_free(r->stub);
    mem_free(r->rule);
    mem_free(r->table);
    mem_free(r);
    en->records = NULL;
}

/* The engine is about to be freed: nothing is tracked any more. */
void records_detach(struct engine *en)
{
    if (en->records == NULL)
        return;
    for (uint32_t i = 0; i < en->prog->n_rules; i++) {
        struct rule_state *rs = &en->rule[i];
        for (size_t at = 0; rs->records != NULL && rs->parts.slot != NULL && at <= rs->parts.mask; at++) {
            struct partition *part = rs->parts.slot[at].part;
            if (part != NULL && !partition_is_stub(part))
                mem_free(record_of(part)->chunks);
        }
        rs->records = NULL;
    }
    for (uint32_t i = 0; i < en->prog->n_tables; i++)
        en->tables.table[i].records = NULL;
}

struct engine_clock engine_clock_get(const struct engine *en)
{
    return (struct engine_clock){.now = en->now, .since = en->since, .seq = en->seq, .newest = en->now,
                                 .shown = en->now, .behind = en->behind};
}

void engine_clock_set(struct engine *en, const struct engine_clock *clock)
{
    en->now = en->tables.now = clock->now;
    en->since = clock->since;
    en->newest = clock->newest;
    en->shown = clock->shown;
    en->behind = clock->behind;
    en->seq = clock->seq;
}

void record_broken(struct records *r, const char *why)
{
    if (r->broken == NULL)
        r->broken = why;
}

const char *engine_broken(const struct engine *en)
{
    return en->records != NULL ? en->records->broken : NULL;
}

const char *engine_mended(const struct engine *en)
{
    return en->records != NULL ? en->records->mended : NULL;
}

/* ---- epochs --------------------------------------------------------------------------------- */

void engine_epoch_close(struct engine *en, const struct record_writer *writer)
{
    struct records *r = en->records;
    if (r->is_closing) /* what it had left would be lost silently */
        abort();
    r->writer = writer;
    r->is_closing = true;
    for (uint32_t i = 0; i < en->prog->n_rules; i++) {
        record_charge_none(&en->rule[i]);
        if (en->rule[i].records != NULL)
            directory_close(r, &en->rule[i]);
    }
    r->directory_at = 0;
    r->closing = r->changed;
    r->changed = (struct record_list){0};
    struct buf empty = r->gone_closing;
    if (empty.cap > MOST_IDLE)
        buf_fini(&empty);
    buf_clear(&empty);
    r->gone_closing = r->gone;
    r->gone = empty;
    r->gone_at = 0;
    record_encode_own(r);
    r->epoch++;
    r->closing_bytes = r->changed_bytes;
    r->closing_from = r->written;
    r->changed_bytes = 0;
}

/* What was charged for an epoch against what it took in the store: a few tell enough of the next ones. */
static void learn_ratio(struct records *r)
{
    if (r->closing_bytes < TELLING)
        return;
    uint64_t is = (r->written - r->closing_from) * ALL / r->closing_bytes;
    is = is < MOST_RATIO ? is : MOST_RATIO;
    r->ratio = r->ratio == 0 ? is : (3 * r->ratio + is) / 4;
}

/* Whose it is; NULL: a table's. */
static struct rule_state *rule_of_link(struct record_link *link)
{
    switch ((enum record_kind)link->kind) {
    case RECORD_KEY: return ((struct part_record *)(void *)link)->part->rs;
    case RECORD_SUPPRESS: return ((struct suppress_entry *)(void *)link)->rs;
    case RECORD_ROW: break;
    }
    return NULL;
}

static void encode_timed(struct records *r, struct record_link *link)
{
    struct rule_state *rs = rule_of_link(link);
    int64_t began = rs != NULL ? piece_begin(&r->en->timer) : PIECE_UNTIMED;
    record_encode(r, link);
    if (rs != NULL)
        piece_end(&r->en->timer, began, &rs->stats.engine_ns);
}

bool engine_epoch_slice(struct engine *en, uint64_t most)
{
    struct records *r = en->records;
    if (!r->is_closing)
        return true;
    uint64_t until = most > UINT64_MAX - r->written ? UINT64_MAX : r->written + most;
    if (!record_write_gone(r, until) || !record_write_own(r, until))
        return false;
    struct record_ahead ahead;
    record_ahead_begin(&ahead, r->closing.first);
    while (r->closing.first != NULL) {
        if (r->written >= until)
            return false;
        record_ahead_next(&ahead);
        encode_timed(r, r->closing.first);
    }
    if (!directory_write(r, until))
        return false;
    r->is_closing = false;
    r->writer = NULL;
    r->complete++;
    learn_ratio(r);
    return true;
}

void engine_epoch_durable(struct engine *en)
{
    struct records *r = en->records;
    if (r->durable < r->complete)
        r->durable++;
}

uint64_t engine_changed_bytes(const struct engine *en)
{
    const struct records *r = en->records;
    return r->changed_bytes / ALL * (r->ratio != 0 ? r->ratio : ALL) + r->gone.len;
}

uint64_t engine_changed_memory(const struct engine *en)
{
    return en->records->changed_bytes + en->records->gone.len;
}

/* ---- memory --------------------------------------------------------------------------------- */

uint64_t engine_memory(const struct engine *en)
{
    const struct records *r = en->records;
    uint64_t bytes = r->n_keys * sizeof(struct part_record) - r->stub_bytes +
                     r->cap_heap * sizeof *r->stub + r->gone.cap + r->gone_closing.cap + r->own.cap;
    for (uint32_t i = 0; i < en->prog->n_rules; i++) {
        const struct partition_table *table = &en->rule[i].parts;
        bytes += en->rule[i].stats.bytes;
        bytes += table->slot != NULL ? (table->mask + 1) * sizeof *table->slot : 0;
    }
    for (uint32_t i = 0; i < en->prog->n_tables; i++) {
        const struct fed_table *t = &en->tables.table[i];
        bytes += t->bytes + (t->index != NULL ? hash_index_bytes(t->index) : 0);
    }
    return bytes;
}

uint64_t engine_loads(const struct engine *en)
{
    return en->records->loads;
}

void record_forget(struct records *r, struct partition *part, bool stub)
{
    struct rule_state *rs = part->rs;
    struct part_record *rec = record_of(part);
    record_charge_none(rs);
    struct engine_rule_stats saved = rs->stats;
    struct partition_slot *slot = partition_slot_of(part);
    uint64_t hash = part->hash;
    int64_t due = rec->due;
    record_take(r, &rec->link);
    mem_free(rec->chunks);
    r->n_keys--;
    r->stub_bytes += stub ? rec->charge : 0;
    partition_strip(r->en, part);
    if (stub) {
        slot->part = partition_of_tag(stub_place(due));
        r->n_stubs++;
        if (due != NO_DUE)
            stub_add(r, rs, hash, due);
    } else {
        partition_unplace(&rs->parts, slot);
    }
    partition_block_free(part);
    rs->stats = saved; /* what limits count does not depend on what is in memory */
    rs->records->mark = rs->stats.bytes;
}

void engine_evict(struct engine *en, uint64_t target)
{
    struct records *r = en->records;
    uint64_t bytes = engine_memory(en);
    while (bytes > target && r->clean.first != NULL && r->clean.first->epoch <= r->durable) {
        struct part_record *rec = (struct part_record *)(void *)r->clean.first;
        struct partition *part = rec->part;
        if (part->pins > 0)
            return;
        uint64_t less = rec->charge + sizeof *rec;
        struct rule_state *rs = part->rs;
        int64_t began = piece_begin(&en->timer);
        record_forget(r, part, true);
        piece_end(&en->timer, began, &rs->stats.engine_ns);
        bytes -= less < bytes ? less : bytes;
    }
}
