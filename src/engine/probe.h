// SPDX-License-Identifier: Apache-2.0
/* probe - what the engine and its callers ask of a probe scratch besides engine_probe. */
#ifndef ENGINE_PROBE_H
#define ENGINE_PROBE_H

#include <stdbool.h>
#include <stdint.h>

struct event;
struct piece_clock;
struct probe_scratch;
struct program;
struct program_probe;
struct program_rule;

/* The stream that the event, which fits the probe, is taken from: the first listed that fits. */
uint16_t probe_stream(const struct program *prog, struct probe_scratch *ps,
                      const struct program_probe *probe, const struct event *ev);
/* Does the event belong to the stream (test blocks ask)? */
bool engine_is_member(const struct program *prog, struct probe_scratch *ps,
                      const struct event *ev, uint32_t stream);
/* Is the rule a window with `allow late`? */
bool probe_allows_late(const struct program_rule *rule);
/* Has the event, whose fits are set, a place in a window with `allow late`? */
bool probe_wants_late(const struct program *prog, const struct event *ev);
/* What asking whether events fit the steps of a rule came to: what its own conditions do, not those of
 * streams, which belong to all who read them. To be added to engine_stats. */
struct probe_tally {
    uint64_t type_clash, regex_limit;
    uint64_t ns; /* an estimate (piece_timer.h) */
};
struct probe_tally probe_tally_of(const struct probe_scratch *ps, uint32_t rule);
/* From now on time is estimated; NULL: no longer. Borrowed until then, or probe_scratch_free. */
void probe_time(struct probe_scratch *ps, const struct piece_clock *clock);

/* The streams with a quarantine whose `expect` the event last probed does not satisfy; valid until the
 * next engine_probe. */
uint32_t probe_broken(const struct probe_scratch *ps, const uint32_t **stream_out);
/* How many of the events of a stream did not satisfy its `expect`. */
uint64_t probe_unexpected(const struct probe_scratch *ps, uint32_t stream);

#endif
