// SPDX-License-Identifier: Apache-2.0
#include "daemon/ruleset_priv.h"

#include <inttypes.h>
#include <string.h>

#include "base/buf.h"
#include "base/clock.h"
#include "base/diag.h"
#include "base/log.h"
#include "base/mem.h"
#include "config/config.h"
#include "config/rules.h"
#include "daemon/uploads.h"
#include "flow/reader.h"
#include "flow/route.h"
#include "flow/saved.h"
#include "plan/program.h"
#include "state/store.h"

static const char record_key[] = {SAVED_MODULES};

/* ---- where events go that break an `expect` ----------------------------------------------------- */

static uint32_t *find_quarantine(const struct config *config, const struct program *prog)
{
    uint32_t *sink = mem_calloc(prog->n_streams + 1, sizeof *sink);

    for (uint32_t s = 0; s < prog->n_streams; s++)
        sink[s] = prog->stream[s].quarantine ? config_sink_named(config, prog->stream[s].quarantine)
                                             : READER_NO_SINK;
    return sink;
}

/* ---- making ---------------------------------------------------------------------------------- */

void ruleset_say(struct diag *diag, struct buf *why)
{
    diag_print_brief(diag, why);
    while (why->len > 0 && why->data[why->len - 1] == '\n')
        why->len--;
}

/* The switches of the current generation; of older ones those rules run that are drained. */
static struct program_switch *switches_of(const struct modules *mods, size_t at, size_t *n_out)
{
    const struct generation *gen = &mods->generation[at];
    size_t n = at == 0 ? mods->n_switches : gen->n_rules;
    struct program_switch *list = mem_calloc(n + 1, sizeof *list);

    for (size_t i = 0; i < n; i++)
        list[i] = at == 0 ? (struct program_switch){mods->rule_switch[i].name, mods->rule_switch[i].on}
                          : (struct program_switch){gen->rule[i].name, true};
    *n_out = n;
    return list;
}

/* Compiles the texts of a generation. NULL and messages. */
static struct program *compile(const struct config *config, const struct modules *mods, size_t at,
                               struct uploads *uploads, struct buf *why)
{
    const struct generation *gen = &mods->generation[at];
    struct config_rules rules = {0};
    struct uploads_view view = {uploads, gen};
    struct program_options opt = {.no_tests = true, .rows = uploads_given, .rows_ctx = &view};
    struct diag *diag = diag_new();

    for (size_t i = 0; i < gen->n_texts; i++)
        config_rules_add(config, &rules, gen->text[i].name, gen->text[i].text, gen->text[i].len)
            ->origin = gen->text[i].origin;
    struct program_switch *list = switches_of(mods, at, &opt.n_switches);
    opt.rule_switch = list;
    struct program *prog = config_rules_compile(config, &rules, &opt, diag);
    if (!prog)
        ruleset_say(diag, why);
    mem_free(list);
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
            rs->prog[i] = compile(config, &rs->mods, i, rs->uploads, why);
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
bool ruleset_complete(struct ruleset *rs, const struct config *config, const struct ruleset *from,
                      struct program *first, struct buf *why)
{
    rs->config = config;
    if (!find_programs(rs, config, from && from->config == config ? from : NULL, first, why))
        return false;
    rs->route = mem_calloc(rs->mods.n + 1, sizeof(struct route_rules *));
    rs->rules = mem_calloc(rs->mods.n + 1, sizeof *rs->rules);
    for (size_t i = 0; i < rs->mods.n; i++) {
        rs->route[i] = route_rules_new(config->routes, rs->prog[i]);
        rs->rules[i] = (struct pipeline_rules){.prog = rs->prog[i],
                                               .generation = &rs->mods.generation[i],
                                               .route = rs->route[i]};
    }
    if (rs->mods.n > 0) {
        rs->quarantine = find_quarantine(config, rs->prog[0]);
        rs->told = program_ref(rs->prog[0]);
    }
    return true;
}

void ruleset_fini(struct ruleset *rs)
{
    for (size_t i = 0; rs->prog && i < rs->mods.n; i++) {
        if (!rs->prog[i])
            continue;
        if (rs->route)
            route_rules_free(&rs->route[i]);
        program_unref(&rs->prog[i]);
    }
    if (rs->told)
        program_unref(&rs->told);
    mem_free(rs->prog);
    mem_free(rs->route);
    mem_free(rs->rules);
    mem_free(rs->quarantine);
    modules_fini(&rs->mods);
    *rs = (struct ruleset){0};
}

enum ruleset_result ruleset_load(struct ruleset *rs, const struct config *config, struct store *st,
                                 struct uploads *uploads, struct buf *why)
{
    struct buf value;
    bool found;
    enum ruleset_result result = RULESET_OK;

    *rs = (struct ruleset){.uploads = uploads};
    modules_init(&rs->mods);
    buf_init(&value);
    if (store_get(st, record_key, sizeof record_key, &found, &value, why) != STORE_OK)
        result = RULESET_FAILED;
    else if (found && !modules_decode(value.data, value.len, &rs->mods)) {
        buf_adds(why, "the record of the rules that run is damaged");
        result = RULESET_FAILED;
    } else if (found && !ruleset_complete(rs, config, NULL, NULL, why))
        result = RULESET_REFUSED;
    buf_fini(&value);
    return result;
}

/* ---- keeping ----------------------------------------------------------------------------------- */

void ruleset_save(const struct ruleset *rs, struct store_batch *batch)
{
    struct buf value;

    buf_init(&value);
    modules_encode(&value, &rs->mods);
    store_batch_put(batch, record_key, sizeof record_key, value.data, value.len);
    buf_fini(&value);
}
