// SPDX-License-Identifier: Apache-2.0
/*
 * alert_render - see alert_render.h. The members' order is fixed (language section 8), so equal
 * alerts are equal bytes: a replay, a retry and a recovery write the same line.
 */
#include "engine/alert_render.h"

#include <string.h>

#include "base/arena.h"
#include "base/buf.h"
#include "base/digest.h"
#include "base/mem.h"
#include "base/reader.h"
#include "engine/engine_priv.h"
#include "engine/finding.h"
#include "engine/matcher_priv.h"
#include "event/event.h"
#include "event/schema.h"
#include "event/time_format.h"

static void member(struct buf *out, const char *name)
{
    if (out->data[out->len - 1] != '{')
        buf_addc(out, ',');
    buf_add_json_text(out, name, strlen(name));
    buf_addc(out, ':');
}

static void member_text(struct buf *out, const char *name, const char *text, size_t len)
{
    member(out, name);
    buf_add_json_text(out, text, len);
}

static void member_time(struct buf *out, const char *name, int64_t time)
{
    member(out, name);
    value_add_json(out, value_time(time));
}

void render_key(struct buf *out, const struct rule_state *rs, const struct value *key)
{
    buf_addc(out, '{');
    for (uint32_t i = 0; i < rs->rule->n_keys; i++) {
        member(out, rs->rule->key_name[i]);
        value_add_json(out, key[i]);
    }
    buf_addc(out, '}');
}

void render_id(struct engine *en, const struct pending *match, uint8_t id_out[16])
{
    const struct program_rule *rule = match->rs->rule;
    struct buf *text = &en->text;
    buf_clear(text);
    buf_add_bytes(text, rule->name, strlen(rule->name));
    for (uint32_t i = 0; i < rule->n_keys; i++)
        value_encode(text, match->part->key[i]);
    if (match->found != NULL) {
        if (match->found->has_fixed_id) {
            memcpy(id_out, match->found->fixed_id, 16);
            return;
        }
        buf_add(text, match->found->id.data, match->found->id.len);
    }
    for (uint16_t s = 0; s < rule->nfa->n_steps && match->run != NULL; s++) {
        buf_add_varint(text, match->run->bound[s].count);
        for (const struct bind *b = match->run->bound[s].last; b != NULL; b = b->prev)
            event_encode_position(text, b->ev);
    }
    if (match->deadline != INT64_MIN)
        buf_add_u64(text, (uint64_t)match->deadline);
    digest_id(text->data, text->len, id_out);
}

static void vm_for_match(struct engine *en, const struct pending *match)
{
    struct vm *vm = &en->vm;
    const struct finding *found = match->found;
    vm->ev = found != NULL ? found->ev : match->run->last->base.ev;
    vm->ev_stream = found != NULL ? found->stream : match->run->last->base.stream;
    vm->bound = found != NULL ? found->bound : match->run->bound;
    vm->window = (struct vm_window){0};
    if (found != NULL)
        vm->window = (struct vm_window){.aggregate = found->aggregate,
                                        .n_aggregates = found->n_aggregates,
                                        .is_window = found->has_window,
                                        .start = found->window_start, .end = found->window_end};
    vm->key = match->part->key;
    vm->emitted = NULL;
    vm->counters = &match->rs->counters;
}

void render_emitted(struct engine *en, const struct pending *match, struct value *emitted)
{
    const struct program_rule *rule = match->rs->rule;
    vm_for_match(en, match);
    for (uint32_t i = 0; i < rule->n_emit; i++)
        emitted[i] = vm_eval(&en->vm, rule->emit[i].code);
}

static void render_text(struct engine *en, const struct program_piece *piece, uint32_t n,
                        struct buf *out)
{
    for (uint32_t i = 0; i < n; i++) {
        if (piece[i].code != NULL)
            value_add_text(out, vm_eval(&en->vm, piece[i].code));
        else
            buf_add(out, piece[i].text, piece[i].len);
    }
}

static bool starts_with(const struct program_emit *emit, const struct path_part *part, uint32_t n)
{
    if (emit->n_parts < n)
        return false;
    for (uint32_t i = 0; i < n; i++) {
        if (emit->part[i].len != part[i].len ||
            memcmp(emit->part[i].name, part[i].name, part[i].len) != 0)
            return false;
    }
    return true;
}

/* Members below the path of emit[first]'s first `depth` parts: paths make nested objects, at the
 * place of their first member. */
static void render_fields(struct buf *out, const struct program_rule *rule,
                          const struct value *emitted, uint32_t first, uint32_t depth)
{
    const struct program_emit *emit = rule->emit;
    buf_addc(out, '{');
    for (uint32_t i = first; i < rule->n_emit; i++) {
        if (depth > 0 && !starts_with(&emit[i], emit[first].part, depth))
            continue;
        bool seen = false;
        for (uint32_t k = first; k < i && !seen; k++)
            seen = starts_with(&emit[k], emit[i].part, depth + 1);
        if (seen)
            continue;
        if (out->data[out->len - 1] != '{')
            buf_addc(out, ',');
        buf_add_json_text(out, emit[i].part[depth].name, emit[i].part[depth].len);
        buf_addc(out, ':');
        if (emit[i].n_parts == depth + 1)
            value_add_json(out, emitted[i]);
        else
            render_fields(out, rule, emitted, i, depth + 1);
    }
    buf_addc(out, '}');
}

static void render_list(struct engine *en, struct buf *out, const struct bound *bound)
{
    const struct event **ev = arena_alloc_raw(en->scratch, bound->count * sizeof *ev);
    uint32_t n = bound->count;
    for (const struct bind *b = bound->last; b != NULL; b = b->prev)
        ev[--n] = b->ev;
    buf_addc(out, '[');
    for (uint32_t i = 0; i < bound->count; i++) {
        if (i > 0)
            buf_addc(out, ',');
        buf_add(out, ev[i]->raw, ev[i]->raw_len);
    }
    buf_addc(out, ']');
}

static void render_step(struct engine *en, struct buf *out, const struct rule_state *rs,
                        const struct nfa_step *st, const struct bound *bound)
{
    member(out, st->name);
    if (!st->quantified) {
        buf_add(out, bound->last->ev->raw, bound->last->ev->raw_len);
        return;
    }
    if (bound->count <= rs->rule->keep) {
        render_list(en, out, bound);
        return;
    }
    const struct bind *first = bound->last;
    while (first->prev != NULL)
        first = first->prev;
    buf_adds(out, "{\"first\":");
    buf_add(out, first->ev->raw, first->ev->raw_len);
    buf_adds(out, ",\"last\":");
    buf_add(out, bound->last->ev->raw, bound->last->ev->raw_len);
    buf_printf(out, ",\"count\":%u}", bound->count);
}

static void render_events(struct engine *en, struct buf *out, const struct pending *match)
{
    const struct program_rule *rule = match->rs->rule;
    buf_addc(out, '{');
    for (uint16_t s = 0; s < rule->nfa->n_steps; s++) {
        if (match->run->bound[s].last != NULL)
            render_step(en, out, match->rs, &rule->nfa->step[s], &match->run->bound[s]);
    }
    for (uint32_t s = 0; match->found != NULL && s < match->found->n_bound; s++) {
        const struct bound *bound = &match->found->bound[s];
        if (bound->last == NULL)
            continue;
        member(out, rule->step_name[s]);
        if (rule->body == BODY_WINDOW) /* its last `keep`, by input */
            render_list(en, out, bound);
        else
            buf_add(out, bound->last->ev->raw, bound->last->ev->raw_len);
    }
    buf_addc(out, '}');
}

static void render_window(struct buf *out, const struct finding *found)
{
    member(out, "window");
    buf_addc(out, '{');
    member_time(out, "start", found->window_start);
    member_time(out, "end", found->window_end);
    buf_addc(out, '}');
}

static void render_tags(struct buf *out, const struct program_rule *rule)
{
    member(out, "tags");
    buf_addc(out, '[');
    for (uint32_t i = 0; i < rule->n_tags; i++) {
        if (i > 0)
            buf_addc(out, ',');
        buf_add_json_text(out, rule->tag[i], strlen(rule->tag[i]));
    }
    buf_addc(out, ']');
}

/* The constant severity, or what the expression gives; medium if that is none. */
static enum severity match_severity(struct engine *en, const struct program_rule *rule)
{
    if (rule->severity_code == NULL)
        return rule->severity;
    struct value v = vm_eval(&en->vm, rule->severity_code);
    for (int s = SEVERITY_INFO; v.type == VALUE_TEXT && s <= SEVERITY_CRITICAL; s++) {
        const char *name = severity_name((enum severity)s);
        if (strlen(name) == v.len && memcmp(name, v.u.text, v.len) == 0)
            return (enum severity)s;
    }
    en->vm.counters->type_clash++;
    return SEVERITY_MEDIUM;
}

/* The constant risk, or what the expression gives, within 0 to 100; -1 if that is no number. */
static int32_t match_risk(struct engine *en, const struct program_rule *rule)
{
    if (rule->risk_code == NULL)
        return rule->risk;
    struct value v = vm_eval(&en->vm, rule->risk_code);
    if (!value_is_number(v)) {
        en->vm.counters->type_clash++;
        return -1;
    }
    double risk = v.type == VALUE_INT ? (double)v.u.i : v.u.d;
    return risk > 0 ? (int32_t)(risk < 100 ? risk + 0.5 : 100) : 0;
}

static void render_head(struct buf *out, const struct program_rule *rule, enum severity level,
                        struct alert *alert)
{
    buf_addc(out, '{');
    member(out, "id");
    buf_addc(out, '"');
    buf_add_hex(out, alert->id, 16);
    buf_addc(out, '"');
    member(out, "rule");
    alert->rule_at = (uint32_t)out->len;
    buf_add_json_text(out, rule->name, strlen(rule->name));
    alert->rule_len = (uint32_t)out->len - alert->rule_at;
    const char *severity = severity_name(level);
    member_text(out, "severity", severity, strlen(severity));
    member_time(out, "time", alert->time);
}

static void render_alert_key(struct buf *out, const char *key, size_t len, struct alert *alert)
{
    member(out, "key");
    alert->key_at = (uint32_t)out->len;
    alert->key_len = (uint32_t)len;
    buf_add(out, key, len);
}

static void render_rule(struct buf *out, const struct program_rule *rule, int32_t risk)
{
    render_tags(out, rule);
    if (risk >= 0) {
        member(out, "risk");
        buf_add_int(out, risk);
    }
    if (rule->meta_json != NULL) {
        member(out, "meta");
        buf_adds(out, rule->meta_json);
    }
}

static void finish(struct alert *alert, struct buf *json)
{
    alert->json_len = (uint32_t)json->len;
    alert->json = buf_take(json);
}

static char *render_title(struct engine *en, const struct program_rule *rule)
{
    if (rule->n_title == 0)
        return mem_strndup(rule->name, strlen(rule->name));
    struct buf title;
    buf_init(&title);
    render_text(en, rule->title, rule->n_title, &title);
    buf_adds(&title, "");
    return title.data != NULL ? buf_take(&title) : mem_strndup("", 0);
}

void render_match(struct engine *en, const struct pending *match, const struct value *emitted,
                  uint64_t suppressed, struct alert *alert_out)
{
    const struct program_rule *rule = match->rs->rule;
    struct buf json, key;
    *alert_out = (struct alert){.time = match->time, .rule = rule->number};
    render_id(en, match, alert_out->id);
    vm_for_match(en, match);
    en->vm.emitted = emitted;
    alert_out->title = render_title(en, rule);
    buf_init(&key);
    render_key(&key, match->rs, match->part->key);
    buf_init(&json);
    enum severity level = match_severity(en, rule);
    alert_out->severity = (uint8_t)level;
    render_head(&json, rule, level, alert_out);
    member_text(&json, "title", alert_out->title, strlen(alert_out->title));
    if (rule->n_description > 0) {
        buf_clear(&en->text);
        render_text(en, rule->description, rule->n_description, &en->text);
        member_text(&json, "description", en->text.len > 0 ? en->text.data : "", en->text.len);
    }
    render_rule(&json, rule, match_risk(en, rule));
    render_alert_key(&json, key.data, key.len, alert_out);
    member(&json, "fields");
    render_fields(&json, rule, emitted, 0, 0);
    member(&json, "events");
    render_events(en, &json, match);
    if (match->found != NULL && match->found->has_window)
        render_window(&json, match->found);
    if (match->found != NULL ? match->found->cold
                             : lead_cold(en, match->rs, match->run->start_time)) {
        member(&json, "cold");
        buf_adds(&json, "true");
    }
    alert_out->revision = match->found != NULL ? match->found->revision : 0;
    member(&json, "revision");
    buf_add_int(&json, alert_out->revision);
    if (match->found != NULL && match->found->retracted) {
        member(&json, "retracted");
        buf_adds(&json, "true");
    }
    member(&json, "suppressed");
    buf_add_int(&json, (int64_t)suppressed);
    buf_addc(&json, '}');
    alert_out->key = buf_take(&key);
    finish(alert_out, &json);
}

static bool emits(const struct program_rule *rule, const char *name)
{
    for (uint32_t i = 0; i < rule->n_emit; i++) {
        if (rule->emit[i].part[0].len == strlen(name) &&
            memcmp(rule->emit[i].part[0].name, name, strlen(name)) == 0)
            return true;
    }
    return false;
}

void render_derived(struct engine *en, const struct pending *match, const struct value *emitted,
                    bool own, struct buf *out)
{
    const struct program_rule *rule = match->rs->rule;
    render_fields(out, rule, emitted, 0, 0);
    if (!own)
        return;
    out->len--; /* the closing brace comes behind what is added */
    if (!emits(rule, "rule"))
        member_text(out, "rule", rule->name, strlen(rule->name));
    if (!emits(rule, "severity")) {
        vm_for_match(en, match);
        en->vm.emitted = emitted;
        const char *severity = severity_name(match_severity(en, rule));
        member_text(out, "severity", severity, strlen(severity));
    }
    if (!emits(rule, "key")) {
        member(out, "key");
        render_key(out, match->rs, match->part->key);
    }
    buf_addc(out, '}');
}

/* The values that alerts were held by, under their names. */
static void render_held_key(struct buf *out, const struct rule_state *rs,
                            const struct suppress_entry *entry, struct arena *scratch)
{
    const struct program_rule *rule = rs->rule;
    bool own = rule->n_suppress_by == 0;
    uint32_t n = own ? rule->n_keys : rule->n_suppress_by;
    struct reader r;
    reader_init(&r, entry->key, entry->key_len);
    buf_addc(out, '{');
    for (uint32_t i = 0; i < n; i++) {
        member(out, own ? rule->key_name[i] : rule->suppress_name[i]);
        value_add_json(out, value_decode(&r, scratch));
    }
    buf_addc(out, '}');
}

/* Alerts that no event completes: about the rule itself. */
static void render_notice(const struct rule_state *rs, const struct buf *title, const char *key,
                          const char *field, uint64_t count, struct alert *alert)
{
    struct buf json;
    buf_init(&json);
    alert->severity = (uint8_t)rs->rule->severity;
    render_head(&json, rs->rule, rs->rule->severity, alert);
    member_text(&json, "title", title->data, title->len);
    render_rule(&json, rs->rule, rs->rule->risk);
    render_alert_key(&json, key, strlen(key), alert);
    buf_printf(&json, ",\"fields\":{\"%s\":%llu},\"events\":{},\"revision\":0,\"suppressed\":0}",
               field, (unsigned long long)count);
    alert->title = mem_strndup(title->data, title->len);
    alert->key = mem_strndup(key, strlen(key));
    finish(alert, &json);
}

static void notice_id(struct engine *en, const struct rule_state *rs, const char *what,
                      const void *key, size_t key_len, int64_t start, uint8_t id_out[16])
{
    struct buf *text = &en->text;
    buf_clear(text);
    buf_add_bytes(text, rs->rule->name, strlen(rs->rule->name));
    buf_adds(text, what);
    buf_add_bytes(text, key, key_len);
    buf_add_u64(text, (uint64_t)start);
    digest_id(text->data, text->len, id_out);
}

void render_summary(struct engine *en, const struct rule_state *rs,
                    const struct suppress_entry *entry, int64_t time, struct alert *alert_out)
{
    struct buf key;
    *alert_out = (struct alert){.time = time, .rule = rs->rule->number};
    notice_id(en, rs, "summary", entry->key, entry->key_len, entry->last, alert_out->id);
    buf_init(&key);
    render_held_key(&key, rs, entry, en->scratch);
    buf_clear(&en->text);
    buf_printf(&en->text, "%llu more alerts of %s were suppressed",
               (unsigned long long)entry->held, rs->rule->name);
    render_notice(rs, &en->text, key.data, "suppressed", entry->held, alert_out);
    buf_fini(&key);
}

void render_limit(struct engine *en, const struct rule_state *rs, int64_t start, int64_t end,
                  uint64_t held, struct alert *alert_out)
{
    *alert_out = (struct alert){.time = end, .rule = rs->rule->number};
    notice_id(en, rs, "limit alerts", "", 0, start, alert_out->id);
    buf_clear(&en->text);
    buf_printf(&en->text, "%llu more alerts of %s were held back by its limit",
               (unsigned long long)held, rs->rule->name);
    render_notice(rs, &en->text, "{}", "limited", held, alert_out);
}
