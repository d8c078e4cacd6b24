// SPDX-License-Identifier: Apache-2.0
#include "http/tls.h"

#include <gnutls/abstract.h>
#include <gnutls/gnutls.h>
#include <pthread.h>
#include <stdint.h>

#include "base/buf.h"
#include "base/clock.h"
#include "base/mem.h"

enum { MOST_CERTIFICATES = 16 }; /* of a chain */
#define KEPT INT64_C(1000000000) * 3600 /* ns; longer than any handshake may take (http request_timeout) */

struct pair {
    gnutls_pcert_st chain[MOST_CERTIFICATES];
    unsigned n;
    gnutls_privkey_t key;
    struct pair *next; /* older */
    int64_t until;     /* monotonic: nobody uses it then */
};

/* GnuTLS borrows a pair for the time of a handshake, which the client may draw out: so older ones are
 * kept for a while. */
struct http_tls {
    pthread_mutex_t lock;
    struct pair *pair; /* owned, newest first; under the lock */
};

static void pair_free(struct pair *pair)
{
    if (!pair)
        return;
    for (unsigned i = 0; i < pair->n; i++)
        gnutls_pcert_deinit(&pair->chain[i]);
    if (pair->key)
        gnutls_privkey_deinit(pair->key);
    mem_free(pair);
}

static void pairs_free(struct pair *pair)
{
    while (pair) {
        struct pair *next = pair->next;
        pair_free(pair);
        pair = next;
    }
}

static bool wrong(struct buf *why, const char *path, int rc)
{
    buf_printf(why, "%s: %s", path, gnutls_strerror(rc));
    return false;
}

static bool read_key(struct pair *pair, const char *path, struct buf *why)
{
    gnutls_datum_t data = {0};
    int rc = gnutls_load_file(path, &data);

    if (rc == 0)
        rc = gnutls_privkey_init(&pair->key);
    if (rc == 0)
        rc = gnutls_privkey_import_x509_raw(pair->key, &data, GNUTLS_X509_FMT_PEM, NULL, 0);
    if (data.data) {
        gnutls_memset(data.data, 0, data.size);
        gnutls_free(data.data);
    }
    return rc == 0 || wrong(why, path, rc);
}

static bool read_chain(struct pair *pair, const char *path, struct buf *why)
{
    gnutls_datum_t data = {0};
    int rc = gnutls_load_file(path, &data);

    pair->n = MOST_CERTIFICATES;
    if (rc == 0)
        rc = gnutls_pcert_list_import_x509_raw(pair->chain, &pair->n, &data, GNUTLS_X509_FMT_PEM, 0);
    gnutls_free(data.data);
    if (rc == 0)
        return true;
    pair->n = 0;
    return wrong(why, path, rc);
}

/* Do they belong together? */
static bool check_pair(struct pair *pair, const char *certificate, const char *key, struct buf *why)
{
    gnutls_pubkey_t public;
    uint8_t own[64], theirs[64];
    size_t own_len = sizeof own, theirs_len = sizeof theirs;
    int rc = gnutls_pubkey_init(&public);

    if (rc != 0)
        return wrong(why, key, rc);
    rc = gnutls_pubkey_import_privkey(public, pair->key, 0, 0);
    if (rc == 0)
        rc = gnutls_pubkey_get_key_id(public, GNUTLS_KEYID_USE_SHA256, own, &own_len);
    if (rc == 0)
        rc = gnutls_pubkey_get_key_id(pair->chain[0].pubkey, GNUTLS_KEYID_USE_SHA256, theirs,
                                      &theirs_len);
    gnutls_pubkey_deinit(public);
    if (rc != 0)
        return wrong(why, key, rc);
    if (own_len == theirs_len && gnutls_memcmp(own, theirs, own_len) == 0)
        return true;
    buf_printf(why, "%s: it is not the key of %s", key, certificate);
    return false;
}

static struct pair *pair_read(const char *certificate, const char *key, struct buf *why)
{
    struct pair *pair = mem_calloc(1, sizeof *pair);

    if (read_chain(pair, certificate, why) && read_key(pair, key, why) &&
        check_pair(pair, certificate, key, why))
        return pair;
    pair_free(pair);
    return NULL;
}

struct http_tls *http_tls_new(const char *certificate, const char *key, struct buf *why)
{
    struct pair *pair = pair_read(certificate, key, why);
    struct http_tls *tls;

    if (!pair)
        return NULL;
    tls = mem_calloc(1, sizeof *tls);
    pthread_mutex_init(&tls->lock, NULL);
    tls->pair = pair;
    return tls;
}

void http_tls_free(struct http_tls **tls)
{
    if (!*tls)
        return;
    pairs_free((*tls)->pair);
    pthread_mutex_destroy(&(*tls)->lock);
    mem_free(*tls);
    *tls = NULL;
}

bool http_tls_renew(struct http_tls *tls, const char *certificate, const char *key, struct buf *why)
{
    struct pair *pair = pair_read(certificate, key, why), **at, *old;
    int64_t now = clock_monotonic();

    if (!pair)
        return false;
    pthread_mutex_lock(&tls->lock);
    tls->pair->until = now + KEPT;
    pair->next = tls->pair;
    tls->pair = pair;
    for (at = &pair->next; *at && (*at)->until > now;)
        at = &(*at)->next;
    old = *at;
    *at = NULL;
    pthread_mutex_unlock(&tls->lock);
    pairs_free(old);
    return true;
}

static int retrieve(gnutls_session_t session, const gnutls_datum_t *ca, int n_ca,
                    const gnutls_pk_algorithm_t *algorithm, int n_algorithms,
                    gnutls_pcert_st **chain, unsigned *n_chain, gnutls_privkey_t *key)
{
    struct http_tls *tls = http_server_tls_of(gnutls_session_get_ptr(session));

    (void)ca, (void)n_ca, (void)algorithm, (void)n_algorithms;
    pthread_mutex_lock(&tls->lock);
    *chain = tls->pair->chain;
    *n_chain = tls->pair->n;
    *key = tls->pair->key;
    pthread_mutex_unlock(&tls->lock);
    return 0;
}

void *http_tls_callback(void)
{
    gnutls_certificate_retrieve_function2 *function = retrieve;

    return (void *)(uintptr_t)function;
}
