// SPDX-License-Identifier: Apache-2.0
/* web_settings: mistakes of endpoints are refused with their reason and without their secrets. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>


#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/buf.h"
#include "io/web_settings.h"
#include <unit/pem_fixture.h>

#define HUSH "hush-hush-hush"

static void refused(const struct web_endpoint_options *opt, const char *message)
{
    struct buf why;

    buf_init(&why);
    assert_null(web_settings_new(opt, &why));
    if (!strstr(why.data, message))
        fail_msg("%s", why.data);
    assert_null(strstr(why.data, HUSH));
    buf_fini(&why);
}

static struct web_settings *taken(const struct web_endpoint_options *opt)
{
    struct buf why;

    buf_init(&why);
    struct web_settings *s = web_settings_new(opt, &why);
    if (!s)
        fail_msg("%s", why.data);
    buf_fini(&why);
    return s;
}

static void headers(void **state)
{
    static const struct web_header BAD[] = {
        {"", HUSH}, {"a b", HUSH}, {"a:", HUSH}, {"a\n", HUSH}, {"\xc3\xa4", HUSH}, {"ok", HUSH "\r\nEvil: 1"},
        {"ok", "\x01" HUSH}, {"Content-Length", HUSH}, {"host", HUSH}, {"Transfer-Encoding", HUSH},
        {"webhook-id", HUSH}, {"Webhook-Signature", HUSH}, {"content-type", HUSH}};
    struct web_header good[] = {{"Authorization", "Bearer " HUSH}, {"X-Empty", ""}, {"X-Blank", " \t"},
                                {"X-Utf8", "\xc3\xa4"}};
    struct web_endpoint_options opt = {.name = "n", .url = "https://example.com/p?" HUSH, .n_headers = 1};

    (void)state;
    for (size_t i = 0; i < sizeof BAD / sizeof BAD[0]; i++) {
        opt.header = &BAD[i];
        refused(&opt, "header");
    }
    char *longer = calloc(1, 20000);
    memset(longer, 'l', 19999);
    const struct web_header too_long = {"X", longer};
    opt.header = &too_long;
    refused(&opt, "too long");
    free(longer);
    opt.header = good;
    opt.n_headers = 4;
    struct web_settings *s = taken(&opt);
    assert_int_equal(s->n_headers, 4);
    assert_string_equal(s->header[0], "Authorization: Bearer " HUSH);
    assert_string_equal(s->header[1], "X-Empty;"); /* libcurl's way to say an empty one */
    assert_string_equal(s->header[2], "X-Blank;");
    web_settings_unref(&s);
}

static void secrets_and_others(void **state)
{
    static const char *const NET[] = {"10.0.0.0/33"};
    struct web_endpoint_options opt = {.name = "n", .url = "https://example.com/", .secret = {"whsec_" HUSH "!", NULL}};

    (void)state;
    refused(&opt, "base64");
    opt.secret[0] = "good";
    opt.secret[1] = "";
    refused(&opt, "empty");
    opt.secret[1] = NULL;
    opt.proxy = "ftp://" HUSH "@p";
    refused(&opt, "proxy");
    opt.proxy = "";
    opt.allow = NET;
    opt.n_allow = 1;
    refused(&opt, "10.0.0.0/33");
    opt.n_allow = 0;
    opt.secret[1] = "second";
    struct web_settings *s = taken(&opt);
    assert_int_equal(s->n_keys, 2);
    assert_int_equal(s->timeout, INT64_C(20000000000));
    assert_int_equal(s->connect_timeout, INT64_C(5000000000));
    assert_int_equal(s->max_response, 65536);
    assert_int_equal(s->max_connections, 8);
    web_settings_unref(&s);
    opt.secret[0] = NULL; /* the second alone */
    s = taken(&opt);
    assert_int_equal(s->n_keys, 1);
    assert_memory_equal(s->key[0].data, "second", 6);
    web_settings_unref(&s);
    web_settings_unref(&s);
}

static void write_file(char path[64], const char *text)
{
    snprintf(path, 64, "/tmp/test_web_settings_XXXXXX");
    int fd = mkstemp(path);

    assert_true(fd >= 0);
    assert_int_equal(write(fd, text, strlen(text)), (ssize_t)strlen(text));
    close(fd);
}

static void files(void **state)
{
    struct web_endpoint_options opt = {.name = "n", .url = "https://example.com/"};
    char pem[64], key[64], locked[64], both[64], other[64], empty[64], text[4096];

    (void)state;
    write_file(pem, PEM_CERTIFICATE);
    write_file(key, PEM_OTHER_KEY);
    write_file(locked, PEM_LOCKED_KEY_PKCS8);
    snprintf(text, sizeof text, "%s%s", PEM_CERTIFICATE, PEM_KEY);
    write_file(both, text);
    write_file(other, HUSH);
    write_file(empty, "");
    opt.ca_file = "/nonexistent/ca.pem";
    refused(&opt, "the CA file /nonexistent/ca.pem: No such file");
    opt.ca_file = "/tmp";
    refused(&opt, "Is a directory");
    opt.ca_file = other;
    refused(&opt, "is no PEM file");
    opt.ca_file = empty;
    refused(&opt, "is no PEM file");
    opt.ca_file = "/dev/zero";
    refused(&opt, "larger than 1 MiB");
    opt.ca_file = key;
    refused(&opt, "no certificate that can be read");
    opt.ca_file = pem;
    opt.key = pem;
    refused(&opt, "a key without a certificate");
    opt.certificate = pem;
    opt.key = other;
    refused(&opt, "the key ");
    opt.key = NULL;
    refused(&opt, "no private key");
    opt.key = key;
    refused(&opt, "is not the key of the certificate");
    opt.key = locked;
    refused(&opt, "passphrase");
    opt.key = NULL;
    opt.certificate = both;
    struct web_settings *s = taken(&opt);
    assert_int_equal(s->private_key.len, s->certificate.len);
    web_settings_unref(&s);
    for (size_t i = 0; i < 6; i++)
        unlink((char *[]){pem, key, locked, both, other, empty}[i]);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(headers), cmocka_unit_test(secrets_and_others),
                                       cmocka_unit_test(files)};

    return cmocka_run_group_tests(tests, NULL, NULL);
}
