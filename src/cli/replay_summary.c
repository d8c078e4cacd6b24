// SPDX-License-Identifier: Apache-2.0
#include "cli/replay_summary.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "engine/engine.h"
#include "flow/replay.h"
#include "flow/unseen.h"
#include "plan/program.h"

static const char *plural(uint64_t n)
{
    return n == 1 ? "" : "s";
}

static void source_lines(const struct replay_source *source)
{
    if (source->rows) /* its name says that it is a table */
        fprintf(stderr, "  %s: %" PRIu64 " record%s, %" PRIu64 " rejected\n", source->name, source->events,
                plural(source->events), source->rejected);
    else
        fprintf(stderr, "  source %s: %" PRIu64 " event%s, %" PRIu64 " late, %" PRIu64 " rejected\n",
                source->name, source->events, plural(source->events), source->late, source->rejected);
    for (uint32_t i = 0; i < source->n_reasons; i++)
        fprintf(stderr, "    %s\n", source->reason[i]);
    if (source->rejected > source->n_reasons)
        fprintf(stderr, "    and %" PRIu64 " more\n", source->rejected - source->n_reasons);
}

static void rule_note(const char *name, uint64_t n, const char *what)
{
    if (n > 0)
        fprintf(stderr, "  rule %s: %" PRIu64 " %s\n", name, n, what);
}

/* What no one should have to ask for: comparisons that can never be true, and what limits cut. */
static void rule_notes(const struct replay *r, const struct program *prog)
{
    struct engine_rule_stats st;

    for (uint32_t i = 0; i < prog->n_rules; i++) {
        const char *name = prog->rule[i].name;
        replay_rule_stats(r, i, &st);
        rule_note(name, st.type_clash, "comparisons of different types, which are false");
        rule_note(name, st.regex_limit, "matches of a regex given up at its limit, taken as false");
        rule_note(name, st.limited_runs, "starts refused or runs dropped by `limit runs`");
        rule_note(name, st.limited_events, "events not taken by `limit events`");
        rule_note(name, st.limited_values, "values left out by `limit values`");
        rule_note(name, st.limited_matches, "pairs left out by `limit matches`");
        rule_note(name, st.limited_keys, "elements of list-valued keys left out, beyond 1000 an event");
        rule_note(name, st.limited_state, "starts refused by `limit state`");
        rule_note(name, st.limited_alerts, "alerts held by `limit alerts`");
    }
}

/* A field that no event has is mistyped, most likely. A source without events would make all of its fields such. */
static void unseen_notes(const struct replay *r, const struct program *prog)
{
    enum { MOST = 10 };
    const struct replay_inputs *in = replay_inputs(r);
    const struct unseen *unseen = replay_unseen(r);
    const char *near;

    for (size_t i = 0; i < in->n_sources; i++)
        if (in->source[i].events == 0)
            return;
    for (size_t i = 0; i < unseen->n && i < MOST; i++) {
        const char *path = unseen_path(unseen, prog, i, &near);
        fprintf(stderr, "  no event has the field `%s`, which rules read", path);
        if (near)
            fprintf(stderr, "; did you mean `%s`?", near);
        fputc('\n', stderr);
    }
    if (unseen->n > MOST)
        fprintf(stderr, "  and %zu more fields\n", unseen->n - MOST);
}

void replay_summary(const struct replay *r, const struct program *prog, double seconds)
{
    const struct replay_inputs *in = replay_inputs(r);
    uint64_t events = 0, rejected = 0, late = 0, alerts = 0;

    for (size_t i = 0; i < in->n_sources; i++) {
        events += in->source[i].rows ? 0 : in->source[i].events;
        rejected += in->source[i].rejected;
        late += in->source[i].late;
    }
    for (uint32_t i = 0; i < prog->n_rules; i++)
        alerts += replay_alerts(r, i);
    fprintf(stderr,
            "%" PRIu64 " event%s (%" PRIu64 " late, %" PRIu64 " rejected), %" PRIu64
            " alert%s, %.2f s (%.0f events/s)\n",
            events, plural(events), late, rejected, alerts, plural(alerts), seconds,
            seconds > 0 ? (double)events / seconds : 0);
    for (size_t i = 0; i < in->n_sources; i++)
        if (in->n_sources > 1 || in->source[i].rejected > 0)
            source_lines(&in->source[i]);
    for (uint32_t i = 0; i < prog->n_rules; i++)
        if (replay_alerts(r, i) > 0)
            fprintf(stderr, "  rule %s: %" PRIu64 " alert%s\n", prog->rule[i].name,
                    replay_alerts(r, i), plural(replay_alerts(r, i)));
    rule_notes(r, prog);
    unseen_notes(r, prog);
}

/* ---- --stats --------------------------------------------------------------------------------- */

/* The columns of the table, each a sum of engine_rule_stats; behind them the estimate of its time. */
enum column { EVENTS, NO_KEY, ALERTS, HELD, KEYS, RUNS, BYTES, CLASHES, REGEX, LIMITED, COLUMNS };

static const char *const column_name[COLUMNS] = {
    "events", "no key", "alerts", "held", "keys", "runs", "bytes", "clashes", "regex", "limited"};

static void rule_columns(const struct engine_rule_stats *st, uint64_t column[COLUMNS])
{
    column[EVENTS] = st->events;
    column[NO_KEY] = st->no_key;
    column[ALERTS] = st->alerts;
    column[HELD] = st->suppressed;
    column[KEYS] = st->keys;
    column[RUNS] = st->runs;
    column[BYTES] = st->bytes;
    column[CLASHES] = st->type_clash;
    column[REGEX] = st->regex_limit;
    column[LIMITED] =
        st->limited_runs + st->limited_events + st->limited_state + st->limited_alerts +
        st->limited_values + st->limited_matches + st->limited_keys;
}

static void expect_note(const struct replay *r, const struct program_stream *stream, uint32_t number)
{
    uint64_t n = replay_unexpected(r, number);

    fprintf(stderr, "  stream %s: %" PRIu64 " event%s did not satisfy `expect`", stream->name, n,
            plural(n));
    if (stream->quarantine)
        fprintf(stderr, ", quarantined for %s", stream->quarantine);
    else
        fputs(stream->drops ? ", dropped" : ", kept", stderr);
    fputc('\n', stderr);
}

static void table_note(const struct replay *r, const struct program_table *table, uint32_t number)
{
    uint64_t rows, bytes, refused;

    replay_table_stats(r, number, &rows, &bytes, &refused);
    fprintf(stderr, "  table %s: %" PRIu64 " row%s, %.1f MB", table->name, rows, plural(rows),
            (double)bytes / 1e6);
    if (refused > 0)
        fprintf(stderr, ", %" PRIu64 " refused", refused);
    fputc('\n', stderr);
}

void replay_summary_stats(const struct replay *r, const struct program *prog)
{
    struct engine_rule_stats st;
    uint64_t column[COLUMNS];
    int width = 4;

    for (uint32_t i = 0; i < prog->n_rules; i++)
        if ((int)strlen(prog->rule[i].name) > width)
            width = (int)strlen(prog->rule[i].name);
    fprintf(stderr, "\n%-*s", width, "rule");
    for (int c = 0; c < COLUMNS; c++)
        fprintf(stderr, " %9s", column_name[c]);
    fprintf(stderr, " %9s", "seconds");
    fputc('\n', stderr);
    for (uint32_t i = 0; i < prog->n_rules; i++) {
        replay_rule_stats(r, i, &st);
        rule_columns(&st, column);
        fprintf(stderr, "%-*s", width, prog->rule[i].name);
        for (int c = 0; c < COLUMNS; c++)
            fprintf(stderr, " %9" PRIu64, column[c]);
        fprintf(stderr, " %9.3f", (double)(st.engine_ns + st.conditions_ns) / 1e9);
        fputc('\n', stderr);
    }
    for (uint32_t i = 0; i < prog->n_tables; i++)
        table_note(r, &prog->table[i], i);
    for (uint32_t i = 0; i < prog->n_exceptions; i++)
        fprintf(stderr, "  exception %s: %" PRIu64 " alert%s held back\n", prog->exception[i].title,
                replay_excepted(r, i), plural(replay_excepted(r, i)));
    for (uint32_t i = 0; i < prog->n_expecting; i++)
        expect_note(r, &prog->stream[prog->expecting[i]], prog->expecting[i]);
    fprintf(stderr, "events waited to be put in order in %.1f MB at most\n",
            (double)replay_peak_bytes(r) / 1e6);
}
