// SPDX-License-Identifier: Apache-2.0
/*
 * option - the table of option.def: which keys the blocks of a configuration have, where their
 * values go, and what is allowed. Read by block.c, and for the manual.
 */
#ifndef CONFIG_OPTION_H
#define CONFIG_OPTION_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct buf;

enum config_of {
    CONFIG_OF_engine,
    CONFIG_OF_rules_topic, /* the block in it */
    CONFIG_OF_source,
    CONFIG_OF_source_follow, /* of `file` and `kafka` */
    CONFIG_OF_source_spool, /* of `stdin` and `http` */
    CONFIG_OF_source_kafka, /* the block `kafka` in one */
    CONFIG_OF_sink,
    CONFIG_OF_sink_file,
    CONFIG_OF_sink_webhook,
    CONFIG_OF_sink_topic, /* of `kafka` */
    CONFIG_OF_sink_tls, /* the block `tls` in one of kind webhook */
    CONFIG_OF_sink_kafka, /* the block `kafka` in one */
    CONFIG_OF_route,
    CONFIG_OF_http,
    CONFIG_OF_http_tls, /* the block `tls` in it */
};

enum config_type {
    CONFIG_TYPE_DURATION, /* int64_t, ns */
    CONFIG_TYPE_SIZE,     /* uint64_t, bytes */
    CONFIG_TYPE_COUNT,    /* uint32_t or uint64_t */
    CONFIG_TYPE_SHARDS,   /* uint32_t: `auto` or a number */
    CONFIG_TYPE_FLAG,     /* bool: true, false */
    CONFIG_TYPE_WORD,     /* bool: is it the second of `words`? */
    CONFIG_TYPE_PATH,     /* char *: made relative to the configuration file's directory */
    CONFIG_TYPE_PATHS,    /* config_source.path, n_paths: one, or a list */
    CONFIG_TYPE_FIELD,    /* char *: dotted */
    CONFIG_TYPE_TIME,     /* config_source.time, time_arrival */
    CONFIG_TYPE_FORMATS,  /* unsigned: OR of enum time_format */
    CONFIG_TYPE_SINK,     /* char *: a sink's name */
    CONFIG_TYPE_BLOCK,    /* `key {}`: sets the source's or sink's kind */
    CONFIG_TYPE_KEYS,     /* `key { ... }`: a block in the block, its keys are of `least` */
    CONFIG_TYPE_TEXT,     /* char * */
    CONFIG_TYPE_URL,      /* char *: http or https; most of it is a secret */
    CONFIG_TYPE_PROXY,    /* char *: likewise */
    CONFIG_TYPE_SECRET,   /* char * */
    CONFIG_TYPE_SECRETS,  /* char *[2] */
    CONFIG_TYPE_HEADERS,  /* `key { NAME TEXT ... }`: config_webhook.header, n_headers */
    CONFIG_TYPE_BODY,     /* enum body_kind */
    CONFIG_TYPE_TLS_VERSION, /* bool: 1.3, not 1.2 */
    CONFIG_TYPE_NETWORKS, /* config_texts: as of base/cidr.h */
    CONFIG_TYPE_SEVERITIES, /* unsigned: bits 1 << enum severity */
    CONFIG_TYPE_PATTERNS, /* config_texts: as of base/glob.h */
    CONFIG_TYPE_SINKS,    /* config_texts: names */
    CONFIG_TYPE_WINDOWS,  /* config_texts: as of flow/mute.h */
    CONFIG_TYPE_TEXTS,    /* config_texts, none empty */
    CONFIG_TYPE_BROKERS,  /* char *: one, or a list, joined with commas */
    CONFIG_TYPE_START,    /* int64_t: ns of Unix time, KAFKA_EARLIEST or KAFKA_LATEST */
    CONFIG_TYPE_RESET,    /* enum kafka_reset */
    CONFIG_TYPE_PROPERTIES, /* `key { NAME VALUE ... }`: config_kafka.option, n_options */
};

struct config_option {
    enum config_of of;
    const char *key;
    enum config_type type;
    size_t offset, size; /* of the field, in the struct of the block */
    int64_t initial;
    const char *initial_text; /* or NULL */
    const char *words;        /* "first | second", or NULL */
    int64_t least, most;
    const char *doc;
};

enum config_option_id {
#define OPTION(of, key, type, field, initial, least, most, doc) CONFIG_OPTION_##of##_##key,
#include "config/option.def"
#undef OPTION
    CONFIG_OPTION_COUNT
};
extern const struct config_option config_options[CONFIG_OPTION_COUNT];

/* The block that an option stands in: engine, source, sink, tls or route. */
enum config_of config_block_of(enum config_of of);
const char *config_block_name(enum config_of of); /* "engine" ... */
/* "64KiB", in the largest unit that divides it. */
void config_add_size(struct buf *out, int64_t bytes);
/* The default as it would be written; nothing if there is none. */
void config_add_initial(struct buf *out, const struct config_option *o);
/* What the value is: "DURATION", "`advance` or `hold`" ... */
const char *config_type_text(const struct config_option *o);

#endif
