// SPDX-License-Identifier: Apache-2.0
#include "flow/route.h"

#include <assert.h>
#include <string.h>

#include "base/buf.h"
#include "base/glob.h"
#include "base/mem.h"
#include "flow/route_priv.h"

enum { N_SEVERITIES = SEVERITY_CRITICAL + 1 };

/* ---- the table ------------------------------------------------------------------------------- */

static struct glob **patterns_of(const char *const *text, size_t n)
{
    struct glob **glob = mem_calloc(n + 1, sizeof(struct glob *));

    for (size_t i = 0; i < n; i++)
        glob[i] = glob_new(text[i], strlen(text[i]), false);
    return glob;
}

static uint32_t *numbers_of(const uint32_t *number, size_t n)
{
    uint32_t *copy = mem_calloc(n + 1, sizeof *copy);

    if (n > 0)
        memcpy(copy, number, n * sizeof *copy);
    return copy;
}

static struct mute *windows_of(const char *const *text, size_t n)
{
    struct mute *mute = mem_calloc(n + 1, sizeof *mute);
    struct buf why;

    buf_init(&why);
    for (size_t i = 0; i < n; i++) {
        bool good = mute_parse(text[i], strlen(text[i]), &mute[i], &why);
        assert(good); /* the configuration was checked */
        (void)good;
    }
    buf_fini(&why);
    return mute;
}

static void add_route(struct route_table *rt, const struct route_spec *spec)
{
    struct route *r = &rt->route[rt->n_routes++];

    r->severities = spec->severities;
    r->tag = patterns_of(spec->tag, spec->n_tags);
    r->n_tags = spec->n_tags;
    r->rule = patterns_of(spec->rule, spec->n_rules);
    r->n_rules = spec->n_rules;
    r->sink = numbers_of(spec->sink, spec->n_sinks);
    r->n_sinks = spec->n_sinks;
    r->mute = windows_of(spec->mute, spec->n_mutes);
    r->n_mutes = spec->n_mutes;
    r->group = spec->group;
    r->line = spec->line;
    for (size_t i = 0; i < r->n_sinks; i++)
        rt->policy[r->sink[i]] |= r->n_mutes > 0 || r->group > 0;
}

struct route_table *route_table_new(const struct route_options *opt)
{
    struct route_table *rt = mem_calloc(1, sizeof *rt);

    rt->refs = 1;
    rt->sink = mem_calloc(opt->n_sinks + 1, sizeof(char *));
    for (size_t i = 0; i < opt->n_sinks; i++)
        rt->sink[rt->n_sinks++] = mem_strndup(opt->sink[i], strlen(opt->sink[i]));
    rt->default_to = numbers_of(opt->default_to, opt->n_default_to);
    rt->n_default_to = opt->n_default_to;
    rt->policy = mem_calloc(opt->n_sinks + 1, sizeof *rt->policy);
    rt->route = mem_calloc(opt->n_routes + 1, sizeof *rt->route);
    for (size_t i = 0; i < opt->n_routes; i++)
        add_route(rt, &opt->route[i]);
    return rt;
}

struct route_table *route_table_ref(struct route_table *rt)
{
    atomic_fetch_add(&rt->refs, 1);
    return rt;
}

static void free_patterns(struct glob **glob, size_t n)
{
    for (size_t i = 0; i < n; i++)
        glob_free(&glob[i]);
    mem_free(glob);
}

void route_table_unref(struct route_table **rtp)
{
    struct route_table *rt = *rtp;

    *rtp = NULL;
    if (!rt || atomic_fetch_sub(&rt->refs, 1) > 1)
        return;
    for (size_t i = 0; i < rt->n_routes; i++) {
        free_patterns(rt->route[i].tag, rt->route[i].n_tags);
        free_patterns(rt->route[i].rule, rt->route[i].n_rules);
        mem_free(rt->route[i].sink);
        mem_free(rt->route[i].mute);
    }
    for (size_t i = 0; i < rt->n_sinks; i++)
        mem_free(rt->sink[i]);
    mem_free(rt->sink);
    mem_free(rt->default_to);
    mem_free(rt->policy);
    mem_free(rt->route);
    mem_free(rt);
}

/* ---- which routes ---------------------------------------------------------------------------- */

static bool one_fits(struct glob *const *glob, size_t n, const char *text, size_t len)
{
    for (size_t i = 0; i < n; i++)
        if (glob_match(glob[i], text, len))
            return true;
    return false;
}

bool route_matches(const struct route *r, const struct route_facts *facts)
{
    bool tagged = r->n_tags == 0;

    if (r->severities != 0 && !(r->severities & facts->severity))
        return false;
    if (r->n_rules > 0 && !one_fits(r->rule, r->n_rules, facts->rule, facts->rule_len))
        return false;
    for (size_t i = 0; i < facts->n_tags && !tagged; i++)
        tagged = one_fits(r->tag, r->n_tags, facts->tag[i], facts->tag_len[i]);
    return tagged;
}

bool route_leads_to(const struct route *r, uint32_t sink)
{
    for (size_t i = 0; i < r->n_sinks; i++)
        if (r->sink[i] == sink)
            return true;
    return false;
}

/* What routes ask of a rule; the array of lengths is owned. */
static struct route_facts facts_of(const struct program_rule *rule, unsigned severity)
{
    size_t *len = mem_calloc(rule->n_tags + 1, sizeof *len);

    for (uint32_t i = 0; i < rule->n_tags; i++)
        len[i] = strlen(rule->tag[i]);
    return (struct route_facts){.rule = rule->name,
                                .rule_len = strlen(rule->name),
                                .severity = severity,
                                .tag = rule->tag,
                                .tag_len = len,
                                .n_tags = rule->n_tags};
}

/* The severities that its alerts can have. The alerts about the rule itself have its constant one. */
static unsigned severities_of(const struct program_rule *rule)
{
    return rule->severity_code ? (1u << N_SEVERITIES) - 1 : 1u << rule->severity;
}

/* Does any rule that makes alerts match? */
static bool reaches(const struct route *r, const struct program *prog)
{
    for (uint32_t i = 0; i < prog->n_rules; i++) {
        const struct program_rule *rule = &prog->rule[i];
        if (!rule->tells || rule->disabled)
            continue;
        struct route_facts facts = facts_of(rule, severities_of(rule));
        bool matches = route_matches(r, &facts);
        mem_free((size_t *)(uintptr_t)facts.tag_len);
        if (matches)
            return true;
    }
    return false;
}

const char *route_misses(const struct route_table *rt, size_t i, const struct program *prog)
{
    const struct route *r = &rt->route[i];
    const struct route names = {.rule = r->rule, .n_rules = r->n_rules};
    const struct route tags = {.tag = r->tag, .n_tags = r->n_tags};
    const struct route severities = {.severities = r->severities};

    if (reaches(r, prog))
        return NULL;
    if (!reaches(&names, prog))
        return "no rule has such a name";
    if (!reaches(&tags, prog))
        return "no rule has such a tag";
    if (!reaches(&severities, prog))
        return "no rule has such a severity";
    return "no rule has all that it asks for";
}

bool route_pattern_fits(const char *pattern, bool tag, const struct program *prog)
{
    struct glob *glob = glob_new(pattern, strlen(pattern), false);
    const struct route r = {.rule = &glob, .n_rules = !tag, .tag = &glob, .n_tags = tag};
    bool fits = reaches(&r, prog);

    glob_free(&glob);
    return fits;
}

/* ---- the sets of a program ------------------------------------------------------------------- */

struct route_rules {
    uint32_t n_rules;
    struct route_set *set; /* [n_rules * N_SEVERITIES]; those a rule cannot have are empty */
};

static uint32_t sink_named(const struct route_table *rt, const char *name)
{
    for (size_t i = 0; i < rt->n_sinks; i++)
        if (strcmp(rt->sink[i], name) == 0)
            return (uint32_t)i;
    return UINT32_MAX;
}

/* Marks [n_sinks]: 0 not, 1 by a route, 2 direct. */
static void mark_direct(const struct route_table *rt, const struct program_rule *rule, uint8_t *mark)
{
    bool any = false;

    for (uint32_t i = 0; i < rule->n_to; i++) {
        uint32_t sink = sink_named(rt, rule->to[i]);
        if (sink == UINT32_MAX)
            continue;
        mark[sink] = 2;
        any = true;
    }
    for (size_t i = 0; i < rt->n_default_to && !any; i++)
        mark[rt->default_to[i]] = 2;
}

static void mark_routed(const struct route_table *rt, const struct route_facts *facts, uint8_t *mark)
{
    for (size_t i = 0; i < rt->n_routes; i++) {
        const struct route *r = &rt->route[i];
        if (!route_matches(r, facts))
            continue;
        for (size_t k = 0; k < r->n_sinks; k++)
            mark[r->sink[k]] |= mark[r->sink[k]] == 0;
    }
}

static struct route_set set_of(const uint8_t *mark, size_t n_sinks)
{
    uint32_t *sink = mem_calloc(n_sinks + 1, sizeof *sink), n = 0;
    bool *direct = mem_calloc(n_sinks + 1, sizeof *direct);

    for (size_t i = 0; i < n_sinks; i++)
        if (mark[i] != 0) {
            sink[n] = (uint32_t)i;
            direct[n++] = mark[i] == 2;
        }
    return (struct route_set){.sink = sink, .direct = direct, .n = n};
}

static void add_sets(const struct route_table *rt, const struct program_rule *rule,
                     struct route_set *set)
{
    uint8_t *mark = mem_calloc(rt->n_sinks + 1, 1);
    unsigned can = severities_of(rule);
    struct route_facts facts = facts_of(rule, 0);

    for (int s = 0; s < N_SEVERITIES; s++) {
        facts.severity = 1u << s;
        if (!(can & facts.severity))
            continue;
        memset(mark, 0, rt->n_sinks);
        mark_direct(rt, rule, mark);
        mark_routed(rt, &facts, mark);
        set[s] = set_of(mark, rt->n_sinks);
    }
    mem_free((size_t *)(uintptr_t)facts.tag_len);
    mem_free(mark);
}

bool route_matters(const struct route_table *rt, size_t i, uint32_t sink, const struct program *prog)
{
    uint8_t *mark = mem_calloc(rt->n_sinks + 1, 1);
    bool matters = false;

    for (uint32_t r = 0; r < prog->n_rules && !matters; r++) {
        const struct program_rule *rule = &prog->rule[r];
        if (!rule->tells || rule->disabled)
            continue;
        struct route_facts facts = facts_of(rule, severities_of(rule));
        memset(mark, 0, rt->n_sinks);
        mark_direct(rt, rule, mark);
        matters = mark[sink] == 0 && route_matches(&rt->route[i], &facts);
        mem_free((size_t *)(uintptr_t)facts.tag_len);
    }
    mem_free(mark);
    return matters;
}

struct route_rules *route_rules_new(const struct route_table *rt, const struct program *prog)
{
    struct route_rules *rr = mem_calloc(1, sizeof *rr);

    rr->n_rules = prog->n_rules;
    rr->set = mem_calloc((size_t)prog->n_rules * N_SEVERITIES + 1, sizeof *rr->set);
    for (uint32_t r = 0; r < prog->n_rules; r++)
        add_sets(rt, &prog->rule[r], &rr->set[(size_t)r * N_SEVERITIES]);
    return rr;
}

void route_rules_free(struct route_rules **rrp)
{
    struct route_rules *rr = *rrp;

    *rrp = NULL;
    if (!rr)
        return;
    for (size_t i = 0; i < (size_t)rr->n_rules * N_SEVERITIES; i++) {
        mem_free((uint32_t *)(uintptr_t)rr->set[i].sink);
        mem_free((bool *)(uintptr_t)rr->set[i].direct);
    }
    mem_free(rr->set);
    mem_free(rr);
}

const struct route_set *route_of(const struct route_rules *rr, uint32_t rule, enum severity severity)
{
    assert(rule < rr->n_rules && severity <= SEVERITY_CRITICAL);
    return &rr->set[(size_t)rule * N_SEVERITIES + severity];
}
