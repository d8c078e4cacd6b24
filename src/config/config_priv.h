// SPDX-License-Identifier: Apache-2.0
/*
 * config_priv - one reading of a configuration, shared by block.c (the blocks), value.c (texts,
 * env, file) and check.c (what must fit together).
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
    struct config_block engine;
    struct config_block *source, *sink; /* beside those of config */
    size_t cap_source, cap_sink;        /* of config's arrays */
    size_t cap_source_block, cap_sink_block;
    const struct ast_config_decl *default_to; /* or NULL */
};

/* value.c: an owned text; NULL and a diagnostic if it is none. `key` is for messages. */
char *config_text(struct reading *rd, const char *key, const struct ast_expr *value);
/* An owned path: relative ones begin at the file's directory. As a pattern, what is special in the
 * directory is not. */
char *config_path(struct reading *rd, const char *key, const struct ast_expr *value, bool pattern);
char *config_join(const char *dir, const char *path, bool pattern);
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

#endif
