// SPDX-License-Identifier: Apache-2.0
#include "daemon/check.h"

#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>

#include "base/buf.h"
#include "base/diag.h"
#include "base/mem.h"
#include "config/config.h"
#include "config/rule_files.h"
#include "config/rules.h"
#include "config/source_files.h"
#include "daemon/options.h"
#include "daemon/wiring.h"
#include "flow/route.h"
#include "http/server.h"
#include "plan/program.h"

static const char *plural(size_t n)
{
    return n == 1 ? "" : "s";
}

/* Files that the daemon will not start without; they may be on another machine. */
static void look_at_tls(const struct config *config)
{
    for (size_t i = 0; i < config->n_sinks; i++) {
        const struct config_webhook *web = &config->sink[i].web;
        struct buf why;
        buf_init(&why);
        if (config->sink[i].kind == CONFIG_SINK_WEBHOOK &&
            !web_files_check(web->ca, web->certificate, web->key, &why))
            fprintf(stderr, "warning: sink %s: %s\n", config->sink[i].name, why.data);
        buf_fini(&why);
    }
}

/* Clients of Kafka that could not begin: their options do not fit together, files are not there. */
static void look_at_kafka(const struct config *config)
{
    struct buf why;

    buf_init(&why);
    if (!wiring_kafka_check(config, &why))
        for (const char *line = why.data; *line;) {
            int len = (int)strcspn(line, "\n");
            fprintf(stderr, "warning: %.*s\n", len, line);
            line += len + (line[len] == '\n');
        }
    buf_fini(&why);
}

static void say(const char *level, const struct buf *why)
{
    fprintf(stderr, "%s: http: %s\n", level, why->data);
}

/* What the HTTP interface would not begin with. False: it is a mistake of the configuration, and told. */
static bool look_at_http(const struct config_http *http)
{
    struct http_secrets tokens = {.tokens = http->tokens};
    struct http_secrets files = {.certificate = http->certificate, .key = http->key};
    struct buf why;

    if (!http->given)
        return true;
    buf_init(&why);
    bool ok = http_secrets_check(&tokens, &why) && http_listen_check(http->listen, http->tokens != NULL, &why);
    if (!ok)
        say("error", &why);
    buf_clear(&why);
    if (!http_secrets_check(&files, &why)) /* they may be on another machine */
        say("warning", &why);
    buf_fini(&why);
    return ok;
}

/* What is no mistake, but often one. */
static void look_outside(const struct config *config)
{
    for (size_t i = 0; i < config->n_sources; i++) {
        struct source_files files;
        struct buf why;
        buf_init(&why);
        if (!source_files_find(&files, &config->source[i], &why))
            for (const char *line = why.data; *line;) {
                int len = (int)strcspn(line, "\n");
                fprintf(stderr, "warning: %.*s\n", len, line);
                line += len + (line[len] == '\n');
            }
        source_files_fini(&files);
        buf_fini(&why);
    }
    for (size_t i = 0; i < config->n_sinks; i++) {
        const char *path = config->sink[i].path, *slash = path ? strrchr(path, '/') : NULL;
        struct stat st;
        if (path && stat(path, &st) == 0 && S_ISDIR(st.st_mode))
            fprintf(stderr, "warning: sink %s: %s is a directory\n", config->sink[i].name, path);
        if (!slash || slash == path)
            continue;
        char *dir = mem_strndup(path, (size_t)(slash - path));
        if (stat(dir, &st) != 0 || !S_ISDIR(st.st_mode))
            fprintf(stderr, "warning: sink %s: there is no directory %s: it is not made\n",
                    config->sink[i].name, dir);
        mem_free(dir);
    }
}

/* What is sent by `to` or `default_to` anyway is not muted, and not grouped. */
static void look_at_policy(const struct config *config, size_t i, const struct program *prog,
                           struct diag *diag)
{
    const struct config_route *route = &config->route[i];

    for (size_t k = 0; k < route->to.n && (route->mute.n > 0 || route->group > 0); k++) {
        const char *name = route->to.text[k];
        if (route_matters(config->routes, i, config_sink_named(config, name), prog))
            continue;
        diag_add(diag, DIAG_WARNING, route->span, "`%s` changes nothing for sink `%s`",
                 route->mute.n > 0 ? "mute" : "group", name);
        diag_hint(diag, "its alerts go there by `to` or `default_to` anyway: take `%s` out of there", name);
    }
}

/* Routes that nothing can go by, and patterns that fit nothing. */
static void look_at_routes(const struct config *config, const struct program *prog, struct diag *diag)
{
    for (size_t i = 0; i < config->n_routes; i++) {
        const struct config_route *route = &config->route[i];
        const char *why = route_misses(config->routes, i, prog);
        if (why) {
            diag_add(diag, DIAG_WARNING, route->span, "no alert can go by this route: %s", why);
            continue;
        }
        look_at_policy(config, i, prog, diag);
        for (size_t k = 0; k < route->rules.n; k++)
            if (!route_pattern_fits(route->rules.text[k], false, prog))
                diag_add(diag, DIAG_WARNING, route->span, "no rule has a name like `%s`",
                         route->rules.text[k]);
        for (size_t k = 0; k < route->tags.n; k++)
            if (!route_pattern_fits(route->tags.text[k], true, prog))
                diag_add(diag, DIAG_WARNING, route->span, "no rule has a tag like `%s`",
                         route->tags.text[k]);
    }
}

/* ---- where alerts go ------------------------------------------------------------------------- */

/* Rules whose alerts go to the same sinks. */
struct way {
    char *sinks;      /* owned: how that is written */
    uint32_t n_rules;
    struct buf rules; /* names of the first SHOWN */
};
struct ways {
    struct way *way;
    size_t n, cap;
};
enum { SHOWN = 6 };

static void add_set(struct buf *out, const struct config *config, const struct route_set *set)
{
    for (uint32_t i = 0; i < set->n; i++)
        buf_printf(out, "%s%s%s", i > 0 ? ", " : "", config->sink[set->sink[i]].name,
                   set->direct[i] ? "" : " (route)");
    if (set->n == 0)
        buf_adds(out, "nowhere");
}

static bool same_set(const struct route_set *a, const struct route_set *b)
{
    return a->n == b->n && memcmp(a->sink, b->sink, a->n * sizeof *a->sink) == 0 &&
           memcmp(a->direct, b->direct, a->n * sizeof *a->direct) == 0;
}

/* "disk, soc (route)"; if the severity decides: "low: disk; high, critical: disk, soc (route)". */
static char *sinks_of(const struct config *config, const struct route_rules *rr,
                      const struct program_rule *rule)
{
    const struct route_set *first = route_of(rr, rule->number, SEVERITY_INFO), *set;
    bool one = !rule->severity_code, differ = false;
    struct buf out;

    for (int s = SEVERITY_LOW; s <= SEVERITY_CRITICAL && !one; s++)
        differ = differ || !same_set(first, route_of(rr, rule->number, (enum severity)s));
    buf_init(&out);
    if (!differ)
        add_set(&out, config, route_of(rr, rule->number, rule->severity));
    for (int s = SEVERITY_INFO; s <= SEVERITY_CRITICAL && differ; s++) {
        set = route_of(rr, rule->number, (enum severity)s);
        bool goes_on = s < SEVERITY_CRITICAL &&
                       same_set(set, route_of(rr, rule->number, (enum severity)(s + 1)));
        buf_printf(&out, "%s%s", severity_name((enum severity)s), goes_on ? ", " : ": ");
        if (goes_on)
            continue;
        add_set(&out, config, set);
        if (s < SEVERITY_CRITICAL)
            buf_adds(&out, "; ");
    }
    return buf_take(&out);
}

/* Takes sinks. */
static void add_rule(struct ways *ways, char *sinks, const char *rule)
{
    size_t i = 0;

    while (i < ways->n && strcmp(ways->way[i].sinks, sinks) != 0)
        i++;
    if (i == ways->n) {
        ways->way = vec_reserve(ways->way, &ways->cap, ways->n + 1, sizeof *ways->way);
        ways->way[ways->n] = (struct way){.sinks = sinks};
        buf_init(&ways->way[ways->n++].rules);
    } else {
        mem_free(sinks);
    }
    struct way *way = &ways->way[i];
    if (way->n_rules < SHOWN)
        buf_printf(&way->rules, "%s%s", way->n_rules > 0 ? ", " : "", rule);
    way->n_rules++;
}

static void print_ways(const struct ways *ways)
{
    if (ways->n > 0)
        puts("alerts go to");
    for (size_t i = 0; i < ways->n; i++) {
        const struct way *way = &ways->way[i];
        printf("  %s\n", way->sinks);
        if (ways->n == 1)
            printf("      all rules\n");
        else if (way->n_rules > SHOWN)
            printf("      %s and %u more\n", way->rules.data, way->n_rules - SHOWN);
        else
            printf("      %s\n", way->rules.data);
    }
}

/* Sinks of which neither a rule nor a source says anything. */
static void print_idle(const struct config *config, const bool *used)
{
    const char *between = "no alert goes to ";

    for (size_t i = 0; i < config->n_sinks; i++)
        if (!used[i]) {
            printf("%s%s", between, config->sink[i].name);
            between = ", ";
        }
    if (between[0] == ',')
        puts("");
}

static void mark(const struct config *config, const char *name, bool *used)
{
    uint32_t sink = name ? config_sink_named(config, name) : UINT32_MAX;

    if (sink != UINT32_MAX)
        used[sink] = true;
}

static void mark_set(const struct route_set *set, bool *used)
{
    for (uint32_t i = 0; i < set->n; i++)
        used[set->sink[i]] = true;
}

/* [n_sinks] owned: does anything go there? */
static bool *used_sinks(const struct config *config, const struct program *prog,
                        const struct route_rules *rr)
{
    bool *used = mem_calloc(config->n_sinks + 1, sizeof *used);

    for (size_t i = 0; i < config->n_sources; i++) {
        mark(config, config->source[i].late, used);
        mark(config, config->source[i].dead_letter, used);
    }
    for (uint32_t i = 0; i < prog->n_streams; i++)
        mark(config, prog->stream[i].quarantine, used);
    for (uint32_t r = 0; r < prog->n_rules; r++)
        for (int s = SEVERITY_INFO; s <= SEVERITY_CRITICAL && prog->rule[r].tells && !prog->rule[r].disabled;
             s++)
            mark_set(route_of(rr, r, (enum severity)s), used);
    return used;
}

static void tell_ways(const struct config *config, const struct program *prog)
{
    struct route_rules *rr = route_rules_new(config->routes, prog);
    struct ways ways = {0};

    for (uint32_t r = 0; r < prog->n_rules; r++)
        if (prog->rule[r].tells && !prog->rule[r].disabled)
            add_rule(&ways, sinks_of(config, rr, &prog->rule[r]), prog->rule[r].name);
    print_ways(&ways);
    bool *used = used_sinks(config, prog, rr);
    print_idle(config, used);
    mem_free(used);
    for (size_t i = 0; i < ways.n; i++) {
        mem_free(ways.way[i].sinks);
        buf_fini(&ways.way[i].rules);
    }
    mem_free(ways.way);
    route_rules_free(&rr);
}

int daemon_check(const struct config *config, struct diag *diag)
{
    struct program *prog = config_compile(config, (int64_t)time(NULL) * 1000000000, diag);

    if (prog)
        look_at_routes(config, prog, diag);
    rule_files_say(diag);
    if (!look_at_http(&config->http) || !prog) {
        program_unref(&prog);
        return DAEMON_WRONG;
    }
    look_outside(config);
    look_at_tls(config);
    look_at_kafka(config);
    printf("ok: %u rule%s, %zu source%s, %zu sink%s\n", prog->n_rules, plural(prog->n_rules),
           config->n_sources, plural(config->n_sources), config->n_sinks, plural(config->n_sinks));
    tell_ways(config, prog);
    program_unref(&prog);
    return DAEMON_OK;
}
