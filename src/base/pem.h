// SPDX-License-Identifier: Apache-2.0
/* pem - certificates and keys as PEM text (RFC 7468): can TLS use them? Through libcrypto. */
#ifndef BASE_PEM_H
#define BASE_PEM_H

#include <stdbool.h>
#include <stddef.h>

/* How many certificates there are; 0 if one is broken. */
size_t pem_certificates(const void *data, size_t len);
/* Is there a key, without a passphrase, that belongs to the first certificate? If not, what is wrong
 * with it in *why_out ("is ...", static). */
bool pem_key_fits(const void *key, size_t len, const void *certificate, size_t certificate_len,
                  const char **why_out);

#endif
