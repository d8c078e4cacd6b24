// SPDX-License-Identifier: Apache-2.0
/*
 * intake - what one reader thread read in one go, on its way to the order stage.
 */
#ifndef FLOW_INTAKE_H
#define FLOW_INTAKE_H

#include <stdbool.h>
#include <stdint.h>

#include "event/event.h"

struct source;
struct source_partition;

/* A partition of a source while the pipeline runs: made by the reader, owned by the order stage from
 * INTAKE_OPENED on, until the pipeline ends: events point to its origin. */
struct live_partition {
    struct origin origin;          /* texts owned by the source's partition */
    struct source *source;
    struct source_partition *sp;   /* the source's own; its `paused` is the order stage's to set */
    uint32_t source_number;        /* in the pipeline */
    uint32_t number;               /* in its group's order stage */
    bool ended, stalled, forgotten, paused;
    bool settled;                  /* it has ended, and that is durable: saved no more */
};

/* Those of one source, whether the order stage came to hear of them or not. Written by its reader alone;
 * freed when the threads have ended. */
struct live_list {
    struct live_partition **lp;
    size_t n, cap;
};
void live_list_fini(struct live_list *list);

enum intake_kind {
    INTAKE_EVENT,     /* ev, or NULL: it fits nothing and only moves time */
    INTAKE_BROKEN,    /* reason, text */
    INTAKE_OPENED,
    INTAKE_CAUGHT_UP,
    INTAKE_BEHIND,
    INTAKE_ENDED,
    INTAKE_STALLED,   /* text: why; no partition: the whole source; likewise INTAKE_RESUMED */
    INTAKE_RESUMED,
    INTAKE_PASSED,    /* next: no line lies before it */
    INTAKE_FORGET,    /* text: name of the partition, offset: its generation; lp may be NULL */
    INTAKE_READY,     /* no partition: what is there at the start was told as OPENED */
    INTAKE_FINISHED,  /* no partition: the whole source is over */
};

struct intake_item {
    uint8_t kind;
    bool wants_late;        /* fits a window that allows late events */
    bool fits;              /* some rule, of this program or one that is being drained */
    struct live_partition *lp;
    struct event *ev;       /* owned reference, kept by malloc */
    int64_t time;           /* ns, event time; without ev */
    uint64_t offset, next;
    int64_t arrival;        /* wall ns */
    char *reason, *text;    /* owned */
    uint32_t *quarantine;   /* owned; numbers of sinks that the event goes to: it breaks an `expect` */
    uint32_t n_quarantine;
};

enum { INTAKE_ITEMS = 256 };
struct intake { /* owned by who has it */
    uint32_t source_number;
    uint32_t n;
    uint64_t bytes;
    struct intake_item item[INTAKE_ITEMS];
};

struct intake *intake_new(uint32_t source_number);
void intake_free(struct intake **in); /* with all that is still in it */

#endif
