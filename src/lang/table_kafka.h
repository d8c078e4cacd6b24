// SPDX-License-Identifier: Apache-2.0
/*
 * table_kafka - what the block of `table t = kafka { ... } key k` says. Texts that are secrets are not read
 * here: who reads the topic does, each time that it begins (config/table_kafka.h).
 */
#ifndef LANG_TABLE_KAFKA_H
#define LANG_TABLE_KAFKA_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "lang/ast.h"

struct diag;

enum table_kafka_id {
#define TABLE_KAFKA(id, key, value, doc) TABLE_KAFKA_##id,
#include "lang/table_kafka.def"
#undef TABLE_KAFKA
    TABLE_KAFKA_COUNT
};

enum table_kafka_from { TABLE_KAFKA_TEXT, TABLE_KAFKA_ENV, TABLE_KAFKA_FILE };

/* A text, or where it is: a variable of the environment, a file (its path, as it is opened). */
struct table_kafka_setting {
    enum table_kafka_from from;
    const char *text; /* NULL: not given */
    struct span span;
};

struct table_kafka_option {
    const char *name;
    struct table_kafka_setting value;
    struct span span; /* of the name */
};

struct table_kafka { /* texts borrowed from an arena */
    struct table_kafka_setting topic, source;
    const struct table_kafka_setting *broker; /* [n_brokers] */
    uint32_t n_brokers;
    const struct table_kafka_option *option;  /* [n_options] */
    uint32_t n_options;
    struct span options; /* the word, or, without it, `brokers` */
    const char *dir;      /* of the rule file, with a `/` behind it, or "": where relative paths of options begin */
    int64_t reread_after; /* ns */
    bool fails;   /* on_reset */
    bool latest;  /* as_of */
};

/* The keys and what they are for, as rows of a table in Markdown. */
struct buf;
void table_kafka_markdown(struct buf *out);

/* Looks at what only clients of Kafka know: names of topics and options, and whether the source is there.
 * Mistakes go to diag. `confined`: the text came over the network. */
typedef void table_kafka_check_fn(void *ctx, const struct table_kafka *kafka, struct diag *diag);

#endif
