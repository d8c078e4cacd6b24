// SPDX-License-Identifier: Apache-2.0
/* What the blocks of a configuration say together, and what follows where they say nothing. */
#include <string.h>

#include "base/buf.h"
#include "base/log.h"
#include "base/mem.h"
#include "base/suggest.h"
#include "config/config_priv.h"
#include "http/address.h"
#include "http/auth.h"

bool config_is_given(const struct config_block *block, enum config_option_id option)
{
    return block->given[option].end != 0;
}

/* Where a block's name is. */
static struct span name_of(const struct config_block *block)
{
    return block->decl->name.span;
}

/* ---- names ----------------------------------------------------------------------------------- */

static void declared_twice(struct reading *rd, const struct config_block *block, const char *what,
                           const char *name, const struct config_block *first)
{
    uint32_t line, column;

    diag_add(rd->diag, DIAG_ERROR, name_of(block), "%s `%s` is declared twice", what, name);
    diag_locate(rd->diag, name_of(first), &line, &column);
    diag_hint(rd->diag, "first declared in line %u", line);
}

static void check_names(struct reading *rd)
{
    struct config *c = rd->config;

    for (size_t i = 0; i < c->n_sources; i++) {
        const char *name = c->source[i].name;
        size_t first = config_source_named(c, name);
        if (strcmp(name, "any") == 0) {
            diag_add(rd->diag, DIAG_ERROR, name_of(&rd->source[i]),
                     "a source cannot be named `any`");
            diag_hint(rd->diag, "`any` is all sources");
        } else if (first != i) {
            declared_twice(rd, &rd->source[i], "source", name, &rd->source[first]);
        }
    }
    for (size_t i = 0; i < c->n_sinks; i++) {
        size_t first = config_sink_named(c, c->sink[i].name);
        if (first != i)
            declared_twice(rd, &rd->sink[i], "sink", c->sink[i].name, &rd->sink[first]);
    }
}

void config_check_sink_name(struct reading *rd, const char *name, struct span span)
{
    const struct config *c = rd->config;
    struct suggest s;

    if (!name || config_sink_named(c, name) != UINT32_MAX)
        return;
    diag_add(rd->diag, DIAG_ERROR, span, "there is no sink `%s`", name);
    suggest_init(&s, name);
    for (size_t i = 0; i < c->n_sinks; i++)
        suggest_try(&s, c->sink[i].name);
    if (!config_did_you_mean(rd, &s))
        diag_hint(rd->diag, "declare it: sink %s { file \"%s.ndjson\" }", name, name);
}

/* ---- sources --------------------------------------------------------------------------------- */

static void wants_kind(struct reading *rd, const struct config_block *block, bool other_kind,
                       enum config_of of, const char *kind)
{
    for (int i = 0; i < CONFIG_OPTION_COUNT; i++)
        if (other_kind && config_options[i].of == of && config_is_given(block, (enum config_option_id)i))
            diag_add(rd->diag, DIAG_ERROR, block->given[i], "`%s` is for %ss of `%s`",
                     config_options[i].key, config_block_name(of), kind);
}

static void check_source_time(struct reading *rd, const struct config_block *block,
                              const struct config_source *source)
{
    if (source->time_arrival && !config_is_spooled(source)) {
        diag_add(rd->diag, DIAG_ERROR, block->given[CONFIG_OPTION_source_time],
                 "`time arrival` is for sources of `stdin` or `http`");
        diag_hint(rd->diag, source->kind == CONFIG_KAFKA
                                ? "records of Kafka have a time of their own: `time record`; for a field of "
                                  "this name write it in back quotes: `arrival`"
                                : "lines of a file have no time of arrival that would be kept; for a "
                                  "field of this name write it in back quotes: `arrival`");
    }
    if (source->time_record && source->kind != CONFIG_KAFKA) {
        diag_add(rd->diag, DIAG_ERROR, block->given[CONFIG_OPTION_source_time],
                 "`time record` is for sources of `kafka`");
        diag_hint(rd->diag, "for a field of this name write it in back quotes: `record`");
    }
    if ((source->time_arrival || source->time_record) &&
        config_is_given(block, CONFIG_OPTION_source_time_format))
        diag_add(rd->diag, DIAG_ERROR, block->given[CONFIG_OPTION_source_time_format],
                 "`time_format` has no sense with `time %s`", source->time_arrival ? "arrival" : "record");
}

/* The options that say what kind of source it is. */
static const enum config_option_id ways[] = {[CONFIG_FILE] = CONFIG_OPTION_source_file,
                                             [CONFIG_STDIN] = CONFIG_OPTION_source_stdin,
                                             [CONFIG_HTTP] = CONFIG_OPTION_source_http,
                                             [CONFIG_KAFKA] = CONFIG_OPTION_source_kafka};
enum { N_WAYS = sizeof ways / sizeof *ways };

/* False: it has none, or several, and that was said. */
static bool find_source_kind(struct reading *rd, const struct config_block *block,
                             struct config_source *source)
{
    int kinds = 0;

    for (int kind = 0; kind < N_WAYS; kind++) {
        if (!config_is_given(block, ways[kind]))
            continue;
        if (kinds++ == 0)
            source->kind = (enum config_source_kind)kind;
        if (kinds == 2) {
            diag_add(rd->diag, DIAG_ERROR, block->given[ways[kind]],
                     "a source has one of `file`, `stdin`, `http` and `kafka`");
            diag_hint(rd->diag, "make two sources, and a stream of both");
        }
    }
    if (kinds == 0) {
        diag_add(rd->diag, DIAG_ERROR, name_of(block), "source `%s` reads nothing", source->name);
        diag_hint(rd->diag, "add `file \"...\"`, `stdin {}`, `http {}` or `kafka { ... }`");
    }
    return kinds == 1;
}

static void check_spool(struct reading *rd, const struct config_block *block,
                        const struct config_source *source)
{
    if (source->spool_limit < source->spool_segment)
        diag_add(rd->diag, DIAG_ERROR,
                 block->given[config_is_given(block, CONFIG_OPTION_source_spool_spool_limit)
                                  ? CONFIG_OPTION_source_spool_spool_limit
                                  : CONFIG_OPTION_source_spool_spool_segment],
                 "`spool_limit` is less than `spool_segment`");
    if (source->kind != CONFIG_HTTP || rd->config->http.given)
        return;
    diag_add(rd->diag, DIAG_ERROR, block->given[CONFIG_OPTION_source_http],
             "nobody can post to `%s`: there is no block `http`", source->name);
    diag_hint(rd->diag, "add `http {}`, which listens on 127.0.0.1:7070");
}

static void check_source(struct reading *rd, size_t i)
{
    struct config_source *source = &rd->config->source[i];
    const struct config_block *block = &rd->source[i];

    if (find_source_kind(rd, block, source)) {
        wants_kind(rd, block, config_is_spooled(source), CONFIG_OF_source_follow, "file` or `kafka");
        wants_kind(rd, block, !config_is_spooled(source), CONFIG_OF_source_spool, "stdin` or `http");
        check_source_time(rd, block, source);
        if (source->kind == CONFIG_KAFKA)
            config_check_kafka_source(rd, source, block);
    }
    if (config_is_spooled(source))
        check_spool(rd, block, source);
    config_check_sink_name(rd, source->late, block->given[CONFIG_OPTION_source_late]);
    config_check_sink_name(rd, source->dead_letter, block->given[CONFIG_OPTION_source_dead_letter]);
}

static void check_sources(struct reading *rd)
{
    const struct config *c = rd->config;
    size_t stdins = 0, patterns = 0;

    for (size_t i = 0; i < c->n_sources; i++) {
        check_source(rd, i);
        if (c->source[i].kind == CONFIG_STDIN && ++stdins == 2)
            diag_add(rd->diag, DIAG_ERROR, rd->source[i].given[CONFIG_OPTION_source_stdin],
                     "another source reads `stdin` already");
        patterns += c->source[i].n_paths;
        if (patterns > CONFIG_MAX_PATTERNS && patterns - c->source[i].n_paths <= CONFIG_MAX_PATTERNS)
            diag_add(rd->diag, DIAG_ERROR, name_of(&rd->source[i]), "more than %d files and patterns",
                     (int)CONFIG_MAX_PATTERNS);
    }
}

/* ---- sinks ----------------------------------------------------------------------------------- */

/* The options that say what kind of sink it is. */
static const enum config_option_id places[] = {[CONFIG_SINK_FILE] = CONFIG_OPTION_sink_file,
                                               [CONFIG_SINK_STDOUT] = CONFIG_OPTION_sink_stdout,
                                               [CONFIG_SINK_WEBHOOK] = CONFIG_OPTION_sink_webhook,
                                               [CONFIG_SINK_KAFKA] = CONFIG_OPTION_sink_kafka};
enum { N_PLACES = sizeof places / sizeof *places };

static void check_sink_kind(struct reading *rd, size_t i)
{
    struct config_sink *sink = &rd->config->sink[i];
    const struct config_block *block = &rd->sink[i];
    int kinds = 0;

    for (int kind = 0; kind < N_PLACES; kind++) {
        if (!config_is_given(block, places[kind]))
            continue;
        if (kinds++ == 0)
            sink->kind = (enum config_sink_kind)kind;
        if (kinds == 2) {
            diag_add(rd->diag, DIAG_ERROR, block->given[places[kind]],
                     "a sink has one of `file`, `stdout`, `webhook` and `kafka`");
            diag_hint(rd->diag, "make two sinks, and send to both: default_to [a, b]");
        }
    }
    if (kinds == 0) {
        diag_add(rd->diag, DIAG_ERROR, name_of(block), "sink `%s` writes nowhere", sink->name);
        diag_hint(rd->diag, "add `file \"...\"`, `stdout {}`, `webhook \"https://...\"` or `kafka { ... }`");
    } else if (kinds == 1) {
        wants_kind(rd, block, sink->kind != CONFIG_SINK_FILE, CONFIG_OF_sink_file, "file");
        wants_kind(rd, block, sink->kind != CONFIG_SINK_WEBHOOK, CONFIG_OF_sink_webhook, "webhook");
        wants_kind(rd, block, sink->kind != CONFIG_SINK_KAFKA, CONFIG_OF_sink_topic, "kafka");
        if (sink->kind == CONFIG_SINK_WEBHOOK)
            config_check_webhook(rd, sink, block);
        if (sink->kind == CONFIG_SINK_KAFKA)
            config_check_kafka_sink(rd, sink, block);
    }
}

/* Two webhooks may have one URL: in two forms, or with two keys. */
static bool same_place(const struct config_sink *a, const struct config_sink *b)
{
    if (a->kind == CONFIG_SINK_STDOUT || b->kind == CONFIG_SINK_STDOUT)
        return a->kind == b->kind;
    return a->path && b->path && config_same_file(a->path, b->path);
}

/* Where a sink writes. */
static struct span place_of(const struct reading *rd, size_t i)
{
    return rd->sink[i].given[places[rd->config->sink[i].kind]];
}

/* A file that is read, too. */
static void check_sink_file(struct reading *rd, size_t i)
{
    const struct config *c = rd->config;
    const char *path = c->sink[i].path;

    for (size_t j = 0; path && j < c->n_sources; j++) {
        if (!config_reads_file(&c->source[j], path))
            continue;
        diag_add(rd->diag, DIAG_ERROR, place_of(rd, i),
                 "source `%s` reads this file: it would read what this sink writes", c->source[j].name);
        diag_hint(rd->diag, "write it to another directory, or name the source's files otherwise");
        return;
    }
    if (path && (config_is_rule_file(c, path) || (c->path && config_same_file(path, c->path))))
        diag_add(rd->diag, DIAG_ERROR, place_of(rd, i), "this file is %s: alerts would be written behind it",
                 config_is_rule_file(c, path) ? "one of the rules" : "the configuration");
}

static void check_sinks(struct reading *rd)
{
    const struct config *c = rd->config;

    for (size_t i = 0; i < c->n_sinks; i++) {
        check_sink_kind(rd, i);
        size_t j = 0;
        while (j < i && !same_place(&c->sink[i], &c->sink[j]))
            j++;
        if (j < i)
            diag_add(rd->diag, DIAG_ERROR, place_of(rd, i), "sink `%s` writes there already",
                     c->sink[j].name);
        check_sink_file(rd, i);
        if (c->sink[i].kind == CONFIG_SINK_KAFKA)
            config_check_kafka_circle(rd, &c->sink[i], &rd->sink[i]);
    }
}

/* ---- what follows ---------------------------------------------------------------------------- */

static void add_default(struct config *c, const char *name)
{
    c->default_to[c->n_default_to++] = mem_strndup(name, strlen(name));
}

static void take_default_to(struct reading *rd, const struct ast_names *to)
{
    struct config *c = rd->config;

    if (to->n > CONFIG_MAX_BLOCKS) {
        diag_add(rd->diag, DIAG_ERROR, to->span, "more than %d sinks", (int)CONFIG_MAX_BLOCKS);
        return;
    }
    c->default_to = mem_calloc(to->n + 1, sizeof *c->default_to);
    if (to->n == 0)
        diag_add(rd->diag, DIAG_ERROR, to->span, "`default_to` names no sink");
    for (uint32_t i = 0; i < to->n; i++) {
        bool twice = false;
        for (size_t j = 0; j < c->n_default_to; j++)
            twice = twice || strcmp(c->default_to[j], to->name[i].text) == 0;
        if (twice)
            diag_add(rd->diag, DIAG_ERROR, to->name[i].span, "sink `%s` is named twice",
                     to->name[i].text);
        else
            config_check_sink_name(rd, to->name[i].text, to->name[i].span);
        add_default(c, to->name[i].text);
    }
}

static bool is_routed(const struct config *c, const char *sink)
{
    for (size_t i = 0; i < c->n_routes; i++)
        for (size_t j = 0; j < c->route[i].to.n; j++)
            if (strcmp(c->route[i].to.text[j], sink) == 0)
                return true;
    return false;
}

/* Does some source send there what is no alert? */
static bool is_aside(const struct config *c, const char *sink)
{
    bool aside = false;

    for (size_t i = 0; i < c->n_sources; i++) {
        const struct config_source *source = &c->source[i];
        aside = aside || (source->late && strcmp(source->late, sink) == 0) ||
                (source->dead_letter && strcmp(source->dead_letter, sink) == 0);
    }
    return aside;
}

static void add_stdout(struct reading *rd)
{
    struct config *c = rd->config;

    for (size_t i = 0; i < c->n_sinks; i++)
        if (c->sink[i].kind == CONFIG_SINK_STDOUT || strcmp(c->sink[i].name, "stdout") == 0) {
            diag_add(rd->diag, DIAG_ERROR, name_of(&rd->sink[i]), "no sink is left for alerts");
            diag_hint(rd->diag, "add `sink alerts { file \"alerts.ndjson\" }`");
            return;
        }
    config_add_sink(rd, mem_strndup("stdout", 6))->kind = CONFIG_SINK_STDOUT;
    add_default(c, "stdout");
}

static void find_default_to(struct reading *rd)
{
    struct config *c = rd->config;

    c->default_to = mem_calloc(c->n_sinks + 1, sizeof *c->default_to);
    for (size_t i = 0; i < c->n_sinks; i++)
        if (!is_aside(c, c->sink[i].name) && !is_routed(c, c->sink[i].name))
            add_default(c, c->sink[i].name);
    if (c->n_default_to == 0)
        add_stdout(rd);
}

static void check_log(struct reading *rd)
{
    struct log_levels levels;
    struct buf why;

    buf_init(&why);
    if (rd->config->log_level && !log_levels_read(&levels, rd->config->log_level, &why))
        diag_add(rd->diag, DIAG_ERROR, rd->engine.given[CONFIG_OPTION_engine_log_level],
                 "no level: %s", why.data);
    buf_fini(&why);
}

static void check_listen(struct reading *rd)
{
    const struct config_block *block = &rd->http;
    const struct config_http *http = &rd->config->http;
    struct http_address at;

    if (!http->listen)
        return;
    if (!http_address_read(&at, http->listen)) {
        diag_add(rd->diag, DIAG_ERROR, block->given[CONFIG_OPTION_http_listen],
                 "`listen` is HOST:PORT, such as \"127.0.0.1:7070\" or \"[::1]:7070\"");
    } else if (!config_is_given(block, CONFIG_OPTION_http_tokens) && http_address_is_public(&at)) {
        diag_add(rd->diag, DIAG_ERROR, block->given[CONFIG_OPTION_http_listen],
                 "without `tokens` only loopback addresses are served");
        diag_hint(rd->diag, "add `tokens file(\"tokens\")`; `tocsin token new` prints a line of it");
    }
}

static void check_tokens(struct reading *rd)
{
    const struct config_http *http = &rd->config->http;
    struct buf why;

    if (rd->no_secrets || !http->tokens)
        return;
    buf_init(&why);
    struct http_tokens *tokens = http_tokens_parse(http->tokens, &why);
    if (!tokens)
        diag_add(rd->diag, DIAG_ERROR, rd->http.given[CONFIG_OPTION_http_tokens], "%s", why.data);
    http_tokens_free(&tokens);
    buf_fini(&why);
}

static void check_http(struct reading *rd)
{
    const struct config_block *block = &rd->http;
    const struct config_http *http = &rd->config->http;
    bool certificate = config_is_given(block, CONFIG_OPTION_http_tls_certificate);
    bool key = config_is_given(block, CONFIG_OPTION_http_tls_key);

    if (config_is_given(block, CONFIG_OPTION_http_tls) && !(certificate && key)) {
        diag_add(rd->diag, DIAG_ERROR, block->given[CONFIG_OPTION_http_tls],
                 "`tls` has `certificate` and `key`");
        diag_hint(rd->diag, "write tls { certificate \"cert.pem\"  key \"key.pem\" }");
    }
    if (http->max_bodies < http->max_body)
        diag_add(rd->diag, DIAG_ERROR,
                 block->given[config_is_given(block, CONFIG_OPTION_http_max_bodies)
                                  ? CONFIG_OPTION_http_max_bodies
                                  : CONFIG_OPTION_http_max_body],
                 "`max_bodies` is less than `max_body`");
    check_listen(rd);
    check_tokens(rd);
}

void config_check(struct reading *rd)
{
    check_log(rd);
    check_names(rd);
    check_sources(rd);
    check_sinks(rd);
    check_http(rd);
    config_check_rules_topic(rd);
    for (size_t i = 0; i < rd->config->n_routes; i++)
        config_check_route(rd, &rd->config->route[i], &rd->route[i]);
    if (rd->config->n_sources == 0)
        config_add_source(rd, mem_strndup("events", 6))->kind = CONFIG_STDIN;
    if (rd->default_to)
        take_default_to(rd, &rd->default_to->to);
    else
        find_default_to(rd);
}
