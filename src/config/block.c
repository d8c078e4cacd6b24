// SPDX-License-Identifier: Apache-2.0
/* The blocks of a configuration: each key by its line of option.def, each value by its type. */
#include <string.h>

#include "base/buf.h"
#include "base/mem.h"
#include "base/suggest.h"
#include "config/setting.h"

/* The key as it was written, NUL-terminated, cut short. */
static void key_text(const struct ast_config *entry, char *out, size_t size)
{
    struct buf b;

    buf_init(&b);
    buf_adds(&b, "");
    for (uint32_t i = 0; i < entry->n_key; i++)
        buf_printf(&b, "%s%s", i ? "." : "", entry->key[i].name ? entry->key[i].name : "");
    size_t len = b.len < size ? b.len : size - 1;
    memcpy(out, b.data, len);
    out[len] = '\0';
    buf_fini(&b);
}

static void hint_keys(struct reading *rd, enum config_of of)
{
    struct buf b;

    buf_init(&b);
    for (int i = 0; i < CONFIG_OPTION_COUNT; i++)
        if (config_block_of(config_options[i].of) == of)
            buf_printf(&b, "%s %s", b.len ? "," : "", config_options[i].key);
    diag_hint(rd->diag, "there are:%s", b.data);
    buf_fini(&b);
}

static const char *article(enum config_of of)
{
    return of == CONFIG_OF_engine ? "the " : of == CONFIG_OF_source || of == CONFIG_OF_sink || of == CONFIG_OF_route ? "a " : "";
}

static void unknown_key(struct reading *rd, enum config_of of, const struct ast_config *entry,
                        const char *key)
{
    const char *elsewhere = NULL;
    struct suggest s;

    diag_add(rd->diag, DIAG_ERROR, entry->key_span, "`%s` is no key of %s%s", key, article(of),
             config_block_name(of));
    suggest_init(&s, key);
    for (int i = 0; i < CONFIG_OPTION_COUNT; i++) {
        const struct config_option *o = &config_options[i];
        if (config_block_of(o->of) == of)
            suggest_try(&s, o->key);
        else if (strcmp(o->key, key) == 0)
            elsewhere = config_block_name(o->of);
    }
    if (elsewhere)
        diag_hint(rd->diag, "it belongs into a block `%s`", elsewhere);
    else if (!config_did_you_mean(rd, &s))
        hint_keys(rd, of);
}

static int find_option(enum config_of of, const char *key)
{
    for (int i = 0; i < CONFIG_OPTION_COUNT; i++)
        if (config_block_of(config_options[i].of) == of && strcmp(config_options[i].key, key) == 0)
            return i;
    return -1;
}

/* `stdin {}`: there is nothing to be said in it. */
static void read_block_entry(struct reading *rd, const struct config_option *o,
                             const struct ast_config *entry)
{
    if (!entry->has_block) {
        diag_add(rd->diag, DIAG_ERROR, entry->value->span, "`%s` has no value", o->key);
        diag_hint(rd->diag, "write `%s {}`", o->key);
    } else if (entry->block) {
        diag_add(rd->diag, DIAG_ERROR, entry->block->key_span, "`%s` has no keys", o->key);
        diag_hint(rd->diag, "write `%s {}`, and the keys behind it", o->key);
    }
}

static void read_entry(struct reading *rd, enum config_of of, struct config_block *block,
                       const struct ast_config *entry, void *to);

/* `tls { ... }`, `headers { ... }` */
static void read_inner_block(struct reading *rd, struct config_block *block, const struct setting *s)
{
    if (!s->entry->has_block) {
        diag_add(rd->diag, DIAG_ERROR, s->value->span, "`%s` has keys, no value", s->option->key);
        diag_hint(rd->diag, "write %s %s", s->option->key, config_type_text(s->option));
    } else if (s->option->type == CONFIG_TYPE_HEADERS) {
        webhook_read_headers(rd, s);
    } else if (s->option->type == CONFIG_TYPE_PROPERTIES) {
        kafka_read_properties(rd, s);
    } else {
        for (const struct ast_config *inner = s->entry->block; inner; inner = inner->next)
            read_entry(rd, (enum config_of)s->option->least, block, inner, s->block);
    }
}

static void read_entry(struct reading *rd, enum config_of of, struct config_block *block,
                       const struct ast_config *entry, void *to)
{
    char key[128];

    key_text(entry, key, sizeof key);
    int number = find_option(of, key);
    if (number < 0) {
        unknown_key(rd, of, entry, key);
        return;
    }
    struct setting s = {&config_options[number], entry, entry->value, to};
    if (block->given[number].end != 0) {
        diag_add(rd->diag, DIAG_ERROR, entry->key_span, "`%s` is given twice", key);
        diag_hint(rd->diag, s.option->type == CONFIG_TYPE_PATHS ? "write a list: file [\"a\", \"b\"]"
                                                                : "take one of them away");
        return;
    }
    block->given[number] = entry->value ? entry->value->span : entry->key_span;
    if (s.option->type == CONFIG_TYPE_BLOCK) {
        read_block_entry(rd, s.option, entry);
    } else if (s.option->type == CONFIG_TYPE_KEYS || s.option->type == CONFIG_TYPE_HEADERS ||
               s.option->type == CONFIG_TYPE_PROPERTIES) {
        read_inner_block(rd, block, &s);
    } else if (!entry->value) {
        diag_add(rd->diag, DIAG_ERROR, entry->key_span, "`%s` has a value, no block", key);
        diag_hint(rd->diag, "write %s %s", key, config_type_text(s.option));
    } else {
        setting_read(rd, &s);
    }
}

/* ---- blocks ---------------------------------------------------------------------------------- */

void config_set_defaults(struct config *config, enum config_of of, void *to)
{
    for (int i = 0; i < CONFIG_OPTION_COUNT; i++) {
        const struct config_option *o = &config_options[i];
        struct setting s = {.option = o, .block = to};
        if (config_block_of(o->of) != of)
            continue;
        if (o->initial_text)
            *(char **)setting_field(&s) =
                o->type == CONFIG_TYPE_PATH ? config_join(config->dir, o->initial_text, false)
                                            : mem_strndup(o->initial_text, strlen(o->initial_text));
        else if (o->type == CONFIG_TYPE_FLAG)
            *(bool *)setting_field(&s) = o->initial != 0;
        else if (o->initial)
            setting_set_number(&s, o->initial);
    }
}

struct config_source *config_add_source(struct reading *rd, char *name)
{
    struct config *c = rd->config;

    c->source = vec_reserve(c->source, &rd->cap_source, c->n_sources + 1, sizeof *c->source);
    rd->source = vec_reserve(rd->source, &rd->cap_source_block, c->n_sources + 1,
                             sizeof *rd->source);
    struct config_source *source = &c->source[c->n_sources];
    *source = (struct config_source){.name = name};
    rd->source[c->n_sources++] = (struct config_block){0};
    config_set_defaults(c, CONFIG_OF_source, source);
    config_set_defaults(c, CONFIG_OF_source_kafka, source);
    return source;
}

struct config_sink *config_add_sink(struct reading *rd, char *name)
{
    struct config *c = rd->config;

    c->sink = vec_reserve(c->sink, &rd->cap_sink, c->n_sinks + 1, sizeof *c->sink);
    rd->sink = vec_reserve(rd->sink, &rd->cap_sink_block, c->n_sinks + 1, sizeof *rd->sink);
    struct config_sink *sink = &c->sink[c->n_sinks];
    *sink = (struct config_sink){.name = name};
    rd->sink[c->n_sinks++] = (struct config_block){0};
    config_set_defaults(c, CONFIG_OF_sink, sink);
    config_set_defaults(c, CONFIG_OF_sink_kafka, sink);
    return sink;
}

/* The route that is made is the last; NULL if there are too many. */
static struct config_route *add_route(struct reading *rd, const struct ast_config_decl *decl)
{
    struct config *c = rd->config;
    struct span word = {decl->span.file, decl->span.start, decl->span.start + 5};
    uint32_t column;

    if (c->n_routes == CONFIG_MAX_BLOCKS) {
        diag_add(rd->diag, DIAG_ERROR, word, "more than %d routes", (int)CONFIG_MAX_BLOCKS);
        return NULL;
    }
    c->route = vec_reserve(c->route, &rd->cap_route, c->n_routes + 1, sizeof *c->route);
    rd->route = vec_reserve(rd->route, &rd->cap_route_block, c->n_routes + 1, sizeof *rd->route);
    struct config_route *route = &c->route[c->n_routes];
    *route = (struct config_route){.span = word};
    diag_locate(rd->diag, word, &route->line, &column);
    rd->route[c->n_routes++] = (struct config_block){0};
    return route;
}

static void read_entries(struct reading *rd, enum config_of of, struct config_block *block,
                         const struct ast_config_decl *decl, void *to)
{
    block->decl = decl;
    for (const struct ast_config *entry = decl->entries; entry; entry = entry->next)
        read_entry(rd, of, block, entry, to);
}

static void twice(struct reading *rd, const struct ast_config_decl *decl, const char *what)
{
    struct span word = decl->span;

    word.end = word.start + (uint32_t)strlen(what);
    diag_add(rd->diag, DIAG_ERROR, word, "`%s` is given twice", what);
    diag_hint(rd->diag, "take one of them away");
}

/* False and a diagnostic if there are too many. */
static bool has_room(struct reading *rd, size_t n, const struct ast_config_decl *decl)
{
    if (n == CONFIG_MAX_BLOCKS)
        diag_add(rd->diag, DIAG_ERROR, decl->name.span, "more than %d sources or sinks",
                 (int)CONFIG_MAX_BLOCKS);
    return n < CONFIG_MAX_BLOCKS;
}

static void read_route(struct reading *rd, const struct ast_config_decl *decl)
{
    struct config_route *route = add_route(rd, decl);

    if (route)
        read_entries(rd, CONFIG_OF_route, &rd->route[rd->config->n_routes - 1], decl, route);
}

static void read_decl(struct reading *rd, const struct ast_config_decl *decl)
{
    char *name = decl->name.text ? mem_strndup(decl->name.text, decl->name.len) : NULL;

    switch (decl->kind) {
    case AST_ENGINE:
        if (rd->engine.decl)
            twice(rd, decl, "engine");
        read_entries(rd, CONFIG_OF_engine, &rd->engine, decl, rd->config);
        break;
    case AST_SOURCE:
        if (has_room(rd, rd->config->n_sources, decl)) {
            struct config_source *source = config_add_source(rd, name);
            name = NULL;
            read_entries(rd, CONFIG_OF_source, &rd->source[rd->config->n_sources - 1], decl,
                         source);
        }
        break;
    case AST_SINK:
        if (has_room(rd, rd->config->n_sinks, decl)) {
            struct config_sink *sink = config_add_sink(rd, name);
            name = NULL;
            read_entries(rd, CONFIG_OF_sink, &rd->sink[rd->config->n_sinks - 1], decl, sink);
        }
        break;
    case AST_DEFAULT_TO:
        if (rd->default_to)
            twice(rd, decl, "default_to");
        rd->default_to = decl;
        break;
    case AST_HTTP:
        if (rd->http.decl)
            twice(rd, decl, "http");
        rd->config->http.given = true;
        read_entries(rd, CONFIG_OF_http, &rd->http, decl, &rd->config->http);
        break;
    case AST_ROUTE: read_route(rd, decl); break;
    }
    mem_free(name);
}

static void foreign(struct reading *rd, struct span span, const char *what)
{
    diag_add(rd->diag, DIAG_ERROR, span, "`%s` belongs into a rule file", what);
    diag_hint(rd->diag, "`rules` of the block `engine` says where these are");
}

/* The first of each kind: a rule file that was named in place of a configuration. */
static void refuse_rules(struct reading *rd)
{
    const struct ast_module *m = rd->module;

    if (m->streams)
        foreign(rd, m->streams->span, "stream");
    if (m->lists)
        foreign(rd, m->lists->span, "list");
    if (m->tables)
        foreign(rd, m->tables->span, "table");
    if (m->defs)
        foreign(rd, m->defs->span, "def");
    if (m->exceptions)
        foreign(rd, m->exceptions->span, "exception");
    if (m->rules)
        foreign(rd, m->rules->name.span, "rule");
}

void config_read_blocks(struct reading *rd)
{
    for (const struct ast_config_decl *decl = rd->module->configs; decl; decl = decl->next)
        read_decl(rd, decl);
    refuse_rules(rd);
}
