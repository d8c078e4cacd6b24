// SPDX-License-Identifier: Apache-2.0
/* A change of rules that was asked for over HTTP: what would become of it, making it, what is told. */
#include <string.h>

#include "base/clock.h"
#include "base/diag.h"
#include "base/failpoint.h"
#include "base/log.h"
#include "base/mem.h"
#include "config/config.h"
#include "daemon/api_priv.h"
#include "daemon/change_told.h"
#include "daemon/figures.h"
#include "flow/swap.h"
#include "plan/program.h"
#include "state/audit.h"
#include "state/checkpoint.h"
#include "state/module_history.h"
#include "state/module_version.h"
#include "state/store.h"

#define DURABLE_WITHIN INT64_C(10000000000) /* ns */

static bool read_policy(struct api_call *call, struct swap_policy *policy)
{
    static const char *const word[] = {[RELOAD_DRAIN] = "drain", [RELOAD_FRESH] = "fresh",
                                       [RELOAD_REFUSE] = "refuse"};
    const char *given = http_request_query(call->rq, "on_reload");

    *policy = (struct swap_policy){.on_reload = -1,
                                   .allow_drop = http_request_flag(call->rq, "allow_state_drop")};
    for (int i = 0; given && i < 3; i++)
        if (strcmp(given, word[i]) == 0)
            policy->on_reload = i;
    if (!given || policy->on_reload >= 0)
        return true;
    http_answer_problem(call->rq, HTTP_BAD_REQUEST, "`on_reload` is drain, fresh or refuse");
    return false;
}

bool api_change_begin(struct api_call *call, struct api_change *change)
{
    *change = (struct api_change){.what = "", .name = ""};
    if (!read_policy(call, &change->wish.policy))
        return false;
    change->dry = http_request_flag(call->rq, "dry_run");
    change->wish.keep_files = true;
    change->wish.wall = clock_wall();
    change->wish.frontier = call->frontier;
    change->extra = store_batch_new();
    return true;
}

void api_change_add_version(struct api_call *call, struct api_change *change, const char *name,
                            uint64_t number, const char *text, size_t len)
{
    struct module_version version = {.number = number,
                                     .time = change->wish.wall,
                                     .removed = text == NULL,
                                     .who = http_request_who(call->rq),
                                     .who_len = strlen(http_request_who(call->rq)),
                                     .text = text ? text : "",
                                     .len = len};
    struct module_mark mark = {.name = mem_strndup(name, strlen(name)),
                               .number = number,
                               .time = version.time,
                               .len = len,
                               .removed = version.removed};

    module_version_put(change->extra, name, &version, call->host->config->http.versions);
    change->mark = vec_reserve(change->mark, &change->marks_cap, change->n_marks + 1, sizeof mark);
    change->mark[change->n_marks++] = mark;
}

void api_change_fini(struct api_change *change)
{
    store_batch_free(&change->extra);
    for (size_t i = 0; i < change->n_marks; i++)
        mem_free((char *)(uintptr_t)change->mark[i].name);
    mem_free(change->mark);
    change->mark = NULL;
    change->n_marks = change->marks_cap = 0;
}

/* ---- what is told ---------------------------------------------------------------------------- */

void api_answer_mistakes(struct api_call *call, const struct ruleset_outcome *outcome)
{
    const char *member;
    struct buf json, detail;

    buf_init(&json);
    buf_init(&detail);
    enum http_problem problem =
        change_told_refused(call->host->config, outcome, NULL, &detail, &member, &json);
    if (member) {
        http_answer_problem_with(call->rq, problem, detail.data, member, &json);
    } else {
        http_answer_problem(call->rq, problem, "%s", detail.data);
        buf_fini(&json);
    }
    buf_fini(&detail);
}

static void answer_change(struct api_call *call, const struct api_change *change, bool changed,
                          const struct ruleset_outcome *outcome)
{
    struct change_told told = {.changed = changed,
                               .dry = change->dry,
                               .name = change->name,
                               .version = change->version,
                               .etag = change->after,
                               .table = change->table,
                               .generation = call->host->rules->mods.generation[0].number,
                               .outcome = outcome};
    struct buf b;

    if (*change->after && !change->dry)
        http_answer_etag(call->rq, change->after);
    buf_init(&b);
    buf_addc(&b, '{');
    change_told_add(&b, call->host->config, &told);
    buf_adds(&b, "}\n");
    http_answer_json(call->rq, 200, &b);
}

void api_answer_unchanged(struct api_call *call, struct api_change *change)
{
    store_batch_free(&change->extra);
    answer_change(call, change, false, NULL);
}

/* ---- making it ------------------------------------------------------------------------------- */

static void add_audit(struct api_call *call, const struct api_change *change,
                      const struct ruleset_outcome *outcome)
{
    struct buf result, b;

    buf_init(&result);
    swap_describe(&outcome->swap, &result);
    struct audit_entry entry = {.time = change->wish.wall,
                                .who = http_request_who(call->rq),
                                .from = http_request_from(call->rq),
                                .what = change->what,
                                .name = change->name,
                                .before = change->before,
                                .after = change->after,
                                .result = result.data};
    audit_add(call->api->audit, change->extra, &entry);
    buf_init(&b);
    log_field(&b, "what", change->what);
    if (*change->name)
        log_field(&b, "name", change->name);
    log_field(&b, "who", entry.who);
    log_field(&b, "from", entry.from);
    log_field(&b, "rules", result.data);
    log_always(LOG_INFO, LOG_http, "a change of rules", b.data);
    buf_fini(&b);
    buf_fini(&result);
}

/* The versions that it made are there; older ones go, by themselves: after a kill the next change finds them. */
static void keep_history(struct api_call *call, const struct api_change *change)
{
    const struct config_http *http = &call->host->config->http;
    struct module_history *history = call->api->history;
    struct epoch *ep;

    if (change->n_marks == 0)
        return;
    ep = epoch_new();
    for (size_t i = 0; i < change->n_marks; i++)
        module_history_add(history, &change->mark[i], http->versions, ep->batch);
    module_history_prune(history, http->versions_bytes, ep->batch);
    if (store_batch_bytes(ep->batch) > 0)
        checkpoint_submit(*call->host->cp, ep);
    else
        epoch_free(&ep);
}

/* Texts alone, of the rules that run. */
static void keep_texts(struct api_call *call, struct api_change *change, struct ruleset *next)
{
    struct checkpoint *cp = *call->host->cp;
    struct epoch *ep = epoch_new();

    ruleset_take_texts(call->host->rules, next);
    ruleset_save(call->host->rules, ep->batch);
    store_batch_append(ep->batch, change->extra);
    store_batch_free(&change->extra);
    checkpoint_submit(cp, ep);
    failpoint_hit(FAILPOINT_texts_submitted);
}

static bool make(struct api_call *call, struct api_change *change, enum ruleset_result result,
                 struct ruleset *next, const struct ruleset_outcome *outcome)
{
    add_audit(call, change, outcome);
    if (result == RULESET_TEXTS) {
        keep_texts(call, change, next);
        keep_history(call, change);
        bool durable = checkpoint_settle(*call->host->cp, DURABLE_WITHIN);
        failpoint_hit(FAILPOINT_change_durable);
        if (durable)
            answer_change(call, change, true, outcome);
        else
            http_answer_problem(call->rq, HTTP_UNAVAILABLE,
                                "it is changed, and that cannot be written now: it may be lost");
        return true;
    }
    struct store_batch *extra = change->extra;
    change->extra = NULL;
    if (!call->host->swap(call->host->ctx, next, extra, call->why)) {
        http_answer_problem(call->rq, HTTP_INTERNAL,
                            "the daemon ends, and it is not known whether it was changed");
        return false;
    }
    keep_history(call, change);
    failpoint_hit(FAILPOINT_change_durable);
    answer_change(call, change, true, outcome);
    return true;
}

bool api_change_make(struct api_call *call, struct api_change *change)
{
    struct ruleset_outcome outcome;
    struct ruleset next;
    bool ok = true;

    ruleset_outcome_init(&outcome);
    change->wish.looks = change->dry;
    enum ruleset_result result =
        ruleset_edit(call->host->rules, call->host->config, &change->wish, &next, &outcome);
    if (!change->wish.keep_files && !change->dry)
        figures_note_reload(call->host->figures, result == RULESET_OK ? FIGURES_RELOAD_DONE
                                                 : result == RULESET_REFUSED || result == RULESET_FAILED
                                                     ? FIGURES_RELOAD_REFUSED
                                                     : FIGURES_RELOAD_UNCHANGED);
    switch (result) {
    case RULESET_OK:
    case RULESET_TEXTS:
        if (!change->dry) {
            ok = make(call, change, result, &next, &outcome);
            break;
        }
        ruleset_fini(&next);
        answer_change(call, change, true, &outcome);
        break;
    case RULESET_SAME:
        answer_change(call, change, false, &outcome);
        break;
    case RULESET_REFUSED:
    case RULESET_FAILED:
        api_answer_mistakes(call, &outcome);
        break;
    }
    store_batch_free(&change->extra);
    ruleset_outcome_fini(&outcome);
    return ok;
}
