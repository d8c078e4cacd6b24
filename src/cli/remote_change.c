// SPDX-License-Identifier: Apache-2.0
#include "cli/remote_change.h"

#include <stdio.h>
#include <string.h>

#include "base/buf.h"
#include "base/diag.h"
#include "base/mem.h"
#include "base/utf8.h"
#include "cli/shown.h"
#include "lang/conceal.h"

void change_add_options(const struct remote *r, struct buf *path)
{
    static const char *const name[] = {"dry-run", "on-reload", "allow-state-drop"};

    for (size_t i = 0; i < sizeof name / sizeof *name; i++)
        remote_add_option(r, path, name[i]);
}

/* ---- mistakes ------------------------------------------------------------------------------------ */

enum { MOST_FETCHED = 20 };

struct mistakes {
    struct remote *r;
    const struct sent_modules *set; /* or NULL */
    struct diag *diag;
    struct {
        char *name; /* owned: as the daemon calls it */
        uint32_t file;
        bool known; /* its text is */
    } file[DIAG_MAX_ERRORS + DIAG_MAX_WARNINGS];
    size_t n, fetched;
};

/* The text of a module that was not sent; false: it is none. */
static bool fetch(struct mistakes *m, const char *name, struct buf *text)
{
    static const char *const header[] = {"Accept: text/plain"};
    struct http_client_request rq = {.method = "GET", .header = header, .n_headers = 1};
    struct remote_answer a;
    struct buf path, why;

    if (m->fetched++ >= MOST_FETCHED)
        return false;
    remote_answer_init(&a);
    buf_init(&why);
    remote_path(&path, "/v1/modules/", name, "");
    rq.path = path.data;
    bool ok = remote_send(m->r, &rq, &a, &why) == EXIT_OK && a.http.status == 200 && !a.doc;
    if (ok)
        buf_add(text, a.http.body.data, a.http.body.len);
    buf_fini(&path);
    buf_fini(&why);
    remote_answer_fini(&a);
    return ok;
}

/* The index in m->file; -1: there are too many. */
static int file_of(struct mistakes *m, const char *name)
{
    const struct sent_module *sent = NULL;
    struct buf text;

    for (size_t i = 0; i < m->n; i++)
        if (strcmp(m->file[i].name, name) == 0)
            return (int)i;
    if (m->n == sizeof m->file / sizeof *m->file)
        return -1;
    for (size_t i = 0; m->set && i < m->set->n && !sent; i++)
        if (strcmp(m->set->module[i].name, name) == 0)
            sent = &m->set->module[i];
    m->file[m->n].name = mem_strndup(name, strlen(name));
    m->file[m->n].known = true;
    buf_init(&text);
    buf_adds(&text, "");
    if (sent)
        m->file[m->n].file = diag_file_add(m->diag, sent->path, sent->text, sent->len);
    else if (fetch(m, name, &text))
        m->file[m->n].file = diag_file_add(m->diag, name, text.data, text.len);
    else
        m->file[m->n].known = false;
    buf_fini(&text);
    if (m->file[m->n].known)
        conceal_tables(m->diag, m->file[m->n].file, false);
    return (int)m->n++;
}

/* Behind so many code points from `at` on. */
static size_t step(const char *text, size_t len, size_t at, int64_t columns)
{
    while (columns-- > 0 && at < len)
        utf8_next(text, len, &at);
    return at;
}

static struct span span_of(const struct diag *diag, uint32_t file, const struct json_doc *mistake)
{
    int64_t line = doc_int(mistake, "line"), column = doc_int(mistake, "column");
    size_t len, at = 0;
    const char *text = diag_file_text(diag, file, &len), *end;

    for (; line > 1 && (end = memchr(text + at, '\n', len - at)); line--)
        at = (size_t)(end - text) + 1;
    at = step(text, len, at, column - 1);
    return (struct span){file, (uint32_t)at, (uint32_t)step(text, len, at, doc_int(mistake, "length"))};
}

static void add_mistake(struct mistakes *m, const struct json_doc *mistake)
{
    enum diag_level level = strcmp(doc_text(mistake, "level"), "warning") == 0 ? DIAG_WARNING : DIAG_ERROR;
    const char *name = doc_text(mistake, "file"), *hint = doc_text(mistake, "hint");
    const char *message = doc_text(mistake, "message");
    struct span nowhere = {.file = UINT32_MAX};
    bool is_row = !*name && m->set && m->set->n == 1 && !*m->set->module[0].name && doc_int(mistake, "line") > 0;
    int file = *name || is_row ? file_of(m, name) : -1;

    if (file >= 0 && m->file[file].known)
        diag_add(m->diag, level, span_of(m->diag, m->file[file].file, mistake), "%s", message);
    else if (*name)
        diag_add(m->diag, level, nowhere, "%s:%lld:%lld: %s", name, (long long)doc_int(mistake, "line"),
                 (long long)doc_int(mistake, "column"), message);
    else
        diag_add(m->diag, level, nowhere, "%s", message);
    if (*hint)
        diag_hint(m->diag, "%s", hint);
}

/* Mistakes of a problem document, or warnings of an answer (`list`), on standard error. set may be NULL. */
static void change_print_mistakes(struct remote *r, const struct json_doc *list, const struct sent_modules *set)
{
    struct mistakes *m = mem_calloc(1, sizeof *m);
    struct buf out;

    m->r = r;
    m->set = set;
    m->diag = diag_new();
    for (size_t i = 0; i < doc_count(list); i++)
        add_mistake(m, json_doc_element(list, i));
    buf_init(&out);
    diag_print(m->diag, &out);
    fputs(out.len ? out.data : "", stderr);
    buf_fini(&out);
    diag_free(&m->diag);
    for (size_t i = 0; i < m->n; i++)
        mem_free(m->file[i].name);
    mem_free(m);
}

/* ---- what became of the rules -------------------------------------------------------------------- */

struct fates {
    size_t width, unchanged, others;
    bool print;
};

static bool found_fate(void *ctx, const char *name, const struct json_doc *value)
{
    struct fates *f = ctx;
    struct buf b;
    size_t len;
    const char *fate = json_doc_text(value, &len);
    bool unchanged = fate && strcmp(fate, "unchanged") == 0;

    if (!f->print) {
        *(unchanged ? &f->unchanged : &f->others) += 1;
        if (!unchanged && utf8_length(name, strlen(name)) > f->width)
            f->width = utf8_length(name, strlen(name));
    } else if (!unchanged) {
        buf_init(&b);
        shown_adds(&b, name);
        printf("  %s%*s  ", b.data, (int)(f->width - utf8_length(name, strlen(name))), "");
        buf_clear(&b);
        shown_adds(&b, fate ? fate : "?");
        puts(b.data);
        buf_fini(&b);
    }
    return true;
}

static void print_fates(const struct json_doc *rules)
{
    struct fates f = {0};

    if (!rules)
        return;
    json_doc_each(rules, found_fate, &f);
    f.print = true;
    if (f.width > 60)
        f.width = 60;
    json_doc_each(rules, found_fate, &f);
    if (f.unchanged > 0)
        printf("  %zu rule%s unchanged\n", f.unchanged, f.unchanged == 1 ? "" : "s");
}

/* done: what became of it, if anything did. */
static void print_head(const struct json_doc *doc, const char *done)
{
    bool dry = doc_flag(doc, "dry_run"), changed = doc_flag(doc, "changed");
    const char *name = doc_text(doc, "name");
    struct buf b;

    buf_init(&b);
    if (*name) {
        shown_adds(&b, name);
        buf_adds(&b, ": ");
    }
    buf_printf(&b, "%s%s", changed && dry ? "would be " : "", changed ? done : "unchanged");
    if (changed && !dry && doc_int(doc, "version") > 0)
        buf_printf(&b, ", version %lld", (long long)doc_int(doc, "version"));
    puts(b.data);
    buf_fini(&b);
}

static int print_answer(struct remote *r, const struct remote_answer *a, const struct sent_modules *set, const char *done)
{
    bool good = a->http.status / 100 == 2;

    if (r->json && a->doc)
        remote_print_json(&a->http);
    if (good && !a->doc)
        return remote_fail(EXIT_UNREACHABLE, "the answer is no JSON: is that a tocsind?");
    if (good) {
        change_print_mistakes(r, json_doc_member(a->doc, "warnings"), set);
        if (!r->json) {
            print_head(a->doc, done);
            print_fates(json_doc_member(a->doc, "rules"));
        }
        return EXIT_OK;
    }
    if (a->doc && json_doc_member(a->doc, "diagnostics"))
        change_print_mistakes(r, json_doc_member(a->doc, "diagnostics"), set);
    remote_print_problem(a);
    if (remote_is_problem(a, "state-would-be-lost") && !r->json) {
        fputs("  (--on-reload drain, --on-reload fresh or --allow-state-drop)\n", stderr);
        print_fates(json_doc_member(a->doc, "rules"));
    }
    return EXIT_FAILED;
}

int change_print(struct remote *r, const struct remote_answer *a, const struct sent_modules *set)
{
    return print_answer(r, a, set, "changed");
}

int change_ask(struct remote *r, const struct http_client_request *rq, const struct sent_modules *set,
               struct remote_answer *a)
{
    enum { MOST_HEADERS = 4 };
    const char *etag = remote_option(r, "if-match"), *header[MOST_HEADERS];
    struct http_client_request with = *rq;
    struct buf match;

    buf_init(&match);
    if (etag) {
        for (size_t i = 0; i < rq->n_headers && i + 1 < MOST_HEADERS; i++)
            header[i] = rq->header[i];
        buf_printf(&match, etag[0] == '"' || etag[0] == '*' ? "If-Match: %s" : "If-Match: \"%s\"", etag);
        header[with.n_headers++] = match.data;
        with.header = header;
    }
    int code = remote_send(r, &with, a, NULL);
    if (code == EXIT_OK)
        code = print_answer(r, a, set, strcmp(rq->method, "DELETE") == 0 ? "removed" : "changed");
    buf_fini(&match);
    return code;
}
