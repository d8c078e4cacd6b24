// SPDX-License-Identifier: Apache-2.0
/* An address to listen at, as it is written: `HOST:PORT`, `[HOST]:PORT`. */
#ifndef TOCSIN_HTTP_ADDRESS_H
#define TOCSIN_HTTP_ADDRESS_H

#include <stdbool.h>

struct http_address {
    char host[256]; /* a name or an address, without brackets */
    char port[16];  /* 0 to 65535 */
};

/* False: it is none. */
bool http_address_read(struct http_address *to, const char *text);
/* The host is an address, no name, and not one of loopback. */
bool http_address_is_public(const struct http_address *at);

#endif
