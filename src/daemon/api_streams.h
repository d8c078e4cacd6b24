// SPDX-License-Identifier: Apache-2.0
/*
 * api_streams - clients that watch alerts: one thread reads them from the database (state/alert_log.h) when
 * they are durable, and gives each client those that its filter lets through.
 *
 *   alerts durable ---------\                     room: the client has taken all that it was given
 *   a client has room -------> thread: read once for all that stand at one place, filter, put
 *   nothing for `heartbeat` -/         (what is not taken yet is not read: memory is bounded, for each and for all)
 *
 * A client has a place, no queue: one that is slow, or comes back, is behind and reads from the database
 * until it is not. What went meanwhile is told as a gap. What is sent: the head of api_alerts.c.
 */
#ifndef DAEMON_API_STREAMS_H
#define DAEMON_API_STREAMS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct alert_filter;
struct alert_log;
struct api_streams;
struct http_request;
struct store;

/* Starts the thread. log and st are borrowed until api_streams_end. */
struct api_streams *api_streams_new(struct alert_log *log, struct store *st, size_t most,
                                    int64_t heartbeat);
/* The server's thread. Takes filter; rq is answered without an end, behind number *after (NULL: from now
 * on); http_request_done is the caller's. False: there are too many. */
bool api_streams_add(struct api_streams *all, struct http_request *rq, struct alert_filter *filter,
                     const uint64_t *after);
/* Nothing more is sent, and the clients are told the end. NULL is fine. */
void api_streams_end(struct api_streams *all);
/* When the server has ended. */
void api_streams_free(struct api_streams **all);

#endif
