// SPDX-License-Identifier: Apache-2.0
#include "flow/limit_watch.h"

#include <inttypes.h>
#include <stdbool.h>

#include "base/log.h"
#include "base/buf.h"
#include "base/mem.h"
#include "engine/engine.h"
#include "plan/program.h"

static uint64_t cut_by(const struct engine_rule_stats *st)
{
    return st->limited_runs + st->limited_events + st->limited_state + st->limited_values +
           st->limited_matches + st->limited_keys + st->limited_alerts;
}

static void tell(const char *rule, const struct engine_rule_stats *st)
{
    struct buf b;

    buf_init(&b);
    log_field(&b, "rule", rule);
    buf_printf(&b,
               " runs=%" PRIu64 " events=%" PRIu64 " state=%" PRIu64 " values=%" PRIu64
               " matches=%" PRIu64 " keys=%" PRIu64 " alerts=%" PRIu64,
               st->limited_runs, st->limited_events, st->limited_state, st->limited_values,
               st->limited_matches, st->limited_keys, st->limited_alerts);
    log_line(LOG_WARNING, LOG_engine, "a limit of a rule cuts", "%s", b.data);
    buf_fini(&b);
}

void limit_watch_look(uint64_t **seen, const struct engine *en, const struct program *prog)
{
    bool first = !*seen;

    if (first)
        *seen = mem_calloc(prog->n_rules + 1, sizeof **seen);
    for (uint32_t r = 0; r < prog->n_rules; r++) {
        struct engine_rule_stats st;
        engine_stats(en, r, &st);
        uint64_t cut = cut_by(&st);
        if (!first && cut > (*seen)[r])
            tell(prog->rule[r].name, &st);
        (*seen)[r] = cut;
    }
}
