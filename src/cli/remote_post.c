// SPDX-License-Identifier: Apache-2.0
/*
 * `tocsin post`: lines to a source of `http`, in pieces.
 *
 *     read lines > piece is full, or nothing more comes for now > post it
 *          200 > count, next piece        422 no-events > all rejected, next piece
 *          429, 503, no connection > wait, the same piece with the same key, until --give-up
 *          else > the end
 *
 * A piece holds whole lines, and only those that stand in it: which lines are in which piece is the same whenever
 * the same file is posted with the same --piece, so its key is, too.
 */
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <poll.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "base/buf.h"
#include "base/clock.h"
#include "base/gunzip.h"
#include "base/random.h"
#include "cli/progress.h"
#include "cli/remote.h"
#include "cli/shown.h"

#define SECOND INT64_C(1000000000)
#define FIRST_PAUSE (SECOND / 4)
#define DEFAULT_PIECE (UINT64_C(1) << 20)
#define MOST_PIECE (UINT64_C(64) << 20)
enum { LONGEST_LINE = 64 << 20, READ_SIZE = 65536, MOST_LINES = 100000, SAY_REJECTED = 20, LIVE_MS = 500, LONGEST_KEY = 200 };

struct posting {
    struct remote *r;
    struct buf path, rest, key; /* rest: read, and not sent yet */
    struct gunzip *in;
    int fd;                     /* what `in` reads; of it alone */
    bool live;                  /* a pipe or a terminal: what is there goes when nothing more comes */
    bool ended;
    bool answered;              /* the daemon is, or was, there */
    size_t piece_size;
    size_t seen;                /* bytes of whole lines in rest that may go in one piece, */
    uint64_t seen_lines;        /* and how many lines */
    int64_t give_up;            /* ns */
    uint64_t total;             /* bytes of the file; 0: not known */
    uint64_t lines, pieces;     /* that were sent */
    uint64_t accepted, rejected, said;
    struct progress progress;
};

/* ---- pieces -------------------------------------------------------------------------------------- */

/* Bytes of whole lines at the beginning of rest, so many as a piece has; 0: it is not full. *lines_out: how many. */
static size_t full_piece(struct posting *p, uint64_t *lines_out)
{
    const char *end;

    while (p->seen < p->rest.len && (end = memchr(p->rest.data + p->seen, '\n', p->rest.len - p->seen))) {
        size_t next = (size_t)(end - p->rest.data) + 1;
        if (p->seen_lines > 0 && (next > p->piece_size || p->seen_lines == MOST_LINES))
            break;
        p->seen = next;
        p->seen_lines++;
    }
    *lines_out = p->seen_lines;
    /* what is longer than a piece is one by itself; more may come of all else */
    return p->seen_lines == MOST_LINES || p->rest.len > p->piece_size ? p->seen : 0;
}

/* All that is there. */
static size_t last_piece(const struct posting *p, bool whole, uint64_t *lines_out)
{
    size_t len = p->rest.len;

    *lines_out = 0;
    while (!whole && len > 0 && p->rest.data[len - 1] != '\n')
        len--;
    for (size_t i = 0; i < len; i++)
        *lines_out += p->rest.data[i] == '\n';
    *lines_out += len > 0 && p->rest.data[len - 1] != '\n';
    return len;
}

/* Nothing more to read for now? */
static bool is_quiet(const struct posting *p)
{
    struct pollfd fd = {.fd = p->fd, .events = POLLIN};

    return p->live && p->rest.len > 0 && poll(&fd, 1, LIVE_MS) == 0;
}

/* The next piece: its bytes at the beginning of rest; 0: there is none. False: it cannot be read, which was said. */
static bool read_piece(struct posting *p, size_t *len_out, uint64_t *lines_out)
{
    while (!(*len_out = full_piece(p, lines_out)) && !p->ended) {
        if (is_quiet(p) && (*len_out = last_piece(p, false, lines_out)))
            return true;
        buf_reserve(&p->rest, READ_SIZE);
        ssize_t n = gunzip_read(p->in, p->rest.data + p->rest.len, READ_SIZE);
        if (n < 0) {
            remote_fail(0, "the input: %s", gunzip_error(p->in));
            return false;
        }
        p->ended = n == 0;
        p->rest.len += (size_t)n;
        if (p->seen == 0 && p->rest.len > LONGEST_LINE) {
            remote_fail(0, "line %" PRIu64 " of the input is longer than %d bytes", p->lines + 1, (int)LONGEST_LINE);
            return false;
        }
    }
    if (*len_out == 0)
        *len_out = last_piece(p, true, lines_out);
    return true;
}

/* ---- one piece ----------------------------------------------------------------------------------- */

static void say_rejected(struct posting *p, const struct json_doc *list, uint64_t total)
{
    struct buf b;

    buf_init(&b);
    progress_wipe(&p->progress);
    for (size_t i = 0; i < doc_count(list) && p->said < SAY_REJECTED; i++, p->said++) {
        const struct json_doc *one = json_doc_element(list, i);
        buf_clear(&b);
        shown_adds(&b, doc_text(one, "reason"));
        fprintf(stderr, "line %" PRIu64 ": %s\n", p->lines + (uint64_t)doc_int(one, "line"), b.data);
    }
    if (p->said == SAY_REJECTED && p->rejected + total > SAY_REJECTED) {
        fputs("and more, which are only counted\n", stderr);
        p->said++;
    }
    p->rejected += total;
    buf_fini(&b);
}

enum fate { TAKEN, AGAIN, REFUSED };

static enum fate judge(struct posting *p, int code, uint64_t lines, const struct remote_answer *a)
{
    const struct json_doc *rejected = a->doc ? json_doc_member(a->doc, "rejected") : NULL;
    uint64_t n = (uint64_t)doc_int(a->doc, "rejected_total");

    if (code != EXIT_OK)
        return p->answered ? AGAIN : REFUSED; /* one that was never there will not come */
    p->answered = true;
    if (a->http.status == 429 || a->http.status == 503)
        return AGAIN;
    if (remote_is_problem(a, "no-events")) { /* that is no reason to keep the others */
        say_rejected(p, rejected, lines);
        return TAKEN;
    }
    if (a->http.status / 100 != 2 || !a->doc || !json_doc_member(a->doc, "accepted"))
        return REFUSED;
    p->accepted += (uint64_t)doc_int(a->doc, "accepted");
    say_rejected(p, rejected, n ? n : doc_count(rejected));
    return TAKEN;
}

static void wait_again(struct posting *p, const struct remote_answer *a, const char *why, int64_t *pause)
{
    int64_t ns = a->http.retry_after > *pause ? a->http.retry_after : *pause;
    struct timespec ts = {ns / SECOND, ns % SECOND};

    if (*pause == FIRST_PAUSE) {
        const char *detail = doc_text(a->doc, "detail");
        progress_wipe(&p->progress);
        remote_fail(0, "%s; trying again", *why ? why : *detail ? detail : doc_text(a->doc, "title"));
    }
    nanosleep(&ts, NULL);
    *pause = *pause < 4 * SECOND ? 2 * *pause : *pause;
}

/* Until it is taken, or not to be had. */
static int send_piece(struct posting *p, size_t len, uint64_t lines)
{
    const char *header[] = {"Content-Type: application/x-ndjson", p->key.data};
    struct http_client_request rq = {.method = "POST", .path = p->path.data, .body = p->rest.data, .len = len,
                                     .header = header, .n_headers = 2};
    int64_t began = clock_monotonic(), pause = FIRST_PAUSE;
    struct remote_answer a;
    struct buf why;
    enum fate fate;
    int code;

    remote_answer_init(&a);
    buf_init(&why);
    for (;;) {
        buf_clear(&why);
        buf_adds(&why, "");
        code = remote_send(p->r, &rq, &a, &why);
        fate = judge(p, code, lines, &a);
        if (fate != AGAIN || clock_monotonic() - began > p->give_up)
            break;
        wait_again(p, &a, why.data, &pause);
    }
    if (fate != TAKEN && code == EXIT_OK) {
        remote_print_problem(&a);
        code = EXIT_FAILED;
    } else if (fate != TAKEN) {
        remote_fail(code, "%s", why.data);
    }
    buf_fini(&why);
    remote_answer_fini(&a);
    return code;
}

/* ---- all of them --------------------------------------------------------------------------------- */

static int post_all(struct posting *p, const char *key)
{
    uint64_t lines;
    size_t len;
    int code = EXIT_OK;

    while (code == EXIT_OK) {
        if (!read_piece(p, &len, &lines))
            return EXIT_FAILED;
        if (len == 0)
            return EXIT_OK;
        buf_clear(&p->key);
        buf_printf(&p->key, "Idempotency-Key: %s-%" PRIu64, key, ++p->pieces);
        code = send_piece(p, len, lines);
        if (code != EXIT_OK)
            break;
        p->lines += lines;
        p->seen = 0;
        p->seen_lines = 0;
        memmove(p->rest.data, p->rest.data + len, p->rest.len - len);
        p->rest.len -= len;
        progress_draw(&p->progress, (uint64_t)gunzip_consumed(p->in), p->total, p->accepted);
    }
    return code;
}

static bool open_input(struct posting *p, const char *file)
{
    bool is_stdin = !file || strcmp(file, "-") == 0;
    int fd = is_stdin ? fcntl(STDIN_FILENO, F_DUPFD_CLOEXEC, 3) : open(file, O_RDONLY | O_CLOEXEC);
    struct stat st;

    if (fd < 0 || fstat(fd, &st) != 0 || S_ISDIR(st.st_mode)) {
        remote_fail(0, "%s: %s", is_stdin ? "standard input" : file, fd < 0 ? strerror(errno) : "it is a directory");
        if (fd >= 0)
            close(fd);
        return false;
    }
    p->fd = fd;
    p->live = !S_ISREG(st.st_mode);
    p->total = S_ISREG(st.st_mode) ? (uint64_t)st.st_size : 0;
    p->in = gunzip_new(fd);
    return true;
}

static void summary(struct posting *p, int code, const char *key)
{
    double seconds = progress_seconds(&p->progress);
    struct buf b;

    progress_wipe(&p->progress);
    buf_init(&b);
    buf_printf(&b, "%" PRIu64 " accepted, %" PRIu64 " rejected, in ", p->accepted, p->rejected);
    shown_add_age(&b, seconds);
    if (seconds > 0.5)
        buf_printf(&b, ", %.0f a second", (double)p->accepted / seconds);
    (p->r->json ? fprintf(stdout, "{\"accepted\":%" PRIu64 ",\"rejected\":%" PRIu64 "}\n", p->accepted, p->rejected)
                : fprintf(stderr, "%s\n", b.data));
    if (code != EXIT_OK && p->lines > 0)
        fprintf(stderr, "  it broke off behind line %" PRIu64 "; with --key %s it goes on there\n", p->lines, key);
    buf_fini(&b);
}

static bool key_of(const struct remote *r, char *key, size_t size)
{
    const char *given = remote_option(r, "key");
    uint8_t id[12];

    if (!given) {
        random_bytes(id, sizeof id);
        for (size_t i = 0; i < sizeof id; i++)
            snprintf(key + 2 * i, size - 2 * i, "%02x", id[i]);
        return true;
    }
    for (const char *c = given; *c; c++)
        if (*c <= ' ' || *c >= 0x7f || strlen(given) > LONGEST_KEY) {
            command_usage_error(r->command, "--key has 1 to %d visible ASCII characters", (int)LONGEST_KEY);
            return false;
        }
    snprintf(key, size, "%s", given);
    return *given;
}

int remote_post_send(struct remote *r)
{
    const char *size = remote_option(r, "piece");
    struct posting p = {.r = r};
    uint64_t piece = DEFAULT_PIECE;
    char key[LONGEST_KEY + 1];

    if (!remote_words(r, 1, 2, "no source is named") || !key_of(r, key, sizeof key) ||
        !remote_duration(r, "give-up", 120 * SECOND, &p.give_up))
        return EXIT_USAGE;
    if (size && (!parse_size(size, &piece) || piece < 1 || piece > MOST_PIECE))
        return command_usage_error(r->command, "--piece %s: not a size from 1 to 64MiB", size);
    if (!open_input(&p, r->n_words > 1 ? r->word[1] : NULL))
        return EXIT_FAILED;
    p.piece_size = (size_t)piece;
    buf_init(&p.path);
    buf_init(&p.rest);
    buf_init(&p.key);
    buf_adds(&p.path, "/v1/events/");
    remote_add_escaped(&p.path, r->word[0]);
    progress_init(&p.progress);
    int code = post_all(&p, key);
    summary(&p, code, key);
    gunzip_free(&p.in);
    buf_fini(&p.path);
    buf_fini(&p.rest);
    buf_fini(&p.key);
    return code == EXIT_OK && p.rejected > 0 ? EXIT_FAILED : code;
}
