// SPDX-License-Identifier: Apache-2.0
/* The values of a configuration by their types: numbers, words, fields, paths. */
#include "config/setting.h"

#include <assert.h>
#include <string.h>

#include "base/buf.h"
#include "base/mem.h"
#include "event/time_format.h"

void *setting_field(const struct setting *s)
{
    return (char *)s->block + s->option->offset;
}

void setting_refuse(struct reading *rd, const struct setting *s, const char *is, const char *hint)
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

void setting_set_number(const struct setting *s, int64_t n)
{
    uint64_t u64 = (uint64_t)n;
    uint32_t u32 = (uint32_t)n;

    assert(s->option->size == sizeof u64 || s->option->size == sizeof u32);
    if (s->option->size == sizeof u64)
        memcpy(setting_field(s), &u64, sizeof u64);
    else
        memcpy(setting_field(s), &u32, sizeof u32);
}

static void take_number(struct reading *rd, const struct setting *s)
{
    const struct config_option *o = s->option;
    int64_t n = s->value->value.u.i;
    struct buf amount;

    if (n >= o->least && n <= o->most) {
        setting_set_number(s, n);
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
        setting_refuse(rd, s, "a duration", "such as `500ms`, `30s` or `1h30m`");
}

static void read_size(struct reading *rd, const struct setting *s)
{
    if (is_literal(s->value, VALUE_INT) && s->value->literal_form == AST_FORM_SIZE)
        take_number(rd, s);
    else
        setting_refuse(rd, s, "a size", "such as `64KiB`, `16MiB` or `4GiB`");
}

static void read_count(struct reading *rd, const struct setting *s)
{
    if (is_literal(s->value, VALUE_INT) && s->value->literal_form == AST_FORM_PLAIN)
        take_number(rd, s);
    else
        setting_refuse(rd, s, "a whole number", NULL);
}

/* ---- words ----------------------------------------------------------------------------------- */

const char *setting_word(const struct ast_expr *value)
{
    if (value->kind != AST_PATH || value->n_parts != 1 || !value->part[0].name || value->index)
        return NULL;
    return value->part[0].name;
}

static void read_shards(struct reading *rd, const struct setting *s)
{
    const char *word = setting_word(s->value);
    bool number = is_literal(s->value, VALUE_INT);

    if ((word && strcmp(word, "auto") == 0) || (number && s->value->value.u.i == 1))
        setting_set_number(s, 1);
    else if (number && s->value->value.u.i > 1)
        setting_refuse(rd, s, "`auto` or 1 in this version", "more than one come with a later version");
    else
        setting_refuse(rd, s, "`auto` or 1", NULL);
}

static void read_flag(struct reading *rd, const struct setting *s)
{
    bool *flag = setting_field(s);

    if (is_literal(s->value, VALUE_BOOL))
        *flag = s->value->value.u.b;
    else
        setting_refuse(rd, s, "`true` or `false`", NULL);
}

static void read_word(struct reading *rd, const struct setting *s)
{
    const char *first = s->option->words, *second = strchr(first, '|') + 2;
    size_t len = (size_t)(second - first) - 3;
    const char *word = setting_word(s->value);
    bool *flag = setting_field(s);

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
    const char *word = setting_word(s->value);
    char **name = setting_field(s);

    if (word)
        *name = mem_strndup(word, strlen(word));
    else
        setting_refuse(rd, s, "the name of a sink", NULL);
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
    char **field = setting_field(s);
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
    setting_refuse(rd, s, "a field", "such as `timestamp` or `event.created`, without `[ ]`");
}

static void read_time(struct reading *rd, const struct setting *s)
{
    struct config_source *source = s->block;
    const char *word = setting_word(s->value);
    bool bare = word && !s->value->part_quoted[0];

    if (bare && strcmp(word, "arrival") == 0)
        source->time_arrival = true;
    else if (bare && strcmp(word, "record") == 0)
        source->time_record = true;
    else
        read_field(rd, s);
}

static void add_format(struct reading *rd, const struct setting *s, const struct ast_expr *value)
{
    const char *word = setting_word(value);
    size_t len = word ? strlen(word) : value->value.len;
    unsigned *formats = setting_field(s);
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
        setting_refuse(rd, s, "an empty list", NULL);
}

/* ---- paths ----------------------------------------------------------------------------------- */

static void read_path(struct reading *rd, const struct setting *s)
{
    char **field = setting_field(s);
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
        setting_refuse(rd, s, n == 0 ? "an empty list" : "a list of more than 10000", NULL);
        return;
    }
    source->path = mem_calloc(n, sizeof *source->path);
    if (s->value->kind != AST_LIST)
        add_pattern(rd, s, s->value);
    else
        for (uint32_t i = 0; i < n; i++)
            add_pattern(rd, s, s->value->args[i]);
}
/* ---- texts, lists ---------------------------------------------------------------------------- */

static void read_text(struct reading *rd, const struct setting *s)
{
    char **field = setting_field(s);
    bool tokens = s->option == &config_options[CONFIG_OPTION_http_tokens];
    char *text = tokens ? config_secret_text(rd, s->option->key, s->value, "not read")
                        : config_text(rd, s->option->key, s->value);

    if (text && !*text) {
        setting_refuse(rd, s, "empty", NULL);
        mem_free(text);
    } else if (text) {
        mem_free(*field);
        *field = text;
    }
}

void setting_each(struct reading *rd, const struct setting *s, uint32_t most,
                  void (*take)(struct reading *rd, const struct setting *s,
                               const struct ast_expr *value))
{
    uint32_t n = s->value->kind == AST_LIST ? s->value->n_args : 1;

    if (s->value->kind != AST_LIST)
        take(rd, s, s->value);
    else if (n == 0)
        setting_refuse(rd, s, "an empty list", "take it away, or say what");
    else if (n > most)
        diag_add(rd->diag, DIAG_ERROR, s->value->span, "`%s` has more than %u entries",
                 s->option->key, most);
    else
        for (uint32_t i = 0; i < n; i++)
            take(rd, s, s->value->args[i]);
}

void setting_add_text(const struct setting *s, char *text)
{
    struct config_texts *list = setting_field(s);

    list->text = mem_realloc(list->text, (list->n + 1) * sizeof *list->text);
    list->text[list->n++] = text;
}

static void take_text(struct reading *rd, const struct setting *s, const struct ast_expr *value)
{
    char *text = config_text(rd, s->option->key, value);

    if (text && *text) {
        setting_add_text(s, text);
    } else if (text) {
        diag_add(rd->diag, DIAG_ERROR, value->span, "an empty text");
        mem_free(text);
    }
}

/* A list of texts that are not empty, config_texts. */
static void setting_read_texts(struct reading *rd, const struct setting *s)
{
    setting_each(rd, s, 1000, take_text);
}

/* ---- by type --------------------------------------------------------------------------------- */

void setting_read(struct reading *rd, const struct setting *s)
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
    case CONFIG_TYPE_TEXT: read_text(rd, s); break;
    case CONFIG_TYPE_URL: webhook_read_url(rd, s); break;
    case CONFIG_TYPE_PROXY: webhook_read_proxy(rd, s); break;
    case CONFIG_TYPE_SECRET: webhook_read_secret(rd, s); break;
    case CONFIG_TYPE_SECRETS: webhook_read_secrets(rd, s); break;
    case CONFIG_TYPE_BODY: webhook_read_body(rd, s); break;
    case CONFIG_TYPE_TLS_VERSION: webhook_read_tls_version(rd, s); break;
    case CONFIG_TYPE_NETWORKS: webhook_read_networks(rd, s); break;
    case CONFIG_TYPE_SEVERITIES: route_read_severities(rd, s); break;
    case CONFIG_TYPE_PATTERNS: route_read_patterns(rd, s); break;
    case CONFIG_TYPE_SINKS: route_read_sinks(rd, s); break;
    case CONFIG_TYPE_WINDOWS: route_read_windows(rd, s); break;
    case CONFIG_TYPE_TEXTS: setting_read_texts(rd, s); break;
    case CONFIG_TYPE_BROKERS: kafka_read_brokers(rd, s); break;
    case CONFIG_TYPE_START: kafka_read_start(rd, s); break;
    case CONFIG_TYPE_RESET: kafka_read_reset(rd, s); break;
    case CONFIG_TYPE_PROPERTIES:
    case CONFIG_TYPE_HEADERS: /* block.c: they have no value */
    case CONFIG_TYPE_KEYS:
    case CONFIG_TYPE_BLOCK: break;
    }
}
