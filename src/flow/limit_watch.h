// SPDX-License-Identifier: Apache-2.0
/* limit_watch - a rule's limit that cuts is said in the log when it does, not only counted. */
#ifndef FLOW_LIMIT_WATCH_H
#define FLOW_LIMIT_WATCH_H

#include <stdint.h>

struct engine;
struct program;

/* Says which rules were cut since the last look; *seen is NULL before the first, which says nothing, and
 * owned by the caller (mem_free). */
void limit_watch_look(uint64_t **seen, const struct engine *en, const struct program *prog);

#endif
