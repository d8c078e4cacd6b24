// SPDX-License-Identifier: Apache-2.0
/*
 * config_priv - one reading of a configuration, shared by block.c (the blocks), setting.c, webhook.c,
 * kafka.c, route.c (their values), value.c (texts, env, file) and check.c (what must fit together).
 */
#ifndef CONFIG_CONFIG_PRIV_H
#define CONFIG_CONFIG_PRIV_H

#include "base/diag.h"
#include "config/config.h"
#include "config/option.h"
#include "lang/ast.h"

struct suggest;

/* A block as it was written. */
struct config_block {
    const struct ast_config_decl *decl;
    struct span given[CONFIG_OPTION_COUNT]; /* of the value, or else of the key; end 0: not given */
    bool later; /* what a later version brings: told, and not looked at further */
};

struct reading {
    struct config *config;
    struct diag *diag;
    const struct ast_module *module;
    struct config_block engine, http;
    struct config_block *source, *sink, *route; /* beside those of config */
    size_t cap_source, cap_sink, cap_route;     /* of config's arrays */
    size_t cap_source_block, cap_sink_block, cap_route_block;
    const struct ast_config_decl *default_to; /* or NULL */
    bool no_secrets; /* config_read_without_secrets, config_read_for_sources */
    bool source_secrets; /* and those of sources are read all the same */
};

/* value.c: an owned text; NULL and a diagnostic if it is none. `key` is for messages. */
char *config_text(struct reading *rd, const char *key, const struct ast_expr *value);
/* The same of what is a secret: without secrets, `stand_in` for what env() and file() would give. */
char *config_secret_text(struct reading *rd, const char *key, const struct ast_expr *value,
                         const char *stand_in);
/* An owned path: relative ones begin at the file's directory. As a pattern, what is special in the
 * directory is not. */
char *config_path(struct reading *rd, const char *key, const struct ast_expr *value, bool pattern);
char *config_join(const char *dir, const char *path, bool pattern);
/* The whole content of a file of at most 64 KiB, without NUL; else what is wrong. */
const char *config_file_text(const char *path, struct buf *out);
/* The nearest name as the hint of the last message; false if none is near. */
bool config_did_you_mean(struct reading *rd, const struct suggest *s);

/* block.c: reads all declarations into rd->config. */
void config_read_blocks(struct reading *rd);
/* A source or sink with its defaults, at the end; name is taken. */
struct config_source *config_add_source(struct reading *rd, char *name);
struct config_sink *config_add_sink(struct reading *rd, char *name);
void config_set_defaults(struct config *config, enum config_of of, void *to);

/* check.c: what the blocks say together; then what is left open is filled in. */
void config_check(struct reading *rd);
bool config_is_given(const struct config_block *block, enum config_option_id option);
/* A diagnostic if there is no sink of this name; NULL is fine. */
void config_check_sink_name(struct reading *rd, const char *name, struct span span);
/* webhook.c, route.c: one sink of kind webhook, one route. */
void config_check_webhook(struct reading *rd, struct config_sink *sink, const struct config_block *block);
/* kafka.c */
bool config_is_topic(const char *name);
void config_check_kafka_source(struct reading *rd, struct config_source *source,
                               const struct config_block *block);
void config_check_kafka_sink(struct reading *rd, struct config_sink *sink, const struct config_block *block);
/* Does a source read what the sink writes? Sources and sinks were read. */
void config_check_kafka_circle(struct reading *rd, const struct config_sink *sink, const struct config_block *block);
void config_check_rules_topic(struct reading *rd);
void config_check_route(struct reading *rd, struct config_route *route, const struct config_block *block);

/* What the checked configuration says of where alerts go, compiled. Returns owned. */
struct route_table *config_compile_routes(const struct config *config);

/* place.c: does a path mean the same file, one that a source reads, one of the rules? By what is there now. */
bool config_same_file(const char *a, const char *b);
bool config_reads_file(const struct config_source *source, const char *path);
bool config_is_rule_file(const struct config *config, const char *path);

/* conceal.c: what may be a secret in the text of file number `file` is never printed by diag. */
void config_conceal(struct diag *diag, uint32_t file, const char *text, size_t len, bool parses);

#endif
