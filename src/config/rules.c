// SPDX-License-Identifier: Apache-2.0
#include "config/rules.h"

#include <stdlib.h>
#include <string.h>

#include "base/diag.h"
#include "base/mem.h"
#include "config/config.h"
#include "config/rule_files.h"
#include "config/table_kafka.h"
#include "config/template_check.h"
#include "flow/time_field.h"
#include "plan/program.h"

static char *copy_text(const char *text)
{
    return mem_strndup(text, strlen(text));
}

/* What a file is called below the directory `root`, or alone. */
static const char *relative(const char *path, const char *root)
{
    size_t len = strlen(root);
    const char *slash = strrchr(path, '/');

    if (strncmp(path, root, len) == 0 && path[len] != '\0') {
        path += len;
        while (*path == '/')
            path++;
        return path;
    }
    return slash ? slash + 1 : path;
}

static int by_name(const void *a, const void *b)
{
    return strcmp(((const struct config_module *)a)->name, ((const struct config_module *)b)->name);
}

bool config_rules_read(const struct config *config, struct config_rules *rules_out,
                       struct diag *diag)
{
    struct rule_files files;
    bool ok;

    rule_files_init(&files);
    files.diag = diag;
    files.may_be_empty = config->http.given || config->rules_topic.given;
    rule_files_add(&files, config->rules);
    if (files.failed)
        diag_hint(diag, "`rules` of the block `engine` says where the rules are");
    *rules_out = (struct config_rules){.module = mem_calloc(files.n + 1, sizeof *rules_out->module)};
    for (size_t i = 0; i < files.n; i++) {
        const struct program_source_text *text = &files.text[i];
        rules_out->module[rules_out->n++] =
            (struct config_module){.name = copy_text(relative(text->name, config->rules)),
                                   .path = copy_text(text->name),
                                   .text = mem_strndup(text->text, text->len),
                                   .len = text->len};
    }
    config_rules_sort(rules_out);
    ok = !files.failed;
    rule_files_fini(&files);
    return ok;
}

void config_rules_sort(struct config_rules *rules)
{
    if (rules->n > 1)
        qsort(rules->module, rules->n, sizeof *rules->module, by_name);
}

struct config_module *config_rules_add(const struct config *config, struct config_rules *rules,
                                       const char *name, const char *text, size_t len)
{
    rules->module = mem_realloc(rules->module, (rules->n + 1) * sizeof *rules->module);
    rules->module[rules->n] = (struct config_module){.name = copy_text(name),
                                                     .path = config_rules_path(config, name),
                                                     .text = mem_strndup(text, len),
                                                     .len = len};
    return &rules->module[rules->n++];
}

void config_rules_fini(struct config_rules *rules)
{
    for (size_t i = 0; i < rules->n; i++) {
        mem_free(rules->module[i].name);
        mem_free(rules->module[i].path);
        mem_free(rules->module[i].text);
    }
    mem_free(rules->module);
    *rules = (struct config_rules){0};
}

static const char **names_of_sources(const struct config *config)
{
    const char **name = mem_calloc(config->n_sources + 1, sizeof *name);

    for (size_t i = 0; i < config->n_sources; i++)
        name[i] = config->source[i].name;
    return name;
}

static const char **names_of_sinks(const struct config *config)
{
    const char **name = mem_calloc(config->n_sinks + 1, sizeof *name);

    for (size_t i = 0; i < config->n_sinks; i++)
        name[i] = config->sink[i].name;
    return name;
}

struct program *config_texts_compile(const struct config *config,
                                     const struct program_source_text *text, size_t n,
                                     const struct program_options *more, struct diag *diag)
{
    struct program_options opt = more ? *more : (struct program_options){0};
    const char **source = names_of_sources(config), **sink = names_of_sinks(config), **path;
    struct time_specs times;
    struct program *prog;

    time_specs_init(&times);
    config_times(config, &times);
    path = time_specs_paths(&times, &opt.n_extra_paths);
    opt.extra_path = path;
    opt.source = source;
    opt.n_sources = config->n_sources;
    opt.sink = sink;
    opt.n_sinks = config->n_sinks;
    struct config_table_check check = {.config = config, .secrets = opt.kafka_secrets};
    opt.check_kafka = config_check_table;
    opt.check_kafka_ctx = &check;
    prog = program_compile(text, n, &opt, diag);
    time_specs_fini(&times);
    mem_free(path);
    mem_free(source);
    mem_free(sink);
    return prog;
}

struct program *config_rules_compile(const struct config *config, const struct config_rules *rules,
                                     const struct program_options *more, struct diag *diag)
{
    struct program_source_text *text = mem_calloc(rules->n + 1, sizeof *text);
    struct program *prog;

    for (size_t i = 0; i < rules->n; i++)
        text[i] = (struct program_source_text){.name = rules->module[i].path,
                                               .text = rules->module[i].text,
                                               .len = rules->module[i].len,
                                               .confined = rules->module[i].origin != MODULE_FILE};
    prog = config_texts_compile(config, text, rules->n, more, diag);
    mem_free(text);
    return prog;
}

struct program *config_compile(const struct config *config, int64_t now, struct diag *diag)
{
    struct program_options opt = {.no_tests = true, .now = now, .kafka_secrets = true};
    struct config_rules rules;
    struct program *prog = NULL;

    if (config_rules_read(config, &rules, diag))
        prog = config_rules_compile(config, &rules, &opt, diag);
    if (prog && !config_check_templates(config, prog, diag))
        program_unref(&prog);
    config_rules_fini(&rules);
    return prog;
}

char *config_rules_path(const struct config *config, const char *name)
{
    const char *slash = strrchr(config->rules, '/');
    const char *last = slash ? slash + 1 : config->rules;
    size_t len = strlen(config->rules), dir = (size_t)(last - config->rules);

    if (strcmp(last, name) == 0)
        return copy_text(config->rules);
    if (len >= 5 && strcmp(config->rules + len - 5, ".rule") == 0) { /* one file: beside it */
        if (dir == 0)
            return copy_text(name);
        len = dir - 1;
    }
    char *path = mem_alloc(len + strlen(name) + 2);
    memcpy(path, config->rules, len);
    path[len] = '/';
    memcpy(path + len + 1, name, strlen(name) + 1);
    return path;
}
