// SPDX-License-Identifier: Apache-2.0
/* pem: chains, broken ones, keys that fit, do not fit, or are locked. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include <stdio.h>
#include <string.h>

#include "base/pem.h"
#include <unit/pem_fixture.h>

static size_t certificates(const char *text)
{
    return pem_certificates(text, strlen(text));
}

static void chains(void **state)
{
    char text[4096];

    (void)state;
    assert_int_equal(certificates(PEM_CERTIFICATE), 1);
    snprintf(text, sizeof text, "a comment\n%s\nanother\n%s", PEM_CERTIFICATE, PEM_CERTIFICATE);
    assert_int_equal(certificates(text), 2);
    text[strlen(text) - 100] = '!';
    assert_int_equal(certificates(text), 0);
    snprintf(text, sizeof text, "%s%.200s", PEM_CERTIFICATE, PEM_CERTIFICATE);
    assert_int_equal(certificates(text), 0);
    assert_int_equal(certificates(""), 0);
    assert_int_equal(certificates("no PEM"), 0);
    assert_int_equal(certificates(PEM_KEY), 0);
    snprintf(text, sizeof text, "%s%s", PEM_KEY, PEM_CERTIFICATE); /* both in one file */
    assert_int_equal(certificates(text), 1);
    assert_int_equal(certificates("-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----\n"), 0);
}

static const char *wrong_with(const char *key, const char *certificate)
{
    const char *why = "?";

    return pem_key_fits(key, strlen(key), certificate, strlen(certificate), &why) ? "" : why;
}

static void keys(void **state)
{
    char both[4096];

    (void)state;
    assert_string_equal(wrong_with(PEM_KEY, PEM_CERTIFICATE), "");
    snprintf(both, sizeof both, "%s%s", PEM_CERTIFICATE, PEM_KEY);
    assert_string_equal(wrong_with(both, both), "");
    assert_non_null(strstr(wrong_with(PEM_OTHER_KEY, PEM_CERTIFICATE), "not the key"));
    assert_non_null(strstr(wrong_with(PEM_LOCKED_KEY, PEM_CERTIFICATE), "passphrase"));
    assert_non_null(strstr(wrong_with(PEM_LOCKED_KEY_PKCS8, PEM_CERTIFICATE), "passphrase"));
    assert_non_null(strstr(wrong_with(PEM_CERTIFICATE, PEM_CERTIFICATE), "no private key"));
    assert_non_null(strstr(wrong_with("", PEM_CERTIFICATE), "no private key"));
    assert_string_equal(wrong_with(PEM_KEY, PEM_CERTIFICATE), ""); /* nothing of the faults is left */
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(chains), cmocka_unit_test(keys)};

    return cmocka_run_group_tests(tests, NULL, NULL);
}
