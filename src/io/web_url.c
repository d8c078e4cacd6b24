// SPDX-License-Identifier: Apache-2.0
#include "io/web_url.h"

#include <curl/curl.h>
#include <string.h>

#include "base/buf.h"
#include "base/mem.h"
#include "io/web.h"

enum { LONGEST_URL = 8192 };

/* "" if the URL has no such part; owned by the caller (mem_free). */
static char *part_of(CURLU *u, CURLUPart part)
{
    char *value = NULL;

    if (curl_url_get(u, part, &value, 0) != CURLUE_OK || !value)
        return mem_strndup("", 0);
    char *copy = mem_strndup(value, strlen(value));
    curl_free(value);
    return copy;
}

static bool has_part(CURLU *u, CURLUPart part)
{
    char *value = part_of(u, part);
    bool has = value[0] != '\0';

    mem_free(value);
    return has;
}

/* libcurl takes some of these off, and asks the locale for others. */
static bool has_odd_bytes(const char *text)
{
    for (; *text != '\0'; text++)
        if ((unsigned char)*text <= 0x20 || (unsigned char)*text >= 0x7f)
            return true;
    return false;
}

static CURLU *parse(const char *text)
{
    const char *colon = strchr(text, ':');
    CURLU *u;

    /* it reads any number of slashes, and takes what follows for the host */
    if (!colon || strncmp(colon, "://", 3) != 0 || colon[3] == '/')
        return NULL;
    u = curl_url();

    if (u && curl_url_set(u, CURLUPART_URL, text, CURLU_NON_SUPPORT_SCHEME) != CURLUE_OK) {
        curl_url_cleanup(u);
        u = NULL;
    }
    return u;
}

static bool check(CURLU *u, struct buf *why)
{
    char *scheme = part_of(u, CURLUPART_SCHEME);
    bool good = false;

    if (strcmp(scheme, "http") != 0 && strcmp(scheme, "https") != 0)
        buf_printf(why, "an URL begins with `https://` or `http://`, this one with `%s:`", scheme);
    else if (has_part(u, CURLUPART_USER) || has_part(u, CURLUPART_PASSWORD))
        buf_adds(why, "the URL has a user name or password in it: "
                      "write them as a header (Authorization) in `headers`");
    else if (!has_part(u, CURLUPART_HOST))
        buf_adds(why, "the URL has no host");
    else if (has_part(u, CURLUPART_FRAGMENT))
        buf_adds(why, "the URL has a fragment (`#...`), which is never sent");
    else
        good = true;
    mem_free(scheme);
    return good;
}

static CURLU *checked(const char *text, struct buf *why)
{
    CURLU *u = NULL;

    if (strlen(text) > LONGEST_URL) {
        buf_printf(why, "the URL is longer than %d bytes", LONGEST_URL);
    } else if (has_odd_bytes(text)) {
        buf_adds(why, "the URL has a blank, a control character or a letter beyond ASCII in it: "
                      "a host is written as `xn--...`, all else as `%XX`");
    } else {
        u = parse(text);
        if (!u)
            buf_adds(why, "this is no URL like `https://host:port/path`");
    }
    if (u && !check(u, why)) {
        curl_url_cleanup(u);
        u = NULL;
    }
    return u;
}

bool web_url_check(const char *url, struct buf *why)
{
    CURLU *u = checked(url, why);
    bool good = u != NULL;

    curl_url_cleanup(u);
    return good;
}

bool web_url_init(struct web_url *url, const char *text, struct buf *why)
{
    CURLU *u = checked(text, why);
    struct buf path;

    if (!u)
        return false;
    char *only_path = part_of(u, CURLUPART_PATH), *query = part_of(u, CURLUPART_QUERY);
    char *scheme = part_of(u, CURLUPART_SCHEME);
    buf_init(&path);
    buf_printf(&path, "%s%s%s", only_path, query[0] != '\0' ? "?" : "", query);
    url->path = buf_take(&path);
    url->text = part_of(u, CURLUPART_URL);
    url->tls = strcmp(scheme, "https") == 0;
    mem_free(only_path);
    mem_free(query);
    mem_free(scheme);
    curl_url_cleanup(u);
    return true;
}

void web_url_fini(struct web_url *url)
{
    mem_free(url->text);
    mem_free(url->path);
    *url = (struct web_url){.text = NULL};
}

void web_url_add_shown(struct buf *out, const char *text)
{
    CURLU *u = parse(text);
    char *scheme = u ? part_of(u, CURLUPART_SCHEME) : NULL, *host = u ? part_of(u, CURLUPART_HOST) : NULL;
    char *port = u ? part_of(u, CURLUPART_PORT) : NULL;

    if (u && host[0] != '\0')
        buf_printf(out, "%s://%s%s%s", scheme, host, port[0] != '\0' ? ":" : "", port);
    else
        buf_adds(out, text[0] == '/' ? "another path there" : "something that is no URL");
    mem_free(scheme);
    mem_free(host);
    mem_free(port);
    curl_url_cleanup(u);
}

bool web_proxy_check(const char *text, struct buf *why)
{
    static const char *const SCHEME[] = {"http", "https", "socks4", "socks4a", "socks5", "socks5h"};
    CURLU *u = has_odd_bytes(text) ? NULL : parse(text);
    char *scheme = u ? part_of(u, CURLUPART_SCHEME) : NULL;
    bool good = false;

    for (size_t i = 0; u && i < sizeof SCHEME / sizeof SCHEME[0]; i++)
        good |= strcmp(scheme, SCHEME[i]) == 0;
    if (!good)
        buf_adds(why, "a proxy is an URL like `http://host:port` or `socks5h://host:port`");
    mem_free(scheme);
    curl_url_cleanup(u);
    return good;
}
