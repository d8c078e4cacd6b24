// SPDX-License-Identifier: Apache-2.0
/* rules_topic_try - which wishes of a round can come true together: by compiling them with all that runs. */
#include <stdlib.h>
#include <string.h>

#include "base/diag.h"
#include "base/mem.h"
#include "config/config.h"
#include "daemon/change_told.h"
#include "daemon/rules_topic_priv.h"
#include "plan/program.h"

/* ---- which module a rule is of ------------------------------------------------------------------------- */

static int by_name(const void *a, const void *b)
{
    return strcmp((*(struct rules_item *const *)a)->wish.name, (*(struct rules_item *const *)b)->wish.name);
}

static struct rules_item *candidate_named(const struct rules_round *round, const char *name)
{
    struct rules_item want = {.wish = {.name = (char *)(uintptr_t)name}}, *at = &want;
    struct rules_item **found = bsearch(&at, round->by_name, round->n_candidates, sizeof at, by_name);

    return found ? *found : NULL;
}

struct rules_item *rules_round_of_file(const struct rules_round *round, const char *file)
{
    const char *rules = round->rt->d->config->rules;
    size_t len = strlen(rules);

    if (strncmp(file, rules, len) == 0 && file[len] == '/')
        return candidate_named(round, file + len + 1);
    for (size_t i = 0; i < round->n_candidates; i++) /* `rules` is one file */
        if (strcmp(round->by_name[i]->path, file) == 0)
            return round->by_name[i];
    return NULL;
}

static const struct swap_policy *policy_of(void *ctx, const struct program_rule *rule)
{
    const struct rules_item *item = rules_round_of_file(ctx, rule->file);

    return item ? &item->wish.policy : NULL;
}

/* ---- a try --------------------------------------------------------------------------------------------- */

static const struct generation *running(const struct rules_round *round)
{
    const struct modules *mods = &round->rt->d->rules.mods;

    return mods->n > 0 ? &mods->generation[0] : NULL;
}

/* The modules of the topic as they run, with wishes that are `in` come true. Owned array. */
static struct ruleset_module *modules_with(const struct rules_round *round, const bool *in, size_t *n_out)
{
    const struct generation *gen = running(round);
    size_t most = (gen ? gen->n_texts : 0) + round->n_candidates + 1;
    struct ruleset_module *module = mem_calloc(most, sizeof *module);
    bool *taken = mem_calloc(round->n + 1, sizeof *taken); /* by item */

    *n_out = 0;
    for (size_t i = 0; i < round->n_candidates; i++)
        taken[round->candidate[i] - round->item] = in[i];
    for (size_t i = 0; gen && i < gen->n_texts; i++) {
        const struct module_text *text = &gen->text[i];
        const struct rules_item *item = candidate_named(round, text->name);
        if (text->origin == MODULE_TOPIC && !(item && taken[item - round->item]))
            module[(*n_out)++] = (struct ruleset_module){text->name, text->text, text->len, text->version};
    }
    for (size_t i = 0; i < round->n_candidates; i++) {
        const struct rules_item *item = round->candidate[i];
        if (in[i] && item->wish.text)
            module[(*n_out)++] =
                (struct ruleset_module){item->wish.name, item->wish.text, item->wish.len, item->version};
    }
    mem_free(taken);
    return module;
}

/* Whose module has the rule that runs? */
static struct rules_item *item_of_rule(const struct rules_round *round, const char *rule)
{
    const struct program *told = round->rt->d->rules.told;
    uint32_t number = told ? program_rule_named(told, rule) : UINT32_MAX;

    return number == UINT32_MAX ? NULL : rules_round_of_file(round, told->rule[number].file);
}

static void find_blamed(const struct rules_round *round, const struct ruleset_outcome *outcome, const bool *in,
                        bool *blamed)
{
    bool mistakes = diag_errors(outcome->diag) > 0;

    for (size_t i = 0; i < round->n_candidates && mistakes; i++)
        blamed[i] = in[i] && diag_errors_in(outcome->diag, round->candidate[i]->path) > 0;
    for (size_t r = 0; r < outcome->swap.n && !mistakes; r++) {
        if (outcome->swap.rule[r].fate != SWAP_REFUSED)
            continue;
        const struct rules_item *item = item_of_rule(round, outcome->swap.rule[r].name);
        for (size_t i = 0; item && i < round->n_candidates; i++)
            blamed[i] |= in[i] && round->candidate[i] == item;
    }
}

static void forget_best(struct rules_round *round)
{
    if (!round->made)
        return;
    ruleset_fini(&round->next);
    ruleset_outcome_fini(&round->outcome);
    round->made = false;
}

static void forget_bad(struct rules_round *round)
{
    if (round->has_bad)
        ruleset_outcome_fini(&round->bad);
    round->has_bad = false;
}

static enum rules_try attempt(void *ctx, const bool *in, bool *blamed)
{
    struct rules_round *round = ctx;
    struct daemon *d = round->rt->d;
    struct ruleset_wish wish = {.keep_files = d->rules.mods.n > 0,
                                .policy = {.on_reload = -1, .of_rule = policy_of, .ctx = round},
                                .frontier = round->frontier,
                                .wall = round->wall};
    struct ruleset_outcome outcome;
    struct ruleset next;
    struct ruleset_module *module = modules_with(round, in, &wish.topic.n);

    wish.topic.replace = true;
    wish.topic.module = module;
    ruleset_outcome_init(&outcome);
    diag_keep_errors(outcome.diag, RULES_ERRORS_MOST);
    enum ruleset_result result = ruleset_edit(&d->rules, d->config, &wish, &next, &outcome);
    mem_free(module);
    switch (result) {
    case RULESET_OK:
    case RULESET_TEXTS:
    case RULESET_SAME:
        forget_best(round);
        round->made = true;
        round->result = result;
        round->next = next;
        round->outcome = outcome;
        return RULES_TRY_GOOD;
    case RULESET_REFUSED:
        find_blamed(round, &outcome, in, blamed);
        forget_bad(round);
        round->bad = outcome;
        round->has_bad = true;
        return RULES_TRY_BAD;
    case RULESET_FAILED:
        break;
    }
    ruleset_outcome_fini(&outcome);
    return RULES_TRY_FAILED;
}

static void blame(void *ctx, size_t i, bool whole)
{
    struct rules_round *round = ctx;
    struct rules_item *item = round->candidate[i];

    buf_clear(&item->detail);
    buf_clear(&item->json);
    item->problem = change_told_refused(round->rt->d->config, &round->bad, whole ? NULL : item->path, &item->detail,
                                        &item->member, &item->json);
}

/* ---- the search ---------------------------------------------------------------------------------------- */

static void collect(struct rules_round *round)
{
    round->candidate = mem_calloc(round->n + 1, sizeof(struct rules_item *));
    round->by_name = mem_calloc(round->n + 1, sizeof(struct rules_item *));
    for (size_t i = 0; i < round->n; i++)
        if (round->item[i].state == RULES_OPEN)
            round->candidate[round->n_candidates++] = &round->item[i];
    memcpy(round->by_name, round->candidate, round->n_candidates * sizeof(struct rules_item *));
    if (round->n_candidates > 1)
        qsort(round->by_name, round->n_candidates, sizeof(struct rules_item *), by_name);
}

/* It is tried in the next round. */
static void put_off(struct rules_item *item)
{
    buf_clear(&item->detail);
    buf_adds(&item->detail, "it was not tried yet: too many records came with mistakes");
    item->problem = HTTP_UNAVAILABLE;
    item->member = NULL;
}

void rules_round_search(struct rules_round *round)
{
    struct rules_search_ops ops = {attempt, blame, round};
    size_t n;

    collect(round);
    n = round->n_candidates;
    bool *in = mem_calloc(n + 1, sizeof *in), *undecided = mem_calloc(n + 1, sizeof *undecided);
    bool known = n == 0 || rules_search(&ops, n, round->rt->first ? RULES_FIRST_TRIES_MOST : RULES_TRIES_MOST, in, undecided);
    if (!known)
        forget_best(round);
    for (size_t i = 0; i < n; i++) {
        struct rules_item *item = round->candidate[i];
        item->state = known && in[i] ? RULES_APPLIED : RULES_WAITS;
        if (!known || undecided[i])
            put_off(item);
        item->undecided = !known || undecided[i];
    }
    forget_bad(round);
    mem_free(in);
    mem_free(undecided);
}
