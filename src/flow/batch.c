// SPDX-License-Identifier: Apache-2.0
#include "flow/batch.h"

#include "base/mem.h"
#include "event/event.h"

struct batch *batch_new(uint32_t group)
{
    struct batch *batch = mem_alloc(sizeof *batch);

    batch->group = group;
    batch->n = 0;
    batch->barrier = NULL;
    return batch;
}

void batch_free(struct batch **batch)
{
    if (!*batch)
        return;
    for (uint32_t i = 0; i < (*batch)->n; i++)
        event_unref((*batch)->item[i].ev);
    mem_free(*batch);
    *batch = NULL;
}
