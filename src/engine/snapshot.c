// SPDX-License-Identifier: Apache-2.0
/*
 * snapshot - a whole engine out and in. Layout of version 1:
 *
 *   "TSNP" version now since seq
 *   streams: n, names                         numbers in runs refer to this
 *   rules: n, then each
 *     name, counters, `limit alerts` period
 *     suppress entries: n, then key bytes, last, held
 *     partitions: n, then each (snapshot_partition.c)
 *   exceptions: n, then title and count of each
 *   tables that events feed: n, then each (table.c)
 */
#include "engine/snapshot.h"

#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "base/buf.h"
#include "base/mem.h"
#include "base/reader.h"
#include "engine/body.h"
#include "engine/engine_priv.h"
#include "engine/exception.h"
#include "event/json_decode.h"

enum { MAX_EVENT = 1 << 30 };
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

static void encode_rule(struct buf *out, const struct engine *en, struct rule_state *rs)
{
    uint64_t *counter[N_COUNTERS];
    buf_add_bytes(out, rs->rule->name, strlen(rs->rule->name));
    struct engine_rule_stats stats;
    engine_stats(en, rs->rule->number, &stats);
    counters_of(&stats, counter);
    for (int i = 0; i < N_COUNTERS; i++)
        buf_add_varint(out, *counter[i]);
    buf_add_u8(out, rs->limit.deadline.queue != NULL);
    buf_add_u64(out, (uint64_t)rs->limit.start);
    buf_add_varint(out, rs->limit.told);
    buf_add_varint(out, rs->limit.held);
    uint64_t n = 0;
    for (struct suppress_entry *entry = rs->suppress.first; entry != NULL; entry = entry->next)
        n++;
    buf_add_varint(out, n);
    for (struct suppress_entry *entry = rs->suppress.first; entry != NULL; entry = entry->next) {
        buf_add_bytes(out, entry->key, entry->key_len);
        buf_add_u64(out, (uint64_t)entry->last);
        buf_add_varint(out, entry->held);
    }
    if (rs->ops != NULL && rs->ops->encode_rule != NULL)
        rs->ops->encode_rule(out, rs);
    buf_add_varint(out, rs->parts.n);
    for (size_t i = 0; rs->parts.slot != NULL && i <= rs->parts.mask; i++) {
        if (rs->parts.slot[i].part != NULL)
            partition_encode(out, rs->parts.slot[i].part);
    }
}

void engine_snapshot(const struct engine *en, struct buf *out)
{
    buf_add(out, magic, sizeof magic);
    buf_add_varint(out, SNAPSHOT_VERSION);
    buf_add_u64(out, (uint64_t)en->now);
    buf_add_u64(out, (uint64_t)en->since);
    buf_add_varint(out, en->seq);
    buf_add_varint(out, en->prog->n_streams);
    for (uint32_t s = 0; s < en->prog->n_streams; s++)
        buf_add_bytes(out, en->prog->stream[s].name, strlen(en->prog->stream[s].name));
    buf_add_varint(out, en->prog->n_rules);
    for (uint32_t r = 0; r < en->prog->n_rules; r++)
        encode_rule(out, en, &en->rule[r]);
    exceptions_encode(out, en);
    tables_encode(out, en);
}

static bool decode_limit(struct restore *re, struct rule_state *rs, struct reader *r)
{
    bool running = reader_u8(r) != 0;
    int64_t per = rs->rule->limits.alerts_per;
    rs->limit.start = (int64_t)reader_u64(r);
    rs->limit.told = reader_varint(r);
    rs->limit.held = reader_varint(r);
    if (running && per > 0)
        restore_deadline(re, &rs->limit.queue, &rs->limit.deadline,
                         time_plus(rs->limit.start, per), 0);
    return !r->bad && (!running || rs->limit.start <= re->en->now);
}

static bool decode_suppress(struct restore *re, struct rule_state *rs, struct reader *r)
{
    uint64_t n = reader_varint(r);
    if (r->bad || n > reader_left(r))
        return false;
    for (uint64_t i = 0; i < n; i++) {
        size_t len;
        const char *key = reader_bytes(r, &len);
        int64_t last = (int64_t)reader_u64(r);
        uint64_t held = reader_varint(r);
        if (r->bad || last > re->en->now)
            return false;
        int64_t due = time_plus(last, rs->rule->suppress);
        if (rs->rule->suppress < 0 || (held == 0 && due < re->en->now))
            continue;
        struct suppress_entry *entry = suppress_restore(rs, key, len, last, held);
        if (entry == NULL)
            return false;
        if (due >= re->en->now)
            restore_deadline(re, &rs->suppress.queue, &entry->deadline, due, 0);
    }
    return true;
}

static bool decode_rule(struct restore *re, struct reader *r)
{
    size_t len;
    uint64_t *counter[N_COUNTERS];
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
    counters_of(&rs->stats, counter);
    for (int i = 0; i < N_COUNTERS; i++)
        *counter[i] = reader_varint(r);
    if (!decode_limit(re, rs, r) || !decode_suppress(re, rs, r))
        return false;
    if (rs->ops != NULL && rs->ops->decode_rule != NULL && !rs->ops->decode_rule(re, rs, r))
        return false;
    uint64_t n = reader_varint(r);
    for (uint64_t i = 0; i < n; i++) {
        if (r->bad || !partition_decode(re, rs, r))
            return false;
    }
    return !r->bad;
}

static bool decode_streams(struct restore *re, struct reader *r)
{
    uint64_t n = reader_varint(r);
    if (r->bad || n > reader_left(r) || n > UINT16_MAX)
        return false;
    re->stream = mem_calloc(n + 1, sizeof *re->stream);
    re->n_streams = (uint32_t)n;
    for (uint64_t i = 0; i < n; i++) {
        size_t len;
        const char *name = reader_bytes(r, &len);
        for (uint32_t s = 0; s < re->en->prog->n_streams && !r->bad; s++) {
            const char *is = re->en->prog->stream[s].name;
            if (strlen(is) == len && memcmp(is, name, len) == 0)
                re->stream[i] = (uint16_t)s;
        }
    }
    return !r->bad;
}

static int by_due(const void *a, const void *b)
{
    const struct restored_deadline *x = a, *y = b;
    if (x->due != y->due)
        return x->due < y->due ? -1 : 1;
    return x->seq < y->seq ? -1 : x->seq > y->seq;
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
    if (en->seq > INT64_MAX || !decode_streams(re, r))
        return false;
    uint64_t n = reader_varint(r);
    for (uint64_t i = 0; i < n; i++) {
        if (r->bad || !decode_rule(re, r))
            return false;
    }
    return exceptions_decode(en, r) && tables_decode(re, r) && reader_left(r) == 0;
}

bool engine_restore(struct engine *en, const void *data, size_t len, const char **why_out)
{
    struct restore re = {.en = en, .decoder = decoder_new(en->prog->schema, MAX_EVENT),
                         .restored = mem_calloc(en->prog->n_rules + 1, sizeof *re.restored)};
    struct reader r;
    reader_init(&r, data, len);
    bool ok = decode_engine(&re, &r, why_out);
    if (re.n_due > 1)
        qsort(re.due, re.n_due, sizeof *re.due, by_due);
    for (size_t i = 0; ok && i < re.n_due; i++)
        deadline_set(&en->heap, re.due[i].queue, re.due[i].deadline, re.due[i].due);
    mem_free(re.due);
    mem_free(re.stream);
    mem_free(re.restored);
    decoder_free(&re.decoder);
    return ok;
}
