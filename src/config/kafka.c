// SPDX-License-Identifier: Apache-2.0
/* What the blocks `kafka` of sources and sinks say, and `rules_topic`. No message holds what an option's value is. */
#include <string.h>
#include <strings.h>

#include "base/buf.h"
#include "base/mem.h"
#include "base/regex.h"
#include "config/setting.h"
#include "event/time_format.h"
#include "io/sink_kafka.h"

enum { MAX_OPTIONS = 200, MAX_BROKERS = 100, MAX_TOPIC = 249 };

/* ---- brokers ----------------------------------------------------------------------------------- */

static void take_broker(struct reading *rd, const struct setting *s, const struct ast_expr *value)
{
    char **field = setting_field(s), *text = config_text(rd, s->option->key, value);
    struct buf all, why;

    if (!text)
        return;
    buf_init(&why);
    if (kafka_brokers_check(text, &why)) {
        buf_init(&all);
        buf_printf(&all, "%s%s%s", *field ? *field : "", *field ? "," : "", text);
        mem_free(*field);
        *field = buf_take(&all);
    } else {
        diag_add(rd->diag, DIAG_ERROR, value->span, "%s", why.data);
        diag_hint(rd->diag, "such as \"kafka1.example:9092\", or a list of some");
    }
    mem_free(text);
    buf_fini(&why);
}

void kafka_read_brokers(struct reading *rd, const struct setting *s)
{
    setting_each(rd, s, MAX_BROKERS, take_broker);
}

/* ---- where reading begins ------------------------------------------------------------------------ */

void kafka_read_start(struct reading *rd, const struct setting *s)
{
    const char *word = setting_word(s->value);
    const struct ast_expr *v = s->value;
    int64_t *start = setting_field(s), time;

    if (word && strcmp(word, "earliest") == 0)
        *start = KAFKA_EARLIEST;
    else if (word && strcmp(word, "latest") == 0)
        *start = KAFKA_LATEST;
    else if (v->kind == AST_LITERAL && v->value.type == VALUE_TEXT &&
             time_read(v->value, TIME_RFC3339 | TIME_DATETIME, 0, &time))
        *start = time;
    else
        setting_refuse(rd, s, "`earliest`, `latest` or a time", "such as \"2026-01-31T00:00:00Z\"");
}

void kafka_read_reset(struct reading *rd, const struct setting *s)
{
    const char *word = setting_word(s->value);
    enum kafka_reset *reset = setting_field(s);

    for (int i = 0; word && i < KAFKA_N_RESETS; i++)
        if (strcmp(word, kafka_reset_word((enum kafka_reset)i)) == 0) {
            *reset = (enum kafka_reset)i;
            return;
        }
    setting_refuse(rd, s, "`fail`, `earliest` or `latest`", NULL);
}

/* ---- options ------------------------------------------------------------------------------------- */

static void option_name(const struct ast_config *entry, struct buf *out)
{
    buf_adds(out, "");
    for (uint32_t i = 0; i < entry->n_key; i++)
        buf_printf(out, "%s%s", i ? "." : "", entry->key[i].name ? entry->key[i].name : "");
}

static bool reads_no_secret(const struct reading *rd, enum kafka_use use)
{
    return rd->no_secrets && !(use == KAFKA_SOURCE && rd->source_secrets);
}

/* Owned; NULL and a diagnostic. */
static char *option_value(struct reading *rd, enum kafka_use use, const char *name, const struct ast_expr *value)
{
    const char *word = setting_word(value);
    struct buf b;

    if (word)
        return mem_strndup(word, strlen(word));
    if (value->kind != AST_LITERAL || value->value.type == VALUE_TEXT)
        return reads_no_secret(rd, use) ? config_secret_text(rd, name, value, "not-read") : config_text(rd, name, value);
    buf_init(&b);
    if (value->value.type == VALUE_INT && value->literal_form == AST_FORM_PLAIN)
        buf_add_int(&b, value->value.u.i);
    else if (value->value.type == VALUE_BOOL)
        buf_adds(&b, value->value.u.b ? "true" : "false");
    else if (value->value.type == VALUE_DOUBLE)
        buf_add_double(&b, value->value.u.d);
    else
        diag_add(rd->diag, DIAG_ERROR, value->span,
                 "an option of a Kafka client is a text, a number or a word, without a unit");
    return b.len ? buf_take(&b) : NULL;
}

static bool is_call(const struct ast_expr *value)
{
    return value->kind == AST_CALL;
}

/* Takes value. */
static void add_option(struct reading *rd, struct config_kafka *kafka, enum kafka_use use,
                       const struct ast_config *entry, const char *name, char *value)
{
    struct kafka_option option = {(char *)(uintptr_t)name, value};
    bool unread = reads_no_secret(rd, use) && is_call(entry->value);
    struct buf why, hint;
    size_t same = 0;

    buf_init(&why);
    buf_init(&hint);
    while (same < kafka->n_options && strcmp(kafka->option[same].name, name) != 0)
        same++;
    if (same < kafka->n_options)
        buf_printf(&why, "the option `%s` is given twice", name);
    else if (kafka->n_options == MAX_OPTIONS)
        buf_printf(&why, "more than %d options", (int)MAX_OPTIONS);
    else if (!unread)
        kafka_option_check(&option, use, &why, &hint);
    if (why.len > 0) {
        diag_add(rd->diag, DIAG_ERROR, entry->key_span, "%s", why.data);
        if (hint.len > 0)
            diag_hint(rd->diag, "%s", hint.data);
        mem_free(value);
    } else {
        kafka->option = mem_realloc(kafka->option, (kafka->n_options + 1) * sizeof *kafka->option);
        kafka->option[kafka->n_options++] = (struct kafka_option){mem_strndup(name, strlen(name)), value};
        if (kafka_is_secret(name) && !is_call(entry->value)) {
            diag_add(rd->diag, DIAG_WARNING, entry->value->span,
                     "a secret stands in the configuration itself");
            diag_hint(rd->diag, "better: env(\"NAME\") or file(\"path\")");
        }
    }
    buf_fini(&why);
    buf_fini(&hint);
}

void kafka_read_properties(struct reading *rd, const struct setting *s)
{
    enum kafka_use use = s->option->of == CONFIG_OF_sink_kafka ? KAFKA_SINK : KAFKA_SOURCE;

    for (const struct ast_config *entry = s->entry->block; entry; entry = entry->next) {
        struct buf name;
        buf_init(&name);
        option_name(entry, &name);
        char *value = entry->value ? option_value(rd, use, name.data, entry->value) : NULL;
        if (value && !(rd->no_secrets && is_call(entry->value)))
            value = kafka_take_file(rd, setting_field(s), name.data, value);
        if (value)
            add_option(rd, setting_field(s), use, entry, name.data, value);
        else if (!entry->value)
            diag_add(rd->diag, DIAG_ERROR, entry->key_span, "an option has a value, no block");
        buf_fini(&name);
    }
}

/* ---- what must fit together ------------------------------------------------------------------------ */

/* Letters, digits, `.`, `_`, `-`: what Kafka allows. */
bool config_is_topic(const char *name)
{
    size_t len = strlen(name);

    return len > 0 && len <= MAX_TOPIC && strcmp(name, ".") != 0 && strcmp(name, "..") != 0 &&
           strspn(name, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789._-") == len;
}

static void check_pattern(struct reading *rd, const char *pattern, struct span span)
{
    char *error;
    size_t at;
    struct regex *re = regex_new(pattern, strlen(pattern), false, &error, &at);

    if (!re) {
        diag_add(rd->diag, DIAG_ERROR, span, "`%s` is no regular expression: %s", pattern, error);
        mem_free(error);
    }
    regex_free(&re);
}

static void check_topics(struct reading *rd, const struct config_kafka *kafka, struct span span)
{
    for (size_t i = 0; i < kafka->topics.n; i++) {
        const char *topic = kafka->topics.text[i];
        if (*topic == '^') {
            check_pattern(rd, topic, span);
        } else if (!config_is_topic(topic)) {
            diag_add(rd->diag, DIAG_ERROR, span, "`%s` is no name of a topic", topic);
            diag_hint(rd->diag, "what begins with `^` is a pattern");
        }
        for (size_t j = 0; j < i; j++)
            if (strcmp(kafka->topics.text[j], topic) == 0)
                diag_add(rd->diag, DIAG_ERROR, span, "the topic `%s` is named twice", topic);
    }
}

static void check_brokers(struct reading *rd, const struct config_kafka *kafka,
                          const struct config_block *block, const char *key, enum config_option_id brokers,
                          enum config_option_id at)
{
    if (kafka->brokers || config_is_given(block, brokers))
        return;
    diag_add(rd->diag, DIAG_ERROR, block->given[at], "`%s` has no `brokers`", key);
    diag_hint(rd->diag, "add `brokers \"127.0.0.1:9092\"`");
}

void config_check_kafka_source(struct reading *rd, struct config_source *source,
                               const struct config_block *block)
{
    const struct config_kafka *kafka = &source->kafka;

    check_brokers(rd, kafka, block, "kafka", CONFIG_OPTION_source_kafka_brokers, CONFIG_OPTION_source_kafka);
    if (kafka->topics.n == 0 && !config_is_given(block, CONFIG_OPTION_source_kafka_topics)) {
        diag_add(rd->diag, DIAG_ERROR, block->given[CONFIG_OPTION_source_kafka], "`kafka` reads no topic");
        diag_hint(rd->diag, "add `topics [\"events\"]`");
    }
    check_topics(rd, kafka, block->given[CONFIG_OPTION_source_kafka_topics]);
}

/* Letters, digits, `.`, `_`, `-`, and not too long: it is in names that operators write permissions for. */
static void check_application(struct reading *rd, const struct config_kafka *kafka,
                              const struct config_block *block)
{
    if (!kafka->application || config_is_topic(kafka->application))
        return;
    diag_add(rd->diag, DIAG_ERROR, block->given[CONFIG_OPTION_sink_kafka_application],
             "`application` has letters, digits, `.`, `_` and `-`, and is not longer than %d", (int)MAX_TOPIC);
}

/* All that is said by itself is fine: does it fit together? */
static void check_producer(struct reading *rd, const struct config_sink *sink,
                           const struct config_block *block)
{
    const struct sink_kafka_options opt = config_kafka_sink(sink);
    struct buf why;

    buf_init(&why);
    if (!sink_kafka_check(&opt, &why))
        diag_add(rd->diag, DIAG_ERROR, block->given[CONFIG_OPTION_sink_kafka],
                 "a producer cannot begin so: %s", why.data);
    buf_fini(&why);
}

void config_check_kafka_sink(struct reading *rd, struct config_sink *sink, const struct config_block *block)
{
    const struct config_kafka *kafka = &sink->kafka;
    size_t before = diag_errors(rd->diag);

    check_brokers(rd, kafka, block, "kafka", CONFIG_OPTION_sink_kafka_brokers, CONFIG_OPTION_sink_kafka);
    check_application(rd, kafka, block);
    if (!kafka->topic && !config_is_given(block, CONFIG_OPTION_sink_kafka_topic))
        diag_add(rd->diag, DIAG_ERROR, block->given[CONFIG_OPTION_sink_kafka], "`kafka` has no `topic`");
    else if (kafka->topic && !config_is_topic(kafka->topic))
        diag_add(rd->diag, DIAG_ERROR, block->given[CONFIG_OPTION_sink_kafka_topic],
                 "`%s` is no name of a topic", kafka->topic);
    if (!rd->no_secrets && kafka->brokers && kafka->topic && diag_errors(rd->diag) == before)
        check_producer(rd, sink, block);
}

/* ---- who would read what a sink writes --------------------------------------------------------------- */

enum { DEFAULT_PORT_LEN = 5 };

/* One of a list: without scheme, blanks and the port that is everywhere. False: no more. */
static bool next_broker(const char **at, const char **broker_out, size_t *len_out)
{
    const char *text = *at + strspn(*at, ", ");
    size_t len = strcspn(text, ", ");
    const char *scheme = memmem(text, len, "://", 3);

    *at = text + len;
    if (scheme) {
        len -= (size_t)(scheme - text) + 3;
        text = scheme + 3;
    }
    if (len > DEFAULT_PORT_LEN && memcmp(text + len - DEFAULT_PORT_LEN, ":9092", DEFAULT_PORT_LEN) == 0)
        len -= DEFAULT_PORT_LEN;
    *broker_out = text;
    *len_out = len;
    return len > 0;
}

/* Is a broker in both lists? */
static bool brokers_meet(const char *a, const char *b)
{
    const char *x, *y;
    size_t x_len, y_len;

    while (next_broker(&a, &x, &x_len))
        for (const char *rest = b; next_broker(&rest, &y, &y_len);)
            if (x_len == y_len && strncasecmp(x, y, x_len) == 0)
                return true;
    return false;
}

static bool topic_fits(const char *wanted, const char *topic)
{
    char *error;
    size_t at;

    if (*wanted != '^')
        return strcmp(wanted, topic) == 0;
    struct regex *re = regex_new(wanted, strlen(wanted), false, &error, &at);
    if (!re) { /* it is told elsewhere */
        mem_free(error);
        return false;
    }
    struct regex_scratch *scratch = regex_scratch_new();
    bool fits = regex_match(re, scratch, topic, strlen(topic)) == REGEX_YES;
    regex_scratch_free(&scratch);
    regex_free(&re);
    return fits;
}

static bool reads_topic(const struct config_kafka *source, const struct config_kafka *sink)
{
    if (!source->brokers || !sink->brokers || !sink->topic || !brokers_meet(source->brokers, sink->brokers))
        return false;
    for (size_t i = 0; i < source->topics.n; i++)
        if (topic_fits(source->topics.text[i], sink->topic))
            return true;
    return false;
}

void config_check_kafka_circle(struct reading *rd, const struct config_sink *sink, const struct config_block *block)
{
    const struct config *c = rd->config;

    for (size_t i = 0; i < c->n_sources; i++) {
        if (c->source[i].kind != CONFIG_KAFKA || !reads_topic(&c->source[i].kafka, &sink->kafka))
            continue;
        diag_add(rd->diag, DIAG_ERROR, block->given[CONFIG_OPTION_sink_kafka_topic],
                 "source `%s` reads this topic: it would read what this sink writes", c->source[i].name);
        diag_hint(rd->diag, "write to another topic, or have the source's pattern leave this one out");
        return;
    }
}

/* ---- rules ------------------------------------------------------------------------------------------------- */

static void check_topic_name(struct reading *rd, const char *name, enum config_option_id option)
{
    if (name && !config_is_topic(name))
        diag_add(rd->diag, DIAG_ERROR, rd->engine.given[option], "`%s` is no name of a topic", name);
}

void config_check_rules_topic(struct reading *rd)
{
    struct config_rules_topic *rt = &rd->config->rules_topic;
    const struct config_block *block = &rd->engine;

    rt->given = config_is_given(block, CONFIG_OPTION_engine_rules_topic);
    if (!rt->given)
        return;
    check_brokers(rd, &rt->kafka, block, "rules_topic", CONFIG_OPTION_rules_topic_brokers,
                  CONFIG_OPTION_engine_rules_topic);
    if (!rt->kafka.topic && !config_is_given(block, CONFIG_OPTION_rules_topic_topic)) {
        diag_add(rd->diag, DIAG_ERROR, block->given[CONFIG_OPTION_engine_rules_topic], "`rules_topic` has no `topic`");
        diag_hint(rd->diag, "add `topic \"rules\"`");
    }
    check_topic_name(rd, rt->kafka.topic, CONFIG_OPTION_rules_topic_topic);
    check_topic_name(rd, rt->results, CONFIG_OPTION_rules_topic_results);
    if (rt->kafka.topic && rt->results && strcmp(rt->kafka.topic, rt->results) == 0) {
        diag_add(rd->diag, DIAG_ERROR, block->given[CONFIG_OPTION_rules_topic_results],
                 "answers would be read as rules");
        diag_hint(rd->diag, "write them to another topic");
    }
    for (size_t i = 0; i < rd->config->n_sinks; i++) {
        const struct config_kafka *sink = &rd->config->sink[i].kafka;
        if (rd->config->sink[i].kind == CONFIG_SINK_KAFKA && sink->brokers && sink->topic && rt->kafka.brokers &&
            rt->kafka.topic && strcmp(sink->topic, rt->kafka.topic) == 0 &&
            brokers_meet(sink->brokers, rt->kafka.brokers))
            diag_add(rd->diag, DIAG_ERROR, rd->sink[i].given[CONFIG_OPTION_sink_kafka_topic],
                     "rules are read from this topic: alerts would be read as rules");
    }
}
