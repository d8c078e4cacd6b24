// SPDX-License-Identifier: Apache-2.0
#include "state/module_history.h"

#include <stdlib.h>
#include <string.h>

#include "base/buf.h"
#include "base/mem.h"
#include "state/module_version.h"
#include "state/space.h"
#include "state/store.h"

enum { BESIDES = 128 }; /* bytes of a version but its text and name, about */

struct entry {
    char *name;     /* owned */
    uint64_t number;
    int64_t time;
    size_t bytes;
    bool newest;    /* of its module */
    bool removed;
};

struct module_history {
    struct entry *entry; /* oldest first */
    size_t n, cap;
    uint64_t bytes;
    bool damaged;
};

uint64_t module_history_bytes(const struct module_history *history)
{
    return history->bytes;
}

static void append(struct module_history *history, const struct module_mark *mark)
{
    size_t len = strlen(mark->name);
    struct entry entry = {.name = mem_strndup(mark->name, len),
                          .number = mark->number,
                          .time = mark->time,
                          .bytes = len + mark->len + BESIDES,
                          .newest = true,
                          .removed = mark->removed};

    history->entry = vec_reserve(history->entry, &history->cap, history->n + 1, sizeof entry);
    history->entry[history->n++] = entry;
    history->bytes += entry.bytes;
}

/* Those that go get no name; they leave the array in compact. */
static void drop(struct module_history *history, struct entry *entry, struct store_batch *batch)
{
    module_version_remove(batch, entry->name, entry->number);
    history->bytes -= entry->bytes;
    mem_free(entry->name);
    entry->name = NULL;
}

static void compact(struct module_history *history)
{
    size_t n = 0;

    for (size_t i = 0; i < history->n; i++)
        if (history->entry[i].name)
            history->entry[n++] = history->entry[i];
    history->n = n;
}

void module_history_add(struct module_history *history, const struct module_mark *mark, uint32_t keep,
                        struct store_batch *batch)
{
    bool any = false;

    for (size_t i = 0; i < history->n; i++) {
        struct entry *entry = &history->entry[i];
        if (strcmp(entry->name, mark->name) != 0)
            continue;
        entry->newest = false;
        if (entry->number + keep > mark->number)
            continue;
        drop(history, entry, batch);
        any = true;
    }
    if (any)
        compact(history);
    append(history, mark);
}

void module_history_prune(struct module_history *history, uint64_t most, struct store_batch *batch)
{
    bool any = false;

    for (size_t i = 0; i < history->n && history->bytes > most; i++) {
        struct entry *entry = &history->entry[i];
        if (entry->newest && !entry->removed)
            continue;
        drop(history, entry, batch);
        any = true;
    }
    if (any)
        compact(history);
}

/* ---- what there is ----------------------------------------------------------------------------- */

static bool found_record(void *ctx, const void *key, size_t key_len, const void *value, size_t len)
{
    struct module_history *history = ctx;
    struct module_version version;

    history->damaged = !module_version_decode(key, key_len, value, len, &version);
    if (history->damaged)
        return false;
    struct module_mark mark = {.name = (const char *)key + 1, /* decoded: it ends with a NUL */
                               .number = version.number,
                               .time = version.time,
                               .len = version.len,
                               .removed = version.removed};
    struct entry *last = history->n > 0 ? &history->entry[history->n - 1] : NULL;
    if (last && strcmp(last->name, mark.name) == 0)
        last->newest = false; /* records come by name, then number */
    append(history, &mark);
    return true;
}

static int by_time(const void *a, const void *b)
{
    const struct entry *x = a, *y = b;

    if (x->time != y->time)
        return x->time < y->time ? -1 : 1;
    return (x->number > y->number) - (x->number < y->number);
}

struct module_history *module_history_open(struct store *st, struct buf *why)
{
    struct module_history *history = mem_calloc(1, sizeof *history);
    static const uint8_t space = SPACE_VERSION;

    enum store_result result = store_read(st, &space, 1, found_record, history, why);
    if (result == STORE_OK && history->damaged)
        buf_adds(why, "a version of a module is damaged");
    if (result != STORE_OK || history->damaged)
        module_history_free(&history);
    else if (history->n > 1)
        qsort(history->entry, history->n, sizeof *history->entry, by_time);
    return history;
}

void module_history_free(struct module_history **history)
{
    if (!*history)
        return;
    for (size_t i = 0; i < (*history)->n; i++)
        mem_free((*history)->entry[i].name);
    mem_free((*history)->entry);
    mem_free(*history);
    *history = NULL;
}
