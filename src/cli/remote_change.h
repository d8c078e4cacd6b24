// SPDX-License-Identifier: Apache-2.0
/*
 * remote_change - modules on their way to a daemon, and what it says of a change of rules: mistakes as `tocsin
 * check` prints them, with the line and a caret, or what became of each rule.
 */
#ifndef CLI_REMOTE_CHANGE_H
#define CLI_REMOTE_CHANGE_H

#include <stdbool.h>
#include <stddef.h>

#include "cli/remote.h"
#include "config/rule_files.h"

struct sent_module {
    char *name;       /* owned; "": it is no module, but rows of a table */
    const char *path; /* how messages call it: that of its file; borrowed, as the text is */
    const char *text;
    size_t len;
};

struct sent_modules { /* embedded: _init, _fini */
    struct sent_module *module; /* owned */
    size_t n, cap;
    struct rule_files files; /* what module points into */
    char *input;             /* owned: standard input, or NULL */
};

void sent_modules_init(struct sent_modules *set);
void sent_modules_fini(struct sent_modules *set);
/* Reads what is named: files, directories, `-`. An exit code; a message was printed. */
int sent_modules_read(struct sent_modules *set, const struct remote *r, const char *const *path, int n);

enum change_how { CHANGE_PUT, CHANGE_SET, CHANGE_CHECK };

/* Puts them (or asks what would be), all at once or nothing; the answer is in a. One alone by itself; several with
 * the others that are there, unless `how` is CHANGE_SET. EXIT_OK if there is an answer that is no failure to ask:
 * its status says the rest. */
int change_send(struct remote *r, enum change_how how, const struct sent_modules *set, struct remote_answer *a,
                struct buf *why);
/* Prints what became of the rules, and warnings; or the mistakes. Gives the exit code. */
int change_print(struct remote *r, const struct remote_answer *a, const struct sent_modules *set);
/* Sends a request that changes rules or rows, with If-Match if that was said, and prints what became of it. The
 * answer is in a. Gives the exit code. */
int change_ask(struct remote *r, const struct http_client_request *rq, const struct sent_modules *set,
               struct remote_answer *a);
/* The options of a change: dry_run, on_reload, allow_state_drop, as far as the action has them. */
void change_add_options(const struct remote *r, struct buf *path);
/* Puts what is saved below a directory, until a signal comes. */
int watch_modules(struct remote *r);

#endif
