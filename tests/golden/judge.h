/* SPDX-License-Identifier: Apache-2.0 */
/* judge - are these the alerts that a case names? */
#ifndef GOLDEN_JUDGE_H
#define GOLDEN_JUDGE_H

#include <stdbool.h>

struct alert_list;
struct golden_case;
struct program;

/* Prints what is missing (-) and what is too much (+) if they are not. */
bool judge_alerts(const struct golden_case *gc, const struct alert_list *found,
                  const struct program *prog);
/* The same for a case that must not compile: is there no program, and do the messages name the error? */
bool judge_error(const struct golden_case *gc, const struct program *prog, const char *messages);
/* Do they come in the order of time (as they must but for what late events bring)? */
bool judge_order(const struct golden_case *gc, const char *way, const struct alert_list *found);
/* Are b, of another way, those of the plain run? Both sorted. */
bool judge_same(const struct golden_case *gc, const char *way, const struct alert_list *a,
                const struct alert_list *b);

#endif
