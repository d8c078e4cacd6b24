// SPDX-License-Identifier: Apache-2.0
/* resolve_table_kafka - the block of a table that is read from a topic; its source, which nobody declares. */
#include <string.h>

#include "base/arena.h"
#include "base/buf.h"
#include "base/diag.h"
#include "lang/resolve_priv.h"
#include "lang/table_kafka.h"

enum { MOST_BROKERS = 100, MOST_OPTIONS = 200 };
#define DAY (INT64_C(86400) * 1000000000)

static const struct {
    const char *key, *doc;
} keys[] = {
#define TABLE_KAFKA(id, key, value, doc) {key, doc},
#include "lang/table_kafka.def"
#undef TABLE_KAFKA
};

void table_kafka_markdown(struct buf *out)
{
    buf_adds(out, "| key | |\n|---|---|\n");
    for (int i = 0; i < TABLE_KAFKA_COUNT; i++)
        buf_printf(out, "| `%s` | %s |\n", keys[i].key, keys[i].doc);
}

/* One block that is being read. */
struct block {
    struct resolver *r;
    const struct ast_table *decl;
    bool confined;
    struct table_kafka *to;
    struct span given[TABLE_KAFKA_COUNT]; /* of the key; end 0: not given */
};

/* ---- values ---------------------------------------------------------------------------------- */

static const char *word_of(const struct ast_expr *value)
{
    bool is_word = value->kind == AST_PATH && value->n_parts == 1 && value->part[0].name != NULL &&
                   value->index == NULL;
    return is_word ? value->part[0].name : NULL;
}

static bool is_any_text(const struct ast_expr *value)
{
    return value->kind == AST_LITERAL && value->value.type == VALUE_TEXT;
}

static bool is_plain_text(const struct ast_expr *value)
{
    return is_any_text(value) && value->value.len > 0 &&
           memchr(value->value.u.text, '\0', value->value.len) == NULL;
}

static const char *copy_text(struct block *b, const struct ast_expr *value)
{
    return arena_strndup(b->r->arena, value->value.u.text, value->value.len);
}

/* env("NAME"), file("path"): where a secret is. False: it is no such call, or told to be wrong. */
static bool read_call(struct block *b, const struct ast_expr *value, struct table_kafka_setting *to)
{
    struct diag *diag = b->r->diag;
    bool env = strcmp(value->name.text, "env") == 0;
    if (!env && strcmp(value->name.text, "file") != 0) {
        diag_add(diag, DIAG_ERROR, value->span, "a text is wanted here, or env(\"NAME\") or file(\"path\")");
        return false;
    }
    if (value->n_args != 1 || !is_plain_text(value->args[0])) {
        diag_add(diag, DIAG_ERROR, value->span, "`%s` takes one text", value->name.text);
        diag_hint(diag, env ? "write env(\"NAME\")" : "write file(\"path\")");
        return false;
    }
    const char *text = copy_text(b, value->args[0]);
    struct ast_name file = {.text = text, .len = (uint32_t)strlen(text), .span = value->args[0]->span};
    to->from = env ? TABLE_KAFKA_ENV : TABLE_KAFKA_FILE;
    to->text = env ? text : resolve_beside(b->r, &file);
    return true;
}

static bool read_setting(struct block *b, const char *key, const struct ast_expr *value,
                         struct table_kafka_setting *to)
{
    *to = (struct table_kafka_setting){.span = value->span};
    if (value->kind == AST_CALL && value->n_parts == 0)
        return read_call(b, value, to);
    if (is_any_text(value) && !is_plain_text(value)) {
        diag_add(b->r->diag, DIAG_ERROR, value->span,
                 value->value.len == 0 ? "`%s` is empty" : "`%s` may not hold a NUL character", key);
        return false;
    }
    if (!is_any_text(value)) {
        diag_add(b->r->diag, DIAG_ERROR, value->span, "`%s` is a text", key);
        diag_hint(b->r->diag, value->kind == AST_PATH ? "put it in quotes"
                                                      : "write \"...\", or env(\"NAME\"), or file(\"path\")");
        return false;
    }
    to->text = copy_text(b, value);
    return true;
}

static void read_brokers(struct block *b, const struct ast_expr *value)
{
    uint32_t n = value->kind == AST_LIST ? value->n_args : 1;
    if (n == 0 || n > MOST_BROKERS) {
        diag_add(b->r->diag, DIAG_ERROR, value->span, n == 0 ? "no broker is named" : "too many brokers");
        return;
    }
    struct table_kafka_setting *broker = arena_alloc(b->r->arena, n * sizeof *broker);
    for (uint32_t i = 0; i < n; i++)
        if (read_setting(b, "brokers", value->kind == AST_LIST ? value->args[i] : value,
                         &broker[b->to->n_brokers]))
            b->to->n_brokers++;
    b->to->broker = broker;
}

/* A word of two: is it the second? */
static void read_choice(struct block *b, const char *key, const struct ast_expr *value, const char *first,
                        const char *second, bool *to)
{
    const char *word = word_of(value);
    if (word != NULL && (strcmp(word, first) == 0 || strcmp(word, second) == 0))
        *to = strcmp(word, second) == 0;
    else
        diag_add(b->r->diag, DIAG_ERROR, value->span, "`%s` is `%s` or `%s`", key, first, second);
}

/* ---- options --------------------------------------------------------------------------------- */

static const char *option_name(struct block *b, const struct ast_config *entry)
{
    struct buf name;
    buf_init(&name);
    buf_adds(&name, "");
    for (uint32_t i = 0; i < entry->n_key; i++)
        buf_printf(&name, "%s%s", i > 0 ? "." : "", entry->key[i].name != NULL ? entry->key[i].name : "");
    const char *text = arena_strndup(b->r->arena, name.data, name.len);
    buf_fini(&name);
    return text;
}

/* Numbers and words stand for themselves. */
static bool read_option_value(struct block *b, const char *name, const struct ast_expr *value,
                              struct table_kafka_setting *to)
{
    struct buf text;
    const char *word = word_of(value);
    *to = (struct table_kafka_setting){.text = word, .span = value->span};
    if (word != NULL)
        return true;
    if (value->kind != AST_LITERAL || value->value.type == VALUE_TEXT)
        return read_setting(b, name, value, to);
    buf_init(&text);
    if (value->value.type == VALUE_INT && value->literal_form == AST_FORM_PLAIN)
        buf_add_int(&text, value->value.u.i);
    else if (value->value.type == VALUE_BOOL)
        buf_adds(&text, value->value.u.b ? "true" : "false");
    else if (value->value.type == VALUE_DOUBLE)
        buf_add_double(&text, value->value.u.d);
    else
        diag_add(b->r->diag, DIAG_ERROR, value->span,
                 "an option of a Kafka client is a text, a number or a word, without a unit");
    if (text.len > 0)
        to->text = arena_strndup(b->r->arena, text.data, text.len);
    buf_fini(&text);
    return to->text != NULL;
}

static bool has_option(const struct table_kafka *kafka, const struct table_kafka_option *option,
                       const char *name)
{
    bool has = false;
    for (uint32_t i = 0; i < kafka->n_options; i++)
        has |= strcmp(option[i].name, name) == 0;
    return has;
}

static void read_options(struct block *b, const struct ast_config *entry)
{
    uint32_t n = 0;
    for (const struct ast_config *in = entry->block; in != NULL; in = in->next)
        n++;
    if (n > MOST_OPTIONS) {
        diag_add(b->r->diag, DIAG_ERROR, entry->key_span, "more than %d options", (int)MOST_OPTIONS);
        return;
    }
    struct table_kafka_option *option = arena_alloc(b->r->arena, (n + 1) * sizeof *option);
    for (const struct ast_config *in = entry->block; in != NULL; in = in->next) {
        struct table_kafka_option one = {.name = option_name(b, in), .span = in->key_span};
        if (in->value == NULL)
            diag_add(b->r->diag, DIAG_ERROR, in->key_span, "an option has a value, no block");
        else if (has_option(b->to, option, one.name))
            diag_add(b->r->diag, DIAG_ERROR, in->key_span, "the option `%s` is given twice", one.name);
        else if (read_option_value(b, one.name, in->value, &one.value))
            option[b->to->n_options++] = one;
    }
    b->to->option = option;
}

/* ---- entries --------------------------------------------------------------------------------- */

static void unknown_key(struct block *b, const struct ast_config *entry, const char *key)
{
    struct buf all;
    struct suggest s;
    diag_add(b->r->diag, DIAG_ERROR, entry->key_span, "`%s` is no key of a table from Kafka", key);
    suggest_init(&s, key);
    for (int i = 0; i < TABLE_KAFKA_COUNT; i++)
        suggest_try(&s, keys[i].key);
    if (strcmp(key, "topics") == 0)
        diag_hint(b->r->diag, "a table is one topic: topic \"...\"");
    if (strcmp(key, "topics") == 0 || resolve_did_you_mean(b->r, &s))
        return;
    buf_init(&all);
    for (int i = 0; i < TABLE_KAFKA_COUNT; i++)
        buf_printf(&all, "%s %s", i > 0 ? "," : "", keys[i].key);
    diag_hint(b->r->diag, "there are:%s", all.data);
    buf_fini(&all);
}

static void read_value(struct block *b, enum table_kafka_id id, const struct ast_config *entry)
{
    const char *key = keys[id].key;
    switch (id) {
    case TABLE_KAFKA_topic:
        read_setting(b, key, entry->value, &b->to->topic);
        break;
    case TABLE_KAFKA_source:
        b->to->source = (struct table_kafka_setting){.text = word_of(entry->value), .span = entry->value->span};
        if (b->to->source.text == NULL)
            diag_add(b->r->diag, DIAG_ERROR, entry->value->span, "`source` is the name of a source");
        break;
    case TABLE_KAFKA_brokers:
        read_brokers(b, entry->value);
        break;
    case TABLE_KAFKA_on_reset:
        read_choice(b, key, entry->value, "reread", "fail", &b->to->fails);
        break;
    case TABLE_KAFKA_reread_after:
        if (!resolve_duration(b->r, entry->value, key))
            break;
        b->to->reread_after = entry->value->value.u.i;
        if (b->to->reread_after == 0) {
            diag_add(b->r->diag, DIAG_ERROR, entry->value->span, "`%s` must be more than 0", key);
            diag_hint(b->r->diag, "so long as Kafka remembers which rows were deleted: the topic's `delete.retention.ms`");
        }
        break;
    case TABLE_KAFKA_as_of:
        read_choice(b, key, entry->value, "record", "latest", &b->to->latest);
        break;
    case TABLE_KAFKA_options:
    case TABLE_KAFKA_COUNT:
        break;
    }
}

static void read_entry(struct block *b, const struct ast_config *entry)
{
    const char *key = option_name(b, entry);
    int id = 0;
    while (id < TABLE_KAFKA_COUNT && strcmp(keys[id].key, key) != 0)
        id++;
    if (id == TABLE_KAFKA_COUNT) {
        unknown_key(b, entry, key);
        return;
    }
    if (b->given[id].end != 0) {
        diag_add(b->r->diag, DIAG_ERROR, entry->key_span, "`%s` is given twice", key);
        return;
    }
    b->given[id] = entry->key_span;
    if (id == TABLE_KAFKA_options && entry->has_block)
        read_options(b, entry);
    else if (id == TABLE_KAFKA_options)
        diag_add(b->r->diag, DIAG_ERROR, entry->key_span, "`options` has keys, no value");
    else if (entry->value == NULL)
        diag_add(b->r->diag, DIAG_ERROR, entry->key_span, "`%s` has a value, no block", key);
    else
        read_value(b, (enum table_kafka_id)id, entry);
}

/* ---- what must fit together -------------------------------------------------------------------- */

static void refuse_beside(struct block *b, enum table_kafka_id id, const char *why, const char *hint)
{
    if (b->given[id].end == 0)
        return;
    diag_add(b->r->diag, DIAG_ERROR, b->given[id], "%s", why);
    diag_hint(b->r->diag, "%s", hint);
}

static void check_block(struct block *b)
{
    static const char theirs[] = "brokers and options are the source's";
    static const char remote[] = "a module that came over the network names no brokers and reads no secrets";
    struct diag *diag = b->r->diag;
    if (b->given[TABLE_KAFKA_topic].end == 0) {
        diag_add(diag, DIAG_ERROR, b->decl->span, "the table `%s` reads no topic", b->decl->name.text);
        diag_hint(diag, "add `topic \"...\"`");
    }
    if (b->given[TABLE_KAFKA_source].end != 0) {
        refuse_beside(b, TABLE_KAFKA_brokers, "`brokers` beside `source`", theirs);
        refuse_beside(b, TABLE_KAFKA_options, "`options` beside `source`", theirs);
    } else if (b->confined) {
        diag_add(diag, DIAG_ERROR, b->decl->span, "%s", remote);
        diag_hint(diag, "`source NAME` takes those of a source of the configuration");
    } else if (b->given[TABLE_KAFKA_brokers].end == 0) {
        diag_add(diag, DIAG_ERROR, b->decl->span, "the table `%s` has no `brokers`", b->decl->name.text);
        diag_hint(diag, "add `brokers \"127.0.0.1:9092\"`, or `source NAME`: those of a source of the "
                        "configuration");
    }
    if (b->confined && b->to->topic.from != TABLE_KAFKA_TEXT)
        diag_add(diag, DIAG_ERROR, b->to->topic.span, "%s", remote);
}

/* `table t`: no source that is declared has a blank in its name. */
static uint32_t add_source(struct resolver *r, const struct ast_table *decl)
{
    size_t size = strlen(decl->name.text) + sizeof LANG_TABLE_SOURCE;
    char *name = arena_alloc(r->arena, size);
    memcpy(name, LANG_TABLE_SOURCE, sizeof LANG_TABLE_SOURCE - 1);
    memcpy(name + sizeof LANG_TABLE_SOURCE - 1, decl->name.text, strlen(decl->name.text) + 1);
    return resolve_add_table_source(r, name, decl->name.span);
}

static const char *const known[] = {"key", "topic", "partition", "offset", "timestamp", "headers"};
enum { N_KNOWN = sizeof known / sizeof *known };

/* Which of them a path names: N_KNOWN: none. */
static size_t find_known(const struct path_part *part)
{
    size_t i = 0;
    while (i < N_KNOWN && (part->name == NULL || strcmp(known[i], part->name) != 0))
        i++;
    return i;
}

bool resolve_row_check(struct resolver *r, struct span span, const struct path_part *part, uint32_t n)
{
    struct suggest s;
    if (n == 0 || part[0].name == NULL || strcmp(part[0].name, "@kafka") != 0)
        return true;
    size_t at = n > 1 ? find_known(&part[1]) : N_KNOWN;
    bool headers = at < N_KNOWN && strcmp(known[at], "headers") == 0;
    if (at < N_KNOWN && n == (headers ? 3 : 2))
        return true;
    diag_add(r->diag, DIAG_ERROR, span, "no record has a value `%s`", resolve_path_plain(r, part, n));
    if (headers) {
        diag_hint(r->diag, "a header is `@kafka.headers.NAME`");
        return false;
    }
    suggest_init(&s, n > 1 && part[1].name != NULL ? part[1].name : "");
    for (size_t i = 0; i < N_KNOWN; i++)
        suggest_try(&s, known[i]);
    if (n == 2 && suggest_result(&s) != NULL)
        diag_hint(r->diag, "did you mean `@kafka.%s`?", suggest_result(&s));
    else
        diag_hint(r->diag, "the key of the record is `@kafka.key`; there are topic, partition, offset, timestamp and "
                           "headers.NAME too");
    return false;
}

const struct path_part *resolve_row_part(struct resolver *r, const struct path_part *part, uint32_t n)
{
    if (n == 0 || part->name == NULL || strcmp(part->name, "@kafka") != 0)
        return part;
    struct path_part *own = arena_memdup(r->arena, part, n * sizeof *part);
    own[0] = (struct path_part){.name = "@row", .len = 4};
    return own;
}

static struct ast_expr *known_of_record(struct resolver *r, const struct lang_table *table, const char *what)
{
    struct scope sc = {.r = r, .kind = SCOPE_STREAM, .stream = &table->stream, .n_streams = 1};
    struct path_part *part = arena_alloc(r->arena, 2 * sizeof *part);
    part[0] = (struct path_part){.name = "@row", .len = 4};
    part[1] = (struct path_part){.name = what, .len = (uint32_t)strlen(what)};
    struct ast_expr *path = ast_path(r->arena, table->decl->span, part, NULL, 2);
    resolve_expr(&sc, path);
    return path;
}

void resolve_table_kafka(struct resolver *r, struct lang_table *table)
{
    struct table_kafka *kafka = arena_alloc(r->arena, sizeof *kafka);
    size_t before = diag_errors(r->diag);
    struct block b = {.r = r, .decl = table->decl, .to = kafka,
                      .confined = resolve_is_confined(r, table->decl->span.file)};
    struct ast_name nothing = {.text = "", .span = table->decl->span};
    *kafka = (struct table_kafka){.reread_after = DAY, .dir = resolve_beside(r, &nothing)};
    for (const struct ast_config *entry = table->decl->kafka; entry != NULL; entry = entry->next)
        read_entry(&b, entry);
    check_block(&b);
    kafka->options = b.given[b.given[TABLE_KAFKA_options].end != 0 ? TABLE_KAFKA_options : TABLE_KAFKA_brokers];
    if (r->opt != NULL && r->opt->check_kafka != NULL && diag_errors(r->diag) == before)
        r->opt->check_kafka(r->opt->check_kafka_ctx, kafka, r->diag);
    table->kafka = kafka;
    table->stream = add_source(r, table->decl);
    r->used[table->stream] = true;
    table->row = known_of_record(r, table, "id");
    table->deleted = known_of_record(r, table, "deleted");
}
