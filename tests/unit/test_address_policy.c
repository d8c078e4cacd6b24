// SPDX-License-Identifier: Apache-2.0
/* address_policy: what leads inside is refused, at the edges of each network, also inside IPv6. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>


#include <arpa/inet.h>
#include <netinet/in.h>
#include <string.h>
#include <sys/un.h>

#include "base/buf.h"
#include "io/address_policy.h"

/* NULL: allowed; else the kind. */
static const char *kind_of(const struct address_policy *p, const char *text)
{
    struct sockaddr_in v4 = {.sin_family = AF_INET};
    struct sockaddr_in6 v6 = {.sin6_family = AF_INET6};
    const char *kind = NULL;

    if (inet_pton(AF_INET, text, &v4.sin_addr) == 1)
        return address_policy_allows(p, (const struct sockaddr *)&v4, &kind) ? NULL : kind;
    if (inet_pton(AF_INET6, text, &v6.sin6_addr) != 1)
        fail_msg("%s is no address", text);
    return address_policy_allows(p, (const struct sockaddr *)&v6, &kind) ? NULL : kind;
}

static struct address_policy *with(const char *const *allow, size_t n)
{
    struct buf why;

    buf_init(&why);
    struct address_policy *p = address_policy_new(allow, n, &why);
    if (!p)
        fail_msg("%s", why.data);
    buf_fini(&why);
    return p;
}

static const char *const REFUSED[] = {
    "0.0.0.0", "0.255.255.255", "10.0.0.0", "10.255.255.255", "100.64.0.0", "100.127.255.255", "127.0.0.1",
    "127.255.255.255", "169.254.0.0", "169.254.169.254", "169.254.255.255", "172.16.0.0", "172.31.255.255",
    "192.0.0.1", "192.0.2.1", "192.88.99.1", "192.168.0.0", "192.168.255.255", "198.18.0.0", "198.19.255.255",
    "198.51.100.9", "203.0.113.255", "224.0.0.1", "239.255.255.255", "240.0.0.1", "255.255.255.255",
    "::", "::1", "::2", "::7f00:1", "64:ff9b:1::a00:1", "100::", "100::ffff:ffff:ffff:ffff", "2001::1",
    "2001:1ff:ffff::", "2001:db8::1", "3fff:fff::1", "5f00::1", "fc00::1", "fdff:ffff::1", "fe80::1",
    "febf::1", "fec0::1", "feff::1", "ff02::1",
    /* IPv4 inside: mapped, NAT64, 6to4 */
    "::ffff:127.0.0.1", "::ffff:10.1.2.3", "::ffff:169.254.169.254", "64:ff9b::127.0.0.1",
    "64:ff9b::a9fe:a9fe", "2002:7f00:1::1", "2002:a00:1::", "2002:a9fe:a9fe::5", "2002:c0a8:101::1"};
static const char *const ALLOWED[] = {
    "1.0.0.0", "1.1.1.1", "9.255.255.255", "11.0.0.0", "100.63.255.255", "100.128.0.0", "126.255.255.255",
    "128.0.0.0", "169.253.255.255", "169.255.0.0", "172.15.255.255", "172.32.0.0", "192.0.1.1",
    "192.167.255.255", "192.169.0.0", "198.17.255.255", "198.20.0.0", "223.255.255.255",
    "2001:200::1", "2001:4860:4860::8888", "2001:db9::1", "2606:4700::1111", "fbff::1", "100:0:0:1::",
    "::ffff:8.8.8.8", "64:ff9b::8.8.8.8", "2002:808:808::1"};

static void defaults(void **state)
{
    struct address_policy *p = with(NULL, 0);

    (void)state;
    for (size_t i = 0; i < sizeof REFUSED / sizeof REFUSED[0]; i++)
        if (!kind_of(p, REFUSED[i]))
            fail_msg("%s is allowed", REFUSED[i]);
    for (size_t i = 0; i < sizeof ALLOWED / sizeof ALLOWED[0]; i++)
        if (kind_of(p, ALLOWED[i]))
            fail_msg("%s is refused: %s", ALLOWED[i], kind_of(p, ALLOWED[i]));
    assert_string_equal(kind_of(p, "169.254.169.254"), "link-local");
    assert_string_equal(kind_of(p, "::ffff:10.0.0.1"), "private");
    assert_string_equal(kind_of(p, "2002:7f00:1::1"), "loopback");
    address_policy_free(&p);
    address_policy_free(&p);
}

static void allow(void **state)
{
    static const char *const NET[] = {"10.1.0.0/16", "127.0.0.1", "fd00:1::/32", "::1"};
    struct address_policy *p = with(NET, 4);

    (void)state;
    assert_null(kind_of(p, "10.1.2.3"));
    assert_null(kind_of(p, "::ffff:10.1.2.3"));
    assert_null(kind_of(p, "64:ff9b::10.1.2.3"));
    assert_null(kind_of(p, "2002:a01:203::1"));
    assert_null(kind_of(p, "127.0.0.1"));
    assert_null(kind_of(p, "fd00:1::9"));
    assert_null(kind_of(p, "::1"));
    assert_non_null(kind_of(p, "10.2.0.0"));
    assert_non_null(kind_of(p, "127.0.0.2"));
    assert_non_null(kind_of(p, "fd00:2::9"));
    assert_non_null(kind_of(p, "2002:a02:203::1"));
    address_policy_free(&p);
}

static void all_of_ipv6(void **state)
{
    static const char *const NET[] = {"::/0"};
    struct address_policy *p = with(NET, 1);

    (void)state;
    assert_null(kind_of(p, "fe80::1"));
    assert_null(kind_of(p, "64:ff9b::127.0.0.1"));
    assert_non_null(kind_of(p, "::ffff:127.0.0.1")); /* is IPv4 */
    address_policy_free(&p);
}

static void mistakes(void **state)
{
    static const char *const BAD[] = {"10.0.0.0/8", "10.0.0.1/8"};
    struct sockaddr_un local = {.sun_family = AF_UNIX};
    const char *kind = NULL;
    struct buf why;

    (void)state;
    buf_init(&why);
    assert_null(address_policy_new(BAD, 2, &why));
    assert_non_null(strstr(why.data, "10.0.0.1/8"));
    buf_fini(&why);
    struct address_policy *p = with(NULL, 0);
    assert_false(address_policy_allows(p, (const struct sockaddr *)&local, &kind));
    assert_string_equal(kind, "unknown");
    address_policy_free(&p);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(defaults), cmocka_unit_test(allow),
                                       cmocka_unit_test(all_of_ipv6), cmocka_unit_test(mistakes)};

    return cmocka_run_group_tests(tests, NULL, NULL);
}
