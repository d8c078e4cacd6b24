// SPDX-License-Identifier: Apache-2.0
/*
 * unseen - the fields that rules read and no event has had so far: names that are mistyped, most likely.
 *
 * An event is looked at for those fields alone that none before it had, so a set of rules whose fields are
 * all there costs nothing after the first events. What rules emit for others is left out: whether such a
 * field is there depends on what was found.
 */
#ifndef FLOW_UNSEEN_H
#define FLOW_UNSEEN_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct event;
struct program;

struct unseen {
    uint32_t *slot; /* [n] owned: slots of the program's schema */
    size_t n;
    _Atomic bool *seen; /* [slots of rules] borrowed: told here too, for other threads; or NULL */
};

void unseen_init(struct unseen *u, const struct program *prog);
void unseen_fini(struct unseen *u);
void unseen_look(struct unseen *u, const struct event *ev);
/* Leaves out what is told in seen. */
void unseen_less(struct unseen *u, const _Atomic bool *seen);
/* The path of slot i, and the nearest of those that events had, or NULL; both live as the program. */
const char *unseen_path(const struct unseen *u, const struct program *prog, size_t i, const char **near_out);

#endif
