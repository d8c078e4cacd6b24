// SPDX-License-Identifier: Apache-2.0
/*
 * modules - the rules that run, as the database keeps them (space MODULES, one record): texts, and
 * the number (*incarnation*) under which the state of each rule and fed table is stored. A rule that
 * begins anew gets a new number; the records of the old one are removed.
 *
 * A *generation* is a set of texts that was compiled together. The first is the current one; others
 * are older ones of which some rules are being drained: they begin nothing new.
 */
#ifndef STATE_MODULES_H
#define STATE_MODULES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct buf;

/* Where a module came from. A name belongs to one side. */
enum module_origin {
    MODULE_FILE,  /* from the rules directory */
    MODULE_API,   /* over the HTTP interface */
    MODULE_TOPIC, /* from a topic of Kafka */
    MODULE_N_ORIGINS
};
const char *module_origin_name(enum module_origin origin); /* "file", "api", "topic" */

struct module_text {
    char *name;              /* path below the rules directory; else as it was given */
    char *text;
    size_t len;
    enum module_origin origin;
    uint64_t version;        /* from 1; of a file 0 */
};

/* A rule that was enabled or disabled over the interface, whatever its text says. */
struct module_switch {
    char *name;              /* of the rule */
    bool on;
};

/* Rows that came over the interface in place of those of a table's file. The table need not be declared. */
struct module_upload {
    char *table;
    uint64_t version;        /* table_version.h */
};

/* A rule, or a table that events feed. */
struct module_state {
    char *name;
    uint32_t incarnation;    /* from 1 */
    uint8_t shape[16];
    uint8_t text_hash[16];   /* rules: of the canonical text */
    bool drains;             /* rules: it can be drained (swap.h) */
};

struct generation {
    uint32_t number;         /* from 1; grows for ever */
    int64_t since;           /* draining: wall ns when it was replaced */
    int64_t frontier;        /* draining: event time about when it was replaced; INT64_MAX: it was not */
    uint8_t declared_hash[16]; /* of all that is declared but rules */
    struct module_text *text;
    size_t n_texts;
    struct module_state *rule;
    size_t n_rules;
    struct module_state *table;
    size_t n_tables;
    struct module_upload *upload;
    size_t n_uploads;
};

struct modules {
    uint32_t next_incarnation, next_generation;
    struct generation *generation; /* [0] the current one */
    size_t n;
    struct module_switch *rule_switch; /* of rules of the current one */
    size_t n_switches;
};

void modules_init(struct modules *mods); /* nothing runs yet; numbers begin at 1 */
void modules_fini(struct modules *mods);
void modules_encode(struct buf *out, const struct modules *mods);
/* False if the bytes are no such record; mods is then as modules_init leaves it. */
bool modules_decode(const void *data, size_t len, struct modules *mods_out);
/* A new generation, empty, with the next number, placed at `at` (0: it becomes the current one). */
struct generation *modules_generation_add(struct modules *mods, size_t at);
void modules_generation_remove(struct modules *mods, size_t at);
/* Gives it back, to be told where it came from. */
struct module_text *generation_add_text(struct generation *gen, const char *name, const char *text,
                                        size_t len);
const struct module_text *generation_text(const struct generation *gen, const char *name); /* or NULL */
/* Takes all its texts away. */
void generation_clear_texts(struct generation *gen);
const struct module_upload *generation_upload(const struct generation *gen, const char *table); /* or NULL */
/* version 0: it is no more. */
void generation_set_upload(struct generation *gen, const char *table, uint64_t version);
void generation_clear_uploads(struct generation *gen);
/* Those of `from` in place of its own. */
void generation_copy_uploads(struct generation *gen, const struct generation *from);
/* NULL: the rule is as its text says. */
const struct module_switch *modules_switch(const struct modules *mods, const char *rule);
void modules_switch_set(struct modules *mods, const char *rule, bool on);
void modules_switch_remove(struct modules *mods, const char *rule);
/* The entry of that name at the end, zeroed but for its name. */
struct module_state *generation_add_rule(struct generation *gen, const char *name);
struct module_state *generation_add_table(struct generation *gen, const char *name);
const struct module_state *generation_rule(const struct generation *gen, const char *name); /* or NULL */
const struct module_state *generation_table(const struct generation *gen, const char *name); /* or NULL */
/* Name of what has this number in any generation, or NULL; is_table_out says what it is. */
const char *modules_name(const struct modules *mods, uint32_t incarnation, bool *is_table_out);

#endif
