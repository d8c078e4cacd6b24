// SPDX-License-Identifier: Apache-2.0
/* `tocsin state show`: what a rule keeps, asked of the daemon. */
#include <stdio.h>
#include <string.h>

#include "base/buf.h"
#include "cli/grid.h"
#include "cli/remote.h"
#include "cli/shown.h"
#include "event/value.h"

enum { DEEPEST = 12 };

/* ---- anything: a member a line, what is inside further in ---------------------------------------- */

struct outline {
    int depth;
    bool but_page;
};

static void print_value(const char *name, const struct json_doc *value, int depth);

static bool is_flat(const struct json_doc *value)
{
    struct value v;

    return json_doc_value(value, &v);
}

static bool each_is_flat(const struct json_doc *list)
{
    for (size_t i = 0; i < doc_count(list); i++)
        if (!is_flat(json_doc_element(list, i)))
            return false;
    return true;
}

static bool print_member(void *ctx, const char *name, const struct json_doc *value)
{
    const struct outline *o = ctx;

    if (!o->but_page || (strcmp(name, "items") != 0 && strcmp(name, "next") != 0))
        print_value(name, value, o->depth);
    return true;
}

static void print_flat(const char *name, const struct json_doc *value, int depth)
{
    struct buf b;

    buf_init(&b);
    shown_adds(&b, name);
    printf("%*s%s: ", 2 * depth, "", b.data);
    buf_clear(&b);
    shown_add_value(&b, value);
    puts(b.data);
    buf_fini(&b);
}

static void print_value(const char *name, const struct json_doc *value, int depth)
{
    struct outline inside = {.depth = depth + 1};
    size_t n = doc_count(value);
    struct buf b;

    if (is_flat(value) || strcmp(name, "event") == 0 || depth >= DEEPEST ||
        (json_doc_elements(value) != SIZE_MAX && each_is_flat(value))) {
        print_flat(name, value, depth);
        return;
    }
    buf_init(&b);
    shown_adds(&b, name);
    if (json_doc_elements(value) == SIZE_MAX) {
        printf("%*s%s\n", 2 * depth, "", b.data);
        json_doc_each(value, print_member, &inside);
    }
    for (size_t i = 0; i < n; i++) {
        const struct json_doc *element = json_doc_element(value, i);
        printf("%*s%s %zu\n", 2 * depth, "", b.data, i + 1);
        if (!json_doc_each(element, print_member, &inside))
            print_value("", element, depth + 1);
    }
    buf_fini(&b);
}

/* ---- open matches -------------------------------------------------------------------------------- */

static void add_steps(struct buf *out, const char *head, const struct json_doc *list)
{
    for (size_t i = 0; i < doc_count(list); i++) {
        buf_adds(out, i == 0 ? head : " or ");
        shown_add_value(out, json_doc_element(list, i));
    }
}

static void add_text(struct buf *out, const char *head, const char *text)
{
    if (!*text)
        return;
    buf_adds(out, head);
    shown_adds(out, text);
}

static void print_run(const struct json_doc *run, size_t number)
{
    const struct json_doc *events = json_doc_member(run, "events");
    struct buf b;

    buf_init(&b);
    buf_printf(&b, "  %zu. since ", number);
    shown_adds(&b, doc_text(run, "start"));
    add_steps(&b, ", at ", json_doc_member(run, "at"));
    add_steps(&b, ", waits for ", json_doc_member(run, "next"));
    if (doc_flag(run, "waiting"))
        buf_adds(&b, ", complete but for what may not follow");
    add_text(&b, ", until ", doc_text(run, "step_deadline"));
    add_text(&b, ", ends ", doc_text(run, "deadline"));
    puts(b.data);
    for (size_t i = 0; i < doc_count(events); i++) {
        const struct json_doc *event = json_doc_element(events, i);
        const struct json_doc *raw = json_doc_member(event, "event");
        buf_clear(&b);
        add_text(&b, "     ", doc_text(event, "time"));
        add_text(&b, "  ", doc_text(event, "step"));
        add_text(&b, "  ", doc_text(event, "source"));
        buf_adds(&b, "  ");
        if (raw)
            shown_add_value(&b, raw);
        puts(b.data);
    }
    buf_fini(&b);
}

static void print_runs(const struct json_doc *state)
{
    const struct json_doc *runs = json_doc_member(state, "runs");
    int64_t n = doc_int(state, "n_runs");

    printf("open matches: %lld%s\n", (long long)n, n > (int64_t)doc_count(runs) ? ", some of them:" : "");
    for (size_t i = 0; i < doc_count(runs); i++)
        print_run(json_doc_element(runs, i), i + 1);
}

void remote_print_outline(const struct json_doc *doc)
{
    struct outline top = {.but_page = true};

    json_doc_each(doc, print_member, &top);
}

static bool print_rest(void *ctx, const char *name, const struct json_doc *value)
{
    static const char *const told[] = {"frontier", "draining", "key", "found", "runs", "n_runs"};

    (void)ctx;
    for (size_t i = 0; i < sizeof told / sizeof *told; i++)
        if (strcmp(name, told[i]) == 0)
            return true;
    print_value(name, value, 0);
    return true;
}

static void print_state(const struct json_doc *state)
{
    struct buf b;

    buf_init(&b);
    if (json_doc_member(state, "key"))
        shown_add_key(&b, json_doc_member(state, "key"));
    if (doc_flag(state, "draining"))
        buf_adds(&b, b.len ? ", an old version, which drains" : "an old version, which drains");
    add_text(&b, b.len ? ", as of " : "as of ", doc_text(state, "frontier"));
    if (json_doc_member(state, "found") && !doc_flag(state, "found"))
        buf_adds(&b, b.len ? ": nothing is open" : "nothing is open");
    puts(b.len ? b.data : "state");
    buf_fini(&b);
    if (json_doc_member(state, "runs"))
        print_runs(state);
    json_doc_each(state, print_rest, NULL);
}

/* Of no key: how many there are, and which are the largest. */
static void print_keys(const struct json_doc *doc)
{
    const struct json_doc *memory = json_doc_member(doc, "in_memory"), *list = json_doc_member(doc, "largest");
    struct grid g;
    struct buf b;

    buf_init(&b);
    shown_adds(&b, doc_text(doc, "rule"));
    buf_printf(&b, ": %lld key%s, ", (long long)doc_int(doc, "keys"), doc_int(doc, "keys") == 1 ? "" : "s");
    shown_add_size(&b, doc_number(doc, "bytes"));
    buf_printf(&b, " (in memory: %lld, ", (long long)doc_int(memory, "keys"));
    shown_add_size(&b, doc_number(memory, "bytes"));
    buf_adds(&b, ")");
    puts(b.data);
    grid_begin(&g, ">STATE|KEY");
    for (size_t i = 0; i < doc_count(list); i++) {
        const struct json_doc *one = json_doc_element(list, i);
        grid_bytes(&g, doc_number(one, "bytes"));
        buf_clear(&b);
        shown_add_key(&b, json_doc_member(one, "key"));
        grid_take(&g, &b);
    }
    grid_print(&g, NULL);
    buf_fini(&b);
}

int remote_state_show(struct remote *r)
{
    struct remote_answer a;
    struct buf path;
    bool shown;

    if (!remote_words(r, 1, 1, "no rule is named"))
        return EXIT_USAGE;
    remote_path(&path, "/v1/state/", r->word[0], "");
    remote_add_option(r, &path, "key");
    remote_add_option(r, &path, "from");
    remote_add_option(r, &path, "limit");
    remote_answer_init(&a);
    int code = remote_get(r, path.data, &a, &shown);
    if (code == EXIT_OK && !shown) {
        const struct json_doc *states = json_doc_member(a.doc, "states");
        for (size_t i = 0; i < doc_count(states); i++)
            print_state(json_doc_element(states, i));
        if (json_doc_member(a.doc, "largest"))
            print_keys(a.doc);
        else if (doc_count(states) == 0)
            puts("nothing is kept");
    }
    buf_fini(&path);
    remote_answer_fini(&a);
    return code;
}
