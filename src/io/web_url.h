// SPDX-License-Identifier: Apache-2.0
/*
 * web_url - URLs of webhooks, as libcurl reads them: what is checked is what is connected to.
 *
 * Of an URL only scheme, host and port are ever shown: paths of many services are secrets, as are
 * userinfo and query.
 */
#ifndef IO_WEB_URL_H
#define IO_WEB_URL_H

#include <stdbool.h>

struct buf;

struct web_url {
    char *text; /* owned, normalised; with its path and query */
    char *path; /* owned; path and query, a secret */
    bool tls;
};

/* False and a message in why, as web_url_check (io/web.h); then there is nothing to free. */
bool web_url_init(struct web_url *url, const char *text, struct buf *why);
void web_url_fini(struct web_url *url);
/* Appends SCHEME://HOST[:PORT], or what stands for it if the text is no URL with a host. */
void web_url_add_shown(struct buf *out, const char *text);
/* Is it one that a proxy may have? False and a message in why. */
bool web_proxy_check(const char *text, struct buf *why);

#endif
