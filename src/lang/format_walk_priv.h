// SPDX-License-Identifier: Apache-2.0
/* format_walk_priv - what format_walk.c (lines) and format_expr.c (what is in them) share. */
#ifndef LANG_FORMAT_WALK_PRIV_H
#define LANG_FORMAT_WALK_PRIV_H

#include "lang/format_priv.h"

struct walk {
    struct format_text *ft;
    uint32_t at;
    uint16_t indent;   /* of the line that is being read */
    uint32_t anchor;   /* where lines that go on stand: behind this token, */
    uint16_t offset;   /* by so much; */
    uint16_t word;     /* its length, for `and` and `or`, which end where it ends */
    uint16_t open;     /* lists spread over lines that are open here */
};

struct format_token *walk_here(struct walk *w);
bool walk_at_end(struct walk *w);
bool walk_is(struct walk *w, const char *text);

/* The token here has its place now. */
void walk_take(struct walk *w);
void walk_take_glued(struct walk *w);
void walk_take_cell(struct walk *w);
bool walk_take_if(struct walk *w, const char *text);
/* A line begins here. */
void walk_line(struct walk *w, enum format_line kind);
/* Lines that go on with this one stand behind the token here, or, of `and` and `or`, end under it. */
void walk_anchor_here(struct walk *w);

/* The token that closes the bracket here; what is in between. */
uint32_t walk_find_close(struct walk *w);
bool walk_holds_newline(struct walk *w, uint32_t close);
uint32_t walk_width_to(struct walk *w, uint32_t close);

void walk_list(struct walk *w, bool json);   /* [ ] with values in it, or a JSON object */
void walk_group(struct walk *w, int depth);  /* ( ), or the [ ] of an index */
void walk_operand(struct walk *w);           /* a value and what is glued to it: a.b[0](c).d */
void walk_expr(struct walk *w);
void walk_keys(struct walk *w);              /* a, b.c, ?d, e = f */
/* At the end: what stands close to its neighbours whatever they are. */
void walk_glue_signs(struct format_text *ft);

#endif
