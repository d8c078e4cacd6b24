// SPDX-License-Identifier: Apache-2.0
/* compare - what is different between two readings of a configuration, and what that takes. */
#ifndef CONFIG_COMPARE_H
#define CONFIG_COMPARE_H

#include <stdbool.h>

struct buf;
struct config;

struct config_difference {
    bool flow;    /* sources, limits, routes: the pipeline is to be made anew */
    bool sinks;   /* what gets alerts is to be made anew too */
    bool in;      /* who puts input into spools, too */
    bool secrets; /* of webhooks: that alone is no reason to make anything anew */
    bool http;    /* its tokens, or the files of its certificate: nor are these */
    bool no_renewal; /* of them, as they come or go: with a start alone */
};

/* Names what has changed and is read at a start alone in later_out, as "`state`, `dead_letter_count`". */
void config_compare(const struct config *was, const struct config *now,
                    struct config_difference *difference_out, struct buf *later_out);
/* Tokens and files of the certificate of the HTTP interface go from `now` to `was`, which goes on. */
void config_take_http(struct config *was, struct config *now);
/* The secrets, headers and certificates of webhooks go from `now` to `was`: nothing else is different. */
void config_take_secrets(struct config *was, struct config *now);
/* What is read at a start alone goes from `was`, which ends, to `now`. */
void config_keep(struct config *was, struct config *now);

#endif
