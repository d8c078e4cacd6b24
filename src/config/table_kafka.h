// SPDX-License-Identifier: Apache-2.0
/* table_kafka - what a table from Kafka says (lang/table_kafka.h) with the configuration beside it: is it right, and
 * what a client of it is to be told. */
#ifndef CONFIG_TABLE_KAFKA_H
#define CONFIG_TABLE_KAFKA_H

#include <stdbool.h>

#include "config/config.h"
#include "lang/table_kafka.h"

struct buf;

struct config_table_check {
    const struct config *config; /* NULL: there is none, and sources that are named are taken as declared */
    bool secrets;                /* what env() and file() name has to be there */
};
/* A table_kafka_check_fn; ctx: struct config_table_check. */
void config_check_table(void *ctx, const struct table_kafka *kafka, struct diag *diag);
/* Brokers, the one topic and options, read now; owned, config_table_fini. False and why (no value is told). */
bool config_table_settings(const struct config *config, const struct table_kafka *kafka,
                           struct config_kafka *settings_out, struct buf *why);
void config_table_fini(struct config_kafka *settings);

#endif
