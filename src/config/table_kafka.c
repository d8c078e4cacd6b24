// SPDX-License-Identifier: Apache-2.0
#include "config/table_kafka.h"

#include <stdlib.h>
#include <string.h>

#include "base/buf.h"
#include "base/diag.h"
#include "base/mem.h"
#include "base/suggest.h"
#include "base/utf8.h"
#include "config/setting.h"

/* ---- texts ------------------------------------------------------------------------------------- */

static char *from_file(const char *path, struct buf *why)
{
    struct buf text;

    buf_init(&text);
    buf_adds(&text, "");
    const char *wrong = config_file_text(path, &text);
    while (text.len > 0 && (text.data[text.len - 1] == '\n' || text.data[text.len - 1] == '\r'))
        text.len--;
    if (wrong)
        buf_printf(why, "cannot read %s: %s", path, wrong);
    char *result = wrong ? NULL : mem_strndup(text.data, text.len);
    buf_fini(&text);
    return result;
}

/* Owned; NULL and why. */
static char *text_of(const struct table_kafka_setting *setting, struct buf *why)
{
    const char *env = setting->from == TABLE_KAFKA_ENV ? getenv(setting->text) : NULL;
    char *text = NULL;
    size_t bad;

    if (setting->from == TABLE_KAFKA_TEXT)
        text = mem_strndup(setting->text, strlen(setting->text));
    else if (setting->from == TABLE_KAFKA_FILE)
        text = from_file(setting->text, why);
    else if (env)
        text = mem_strndup(env, strlen(env));
    else
        buf_printf(why, "the environment has no variable `%s`", setting->text);
    if (text && !utf8_valid(text, strlen(text), &bad)) {
        buf_adds(why, "what it holds is not valid UTF-8");
        mem_free(text);
        text = NULL;
    }
    return text;
}

/* ---- settings ------------------------------------------------------------------------------------ */

static bool copy_source(const struct config *config, const struct table_kafka_setting *source,
                      struct config_kafka *out, struct buf *why)
{
    uint32_t number = config_source_named(config, source->text);
    const struct config_kafka *from;

    if (number == UINT32_MAX || config->source[number].kind != CONFIG_KAFKA) {
        buf_printf(why, "`source %s`: there is no such source of Kafka", source->text);
        return false;
    }
    from = &config->source[number].kafka;
    out->brokers = from->brokers ? mem_strndup(from->brokers, strlen(from->brokers)) : NULL;
    out->option = mem_calloc(from->n_options + 1, sizeof *out->option);
    for (size_t i = 0; i < from->n_options; i++)
        out->option[out->n_options++] =
            (struct kafka_option){mem_strndup(from->option[i].name, strlen(from->option[i].name)),
                                  mem_strndup(from->option[i].value, strlen(from->option[i].value))};
    return true;
}

static bool copy_own(const struct table_kafka *kafka, struct config_kafka *out, struct buf *why)
{
    struct buf brokers;
    bool ok = true;

    buf_init(&brokers);
    buf_adds(&brokers, "");
    for (uint32_t i = 0; i < kafka->n_brokers && ok; i++) {
        char *text = text_of(&kafka->broker[i], why);
        ok = text != NULL;
        if (ok)
            buf_printf(&brokers, "%s%s", i ? "," : "", text);
        mem_free(text);
    }
    out->brokers = buf_take(&brokers);
    out->option = mem_calloc(kafka->n_options + 1, sizeof *out->option);
    for (uint32_t i = 0; i < kafka->n_options && ok; i++) {
        const struct table_kafka_option *option = &kafka->option[i];
        char *value = text_of(&option->value, why);
        value = value ? kafka_take_path(kafka->dir, option->name, value) : NULL;
        ok = value != NULL;
        if (ok)
            out->option[out->n_options++] =
                (struct kafka_option){mem_strndup(option->name, strlen(option->name)), value};
    }
    return ok;
}

bool config_table_settings(const struct config *config, const struct table_kafka *kafka,
                           struct config_kafka *settings_out, struct buf *why)
{
    *settings_out = (struct config_kafka){.start = KAFKA_EARLIEST};
    bool ok = kafka->source.text ? copy_source(config, &kafka->source, settings_out, why)
                               : copy_own(kafka, settings_out, why);
    if (ok)
        ok = (settings_out->topic = text_of(&kafka->topic, why)) != NULL;
    if (ok && !config_is_topic(settings_out->topic)) {
        buf_printf(why, "`%s` is no name of a topic", settings_out->topic);
        ok = false;
    }
    if (ok && !kafka->source.text)
        ok = kafka_brokers_check(settings_out->brokers, why);
    settings_out->on_reset = kafka->fails ? KAFKA_RESET_FAIL : KAFKA_RESET_EARLIEST;
    if (!ok)
        config_table_fini(settings_out);
    return ok;
}

void config_table_fini(struct config_kafka *settings)
{
    for (size_t i = 0; i < settings->n_options; i++) {
        mem_free(settings->option[i].name);
        mem_free(settings->option[i].value);
    }
    mem_free(settings->option);
    mem_free(settings->brokers);
    mem_free(settings->topic);
    *settings = (struct config_kafka){0};
}

/* ---- is it right? ---------------------------------------------------------------------------------- */

static void tell(struct diag *diag, struct span span, const struct buf *why, const struct buf *hint)
{
    if (why->len == 0)
        return;
    diag_add(diag, DIAG_ERROR, span, "%.*s", (int)why->len, why->data);
    if (hint && hint->len > 0)
        diag_hint(diag, "%.*s", (int)hint->len, hint->data);
}

static void check_source(const struct config *config, const struct table_kafka_setting *source, struct diag *diag)
{
    struct suggest s;

    if (!config)
        return;
    suggest_init(&s, source->text);
    for (size_t i = 0; i < config->n_sources; i++) {
        if (config->source[i].kind != CONFIG_KAFKA)
            continue;
        if (strcmp(config->source[i].name, source->text) == 0)
            return;
        suggest_try(&s, config->source[i].name);
    }
    diag_add(diag, DIAG_ERROR, source->span, "there is no source `%s` of Kafka", source->text);
    if (suggest_result(&s))
        diag_hint(diag, "did you mean `%s`?", suggest_result(&s));
    else
        diag_hint(diag, "the configuration declares sources: source %s { kafka { ... } }", source->text);
}

/* A text that is here now: else NULL. A diagnostic if it has to be, and is not. */
static char *present(const struct config_table_check *check, const struct table_kafka_setting *setting,
                     struct diag *diag)
{
    struct buf why;
    char *text = NULL;

    buf_init(&why);
    if (setting->from == TABLE_KAFKA_TEXT || check->secrets)
        text = text_of(setting, &why);
    tell(diag, setting->span, &why, NULL);
    buf_fini(&why);
    return text;
}

static void check_option(const struct config_table_check *check, const char *dir,
                         const struct table_kafka_option *option, struct diag *diag)
{
    char *value = present(check, &option->value, diag);
    struct kafka_option is = {(char *)(uintptr_t)option->name, value};
    struct buf why, hint;

    if (!value)
        return;
    is.value = value = kafka_take_path(dir, option->name, value);
    buf_init(&why);
    buf_init(&hint);
    kafka_option_check(&is, KAFKA_SOURCE, &why, &hint);
    tell(diag, option->span, &why, &hint);
    if (kafka_is_secret(option->name) && option->value.from == TABLE_KAFKA_TEXT) {
        diag_add(diag, DIAG_WARNING, option->value.span, "a secret stands in the rules themselves");
        diag_hint(diag, "better: env(\"NAME\") or file(\"path\")");
    }
    buf_fini(&why);
    buf_fini(&hint);
    mem_free(value);
}

static void check_text(const struct config_table_check *check, const struct table_kafka_setting *setting,
                       bool topic, struct diag *diag)
{
    char *text = setting->text ? present(check, setting, diag) : NULL;
    struct buf why;

    buf_init(&why);
    if (text && topic && !config_is_topic(text))
        buf_printf(&why, "`%s` is no name of a topic", text);
    else if (text && !topic)
        kafka_brokers_check(text, &why);
    tell(diag, setting->span, &why, NULL);
    buf_fini(&why);
    mem_free(text);
}

/* All that is said by itself is fine: could its client begin so? Else a daemon that goes over to it could not go on. */
static void check_client(const struct config_table_check *check, const struct table_kafka *kafka, struct diag *diag)
{
    struct config_kafka own;
    struct buf why, what;

    buf_init(&why);
    buf_init(&what);
    if (!config_table_settings(check->config, kafka, &own, &why)) {
        tell(diag, kafka->topic.span, &why, NULL);
    } else {
        struct kafka_settings settings = config_kafka_settings(&own);
        if (!kafka_settings_check(&settings, KAFKA_SOURCE, &why))
            buf_printf(&what, "a client of Kafka cannot begin so: %s", why.data);
        tell(diag, kafka->options, &what, NULL);
        config_table_fini(&own);
    }
    buf_fini(&why);
    buf_fini(&what);
}

void config_check_table(void *ctx, const struct table_kafka *kafka, struct diag *diag)
{
    const struct config_table_check *check = ctx;
    size_t before = diag_errors(diag);

    check_text(check, &kafka->topic, true, diag);
    if (kafka->source.text)
        check_source(check->config, &kafka->source, diag);
    for (uint32_t i = 0; i < kafka->n_brokers; i++)
        check_text(check, &kafka->broker[i], false, diag);
    for (uint32_t i = 0; i < kafka->n_options; i++)
        check_option(check, kafka->dir, &kafka->option[i], diag);
    if (check->secrets && !kafka->source.text && diag_errors(diag) == before)
        check_client(check, kafka, diag);
}
