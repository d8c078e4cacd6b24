// SPDX-License-Identifier: Apache-2.0
/* The blocks of a configuration: each key by its line of option.def, each value by its type. */
#include <assert.h>
#include <string.h>

#include "base/buf.h"
#include "base/mem.h"
#include "base/suggest.h"
#include "config/config_priv.h"
#include "event/time_format.h"

/* One value that is being read. */
struct setting {
    const struct config_option *option;
    const struct ast_expr *value;
    void *block; /* struct config, config_source or config_sink */
};

static void *field_of(const struct setting *s)
{
    return (char *)s->block + s->option->offset;
}

static void refuse(struct reading *rd, const struct setting *s, const char *is, const char *hint)
{
    diag_add(rd->diag, DIAG_ERROR, s->value->span, "`%s` is %s", s->option->key, is);
    if (hint)
        diag_hint(rd->diag, "%s", hint);
}

/* ---- numbers --------------------------------------------------------------------------------- */

static void add_amount(struct buf *out, const struct config_option *o, int64_t n)
{
    if (o->type == CONFIG_TYPE_DURATION)
        duration_add_text(out, n);
    else if (o->type == CONFIG_TYPE_SIZE)
        config_add_size(out, n);
    else
        buf_add_int(out, n);
}

static void set_number(const struct setting *s, int64_t n)
{
    uint64_t u64 = (uint64_t)n;
    uint32_t u32 = (uint32_t)n;

    assert(s->option->size == sizeof u64 || s->option->size == sizeof u32);
    if (s->option->size == sizeof u64)
        memcpy(field_of(s), &u64, sizeof u64);
    else
        memcpy(field_of(s), &u32, sizeof u32);
}

static void take_number(struct reading *rd, const struct setting *s)
{
    const struct config_option *o = s->option;
    int64_t n = s->value->value.u.i;
    struct buf amount;

    if (n >= o->least && n <= o->most) {
        set_number(s, n);
        return;
    }
    buf_init(&amount);
    add_amount(&amount, o, n < o->least ? o->least : o->most);
    diag_add(rd->diag, DIAG_ERROR, s->value->span, "`%s` is %s at %s", o->key, amount.data,
             n < o->least ? "the least" : "the most");
    buf_fini(&amount);
}

static bool is_literal(const struct ast_expr *value, enum value_type type)
{
    return value->kind == AST_LITERAL && value->value.type == type;
}

static void read_duration(struct reading *rd, const struct setting *s)
{
    if (is_literal(s->value, VALUE_DURATION))
        take_number(rd, s);
    else
        refuse(rd, s, "a duration", "such as `500ms`, `30s` or `1h30m`");
}

static void read_size(struct reading *rd, const struct setting *s)
{
    if (is_literal(s->value, VALUE_INT) && s->value->literal_form == AST_FORM_SIZE)
        take_number(rd, s);
    else
        refuse(rd, s, "a size", "such as `64KiB`, `16MiB` or `4GiB`");
}

static void read_count(struct reading *rd, const struct setting *s)
{
    if (is_literal(s->value, VALUE_INT) && s->value->literal_form == AST_FORM_PLAIN)
        take_number(rd, s);
    else
        refuse(rd, s, "a whole number", NULL);
}

/* ---- words ----------------------------------------------------------------------------------- */

/* A word that stands alone; NULL if the value is none. */
static const char *word_of(const struct ast_expr *value)
{
    if (value->kind != AST_PATH || value->n_parts != 1 || !value->part[0].name || value->index)
        return NULL;
    return value->part[0].name;
}

static void read_shards(struct reading *rd, const struct setting *s)
{
    const char *word = word_of(s->value);
    bool number = is_literal(s->value, VALUE_INT);

    if ((word && strcmp(word, "auto") == 0) || (number && s->value->value.u.i == 1))
        set_number(s, 1);
    else if (number && s->value->value.u.i > 1)
        refuse(rd, s, "`auto` or 1 in this version", "more than one come with a later version");
    else
        refuse(rd, s, "`auto` or 1", NULL);
}

static void read_flag(struct reading *rd, const struct setting *s)
{
    bool *flag = field_of(s);

    if (is_literal(s->value, VALUE_BOOL))
        *flag = s->value->value.u.b;
    else
        refuse(rd, s, "`true` or `false`", NULL);
}

static void read_word(struct reading *rd, const struct setting *s)
{
    const char *first = s->option->words, *second = strchr(first, '|') + 2;
    size_t len = (size_t)(second - first) - 3;
    const char *word = word_of(s->value);
    bool *flag = field_of(s);

    if (word && strcmp(word, second) == 0)
        *flag = true;
    else if (word && strlen(word) == len && memcmp(word, first, len) == 0)
        *flag = false;
    else
        diag_add(rd->diag, DIAG_ERROR, s->value->span, "`%s` is `%.*s` or `%s`", s->option->key,
                 (int)len, first, second);
}

static void read_sink(struct reading *rd, const struct setting *s)
{
    const char *word = word_of(s->value);
    char **name = field_of(s);

    if (word)
        *name = mem_strndup(word, strlen(word));
    else
        refuse(rd, s, "the name of a sink", NULL);
}

/* ---- fields, formats ------------------------------------------------------------------------- */

/* "a.b.c" of a path; NULL with an index in it. */
static char *dotted(const struct ast_expr *path)
{
    struct buf b;

    buf_init(&b);
    for (uint32_t i = 0; i < path->n_parts; i++) {
        if (!path->part[i].name) {
            buf_fini(&b);
            return NULL;
        }
        buf_printf(&b, "%s%s", i ? "." : "", path->part[i].name);
    }
    return buf_take(&b);
}

static bool is_field(const char *text)
{
    size_t len = strlen(text), dots = 0;

    for (size_t i = 0; i < len; i++)
        dots += text[i] == '.';
    return len > 0 && text[0] != '.' && text[len - 1] != '.' && !strstr(text, "..") &&
           dots < SCHEMA_MAX_PARTS;
}

static void read_field(struct reading *rd, const struct setting *s)
{
    const struct ast_expr *v = s->value;
    char **field = field_of(s);
    char *text = NULL;

    if (v->kind == AST_PATH && !v->index)
        text = dotted(v);
    else if (is_literal(v, VALUE_TEXT) && !memchr(v->value.u.text, '\0', v->value.len))
        text = mem_strndup(v->value.u.text, v->value.len);
    if (text && is_field(text)) {
        *field = text;
        return;
    }
    mem_free(text);
    refuse(rd, s, "a field", "such as `timestamp` or `event.created`, without `[ ]`");
}

static void read_time(struct reading *rd, const struct setting *s)
{
    struct config_source *source = s->block;
    const char *word = word_of(s->value);
    bool bare = word && !s->value->part_quoted[0];

    if (bare && strcmp(word, "arrival") == 0)
        source->time_arrival = true;
    else if (bare && strcmp(word, "record") == 0)
        refuse(rd, s, "`record` only for sources of kafka, which come with a later version",
               "for a field of this name write it in back quotes: `record`");
    else
        read_field(rd, s);
}

static void add_format(struct reading *rd, const struct setting *s, const struct ast_expr *value)
{
    const char *word = word_of(value);
    size_t len = word ? strlen(word) : value->value.len;
    unsigned *formats = field_of(s);
    enum time_format format;

    if (!word && is_literal(value, VALUE_TEXT))
        word = value->value.u.text;
    if (word && time_format_named(word, len, &format)) {
        *formats |= (unsigned)format;
        return;
    }
    diag_add(rd->diag, DIAG_ERROR, value->span, "unknown time format");
    diag_hint(rd->diag, "there are: %s", time_format_names());
}

static void read_formats(struct reading *rd, const struct setting *s)
{
    if (s->value->kind != AST_LIST) {
        add_format(rd, s, s->value);
        return;
    }
    for (uint32_t i = 0; i < s->value->n_args; i++)
        add_format(rd, s, s->value->args[i]);
    if (s->value->n_args == 0)
        refuse(rd, s, "an empty list", NULL);
}

/* ---- paths ----------------------------------------------------------------------------------- */

static void read_path(struct reading *rd, const struct setting *s)
{
    char **field = field_of(s);
    char *path = config_path(rd, s->option->key, s->value, false);

    if (!path)
        return;
    mem_free(*field);
    *field = path;
}

static void add_pattern(struct reading *rd, const struct setting *s, const struct ast_expr *value)
{
    struct config_source *source = s->block;
    char *path = config_path(rd, s->option->key, value, true);

    if (path)
        source->path[source->n_paths++] = path;
}

static void read_paths(struct reading *rd, const struct setting *s)
{
    struct config_source *source = s->block;
    uint32_t n = s->value->kind == AST_LIST ? s->value->n_args : 1;

    if (n == 0 || n > CONFIG_MAX_PATTERNS) {
        refuse(rd, s, n == 0 ? "an empty list" : "a list of more than 10000", NULL);
        return;
    }
    source->path = mem_calloc(n, sizeof *source->path);
    if (s->value->kind != AST_LIST)
        add_pattern(rd, s, s->value);
    else
        for (uint32_t i = 0; i < n; i++)
            add_pattern(rd, s, s->value->args[i]);
}

/* ---- one entry of a block -------------------------------------------------------------------- */

static void read_value(struct reading *rd, const struct setting *s)
{
    switch (s->option->type) {
    case CONFIG_TYPE_DURATION: read_duration(rd, s); break;
    case CONFIG_TYPE_SIZE: read_size(rd, s); break;
    case CONFIG_TYPE_COUNT: read_count(rd, s); break;
    case CONFIG_TYPE_SHARDS: read_shards(rd, s); break;
    case CONFIG_TYPE_FLAG: read_flag(rd, s); break;
    case CONFIG_TYPE_WORD: read_word(rd, s); break;
    case CONFIG_TYPE_PATH: read_path(rd, s); break;
    case CONFIG_TYPE_PATHS: read_paths(rd, s); break;
    case CONFIG_TYPE_FIELD: read_field(rd, s); break;
    case CONFIG_TYPE_TIME: read_time(rd, s); break;
    case CONFIG_TYPE_FORMATS: read_formats(rd, s); break;
    case CONFIG_TYPE_SINK: read_sink(rd, s); break;
    case CONFIG_TYPE_BLOCK: break;
    }
}

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

static const struct config_later *find_later(enum config_of of, const char *key)
{
    for (int i = 0; i < CONFIG_LATER_COUNT; i++)
        if (config_laters[i].of == of && strcmp(config_laters[i].key, key) == 0)
            return &config_laters[i];
    return NULL;
}

static const char *works_today(enum config_of of)
{
    return of == CONFIG_OF_source ? "today a source reads `file` or `stdin`"
                                  : "today a sink writes to a `file` or to `stdout`";
}

static void refuse_later(struct reading *rd, struct config_block *block, enum config_of of,
                         const struct ast_config *entry, const struct config_later *later)
{
    if (!block->later) {
        diag_add(rd->diag, DIAG_ERROR, entry->key_span, "%s come with a later version",
                 later->what);
        diag_hint(rd->diag, "%s", works_today(of));
    }
    block->later = true;
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

static void unknown_key(struct reading *rd, enum config_of of, const struct ast_config *entry,
                        const char *key)
{
    const char *elsewhere = NULL;
    struct suggest s;

    diag_add(rd->diag, DIAG_ERROR, entry->key_span, "`%s` is no key of %s %s", key,
             of == CONFIG_OF_engine ? "the" : "a", config_block_name(of));
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
                       const struct ast_config *entry, void *to)
{
    char key[128];

    key_text(entry, key, sizeof key);
    const struct config_later *later = find_later(of, key);
    if (later) {
        refuse_later(rd, block, of, entry, later);
        return;
    }
    int number = find_option(of, key);
    if (number < 0) {
        unknown_key(rd, of, entry, key);
        return;
    }
    struct setting s = {&config_options[number], entry->value, to};
    if (block->given[number].end != 0) {
        diag_add(rd->diag, DIAG_ERROR, entry->key_span, "`%s` is given twice", key);
        diag_hint(rd->diag, s.option->type == CONFIG_TYPE_PATHS ? "write a list: file [\"a\", \"b\"]"
                                                                : "take one of them away");
        return;
    }
    block->given[number] = entry->value ? entry->value->span : entry->key_span;
    if (s.option->type == CONFIG_TYPE_BLOCK) {
        read_block_entry(rd, s.option, entry);
    } else if (!entry->value) {
        diag_add(rd->diag, DIAG_ERROR, entry->key_span, "`%s` has a value, no block", key);
        diag_hint(rd->diag, "write %s %s", key, config_type_text(s.option));
    } else {
        read_value(rd, &s);
    }
}

/* ---- blocks ---------------------------------------------------------------------------------- */

void config_set_defaults(struct config *config, enum config_of of, void *to)
{
    for (int i = 0; i < CONFIG_OPTION_COUNT; i++) {
        const struct config_option *o = &config_options[i];
        struct setting s = {o, NULL, to};
        if (config_block_of(o->of) != of)
            continue;
        if (o->initial_text)
            *(char **)field_of(&s) = config_join(config->dir, o->initial_text, false);
        else if (o->type == CONFIG_TYPE_FLAG)
            *(bool *)field_of(&s) = o->initial != 0;
        else if (o->initial)
            set_number(&s, o->initial);
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
    return sink;
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

static void refuse_block(struct reading *rd, const struct ast_config_decl *decl)
{
    bool http = decl->kind == AST_HTTP;

    const char *what = http ? "http" : "route";
    struct span word = decl->span;

    word.end = word.start + (uint32_t)strlen(what);
    diag_add(rd->diag, DIAG_ERROR, word, "`%s` comes with a later version", what);
    diag_hint(rd->diag, http ? "today events come from `file` and `stdin`"
                             : "today a rule says `to [sink]`, and `default_to` is for all others");
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
    case AST_ROUTE: refuse_block(rd, decl); break;
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
