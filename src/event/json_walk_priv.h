// SPDX-License-Identifier: Apache-2.0
/*
 * json_walk_priv - from a parsed line to slots: the half of json_decode that is C.
 *
 * json_decode.cc (C++, the only one that sees simdjson) validates and parses; the result is a
 * *tape*, simdjson's own flat form of a document (its doc/tape.md):
 *
 *   64-bit words, the top byte is the type, the rest the payload
 *     '{' '['   low 32 bits: index behind its end; 24 bits above: number of members (saturated)
 *     '}' ']'   ends
 *     '"'       offset in the strings: 4 bytes length, the text, a NUL
 *     'l' 'u' 'd'   the next word is the int64, uint64, double
 *     't' 'f' 'n'
 *   In an object: key, value, key, value ... Word 0 is the root; the document starts at word 1.
 */
#ifndef EVENT_JSON_WALK_PRIV_H
#define EVENT_JSON_WALK_PRIV_H

#include <stdbool.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

struct schema;
struct event;
struct walk;

struct walk *walk_new(const struct schema *schema); /* borrows schema (sealed) */
void walk_free(struct walk **w);
/* Fills slot, n_slots, texts and n_texts of ev; they are valid until the next call, and as long as
 * the tape's strings are. Word 1 of the tape must be an object. */
void walk_run(struct walk *w, const uint64_t *tape, const char *strings, struct event *ev);

#ifdef __cplusplus
}
#endif
#endif
