// SPDX-License-Identifier: Apache-2.0
/* web_answer: what each status means, Retry-After, what a message shows and what it hides. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>


#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include "base/buf.h"
#include "base/utf8.h"
#include "io/web_answer.h"

#define SECOND INT64_C(1000000000)
#define NOW    INT64_C(784111777) /* Sun, 06 Nov 1994 08:49:37 GMT */

static void outcomes(void **state)
{
    (void)state;
    for (int status = 100; status < 700; status++) {
        enum web_outcome want = WEB_AGAIN;
        if (status >= 200 && status <= 299)
            want = WEB_DONE;
        else if (status == 410)
            want = WEB_GONE;
        else if (status >= 400 && status <= 499 && status != 408 && status != 425 && status != 429)
            want = WEB_REFUSED;
        assert_int_equal(web_outcome_of(status), want);
    }
}

static void retry_after(void **state)
{
    (void)state;
    assert_int_equal(web_retry_after("0", NOW), 0);
    assert_int_equal(web_retry_after("120", NOW), 120 * SECOND);
    assert_int_equal(web_retry_after("86400", NOW), 86400 * SECOND);
    assert_int_equal(web_retry_after("86401", NOW), 86400 * SECOND);
    assert_int_equal(web_retry_after("99999999999999999999999999999999999999999999999999", NOW), 86400 * SECOND);
    assert_int_equal(web_retry_after("000000000000000000000000000000000000000000000000005", NOW), 5 * SECOND);
    assert_int_equal(web_retry_after("Sun, 06 Nov 1994 08:49:40 GMT", NOW), 3 * SECOND);
    assert_int_equal(web_retry_after("Sunday, 06-Nov-94 08:49:40 GMT", NOW), 3 * SECOND);
    assert_int_equal(web_retry_after("Sun Nov  6 08:49:40 1994", NOW), 3 * SECOND);
    assert_int_equal(web_retry_after("Sun, 06 Nov 1994 08:49:30 GMT", NOW), 0);
    assert_int_equal(web_retry_after("Fri, 31 Dec 9999 23:59:59 GMT", NOW), 86400 * SECOND);
    assert_int_equal(web_retry_after("", NOW), -1);
    assert_int_equal(web_retry_after("-5", NOW), -1);
    assert_int_equal(web_retry_after("1.5", NOW), -1);
    assert_int_equal(web_retry_after("5 ", NOW), -1);
    assert_int_equal(web_retry_after("soon", NOW), -1);
}

static struct web_reply reply(int status, const char *text)
{
    struct web_reply r = {.whole = true, .status = status, .took = 5};

    r.text_len = strlen(text);
    memcpy(r.text, text, r.text_len);
    return r;
}

static const char *why_of(const struct web_reply *r, const struct buf *hidden, size_t n)
{
    static struct web_answer answer;

    memset(&answer, 'x', sizeof answer);
    web_answer_fill(&answer, r, NOW, hidden, n);
    assert_true(strlen(answer.why) < sizeof answer.why);
    assert_true(utf8_valid(answer.why, strlen(answer.why), NULL));
    return answer.why;
}

static void whys(void **state)
{
    struct web_reply r = reply(200, "ok");

    (void)state;
    assert_string_equal(why_of(&r, NULL, 0), "");
    r = reply(400, "");
    assert_string_equal(why_of(&r, NULL, 0), "HTTP 400");
    r = reply(404, "invalid_blocks\r\n\tat  block 3\x01");
    assert_string_equal(why_of(&r, NULL, 0), "HTTP 404: invalid_blocks at block 3 ");
    r = reply(307, "moved");
    snprintf(r.location, sizeof r.location, "https://user:pass@new.example:444/secret/path?token=1#x");
    assert_string_equal(why_of(&r, NULL, 0),
                        "HTTP 307: redirects are not followed; it leads to https://new.example:444: moved");
    snprintf(r.location, sizeof r.location, "/secret/path");
    assert_string_equal(why_of(&r, NULL, 0),
                        "HTTP 307: redirects are not followed; it leads to another path there: moved");
    r = reply(0, "");
    r.whole = false;
    snprintf(r.failure, sizeof r.failure, "Could not resolve host: x.example");
    assert_string_equal(why_of(&r, NULL, 0), "Could not resolve host: x.example");
}

/* A whole answer of 200, half an answer of 410: what was not whole is tried again. */
static void halves(void **state)
{
    struct web_reply r = reply(410, "half");
    struct web_answer answer = {.outcome = WEB_DONE};

    (void)state;
    snprintf(r.retry_after, sizeof r.retry_after, "7");
    web_answer_fill(&answer, &r, NOW, NULL, 0);
    assert_int_equal(answer.outcome, WEB_GONE);
    assert_int_equal(answer.retry_after, 7 * SECOND);
    r.whole = false;
    web_answer_fill(&answer, &r, NOW, NULL, 0);
    assert_int_equal(answer.outcome, WEB_AGAIN);
    assert_int_equal(answer.status, 0);
    assert_int_equal(answer.retry_after, -1);
    r = reply(200, "half");
    r.whole = false;
    web_answer_fill(&answer, &r, NOW, NULL, 0);
    assert_int_equal(answer.outcome, WEB_AGAIN);
}

static void hiding(void **state)
{
    struct buf hidden[3];
    struct web_reply r = reply(401, "no Bearer tok-12345 here, tok-12345; x=abc");

    (void)state;
    for (size_t i = 0; i < 3; i++)
        buf_init(&hidden[i]);
    buf_adds(&hidden[0], "tok-12345");
    buf_adds(&hidden[1], "Bearer tok-12345");
    buf_adds(&hidden[2], "abc"); /* too short to be a secret */
    assert_string_equal(why_of(&r, hidden, 3), "HTTP 401: no *** here, ***; x=abc");
    r = reply(401, "it ends in Bearer tok-1");
    assert_string_equal(why_of(&r, hidden, 3), "HTTP 401: it ends in ***");
    r = reply(401, "Bearer\r\n tok-12345 and tok-12345tok-12345");
    assert_string_equal(why_of(&r, hidden, 3), "HTTP 401: Bearer *** and ******");
    struct buf two;
    buf_init(&two);
    buf_adds(&two, "two words");
    r = reply(401, "two\n\twords, two words");
    assert_string_equal(why_of(&r, &two, 1), "HTTP 401: ***, ***");
    buf_fini(&two);
    /* beyond what is shown, but before what was read: also when a shown part would be cut */
    char text[200];
    memset(text, 'a', sizeof text);
    memcpy(text + 115, "tok-12345", 9);
    text[199] = '\0';
    r = reply(401, text);
    assert_null(strstr(why_of(&r, hidden, 3), "tok"));
    r.whole = false;
    snprintf(r.failure, sizeof r.failure, "connect to tok-12345 failed");
    assert_string_equal(why_of(&r, hidden, 3), "connect to *** failed");
    for (size_t i = 0; i < 3; i++)
        buf_fini(&hidden[i]);
}

static void cuts(void **state)
{
    struct web_reply r = reply(500, "");
    const char *why;

    (void)state;
    for (size_t shift = 0; shift < 4; shift++) {
        r.text_len = sizeof r.text;
        memset(r.text, 'a', shift);
        for (size_t i = shift; i + 4 <= sizeof r.text; i += 4)
            memcpy(r.text + i, "\xf0\x9f\x98\x80", 4);
        why = why_of(&r, NULL, 0);
        assert_true(strlen(why) <= 130 && strlen(why) > 120);
    }
    memset(r.text, 0xff, sizeof r.text); /* no text at all */
    assert_string_equal(why_of(&r, NULL, 0), "HTTP 500");
    r.whole = false;
    memset(r.failure, 'f', sizeof r.failure - 1);
    assert_int_equal(strlen(why_of(&r, NULL, 0)), 255);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(outcomes), cmocka_unit_test(retry_after), cmocka_unit_test(whys),
        cmocka_unit_test(halves),   cmocka_unit_test(hiding),      cmocka_unit_test(cuts)};

    return cmocka_run_group_tests(tests, NULL, NULL);
}
