// SPDX-License-Identifier: Apache-2.0
/* What a block `route` says: for which alerts, where to, when it is silent, how it is grouped. */
#include <string.h>

#include "base/buf.h"
#include "base/mem.h"
#include "base/suggest.h"
#include "base/utf8.h"
#include "config/setting.h"
#include "flow/mute.h"
#include "flow/route.h"
#include "plan/program.h"

enum { MAX_PATTERNS = 1000, MAX_PATTERN = 1000, MAX_WINDOWS = 100 };

/* A word, or a text. Owned; NULL and a diagnostic. */
static char *word_or_text(struct reading *rd, const struct setting *s, const struct ast_expr *value)
{
    const char *word = setting_word(value);

    return word ? mem_strndup(word, strlen(word)) : config_text(rd, s->option->key, value);
}

/* ---- severities ------------------------------------------------------------------------------ */

static void take_severity(struct reading *rd, const struct setting *s, const struct ast_expr *value)
{
    unsigned *severities = setting_field(s);
    char *word = word_or_text(rd, s, value);
    struct suggest suggest;
    int i = SEVERITY_INFO;

    if (!word)
        return;
    while (i <= SEVERITY_CRITICAL && strcmp(severity_name((enum severity)i), word) != 0)
        i++;
    if (i <= SEVERITY_CRITICAL) {
        *severities |= 1u << i;
    } else {
        diag_add(rd->diag, DIAG_ERROR, value->span, "there is no severity `%s`", word);
        suggest_init(&suggest, word);
        for (i = SEVERITY_INFO; i <= SEVERITY_CRITICAL; i++)
            suggest_try(&suggest, severity_name((enum severity)i));
        if (!config_did_you_mean(rd, &suggest))
            diag_hint(rd->diag, "there are: info, low, medium, high, critical");
    }
    mem_free(word);
}

void route_read_severities(struct reading *rd, const struct setting *s)
{
    setting_each(rd, s, 100, take_severity);
}

/* ---- patterns -------------------------------------------------------------------------------- */

static void take_pattern(struct reading *rd, const struct setting *s, const struct ast_expr *value)
{
    char *text = word_or_text(rd, s, value);

    if (!text)
        return;
    size_t len = strlen(text);
    if (len == 0 || len > MAX_PATTERN) {
        diag_add(rd->diag, DIAG_ERROR, value->span,
                 len == 0 ? "a pattern is empty" : "a pattern has more than %d bytes",
                 (int)MAX_PATTERN);
        if (len == 0)
            diag_hint(rd->diag, "`*` fits all");
        mem_free(text);
        return;
    }
    setting_add_text(s, text);
}

void route_read_patterns(struct reading *rd, const struct setting *s)
{
    setting_each(rd, s, MAX_PATTERNS, take_pattern);
}

/* ---- sinks, windows -------------------------------------------------------------------------- */

static void take_sink(struct reading *rd, const struct setting *s, const struct ast_expr *value)
{
    struct config_texts *to = setting_field(s);
    const char *word = setting_word(value);

    if (!word) {
        diag_add(rd->diag, DIAG_ERROR, value->span, "`%s` is the names of sinks", s->option->key);
        diag_hint(rd->diag, "without quotes: to [disk, soc]");
        return;
    }
    for (size_t i = 0; i < to->n; i++)
        if (strcmp(to->text[i], word) == 0) {
            diag_add(rd->diag, DIAG_ERROR, value->span, "sink `%s` is named twice", word);
            return;
        }
    setting_add_text(s, mem_strndup(word, strlen(word)));
}

void route_read_sinks(struct reading *rd, const struct setting *s)
{
    setting_each(rd, s, CONFIG_MAX_BLOCKS, take_sink);
}

static void take_window(struct reading *rd, const struct setting *s, const struct ast_expr *value)
{
    char *text = config_text(rd, s->option->key, value);
    struct mute mute;
    struct buf why;

    if (!text)
        return;
    buf_init(&why);
    if (mute_parse(text, strlen(text), &mute, &why)) {
        setting_add_text(s, text);
    } else {
        diag_add(rd->diag, DIAG_ERROR, value->span, "%s", why.data);
        mem_free(text);
    }
    buf_fini(&why);
}

void route_read_windows(struct reading *rd, const struct setting *s)
{
    setting_each(rd, s, MAX_WINDOWS, take_window);
}

/* ---- what must fit together ------------------------------------------------------------------ */

/* Where the name stands in `to`. */
static struct span name_span(const struct config_block *block, const char *name)
{
    for (const struct ast_config *entry = block->decl->entries; entry; entry = entry->next) {
        const struct ast_expr *v = entry->value;
        if (!v || v->kind != AST_LIST || entry->n_key != 1 || strcmp(entry->key[0].name, "to") != 0)
            continue;
        for (uint32_t i = 0; i < v->n_args; i++) {
            const char *word = setting_word(v->args[i]);
            if (word && strcmp(word, name) == 0)
                return v->args[i]->span;
        }
    }
    return block->given[CONFIG_OPTION_route_to];
}

static void check_to(struct reading *rd, const struct config_route *route,
                     const struct config_block *block)
{
    bool grouped = config_is_given(block, CONFIG_OPTION_route_group);

    for (size_t i = 0; i < route->to.n; i++) {
        uint32_t sink = config_sink_named(rd->config, route->to.text[i]);
        config_check_sink_name(rd, route->to.text[i],
                               name_span(block, route->to.text[i]));
        if (sink == UINT32_MAX || !grouped ||
            rd->config->sink[sink].kind == CONFIG_SINK_WEBHOOK)
            continue;
        diag_add(rd->diag, DIAG_ERROR, block->given[CONFIG_OPTION_route_group],
                 "`group` is for webhooks, and sink `%s` is none", route->to.text[i]);
        diag_hint(rd->diag, "make a route of its own for `%s`", route->to.text[i]);
    }
}

void config_check_route(struct reading *rd, struct config_route *route, const struct config_block *block)
{
    if (!config_is_given(block, CONFIG_OPTION_route_severity) &&
        !config_is_given(block, CONFIG_OPTION_route_tags) &&
        !config_is_given(block, CONFIG_OPTION_route_rules)) {
        diag_add(rd->diag, DIAG_ERROR, route->span, "this route does not say for which alerts it is");
        diag_hint(rd->diag, "add `severity`, `tags` or `rules`; for all alerts: rules \"*\"");
    }
    if (!config_is_given(block, CONFIG_OPTION_route_to)) {
        diag_add(rd->diag, DIAG_ERROR, route->span, "this route leads nowhere");
        diag_hint(rd->diag, "add `to [SINK]`");
    }
    check_to(rd, route, block);
}

/* ---- compiled -------------------------------------------------------------------------------- */

/* Owned. */
static uint32_t *numbers_of(const struct config *c, char *const *name, size_t n)
{
    uint32_t *number = mem_calloc(n + 1, sizeof *number);

    for (size_t i = 0; i < n; i++)
        number[i] = config_sink_named(c, name[i]);
    return number;
}

static const char *const *texts_of(const struct config_texts *list)
{
    return (const char *const *)list->text;
}

static struct route_spec spec_of(const struct config *c, const struct config_route *route)
{
    return (struct route_spec){.severities = route->severities,
                               .tag = texts_of(&route->tags),
                               .n_tags = route->tags.n,
                               .rule = texts_of(&route->rules),
                               .n_rules = route->rules.n,
                               .sink = numbers_of(c, route->to.text, route->to.n),
                               .n_sinks = route->to.n,
                               .mute = texts_of(&route->mute),
                               .n_mutes = route->mute.n,
                               .group = route->group,
                               .line = route->line};
}

struct route_table *config_compile_routes(const struct config *c)
{
    const char **sink = mem_calloc(c->n_sinks + 1, sizeof *sink);
    struct route_spec *spec = mem_calloc(c->n_routes + 1, sizeof *spec);
    uint32_t *default_to = numbers_of(c, c->default_to, c->n_default_to);

    for (size_t i = 0; i < c->n_sinks; i++)
        sink[i] = c->sink[i].name;
    for (size_t i = 0; i < c->n_routes; i++)
        spec[i] = spec_of(c, &c->route[i]);
    struct route_table *rt = route_table_new(&(struct route_options){.sink = sink,
                                                                     .n_sinks = c->n_sinks,
                                                                     .default_to = default_to,
                                                                     .n_default_to = c->n_default_to,
                                                                     .route = spec,
                                                                     .n_routes = c->n_routes});
    for (size_t i = 0; i < c->n_routes; i++)
        mem_free((uint32_t *)(uintptr_t)spec[i].sink);
    mem_free(default_to);
    mem_free(spec);
    mem_free(sink);
    return rt;
}
