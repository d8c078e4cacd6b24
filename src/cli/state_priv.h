// SPDX-License-Identifier: Apache-2.0
/* state_priv - `tocsin state`: one file an action. */
#ifndef CLI_STATE_PRIV_H
#define CLI_STATE_PRIV_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "state/database.h"

struct modules;

struct state_arguments {
    const char *dir;
    const char *more; /* what stands behind DIR, or NULL */
    const char *rule, *key, *output, *sink, *reason; /* options, or NULL */
};

int state_inspect(const struct state_arguments *args);
int state_verify(const struct state_arguments *args);
int state_export(const struct state_arguments *args);
int state_import(const struct state_arguments *args);
int state_letters_list(const struct state_arguments *args);
int state_letters_replay(const struct state_arguments *args);
int state_letters_drop(const struct state_arguments *args);
int state_sink_enable(const struct state_arguments *args);
int state_module_list(const struct state_arguments *args);
int state_module_get(const struct state_arguments *args);
int state_module_drop(const struct state_arguments *args);

/* What args->rule keeps of its keys, or of args->key. */
int state_keys(struct store *st, const struct modules *mods, const struct state_arguments *args);

/* What a rule of a generation, which has it, keeps of one key, printed as JSON; why it cannot be, to standard error. */
void state_look(struct store *st, const struct modules *mods, size_t generation, const char *rule, const char *key_json);

/* Opened for reading; NULL: a message was printed. */
struct store *state_open(const char *dir, struct database_meta *meta_out);
/* Prints "tocsin: MESSAGE"; gives EXIT_FAILED. */
int state_fail(const char *message);
/* The rules that run; empty if nothing is recorded. False: damaged, or (with a message in why) unreadable. */
bool state_modules(struct store *st, struct modules *mods_out, struct buf *why);

/* What a record of the space ENGINE is of: its kind ('R', 'P' ...) and incarnation; 0: 'X', of none. */
bool state_engine_key(const void *key, size_t key_len, char *kind_out, uint32_t *incarnation_out);

#endif
