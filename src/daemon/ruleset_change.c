// SPDX-License-Identifier: Apache-2.0
/* Changes of a set of rules: by the rules directory, the HTTP interface, a topic. */
#include <string.h>

#include "base/diag.h"
#include "base/mem.h"
#include "config/config.h"
#include "config/rules.h"
#include "config/template_check.h"
#include "daemon/ruleset_priv.h"
#include "daemon/uploads.h"
#include "flow/swap.h"
#include "plan/program.h"

void ruleset_outcome_init(struct ruleset_outcome *outcome)
{
    *outcome = (struct ruleset_outcome){.diag = diag_new()};
    buf_init(&outcome->why);
}

void ruleset_outcome_fini(struct ruleset_outcome *outcome)
{
    swap_fini(&outcome->swap);
    diag_free(&outcome->diag);
    buf_fini(&outcome->why);
}

static void copy_modules(struct modules *to, const struct modules *from)
{
    struct buf value;

    buf_init(&value);
    modules_encode(&value, from);
    modules_decode(value.data, value.len, to);
    buf_fini(&value);
}

void ruleset_copy(const struct ruleset *rs, struct ruleset *copy_out)
{
    *copy_out = (struct ruleset){.config = rs->config};
    copy_modules(&copy_out->mods, &rs->mods);
}

/* ---- the texts ------------------------------------------------------------------------------- */

static void add_running(const struct config *config, const struct ruleset *rs,
                        enum module_origin origin, struct config_rules *rules)
{
    const struct generation *gen = rs->mods.n > 0 ? &rs->mods.generation[0] : NULL;

    for (size_t i = 0; gen && i < gen->n_texts; i++) {
        const struct module_text *text = &gen->text[i];
        if (text->origin != origin)
            continue;
        struct config_module *module =
            config_rules_add(config, rules, text->name, text->text, text->len);
        module->origin = origin;
        module->version = text->version;
    }
}

static void add_side(const struct ruleset *rs, const struct config *config,
                     const struct ruleset_side *side, enum module_origin origin,
                     struct config_rules *rules)
{
    if (!side->replace)
        add_running(config, rs, origin, rules);
    for (size_t i = 0; side->replace && i < side->n; i++) {
        struct config_module *module = config_rules_add(config, rules, side->module[i].name,
                                                        side->module[i].text, side->module[i].len);
        module->origin = origin;
        module->version = side->module[i].version;
    }
}

/* A name belongs to one side. */
static bool check_sides(const struct config_rules *rules, struct buf *why)
{
    for (size_t i = 1; i < rules->n; i++) {
        if (strcmp(rules->module[i].name, rules->module[i - 1].name) != 0)
            continue;
        bool file = rules->module[i].origin == MODULE_FILE || rules->module[i - 1].origin == MODULE_FILE;
        bool api = rules->module[i].origin == MODULE_API || rules->module[i - 1].origin == MODULE_API;
        buf_printf(why, "the module %s %s, and came %s too: a name belongs to one side", rules->module[i].name,
                   file ? "is in the rules directory" : "came over the HTTP interface",
                   file && api ? "over the HTTP interface" : "from a topic");
        return false;
    }
    return true;
}

/* False: messages are in the outcome. */
static bool gather(const struct ruleset *rs, const struct config *config,
                   const struct ruleset_wish *wish, struct config_rules *rules,
                   struct ruleset_outcome *outcome)
{
    if (wish->keep_files)
        add_running(config, rs, MODULE_FILE, rules);
    else if (!config_rules_read(config, rules, outcome->diag))
        return false;
    add_side(rs, config, &wish->api, MODULE_API, rules);
    add_side(rs, config, &wish->topic, MODULE_TOPIC, rules);
    config_rules_sort(rules);
    return check_sides(rules, &outcome->why);
}

/* ---- the program ----------------------------------------------------------------------------- */

/* The switches there are, those of rules that are no more too, but for that of the wish's rule. */
static size_t wanted_switches(const struct ruleset *rs, const struct ruleset_wish *wish,
                              struct program_switch *list_out)
{
    size_t n = 0;

    for (size_t i = 0; i < rs->mods.n_switches; i++)
        if (!wish->rule || strcmp(rs->mods.rule_switch[i].name, wish->rule) != 0)
            list_out[n++] = (struct program_switch){rs->mods.rule_switch[i].name,
                                                    rs->mods.rule_switch[i].on};
    return n;
}

static void keep_switches(struct modules *mods, const struct program_switch *list, size_t n,
                          const struct program *prog)
{
    while (mods->n_switches > 0)
        modules_switch_remove(mods, mods->rule_switch[0].name);
    for (size_t i = 0; i < n; i++)
        if (program_rule_named(prog, list[i].rule) != UINT32_MAX)
            modules_switch_set(mods, list[i].rule, list[i].on);
}

static void keep_texts(struct generation *gen, const struct config_rules *rules)
{
    generation_clear_texts(gen);
    for (size_t i = 0; i < rules->n; i++) {
        const struct config_module *module = &rules->module[i];
        struct module_text *text =
            generation_add_text(gen, module->name, module->text, module->len);
        text->origin = module->origin;
        text->version = module->version;
    }
}

static bool same_texts(const struct modules *a, const struct modules *b)
{
    const struct generation *x = &a->generation[0], *y = &b->generation[0];
    bool same = x->n_texts == y->n_texts && a->n_switches == b->n_switches;

    for (size_t i = 0; same && i < x->n_texts; i++) {
        const struct module_text *s = &x->text[i], *t = &y->text[i];
        same = strcmp(s->name, t->name) == 0 && s->len == t->len &&
               memcmp(s->text, t->text, s->len) == 0 && s->origin == t->origin &&
               s->version == t->version;
    }
    same = same && x->n_uploads == y->n_uploads;
    for (size_t i = 0; same && i < x->n_uploads; i++) {
        const struct module_upload *other = generation_upload(y, x->upload[i].table);
        same = other && other->version == x->upload[i].version;
    }
    for (size_t i = 0; same && i < a->n_switches; i++) {
        const struct module_switch *other = modules_switch(b, a->rule_switch[i].name);
        same = other && other->on == a->rule_switch[i].on;
    }
    return same;
}

/* ---- the change ------------------------------------------------------------------------------ */

/* next->mods is what would run. Takes prog. */
static enum ruleset_result judge(const struct ruleset *rs, const struct config *config, bool looks,
                                 struct program *prog, struct ruleset *next,
                                 struct ruleset_outcome *outcome)
{
    if (outcome->swap.refused) {
        buf_adds(&outcome->why, "the state of a rule would be lost (`on_reload drain` or `fresh` in the "
                                "rule allows it): ");
        swap_describe(&outcome->swap, &outcome->why);
        program_unref(&prog);
        return RULESET_REFUSED;
    }
    if (outcome->swap.changes && looks) {
        program_unref(&prog);
        return RULESET_OK;
    }
    if (!outcome->swap.changes && rs->config != config)
        program_unref(&prog); /* another configuration: as at a start, from the texts that run */
    if (outcome->swap.changes || rs->config != config)
        return ruleset_complete(next, config, rs, prog, &outcome->why) ? RULESET_OK
                                                                       : RULESET_REFUSED;
    next->told = prog;
    return same_texts(&rs->mods, &next->mods) ? RULESET_SAME : RULESET_TEXTS;
}

/* Takes prog. */
static enum ruleset_result change_to(const struct ruleset *rs, const struct config *config,
                                     const struct ruleset_wish *wish, struct program *prog,
                                     const struct config_rules *rules,
                                     const struct program_switch *list, size_t n,
                                     const struct generation *wanted, struct ruleset *next,
                                     struct ruleset_outcome *outcome)
{
    copy_modules(&next->mods, &rs->mods);
    swap_plan(&wish->policy, &next->mods, prog, NULL, 0, wish->frontier, wish->wall,
              &outcome->swap);
    if (outcome->swap.refused)
        return judge(rs, config, wish->looks, prog, next, outcome);
    keep_switches(&next->mods, list, n, prog);
    keep_texts(&next->mods.generation[0], rules);
    generation_copy_uploads(&next->mods.generation[0], wanted);
    if (!outcome->swap.changes) { /* the generation that runs, with other texts */
        struct ruleset planned = *next;
        copy_modules(&next->mods, &rs->mods);
        ruleset_take_texts(next, &planned);
    }
    return judge(rs, config, wish->looks, prog, next, outcome);
}

/* wanted gets the uploads that there would be, and nothing else; to be cleared. */
static void wanted_uploads(const struct ruleset *rs, const struct ruleset_wish *wish,
                           struct generation *wanted)
{
    *wanted = (struct generation){.number = 0};
    if (rs->mods.n > 0)
        generation_copy_uploads(wanted, &rs->mods.generation[0]);
    if (wish->upload)
        generation_set_upload(wanted, wish->upload->table, wish->upload->version);
}

/* Is the rule as it is wished? */
static bool is_as_wished(const struct program *prog, const struct ruleset_wish *wish)
{
    uint32_t number = wish->rule ? program_rule_named(prog, wish->rule) : UINT32_MAX;

    return number == UINT32_MAX || prog->rule[number].disabled == !wish->on;
}

/* By the texts alone if that is enough, else with the switch that is wished. */
static struct program *compile_wish(const struct ruleset *rs, const struct config *config,
                                    const struct ruleset_wish *wish,
                                    const struct config_rules *rules, bool tests,
                                    const struct generation *wanted, struct program_switch *list,
                                    size_t *n, struct diag *diag)
{
    struct uploads_view view = {rs->uploads, wanted};
    struct program_options opt = {.no_tests = !tests, .now = wish->wall, .rule_switch = list,
                                  .rows = uploads_given, .rows_ctx = &view, .kafka_secrets = true};
    struct program *prog;

    *n = wanted_switches(rs, wish, list);
    opt.n_switches = *n;
    prog = config_rules_compile(config, rules, &opt, diag);
    if (!prog || is_as_wished(prog, wish))
        return prog;
    program_unref(&prog);
    list[(*n)++] = (struct program_switch){wish->rule, wish->on};
    opt.n_switches = *n;
    return config_rules_compile(config, rules, &opt, diag);
}

enum ruleset_result ruleset_edit(const struct ruleset *rs, const struct config *config,
                                 const struct ruleset_wish *wish, struct ruleset *next_out,
                                 struct ruleset_outcome *outcome)
{
    struct program_switch *list = mem_calloc(rs->mods.n_switches + 2, sizeof *list);
    struct config_rules rules = {0};
    struct generation wanted;
    enum ruleset_result result = RULESET_REFUSED;
    struct program *prog = NULL;
    size_t n = 0;

    *next_out = (struct ruleset){.uploads = rs->uploads};
    wanted_uploads(rs, wish, &wanted);
    if (gather(rs, config, wish, &rules, outcome))
        prog = compile_wish(rs, config, wish, &rules, false, &wanted, list, &n, outcome->diag);
    if (prog && !config_check_templates(config, prog, outcome->diag))
        program_unref(&prog);
    if (prog)
        result = change_to(rs, config, wish, prog, &rules, list, n, &wanted, next_out, outcome);
    if (result != RULESET_OK && result != RULESET_TEXTS)
        ruleset_fini(next_out);
    generation_clear_uploads(&wanted);
    config_rules_fini(&rules);
    mem_free(list);
    return result;
}

struct program *ruleset_try(const struct ruleset *rs, const struct config *config,
                            const struct ruleset_wish *wish, struct ruleset_outcome *outcome)
{
    struct program_switch *list = mem_calloc(rs->mods.n_switches + 2, sizeof *list);
    struct config_rules rules = {0};
    struct generation wanted;
    struct program *prog = NULL;
    size_t n;

    wanted_uploads(rs, wish, &wanted);
    if (gather(rs, config, wish, &rules, outcome))
        prog = compile_wish(rs, config, wish, &rules, true, &wanted, list, &n, outcome->diag);
    generation_clear_uploads(&wanted);
    config_rules_fini(&rules);
    mem_free(list);
    return prog;
}

enum ruleset_result ruleset_change(const struct ruleset *rs, const struct config *config,
                                   int64_t frontier, int64_t wall, struct ruleset *next_out,
                                   struct buf *said, struct buf *why)
{
    struct ruleset_wish wish = {.policy = {.on_reload = -1}, .frontier = frontier, .wall = wall};
    struct ruleset_outcome outcome;

    ruleset_outcome_init(&outcome);
    enum ruleset_result result = ruleset_edit(rs, config, &wish, next_out, &outcome);
    if (outcome.swap.n > 0 || result != RULESET_REFUSED) {
        swap_describe(&outcome.swap, said);
        swap_explain(&outcome.swap, said);
    }
    if (result == RULESET_REFUSED && diag_errors(outcome.diag) > 0)
        ruleset_say(outcome.diag, why);
    if (outcome.why.len > 0)
        buf_add(why, outcome.why.data, outcome.why.len);
    ruleset_outcome_fini(&outcome);
    return result;
}

void ruleset_take_texts(struct ruleset *rs, struct ruleset *next)
{
    struct generation *to = &rs->mods.generation[0], *from = &next->mods.generation[0];
    struct module_text *text = to->text;
    struct module_switch *rule_switch = rs->mods.rule_switch;
    size_t n_texts = to->n_texts, n_switches = rs->mods.n_switches;

    generation_copy_uploads(to, from);
    to->text = from->text;
    to->n_texts = from->n_texts;
    rs->mods.rule_switch = next->mods.rule_switch;
    rs->mods.n_switches = next->mods.n_switches;
    from->text = text;
    from->n_texts = n_texts;
    next->mods.rule_switch = rule_switch;
    next->mods.n_switches = n_switches;
    if (next->told) {
        struct program *told = rs->told;
        rs->told = next->told;
        next->told = told;
    }
    ruleset_fini(next);
}

enum ruleset_result ruleset_without(const struct ruleset *rs, const struct config *config, size_t at,
                                    struct ruleset *next_out, struct buf *why)
{
    *next_out = (struct ruleset){.uploads = rs->uploads};
    copy_modules(&next_out->mods, &rs->mods);
    modules_generation_remove(&next_out->mods, at);
    if (ruleset_complete(next_out, config, rs, NULL, why))
        return RULESET_OK;
    ruleset_fini(next_out);
    return RULESET_REFUSED;
}
