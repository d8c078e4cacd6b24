// SPDX-License-Identifier: Apache-2.0
/*
 * resolve_priv - what the files of resolve share: the tables of names, and where a name stands.
 *
 *   resolve.c           tables, declarations, the order of it all
 *   resolve_list.c      items of lists, from texts and from files
 *   resolve_def.c       def: copies of bodies in the place of calls
 *   resolve_expr.c      names in expressions        resolve_call.c   calls in expressions
 *   resolve_match.c     the structure of a match
 *   resolve_bound.c     its keys, and that its state is bounded
 *   resolve_window.c    the other bodies: window, join, novel
 *   resolve_aggregate.c calls and paths that only a window has
 *   resolve_rule.c      clauses of a rule           resolve_template.c  texts with {path} in them
 *   resolve_test.c      test blocks
 *   resolve_added.c     fields that streams add      resolve_same.c  do two expressions mean the same
 *   resolve_exception.c exceptions              resolve_table.c     tables
 *   resolve_table_kafka.c  the block of tables from Kafka
 *   resolve_derived.c   streams that rules make, and which rule reads which
 */
#ifndef LANG_RESOLVE_PRIV_H
#define LANG_RESOLVE_PRIV_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/suggest.h"
#include "lang/resolve.h"

struct arena;
struct intern;

enum {
    RESOLVE_MAX_EXPANDED = 200000, /* nodes that all uses of defs make together */
    RESOLVE_MAX_NAMES = 1000,      /* fields emitted, entries of meta, streams of a step, sinks */
    RESOLVE_MAX_KEYS = 32,
    RESOLVE_MAX_DEPTH = 2000, /* of an expression's tree; `a and b and c ...` is deep too */
};

/* Names of one kind, numbered in order of first sight. */
struct name_table {
    struct intern *names;
    struct span *span; /* of the first declaration (or use, of a source) */
    void **item;       /* what it names */
    size_t span_cap, item_cap;
};

struct def_info {
    struct ast_def *def;
    enum { DEF_NEW, DEF_OPEN, DEF_DONE } state;
};

struct resolver {
    struct ast_module *module;
    const struct lang_options *opt;
    struct diag *diag;
    struct lang_unit *unit;
    struct arena *arena;
    struct name_table streams; /* number = number of the stream; item: ast_stream, NULL: a source */
    struct name_table lists, tables, defs, rules;
    struct lang_stream *stream;
    size_t stream_cap;
    struct lang_table *table; /* by number */
    size_t table_cap;
    bool *used; /* by stream: a rule or a stream reads it */
    size_t used_cap;
    uint32_t expansions; /* uses of defs so far */
    uint32_t expanded;   /* nodes that they made */
    uint32_t depth;      /* of the expression that is being resolved */
    uint32_t def_depth;  /* defs within defs that are being resolved */
};

/* ---- where an expression stands ---- */

enum scope_kind {
    SCOPE_STREAM, /* a stream's where: fields of the candidate */
    SCOPE_DEF,    /* the body of a def, alone: only names are checked */
    SCOPE_KEY,    /* by: fields of the candidate */
    SCOPE_WHERE,  /* a step's where */
    SCOPE_EMIT,   /* emit: steps, keys, fields of the completing event */
    SCOPE_ALERT,  /* templates, suppress by, severity, risk: emitted fields first, then as emit */
    SCOPE_HAVING, /* of a window: keys and aggregates */
    SCOPE_ARGUMENT, /* of an aggregate of a window: fields of an event of one input */
};

/* A variable of any() / all(), or a parameter. */
struct variable {
    const char *name;
    uint32_t expansion; /* of the any()/all(): seen only by paths of the same */
    const struct variable *outer;
};

enum step_role { ROLE_STEP, ROLE_NOT_FIRST, ROLE_NOT_BETWEEN, ROLE_NOT_LAST, ROLE_UNTIL };

/* What the checks of one match need to know of its steps, by number. The other bodies have one too,
 * with a match that holds no more than the head's keys and the steps. */
struct match_info {
    struct ast_match *match;
    enum ast_body body;
    const char *body_name;      /* "match", "window" ... */
    const char *noun, *a_noun;  /* "step", "a step"; "input", "side" */
    const struct ast_element *element_of[RESOLVE_MAX_STEPS]; /* NULL: until */
    uint32_t element[RESOLVE_MAX_STEPS]; /* place of the element, nots counted, from 0 */
    enum step_role role[RESOLVE_MAX_STEPS];
    const struct ast_element *first; /* first and last that is no `not`; NULL: there is none */
    const struct ast_element *last;
    uint64_t ambiguous; /* steps whose name was found to be a field's too */
};

/* What is learnt of an aggregate's call while its arguments are resolved. */
struct argument_info {
    const struct ast_expr *call;
    const struct variable *outer; /* variables from here on are not the call's own */
    const struct ast_step *input; /* that an argument names; NULL: none yet */
    bool bare;                    /* something is read of an event whose input is not named */
};

struct scope {
    struct resolver *r;
    enum scope_kind kind;
    struct ast_rule *rule;      /* NULL in streams and defs */
    struct match_info *match;   /* NULL where no step is known */
    const struct ast_step *own; /* SCOPE_WHERE: whose where it is */
    const struct ast_step *key_of; /* SCOPE_KEY: whose key it is; NULL: the head's */
    const uint32_t *stream;     /* SCOPE_STREAM: numbers of the streams that the event may be of */
    uint32_t n_streams;
    const struct variable *variable;
    struct argument_info *argument; /* SCOPE_ARGUMENT */
    bool in_text_operator; /* directly left of one: any_field may stand here */
};

/* resolve.c */
/* Number of the stream of that name, adding a source if need be. False: an error was reported. */
bool resolve_stream(struct resolver *r, const struct ast_name *name, uint32_t *number_out);
/* Finds by name; false if there is none. */
bool name_table_find(const struct name_table *t, const char *name, uint32_t *number_out);
/* Adds `name`; false, and an error that names the first place, if it is there. `what`: "stream". */
bool name_table_add(struct resolver *r, struct name_table *t, const char *what,
                    const struct ast_name *name, void *item, uint32_t *number_out);
void name_table_suggest(const struct name_table *t, struct suggest *s);
/* Adds the stream, which rules make; gives its number. */
uint32_t resolve_add_derived(struct resolver *r, const struct ast_name *name);
/* Adds the source of a table from Kafka; gives its number. name: in the arena. */
uint32_t resolve_add_table_source(struct resolver *r, const char *name, struct span span);
/* "file:line" of a span, in the arena. */
const char *resolve_place(struct resolver *r, struct span span);
/* Hint "did you mean `x`?" if the suggestion is near enough; true if it was. */
bool resolve_did_you_mean(struct resolver *r, const struct suggest *s);
/* Reports a name that is none of the sinks, if these are known. */
void resolve_sink(struct resolver *r, const struct ast_name *name);

/* Reports and gives false when n is more than max. */
bool resolve_count(struct resolver *r, struct span span, size_t n, size_t max, const char *what);

/* resolve_list.c */
/* Fills and checks the items; loads the file. kind: that of the declaration. */
void resolve_list_items(struct resolver *r, struct ast_list *list, enum ast_list_kind kind);

/* Counts it into the hash of what has come from elsewhere. */
void resolve_note_loaded(struct resolver *r, const void *data, size_t len);
/* The path as seen from the folder of the file that names it; in the arena. */
const char *resolve_beside(struct resolver *r, const struct ast_name *file);
/* May this file read no more than the rules directory: has it come over the network? */
bool resolve_is_confined(const struct resolver *r, uint32_t file);
/* The file's text, owned, with so many readable bytes behind it; NULL: an error was reported. */
char *resolve_load(struct resolver *r, const struct ast_name *file, size_t max, size_t padding,
                   size_t *len_out);

/* Makes `-5` one literal; a literal or anything else stays. */
void resolve_fold_sign(struct ast_expr *item);

/* resolve_added.c */
struct candidate { /* streams that an event may come from */
    const uint32_t *stream;
    uint32_t n;
    bool taken; /* stream() tells which */
};
/* Of the event that bare paths of the scope are about. */
struct candidate resolve_candidate(const struct scope *sc);
struct candidate resolve_candidate_of(const struct scope *sc, const struct ast_step *step);
/* Sets what `path` means; part is the field: of the candidate, or of the step `of`. False: an error
 * was reported. */
bool resolve_field(const struct scope *sc, struct ast_expr *path, const struct candidate *from,
                   const struct path_part *part, uint32_t n, const struct ast_step *of);
/* The same for a call over the events of a step: sets slot, is_over, or (last) what it means. */
bool resolve_call_field(const struct scope *sc, struct ast_expr *call, const struct ast_step *step,
                        const struct path_part *part, uint32_t n, bool last);
/* A copy in which nothing is resolved; NULL: too large, and told. */
struct ast_expr *resolve_copy(struct resolver *r, const struct ast_expr *from);
/* Does the stream, or one that it reads, add fields? */
bool resolve_adds(struct resolver *r, uint32_t number);
void resolve_stream_fields(struct resolver *r, struct ast_stream *decl, uint32_t number);

/* resolve_table.c */
void resolve_declare_tables(struct resolver *r);
/* Streams, keys; comes behind the streams. */
void resolve_tables(struct resolver *r);
/* True if the right side of the operator is a table. */
bool resolve_in_table(const struct scope *sc, struct ast_expr *expr);
/* True if the path is t[key].column, or was told to be wrong. */
bool resolve_lookup(const struct scope *sc, struct ast_expr *path);
void resolve_refuse_fed(struct resolver *r, struct ast_expr *expr, const char *where);
/* Files; comes when all columns are known. */
void resolve_load_tables(struct resolver *r);
void resolve_test_table(struct resolver *r, const struct ast_test_item *item);

/* resolve_table_kafka.c: what its block says, and the source that it has. */
void resolve_table_kafka(struct resolver *r, struct lang_table *table);
/* A field of a record's value, or what is known of the record: @kafka.* is @row.* there, so that nobody who reads
 * it of rows has it put into the events of other topics. In the arena, or the same. */
const struct path_part *resolve_row_part(struct resolver *r, const struct path_part *part, uint32_t n);
/* Is it a field of the value, or is it known of every record? An error if not. */
bool resolve_row_check(struct resolver *r, struct span span, const struct path_part *part, uint32_t n);

/* resolve_exception.c */
void resolve_exceptions(struct resolver *r);
/* Those of the rule; sc: where its texts stand. */
void resolve_exceptions_of(const struct scope *sc, struct ast_rule *rule);

/* resolve_derived.c */
/* Streams behind `emit into`; comes after all declarations. */
void resolve_declare_into(struct resolver *r);
/* Depths of the rules, and that none reads itself; comes after all rules. */
void resolve_depths(struct resolver *r);

/* resolve_def.c */
void resolve_defs(struct resolver *r);
/* Puts a copy of the def's body in the place of the call; false: an error was reported. */
bool resolve_expand(const struct scope *sc, struct ast_expr *call, uint32_t def);

/* resolve_expr.c */
void resolve_expr(const struct scope *sc, struct ast_expr *expr);
/* Canonical text of a path, back-quoted where needed, in the arena. */
const char *resolve_path_text(struct resolver *r, const struct path_part *part, uint32_t n);
/* The same without quotes: how a column is called. */
const char *resolve_path_plain(struct resolver *r, const struct path_part *part, uint32_t n);
/* Gives expr the slot of a path; false: an error was reported. No slot in SCOPE_DEF. */
bool resolve_slot(const struct scope *sc, struct ast_expr *expr, const struct path_part *part,
                  uint32_t n);
/* The step whose name the path's first part is and that the path means; NULL: none. */
const struct ast_step *resolve_find_step(const struct scope *sc, const struct ast_expr *path);
/* The variable that the path's first part is; *depth_out: how many are further in. */
bool resolve_find_variable(const struct scope *sc, const struct ast_expr *path,
                           uint32_t *depth_out);

/* Sets path's reference if it is an emitted field (SCOPE_ALERT) or a key. */
bool resolve_output(const struct scope *sc, struct ast_expr *path);

/* resolve_call.c */
void resolve_call(const struct scope *sc, struct ast_expr *call);
bool resolve_is_function_name(const char *name);

/* resolve_match.c */
enum step_use { USE_FIELD, USE_EVENT, USE_BOUND, USE_AGGREGATE, USE_PREV };
/* May the expression at `span` refer to the step? False: an error was reported. */
bool resolve_may_refer(const struct scope *sc, const struct ast_step *step, enum step_use use,
                       const struct ast_expr *expr);
/* The step's name is the first part of a field path too. */
void resolve_ambiguous(const struct scope *sc, const struct ast_step *step,
                       const struct ast_expr *path);
/* Numbers, structure, streams, keys, wheres of a match. False: no expression may be resolved
 * against its steps. */
bool resolve_match(struct resolver *r, struct ast_rule *rule, struct match_info *info_out);

/* Makes the step the body's next one. False: too many, and told. */
bool resolve_add_step(struct resolver *r, struct match_info *info, struct ast_step *step);
void resolve_streams_of(struct resolver *r, const struct ast_rule *rule);
void resolve_wheres(struct resolver *r, struct ast_rule *rule, struct match_info *info);

/* resolve_window.c: as resolve_match */
bool resolve_window(struct resolver *r, struct ast_rule *rule, struct match_info *info_out);
bool resolve_join(struct resolver *r, struct ast_rule *rule, struct match_info *info_out);
bool resolve_novel(struct resolver *r, struct ast_rule *rule, struct match_info *info_out);
/* resolve_may_refer for these bodies. */
bool resolve_body_may_refer(const struct scope *sc, const struct ast_step *step, enum step_use use,
                            const struct ast_expr *expr);

/* resolve_aggregate.c */
bool resolve_find_window_aggregate(const char *name, uint32_t *number_out);
const char *resolve_window_aggregate_name(uint32_t number);
void resolve_window_call(const struct scope *sc, struct ast_expr *call, uint32_t number);
/* Is the expression one of a window's `having`, `emit` or texts, outside all aggregates? */
bool resolve_over_window(const struct scope *sc);
/* A path that begins with an input's name, within an aggregate. */
void resolve_argument_path(const struct scope *sc, struct ast_expr *path,
                           const struct ast_step *step);
/* window_start, window_end; or a field where only aggregates may stand; or the value that a novel
 * tells. True: it is settled (perhaps by an error). */
bool resolve_window_bound(const struct scope *sc, struct ast_expr *path);
bool resolve_bare_path(const struct scope *sc, struct ast_expr *path);
/* A variable of an any() or all() around the aggregate cannot be read in it. */
bool resolve_inner_variable(const struct scope *sc, const struct ast_expr *path, uint32_t depth);
/* time(a), stream(a) within an aggregate. */
bool resolve_event_of_input(const struct scope *sc, struct ast_expr *call);
/* time(), stream() outside one: told. */
bool resolve_no_event(const struct scope *sc, const struct ast_expr *call);

/* resolve_bound.c */
void resolve_keys(struct resolver *r, struct ast_rule *rule, struct match_info *info);
void resolve_bounds(struct resolver *r, struct ast_rule *rule, const struct match_info *info);
/* Is it a duration literal? Reports if not. NULL is fine. */
bool resolve_duration(struct resolver *r, const struct ast_expr *expr, const char *what);

/* resolve_rule.c */
/* Left sides of a rule's `emit` or a stream's fields: none twice, none inside another. */
void resolve_left_sides(struct resolver *r, const struct ast_assign *assign, const char *verb);
void resolve_rule(struct resolver *r, struct ast_rule *rule);

/* resolve_template.c */
struct ast_piece *resolve_template(const struct scope *sc, const struct ast_expr *text);

/* resolve_test.c */
void resolve_tests(struct resolver *r, struct ast_rule *rule);

#endif
