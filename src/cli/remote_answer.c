// SPDX-License-Identifier: Apache-2.0
/* Asking the daemon, and what its answers say. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/buf.h"
#include "cli/grid.h"
#include "cli/remote.h"
#include "cli/shown.h"
#include "event/value.h"

#define PROBLEM "urn:tocsin:problem:"

/* ---- paths --------------------------------------------------------------------------------------- */

void remote_add_escaped(struct buf *path, const char *text)
{
    static const char plain[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-._~";

    for (; *text; text++)
        if (strchr(plain, *text))
            buf_addc(path, *text);
        else
            buf_printf(path, "%%%02X", (unsigned char)*text);
}

void remote_path(struct buf *path, const char *front, const char *name, const char *more)
{
    buf_init(path);
    buf_adds(path, front);
    remote_add_escaped(path, name);
    buf_adds(path, more);
}

void remote_add_query(struct buf *path, const char *key, const char *value)
{
    if (!value)
        return;
    buf_printf(path, "%c%s=", memchr(path->data, '?', path->len) ? '&' : '?', key);
    remote_add_escaped(path, value);
}

void remote_add_option(const struct remote *r, struct buf *path, const char *name)
{
    const char *value = remote_option(r, name);
    char key[64];
    size_t n = 0;

    for (; name[n] && n < sizeof key - 1; n++)
        key[n] = name[n] == '-' ? '_' : name[n];
    key[n] = '\0';
    remote_add_query(path, key, value && !*value ? "1" : value);
}

/* ---- asking -------------------------------------------------------------------------------------- */

void remote_answer_init(struct remote_answer *a)
{
    http_client_answer_init(&a->http);
    a->doc = NULL;
}

void remote_answer_fini(struct remote_answer *a)
{
    http_client_answer_fini(&a->http);
    if (a->doc)
        json_doc_free(&a->doc);
}

static bool is_json(const struct http_client_answer *a)
{
    return strncmp(a->type, "application/json", 16) == 0 || strncmp(a->type, "application/problem+json", 24) == 0;
}

static int send_it(struct remote *r, const struct http_client_request *rq, struct remote_answer *a, struct buf *why)
{
    char wrong[200];

    if (a->doc)
        json_doc_free(&a->doc);
    if (http_client_ask(r->client, rq, &a->http, why) != HTTP_CLIENT_ANSWERED)
        return EXIT_UNREACHABLE;
    if (!is_json(&a->http) || a->http.body.len == 0)
        return EXIT_OK;
    a->doc = json_doc_parse_lax(a->http.body.data, a->http.body.len, wrong, sizeof wrong);
    if (a->doc)
        return EXIT_OK;
    buf_printf(why, "the answer to %s %s is broken: %s", rq->method, rq->path, wrong);
    return EXIT_UNREACHABLE;
}

int remote_send(struct remote *r, const struct http_client_request *rq, struct remote_answer *a, struct buf *why)
{
    struct buf own;

    buf_init(&own);
    int code = send_it(r, rq, a, why ? why : &own);
    if (code != EXIT_OK && own.len > 0)
        remote_fail(code, "%s", own.data);
    buf_fini(&own);
    return code;
}

int remote_good(struct remote *r, const struct http_client_request *rq, struct remote_answer *a)
{
    int code = remote_send(r, rq, a, NULL);

    if (code != EXIT_OK || a->http.status / 100 == 2)
        return code;
    if (r->json && a->doc)
        remote_print_json(&a->http);
    remote_print_problem(a);
    return EXIT_FAILED;
}

static int good_json(struct remote *r, const struct http_client_request *rq, struct remote_answer *a, bool *shown_out)
{
    int code = remote_good(r, rq, a);

    if (shown_out)
        *shown_out = false;
    if (code != EXIT_OK)
        return code;
    if (!a->doc)
        return remote_fail(EXIT_UNREACHABLE, "the answer to %s %s is no JSON: is that a tocsind?", rq->method, rq->path);
    if (r->json && shown_out) {
        remote_print_json(&a->http);
        *shown_out = true;
    }
    return EXIT_OK;
}

int remote_get(struct remote *r, const char *path, struct remote_answer *a, bool *shown_out)
{
    struct http_client_request rq = {.method = "GET", .path = path};

    return good_json(r, &rq, a, shown_out);
}

int remote_post(struct remote *r, const char *method, const char *path, struct remote_answer *a, bool *shown_out)
{
    static const char *const header[] = {"Content-Type: text/plain"};
    struct http_client_request rq = {.method = method, .path = path, .body = "", .header = header, .n_headers = 1};

    return good_json(r, &rq, a, shown_out);
}

int remote_show(struct remote *r, const char *path, void print(const struct json_doc *doc))
{
    struct remote_answer a;
    bool shown;

    remote_answer_init(&a);
    int code = remote_get(r, path, &a, &shown);
    if (code == EXIT_OK && !shown)
        print(a.doc);
    remote_answer_fini(&a);
    return code;
}

void remote_print_list(const struct remote_list *list, const struct json_doc *answer)
{
    const struct json_doc *all = json_doc_member(answer, list->member);
    struct grid g;

    grid_begin(&g, list->heads);
    for (size_t i = 0; i < doc_count(all); i++)
        list->add_row(&g, json_doc_element(all, i));
    grid_print(&g, list->none);
}

int remote_show_list(struct remote *r, const char *path, const struct remote_list *list,
                     void print(const struct json_doc *answer))
{
    struct remote_answer a;
    bool shown;

    remote_answer_init(&a);
    int code = remote_get(r, path, &a, &shown);
    if (code == EXIT_OK && !shown) {
        remote_print_list(list, a.doc);
        if (print)
            print(a.doc);
    }
    remote_answer_fini(&a);
    return code;
}

void remote_print_json(const struct http_client_answer *a)
{
    shown_print_json(a->body.data, a->body.len);
    if (a->body.len == 0 || a->body.data[a->body.len - 1] != '\n')
        putchar('\n');
}

/* ---- problems ------------------------------------------------------------------------------------ */

bool remote_is_problem(const struct remote_answer *a, const char *name)
{
    const char *type = doc_text(a->doc, "type");

    return strncmp(type, PROBLEM, strlen(PROBLEM)) == 0 && strcmp(type + strlen(PROBLEM), name) == 0;
}

void remote_print_problem(const struct remote_answer *a)
{
    const char *title = doc_text(a->doc, "title"), *detail = doc_text(a->doc, "detail");

    /* these say it all */
    if (*detail && (remote_is_problem(a, "not-found") || remote_is_problem(a, "rules-do-not-compile") ||
                    remote_is_problem(a, "rows-have-mistakes")))
        title = "";
    if (a->http.status == 401 && strncmp(detail, "send ", 5) == 0) /* how a header is written is not the question here */
        detail = "";
    if (!*title && !*detail)
        remote_fail(0, "the answer is %d, and says no more: is that a tocsind?", a->http.status);
    else
        remote_fail(0, "%s%s%s", title, *title && *detail ? ": " : "", detail);
    if (a->http.status == 401)
        fputs("  (a file of one that it knows: --token-file FILE, or TOCSIN_TOKEN_FILE of the environment)\n", stderr);
}

/* ---- reading JSON -------------------------------------------------------------------------------- */

static struct value value_at(const struct json_doc *doc, const char *name)
{
    const struct json_doc *member = doc ? json_doc_member(doc, name) : NULL;
    struct value v = value_missing();

    if (member && !json_doc_value(member, &v))
        v = value_missing();
    return v;
}

const char *doc_text(const struct json_doc *doc, const char *name)
{
    const struct json_doc *member = doc ? json_doc_member(doc, name) : NULL;
    size_t len;
    const char *text = member ? json_doc_text(member, &len) : NULL;

    return text ? text : "";
}

int64_t doc_int(const struct json_doc *doc, const char *name)
{
    struct value v = value_at(doc, name);

    return v.type == VALUE_INT ? v.u.i : v.type == VALUE_BOOL ? v.u.b : (int64_t)doc_number(doc, name);
}

double doc_number(const struct json_doc *doc, const char *name)
{
    struct value v = value_at(doc, name);

    if (v.type == VALUE_INT)
        return (double)v.u.i;
    return v.type == VALUE_DOUBLE && v.u.d > -9e18 && v.u.d < 9e18 ? v.u.d : 0;
}

bool doc_flag(const struct json_doc *doc, const char *name)
{
    struct value v = value_at(doc, name);

    return v.type == VALUE_BOOL && v.u.b;
}

size_t doc_count(const struct json_doc *list)
{
    size_t n = list ? json_doc_elements(list) : SIZE_MAX;

    return n == SIZE_MAX ? 0 : n;
}
