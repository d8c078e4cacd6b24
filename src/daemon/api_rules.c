// SPDX-License-Identifier: Apache-2.0
/* Rules over HTTP: what runs, switching one on and off, tests, the rules directory; the audit log. */
#include <inttypes.h>
#include <string.h>

#include "base/clock.h"
#include "base/diag.h"
#include "base/mem.h"
#include "base/metrics.h"
#include "config/config.h"
#include "config/rules.h"
#include "daemon/api_dry.h"
#include "daemon/api_priv.h"
#include "flow/pipeline.h"
#include "flow/test_run.h"
#include "flow/unseen.h"
#include "plan/program.h"
#include "state/audit.h"
#include "state/checkpoint.h"

enum { UNSEEN_EVENTS = 1000 }; /* of each source, before a field is called unseen */
#define TESTS_WITHIN INT64_C(10000000000) /* ns */

/* ---- one rule -------------------------------------------------------------------------------- */

/* The module that a rule stands in, or NULL. */
static const struct module_text *module_of(const struct api_call *call,
                                           const struct program_rule *rule)
{
    const struct generation *gen = &call->host->rules->mods.generation[0];
    const struct module_text *found = NULL;

    for (size_t i = 0; i < gen->n_texts && !found; i++)
        if (api_is_file_of(call, rule->file, gen->text[i].name))
            found = &gen->text[i];
    return found;
}

static void add_texts(struct buf *out, const char *key, const char *const *text, size_t n)
{
    buf_printf(out, "\"%s\":[", key);
    for (size_t i = 0; i < n; i++) {
        if (i > 0)
            buf_addc(out, ',');
        buf_add_json_text(out, text[i], strlen(text[i]));
    }
    buf_addc(out, ']');
}

/* In how many older sets it still drains. */
static unsigned draining(const struct api_call *call, const char *rule)
{
    const struct modules *mods = &call->host->rules->mods;
    unsigned n = 0;

    for (size_t i = 1; i < mods->n; i++)
        n += generation_rule(&mods->generation[i], rule) != NULL;
    return n;
}

/* Without the brace at the end. */
static void add_rule(struct buf *out, const struct api_call *call, const struct program_rule *rule)
{
    static const char *const body[] = {[BODY_MATCH] = "match", [BODY_WINDOW] = "window",
                                       [BODY_JOIN] = "join", [BODY_NOVEL] = "novel"};
    const struct module_text *module = module_of(call, rule);

    buf_addc(out, '{');
    api_add_text(out, "name", rule->name);
    buf_adds(out, ",\"module\":");
    if (module)
        buf_add_json_text(out, module->name, strlen(module->name));
    else
        buf_adds(out, "null");
    buf_printf(out, ",\"origin\":\"%s\",\"line\":%" PRIu32 ",\"enabled\":%s,\"switched\":%s,\"body\":\"%s\",",
               module_origin_name(module ? module->origin : MODULE_FILE), rule->line,
               rule->disabled ? "false" : "true",
               modules_switch(&call->host->rules->mods, rule->name) ? "true" : "false",
               body[rule->body]);
    if (!rule->severity_code)
        buf_printf(out, "\"severity\":\"%s\",", severity_name(rule->severity));
    add_texts(out, "tags", rule->tag, rule->n_tags);
    buf_addc(out, ',');
    add_texts(out, "key", rule->key_name, rule->n_keys);
    buf_addc(out, ',');
    api_add_text(out, "state_bound", rule->state_bound ? rule->state_bound : "");
    buf_printf(out, ",\"draining\":%u", draining(call, rule->name));
}

static void add_unseen(struct buf *out, const struct api_call *call, const struct program *prog)
{
    struct unseen unseen;
    const char *near;

    if (!pipeline_unseen(*call->host->pipeline, UNSEEN_EVENTS, &unseen))
        return;
    buf_adds(out, ",\"unseen_fields\":[");
    for (size_t i = 0; i < unseen.n; i++) {
        buf_adds(out, i > 0 ? ",{" : "{");
        api_add_text(out, "field", unseen_path(&unseen, prog, i, &near));
        if (near) {
            buf_addc(out, ',');
            api_add_text(out, "near", near);
        }
        buf_addc(out, '}');
    }
    buf_addc(out, ']');
    unseen_fini(&unseen);
}

bool api_rules_list(struct api_call *call)
{
    const struct program *prog = call->host->rules->told;
    struct api_figures *figures =
        http_request_flag(call->rq, "stats") ? api_figures_take(call->api, METRIC_GROUP_rule) : NULL;
    struct buf b;

    buf_init(&b);
    buf_adds(&b, "{\"rules\":[");
    for (uint32_t r = 0; r < prog->n_rules; r++) {
        if (r > 0)
            buf_addc(&b, ',');
        add_rule(&b, call, &prog->rule[r]);
        if (figures) {
            buf_adds(&b, ",\"stats\":");
            api_figures_add(figures, prog->rule[r].name, &b);
        }
        buf_addc(&b, '}');
    }
    api_figures_free(&figures);
    buf_addc(&b, ']');
    add_unseen(&b, call, prog);
    buf_adds(&b, "}\n");
    http_answer_json(call->rq, 200, &b);
    return true;
}

/* NULL: it is answered. */
static const struct program_rule *rule_named(struct api_call *call)
{
    const struct program *prog = call->host->rules->told;
    uint32_t number = program_rule_named(prog, http_request_name(call->rq));

    if (number != UINT32_MAX)
        return &prog->rule[number];
    http_answer_problem(call->rq, HTTP_NOT_FOUND, "there is no rule %s",
                        http_request_name(call->rq));
    return NULL;
}

bool api_rule_get(struct api_call *call)
{
    const struct program_rule *rule = rule_named(call);
    struct buf b;

    if (!rule)
        return true;
    buf_init(&b);
    add_rule(&b, call, rule);
    buf_adds(&b, ",\"stats\":");
    api_add_figures(call->api, METRIC_GROUP_rule, rule->name, &b);
    buf_adds(&b, "}\n");
    http_answer_json(call->rq, 200, &b);
    return true;
}

bool api_rule_stats(struct api_call *call)
{
    const struct program_rule *rule = rule_named(call);
    struct buf b;

    if (!rule)
        return true;
    buf_init(&b);
    api_add_figures(call->api, METRIC_GROUP_rule, rule->name, &b);
    buf_addc(&b, '\n');
    http_answer_json(call->rq, 200, &b);
    return true;
}

/* ---- changes --------------------------------------------------------------------------------- */

bool api_rule_switch(struct api_call *call)
{
    const struct program_rule *rule = rule_named(call);
    struct api_change change;

    if (!rule || !api_change_begin(call, &change))
        return true;
    change.wish.on = http_request_operation(call->rq) == HTTP_OP_rule_enable;
    change.wish.rule = http_request_name(call->rq);
    change.what = change.wish.on ? "enable rule" : "disable rule";
    change.name = change.wish.rule;
    if (rule->disabled == !change.wish.on) {
        api_answer_unchanged(call, &change);
        return true;
    }
    return api_change_make(call, &change);
}

bool api_rules_reload(struct api_call *call)
{
    struct api_change change;

    if (!api_change_begin(call, &change))
        return true;
    change.what = "reload the rules directory";
    change.wish.keep_files = false;
    return api_change_make(call, &change);
}

/* ---- tests ----------------------------------------------------------------------------------- */

struct testing {
    struct buf out;
    unsigned passed, failed;
};

/* rules: the rules directory. */
static void run_test(struct testing *t, const char *rules, struct program *prog,
                     const struct program_test *test)
{
    size_t dir = strlen(rules);
    bool below = strncmp(test->file, rules, dir) == 0 && test->file[dir] == '/';
    struct buf why;

    buf_init(&why);
    bool passed = test_run(prog, test, &why);
    *(passed ? &t->passed : &t->failed) += 1;
    buf_adds(&t->out, t->passed + t->failed > 1 ? ",{" : "{");
    api_add_text(&t->out, "rule", prog->rule[test->rule].name);
    buf_addc(&t->out, ',');
    api_add_text(&t->out, "title", test->title);
    buf_printf(&t->out, ",\"passed\":%s,", passed ? "true" : "false");
    api_add_text(&t->out, "file", below ? test->file + dir + 1 : test->file);
    buf_printf(&t->out, ",\"line\":%" PRIu32, test->line);
    if (!passed) {
        buf_addc(&t->out, ',');
        api_add_text(&t->out, "why", why.len ? why.data : "");
    }
    buf_addc(&t->out, '}');
    buf_fini(&why);
}

/* module: its path, or NULL: all. */
static void run_tests(struct api_call *call, struct program *prog, const char *module)
{
    int64_t until = clock_monotonic() + TESTS_WITHIN;
    struct testing t = {0};
    bool all = true;
    struct buf b, rules;

    buf_init(&t.out);
    buf_init(&rules);
    buf_adds(&rules, call->host->config->rules);
    api_dry_let_config(call);
    for (uint32_t i = 0; i < prog->n_tests && all; i++) {
        if (module && strcmp(prog->test[i].file, module) != 0)
            continue;
        run_test(&t, rules.data, prog, &prog->test[i]);
        all = clock_monotonic() < until && !api_dry_ending(call);
    }
    buf_init(&b);
    buf_printf(&b, "{\"passed\":%u,\"failed\":%u,\"complete\":%s,\"tests\":[", t.passed, t.failed,
               all ? "true" : "false");
    if (t.out.len)
        buf_add(&b, t.out.data, t.out.len);
    buf_adds(&b, "]}\n");
    http_answer_json(call->rq, 200, &b);
    buf_fini(&t.out);
    buf_fini(&rules);
}

/* The modules of the interface with one more, or another text of one. */
static void wish_module(const struct api_call *call, const char *name, struct ruleset_wish *wish,
                        struct ruleset_module **api_out)
{
    const struct generation *gen = &call->host->rules->mods.generation[0];
    struct ruleset_module *api = mem_calloc(gen->n_texts + 1, sizeof *api);
    size_t n = 0, len;
    const char *text = http_request_body(call->rq, &len);

    for (size_t i = 0; i < gen->n_texts; i++)
        if (gen->text[i].origin == MODULE_API && strcmp(gen->text[i].name, name) != 0)
            api[n++] = (struct ruleset_module){gen->text[i].name, gen->text[i].text,
                                               gen->text[i].len, gen->text[i].version};
    api[n++] = (struct ruleset_module){name, text, len, 0};
    *api_out = api;
    wish->api = (struct ruleset_side){.replace = true, .module = api, .n = n};
}

bool api_rules_test(struct api_call *call)
{
    const char *name = http_request_query(call->rq, "module");
    struct ruleset_wish wish = {.keep_files = true, .wall = clock_wall()};
    struct ruleset_module *api = NULL;
    struct ruleset_outcome outcome;
    size_t len;

    http_request_body(call->rq, &len);
    if (http_request_body_is_json(call->rq)) {
        http_answer_problem(call->rq, HTTP_MEDIA_TYPE, "the body is the text of one module");
        return true;
    }
    if (len > 0) {
        name = name ? name : "posted";
        wish_module(call, name, &wish, &api);
    } else if (name && !generation_text(&call->host->rules->mods.generation[0], name)) {
        http_answer_problem(call->rq, HTTP_NOT_FOUND, "there is no module %s", name);
        return true;
    }
    ruleset_outcome_init(&outcome);
    struct program *prog = ruleset_try(call->host->rules, call->host->config, &wish, &outcome);
    if (prog) {
        char *path = name ? config_rules_path(call->host->config, name) : NULL;
        run_tests(call, prog, path);
        mem_free(path);
        program_unref(&prog);
    } else {
        api_answer_mistakes(call, &outcome);
    }
    ruleset_outcome_fini(&outcome);
    mem_free(api);
    return true;
}

/* ---- the audit log --------------------------------------------------------------------------- */

struct audit_page {
    struct buf *entry; /* one JSON object each, oldest first */
    size_t n, cap;
    uint64_t before;
};

static bool found_entry(void *ctx, const struct audit_entry *entry)
{
    struct audit_page *page = ctx;
    struct buf b;

    if (entry->number >= page->before)
        return false;
    buf_init(&b);
    buf_printf(&b, "{\"number\":%" PRIu64 ",", entry->number);
    api_add_time(&b, "time", entry->time);
    const char *const field[][2] = {{"who", entry->who},       {"from", entry->from},
                                    {"what", entry->what},     {"name", entry->name},
                                    {"before", entry->before}, {"after", entry->after},
                                    {"result", entry->result}};
    for (size_t i = 0; i < sizeof field / sizeof *field; i++) {
        buf_addc(&b, ',');
        api_add_text(&b, field[i][0], field[i][1]);
    }
    buf_addc(&b, '}');
    page->entry = vec_reserve(page->entry, &page->cap, page->n + 1, sizeof b);
    page->entry[page->n++] = b;
    return true;
}

bool api_audit_list(struct api_call *call)
{
    uint64_t limit = http_request_count(call->rq, "limit", 100), next = audit_next(call->api->audit);
    struct audit_page page = {.before = http_request_count(call->rq, "before", next)};
    struct buf b, why;

    limit = limit < 1 ? 1 : limit > 1000 ? 1000 : limit;
    page.before = page.before > next ? next : page.before;
    buf_init(&why);
    buf_init(&b);
    if (audit_list(checkpoint_store(*call->host->cp),
                   page.before > limit ? page.before - limit : 1, found_entry, &page,
                   &why) != STORE_OK) {
        http_answer_problem(call->rq, HTTP_INTERNAL, "%s", why.data);
    } else {
        buf_adds(&b, "{\"entries\":[");
        for (size_t i = page.n; i-- > 0;) {
            buf_add(&b, page.entry[i].data, page.entry[i].len);
            buf_adds(&b, i > 0 ? "," : "");
        }
        buf_adds(&b, "]}\n");
        http_answer_json(call->rq, 200, &b);
    }
    for (size_t i = 0; i < page.n; i++)
        buf_fini(&page.entry[i]);
    mem_free(page.entry);
    buf_fini(&b);
    buf_fini(&why);
    return true;
}
