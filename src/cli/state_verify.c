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
#include "engine/record_about.h"
#include "flow/position.h"
#include "state/dead_letter.h"
#include "state/modules.h"
#include "state/outbox_record.h"
#include "state/space.h"

enum { MOST_TOLD = 20 };

struct sink_seen {
    char *name; /* owned */
    struct outbox_sink_record record; /* its position is not kept */
    uint64_t entries, bytes;
};

struct verification {
    struct modules mods;
    uint64_t records, faults;
    struct sink_seen *sink;
    size_t n_sinks, cap_sinks;
    struct dead_letter_stats counted, found;
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
    bool of_database, of_dead;

    bool ok = database_read_meta(&meta, key, key_len, value, len, &of_database) &&
              dead_letters_read_stats(key, key_len, value, len, &v->counted, &of_dead);
    if (!ok)
        fault(v, "META %.*s: damaged, or of a later version", (int)key_len - 1, key + 1);
    else if (!of_database && !of_dead)
        fault(v, "META %.*s: unknown", (int)key_len - 1, key + 1);
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
    const char *text;
    size_t text_len;
    bool is_alert;

    if (key_len != OUTBOX_KEY_BYTES) {
        fault(v, "OUTBOX: a key of %zu bytes", key_len);
        return;
    }
    uint32_t number = key_get_u32(key + 1);
    uint64_t seq = key_get_u64(key + 5);
    for (size_t i = 0; !sink && i < v->n_sinks; i++)
        if (v->sink[i].record.number == number)
            sink = &v->sink[i];
    if (!outbox_entry_decode(value, len, &is_alert, &text, &text_len))
        fault(v, "OUTBOX %" PRIu32 " %" PRIu64 ": damaged, or of a later version", number, seq);
    if (!sink) {
        fault(v, "OUTBOX %" PRIu32 " %" PRIu64 ": of no sink", number, seq);
        return;
    }
    if (seq >= sink->record.next)
        fault(v, "OUTBOX %s %" PRIu64 ": a number that was not given out", sink->name, seq);
    if (seq > sink->record.acked) { /* others are removed at the next start */
        sink->entries++;
        sink->bytes += text_len;
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

static bool found_record(void *ctx, const void *key, size_t key_len, const void *value, size_t len)
{
    struct verification *v = ctx;
    struct dead_letter letter;

    v->records++;
    switch (*(const uint8_t *)key) {
    case SPACE_META:
        check_meta(v, key, key_len, value, len);
        break;
    case SPACE_ENGINE:
        check_engine(v, key, key_len, value, len);
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
    case SPACE_MODULES:
    case SPACE_SINK:
        break; /* read before */
    default:
        fault(v, "a record of an unknown kind, 0x%02x", *(const uint8_t *)key);
    }
    return true;
}

/* ---- all of it ------------------------------------------------------------------------------- */

static void check_counts(struct verification *v)
{
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
    buf_fini(&why);
    store_free(&st);
    return read && v.faults == 0 ? EXIT_OK : EXIT_FAILED;
}
