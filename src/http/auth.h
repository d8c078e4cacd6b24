// SPDX-License-Identifier: Apache-2.0
/*
 * auth - who may do what: bearer tokens with roles, and what is refused where there are none.
 *
 * The tokens file has a line `NAME ROLE HASH` for each token, `#` before comments; HASH is SHA-256 in
 * hexadecimal digits. A token is 256 random bits, so its hash cannot be searched for; a slow hash is for
 * passwords, which people choose. The hash of what a request brings is compared with all hashes, each
 * in constant time.
 *
 *   admin > rules > read;  ingest stands beside them (admin may it too)
 *
 * Without tokens only loopback addresses are served, and everyone there may all. A page in a browser
 * could be led there too (DNS rebinding, forms): so a request with an `Origin`, or with a `Host` that is
 * not a name of loopback, is refused.
 */
#ifndef HTTP_AUTH_H
#define HTTP_AUTH_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct buf;
struct http_tokens;
struct sockaddr;

enum http_role { HTTP_ROLE_OPEN, HTTP_ROLE_READ, HTTP_ROLE_RULES, HTTP_ROLE_INGEST, HTTP_ROLE_ADMIN,
                 N_HTTP_ROLES };

enum { HTTP_TOKEN_SIZE = 80, HTTP_TOKEN_NAME = 64, HTTP_TOKEN_HASH = 32, HTTP_TOKENS_MOST = 10000 };

const char *http_role_name(enum http_role role);
/* Roles that a token may have: "read, rules, ingest, admin". */
bool http_role_named(const char *text, size_t len, enum http_role *role_out);
bool http_role_covers(enum http_role has, enum http_role wanted);

/* The text of a tokens file. NULL and what is wrong, with the line's number, never with its text. */
struct http_tokens *http_tokens_parse(const char *text, struct buf *why);
void http_tokens_free(struct http_tokens **tokens);
size_t http_tokens_count(const struct http_tokens *tokens);
/* Whose token it is: its role; name_out (HTTP_TOKEN_NAME + 1 bytes) gets its name, hash_out what it can be asked
 * for by later. HTTP_ROLE_OPEN: nobody's. */
enum http_role http_tokens_find(const struct http_tokens *tokens, const char *token, char *name_out,
                                uint8_t hash_out[HTTP_TOKEN_HASH]);
/* The role of the token with this hash now. HTTP_ROLE_OPEN: it is nobody's any more. */
enum http_role http_tokens_role(const struct http_tokens *tokens, const uint8_t hash[HTTP_TOKEN_HASH]);

/* A new token, NUL-terminated, and its hash in hexadecimal digits. */
void http_token_make(char token_out[HTTP_TOKEN_SIZE], char hash_out[65]);
/* Is it fit to be a token's name: 1 to HTTP_TOKEN_NAME of A-Z a-z 0-9 . _ - @ ? */
bool http_token_name_ok(const char *name);

/* The token of a header `Authorization: Bearer TOKEN`, or NULL. Borrowed. */
const char *http_bearer(const char *authorization);
/* Is the value of a `Host` header a name of loopback, with or without a port? */
bool http_host_is_loopback(const char *host);
bool http_address_is_loopback(const struct sockaddr *address);

#endif
