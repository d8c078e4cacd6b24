// SPDX-License-Identifier: Apache-2.0
/* How a rule is run and what it keeps, over HTTP: what `tocsin explain` says. */
#include <string.h>

#include "base/mem.h"
#include "config/rules.h"
#include "daemon/api_priv.h"
#include "engine/costs.h"
#include "explain/explain_rule.h"
#include "plan/explain.h"
#include "plan/program.h"

static void as_dot(struct api_call *call, const struct program_rule *rule)
{
    struct buf b;

    if (rule->body != BODY_MATCH) {
        http_answer_problem(call->rq, HTTP_BAD_REQUEST, "only a rule of `match` has a graph");
        return;
    }
    buf_init(&b);
    buf_adds(&b, "digraph rules {\n  rankdir=LR;\n");
    explain_dot(rule, &b);
    buf_adds(&b, "}\n");
    http_answer(call->rq, 200, "text/vnd.graphviz; charset=utf-8", &b);
}

/* The texts that run, as the compiler takes them; paths are in rules_out. */
static struct program_source_text *texts_of(const struct api_call *call,
                                            struct config_rules *rules_out)
{
    const struct generation *gen = &call->host->rules->mods.generation[0];
    struct program_source_text *text = mem_calloc(gen->n_texts + 1, sizeof *text);

    *rules_out = (struct config_rules){0};
    for (size_t i = 0; i < gen->n_texts; i++) {
        const struct config_module *module =
            config_rules_add(call->host->config, rules_out, gen->text[i].name, gen->text[i].text,
                             gen->text[i].len);
        text[i] = (struct program_source_text){.name = module->path,
                                               .text = module->text,
                                               .len = module->len,
                                               .confined = gen->text[i].origin != MODULE_FILE};
    }
    return text;
}

static void as_report(struct api_call *call, const struct program_rule *rule, bool json)
{
    struct program *prog = call->host->rules->told;
    struct program_options opt = {0};
    struct config_rules rules;
    struct program_source_text *text = texts_of(call, &rules);
    struct explain *ex = explain_new(text, rules.n, &opt);
    struct report r;
    struct buf b;

    if (ex) {
        struct engine_costs *costs = engine_costs(prog);
        struct explaining x = {.prog = prog, .ex = ex, .costs = costs, .r = &r};
        buf_init(&b);
        report_init(&r, prog, &b, json);
        report_begin(&r, NULL, NULL, '{');
        report_begin(&r, "rules", NULL, '[');
        explain_one(&x, rule);
        report_end(&r);
        report_end(&r);
        if (json) {
            buf_addc(&b, '\n');
            http_answer_json(call->rq, 200, &b);
        } else {
            http_answer(call->rq, 200, "text/plain; charset=utf-8", &b);
        }
        mem_free(costs);
        explain_free(&ex);
    } else {
        http_answer_problem(call->rq, HTTP_CONFLICT,
                            "its lists or tables are not what they were: it does not compile again");
    }
    config_rules_fini(&rules);
    mem_free(text);
}

bool api_rule_explain(struct api_call *call)
{
    const struct program *prog = call->host->rules->told;
    const char *format = http_request_query(call->rq, "format");
    uint32_t number = program_rule_named(prog, http_request_name(call->rq));

    if (number == UINT32_MAX)
        http_answer_problem(call->rq, HTTP_NOT_FOUND, "there is no rule %s",
                            http_request_name(call->rq));
    else if (format && strcmp(format, "dot") == 0)
        as_dot(call, &prog->rule[number]);
    else if (!format || strcmp(format, "json") == 0)
        as_report(call, &prog->rule[number], true);
    else if (strcmp(format, "text") == 0)
        as_report(call, &prog->rule[number], false);
    else
        http_answer_problem(call->rq, HTTP_BAD_REQUEST, "`format` is json, text or dot");
    return true;
}
