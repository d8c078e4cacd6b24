// SPDX-License-Identifier: Apache-2.0
/* digest - SHA-256 (libcrypto), used for ids that must be the same for ever; HMAC with it. */
#ifndef BASE_DIGEST_H
#define BASE_DIGEST_H

#include <stddef.h>
#include <stdint.h>

/* The first 16 bytes of SHA-256. Thread-safe; keeps a context per thread. */
void digest_id(const void *data, size_t len, uint8_t id_out[16]);
void digest_sha256(const void *data, size_t len, uint8_t out[32]);
/* HMAC-SHA256 (RFC 2104) of the parts, one behind the other. */
struct digest_part {
    const void *data;
    size_t len;
};
void digest_hmac(const void *key, size_t key_len, const struct digest_part *part, size_t n,
                 uint8_t out[32]);
const char *digest_version(void);

#endif
