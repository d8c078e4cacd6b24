// SPDX-License-Identifier: Apache-2.0
#include "config/config.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <unistd.h>

#include "base/buf.h"
#include "base/log.h"
#include "base/mem.h"
#include "base/read_all.h"
#include "config/config_priv.h"
#include "event/json_decode.h"
#include "flow/route.h"
#include "flow/time_field.h"
#include "lang/parse.h"

uint32_t config_sink_named(const struct config *config, const char *name)
{
    for (size_t i = 0; i < config->n_sinks; i++)
        if (strcmp(config->sink[i].name, name) == 0)
            return (uint32_t)i;
    return UINT32_MAX;
}

uint32_t config_source_named(const struct config *config, const char *name)
{
    for (size_t i = 0; i < config->n_sources; i++)
        if (strcmp(config->source[i].name, name) == 0)
            return (uint32_t)i;
    return UINT32_MAX;
}

static void free_texts(char **text, size_t n)
{
    for (size_t i = 0; i < n; i++)
        mem_free(text[i]);
    mem_free(text);
}

static void free_kafka(struct config_kafka *kafka)
{
    for (size_t i = 0; i < kafka->n_options; i++) {
        mem_free(kafka->option[i].name);
        mem_free(kafka->option[i].value);
    }
    mem_free(kafka->option);
    mem_free(kafka->brokers);
    mem_free(kafka->topic);
    mem_free(kafka->application);
    mem_free(kafka->group);
    free_texts(kafka->topics.text, kafka->topics.n);
}

static void free_webhook(struct config_webhook *web)
{
    for (size_t i = 0; i < web->n_headers; i++) {
        mem_free((char *)(uintptr_t)web->header[i].name);
        mem_free((char *)(uintptr_t)web->header[i].value);
    }
    mem_free(web->header);
    mem_free(web->url);
    mem_free(web->secret[0]);
    mem_free(web->secret[1]);
    mem_free(web->template);
    mem_free(web->content_type);
    mem_free(web->routing_key);
    mem_free(web->link);
    mem_free(web->ca);
    mem_free(web->certificate);
    mem_free(web->key);
    mem_free(web->proxy);
    free_texts(web->allow.text, web->allow.n);
}

void config_free(struct config **config)
{
    struct config *c = *config;

    *config = NULL;
    if (!c)
        return;
    for (size_t i = 0; i < c->n_sources; i++) {
        struct config_source *source = &c->source[i];
        mem_free(source->name);
        free_texts(source->path, source->n_paths);
        mem_free(source->time);
        mem_free(source->order_by);
        mem_free(source->late);
        mem_free(source->dead_letter);
        free_kafka(&source->kafka);
    }
    for (size_t i = 0; i < c->n_sinks; i++) {
        mem_free(c->sink[i].name);
        mem_free(c->sink[i].path);
        free_webhook(&c->sink[i].web);
        free_kafka(&c->sink[i].kafka);
    }
    for (size_t i = 0; i < c->n_routes; i++) {
        struct config_route *route = &c->route[i];
        free_texts(route->tags.text, route->tags.n);
        free_texts(route->rules.text, route->rules.n);
        free_texts(route->to.text, route->to.n);
        free_texts(route->mute.text, route->mute.n);
    }
    free_texts(c->default_to, c->n_default_to);
    mem_free(c->route);
    route_table_unref(&c->routes);
    mem_free(c->source);
    mem_free(c->sink);
    mem_free(c->http.listen);
    mem_free(c->http.tokens);
    mem_free(c->http.certificate);
    mem_free(c->http.key);
    mem_free(c->rules);
    free_kafka(&c->rules_topic.kafka);
    mem_free(c->rules_topic.results);
    mem_free(c->log_level);
    mem_free(c->state);
    mem_free(c->path);
    mem_free(c->dir);
    mem_free(c);
}

/* ---- reading --------------------------------------------------------------------------------- */

/* path NULL: nowhere. */
static struct config *new_config(const char *path)
{
    struct config *c = mem_calloc(1, sizeof *c);
    const char *slash = path ? strrchr(path, '/') : NULL;

    c->path = path ? mem_strndup(path, strlen(path)) : NULL;
    c->dir = slash ? mem_strndup(path, (size_t)(slash - path) + 1) : mem_strndup("", 0);
    config_set_defaults(c, CONFIG_OF_engine, c);
    config_set_defaults(c, CONFIG_OF_rules_topic, c);
    config_set_defaults(c, CONFIG_OF_http, &c->http);
    return c;
}

enum secrets { SECRETS_ALL, SECRETS_OF_SOURCES, SECRETS_NONE }; /* that are read */

/* whole: there were no syntax errors, which leave blocks out. */
static struct config *read_module(const char *path, const struct ast_module *module, bool whole,
                                  enum secrets secrets, struct diag *diag)
{
    struct reading rd = {.config = new_config(path), .diag = diag, .module = module,
                         .no_secrets = secrets != SECRETS_ALL,
                         .source_secrets = secrets == SECRETS_OF_SOURCES};

    config_read_blocks(&rd);
    if (whole)
        config_check(&rd);
    mem_free(rd.source);
    mem_free(rd.sink);
    mem_free(rd.route);
    return rd.config;
}

static struct config *read_text(const char *path, const char *text, size_t len, enum secrets secrets,
                                struct diag *diag)
{
    size_t before = diag_errors(diag), warnings = diag_warnings(diag);
    struct ast_module *module = ast_module_new();
    struct config *c;

    uint32_t file = diag_file_add(diag, path, text, len);
    bool whole = parse_file(module, diag, file);
    config_conceal(diag, file, text, len, whole);
    c = read_module(path, module, whole, secrets, diag); /* all is told in one go */
    ast_module_free(&module);
    c->warnings = diag_warnings(diag) - warnings;
    if (diag_errors(diag) > before)
        config_free(&c);
    else
        c->routes = config_compile_routes(c);
    return c;
}

struct config *config_read_text(const char *path, const char *text, size_t len, struct diag *diag)
{
    return read_text(path, text, len, SECRETS_ALL, diag);
}

/* False, and errno. */
static bool read_file(const char *path, struct buf *text)
{
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    bool ok;

    buf_adds(text, "");
    if (fd < 0)
        return false;
    ok = read_all(fd, PARSE_MAX_BYTES, text);
    int error = errno;
    close(fd);
    errno = error;
    return ok;
}

static struct config *read_config(const char *path, enum secrets secrets, struct diag *diag)
{
    struct config *c = NULL;
    struct buf text;

    buf_init(&text);
    if (read_file(path, &text)) {
        c = read_text(path, text.data, text.len, secrets, diag);
    } else {
        struct span nowhere = {.file = UINT32_MAX};
        diag_add(diag, DIAG_ERROR, nowhere, "cannot read %s: %s", path, strerror(errno));
    }
    buf_fini(&text);
    return c;
}

struct config *config_read(const char *path, struct diag *diag)
{
    return read_config(path, SECRETS_ALL, diag);
}

struct config *config_read_without_secrets(const char *path, struct diag *diag)
{
    return read_config(path, SECRETS_NONE, diag);
}

struct config *config_read_for_sources(const char *path, struct diag *diag)
{
    return read_config(path, SECRETS_OF_SOURCES, diag);
}

struct config *config_default(void)
{
    struct ast_module *module = ast_module_new();
    struct diag *diag = diag_new();
    struct config *c = read_module(NULL, module, true, SECRETS_ALL, diag);

    c->routes = config_compile_routes(c);
    diag_free(&diag);
    ast_module_free(&module);
    return c;
}

void config_apply_log(const struct config *config)
{
    struct log_levels levels;
    struct buf why;

    buf_init(&why);
    log_levels_init(&levels);
    if (config->log_level)
        log_levels_read(&levels, config->log_level, &why); /* it was checked */
    log_set_levels(&levels);
    log_set_format(config->log_json ? LOG_JSON : LOG_PAIRS);
    buf_fini(&why);
}

bool config_is_spooled(const struct config_source *source)
{
    return source->kind == CONFIG_STDIN || source->kind == CONFIG_HTTP;
}

struct sink_kafka_options config_kafka_sink(const struct config_sink *sink)
{
    return (struct sink_kafka_options){.name = sink->name,
                                       .topic = sink->kafka.topic,
                                       .application = sink->kafka.application,
                                       .settings = config_kafka_settings(&sink->kafka),
                                       .at_least_once = sink->kafka.at_least_once,
                                       .cloudevents = sink->kafka.cloudevents,
                                       .accept_marker = sink->kafka.accept_marker};
}

struct source_kafka_options config_kafka_source(const struct config_source *source)
{
    const struct config_kafka *kafka = &source->kafka;

    return (struct source_kafka_options){.name = source->name,
                                         .settings = config_kafka_settings(kafka),
                                         .topic = (const char *const *)kafka->topics.text,
                                         .n_topics = kafka->topics.n,
                                         .group = source->follow ? kafka->group : NULL,
                                         .start = kafka->start,
                                         .until = KAFKA_LATEST,
                                         .on_reset = kafka->on_reset,
                                         .follow = source->follow,
                                         .max_line = source->max_line,
                                         .padding = decoder_padding(),
                                         .idle = source->idle};
}

struct kafka_settings config_kafka_settings(const struct config_kafka *kafka)
{
    return (struct kafka_settings){
        .brokers = kafka->brokers, .option = kafka->option, .n_options = kafka->n_options};
}

/* ---- what the flow wants to know ------------------------------------------------------------- */

void config_times(const struct config *config, struct time_specs *specs)
{
    for (size_t i = 0; i < config->n_sources; i++) {
        const struct config_source *source = &config->source[i];
        if (source->time || source->formats)
            time_specs_set(specs, source->name, source->time, source->formats);
        if (source->order_by)
            time_specs_order_by(specs, source->name, source->order_by);
    }
}
