// SPDX-License-Identifier: Apache-2.0
/* ruleset_priv - what ruleset.c (loading, wiring) and ruleset_change.c (changes) share. */
#ifndef DAEMON_RULESET_PRIV_H
#define DAEMON_RULESET_PRIV_H

#include "daemon/ruleset.h"

/* The messages, without a line end behind the last. */
void ruleset_say(struct diag *diag, struct buf *why);
/* rs->mods is there: programs, routes, all else. first (taken, or NULL): that of the current generation;
 * programs of generations that run in `from` are shared. */
bool ruleset_complete(struct ruleset *rs, const struct config *config, const struct ruleset *from,
                      struct program *first, struct buf *why);

#endif
