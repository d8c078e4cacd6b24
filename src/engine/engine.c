// SPDX-License-Identifier: Apache-2.0
/*
 * engine - the data path's second half: deadlines due before the event > keys > matcher > alerts.
 */
#include "engine/engine.h"

#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "base/hash.h"
#include "base/mem.h"
#include "base/pool.h"
#include "base/regex.h"
#include "engine/body.h"
#include "engine/derived.h"
#include "engine/engine_priv.h"
#include "engine/finding.h"
#include "engine/matcher.h"
#include "engine/probe.h"
#include "engine/record.h"
#include "engine/run.h"
#include "engine/set.h"
#include "engine/snapshot.h"
#include "event/event.h"
#include "event/row_table.h"
#include "plan/window_plan.h"

enum { MOST_EXPECTED = 8 }; /* fits whose keys are fetched ahead */

/* ---- lifetime ------------------------------------------------------------------------------- */

/* One queue for each different `within` that a step has: their deadlines fall due in order. */
static void init_waits(struct engine *en, struct rule_state *rs)
{
    const struct nfa *nfa = rs->rule->nfa;
    rs->wait = mem_calloc(nfa->n_steps + 1, sizeof *rs->wait);
    for (uint16_t s = 0; s < nfa->n_steps; s++) {
        int64_t delay = nfa->step[s].within;
        uint32_t i = 0;
        while (i < rs->n_waits && rs->wait[i].delay != delay)
            i++;
        if (delay >= 0 && i == rs->n_waits)
            deadline_queue_init(&en->heap, &rs->wait[rs->n_waits++], DEADLINE_WAIT, delay, rs);
    }
}

static void init_lead(struct engine *en, struct rule_state *rs)
{
    const struct nfa *nfa = rs->rule->nfa;
    int64_t longest = 0;
    for (uint16_t k = 0; k < nfa->n_lead_nots; k++) {
        int64_t own = nfa->step[nfa->lead_not[k]].within;
        int64_t reach = own >= 0 ? own : nfa->within;
        longest = reach > longest ? reach : longest;
    }
    deadline_queue_init(&en->heap, &rs->lead, DEADLINE_LEAD, longest, rs);
}

static void rule_state_init(struct engine *en, struct rule_state *rs,
                            const struct program_rule *rule)
{
    rs->rule = rule;
    rs->pool = en->pool;
    rs->ops = body_ops(rule);
    rs->shape = match_shape_new(rule->nfa);
    key_plan_init(&rs->keys, en->prog, rule);
    rs->keys.memo = &en->memo;
    rs->since = rs->begins = INT64_MIN;
    rs->ends = INT64_MAX;
    rs->excepted = mem_calloc(rule->n_excepted + 1, sizeof *rs->excepted);
    deadline_queue_init(&en->heap, &rs->life, DEADLINE_LIFE, rule->nfa->within, rs);
    init_waits(en, rs);
    init_lead(en, rs);
    rs->sets = set_rule_new(en, rs);
    rs->layout = set_rule_layout(rs);
    suppress_init(en, rs);
    deadline_queue_init(&en->heap, &rs->limit.queue, DEADLINE_LIMIT, rule->limits.alerts_per, rs);
    if (rs->ops != NULL)
        rs->ops->rule_init(en, rs);
}

static void rule_state_fini(struct engine *en, struct rule_state *rs)
{
    for (size_t i = 0; rs->parts.slot != NULL && i <= rs->parts.mask; i++) {
        struct partition *part = rs->parts.slot[i].part;
        if (part != NULL && !partition_is_stub(part))
            partition_strip(en, part);
    }
    partition_table_fini(&rs->parts);
    if (rs->ops != NULL)
        rs->ops->rule_fini(en, rs);
    run_memory_fini(rs);
    suppress_fini(rs);
    key_plan_fini(&rs->keys);
    struct match_shape *shape = (struct match_shape *)(uintptr_t)rs->shape;
    match_shape_free(&shape);
    set_rule_free(&rs->sets);
    mem_free(rs->wait);
    mem_free(rs->excepted);
}

/* By depth, so that the queues of deadlines are numbered, and decided, by depth. */
static void init_rules(struct engine *en)
{
    for (uint32_t depth = 0, n = 0; n < en->prog->n_rules; depth++) {
        for (uint32_t r = 0; r < en->prog->n_rules; r++) {
            if (en->prog->rule[r].depth != depth)
                continue;
            rule_state_init(en, &en->rule[r], &en->prog->rule[r]);
            n++;
        }
    }
}

struct engine *engine_new(struct program *prog)
{
    struct engine *en = mem_calloc(1, sizeof *en);
    en->prog = program_ref(prog);
    en->now = INT64_MIN;
    en->since = en->over = INT64_MAX;
    en->newest = en->shown = en->behind = INT64_MIN;
    en->pool = pool_new();
    en->binds = bind_pool_new();
    en->sets = set_pool_new();
    en->scratch = arena_new(0);
    en->probe = probe_scratch_new(prog);
    piece_timer_init(&en->timer, NULL);
    en->vm = (struct vm){.prog = prog, .scratch = en->scratch, .regex = regex_scratch_new()};
    en->rule = mem_calloc(prog->n_rules + 1, sizeof *en->rule);
    tables_init(en);
    init_rules(en);
    buf_init(&en->text);
    return en;
}

void engine_free(struct engine **en_ref)
{
    struct engine *en = *en_ref;
    *en_ref = NULL;
    if (en == NULL)
        return;
    records_detach(en);
    /* First of all, so that whatever is freed below may clear its deadline, in any order. */
    for (struct deadline *dl; (dl = deadline_due(&en->heap, INT64_MAX)) != NULL;)
        deadline_clear(&en->heap, dl);
    for (uint32_t r = 0; r < en->prog->n_rules; r++)
        rule_state_fini(en, &en->rule[r]);
    records_free(en);
    deadline_heap_fini(&en->heap);
    bind_pool_free(&en->binds);
    set_pool_free(&en->sets);
    arena_free(&en->scratch);
    probe_scratch_free(&en->probe);
    regex_scratch_free(&en->vm.regex);
    mem_free(en->rule);
    tables_fini(en);
    mem_free(en->pending);
    derived_free(&en->derived);
    pool_free(&en->pool);
    origin_list_free(&en->origins);
    buf_fini(&en->text);
    program_unref(&en->prog);
    mem_free(en);
}

/* ---- deadlines ------------------------------------------------------------------------------ */

#define CONTAINER(ptr, type, member) ((type *)(void *)((char *)(ptr) - offsetof(type, member)))

static void run_is_due(struct engine *en, struct run *run)
{
    struct partition *part = run->part;
    partition_touch(part);
    matcher_run_due(en, run);
    partition_release(part);
}

static void deadline_decide(struct engine *en, struct deadline *dl, struct alert_list *out)
{
    struct rule_state *rs = dl->queue->owner;
    struct partition *part;
    switch (dl->queue->kind) {
    case DEADLINE_LIFE:
        run_is_due(en, CONTAINER(dl, struct run, life));
        break;
    case DEADLINE_WAIT:
        run_is_due(en, CONTAINER(dl, struct run_wait, due)->run);
        break;
    case DEADLINE_LEAD:
        part = CONTAINER(dl, struct partition, lead_due);
        partition_touch(part);
        matcher_lead_due(en, part);
        partition_release(part);
        break;
    case DEADLINE_SUPPRESS:
        suppress_due(en, rs, CONTAINER(dl, struct suppress_entry, deadline), out);
        break;
    case DEADLINE_LIMIT:
        engine_limit_due(en, rs, out);
        break;
    case DEADLINE_TABLE:
        table_row_due(en, dl);
        break;
    case DEADLINE_BODY:
        rs->ops->due(en, dl);
        break;
    case DEADLINE_LEAF:
    case DEADLINE_SET:
    case DEADLINE_SET_ITEM:
        partition_release(set_due(en, dl));
        break;
    }
}

static void decide_timed(struct engine *en, struct deadline *dl, struct alert_list *out)
{
    struct rule_state *rs = dl->queue->kind != DEADLINE_TABLE ? dl->queue->owner : NULL;
    int64_t began = rs != NULL ? piece_begin(&en->timer) : PIECE_UNTIMED;
    deadline_decide(en, dl, out);
    if (rs != NULL)
        piece_end(&en->timer, began, &rs->stats.engine_ns);
}

static uint32_t depth_of(const struct deadline *dl)
{
    if (dl->queue->kind == DEADLINE_TABLE)
        return 0;
    const struct rule_state *rs = dl->queue->owner;
    return rs->rule->depth;
}

/* Keys that are in the store alone are loaded when what they wait for comes first. */
static struct deadline *next_due(struct engine *en, int64_t frontier)
{
    struct deadline *dl = deadline_due(&en->heap, frontier);
    while (en->records != NULL &&
           records_load_due(en, frontier, dl, dl != NULL ? depth_of(dl) : 0))
        dl = deadline_due(&en->heap, frontier);
    return dl;
}

/* All deadlines of one time are decided before the matches among them are told, so their order is
 * the alerts' own (rule, key, start) and not the order in which deadlines were set. Those of rules
 * that read other rules come when the events that these made at that very time were offered: the
 * queues are in order of depth. */
static void decide_below(struct engine *en, int64_t frontier, uint64_t most,
                         struct alert_list *out)
{
    struct deadline *dl;
    uint64_t n = 0;
    en->target = frontier;
    while (n < most && (dl = next_due(en, frontier)) != NULL) {
        int64_t due = en->tables.now = dl->due;
        uint32_t depth = depth_of(dl);
        en->ordered = false;
        while ((n < most || en->ordered) && (dl = next_due(en, frontier)) != NULL &&
               dl->due == due && depth_of(dl) == depth) {
            decide_timed(en, dl, out);
            n++;
        }
        engine_tell(en, out);
        arena_reset(en->scratch);
        derived_feed(en, out);
    }
}

/* Is what the rule tells of one instant independent of the order in which its keys are told? */
void engine_note_order(struct engine *en, const struct program_rule *rule)
{
    en->ordered |= rule->n_suppress_by > 0 || rule->limits.alerts_per > 0 ||
                   rule->stream_own != UINT32_MAX || rule->stream_into != UINT32_MAX;
}

/* ---- one event ------------------------------------------------------------------------------ */

struct event *engine_kept(struct engine *en)
{
    if (en->kept == NULL)
        en->kept = event_keep_in(en->pool, en->ev);
    return en->kept;
}

/* What stream() is in a key: a key is the event's, not a step's. */
static uint16_t source_of(const struct engine *en)
{
    uint32_t source = en->ev->origin->source_id;
    return source < en->prog->n_streams ? (uint16_t)source : 0;
}

/* The steps of one rule that the event fits, and through which streams. */
struct rule_fits {
    uint64_t steps;                     /* PROBE_STEP */
    uint64_t touched;                   /* PROBE_TOUCH */
    uint16_t stream[64];
};

/* The conditions that read tables which events feed: not known before it is the event's turn. */
static bool holds_late(struct engine *en, const struct program_probe *probe, uint16_t stream)
{
    en->vm.ev = en->ev;
    en->vm.bound = NULL;
    en->vm.key = NULL;
    en->vm.ev_stream = stream;
    en->vm.counters = &en->rule[probe->rule].counters;
    return vm_test(&en->vm, probe->late);
}

static uint32_t collect_fits(struct engine *en, const struct event *ev, uint32_t at,
                             struct rule_fits *rf)
{
    uint32_t rule = en->prog->probe[ev->fits[at]].rule;
    rf->steps = rf->touched = 0;
    for (; at < ev->n_fits; at++) {
        const struct program_probe *probe = &en->prog->probe[ev->fits[at]];
        if (probe->rule != rule)
            break;
        if (probe->kind == PROBE_TOUCH) {
            rf->touched |= UINT64_C(1) << probe->step;
            continue;
        }
        rf->stream[probe->step] = probe_stream(en->prog, en->probe, probe, ev);
        if (probe->late == NULL || holds_late(en, probe, rf->stream[probe->step]))
            rf->steps |= UINT64_C(1) << probe->step;
    }
    return at;
}

static void offer_one(struct engine *en, struct rule_state *rs, const struct rule_fits *rf,
                      const struct key_offer *key, bool late)
{
    struct partition *part = partition_get(rs, key->hash, key->key);
    uint64_t fits = rf->steps & key->steps;
    if (part == NULL) {
        if (rs->ops != NULL ? !rs->ops->begins(rs, fits) : !matcher_begins(rs, fits))
            return;
        if (!suppress_make_room(en, rs)) {
            rs->stats.limited_state++;
            return;
        }
        part = partition_new(rs, key->hash, key->key);
    } else if (partition_is_stub(part)) { /* it cannot be loaded: the engine is broken */
        return;
    } else {
        partition_touch(part);
    }
    struct offer of = {.part = part, .ev = en->ev, .fits = fits, .stream = rf->stream,
                       .seq = en->seq};
    if (rs->ops == NULL)
        matcher_advance(en, &of);
    else if (!late)
        rs->ops->offer(en, &of);
    else
        rs->ops->offer_late(en, &of);
    partition_release(part);
}

static bool takes_late(const struct rule_state *rs)
{
    return rs->ops != NULL && rs->ops->offer_late != NULL && rs->rule->window->late >= 0;
}

static void offer_rule(struct engine *en, const struct rule_fits *rf, struct rule_state *rs,
                       bool late)
{
    struct key_offer *offer;
    bool no_key;
    if (rs->off || (late && !takes_late(rs)))
        return;
    en->vm.ev = en->ev;
    en->vm.bound = NULL;
    en->vm.key = NULL;
    en->vm.ev_stream = source_of(en);
    en->vm.counters = &rs->counters;
    uint32_t n = key_offers(&rs->keys, &en->vm, rf->steps | rf->touched, &offer, &no_key);
    rs->stats.events++;
    rs->stats.no_key += no_key;
    for (uint32_t i = 0; i < n; i++)
        offer_one(en, rs, rf, &offer[i], late);
}

static void offer_event(struct engine *en, const struct event *ev, bool late,
                        struct alert_list *out)
{
    struct rule_fits rf;
    en->seq++;
    if (ev->n_fits == 0)
        return;
    en->ev = ev;
    uint32_t at = 0;
    while (at < ev->n_fits && en->prog->probe[ev->fits[at]].kind != PROBE_TABLE) {
        struct rule_state *rs = &en->rule[en->prog->probe[ev->fits[at]].rule];
        int64_t began = piece_begin(&en->timer);
        at = collect_fits(en, ev, at, &rf);
        if ((rf.steps | rf.touched) != 0)
            offer_rule(en, &rf, rs, late);
        piece_end(&en->timer, began, &rs->stats.engine_ns);
    }
    if (en->n_pending > 0)
        engine_tell(en, out);
    for (; at < ev->n_fits && !late; at++)
        table_feed(en, en->prog->probe[ev->fits[at]].step, ev);
    if (en->kept != NULL) {
        event_unref(en->kept);
        en->kept = NULL;
    }
    en->memo.ev = NULL;
    arena_reset(en->scratch);
}

/* The places of the event's keys in the tables are fetched while deadlines are decided. */
static void look_ahead(struct engine *en, const struct event *ev)
{
    uint64_t hash;
    en->memo.ev = NULL;
    for (uint32_t at = 0; at < ev->n_fits; at++) {
        const struct program_probe *probe = &en->prog->probe[ev->fits[at]];
        if (probe->kind == PROBE_TABLE) /* those come last and are no rule's */
            break;
        struct rule_state *rs = &en->rule[probe->rule];
        if (key_plain_hash(&rs->keys, ev, &hash))
            partition_prefetch(&rs->parts, hash);
    }
}

void engine_expect(const struct engine *en, const struct event *ev, bool next)
{
    uint32_t most = ev->n_fits < MOST_EXPECTED ? ev->n_fits : MOST_EXPECTED;
    for (uint32_t at = 0; at < most; at++) {
        const struct program_probe *probe = &en->prog->probe[ev->fits[at]];
        if (probe->kind == PROBE_TABLE)
            break;
        const struct rule_state *rs = &en->rule[probe->rule];
        if (rs->keys.plain == UINT32_MAX)
            continue;
        const struct value *key = &ev->slot[rs->keys.plain];
        if (key->type == VALUE_MISSING || key->type == VALUE_LIST)
            continue;
        if (next)
            partition_prefetch_part(&rs->parts, key_hash(key, 1));
        else
            partition_prefetch(&rs->parts, key_hash(key, 1));
    }
}

void engine_begin(struct engine *en, int64_t time)
{
    bool is_first = en->since == INT64_MAX;
    if (time >= en->since)
        return;
    en->since = time;
    for (uint32_t r = 0; is_first && r < en->prog->n_rules; r++) {
        struct rule_state *rs = &en->rule[r];
        if (rs->ops != NULL && rs->ops->begin != NULL && !rs->rule->disabled && !rs->off)
            rs->ops->begin(en, rs, time);
    }
}

void engine_keep_limited(struct engine *en)
{
    en->keeps_limited = true;
}

void engine_own(struct engine *en, const bool *rules)
{
    for (uint32_t r = 0; r < en->prog->n_rules; r++)
        en->rule[r].off = !rules[r];
}

void engine_feed(struct engine *en, const struct event *ev, struct alert_list *out)
{
    if (en->records != NULL && engine_broken(en) != NULL)
        return;
    if (ev->time < en->now) /* the order stage has a bug: going on would be wrong silently */
        abort();
    engine_begin(en, ev->time);
    look_ahead(en, ev);
    decide_below(en, ev->time, UINT64_MAX, out);
    en->now = en->tables.now = ev->time;
    offer_event(en, ev, false, out);
    derived_feed(en, out);
}

void engine_feed_late(struct engine *en, const struct event *ev, struct alert_list *out)
{
    if (engine_broken(en) != NULL)
        return;
    en->late = true;
    offer_event(en, ev, true, out);
    en->late = false;
}

void engine_offer_derived(struct engine *en, const struct event *ev, struct alert_list *out)
{
    offer_event(en, ev, false, out);
}

void engine_tell_also(struct engine *en, uint32_t rule)
{
    en->tells_also = &en->rule[rule];
}


void engine_advance(struct engine *en, int64_t frontier, struct alert_list *out)
{
    if (frontier <= en->now || engine_broken(en) != NULL)
        return;
    decide_below(en, frontier, UINT64_MAX, out);
    en->now = frontier;
}

void engine_over(struct engine *en, int64_t time)
{
    en->over = time;
}

bool engine_advance_slice(struct engine *en, int64_t frontier, uint64_t most,
                          struct alert_list *out)
{
    if (frontier <= en->now || engine_broken(en) != NULL)
        return true;
    decide_below(en, frontier, most, out);
    if (deadline_due(&en->heap, frontier) != NULL ||
        (en->records != NULL && records_due(en, frontier)))
        return false;
    en->now = frontier;
    return true;
}

void engine_match(struct engine *en, struct partition *part, struct run *run, int64_t time,
                  int64_t deadline)
{
    en->pending = vec_reserve(en->pending, &en->cap_pending, en->n_pending + 1,
                              sizeof *en->pending);
    en->pending[en->n_pending++] = (struct pending){
        .rs = part->rs, .part = part, .run = run, .time = time, .deadline = deadline};
    part->pins++;
    engine_note_order(en, part->rs->rule);
}

void engine_table_stats(const struct engine *en, uint32_t table, uint64_t *rows_out,
                        uint64_t *bytes_out, uint64_t *refused_out)
{
    const struct fed_table *t = &en->tables.table[table];
    bool known = t->plan->rows != NULL;
    *rows_out = known ? row_table_count(t->plan->rows) : t->n;
    *bytes_out = known ? row_table_bytes(t->plan->rows) : t->bytes + hash_index_bytes(t->index);
    *refused_out = t->refused;
}

uint64_t engine_excepted(const struct engine *en, uint32_t exception)
{
    uint64_t n = 0;
    for (uint32_t r = 0; r < en->prog->n_rules; r++) {
        for (uint32_t i = 0; i < en->prog->rule[r].n_excepted; i++) {
            if (en->prog->rule[r].excepted[i].exception == exception)
                n += en->rule[r].excepted[i];
        }
    }
    return n;
}

uint64_t engine_unexpected(const struct engine *en, uint32_t stream)
{
    return derived_unexpected(en->derived, stream);
}

void engine_time(struct engine *en, const struct piece_clock *clock)
{
    piece_timer_init(&en->timer, clock);
}

void engine_count_probed(struct engine *en, uint32_t rule, const struct probe_tally *more)
{
    struct engine_rule_stats *stats = &en->rule[rule].stats;
    stats->type_clash += more->type_clash;
    stats->regex_limit += more->regex_limit;
    stats->conditions_ns += more->ns;
}

void engine_stats(const struct engine *en, uint32_t rule, struct engine_rule_stats *stats_out)
{
    *stats_out = en->rule[rule].stats;
    stats_out->limited_keys += en->rule[rule].keys.cut;
    stats_out->type_clash += en->rule[rule].counters.type_clash;
    stats_out->regex_limit += en->rule[rule].counters.regex_limit;
}
