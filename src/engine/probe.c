// SPDX-License-Identifier: Apache-2.0
/*
 * probe - which steps does an event fit by itself: the index finds candidates, their streams and
 * unary conditions decide. Runs on any reader thread: const program, scratch of its own.
 */
#include <string.h>

#include "base/arena.h"
#include "base/buf.h"
#include "base/mem.h"
#include "base/regex.h"
#include "engine/engine.h"
#include "engine/piece_timer.h"
#include "engine/probe.h"
#include "engine/vm.h"
#include "event/event.h"
#include "plan/candidates.h"
#include "plan/program.h"
#include "plan/window_plan.h"

/* Of an event in a stream; the bit: it does not satisfy `expect`. */
enum { UNKNOWN, MEMBER, NO_MEMBER, UNEXPECTED = 4 };

struct probe_scratch {
    uint64_t *seen;
    uint32_t *found;
    uint8_t *member;        /* [n_streams] of the current event */
    uint32_t *asked;        /* streams whose `member` is known, to be reset */
    uint32_t n_asked;
    uint64_t *unexpected;   /* [n_streams] events that do not satisfy `expect` */
    uint32_t *broken;       /* streams whose quarantine the last event goes to */
    uint32_t n_broken;
    struct vm vm;
    struct vm_counters *counters; /* [n_rules], and one more for streams */
    struct piece_timer timer;
    uint64_t *ns;                 /* [n_rules] likewise: what conditions took */
    struct arena *scratch;
};

struct probe_scratch *probe_scratch_new(const struct program *prog)
{
    struct probe_scratch *ps = mem_calloc(1, sizeof *ps);
    ps->seen = mem_calloc((prog->n_probes + 63) / 64 + 1, sizeof *ps->seen);
    ps->found = mem_calloc(prog->n_probes + 1, sizeof *ps->found);
    ps->member = mem_calloc(prog->n_streams + 1, sizeof *ps->member);
    ps->asked = mem_calloc(prog->n_streams + 1, sizeof *ps->asked);
    ps->broken = mem_calloc(prog->n_expecting + 1, sizeof *ps->broken);
    ps->unexpected = mem_calloc(prog->n_streams + 1, sizeof *ps->unexpected);
    ps->counters = mem_calloc(prog->n_rules + 1, sizeof *ps->counters);
    ps->ns = mem_calloc(prog->n_rules + 1, sizeof *ps->ns);
    piece_timer_init(&ps->timer, NULL);
    ps->scratch = arena_new(0);
    ps->vm = (struct vm){.prog = prog, .scratch = ps->scratch, .regex = regex_scratch_new()};
    return ps;
}

void probe_scratch_free(struct probe_scratch **ps)
{
    if (*ps == NULL)
        return;
    mem_free((*ps)->seen);
    mem_free((*ps)->found);
    mem_free((*ps)->member);
    mem_free((*ps)->asked);
    mem_free((*ps)->broken);
    mem_free((*ps)->unexpected);
    mem_free((*ps)->counters);
    mem_free((*ps)->ns);
    regex_scratch_free(&(*ps)->vm.regex);
    arena_free(&(*ps)->scratch);
    mem_free(*ps);
    *ps = NULL;
}

static bool is_member(const struct program *prog, struct probe_scratch *ps, uint32_t number)
{
    const struct program_stream *stream = &prog->stream[number];
    if (number == 0) {
        uint32_t source = ps->vm.ev->origin->source_id;
        return source >= prog->n_streams ||
               !(prog->stream[source].is_derived || prog->stream[source].is_table);
    }
    if (stream->is_source)
        return ps->vm.ev->origin->source_id == number;
    if (ps->member[number] != UNKNOWN)
        return (ps->member[number] & MEMBER) != 0;
    bool member = false;
    for (uint32_t i = 0; i < stream->n_inputs && !member; i++)
        member = is_member(prog, ps, stream->input[i]);
    if (member && stream->where != NULL) {
        ps->vm.counters = &ps->counters[prog->n_rules];
        member = vm_test(&ps->vm, stream->where);
    }
    bool unexpected = member && stream->expect != NULL;
    if (unexpected) {
        ps->vm.counters = &ps->counters[prog->n_rules];
        unexpected = !vm_test(&ps->vm, stream->expect);
        member = !unexpected || !stream->drops;
    }
    ps->member[number] = (member ? MEMBER : NO_MEMBER) | (unexpected ? UNEXPECTED : 0);
    ps->asked[ps->n_asked++] = number;
    return member;
}

static uint32_t fitting_stream(const struct program *prog, struct probe_scratch *ps,
                               const struct program_probe *probe)
{
    for (uint32_t i = 0; i < probe->n_streams; i++) {
        if (is_member(prog, ps, probe->stream[i]))
            return probe->stream[i];
    }
    return PROGRAM_NO_SOURCE;
}

/* What is known of one event, and what its conditions computed. */
static void forget(struct probe_scratch *ps)
{
    while (ps->n_asked > 0)
        ps->member[ps->asked[--ps->n_asked]] = UNKNOWN;
    arena_reset(ps->scratch);
}

void engine_probe(const struct program *prog, struct probe_scratch *ps, struct event *ev)
{
    uint32_t n = candidates_find(prog->candidates, ev, ps->seen, ps->found), kept = 0;
    ps->vm.ev = ev;
    ps->n_broken = 0;
    for (uint32_t i = 0; i < prog->n_expecting; i++) {
        uint32_t stream = prog->expecting[i];
        is_member(prog, ps, stream);
        if ((ps->member[stream] & UNEXPECTED) == 0)
            continue;
        ps->unexpected[stream]++;
        if (prog->stream[stream].quarantine != NULL)
            ps->broken[ps->n_broken++] = stream;
    }
    for (uint32_t i = 0; i < n; i++) {
        const struct program_probe *probe = &prog->probe[ps->found[i]];
        uint32_t stream = fitting_stream(prog, ps, probe);
        if (stream == PROGRAM_NO_SOURCE)
            continue;
        if (probe->unary != NULL) {
            uint32_t rule = probe->rule != PROGRAM_NO_RULE ? probe->rule : prog->n_rules;
            ps->vm.ev_stream = (uint16_t)stream;
            ps->vm.counters = &ps->counters[rule];
            int64_t began = piece_begin(&ps->timer);
            bool holds = vm_test(&ps->vm, probe->unary);
            piece_end(&ps->timer, began, &ps->ns[rule]);
            if (!holds)
                continue;
        }
        ps->found[kept++] = ps->found[i];
    }
    forget(ps);
    ev->fits = ps->found;
    ev->n_fits = kept;
}

static bool row_is_fine(const struct program_table *table, struct probe_scratch *ps, struct buf *why)
{
    static const char *const wrong[] = {"is not there", "is a list", "is an object"};
    if (vm_eval(&ps->vm, table->row).type == VALUE_MISSING) {
        buf_adds(why, "the record has no key: it is no row of a table");
        return false;
    }
    if (vm_eval(&ps->vm, table->deleted).type != VALUE_MISSING)
        return true;
    enum value_type type = (enum value_type)vm_eval(&ps->vm, table->key).type;
    if (type != VALUE_MISSING && type != VALUE_LIST && type != VALUE_OBJECT)
        return true;
    buf_printf(why, "`%s`, by which rows of `%s` are found, %s", table->key_name, table->name,
               wrong[type == VALUE_MISSING ? 0 : type == VALUE_LIST ? 1 : 2]);
    return false;
}

bool engine_probe_row(const struct program *prog, struct probe_scratch *ps, const struct event *ev, struct buf *why)
{
    bool fine = true;
    ps->vm.ev = ev;
    ps->vm.counters = &ps->counters[prog->n_rules];
    for (uint32_t i = 0; i < ev->n_fits && fine; i++) {
        const struct program_probe *probe = &prog->probe[ev->fits[i]];
        if (probe->kind != PROBE_TABLE || prog->table[probe->step].kafka == NULL)
            continue;
        ps->vm.ev_stream = (uint16_t)prog->table[probe->step].stream;
        fine = row_is_fine(&prog->table[probe->step], ps, why);
    }
    arena_reset(ps->scratch);
    return fine;
}

uint16_t probe_stream(const struct program *prog, struct probe_scratch *ps,
                      const struct program_probe *probe, const struct event *ev)
{
    if (probe->n_streams == 1)
        return (uint16_t)probe->stream[0];
    ps->vm.ev = ev;
    uint32_t stream = fitting_stream(prog, ps, probe);
    forget(ps);
    return stream == PROGRAM_NO_SOURCE ? 0 : (uint16_t)stream;
}

struct probe_tally probe_tally_of(const struct probe_scratch *ps, uint32_t rule)
{
    return (struct probe_tally){.type_clash = ps->counters[rule].type_clash,
                                .regex_limit = ps->counters[rule].regex_limit,
                                .ns = ps->ns[rule]};
}

void probe_time(struct probe_scratch *ps, const struct piece_clock *clock)
{
    piece_timer_init(&ps->timer, clock);
}

uint32_t probe_broken(const struct probe_scratch *ps, const uint32_t **stream_out)
{
    *stream_out = ps->broken;
    return ps->n_broken;
}

uint64_t probe_unexpected(const struct probe_scratch *ps, uint32_t stream)
{
    return ps->unexpected[stream];
}

bool engine_is_member(const struct program *prog, struct probe_scratch *ps,
                      const struct event *ev, uint32_t stream)
{
    ps->vm.ev = ev;
    bool member = is_member(prog, ps, stream);
    forget(ps);
    return member;
}

bool probe_allows_late(const struct program_rule *rule)
{
    return rule->window != NULL && rule->window->late >= 0;
}

bool probe_wants_late(const struct program *prog, const struct event *ev)
{
    for (uint32_t i = 0; i < ev->n_fits; i++) {
        const struct program_probe *probe = &prog->probe[ev->fits[i]];
        if (probe->rule != PROGRAM_NO_RULE && probe_allows_late(&prog->rule[probe->rule]))
            return true;
    }
    return false;
}
