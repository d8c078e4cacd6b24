// SPDX-License-Identifier: Apache-2.0
/* `tocsin state inspect`: what is in a state directory, for a human. */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/buf.h"
#include "base/mem.h"
#include "cli/command.h"
#include "cli/state_priv.h"
#include "explain/explain_report.h"
#include "event/time_format.h"
#include "flow/courier_saved.h"
#include "flow/position.h"
#include "state/dead_letter.h"
#include "state/modules.h"
#include "state/outbox_record.h"
#include "state/space.h"

struct tally {
    uint64_t records, bytes;
};

/* What one incarnation keeps. */
struct kept {
    uint32_t incarnation;
    struct tally all, keys; /* 'P' records: parts of keys */
};

struct inspection {
    struct tally space[256];
    struct kept *kept;
    size_t n_kept, cap_kept;
    struct dead_letter_stats dead;
    struct buf positions, sinks; /* lines */
    const char *damaged;         /* a kind of record that cannot be read */
};

static void count(struct tally *tally, size_t key_len, size_t len)
{
    tally->records++;
    tally->bytes += key_len + len;
}

/* Records come by kind, so there are few: rules and tables. */
static struct kept *kept_of(struct inspection *in, uint32_t incarnation)
{
    for (size_t i = 0; i < in->n_kept; i++)
        if (in->kept[i].incarnation == incarnation)
            return &in->kept[i];
    in->kept = vec_reserve(in->kept, &in->cap_kept, in->n_kept + 1, sizeof *in->kept);
    in->kept[in->n_kept] = (struct kept){.incarnation = incarnation};
    return &in->kept[in->n_kept++];
}

static void add_time(struct buf *b, int64_t ns)
{
    if (ns == INT64_MIN || ns == INT64_MAX)
        buf_adds(b, "-");
    else
        time_add_text(b, ns);
}

static void take_position(struct inspection *in, const char *key, size_t key_len,
                          const void *value, size_t len)
{
    struct position pos;
    const char *why;

    position_init(&pos);
    if (position_decode(&pos, key + 1, key_len - 1, value, len, &why)) {
        buf_printf(&in->positions, "  %s %s", pos.source, pos.partition);
        if (pos.generation)
            buf_printf(&in->positions, " (generation %" PRIu32 ")", pos.generation);
        buf_printf(&in->positions, ": read to %" PRIu64 ", goes on at %" PRIu64, pos.read,
                   pos.resume);
        buf_adds(&in->positions, ", given to ");
        add_time(&in->positions, pos.cut);
        buf_printf(&in->positions, "%s%s\n", pos.idle ? ", idle" : "", pos.ended ? ", ended" : "");
    } else {
        in->damaged = "a position";
    }
    position_fini(&pos);
}

static void take_sink(struct inspection *in, const char *key, size_t key_len, const void *value,
                      size_t len)
{
    struct outbox_sink_record sink;
    struct courier_saved saved;

    if (!outbox_sink_decode(value, len, &sink)) {
        in->damaged = "a sink";
        return;
    }
    buf_printf(&in->sinks, "  %.*s: %" PRIu64 " wait, ", (int)key_len - 1, key + 1, sink.waiting);
    report_add_bytes(&in->sinks, sink.waiting_bytes);
    buf_printf(&in->sinks, "; delivered up to %" PRIu64 " of %" PRIu64, sink.acked, sink.next - 1);
    if (courier_saved_decode(sink.position, sink.position_len, &saved)) {
        buf_adds(&in->sinks, "; it answered 410 Gone, disabled since ");
        add_time(&in->sinks, saved.disabled_since);
    }
    buf_addc(&in->sinks, '\n');
}

static void take_engine(struct inspection *in, const char *key, size_t key_len, size_t len)
{
    uint32_t incarnation;
    char kind;

    if (!state_engine_key(key, key_len, &kind, &incarnation)) {
        in->damaged = "state of a rule";
        return;
    }
    if (incarnation == 0)
        return;
    struct kept *kept = kept_of(in, incarnation);
    count(&kept->all, key_len, len);
    if (kind == 'P' || kind == 'W')
        count(&kept->keys, key_len, len);
}

static bool found_record(void *ctx, const void *key, size_t key_len, const void *value, size_t len)
{
    struct inspection *in = ctx;
    uint8_t space = *(const uint8_t *)key;
    bool known;

    count(&in->space[space], key_len, len);
    switch (space) {
    case SPACE_ENGINE:
        take_engine(in, key, key_len, len);
        break;
    case SPACE_POSITION:
        take_position(in, key, key_len, value, len);
        break;
    case SPACE_SINK:
        take_sink(in, key, key_len, value, len);
        break;
    case SPACE_META:
        if (!dead_letters_read_stats(key, key_len, value, len, &in->dead, &known))
            in->damaged = "the count of dead letters";
        break;
    }
    return true;
}

/* ---- print ----------------------------------------------------------------------------------- */

static void print_meta(const char *dir, const struct database_meta *meta, struct store *st)
{
    struct buf b;

    buf_init(&b);
    buf_printf(&b, "%s: format %" PRIu32 ", database ", dir, meta->format);
    buf_add_hex(&b, meta->id, sizeof meta->id);
    buf_adds(&b, ", made ");
    add_time(&b, meta->created);
    buf_printf(&b, "\nepoch %" PRIu64, meta->epoch);
    if (meta->epoch_time) {
        buf_adds(&b, ", written ");
        add_time(&b, meta->epoch_time);
    }
    buf_adds(&b, "; on disk ");
    report_add_bytes(&b, store_disk_bytes(st));
    puts(b.data);
    buf_fini(&b);
}

static void print_tally(struct buf *b, const struct tally *tally)
{
    report_add_count(b, tally->records);
    buf_printf(b, " record%s, ", tally->records == 1 ? "" : "s");
    report_add_bytes(b, tally->bytes);
}

static void print_spaces(const struct inspection *in)
{
    static const struct {
        uint8_t space;
        const char *name, *what;
    } spaces[] = {
#define SPACE(name, byte, what) {byte, #name, what},
#include "state/space.def"
#undef SPACE
    };
    struct buf b;

    buf_init(&b);
    puts("\nrecords");
    for (size_t i = 0; i < sizeof spaces / sizeof *spaces; i++) {
        buf_clear(&b);
        print_tally(&b, &in->space[spaces[i].space]);
        printf("  %-9s %s\n", spaces[i].name, b.data);
    }
    buf_fini(&b);
}

static void print_kept(struct inspection *in, const char *what, const struct module_state *state,
                       const struct generation *gen, bool current)
{
    const struct kept *kept = kept_of(in, state->incarnation);
    struct buf b;

    buf_init(&b);
    buf_printf(&b, "  %s%s (incarnation %" PRIu32 "): ", what, state->name, state->incarnation);
    print_tally(&b, &kept->all);
    if (kept->keys.records) {
        buf_adds(&b, "; of keys ");
        print_tally(&b, &kept->keys);
    }
    if (!current) {
        buf_adds(&b, "; drained since ");
        add_time(&b, gen->since);
    }
    puts(b.data);
    buf_fini(&b);
}

/* False: there is no such rule. */
static bool print_rules(struct inspection *in, const struct modules *mods, const char *rule)
{
    bool any = rule == NULL;

    puts("\nrules");
    for (size_t g = 0; g < mods->n; g++) {
        const struct generation *gen = &mods->generation[g];
        for (size_t i = 0; i < gen->n_rules; i++)
            if (!rule || strcmp(gen->rule[i].name, rule) == 0) {
                print_kept(in, "", &gen->rule[i], gen, g == 0);
                any = true;
            }
        for (size_t i = 0; !rule && i < gen->n_tables; i++)
            print_kept(in, "table ", &gen->table[i], gen, g == 0);
    }
    return any;
}

static void print_section(const char *title, const struct buf *lines)
{
    printf("\n%s\n%s", title, lines->len ? lines->data : "");
}

static int print_all(struct inspection *in, struct store *st, const struct modules *mods,
                     const struct database_meta *meta, const struct state_arguments *args)
{
    if (!args->rule) {
        print_meta(args->dir, meta, st);
        print_spaces(in);
    }
    if (!print_rules(in, mods, args->rule)) {
        fprintf(stderr, "tocsin: there is no state of a rule `%s`\n", args->rule);
        return EXIT_FAILED;
    }
    if (args->rule)
        return state_keys(st, mods, args);
    print_section("positions", &in->positions);
    print_section("sinks", &in->sinks);
    printf("\ndead letters\n  %" PRIu64 " of %" PRIu64 ", %" PRIu64 " bytes; %" PRIu64
           " made room for later ones\n", in->dead.count, in->dead.added, in->dead.bytes,
           in->dead.pushed_out);
    return EXIT_OK;
}

int state_inspect(const struct state_arguments *args)
{
    struct inspection *in = mem_calloc(1, sizeof *in);
    struct database_meta meta;
    struct modules mods;
    struct buf why;
    int code;

    struct store *st = state_open(args->dir, &meta);
    buf_init(&why);
    modules_init(&mods);
    buf_init(&in->positions);
    buf_init(&in->sinks);
    if (!st)
        code = EXIT_FAILED;
    else if (!state_modules(st, &mods, &why))
        code = state_fail(why.len ? why.data : "the record of the rules is damaged, or of a later version");
    else if (store_read(st, "", 0, found_record, in, &why) != STORE_OK)
        code = state_fail(why.data);
    else
        code = print_all(in, st, &mods, &meta, args);
    if (in->damaged) {
        fprintf(stderr, "tocsin: %s is damaged, or of a later version: `tocsin state verify` tells "
                        "more\n", in->damaged);
        code = EXIT_FAILED;
    }
    modules_fini(&mods);
    buf_fini(&in->positions);
    buf_fini(&in->sinks);
    mem_free(in->kept);
    mem_free(in);
    buf_fini(&why);
    store_free(&st);
    return code;
}
