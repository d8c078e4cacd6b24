// SPDX-License-Identifier: Apache-2.0
/*
 * web_answer - what an answer to a webhook means, after Standard Webhooks 1.0 and RFC 9110:
 *
 *     2xx                                done
 *     none, or not whole                 again: network, time-out, TLS
 *     1xx, 3xx, 408, 425, 429, 5xx, ...  again; a redirect is not followed, and said
 *     410                                gone
 *     other 4xx                          refused
 */
#ifndef IO_WEB_ANSWER_H
#define IO_WEB_ANSWER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "io/web.h"

enum { WEB_EXCERPT = 1024 };

struct web_reply {      /* what came from outside, and may hold anything */
    bool whole;         /* or longer than what is read */
    int status;         /* 0: none */
    bool http2;
    int64_t took;       /* ns */
    long connections;   /* made for it */
    char retry_after[64], location[512]; /* headers; "" if absent or too long */
    char failure[384];  /* why it is not whole */
    char text[WEB_EXCERPT]; /* the beginning of what the answer says */
    size_t text_len;
};

enum web_outcome web_outcome_of(int status);
/* A Retry-After: ns from `now` (seconds since 1970) on, 0 to WEB_MOST_RETRY_AFTER; -1 if it is none. */
int64_t web_retry_after(const char *text, int64_t now);
/* Fills outcome, status, retry_after, took, why. hidden: texts that must not be seen in why. */
void web_answer_fill(struct web_answer *answer, const struct web_reply *reply, int64_t now,
                     const struct buf *hidden, size_t n);
/* Appends text in which each hidden text (of 4 bytes at least), or the beginning of one that is cut
 * off by the end, is replaced by `***'; what is not printable becomes a blank, blanks in a row one. */
void web_add_hiding(struct buf *out, const char *text, size_t len, const struct buf *hidden,
                    size_t n);

#endif
