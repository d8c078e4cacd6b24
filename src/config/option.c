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
#define STRUCT_source struct config_source
#define STRUCT_source_file struct config_source
#define STRUCT_source_stdin struct config_source
#define STRUCT_sink struct config_sink
#define STRUCT_sink_file struct config_sink

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
#define LATER(of_, key_, what_)
#include "config/option.def"
#undef OPTION
#undef LATER
};

const struct config_later config_laters[CONFIG_LATER_COUNT] = {
#define OPTION(of_, key_, type_, field, initial_, least_, most_, doc_)
#define LATER(of_, key_, what_) {CONFIG_OF_##of_, #key_, what_},
#include "config/option.def"
#undef OPTION
#undef LATER
};

enum config_of config_block_of(enum config_of of)
{
    switch (of) {
    case CONFIG_OF_source_file:
    case CONFIG_OF_source_stdin: return CONFIG_OF_source;
    case CONFIG_OF_sink_file: return CONFIG_OF_sink;
    default: return of;
    }
}

const char *config_block_name(enum config_of of)
{
    switch (config_block_of(of)) {
    case CONFIG_OF_source: return "source";
    case CONFIG_OF_sink: return "sink";
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
    case CONFIG_TYPE_PATH:
        if (o->initial_text)
            buf_add_json_text(out, o->initial_text, strlen(o->initial_text));
        break;
    default: break;
    }
}

const char *config_type_text(const struct config_option *o)
{
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
    case CONFIG_TYPE_TIME: return "FIELD | arrival";
    case CONFIG_TYPE_FORMATS: return "TEXT | [TEXT, ...]";
    case CONFIG_TYPE_SINK: return "SINK";
    case CONFIG_TYPE_BLOCK: return "{}";
    }
    return "";
}
