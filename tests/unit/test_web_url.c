// SPDX-License-Identifier: Apache-2.0
/* web_url: what is taken, what is refused and why, and what of an URL is shown. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>


#include <stdbool.h>
#include <string.h>

#include "base/buf.h"
#include "io/web.h"
#include "io/web_url.h"

static void refused(const char *text, const char *message, const char *secret)
{
    struct buf why;
    struct web_url url;

    buf_init(&why);
    if (web_url_check(text, &why))
        fail_msg("%s is taken", text);
    if (!strstr(why.data, message))
        fail_msg("%s: %s", text, why.data);
    if (secret)
        assert_null(strstr(why.data, secret));
    assert_false(web_url_init(&url, text, &why));
    buf_fini(&why);
}

static void taken(const char *text, const char *normal, const char *path, bool tls, const char *shown)
{
    struct buf b;
    struct web_url url;

    buf_init(&b);
    if (!web_url_check(text, &b) || !web_url_init(&url, text, &b))
        fail_msg("%s: %s", text, b.data);
    assert_string_equal(url.text, normal);
    assert_string_equal(url.path, path);
    assert_int_equal(url.tls, tls);
    buf_clear(&b);
    web_url_add_shown(&b, text);
    assert_string_equal(b.data, shown);
    web_url_fini(&url);
    buf_fini(&b);
}

static void good(void **state)
{
    (void)state;
    taken("https://example.com", "https://example.com/", "/", true, "https://example.com");
    taken("http://example.com:8080/a/b?c=d&e", "http://example.com:8080/a/b?c=d&e", "/a/b?c=d&e", false,
          "http://example.com:8080");
    taken("https://[2001:db8::1]:1/x", "https://[2001:db8::1]:1/x", "/x", true, "https://[2001:db8::1]:1");
    taken("http://0x7f.1/", "http://127.0.0.1/", "/", false, "http://127.0.0.1");
    taken("https://hooks.slack.com/services/T0/B0/XyZ", "https://hooks.slack.com/services/T0/B0/XyZ",
          "/services/T0/B0/XyZ", true, "https://hooks.slack.com");
}

static void bad(void **state)
{
    char longer[9000];

    (void)state;
    refused("", "no URL", NULL);
    refused("example.com/path", "no URL", NULL);
    refused("https://", "no URL", NULL);
    refused("https:///path", "no URL", NULL);
    refused("https:/host/path", "no URL", NULL);
    refused("https:host", "no URL", NULL);
    refused("https://a:99999/", "no URL", NULL);
    refused("https://a:b:c/", "no URL", NULL);
    refused("ftp://example.com/", "`ftp:`", NULL);
    refused("file:///etc/passwd", "no URL", NULL);
    refused("gopher://example.com/", "`gopher:`", NULL);
    refused("unix:/run/socket", "no URL", NULL);
    refused("https://user:hush@example.com/", "headers", "hush");
    refused("https://hush@example.com/", "headers", "hush");
    refused("https://example.com/a b", "blank", NULL);
    refused("https://example.com/\n", "blank", NULL);
    refused("https://b\xc3\xbc" "cher.example/", "xn--", NULL);
    refused("https://example.com/#part", "fragment", NULL);
    memset(longer, 'a', sizeof longer);
    memcpy(longer, "https://a/", 10);
    longer[sizeof longer - 1] = '\0';
    refused(longer, "longer", NULL);
}

static void shown(void **state)
{
    struct buf b;

    (void)state;
    buf_init(&b);
    web_url_add_shown(&b, "https://u:p@h.example/x?y#z");
    assert_string_equal(b.data, "https://h.example");
    buf_clear(&b);
    web_url_add_shown(&b, "nothing");
    assert_string_equal(b.data, "something that is no URL");
    buf_fini(&b);
}

static void proxies(void **state)
{
    static const char *const GOOD[] = {"http://p:3128", "https://u:p@p.example", "socks5h://[::1]:1080"};
    static const char *const BAD[] = {"p:3128", "ftp://p", "http://", "", "http://a b"};
    struct buf why;

    (void)state;
    buf_init(&why);
    for (size_t i = 0; i < sizeof GOOD / sizeof GOOD[0]; i++)
        assert_true(web_proxy_check(GOOD[i], &why));
    for (size_t i = 0; i < sizeof BAD / sizeof BAD[0]; i++)
        assert_false(web_proxy_check(BAD[i], &why));
    buf_fini(&why);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(good), cmocka_unit_test(bad), cmocka_unit_test(shown),
                                       cmocka_unit_test(proxies)};

    return cmocka_run_group_tests(tests, NULL, NULL);
}
