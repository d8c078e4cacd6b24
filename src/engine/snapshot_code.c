// SPDX-License-Identifier: Apache-2.0
/* snapshot_code - what all that codes state shares: streams by name, deadlines as they were set. */
#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "base/hash.h"
#include "base/mem.h"
#include "base/reader.h"
#include "engine/engine_priv.h"
#include "engine/snapshot.h"
#include "event/event.h"
#include "event/json_decode.h"

enum { MAX_EVENT = 1 << 30 };

void encoding_init(struct encoding *ec, const struct program *prog)
{
    *ec = (struct encoding){.prog = prog, .due = NO_DUE};
    buf_init(&ec->body);
}

void encoding_fini(struct encoding *ec)
{
    buf_fini(&ec->body);
    mem_free(ec->ev);
    mem_free(ec->stream);
    hash_index_free(&ec->index);
}

void encode_stream(struct encoding *ec, uint16_t stream)
{
    size_t i = 0;
    while (i < ec->n_streams && ec->stream[i] != stream)
        i++;
    if (i == ec->n_streams) {
        ec->stream = vec_reserve(ec->stream, &ec->cap_streams, i + 1, sizeof *ec->stream);
        ec->stream[ec->n_streams++] = stream;
    }
    buf_add_varint(&ec->body, i);
}

void encode_due_at(struct encoding *ec, int64_t due)
{
    ec->due = due < ec->due ? due : ec->due;
    buf_add_u64(&ec->body, (uint64_t)due);
}

void encode_due(struct encoding *ec, const struct deadline *dl)
{
    encode_due_at(ec, dl->queue != NULL ? dl->due : NO_DUE);
}

void restore_init(struct restore *re, struct engine *en)
{
    *re = (struct restore){.en = en, .decoder = decoder_new(en->prog->schema, MAX_EVENT),
                           .scratch = arena_new(0), .due = NO_DUE,
                           .restored = mem_calloc(en->prog->n_rules + 1, sizeof *re->restored)};
}

void restore_fini(struct restore *re)
{
    mem_free(re->due_list);
    mem_free(re->restored);
    arena_free(&re->scratch);
    decoder_free(&re->decoder);
}

uint16_t decode_stream(const struct restore *re, struct reader *r)
{
    uint64_t number = reader_varint(r);
    r->bad |= number >= re->n_streams;
    return r->bad ? 0 : re->stream[number];
}

int64_t decode_due(struct reader *r)
{
    int64_t due = (int64_t)reader_u64(r);
    return r->bad ? NO_DUE : due;
}

void restore_deadline(struct restore *re, struct deadline_queue *queue, struct deadline *deadline,
                      int64_t due, uint64_t seq)
{
    if (due < re->en->now) /* damaged: what was due is decided; time does not go back for it */
        due = re->en->now;
    re->due = due < re->due ? due : re->due;
    re->due_list = vec_reserve(re->due_list, &re->cap_due, re->n_due + 1, sizeof *re->due_list);
    re->due_list[re->n_due++] = (struct restored_deadline){
        .queue = queue, .deadline = deadline, .due = due, .seq = seq};
}

static int by_due(const void *a, const void *b)
{
    const struct restored_deadline *x = a, *y = b;
    if (x->due != y->due)
        return x->due < y->due ? -1 : 1;
    return x->seq < y->seq ? -1 : x->seq > y->seq;
}

void restore_deadlines(struct restore *re)
{
    if (re->n_due > 1)
        qsort(re->due_list, re->n_due, sizeof *re->due_list, by_due);
    for (size_t i = 0; i < re->n_due; i++) {
        const struct restored_deadline *one = &re->due_list[i];
        deadline_set(&re->en->heap, one->queue, one->deadline, one->due);
    }
    re->n_due = 0;
}
