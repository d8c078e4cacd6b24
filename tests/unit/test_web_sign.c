// SPDX-License-Identifier: Apache-2.0
/* web_sign: the published vector of Standard Webhooks, and secrets. tests/webhook/web.py has two other implementations. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>


#include <stdbool.h>
#include <string.h>

#include "base/buf.h"
#include "io/web_sign.h"

static void vector(void **state)
{
    static const char BODY[] = "{\"test\": 2432232314}";
    struct buf key, out, why;

    (void)state;
    buf_init(&key);
    buf_init(&out);
    buf_init(&why);
    assert_true(web_secret_decode("whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw", &key, &why));
    assert_int_equal(key.len, 24);
    buf_adds(&out, "before ");
    web_sign(&out, &key, "msg_p5jXN8AQM9LWM0D4loKWxJek", 1614265330, BODY, sizeof BODY - 1);
    assert_string_equal(out.data, "before v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=");
    buf_fini(&key);
    buf_fini(&out);
    buf_fini(&why);
}

static bool decodes(const char *secret, const char *key, const char *message)
{
    struct buf out, why;

    buf_init(&out);
    buf_init(&why);
    bool good = web_secret_decode(secret, &out, &why);
    if (good)
        assert_true(out.len == strlen(key) && memcmp(out.data, key, out.len) == 0);
    else
        assert_non_null(strstr(why.data, message));
    if (secret[0] != '\0' && why.data)
        assert_null(strstr(why.data, secret));
    buf_fini(&out);
    buf_fini(&why);
    return good;
}

static void secrets(void **state)
{
    (void)state;
    assert_true(decodes("plain text", "plain text", ""));
    assert_true(decodes("whsec", "whsec", ""));
    assert_true(decodes("whsec_Zm9vYg==", "foob", ""));
    assert_true(decodes("whsec_Zm9vYg", "foob", ""));
    assert_false(decodes("", "", "empty"));
    assert_false(decodes("whsec_", "", "empty"));
    assert_false(decodes("whsec_Zm9v!", "", "base64"));
    assert_false(decodes("whsec_Zm9vY", "", "base64"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(vector), cmocka_unit_test(secrets)};

    return cmocka_run_group_tests(tests, NULL, NULL);
}
