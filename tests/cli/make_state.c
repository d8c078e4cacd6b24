// SPDX-License-Identifier: Apache-2.0
/*
 * Makes the state directory that tests/cli/state.sh looks into:
 *     make_state DIR            a rule with two keys, a table, a position, two sinks, dead letters
 *     make_state DIR put|remove HEXKEY [HEXVALUE]    one record of it is changed
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/buf.h"
#include "base/mem.h"
#include "engine/record_priv.h"
#include "event/value.h"
#include "flow/position.h"
#include "state/checkpoint.h"
#include "state/modules.h"
#include "state/outbox.h"
#include "state/space.h"

static void must(bool ok, const struct buf *why)
{
    if (ok)
        return;
    fprintf(stderr, "make_state: %s\n", why->data ? why->data : "failed");
    exit(1);
}

static void put_modules(struct epoch *ep)
{
    static const uint8_t key = SPACE_MODULES;
    struct modules mods;
    struct buf value;

    modules_init(&mods);
    struct generation *gen = modules_generation_add(&mods, 0);
    gen->frontier = INT64_MAX;
    generation_add_text(gen, "a.rule", "rule a { }", 10);
    generation_add_rule(gen, "brute")->incarnation = 1;
    generation_add_table(gen, "known")->incarnation = 2;
    mods.next_incarnation = 3;
    buf_init(&value);
    modules_encode(&value, &mods);
    store_batch_put(ep->batch, &key, 1, value.data, value.len);
    buf_fini(&value);
    modules_fini(&mods);
}

/* State of one key, which is also the key's hash; with a chunk or without. */
static void put_key(struct epoch *ep, struct value v, int64_t due, bool chunk)
{
    struct buf key, values, value;

    buf_init(&key);
    buf_init(&values);
    buf_init(&value);
    buf_add_varint(&values, 1);
    value_encode_exact(&values, v);
    buf_add(&key, "eP\0\0\0\1", 6);
    buf_add_u64(&key, v.type);
    buf_add_bytes(&key, values.data, values.len);
    buf_add_u8(&value, RECORD_VERSION);
    buf_add_u8(&value, chunk ? RECORD_CHUNKED : 0);
    buf_add_u64(&value, (uint64_t)due);
    buf_add_varint(&value, 300);
    buf_add_varint(&value, 2);
    buf_adds(&value, "state");
    store_batch_put(ep->batch, key.data, key.len, value.data, value.len);
    buf_add_u64(&key, 1);
    if (chunk)
        store_batch_put(ep->batch, key.data, key.len, "a chunk", 7);
    buf_fini(&key);
    buf_fini(&values);
    buf_fini(&value);
}

static void put_engine(struct epoch *ep)
{
    store_batch_put(ep->batch, "eR\0\0\0\1", 6, "\1", 1);
    put_key(ep, value_text("alice", 5), INT64_C(1700000000000000000), false);
    put_key(ep, value_int(7), INT64_MAX, true);
    store_batch_put(ep->batch, "eT\0\0\0\2", 6, "\1", 1);
    store_batch_put(ep->batch, "eW\0\0\0\2row", 9, "\1row", 4);
}

static void put_position(struct epoch *ep)
{
    struct position pos;
    struct buf key, value;

    position_init(&pos);
    position_name(&pos, "auth", "/var/log/auth.ndjson", 3);
    pos.resume = 1000;
    pos.read = 1500;
    pos.cut = INT64_C(1700000000000000000);
    buf_init(&key);
    buf_init(&value);
    buf_addc(&key, SPACE_POSITION);
    position_key(&key, pos.source, pos.partition, pos.generation);
    position_encode(&value, &pos);
    store_batch_put(ep->batch, key.data, key.len, value.data, value.len);
    buf_fini(&key);
    buf_fini(&value);
    position_fini(&pos);
}

static void message(struct epoch *ep, const char *text, uint32_t n_sinks, const char *reason)
{
    struct epoch_message *m = epoch_message_add(ep);

    m->text = mem_strndup(text, strlen(text));
    m->len = strlen(text);
    m->n_sinks = n_sinks;
    m->sink = mem_calloc(n_sinks + 1, sizeof *m->sink);
    m->is_alert = n_sinks > 0;
    for (uint32_t i = 0; i < n_sinks; i++)
        m->sink[i] = i;
    if (reason) {
        m->reason = mem_strndup(reason, strlen(reason));
        m->origin = mem_strndup("auth a 0 99", 11);
    }
}

static void fill(struct checkpoint *cp, struct buf *why)
{
    static const struct outbox_sink sink[] = {{.name = "file"}, {.name = "small", .max_count = 1}};
    struct epoch *ep = epoch_new();
    struct outbox_entry entry;

    must(outbox_configure(checkpoint_outbox(cp), sink, 2, why), why);
    checkpoint_start(cp);
    put_modules(ep);
    put_engine(ep);
    put_position(ep);
    message(ep, "{\"alert\":1}", 2, NULL);
    message(ep, "{\"alert\":2}", 2, NULL);
    message(ep, "{\"alert\":3}", 1, NULL);
    message(ep, "not \x01 JSON", 0, "it is no JSON");
    checkpoint_submit(cp, ep);
    must(checkpoint_settle(cp, -1), why);
    must(outbox_next(checkpoint_outbox(cp), 0, 0, &entry), why);
    outbox_ack(checkpoint_outbox(cp), 0, entry.seq, "position", 8);
    mem_free(entry.text);
}

static struct buf bytes_of(const char *hex)
{
    struct buf b;
    unsigned byte;

    buf_init(&b);
    for (; hex && sscanf(hex, "%2x", &byte) == 1; hex += 2)
        buf_addc(&b, (char)byte);
    return b;
}

static void change(struct checkpoint *cp, const char *how, const char *key, const char *value)
{
    struct epoch *ep = epoch_new();
    struct buf k = bytes_of(key), v = bytes_of(value);

    if (strcmp(how, "put") == 0)
        store_batch_put(ep->batch, k.data, k.len, v.data, v.len);
    else
        store_batch_remove(ep->batch, k.data, k.len);
    checkpoint_start(cp);
    checkpoint_submit(cp, ep);
    buf_fini(&k);
    buf_fini(&v);
}

int main(int argc, char **argv)
{
    struct buf why;

    buf_init(&why);
    if (argc < 2)
        return 2;
    struct checkpoint_options opt = {.dir = argv[1], .create = argc == 2};
    struct checkpoint *cp = checkpoint_open(&opt, &why);
    must(cp != NULL, &why);
    if (argc == 2)
        fill(cp, &why);
    else
        change(cp, argv[2], argv[3], argc > 4 ? argv[4] : NULL);
    checkpoint_free(&cp);
    buf_fini(&why);
    return 0;
}
