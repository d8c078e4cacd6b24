// SPDX-License-Identifier: Apache-2.0
/*
 * Patterns of `like`, networks, regular expressions. The first byte says which, the second where the
 * pattern ends; the rest is the text. `like` is compared with a table of all prefixes, addresses
 * with inet_pton.
 */
#include <fuzz/fuzz.h>

#include <arpa/inet.h>
#include <stdlib.h>
#include <string.h>

#include "base/cidr.h"
#include "base/glob.h"
#include "base/mem.h"
#include "base/regex.h"
#include "base/utf8.h"

/* Memory of its own exact size, so that reading behind it is seen. */
static char *apart(const uint8_t *p, size_t len)
{
    char *copy = malloc(len + !len);

    memcpy(copy, p, len);
    return copy;
}

/* ---- like ----------------------------------------------------------------------------------- */

enum { MAX_SIDE = 256, ANY_RUN = UINT32_MAX, ANY_ONE = UINT32_MAX - 1 };

static size_t read_pattern(const char *pattern, size_t len, uint32_t *token)
{
    size_t n = 0, at = 0;

    while (at < len) {
        uint32_t cp;

        if (at + 2 < len && pattern[at] == '[' && strchr("*?[", pattern[at + 1]) && pattern[at + 1] &&
            pattern[at + 2] == ']') {
            token[n++] = (uint8_t)pattern[at + 1];
            at += 3;
            continue;
        }
        cp = utf8_next(pattern, len, &at);
        token[n++] = cp == '*' ? (uint32_t)ANY_RUN : cp == '?' ? (uint32_t)ANY_ONE : cp;
    }
    return n;
}

static bool like_by_table(const char *pattern, size_t pattern_len, const char *text, size_t len)
{
    static uint32_t token[MAX_SIDE];
    bool row[MAX_SIDE + 1] = {true}; /* row[i]: the first i tokens match the text so far */
    size_t n = read_pattern(pattern, pattern_len, token), at = 0;

    for (size_t i = 0; i < n; i++)
        row[i + 1] = row[i] && token[i] == (uint32_t)ANY_RUN;
    while (at < len) {
        uint32_t cp = utf8_next(text, len, &at);

        for (size_t i = n; i > 0; i--) {
            if (token[i - 1] != (uint32_t)ANY_RUN)
                row[i] = row[i - 1] && (token[i - 1] == (uint32_t)ANY_ONE || token[i - 1] == cp);
        }
        row[0] = false;
        for (size_t i = 1; i <= n; i++) {
            if (token[i - 1] == (uint32_t)ANY_RUN)
                row[i] = row[i] || row[i - 1];
        }
    }
    return row[n];
}

static void check_like(const char *pattern, size_t pattern_len, const char *text, size_t len)
{
    struct glob *glob, *fold;
    bool matches;

    if (pattern_len > MAX_SIDE || !utf8_valid(pattern, pattern_len, NULL) ||
        !utf8_valid(text, len, NULL))
        return;
    glob = glob_new(pattern, pattern_len, false);
    fold = glob_new(pattern, pattern_len, true);
    matches = glob_match(glob, text, len);
    if (matches != like_by_table(pattern, pattern_len, text, len))
        fuzz_fail("%.*s like %.*s: %d", (int)len, text, (int)pattern_len, pattern, matches);
    if (matches && !glob_match(fold, text, len))
        fuzz_fail("%.*s like %.*s, but not like~", (int)len, text, (int)pattern_len, pattern);
    glob_free(&glob);
    glob_free(&fold);
}

/* ---- networks ------------------------------------------------------------------------------- */

static void check_address(const char *text, size_t len)
{
    struct ip_address ip = {{0}}, expected = {{0}};
    char copy[64];
    bool right = ip_parse(text, len, &ip), should;

    if (len >= sizeof copy || memchr(text, '\0', len) != NULL)
        return;
    memcpy(copy, text, len);
    copy[len] = '\0';
    if (strchr(copy, ':') != NULL) {
        should = inet_pton(AF_INET6, copy, expected.bytes) == 1;
    } else {
        memset(expected.bytes + 10, 0xff, 2);
        should = inet_pton(AF_INET, copy, expected.bytes + 12) == 1;
    }
    if (right != should || (right && memcmp(ip.bytes, expected.bytes, sizeof ip.bytes) != 0))
        fuzz_fail("address %s: %d, inet_pton says %d", copy, right, should);
}

/* The nets are the lines of the pattern. Each address that is in one must be in the set of all. */
static void check_networks(const char *nets, size_t nets_len, const char *text, size_t len)
{
    struct cidr_set *all = cidr_set_new();
    bool in_one = false;
    size_t at = 0;

    check_address(text, len);
    while (at < nets_len) {
        const char *end = memchr(nets + at, '\n', nets_len - at);
        size_t line_len = end != NULL ? (size_t)(end - nets) - at : nets_len - at;
        struct cidr_set *one = cidr_set_new();
        const char *why = NULL;

        if (cidr_set_add(one, nets + at, line_len, &why))
            cidr_set_add(all, nets + at, line_len, &why);
        else if (why == NULL)
            fuzz_fail("%.*s: no reason", (int)line_len, nets + at);
        cidr_set_seal(one);
        in_one |= cidr_set_has(one, text, len);
        cidr_set_free(&one);
        at += line_len + 1;
    }
    cidr_set_seal(all);
    if (cidr_set_has(all, text, len) != in_one)
        fuzz_fail("%.*s in %.*s: not as in each of them", (int)len, text, (int)nets_len, nets);
    cidr_set_free(&all);
}

/* ---- regular expressions -------------------------------------------------------------------- */

static void check_regex(const char *pattern, size_t pattern_len, bool fold, const char *text, size_t len)
{
    static struct regex_scratch *scratch;
    char *error = NULL;
    size_t offset = 0, start = 0, group_len = 0;
    struct regex *re = regex_new(pattern, pattern_len, fold, &error, &offset);

    if (re == NULL) {
        if (error == NULL || offset > pattern_len)
            fuzz_fail("a bad pattern without a place");
        mem_free(error);
        return;
    }
    if (scratch == NULL)
        scratch = regex_scratch_new();
    if (utf8_valid(text, len, NULL)) {
        enum regex_result result = regex_match(re, scratch, text, len);

        for (unsigned i = 0; i <= regex_groups(re) + 1 && i < 100; i++) {
            enum regex_result group = regex_group(re, scratch, text, len, i, &start, &group_len);

            if (i == 0 && group != result)
                fuzz_fail("matched %d, and as a group %d", result, group);
            if (group == REGEX_YES && (start > len || group_len > len - start))
                fuzz_fail("group %u lies outside the text", i);
        }
    }
    regex_free(&re);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct fuzz_bytes fb = {data, data + size};
    uint8_t which = fuzz_byte(&fb), at = fuzz_byte(&fb);
    size_t left = (size_t)(fb.end - fb.p), pattern_len = at < left ? at : left;
    char *pattern = apart(fb.p, pattern_len), *text = apart(fb.p + pattern_len, left - pattern_len);

    if (which % 4 == 0)
        check_like(pattern, pattern_len, text, left - pattern_len);
    else if (which % 4 == 1)
        check_networks(pattern, pattern_len, text, left - pattern_len);
    else
        check_regex(pattern, pattern_len, which % 4 == 3, text, left - pattern_len);
    free(pattern);
    free(text);
    return 0;
}
