// SPDX-License-Identifier: Apache-2.0
#include "engine/look.h"

#include <inttypes.h>
#include <string.h>

#include "engine/alert_render.h"
#include "engine/body.h"
#include "engine/engine_priv.h"
#include "engine/look_priv.h"
#include "engine/run.h"
#include "engine/set.h"
#include "event/event.h"
#include "event/time_format.h"
#include "plan/nfa.h"

struct looking {
    const struct rule_state *rs;
    struct buf *out;
    struct looking_page page;
    uint16_t element;
    bool any;
};

bool look_tells(struct looking_page *page, const struct buf *out)
{
    uint64_t at = page->seen++;

    if (at < page->is.from || page->next > 0)
        return false;
    if (page->told > 0 && (page->told >= page->is.limit || out->len - page->begin > LOOK_BYTES)) {
        page->next = at;
        return false;
    }
    page->told++;
    return true;
}

void look_add_time(struct buf *out, const char *name, int64_t ns)
{
    buf_printf(out, "\"%s\":\"", name);
    time_add_text(out, ns);
    buf_addc(out, '"');
}

static void add_text(struct buf *out, const char *name, const char *text)
{
    buf_printf(out, "\"%s\":", name);
    buf_add_json_text(out, text, strlen(text));
}

void look_add_event(struct buf *out, const struct event *ev)
{
    add_text(out, "source", ev->origin->source);
    buf_addc(out, ',');
    add_text(out, "partition", ev->origin->partition);
    buf_printf(out, ",\"offset\":%" PRIu64 ",\"event\":", ev->offset);
    if (ev->raw_len > 0)
        buf_add(out, ev->raw, ev->raw_len);
    else
        buf_adds(out, "null");
}

static void add_step_event(struct buf *out, const char *step, const struct event *ev)
{
    buf_addc(out, '{');
    add_text(out, "step", step);
    buf_addc(out, ',');
    look_add_time(out, "time", ev->time);
    buf_addc(out, ',');
    look_add_event(out, ev);
    buf_addc(out, '}');
}

/* ---- match ----------------------------------------------------------------------------------- */

/* The steps of an element, as a list. */
static void add_steps(const struct looking *lo, const char *name, uint16_t element)
{
    const struct nfa_element *el = &lo->rs->rule->nfa->element[element];

    buf_printf(lo->out, "\"%s\":[", name);
    for (uint16_t s = el->first_step; s < el->first_step + el->n_steps; s++) {
        if (s > el->first_step)
            buf_addc(lo->out, ',');
        buf_add_json_text(lo->out, lo->rs->rule->step_name[s], strlen(lo->rs->rule->step_name[s]));
    }
    buf_addc(lo->out, ']');
}

/* Where a run stands and when it ends; its events follow. */
static void begin_run(struct looking *lo, uint16_t element, bool waiting, int64_t start, int64_t life,
                      int64_t wait)
{
    buf_adds(lo->out, lo->any ? ",{" : "{");
    lo->any = true;
    add_steps(lo, "at", element);
    if (element + 1 < lo->rs->rule->nfa->n_elements && !waiting) {
        buf_addc(lo->out, ',');
        add_steps(lo, "next", (uint16_t)(element + 1));
    }
    buf_printf(lo->out, ",\"waiting\":%s,", waiting ? "true" : "false");
    look_add_time(lo->out, "start", start);
    if (life != INT64_MAX) {
        buf_addc(lo->out, ',');
        look_add_time(lo->out, "deadline", life);
    }
    if (wait != INT64_MAX) {
        buf_addc(lo->out, ',');
        look_add_time(lo->out, "step_deadline", wait);
    }
    buf_adds(lo->out, ",\"events\":[");
}

/* Of one step, oldest first. */
static bool add_bound(const struct looking *lo, uint16_t step, const struct bind *bind, bool any)
{
    if (!bind)
        return any;
    any = add_bound(lo, step, bind->prev, any);
    if (any)
        buf_addc(lo->out, ',');
    add_step_event(lo->out, lo->rs->rule->step_name[step], bind->ev);
    return true;
}

static int64_t due_of(const struct deadline *dl)
{
    return dl->queue ? dl->due : INT64_MAX;
}

static void look_at_list(struct looking *lo, const struct run_list *list)
{
    for (const struct run *run = list->first; run; run = run->next) {
        bool any = false;
        if (!look_tells(&lo->page, lo->out))
            continue;
        begin_run(lo, run->element, run->waiting, run->start_time, due_of(&run->life),
                  run->wait ? due_of(&run->wait->due) : INT64_MAX);
        for (uint16_t s = 0; s < run->n_steps; s++)
            any = add_bound(lo, s, run->bound[s].last, any);
        buf_adds(lo->out, "]}");
    }
}

static void look_at_set_run(void *ctx, const struct set_run *run)
{
    struct looking *lo = ctx;

    if (!look_tells(&lo->page, lo->out))
        return;
    begin_run(lo, lo->element, false, run->start_time, run->life, run->wait);
    for (size_t i = 0; i < run->n; i++) {
        if (i > 0)
            buf_addc(lo->out, ',');
        add_step_event(lo->out, lo->rs->rule->step_name[run->bind[i].step], run->bind[i].ev);
    }
    buf_adds(lo->out, "]}");
}

static void look_at_runs(struct looking *lo, const struct partition *part)
{
    const struct nfa *nfa = lo->rs->rule->nfa;

    buf_adds(lo->out, ",\"runs\":[");
    for (uint16_t e = 0; e < nfa->n_elements; e++) {
        lo->element = e;
        if (part->sets)
            set_each_at(part, e, look_at_set_run, lo);
        else
            look_at_list(lo, &part->at[e]);
    }
    look_at_list(lo, &part->waiting);
    buf_printf(lo->out, "],\"n_runs\":%" PRIu64, lo->page.seen);
}

/* ---- suppress -------------------------------------------------------------------------------- */

static void look_at_suppressed(struct engine *en, struct rule_state *rs, const struct value *key,
                               struct buf *out)
{
    const struct program_rule *rule = rs->rule;
    const struct suppress_entry *entry;

    if (rule->suppress < 0 || rule->n_suppress_by > 0)
        return;
    buf_clear(&en->text);
    for (uint32_t i = 0; i < rule->n_keys; i++)
        value_encode(&en->text, key[i]);
    entry = suppress_look(rs, &en->text);
    if (!entry)
        return;
    buf_adds(out, ",\"suppressed\":{");
    look_add_time(out, "last_alert", entry->last);
    buf_printf(out, ",\"held\":%" PRIu64 ",", entry->held);
    look_add_time(out, "until", time_plus(entry->last, rule->suppress));
    buf_addc(out, '}');
}

/* ---- all of it ------------------------------------------------------------------------------- */

bool engine_look(struct engine *en, uint32_t rule, const struct value *key,
                 const struct look_page *page, struct buf *out)
{
    struct rule_state *rs = &en->rule[rule];
    struct looking lo = {.rs = rs, .out = out, .page = {.is = *page, .begin = out->len}};
    struct partition *part;

    if (rs->off || rs->rule->disabled)
        return false;
    part = partition_get(rs, key_hash(key, rs->rule->n_keys), key);
    buf_adds(out, "{\"frontier\":");
    if (en->now == INT64_MIN) {
        buf_adds(out, "null");
    } else {
        buf_addc(out, '"');
        time_add_text(out, en->now);
        buf_addc(out, '"');
    }
    buf_printf(out, ",\"draining\":%s,\"key\":", rs->draining ? "true" : "false");
    render_key(out, rs, key);
    buf_printf(out, ",\"found\":%s", part ? "true" : "false");
    if (part && !rs->ops)
        look_at_runs(&lo, part);
    else if (part && rs->ops->look)
        rs->ops->look(out, part, &lo.page);
    if (lo.page.next > 0)
        buf_printf(out, ",\"next\":%" PRIu64, lo.page.next);
    look_at_suppressed(en, rs, key, out);
    buf_addc(out, '}');
    return true;
}
