// SPDX-License-Identifier: Apache-2.0
/* Versions of modules over HTTP: listed, read, compared, brought back. */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/line_diff.h"
#include "base/mem.h"
#include "daemon/api_priv.h"
#include "state/module_version.h"

struct version { /* owned texts */
    uint64_t number;
    int64_t time;
    bool removed;
    char *who;
    char *text;              /* NULL: it was not wanted */
    size_t len;
    char etag[40];
};

struct versions {
    struct version *version; /* owned; oldest first */
    size_t n, cap;
    uint64_t wanted[2];      /* whose texts are kept */
};

static bool found_version(void *ctx, const struct module_version *found)
{
    struct versions *all = ctx;

    bool wanted = found->number == all->wanted[0] || found->number == all->wanted[1];

    all->version = vec_reserve(all->version, &all->cap, all->n + 1, sizeof *all->version);
    struct version *version = &all->version[all->n++];
    *version = (struct version){.number = found->number,
                                .time = found->time,
                                .removed = found->removed,
                                .who = mem_strndup(found->who, found->who_len),
                                .text = wanted ? mem_strndup(found->text, found->len) : NULL,
                                .len = found->len};
    api_etag(found->text, found->len, version->etag);
    return true;
}

static void versions_fini(struct versions *all)
{
    for (size_t i = 0; i < all->n; i++) {
        mem_free(all->version[i].who);
        mem_free(all->version[i].text);
    }
    mem_free(all->version);
}

/* Texts of a and b are kept. False: it is answered. */
static bool read_versions(struct api_call *call, uint64_t a, uint64_t b, struct versions *all)
{
    struct buf why;

    *all = (struct versions){.wanted = {a, b}};
    buf_init(&why);
    if (module_version_list(api_store(call), http_request_name(call->rq), found_version, all, &why) !=
        STORE_OK) {
        versions_fini(all);
        api_failed(call, &why);
        return false;
    }
    buf_fini(&why);
    if (all->n > 0)
        return true;
    http_answer_problem(call->rq, HTTP_NOT_FOUND, "no versions of the module %s are kept%s",
                        http_request_name(call->rq),
                        generation_text(api_running(call), http_request_name(call->rq))
                            ? ": it is in the rules directory"
                            : "");
    return false;
}

/* NULL: it is answered. */
static const struct version *version_numbered(struct api_call *call, const struct versions *all,
                                              uint64_t number)
{
    for (size_t i = 0; i < all->n; i++)
        if (all->version[i].number == number)
            return &all->version[i];
    http_answer_problem(call->rq, HTTP_NOT_FOUND, "version %" PRIu64 " of %s is not kept", number,
                        http_request_name(call->rq));
    return NULL;
}

bool api_module_versions(struct api_call *call)
{
    struct versions all;
    struct buf b;

    if (!read_versions(call, 0, 0, &all))
        return true;
    buf_init(&b);
    buf_addc(&b, '{');
    api_add_text(&b, "name", http_request_name(call->rq));
    buf_adds(&b, ",\"versions\":[");
    for (size_t i = all.n; i-- > 0;) {
        const struct version *v = &all.version[i];
        buf_printf(&b, "%s{\"version\":%" PRIu64 ",", i + 1 < all.n ? "," : "", v->number);
        api_add_time(&b, "time", v->time);
        buf_addc(&b, ',');
        api_add_text(&b, "by", v->who);
        buf_printf(&b, ",\"deleted\":%s,\"bytes\":%zu,", v->removed ? "true" : "false", v->len);
        api_add_text(&b, "etag", v->etag);
        buf_addc(&b, '}');
    }
    buf_adds(&b, "]}\n");
    http_answer_json(call->rq, 200, &b);
    versions_fini(&all);
    return true;
}

bool api_module_diff(struct api_call *call)
{
    uint64_t to = http_request_count(call->rq, "to", 0), from;
    struct versions all;
    char names[2][64];
    struct buf b;

    if (!read_versions(call, 0, 0, &all))
        return true;
    to = to ? to : all.version[all.n - 1].number;
    from = http_request_count(call->rq, "from", to - 1);
    versions_fini(&all);
    if (!read_versions(call, from, to, &all))
        return true;
    const struct version empty = {.text = (char *)(uintptr_t)""};
    const struct version *new = version_numbered(call, &all, to);
    const struct version *old =
        !new ? NULL : from == 0 ? &empty : version_numbered(call, &all, from);
    if (old) {
        snprintf(names[0], sizeof names[0], "version %" PRIu64, from);
        snprintf(names[1], sizeof names[1], "version %" PRIu64, to);
        buf_init(&b);
        line_diff(&b, names[0], old->text, old->len, names[1], new->text, new->len);
        http_answer(call->rq, 200, "text/plain; charset=utf-8", &b);
    }
    versions_fini(&all);
    return true;
}

bool api_answer_version(struct api_call *call, uint64_t number)
{
    struct versions all;
    struct buf b;

    if (!read_versions(call, number, 0, &all))
        return true;
    const struct version *v = version_numbered(call, &all, number);
    if (v && http_request_wants_text(call->rq)) {
        api_answer_text(call, v->text, v->len);
    } else if (v) {
        buf_init(&b);
        buf_addc(&b, '{');
        api_add_text(&b, "name", http_request_name(call->rq));
        buf_printf(&b, ",\"origin\":\"api\",\"version\":%" PRIu64 ",", v->number);
        api_add_time(&b, "changed", v->time);
        buf_addc(&b, ',');
        api_add_text(&b, "by", v->who);
        buf_addc(&b, ',');
        api_add_text(&b, "etag", v->etag);
        buf_printf(&b, ",\"bytes\":%zu,\"text\":", v->len);
        buf_add_json_text(&b, v->text, v->len);
        buf_adds(&b, "}\n");
        http_answer_json(call->rq, 200, &b);
        http_answer_etag(call->rq, v->etag);
    }
    versions_fini(&all);
    return true;
}

/* The last but the one that runs; 0: none is kept. */
static uint64_t version_before(const struct api_call *call, const struct versions *all)
{
    const struct module_text *runs =
        generation_text(api_running(call), http_request_name(call->rq));
    uint64_t number = 0;

    for (size_t i = 0; i < all->n; i++)
        if (!all->version[i].removed && (!runs || all->version[i].number < runs->version))
            number = all->version[i].number;
    return number;
}

bool api_module_rollback(struct api_call *call)
{
    uint64_t number = http_request_count(call->rq, "version", 0);
    struct versions all;
    bool ok = true;

    if (!api_check_name(call, http_request_name(call->rq)) || !read_versions(call, 0, 0, &all))
        return true;
    if (!http_request_query(call->rq, "version"))
        number = version_before(call, &all);
    versions_fini(&all);
    if (!read_versions(call, number, 0, &all))
        return true;
    const struct version *v = version_numbered(call, &all, number);
    if (v && v->removed)
        http_answer_problem(call->rq, HTTP_CONFLICT, "in version %" PRIu64 " it was taken away",
                            v->number);
    else if (v)
        ok = api_put_module(call, "roll module back", http_request_name(call->rq), v->text, v->len,
                            false);
    versions_fini(&all);
    return ok;
}
