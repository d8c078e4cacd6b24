// SPDX-License-Identifier: Apache-2.0
/* look_priv - what bodies need to say what they keep (look.h). */
#ifndef ENGINE_LOOK_PRIV_H
#define ENGINE_LOOK_PRIV_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "engine/look.h"

struct buf;
struct event;

/* Of a list of any length: those from `from` on, as many as there is room for. */
struct looking_page {
    struct look_page is;
    size_t begin;   /* where the object begins in the buffer */
    uint64_t seen;  /* of the list */
    uint64_t told;
    uint64_t next;  /* the first one that there was no room for; 0: all were told */
};

/* The next one of the list: is it to be told? */
bool look_tells(struct looking_page *page, const struct buf *out);
void look_add_time(struct buf *out, const char *name, int64_t ns); /* "name":"..." */
/* "source":...,"event":{...}: where it came from, and what it is. */
void look_add_event(struct buf *out, const struct event *ev);

#endif
