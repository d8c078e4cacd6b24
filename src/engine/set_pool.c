// SPDX-License-Identifier: Apache-2.0
/* set_pool - the memory of sets, in slabs by kind. What rules are charged for it: set_tree.c. */
#include "base/mem.h"
#include "engine/set_priv.h"
#include "event/event.h"

enum { CHUNK = 1 << 16 };

struct slab_free {
    struct slab_free *next;
};

struct slab { /* malloc costs 250-570 ns under churn, this 25 */
    struct slab_free *free;
    void **chunk;
    size_t n_chunks, cap_chunks;
};

struct set_pool {
    struct slab entry, item, leaf, set;
};

#ifdef MEM_IS_WATCHED /* each object by itself, so that the sanitizer sees what is freed */
static void *slab_take(struct slab *slab, size_t size)
{
    (void)slab;
    return mem_alloc(size);
}

static void slab_give(struct slab *slab, void *object)
{
    (void)slab;
    mem_free(object);
}
#else
static void slab_grow(struct slab *slab, size_t size)
{
    slab->chunk = vec_reserve(slab->chunk, &slab->cap_chunks, slab->n_chunks + 1,
                              sizeof *slab->chunk);
    char *chunk = mem_alloc(CHUNK);
    slab->chunk[slab->n_chunks++] = chunk;
    for (size_t n = CHUNK / size; n-- > 0;) {
        struct slab_free *object = (struct slab_free *)(void *)(chunk + n * size);
        object->next = slab->free;
        slab->free = object;
    }
}

static void *slab_take(struct slab *slab, size_t size)
{
    if (slab->free == NULL)
        slab_grow(slab, size);
    struct slab_free *object = slab->free;
    slab->free = object->next;
    return object;
}

static void slab_give(struct slab *slab, void *object)
{
    struct slab_free *freed = object;
    freed->next = slab->free;
    slab->free = freed;
}
#endif

static void slab_fini(struct slab *slab)
{
    for (size_t i = 0; i < slab->n_chunks; i++)
        mem_free(slab->chunk[i]);
    mem_free(slab->chunk);
}

struct set_pool *set_pool_new(void)
{
    return mem_calloc(1, sizeof(struct set_pool));
}

void set_pool_free(struct set_pool **pool)
{
    if (*pool == NULL)
        return;
    slab_fini(&(*pool)->entry);
    slab_fini(&(*pool)->item);
    slab_fini(&(*pool)->leaf);
    slab_fini(&(*pool)->set);
    mem_free(*pool);
    *pool = NULL;
}

/* ---- events --------------------------------------------------------------------------------- */

struct log_entry *log_entry_new(struct engine *en, uint16_t step, struct event *ev,
                                uint16_t stream, uint64_t seq)
{
    struct log_entry *entry = slab_take(&en->sets->entry, sizeof *entry);
    *entry = (struct log_entry){.ev = event_ref(ev), .seq = seq, .refs = 1, .step = step,
                                .stream = stream};
    return entry;
}

void log_entry_drop(struct engine *en, struct log_entry *entry)
{
    while (entry != NULL && --entry->refs == 0) {
        struct log_entry *next = entry->next;
        event_unref(entry->ev);
        slab_give(&en->sets->entry, entry);
        entry = next;
    }
}

void set_log_append(struct engine *en, struct set_log *log, struct log_entry *entry)
{
    struct log_entry *before = log->tail;
    entry->before = log->charge;
    log->charge += set_bind_charge(entry->ev);
    log->tail = entry;
    log->n++;
    if (before == NULL)
        return;
    before->next = entry;
    entry->refs++;
    log_entry_drop(en, before);
}

/* ---- items ---------------------------------------------------------------------------------- */

struct set_item *set_item_new(struct engine *en, struct run_set *inner)
{
    struct set_item *item = slab_take(&en->sets->item, sizeof *item);
    *item = (struct set_item){.inner = inner};
    inner->owner = item;
    return item;
}

struct set_leaf *set_leaf_new(struct engine *en, struct partition *part)
{
    struct set_leaf *leaf = slab_take(&en->sets->leaf, sizeof *leaf);
    *leaf = (struct set_leaf){0};
    part->rs->stats.bytes += part->rs->sets->run_bytes;
    part->rs->stats.runs++;
    part->n_runs++;
    return leaf;
}

static void own_free(struct set_own *own)
{
    for (uint32_t i = 0; i < own->n; i++)
        event_unref(own->bind[i].ev);
    mem_free(own);
}

void set_leaf_strip(struct engine *en, struct set_leaf *leaf)
{
    deadline_clear(&en->heap, &leaf->item.wait);
    log_entry_drop(en, leaf->item.from);
    leaf->item.from = NULL;
    leaf->item.n = 0;
    if (leaf->own != NULL)
        own_free(leaf->own);
    leaf->own = NULL;
}

void set_item_free(struct engine *en, struct set_item *item)
{
    if (item->inner != NULL) {
        deadline_clear(&en->heap, &item->wait);
        log_entry_drop(en, item->from);
        slab_give(&en->sets->item, item);
        return;
    }
    struct set_leaf *leaf = set_leaf_of(item);
    set_leaf_strip(en, leaf);
    deadline_clear(&en->heap, &leaf->life);
    slab_give(&en->sets->leaf, leaf);
}

/* ---- sets ----------------------------------------------------------------------------------- */

struct run_set *run_set_new(struct engine *en, struct partition *part, uint16_t element,
                    enum set_group group)
{
    struct run_set *set = slab_take(&en->sets->set, sizeof *set);
    *set = (struct run_set){.part = part, .element = element, .group = (uint8_t)group,
                        .min_start = UINT64_MAX, .sorted = true};
    return set;
}

void run_set_free(struct engine *en, struct run_set *set)
{
    if (set->group < SET_GROUPS)
        run_set_detach(en, set);
    else if (set->group == SET_GHOSTS)
        set->part->sets->ghosts = NULL;
    deadline_clear(&en->heap, &set->wait);
    slab_give(&en->sets->set, set);
}
