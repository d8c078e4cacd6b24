// SPDX-License-Identifier: Apache-2.0
/*
 * `tocsin state verify`: every record can be decoded, what it refers to is there, and what is counted is
 * what there is.
 */
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "base/buf.h"
#include "base/mem.h"
#include "cli/command.h"
#include "cli/state_priv.h"
#include "engine/directory_verify.h"
#include "engine/record_about.h"
#include "flow/position.h"
#include "flow/rules_saved.h"
#include "state/alert_log.h"
#include "state/audit.h"
#include "state/dead_letter.h"
#include "state/module_version.h"
#include "state/modules.h"
#include "state/outbox_record.h"
#include "state/space.h"
#include "state/table_version.h"

enum { MOST_TOLD = 20 };

struct sink_seen {
    char *name; /* owned */
    struct outbox_sink_record record; /* its position is not kept */
    uint64_t entries, bytes;
};

/* Alerts that are kept, as they are themselves and as their segments say. */
struct alerts_seen {
    uint64_t first, next, bytes; /* [first, next); 0: none */
};

/* The rows of a version of a table, as they are: pieces come before the heads that need them. */
struct rows_seen {
    uint64_t data, bytes;
    uint32_t n_pieces;
    bool is_begun, is_used;
};

struct verification {
    struct modules mods;
    uint64_t records, faults;
    struct sink_seen *sink;
    size_t n_sinks, cap_sinks;
    struct dead_letter_stats counted, found;
    struct alerts_seen alerts, segments;
    uint64_t next_alert;          /* as it is counted; 0: it is not */
    struct directory_verify *directories; /* owned */
    struct rows_seen *rows;       /* owned, by data */
    size_t n_rows, cap_rows;
    struct buf texts;
};

static void fault(struct verification *v, const char *fmt, ...)
    __attribute__((format(printf, 2, 3)));
static void fault(struct verification *v, const char *fmt, ...)
{
    va_list args;

    if (v->faults++ >= MOST_TOLD)
        return;
    va_start(args, fmt);
    vprintf(fmt, args);
    va_end(args);
    putchar('\n');
}

/* ---- records --------------------------------------------------------------------------------- */

static void check_meta(struct verification *v, const char *key, size_t key_len, const void *value,
                       size_t len)
{
    struct database_meta meta;
    bool of_database, of_dead, of_alerts;

    bool ok = database_read_meta(&meta, key, key_len, value, len, &of_database) &&
              dead_letters_read_stats(key, key_len, value, len, &v->counted, &of_dead) &&
              alert_log_read_counts(key, key_len, value, len, &v->next_alert, &of_alerts);
    if (!ok)
        fault(v, "META %.*s: damaged, or of a later version", (int)key_len - 1, key + 1);
    else if (!of_database && !of_dead && !of_alerts)
        fault(v, "META %.*s: unknown", (int)key_len - 1, key + 1);
}

static void see_alerts(struct verification *v, struct alerts_seen *seen, uint64_t first, uint64_t n,
                       uint64_t bytes, const char *what)
{
    if (seen->next != 0 && first != seen->next)
        fault(v, "%s %" PRIu64 ": %" PRIu64 " should come", what, first, seen->next);
    if (seen->next == 0)
        seen->first = first;
    seen->next = first + n;
    seen->bytes += bytes;
}

static void check_alert(struct verification *v, const char *key, size_t key_len, const void *value,
                        size_t len)
{
    struct alert_record record;

    if (!alert_record_decode(key, key_len, value, len, &record))
        fault(v, "ALERT: one that is kept is damaged, or of a later version");
    if (key_len == ALERT_KEY_BYTES)
        see_alerts(v, &v->alerts, key_get_u64((const uint8_t *)key + 1), 1, len, "ALERT");
}

static void check_segment(struct verification *v, const char *key, size_t key_len,
                          const void *value, size_t len)
{
    struct alert_segment segment;

    if (!alert_segment_decode(key, key_len, value, len, &segment))
        fault(v, "SEGMENT: damaged, or of a later version");
    else
        see_alerts(v, &v->segments, segment.first, segment.n, segment.bytes, "SEGMENT");
}

static bool key_is_readable(const char *key, size_t key_len, const void *value, size_t len)
{
    struct record_about about;
    struct buf json;

    buf_init(&json);
    bool ok = record_about_key(key + 1, key_len - 1, value, len, &about, &json);
    buf_fini(&json);
    return ok;
}

static void check_engine(struct verification *v, const char *key, size_t key_len,
                         const void *value, size_t len)
{
    uint32_t incarnation;
    bool is_table;
    char kind;

    if (!state_engine_key(key, key_len, &kind, &incarnation) || len == 0)
        fault(v, "ENGINE: a record of no known kind");
    else if (kind != 'X' && !modules_name(&v->mods, incarnation, &is_table))
        fault(v, "ENGINE %c: of incarnation %" PRIu32 ", which no rule has", kind, incarnation);
    else if (kind != 'X' && is_table != (kind == 'T' || kind == 'W'))
        fault(v, "ENGINE %c: incarnation %" PRIu32 " is %s", kind, incarnation,
              is_table ? "a table" : "a rule");
    else if (kind == 'P' && !key_is_readable(key, key_len, value, len))
        fault(v, "ENGINE P: a key of %s is damaged, or of a later version",
              modules_name(&v->mods, incarnation, &is_table));
}

static void check_position(struct verification *v, const char *key, size_t key_len,
                           const void *value, size_t len)
{
    struct position pos;
    const char *why;

    position_init(&pos);
    if (!position_decode(&pos, key + 1, key_len - 1, value, len, &why))
        fault(v, "POSITION %.*s: %s", (int)strnlen(key + 1, key_len - 1), key + 1, why);
    else if (pos.resume > pos.read)
        fault(v, "POSITION %s %s: goes on behind what was read", pos.source, pos.partition);
    position_fini(&pos);
}

static void check_entry(struct verification *v, const uint8_t *key, size_t key_len,
                        const void *value, size_t len)
{
    struct sink_seen *sink = NULL;
    struct outbox_entry_record record;

    if (key_len != OUTBOX_KEY_BYTES) {
        fault(v, "OUTBOX: a key of %zu bytes", key_len);
        return;
    }
    uint32_t number = key_get_u32(key + 1);
    uint64_t seq = key_get_u64(key + 5);
    for (size_t i = 0; !sink && i < v->n_sinks; i++)
        if (v->sink[i].record.number == number)
            sink = &v->sink[i];
    if (!outbox_entry_decode(value, len, &record))
        fault(v, "OUTBOX %" PRIu32 " %" PRIu64 ": damaged, or of a later version", number, seq);
    if (!sink) {
        fault(v, "OUTBOX %" PRIu32 " %" PRIu64 ": of no sink", number, seq);
        return;
    }
    if (seq >= sink->record.next)
        fault(v, "OUTBOX %s %" PRIu64 ": a number that was not given out", sink->name, seq);
    if (seq > sink->record.acked) { /* others are removed at the next start */
        sink->entries++;
        sink->bytes += record.len;
    }
}

/* Sinks come after their entries in the order of keys, so they are read first. */
static bool found_sink(void *ctx, const void *key, size_t key_len, const void *value, size_t len)
{
    struct verification *v = ctx;
    struct sink_seen sink = {0};
    const char *name = (const char *)key + 1;

    if (!outbox_sink_decode(value, len, &sink.record)) {
        fault(v, "SINK %.*s: damaged, or of a later version", (int)key_len - 1, name);
        return true;
    }
    sink.name = mem_strndup(name, key_len - 1);
    for (size_t i = 0; i < v->n_sinks; i++)
        if (v->sink[i].record.number == sink.record.number)
            fault(v, "SINK %s: has the number of %s", sink.name, v->sink[i].name);
    v->sink = vec_reserve(v->sink, &v->cap_sinks, v->n_sinks + 1, sizeof *v->sink);
    v->sink[v->n_sinks++] = sink;
    return true;
}

static struct rows_seen *rows_of(struct verification *v, uint64_t data)
{
    for (size_t i = v->n_rows; i-- > 0;)
        if (v->rows[i].data == data)
            return &v->rows[i];
    v->rows = vec_reserve(v->rows, &v->cap_rows, v->n_rows + 1, sizeof *v->rows);
    v->rows[v->n_rows] = (struct rows_seen){.data = data};
    return &v->rows[v->n_rows++];
}

static void check_table(struct verification *v, const char *key, size_t key_len, const void *value, size_t len)
{
    struct table_version table;
    struct rows_seen *rows;
    uint64_t data;
    uint32_t piece;

    if (table_data_key_decode(key, key_len, &data, &piece)) {
        rows = rows_of(v, data);
        rows->is_begun |= piece == UINT32_MAX;
        if (piece == UINT32_MAX)
            return;
        if (piece != rows->n_pieces)
            fault(v, "TABLE: rows %" PRIu64 ": piece %" PRIu32 ", and %" PRIu32 " should come", data, piece, rows->n_pieces);
        rows->n_pieces = piece + 1;
        rows->bytes += len;
        return;
    }
    if (!table_version_decode(key, key_len, value, len, &table)) {
        fault(v, "TABLE: a version of a table is damaged, or of a later version");
        return;
    }
    if (table.data == 0)
        return;
    rows = rows_of(v, table.data);
    rows->is_used = true;
    if (rows->n_pieces != table.n_pieces || rows->bytes != table.data_bytes)
        fault(v, "TABLE %.*s: version %" PRIu64 " has %" PRIu32 " pieces of rows (%" PRIu64 " bytes), there are %" PRIu32
              " (%" PRIu64 " bytes)", (int)table.table_len, table.table, table.number, table.n_pieces, table.data_bytes,
              rows->n_pieces, rows->bytes);
}

static bool found_record(void *ctx, const void *key, size_t key_len, const void *value, size_t len)
{
    struct verification *v = ctx;
    struct module_version version;
    struct audit_entry entry;
    struct dead_letter letter;

    v->records++;
    switch (*(const uint8_t *)key) {
    case SPACE_META:
        check_meta(v, key, key_len, value, len);
        break;
    case SPACE_ENGINE:
        check_engine(v, key, key_len, value, len);
        directory_verify_take(v->directories, (const char *)key + 1, key_len - 1, value, len);
        break;
    case SPACE_POSITION:
        check_position(v, key, key_len, value, len);
        break;
    case SPACE_OUTBOX:
        check_entry(v, key, key_len, value, len);
        break;
    case SPACE_DEAD:
        v->found.count++;
        v->found.bytes += len;
        if (!dead_letter_decode(key, key_len, value, len, &letter))
            fault(v, "DEAD: a dead letter is damaged, or of a later version");
        break;
    case SPACE_CLOCK:
        if (len == 0)
            fault(v, "CLOCK: empty");
        break;
    case SPACE_VERSION:
        if (!module_version_decode(key, key_len, value, len, &version))
            fault(v, "VERSION: a version of a module is damaged, or of a later version");
        break;
    case SPACE_TABLE:
        check_table(v, key, key_len, value, len);
        break;
    case SPACE_RULES_TOPIC:
        if (!rules_saved_is_fine(key, key_len, value, len))
            fault(v, "RULES_TOPIC: a record is damaged, or of a later version");
        break;
    case SPACE_AUDIT:
        if (!audit_decode(key, key_len, value, len, &v->texts, &entry))
            fault(v, "AUDIT: an entry is damaged, or of a later version");
        break;
    case SPACE_ALERT:
        check_alert(v, key, key_len, value, len);
        break;
    case SPACE_SEGMENT:
        check_segment(v, key, key_len, value, len);
        break;
    case SPACE_MODULES:
    case SPACE_SINK:
        break; /* read before */
    default:
        fault(v, "a record of an unknown kind, 0x%02x", *(const uint8_t *)key);
    }
    return true;
}

/* ---- all of it ------------------------------------------------------------------------------- */

static void fault_of_rule(void *ctx, uint32_t incarnation, const char *why)
{
    struct verification *v = ctx;
    bool is_table;
    const char *name = modules_name(&v->mods, incarnation, &is_table);

    fault(v, "ENGINE D: of %s: %s", name ? name : "a rule that is not there", why);
}

static void check_counts(struct verification *v)
{
    directory_verify_end(v->directories, fault_of_rule, v);
    for (size_t i = 0; i < v->n_rows; i++)
        if (!v->rows[i].is_used && !v->rows[i].is_begun)
            fault(v, "TABLE: rows %" PRIu64 ": no version has them", v->rows[i].data);
    for (size_t i = 0; i < v->n_sinks; i++) {
        const struct sink_seen *s = &v->sink[i];
        if (s->entries != s->record.waiting || s->bytes != s->record.waiting_bytes)
            fault(v, "SINK %s: counts %" PRIu64 " that wait (%" PRIu64 " bytes), there are %" PRIu64
                  " (%" PRIu64 " bytes)", s->name, s->record.waiting, s->record.waiting_bytes,
                  s->entries, s->bytes);
    }
    if (v->found.count != v->counted.count || v->found.bytes != v->counted.bytes)
        fault(v, "DEAD: %" PRIu64 " dead letters are counted (%" PRIu64 " bytes), there are %" PRIu64
              " (%" PRIu64 " bytes)", v->counted.count, v->counted.bytes, v->found.count,
              v->found.bytes);
    if (v->alerts.first != v->segments.first || v->alerts.next != v->segments.next ||
        v->alerts.bytes != v->segments.bytes)
        fault(v, "ALERT: %" PRIu64 " to %" PRIu64 " are counted (%" PRIu64 " bytes), there are %" PRIu64
              " to %" PRIu64 " (%" PRIu64 " bytes)", v->segments.first, v->segments.next,
              v->segments.bytes, v->alerts.first, v->alerts.next, v->alerts.bytes);
    if (v->segments.next != 0 && v->segments.next != v->next_alert)
        fault(v, "ALERT: the next number is %" PRIu64 ", and %" PRIu64 " should come", v->next_alert,
              v->segments.next);
}

static bool read_all(struct verification *v, struct store *st, struct buf *why)
{
    static const uint8_t sinks = SPACE_SINK;

    if (!state_modules(st, &v->mods, why)) {
        if (why->len)
            return false;
        fault(v, "MODULES: damaged, or of a later version");
    }
    if (store_read(st, &sinks, 1, found_sink, v, why) != STORE_OK ||
        store_read(st, "", 0, found_record, v, why) != STORE_OK)
        return false;
    check_counts(v);
    return true;
}

int state_verify(const struct state_arguments *args)
{
    struct verification v = {0};
    struct database_meta meta;
    struct buf why;

    struct store *st = state_open(args->dir, &meta);
    if (!st)
        return EXIT_FAILED;
    buf_init(&why);
    modules_init(&v.mods);
    v.directories = directory_verify_new();
    bool read = read_all(&v, st, &why);
    if (!read)
        state_fail(why.data);
    if (v.faults > MOST_TOLD)
        printf("... %" PRIu64 " more\n", v.faults - MOST_TOLD);
    if (read)
        printf("%" PRIu64 " records: %s\n", v.records, v.faults ? "damaged" : "no fault");
    for (size_t i = 0; i < v.n_sinks; i++)
        mem_free(v.sink[i].name);
    mem_free(v.sink);
    modules_fini(&v.mods);
    directory_verify_free(&v.directories);
    mem_free(v.rows);
    buf_fini(&v.texts);
    buf_fini(&why);
    store_free(&st);
    return read && v.faults == 0 ? EXIT_OK : EXIT_FAILED;
}
