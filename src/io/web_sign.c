// SPDX-License-Identifier: Apache-2.0
#include "io/web_sign.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/base64.h"
#include "base/buf.h"
#include "base/digest.h"

static const char PREFIX[] = "whsec_";

bool web_secret_decode(const char *secret, struct buf *key_out, struct buf *why)
{
    size_t len = strlen(secret), prefix = sizeof PREFIX - 1;

    if (strncmp(secret, PREFIX, prefix) != 0) {
        buf_add(key_out, secret, len);
    } else if (!base64_decode(secret + prefix, len - prefix, key_out)) {
        buf_adds(why, "the secret begins with `whsec_`, but base64 does not follow");
        return false;
    }
    if (key_out->len == 0)
        buf_adds(why, "the secret is empty");
    return key_out->len > 0;
}

void web_sign(struct buf *out, const struct buf *key, const char *id, int64_t seconds,
              const char *body, size_t len)
{
    char time[32];
    uint8_t mac[32];
    int n = snprintf(time, sizeof time, ".%" PRId64 ".", seconds);
    const struct digest_part part[] = {{id, strlen(id)}, {time, (size_t)n}, {body, len}};

    digest_hmac(key->data, key->len, part, sizeof part / sizeof part[0], mac);
    buf_adds(out, "v1,");
    base64_add(out, mac, sizeof mac);
}
