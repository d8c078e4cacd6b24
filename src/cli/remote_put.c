// SPDX-License-Identifier: Apache-2.0
/* `tocsin modules put` and `check`: modules are read from files, and all are put at once or none. */
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/buf.h"
#include "base/mem.h"
#include "base/utf8.h"
#include "cli/remote_change.h"
#include "lang/parse.h"
#include "plan/program.h"

enum { TRIES = 5 }; /* when others change modules meanwhile */

/* ---- reading ------------------------------------------------------------------------------------- */

void sent_modules_init(struct sent_modules *set)
{
    *set = (struct sent_modules){0};
    rule_files_init(&set->files);
    set->files.may_be_empty = true;
}

void sent_modules_fini(struct sent_modules *set)
{
    for (size_t i = 0; i < set->n; i++)
        mem_free(set->module[i].name);
    mem_free(set->module);
    mem_free(set->input);
    rule_files_fini(&set->files);
}

/* False: there is one of this name; it was said. */
static bool add_module(struct sent_modules *set, char *name, const char *path, const char *text, size_t len)
{
    for (size_t i = 0; i < set->n; i++)
        if (strcmp(set->module[i].name, name) == 0) {
            remote_fail(0, "%s and %s are both the module %s", set->module[i].path, path, name);
            mem_free(name);
            return false;
        }
    set->module = vec_reserve(set->module, &set->cap, set->n + 1, sizeof *set->module);
    set->module[set->n++] = (struct sent_module){name, path, text, len};
    return true;
}

/* Of DIR/team/x.rule, named by DIR: team/x; of a file that is named itself: its last part. */
static char *name_of(const char *path, const char *named, const char *given)
{
    size_t skip = strlen(named), len;

    if (given)
        return mem_strndup(given, strlen(given));
    if (strncmp(path, named, skip) == 0 && path[skip]) {
        path += skip;
        path += strspn(path, "/");
    } else {
        path = strrchr(path, '/') ? strrchr(path, '/') + 1 : path;
    }
    len = strlen(path);
    if (len > 5 && strcmp(path + len - 5, ".rule") == 0)
        len -= 5;
    return mem_strndup(path, len);
}

static bool read_input(struct sent_modules *set)
{
    struct buf text;
    ssize_t n = 1;

    buf_init(&text);
    buf_adds(&text, "");
    while (n != 0 && text.len <= PARSE_MAX_BYTES) {
        buf_reserve(&text, 65536);
        n = read(STDIN_FILENO, text.data + text.len, 65536);
        if (n < 0 && errno != EINTR)
            break;
        text.len += n > 0 ? (size_t)n : 0;
    }
    size_t len = text.len;
    buf_adds(&text, "");
    set->input = buf_take(&text);
    if (n < 0)
        remote_fail(0, "standard input: %s", strerror(errno));
    set->module = vec_reserve(set->module, &set->cap, set->n + 1, sizeof *set->module);
    set->module[set->n++] = (struct sent_module){NULL, "<standard input>", set->input, len};
    return n >= 0;
}

static int read_one(struct sent_modules *set, const struct remote *r, const char *path)
{
    const char *given = remote_option(r, "name");
    size_t before = set->files.n;
    struct stat st;

    if (strcmp(path, "-") == 0) {
        if (!given || set->input)
            return command_usage_error(r->command, given ? "standard input is given twice"
                                                         : "standard input needs --name NAME");
        if (!read_input(set))
            return EXIT_FAILED;
        set->module[set->n - 1].name = mem_strndup(given, strlen(given));
        return EXIT_OK;
    }
    if (given && stat(path, &st) == 0 && S_ISDIR(st.st_mode))
        return command_usage_error(r->command, "--name is for one file, %s is a directory", path);
    rule_files_add(&set->files, path);
    for (size_t i = before; i < set->files.n; i++) {
        const struct program_source_text *text = &set->files.text[i];
        if (!add_module(set, name_of(text->name, path, given), text->name, text->text, text->len))
            return EXIT_USAGE;
    }
    return set->files.failed ? EXIT_FAILED : EXIT_OK;
}

int sent_modules_read(struct sent_modules *set, const struct remote *r, const char *const *path, int n)
{
    int code = EXIT_OK;

    if (remote_option(r, "name") && n > 1)
        return command_usage_error(r->command, "--name is for one file");
    for (int i = 0; i < n && code == EXIT_OK; i++)
        code = read_one(set, r, path[i]);
    return code;
}

/* ---- sending ------------------------------------------------------------------------------------- */

static void add_if_match(const char *etag, const char **header, size_t *n, struct buf *line)
{
    size_t len = etag ? strlen(etag) : 0;
    bool quoted = len > 0 && (etag[0] == '"' || strcmp(etag, "*") == 0);

    if (!etag)
        return;
    buf_printf(line, quoted ? "If-Match: %s" : "If-Match: \"%s\"", etag);
    header[(*n)++] = line->data;
}

static int send_one(struct remote *r, enum change_how how, const struct sent_module *m, struct remote_answer *a,
                    struct buf *why)
{
    const char *header[2] = {"Content-Type: text/plain; charset=utf-8"};
    struct http_client_request rq = {.method = how == CHANGE_CHECK ? "POST" : "PUT", .body = m->text, .len = m->len,
                                     .header = header, .n_headers = 1};
    struct buf path, line;

    buf_init(&path);
    buf_init(&line);
    buf_adds(&path, how == CHANGE_CHECK ? "/v1/rules:check" : "/v1/modules/");
    if (how == CHANGE_CHECK)
        remote_add_query(&path, "module", m->name);
    else
        remote_add_escaped(&path, m->name);
    change_add_options(r, &path);
    add_if_match(remote_option(r, "if-match"), header, &rq.n_headers, &line);
    rq.path = path.data;
    int code = remote_send(r, &rq, a, why);
    buf_fini(&path);
    buf_fini(&line);
    return code;
}

static void add_member(struct buf *body, const char *name, const char *text, size_t len)
{
    if (body->data[body->len - 1] != '{')
        buf_addc(body, ',');
    buf_add_json_text(body, name, strlen(name));
    buf_addc(body, ':');
    buf_add_json_text(body, text, len);
}

static bool is_sent(const struct sent_modules *set, const char *name)
{
    for (size_t i = 0; i < set->n; i++)
        if (strcmp(set->module[i].name, name) == 0)
            return true;
    return false;
}

static int add_text_of(struct remote *r, const char *name, struct buf *body, struct remote_answer *a, struct buf *why)
{
    struct http_client_request rq = {.method = "GET"};
    struct buf path;
    size_t len = 0;

    remote_path(&path, "/v1/modules/", name, "");
    rq.path = path.data;
    int code = remote_send(r, &rq, a, why);
    const struct json_doc *member = code == EXIT_OK && a->doc ? json_doc_member(a->doc, "text") : NULL;
    const char *text = member ? json_doc_text(member, &len) : NULL;
    if (text)
        add_member(body, name, text, len);
    buf_fini(&path);
    return code;
}

/* The texts of those that are there and are not sent. *ok_out false: the answer says why, or something was taken
 * away meanwhile. etag: of the whole set. */
static int add_others(struct remote *r, const struct sent_modules *set, struct buf *body, char etag[80],
                      struct remote_answer *a, struct buf *why, bool *ok_out)
{
    struct http_client_request rq = {.method = "GET", .path = "/v1/modules"};
    struct remote_answer one;
    int code = remote_send(r, &rq, a, why);
    const struct json_doc *list = code == EXIT_OK && a->doc ? json_doc_member(a->doc, "modules") : NULL;

    *ok_out = code == EXIT_OK && a->http.status == 200 && list;
    memcpy(etag, a->http.etag, sizeof a->http.etag);
    remote_answer_init(&one);
    for (size_t i = 0; *ok_out && i < doc_count(list); i++) {
        const struct json_doc *module = json_doc_element(list, i);
        const char *name = doc_text(module, "name");
        if (strcmp(doc_text(module, "origin"), "api") != 0 || is_sent(set, name))
            continue;
        code = add_text_of(r, name, body, &one, why);
        *ok_out = code == EXIT_OK && one.http.status == 200;
    }
    if (code == EXIT_OK && !*ok_out && one.http.status != 0 && one.http.status != 404) {
        struct remote_answer was = *a; /* what one says is what is told */
        *a = one;
        one = was;
    }
    remote_answer_fini(&one);
    return code;
}

static int send_body(struct remote *r, enum change_how how, const char *etag, const struct buf *body,
                     struct remote_answer *a, struct buf *why)
{
    const char *header[2] = {"Content-Type: application/json"};
    struct http_client_request rq = {.method = how == CHANGE_CHECK ? "POST" : "PUT", .body = body->data,
                                     .len = body->len, .header = header, .n_headers = 1};
    struct buf path, line;

    buf_init(&path);
    buf_init(&line);
    buf_adds(&path, how == CHANGE_CHECK ? "/v1/rules:check" : "/v1/modules");
    change_add_options(r, &path);
    add_if_match(etag, header, &rq.n_headers, &line);
    rq.path = path.data;
    int code = remote_send(r, &rq, a, why);
    buf_fini(&path);
    buf_fini(&line);
    return code;
}

static int send_set(struct remote *r, enum change_how how, const struct sent_modules *set, struct remote_answer *a,
                    struct buf *why)
{
    char etag[80] = "";
    struct buf body;
    bool ok = true;
    int code = EXIT_OK;

    buf_init(&body);
    buf_adds(&body, "{\"modules\":{");
    for (size_t i = 0; i < set->n; i++)
        add_member(&body, set->module[i].name, set->module[i].text, set->module[i].len);
    if (how != CHANGE_SET)
        code = add_others(r, set, &body, etag, a, why, &ok);
    buf_adds(&body, "}}");
    if (code == EXIT_OK && ok)
        code = send_body(r, how, how == CHANGE_SET ? remote_option(r, "if-match") : how == CHANGE_PUT ? etag : NULL,
                         &body, a, why);
    buf_fini(&body);
    return code;
}

int change_send(struct remote *r, enum change_how how, const struct sent_modules *set, struct remote_answer *a,
                struct buf *why)
{
    int code;

    if (set->n == 1 && how != CHANGE_SET)
        return send_one(r, how, &set->module[0], a, why);
    for (int i = 0; i < TRIES; i++) {
        code = send_set(r, how, set, a, why);
        if (code != EXIT_OK || how == CHANGE_SET || a->http.status != 412)
            break;
    }
    return code;
}

/* ---- the subcommands ----------------------------------------------------------------------------- */

static int change(struct remote *r, enum change_how how)
{
    struct sent_modules set;
    struct remote_answer a;
    size_t bad;

    sent_modules_init(&set);
    remote_answer_init(&a);
    int code = sent_modules_read(&set, r, r->word, r->n_words);
    for (size_t i = 0; i < set.n && code == EXIT_OK; i++) /* in JSON it could not even be told of */
        if (!utf8_valid(set.module[i].text, set.module[i].len, &bad))
            code = remote_fail(EXIT_FAILED, "%s: byte %zu is not UTF-8", set.module[i].path, bad);
    if (code == EXIT_OK && set.n == 0 && how != CHANGE_SET)
        code = remote_fail(EXIT_USAGE, "there is no file *.rule");
    if (code == EXIT_OK && set.n > 1 && how == CHANGE_PUT && remote_option(r, "if-match"))
        code = command_usage_error(r->command, "--if-match is for one module, or with --set for all");
    if (code == EXIT_OK)
        code = change_send(r, how, &set, &a, NULL);
    if (code == EXIT_OK)
        code = change_print(r, &a, &set);
    remote_answer_fini(&a);
    sent_modules_fini(&set);
    return code;
}

int remote_modules_put(struct remote *r)
{
    bool watch = remote_option(r, "watch") != NULL;

    if (!remote_words(r, 1, -1, "no file of rules is named"))
        return EXIT_USAGE;
    if (!watch && remote_option(r, "delete"))
        return command_usage_error(r->command, "--delete is for --watch");
    if (watch)
        return watch_modules(r);
    return change(r, remote_option(r, "set") ? CHANGE_SET : CHANGE_PUT);
}

int remote_modules_check(struct remote *r)
{
    return remote_words(r, 1, -1, "no file of rules is named") ? change(r, CHANGE_CHECK) : EXIT_USAGE;
}

int remote_rules_check(struct remote *r)
{
    return remote_modules_check(r);
}
