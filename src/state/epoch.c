// SPDX-License-Identifier: Apache-2.0
/* epoch - what becomes durable together, as its maker fills it (checkpoint.h). */
#include "base/mem.h"
#include "state/checkpoint.h"

struct epoch *epoch_new(void)
{
    struct epoch *ep = mem_calloc(1, sizeof *ep);

    ep->batch = store_batch_new();
    return ep;
}

void epoch_free(struct epoch **epp)
{
    struct epoch *ep = *epp;

    if (!ep)
        return;
    for (size_t i = 0; i < ep->n_messages; i++) {
        mem_free(ep->message[i].sink);
        mem_free(ep->message[i].direct);
        mem_free(ep->message[i].text);
        mem_free(ep->message[i].reason);
        mem_free(ep->message[i].origin);
    }
    mem_free(ep->message);
    store_batch_free(&ep->batch);
    mem_free(ep);
    *epp = NULL;
}

struct epoch_message *epoch_message_add(struct epoch *ep)
{
    ep->message = vec_reserve(ep->message, &ep->cap_messages, ep->n_messages + 1,
                              sizeof *ep->message);
    ep->message[ep->n_messages] = (struct epoch_message){0};
    return &ep->message[ep->n_messages++];
}

uint64_t epoch_bytes(const struct epoch *ep)
{
    uint64_t bytes = store_batch_bytes(ep->batch);

    for (size_t i = 0; i < ep->n_messages; i++)
        bytes += ep->message[i].len + sizeof ep->message[i];
    return bytes;
}
