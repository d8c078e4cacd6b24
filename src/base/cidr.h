// SPDX-License-Identifier: Apache-2.0
/*
 * cidr - sets of IPv4 and IPv6 networks: is the address in any of them?
 *
 * ::ffff:a.b.c.d is the IPv4 address a.b.c.d; other than that the families are apart: ::/0 holds no
 * IPv4 address. Octets with leading zeros, zone names and ports are no addresses.
 */
#ifndef BASE_CIDR_H
#define BASE_CIDR_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct ip_address {
    uint8_t bytes[16]; /* IPv4 as ::ffff:a.b.c.d, so a mapped address equals its IPv4 */
};

bool ip_parse(const char *text, size_t len, struct ip_address *ip_out);

struct cidr_set;
struct cidr_set *cidr_set_new(void);
void cidr_set_free(struct cidr_set **set);
/* "10.0.0.0/8", "2001:db8::/32" or a single address; false (and *why_out, static text) if it is
 * none; host bits that are set are refused with a reason too. */
bool cidr_set_add(struct cidr_set *set, const char *text, size_t len, const char **why_out);
/* After the last add, before the first lookup. */
void cidr_set_seal(struct cidr_set *set);
/* O(log n). Text that is no address is in no set. */
bool cidr_set_has(const struct cidr_set *set, const char *text, size_t len);

#endif
