// SPDX-License-Identifier: Apache-2.0
/*
 * web - POSTs to webhooks, over HTTP and TLS: many endpoints, one thread, no waiting but in web_wait.
 *
 *     web_post --> [waits for a place] --> under way --> web_wait: an answer
 *
 * One request has one answer, in any order; it is never tried again here (flow/courier does, by
 * the answer's outcome). The request carries the Standard Webhooks headers (io/web_sign.h).
 *
 * 1. Endpoints share nothing: each has its own connections, names, certificates. One that is dead,
 *    or whose name does not resolve, takes no time of the others.
 * 2. Connections are kept and used again; over TLS, HTTP/2 with many requests on one is used if the
 *    server has it. No connection is older than WEB_MOST_AGE: names that move are followed. When a
 *    kept one gives no answer in time all kept ones are left: the network may have forgotten them.
 * 3. Every connection, each anew, goes to an address that io/address_policy.h allows. With a proxy
 *    it is the proxy's business where the target is: `allow` is not looked at then.
 * 4. Redirects are not followed; no cookies, no .netrc, no proxy of the environment.
 * 5. No message has a secret, a header's value, or an URL's userinfo or query in it.
 *
 * All but web_wake is called by one thread.
 */
#ifndef IO_WEB_H
#define IO_WEB_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct buf;
struct web;
struct web_endpoint; /* an URL with its secrets, TLS and limits */

#define WEB_MOST_AGE (INT64_C(600) * 1000000000)
#define WEB_MOST_RETRY_AFTER (INT64_C(86400) * 1000000000)

enum web_tls { WEB_TLS_1_2, WEB_TLS_1_3 };
struct web_header {
    const char *name, *value;
};

struct web_endpoint_options { /* all borrowed for the call; 0 and NULL: what is said at each */
    const char *name;         /* for messages */
    const char *url;          /* http: or https:, without userinfo (a header does that) */
    const char *secret[2];    /* `whsec_` and base64, or other text as its bytes; NULL: none. Two
                                 while they are changed: both sign */
    const struct web_header *header;
    size_t n_headers;
    const char *ca_file, *certificate, *key; /* PEM files, read now; NULL: the system's, none, in
                                                the certificate's file */
    enum web_tls tls_least;
    const char *proxy; /* URL; NULL or "": none */
    const char *const *allow;
    size_t n_allow;                  /* networks that are allowed, though private (or loopback, ...) */
    int64_t connect_timeout, timeout; /* ns; 0: 5 s, 20 s. A request that waits for a place does not
                                         count */
    size_t max_response;              /* bytes that are read of an answer; 0: 64 KiB. A longer one
                                         counts, and its connection is closed */
    uint32_t max_connections;         /* 0: 8 */
};

struct web *web_new(void);
void web_free(struct web **w); /* and its endpoints; what is under way is aborted without an answer */

/* NULL and a message in why, with the name before it: a bad URL, secret, header, network, or a file
 * that cannot be used. */
struct web_endpoint *web_endpoint_new(struct web *w, const struct web_endpoint_options *opt,
                                      struct buf *why);
/* Other secrets, headers, certificates (files are read again), even another URL. What is under way
 * goes on as it is; what is sent from now on goes over new connections. False and a message: all
 * stays as it was. */
bool web_endpoint_renew(struct web_endpoint *ep, const struct web_endpoint_options *opt,
                        struct buf *why);
void web_endpoint_free(struct web_endpoint **ep); /* aborts its requests: no answer comes */
/* Is the URL one that web_endpoint_new takes? False and a message in why if not. */
bool web_url_check(const char *url, struct buf *why);
/* Can the files be read, and be used for TLS (each may be NULL, as in the options)? */
bool web_files_check(const char *ca, const char *certificate, const char *key, struct buf *why);
/* Likewise of a header: its name, and what its value may not have in it. */
bool web_header_check(const struct web_header *h, struct buf *why);

struct web_request { /* borrowed for the call: all of it is copied */
    const char *id;  /* `webhook-id`: visible ASCII without blanks, at most 255 bytes */
    const char *content_type;
    const char *body;
    size_t len;
    void *ctx; /* comes back in the answer */
};
void web_post(struct web_endpoint *ep, const struct web_request *request);

enum web_outcome {
    WEB_DONE,    /* 2xx */
    WEB_AGAIN,   /* no (whole) answer; 1xx, 3xx, 408, 425, 429, 5xx: later it may be taken */
    WEB_REFUSED, /* another 4xx: this message will never be taken */
    WEB_GONE,    /* 410: nothing more is wanted here */
};
struct web_answer {
    struct web_endpoint *ep;
    void *ctx;
    enum web_outcome outcome;
    int status;          /* 0: none came */
    int64_t retry_after; /* ns from now, at most WEB_MOST_RETRY_AFTER; -1: not said */
    int64_t took;        /* ns, from the start of sending (without the wait for a place) */
    char why[256];       /* of what is not done; with the beginning of the answer's text if it has
                            one. "" if done */
};
/* The next answer. Waits up to timeout ns (< 0: for ever; 0: not). False: there is none; time is
 * over, or web_wake was called since the last time that this returned false. */
bool web_wait(struct web *w, int64_t timeout, struct web_answer *answer_out);
void web_wake(struct web *w); /* any thread, until web_free */

struct web_stats {
    uint64_t posted, answered;
    uint64_t connections; /* made, ever */
    uint64_t http2;       /* answers over HTTP/2 */
    uint32_t waiting;     /* for a place */
    uint32_t under_way;
};
void web_endpoint_stats(const struct web_endpoint *ep, struct web_stats *stats_out);

#endif
