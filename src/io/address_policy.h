// SPDX-License-Identifier: Apache-2.0
/*
 * address_policy - which addresses a webhook may go to. Those that lead inside are refused unless a
 * network of `allow` holds them: a configuration, or a name whose owner moves it, must not make the
 * daemon talk to what only its host or its network may reach.
 *
 * Refused are the special-purpose addresses that are not globally reachable (IANA registries,
 * RFC 6890 and what came after): the table is address_policy.c. An IPv6 address that carries an
 * IPv4 address (mapped, NAT64 64:ff9b::/96, 6to4 2002::/16) is also judged by that one.
 */
#ifndef IO_ADDRESS_POLICY_H
#define IO_ADDRESS_POLICY_H

#include <stdbool.h>
#include <stddef.h>

struct address_policy;
struct buf;
struct sockaddr;

/* allow: networks as base/cidr.h reads them. NULL and a message in why if one is none. */
struct address_policy *address_policy_new(const char *const *allow, size_t n, struct buf *why);
void address_policy_free(struct address_policy **p);
/* False, and what kind of address it is in *kind_out ("private", "loopback", ...; static). An
 * address that is neither IPv4 nor IPv6 is refused. */
bool address_policy_allows(const struct address_policy *p, const struct sockaddr *address,
                           const char **kind_out);

#endif
