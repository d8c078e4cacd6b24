// SPDX-License-Identifier: Apache-2.0
/* key - see key.h: classes of steps with equal keys, offers of an event. */
#include "engine/key.h"

#include <string.h>

#include "base/arena.h"
#include "base/hash.h"
#include "base/mem.h"
#include "engine/vm.h"
#include "event/event.h"
#include "plan/program.h"

static bool same_code(const struct code *a, const struct code *b)
{
    return a->n == b->n && memcmp(a->insn, b->insn, a->n * sizeof *a->insn) == 0;
}

static bool same_keys(const struct program_key *a, const struct program_key *b, uint32_t n)
{
    for (uint32_t i = 0; i < n; i++) {
        if (a[i].optional != b[i].optional || a[i].slot != b[i].slot)
            return false;
        if (a[i].slot == UINT32_MAX && !same_code(a[i].code, b[i].code))
            return false;
    }
    return true;
}

void key_plan_init(struct key_plan *plan, const struct program *prog,
                   const struct program_rule *rule)
{
    *plan = (struct key_plan){.n_keys = rule->n_keys, .plain = UINT32_MAX};
    plan->classes = mem_calloc(rule->n_probes + 1, sizeof *plan->classes);
    for (uint32_t p = 0; p < rule->n_probes; p++) {
        const struct program_probe *probe = &prog->probe[rule->first_probe + p];
        uint32_t c = 0;
        while (c < plan->n_classes && !same_keys(plan->classes[c].key, probe->key, plan->n_keys))
            c++;
        if (c == plan->n_classes)
            plan->classes[plan->n_classes++].key = probe->key;
        plan->classes[c].steps |= UINT64_C(1) << probe->step;
    }
    if (plan->n_keys == 1 && plan->n_classes == 1)
        plan->plain = plan->classes[0].key->slot;
}

void key_plan_fini(struct key_plan *plan)
{
    mem_free(plan->classes);
    plan->classes = NULL;
}

uint64_t key_hash(const struct value *key, uint32_t n)
{
    uint64_t hash = 0x746f6373;
    for (uint32_t i = 0; i < n; i++)
        hash = value_hash(key[i], hash);
    return hash;
}

bool key_same(const struct value *a, const struct value *b, uint32_t n)
{
    for (uint32_t i = 0; i < n; i++) {
        if (!value_same(a[i], b[i]))
            return false;
    }
    return true;
}

struct offer_list {
    struct key_offer *offer;
    uint32_t n, cap;
    uint64_t cut;
};

static void offer_add(struct offer_list *list, const struct value *key, uint32_t n_keys,
                      uint64_t steps, struct arena *scratch)
{
    uint64_t hash = key_hash(key, n_keys);
    for (uint32_t i = 0; i < list->n; i++) {
        if (list->offer[i].hash == hash && key_same(list->offer[i].key, key, n_keys)) {
            list->offer[i].steps |= steps;
            return;
        }
    }
    if (list->n == list->cap) {
        if (list->n >= KEY_MAX_OFFERS)
            return;
        uint32_t cap = list->cap == 0 ? 4 : list->cap * 2;
        struct key_offer *grown = arena_alloc_raw(scratch, cap * sizeof *grown);
        if (list->n > 0)
            memcpy(grown, list->offer, list->n * sizeof *grown);
        list->offer = grown;
        list->cap = cap;
    }
    struct value *own = arena_alloc_raw(scratch, (n_keys + 1) * sizeof *own);
    if (n_keys > 0)
        memcpy(own, key, n_keys * sizeof *key);
    list->offer[list->n++] = (struct key_offer){.key = own, .hash = hash, .steps = steps};
}

/* Key number `at` and those behind it, over the elements of lists. */
static void combine(struct offer_list *list, const struct value *given, struct value *key,
                    uint32_t at, uint32_t n_keys, uint64_t steps, struct arena *scratch)
{
    if (at == n_keys) {
        offer_add(list, key, n_keys, steps, scratch);
        return;
    }
    if (given[at].type != VALUE_LIST) {
        key[at] = given[at];
        combine(list, given, key, at + 1, n_keys, steps, scratch);
        return;
    }
    for (uint32_t i = 0; i < given[at].len; i++) {
        if (list->n >= KEY_MAX_OFFERS) {
            list->cut += given[at].len - i;
            return;
        }
        if (value_is_missing(given[at].u.list[i]))
            continue;
        key[at] = given[at].u.list[i];
        combine(list, given, key, at + 1, n_keys, steps, scratch);
    }
}

/* A list of no elements, or of null alone, is as good as missing. */
static bool holds_nothing(struct value list)
{
    for (uint32_t i = 0; i < list.len; i++) {
        if (!value_is_missing(list.u.list[i]))
            return false;
    }
    return true;
}

static bool class_keys(const struct key_class *class, uint32_t n_keys, struct vm *vm,
                       struct value *given, bool *has_list)
{
    for (uint32_t i = 0; i < n_keys; i++) {
        const struct program_key *key = &class->key[i];
        given[i] = key->slot != UINT32_MAX ? vm->ev->slot[key->slot] : vm_eval(vm, key->code);
        *has_list |= given[i].type == VALUE_LIST;
        if (value_is_missing(given[i]) && !key->optional)
            return false;
        if (given[i].type == VALUE_LIST && holds_nothing(given[i])) {
            if (!key->optional)
                return false;
            given[i] = value_missing();
        }
    }
    return true;
}

bool key_plain_hash(const struct key_plan *plan, const struct event *ev, uint64_t *hash_out)
{
    if (plan->plain == UINT32_MAX)
        return false;
    const struct value *key = &ev->slot[plan->plain];
    struct key_memo *memo = plan->memo;
    if (key->type == VALUE_MISSING || key->type == VALUE_LIST)
        return false;
    if (memo == NULL) {
        *hash_out = key_hash(key, 1);
        return true;
    }
    if (memo->ev != ev || memo->slot != plan->plain)
        *memo = (struct key_memo){.ev = ev, .slot = plan->plain, .hash = key_hash(key, 1)};
    *hash_out = memo->hash;
    return true;
}

uint32_t key_offers(struct key_plan *plan, struct vm *vm, uint64_t wanted,
                    struct key_offer **offers_out, bool *no_key_out)
{
    struct offer_list list = {0};
    *no_key_out = false;
    if (key_plain_hash(plan, vm->ev, &plan->one.hash)) {
        plan->one.key = &vm->ev->slot[plan->plain];
        plan->one.steps = plan->classes[0].steps & wanted;
        *offers_out = &plan->one;
        return plan->one.steps != 0;
    }
    for (uint32_t c = 0; c < plan->n_classes; c++) {
        const struct key_class *class = &plan->classes[c];
        if ((class->steps & wanted) == 0)
            continue;
        bool has_list = false;
        struct value *given = arena_alloc_raw(vm->scratch, (plan->n_keys + 1) * 2 * sizeof *given);
        if (!class_keys(class, plan->n_keys, vm, given, &has_list)) {
            *no_key_out = true;
            continue;
        }
        if (!has_list)
            offer_add(&list, given, plan->n_keys, class->steps & wanted, vm->scratch);
        else
            combine(&list, given, given + plan->n_keys + 1, 0, plan->n_keys,
                    class->steps & wanted, vm->scratch);
    }
    plan->cut += list.cut;
    *offers_out = list.offer;
    return list.n;
}
