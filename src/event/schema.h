// SPDX-License-Identifier: Apache-2.0
/*
 * schema - which field paths the program reads: each has a slot (0, 1, 2 ...).
 *
 * Built by lang/resolve while it compiles, sealed by program_compile, const after that and shared
 * by all decoder threads. A decoded event holds exactly these slots and its raw text.
 * A path is a list of parts: names, and indexes ([0], [-1]). A name with a dot in it is the same as
 * its pieces: `a.b` in back-quotes is a.b.
 *
 * What a path finds in an event (json_walk.c does it):
 *  1. In an object the first name, or the first two joined by a dot, or three ..., may be the key:
 *     {"a":{"b":1}}, {"a.b":1}. Both may be there, and mixed ({"a.b":{"c":1}}, {"a":{"b.c":1}}).
 *     The way with the shorter key is tried first, at the first part at which two ways differ: for
 *     a.b.c the order is a/b/c, a/b.c, a.b/c, a.b.c. The first that finds a value other than null
 *     counts: nested wins, and null is as good as absent.
 *  2. Of a key that is twice in one object the first counts, whatever it holds: {"a":null,"a":1}
 *     has no a, {"a":{"x":1},"a":{"b":2}} has no a.b. `a.b` and a holding b are different keys.
 *  3. At an array a name is looked for in each element that is an object (and in those of arrays
 *     inside it), each by 1 and 2 of its own; what is found makes one list, found lists are spread
 *     in it. Nothing found is missing, not an empty list.
 *  4. At an array an index takes one element; elsewhere, and out of range, it finds nothing. So
 *     a.b[0] through an array a is the first b of each element of a.
 *  5. An array at the end of the path is a list as it is: arrays in it stay lists, null in it is
 *     missing, objects are VALUE_OBJECT. An object at the end keeps all its members.
 */
#ifndef EVENT_SCHEMA_H
#define EVENT_SCHEMA_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { SCHEMA_MAX_SLOTS = 4096, SCHEMA_MAX_PARTS = 32 };

struct path_part {
    const char *name; /* NULL: an index */
    uint32_t len;
    int32_t index; /* when name is NULL; negative counts from the end */
};

struct schema;

struct schema *schema_new(void); /* returns owned; shared by reference after seal */
struct schema *schema_ref(const struct schema *schema);
void schema_unref(struct schema **schema);
/* Finds or adds the slot of a path; copies the parts. False when SCHEMA_MAX_SLOTS are used, or for
 * no or more than SCHEMA_MAX_PARTS parts. After the seal it only finds. */
bool schema_slot(struct schema *schema, const struct path_part *part, size_t n, uint32_t *slot_out);
/* Convenience: "a.b.c" split at dots, no indexes. */
bool schema_slot_text(struct schema *schema, const char *dotted, uint32_t *slot_out);
/* The slot that schema_slot_text would find; false if there is none. Adds nothing. */
bool schema_find_text(const struct schema *schema, const char *dotted, uint32_t *slot_out);
void schema_seal(struct schema *schema); /* builds the decoder's look-up trie */
uint32_t schema_count(const struct schema *schema);
/* The path as it is written in a rule, back-quoted where needed; lives as the schema. */
const char *schema_path(const struct schema *schema, uint32_t slot);
/* Does some path begin with this name? */
bool schema_reads(const struct schema *schema, const char *first);
/* All text values of an event are wanted (any_field): set before seal; the decoder then keeps them
 * in event_texts. */
void schema_want_texts(struct schema *schema);
bool schema_wants_texts(const struct schema *schema);

#endif
