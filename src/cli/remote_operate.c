// SPDX-License-Identifier: Apache-2.0
/* `tocsin dead-letters`, `sinks enable`, `checkpoint`, `drain`, `resume`: what an operator does. */
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/buf.h"
#include "base/utf8.h"
#include "cli/grid.h"
#include "cli/progress.h"
#include "cli/remote.h"
#include "cli/shown.h"

#define EXPORT_TIMEOUT INT64_C(600000000000) /* ns */
enum { PAGE = 1000, DEFAULT_LIMIT = 50, TEXT_WIDTH = 70 };

/* ---- dead letters -------------------------------------------------------------------------------- */

/* On one line, cut. */
static void add_cut(struct grid *g, const char *text)
{
    struct buf b;
    size_t at = 0;

    buf_init(&b);
    shown_adds(&b, text);
    for (size_t n = 0; n < TEXT_WIDTH && at < b.len; n++)
        utf8_next(b.data, b.len, &at);
    if (at < b.len) {
        b.len = at;
        buf_adds(&b, "...");
    }
    grid_take(g, &b);
}

/* Of a source the text is an object that holds the line that it gave. */
static void add_letter(struct grid *g, const struct json_doc *letter)
{
    const char *sink = doc_text(letter, "sink"), *text = doc_text(letter, "text");
    char why[200];
    struct json_doc *inside = *sink ? NULL : json_doc_parse_lax(text, strlen(text), why, sizeof why);
    const char *source = doc_text(inside, "source"), *event = doc_text(inside, "event");

    grid_count(g, doc_int(letter, "number"));
    grid_time(g, doc_text(letter, "time"));
    grid_text(g, *sink ? sink : *source ? source : doc_text(letter, "origin"));
    add_cut(g, doc_text(letter, "reason"));
    add_cut(g, *event ? event : text);
    if (inside)
        json_doc_free(&inside);
}

static void path_of(const struct remote *r, struct buf *path, const char *what)
{
    buf_init(path);
    buf_printf(path, "/v1/dead_letters%s", what);
    remote_add_option(r, path, "sink");
    remote_add_option(r, path, "origin");
    remote_add_option(r, path, "reason");
}

/* "17-20" or "17-" from `from` on; a daemon that goes back would never end. */
static bool next_numbers(const char *numbers, int64_t next, int64_t *from, struct buf *out)
{
    const char *last = strchr(numbers, '-');

    if (next <= *from)
        return false;
    *from = next;
    buf_clear(out);
    buf_printf(out, "%" PRId64 "-%s", next, last ? last + 1 : "");
    return true;
}

static int list_letters(struct remote *r, uint64_t left, struct grid *g, bool *more_out)
{
    const char *numbers = r->n_words > 0 && strcmp(r->word[0], "all") != 0 ? r->word[0] : "0-";
    struct remote_answer a;
    struct buf path, range;
    int64_t from = -1;
    int code;

    remote_answer_init(&a);
    buf_init(&range);
    buf_adds(&range, numbers);
    do {
        path_of(r, &path, "");
        remote_add_query(&path, "numbers", range.data);
        buf_printf(&path, "&limit=%" PRIu64, left < PAGE ? left : (uint64_t)PAGE);
        code = remote_get(r, path.data, &a, NULL);
        buf_fini(&path);
        if (code != EXIT_OK)
            break;
        const struct json_doc *list = json_doc_member(a.doc, "dead_letters");
        for (size_t i = 0; i < doc_count(list) && left > 0; i++, left--) {
            struct buf line;
            buf_init(&line);
            if (r->json) {
                json_doc_add(&line, json_doc_element(list, i));
                buf_addc(&line, '\n');
                shown_print_json(line.data, line.len);
            } else {
                add_letter(g, json_doc_element(list, i));
            }
            buf_fini(&line);
        }
        *more_out = doc_int(a.doc, "next") > 0;
    } while (left > 0 && *more_out && next_numbers(numbers, doc_int(a.doc, "next"), &from, &range));
    buf_fini(&range);
    remote_answer_fini(&a);
    return code;
}

int remote_dead_letters_list(struct remote *r)
{
    const char *given = remote_option(r, "limit");
    uint64_t limit = UINT64_MAX;
    bool more = false;
    struct grid g;

    if (!remote_words(r, 0, 1, ""))
        return EXIT_USAGE;
    if (!(given && strcmp(given, "all") == 0) && !remote_number(r, "limit", DEFAULT_LIMIT, &limit))
        return EXIT_USAGE;
    grid_begin(&g, ">NUMBER|TIME|OF|REASON|TEXT");
    int code = list_letters(r, limit, &g, &more);
    grid_print(&g, code == EXIT_OK && !r->json ? "no dead letters" : NULL);
    if (more && !given)
        fputs("and more: --limit N, or --limit all\n", stderr);
    return code;
}

static int change_letters(struct remote *r, const char *what, const char *did)
{
    struct remote_answer a;
    struct buf path;
    bool shown;

    if (!remote_words(r, 1, 1, "no dead letters are named: NUMBER, FIRST-LAST or all"))
        return EXIT_USAGE;
    path_of(r, &path, what);
    remote_add_query(&path, "numbers", r->word[0]);
    remote_answer_init(&a);
    int code = remote_post(r, "POST", path.data, &a, &shown);
    if (code == EXIT_OK && !shown) {
        const struct json_doc *left = json_doc_member(a.doc, "left");
        printf("%" PRId64 " %s\n", doc_int(a.doc, "changed"), did);
        if (doc_int(left, "no_sink") > 0)
            printf("%" PRId64 " left: they are of no sink\n", doc_int(left, "no_sink"));
        if (doc_int(left, "not_configured") > 0)
            printf("%" PRId64 " left: their sink is not configured any more\n", doc_int(left, "not_configured"));
        if (doc_int(left, "at_bound") > 0)
            printf("%" PRId64 " left: the queue is at its bound; again later\n", doc_int(left, "at_bound"));
    }
    buf_fini(&path);
    remote_answer_fini(&a);
    return code;
}

int remote_dead_letters_replay(struct remote *r)
{
    return change_letters(r, ":replay", "will be sent again");
}

int remote_dead_letters_drop(struct remote *r)
{
    return change_letters(r, ":drop", "removed");
}

/* ---- sinks --------------------------------------------------------------------------------------- */

int remote_sinks_enable(struct remote *r)
{
    struct remote_answer a;
    struct buf path;
    bool shown;

    if (!remote_words(r, 1, 1, "no sink is named"))
        return EXIT_USAGE;
    remote_path(&path, "/v1/sinks/", r->word[0], ":enable");
    remote_answer_init(&a);
    int code = remote_post(r, "POST", path.data, &a, &shown);
    if (code == EXIT_OK && !shown)
        puts(doc_flag(a.doc, "changed") ? "it is asked again; dead letters wait for `tocsin dead-letters replay`"
                                        : "it was not disabled");
    buf_fini(&path);
    remote_answer_fini(&a);
    return code;
}

/* ---- checkpoints --------------------------------------------------------------------------------- */

static void print_checkpoint(const struct json_doc *c)
{
    struct buf b;

    buf_init(&b);
    buf_printf(&b, "checkpoint %" PRId64 ", of ", doc_int(c, "number"));
    shown_add_time(&b, doc_text(c, "time"));
    buf_adds(&b, ", ");
    shown_add_size(&b, doc_number(c, "bytes"));
    if (json_doc_member(c, "seconds")) {
        buf_adds(&b, ", in ");
        shown_add_age(&b, doc_number(c, "seconds"));
    }
    puts(b.data);
    buf_fini(&b);
}

int remote_checkpoint_now(struct remote *r)
{
    struct remote_answer a;
    bool shown;

    if (!remote_words(r, 0, 0, ""))
        return EXIT_USAGE;
    remote_answer_init(&a);
    int code = remote_post(r, "POST", "/v1/checkpoints", &a, &shown);
    if (code == EXIT_OK && !shown)
        print_checkpoint(a.doc);
    remote_answer_fini(&a);
    return code;
}

int remote_checkpoint_list(struct remote *r)
{
    return remote_words(r, 0, 0, "") ? remote_show(r, "/v1/checkpoints", remote_print_checkpoints) : EXIT_USAGE;
}

/* ---- export ------------------------------------------------------------------------------------- */

struct exporting {
    int fd;
    uint64_t written;
    int error; /* errno of a write; 0: none */
    struct progress progress;
};

static bool take_piece(void *ctx, const char *data, size_t len)
{
    struct exporting *ex = ctx;

    while (len > 0) {
        ssize_t n = write(ex->fd, data, len);
        if (n < 0 && errno != EINTR) {
            ex->error = errno;
            return false;
        }
        data += n > 0 ? n : 0;
        len -= n > 0 ? (size_t)n : 0;
        ex->written += n > 0 ? (uint64_t)n : 0;
    }
    progress_draw(&ex->progress, ex->written, 0, 0);
    return true;
}

static int export_to(struct remote *r, struct exporting *ex)
{
    static const char *const header[] = {"Content-Type: text/plain"};
    struct http_client_request rq = {.method = "POST", .path = "/v1/checkpoints:export", .body = "", .header = header,
                                     .n_headers = 1, .take = take_piece, .ctx = ex};
    struct remote_answer a;

    if (!remote_option(r, "timeout")) /* it is written there before it comes */
        rq.timeout = EXPORT_TIMEOUT;
    remote_answer_init(&a);
    int code = remote_good(r, &rq, &a);
    if (!ex->error && code == EXIT_OK && fsync(ex->fd) != 0 && errno != EINVAL && errno != ENOTSUP)
        ex->error = errno;
    if (code == EXIT_OK && !ex->error && ex->written == 0)
        code = remote_fail(EXIT_UNREACHABLE, "the answer is empty: is that a tocsind?");
    remote_answer_fini(&a);
    return code;
}

int remote_checkpoint_export(struct remote *r)
{
    struct exporting ex = {.error = 0};
    struct buf b;

    if (!remote_words(r, 1, 1, "no file is named"))
        return EXIT_USAGE;
    ex.fd = open(r->word[0], O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
    if (ex.fd < 0)
        return remote_fail(EXIT_FAILED, "%s: %s", r->word[0], strerror(errno));
    progress_init(&ex.progress);
    int code = export_to(r, &ex);
    progress_wipe(&ex.progress);
    if (close(ex.fd) != 0 && !ex.error)
        ex.error = errno;
    if (ex.error)
        code = remote_fail(EXIT_FAILED, "%s: %s", r->word[0], strerror(ex.error));
    if (code != EXIT_OK) {
        unlink(r->word[0]); /* half of one is none */
        return code;
    }
    buf_init(&b);
    shown_add_size(&b, (double)ex.written);
    printf("%s written; `tocsin state import DIR %s` makes a state directory of it\n", b.data, r->word[0]);
    buf_fini(&b);
    return EXIT_OK;
}

/* ---- drain, resume ------------------------------------------------------------------------------- */

static void print_drained(const struct json_doc *doc)
{
    const struct json_doc *sources = json_doc_member(doc, "sources"), *sinks = json_doc_member(doc, "sinks");
    struct buf b;
    struct grid g;

    buf_init(&b);
    buf_printf(&b, "%s, in ", doc_flag(doc, "delivered") ? "drained: all is durable and delivered"
                                                         : "drained: all is durable, and some is not delivered yet");
    shown_add_age(&b, doc_number(doc, "seconds"));
    puts(b.data);
    buf_fini(&b);
    print_checkpoint(json_doc_member(doc, "checkpoint"));
    grid_begin(&g, "SINK|KIND|>WAITING|>BYTES");
    for (size_t i = 0; i < doc_count(sinks); i++) {
        const struct json_doc *sink = json_doc_element(sinks, i);
        grid_text(&g, doc_text(sink, "name"));
        grid_text(&g, doc_text(sink, "kind"));
        grid_count(&g, doc_int(sink, "waiting"));
        grid_bytes(&g, doc_number(sink, "waiting_bytes"));
    }
    grid_print(&g, NULL);
    grid_begin(&g, "SOURCE|PARTITION|>GOES ON AT");
    for (size_t i = 0; i < doc_count(sources); i++) {
        const struct json_doc *parts = json_doc_member(json_doc_element(sources, i), "partitions");
        for (size_t k = 0; k < doc_count(parts); k++) {
            grid_text(&g, doc_text(json_doc_element(sources, i), "name"));
            grid_text(&g, doc_text(json_doc_element(parts, k), "partition"));
            grid_count(&g, doc_int(json_doc_element(parts, k), "resume"));
        }
    }
    grid_print(&g, NULL);
}

int remote_drain_now(struct remote *r)
{
    struct remote_answer a;
    struct buf path;
    bool shown;

    if (!remote_words(r, 0, 0, ""))
        return EXIT_USAGE;
    buf_init(&path);
    buf_adds(&path, "/v1/drain");
    remote_add_option(r, &path, "within");
    remote_answer_init(&a);
    int code = remote_post(r, "POST", path.data, &a, &shown);
    if (code == EXIT_OK && !shown)
        print_drained(a.doc);
    if (code == EXIT_OK && !doc_flag(a.doc, "delivered"))
        code = EXIT_FAILED;
    buf_fini(&path);
    remote_answer_fini(&a);
    return code;
}

int remote_resume_now(struct remote *r)
{
    struct remote_answer a;
    bool shown;

    if (!remote_words(r, 0, 0, ""))
        return EXIT_USAGE;
    remote_answer_init(&a);
    int code = remote_post(r, "POST", "/v1/resume", &a, &shown);
    if (code == EXIT_OK && !shown)
        puts(doc_flag(a.doc, "changed") ? "input is taken again" : "it was not drained");
    remote_answer_fini(&a);
    return code;
}
