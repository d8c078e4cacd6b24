// SPDX-License-Identifier: Apache-2.0
/*
 * remote - what subcommands that ask a running daemon share: their command line, the daemon, what it answers.
 *
 * A subcommand is remote_COMMAND_ACTION (action.def); it asks with remote_get and its like, which print what went
 * wrong and give the exit code, and prints what it was told with cli/shown.h and cli/grid.h: texts of the daemon
 * never reach the terminal as they are.
 */
#ifndef CLI_REMOTE_H
#define CLI_REMOTE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "cli/command.h"
#include "event/json_doc.h"
#include "io/http_client.h"

struct remote { /* _read, _fini */
    enum command_id command;
    enum action_id action;
    const char *option[OPTION_COUNT]; /* what was given; "" of one without an argument; NULL: not given */
    const char **word;                /* owned array: what stands behind the action */
    const char **words;               /* owned: with its name */
    int n_words;
    bool json;
    struct http_client *client;       /* owned */
    char *token;                      /* owned, or NULL */
};

struct remote_answer { /* embedded: _init, _fini */
    struct http_client_answer http;
    struct json_doc *doc; /* owned; NULL: it is no JSON */
};

/* Reads the command line. *action_out is ACTION_BAD if there is nothing to do: then it gives the exit code. */
int remote_read(struct remote *r, enum command_id command, int argc, char **argv, enum action_id *action_out);
void remote_fini(struct remote *r);
/* Checks the options, finds the daemon, does it. */
int remote_ask(struct remote *r);

/* The argument of an option of the subcommand, "" if it takes none; NULL: it was not given. */
const char *remote_option(const struct remote *r, const char *name);
/* Are there so many words (most < 0: any number)? False: `missing` is said. */
bool remote_words(const struct remote *r, int least, int most, const char *missing);

/* ---- paths ------------------------------------------------------------------------------------- */

/* Begins a path (buf_fini): FRONT, the name percent-encoded, MORE. */
void remote_path(struct buf *path, const char *front, const char *name, const char *more);
/* Appends the text, percent-encoded for a segment or a query. */
void remote_add_escaped(struct buf *path, const char *text);
/* Appends ?KEY=VALUE, or &KEY=VALUE behind others; NULL: nothing. */
void remote_add_query(struct buf *path, const char *key, const char *value);
/* The same of an option of this name, `-` in it being `_`; one without an argument is `1`. */
void remote_add_option(const struct remote *r, struct buf *path, const char *name);

/* ---- asking ------------------------------------------------------------------------------------ */

void remote_answer_init(struct remote_answer *a);
void remote_answer_fini(struct remote_answer *a);
/* Anything; EXIT_OK if there is an answer, whatever its status. `why` NULL: what went wrong is printed. */
int remote_send(struct remote *r, const struct http_client_request *rq, struct remote_answer *a, struct buf *why);
/* The same, and a status that is not 2xx is printed as what it is: EXIT_FAILED. */
int remote_good(struct remote *r, const struct http_client_request *rq, struct remote_answer *a);
/* The same; the answer is JSON. With --json it is printed here, and *shown_out says so (NULL: not here). */
int remote_get(struct remote *r, const char *path, struct remote_answer *a, bool *shown_out);
int remote_post(struct remote *r, const char *method, const char *path, struct remote_answer *a, bool *shown_out);
/* Asks for a path, and has what is answered printed; with --json it is printed as it is. */
int remote_show(struct remote *r, const char *path, void print(const struct json_doc *doc));
/* Prints the answer, JSON, as it is. */
void remote_print_json(const struct http_client_answer *a);
/* Prints "tocsin: MESSAGE"; gives code. The message is shown as cli/shown.h does. */
int remote_fail(int code, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
/* Prints what a problem document, or an answer that is none, says. */
void remote_print_problem(const struct remote_answer *a);
/* Is it a problem of this name (http/problem.def)? */
bool remote_is_problem(const struct remote_answer *a, const char *name);

/* A duration option, or `otherwise` (ns). False: it is none, and that was said. */
bool remote_duration(const struct remote *r, const char *name, int64_t otherwise, int64_t *ns_out);
/* A size; without the option it is 64MiB. */
bool remote_size(const struct remote *r, const char *name, uint64_t *size_out);
/* A number; the same. */
bool remote_number(const struct remote *r, const char *name, uint64_t otherwise, uint64_t *n_out);

/* ---- lists ------------------------------------------------------------------------------------- */

struct grid;
struct remote_list { /* static: what an answer holds, as a grid */
    const char *member, *heads;
    const char *none; /* what is printed if it is empty; NULL: nothing */
    void (*add_row)(struct grid *g, const struct json_doc *one);
};

void remote_print_list(const struct remote_list *list, const struct json_doc *answer);
/* Asks for a path, and prints the list in what is answered; then `print`, if it is not NULL. */
int remote_show_list(struct remote *r, const char *path, const struct remote_list *list,
                     void print(const struct json_doc *answer));

/* ---- what several print (remote_rules.c) -------------------------------------------------- */

/* Figures of the rules of a list, or of those that are named: at most so many, those with most state first. */
int remote_print_stats(struct remote *r, const struct json_doc *list, size_t most);
/* Any object, a member a line, but for a page of a list, `items` and `next` (remote_state.c). */
void remote_print_outline(const struct json_doc *doc);
/* The last checkpoint, in a line (remote_status.c). */
void remote_print_checkpoints(const struct json_doc *figures);

/* ---- reading JSON: what is not there, or of another kind, is "", 0 or false --------------------- */

const char *doc_text(const struct json_doc *doc, const char *name);
int64_t doc_int(const struct json_doc *doc, const char *name);
double doc_number(const struct json_doc *doc, const char *name);
bool doc_flag(const struct json_doc *doc, const char *name);
size_t doc_count(const struct json_doc *list); /* elements; 0 if it is no list */

#endif
