// SPDX-License-Identifier: Apache-2.0
/* `tocsin rules`: list, show, stats, explain, enable, disable, test, reload. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/buf.h"
#include "base/mem.h"
#include "cli/grid.h"
#include "cli/remote_change.h"
#include "cli/shown.h"
#include "event/value.h"

#define RULES "/v1/rules/"

/* "a, b": the texts of a list. */
static void add_list(struct buf *out, const struct json_doc *list)
{
    buf_adds(out, "");
    for (size_t i = 0; i < doc_count(list); i++) {
        if (i > 0)
            buf_adds(out, ", ");
        shown_add_value(out, json_doc_element(list, i));
    }
}

static const char *state_of(const struct json_doc *rule)
{
    if (!doc_flag(rule, "enabled"))
        return doc_flag(rule, "switched") ? "disabled" : "disabled in its text";
    return doc_int(rule, "draining") > 0 ? "on, old one drains" : "on";
}

static void print_unseen(const struct json_doc *answer)
{
    const struct json_doc *list = json_doc_member(answer, "unseen_fields");
    struct buf b;

    buf_init(&b);
    for (size_t i = 0; i < doc_count(list); i++) {
        const struct json_doc *one = json_doc_element(list, i);
        buf_clear(&b);
        buf_adds(&b, i == 0 ? "\nFields that rules read and no event had: " : ", ");
        shown_adds(&b, doc_text(one, "field"));
        if (*doc_text(one, "near")) {
            buf_adds(&b, " (did you mean ");
            shown_adds(&b, doc_text(one, "near"));
            buf_adds(&b, "?)");
        }
        fputs(b.data, stdout);
    }
    if (doc_count(list) > 0)
        putchar('\n');
    buf_fini(&b);
}

static void add_rule(struct grid *g, const struct json_doc *rule)
{
    const char *severity = doc_text(rule, "severity");

    grid_text(g, doc_text(rule, "name"));
    grid_text(g, doc_text(rule, "body"));
    grid_text(g, *severity ? severity : "varies");
    grid_text(g, state_of(rule));
    grid_text(g, doc_text(rule, "origin"));
    grid_text(g, doc_text(rule, "module"));
}

int remote_rules_list(struct remote *r)
{
    static const struct remote_list list = {"rules", "RULE|KIND|SEVERITY|STATE|FROM|MODULE", "no rules", add_rule};

    return remote_words(r, 0, 0, "") ? remote_show_list(r, "/v1/rules", &list, print_unseen) : EXIT_USAGE;
}

/* ---- figures ------------------------------------------------------------------------------------- */

static bool print_figure(void *ctx, const char *name, const struct json_doc *value)
{
    struct buf b;
    struct value v;

    (void)ctx;
    if (!json_doc_value(value, &v) || (v.type == VALUE_INT && v.u.i == 0))
        return true; /* what is nothing says nothing */
    buf_init(&b);
    shown_adds(&b, name);
    for (size_t i = 0; i < b.len; i++)
        if (b.data[i] == '_')
            b.data[i] = ' ';
    printf("  %-20s ", b.data);
    buf_clear(&b);
    if (strstr(name, "bytes") && value_is_number(v))
        shown_add_bytes(&b, v.type == VALUE_INT ? (double)v.u.i : v.u.d);
    else if (strstr(name, "seconds") && value_is_number(v))
        shown_add_age(&b, v.type == VALUE_INT ? (double)v.u.i : v.u.d);
    else
        shown_add_value(&b, value);
    puts(b.data);
    buf_fini(&b);
    return true;
}

static void print_line(const char *head, const struct buf *text)
{
    if (text->len > 0)
        printf("%-9s %s\n", head, text->data);
}

static void print_text(const char *head, const char *text)
{
    struct buf b;

    buf_init(&b);
    shown_adds(&b, text);
    print_line(head, &b);
    buf_fini(&b);
}

static const char *text_of_origin(const char *origin)
{
    return strcmp(origin, "api") == 0 ? "put over HTTP" : strcmp(origin, "topic") == 0 ? "from a topic" : "of the rules directory";
}

static void print_rule(const struct json_doc *rule)
{
    struct buf b;

    print_text("rule", doc_text(rule, "name"));
    print_text("kind", doc_text(rule, "body"));
    print_text("severity", doc_text(rule, "severity"));
    print_text("state", state_of(rule));
    buf_init(&b);
    shown_adds(&b, doc_text(rule, "module"));
    buf_printf(&b, ", line %lld (%s)", (long long)doc_int(rule, "line"),
               text_of_origin(doc_text(rule, "origin")));
    print_line("module", &b);
    buf_clear(&b);
    add_list(&b, json_doc_member(rule, "key"));
    print_line("key", &b);
    buf_clear(&b);
    add_list(&b, json_doc_member(rule, "tags"));
    print_line("tags", &b);
    print_text("keeps", doc_text(rule, "state_bound"));
    buf_fini(&b);
    puts("figures");
    if (json_doc_member(rule, "stats"))
        json_doc_each(json_doc_member(rule, "stats"), print_figure, NULL);
}

int remote_rules_show(struct remote *r)
{
    struct buf path;

    if (!remote_words(r, 1, 1, "no rule is named"))
        return EXIT_USAGE;
    remote_path(&path, RULES, r->word[0], "");
    int code = remote_show(r, path.data, print_rule);
    buf_fini(&path);
    return code;
}

static double seconds_of(const struct json_doc *stats)
{
    return doc_number(stats, "seconds_conditions") + doc_number(stats, "seconds_engine");
}

/* What costs most comes first: time, then state. */
static int by_cost(const void *a, const void *b)
{
    const struct json_doc *const *ra = a, *const *rb = b;
    const struct json_doc *x = json_doc_member(*ra, "stats"), *y = json_doc_member(*rb, "stats");
    double left[] = {seconds_of(x), doc_number(x, "state_bytes"), doc_number(x, "events")};
    double right[] = {seconds_of(y), doc_number(y, "state_bytes"), doc_number(y, "events")};

    for (size_t i = 0; i < sizeof left / sizeof *left; i++)
        if (left[i] != right[i])
            return left[i] > right[i] ? -1 : 1;
    return 0;
}

/* Is it one of those that are named, or is none? */
static bool is_wanted(const struct remote *r, const char *name)
{
    for (int i = 0; i < r->n_words; i++)
        if (strcmp(r->word[i], name) == 0)
            return true;
    return r->n_words == 0;
}

static bool add_limited(void *ctx, const char *name, const struct json_doc *value)
{
    int64_t *sum = ctx;
    struct value v;

    if (strncmp(name, "limited", 7) == 0 && json_doc_value(value, &v) && v.type == VALUE_INT && v.u.i > 0 &&
        v.u.i < INT64_MAX - *sum)
        *sum += v.u.i;
    return true;
}

static int64_t limited(const struct json_doc *stats)
{
    int64_t sum = 0;

    if (stats)
        json_doc_each(stats, add_limited, &sum);
    return sum;
}

int remote_print_stats(struct remote *r, const struct json_doc *list, size_t most)
{
    size_t n = doc_count(list), rows = 0;
    const struct json_doc **rule = mem_calloc(n + 1, sizeof *rule);
    struct grid g;

    for (size_t i = 0; i < n; i++)
        rule[i] = json_doc_element(list, i);
    qsort(rule, n, sizeof *rule, by_cost);
    grid_begin(&g, "RULE|>EVENTS|>ALERTS|>SUPPRESSED|>LIMITED|>KEYS|>OPEN|>STATE|>TIME");
    for (size_t i = 0; i < n && rows < most; i++) {
        const struct json_doc *stats = json_doc_member(rule[i], "stats");
        if (!is_wanted(r, doc_text(rule[i], "name")))
            continue;
        rows++;
        grid_text(&g, doc_text(rule[i], "name"));
        grid_count(&g, doc_int(stats, "events"));
        grid_count(&g, doc_int(stats, "alerts"));
        grid_count(&g, doc_int(stats, "suppressed"));
        grid_count(&g, limited(stats));
        grid_count(&g, doc_int(stats, "keys"));
        grid_count(&g, doc_int(stats, "runs"));
        grid_bytes(&g, doc_number(stats, "state_bytes"));
        grid_age(&g, seconds_of(stats));
    }
    grid_print(&g, "no rules");
    mem_free(rule);
    return rows < (size_t)r->n_words ? EXIT_FAILED : EXIT_OK;
}

int remote_rules_stats(struct remote *r)
{
    struct remote_answer a;
    struct buf path;
    bool shown;

    remote_answer_init(&a);
    if (r->json && r->n_words == 1) {
        remote_path(&path, RULES, r->word[0], "/stats");
    } else {
        buf_init(&path);
        buf_adds(&path, "/v1/rules?stats=1");
    }
    int code = remote_get(r, path.data, &a, &shown);
    if (code == EXIT_OK && !shown) {
        code = remote_print_stats(r, json_doc_member(a.doc, "rules"), SIZE_MAX);
        if (code != EXIT_OK)
            remote_fail(code, "a rule of those is not there: `tocsin rules list`");
    }
    buf_fini(&path);
    remote_answer_fini(&a);
    return code;
}

/* ---- explain ------------------------------------------------------------------------------------- */

int remote_rules_explain(struct remote *r)
{
    static const char *const header[] = {"Accept: text/plain"};
    struct http_client_request rq = {.method = "GET"};
    struct remote_answer a;
    struct buf path;

    if (!remote_words(r, 1, 1, "no rule is named"))
        return EXIT_USAGE;
    remote_path(&path, RULES, r->word[0], "/explain");
    if (remote_option(r, "dot"))
        remote_add_query(&path, "format", "dot");
    else if (!r->json)
        remote_add_query(&path, "format", "text");
    rq.path = path.data;
    rq.header = header;
    rq.n_headers = r->json ? 0 : 1;
    remote_answer_init(&a);
    int code = remote_good(r, &rq, &a);
    if (code == EXIT_OK && a.doc)
        remote_print_json(&a.http);
    else if (code == EXIT_OK && a.http.body.len > 0)
        shown_print_text(a.http.body.data, a.http.body.len);
    buf_fini(&path);
    remote_answer_fini(&a);
    return code;
}

/* ---- changes ------------------------------------------------------------------------------------- */

static int change(struct remote *r, const char *path)
{
    static const char *const header[] = {"Content-Type: text/plain"};
    struct http_client_request rq = {.method = "POST", .path = path, .body = "", .header = header, .n_headers = 1};
    struct remote_answer a;

    remote_answer_init(&a);
    int code = change_ask(r, &rq, NULL, &a);
    remote_answer_fini(&a);
    return code;
}

static int switch_rules(struct remote *r, const char *what)
{
    struct buf path;
    int code = EXIT_OK;

    if (!remote_words(r, 1, -1, "no rule is named"))
        return EXIT_USAGE;
    for (int i = 0; i < r->n_words && code != EXIT_UNREACHABLE; i++) {
        remote_path(&path, RULES, r->word[i], what);
        int one = change(r, path.data);
        code = one != EXIT_OK ? one : code;
        buf_fini(&path);
    }
    return code;
}

int remote_rules_enable(struct remote *r)
{
    return switch_rules(r, ":enable");
}

int remote_rules_disable(struct remote *r)
{
    return switch_rules(r, ":disable");
}

int remote_rules_reload(struct remote *r)
{
    struct buf path;

    if (!remote_words(r, 0, 0, ""))
        return EXIT_USAGE;
    buf_init(&path);
    buf_adds(&path, "/v1/rules:reload");
    remote_add_option(r, &path, "dry-run");
    int code = change(r, path.data);
    buf_fini(&path);
    return code;
}

/* ---- tests --------------------------------------------------------------------------------------- */

static int print_tests(const struct json_doc *doc)
{
    const struct json_doc *list = json_doc_member(doc, "tests");
    struct buf b;

    buf_init(&b);
    for (size_t i = 0; i < doc_count(list); i++) {
        const struct json_doc *test = json_doc_element(list, i);
        const char *why = doc_text(test, "why");
        buf_clear(&b);
        buf_printf(&b, "%s  ", doc_flag(test, "passed") ? "ok  " : "FAIL");
        shown_adds(&b, doc_text(test, "rule"));
        buf_adds(&b, ": ");
        shown_adds(&b, doc_text(test, "title"));
        buf_addc(&b, '\n');
        shown_add_lines(&b, why, strlen(why));
        if (b.data[b.len - 1] != '\n')
            buf_addc(&b, '\n');
        fputs(b.data, stdout);
    }
    buf_fini(&b);
    printf("%lld passed, %lld failed\n", (long long)doc_int(doc, "passed"), (long long)doc_int(doc, "failed"));
    if (doc_flag(doc, "complete"))
        return doc_int(doc, "failed") == 0 ? EXIT_OK : EXIT_FAILED;
    return remote_fail(EXIT_FAILED, "not all were run: they take too long for a daemon (`tocsin test` has no such limit)");
}

static int test(struct remote *r, const struct sent_modules *set)
{
    static const char *const header[] = {"Content-Type: text/plain; charset=utf-8"};
    struct http_client_request rq = {.method = "POST", .body = "", .header = header, .n_headers = 1};
    struct remote_answer a;
    struct buf path;

    buf_init(&path);
    buf_adds(&path, "/v1/rules:test");
    remote_add_query(&path, "module", set->n > 0 ? set->module[0].name : remote_option(r, "module"));
    rq.path = path.data;
    if (set->n > 0)
        rq.body = set->module[0].text, rq.len = set->module[0].len;
    remote_answer_init(&a);
    int code = remote_send(r, &rq, &a, NULL);
    if (code == EXIT_OK && a.http.status != 200)
        code = change_print(r, &a, set);
    else if (code == EXIT_OK && r->json)
        remote_print_json(&a.http);
    if (code == EXIT_OK && a.doc)
        code = r->json ? (doc_int(a.doc, "failed") == 0 ? EXIT_OK : EXIT_FAILED) : print_tests(a.doc);
    buf_fini(&path);
    remote_answer_fini(&a);
    return code;
}

int remote_rules_test(struct remote *r)
{
    struct sent_modules set;
    int code;

    if (!remote_words(r, 0, 1, ""))
        return EXIT_USAGE;
    if (r->n_words > 0 && remote_option(r, "module"))
        return command_usage_error(r->command, "--module is for what runs; a file's module is --name");
    sent_modules_init(&set);
    code = sent_modules_read(&set, r, r->word, r->n_words);
    if (code == EXIT_OK && r->n_words > 0 && set.n != 1)
        code = command_usage_error(r->command, "one file is tested at a time");
    if (code == EXIT_OK)
        code = test(r, &set);
    sent_modules_fini(&set);
    return code;
}
