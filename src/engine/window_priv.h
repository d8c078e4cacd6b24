// SPDX-License-Identifier: Apache-2.0
/* window_priv - what the files of windows share: cells, samples, kept events, firing. */
#ifndef ENGINE_WINDOW_PRIV_H
#define ENGINE_WINDOW_PRIV_H

#include "engine/accumulator.h"
#include "engine/body.h"
#include "engine/engine_priv.h"
#include "engine/finding.h"
#include "engine/matcher.h"
#include "engine/snapshot.h"
#include "event/event.h"
#include "plan/window_plan.h"

/* What belongs to the whole rule: rs->body. */
struct window_rule {
    const struct accumulator_ops **ops; /* [n_aggregates]; NULL for prev */
    size_t *offset;                     /* of each accumulator in a cell */
    size_t cell_size;
    struct deadline_queue close;        /* panes: next window end; session: last + gap; sliding and
                                           global: last + reach */
    struct deadline_queue longest;      /* session: start + max */
    struct deadline_queue retain;       /* allow late: end + late */
    struct deadline_queue rows;         /* `by k in table`: all rows' windows close together */
    struct deadline row_tick;           /* the next end; its queue is `rows` */
    int64_t skipped;                    /* panes: windows that end by then are an older version's */
    int64_t last_end;                   /* panes: those that end later are a newer version's */
};

/* All aggregates over some events. */
struct cell {
    uint64_t n_events; /* counted once an input that it fits */
    char acc[] __attribute__((aligned(16)));
};

/* What one event, as an event of one input, gives each aggregate. */
struct taken {
    bool takes;
    struct value v[2];
};

/* The last `keep` events of each input, oldest first. */
struct keep_list {
    struct keep_entry {
        struct event *ev; /* owned reference */
        uint16_t stream;
    } *entry;
    uint32_t n, cap;
};

/* prev(x): of the key's event before this one; texts owned. */
struct prev_value {
    struct value v;
    char *memory;
};

/* What expressions see: a cell, the values before the event, the window's bounds. */
struct window_view {
    const struct rule_state *rs;
    const struct cell *cell;
    const struct prev_value *prev; /* [n_aggregates] or NULL */
    int64_t start, end;
};

/* window_cell.c */
void window_rule_init(struct engine *en, struct rule_state *rs);
void window_rule_fini(struct engine *en, struct rule_state *rs);
struct cell *cell_new(struct rule_state *rs);
void cell_free(struct rule_state *rs, struct cell **cell);
void cell_add(struct rule_state *rs, struct cell *cell, const struct taken *taken,
              struct stamp stamp);
void cell_merge(struct rule_state *rs, struct cell *cell, const struct cell *later);
struct cell *cell_clone(struct rule_state *rs, const struct cell *cell);
void *cell_accumulator(const struct rule_state *rs, const struct cell *cell, uint32_t aggregate);
void cell_encode(struct buf *out, const struct rule_state *rs, const struct cell *cell);
bool cell_decode(struct rule_state *rs, struct cell *cell, struct reader *r);
/* taken[n_aggregates] of the offered event as an event of this input; values live in scratch. */
void window_take(struct engine *en, const struct offer *of, uint16_t input, struct taken *taken);
void keep_add(struct rule_state *rs, struct keep_list *keep, struct event *ev, uint16_t stream);
void keep_ahead(const struct keep_list *keep, unsigned step); /* body.h: from 0 on */
void keep_clear(struct rule_state *rs, struct keep_list *keep);
void keep_encode(struct encoding *ec, const struct keep_list *keep);
bool keep_decode(struct restore *re, struct rule_state *rs, struct keep_list *keep,
                 struct reader *r);
struct prev_value *prev_new(struct rule_state *rs);
void prev_free(struct rule_state *rs, struct prev_value **prev);
void prev_set(struct rule_state *rs, struct prev_value *prev, const struct taken *taken);
void prev_encode(struct buf *out, const struct rule_state *rs, const struct prev_value *prev);
bool prev_decode(struct rule_state *rs, struct prev_value *prev, struct reader *r);

/* window_fire.c */
/* Does `having` hold? ev is the event that is asked for (NULL at a close). */
bool window_holds(struct engine *en, struct partition *part, const struct window_view *view,
                  const struct event *ev, uint16_t stream);
/* A finding of the window as it is now: aggregates copied; no events, no id yet. */
struct finding *window_finding(struct engine *en, struct partition *part,
                               const struct window_view *view, struct event *ev, uint16_t stream);
/* What identifies it: kind, start, and the close or the event that fired. */
void window_identify(const struct engine *en, struct finding *found, enum window_kind kind,
                     int64_t start, int64_t close, const struct event *ev);
/* A hash of the emitted values as they would be told now (`fire on change`). */
void window_emitted_hash(struct engine *en, struct partition *part, const struct window_view *view,
                         const struct event *ev, uint16_t stream, uint8_t hash_out[16]);
void keep_bind(struct finding *found, uint32_t input, const struct keep_list *keep, uint32_t n);

/* window_look.c: members of a JSON object, without a comma before them. */
void window_look_time(struct buf *out, const char *name, int64_t ns);
void window_look_cell(struct buf *out, const struct rule_state *rs, const struct cell *cell);

#endif
