// SPDX-License-Identifier: Apache-2.0
/* What the blocks of a configuration say together, and what follows where they say nothing. */
#include <fnmatch.h>
#include <string.h>

#include "base/mem.h"
#include "base/suggest.h"
#include "config/config_priv.h"

static bool is_given(const struct config_block *block, enum config_option_id option)
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

static void check_sink(struct reading *rd, const char *name, struct span span)
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
        if (other_kind && config_options[i].of == of && is_given(block, (enum config_option_id)i))
            diag_add(rd->diag, DIAG_ERROR, block->given[i], "`%s` is for %ss of `%s`",
                     config_options[i].key, config_block_name(of), kind);
}

static void check_source_time(struct reading *rd, const struct config_block *block,
                              const struct config_source *source)
{
    if (!source->time_arrival)
        return;
    if (source->kind == CONFIG_FILE) {
        diag_add(rd->diag, DIAG_ERROR, block->given[CONFIG_OPTION_source_time],
                 "`time arrival` is for sources of `stdin`");
        diag_hint(rd->diag, "lines of a file have no time of arrival that would be kept; for a "
                            "field of this name write it in back quotes: `arrival`");
    }
    if (is_given(block, CONFIG_OPTION_source_time_format))
        diag_add(rd->diag, DIAG_ERROR, block->given[CONFIG_OPTION_source_time_format],
                 "`time_format` has no sense with `time arrival`");
}

static void check_source(struct reading *rd, size_t i)
{
    struct config_source *source = &rd->config->source[i];
    const struct config_block *block = &rd->source[i];
    bool file = is_given(block, CONFIG_OPTION_source_file);
    bool in = is_given(block, CONFIG_OPTION_source_stdin);

    if (block->later)
        return;
    source->kind = in ? CONFIG_STDIN : CONFIG_FILE;
    if (!file && !in) {
        diag_add(rd->diag, DIAG_ERROR, name_of(block), "source `%s` reads nothing", source->name);
        diag_hint(rd->diag, "add `file \"...\"` or `stdin {}`");
    } else if (file && in) {
        diag_add(rd->diag, DIAG_ERROR, block->given[CONFIG_OPTION_source_stdin],
                 "a source has either `file` or `stdin`");
        diag_hint(rd->diag, "make two sources, and a stream of both");
    } else {
        wants_kind(rd, block, in, CONFIG_OF_source_file, "file");
        wants_kind(rd, block, file, CONFIG_OF_source_stdin, "stdin");
        check_source_time(rd, block, source);
    }
    if (in && source->spool_limit < source->spool_segment)
        diag_add(rd->diag, DIAG_ERROR,
                 block->given[is_given(block, CONFIG_OPTION_source_stdin_spool_limit)
                                  ? CONFIG_OPTION_source_stdin_spool_limit
                                  : CONFIG_OPTION_source_stdin_spool_segment],
                 "`spool_limit` is less than `spool_segment`");
    check_sink(rd, source->late, block->given[CONFIG_OPTION_source_late]);
    check_sink(rd, source->dead_letter, block->given[CONFIG_OPTION_source_dead_letter]);
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

static void check_sink_kind(struct reading *rd, size_t i)
{
    struct config_sink *sink = &rd->config->sink[i];
    const struct config_block *block = &rd->sink[i];
    bool file = is_given(block, CONFIG_OPTION_sink_file);
    bool out = is_given(block, CONFIG_OPTION_sink_stdout);

    if (block->later)
        return;
    sink->kind = out ? CONFIG_SINK_STDOUT : CONFIG_SINK_FILE;
    if (!file && !out) {
        diag_add(rd->diag, DIAG_ERROR, name_of(block), "sink `%s` writes nowhere", sink->name);
        diag_hint(rd->diag, "add `file \"...\"` or `stdout {}`");
    } else if (file && out) {
        diag_add(rd->diag, DIAG_ERROR, block->given[CONFIG_OPTION_sink_stdout],
                 "a sink has either `file` or `stdout`");
        diag_hint(rd->diag, "make two sinks, and send to both: default_to [a, b]");
    } else {
        wants_kind(rd, block, out, CONFIG_OF_sink_file, "file");
    }
}

static bool same_place(const struct config_sink *a, const struct config_sink *b)
{
    if (a->kind == CONFIG_SINK_STDOUT || b->kind == CONFIG_SINK_STDOUT)
        return a->kind == b->kind;
    return a->path && b->path && strcmp(a->path, b->path) == 0;
}

/* Where a sink writes. */
static struct span place_of(const struct reading *rd, size_t i)
{
    return rd->sink[i].given[rd->config->sink[i].kind == CONFIG_SINK_STDOUT
                                 ? CONFIG_OPTION_sink_stdout
                                 : CONFIG_OPTION_sink_file];
}

/* The source that would read what a sink writes; NULL if there is none. */
static const struct config_source *reads(const struct config *c, const char *path)
{
    for (size_t i = 0; i < c->n_sources; i++)
        for (size_t j = 0; j < c->source[i].n_paths; j++)
            if (strcmp(c->source[i].path[j], path) == 0 ||
                fnmatch(c->source[i].path[j], path, FNM_PATHNAME | FNM_PERIOD) == 0)
                return &c->source[i];
    return NULL;
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
        const struct config_source *source = c->sink[i].path ? reads(c, c->sink[i].path) : NULL;
        if (source) {
            diag_add(rd->diag, DIAG_ERROR, place_of(rd, i),
                     "source `%s` reads this file: it would read what this sink writes", source->name);
            diag_hint(rd->diag, "write it to another directory, or name the source's files otherwise");
        }
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
            check_sink(rd, to->name[i].text, to->name[i].span);
        add_default(c, to->name[i].text);
    }
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
        if (!is_aside(c, c->sink[i].name))
            add_default(c, c->sink[i].name);
    if (c->n_default_to == 0)
        add_stdout(rd);
}

void config_check(struct reading *rd)
{
    check_names(rd);
    check_sources(rd);
    check_sinks(rd);
    if (rd->config->n_sources == 0)
        config_add_source(rd, mem_strndup("events", 6))->kind = CONFIG_STDIN;
    if (rd->default_to)
        take_default_to(rd, &rd->default_to->to);
    else
        find_default_to(rd);
}
