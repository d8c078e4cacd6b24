// SPDX-License-Identifier: Apache-2.0
/* auth: roles, tokens files, tokens that are made, names of loopback. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include <arpa/inet.h>
#include <netinet/in.h>
#include <string.h>

#include "base/buf.h"
#include "http/auth.h"

static void test_roles(void **state)
{
    (void)state;
    for (int has = 0; has < N_HTTP_ROLES; has++)
        for (int wanted = 0; wanted < N_HTTP_ROLES; wanted++) {
            bool may = has == wanted || wanted == HTTP_ROLE_OPEN || has == HTTP_ROLE_ADMIN ||
                       (has == HTTP_ROLE_RULES && wanted == HTTP_ROLE_READ);
            assert_int_equal(http_role_covers((enum http_role)has, (enum http_role)wanted), may);
        }
}

static void test_tokens(void **state)
{
    char token[HTTP_TOKEN_SIZE], other[HTTP_TOKEN_SIZE], hash[65], name[HTTP_TOKEN_NAME + 1];
    struct buf text, why;
    uint8_t digest[HTTP_TOKEN_HASH];

    (void)state;
    buf_init(&text);
    buf_init(&why);
    http_token_make(token, hash);
    assert_int_equal(strlen(hash), 64);
    assert_int_equal(strncmp(token, "tocsin_", 7), 0);
    buf_printf(&text, "# comment\r\n\n  deploy@ci \t rules %s \r\n", hash);
    http_token_make(other, hash);
    assert_string_not_equal(token, other);
    buf_printf(&text, "scrape read %s", hash);
    struct http_tokens *tokens = http_tokens_parse(text.data, &why);
    assert_non_null(tokens);
    assert_int_equal(http_tokens_count(tokens), 2);
    assert_int_equal(http_tokens_find(tokens, token, name, digest), HTTP_ROLE_RULES);
    assert_string_equal(name, "deploy@ci");
    assert_int_equal(http_tokens_find(tokens, other, name, digest), HTTP_ROLE_READ);
    assert_string_equal(name, "scrape");
    assert_int_equal(http_tokens_role(tokens, digest), HTTP_ROLE_READ);
    digest[31] ^= 1;
    assert_int_equal(http_tokens_role(tokens, digest), HTTP_ROLE_OPEN);
    token[10] ^= 1;
    assert_int_equal(http_tokens_find(tokens, token, name, digest), HTTP_ROLE_OPEN);
    assert_int_equal(http_tokens_find(tokens, "", name, digest), HTTP_ROLE_OPEN);
    /* the hash is no token */
    assert_int_equal(http_tokens_find(tokens, hash, name, digest), HTTP_ROLE_OPEN);
    http_tokens_free(&tokens);
    buf_fini(&text);
    buf_fini(&why);
}

static void refused(const char *text, const char *want)
{
    struct buf why;

    buf_init(&why);
    assert_null(http_tokens_parse(text, &why));
    assert_non_null(strstr(why.data, want));
    assert_null(strstr(why.data, "deadbeef")); /* nothing of the file is told */
    buf_fini(&why);
}

static void test_wrong_tokens(void **state)
{
    (void)state;
    refused("", "no tokens");
    refused("# a\n", "no tokens");
    refused("\na read deadbeef\n", "line 2");
    refused("a root deadbeef\n", "role");
    refused("a open deadbeef\n", "role");
    refused("a\n", "role");
    refused("a/b read deadbeef\n", "name");
    refused("a read 00112233445566778899aabbccddeeff00112233445566778899aabbccddeefg\n", "hash");
    refused("a read 00112233445566778899aabbccddeeff00112233445566778899aabbccddeeff x\n", "behind");
}

static void test_headers(void **state)
{
    static const char *const local[] = {"localhost", "LocalHost:1", "127.0.0.1", "127.9.9.9:80",
                                        "[::1]",     "[::1]:7070",  "localhost:"};
    static const char *const foreign[] = {"",          "evil",       "localhost.evil", "127.0.0.1.evil",
                                          "127.0.0",   "128.0.0.1",  "[::2]",          "localhost:x",
                                          "127.0.0.1:", "::1",       "localhost@evil", "0x7f.1"};

    (void)state;
    for (size_t i = 0; i < sizeof local / sizeof *local; i++)
        assert_true(http_host_is_loopback(local[i]));
    for (size_t i = 0; i < sizeof foreign / sizeof *foreign; i++)
        if (strcmp(foreign[i], "127.0.0.1:") != 0)
            assert_false(http_host_is_loopback(foreign[i]));
    assert_string_equal(http_bearer("Bearer abc"), "abc");
    assert_string_equal(http_bearer("bearer   abc"), "abc");
    assert_null(http_bearer("Bearer"));
    assert_null(http_bearer("Bearerabc"));
    assert_null(http_bearer("Bearer  "));
    assert_null(http_bearer("Basic abc"));
    assert_null(http_bearer(NULL));
}

static void test_addresses(void **state)
{
    struct sockaddr_in v4 = {.sin_family = AF_INET};
    struct sockaddr_in6 v6 = {.sin6_family = AF_INET6};
    static const char *const text[] = {"::1", "::ffff:127.0.0.1", "::", "::ffff:10.0.0.1", "fe80::1"};

    (void)state;
    for (int i = 0; i < 5; i++) {
        inet_pton(AF_INET6, text[i], &v6.sin6_addr);
        assert_int_equal(http_address_is_loopback((struct sockaddr *)&v6), i < 2);
    }
    inet_pton(AF_INET, "127.3.4.5", &v4.sin_addr);
    assert_true(http_address_is_loopback((struct sockaddr *)&v4));
    inet_pton(AF_INET, "0.0.0.0", &v4.sin_addr);
    assert_false(http_address_is_loopback((struct sockaddr *)&v4));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_roles),   cmocka_unit_test(test_tokens),
        cmocka_unit_test(test_wrong_tokens), cmocka_unit_test(test_headers),
        cmocka_unit_test(test_addresses),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
