// SPDX-License-Identifier: Apache-2.0
/* Modules over HTTP: listed, read, put, taken away, and their versions. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/utf8.h"
#include "config/config.h"
#include "config/rules.h"
#include "daemon/api_priv.h"
#include "daemon/rules_topic.h"
#include "event/json_doc.h"
#include "plan/program.h"
#include "state/checkpoint.h"
#include "state/module_version.h"

enum { MODULES_MOST = 10000 };
#define TEXTS_MOST ((size_t)64 << 20) /* bytes of all that came over HTTP */

const struct generation *api_running(const struct api_call *call)
{
    return &call->host->rules->mods.generation[0];
}

struct store *api_store(const struct api_call *call)
{
    return checkpoint_store(*call->host->cp);
}

bool api_failed(struct api_call *call, struct buf *why)
{
    http_answer_problem(call->rq, HTTP_INTERNAL, "%s", why->len ? why->data : "the database failed");
    buf_fini(why);
    return true;
}

/* ---- reading --------------------------------------------------------------------------------- */

bool api_is_file_of(const struct api_call *call, const char *file, const char *module)
{
    const char *rules = call->host->config->rules;
    size_t len = strlen(rules);

    if (strncmp(file, rules, len) == 0 && file[len] == '/') /* all but of a single file of rules */
        return strcmp(file + len + 1, module) == 0;
    char *path = config_rules_path(call->host->config, module);
    bool same = strcmp(path, file) == 0;
    mem_free(path);
    return same;
}

static void add_rules_of(struct buf *out, const struct api_call *call, const char *module)
{
    const struct program *prog = call->host->rules->told;
    bool any = false;

    buf_adds(out, "\"rules\":[");
    for (uint32_t r = 0; r < prog->n_rules; r++) {
        if (!api_is_file_of(call, prog->rule[r].file, module))
            continue;
        if (any)
            buf_addc(out, ',');
        buf_add_json_text(out, prog->rule[r].name, strlen(prog->rule[r].name));
        any = true;
    }
    buf_addc(out, ']');
}

static void add_module(struct buf *out, const struct api_call *call, const struct module_text *text,
                       bool with_text)
{
    char etag[40];

    api_etag(text->text, text->len, etag);
    buf_addc(out, '{');
    api_add_text(out, "name", text->name);
    buf_printf(out, ",\"origin\":\"%s\",", module_origin_name(text->origin));
    if (text->origin != MODULE_FILE)
        buf_printf(out, "\"version\":%" PRIu64 ",", text->version);
    api_add_text(out, "etag", etag);
    buf_printf(out, ",\"bytes\":%zu,", text->len);
    add_rules_of(out, call, text->name);
    if (with_text) {
        buf_adds(out, ",\"text\":");
        buf_add_json_text(out, text->text, text->len);
    }
    buf_addc(out, '}');
}

/* Of the modules of the interface, all together. */
static void set_etag(const struct api_call *call, char etag_out[40])
{
    const struct generation *gen = api_running(call);
    struct buf b;
    char etag[40];

    buf_init(&b);
    for (size_t i = 0; i < gen->n_texts; i++) {
        if (gen->text[i].origin != MODULE_API)
            continue;
        api_etag(gen->text[i].text, gen->text[i].len, etag);
        buf_printf(&b, "%s %s\n", gen->text[i].name, etag);
    }
    api_etag(b.len ? b.data : "", b.len, etag_out);
    buf_fini(&b);
}

bool api_modules_list(struct api_call *call)
{
    const struct generation *gen = api_running(call);
    char etag[40];
    struct buf b;

    set_etag(call, etag);
    buf_init(&b);
    buf_addc(&b, '{');
    api_add_text(&b, "etag", etag);
    buf_adds(&b, ",\"modules\":[");
    for (size_t i = 0; i < gen->n_texts; i++) {
        if (i > 0)
            buf_addc(&b, ',');
        add_module(&b, call, &gen->text[i], false);
    }
    buf_addc(&b, ']');
    if (*call->host->topic) {
        buf_adds(&b, ",\"waiting\":");
        rules_topic_add_waiting(*call->host->topic, &b);
    }
    buf_adds(&b, "}\n");
    http_answer_json(call->rq, 200, &b);
    http_answer_etag(call->rq, etag);
    return true;
}

void api_answer_text(struct api_call *call, const char *text, size_t len)
{
    char etag[40];
    struct buf b;

    api_etag(text, len, etag);
    buf_init(&b);
    buf_add(&b, text, len);
    http_answer(call->rq, 200, "text/plain; charset=utf-8", &b);
    http_answer_etag(call->rq, etag);
}

bool api_module_get(struct api_call *call)
{
    const struct module_text *text = generation_text(api_running(call), http_request_name(call->rq));
    char etag[40];
    struct buf b;

    if (http_request_query(call->rq, "version"))
        return api_answer_version(call, http_request_count(call->rq, "version", 0));
    if (!text) {
        http_answer_problem(call->rq, HTTP_NOT_FOUND, "there is no module %s",
                            http_request_name(call->rq));
    } else if (http_request_wants_text(call->rq)) {
        api_answer_text(call, text->text, text->len);
    } else {
        buf_init(&b);
        add_module(&b, call, text, true);
        buf_addc(&b, '\n');
        api_etag(text->text, text->len, etag);
        http_answer_json(call->rq, 200, &b);
        http_answer_etag(call->rq, etag);
    }
    return true;
}

/* ---- one module changes ---------------------------------------------------------------------- */

/* The modules of the interface but one; room for one more. */
static struct ruleset_module *others(const struct api_call *call, const char *name, size_t *n_out)
{
    const struct generation *gen = api_running(call);
    struct ruleset_module *api = mem_calloc(gen->n_texts + 1, sizeof *api);

    *n_out = 0;
    for (size_t i = 0; i < gen->n_texts; i++) {
        const struct module_text *text = &gen->text[i];
        if (text->origin == MODULE_API && strcmp(text->name, name) != 0)
            api[(*n_out)++] =
                (struct ruleset_module){text->name, text->text, text->len, text->version};
    }
    return api;
}

bool api_check_match(struct api_call *call, const char *etag)
{
    const char *match = http_request_if_match(call->rq);
    const char *none = http_request_if_none_match(call->rq);

    if (match && (!*etag || !http_etag_listed(match, etag))) {
        http_answer_problem(call->rq, HTTP_CHANGED, *etag ? "`If-Match`: its ETag is %s by now"
                                                          : "`If-Match`: it is not there%s", etag);
        return false;
    }
    if (none && *etag && http_etag_listed(none, etag)) {
        http_answer_problem(call->rq, HTTP_CHANGED, "`If-None-Match`: it is there, as %s", etag);
        return false;
    }
    return true;
}

bool api_check_name(struct api_call *call, const char *name)
{
    const struct module_text *text = generation_text(api_running(call), name);

    if (!module_name_ok(name))
        http_answer_problem(call->rq, HTTP_BAD_REQUEST,
                            "a module's name has 1 to %d of A-Z a-z 0-9 . _ - in parts between /, "
                            "none of which begins with a dot",
                            (int)MODULE_NAME_MOST);
    else if (text && text->origin == MODULE_FILE)
        http_answer_problem(call->rq, HTTP_CONFLICT,
                            "the module %s is in the rules directory: change the file there", name);
    else if (text && text->origin == MODULE_TOPIC)
        http_answer_problem(call->rq, HTTP_CONFLICT,
                            "the module %s comes from a topic: change it by a record there", name);
    else
        return true;
    return false;
}

/* The number of the next version. False: it is answered. */
static bool next_version(struct api_call *call, const char *name, uint64_t *number_out)
{
    const struct module_text *text = generation_text(api_running(call), name);
    struct buf why;

    buf_init(&why);
    if (module_version_last(api_store(call), name, number_out, &why) != STORE_OK) {
        api_failed(call, &why);
        return false;
    }
    buf_fini(&why);
    if (text && text->version > *number_out)
        *number_out = text->version;
    (*number_out)++;
    return true;
}

static bool check_size(struct api_call *call, const struct ruleset_module *api, size_t n)
{
    size_t bytes = 0;

    for (size_t i = 0; i < n; i++)
        bytes += api[i].len;
    if (n <= MODULES_MOST && bytes <= TEXTS_MOST)
        return true;
    http_answer_problem(call->rq, HTTP_TOO_LARGE, "at most %d modules, of %zu bytes together",
                        (int)MODULES_MOST, TEXTS_MOST);
    return false;
}

bool api_put_module(struct api_call *call, const char *what, const char *name, const char *text,
                    size_t len, bool check)
{
    const struct module_text *old = generation_text(api_running(call), name);
    struct ruleset_module *api;
    struct api_change change;
    bool ok = true;

    if (!api_check_name(call, name) || !api_change_begin(call, &change))
        return true;
    change.what = what;
    change.name = name;
    change.dry |= check;
    if (old)
        api_etag(old->text, old->len, change.before);
    api_etag(text, len, change.after);
    if (old && old->len == len && memcmp(old->text, text, len) == 0) {
        change.version = old->version;
        api_answer_unchanged(call, &change);
        return true;
    }
    size_t n;
    api = others(call, name, &n);
    if (api_check_match(call, change.before) && next_version(call, name, &change.version)) {
        api[n++] = (struct ruleset_module){name, text, len, change.version};
        api_change_add_version(call, &change, name, change.version, text, len);
        change.wish.api = (struct ruleset_side){.replace = true, .module = api, .n = n};
        if (check_size(call, api, n))
            ok = api_change_make(call, &change);
    }
    api_change_fini(&change);
    mem_free(api);
    return ok;
}

bool api_module_put(struct api_call *call)
{
    size_t len, bad;
    const char *text = http_request_body(call->rq, &len);

    if (len == 0) {
        http_answer_problem(call->rq, HTTP_BAD_BODY, "the body is the text of the module");
        return true;
    }
    if (!utf8_valid(text, len, &bad)) {
        http_answer_problem(call->rq, HTTP_BAD_BODY, "byte %zu is not UTF-8", bad);
        return true;
    }
    return api_put_module(call, "put module", http_request_name(call->rq), text, len, false);
}

bool api_module_delete(struct api_call *call)
{
    const char *name = http_request_name(call->rq);
    const struct module_text *old = generation_text(api_running(call), name);
    struct ruleset_module *api;
    struct api_change change;
    bool ok = true;

    if (!old) {
        http_answer_problem(call->rq, HTTP_NOT_FOUND, "there is no module %s", name);
        return true;
    }
    if (!api_check_name(call, name) || !api_change_begin(call, &change))
        return true;
    change.what = "delete module";
    change.name = name;
    api_etag(old->text, old->len, change.before);
    size_t n;
    api = others(call, name, &n);
    if (api_check_match(call, change.before) && next_version(call, name, &change.version)) {
        api_change_add_version(call, &change, name, change.version, NULL, 0);
        change.wish.api = (struct ruleset_side){.replace = true, .module = api, .n = n};
        ok = api_change_make(call, &change);
    }
    api_change_fini(&change);
    mem_free(api);
    return ok;
}

/* ---- the whole set --------------------------------------------------------------------------- */

struct set {
    struct api_call *call;
    struct api_change *change;
    struct ruleset_module *api; /* owned array; texts are the document's */
    size_t n, cap;
    bool answered;
};

static bool found_module(void *ctx, const char *name, const struct json_doc *value)
{
    struct set *set = ctx;
    struct ruleset_module module = {.name = name};

    module.text = json_doc_text(value, &module.len);
    set->answered = true;
    if (!api_check_name(set->call, name))
        return false;
    if (!module.text || memchr(module.text, '\0', module.len)) {
        http_answer_problem(set->call->rq, HTTP_BAD_BODY, "`modules`: %s is no text", name);
        return false;
    }
    set->answered = false;
    set->api = vec_reserve(set->api, &set->cap, set->n + 1, sizeof module);
    set->api[set->n++] = module;
    return true;
}

static bool only_modules(void *ctx, const char *name, const struct json_doc *value)
{
    (void)ctx, (void)value;
    return strcmp(name, "modules") == 0;
}

/* Versions of what is new or differs, and of what is taken away. False: it is answered. */
static bool number_set(struct set *set)
{
    const struct generation *gen = api_running(set->call);
    uint64_t number;

    for (size_t i = 0; i < set->n; i++) {
        struct ruleset_module *module = &set->api[i];
        const struct module_text *old = generation_text(gen, module->name);
        module->version = old ? old->version : 0;
        if (old && old->len == module->len && memcmp(old->text, module->text, old->len) == 0)
            continue;
        if (!next_version(set->call, module->name, &module->version))
            return false;
        api_change_add_version(set->call, set->change, module->name, module->version, module->text,
                    module->len);
    }
    for (size_t i = 0; i < gen->n_texts; i++) {
        bool stays = gen->text[i].origin != MODULE_API;
        for (size_t j = 0; j < set->n && !stays; j++)
            stays = strcmp(set->api[j].name, gen->text[i].name) == 0;
        if (stays)
            continue;
        if (!next_version(set->call, gen->text[i].name, &number))
            return false;
        api_change_add_version(set->call, set->change, gen->text[i].name, number, NULL, 0);
    }
    return true;
}

static int by_name(const void *a, const void *b)
{
    return strcmp(((const struct ruleset_module *)a)->name,
                  ((const struct ruleset_module *)b)->name);
}

static void etag_of_set(const struct set *set, char etag_out[40])
{
    struct buf b;
    char etag[40];

    buf_init(&b);
    for (size_t i = 0; i < set->n; i++) {
        api_etag(set->api[i].text, set->api[i].len, etag);
        buf_printf(&b, "%s %s\n", set->api[i].name, etag);
    }
    api_etag(b.len ? b.data : "", b.len, etag_out);
    buf_fini(&b);
}

static bool put_set(struct api_call *call, const struct json_doc *doc, const char *what, bool check)
{
    const struct json_doc *modules = json_doc_member(doc, "modules");
    struct api_change change;
    struct set set = {.call = call, .change = &change};
    bool ok = true;

    if (!api_change_begin(call, &change))
        return true;
    change.what = what;
    change.dry |= check;
    if (!modules || !json_doc_each(doc, only_modules, NULL) ||
        !json_doc_each(modules, found_module, &set)) {
        if (!set.answered)
            http_answer_problem(call->rq, HTTP_BAD_BODY,
                                "the body is {\"modules\": {\"NAME\": \"TEXT\", ...}}");
    } else {
        if (set.n > 1)
            qsort(set.api, set.n, sizeof *set.api, by_name);
        set_etag(call, change.before);
        etag_of_set(&set, change.after);
        change.wish.api = (struct ruleset_side){.replace = true, .module = set.api, .n = set.n};
        bool same = strcmp(change.before, change.after) == 0;
        if ((same || api_check_match(call, change.before)) && check_size(call, set.api, set.n) &&
            number_set(&set))
            ok = api_change_make(call, &change);
    }
    api_change_fini(&change);
    mem_free(set.api);
    return ok;
}

static bool with_set(struct api_call *call, const char *what, bool check)
{
    size_t len;
    const char *body = http_request_body(call->rq, &len);
    char why[200];
    struct json_doc *doc = json_doc_parse(body, len, why, sizeof why);

    if (!doc) {
        http_answer_problem(call->rq, HTTP_BAD_BODY, "it is no JSON: %s", why);
        return true;
    }
    bool ok = put_set(call, doc, what, check);
    json_doc_free(&doc);
    return ok;
}

bool api_modules_put(struct api_call *call)
{
    return with_set(call, "put all modules", false);
}

bool api_rules_check(struct api_call *call)
{
    const char *name = http_request_query(call->rq, "module");
    size_t len, bad;
    const char *text = http_request_body(call->rq, &len);

    if (http_request_body_is_json(call->rq))
        return with_set(call, "check", true);
    if (len == 0) {
        http_answer_problem(call->rq, HTTP_BAD_BODY, "the body is the text of a module, or a set of modules as JSON");
        return true;
    }
    if (!utf8_valid(text, len, &bad)) {
        http_answer_problem(call->rq, HTTP_BAD_BODY, "byte %zu is not UTF-8", bad);
        return true;
    }
    return api_put_module(call, "check", name ? name : "posted", text, len, true);
}
