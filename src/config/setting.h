// SPDX-License-Identifier: Apache-2.0
/*
 * setting - one key of a block with its value: read by the type that option.def says, into the field
 * that it says. setting.c has what all blocks share, webhook.c and route.c the types of theirs.
 */
#ifndef CONFIG_SETTING_H
#define CONFIG_SETTING_H

#include <stdint.h>

#include "config/config_priv.h"

struct setting {
    const struct config_option *option;
    const struct ast_config *entry;
    const struct ast_expr *value; /* of the entry; NULL: it has a block */
    void *block; /* struct config, config_source, config_sink or config_route */
};

/* Reads the value; mistakes are diagnostics, and the field stays as it was. */
void setting_read(struct reading *rd, const struct setting *s);

void *setting_field(const struct setting *s);
void setting_set_number(const struct setting *s, int64_t n);
/* "`KEY` is IS" at the value, with a hint or NULL. */
void setting_refuse(struct reading *rd, const struct setting *s, const char *is, const char *hint);
/* A word that stands alone; NULL if the value is none. */
const char *setting_word(const struct ast_expr *value);
/* Calls take for the value, or for each in its list: at most `most`, one at least (else a diagnostic). */
void setting_each(struct reading *rd, const struct setting *s, uint32_t most,
                  void (*take)(struct reading *rd, const struct setting *s,
                               const struct ast_expr *value));
/* Takes an owned text to the end of a list, config_texts. */
void setting_add_text(const struct setting *s, char *text);

/* webhook.c */
void webhook_read_url(struct reading *rd, const struct setting *s);
void webhook_read_proxy(struct reading *rd, const struct setting *s);
void webhook_read_secret(struct reading *rd, const struct setting *s);
void webhook_read_secrets(struct reading *rd, const struct setting *s);
void webhook_read_headers(struct reading *rd, const struct setting *s);
void webhook_read_body(struct reading *rd, const struct setting *s);
void webhook_read_tls_version(struct reading *rd, const struct setting *s);
void webhook_read_networks(struct reading *rd, const struct setting *s);

/* kafka.c */
void kafka_read_brokers(struct reading *rd, const struct setting *s);
void kafka_read_start(struct reading *rd, const struct setting *s);
void kafka_read_reset(struct reading *rd, const struct setting *s);
void kafka_read_properties(struct reading *rd, const struct setting *s);
/* kafka_files.c: the value of an option, taken; of one that names a file its path, and what is in it is noted. Owned. */
char *kafka_take_file(const struct reading *rd, struct config_kafka *kafka, const char *option, char *value);
/* The same of a directory, of which nothing is noted. */
char *kafka_take_path(const char *dir, const char *option, char *value);

/* route.c */
void route_read_severities(struct reading *rd, const struct setting *s);
void route_read_patterns(struct reading *rd, const struct setting *s);
void route_read_sinks(struct reading *rd, const struct setting *s);
void route_read_windows(struct reading *rd, const struct setting *s);

#endif
