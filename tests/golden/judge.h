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

#endif
