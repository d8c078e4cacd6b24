// SPDX-License-Identifier: Apache-2.0
/*
 * swap - what becomes of each rule's state when other rules are to run (language section 9):
 *
 *   name    shape     text and declarations
 *   same    same      same                    unchanged
 *   same    same      other                   kept: goes on with the state, deadlines as they were set
 *   same    other                             on_reload: drained, fresh or refused
 *   new                                       added
 *   gone, or disabled                         removed: its state too
 *
 * A drained rule's old version stays in a generation of its own, begins nothing new (engine/drain.c),
 * and ends when nothing is left of it. Versions that were drained before go on beside it. What cannot be
 * drained begins anew instead: sliding and global windows and `novel`, which have no end, and what reads
 * the matches of other rules, for whose older versions nobody finds them any more.
 * A rule that begins anew, or is gone, leaves nothing behind: versions that still drain end too. A rule
 * that is disabled is gone. If anything is refused nothing changes.
 */
#ifndef FLOW_SWAP_H
#define FLOW_SWAP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct buf;
struct modules;
struct program;
struct program_rule;
struct program_source_text;

enum swap_fate { SWAP_UNCHANGED, SWAP_KEPT, SWAP_ADDED, SWAP_DRAINED, SWAP_FRESH, SWAP_REMOVED,
                 SWAP_REFUSED };
/* "unchanged", static. */
const char *swap_fate_name(enum swap_fate fate);

struct swap_rule {
    char *name;          /* owned */
    enum swap_fate fate;
};

struct swap { /* embedded; swap_fini */
    struct swap_rule *rule;  /* sorted by name */
    size_t n;
    bool refused;            /* something is: nothing is to change */
    bool changes;            /* anything but unchanged */
    uint32_t *purge;         /* incarnations whose records go */
    size_t n_purge;
};

/* What becomes of rules that changed their shape, whatever they say themselves. */
struct swap_policy {
    int on_reload;   /* enum program_reload; -1: as each rule says */
    bool allow_drop; /* where state would be lost it is let go, not refused */
    /* NULL, or: that of this rule alone; NULL: none, it is as the rule says. */
    const struct swap_policy *(*of_rule)(void *ctx, const struct program_rule *rule);
    void *ctx;
};

/*
 * mods is what runs (nothing: n == 0); prog was compiled from the texts. Unless something is refused
 * mods is changed to what is to run. frontier: event time at which the rules change. policy: or NULL.
 */
void swap_plan(const struct swap_policy *policy, struct modules *mods,
               const struct program *prog, const struct program_source_text *text,
               size_t n_texts, int64_t frontier, int64_t wall, struct swap *swap_out);
void swap_fini(struct swap *swap);
/* Appends "3 unchanged, 1 drained (ssh_brute_force), ..." */
void swap_describe(const struct swap *swap, struct buf *out);
/* Appends a line, with a newline before it, for each fate that asks for a reason. */
void swap_explain(const struct swap *swap, struct buf *out);

#endif
