// SPDX-License-Identifier: Apache-2.0
/*
 * web_lane - requests to one URL, over connections of its own: one curl multi, driven by an epoll
 * that lanes share. Private to io/web*; libcurl is met in web_lane.c (and web_url.c) alone.
 *
 *     web_lane_start ... epoll says so: web_lane_socket; its deadline is over: web_lane_tick
 *     ... web_lane_next_done
 *
 * How many are under way: max_connections; of HTTP/2, MOST_STREAMS on one connection. Over TLS the
 * first one goes ahead alone until it is connected: only then is it known whether the others may go
 * over the same connection. (libcurl can hold them back too, but what it holds has no time-outs.)
 */
#ifndef IO_WEB_LANE_H
#define IO_WEB_LANE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct web_flight;
struct web_lane;
struct web_reply;
struct web_settings;

struct web_transfer { /* a request with its lane's state; io/web.c owns it */
    struct web_transfer *next;
    void *ctx;
    char *id, *content_type, *body;
    size_t len;
};

/* Takes a reference to the settings. `number` comes back as the upper half of data.u64 of the epoll's events, the
 * descriptor is the lower. */
struct web_lane *web_lane_new(int epoll, uint32_t number, struct web_settings *settings);
/* What is under way is aborted; its transfers are given to `drop` one by one. */
void web_lane_free(struct web_lane **lane, void (*drop)(void *ctx, struct web_transfer *t), void *ctx);
struct web_settings *web_lane_settings(const struct web_lane *lane);
/* A connection that was kept has given no answer in time: others that are kept may be dead too (a
 * network path that has forgotten them), and libcurl would use them. Another lane has none. */
bool web_lane_is_stale(const struct web_lane *lane);
uint32_t web_lane_under_way(const struct web_lane *lane);
bool web_lane_has_place(const struct web_lane *lane);
void web_lane_start(struct web_lane *lane, struct web_transfer *t); /* borrows t until it is done */
void web_lane_socket(struct web_lane *lane, int fd, uint32_t events);
int64_t web_lane_deadline(const struct web_lane *lane); /* monotonic; INT64_MAX: none */
void web_lane_tick(struct web_lane *lane, int64_t now);
/* The next one that has ended, with its reply (overwritten by the next call); NULL: none. */
struct web_transfer *web_lane_next_done(struct web_lane *lane, const struct web_reply **reply_out);

#endif
