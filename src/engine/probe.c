// SPDX-License-Identifier: Apache-2.0
/*
 * probe - which steps does an event fit by itself: the index finds candidates, their streams and
 * unary conditions decide. Runs on any reader thread: const program, scratch of its own.
 */
#include <string.h>

#include "base/arena.h"
#include "base/mem.h"
#include "base/regex.h"
#include "engine/engine.h"
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
        return source >= prog->n_streams || !prog->stream[source].is_derived;
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
            ps->vm.ev_stream = (uint16_t)stream;
            ps->vm.counters = &ps->counters[probe->rule];
            if (!vm_test(&ps->vm, probe->unary))
                continue;
        }
        ps->found[kept++] = ps->found[i];
    }
    forget(ps);
    ev->fits = ps->found;
    ev->n_fits = kept;
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

void probe_counters(const struct probe_scratch *ps, uint32_t rule, uint64_t *type_clash_out,
                    uint64_t *regex_limit_out)
{
    *type_clash_out = ps->counters[rule].type_clash;
    *regex_limit_out = ps->counters[rule].regex_limit;
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
