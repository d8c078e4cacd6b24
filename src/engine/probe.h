// SPDX-License-Identifier: Apache-2.0
/* probe - what the engine and its callers ask of a probe scratch besides engine_probe. */
#ifndef ENGINE_PROBE_H
#define ENGINE_PROBE_H

#include <stdbool.h>
#include <stdint.h>

struct event;
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
/* What the conditions of a rule counted while probing, to be added to engine_stats. */
void probe_counters(const struct probe_scratch *ps, uint32_t rule, uint64_t *type_clash_out,
                    uint64_t *regex_limit_out);

/* The streams with a quarantine whose `expect` the event last probed does not satisfy; valid until the
 * next engine_probe. */
uint32_t probe_broken(const struct probe_scratch *ps, const uint32_t **stream_out);
/* How many of the events of a stream did not satisfy its `expect`. */
uint64_t probe_unexpected(const struct probe_scratch *ps, uint32_t stream);

#endif
