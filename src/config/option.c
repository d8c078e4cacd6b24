// SPDX-License-Identifier: Apache-2.0
#include "config/option.h"

#include <string.h>

#include "base/buf.h"
#include "config/config.h"
#include "event/time_format.h"

#define MILLISECOND INT64_C(1000000)
#define SECOND (1000 * MILLISECOND)
#define MINUTE (60 * SECOND)
#define HOUR (60 * MINUTE)
#define DAY (24 * HOUR)
#define KIB INT64_C(1024)
#define MIB (1024 * KIB)
#define GIB (1024 * MIB)
#define TIB (1024 * GIB)

#define NONE .initial = 0
#define NUMBER(n) .initial = (n)
#define TEXT(text) .initial_text = (text)
#define WORDS(text) .words = (text)

#define STRUCT_engine struct config
#define STRUCT_rules_topic struct config
#define STRUCT_source struct config_source
#define STRUCT_source_follow struct config_source
#define STRUCT_source_kafka struct config_source
#define STRUCT_source_spool struct config_source
#define STRUCT_sink struct config_sink
#define STRUCT_sink_file struct config_sink
#define STRUCT_sink_webhook struct config_sink
#define STRUCT_sink_topic struct config_sink
#define STRUCT_sink_tls struct config_sink
#define STRUCT_sink_kafka struct config_sink
#define STRUCT_route struct config_route
#define STRUCT_http struct config_http
#define STRUCT_http_tls struct config_http

const struct config_option config_options[CONFIG_OPTION_COUNT] = {
#define OPTION(of_, key_, type_, field, initial_, least_, most_, doc_) \
    {.of = CONFIG_OF_##of_, \
     .key = #key_, \
     .type = CONFIG_TYPE_##type_, \
     .offset = offsetof(STRUCT_##of_, field), \
     .size = sizeof(((STRUCT_##of_ *)NULL)->field), \
     initial_, \
     .least = (least_), \
     .most = (most_), \
     .doc = (doc_)},
#include "config/option.def"
#undef OPTION
};

enum config_of config_block_of(enum config_of of)
{
    switch (of) {
    case CONFIG_OF_source_follow:
    case CONFIG_OF_source_spool: return CONFIG_OF_source;
    case CONFIG_OF_sink_file:
    case CONFIG_OF_sink_webhook:
    case CONFIG_OF_sink_topic: return CONFIG_OF_sink;
    default: return of;
    }
}

const char *config_block_name(enum config_of of)
{
    switch (config_block_of(of)) {
    case CONFIG_OF_rules_topic: return "rules_topic";
    case CONFIG_OF_source: return "source";
    case CONFIG_OF_sink: return "sink";
    case CONFIG_OF_sink_tls:
    case CONFIG_OF_http_tls: return "tls";
    case CONFIG_OF_source_kafka:
    case CONFIG_OF_sink_kafka: return "kafka";
    case CONFIG_OF_http: return "http";
    case CONFIG_OF_route: return "route";
    default: return "engine";
    }
}

void config_add_size(struct buf *out, int64_t bytes)
{
    static const char *const unit[] = {"B", "KiB", "MiB", "GiB", "TiB"};
    size_t i = 0;

    while (bytes != 0 && bytes % 1024 == 0 && i + 1 < sizeof unit / sizeof *unit) {
        bytes /= 1024;
        i++;
    }
    buf_add_int(out, bytes);
    buf_adds(out, unit[i]);
}

void config_add_initial(struct buf *out, const struct config_option *o)
{
    switch (o->type) {
    case CONFIG_TYPE_DURATION: duration_add_text(out, o->initial); break;
    case CONFIG_TYPE_SIZE: config_add_size(out, o->initial); break;
    case CONFIG_TYPE_COUNT: buf_add_int(out, o->initial); break;
    case CONFIG_TYPE_SHARDS: buf_adds(out, "auto"); break;
    case CONFIG_TYPE_FLAG: buf_adds(out, o->initial ? "true" : "false"); break;
    case CONFIG_TYPE_WORD: buf_add(out, o->words, strcspn(o->words, " ")); break;
    case CONFIG_TYPE_BODY: buf_adds(out, body_kind_word((enum body_kind)o->initial)); break;
    case CONFIG_TYPE_TLS_VERSION: buf_adds(out, "1.2"); break;
    case CONFIG_TYPE_START: buf_adds(out, "earliest"); break;
    case CONFIG_TYPE_RESET: buf_adds(out, kafka_reset_word((enum kafka_reset)o->initial)); break;
    case CONFIG_TYPE_PATH:
    case CONFIG_TYPE_TEXT:
        if (o->initial_text)
            buf_add_json_text(out, o->initial_text, strlen(o->initial_text));
        break;
    default: break;
    }
}

const char *config_type_text(const struct config_option *o)
{
    static const char forms[] =
#define BODY(name, word, type, batch_type, most, message, alert, doc) " | " word
#include "io/body.def"
#undef BODY
        ;

    switch (o->type) {
    case CONFIG_TYPE_DURATION: return "DURATION";
    case CONFIG_TYPE_SIZE: return "SIZE";
    case CONFIG_TYPE_COUNT: return "NUMBER";
    case CONFIG_TYPE_SHARDS: return "auto | 1";
    case CONFIG_TYPE_FLAG: return "true | false";
    case CONFIG_TYPE_WORD: return o->words;
    case CONFIG_TYPE_PATH: return "TEXT";
    case CONFIG_TYPE_PATHS: return "TEXT | [TEXT, ...]";
    case CONFIG_TYPE_FIELD: return "FIELD";
    case CONFIG_TYPE_TIME: return "FIELD | arrival | record";
    case CONFIG_TYPE_FORMATS: return "TEXT | [TEXT, ...]";
    case CONFIG_TYPE_SINK: return "SINK";
    case CONFIG_TYPE_BLOCK: return "{}";
    case CONFIG_TYPE_KEYS: return "{ ... }";
    case CONFIG_TYPE_TEXT:
    case CONFIG_TYPE_URL:
    case CONFIG_TYPE_PROXY:
    case CONFIG_TYPE_SECRET: return "TEXT";
    case CONFIG_TYPE_SECRETS: return "TEXT | [TEXT, TEXT]";
    case CONFIG_TYPE_HEADERS: return "{ NAME TEXT ... }";
    case CONFIG_TYPE_BODY: return forms + 3;
    case CONFIG_TYPE_TLS_VERSION: return "1.2 | 1.3";
    case CONFIG_TYPE_PROPERTIES: return "{ NAME VALUE ... }";
    case CONFIG_TYPE_START: return "earliest | latest | TIME";
    case CONFIG_TYPE_RESET: return "fail | earliest | latest";
    case CONFIG_TYPE_TEXTS:
    case CONFIG_TYPE_BROKERS:
    case CONFIG_TYPE_NETWORKS:
    case CONFIG_TYPE_SEVERITIES:
    case CONFIG_TYPE_PATTERNS:
    case CONFIG_TYPE_WINDOWS: return "TEXT | [TEXT, ...]";
    case CONFIG_TYPE_SINKS: return "SINK | [SINK, ...]";
    }
    return "";
}
