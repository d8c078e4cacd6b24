// SPDX-License-Identifier: Apache-2.0
#include "base/pem.h"

#include <limits.h>
#include <openssl/bio.h>
#include <openssl/err.h>
#include <openssl/evp.h>
#include <openssl/pem.h>
#include <openssl/x509.h>
#include <string.h>

static BIO *bio_of(const void *data, size_t len)
{
    return len > 0 && len <= INT_MAX ? BIO_new_mem_buf(data, (int)len) : NULL;
}

/* libcrypto would ask at the terminal. */
static int no_passphrase(char *out, int size, int is_new, void *ctx)
{
    (void)out;
    (void)size;
    (void)is_new;
    (void)ctx;
    return -1;
}

size_t pem_certificates(const void *data, size_t len)
{
    BIO *bio = bio_of(data, len);
    X509 *one;
    size_t n = 0;

    while (bio && (one = PEM_read_bio_X509(bio, NULL, no_passphrase, NULL))) {
        X509_free(one);
        n++;
    }
    /* the end is an error of its own: no further beginning */
    bool whole = n > 0 && ERR_GET_REASON(ERR_peek_last_error()) == PEM_R_NO_START_LINE;
    ERR_clear_error();
    BIO_free(bio);
    return whole ? n : 0;
}

bool pem_key_fits(const void *key, size_t len, const void *certificate, size_t certificate_len,
                  const char **why_out)
{
    BIO *key_bio = bio_of(key, len), *bio = bio_of(certificate, certificate_len);
    EVP_PKEY *k = key_bio ? PEM_read_bio_PrivateKey(key_bio, NULL, no_passphrase, NULL) : NULL;
    X509 *c = bio ? PEM_read_bio_X509(bio, NULL, no_passphrase, NULL) : NULL;
    bool fits = k && c && X509_check_private_key(c, k) == 1;

    if (!k && len > 0 && memmem(key, len, "ENCRYPTED", 9))
        *why_out = "is behind a passphrase, which nobody can be asked for: write it without one "
                   "(openssl pkey)";
    else if (!k)
        *why_out = "has no private key that can be read";
    else if (!fits)
        *why_out = "is not the key of the certificate";
    ERR_clear_error();
    X509_free(c);
    EVP_PKEY_free(k);
    BIO_free(bio);
    BIO_free(key_bio);
    return fits;
}
