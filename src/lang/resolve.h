// SPDX-License-Identifier: Apache-2.0
/*
 * resolve - what each name means, and what is refused; typecheck - what type each expression has.
 *
 * Input: a parsed module. Output: the same tree with its [resolve] and [typecheck] fields filled,
 * and the tables of a struct lang_unit. All mistakes of all files go to diag; a construct that the
 * grammar knows and the engine does not is refused here, by name.
 *
 * Names are looked up in this order. In a step's `where`: variable of an enclosing any()/all() or
 * def parameter; step (first part of the path; the step itself for prev() and the aggregates); else
 * a field of the candidate. In `emit`, templates, `suppress by`: emitted field, whole (templates and
 * suppress only); step; key as written; else a field of the completing event. In a stream's `where`
 * and in a key: a field of the candidate.
 *
 * A path whose first part is a step's name always means the step. Where that cannot be - in the
 * step's own or an earlier step's `where`, in a key, in the `where` of a stream that the rule reads,
 * in the body of a def - the field is meant, and the name is ambiguous in this rule: that is an
 * error, which asks to rename the step. So in a rule that compiles, no field that it reads begins
 * with the name of one of its steps.
 *
 * The inputs of a window or a novel and the sides of a join are steps too. Of a window's inputs only
 * the arguments of aggregates speak: there `a.x` and a bare `x` are fields of one event of the input,
 * and in `having`, `emit` and texts everything but keys, emitted fields and the window's bounds is an
 * aggregate. The sides of a join see each other, both ways; what a `novel` is about is, in `emit`,
 * the value that is new.
 *
 * Who may refer to a step: later steps and `not`s; steps of the same `all { }`, whichever way; the
 * step itself, by prev() and the aggregates; `until`, emit, texts. To a `not` or `until`: nobody. A
 * `not` before the first step sees the first step only.
 *
 * State is bounded if the head has `within`; or else if each step that a run may wait for (all of
 * later elements, and those of a first element that takes several events) and each `not` at either
 * end has a `within` of its own. A `not` between two elements needs none.
 *
 * A def is replaced by its body wherever it is used (resolve_def.c), so nothing after resolve knows
 * of defs. A bare severity becomes a text literal. Streams: 0 is `any`, then the declared ones in
 * order, then the sources.
 */
#ifndef LANG_RESOLVE_H
#define LANG_RESOLVE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "event/row_form.h"
#include "lang/ast.h"
#include "lang/table_kafka.h"

struct diag;
struct row_table;
struct schema;

enum { LANG_STREAM_ANY = 0 };
/* What the name of a source begins with that a table from Kafka has; no part of `any`. */
#define LANG_TABLE_SOURCE "table "

enum function_id {
#define FUNCTION(id, name, min_args, max_args, types, doc) FUNCTION_##id,
#include "lang/function.def"
#undef FUNCTION
    FUNCTION_COUNT
};

enum aggregate_id {
#define AGGREGATE(id, name, needs_field, types, over_nothing, doc) AGGREGATE_##id,
#include "lang/aggregate.def"
#undef AGGREGATE
    AGGREGATE_COUNT_OF
};

enum lang_window_aggregate { /* the numbers of plan's enum window_aggregate_id */
#define WINDOW_AGGREGATE(id, name, min_args, max_args, types, over_nothing, doc) LANG_WINDOW_##id,
#include "lang/window_aggregate.def"
#undef WINDOW_AGGREGATE
    LANG_WINDOW_AGGREGATE_COUNT
};

/* Sets of types, as in ast_expr.types: an OR of 1 << enum value_type. The T_ names of the .def
 * files; T_MISSING is added to all that can be missing at run time. */
enum {
    T_MISSING = 1 << VALUE_MISSING,
    T_BOOL = 1 << VALUE_BOOL,
    T_INT = 1 << VALUE_INT,
    T_DOUBLE = 1 << VALUE_DOUBLE,
    T_NUMBER = T_INT | T_DOUBLE,
    T_TEXT = 1 << VALUE_TEXT,
    T_TIME = 1 << VALUE_TIME,
    T_DURATION = 1 << VALUE_DURATION,
    T_LIST = 1 << VALUE_LIST,
    T_OBJECT = 1 << VALUE_OBJECT,
    T_FIELD = T_BOOL | T_NUMBER | T_TEXT | T_LIST | T_OBJECT, /* what JSON can hold */
    T_ANY = T_FIELD | T_TIME | T_DURATION,
};

/* A stream is `any` (number 0), a source, what rules make, or a declared union with a condition. */
struct lang_stream {
    const char *name;
    bool is_source;
    bool is_derived;            /* made by rules: `emit into`, or a rule's name */
    bool is_table;              /* a source of rows alone: of a table from Kafka */
    uint32_t *input;            /* declared: numbers of streams */
    uint32_t n_inputs;
    struct ast_expr *where;     /* declared: or NULL; fields are the candidate's */
    struct ast_expr *expect;    /* declared: or NULL */
    uint8_t expect_else;        /* enum ast_expect_else */
    const char *quarantine;     /* sink or NULL */
    bool adds, adds_known;      /* it, or a stream that it reads, adds fields */
    struct span span;           /* declaration, or first use of a source */
};

/* A column of a table that something reads. */
struct lang_column {
    const char *name;           /* dotted */
    const struct path_part *part;
    uint32_t n_parts;
    struct ast_expr *expr;      /* fed: over the event that brings the row */
    uint16_t types;             /* of rows of a file, or given: what they have; 0: none, or any */
    struct span span;           /* where it is read first */
};

struct lang_table {
    const char *name;
    struct ast_table *decl;
    bool fed;                   /* by the events of a stream, or the records of a topic */
    const struct table_kafka *kafka; /* of a topic: what its block says; in the module's arena. Else NULL */
    struct ast_expr *row, *deleted;  /* of a topic: which row a record is about, is it gone? */
    uint32_t stream;            /* fed: its number */
    struct ast_expr *key;       /* fed: over the event that brings the row */
    const char *key_name;
    const struct path_part *key_part;
    uint32_t n_key_parts;
    struct lang_column *column; /* owned by the unit */
    uint32_t n_columns;
    size_t column_cap;
    int64_t keep;               /* ns; -1: for ever */
    struct row_table *rows;     /* owned by the unit; of a file, given, or in a test instead of any */
    const uint32_t *at;         /* given rows: [n_columns] which of their columns; else NULL */
    bool given;                 /* by lang_options.rows */
};

struct lang_unit {
    struct ast_module *module;  /* borrowed */
    struct schema *schema;      /* owned reference; not sealed */
    struct lang_stream *stream; /* in the module's arena */
    uint32_t n_streams;
    struct ast_list **list;
    uint32_t n_lists;
    struct lang_table *table;   /* by number */
    uint32_t n_tables;
    struct row_table **rows;    /* all there are; owned */
    size_t n_rows, rows_cap;
    bool has_loaded;            /* lists and tables have come from elsewhere than the texts */
    uint64_t loaded[2];         /* a hash of all that has */
    struct ast_rule **rule;     /* sorted by name; disabled ones too */
    uint32_t n_rules;
};

struct lang_options {
    const char *const *source;  /* names of the sources there are; NULL: any undeclared name is one */
    size_t n_sources;
    const char *const *sink;    /* names of the sinks there are; NULL: any name is one */
    size_t n_sinks;
    int64_t now;                /* ns; exceptions that expired before are told; 0: none is judged */
    uint32_t confined_from;     /* number of the file that confined[0] is about */
    const bool *confined;       /* [n_confined] files that may read lists and tables beside or below them */
    size_t n_confined;          /* alone: their texts come from elsewhere */
    row_given_fn *rows;         /* asked for each table of a file; or NULL */
    void *rows_ctx;
    table_kafka_check_fn *check_kafka; /* of each table from Kafka; or NULL */
    void *check_kafka_ctx;
};

/* False if diag has errors. The unit is filled as far as possible either way. */
bool resolve_module(struct ast_module *module, const struct lang_options *opt, struct diag *diag,
                    struct lang_unit *unit_out);
/* After resolve_module without errors. False if it added any error. */
bool typecheck_module(struct lang_unit *unit, struct diag *diag);
void lang_unit_fini(struct lang_unit *unit);

/* Which steps does an expression refer to: bit n for step n; sets *own_out if it reads the candidate
 * (fields, time(), stream(), any_field). */
uint64_t resolve_steps_used(struct ast_expr *expr, bool *own_out);

/* Does it read a table that events feed? Then it is the engine's to decide. */
bool resolve_reads_fed(struct ast_expr *expr);

/* Do two resolved expressions mean the same? */
bool resolve_same(const struct ast_expr *a, const struct ast_expr *b);

/* When a window fires, and how long a session may be, if the rule does not say. */
enum ast_fire resolve_window_fire(const struct ast_window *window);
int64_t resolve_session_max(const struct ast_window *window);

enum { RESOLVE_MAX_OVERLAP = 10000 }; /* windows that an event of a hopping rule is in */
enum { RESOLVE_MAX_STEPS = 64 }; /* of one rule, nots and until included */

#endif
