// SPDX-License-Identifier: Apache-2.0
/*
 * program - everything that is known about a set of rules, immutable: the plan half of
 * "plan read-only, state apart". program_compile is the table of contents of the compiler.
 *
 * Invariants (program_validate checks them after every pass):
 *  1. const after seal; shared by all threads; nothing in it points to an AST.
 *  2. rules are sorted by name; rule number = index.
 *  3. probes are numbered 0..n_probes) grouped by rule, within a rule by step number.
 *  4. each rule's NFA passes nfa_validate.
 * Read next: nfa.h (match), candidates.h (which probes may an event fit), code.h.
 */
#ifndef PLAN_PROGRAM_H
#define PLAN_PROGRAM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "event/row_form.h"
#include "event/value.h"
#include "lang/table_kafka.h"
#include "plan/code.h"
#include "plan/nfa.h"

struct arena;
struct candidates;
struct diag;
struct pools;
struct row_table;
struct schema;

enum { PROGRAM_NO_SOURCE = UINT32_MAX, PROGRAM_NO_RULE = UINT32_MAX };

/* A stream as the engine sees it: `any`, a source, or a union with a condition. */
struct program_stream {
    const char *name;
    bool is_source;
    bool is_derived;         /* a source whose events rules make; no part of `any` */
    bool is_table;           /* a source of rows alone, of a table from Kafka; no part of `any` */
    const uint32_t *input;   /* declared: numbers of streams */
    uint32_t n_inputs;
    const struct code *where; /* or NULL */
    const struct code *expect; /* or NULL */
    bool drops;              /* what does not satisfy `expect` is not in the stream */
    const char *quarantine;  /* sink that it goes to, or NULL */
};

/* A key of a step: the code that gives it; `slot` when it is a plain field. */
struct program_key {
    const struct code *code;
    uint32_t slot;           /* schema slot, or UINT32_MAX: run the code */
    bool optional;           /* missing is a value of its own */
};

/* What an event may fit: a step of a rule. Its stream and its unary conditions are tested once per
 * event; what compares with other steps (nfa_step.cross) is tested per run. */
enum probe_kind {
    PROBE_STEP,  /* stream and unary conditions of a step, `not` or `until` */
    PROBE_TABLE, /* the stream of table number `step`, no rule's */
    PROBE_TOUCH, /* only the stream: rules with `next` must see every event of their streams */
};
struct program_probe {
    uint32_t rule;               /* PROGRAM_NO_RULE: of a table; these come last */
    uint16_t step;               /* step number in the rule */
    uint8_t kind;                /* enum probe_kind */
    const uint32_t *stream;      /* any of these, the first that fits counts */
    uint32_t n_streams;
    const struct code *unary;    /* NULL: always */
    const struct code *late;     /* the same of tables that events feed: the engine asks; or NULL */
    const struct program_key *key; /* [rule.n_keys] */
};

/* A table: rows that are known, or that the events of a stream bring. */
struct program_table {
    const char *name;
    const char *file;              /* where it is declared, as in diagnostics */
    uint32_t line;
    const char *path;              /* of its file, as written; NULL: fed */
    const char *key_name;
    struct row_table *rows;        /* owned reference; NULL: fed */
    const uint32_t *at;            /* [n_columns] where each column is in rows; NULL: in this order */
    bool is_given;                 /* rows: not those of the file */
    struct row_form *form;         /* owned; not fed: key and columns as they are found in a row */
    uint32_t stream;               /* fed: its number */
    const struct table_kafka *kafka; /* fed by a topic: where it is; else NULL */
    const struct code *key;        /* fed: over the event that brings the row */
    const struct code *row, *deleted; /* by a topic: which row a record is about, is it gone? */
    const struct code *const *column; /* fed: [n_columns] */
    const char *const *column_name;
    uint32_t n_columns;            /* those that something reads */
    int64_t keep;                  /* ns; -1: for ever */
    uint8_t shape[16];             /* fed: whose rows can be gone on with (shape.h) */
};

struct program_emit {
    const char *name;            /* dotted left side, for {templates} and suppress by */
    const struct path_part *part;
    uint32_t n_parts;
    const struct code *code;
};
struct program_piece {           /* of a title or description */
    const char *text;            /* or NULL: code */
    uint32_t len;
    const struct code *code;
};

enum severity { SEVERITY_INFO, SEVERITY_LOW, SEVERITY_MEDIUM, SEVERITY_HIGH, SEVERITY_CRITICAL };
const char *severity_name(enum severity severity);

struct program_limits {
    uint64_t runs;               /* per key */
    uint64_t events;             /* per run */
    uint64_t state;              /* bytes of the rule */
    uint64_t values;             /* distinct values per key */
    uint64_t matches;            /* pairs per event (join) */
    uint64_t alerts;             /* at most this many ... */
    int64_t alerts_per;          /* ... in this time, ns; 0: no limit */
};

/* What becomes of a rule's state when its shape changes. */
enum program_reload { RELOAD_DRAIN, RELOAD_FRESH, RELOAD_REFUSE };

enum program_body { BODY_MATCH, BODY_WINDOW, BODY_JOIN, BODY_NOVEL };

/* An exception, and what it is for a rule. */
struct program_exception {
    const char *title;
    int64_t until;               /* ns, event time; INT64_MAX: for ever */
};
struct program_excepted {
    uint32_t exception;
    const struct code *where;
};

struct program_rule {
    const char *name;
    uint32_t number;
    const char *file;            /* where it stands, as in diagnostics */
    uint32_t line;
    bool disabled;
    enum program_body body;
    uint32_t n_steps;            /* steps, inputs or sides */
    const char *const *step_name; /* [n_steps] */
    uint32_t depth;              /* 0: reads sources only; else one more than the deepest it reads */
    uint32_t stream_own;         /* stream that is the rule's name; UINT32_MAX: nobody reads it */
    uint32_t stream_into;        /* `emit into`; UINT32_MAX: none, or nobody reads it */
    bool emits_into;             /* has `emit into` */
    bool tells;                  /* makes alerts: not with `emit into` alone */
    const struct code *severity_code; /* computed; NULL: severity is constant */
    const struct code *risk_code;
    enum severity severity;
    int32_t risk;                /* 0-100, or -1: none */
    const char *meta_json;       /* object text or NULL */
    const char *const *tag;
    uint32_t n_tags;
    const struct program_piece *title, *description;
    uint32_t n_title, n_description;
    const struct program_emit *emit;
    uint32_t n_emit;
    const char *const *key_name;  /* as written */
    uint32_t n_keys;
    uint32_t first_probe, n_probes;
    const struct nfa *nfa;           /* not BODY_MATCH: one without elements */
    const struct window_plan *window;
    const struct join_plan *join;
    const struct novel_plan *novel;
    /* suppress */
    int64_t suppress;            /* ns; -1: none */
    const struct code *const *suppress_by;
    const char *const *suppress_name; /* [n_suppress_by] as written */
    uint32_t n_suppress_by;      /* 0: by the key of the rule */
    bool suppress_summary;
    const struct program_excepted *excepted;
    uint32_t n_excepted;
    const uint32_t *table;       /* numbers of the tables that it reads */
    uint32_t n_tables;
    uint32_t keep;               /* whole events of a quantified step */
    struct program_limits limits;
    const char *const *to;
    uint32_t n_to;
    const char *state_bound;     /* in words, for explain */
    enum program_reload on_reload;
    uint8_t shape[16];           /* shape.h */
    uint8_t text_hash[16];       /* of its canonical text */
};

/* A test block, ready to run (flow/test_run). */
enum program_test_kind { TEST_EVENT, TEST_NONE, TEST_COUNT, TEST_ALERT, TEST_UNTIL, TEST_LATENESS };
struct program_test_item {
    enum program_test_kind kind;
    int64_t offset;              /* ns; events, `alert at`, until, lateness */
    bool has_offset;
    uint32_t stream;             /* event: number of the stream */
    uint32_t source;             /* event: number of the source stream that carries it */
    const char *json;            /* event, expected fields (or NULL) */
    uint32_t json_len;
    uint64_t count;
    const char *file;            /* place, for messages */
    uint32_t line;
};
struct program_test {
    uint32_t rule;
    const char *title;
    const struct program_test_item *item;
    uint32_t n_items;
    const struct program *program; /* compiled with its replaced lists; NULL: the program itself */
    const char *file;
    uint32_t line;
};

struct program {
    struct arena *arena;          /* owns all below */
    struct schema *schema;
    uint32_t n_rule_slots;        /* the first ones of it: what rules read, not the times of sources */
    struct pools *pools;
    const struct program_stream *stream; /* 0 is `any` */
    uint32_t n_streams;
    const uint32_t *expecting;    /* streams with an `expect` */
    uint32_t n_expecting;
    const struct program_exception *exception;
    uint32_t n_exceptions;
    const struct program_table *table;
    uint32_t n_tables;
    const struct program_rule *rule;
    uint32_t n_rules;
    const struct program_probe *probe;
    uint32_t n_probes;
    const struct candidates *candidates;
    const struct program_test *test;
    uint32_t n_tests;
    uint8_t hash[16];             /* of the rules' canonical texts */
    uint8_t declared_hash[16];    /* of all that is declared but rules */
    _Atomic uint32_t refs;     /* the reaper's thread (flow/reaper.h) lets go of some, never of the last */
};

struct program_source_text {
    const char *name; /* shown in diagnostics; list files are relative to its directory */
    const char *text;
    size_t len;
    bool confined;    /* it may read files beside and below it alone */
};
/* A rule that runs or does not, whatever its text says. */
struct program_switch {
    const char *rule;
    bool on;
};
struct program_options {
    bool no_opt;                    /* no pass that only makes things faster */
    bool no_tests;                  /* leave test blocks out (checked all the same) */
    const char *const *source;      /* names of the sources there are, or NULL: any */
    size_t n_sources;
    const char *const *sink;        /* names of the sinks there are, or NULL: any */
    size_t n_sinks;
    int64_t now;                    /* ns; exceptions that expired by then are told; 0: none */
    const struct program_switch *rule_switch; /* [n_switches]; those of rules that are not there do nothing */
    size_t n_switches;
    row_given_fn *rows;             /* rows in place of those of files (resolve.h), or NULL */
    void *rows_ctx;
    table_kafka_check_fn *check_kafka; /* of tables from Kafka (lang/table_kafka.h), or NULL */
    void *check_kafka_ctx;
    bool kafka_secrets;             /* ... and what they name in env() and file() has to be there */
    const char *const *extra_path;  /* dotted paths that the schema must hold besides those of the */
    size_t n_extra_paths;           /* rules (time fields): found by schema_find_text */
};

/* Returns an owned reference, or NULL if diag has errors. Warnings go to diag either way. */
struct program *program_compile(const struct program_source_text *text, size_t n,
                                const struct program_options *opt, struct diag *diag);
struct program *program_ref(struct program *prog);
void program_unref(struct program **prog);
bool program_validate(const struct program *prog, const char **why_out);
/* Number of the stream that is the source `name`; PROGRAM_NO_SOURCE if no rule reads it. */
uint32_t program_source(const struct program *prog, const char *name);
/* Is this the name of a source that a table from Kafka has? */
bool program_is_table_source(const char *source);
/* The number of the source in an older program. Of a table that was another one then: PROGRAM_NO_SOURCE. */
uint32_t program_source_before(const struct program *older, const struct program *prog, const char *source);
uint32_t program_rule_named(const struct program *prog, const char *name); /* or UINT32_MAX */

#endif
