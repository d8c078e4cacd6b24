// SPDX-License-Identifier: Apache-2.0
/* `tocsin status`, `sources`, `sinks`, `audit`: how the daemon is. */
#include <stdio.h>
#include <string.h>
#include <time.h>

#include "base/buf.h"
#include "base/clock.h"
#include "cli/grid.h"
#include "cli/remote.h"
#include "cli/shown.h"
#include "event/time_format.h"
#include "event/value.h"

enum { TOP_RULES = 10 };

/* ---- sources ------------------------------------------------------------------------------------- */

static void add_time_cell(struct grid *g, double seconds)
{
    struct buf b;

    buf_init(&b);
    if (seconds > 0 && seconds < 9e9)
        time_add_text(&b, (int64_t)seconds * 1000000000);
    else
        buf_adds(&b, "-");
    grid_take(g, &b);
}

/* Beside the counts, only what is not as it should be. */
static void add_notes(struct buf *b, const struct json_doc *doc, const char *const note[][2], size_t n)
{
    for (size_t i = 0; i < n; i++)
        if (doc_int(doc, note[i][0]) > 0)
            buf_printf(b, "%s%lld %s", b->len ? ", " : "", (long long)doc_int(doc, note[i][0]), note[i][1]);
}

/* What it is that fails now. */
static void add_why(struct buf *b, const char *why)
{
    if (*why == '\0')
        return;
    buf_adds(b, b->len ? ", " : "");
    shown_adds(b, why);
}

static void take_notes(struct grid *g, struct buf *b)
{
    if (b->len == 0)
        buf_adds(b, "-");
    grid_take(g, b);
}

/* The partition of topics that is the furthest from its end. */
static void add_most_behind(struct buf *b, const struct json_doc *lag)
{
    const struct json_doc *most = NULL;

    for (size_t i = 0; lag && json_doc_elements(lag) != SIZE_MAX && i < json_doc_elements(lag); i++) {
        const struct json_doc *part = json_doc_element(lag, i);
        if (doc_int(part, "behind_records") > (most ? doc_int(most, "behind_records") : 0))
            most = part;
    }
    if (!most)
        return;
    buf_adds(b, b->len ? ", " : "");
    shown_adds(b, doc_text(most, "partition"));
    buf_printf(b, " most: %lld", (long long)doc_int(most, "behind_records"));
    if (doc_number(most, "behind_seconds") > 0) {
        buf_adds(b, ", ");
        shown_add_age(b, doc_number(most, "behind_seconds"));
    }
}

static void add_source(struct grid *g, const struct json_doc *s)
{
    static const char *const note[][2] = {{"broken", "broken"}, {"late", "late"}, {"set_aside", "in the future"},
                                          {"quarantined", "quarantined"}, {"partitions_stalled", "stalled"},
                                          {"behind_records", "records behind"},
                                          {"partitions_paused", "paused"}, {"partitions_idle", "idle"}};
    struct buf b;

    grid_text(g, doc_text(s, "name"));
    grid_text(g, doc_text(s, "kind"));
    grid_count(g, doc_int(s, "events"));
    grid_bytes(g, doc_number(s, "read_bytes"));
    add_time_cell(g, doc_number(s, "newest_event_timestamp_seconds"));
    add_time_cell(g, doc_number(s, "frontier_timestamp_seconds"));
    if (json_doc_member(s, "lag_seconds"))
        grid_age(g, doc_number(s, "lag_seconds"));
    else
        grid_text(g, "-");
    grid_count(g, doc_int(s, "waiting_events"));
    buf_init(&b);
    add_notes(&b, s, note, sizeof note / sizeof *note);
    add_most_behind(&b, json_doc_member(s, "lag"));
    add_why(&b, doc_text(s, "stalled"));
    take_notes(g, &b);
}

static void add_sink(struct grid *g, const struct json_doc *s)
{
    static const char *const note[][2] = {{"rejected", "refused"}, {"overflowed", "did not fit"}, {"failures", "failures"},
                                          {"retries", "retries"}, {"muted", "muted"}, {"undecided", "undecided"},
                                          {"aborts", "transactions aborted"}};
    struct buf b;

    grid_text(g, doc_text(s, "name"));
    grid_text(g, doc_text(s, "kind"));
    grid_text(g, doc_int(s, "disabled") ? "gone (410)" : doc_int(s, "failing") ? "failing" : "good");
    grid_count(g, doc_int(s, "delivered"));
    grid_count(g, doc_int(s, "waiting"));
    grid_age(g, doc_number(s, "oldest_seconds"));
    buf_init(&b);
    add_notes(&b, s, note, sizeof note / sizeof *note);
    if (doc_int(s, "failing"))
        add_why(&b, doc_text(s, "last_error"));
    take_notes(g, &b);
}

static const struct remote_list sources = {
    "sources", "SOURCE|KIND|>EVENTS|>READ|NEWEST EVENT|DECIDED UNTIL|>LAG|>WAITING|NOTES", "no sources", add_source};
static const struct remote_list sinks = {"sinks", "SINK|KIND|STATE|>DELIVERED|>WAITING|>OLDEST|NOTES", "no sinks", add_sink};

int remote_sources_list(struct remote *r)
{
    return remote_words(r, 0, 0, "") ? remote_show_list(r, "/v1/sources", &sources, NULL) : EXIT_USAGE;
}

int remote_sinks_list(struct remote *r)
{
    return remote_words(r, 0, 0, "") ? remote_show_list(r, "/v1/sinks", &sinks, NULL) : EXIT_USAGE;
}

/* ---- audit --------------------------------------------------------------------------------------- */

static void add_entry(struct grid *g, const struct json_doc *e)
{
    grid_count(g, doc_int(e, "number"));
    grid_time(g, doc_text(e, "time"));
    grid_text(g, doc_text(e, "who"));
    grid_text(g, doc_text(e, "from"));
    grid_text(g, doc_text(e, "what"));
    grid_text(g, doc_text(e, "name"));
    grid_text(g, doc_text(e, "result"));
}

int remote_audit_list(struct remote *r)
{
    static const struct remote_list entries = {"entries", ">NUMBER|TIME|WHO|FROM|WHAT|NAME|RESULT", "no entries", add_entry};
    struct buf path;
    uint64_t limit;

    if (!remote_words(r, 0, 0, "") || !remote_number(r, "limit", 50, &limit))
        return EXIT_USAGE;
    buf_init(&path);
    buf_printf(&path, "/v1/audit?limit=%llu", (unsigned long long)limit);
    remote_add_option(r, &path, "before");
    int code = remote_show_list(r, path.data, &entries, NULL);
    buf_fini(&path);
    return code;
}

/* ---- status -------------------------------------------------------------------------------------- */

static void print_info(const struct json_doc *info)
{
    const char *started = doc_text(info, "started");
    int64_t began;
    struct buf b;

    buf_init(&b);
    buf_adds(&b, "tocsind ");
    shown_adds(&b, doc_text(info, "version"));
    if (time_read(value_text(started, strlen(started)), TIME_RFC3339, 0, &began)) {
        buf_adds(&b, ", up ");
        shown_add_age(&b, (double)(clock_wall() - began) / 1e9);
        buf_adds(&b, ", since ");
        time_add_text(&b, began - began % 1000000000);
    }
    puts(b.data);
    buf_fini(&b);
}

static void print_ready(const struct json_doc *ready)
{
    const struct json_doc *reasons = json_doc_member(ready, "reasons");
    struct buf b;

    buf_init(&b);
    puts(!doc_flag(ready, "ready") ? "NOT READY" : doc_count(reasons) > 0 ? "ready, but" : "ready");
    for (size_t i = 0; i < doc_count(reasons); i++) {
        const struct json_doc *reason = json_doc_element(reasons, i);
        buf_clear(&b);
        shown_adds(&b, doc_text(reason, "reason"));
        if (*doc_text(reason, "subject")) {
            buf_addc(&b, ' ');
            shown_adds(&b, doc_text(reason, "subject"));
        }
        buf_adds(&b, ": ");
        shown_adds(&b, doc_text(reason, "detail"));
        printf("  %s\n", b.data);
    }
    buf_fini(&b);
}

void remote_print_checkpoints(const struct json_doc *c)
{
    struct buf b;

    buf_init(&b);
    buf_printf(&b, "checkpoints: %lld, ", (long long)doc_int(c, "epochs"));
    shown_add_size(&b, doc_number(c, "written_bytes"));
    buf_adds(&b, " written; the last ");
    shown_add_age(&b, doc_number(c, "age_seconds"));
    buf_adds(&b, " ago took ");
    shown_add_age(&b, doc_number(c, "last_write_seconds"));
    if (doc_int(c, "failing"))
        buf_adds(&b, "; FAILING: nothing can be written");
    puts(b.data);
    buf_fini(&b);
}

struct part { /* of the screen: it is printed, or its list, or its rules */
    const char *path;
    void (*print)(const struct json_doc *doc);
    const struct remote_list *list;
};

static int show_part(struct remote *r, const struct part *part, struct remote_answer *a)
{
    int code = remote_get(r, part->path, a, NULL);

    if (code != EXIT_OK)
        return code;
    if (part->print)
        part->print(a->doc);
    else if (part->list)
        remote_print_list(part->list, a->doc);
    else
        remote_print_stats(r, json_doc_member(a->doc, "rules"), TOP_RULES);
    return EXIT_OK;
}

/* Each answer as a member of one object. */
static void add_raw(struct buf *all, const char *name, const struct remote_answer *a)
{
    buf_printf(all, "%s\"%s\":", all->len > 1 ? "," : "", name);
    json_doc_add(all, a->doc);
}

/* Ready, or whatever it is when the time is over. */
static int ask_ready(struct remote *r, struct remote_answer *ready, int64_t within)
{
    struct http_client_request rq = {.method = "GET", .path = "/readyz"};
    struct timespec pause = {0, 100000000};
    int64_t until = clock_monotonic() + within;
    struct buf why;
    int code;

    buf_init(&why);
    for (;;) {
        buf_clear(&why);
        buf_adds(&why, "");
        code = remote_send(r, &rq, ready, &why);
        if ((code == EXIT_OK && doc_flag(ready->doc, "ready")) || clock_monotonic() >= until)
            break;
        nanosleep(&pause, NULL);
    }
    if (code != EXIT_OK)
        remote_fail(code, "%s", why.data);
    else if (!ready->doc || !json_doc_member(ready->doc, "ready"))
        code = remote_fail(EXIT_UNREACHABLE, "what answers is no tocsind");
    buf_fini(&why);
    return code;
}

int remote_status_show(struct remote *r)
{
    static const struct part parts[] = {{"/v1/info", print_info, NULL},
                                        {"/readyz", print_ready, NULL},
                                        {"/v1/sources", NULL, &sources},
                                        {"/v1/sinks", NULL, &sinks},
                                        {"/v1/checkpoints", remote_print_checkpoints, NULL},
                                        {"/v1/rules?stats=1", NULL, NULL}};
    static const char *const name[] = {"info", "ready", "sources", "sinks", "checkpoints", "rules"};
    struct remote_answer a, ready;
    struct buf all;
    int64_t within;

    if (!remote_words(r, 0, 0, "") || !remote_duration(r, "wait", 0, &within))
        return EXIT_USAGE;
    remote_answer_init(&a);
    remote_answer_init(&ready);
    buf_init(&all);
    buf_addc(&all, '{');
    int code = ask_ready(r, &ready, within);
    for (size_t i = 0; i < sizeof parts / sizeof *parts && code == EXIT_OK; i++) {
        bool is_ready = strcmp(name[i], "ready") == 0; /* 503 is an answer, too */
        if (i > 1 && !r->json)
            putchar('\n');
        if (is_ready && !r->json)
            print_ready(ready.doc);
        else if (r->json)
            code = is_ready ? EXIT_OK : remote_get(r, parts[i].path, &a, NULL);
        else
            code = show_part(r, &parts[i], &a);
        if (r->json && code == EXIT_OK)
            add_raw(&all, name[i], is_ready ? &ready : &a);
    }
    buf_adds(&all, "}\n");
    if (r->json && code == EXIT_OK)
        shown_print_json(all.data, all.len);
    if (code == EXIT_OK && !doc_flag(ready.doc, "ready"))
        code = EXIT_FAILED;
    buf_fini(&all);
    remote_answer_fini(&a);
    remote_answer_fini(&ready);
    return code;
}
