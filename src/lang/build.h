// SPDX-License-Identifier: Apache-2.0
/*
 * build - what the actions of grammar/rule.y call: one call an action.
 *
 * These make nodes with ast_*(), hang them where they belong, and report what the grammar cannot
 * say in its productions: a clause given twice, a number out of range, forms that are refused with
 * a reason. No names are looked up here and no types known; that is resolve's and typecheck's.
 *
 * Lists grow as struct build_list (NULL is the empty list) and become chains or arrays of the node
 * that takes them. All memory is the module's arena.
 */
#ifndef LANG_BUILD_H
#define LANG_BUILD_H

#include <stdbool.h>
#include <stdint.h>

#include "lang/ast.h"

struct lex;
struct parse; /* one parse: parse_priv.h */
struct build_list;
struct build_path; /* a path that is being read, or a call with a path behind it */

struct build_op { /* a comparison as written */
    enum ast_op op;
    bool fold;
};

struct build_count { /* a step's quantifier */
    uint32_t min, max;
    bool given;
    struct span span;
};

struct build_args { /* what stands in a call's parentheses */
    struct build_list *list;
    struct ast_expr *where, *within;
};

struct build_range { /* within low..high */
    struct ast_expr *low, *high;
};

struct lex *build_lex(struct parse *p);
void build_recover_declaration(struct parse *p);
void build_recover_clause(struct parse *p);
/* Reports a syntax error: `found` and `expected` are spelled as in rule.y's token list; the lexer's
 * `early` has been set. */
void build_syntax_error(struct parse *p, struct span span, const char *found,
                        const char **expected, int n);
void build_too_deep(struct parse *p, struct span span);

struct build_list *build_append(struct parse *p, struct build_list *list, void *item);
struct build_list *build_append_name(struct parse *p, struct build_list *list, struct ast_name name);
struct ast_names build_names(struct parse *p, struct span span, struct build_list *list);
struct ast_names build_one_name(struct parse *p, struct ast_name name);
struct ast_name build_text_name(struct parse *p, struct ast_expr *text); /* a text as a name */

/* ---- expressions: build_expr.c ------------------------------------------------------------ */

struct ast_expr *build_negative(struct parse *p, struct span span, struct ast_expr *x);
struct ast_expr *build_not(struct parse *p, struct span span, struct ast_expr *x);
struct ast_expr *build_compare(struct parse *p, struct span span, struct build_op op, struct ast_expr *x, struct ast_expr *y);
struct ast_expr *build_binary(struct parse *p, struct span span, enum ast_op op, struct ast_expr *x, struct ast_expr *y);
/* a and b and c: a balanced tree, so that a thousand terms are not a thousand levels. */
struct ast_expr *build_terms(struct parse *p, enum ast_op op, struct build_list *terms);
struct ast_expr *build_parenthesised(struct ast_expr *x);
struct ast_expr *build_list_expr(struct parse *p, struct span span, struct build_list *items);
struct ast_expr *build_quantified(struct parse *p, struct span span, bool all, struct ast_name variable,
                                  struct build_op in, struct ast_expr *list, struct ast_expr *cond);
struct ast_expr *build_call(struct parse *p, struct span span, struct ast_name name, struct build_args args);
struct build_args build_args(struct build_list *list, struct ast_expr *where, struct ast_expr *within);

struct build_path *build_path(struct parse *p, struct ast_name name);
struct build_path *build_path_of_call(struct parse *p, struct ast_expr *call);
struct build_path *build_path_name(struct parse *p, struct build_path *path, struct ast_name name);
struct build_path *build_path_index(struct parse *p, struct span span, struct build_path *path, struct ast_expr *index);
struct ast_expr *build_path_expr(struct parse *p, struct span span, struct build_path *path);

/* ---- declarations: build_decl.c ----------------------------------------------------------- */

void build_result(struct parse *p, struct ast_expr *expr); /* of parse_expr */

struct ast_stream *build_stream_expect(struct parse *p, struct ast_expr *cond, enum ast_expect_else otherwise, struct ast_name sink);
/* `expect` is what build_stream_expect gave, or NULL. */
void build_stream(struct parse *p, struct span span, struct ast_name name, struct build_list *inputs,
                  struct ast_expr *where, struct build_list *fields, struct ast_stream *expect);
struct ast_list *build_list_items(struct parse *p, struct ast_expr *items);
struct ast_list *build_list_file(struct parse *p, struct ast_expr *file);
void build_list(struct parse *p, struct span span, struct ast_name name, enum ast_list_kind kind, struct ast_list *list);
enum ast_list_kind build_list_kind(struct parse *p, struct span span, struct build_op op);
struct ast_table *build_table_file(struct parse *p, struct ast_expr *file);
struct ast_table *build_table_stream(struct parse *p, struct ast_name stream);
struct ast_table *build_table_kafka(struct parse *p, struct build_list *entries);
void build_table(struct parse *p, struct span span, struct ast_name name, struct ast_table *table,
                 struct ast_expr *key, struct ast_expr *keep);
void build_def(struct parse *p, struct span span, struct ast_name name, struct build_list *params, struct ast_expr *body);
void build_exception(struct parse *p, struct span span, struct ast_expr *title, struct ast_names rules,
                     struct ast_expr *until, struct ast_expr *where);
void build_config(struct parse *p, struct span span, enum ast_config_kind kind, struct ast_name name, struct build_list *entries);
void build_default_to(struct parse *p, struct span span, struct ast_names to);
struct ast_config *build_entry(struct parse *p, struct span span, struct build_path *key, struct span key_span, struct ast_expr *value);
struct ast_config *build_block(struct parse *p, struct span span, struct build_path *key, struct span key_span, struct build_list *entries);
struct ast_assign *build_assign(struct parse *p, struct span span, struct build_path *left, struct span left_span, struct ast_expr *expr);

/* ---- rules: build_rule.c ------------------------------------------------------------------ */

void build_rule_begin(struct parse *p, struct ast_name name);
void build_rule_end(struct parse *p, struct span span);
void build_title(struct parse *p, struct span span, struct ast_expr *text);
void build_description(struct parse *p, struct span span, struct ast_expr *text);
void build_severity(struct parse *p, struct span span, struct ast_expr *expr);
void build_risk(struct parse *p, struct span span, struct ast_expr *expr);
void build_tags(struct parse *p, struct span span, struct ast_expr *list);
void build_meta(struct parse *p, struct span span, struct build_list *entries);
void build_disabled(struct parse *p, struct span span);
void build_match_body(struct parse *p, struct span span, struct ast_match *match, struct build_list *elements);
void build_window_body(struct parse *p, struct span span, struct ast_window *window);
void build_join_body(struct parse *p, struct span span, struct ast_join *join, struct build_list *sides);
void build_novel_body(struct parse *p, struct span span, struct ast_novel *novel, struct build_list *inputs);
void build_emit(struct parse *p, struct span span, struct build_list *fields);
void build_emit_into(struct parse *p, struct span span, struct ast_name stream, struct build_list *fields);
void build_suppress(struct parse *p, struct span span, struct ast_expr *delay, struct build_list *by, bool summary);
void build_to(struct parse *p, struct span span, struct ast_names to);
void build_limit(struct parse *p, struct span span, enum ast_limit_kind kind, struct ast_expr *n, struct ast_expr *per);
void build_keep(struct parse *p, struct span span, struct ast_expr *n);
void build_on_reload(struct parse *p, struct span span, struct ast_name mode);

/* ---- bodies: build_body.c ----------------------------------------------------------------- */

struct ast_key *build_key(struct parse *p, struct span span, struct build_path *path, bool optional);
struct ast_key *build_named_key(struct parse *p, struct span span, struct ast_name name, struct ast_expr *expr);

struct build_count build_count(struct parse *p, struct span span, struct ast_expr *min, struct ast_expr *max);
struct build_count build_count_from(struct parse *p, struct span span, struct ast_expr *min);
struct build_count build_count_range(struct span span, uint32_t min, uint32_t max); /* + * ? */

/* A step begins with what may follow its streams, in any order. */
struct ast_step *build_step_new(struct parse *p);
struct ast_step *build_step_by(struct parse *p, struct span span, struct ast_step *step, struct build_list *keys);
struct ast_step *build_step_where(struct parse *p, struct span span, struct ast_step *step, struct ast_expr *where);
struct ast_step *build_step_within(struct parse *p, struct span span, struct ast_step *step, struct ast_expr *within);
struct ast_step *build_step(struct span span, struct ast_step *step, struct ast_name name, struct build_count count, struct ast_names streams);
struct ast_step *build_negated(struct span span, struct ast_step *step);

struct ast_element *build_element(struct parse *p, struct span span, struct ast_step *step);
struct ast_element *build_element_not(struct parse *p, struct span span, struct ast_step *step);
struct ast_element *build_element_until(struct parse *p, struct span span, struct ast_step *step);
struct ast_element *build_group(struct parse *p, struct span span, enum ast_element_kind kind, struct ast_expr *need, struct build_list *steps);
struct ast_element *build_next(struct ast_element *element, struct span span, struct span next_span);
/* Forms that the tree cannot hold are refused here, with the reason; the others by resolve. */
struct ast_element *build_refuse_count(struct parse *p, struct ast_element *element, struct build_count count);
struct ast_step *build_refuse_group(struct parse *p, struct span span);

struct ast_match *build_match(struct parse *p);
struct ast_match *build_match_by(struct parse *p, struct span span, struct ast_match *match, struct build_list *keys);
struct ast_match *build_match_within(struct parse *p, struct span span, struct ast_match *match, struct ast_expr *within);
struct ast_match *build_match_select(struct parse *p, struct span span, struct ast_match *match, enum ast_select select);

struct ast_window *build_window(struct parse *p, enum ast_window_kind kind, struct ast_expr *size, struct ast_expr *other);
struct ast_window *build_window_offset(struct parse *p, struct span span, struct ast_window *window, struct ast_expr *offset);
struct ast_window *build_window_zone(struct parse *p, struct span span, struct ast_window *window, struct ast_expr *zone);
struct ast_window *build_window_by(struct parse *p, struct ast_window *window, struct build_list *keys);
struct ast_window *build_window_in(struct parse *p, struct ast_window *window, struct build_op in, struct ast_name table);
struct ast_window *build_window_inputs(struct parse *p, struct ast_window *window, struct build_list *inputs);
struct ast_window *build_having(struct parse *p, struct span span, struct ast_window *window, struct ast_expr *having);
struct ast_window *build_fire(struct parse *p, struct span span, struct ast_window *window, enum ast_fire fire);
struct ast_window *build_allow_late(struct parse *p, struct span span, struct ast_window *window, struct ast_expr *late);

struct ast_join *build_join(struct parse *p);
struct ast_join *build_join_by(struct parse *p, struct span span, struct ast_join *join, struct build_list *keys);
struct ast_join *build_join_within(struct parse *p, struct span span, struct ast_join *join, struct build_range range);

struct ast_novel *build_novel(struct parse *p, struct build_list *paths);
struct ast_novel *build_novel_by(struct parse *p, struct span span, struct ast_novel *novel, struct build_list *keys);
struct ast_novel *build_novel_within(struct parse *p, struct span span, struct ast_novel *novel, struct ast_expr *within);
struct ast_novel *build_novel_after(struct parse *p, struct span span, struct ast_novel *novel, struct ast_expr *after);

/* ---- tests: build_test.c ------------------------------------------------------------------ */

/* `json` is the span of a JSON value that the grammar has accepted; its text is made canonical. */
struct ast_test_item *build_event(struct parse *p, struct span span, struct ast_expr *offset, struct ast_name stream, struct span json);
struct ast_test_item *build_expect_none(struct parse *p, struct span span);
struct ast_test_item *build_expect_count(struct parse *p, struct span span, struct ast_expr *n);
/* at: or NULL; json: empty if there is none. */
struct ast_test_item *build_expect_alert(struct parse *p, struct span span, struct ast_expr *at, struct span json);
struct ast_test_item *build_test_until(struct parse *p, struct span span, struct ast_expr *offset);
struct ast_test_item *build_test_lateness(struct parse *p, struct span span, struct ast_expr *lateness);
struct ast_test_item *build_test_list(struct parse *p, struct span span, struct ast_name name, struct ast_expr *items);
struct ast_test_item *build_test_table(struct parse *p, struct span span, struct ast_name name, struct span json);
void build_test(struct parse *p, struct span span, struct ast_expr *title, struct build_list *items);

#endif
