// SPDX-License-Identifier: Apache-2.0
#include "config/template_check.h"

#include <string.h>

#include "base/buf.h"
#include "base/diag.h"
#include "base/mem.h"
#include "base/suggest.h"
#include "config/config.h"
#include "event/json_view.h"
#include "flow/route.h"
#include "io/template.h"
#include "plan/program.h"

enum { NAMED = 3 }; /* rules that a warning names */

struct checking {
    const struct config *config;
    const struct config_sink *sink;
    const struct program *prog;
    struct diag *diag;
    const bool *goes;   /* [n_rules]: alerts of it can go to the sink */
    size_t n_goes;
    bool bad;
};

/* ---- a path ---------------------------------------------------------------------------------- */

/* Names from step `from` on, joined by dots, up to the first element of a list. */
static void join(const struct template_path *path, size_t from, struct buf *name_out)
{
    buf_clear(name_out);
    buf_adds(name_out, "");
    for (size_t i = from; i < path->n_steps && path->step[i].name != NULL; i++) {
        if (i > from)
            buf_addc(name_out, '.');
        buf_add(name_out, path->step[i].name, path->step[i].len);
    }
}

static bool step_is(const struct template_path *path, size_t i, const char *name)
{
    return i < path->n_steps && path->step[i].name != NULL && path->step[i].len == strlen(name) &&
           memcmp(path->step[i].name, name, path->step[i].len) == 0;
}

/* Is `a` the other, or a beginning of it that ends before a dot? */
static bool begins(const char *a, const char *b)
{
    size_t len = strlen(a);

    return strncmp(a, b, len) == 0 && (b[len] == '\0' || b[len] == '.');
}

/* ---- what a rule's alerts have --------------------------------------------------------------- */

static bool emits(const struct program_rule *rule, const char *name)
{
    for (uint32_t i = 0; i < rule->n_emit; i++)
        if (begins(name, rule->emit[i].name) || begins(rule->emit[i].name, name))
            return true;
    return false;
}

static bool has_key(const struct program_rule *rule, const char *name)
{
    for (uint32_t i = 0; i < rule->n_keys; i++)
        if (begins(rule->key_name[i], name))
            return true;
    return false;
}

static bool has_step(const struct program_rule *rule, const struct template_path *path, size_t at)
{
    for (uint32_t i = 0; i < rule->n_steps; i++)
        if (step_is(path, at, rule->step_name[i]))
            return true;
    return false;
}

static bool has_meta(const struct program_rule *rule, const char *name)
{
    struct json_view meta, value, member;

    if (rule->meta_json == NULL || !json_view_parse(rule->meta_json, strlen(rule->meta_json), &meta))
        return false;
    struct json_view_walk walk = json_view_begin(meta);
    struct buf text;
    bool found = false;
    buf_init(&text);
    while (!found && json_view_next(&walk, &member, &value)) {
        buf_clear(&text);
        json_view_add_text(member, &text);
        buf_addc(&text, '\0');
        found = begins(text.data, name);
    }
    buf_fini(&text);
    return found;
}

/* Can an alert of the rule have what the path says from step `at` on, which is a member of alerts? */
static bool has_member(const struct program_rule *rule, const struct template_path *path, size_t at,
                       struct buf *name)
{
    bool alone = at + 1 == path->n_steps;

    join(path, at + 1, name);
    if (step_is(path, at, "fields"))
        return alone || emits(rule, name->data);
    if (step_is(path, at, "key"))
        return alone || has_key(rule, name->data);
    if (step_is(path, at, "events"))
        return alone || has_step(rule, path, at + 1);
    if (step_is(path, at, "meta"))
        return rule->meta_json != NULL && (alone || has_meta(rule, name->data));
    if (step_is(path, at, "window"))
        return rule->body == BODY_WINDOW &&
               (alone || strcmp(name->data, "start") == 0 || strcmp(name->data, "end") == 0);
    if (step_is(path, at, "description"))
        return rule->n_description > 0 && alone;
    if (step_is(path, at, "risk"))
        return (rule->risk >= 0 || rule->risk_code != NULL) && alone;
    if (step_is(path, at, "tags"))
        return alone || (at + 2 == path->n_steps && path->step[at + 1].name == NULL);
    return alone; /* the others are texts, numbers or flags */
}

static bool is_member(const struct template_path *path, size_t at)
{
#define MEMBER(name, doc)                                                                          \
    if (step_is(path, at, #name))                                                                  \
        return true;
#include "io/body_member.def"
#undef MEMBER
    return false;
}

static bool rule_has(const struct program_rule *rule, const struct body_field *field, struct buf *name)
{
    const struct template_path *path = field->path;
    size_t at = 0;

    switch (field->root) {
    case BODY_ROOT_MEMBER: return has_member(rule, path, 0, name);
    case BODY_ROOT_EMITTED:
        join(path, 0, name);
        return emits(rule, name->data) || has_key(rule, name->data);
    case BODY_ROOT_MESSAGE: break;
    }
    if (step_is(path, 0, "message")) {
#define MESSAGE(name, doc)                                                                         \
    if (step_is(path, 1, #name) && path->n_steps == 2)                                             \
        return true;
#include "io/body_message.def"
#undef MESSAGE
        return false;
    }
    at = path->n_steps > 1 && path->step[1].name == NULL ? 2 : 1; /* alerts[0] */
    return at >= path->n_steps || (is_member(path, at) && has_member(rule, path, at, name));
}

/* ---- messages -------------------------------------------------------------------------------- */

/* Where the placeholder's path stands; if its text is not written there as it is (file("...")), the whole
 * value, and in words. */
static struct span place_of(const struct checking *c, const struct body_field *field, struct buf *where_out)
{
    const struct config_webhook *web = &c->sink->web;
    struct span span = field->is_link ? web->link_span : web->template_span;
    const char *text = field->is_link ? web->link : web->template;
    size_t len, size = strlen(text), line = 1, at = field->path->at;
    bool is_here = c->config->path != NULL &&
                   strcmp(diag_file_name(c->diag, span.file), c->config->path) == 0;
    const char *file = diag_file_text(c->diag, span.file, &len);

    buf_adds(where_out, "");
    if (is_here && span.start + 1 + size <= len && memcmp(file + span.start + 1, text, size) == 0)
        return (struct span){span.file, (uint32_t)(span.start + 1 + at),
                             (uint32_t)(span.start + 1 + at + strlen(field->path->written))};
    for (size_t i = 0; i < at; i++)
        line += text[i] == '\n';
    if (line > 1)
        buf_printf(where_out, ", in line %zu of its template", line);
    return is_here ? span : (struct span){.file = UINT32_MAX};
}

static void suggest_names(const struct checking *c, struct suggest *near)
{
#define MEMBER(name, doc) suggest_try(near, #name);
#include "io/body_member.def"
#undef MEMBER
#define MESSAGE(name, doc) suggest_try(near, "message." #name);
#include "io/body_message.def"
#undef MESSAGE
    suggest_try(near, "alert");
    suggest_try(near, "alerts");
    for (uint32_t r = 0; r < c->prog->n_rules; r++) {
        const struct program_rule *rule = &c->prog->rule[r];
        for (uint32_t i = 0; c->goes[r] && i < rule->n_emit; i++)
            suggest_try(near, rule->emit[i].name);
        for (uint32_t i = 0; c->goes[r] && i < rule->n_keys; i++)
            suggest_try(near, rule->key_name[i]);
    }
}

/* A member of alerts that none of these rules happens to have. */
static bool is_whole_member(const struct body_field *field)
{
    return field->root == BODY_ROOT_MEMBER && field->path->n_steps == 1;
}

static void hint_none(const struct checking *c, const struct body_field *field)
{
    const char *written = field->path->written, *dot = strchr(written, '.');
    bool below = strncmp(written, "fields.", 7) == 0 || strncmp(written, "key.", 4) == 0;
    struct suggest near;

    suggest_init(&near, below ? dot + 1 : written);
    suggest_names(c, &near);
    const char *best = suggest_result(&near);
    /* `events` for `events.no` helps nobody; `title` for `title.x` does. */
    if (best != NULL && begins(best, written) &&
        (step_is(field->path, 0, "events") || step_is(field->path, 0, "meta") ||
         step_is(field->path, 0, "window")))
        return;
    if (best != NULL)
        diag_hint(c->diag, "did you mean `{%s}`?", best);
    else if (field->root == BODY_ROOT_EMITTED)
        diag_hint(c->diag, "a rule has to emit it: emit { %s = ... }", written);
}

static void tell_none(struct checking *c, const struct body_field *field)
{
    bool known = is_whole_member(field), has_default = field->path->has_default;
    struct buf where;

    if (known && has_default)
        return;
    buf_init(&where);
    struct span span = place_of(c, field, &where);
    diag_add(c->diag, known || has_default ? DIAG_WARNING : DIAG_ERROR, span,
             "no alert that goes to sink `%s` has `{%s}`%s", c->sink->name, field->path->written,
             where.data);
    if (known)
        diag_hint(c->diag, "say what stands for it: {%s|default(-)}", field->path->written);
    else
        hint_none(c, field);
    c->bad |= !known && !has_default;
    buf_fini(&where);
}

static void tell_some(struct checking *c, const struct body_field *field, const bool *has, size_t lacks)
{
    struct buf names, where;
    size_t named = 0;

    buf_init(&names);
    buf_init(&where);
    for (uint32_t r = 0; r < c->prog->n_rules && named < NAMED; r++)
        if (c->goes[r] && !has[r])
            buf_printf(&names, "%s`%s`", named++ > 0 ? ", " : "", c->prog->rule[r].name);
    if (lacks > named)
        buf_printf(&names, " and %zu more", lacks - named);
    struct span span = place_of(c, field, &where);
    diag_add(c->diag, DIAG_WARNING, span, "alerts of %s go to sink `%s` and do not have `{%s}`%s",
             names.data, c->sink->name, field->path->written, where.data);
    diag_hint(c->diag, "say what stands for it: {%s|default(-)}", field->path->written);
    buf_fini(&where);
    buf_fini(&names);
}

static void check_field(void *ctx, const struct body_field *field)
{
    struct checking *c = ctx;
    bool *has = mem_calloc(c->prog->n_rules + 1, sizeof *has);
    size_t lacks = 0;
    struct buf name;

    buf_init(&name);
    for (uint32_t r = 0; r < c->prog->n_rules; r++) {
        has[r] = c->goes[r] && rule_has(&c->prog->rule[r], field, &name);
        lacks += c->goes[r] && !has[r];
    }
    if (lacks == c->n_goes)
        tell_none(c, field);
    else if (lacks > 0 && !field->path->has_default)
        tell_some(c, field, has, lacks);
    mem_free(has);
    buf_fini(&name);
}

/* ---- the whole ------------------------------------------------------------------------------- */

static bool goes_to(const struct route_rules *rr, const struct program_rule *rule, uint32_t sink)
{
    for (int s = SEVERITY_INFO; rule->tells && !rule->disabled && s <= SEVERITY_CRITICAL; s++) {
        if (rule->severity_code == NULL && rule->severity != (enum severity)s)
            continue;
        const struct route_set *set = route_of(rr, rule->number, (enum severity)s);
        for (uint32_t i = 0; i < set->n; i++)
            if (set->sink[i] == sink)
                return true;
    }
    return false;
}

static void check_sink(struct checking *c, const struct route_rules *rr, uint32_t sink)
{
    bool *goes = mem_calloc(c->prog->n_rules + 1, sizeof *goes);
    struct buf why;

    buf_init(&why);
    c->sink = &c->config->sink[sink];
    c->goes = goes;
    c->n_goes = 0;
    for (uint32_t r = 0; r < c->prog->n_rules; r++) {
        goes[r] = goes_to(rr, &c->prog->rule[r], sink);
        c->n_goes += goes[r];
    }
    struct body *body = c->n_goes > 0 ? config_webhook_body(c->sink, &why) : NULL;
    if (body != NULL)
        body_each_field(body, check_field, c);
    body_free(&body);
    mem_free(goes);
    buf_fini(&why);
}

bool config_check_templates(const struct config *config, const struct program *prog, struct diag *diag)
{
    struct checking c = {.config = config, .prog = prog, .diag = diag};
    struct route_rules *rr = NULL;

    for (uint32_t i = 0; i < config->n_sinks; i++) {
        const struct config_sink *sink = &config->sink[i];
        if (sink->kind != CONFIG_SINK_WEBHOOK || (!sink->web.template && !sink->web.link))
            continue;
        if (rr == NULL)
            rr = route_rules_new(config->routes, prog);
        check_sink(&c, rr, i);
    }
    route_rules_free(&rr);
    return !c.bad;
}
