// SPDX-License-Identifier: Apache-2.0
/*
 * engine - the pure function at the centre: (program, state, event | frontier) -> (state', alerts).
 *
 * No I/O, no clock, no threads. Events must come in the order of event.h (the order stage sees to
 * it) and never below the frontier. Event, deadline and frontier take one path:
 *     engine_feed = deadlines due before the event > keys > matcher_advance > alerts
 * Invariants:
 *  1. time never goes back: feed and advance with a lower time than before abort (a bug).
 *  2. a deadline at time d is decided when the frontier is > d: events at d come before it.
 *  3. all memory that state holds is charged to a rule (engine_stats).
 * Read next: matcher.h, partition.h, deadline.h, snapshot.h.
 */
#ifndef ENGINE_ENGINE_H
#define ENGINE_ENGINE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct alert_list;
struct buf;
struct engine;
struct event;
struct piece_clock;
struct probe_tally;
struct program;
struct reader;

struct engine_rule_stats {
    uint64_t events;        /* offered: fitted at least one of its steps */
    uint64_t no_key;        /* lacked a key */
    uint64_t alerts;        /* let through */
    uint64_t suppressed;
    uint64_t excepted;      /* held back by exceptions */
    uint64_t limited_runs;  /* starts refused, or runs dropped, by `limit runs` */
    uint64_t limited_events;
    uint64_t limited_state;
    uint64_t limited_alerts;
    uint64_t limited_values; /* values forgotten, or not counted, by `limit values` */
    uint64_t limited_matches; /* pairs cut by `limit matches` */
    uint64_t limited_keys;   /* elements of a list-valued key beyond what one event may have */
    uint64_t type_clash;    /* comparisons of different types */
    uint64_t regex_limit;
    uint64_t runs;          /* open now */
    uint64_t keys;          /* partitions now */
    uint64_t bytes;         /* of state now */
    uint64_t engine_ns;     /* estimates (piece_timer.h) of the time that it took in the engine, */
    uint64_t conditions_ns; /* and that asking took whether events fit its steps (engine_count_probed) */
};

/* What an event fits: filled by engine_probe on any thread (const program, scratch per thread). */
struct probe_scratch;
struct probe_scratch *probe_scratch_new(const struct program *prog);
void probe_scratch_free(struct probe_scratch **ps);
/* Sets ev->fits, ev->n_fits (valid until the next call with this scratch). */
void engine_probe(const struct program *prog, struct probe_scratch *ps, struct event *ev);

/* After engine_probe, of a record of a table: is it a row? False: why not (appended). */
bool engine_probe_row(const struct program *prog, struct probe_scratch *ps, const struct event *ev, struct buf *why);

struct engine *engine_new(struct program *prog); /* takes a reference of its own */
void engine_free(struct engine **en);
/* The rule makes alerts, though it only emits into a stream: its test blocks judge them. */
void engine_tell_also(struct engine *en, uint32_t rule);
/* Only these rules [n_rules] are this engine's: others (of another group of sources) do nothing in it,
 * even what begins with time alone. Before the first event; engine_attach says the same. */
void engine_own(struct engine *en, const bool *rules);
/* Alerts beyond `limit alerts` are appended too, as limited; else they are only counted. */
void engine_keep_limited(struct engine *en);
/* From now on what each rule costs is estimated (engine_rule_stats): events offered to it, its deadlines, its
 * alerts, its keys' coming from the store, going there and leaving memory. Not: tables, the directory of keys, the
 * order among the matches of one instant. NULL: no longer. Borrowed until then, or engine_free. */
void engine_time(struct engine *en, const struct piece_clock *clock);
/* What asking about events (probe.h) came to on other threads, to be added to what the rule has. */
void engine_count_probed(struct engine *en, uint32_t rule, const struct probe_tally *more);
/* An event that is soon to be fed: the places of its keys in the tables are fetched into the cache, and, when
 * it is one of the next, what stands there. */
void engine_expect(const struct engine *en, const struct event *ev, bool next);
/* One event with its fits set. Scratch or kept; the engine keeps it if it binds it. Appends alerts. */
void engine_feed(struct engine *en, const struct event *ev, struct alert_list *out);
/* An event behind the frontier, for windows that `allow late`. Others do not see it. */
void engine_feed_late(struct engine *en, const struct event *ev, struct alert_list *out);
/* The first event in the order has this time: what a leading `not` may call seen begins here. Events
 * that fit no rule are not fed, so who drops them says so; later and higher times change nothing. */
void engine_begin(struct engine *en, int64_t time);
/* Everything to come has time >= frontier: decides deadlines below it. INT64_MAX: the end of a
 * bounded input. */
void engine_advance(struct engine *en, int64_t frontier, struct alert_list *out);
/* No event will come any more, and `time` is the last that one showed: what begins with time alone (the
 * windows of a table's rows) begins no more behind it, while engine_advance goes on with others' time. */
void engine_over(struct engine *en, int64_t time);
/* engine_advance in slices, so that who has other things to do is not held up when very many deadlines
 * fall due at once: decides about `most` of them; true when the frontier is reached. Nothing else may
 * be fed before. Alerts of one time may come in several slices. */
bool engine_advance_slice(struct engine *en, int64_t frontier, uint64_t most,
                          struct alert_list *out);
void engine_stats(const struct engine *en, uint32_t rule, struct engine_rule_stats *stats_out);
/* Rows of a table now; refused: that events brought and that were not taken. */
void engine_table_stats(const struct engine *en, uint32_t table, uint64_t *rows_out,
                        uint64_t *bytes_out, uint64_t *refused_out);
/* How many alerts the exception held back. */
uint64_t engine_excepted(const struct engine *en, uint32_t exception);
/* How many events of the stream that rules made did not satisfy its `expect`; those that were read
 * are counted by the probe scratch. */
uint64_t engine_unexpected(const struct engine *en, uint32_t stream);

/* Snapshot of a whole engine (snapshot.c): versioned, field by field. Restore needs an engine fresh
 * from engine_new of a program with the same rules; false and *why_out if the bytes are not a
 * snapshot of it (then the engine must be freed). */
void engine_snapshot(const struct engine *en, struct buf *out);
bool engine_restore(struct engine *en, const void *data, size_t len, const char **why_out);

#endif
