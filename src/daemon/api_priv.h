// SPDX-License-Identifier: Apache-2.0
/*
 * api_priv - what the files of the interface share: api.c (queue), api_change.c (changes of rules),
 * api_modules.c, api_rules.c, api_health.c (what any thread answers), api_events.c (what is posted).
 */
#ifndef DAEMON_API_PRIV_H
#define DAEMON_API_PRIV_H

#include <pthread.h>
#include <stddef.h>
#include <stdint.h>

#include "base/buf.h"
#include "config/config.h"
#include "daemon/api.h"
#include "daemon/ruleset.h"
#include "http/ops.h"

struct alert_filter;
struct alert_log;
struct api_audit;
struct api_dry;
struct api_table_job;
struct api_wait;
struct api_streams;
struct api_worker;
struct audit;
struct http_server;
struct api_figures;
struct module_history;
struct module_mark;
struct generation;
struct store;

enum api_state { API_STARTING, API_RUNNING, API_STOPPING };

struct api {
    const struct api_host *host;
    struct http_server *server;
    struct audit *audit;         /* borrowed; main's, as the next */
    struct module_history *history; /* borrowed */
    struct api_wait *waits;      /* api_wait.h */
    bool exporting;              /* a savepoint is being written */
    struct api_worker *worker;   /* once it is open */
    struct api_table_job *jobs;  /* the first one is under way */
    struct api_worker *dry_worker; /* likewise; api_dry.h */
    struct api_streams *streams; /* likewise; NULL: alerts are not kept */
    int64_t started;             /* wall ns */

    pthread_mutex_t lock;        /* all below */
    enum api_state state;
    bool drained;
    const struct config *config; /* for other threads; main has host->config */
    unsigned users;              /* of config, beyond the lock (api_dry.h) */
    bool holds;                  /* it is being changed: no new users */
    pthread_cond_t settled;      /* users, holds or state have changed */
    struct spooler *spooler;     /* or NULL */
    struct http_request **queue; /* owned array */
    size_t n, cap;
};

/* One request, on main, or with a copy of what runs on the worker's thread. */
struct api_call {
    struct api *api;
    const struct api_host *host;
    struct http_request *rq;
    struct api_dry *dry;         /* or NULL: on main */
    int64_t frontier;            /* of the pipeline, when main came to it */
    struct buf *why;             /* why the daemon cannot go on */
    bool later;                  /* it is answered later, by somebody else */
};

/* Fills the answer. False: the daemon cannot go on. */
typedef bool api_handler(struct api_call *call);

/* api_health.c: any thread. */
void api_answer_ready(struct api *api, struct http_request *rq);
void api_answer_metrics(struct api *api, struct http_request *rq);
void api_answer_info(struct api *api, struct http_request *rq);
void api_answer_sources(struct api *api, struct http_request *rq);
void api_answer_sinks(struct api *api, struct http_request *rq);
void api_answer_checkpoints(struct api *api, struct http_request *rq);
/* On the worker's thread (api_worker.h); they answer, and do not call http_request_done.
 * api_alerts.c */
void api_answer_alerts(struct api *api, struct http_request *rq);
void api_answer_letters(struct api *api, struct http_request *rq);
/* api_alerts.c: on the server's thread, with the lock; calls http_request_done. */
void api_stream_alerts(struct api *api, struct http_request *rq);
/* "file", "webhook" ... */
const char *api_source_kind(enum config_source_kind kind);
const char *api_sink_kind(enum config_sink_kind kind);
/* api_events.c: on the server's thread; calls http_request_done, at once or later. */
void api_take_events(struct api *api, struct http_request *rq);
/* Appends {"events":1,...}: what the figures say with this label. */
void api_add_figures(struct api *api, int group, const char *label, struct buf *out);
/* The same, of many labels: taken once. */
struct api_figures *api_figures_take(struct api *api, int group); /* owned */
void api_figures_add(const struct api_figures *figures, const char *label, struct buf *out);
void api_figures_free(struct api_figures **figures);

/* api_rules.c */
api_handler api_rules_list, api_rule_get, api_rule_stats, api_rule_switch,
    api_rules_test, api_rules_reload, api_audit_list;
/* api_explain.c */
api_handler api_rule_explain;
/* api_state.c */
api_handler api_state_get;
/* api_letters.c */
api_handler api_letters_change;
/* api_operate.c */
api_handler api_sink_enable, api_checkpoint_make;
/* api_export.c */
api_handler api_checkpoint_export;
/* api_drain.c */
api_handler api_drain, api_resume;
/* api_operate.c */
/* "number":7,"time":"...","bytes":12 of the last one that is durable. */
void api_add_checkpoint(struct api *api, struct buf *out);
/* api_modules.c */
api_handler api_modules_list, api_modules_put, api_module_get, api_module_put, api_module_delete,
    api_rules_check;
const struct generation *api_running(const struct api_call *call); /* the current one */
struct store *api_store(const struct api_call *call);
/* Is `file` (program_rule.file) that of a module? */
bool api_is_file_of(const struct api_call *call, const char *file, const char *module);
/* Answers; why is freed. */
bool api_failed(struct api_call *call, struct buf *why);
/* What the client thinks is there has to be; etag "": nothing is. False: it is answered. */
bool api_check_match(struct api_call *call, const char *etag);
void api_answer_text(struct api_call *call, const char *text, size_t len);
/* May this name be the interface's? False: it is answered. */
bool api_check_name(struct api_call *call, const char *name);
/* Puts one text, whoever brought it. check: dry. */
bool api_put_module(struct api_call *call, const char *what, const char *name, const char *text,
                    size_t len, bool check);
/* api_tables.c */
api_handler api_tables_list, api_table_get, api_table_versions;
/* api_table_change.c */
api_handler api_table_put, api_table_post, api_table_delete, api_table_rollback;
/* Rows that were read meanwhile are taken. False and why: the daemon cannot go on. */
bool api_table_jobs_look(struct api *api, struct buf *why);
/* Gives up what was begun; it is answered. */
void api_table_jobs_end(struct api *api);
/* api_versions.c */
api_handler api_module_versions, api_module_diff, api_module_rollback;
bool api_answer_version(struct api_call *call, uint64_t number);

/* ---- the audit log, of what changes no rules (api_audit.c) ------------------------------------ */

/* An entry that is put later, perhaps by another thread; who asked for it is in it, and in the log. Texts
 * are copied but what (static); NULL: "". Owned. */
struct api_audit *api_audit_new(struct api_call *call, const char *what, const char *name,
                                const char *before, const char *after);
/* Into the batch of the change. Put again it takes the place of what was put before. */
void api_audit_put(const struct api_audit *au, struct store_batch *batch, const char *result);
void api_audit_free(struct api_audit **au);

/* ---- a change (api_change.c) ------------------------------------------------------------------ */

/* What is told of it. Texts are borrowed. */
struct api_change {
    struct ruleset_wish wish;    /* frontier, wall and policy are filled in */
    const char *what;            /* for the audit log: "put module" ... */
    const char *name;            /* of the module or rule; "" */
    char before[40], after[40];  /* ETags, or "" */
    uint64_t version;            /* 0: it has none */
    const char *table;           /* what the answer says of rows: a JSON object; or NULL */
    struct store_batch *extra;   /* owned: versions; becomes durable with it */
    struct module_mark *mark;    /* owned, with their names: those versions */
    size_t n_marks, marks_cap;
    bool dry;
};
/* Reads the query: dry_run, on_reload, allow_state_drop. False: it is answered. */
bool api_change_begin(struct api_call *call, struct api_change *change);
/* Makes it, or says what it would do, and answers. Takes what change holds. False: the daemon cannot go on. */
bool api_change_make(struct api_call *call, struct api_change *change);
/* Adds a version of a module; text NULL: it is taken away. */
void api_change_add_version(struct api_call *call, struct api_change *change, const char *name,
                            uint64_t number, const char *text, size_t len);
void api_change_fini(struct api_change *change);
/* The same set: "unchanged". */
void api_answer_unchanged(struct api_call *call, struct api_change *change);
void api_answer_mistakes(struct api_call *call, const struct ruleset_outcome *outcome);

/* "\"9f86...\"": of a text. */
void api_etag(const void *text, size_t len, char etag_out[40]);
void api_add_text(struct buf *out, const char *key, const char *text); /* "key":"text" */
void api_add_time(struct buf *out, const char *key, int64_t ns);

#endif
