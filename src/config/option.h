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
    CONFIG_OF_source,
    CONFIG_OF_source_file,
    CONFIG_OF_source_stdin,
    CONFIG_OF_sink,
    CONFIG_OF_sink_file,
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
#define LATER(of, key, what)
#include "config/option.def"
#undef OPTION
#undef LATER
    CONFIG_OPTION_COUNT
};
extern const struct config_option config_options[CONFIG_OPTION_COUNT];

struct config_later {
    enum config_of of;
    const char *key, *what;
};
enum config_later_id {
#define OPTION(of, key, type, field, initial, least, most, doc)
#define LATER(of, key, what) CONFIG_LATER_##of##_##key,
#include "config/option.def"
#undef OPTION
#undef LATER
    CONFIG_LATER_COUNT
};
extern const struct config_later config_laters[CONFIG_LATER_COUNT];

/* The block that an option stands in: engine, source or sink. */
enum config_of config_block_of(enum config_of of);
const char *config_block_name(enum config_of of); /* "engine" ... */
/* "64KiB", in the largest unit that divides it. */
void config_add_size(struct buf *out, int64_t bytes);
/* The default as it would be written; nothing if there is none. */
void config_add_initial(struct buf *out, const struct config_option *o);
/* What the value is: "DURATION", "`advance` or `hold`" ... */
const char *config_type_text(const struct config_option *o);

#endif
