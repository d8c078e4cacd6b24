// SPDX-License-Identifier: Apache-2.0
/*
 * rules_topic - modules that come as records of a topic (grammar/rules-topic.md is what it does).
 *
 *   topic_reader (a thread) --records--> main: rules_topic_look
 *       those that wait together are one *round*      rules_topic_round.c
 *         which of them can come true                 rules_topic_try.c, flow/rules_search.h
 *         what is told of each                        rules_topic_answer.c
 *       one batch: rules, versions, audit, positions, wishes that wait, answers
 *   durable --answers--> topic_writer (a thread) --they are there--> removed from the database
 *
 * Invariants:
 *  1. a position is durable with what its records changed, and not without.
 *  2. an answer is durable with its change, and sent after that; it stays until it is acknowledged.
 *  3. before the topic was read to its end for the first time no event is given to rules.
 *  4. what could not come true is tried again when other rules run than when it was tried.
 */
#ifndef DAEMON_RULES_TOPIC_H
#define DAEMON_RULES_TOPIC_H

#include <stdbool.h>
#include <stdint.h>

struct buf;
struct daemon;
struct rules_topic;

/* The state directory is open, and d->audit and d->history are there. Begins to read. NULL and why. */
struct rules_topic *rules_topic_start(struct daemon *d, struct buf *why);
/* Was it never read to its end? */
bool rules_topic_is_first(const struct rules_topic *rt);
/* Main, before there is a pipeline, again and again: has the topic been read to its end, and was all of it made
 * rules? False and *failed_out and why: the daemon cannot go on. */
bool rules_topic_begin(struct rules_topic *rt, bool *failed_out, struct buf *why);
/* Main, between two looks at signals: takes what has come. False and why: the daemon cannot go on. NULL is fine. */
bool rules_topic_look(struct rules_topic *rt, struct buf *why);
/* Main: appends what waits, as a JSON array. */
void rules_topic_add_waiting(const struct rules_topic *rt, struct buf *out);
/* Reads no more; answers are sent within that time (ns), or after the next start. */
void rules_topic_end(struct rules_topic *rt, int64_t within);
/* The checkpoint thread has ended. */
void rules_topic_free(struct rules_topic **rt);

struct rules_topic_stats {
    uint64_t applied, unchanged, superseded, refused; /* records */
    uint64_t waiting;      /* wishes that could not come true and are tried again */
    uint64_t behind;       /* records that were not taken */
    bool failing;          /* it cannot be read now */
    uint64_t answered, answers_waiting, answers_dropped;
    bool answers_failing;
};
/* Any thread. why: appended why it cannot be read, or written; or NULL. */
void rules_topic_stats(struct rules_topic *rt, struct rules_topic_stats *stats_out, struct buf *why);

#endif
