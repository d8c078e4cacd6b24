// SPDX-License-Identifier: Apache-2.0
#include "flow/barrier.h"

#include "base/mem.h"
#include "state/checkpoint.h"

struct barrier *barrier_new(void)
{
    struct barrier *b = mem_calloc(1, sizeof *b);

    b->ep = epoch_new();
    return b;
}

void barrier_free(struct barrier **b)
{
    if (!*b)
        return;
    epoch_free(&(*b)->ep);
    mem_free((*b)->found);
    mem_free(*b);
    *b = NULL;
}
