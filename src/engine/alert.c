// SPDX-License-Identifier: Apache-2.0
/* alert - lists of alerts and their order. */
#include "engine/alert.h"

#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "plan/program.h"

void alert_list_init(struct alert_list *list)
{
    *list = (struct alert_list){0};
}

void alert_list_clear(struct alert_list *list)
{
    for (size_t i = 0; i < list->n; i++) {
        mem_free(list->alert[i].json);
        mem_free(list->alert[i].key);
        mem_free(list->alert[i].title);
    }
    list->n = 0;
}

struct alert *alert_list_add(struct alert_list *list)
{
    list->alert = vec_reserve(list->alert, &list->cap, list->n + 1, sizeof *list->alert);
    list->alert[list->n] = (struct alert){0};
    return &list->alert[list->n++];
}

void alert_list_fini(struct alert_list *list)
{
    alert_list_clear(list);
    mem_free(list->alert);
    *list = (struct alert_list){0};
}

static int alert_order(const void *a, const void *b, void *prog_ptr)
{
    const struct alert *x = a, *y = b;
    const struct program *prog = prog_ptr;
    int order;
    if (x->time != y->time)
        return x->time < y->time ? -1 : 1;
    if ((order = strcmp(prog->rule[x->rule].name, prog->rule[y->rule].name)) != 0)
        return order;
    if ((order = strcmp(x->key, y->key)) != 0)
        return order;
    if ((order = memcmp(x->id, y->id, sizeof x->id)) != 0)
        return order;
    return x->revision < y->revision ? -1 : x->revision > y->revision;
}

void alert_list_sort(struct alert_list *list, size_t from, const struct program *prog)
{
    if (list->n > from + 1)
        qsort_r(list->alert + from, list->n - from, sizeof *list->alert, alert_order,
                (void *)(uintptr_t)prog);
}
