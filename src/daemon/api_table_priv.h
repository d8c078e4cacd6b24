// SPDX-License-Identifier: Apache-2.0
/*
 * api_table_priv - rows that come over HTTP, on their way to the rules.
 *
 *   PUT, rollback   main: job --> thread: text > rows, lines > pieces --> main: compile, swap
 *   POST            main: all of it: it makes a copy of the rows that there are, which is main's to do
 *
 * The thread writes many pieces ahead (state/table_version.h), and touches nothing else that main has. Jobs
 * come one after the other: what a later one is compared with is there by then.
 */
#ifndef DAEMON_API_TABLE_PRIV_H
#define DAEMON_API_TABLE_PRIV_H

#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#include "base/buf.h"
#include "lang/table_upload.h"
#include "state/table_version.h"

struct api;
struct api_call;
struct checkpoint;
struct http_request;
struct program_table;
struct row_form;
struct row_table;
struct upload_head;

/* Lines on their way into the database. */
struct piece_writer { /* embedded: _init, _fini */
    struct checkpoint *cp;
    _Atomic bool *cancelled;
    struct store_batch *batch; /* owned; what was not written ahead */
    struct buf piece;
    uint64_t data;             /* its number */
    uint32_t n;                /* pieces */
    uint64_t bytes;
    uint8_t id[16];            /* of all pieces */
    bool dry;                  /* nothing is written */
    bool ahead;                /* some are in the database */
    bool failed;
};
void piece_writer_init(struct piece_writer *pw, struct checkpoint *cp, _Atomic bool *cancelled,
                       uint64_t data, bool dry);
void piece_writer_fini(struct piece_writer *pw);
void piece_writer_line(struct piece_writer *pw, const char *text, size_t len);
/* Those of a row_table in its order. */
void piece_writer_rows(struct piece_writer *pw, const struct row_table *rows, uint32_t line_column);
/* No more come. False: they cannot be written. */
bool piece_writer_end(struct piece_writer *pw);
/* Nobody will refer to them: what was written ahead goes. */
void piece_writer_drop(struct piece_writer *pw);

struct api_table_job {
    struct api_table_job *next;
    struct http_request *rq;
    const char *what;          /* for the audit log */
    struct row_form *form;     /* owned: the columns that rules read by now */
    uint64_t most;             /* bytes of lines */
    bool csv;
    const char *text;          /* of PUT; the request's */
    size_t len;
    struct store *store;
    struct table_version *chain; /* of a rollback; owned, without texts */
    size_t n_chain;
    pthread_t thread;
    bool started;
    _Atomic bool done, cancelled;
    /* what comes of it */
    struct row_table *rows;    /* owned; NULL: mistakes, or why */
    struct table_mistakes mistakes;
    struct table_changes changes;
    struct piece_writer pieces;
    struct buf why;
};

/* api_table_job.c: takes job; it is answered later. */
void api_table_job_add(struct api_call *call, struct api_table_job *job);
struct api_table_job *api_table_job_new(struct api_call *call, const char *what,
                                        const struct row_form *form);

/* api_table_change.c: main has the rows. False: the daemon cannot go on. */
bool api_table_job_take(struct api_call *call, struct api_table_job *job);

/* api_tables.c */
/* NULL: no module declares it. */
const struct program_table *api_table_named(const struct api_call *call, const char *name);
/* What rules use, or NULL: it has no upload. */
const struct upload_head *api_table_upload(const struct api_call *call, const char *name);
void api_table_etag(const uint8_t id[16], char etag_out[40]);
/* api_table_rows.c: answers. */
bool api_table_rows(struct api_call *call, const struct program_table *table, struct buf *head);

#endif
