// SPDX-License-Identifier: Apache-2.0
#include "engine/directory_verify.h"

#include <string.h>

#include "base/mem.h"
#include "base/reader.h"
#include "engine/directory_priv.h"

/* Of one incarnation. */
struct proof {
    uint32_t incarnation;
    struct directory dir;           /* with its loading, owned, once there is a record 'D' */
    struct directory_sums listed;   /* pages and changes: keys, check */
    struct directory_sums recorded; /* the records of keys */
    const char *why;                /* the first that was wrong; NULL: nothing */
};

struct directory_verify {
    struct proof **proof; /* owned, the last one first looked at */
    size_t n, cap;
};

struct directory_verify *directory_verify_new(void)
{
    return mem_calloc(1, sizeof(struct directory_verify));
}

void directory_verify_free(struct directory_verify **dvp)
{
    struct directory_verify *dv = *dvp;
    if (dv == NULL)
        return;
    *dvp = NULL;
    for (size_t i = 0; i < dv->n; i++) {
        directory_loading_free(&dv->proof[i]->dir.loading);
        mem_free(dv->proof[i]->dir.records);
        mem_free(dv->proof[i]);
    }
    mem_free(dv->proof);
    mem_free(dv);
}

static struct proof *proof_of(struct directory_verify *dv, uint32_t incarnation)
{
    for (size_t i = dv->n; i-- > 0;)
        if (dv->proof[i]->incarnation == incarnation)
            return dv->proof[i];
    dv->proof = vec_reserve(dv->proof, &dv->cap, dv->n + 1, sizeof(struct proof *));
    struct proof *pf = dv->proof[dv->n++] = mem_calloc(1, sizeof *pf);
    pf->incarnation = incarnation;
    return pf;
}

static uint64_t big_endian(struct reader *r, int bytes)
{
    uint64_t n = 0;
    while (bytes-- > 0)
        n = n << 8 | reader_u8(r);
    return n;
}

/* ---- the directory ----------------------------------------------------------------------------- */

/* Behind the last page. */
static bool place_pages(struct proof *pf)
{
    struct directory_loading *lo = pf->dir.loading;
    lo->placed = true;
    if (!directory_has_all_pages(&pf->dir))
        return false;
    for (size_t i = 0; i < lo->n_places; i++)
        directory_sums_add(&pf->listed, lo->place[i].hash, lo->place[i].place, 0, 0);
    lo->n_places = 0;
    return true;
}

static bool take_changes(struct proof *pf, uint64_t epoch, uint64_t part, struct reader *r)
{
    struct directory *dir = &pf->dir;
    if (!directory_note_changes(dir, epoch, part, reader_left(r)))
        return false;
    if (!dir->whole)
        return true; /* until it is nobody reads it */
    if (reader_u8(r) != DIRECTORY_VERSION || r->bad || reader_left(r) % CHANGE_BYTES != 0 ||
        (!dir->loading->placed && !place_pages(pf)))
        return false;
    while (reader_left(r) > 0) {
        uint64_t hash = reader_u64(r), before = reader_u64(r), after = reader_u64(r);
        struct directory_sums gone = {0};
        if ((before != 0 && (before & 1) == 0) || (after != 0 && (after & 1) == 0))
            return false;
        if (epoch <= directory_page_epoch(dir->loading, hash))
            continue;
        if (before != 0)
            directory_sums_add(&gone, hash, before, 0, 0);
        directory_sums_less(&pf->listed, &gone);
        if (after != 0)
            directory_sums_add(&pf->listed, hash, after, 0, 0);
    }
    return true;
}

static bool take_directory(struct proof *pf, struct reader *key, struct reader *value)
{
    uint8_t what = reader_u8(key);
    uint64_t first = what != 'h' ? big_endian(key, 8) : 0;
    uint64_t second = what == 'u' ? big_endian(key, 4) : 0;
    if (pf->dir.loading == NULL) {
        pf->dir.loading = mem_calloc(1, sizeof *pf->dir.loading);
        buf_init(&pf->dir.loading->keys);
    }
    if (key->bad || reader_left(key) > 0)
        return false;
    switch (what) {
    case 'h': return directory_head_read(&pf->dir, value);
    case 'p': return directory_page_read(&pf->dir, first, value);
    case 'u': return take_changes(pf, first, second, value);
    default: return false;
    }
}

/* ---- records of keys ----------------------------------------------------------------------------- */

/* What is damaged there is told by record_about_key. */
static void take_key(struct proof *pf, struct reader *key, struct reader *value)
{
    struct record_head head;
    size_t len;
    uint64_t hash = big_endian(key, 8);
    reader_bytes(key, &len);
    if (!key->bad && reader_left(key) == 0 && record_head_decode(&head, value))
        directory_sums_add(&pf->recorded, hash, stub_place(head.due), head.runs, head.charge);
}

void directory_verify_take(struct directory_verify *dv, const void *key, size_t key_len, const void *value, size_t len)
{
    struct reader k, v;
    reader_init(&k, key, key_len);
    reader_init(&v, value, len);
    uint8_t kind = reader_u8(&k);
    uint32_t incarnation = (uint32_t)big_endian(&k, 4);
    if (k.bad || (kind != 'D' && kind != 'P'))
        return;
    struct proof *pf = proof_of(dv, incarnation);
    if (kind == 'P')
        take_key(pf, &k, &v);
    else if (pf->why == NULL && !take_directory(pf, &k, &v))
        pf->why = "a record of the directory of its keys is damaged, or does not fit";
}

/* ---- the end ------------------------------------------------------------------------------------- */

static bool are_same(const struct directory_sums *a, const struct directory_sums *b)
{
    return a->keys == b->keys && a->runs == b->runs && a->charge == b->charge && a->check == b->check;
}

static const char *look(struct proof *pf)
{
    struct directory *dir = &pf->dir;
    struct directory_loading *lo = dir->loading;
    if (pf->why != NULL || lo == NULL)
        return pf->why;
    if (!lo->has_head)
        return "the directory of its keys has no head";
    if (!are_same(&lo->sums, &pf->recorded))
        return "the directory of its keys has other sums than their records";
    if (dir->whole && ((!lo->placed && !place_pages(pf)) || pf->listed.keys != lo->sums.keys ||
                       pf->listed.check != lo->sums.check))
        return "the directory of its keys does not add up to its sums";
    return NULL;
}

void directory_verify_end(const struct directory_verify *dv, void fault(void *ctx, uint32_t incarnation, const char *why),
                          void *ctx)
{
    for (size_t i = 0; i < dv->n; i++) {
        const char *why = look(dv->proof[i]);
        if (why != NULL)
            fault(ctx, dv->proof[i]->incarnation, why);
    }
}
