// SPDX-License-Identifier: Apache-2.0
#include "flow/intake.h"

#include "base/mem.h"

struct intake *intake_new(uint32_t source_number)
{
    struct intake *in = mem_alloc(sizeof *in);

    in->source_number = source_number;
    in->n = 0;
    in->bytes = sizeof *in;
    return in;
}

void live_list_fini(struct live_list *list)
{
    for (size_t i = 0; i < list->n; i++)
        mem_free(list->lp[i]);
    mem_free(list->lp);
    *list = (struct live_list){0};
}

void intake_free(struct intake **in)
{
    if (!*in)
        return;
    for (uint32_t i = 0; i < (*in)->n; i++) {
        event_unref((*in)->item[i].ev);
        mem_free((*in)->item[i].reason);
        mem_free((*in)->item[i].text);
        mem_free((*in)->item[i].quarantine);
    }
    mem_free(*in);
    *in = NULL;
}
