// SPDX-License-Identifier: Apache-2.0
#include "event/row_form.h"

#include <string.h>

#include "base/mem.h"
#include "event/schema.h"

static struct row_path copy_path(const struct row_path *from)
{
    struct path_part *part = mem_calloc((size_t)from->n_parts + 1, sizeof *part);

    for (uint32_t i = 0; i < from->n_parts; i++) {
        part[i] = from->part[i];
        if (part[i].name)
            part[i].name = mem_strndup(part[i].name, part[i].len);
    }
    return (struct row_path){mem_strndup(from->name, strlen(from->name)), part, from->n_parts};
}

static void path_fini(const struct row_path *path)
{
    for (uint32_t i = 0; i < path->n_parts; i++)
        mem_free((void *)(uintptr_t)path->part[i].name);
    mem_free((void *)(uintptr_t)path->part);
    mem_free((void *)(uintptr_t)path->name);
}

struct row_form *row_form_copy(const struct row_form *from)
{
    struct row_form *form = mem_calloc(1, sizeof *form);
    struct row_path *column = mem_calloc((size_t)from->n_columns + 1, sizeof *column);

    form->key = copy_path(&from->key);
    for (uint32_t i = 0; i < from->n_columns; i++)
        column[i] = copy_path(&from->column[i]);
    form->column = column;
    form->n_columns = from->n_columns;
    return form;
}

void row_form_free(struct row_form **form)
{
    if (!*form)
        return;
    path_fini(&(*form)->key);
    for (uint32_t i = 0; i < (*form)->n_columns; i++)
        path_fini(&(*form)->column[i]);
    mem_free((void *)(uintptr_t)(*form)->column);
    mem_free(*form);
    *form = NULL;
}

bool row_path_same(const struct row_path *a, const struct row_path *b)
{
    bool same = a->n_parts == b->n_parts;

    for (uint32_t i = 0; same && i < a->n_parts; i++) {
        const struct path_part *x = &a->part[i], *y = &b->part[i];
        same = !x->name == !y->name &&
               (x->name ? x->len == y->len && memcmp(x->name, y->name, x->len) == 0
                        : x->index == y->index);
    }
    return same;
}

bool row_form_column(const struct row_form *form, const struct row_path *path, uint32_t *at_out)
{
    for (uint32_t i = 0; i < form->n_columns; i++) {
        if (!row_path_same(&form->column[i], path))
            continue;
        *at_out = i;
        return true;
    }
    return false;
}
