// SPDX-License-Identifier: Apache-2.0
/*
 * tls - a certificate with its key that can be exchanged while connections come (GnuTLS).
 * A handshake takes what is there when it begins; those before go on with theirs.
 */
#ifndef HTTP_TLS_H
#define HTTP_TLS_H

#include <stdbool.h>

struct buf;
struct http_tls;

/* Paths of PEM files. NULL and why. */
struct http_tls *http_tls_new(const char *certificate, const char *key, struct buf *why);
void http_tls_free(struct http_tls **tls);
/* Any thread. False and why: the old one stays. */
bool http_tls_renew(struct http_tls *tls, const char *certificate, const char *key, struct buf *why);
/* What MHD_OPTION_HTTPS_CERT_CALLBACK wants. The session's connection says which http_tls: */
void *http_tls_callback(void);
/* told by the server: the http_tls of a connection (struct MHD_Connection). */
struct http_tls *http_server_tls_of(void *connection);

#endif
