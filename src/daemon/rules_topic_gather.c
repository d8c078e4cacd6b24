// SPDX-License-Identifier: Apache-2.0
/* rules_topic_gather - records become items of a round. */
#include <string.h>

#include "base/failpoint.h"
#include "base/hash.h"
#include "base/mem.h"
#include "config/config.h"
#include "config/rules.h"
#include "daemon/rules_topic_priv.h"
#include "io/topic_reader.h"

/* ---- items --------------------------------------------------------------------------------------------- */

static uint64_t hash_of(const char *name)
{
    return hash64(name, strlen(name), 0);
}

static bool is_named(uint64_t value, const void *key, void *ctx)
{
    const struct rules_round *round = ctx;

    return strcmp(round->item[value].wish.name, key) == 0;
}

static struct rules_item *open_item(struct rules_round *round, const char *name)
{
    uint64_t at;

    return hash_index_get(round->open, hash_of(name), is_named, name, round, &at) ? &round->item[at] : NULL;
}

static void close_item(struct rules_round *round, struct rules_item *item)
{
    hash_index_remove(round->open, hash_of(item->wish.name), (uint64_t)(item - round->item));
    round->bytes -= item->wish.len;
}

/* Zeroed, at the end. */
static struct rules_item *add_item(struct rules_round *round)
{
    round->item = vec_reserve(round->item, &round->cap, round->n + 1, sizeof *round->item);
    struct rules_item *item = &round->item[round->n++];

    *item = (struct rules_item){.state = RULES_OPEN};
    buf_init(&item->detail);
    buf_init(&item->json);
    return item;
}

static void open_it(struct rules_round *round, struct rules_item *item)
{
    item->path = config_rules_path(round->rt->d->config, item->wish.name);
    hash_index_add(round->open, hash_of(item->wish.name), (uint64_t)(item - round->item));
    round->bytes += item->wish.len;
}

static void item_fini(struct rules_item *item)
{
    rules_wish_fini(&item->wish);
    mem_free(item->key);
    mem_free(item->path);
    buf_fini(&item->detail);
    buf_fini(&item->json);
}

/* What the module was to be before this record came. */
static void supersede(struct rules_round *round, const char *name, const struct topic_record *by)
{
    struct rules_item *item = open_item(round, name);

    if (!item)
        return;
    close_item(round, item);
    item->state = RULES_SUPERSEDED;
    item->by_partition = by->partition;
    item->by_offset = by->offset;
    mem_free(item->wish.text);
    item->wish.text = NULL;
    item->wish.len = 0;
    round->n_superseded++;
}

/* A topic that was never compacted: more of its past than there is room to answer. */
static void squeeze(struct rules_round *round)
{
    size_t kept = 0;

    for (size_t i = 0; i < round->n; i++) {
        struct rules_item *item = &round->item[i];
        if (item->state == RULES_SUPERSEDED && !item->waited) {
            item_fini(item);
            round->dropped++;
        } else {
            round->item[kept++] = *item;
        }
    }
    round->n = kept;
    round->n_superseded = 0;
    hash_index_free(&round->open);
    round->open = hash_index_new();
    for (size_t i = 0; i < round->n; i++)
        if (round->item[i].state == RULES_OPEN)
            hash_index_add(round->open, hash_of(round->item[i].wish.name), i);
}

static enum http_problem problem_of(enum rules_fault fault)
{
    switch (fault) {
    case RULES_TOO_LONG: return HTTP_TOO_LARGE;
    case RULES_BAD_VALUE: return HTTP_BAD_BODY;
    default: return HTTP_BAD_REQUEST;
    }
}

static bool has_room(const struct rules_round *round, const struct rules_wish *wish)
{
    return !wish->text || (hash_index_count(round->open) < RULES_MODULES_MOST &&
                           round->bytes + wish->len <= RULES_BYTES_MOST);
}

static void refuse_for_room(struct rules_item *item)
{
    buf_printf(&item->detail, "at most %d modules of a topic, of %zu bytes together", (int)RULES_MODULES_MOST,
               RULES_BYTES_MOST);
    item->problem = HTTP_TOO_LARGE;
    item->state = RULES_REFUSED;
}

static void take_record(struct rules_round *round, const struct topic_record *record)
{
    struct rules_item *item = add_item(round);
    enum rules_fault fault = rules_wish_read(record, &item->wish, &item->detail);

    round->records++;
    if (!item->wish.name && record->key) {
        item->key = mem_strndup(record->key, record->key_len);
        item->key_len = record->key_len;
    }
    if (item->wish.name)
        supersede(round, item->wish.name, record);
    if (fault != RULES_FINE) {
        item->state = RULES_REFUSED;
        item->problem = problem_of(fault);
        mem_free(item->wish.text);
        item->wish.text = NULL;
        item->wish.len = 0;
    } else if (!has_room(round, &item->wish)) {
        refuse_for_room(item);
    } else {
        open_it(round, item);
    }
    if (round->n_superseded > RULES_ANSWERS_MOST / 2)
        squeeze(round);
}

/* ---- how far it was read ------------------------------------------------------------------------------- */

static void note_position(struct rules_topic *rt, const struct topic_record *record)
{
    size_t at = (size_t)record->partition;

    if (at >= rt->n_positions) {
        rt->position = mem_realloc(rt->position, (at + 1) * sizeof *rt->position);
        rt->moved = mem_realloc(rt->moved, (at + 1) * sizeof *rt->moved);
        for (; rt->n_positions <= at; rt->n_positions++) {
            rt->position[rt->n_positions] = (struct topic_position){.partition = (int32_t)rt->n_positions};
            rt->moved[rt->n_positions] = rt->first;
        }
    }
    if (record->is_new)
        topic_position_restart(&rt->position[at], record->offset);
    if (record->is_end)
        topic_position_pass(&rt->position[at], record->offset);
    else
        topic_position_note(&rt->position[at], record->offset, record->hash);
    rt->moved[at] |= !record->is_end || record->is_new;
}

/* ---- rounds -------------------------------------------------------------------------------------------- */

struct rules_round *rules_round_new(struct rules_topic *rt)
{
    struct rules_round *round = mem_calloc(1, sizeof *round);

    round->rt = rt;
    round->open = hash_index_new();
    for (size_t i = 0; i < rt->n_wishes; i++) {
        struct rules_item *item = add_item(round);
        item->wish = rt->wish[i];
        item->waited = true;
        open_it(round, item);
    }
    mem_free(rt->wish);
    rt->wish = NULL;
    rt->n_wishes = 0;
    return round;
}

void rules_round_gather(struct rules_round *round, size_t most)
{
    struct topic_record *record;

    while (round->records < most && (record = topic_reader_take(round->rt->reader)) != NULL) {
        note_position(round->rt, record);
        if (!record->is_end)
            take_record(round, record);
        topic_record_free(&record);
    }
    if (round->records > 0)
        failpoint_hit(FAILPOINT_topic_taken);
}

void rules_round_free(struct rules_round **roundp)
{
    struct rules_round *round = *roundp;
    size_t n = 0;

    *roundp = NULL;
    if (!round)
        return;
    struct rules_topic *rt = round->rt;
    mem_free(rt->wish);
    rt->wish = mem_calloc(round->n + 1, sizeof *rt->wish);
    for (size_t i = 0; i < round->n; i++) {
        struct rules_item *item = &round->item[i];
        if (item->state == RULES_WAITS || item->state == RULES_OPEN) {
            rt->wish[n++] = item->wish;
            item->wish = (struct rules_wish){0};
        }
        item_fini(item);
    }
    rt->n_wishes = n;
    if (round->made) {
        ruleset_fini(&round->next);
        ruleset_outcome_fini(&round->outcome);
    }
    hash_index_free(&round->open);
    mem_free(round->item);
    mem_free(round->by_name);
    mem_free(round->candidate);
    mem_free(round);
}
