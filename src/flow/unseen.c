// SPDX-License-Identifier: Apache-2.0
#include "flow/unseen.h"

#include <string.h>

#include "base/mem.h"
#include "base/suggest.h"
#include "event/event.h"
#include "event/schema.h"
#include "plan/program.h"

static bool same_first_name(const char *path, const char *other)
{
    size_t len = strcspn(path, ".[");

    return len == strcspn(other, ".[") && memcmp(path, other, len) == 0;
}

/* Rules that others read make events with such a field. */
static bool is_emitted(const struct program *prog, const char *path)
{
    static const char *const always[] = {"rule", "severity", "key"};

    for (uint32_t i = 0; i < prog->n_rules; i++) {
        const struct program_rule *rule = &prog->rule[i];
        if (rule->stream_own == UINT32_MAX && rule->stream_into == UINT32_MAX)
            continue;
        for (size_t k = 0; k < sizeof always / sizeof *always; k++)
            if (same_first_name(path, always[k]))
                return true;
        for (uint32_t k = 0; k < rule->n_emit; k++)
            if (same_first_name(path, rule->emit[k].name))
                return true;
    }
    return false;
}

void unseen_init(struct unseen *u, const struct program *prog)
{
    *u = (struct unseen){.slot = mem_calloc(prog->n_rule_slots + 1, sizeof *u->slot)};
    for (uint32_t slot = 0; slot < prog->n_rule_slots; slot++)
        if (!is_emitted(prog, schema_path(prog->schema, slot)))
            u->slot[u->n++] = slot;
}

void unseen_fini(struct unseen *u)
{
    mem_free(u->slot);
    *u = (struct unseen){0};
}

void unseen_look(struct unseen *u, const struct event *ev)
{
    for (size_t i = 0; i < u->n;) {
        if (ev->slot[u->slot[i]].type == VALUE_MISSING) {
            i++;
            continue;
        }
        if (u->seen)
            atomic_store_explicit(&u->seen[u->slot[i]], true, memory_order_relaxed);
        u->slot[i] = u->slot[--u->n];
    }
}

void unseen_less(struct unseen *u, const _Atomic bool *seen)
{
    size_t n = 0;

    for (size_t i = 0; i < u->n; i++)
        if (!atomic_load_explicit(&seen[u->slot[i]], memory_order_relaxed))
            u->slot[n++] = u->slot[i];
    u->n = n;
}

static bool has(const struct unseen *u, uint32_t slot)
{
    for (size_t i = 0; i < u->n; i++)
        if (u->slot[i] == slot)
            return true;
    return false;
}

const char *unseen_path(const struct unseen *u, const struct program *prog, size_t i, const char **near_out)
{
    const char *path = schema_path(prog->schema, u->slot[i]);
    struct suggest near;

    suggest_init(&near, path);
    for (uint32_t slot = 0; slot < prog->n_rule_slots; slot++)
        if (!has(u, slot))
            suggest_try(&near, schema_path(prog->schema, slot));
    *near_out = suggest_result(&near);
    return path;
}
