// SPDX-License-Identifier: Apache-2.0
/*
 * `tocsin alerts` and `tocsin tail`: alerts that are kept, page by page; alerts as they become durable.
 *
 * tail: connect > read events > the connection ends, or is silent for too long > connect again, behind the last id.
 * Refusals (no token, no such filter) end it, 429 and 503 do not. The daemon says when numbers are lost (`gap`).
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/buf.h"
#include "base/clock.h"
#include "base/utf8.h"
#include "cli/remote.h"
#include "cli/shown.h"
#include "event/time_format.h"
#include "io/sse_reader.h"
#include "lang/parse.h"

enum { PAGE = 1000, DEFAULT_LIMIT = 50, RULE_WIDTH = 20, MOST_WIDTH = 60, TIME_WIDTH = 20 };

/* ---- one alert ----------------------------------------------------------------------------------- */

static void add_padded(struct buf *out, const char *text, size_t width)
{
    size_t len = utf8_length(text, strlen(text));

    shown_adds(out, text);
    for (; len < width; len++)
        buf_addc(out, ' ');
}

/* TIME  SEVERITY  RULE  TITLE, or what the key is */
static void print_alert(const struct json_doc *alert)
{
    static size_t rule_width = RULE_WIDTH; /* as wide as the widest so far */
    const char *severity = doc_text(alert, "severity"), *title = doc_text(alert, "title");
    const struct json_doc *key = json_doc_member(alert, "key");
    struct buf b;

    buf_init(&b);
    shown_add_time(&b, doc_text(alert, "time"));
    for (; b.len < TIME_WIDTH;)
        buf_addc(&b, ' ');
    buf_adds(&b, "  ");
    buf_adds(&b, shown_colour(severity));
    add_padded(&b, severity, 8);
    buf_adds(&b, *shown_colour(severity) ? shown_plain() : "");
    buf_adds(&b, "  ");
    const char *rule = doc_text(alert, "rule");
    size_t width = utf8_length(rule, strlen(rule));
    rule_width = width > rule_width && width <= MOST_WIDTH ? width : rule_width;
    add_padded(&b, rule, rule_width);
    buf_adds(&b, "  ");
    if (*title && strcmp(title, rule) != 0)
        shown_adds(&b, title);
    else /* it was given none */
        shown_add_key(&b, key);
    if (doc_int(alert, "suppressed") > 0)
        buf_printf(&b, "  (%lld held back)", (long long)doc_int(alert, "suppressed"));
    puts(b.data);
    buf_fini(&b);
}

static void print_line(const struct remote *r, const char *line, size_t len)
{
    char why[200];
    struct json_doc *doc = r->json ? NULL : json_doc_parse_lax(line, len, why, sizeof why);

    if (doc) {
        print_alert(doc);
        json_doc_free(&doc);
        return;
    }
    if (r->json) /* as it is */
        shown_print_json(line, len);
    else
        shown_print_text(line, len);
    putchar('\n');
}

/* ---- filters ------------------------------------------------------------------------------------- */

/* RFC 3339, or a duration: so long ago. */
static bool add_time(const struct remote *r, struct buf *path, const char *name)
{
    const char *text = remote_option(r, name);
    int64_t ago, now = clock_wall();
    struct buf b;

    if (!text)
        return true;
    if (!parse_duration(text, &ago)) {
        remote_add_query(path, name, text); /* the daemon says what is wrong with it */
        return true;
    }
    buf_init(&b);
    time_add_text(&b, now - ago);
    remote_add_query(path, name, b.data);
    buf_fini(&b);
    return true;
}

static void add_filters(const struct remote *r, struct buf *path)
{
    static const char *const plain[] = {"rule", "severity", "min-severity", "key", "after"};

    for (size_t i = 0; i < sizeof plain / sizeof *plain; i++)
        remote_add_option(r, path, plain[i]);
    add_time(r, path, "since");
    add_time(r, path, "until");
}

/* ---- alerts -------------------------------------------------------------------------------------- */

/* Each line of the body, at most so many; gives how many. */
static uint64_t print_lines(const struct remote *r, const struct buf *body, uint64_t most)
{
    uint64_t n = 0;

    for (size_t at = 0; at < body->len && n < most;) {
        const char *line = body->data + at, *end = memchr(line, '\n', body->len - at);
        size_t len = end ? (size_t)(end - line) : body->len - at;
        if (len > 0)
            print_line(r, line, len), n++;
        at += len + 1;
    }
    return n;
}

static int ask_page(struct remote *r, uint64_t limit, const char *cursor, struct remote_answer *a)
{
    static const char *const header[] = {"Accept: application/x-ndjson"};
    struct http_client_request rq = {.method = "GET", .header = header, .n_headers = 1};
    struct buf path;

    buf_init(&path);
    buf_printf(&path, "/v1/alerts?limit=%" PRIu64, limit < PAGE ? limit : (uint64_t)PAGE);
    add_filters(r, &path);
    if (remote_option(r, "oldest"))
        remote_add_query(&path, "order", "oldest");
    remote_add_query(&path, "cursor", *cursor ? cursor : NULL);
    rq.path = path.data;
    int code = remote_good(r, &rq, a);
    buf_fini(&path);
    return code;
}

int remote_alerts_list(struct remote *r)
{
    const char *given = remote_option(r, "limit");
    uint64_t left = UINT64_MAX, all = 0;
    char cursor[sizeof ((struct http_client_answer *)0)->next] = "";
    struct remote_answer a;
    int code = EXIT_OK;

    if (!remote_words(r, 0, 0, ""))
        return EXIT_USAGE;
    if (!(given && strcmp(given, "all") == 0) && !remote_number(r, "limit", DEFAULT_LIMIT, &left))
        return EXIT_USAGE;
    remote_answer_init(&a);
    do {
        code = ask_page(r, left, cursor, &a);
        if (code != EXIT_OK)
            break;
        uint64_t n = print_lines(r, &a.http.body, left);
        all += n;
        left -= n;
        bool same = strcmp(cursor, a.http.next) == 0; /* a server that says so again would never end */
        memcpy(cursor, a.http.next, sizeof cursor);
        if (same)
            break;
    } while (*cursor && left > 0 && !ferror(stdout));
    if (code == EXIT_OK && *cursor && !given)
        fprintf(stderr, "and more: --limit N, or --limit all\n");
    else if (code == EXIT_OK && all == 0 && !r->json)
        fputs("no alerts\n", stderr);
    remote_answer_fini(&a);
    return code;
}

/* ---- tail ---------------------------------------------------------------------------------------- */

struct tailing {
    struct remote *r;
    struct sse_reader reader;
    uint64_t left;   /* alerts that are still wanted */
    bool over;       /* standard output is closed, or there were enough */
    bool too_long, no_stream;
    struct http_client_answer answer;
    bool away;       /* it was said that the daemon is not there */
};

static bool found_event(void *ctx, const struct sse_event *event)
{
    struct tailing *t = ctx;
    char why[200];
    struct json_doc *doc;

    if (strcmp(event->name, "alert") == 0) {
        print_line(t->r, event->data, event->len);
        t->over = fflush(stdout) != 0 || --t->left == 0;
    } else if (strcmp(event->name, "gap") == 0 &&
               (doc = json_doc_parse_lax(event->data, event->len, why, sizeof why)) != NULL) {
        remote_fail(0, "%lld alerts before this are not kept any more", (long long)doc_int(doc, "lost"));
        json_doc_free(&doc);
    }
    return !t->over;
}

static bool take(void *ctx, const char *data, size_t len)
{
    struct tailing *t = ctx;

    t->no_stream = strncmp(t->answer.type, "text/event-stream", 17) != 0;
    if (t->no_stream)
        return false;
    if (t->away)
        remote_fail(0, "it is there again");
    t->away = false;
    if (sse_reader_add(&t->reader, data, len, found_event, t))
        return true;
    t->too_long = !t->over;
    return false;
}

static enum http_client_result connect_once(struct tailing *t, const char *path, struct buf *why)
{
    const char *header[2] = {"Accept: text/event-stream"};
    struct http_client_request rq = {.method = "GET", .path = path, .header = header, .n_headers = 1, .take = take,
                                     .ctx = t};
    struct buf line;

    buf_init(&line);
    if (t->reader.id[0]) {
        buf_printf(&line, "Last-Event-ID: %s", t->reader.id);
        header[rq.n_headers++] = line.data;
    }
    sse_reader_restart(&t->reader);
    enum http_client_result result = http_client_ask(t->r->client, &rq, &t->answer, why);
    buf_fini(&line);
    return result;
}

/* It was refused for good. */
static int refused(const struct http_client_answer *http)
{
    char why[200];
    struct remote_answer a = {.http = *http};

    if (http->body.len > 0)
        a.doc = json_doc_parse_lax(http->body.data, http->body.len, why, sizeof why);
    remote_print_problem(&a);
    if (a.doc)
        json_doc_free(&a.doc);
    return EXIT_FAILED;
}

static void note_away(struct tailing *t, const char *why)
{
    if (!t->away)
        remote_fail(0, "%s; trying again", *why ? why : "the daemon ended the stream");
    t->away = true;
}

static int follow(struct tailing *t, const char *path)
{
    struct timespec pause = {1, 0};
    const struct http_client_answer *a = &t->answer;
    struct buf why;
    bool ever = false;
    int code = -1;

    buf_init(&why);
    while (code < 0) {
        buf_clear(&why);
        buf_adds(&why, "");
        enum http_client_result result = connect_once(t, path, &why);
        ever |= a->status / 100 == 2;
        if (t->over)
            code = EXIT_OK;
        else if (t->no_stream)
            code = remote_fail(EXIT_UNREACHABLE, "the answer is no stream of events: is that a tocsind?");
        else if (t->too_long)
            code = remote_fail(EXIT_UNREACHABLE, "an event of the stream is longer than --max-answer allows");
        else if (result == HTTP_CLIENT_ANSWERED && a->status / 100 != 2 && a->status != 503 && a->status != 429)
            code = refused(a);
        else if (!ever && result != HTTP_CLIENT_ANSWERED) /* one that was never there */
            code = remote_fail(EXIT_UNREACHABLE, "%s", why.data);
        else
            note_away(t, why.data), nanosleep(&pause, NULL);
    }
    buf_fini(&why);
    return code;
}

int remote_tail_follow(struct remote *r)
{
    struct tailing t = {.r = r};
    uint64_t most;
    struct buf path;

    if (!remote_words(r, 0, 0, "") || !remote_number(r, "count", UINT64_MAX, &t.left))
        return EXIT_USAGE;
    if (t.left == 0)
        return EXIT_OK;
    if (!remote_size(r, "max-answer", &most))
        return EXIT_USAGE;
    sse_reader_init(&t.reader, (size_t)most);
    http_client_answer_init(&t.answer);
    buf_init(&path);
    buf_adds(&path, "/v1/alerts/stream");
    add_filters(r, &path);
    if (remote_option(r, "since") && !remote_option(r, "after"))
        remote_add_query(&path, "after", "0"); /* also of what was found before now */
    int code = follow(&t, path.data);
    buf_fini(&path);
    sse_reader_fini(&t.reader);
    http_client_answer_fini(&t.answer);
    return code;
}
