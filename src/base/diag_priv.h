// SPDX-License-Identifier: Apache-2.0
/* diag_priv - what diag.c (the list) and diag_print.c (its two forms on paper) share. */
#ifndef BASE_DIAG_PRIV_H
#define BASE_DIAG_PRIV_H

#include <stddef.h>
#include <stdint.h>

#include "base/diag.h"

struct diag_file {
    const char *name; /* in texts */
    const char *text; /* in texts, NUL-terminated */
    size_t len;       /* bytes, < UINT32_MAX */
    uint32_t *line;   /* owned: the byte at which each line starts; at least one */
    size_t line_n;
    size_t line_cap;
    const char *original; /* in texts: the text as it was; NULL: it is that, nothing is concealed */
    struct span *hidden;  /* owned: what is concealed */
    size_t hidden_n;
    size_t hidden_cap;
};

struct diag_message {
    enum diag_level level;
    struct span span;
    size_t order;     /* of adding, from 0 */
    const char *text; /* in texts: one line, printable */
    const char *hint; /* the same, or NULL */
};

struct diag {
    struct arena *texts;
    struct diag_file *file; /* owned */
    size_t file_n;
    size_t file_cap;
    struct diag_message *message; /* owned; those that are kept */
    size_t message_n;
    size_t message_cap;
    struct diag_message *last; /* for diag_hint; NULL if it was not kept */
    struct hash_index *seen;   /* hash of level, span and text -> itself */
    size_t total[2];           /* by level: distinct messages, kept or not */
    size_t keeps[2];           /* by level: how many are kept */
};

struct buf;

/* The line (from 0) that byte `at` <= len is on. */
size_t diag_line_of(const struct diag_file *f, size_t at);
size_t diag_columns(const char *text, size_t len);
/* Appends a code point as one that a terminal shows in one place. */
void diag_add_shown(struct buf *out, uint32_t cp);

#endif
