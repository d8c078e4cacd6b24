// SPDX-License-Identifier: Apache-2.0
/* window_pane - what the files of tumbling and hopping windows share; window_pane.c draws it. */
#ifndef ENGINE_WINDOW_PANE_H
#define ENGINE_WINDOW_PANE_H

#include "engine/window_priv.h"

struct pane {
    int64_t start;
    struct cell *cell;
    struct keep_list *keep; /* [n_steps] */
};

struct mark { /* what a window has told, while it may tell again */
    int64_t start;
    bool fired;             /* on match: once a window */
    bool disarmed;          /* on match reset: emptied, and `having` has held since, also over nothing */
    bool told;
    bool retracted;
    bool has_hash;
    uint8_t hash[16];       /* of the values last told (on change) */
    uint32_t revision;
};

struct pane_key {
    struct partition *part;
    struct deadline close, retain;
    struct pane *pane;
    size_t first, mid, done, n, cap;
    struct cell **front;    /* [mid]; valid from first on */
    struct cell *back;
    struct mark *mark;
    size_t n_marks, cap_marks;
    uint64_t direct;        /* so many closes do without the stacks: they had no room */
    struct prev_value *prev;
    int64_t closed;         /* windows that end at or before this are closed */
};

/* window_bounds.c: ends are exclusive */
int64_t window_floor(int64_t time, int64_t step, int64_t offset);
int64_t pane_start(const struct window_plan *plan, int64_t time);
/* End of the earliest, and of the last, window that holds the pane. */
int64_t pane_end(const struct window_plan *plan, int64_t start);
int64_t pane_last_end(const struct window_plan *plan, int64_t start);
int64_t window_start(const struct window_plan *plan, int64_t end);
/* End of the window behind the one that ends at `end`. */
int64_t window_next_end(const struct window_plan *plan, int64_t end);

/* window_pane.c */
/* The window that ends at `end` closes for a key; with `nothing` (a cell without events) it is told
 * also when it holds no event. */
void pane_close(struct engine *en, struct pane_key *pk, int64_t end, struct cell *nothing);

/* window_rows.c: `by k in table` */
bool rows_hold(const struct engine *en, const struct rule_state *rs, const struct value *key);
void rows_begin(struct engine *en, struct rule_state *rs, int64_t time);
void rows_due(struct engine *en, struct rule_state *rs);
void rows_encode(struct buf *out, const struct rule_state *rs);
bool rows_decode(struct restore *re, struct rule_state *rs, struct reader *r);

/* window_pane_state.c */
struct pane_key *pane_key_get(struct partition *part); /* finds or makes */
struct pane *pane_get(struct pane_key *pk, int64_t start);
void pane_drop_oldest(struct pane_key *pk);
void pane_drop_all(struct pane_key *pk);
/* Panes with start in [start, end) merged; owned by the caller unless *borrowed_out. NULL: none. */
struct cell *pane_window(struct pane_key *pk, int64_t start, int64_t end, bool *borrowed_out);
/* The same for the window that closes: the oldest panes are its first. */
struct cell *pane_closing(struct pane_key *pk, int64_t start, int64_t end, bool *borrowed_out);
struct mark *pane_mark(struct pane_key *pk, int64_t start); /* finds or makes */
void pane_drop_marks(struct pane_key *pk, int64_t before);
/* End of the last window that is disarmed; INT64_MIN: none is. */
int64_t pane_disarmed_until(const struct pane_key *pk);
void pane_encode(struct encoding *ec, const struct partition *part);
void pane_ahead(const struct partition *part, unsigned step);
/* All but its deadlines. */
bool pane_decode_state(struct restore *re, struct pane_key *pk, struct reader *r);

#endif
