// SPDX-License-Identifier: Apache-2.0
/* `tocsin explain`: what rules do and what they cost. Read next: explain/explain_rule.h. */
#include <stdbool.h>
#include <stdio.h>
#include <sys/stat.h>

#include "base/buf.h"
#include "base/mem.h"
#include "base/suggest.h"
#include "cli/command.h"
#include "explain/explain_rule.h"
#include "config/rule_files.h"
#include "engine/costs.h"
#include "plan/explain.h"
#include "plan/program.h"

enum form { FORM_TEXT, FORM_JSON, FORM_DOT };

struct request {
    struct rule_files files;
    const char **name; /* of rules; owned array */
    size_t n_names, cap_names;
    enum form form;
};

/* An argument that is no file and could be a rule's name is one. */
static void add_argument(struct request *rq, const char *text)
{
    struct stat st;
    const char *at = text;

    while ((*at >= 'a' && *at <= 'z') || (*at >= 'A' && *at <= 'Z') || *at == '_' || (*at >= '0' && *at <= '9'))
        at++;
    if (!*text || *at || stat(text, &st) == 0) {
        rule_files_add(&rq->files, text);
        return;
    }
    rq->name = vec_reserve(rq->name, &rq->cap_names, rq->n_names + 1, sizeof *rq->name);
    rq->name[rq->n_names++] = text;
}

static bool names_good(const struct request *rq, const struct program *prog)
{
    for (size_t i = 0; i < rq->n_names; i++) {
        struct suggest s;

        if (program_rule_named(prog, rq->name[i]) != UINT32_MAX)
            continue;
        suggest_init(&s, rq->name[i]);
        for (uint32_t r = 0; r < prog->n_rules; r++)
            suggest_try(&s, prog->rule[r].name);
        fprintf(stderr, "tocsin: %s is neither a file nor the name of a rule", rq->name[i]);
        if (suggest_result(&s))
            fprintf(stderr, ", did you mean %s?", suggest_result(&s));
        fputc('\n', stderr);
        return false;
    }
    return true;
}

static bool is_wanted(const struct request *rq, const struct program *prog, uint32_t rule)
{
    for (size_t i = 0; i < rq->n_names; i++)
        if (program_rule_named(prog, rq->name[i]) == rule)
            return true;
    return rq->n_names == 0;
}

static void as_dot(const struct request *rq, const struct program *prog, struct buf *out)
{
    buf_adds(out, "digraph rules {\n  rankdir=LR;\n");
    for (uint32_t r = 0; r < prog->n_rules; r++)
        if (is_wanted(rq, prog, r) && prog->rule[r].body == BODY_MATCH)
            explain_dot(&prog->rule[r], out);
    buf_adds(out, "}\n");
}

static bool explain_all(const struct request *rq, struct program *prog, struct buf *out)
{
    struct program_options opt = {0};
    struct explain *ex = explain_new(rq->files.text, rq->files.n, &opt);
    struct engine_costs *costs;
    struct report r;
    bool json = rq->form == FORM_JSON, first = true;

    if (!ex) {
        fputs("tocsin: internal error: the rules compile once, and not again\n", stderr);
        return false;
    }
    costs = engine_costs(prog);
    report_init(&r, prog, out, json);
    struct explaining x = {.prog = prog, .ex = ex, .costs = costs, .r = &r};
    report_begin(&r, NULL, NULL, '{');
    report_begin(&r, "rules", NULL, '[');
    for (uint32_t i = 0; i < prog->n_rules; i++) {
        if (!is_wanted(rq, prog, i))
            continue;
        if (!first && !json)
            buf_addc(out, '\n');
        first = false;
        explain_one(&x, &prog->rule[i]);
    }
    report_end(&r);
    report_end(&r);
    if (json)
        buf_addc(out, '\n');
    mem_free(costs);
    explain_free(&ex);
    return true;
}

static int explain(const struct request *rq)
{
    struct program_options opt = {.no_tests = true};
    struct program *prog = rule_files_compile_loud(&rq->files, &opt);
    struct buf out;
    int code = EXIT_USAGE;

    if (!prog)
        return EXIT_USAGE;
    buf_init(&out);
    buf_adds(&out, "");
    if (names_good(rq, prog)) {
        code = EXIT_OK;
        if (rq->form == FORM_DOT)
            as_dot(rq, prog, &out);
        else if (!explain_all(rq, prog, &out))
            code = EXIT_FAILED;
        fwrite(out.data, 1, out.len, stdout);
    }
    buf_fini(&out);
    program_unref(&prog);
    return code;
}

int run_explain(int argc, char **argv)
{
    struct command_line line;
    struct request rq = {0};
    enum option_id option;
    const char *value;
    bool json = false, dot = false;
    int code;

    rule_files_init(&rq.files);
    command_line_init(&line, COMMAND_explain, argc, argv);
    while ((option = command_line_next(&line, &value)) < OPTION_HELP) {
        if (option == OPTION_explain_JSON)
            json = true;
        else if (option == OPTION_explain_DOT)
            dot = true;
        else if (option == OPTION_explain_RULES)
            rule_files_add(&rq.files, value);
        else
            add_argument(&rq, value);
    }
    rq.form = json ? FORM_JSON : dot ? FORM_DOT : FORM_TEXT;
    if (option == OPTION_HELP)
        code = EXIT_OK;
    else if (option == OPTION_BAD)
        code = EXIT_USAGE;
    else if (json && dot)
        code = command_usage_error(COMMAND_explain, "--json and --dot do not go together");
    else if (rq.files.n == 0)
        code = rq.files.failed ? EXIT_USAGE : command_usage_error(COMMAND_explain, "no rules are named");
    else
        code = explain(&rq);
    rule_files_fini(&rq.files);
    mem_free(rq.name);
    return code;
}
