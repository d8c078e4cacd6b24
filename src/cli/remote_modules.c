// SPDX-License-Identifier: Apache-2.0
/* `tocsin modules`: list, get, delete, versions, diff, rollback. */
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "base/buf.h"
#include "cli/grid.h"
#include "cli/remote_change.h"
#include "cli/shown.h"

#define MODULES "/v1/modules/"

static void add_etag(struct grid *g, const char *etag)
{
    size_t len = strlen(etag);
    struct buf b;

    buf_init(&b);
    shown_add(&b, len > 1 ? etag + 1 : etag, len > 1 ? len - 2 : len); /* without its quotes */
    grid_take(g, &b);
}

static void add_module(struct grid *g, const struct json_doc *m)
{
    grid_text(g, doc_text(m, "name"));
    grid_text(g, doc_text(m, "origin"));
    if (doc_int(m, "version") > 0)
        grid_count(g, doc_int(m, "version"));
    else
        grid_text(g, "-");
    grid_count(g, (int64_t)doc_count(json_doc_member(m, "rules")));
    grid_count(g, doc_int(m, "bytes"));
    add_etag(g, doc_text(m, "etag"));
}

int remote_modules_list(struct remote *r)
{
    static const struct remote_list list = {"modules", "MODULE|FROM|>VERSION|>RULES|>BYTES|ETAG", "no modules", add_module};

    return remote_words(r, 0, 0, "") ? remote_show_list(r, "/v1/modules", &list, NULL) : EXIT_USAGE;
}

/* To --output, or to standard output. */
static int write_text(const struct remote *r, const char *text, size_t len)
{
    const char *output = remote_option(r, "output");
    FILE *file;

    if (!output) {
        shown_print_text(text, len);
        return EXIT_OK;
    }
    file = fopen(output, "we");
    bool ok = file && fwrite(text, 1, len, file) == len;
    if (file)
        ok &= fclose(file) == 0;
    return ok ? EXIT_OK : remote_fail(EXIT_FAILED, "%s: %s", output, strerror(errno));
}

int remote_modules_get(struct remote *r)
{
    struct remote_answer a;
    struct buf path;
    bool shown;
    size_t len = 0;

    if (!remote_words(r, 1, 1, "no module is named"))
        return EXIT_USAGE;
    remote_path(&path, MODULES, r->word[0], "");
    remote_add_option(r, &path, "version");
    remote_answer_init(&a);
    int code = remote_get(r, path.data, &a, &shown);
    const struct json_doc *member = code == EXIT_OK ? json_doc_member(a.doc, "text") : NULL;
    const char *text = member ? json_doc_text(member, &len) : NULL;
    if (text && !shown)
        code = write_text(r, text, len);
    buf_fini(&path);
    remote_answer_fini(&a);
    return code;
}

static void add_version(struct grid *g, const struct json_doc *v)
{
    grid_count(g, doc_int(v, "version"));
    grid_time(g, doc_text(v, "time"));
    grid_text(g, doc_text(v, "by"));
    grid_count(g, doc_int(v, "bytes"));
    if (doc_flag(v, "deleted"))
        grid_text(g, "taken away");
    else
        add_etag(g, doc_text(v, "etag"));
}

int remote_modules_versions(struct remote *r)
{
    static const struct remote_list list = {"versions", ">VERSION|TIME|BY|>BYTES|ETAG", NULL, add_version};
    struct buf path;

    if (!remote_words(r, 1, 1, "no module is named"))
        return EXIT_USAGE;
    remote_path(&path, MODULES, r->word[0], "/versions");
    int code = remote_show_list(r, path.data, &list, NULL);
    buf_fini(&path);
    return code;
}

int remote_modules_diff(struct remote *r)
{
    struct http_client_request rq = {.method = "GET"};
    struct remote_answer a;
    struct buf path;

    if (!remote_words(r, 1, 1, "no module is named"))
        return EXIT_USAGE;
    remote_path(&path, MODULES, r->word[0], "/diff");
    remote_add_option(r, &path, "from");
    remote_add_option(r, &path, "to");
    rq.path = path.data;
    remote_answer_init(&a);
    int code = remote_good(r, &rq, &a);
    if (code == EXIT_OK && a.http.body.len > 0)
        shown_print_text(a.http.body.data, a.http.body.len);
    buf_fini(&path);
    remote_answer_fini(&a);
    return code;
}

/* One change of one module. */
static int change_one(struct remote *r, const char *method, const char *module, const char *more)
{
    static const char *const header[] = {"Content-Type: text/plain"};
    struct http_client_request rq = {.method = method, .body = *more ? "" : NULL, .header = header, .n_headers = 1};
    struct remote_answer a;
    struct buf path;

    remote_path(&path, MODULES, module, more);
    remote_add_option(r, &path, "version");
    change_add_options(r, &path);
    rq.path = path.data;
    remote_answer_init(&a);
    int code = change_ask(r, &rq, NULL, &a);
    buf_fini(&path);
    remote_answer_fini(&a);
    return code;
}

int remote_modules_delete(struct remote *r)
{
    int code = EXIT_OK;

    if (!remote_words(r, 1, -1, "no module is named"))
        return EXIT_USAGE;
    if (r->n_words > 1 && remote_option(r, "if-match"))
        return command_usage_error(r->command, "--if-match is for one module");
    for (int i = 0; i < r->n_words && code != EXIT_UNREACHABLE; i++) {
        int one = change_one(r, "DELETE", r->word[i], "");
        code = one != EXIT_OK ? one : code;
    }
    return code;
}

int remote_modules_rollback(struct remote *r)
{
    return remote_words(r, 1, 1, "no module is named") ? change_one(r, "POST", r->word[0], "/rollback") : EXIT_USAGE;
}
