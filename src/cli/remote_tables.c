// SPDX-License-Identifier: Apache-2.0
/* `tocsin tables`: rows of tables, as lines of JSON or CSV. */
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/buf.h"
#include "base/mem.h"
#include "base/read_all.h"
#include "cli/grid.h"
#include "cli/remote_change.h"
#include "cli/shown.h"

#define MOST_FILE (UINT64_C(1) << 30)
#define TABLES "/v1/tables/"
enum { LINES_PAGE = 100000, CSV_PAGE = 10000 };

/* ---- list, show, versions ------------------------------------------------------------------------ */

/* "file hosts.csv", "stream logins", "put, version 3" */
static void add_from(struct grid *g, const struct json_doc *t)
{
    const char *kind = doc_text(t, "kind"), *origin = doc_text(t, "origin");
    struct buf b;

    buf_init(&b);
    if (strcmp(origin, "api") == 0) {
        buf_printf(&b, "put, version %" PRId64, doc_int(t, "version"));
        buf_adds(&b, strcmp(kind, "orphan") == 0 ? ", not declared" : "");
    } else {
        const char *from = strcmp(kind, "stream") == 0 ? "stream" : strcmp(kind, "kafka") == 0 ? "topic" : "file";
        shown_adds(&b, doc_text(t, from));
        if (*doc_text(t, "loading")) {
            buf_adds(&b, ": ");
            shown_adds(&b, doc_text(t, "loading"));
        }
    }
    grid_take(g, &b);
}

static void add_table(struct grid *g, const struct json_doc *t)
{
    grid_text(g, doc_text(t, "name"));
    grid_text(g, doc_text(t, "kind"));
    grid_text(g, doc_text(t, "key"));
    if (json_doc_member(t, "rows"))
        grid_count(g, doc_int(t, "rows"));
    else
        grid_text(g, "-");
    add_from(g, t);
    grid_text(g, *doc_text(t, "module") ? doc_text(t, "module") : "-");
}

int remote_tables_list(struct remote *r)
{
    static const struct remote_list list = {"tables", "TABLE|KIND|KEY|>ROWS|ROWS FROM|MODULE", "no tables", add_table};

    return remote_words(r, 0, 0, "") ? remote_show_list(r, "/v1/tables", &list, NULL) : EXIT_USAGE;
}

static void add_version(struct grid *g, const struct json_doc *v)
{
    grid_count(g, doc_int(v, "version"));
    grid_time(g, doc_text(v, "time"));
    grid_text(g, doc_text(v, "by"));
    grid_count(g, doc_int(v, "rows"));
    grid_count(g, doc_int(v, "bytes"));
    grid_text(g, doc_flag(v, "deleted") ? "taken away" : "-");
}

int remote_tables_versions(struct remote *r)
{
    static const struct remote_list list = {"versions", ">VERSION|TIME|BY|>ROWS|>BYTES|NOTES", NULL, add_version};
    struct buf path;

    if (!remote_words(r, 1, 1, "no table is named"))
        return EXIT_USAGE;
    remote_path(&path, TABLES, r->word[0], "/versions");
    int code = remote_show_list(r, path.data, &list, NULL);
    buf_fini(&path);
    return code;
}

int remote_tables_show(struct remote *r)
{
    struct buf path;

    if (!remote_words(r, 1, 1, "no table is named"))
        return EXIT_USAGE;
    remote_path(&path, TABLES, r->word[0], "?limit=0");
    int code = remote_show(r, path.data, remote_print_outline);
    buf_fini(&path);
    return code;
}

/* ---- get ----------------------------------------------------------------------------------------- */

struct getting {
    struct remote *r;
    bool csv;
    FILE *to;        /* NULL: standard output */
    char *head;      /* owned: of CSV, the line of the first page */
    uint64_t left;
};

static void write_rows(struct getting *g, const char *text, size_t len)
{
    if (g->to)
        fwrite(text, 1, len, g->to);
    else
        shown_print_text(text, len);
}

/* A page of CSV begins with the names of its columns: told once, and refused if they change. */
static bool write_csv(struct getting *g, const char *text, size_t len)
{
    const char *end = memchr(text, '\n', len);
    size_t head = end ? (size_t)(end - text) + 1 : len;

    if (!g->head) {
        g->head = mem_strndup(text, head);
        write_rows(g, text, len);
        return true;
    }
    if (strlen(g->head) != head || memcmp(g->head, text, head) != 0)
        return false;
    write_rows(g, text + head, len - head);
    return true;
}

static int get_page(struct getting *g, const char *after, struct remote_answer *a)
{
    const char *header[] = {g->csv ? "Accept: text/csv" : "Accept: application/x-ndjson"};
    struct http_client_request rq = {.method = "GET", .header = header, .n_headers = 1};
    uint64_t most = g->csv ? CSV_PAGE : LINES_PAGE;
    struct buf path;

    remote_path(&path, TABLES, g->r->word[0], "");
    buf_printf(&path, "?limit=%" PRIu64, g->left < most ? g->left : most);
    remote_add_query(&path, "after", *after ? after : NULL);
    remote_add_option(g->r, &path, "key");
    rq.path = path.data;
    int code = remote_good(g->r, &rq, a);
    buf_fini(&path);
    return code;
}

static uint64_t count_lines(const struct buf *b)
{
    uint64_t n = 0;

    for (size_t i = 0; i < b->len; i++)
        n += b->data[i] == '\n';
    return n;
}

static int get_rows(struct getting *g)
{
    char after[sizeof ((struct http_client_answer *)0)->next] = "";
    struct remote_answer a;
    int code;

    remote_answer_init(&a);
    do {
        code = get_page(g, after, &a);
        if (code != EXIT_OK)
            break;
        uint64_t n = count_lines(&a.http.body);
        if (!g->csv)
            write_rows(g, a.http.body.len ? a.http.body.data : "", a.http.body.len);
        else if (!write_csv(g, a.http.body.len ? a.http.body.data : "", a.http.body.len))
            code = remote_fail(EXIT_FAILED, "the rows differ in their columns: without --csv they are lines of JSON");
        g->left -= n < g->left ? n : g->left;
        bool same = strcmp(after, a.http.next) == 0;
        memcpy(after, a.http.next, sizeof after);
        if (same)
            break;
    } while (code == EXIT_OK && *after && g->left > 0 && !ferror(stdout));
    remote_answer_fini(&a);
    return code;
}

int remote_tables_get(struct remote *r)
{
    const char *output = remote_option(r, "output");
    struct getting g = {.r = r, .csv = remote_option(r, "csv") != NULL};

    if (!remote_words(r, 1, 1, "no table is named") || !remote_number(r, "limit", UINT64_MAX, &g.left))
        return EXIT_USAGE;
    if (output && !(g.to = fopen(output, "we")))
        return remote_fail(EXIT_FAILED, "%s: %s", output, strerror(errno));
    int code = get_rows(&g);
    if (g.to && fclose(g.to) != 0 && code == EXIT_OK)
        code = remote_fail(EXIT_FAILED, "%s: %s", output, strerror(errno));
    mem_free(g.head);
    return code;
}

/* ---- changes ------------------------------------------------------------------------------------- */

static bool read_rows(const char *file, struct buf *out)
{
    bool is_stdin = strcmp(file, "-") == 0;
    int fd = is_stdin ? STDIN_FILENO : open(file, O_RDONLY | O_CLOEXEC);
    bool good = fd >= 0 && read_all(fd, MOST_FILE, out);

    if (!good)
        remote_fail(0, "%s: %s", is_stdin ? "standard input" : file, strerror(errno));
    else if (out->len > MOST_FILE)
        remote_fail(0, "%s: more than 1 GiB", file);
    if (fd >= 0 && !is_stdin)
        close(fd);
    return good && out->len <= MOST_FILE;
}

static bool ends_with(const char *text, const char *end)
{
    size_t len = strlen(text), n = strlen(end);

    return len >= n && strcmp(text + len - n, end) == 0;
}

static const char *type_of(const char *file)
{
    if (ends_with(file, ".csv") || ends_with(file, ".csv.gz"))
        return "Content-Type: text/csv";
    if (ends_with(file, ".ndjson") || ends_with(file, ".ndjson.gz") || ends_with(file, ".jsonl"))
        return "Content-Type: application/x-ndjson";
    return "Content-Type: application/octet-stream"; /* it is told by how it begins */
}

static bool print_figure(void *ctx, const char *name, const struct json_doc *value)
{
    struct buf b;

    (void)ctx;
    buf_init(&b);
    shown_adds(&b, name);
    buf_adds(&b, ": ");
    shown_add_value(&b, value);
    printf("  %s\n", b.data);
    buf_fini(&b);
    return true;
}

/* file: where mistakes are; NULL: there is none. */
static int change(struct remote *r, const char *method, const char *more, const char *file, const struct buf *body)
{
    const char *header[2] = {file ? type_of(file) : "Content-Type: text/plain"};
    struct http_client_request rq = {.method = method, .header = header, .n_headers = 1};
    char unnamed[] = "";
    struct sent_module rows = {unnamed, file, body ? body->data : "", body ? body->len : 0};
    struct sent_modules set = {.module = &rows, .n = file ? 1 : 0};
    struct remote_answer a;
    struct buf path;

    remote_path(&path, TABLES, r->word[0], more);
    change_add_options(r, &path);
    remote_add_option(r, &path, "version");
    if (body && body->len > 1 && memcmp(body->data, "\x1f\x8b", 2) == 0) {
        header[rq.n_headers++] = "Content-Encoding: gzip";
        set.n = 0; /* lines are not those of the file */
    }
    rq.path = path.data;
    rq.body = body && body->len ? body->data : strcmp(method, "DELETE") == 0 ? NULL : "";
    rq.len = body ? body->len : 0;
    remote_answer_init(&a);
    int code = change_ask(r, &rq, set.n ? &set : NULL, &a);
    if (code == EXIT_OK && !r->json && json_doc_member(a.doc, "table"))
        json_doc_each(json_doc_member(a.doc, "table"), print_figure, NULL);
    buf_fini(&path);
    remote_answer_fini(&a);
    return code;
}

static int put(struct remote *r, const char *method)
{
    struct buf body;

    if (!remote_words(r, 2, 2, "a table and a file of rows are to be named"))
        return EXIT_USAGE;
    buf_init(&body);
    int code = read_rows(r->word[1], &body) ? change(r, method, "", r->word[1], &body) : EXIT_FAILED;
    buf_fini(&body);
    return code;
}

int remote_tables_put(struct remote *r)
{
    return put(r, "PUT");
}

int remote_tables_upsert(struct remote *r)
{
    return put(r, "POST");
}

int remote_tables_delete(struct remote *r)
{
    return remote_words(r, 1, 1, "no table is named") ? change(r, "DELETE", "", NULL, NULL) : EXIT_USAGE;
}

int remote_tables_rollback(struct remote *r)
{
    return remote_words(r, 1, 1, "no table is named") ? change(r, "POST", "/rollback", NULL, NULL) : EXIT_USAGE;
}
