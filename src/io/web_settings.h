// SPDX-License-Identifier: Apache-2.0
/* web_settings - what an endpoint's options say, checked and copied; files read. Private to io/web*. */
#ifndef IO_WEB_SETTINGS_H
#define IO_WEB_SETTINGS_H

#include <stddef.h>
#include <stdint.h>

#include "base/buf.h"
#include "io/web.h"
#include "io/web_url.h"

struct address_policy;

struct web_settings { /* all owned */
    uint32_t refs;
    struct web_url url;
    struct buf key[2]; /* of signatures */
    size_t n_keys;
    char **header; /* "Name: value", as libcurl wants it */
    size_t n_headers;
    struct buf ca, certificate, private_key; /* PEM; empty: none */
    enum web_tls tls_least;
    char *proxy; /* "" : none */
    struct address_policy *policy;
    int64_t connect_timeout, timeout;
    size_t max_response;
    uint32_t max_connections;
    struct buf *hidden; /* texts that no message may have */
    size_t n_hidden;
};

/* NULL and a message in why. One thread. */
struct web_settings *web_settings_new(const struct web_endpoint_options *opt, struct buf *why);
struct web_settings *web_settings_ref(struct web_settings *s); /* returns s */
void web_settings_unref(struct web_settings **s);

#endif
