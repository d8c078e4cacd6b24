// SPDX-License-Identifier: Apache-2.0
/*
 * web_sign - signatures of webhooks, after Standard Webhooks 1.0 (https://www.standardwebhooks.com):
 *
 *     webhook-id: ID
 *     webhook-timestamp: SECONDS              since 1970, of this try
 *     webhook-signature: v1,BASE64 v1,BASE64  HMAC-SHA256(secret, "ID.SECONDS.BODY"), a secret each
 */
#ifndef IO_WEB_SIGN_H
#define IO_WEB_SIGN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct buf;

/* Appends the bytes of a secret: of `whsec_BASE64` what is decoded, else the text's own. False and
 * a message, without the secret, if it is empty or its base64 is broken. */
bool web_secret_decode(const char *secret, struct buf *key_out, struct buf *why);
/* Appends "v1,BASE64". */
void web_sign(struct buf *out, const struct buf *key, const char *id, int64_t seconds,
              const char *body, size_t len);

#endif
