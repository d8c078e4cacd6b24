// SPDX-License-Identifier: Apache-2.0
#include "io/web_settings.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>

#include "base/mem.h"
#include "base/pem.h"
#include "io/address_policy.h"
#include "io/web_sign.h"

#define SECOND INT64_C(1000000000)
enum { DEFAULT_RESPONSE = 65536, DEFAULT_CONNECTIONS = 8, LARGEST_FILE = 1 << 20, LONGEST_HEADER = 16384 };

static const char *const RESERVED[] = {"connection",   "content-length",    "content-type", "expect",
                                       "host",         "transfer-encoding", "upgrade",      "webhook-id",
                                       "webhook-signature", "webhook-timestamp"};

/* ---- headers --------------------------------------------------------------------------------- */

static bool is_token(const char *text) /* RFC 9110 5.6.2 */
{
    static const char OTHER[] = "!#$%&'*+-.^_`|~";

    if (*text == '\0')
        return false;
    for (; *text != '\0'; text++)
        if (!((*text >= '0' && *text <= '9') || ((*text | 32) >= 'a' && (*text | 32) <= 'z') ||
              strchr(OTHER, *text)))
            return false;
    return true;
}

static bool is_field_value(const char *text)
{
    for (const char *p = text; *p != '\0'; p++)
        if (((unsigned char)*p < 0x20 && *p != '\t') || *p == 0x7f)
            return false;
    return true;
}

bool web_header_check(const struct web_header *h, struct buf *why)
{
    if (!is_token(h->name)) {
        buf_printf(why, "`%s` cannot be the name of a header", h->name);
        return false;
    }
    for (size_t i = 0; i < sizeof RESERVED / sizeof RESERVED[0]; i++) {
        if (strcasecmp(h->name, RESERVED[i]) == 0) {
            buf_printf(why, "the header `%s` is made by tocsin itself", h->name);
            return false;
        }
    }
    if (!is_field_value(h->value) || strlen(h->value) > LONGEST_HEADER) {
        buf_printf(why, "the value of the header `%s` %s", h->name,
                   is_field_value(h->value) ? "is too long" : "has a control character (a line end?) in it");
        return false;
    }
    return true;
}

static bool take_headers(struct web_settings *s, const struct web_endpoint_options *opt,
                         struct buf *why)
{
    s->header = mem_calloc(opt->n_headers + 1, sizeof *s->header);
    for (size_t i = 0; i < opt->n_headers; i++) {
        const struct web_header *h = &opt->header[i];
        struct buf line;
        if (!web_header_check(h, why))
            return false;
        buf_init(&line);
        bool empty = h->value[strspn(h->value, " \t")] == '\0';
        buf_printf(&line, empty ? "%s;" : "%s: %s", h->name, h->value);
        s->header[s->n_headers++] = buf_take(&line);
    }
    return true;
}

/* ---- files ----------------------------------------------------------------------------------- */

static bool read_pem(const char *what, const char *path, struct buf *out, struct buf *why)
{
    FILE *f = fopen(path, "re");
    char block[4096];
    size_t n;

    if (!f) {
        buf_printf(why, "%s %s: %s", what, path, strerror(errno));
        return false;
    }
    while ((n = fread(block, 1, sizeof block, f)) > 0 && out->len <= LARGEST_FILE)
        buf_add(out, block, n);
    bool failed = ferror(f) != 0;
    int error = errno;
    fclose(f);
    explicit_bzero(block, sizeof block);
    if (failed)
        buf_printf(why, "%s %s: %s", what, path, strerror(error));
    else if (out->len > LARGEST_FILE)
        buf_printf(why, "%s %s is larger than 1 MiB", what, path);
    else if (out->len == 0 || !memmem(out->data, out->len, "-----BEGIN ", 11))
        buf_printf(why, "%s %s is no PEM file", what, path);
    else
        return true;
    return false;
}

static bool read_certificates(const char *what, const char *path, struct buf *out, struct buf *why)
{
    if (!read_pem(what, path, out, why))
        return false;
    if (pem_certificates(out->data, out->len) == 0)
        buf_printf(why, "%s %s has no certificate that can be read, or a broken one", what, path);
    return why->len == 0;
}

static bool take_files(struct web_settings *s, const struct web_endpoint_options *opt,
                       struct buf *why)
{
    const char *key = opt->key ? opt->key : opt->certificate, *wrong;

    if (opt->key && !opt->certificate) {
        buf_adds(why, "a key without a certificate");
        return false;
    }
    if (opt->ca_file && !read_certificates("the CA file", opt->ca_file, &s->ca, why))
        return false;
    if (!opt->certificate)
        return true;
    if (!read_certificates("the certificate", opt->certificate, &s->certificate, why) ||
        !read_pem("the key", key, &s->private_key, why))
        return false;
    if (!pem_key_fits(s->private_key.data, s->private_key.len, s->certificate.data,
                      s->certificate.len, &wrong))
        buf_printf(why, "the key %s %s", key, wrong);
    return why->len == 0;
}

bool web_files_check(const char *ca, const char *certificate, const char *key, struct buf *why)
{
    struct web_settings *s = mem_calloc(1, sizeof *s);
    struct web_endpoint_options opt = {.ca_file = ca, .certificate = certificate, .key = key};

    s->refs = 1;
    bool good = take_files(s, &opt, why);
    web_settings_unref(&s);
    return good;
}

/* ---- secrets --------------------------------------------------------------------------------- */

static bool take_secrets(struct web_settings *s, const struct web_endpoint_options *opt,
                         struct buf *why)
{
    for (size_t i = 0; i < 2; i++) {
        if (!opt->secret[i])
            continue;
        if (!web_secret_decode(opt->secret[i], &s->key[s->n_keys], why))
            return false;
        s->n_keys++;
    }
    return true;
}

static void hide(struct web_settings *s, const char *text)
{
    struct buf *b;

    s->hidden = mem_realloc(s->hidden, (s->n_hidden + 1) * sizeof *s->hidden);
    b = &s->hidden[s->n_hidden++];
    buf_init(b);
    buf_adds(b, text);
}

static void hide_all(struct web_settings *s, const struct web_endpoint_options *opt)
{
    for (size_t i = 0; i < 2; i++)
        if (opt->secret[i])
            hide(s, opt->secret[i]);
    for (size_t i = 0; i < opt->n_headers; i++) {
        const char *value = opt->header[i].value, *blank = strchr(value, ' ');
        hide(s, value);
        if (blank)
            hide(s, blank + 1); /* Bearer TOKEN */
    }
    hide(s, s->url.path);
    const char *query = strchr(s->url.path, '?');
    if (query)
        hide(s, query + 1);
    hide(s, s->proxy);
}

/* ---- all ------------------------------------------------------------------------------------- */

static void take_limits(struct web_settings *s, const struct web_endpoint_options *opt)
{
    s->tls_least = opt->tls_least;
    s->connect_timeout = opt->connect_timeout > 0 ? opt->connect_timeout : 5 * SECOND;
    s->timeout = opt->timeout > 0 ? opt->timeout : 20 * SECOND;
    s->max_response = opt->max_response > 0 ? opt->max_response : DEFAULT_RESPONSE;
    s->max_connections = opt->max_connections > 0 ? opt->max_connections : DEFAULT_CONNECTIONS;
}

struct web_settings *web_settings_new(const struct web_endpoint_options *opt, struct buf *why)
{
    struct web_settings *s = mem_calloc(1, sizeof *s);
    s->refs = 1;
    const char *proxy = opt->proxy ? opt->proxy : "";

    s->proxy = mem_strndup(proxy, strlen(proxy));
    take_limits(s, opt);
    bool good = web_url_init(&s->url, opt->url, why) && take_secrets(s, opt, why) &&
                take_headers(s, opt, why) && take_files(s, opt, why) &&
                (proxy[0] == '\0' || web_proxy_check(proxy, why));
    if (good)
        s->policy = address_policy_new(opt->allow, opt->n_allow, why);
    if (!s->policy) {
        web_settings_unref(&s);
        return NULL;
    }
    hide_all(s, opt);
    return s;
}

static void wipe(struct buf *b)
{
    if (b->data)
        explicit_bzero(b->data, b->cap);
    buf_fini(b);
}

struct web_settings *web_settings_ref(struct web_settings *s)
{
    s->refs++;
    return s;
}

void web_settings_unref(struct web_settings **sp)
{
    struct web_settings *s = *sp;

    *sp = NULL;
    if (!s || --s->refs > 0)
        return;
    web_url_fini(&s->url);
    for (size_t i = 0; i < 2; i++)
        wipe(&s->key[i]);
    for (size_t i = 0; i < s->n_headers; i++) {
        explicit_bzero(s->header[i], strlen(s->header[i]));
        mem_free(s->header[i]);
    }
    mem_free(s->header);
    buf_fini(&s->ca);
    buf_fini(&s->certificate);
    wipe(&s->private_key);
    mem_free(s->proxy);
    address_policy_free(&s->policy);
    for (size_t i = 0; i < s->n_hidden; i++)
        wipe(&s->hidden[i]);
    mem_free(s->hidden);
    mem_free(s);
}
