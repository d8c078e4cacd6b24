// SPDX-License-Identifier: Apache-2.0
#include "http/uri.h"

#include <string.h>
#include <strings.h>

#include "base/hex.h"
#include "base/mem.h"
#include "base/utf8.h"

/* In place. plus: `+` is a blank, as forms write it. */
static const char *decode(char *text, bool plus)
{
    char *to = text;
    size_t bad;

    for (const char *from = text; *from; from++) {
        int c = (unsigned char)*from;
        if (c == '%') {
            int high = hex_digit(from[1]), low = high < 0 ? -1 : hex_digit(from[2]);
            if (low < 0)
                return "a % is not followed by two hexadecimal digits";
            c = high * 16 + low;
            from += 2;
        } else if (c == '+' && plus) {
            c = ' ';
        }
        if (c < 0x20 || c == 0x7f)
            return "it holds a control character";
        *to++ = (char)c;
    }
    *to = '\0';
    return utf8_valid(text, (size_t)(to - text), &bad) ? NULL : "it is not UTF-8";
}

static const char *read_segment(struct http_uri *uri, char *text)
{
    const char *wrong = decode(text, false);

    if (wrong)
        return wrong;
    if (strcmp(text, ".") == 0 || strcmp(text, "..") == 0)
        return "a segment of the path is `.` or `..`";
    if (uri->n_segments == HTTP_URI_SEGMENTS)
        return "the path has too many segments";
    uri->segment[uri->n_segments++] = text;
    return NULL;
}

/* Behind its first slash; NULL: there is none, which is the same as nothing behind it. */
static const char *read_path(struct http_uri *uri, char *rest)
{
    const char *wrong = NULL;

    if (!rest)
        return read_segment(uri, uri->text + strlen(uri->text));
    while (rest && !wrong) {
        char *text = rest;
        rest = strchr(text, '/');
        if (rest)
            *rest++ = '\0';
        wrong = read_segment(uri, text);
    }
    return wrong;
}

/* What stands before the path. *rest_out: the path, behind its first slash, or NULL. */
static const char *read_front(struct http_uri *uri, char **rest_out)
{
    char *text = uri->text;
    size_t scheme = strncasecmp(text, "http://", 7) == 0 ? 7 : strncasecmp(text, "https://", 8) == 0 ? 8 : 0;

    if (scheme == 0 && *text != '/')
        return "it does not begin with /";
    char *slash = strchr(text + scheme, '/');
    *rest_out = slash ? slash + 1 : NULL;
    if (scheme == 0)
        return NULL;
    uri->authority = text + scheme;
    if (slash)
        *slash = '\0';
    return *uri->authority && !strchr(uri->authority, '@') ? NULL : "it names no host, or a user before it";
}

static const char *read_query(struct http_uri *uri, char *query)
{
    while (query) {
        char *key = query, *next = strchr(query, '&');
        if (next)
            *next++ = '\0';
        query = next;
        if (!*key)
            continue;
        char *value = strchr(key, '=');
        if (value)
            *value++ = '\0';
        else
            value = key + strlen(key);
        const char *wrong = decode(key, true);
        if (!wrong)
            wrong = decode(value, true);
        if (wrong)
            return wrong;
        if (uri->n_queries == HTTP_URI_QUERIES)
            return "the query has too many parameters";
        uri->query[uri->n_queries].key = key;
        uri->query[uri->n_queries++].value = value;
    }
    return NULL;
}

const char *http_uri_parse(struct http_uri *uri_out, const char *target, size_t len)
{
    *uri_out = (struct http_uri){.text = mem_strndup(target, len)};
    if (memchr(target, '\0', len))
        return "it holds a control character";
    char *query = strchr(uri_out->text, '?');
    if (query)
        *query++ = '\0';
    char *rest = NULL;
    const char *wrong = read_front(uri_out, &rest);
    if (!wrong)
        wrong = read_path(uri_out, rest);
    return wrong ? wrong : read_query(uri_out, query);
}

void http_uri_fini(struct http_uri *uri)
{
    mem_free(uri->text);
    *uri = (struct http_uri){0};
}

const char *http_uri_query(const struct http_uri *uri, const char *key)
{
    for (size_t i = 0; i < uri->n_queries; i++)
        if (strcmp(uri->query[i].key, key) == 0)
            return uri->query[i].value;
    return NULL;
}
