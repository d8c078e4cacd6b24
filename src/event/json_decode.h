// SPDX-License-Identifier: Apache-2.0
/*
 * json_decode - a line of JSON to a scratch event, by simdjson's DOM parser (which validates the
 * whole line; its On-Demand parser lets broken JSON pass, cJSON loses 64-bit integers).
 *
 * Strict: invalid UTF-8, lone surrogates, numbers out of range (1e999), trailing bytes, a byte order
 * mark, NUL bytes, depth above the limit, an empty line, a top level that is no object reject the
 * line with a reason. Integers outside int64 become doubles, however many digits they have (too big
 * for a double: out of range); -0 is the integer 0. \u0000 in text is allowed. null is missing.
 * What a path finds (nested and flat keys, duplicates, arrays, indexes) is written in schema.h.
 */
#ifndef EVENT_JSON_DECODE_H
#define EVENT_JSON_DECODE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "event/event.h"

#ifdef __cplusplus
extern "C" {
#endif

struct schema;
struct decoder;

enum { DECODER_MAX_DEPTH = 512 };

struct decoder *decoder_new(const struct schema *schema, size_t max_line); /* bytes; borrows schema */
void decoder_free(struct decoder **de);
/* Bytes that must be readable (and are ignored) behind every text given to decoder_run. */
size_t decoder_padding(void);
/*
 * Decodes text[0..len), which must have decoder_padding() readable bytes behind it (so the caller
 * reads files into a padded buffer and nothing is copied). Fills ev's slot, n_slots, raw, raw_len,
 * texts; the rest of ev is the caller's. Everything is valid until the next call. On a bad line
 * returns false and *reason_out is a static text ("invalid UTF-8", "number out of range", ...).
 */
bool decoder_run(struct decoder *de, const char *text, size_t len, struct event *ev,
                 const char **reason_out);
/* The same for text without padding (tests, test blocks): copies first. */
bool decoder_run_copy(struct decoder *de, const char *text, size_t len, struct event *ev,
                      const char **reason_out);
const char *decoder_version(void); /* "simdjson 3.0.1 (haswell)" */

#ifdef __cplusplus
}
#endif
#endif
