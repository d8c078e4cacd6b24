// SPDX-License-Identifier: Apache-2.0
/*
 * ast - what a set of rule files says, before anything is known about its meaning.
 *
 * The grammar's actions build this with ast_*() calls and nothing else; resolve and typecheck then
 * fill the fields marked [resolve] / [typecheck]; plan reads it and it is dropped. All nodes and
 * texts live in the module set's arena. Lists are singly linked by `next` in source order unless
 * they are counted arrays.
 *
 * Read next: parse.h (text -> this), ast_print.h (this -> text), resolve.h.
 */
#ifndef LANG_AST_H
#define LANG_AST_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/diag.h"
#include "event/schema.h"
#include "event/value.h"

struct arena;
struct row_table;

/* A name with its place. text is NUL-terminated, unquoted (no back quotes). */
struct ast_name {
    const char *text;
    uint32_t len;
    struct span span;
};

/* ---- expressions ------------------------------------------------------------------------- */

enum ast_op { /* see operator.def: token text, precedence, negative form, ignores case */
#define OPERATOR(id, text, arity, precedence, doc) AST_OP_##id,
#include "lang/operator.def"
#undef OPERATOR
    AST_OP_COUNT
};

enum ast_expr_kind {
    AST_LITERAL,    /* value */
    AST_LIST,       /* [a, b]: args */
    AST_PATH,       /* a.b[0].c: part */
    AST_UNARY,      /* op, args[0] */
    AST_BINARY,     /* op, args[0], args[1]; fold for the `~` form */
    AST_CALL,       /* name, args; where, within, key, member: see below */
    AST_QUANTIFIED, /* any(x in field: cond), all(...): op unused; name = variable, args[0] = list,
                       args[1] = condition, all */
};

/* What a path or a call turned out to mean. [resolve] */
enum ast_ref {
    REF_NONE,        /* not resolved (an error was reported) or not a reference */
    REF_FIELD,       /* a field of the candidate event: slot */
    REF_STEP_FIELD,  /* a field of the last event bound to step `step`: slot */
    REF_STEP,        /* the step itself, as an argument: count(a), time(a), exists(a) */
    REF_KEY,         /* key number `key` of the rule */
    REF_EMITTED,     /* emitted field number `emitted` (templates, suppress, exceptions) */
    REF_LIST,        /* declared list number `list` */
    REF_VARIABLE,    /* the variable of an enclosing any()/all(), or a parameter of a def; depth in
                        `variable` (0 = innermost) ; the path's further parts are applied to it */
    REF_ANY_FIELD,   /* any_field: all text values of the candidate */
    REF_FUNCTION,    /* a call of functions.def: function */
    REF_AGGREGATE,   /* a call of a loop aggregate over step `step`: aggregate, slot (or no_slot) */
    REF_PREV,        /* prev(a).x: the last bound event of the step being offered: step, slot */
    REF_WINDOW_AGGREGATE, /* a call of an aggregate of a window: aggregate; step: its input, or
                             AST_ALL_INPUTS; number. Or a path that `novel` is about: number */
    REF_WINDOW_BOUND,     /* window_start, or (is_end) window_end */
    REF_ADDED,            /* a field that a stream adds: args[0] is what it means (resolve_added.c) */
    REF_TABLE,            /* behind `in`: table number `list`. With index: its column `number` */
    REF_IN_STREAM,        /* in_stream(): does stream `number` hold the candidate; and of `step`: */
    REF_STEP_IN_STREAM,
    REF_CANDIDATE,        /* an input as an argument within an aggregate: sum(time(a) - ...) */
};

struct ast_expr {
    enum ast_expr_kind kind;
    struct span span;
    enum ast_op op;
    bool fold;                /* operator with `~` */
    bool all;                 /* AST_QUANTIFIED: all() rather than any() */
    bool parenthesised;       /* for the printer */
    struct value value;       /* AST_LITERAL; text lives in the arena */
    uint8_t literal_form;     /* enum ast_literal_form: how it was written */
    struct ast_name name;     /* AST_CALL: function; AST_QUANTIFIED: variable */
    struct path_part *part;   /* AST_PATH: n_parts; AST_CALL: the member path behind it,
                                 `first(a).x.y`: n_parts */
    uint32_t n_parts;
    bool *part_quoted;        /* AST_PATH: was the part back-quoted */
    struct ast_expr **args;
    uint32_t n_args;
    struct ast_expr *where;   /* AST_CALL: count(x where c) */
    struct ast_expr *within;  /* AST_CALL: sum(x, within 1h): a duration literal */
    struct ast_expr *index;   /* AST_PATH: name[key].column: the key; part behind is in `part` after
                                 `index_at` parts */
    uint32_t index_at;
    uint32_t depth;           /* levels of the tree from here down; a leaf has 1 */

    /* [resolve] */
    enum ast_ref ref;
    uint32_t slot;      /* schema slot */
    bool has_slot;
    uint32_t step;      /* step number in the rule's body */
    uint32_t key;
    uint32_t emitted;
    uint32_t list;
    uint32_t variable;
    uint32_t function;  /* enum function_id (functions.def) */
    uint32_t aggregate; /* enum aggregate_id (aggregate.def); REF_WINDOW_AGGREGATE: enum
                           lang_window_aggregate (window_aggregate.def) */
    bool is_end;        /* REF_WINDOW_BOUND */
    bool is_fed;        /* REF_TABLE: events feed it */
    bool is_over;       /* REF_AGGREGATE: over args[0], of each event bound to the step */
    uint32_t expansion; /* 0: as written; else which use of a def this node was copied for */
    /* [typecheck] */
    uint16_t types;     /* OR of (1 << enum value_type) that it may have at run time */
    /* [plan], of a novel's paths and REF_IN_STREAM [resolve] */
    uint32_t number;    /* REF_WINDOW_AGGREGATE: among the rule's aggregates; equal calls share one.
                           REF_IN_STREAM: the stream */
};

enum ast_literal_form { AST_FORM_PLAIN, AST_FORM_RAW_TEXT, AST_FORM_SIZE, AST_FORM_DATE, AST_FORM_TIME };

/* ---- declarations ------------------------------------------------------------------------ */

/* by user.id, ip = lower(source.ip), ?host */
struct ast_key {
    struct ast_key *next;
    struct ast_name name;   /* as written: the path's text, or the name before `=` */
    struct ast_expr *expr;
    bool optional;          /* ?path: missing is a value of its own */
    struct span span;
};

struct ast_assign { /* left = expr, in emit and in streams */
    struct ast_assign *next;
    struct path_part *part; /* the left side's parts (names only) */
    uint32_t n_parts;
    struct ast_expr *expr;
    struct span span, left_span;
    struct ast_expr *checked; /* [resolve] of a stream: a copy of expr, resolved for typecheck */
};

struct ast_names { /* a, b or [a, b] */
    struct ast_name *name;
    uint32_t n;
    struct span span;
};

struct ast_stream {
    struct ast_stream *next;
    struct ast_name name;
    struct ast_names inputs;
    struct ast_expr *where;        /* NULL if none */
    struct ast_assign *fields;
    struct ast_expr *expect;       /* expect C else ... */
    uint8_t expect_else;           /* enum ast_expect_else */
    struct ast_name quarantine;
    struct span span;
    /* [resolve]: sources it is a union of, transitively, with the conditions on the way */
    bool resolving, resolved;
};
enum ast_expect_else { AST_ELSE_NONE, AST_ELSE_WARN, AST_ELSE_DROP, AST_ELSE_QUARANTINE };

enum ast_list_kind { AST_LIST_PLAIN, AST_LIST_TEXT, AST_LIST_CIDR, AST_LIST_LIKE, AST_LIST_REGEX };
struct ast_list {
    struct ast_list *next;
    struct ast_name name;
    enum ast_list_kind kind;
    struct ast_expr **item; /* literals */
    uint32_t n_items;
    struct ast_name file;   /* file "path": text NULL if none; `#` comments, one entry a line */
    struct span span;
    uint32_t number;        /* [resolve] */
};

struct ast_table {
    struct ast_table *next;
    struct ast_name name;
    uint8_t from;               /* enum ast_table_from */
    struct ast_name file;       /* path */
    struct ast_name stream;
    struct ast_config *kafka;
    struct ast_expr *key;       /* path */
    struct ast_expr *keep;      /* duration or NULL */
    struct span span;
    /* [resolve] of a test block's: */
    struct row_table *rows;     /* owned by the unit; NULL: they were wrong */
    uint32_t number;            /* of the table in whose place it stands */
};
enum ast_table_from { AST_TABLE_FILE, AST_TABLE_STREAM, AST_TABLE_KAFKA };

struct ast_def {
    struct ast_def *next;
    struct ast_name name;
    struct ast_names params;
    struct ast_expr *body;
    struct span span;
};

struct ast_exception {
    struct ast_exception *next;
    struct ast_name title;      /* text literal */
    struct ast_names rules;
    struct ast_expr *until;     /* time literal or NULL */
    struct ast_expr *where;     /* as written: each rule has a copy of its own */
    struct span span;
    uint32_t number;            /* [resolve] in order of declaration */
};

/* Configuration: key value, key { ... }; also `meta { ... }` of a rule. */
struct ast_config {
    struct ast_config *next;
    struct path_part *key;
    uint32_t n_key;
    struct ast_expr *value;     /* literal, list, path (a bare word), call env("X"); or NULL */
    struct ast_config *block;   /* { ... } contents */
    bool has_block;
    struct span span, key_span;
};

/* engine { } source NAME { } sink NAME { } http { } route { } default_to [a] */
enum ast_config_kind { AST_ENGINE, AST_SOURCE, AST_SINK, AST_HTTP, AST_ROUTE, AST_DEFAULT_TO };
struct ast_config_decl {
    struct ast_config_decl *next;
    enum ast_config_kind kind;
    struct ast_name name;       /* source, sink */
    struct ast_config *entries;
    struct ast_names to;        /* default_to */
    struct span span;
};

/* ---- bodies ------------------------------------------------------------------------------ */

enum { AST_UNBOUNDED = UINT32_MAX, AST_ALL_INPUTS = UINT32_MAX };

/* a: S where P - a step, an input of a window, a side of a join */
struct ast_step {
    struct ast_step *next;      /* within a group */
    struct ast_name name;
    struct ast_names streams;
    uint32_t min, max;          /* {1,1} unless quantified; max AST_UNBOUNDED */
    bool quantified;            /* written with a quantifier */
    struct span quantifier_span;
    bool optional_side;         /* join: `b?:` (also min 0 max 1 there) */
    bool negated;               /* join: `not b:`; match: a `not` element */
    struct ast_key *keys;       /* its own `by`, or NULL */
    struct ast_expr *where;     /* or NULL */
    struct ast_expr *within;    /* duration literal or NULL */
    struct span span;
    /* [resolve] */
    uint32_t number;            /* in order of appearance in the body, from 0; `until` last */
    uint32_t *stream;           /* numbers of lang_unit streams, as many as streams.n */
    struct ast_key *effective_keys; /* its own, or the head's; NULL: the rule has a single key */
};

enum ast_element_kind { AST_STEP, AST_ANY, AST_ALL, AST_NOT };
struct ast_element {
    struct ast_element *next;
    enum ast_element_kind kind;
    bool is_next;               /* preceded by `next` */
    struct span next_span;
    struct ast_step *step;      /* AST_STEP, AST_NOT: one; groups: a list */
    uint32_t n_steps;
    uint32_t need;              /* AST_ALL: how many of them (n_steps unless `all 3`) */
    bool has_need;
    struct span span;
};

struct ast_match {
    struct ast_key *keys;       /* NULL without `by` */
    struct ast_expr *within;    /* duration literal or NULL */
    uint8_t select;             /* enum ast_select */
    bool has_select;
    struct span select_span;
    struct ast_element *elements;
    struct ast_step *until;     /* or NULL */
    uint32_t n_steps;           /* [resolve] all steps, nots and until */
    struct ast_step **steps;    /* [resolve] by number */
};
enum ast_select { AST_SELECT_FIRST, AST_SELECT_LAST, AST_SELECT_EACH, AST_SELECT_ALL };

enum ast_window_kind { AST_TUMBLING, AST_HOPPING, AST_SESSION, AST_SLIDING, AST_GLOBAL };
enum ast_fire { AST_FIRE_DEFAULT, AST_FIRE_ON_CLOSE, AST_FIRE_ON_MATCH, AST_FIRE_ON_MATCH_RESET,
                AST_FIRE_ON_EVERY_MATCH, AST_FIRE_ON_CHANGE };
struct ast_window {
    enum ast_window_kind kind;
    struct ast_expr *size, *every, *offset, *max, *expire, *late; /* duration literals or NULL */
    struct ast_name zone;       /* text or NULL */
    struct ast_key *keys;
    struct ast_name in_table;   /* by host in hosts */
    uint32_t in_table_number;   /* [resolve] */
    struct ast_step *inputs;
    struct ast_expr *having;
    uint8_t fire;               /* enum ast_fire */
};

struct ast_join {
    struct ast_key *keys;
    struct ast_expr *low, *high; /* within D: low NULL; within low..high */
    struct ast_step *sides;      /* two */
};

struct ast_novel {
    struct ast_expr **paths;     /* the value or tuple */
    uint32_t n_paths;
    struct ast_key *keys;
    struct ast_expr *within, *after;
    struct ast_step *inputs;
};

enum ast_body { AST_BODY_NONE, AST_BODY_MATCH, AST_BODY_WINDOW, AST_BODY_JOIN, AST_BODY_NOVEL };

/* limit runs n per key | events n per run | values n per key | state SIZE | alerts n per D |
 * matches n per event */
enum ast_limit_kind { AST_LIMIT_RUNS, AST_LIMIT_EVENTS, AST_LIMIT_VALUES, AST_LIMIT_STATE,
                      AST_LIMIT_ALERTS, AST_LIMIT_MATCHES, AST_LIMIT_COUNT };
struct ast_limit {
    struct ast_limit *next;
    enum ast_limit_kind kind;
    int64_t n;               /* bytes for state */
    int64_t per;             /* ns for alerts, else 0 */
    struct span span;
};

/* Test blocks. JSON is kept as text (printed canonically from what was parsed, so it is valid). */
struct ast_test_item {
    struct ast_test_item *next;
    uint8_t kind;               /* enum ast_test_item_kind */
    int64_t offset;             /* ns; event, `alert at`, `until` */
    bool has_offset;
    struct ast_name stream;     /* event */
    const char *json;           /* event; expected fields or NULL; NUL-terminated */
    uint32_t json_len;
    uint64_t count;             /* expect N alerts */
    struct ast_list *list;      /* list replacement */
    struct ast_table *table;    /* table replacement: rows in table_rows */
    const char *table_rows;     /* JSON array text */
    struct span span;
};
enum ast_test_item_kind { AST_TEST_EVENT, AST_TEST_EXPECT_NONE, AST_TEST_EXPECT_COUNT,
                          AST_TEST_EXPECT_ALERT, AST_TEST_UNTIL, AST_TEST_LATENESS, AST_TEST_LIST,
                          AST_TEST_TABLE };
struct ast_test {
    struct ast_test *next;
    struct ast_name title;      /* text */
    struct ast_test_item *items;
    struct span span;
};

/* Text with {path} in it. [resolve] */
struct ast_piece {
    struct ast_piece *next;
    const char *text;           /* literal text, NUL-terminated; NULL: expr */
    uint32_t len;
    struct ast_expr *expr;
};

/* An exception of a rule. [resolve] */
struct ast_excepted {
    struct ast_excepted *next;
    const struct ast_exception *exception;
    struct ast_expr *where;
};

struct ast_rule {
    struct ast_rule *next;
    struct ast_name name;
    struct ast_expr *title, *description; /* text literals or NULL */
    struct ast_expr *severity, *risk;     /* expression; a bare info/low/... is an AST_PATH */
    struct ast_expr *tags;                /* AST_LIST or NULL */
    struct ast_config *meta;
    bool disabled;
    enum ast_body body;
    struct span body_span;
    struct ast_match *match;
    struct ast_window *window;
    struct ast_join *join;
    struct ast_novel *novel;
    struct ast_assign *emit;
    bool has_emit;
    struct ast_name emit_into;            /* text NULL if none */
    struct {
        struct ast_expr *delay;           /* duration literal or NULL: no suppress */
        struct ast_expr **by;             /* paths */
        uint32_t n_by;
        bool summary;
        struct span span;
    } suppress;
    struct ast_names to;
    struct ast_limit *limits;
    struct ast_expr *keep;                /* integer literal or NULL */
    struct ast_name on_reload;            /* drain fresh refuse; text NULL if none */
    struct ast_test *tests;
    struct span span;
    /* [resolve] */
    uint32_t number;                      /* in lang_unit.rule: by name */
    uint32_t depth;                       /* 0: reads sources only; see resolve_derived.c */
    uint8_t depth_state;
    uint32_t stream_own, stream_into;     /* streams that it makes and that someone reads, or
                                             UINT32_MAX */
    struct ast_step **steps;              /* steps, inputs or sides by number; NULL: not known */
    uint32_t n_steps;
    uint32_t n_keys;
    struct ast_key *key_names;            /* the head's keys, or else those of the first step */
    struct ast_piece *title_pieces, *description_pieces;
    struct ast_excepted *excepted;
};

/* Everything that all files of a set declare, in file order. */
struct ast_module {
    struct arena *arena; /* owns all of it */
    struct ast_stream *streams;
    struct ast_list *lists;
    struct ast_table *tables;
    struct ast_def *defs;
    struct ast_exception *exceptions;
    struct ast_rule *rules;
    struct ast_config_decl *configs;
};

/* Constructors: each allocates in the arena and sets kind and span. ast.c. */
struct ast_module *ast_module_new(void);
void ast_module_free(struct ast_module **module);
struct ast_expr *ast_literal(struct arena *a, struct span span, struct value value, enum ast_literal_form form);
struct ast_expr *ast_path(struct arena *a, struct span span, const struct path_part *part, const bool *quoted, uint32_t n);
struct ast_expr *ast_unary(struct arena *a, struct span span, enum ast_op op, struct ast_expr *x);
struct ast_expr *ast_binary(struct arena *a, struct span span, enum ast_op op, bool fold, struct ast_expr *x, struct ast_expr *y);
struct ast_expr *ast_call(struct arena *a, struct span span, struct ast_name name, struct ast_expr **args, uint32_t n);
struct ast_expr *ast_list_expr(struct arena *a, struct span span, struct ast_expr **items, uint32_t n);
struct ast_expr *ast_quantified(struct arena *a, struct span span, bool all, struct ast_name var, struct ast_expr *list, struct ast_expr *cond);

/* Walks an expression tree, parents first; stops and returns false when visit does. */
typedef bool ast_visit_fn(struct ast_expr *expr, void *ctx);
bool ast_walk(struct ast_expr *expr, ast_visit_fn *visit, void *ctx);

#endif
