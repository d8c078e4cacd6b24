/* SPDX-License-Identifier: Apache-2.0 */
/*
 * case_file - the cases of a .t file: a rule, events, and the alerts or the error that it must give.
 * README.md describes the form. A file that is not well formed ends the program with its line.
 */
#ifndef GOLDEN_CASE_FILE_H
#define GOLDEN_CASE_FILE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <jansson.h>

/* 2027-01-01T00:00:00Z: offset 0s of every case. */
#define CASE_BASE INT64_C(1798761600000000000)

struct case_event {
    int64_t time;   /* ns since the epoch */
    char *source;
    char *json;     /* with "#": its number, from 1 */
    size_t json_len;
};

/* Of an alert, what a case says of it. */
struct case_step {
    char *name;
    uint32_t *number; /* of events, as many as n; first and last if count is given */
    size_t n;
    uint32_t count;   /* events that `keep` left out are counted here; 0: all are in `number` */
};
enum case_cold { COLD_NO, COLD_YES, COLD_ANY };
struct case_alert {
    int64_t time;
    char *rule;
    struct case_step *step;
    size_t n_steps;
    enum case_cold cold;
    char *severity;       /* NULL: not said */
    int64_t risk;         /* -1: not said */
    int64_t suppressed;   /* -1: not said */
    json_t *fields;       /* these must be there; NULL: not said */
    json_t *also;         /* {"title": ..., "key": ..., "tags": ...}: equal members of the alert */
    char *line;           /* as written */
};

enum case_wants { WANTS_ALERTS, WANTS_ERROR, WANTS_ERROR_LIKE };
struct golden_case {
    const char *file;     /* borrowed */
    size_t line;
    char *name;
    char *rule;           /* text of the rule file */
    int64_t lateness;     /* ns; -1: not said */
    struct case_event *event;
    size_t n_events;
    enum case_wants wants;
    char *error;          /* text of the diagnostics; of WANTS_ERROR_LIKE, alternatives: `a | b` */
    struct case_alert *alert;
    size_t n_alerts;
};
struct case_file {
    struct golden_case *cases;
    size_t n;
};

void case_file_read(struct case_file *file, const char *path); /* path: borrowed while it is used */
void case_file_fini(struct case_file *file);
/* "5s", "1.000000001s"; appended to buf-sized text of at least 40 bytes. */
void case_offset_text(char *text, size_t size, int64_t time);

#endif
