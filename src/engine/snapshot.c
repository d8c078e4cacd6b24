// SPDX-License-Identifier: Apache-2.0
/*
 * snapshot - a whole engine out and in. Layout of version 2:
 *
 *   "TSNP" version now since seq
 *   rules: n, then each
 *     name, counters, `limit alerts` period, since, begins, ends, exceptions' titles and counts, the body's own
 *     suppress entries: n, then key bytes, last, due, held
 *     partitions: n, then each (snapshot_partition.c)
 *   tables that events feed: n, then each (table.c)
 */
#include "engine/snapshot.h"

#include <string.h>

#include "base/arena.h"
#include "base/buf.h"
#include "base/mem.h"
#include "base/reader.h"
#include "engine/body.h"
#include "engine/engine_priv.h"
#include "engine/exception.h"
#include "event/json_decode.h"

static const char magic[4] = {'T', 'S', 'N', 'P'};

enum { N_COUNTERS = 14 };

/* The counters that go on over a restart, in the order in which they are coded. */
static void counters_of(struct engine_rule_stats *st, uint64_t *field[N_COUNTERS])
{
    uint64_t *all[N_COUNTERS] = {&st->events, &st->no_key, &st->alerts, &st->suppressed,
                        &st->limited_runs, &st->limited_events, &st->limited_state,
                        &st->limited_alerts, &st->type_clash, &st->regex_limit, &st->excepted,
                        &st->limited_values, &st->limited_matches, &st->limited_keys};
    memcpy(field, all, sizeof all);
}

void rule_encode(struct buf *out, const struct engine *en, const struct rule_state *rs)
{
    uint64_t *counter[N_COUNTERS];
    struct engine_rule_stats stats;
    engine_stats(en, rs->rule->number, &stats);
    counters_of(&stats, counter);
    for (int i = 0; i < N_COUNTERS; i++)
        buf_add_varint(out, *counter[i]);
    buf_add_u8(out, rs->limit.deadline.queue != NULL);
    buf_add_u64(out, (uint64_t)rs->limit.start);
    buf_add_u64(out, (uint64_t)rs->limit.deadline.due);
    buf_add_varint(out, rs->limit.told);
    buf_add_varint(out, rs->limit.held);
    buf_add_u64(out, (uint64_t)rs->since);
    buf_add_varint(out, rs->suppress.n_moves);
    buf_add_u64(out, (uint64_t)rs->begins);
    buf_add_u64(out, (uint64_t)rs->ends);
    exceptions_encode(out, en, rs);
    if (rs->ops != NULL && rs->ops->encode_rule != NULL)
        rs->ops->encode_rule(out, rs);
}

static void encode_rule(struct encoding *ec, struct buf *out, const struct engine *en,
                        struct rule_state *rs)
{
    buf_add_bytes(out, rs->rule->name, strlen(rs->rule->name));
    rule_encode(out, en, rs);
    uint64_t n = 0;
    for (struct suppress_entry *entry = rs->suppress.first; entry != NULL; entry = entry->next)
        n++;
    buf_add_varint(out, n);
    for (struct suppress_entry *entry = rs->suppress.first; entry != NULL; entry = entry->next) {
        buf_add_bytes(out, entry->key, entry->key_len);
        buf_add_u64(out, (uint64_t)entry->last);
        buf_add_u64(out, (uint64_t)entry->deadline.due);
        buf_add_varint(out, entry->held);
    }
    struct buf state;
    buf_init(&state);
    buf_add_varint(out, rs->parts.n);
    for (size_t i = 0; rs->parts.slot != NULL && i <= rs->parts.mask; i++) {
        if (rs->parts.slot[i].part == NULL || partition_is_stub(rs->parts.slot[i].part))
            continue;
        partition_key_encode(out, rs->parts.slot[i].part);
        buf_clear(&state);
        partition_encode_state(ec, &state, rs->parts.slot[i].part);
        buf_add_bytes(out, state.data, state.len);
    }
    buf_fini(&state);
}

void engine_snapshot(const struct engine *en, struct buf *out)
{
    struct encoding ec;
    encoding_init(&ec, en->prog);
    buf_add(out, magic, sizeof magic);
    buf_add_varint(out, SNAPSHOT_VERSION);
    buf_add_u64(out, (uint64_t)en->now);
    buf_add_u64(out, (uint64_t)en->since);
    buf_add_varint(out, en->seq);
    buf_add_varint(out, en->prog->n_rules);
    for (uint32_t r = 0; r < en->prog->n_rules; r++)
        encode_rule(&ec, out, en, &en->rule[r]);
    encoding_fini(&ec);
    tables_encode(out, en);
}

static bool decode_limit(struct restore *re, struct rule_state *rs, struct reader *r)
{
    bool running = reader_u8(r) != 0;
    int64_t per = rs->rule->limits.alerts_per;
    rs->limit.start = (int64_t)reader_u64(r);
    int64_t due = (int64_t)reader_u64(r);
    rs->limit.told = reader_varint(r);
    rs->limit.held = reader_varint(r);
    if (running && per > 0)
        restore_deadline(re, &rs->limit.queue, &rs->limit.deadline, due, 0);
    return !r->bad && (!running || rs->limit.start <= engine_latest(re->en));
}

static bool decode_suppress(struct restore *re, struct rule_state *rs, struct reader *r)
{
    uint64_t n = reader_varint(r);
    if (r->bad || n > reader_left(r))
        return false;
    for (uint64_t i = 0; i < n; i++) {
        size_t len;
        const char *key = reader_bytes(r, &len);
        int64_t last = (int64_t)reader_u64(r), due = (int64_t)reader_u64(r);
        uint64_t held = reader_varint(r);
        if (r->bad || last > engine_latest(re->en))
            return false;
        if (rs->rule->suppress < 0 || (held == 0 && due < re->en->now))
            continue;
        struct suppress_entry *entry = suppress_restore(rs, key, len, last, held);
        if (entry == NULL)
            return false;
        entry->deadline.due = due;
        if (due >= re->en->now)
            restore_deadline(re, &rs->suppress.queue, &entry->deadline, due, 0);
    }
    return true;
}

static bool decode_partition(struct restore *re, struct rule_state *rs, struct reader *r)
{
    const struct value *key = partition_key_decode(re, rs, r);
    if (key == NULL)
        return false;
    struct reader state;
    size_t len;
    const char *bytes = reader_bytes(r, &len);
    if (r->bad)
        return false;
    reader_init(&state, bytes, len);
    uint64_t hash = key_hash(key, rs->keys.n_keys);
    bool ok = partition_find(&rs->parts, hash, key, rs->keys.n_keys) == NULL &&
              partition_decode_state(re, rs, hash, key, &state) != NULL;
    arena_reset(re->scratch);
    return ok;
}

bool rule_decode(struct restore *re, struct rule_state *rs, struct reader *r)
{
    uint64_t *counter[N_COUNTERS];
    counters_of(&rs->stats, counter);
    for (int i = 0; i < N_COUNTERS; i++)
        *counter[i] = reader_varint(r);
    if (!decode_limit(re, rs, r))
        return false;
    rs->since = (int64_t)reader_u64(r);
    rs->suppress.n_moves = reader_varint(r);
    rs->begins = (int64_t)reader_u64(r);
    int64_t ends = (int64_t)reader_u64(r);
    if (ends != INT64_MAX) /* else: it was not draining yet */
        rs->ends = ends;
    if (!exceptions_decode(re->en, rs, r))
        return false;
    return rs->ops == NULL || rs->ops->decode_rule == NULL || rs->ops->decode_rule(re, rs, r);
}

static bool decode_rule(struct restore *re, struct reader *r)
{
    size_t len;
    const char *name = reader_bytes(r, &len);
    struct rule_state *rs = NULL;
    for (uint32_t i = 0; i < re->en->prog->n_rules && !r->bad; i++) {
        const char *is = re->en->prog->rule[i].name;
        if (strlen(is) == len && memcmp(is, name, len) == 0)
            rs = &re->en->rule[i];
    }
    if (rs == NULL || re->restored[rs->rule->number])
        return false;
    re->restored[rs->rule->number] = true;
    if (!rule_decode(re, rs, r) || !decode_suppress(re, rs, r))
        return false;
    uint64_t n = reader_varint(r);
    for (uint64_t i = 0; i < n; i++) {
        if (r->bad || !decode_partition(re, rs, r))
            return false;
    }
    return !r->bad;
}

static bool decode_engine(struct restore *re, struct reader *r, const char **why_out)
{
    struct engine *en = re->en;
    *why_out = "not a snapshot";
    for (size_t i = 0; i < sizeof magic; i++) {
        if (reader_u8(r) != (uint8_t)magic[i])
            return false;
    }
    *why_out = "a snapshot of another version";
    if (reader_varint(r) != SNAPSHOT_VERSION)
        return false;
    *why_out = "a damaged snapshot, or one of other rules";
    en->now = (int64_t)reader_u64(r);
    en->since = (int64_t)reader_u64(r);
    en->seq = reader_varint(r);
    if (en->seq > INT64_MAX)
        return false;
    uint64_t n = reader_varint(r);
    for (uint64_t i = 0; i < n; i++) {
        if (r->bad || !decode_rule(re, r))
            return false;
    }
    return tables_decode(re, r) && reader_left(r) == 0;
}

bool engine_restore(struct engine *en, const void *data, size_t len, const char **why_out)
{
    struct restore re;
    struct reader r;
    restore_init(&re, en);
    reader_init(&r, data, len);
    bool ok = decode_engine(&re, &r, why_out);
    if (ok)
        restore_deadlines(&re);
    restore_fini(&re);
    return ok;
}
