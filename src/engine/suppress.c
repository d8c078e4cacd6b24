// SPDX-License-Identifier: Apache-2.0
/* suppress - see suppress.h. */
#include "engine/suppress.h"

#include <stdlib.h>
#include <string.h>

#include "base/buf.h"
#include "base/hash.h"
#include "base/mem.h"
#include "engine/alert_render.h"
#include "engine/record_priv.h"

struct key_bytes {
    const char *data;
    size_t len;
};

static bool entry_equal(uint64_t value, const void *key, void *ctx)
{
    (void)ctx;
    const struct suppress_entry *entry = (const struct suppress_entry *)(uintptr_t)value;
    const struct key_bytes *want = key;
    return entry->key_len == want->len &&
           (want->len == 0 || memcmp(entry->key, want->data, want->len) == 0);
}

void suppress_init(struct engine *en, struct rule_state *rs)
{
    deadline_queue_init(&en->heap, &rs->suppress.queue, DEADLINE_SUPPRESS, rs->rule->suppress, rs);
}

void suppress_fini(struct rule_state *rs)
{
    for (struct suppress_entry *entry = rs->suppress.first, *next; entry != NULL; entry = next) {
        next = entry->next;
        mem_free(entry);
    }
    hash_index_free(&rs->suppress.index);
}

static void touch(struct suppress_entry *entry)
{
    if (entry->rs->records != NULL)
        record_link_touch(entry->rs->records->all, &entry->link);
}

static void list_add(struct suppress *su, struct suppress_entry *entry)
{
    entry->order = su->n_moves++;
    entry->prev = su->tail;
    entry->next = NULL;
    if (su->tail != NULL)
        su->tail->next = entry;
    else
        su->first = entry;
    su->tail = entry;
}

static void list_remove(struct suppress *su, struct suppress_entry *entry)
{
    if (entry->prev != NULL)
        entry->prev->next = entry->next;
    else
        su->first = entry->next;
    if (entry->next != NULL)
        entry->next->prev = entry->prev;
    else
        su->tail = entry->prev;
}

static struct suppress_entry *entry_new(struct rule_state *rs, const struct key_bytes *key,
                                        uint64_t hash)
{
    struct suppress *su = &rs->suppress;
    if (su->index == NULL)
        su->index = hash_index_new();
    struct suppress_entry *entry = mem_calloc(1, sizeof *entry + key->len);
    entry->link.kind = RECORD_SUPPRESS;
    entry->rs = rs;
    entry->hash = hash;
    entry->key_len = (uint32_t)key->len;
    if (key->len > 0)
        memcpy(entry->key, key->data, key->len);
    list_add(su, entry);
    hash_index_add(su->index, hash, (uint64_t)(uintptr_t)entry);
    rs->stats.bytes += sizeof *entry + entry->key_len;
    record_uncharged(rs, (int64_t)(sizeof *entry + entry->key_len));
    return entry;
}

static void entry_free(struct engine *en, struct rule_state *rs, struct suppress_entry *entry)
{
    struct suppress *su = &rs->suppress;
    if (rs->records != NULL)
        record_link_gone(rs->records->all, &entry->link);
    deadline_clear(&en->heap, &entry->deadline);
    hash_index_remove(su->index, entry->hash, (uint64_t)(uintptr_t)entry);
    list_remove(su, entry);
    rs->stats.bytes -= sizeof *entry + entry->key_len;
    record_uncharged(rs, -(int64_t)(sizeof *entry + entry->key_len));
    mem_free(entry);
}

static struct suppress_entry *entry_find(struct rule_state *rs, const struct key_bytes *key,
                                         uint64_t hash)
{
    uint64_t value;
    if (rs->suppress.index == NULL ||
        !hash_index_get(rs->suppress.index, hash, entry_equal, key, NULL, &value))
        return NULL;
    return (struct suppress_entry *)(uintptr_t)value;
}

const struct suppress_entry *suppress_look(struct rule_state *rs, const struct buf *key)
{
    struct key_bytes want = {.data = key->data, .len = key->len};

    return entry_find(rs, &want, hash64(key->data, key->len, rs->rule->number));
}

bool suppress_make_room(struct engine *en, struct rule_state *rs)
{
    while (rs->stats.bytes >= rs->rule->limits.state && rs->suppress.first != NULL &&
           rs->suppress.first->deadline.queue == NULL) {
        rs->stats.limited_state++;
        entry_free(en, rs, rs->suppress.first);
    }
    return rs->stats.bytes < rs->rule->limits.state;
}

bool suppress_passes(struct engine *en, struct rule_state *rs, const struct buf *key, int64_t time,
                     uint64_t *held_out)
{
    struct key_bytes want = {.data = key->data, .len = key->len};
    uint64_t hash = hash64(key->data, key->len, rs->rule->number);
    struct suppress_entry *entry = entry_find(rs, &want, hash);
    *held_out = 0;
    if (entry != NULL)
        touch(entry);
    if (entry != NULL && time < entry->deadline.due) {
        entry->held++;
        return false;
    }
    if (entry == NULL) {
        suppress_make_room(en, rs);
        entry = entry_new(rs, &want, hash);
        touch(entry);
    } else { /* to the end: the list is in order of `last` */
        list_remove(&rs->suppress, entry);
        list_add(&rs->suppress, entry);
    }
    *held_out = entry->held;
    entry->held = 0;
    entry->last = time;
    deadline_set(&en->heap, &rs->suppress.queue, &entry->deadline,
                 time_plus(time, rs->rule->suppress));
    return true;
}

void suppress_due(struct engine *en, struct rule_state *rs, struct suppress_entry *entry,
                  struct alert_list *out)
{
    int64_t due = entry->deadline.due;
    touch(entry);
    deadline_clear(&en->heap, &entry->deadline);
    if (rs->rule->suppress_summary && entry->held > 0) {
        struct alert *alert = alert_list_add(out);
        render_summary(en, rs, entry, due, alert);
        rs->stats.alerts++;
        entry->held = 0;
    }
    if (entry->held == 0)
        entry_free(en, rs, entry);
    else if (en->target == INT64_MAX) /* the end of the input: it does not hold what begins behind that */
        entry->deadline.due = entry->last;
}

struct suppress_entry *suppress_restore(struct rule_state *rs, const char *key, size_t key_len,
                                        int64_t last, uint64_t held)
{
    struct key_bytes want = {.data = key, .len = key_len};
    uint64_t hash = hash64(key, key_len, rs->rule->number);
    if (entry_find(rs, &want, hash) != NULL)
        return NULL;
    struct suppress_entry *entry = entry_new(rs, &want, hash);
    entry->last = last;
    entry->held = held;
    return entry;
}

static int by_order(const void *a, const void *b)
{
    const struct suppress_entry *x = *(struct suppress_entry *const *)a;
    const struct suppress_entry *y = *(struct suppress_entry *const *)b;
    return x->order < y->order ? -1 : x->order > y->order;
}

void suppress_sort(struct suppress *su)
{
    size_t n = 0, cap = 0;
    struct suppress_entry **entry = NULL;
    for (struct suppress_entry *at = su->first; at != NULL; at = at->next) {
        entry = vec_reserve(entry, &cap, n + 1, sizeof *entry);
        entry[n++] = at;
    }
    if (n > 1)
        qsort(entry, n, sizeof *entry, by_order);
    uint64_t n_moves = su->n_moves;
    su->first = su->tail = NULL;
    for (size_t i = 0; i < n; i++) {
        uint64_t order = entry[i]->order;
        list_add(su, entry[i]);
        entry[i]->order = order;
        n_moves = n_moves > order ? n_moves : order + 1;
    }
    su->n_moves = n_moves;
    mem_free(entry);
}
