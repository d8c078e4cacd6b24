// SPDX-License-Identifier: Apache-2.0
/* The largest so far are a heap, the least of them on top; a key is made text when it comes in. */
#include "engine/look_keys.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/buf.h"
#include "base/mem.h"
#include "engine/alert_render.h"
#include "engine/engine_priv.h"
#include "engine/record_priv.h"

struct large {
    uint64_t bytes, hash;
    char *key; /* owned: JSON */
};

struct look_keys {
    struct large *large; /* [most] heap of n */
    uint32_t n, most;
    uint64_t hash;       /* the next place: keys with this hash or a higher one */
    bool through;        /* of this engine: the highest hash was seen */
    uint64_t keys, bytes, memory_keys, memory_bytes;
    struct buf text;     /* scratch */
};

struct look_keys *look_keys_new(uint32_t most)
{
    struct look_keys *lk = mem_calloc(1, sizeof *lk);

    lk->most = most < 1 ? 1 : most > LOOK_KEYS_MOST ? LOOK_KEYS_MOST : most;
    lk->large = mem_calloc(lk->most, sizeof *lk->large);
    buf_init(&lk->text);
    return lk;
}

void look_keys_free(struct look_keys **lk)
{
    if (!*lk)
        return;
    for (uint32_t i = 0; i < (*lk)->n; i++)
        mem_free((*lk)->large[i].key);
    mem_free((*lk)->large);
    buf_fini(&(*lk)->text);
    mem_free(*lk);
    *lk = NULL;
}

void look_keys_next(struct look_keys *lk)
{
    lk->hash = 0;
    lk->through = false;
}

/* ---- the heap ----------------------------------------------------------------------------------- */

static void sift_down(struct look_keys *lk, uint32_t at)
{
    struct large *heap = lk->large;

    for (;;) {
        uint32_t least = at, child = 2 * at + 1;
        for (uint32_t i = child; i < child + 2 && i < lk->n; i++)
            if (heap[i].bytes < heap[least].bytes)
                least = i;
        if (least == at)
            return;
        struct large moved = heap[at];
        heap[at] = heap[least];
        heap[least] = moved;
        at = least;
    }
}

static void sift_up(struct look_keys *lk, uint32_t at)
{
    struct large *heap = lk->large;

    for (; at > 0 && heap[at].bytes < heap[(at - 1) / 2].bytes; at = (at - 1) / 2) {
        struct large moved = heap[at];
        heap[at] = heap[(at - 1) / 2];
        heap[(at - 1) / 2] = moved;
    }
}

static char *key_text(struct look_keys *lk, struct rule_state *rs, const struct partition *part)
{
    buf_clear(&lk->text);
    render_key(&lk->text, rs, part->key);
    return mem_strndup(lk->text.data, lk->text.len);
}

/* A table that grew meanwhile may show a key twice. */
static bool is_there(const struct look_keys *lk, uint64_t hash, const char *key)
{
    for (uint32_t i = 0; i < lk->n; i++)
        if (lk->large[i].hash == hash && strcmp(lk->large[i].key, key) == 0)
            return true;
    return false;
}

static void take(struct look_keys *lk, struct rule_state *rs, const struct partition *part)
{
    uint64_t bytes = record_of(part)->charge;

    lk->memory_keys++;
    lk->memory_bytes += bytes;
    if (lk->n == lk->most && bytes <= lk->large[0].bytes)
        return;
    char *key = key_text(lk, rs, part);
    if (is_there(lk, part->hash, key)) {
        mem_free(key);
        return;
    }
    struct large one = {.bytes = bytes, .hash = part->hash, .key = key};
    if (lk->n < lk->most) {
        lk->large[lk->n] = one;
        sift_up(lk, lk->n++);
        return;
    }
    mem_free(lk->large[0].key);
    lk->large[0] = one;
    sift_down(lk, 0);
}

/* ---- the table ---------------------------------------------------------------------------------- */

static void begin(struct look_keys *lk, const struct engine *en, uint32_t rule)
{
    struct engine_rule_stats stats;

    if (lk->hash != 0)
        return;
    engine_stats(en, rule, &stats);
    lk->keys += stats.keys;
    lk->bytes += stats.bytes;
}

bool engine_look_keys(struct engine *en, uint32_t rule, struct look_keys *lk, size_t slots)
{
    struct rule_state *rs = &en->rule[rule];
    const struct partition_table *table = &rs->parts;

    if (lk->through || rs->off || rs->rule->disabled || !rs->records)
        return true;
    begin(lk, en, rule);
    if (table->mask == 0)
        return lk->through = true;
    size_t at = partition_home(table, lk->hash);
    for (; at <= table->mask && slots > 0; at++, slots--) {
        const struct partition *part = table->slot[at].part;
        if (part && !partition_is_stub(part))
            take(lk, rs, part);
    }
    lk->through = at > table->mask;
    lk->hash = lk->through ? 0 : (uint64_t)at << table->shift;
    return lk->through;
}

static int larger_first(const void *a, const void *b)
{
    const struct large *x = a, *y = b;

    if (x->bytes != y->bytes)
        return x->bytes > y->bytes ? -1 : 1;
    return strcmp(x->key, y->key);
}

void look_keys_add_json(struct look_keys *lk, struct buf *out)
{
    if (lk->n > 0)
        qsort(lk->large, lk->n, sizeof *lk->large, larger_first);
    buf_printf(out, "\"keys\":%" PRIu64 ",\"bytes\":%" PRIu64 ",\"in_memory\":{\"keys\":%" PRIu64
               ",\"bytes\":%" PRIu64 "},\"largest\":[", lk->keys, lk->bytes, lk->memory_keys,
               lk->memory_bytes);
    for (uint32_t i = 0; i < lk->n; i++)
        buf_printf(out, "%s{\"key\":%s,\"bytes\":%" PRIu64 "}", i ? "," : "", lk->large[i].key,
                   lk->large[i].bytes);
    buf_addc(out, ']');
}
