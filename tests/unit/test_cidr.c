// SPDX-License-Identifier: Apache-2.0
/* cidr: parsing, what is refused, and sets against comparing bit by bit. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include <arpa/inet.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/cidr.h"

static bool parses(const char *text)
{
    struct ip_address ip;

    return ip_parse(text, strlen(text), &ip);
}

static void addresses(void **state)
{
    struct ip_address a, b;

    (void)state;
    assert_true(ip_parse("10.1.2.3", 8, &a));
    assert_memory_equal(a.bytes, "\0\0\0\0\0\0\0\0\0\0\xff\xff\x0a\x01\x02\x03", 16);
    assert_true(ip_parse("::ffff:10.1.2.3", 15, &b));
    assert_memory_equal(a.bytes, b.bytes, 16);
    assert_true(ip_parse("::FFFF:a01:203", 14, &b));
    assert_memory_equal(a.bytes, b.bytes, 16);
    assert_true(parses("::"));
    assert_true(parses("::1"));
    assert_true(parses("0.0.0.0"));
    assert_true(parses("255.255.255.255"));
    assert_true(parses("ffff:ffff:ffff:ffff:ffff:ffff:255.255.255.255"));
    assert_true(parses("2001:db8::8a2e:370:7334"));
}

static void no_addresses(void **state)
{
    static const char *const bad[] = {
        "",          "1",         "1.2.3",       "1.2.3.4.5",    "256.1.1.1",   "1.2.3.",
        ".1.2.3",    "1..2.3",    "01.2.3.4",    "1.2.3.04",     "1.2.3.4 ",    " 1.2.3.4",
        "0x1.2.3.4", "1.2.3.-4",  "+1.2.3.4",    "1,2,3,4",      "1.2.3.1234",  ":",
        ":::",       "1::2::3",   "12345::",     "g::",          "fe80::1%eth0", "[::1]",
        "1:2:3:4:5:6:7",          "1:2:3:4:5:6:7:8:9",           "::1.2.3",     "::1.2.3.256",
        "ffff:ffff:ffff:ffff:ffff:ffff:255.255.255.2555555555",
    };

    (void)state;
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++)
        assert_false(parses(bad[i]));
    struct ip_address ip;
    assert_false(ip_parse("1.2.3.4\0", 8, &ip));
    assert_false(ip_parse("::1\0", 4, &ip));
    assert_false(ip_parse(NULL, 0, &ip));
}

/* Texts like IPv4 addresses, against inet_pton. */
static void random_parse(void **state)
{
    static const char bytes[] = "0123456789...25";

    (void)state;
    srand(17);
    for (int i = 0; i < 300000; i++) {
        char text[20];
        unsigned char want[4];
        struct ip_address ip;
        size_t n = (size_t)rand() % 9 + 4;
        for (size_t j = 0; j < n; j++)
            text[j] = i % 2 && j % 2 ? '.' : bytes[(size_t)rand() % (sizeof bytes - 1)];
        text[n] = '\0';
        bool good = inet_pton(AF_INET, text, want) == 1;
        assert_int_equal(ip_parse(text, n, &ip), good);
        if (good)
            assert_memory_equal(ip.bytes + 12, want, 4);
    }
}

static const char *refused(const char *text)
{
    struct cidr_set *set = cidr_set_new();
    const char *why = NULL;

    assert_false(cidr_set_add(set, text, strlen(text), &why));
    assert_non_null(why);
    cidr_set_free(&set);
    assert_null(set);
    return why;
}

static void refused_networks(void **state)
{
    (void)state;
    refused("");
    refused("/8");
    refused("10.0.0.0/");
    refused("10.0.0.0/33");
    refused("10.0.0.0/-1");
    refused("10.0.0.0/08");
    refused("10.0.0.0/8 ");
    refused("10.0.0.0/8/8");
    refused("10.0.0.0/4294967304");
    refused("::/129");
    refused("10/8");
    assert_non_null(strstr(refused("10.0.0.1/8"), "bits"));
    assert_non_null(strstr(refused("2001:db8::1/32"), "bits"));
    assert_non_null(strstr(refused("0.0.0.1/0"), "bits"));
    assert_non_null(strstr(refused("::1/0"), "bits"));
}

static struct cidr_set *set_of(const char *const *networks)
{
    struct cidr_set *set = cidr_set_new();
    const char *why;

    for (; *networks; networks++)
        assert_true(cidr_set_add(set, *networks, strlen(*networks), &why));
    cidr_set_seal(set);
    return set;
}

static bool has(const struct cidr_set *set, const char *ip)
{
    return cidr_set_has(set, ip, strlen(ip));
}

static void borders(void **state)
{
    struct cidr_set *set = set_of((const char *const[]){
        "192.168.1.7", "10.0.0.0/8", "172.16.0.0/12", "2001:db8::/32", "::1",
        "255.255.255.255/32", "0.0.0.0/32", "::ffff:9.9.9.0/120", NULL });

    (void)state;
    assert_true(has(set, "10.0.0.0"));
    assert_true(has(set, "10.255.255.255"));
    assert_false(has(set, "9.255.255.255"));
    assert_false(has(set, "11.0.0.0"));
    assert_true(has(set, "172.31.255.255"));
    assert_false(has(set, "172.32.0.0"));
    assert_true(has(set, "192.168.1.7"));
    assert_false(has(set, "192.168.1.8"));
    assert_true(has(set, "255.255.255.255"));
    assert_true(has(set, "0.0.0.0"));
    assert_false(has(set, "0.0.0.1"));
    assert_true(has(set, "::ffff:10.1.1.1"));
    assert_true(has(set, "9.9.9.200"));
    assert_true(has(set, "2001:db8:ffff:ffff:ffff:ffff:ffff:ffff"));
    assert_false(has(set, "2001:db9::"));
    assert_true(has(set, "::1"));
    assert_false(has(set, "::2"));
    assert_false(has(set, "no address"));
    assert_false(has(set, ""));
    assert_false(has(set, "10.0.0.0/8"));
    cidr_set_free(&set);
}

static void families_are_apart(void **state)
{
    struct cidr_set *all6 = set_of((const char *const[]){ "::/0", NULL });
    struct cidr_set *all4 = set_of((const char *const[]){ "0.0.0.0/0", "1.2.3.4", NULL });
    struct cidr_set *none = set_of((const char *const[]){ NULL });

    (void)state;
    assert_true(has(all6, "ffff::1"));
    assert_true(has(all6, "::"));
    assert_false(has(all6, "10.0.0.1"));
    assert_true(has(all4, "255.255.255.255"));
    assert_true(has(all4, "::ffff:1.2.3.4"));
    assert_false(has(all4, "::1"));
    assert_false(has(none, "1.2.3.4"));
    assert_false(has(none, "::1"));
    cidr_set_free(&all6);
    cidr_set_free(&all4);
    cidr_set_free(&none);
    cidr_set_free(&none);
}

static bool same_bits(const uint8_t *a, const uint8_t *b, unsigned bits)
{
    for (unsigned i = 0; i < bits; i++) {
        if ((a[i / 8] ^ b[i / 8]) & 0x80 >> i % 8)
            return false;
    }
    return true;
}

static void random_address(uint8_t *bytes, size_t n)
{
    /* few values, so that networks overlap, touch and hold addresses */
    for (size_t i = 0; i < n; i++)
        bytes[i] = rand() % 3 ? (uint8_t)(rand() % 3) : rand() % 2 ? 0xff : (uint8_t)rand();
}

static void random_sets(int family, size_t bytes)
{
    for (int round = 0; round < 3000; round++) {
        uint8_t net[40][16];
        unsigned bits[40];
        char text[INET6_ADDRSTRLEN + 8];
        const char *why;
        struct cidr_set *set = cidr_set_new();
        int n = rand() % 40;
        for (int i = 0; i < n; i++) {
            random_address(net[i], bytes);
            bits[i] = (unsigned)rand() % (unsigned)(bytes * 8) + 1;
            for (unsigned b = bits[i]; b < bytes * 8; b++)
                net[i][b / 8] &= (uint8_t)~(0x80 >> b % 8);
            inet_ntop(family, net[i], text, sizeof text);
            size_t len = strlen(text);
            snprintf(text + len, sizeof text - len, "/%u", bits[i]);
            assert_true(cidr_set_add(set, text, strlen(text), &why));
        }
        cidr_set_seal(set);
        for (int k = 0; k < 30; k++) {
            uint8_t ip[16];
            bool want = false;
            random_address(ip, bytes);
            for (int i = 0; i < n; i++)
                want = want || same_bits(net[i], ip, bits[i]);
            inet_ntop(family, ip, text, sizeof text);
            assert_int_equal(has(set, text), want);
        }
        cidr_set_free(&set);
    }
}

static void random_against_naive(void **state)
{
    (void)state;
    srand(19);
    random_sets(AF_INET, 4);
    random_sets(AF_INET6, 16);
}

static void add_after_seal(void **state)
{
    struct cidr_set *set = set_of((const char *const[]){ "9.0.0.0/8", NULL });
    const char *why;

    (void)state;
    assert_true(cidr_set_add(set, "8.0.0.0/8", 9, &why));
    cidr_set_seal(set);
    assert_true(has(set, "8.1.1.1"));
    assert_true(has(set, "9.1.1.1"));
    cidr_set_free(&set);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(addresses),          cmocka_unit_test(no_addresses),
        cmocka_unit_test(random_parse),       cmocka_unit_test(refused_networks),
        cmocka_unit_test(borders),            cmocka_unit_test(families_are_apart),
        cmocka_unit_test(add_after_seal),     cmocka_unit_test(random_against_naive),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
