// SPDX-License-Identifier: Apache-2.0
/* source_follow_files - which paths and files there are, found by path, by name and by id; those with more to read. */
#include <string.h>

#include "base/clock.h"
#include "base/hash.h"
#include "base/mem.h"
#include "io/source_file.h"
#include "io/source_follow_priv.h"

static bool path_is(uint64_t value, const void *key, void *ctx)
{
    (void)ctx;
    return strcmp(((struct follow_path *)(uintptr_t)value)->path, key) == 0;
}

static bool name_is(uint64_t value, const void *key, void *ctx)
{
    (void)ctx;
    return strcmp(((struct follow_path *)(uintptr_t)value)->name, key) == 0;
}

static bool id_is(uint64_t value, const void *key, void *ctx)
{
    (void)ctx;
    return ((struct follow_file *)(uintptr_t)value)->id == *(const uint64_t *)key;
}

static uint64_t text_hash(const char *text)
{
    return hash64(text, strlen(text), 0);
}

struct follow_path *follow_path_at(struct source_follow *s, const char *path)
{
    uint64_t value = 0;

    hash_index_get(s->by_path, text_hash(path), path_is, path, NULL, &value);
    return (struct follow_path *)(uintptr_t)value;
}

struct follow_path *follow_path_named(struct source_follow *s, const char *name)
{
    uint64_t value = 0;

    hash_index_get(s->by_name, text_hash(name), name_is, name, NULL, &value);
    return (struct follow_path *)(uintptr_t)value;
}

struct follow_file *follow_file_of(struct source_follow *s, uint64_t id)
{
    uint64_t value = 0;

    hash_index_get(s->by_id, id, id_is, &id, NULL, &value);
    return (struct follow_file *)(uintptr_t)value;
}

struct follow_path *follow_path_add(struct source_follow *s, const char *path, const char *name)
{
    struct follow_path *p = mem_calloc(1, sizeof *p);

    p->path = path ? mem_strndup(path, strlen(path)) : NULL;
    p->name = mem_strndup(name, strlen(name));
    s->kept_name = vec_reserve(s->kept_name, &s->cap_kept_names, s->n_kept_names + 1,
                               sizeof *s->kept_name);
    s->kept_name[s->n_kept_names++] = p->name;
    s->path = vec_reserve(s->path, &s->cap_paths, s->n_paths + 1, sizeof(struct follow_path *));
    s->path[s->n_paths++] = p;
    if (path)
        hash_index_add(s->by_path, text_hash(path), (uintptr_t)p);
    hash_index_add(s->by_name, text_hash(name), (uintptr_t)p);
    return p;
}

void follow_path_unindex(struct source_follow *s, struct follow_path *p)
{
    if (p->path)
        hash_index_remove(s->by_path, text_hash(p->path), (uintptr_t)p);
    hash_index_remove(s->by_name, text_hash(p->name), (uintptr_t)p);
}

/* The newest file with an identity is the one that is found by it. */
void follow_set_id(struct source_follow *s, struct follow_file *f, uint64_t id)
{
    struct follow_file *other = id ? follow_file_of(s, id) : NULL;

    if (f->id)
        hash_index_remove(s->by_id, f->id, (uintptr_t)f);
    if (other && other != f)
        hash_index_remove(s->by_id, id, (uintptr_t)other);
    f->id = id;
    if (id)
        hash_index_add(s->by_id, id, (uintptr_t)f);
    atomic_store(&f->part->identity[0], id);
    atomic_store(&f->part->identity[1], follow_identity1(f));
}

struct follow_file *follow_file_add(struct source_follow *s, struct follow_path *p,
                                    uint32_t generation, const char *path,
                                    const struct follow_stat *st)
{
    struct follow_file *f = mem_calloc(1, sizeof *f);

    f->part = mem_calloc(1, sizeof *f->part);
    f->part->name = p->name;
    f->part->generation = generation;
    s->part = vec_reserve(s->part, &s->cap_parts, s->n_parts + 1,
                          sizeof(struct source_partition *));
    s->part[s->n_parts++] = f->part;
    f->home = p;
    f->path = mem_strndup(path, strlen(path));
    f->fd = -1;
    f->size = st->size;
    f->mtime = st->mtime;
    f->changed = clock_monotonic();
    f->seen = s->scans;
    if (p->newest)
        p->newest->next = f;
    else
        p->oldest = f;
    p->newest = f;
    follow_set_id(s, f, st->id);
    return f;
}

void follow_set_print(struct follow_file *f, const struct follow_print *print)
{
    f->print = *print;
    atomic_store(&f->part->identity[1], follow_identity1(f));
}

void follow_file_free(struct source_follow *s, struct follow_file **fp)
{
    struct follow_file *f = *fp;

    follow_block_drop(s, f);
    follow_close(s, f);
    hash_index_remove(s->by_id, f->id, (uintptr_t)f);
    mem_free(f->path);
    mem_free(f);
    *fp = NULL;
}

void follow_make_ready(struct source_follow *s, struct follow_file *f)
{
    if (f->ready)
        return;
    f->ready = true;
    f->ready_next = NULL;
    if (s->ready_last)
        s->ready_last->ready_next = f;
    else
        s->ready_first = f;
    s->ready_last = f;
}

void follow_begin(struct source_follow *s, struct follow_path *p)
{
    struct follow_file *f = p->oldest;

    while (f && f->state == FOLLOW_ENDED)
        f = f->next;
    if (!f || f->state == FOLLOW_READING)
        return;
    f->state = FOLLOW_READING;
    s->slot = vec_reserve(s->slot, &s->cap_slots, s->n_slots + 1, sizeof *s->slot);
    f->slot = (uint32_t)s->n_slots;
    s->slot[s->n_slots++] = (struct follow_slot){0, f};
    f->opened = true;
    follow_tell(s, SOURCE_EVENT_OPENED, f, NULL);
    follow_make_ready(s, f);
}
