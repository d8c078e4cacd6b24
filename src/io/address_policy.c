// SPDX-License-Identifier: Apache-2.0
#include "io/address_policy.h"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <stdint.h>
#include <string.h>
#include <sys/socket.h>

#include "base/buf.h"
#include "base/cidr.h"
#include "base/mem.h"

struct address_policy {
    struct cidr_set *allow;
};

struct network {
    const char *text;
    const char *kind;
    uint8_t address[16];
    unsigned bits;
};

/* https://www.iana.org/assignments/iana-ipv4-special-registry, iana-ipv6-special-registry */
static const struct network V4[] = {
    {"0.0.0.0/8", "unspecified", {0}, 8},
    {"10.0.0.0/8", "private", {10}, 8},
    {"100.64.0.0/10", "shared (carrier-grade NAT)", {100, 64}, 10},
    {"127.0.0.0/8", "loopback", {127}, 8},
    {"169.254.0.0/16", "link-local", {169, 254}, 16},
    {"172.16.0.0/12", "private", {172, 16}, 12},
    {"192.0.0.0/24", "reserved", {192, 0, 0}, 24},
    {"192.0.2.0/24", "documentation", {192, 0, 2}, 24},
    {"192.88.99.0/24", "reserved", {192, 88, 99}, 24},
    {"192.168.0.0/16", "private", {192, 168}, 16},
    {"198.18.0.0/15", "benchmarking", {198, 18}, 15},
    {"198.51.100.0/24", "documentation", {198, 51, 100}, 24},
    {"203.0.113.0/24", "documentation", {203, 0, 113}, 24},
    {"224.0.0.0/4", "multicast", {224}, 4},
    {"240.0.0.0/4", "reserved", {240}, 4},
};
static const struct network V6[] = {
    {"::/128", "unspecified", {0}, 128},
    {"::1/128", "loopback", {0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1}, 128},
    {"::/96", "reserved", {0}, 96}, /* IPv4-compatible, RFC 4291 2.5.5.1 */
    {"64:ff9b:1::/48", "private (local NAT64)", {0, 0x64, 0xff, 0x9b, 0, 1}, 48},
    {"100::/64", "discard-only", {0x01}, 64},
    {"2001::/23", "reserved", {0x20, 0x01}, 23}, /* Teredo among them */
    {"2001:db8::/32", "documentation", {0x20, 0x01, 0x0d, 0xb8}, 32},
    {"3fff::/20", "documentation", {0x3f, 0xff}, 20},
    {"5f00::/16", "segment routing", {0x5f}, 16},
    {"fc00::/7", "private (unique local)", {0xfc}, 7},
    {"fe80::/10", "link-local", {0xfe, 0x80}, 10},
    {"fec0::/10", "private (site-local)", {0xfe, 0xc0}, 10},
    {"ff00::/8", "multicast", {0xff}, 8},
};
static const uint8_t MAPPED[12] = {[10] = 0xff, [11] = 0xff};
static const uint8_t NAT64[12] = {0, 0x64, 0xff, 0x9b};

static bool is_in(const uint8_t *address, const struct network *net)
{
    unsigned whole = net->bits / 8, rest = net->bits % 8;

    if (memcmp(address, net->address, whole) != 0)
        return false;
    return rest == 0 || ((address[whole] ^ net->address[whole]) >> (8 - rest)) == 0;
}

static const char *kind_among(const uint8_t *address, const struct network *net, size_t n)
{
    for (size_t i = 0; i < n; i++)
        if (is_in(address, &net[i]))
            return net[i].kind;
    return NULL;
}

static const char *kind_v4(const uint8_t *address)
{
    return kind_among(address, V4, sizeof V4 / sizeof V4[0]);
}

static bool allowed(const struct address_policy *p, int family, const uint8_t *address)
{
    char text[INET6_ADDRSTRLEN];

    return inet_ntop(family, address, text, sizeof text) &&
           cidr_set_has(p->allow, text, strlen(text));
}

static bool allows_v4(const struct address_policy *p, const uint8_t *address, const char **kind_out)
{
    *kind_out = kind_v4(address);
    return !*kind_out || allowed(p, AF_INET, address);
}

static bool allows_v6(const struct address_policy *p, const uint8_t *address, const char **kind_out)
{
    const uint8_t *carried = NULL;

    if (memcmp(address, MAPPED, sizeof MAPPED) == 0)
        return allows_v4(p, address + sizeof MAPPED, kind_out);
    if (allowed(p, AF_INET6, address))
        return true;
    if (memcmp(address, NAT64, sizeof NAT64) == 0)
        carried = address + sizeof NAT64;
    else if (address[0] == 0x20 && address[1] == 0x02)
        carried = address + 2;
    if (carried && !allows_v4(p, carried, kind_out))
        return false;
    *kind_out = kind_among(address, V6, sizeof V6 / sizeof V6[0]);
    return !*kind_out;
}

struct address_policy *address_policy_new(const char *const *allow, size_t n, struct buf *why)
{
    struct address_policy *p = mem_calloc(1, sizeof *p);
    const char *wrong;

    p->allow = cidr_set_new();
    for (size_t i = 0; i < n; i++) {
        if (!cidr_set_add(p->allow, allow[i], strlen(allow[i]), &wrong)) {
            buf_printf(why, "`allow` has `%s`: %s", allow[i], wrong);
            address_policy_free(&p);
            return NULL;
        }
    }
    cidr_set_seal(p->allow);
    return p;
}

void address_policy_free(struct address_policy **p)
{
    if (!*p)
        return;
    cidr_set_free(&(*p)->allow);
    mem_free(*p);
    *p = NULL;
}

bool address_policy_allows(const struct address_policy *p, const struct sockaddr *address,
                           const char **kind_out)
{
    struct sockaddr_in v4;
    struct sockaddr_in6 v6;

    switch (address->sa_family) {
    case AF_INET:
        memcpy(&v4, address, sizeof v4);
        return allows_v4(p, (const uint8_t *)&v4.sin_addr, kind_out);
    case AF_INET6:
        memcpy(&v6, address, sizeof v6);
        return allows_v6(p, v6.sin6_addr.s6_addr, kind_out);
    default:
        *kind_out = "unknown";
        return false;
    }
}
