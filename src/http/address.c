// SPDX-License-Identifier: Apache-2.0
#include "http/address.h"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "http/auth.h"

bool http_address_read(struct http_address *to, const char *text)
{
    const char *colon = strrchr(text, ':');
    const char *from = text;
    size_t len;

    if (!colon || !colon[1] || strlen(colon + 1) >= sizeof to->port)
        return false;
    len = (size_t)(colon - text);
    if (len >= 2 && text[0] == '[' && text[len - 1] == ']') {
        from++;
        len -= 2;
    } else if (memchr(text, ':', len)) {
        return false; /* an IPv6 address without brackets */
    }
    if (len == 0 || len >= sizeof to->host)
        return false;
    memcpy(to->host, from, len);
    to->host[len] = '\0';
    snprintf(to->port, sizeof to->port, "%s", colon + 1);
    return strspn(to->port, "0123456789") == strlen(to->port) && strtoul(to->port, NULL, 10) <= 65535;
}

bool http_address_is_public(const struct http_address *at)
{
    struct sockaddr_in v4 = {.sin_family = AF_INET};
    struct sockaddr_in6 v6 = {.sin6_family = AF_INET6};

    if (inet_pton(AF_INET, at->host, &v4.sin_addr) == 1)
        return !http_address_is_loopback((const struct sockaddr *)&v4);
    return inet_pton(AF_INET6, at->host, &v6.sin6_addr) == 1 &&
           !http_address_is_loopback((const struct sockaddr *)&v6);
}
