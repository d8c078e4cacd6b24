// SPDX-License-Identifier: Apache-2.0
/*
 * source_http - a thread that puts what is posted into a spool, and answers when it is durable.
 *
 *     source_http_take --> queue --all that waits--> spool_add ... spool_commit --> answer, answer ...
 *       (any thread)                  events that are none are told of      one fsync for all of them
 *
 * 1. ACCEPTED is answered after the fsync: what was accepted is given to the rules, whatever happens.
 * 2. A post is in the spool with all its events that are some, or not at all, as long as the process lives.
 *    Of one that was never answered some may be there after a kill.
 * 3. Nothing waits for the engine or for a disk that is full: FULL and FAILED are answered at once. After
 *    FAILED the events may be there all the same; who sends them again may double them, unless it had a key.
 *
 * 4. With a key a post is there whole or not at all, also after a kill; and one of the same key and body is
 *    not put there again, but answered like the first (io/post_key.h has how many are remembered).
 *
 * An event is what the reader's decoder takes (event/json_decode.h): one that was accepted is no dead
 * letter for its JSON. It is kept as it came, line ends in it made blanks; its place in the stream is as if
 * all accepted ones were lines of one file.
 */
#ifndef IO_SOURCE_HTTP_H
#define IO_SOURCE_HTTP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/buf.h"

struct source_http;
struct spool;

enum { SOURCE_HTTP_EVENTS = 1000000, SOURCE_HTTP_REJECTS = 100 }; /* of one post; that are told of */

enum source_http_outcome {
    SOURCE_HTTP_ACCEPTED, /* what is an event; there may be none if nothing was rejected */
    SOURCE_HTTP_REJECTED, /* nothing of it is an event */
    SOURCE_HTTP_BROKEN,   /* why */
    SOURCE_HTTP_OTHER,    /* its key was another body's */
    SOURCE_HTTP_TOO_MANY, /* more than SOURCE_HTTP_EVENTS */
    SOURCE_HTTP_FULL,     /* the spool is at its limit: the engine is behind */
    SOURCE_HTTP_FAILED,   /* why: of the disk */
    SOURCE_HTTP_STOPPED,
};

struct source_http_answer {
    enum source_http_outcome outcome;
    uint64_t accepted, rejected;
    struct buf rejects; /* JSON, the first ones: {"line":3,"reason":"..."},... */
    struct buf why;
};

struct source_http_post {
    const char *text; /* borrowed until it is answered */
    size_t len;
    bool is_json;     /* io/posted.h */
    const char *key;  /* borrowed likewise; at most POST_KEY_LONGEST bytes, or NULL */
    /* Once, on any thread, also within source_http_take; short. answer is borrowed. */
    void (*answer)(void *ctx, const struct source_http_answer *answer);
    void *ctx;
};

/* Borrows spool, to which it alone appends. NULL and a message in why if the thread cannot begin. */
struct source_http *source_http_start(struct spool *spool, size_t max_line, struct buf *why);
void source_http_take(struct source_http *in, const struct source_http_post *post);
/* Until all that was taken is answered. Any thread but its own. */
void source_http_settle(struct source_http *in);
/* Answers what was taken, then ends. */
void source_http_free(struct source_http **in);

#endif
