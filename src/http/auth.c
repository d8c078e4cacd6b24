// SPDX-License-Identifier: Apache-2.0
#include "http/auth.h"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <string.h>
#include <strings.h>
#include <sys/socket.h>

#include "base/buf.h"
#include "base/digest.h"
#include "base/hex.h"
#include "base/mem.h"
#include "base/random.h"

static const char prefix[] = "tocsin_";

struct token {
    char name[HTTP_TOKEN_NAME + 1];
    enum http_role role;
    uint8_t hash[32];
};

struct http_tokens {
    struct token *token;
    size_t n, cap;
};

/* ---- roles ----------------------------------------------------------------------------------- */

static const char *const role_name[N_HTTP_ROLES] = {
    [HTTP_ROLE_OPEN] = "open",     [HTTP_ROLE_READ] = "read",   [HTTP_ROLE_RULES] = "rules",
    [HTTP_ROLE_INGEST] = "ingest", [HTTP_ROLE_ADMIN] = "admin"};

const char *http_role_name(enum http_role role)
{
    return role_name[role];
}

bool http_role_named(const char *text, size_t len, enum http_role *role_out)
{
    for (int i = HTTP_ROLE_READ; i < N_HTTP_ROLES; i++)
        if (strlen(role_name[i]) == len && memcmp(role_name[i], text, len) == 0) {
            *role_out = (enum http_role)i;
            return true;
        }
    return false;
}

bool http_role_covers(enum http_role has, enum http_role wanted)
{
    if (wanted == HTTP_ROLE_OPEN || has == wanted || has == HTTP_ROLE_ADMIN)
        return true;
    return has == HTTP_ROLE_RULES && wanted == HTTP_ROLE_READ;
}

/* ---- the file -------------------------------------------------------------------------------- */

static bool read_hash(const char *text, size_t len, uint8_t hash_out[32])
{
    if (len != 64)
        return false;
    for (int i = 0; i < 32; i++) {
        int high = hex_digit(text[2 * i]), low = hex_digit(text[2 * i + 1]);
        if (high < 0 || low < 0)
            return false;
        hash_out[i] = (uint8_t)(high * 16 + low);
    }
    return true;
}

static bool name_char(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
           c == '.' || c == '_' || c == '-' || c == '@';
}

static bool name_ok(const char *name, size_t len)
{
    for (size_t i = 0; i < len; i++)
        if (!name_char(name[i]))
            return false;
    return len > 0 && len <= HTTP_TOKEN_NAME;
}

bool http_token_name_ok(const char *name)
{
    return name_ok(name, strlen(name));
}

/* The next word of a line; its length. */
static size_t next_word(const char **at, const char *end, const char **word_out)
{
    while (*at < end && (**at == ' ' || **at == '\t' || **at == '\r'))
        (*at)++;
    *word_out = *at;
    while (*at < end && **at != ' ' && **at != '\t' && **at != '\r')
        (*at)++;
    return (size_t)(*at - *word_out);
}

/* NULL, or what is wrong. */
static const char *read_line(struct http_tokens *tokens, const char *at, const char *end)
{
    const char *name, *role, *hash, *more;
    size_t name_len = next_word(&at, end, &name), role_len = next_word(&at, end, &role);
    size_t hash_len = next_word(&at, end, &hash);
    struct token token = {0};

    if (name_len == 0 || name[0] == '#')
        return NULL;
    if (!name_ok(name, name_len))
        return "a name has 1 to 64 of A-Z a-z 0-9 . _ - @";
    if (!http_role_named(role, role_len, &token.role))
        return "the role is one of read, rules, ingest, admin";
    if (!read_hash(hash, hash_len, token.hash))
        return "the hash is 64 hexadecimal digits (`tocsin token new` prints the line)";
    if (next_word(&at, end, &more) > 0)
        return "something stands behind the hash";
    if (tokens->n == HTTP_TOKENS_MOST)
        return "there are too many tokens";
    memcpy(token.name, name, name_len);
    tokens->token = vec_reserve(tokens->token, &tokens->cap, tokens->n + 1, sizeof token);
    tokens->token[tokens->n++] = token;
    return NULL;
}

struct http_tokens *http_tokens_parse(const char *text, struct buf *why)
{
    struct http_tokens *tokens = mem_calloc(1, sizeof *tokens);
    unsigned line = 0;

    while (*text) {
        const char *end = strchrnul(text, '\n');
        const char *wrong = read_line(tokens, text, end);
        line++;
        if (wrong) {
            buf_printf(why, "line %u of the tokens: %s", line, wrong);
            http_tokens_free(&tokens);
            return NULL;
        }
        text = *end ? end + 1 : end;
    }
    if (tokens->n > 0)
        return tokens;
    buf_adds(why, "there are no tokens in it: nobody could do anything");
    http_tokens_free(&tokens);
    return NULL;
}

void http_tokens_free(struct http_tokens **tokens)
{
    if (!*tokens)
        return;
    mem_free((*tokens)->token);
    mem_free(*tokens);
    *tokens = NULL;
}

size_t http_tokens_count(const struct http_tokens *tokens)
{
    return tokens->n;
}

/* ---- a token --------------------------------------------------------------------------------- */

/* All bytes are looked at, wherever they differ. */
static bool same_hash(const uint8_t a[32], const uint8_t b[32])
{
    volatile uint8_t differ = 0;

    for (int i = 0; i < 32; i++)
        differ = (uint8_t)(differ | (a[i] ^ b[i]));
    return differ == 0;
}

static const struct token *find(const struct http_tokens *tokens, const uint8_t hash[HTTP_TOKEN_HASH])
{
    const struct token *found = NULL;

    for (size_t i = 0; i < tokens->n; i++)
        if (same_hash(hash, tokens->token[i].hash) && !found)
            found = &tokens->token[i];
    return found;
}

enum http_role http_tokens_find(const struct http_tokens *tokens, const char *token, char *name_out,
                                uint8_t hash_out[HTTP_TOKEN_HASH])
{
    digest_sha256(token, strlen(token), hash_out);
    const struct token *found = find(tokens, hash_out);
    if (!found)
        return HTTP_ROLE_OPEN;
    memcpy(name_out, found->name, sizeof found->name);
    return found->role;
}

enum http_role http_tokens_role(const struct http_tokens *tokens, const uint8_t hash[HTTP_TOKEN_HASH])
{
    const struct token *found = find(tokens, hash);
    return found ? found->role : HTTP_ROLE_OPEN;
}

static void put_hex(const uint8_t *data, size_t len, char *out)
{
    static const char digit[] = "0123456789abcdef";

    for (size_t i = 0; i < len; i++) {
        out[2 * i] = digit[data[i] >> 4];
        out[2 * i + 1] = digit[data[i] & 15];
    }
    out[2 * len] = '\0';
}

void http_token_make(char token_out[HTTP_TOKEN_SIZE], char hash_out[65])
{
    uint8_t secret[32], hash[32];

    _Static_assert(sizeof prefix + 2 * sizeof secret <= HTTP_TOKEN_SIZE, "");
    random_bytes(secret, sizeof secret);
    memcpy(token_out, prefix, sizeof prefix - 1);
    put_hex(secret, sizeof secret, token_out + sizeof prefix - 1);
    digest_sha256(token_out, strlen(token_out), hash);
    put_hex(hash, sizeof hash, hash_out);
}

/* ---- headers --------------------------------------------------------------------------------- */

const char *http_bearer(const char *authorization)
{
    static const char scheme[] = "Bearer";

    if (!authorization || strncasecmp(authorization, scheme, sizeof scheme - 1) != 0)
        return NULL;
    authorization += sizeof scheme - 1;
    if (*authorization != ' ')
        return NULL;
    authorization += strspn(authorization, " ");
    return *authorization ? authorization : NULL;
}

static bool is_port(const char *text)
{
    return *text == '\0' || (*text == ':' && text[1 + strspn(text + 1, "0123456789")] == '\0');
}

bool http_host_is_loopback(const char *host)
{
    static const char *const name[] = {"localhost", "[::1]"};
    size_t len = strcspn(host, ":");
    char number[16];
    struct in_addr address;

    for (size_t i = 0; i < sizeof name / sizeof *name; i++)
        if (strncasecmp(host, name[i], strlen(name[i])) == 0 && is_port(host + strlen(name[i])))
            return true;
    if (len >= sizeof number || !is_port(host + len))
        return false;
    memcpy(number, host, len);
    number[len] = '\0';
    return inet_pton(AF_INET, number, &address) == 1 && ntohl(address.s_addr) >> 24 == 127;
}

bool http_address_is_loopback(const struct sockaddr *address)
{
    struct sockaddr_in v4;
    struct sockaddr_in6 v6;

    if (address->sa_family == AF_INET) {
        memcpy(&v4, address, sizeof v4);
        return ntohl(v4.sin_addr.s_addr) >> 24 == 127;
    }
    if (address->sa_family != AF_INET6)
        return false;
    memcpy(&v6, address, sizeof v6);
    if (IN6_IS_ADDR_V4MAPPED(&v6.sin6_addr))
        return v6.sin6_addr.s6_addr[12] == 127;
    return IN6_IS_ADDR_LOOPBACK(&v6.sin6_addr);
}
