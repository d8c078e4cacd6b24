// SPDX-License-Identifier: Apache-2.0
/*
 * resolve_test - the test blocks of a rule: streams and lists that are known, expectations that
 * can be met. Comes after all rules, when it is known which sources something reads: an event for
 * a source that nothing reads may be a slip of the pen, and gets a warning.
 */
#include "base/diag.h"
#include "base/intern.h"
#include "lang/resolve_priv.h"

#include <string.h>

static void check_event(struct resolver *r, const struct ast_test_item *item)
{
    const struct ast_name *name = &item->stream;
    uint32_t number;
    if (strcmp(name->text, "any") == 0) {
        diag_add(r->diag, DIAG_ERROR, name->span, "an event is given to a stream or a source");
        diag_hint(r->diag, "`any` is all of them");
        return;
    }
    if (name_table_find(&r->streams, name->text, &number) &&
        (!r->stream[number].is_source || r->used[number]))
        return;
    if (!resolve_stream(r, name, &number) || r->used[LANG_STREAM_ANY])
        return;
    diag_add(r->diag, DIAG_WARNING, name->span, "no rule reads `%s`", name->text);
    struct suggest s;
    suggest_init(&s, name->text);
    for (uint32_t i = 1; i < intern_count(r->streams.names); i++) {
        if (!r->stream[i].is_table && (!r->stream[i].is_source || r->used[i]))
            suggest_try(&s, r->stream[i].name);
    }
    resolve_did_you_mean(r, &s);
}

static void check_list(struct resolver *r, const struct ast_test_item *item)
{
    struct ast_list *list = item->list;
    uint32_t number;
    if (!name_table_find(&r->lists, list->name.text, &number)) {
        diag_add(r->diag, DIAG_ERROR, list->name.span, "no list `%s` is declared", list->name.text);
        struct suggest s;
        suggest_init(&s, list->name.text);
        name_table_suggest(&r->lists, &s);
        resolve_did_you_mean(r, &s);
        return;
    }
    const struct ast_list *declared = r->lists.item[number];
    list->number = number;
    if (list->kind == AST_LIST_PLAIN)
        list->kind = declared->kind;
    if (list->kind != declared->kind) {
        diag_add(r->diag, DIAG_ERROR, list->span, "list `%s` is declared as another kind",
                 list->name.text);
        diag_hint(r->diag, "declared at %s", resolve_place(r, declared->name.span));
        return;
    }
    resolve_list_items(r, list, list->kind);
}

struct test_seen {
    const struct ast_test_item *none, *count, *alert, *until, *lateness;
};

static void only_once(struct resolver *r, const struct ast_test_item **seen,
                      const struct ast_test_item *item, const char *what)
{
    if (*seen != NULL)
        diag_add(r->diag, DIAG_ERROR, item->span, "`%s` stands twice in this test", what);
    *seen = item;
}

static void check_item(struct resolver *r, const struct ast_test_item *item, struct test_seen *seen)
{
    switch (item->kind) {
    case AST_TEST_EVENT: check_event(r, item); break;
    case AST_TEST_EXPECT_NONE: only_once(r, &seen->none, item, "expect none"); break;
    case AST_TEST_EXPECT_COUNT: only_once(r, &seen->count, item, "expect ... alerts"); break;
    case AST_TEST_EXPECT_ALERT: seen->alert = item; break;
    case AST_TEST_UNTIL: only_once(r, &seen->until, item, "until"); break;
    case AST_TEST_LATENESS:
        only_once(r, &seen->lateness, item, "lateness");
        if (item->offset < 0)
            diag_add(r->diag, DIAG_ERROR, item->span, "`lateness` cannot be negative");
        break;
    case AST_TEST_LIST: check_list(r, item); break;
    case AST_TEST_TABLE: resolve_test_table(r, item); break;
    }
}

static void resolve_test(struct resolver *r, const struct ast_test *test)
{
    struct test_seen seen = {0};
    for (const struct ast_test_item *item = test->items; item != NULL; item = item->next)
        check_item(r, item, &seen);
    const struct ast_test_item *other = seen.count != NULL ? seen.count : seen.alert;
    if (seen.none != NULL && other != NULL) {
        diag_add(r->diag, DIAG_ERROR, seen.none->span, "`expect none` beside another `expect`");
    } else if (seen.none == NULL && other == NULL) {
        diag_add(r->diag, DIAG_WARNING, test->title.span, "this test expects nothing");
        diag_hint(r->diag, "say so with `expect none`");
    }
}

void resolve_tests(struct resolver *r, struct ast_rule *rule)
{
    for (const struct ast_test *t = rule->tests; t != NULL; t = t->next)
        resolve_test(r, t);
}
