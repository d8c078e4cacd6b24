// SPDX-License-Identifier: Apache-2.0
#include "daemon/ruleset.h"

#include <inttypes.h>
#include <string.h>

#include "base/buf.h"
#include "base/clock.h"
#include "base/diag.h"
#include "base/log.h"
#include "base/mem.h"
#include "config/config.h"
#include "config/rules.h"
#include "flow/reader.h"
#include "flow/saved.h"
#include "flow/swap.h"
#include "plan/program.h"
#include "state/store.h"

static const char record_key[] = {SAVED_MODULES};

/* ---- where alerts go -------------------------------------------------------------------------- */

/* Names that are no sinks (of an old text, after the configuration changed) are left out. */
static struct shard_route route_to(const struct config *config, const char *const *name, size_t n)
{
    uint32_t *sink = mem_calloc(n + 1, sizeof *sink), count = 0;

    for (size_t i = 0; i < n; i++) {
        uint32_t number = config_sink_named(config, name[i]);
        if (number != UINT32_MAX)
            sink[count++] = number;
    }
    return (struct shard_route){.sink = sink, .n = count};
}

static struct shard_route *make_routes(const struct config *config, const struct program *prog)
{
    struct shard_route *route = mem_calloc(prog->n_rules + 1, sizeof *route);

    for (uint32_t r = 0; r < prog->n_rules; r++) {
        const struct program_rule *rule = &prog->rule[r];
        if (rule->n_to > 0)
            route[r] = route_to(config, rule->to, rule->n_to);
        if (route[r].n > 0)
            continue;
        mem_free((void *)(uintptr_t)route[r].sink);
        route[r] = route_to(config, (const char *const *)config->default_to, config->n_default_to);
    }
    return route;
}

static void free_routes(struct shard_route *route, uint32_t n)
{
    for (uint32_t r = 0; r < n; r++)
        mem_free((void *)(uintptr_t)route[r].sink);
    mem_free(route);
}

static uint32_t *find_quarantine(const struct config *config, const struct program *prog)
{
    uint32_t *sink = mem_calloc(prog->n_streams + 1, sizeof *sink);

    for (uint32_t s = 0; s < prog->n_streams; s++)
        sink[s] = prog->stream[s].quarantine ? config_sink_named(config, prog->stream[s].quarantine)
                                             : READER_NO_SINK;
    return sink;
}

/* ---- making ---------------------------------------------------------------------------------- */

static void diag_say(struct diag *diag, struct buf *why)
{
    diag_print(diag, why);
    while (why->len > 0 && why->data[why->len - 1] == '\n')
        why->len--;
}

/* Compiles the texts of a generation. NULL and messages. */
static struct program *compile(const struct config *config, const struct generation *gen,
                               struct buf *why)
{
    struct config_rules rules = {.n = gen->n_texts};
    struct program_options opt = {.no_tests = true};
    struct diag *diag = diag_new();

    rules.module = mem_calloc(gen->n_texts + 1, sizeof *rules.module);
    for (size_t i = 0; i < gen->n_texts; i++)
        rules.module[i] = (struct config_module){
            .name = mem_strndup(gen->text[i].name, strlen(gen->text[i].name)),
            .path = config_rules_path(config, gen->text[i].name),
            .text = mem_strndup(gen->text[i].text, gen->text[i].len),
            .len = gen->text[i].len};
    struct program *prog = config_rules_compile(config, &rules, &opt, diag);
    if (!prog)
        diag_say(diag, why);
    diag_free(&diag);
    config_rules_fini(&rules);
    return prog;
}

/* That of a generation which runs already: its files may say something else by now. */
static struct program *running(const struct ruleset *from, uint32_t generation)
{
    for (size_t i = 0; from && from->prog && i < from->mods.n; i++)
        if (from->mods.generation[i].number == generation && from->prog[i])
            return program_ref(from->prog[i]);
    return NULL;
}

/* An older generation whose texts do not compile any more is given up: nothing else can be done. */
static void give_up(struct ruleset *rs, size_t at, const char *why)
{
    struct buf b;

    buf_init(&b);
    buf_printf(&b, "generation=%" PRIu32, rs->mods.generation[at].number);
    for (size_t i = 0; i < rs->mods.generation[at].n_rules; i++)
        log_field(&b, "rule", rs->mods.generation[at].rule[i].name);
    log_field(&b, "why", why);
    log_line(LOG_ERROR, LOG_rules, "old rules do not compile any more: what they had open is lost",
             "%s", b.data);
    buf_fini(&b);
    modules_generation_remove(&rs->mods, at);
}

/* rs->mods is there: the program of each generation, from those that run (from) or compiled; first (taken,
 * or NULL) is that of the current one. */
static bool find_programs(struct ruleset *rs, const struct config *config, const struct ruleset *from,
                          struct program *first, struct buf *why)
{
    rs->prog = mem_calloc(rs->mods.n + 1, sizeof(struct program *));
    for (size_t i = 0; i < rs->mods.n;) {
        size_t said = why->len;
        rs->prog[i] = i == 0 && first ? first : running(from, rs->mods.generation[i].number);
        if (!rs->prog[i])
            rs->prog[i] = compile(config, &rs->mods.generation[i], why);
        if (!rs->prog[i] && i == 0)
            return false;
        if (rs->prog[i]) {
            i++;
            continue;
        }
        char *text = mem_strndup(why->data + said, why->len - said);
        why->len = said;
        give_up(rs, i, text);
        mem_free(text);
    }
    return true;
}

/* The same, and wires all. */
static bool complete(struct ruleset *rs, const struct config *config, const struct ruleset *from,
                     struct program *first, struct buf *why)
{
    if (!find_programs(rs, config, from, first, why))
        return false;
    rs->route = mem_calloc(rs->mods.n + 1, sizeof(struct shard_route *));
    rs->rules = mem_calloc(rs->mods.n + 1, sizeof *rs->rules);
    for (size_t i = 0; i < rs->mods.n; i++) {
        rs->route[i] = make_routes(config, rs->prog[i]);
        rs->rules[i] = (struct pipeline_rules){.prog = rs->prog[i],
                                               .generation = &rs->mods.generation[i],
                                               .route = rs->route[i]};
    }
    if (rs->mods.n > 0)
        rs->quarantine = find_quarantine(config, rs->prog[0]);
    return true;
}

void ruleset_fini(struct ruleset *rs)
{
    for (size_t i = 0; rs->prog && i < rs->mods.n; i++) {
        if (!rs->prog[i])
            continue;
        if (rs->route && rs->route[i])
            free_routes(rs->route[i], rs->prog[i]->n_rules);
        program_unref(&rs->prog[i]);
    }
    mem_free(rs->prog);
    mem_free(rs->route);
    mem_free(rs->rules);
    mem_free(rs->quarantine);
    modules_fini(&rs->mods);
    *rs = (struct ruleset){0};
}

enum ruleset_result ruleset_load(struct ruleset *rs, const struct config *config, struct store *st,
                                 struct buf *why)
{
    struct buf value;
    bool found;
    enum ruleset_result result = RULESET_OK;

    *rs = (struct ruleset){0};
    modules_init(&rs->mods);
    buf_init(&value);
    if (store_get(st, record_key, sizeof record_key, &found, &value, why) != STORE_OK)
        result = RULESET_FAILED;
    else if (found && !modules_decode(value.data, value.len, &rs->mods)) {
        buf_adds(why, "the record of the rules that run is damaged");
        result = RULESET_FAILED;
    } else if (found && !complete(rs, config, NULL, NULL, why))
        result = RULESET_REFUSED;
    buf_fini(&value);
    return result;
}

/* ---- changing -------------------------------------------------------------------------------- */

static void copy_modules(struct modules *to, const struct modules *from)
{
    struct buf value;

    buf_init(&value);
    modules_encode(&value, from);
    modules_decode(value.data, value.len, to);
    buf_fini(&value);
}

/* Takes prog. */
static enum ruleset_result change_to(const struct ruleset *rs, const struct config *config,
                                     struct program *prog, const struct config_rules *rules,
                                     const int64_t times[2], struct ruleset *next,
                                     struct buf *said, struct buf *why)
{
    struct program_source_text *text = mem_calloc(rules->n + 1, sizeof *text);
    enum ruleset_result result = RULESET_OK;
    struct swap swap;

    for (size_t i = 0; i < rules->n; i++)
        text[i] = (struct program_source_text){.name = rules->module[i].name,
                                               .text = rules->module[i].text,
                                               .len = rules->module[i].len};
    copy_modules(&next->mods, &rs->mods);
    swap_plan(&next->mods, prog, text, rules->n, times[0], times[1], &swap);
    swap_describe(&swap, said);
    if (swap.refused) {
        buf_adds(why, "the state of a rule would be lost (`on_reload drain` or `fresh` in the rule "
                      "allows it): ");
        swap_describe(&swap, why);
        result = RULESET_REFUSED;
    } else if (!swap.changes)
        result = RULESET_SAME;
    if (result != RULESET_OK) {
        program_unref(&prog);
        modules_fini(&next->mods);
    } else if (!complete(next, config, rs, prog, why))
        result = RULESET_REFUSED;
    swap_fini(&swap);
    mem_free(text);
    return result;
}

enum ruleset_result ruleset_change(const struct ruleset *rs, const struct config *config,
                                   int64_t frontier, int64_t wall, struct ruleset *next_out,
                                   struct buf *said, struct buf *why)
{
    struct program_options opt = {.no_tests = true, .now = wall};
    int64_t times[2] = {frontier, wall};
    struct diag *diag = diag_new();
    struct config_rules rules = {0};
    enum ruleset_result result = RULESET_REFUSED;
    struct program *prog = NULL;

    *next_out = (struct ruleset){0};
    if (config_rules_read(config, &rules, diag))
        prog = config_rules_compile(config, &rules, &opt, diag);
    if (prog)
        result = change_to(rs, config, prog, &rules, times, next_out, said, why);
    else
        diag_say(diag, why);
    if (result != RULESET_OK)
        ruleset_fini(next_out);
    config_rules_fini(&rules);
    diag_free(&diag);
    return result;
}

enum ruleset_result ruleset_without(const struct ruleset *rs, const struct config *config, size_t at,
                                    struct ruleset *next_out, struct buf *why)
{
    *next_out = (struct ruleset){0};
    copy_modules(&next_out->mods, &rs->mods);
    modules_generation_remove(&next_out->mods, at);
    if (complete(next_out, config, rs, NULL, why))
        return RULESET_OK;
    ruleset_fini(next_out);
    return RULESET_REFUSED;
}

void ruleset_save(const struct ruleset *rs, struct store_batch *batch)
{
    struct buf value;

    buf_init(&value);
    modules_encode(&value, &rs->mods);
    store_batch_put(batch, record_key, sizeof record_key, value.data, value.len);
    buf_fini(&value);
}
