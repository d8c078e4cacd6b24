// SPDX-License-Identifier: Apache-2.0
/*
 * table_csv - records of CSV, one after the other (RFC 4180): fields in quotes may hold commas, line ends
 * and quotes written twice; lines end with LF or CRLF; blank lines are passed over, and so is a byte order
 * mark at the beginning. An empty field is missing, all others are texts.
 */
#ifndef LANG_TABLE_CSV_H
#define LANG_TABLE_CSV_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/buf.h"
#include "event/value.h"

struct arena;

struct csv { /* embedded: csv_open, csv_close */
    const char *at, *end;
    const char *begin;     /* of the record */
    struct buf field;      /* of quoted fields, unquoted */
    struct value *cell;    /* [n] of the record, valid until the next one */
    uint32_t n;
    size_t cap;
    struct arena *texts;   /* reset with each record */
    uint32_t line;         /* of the record */
    uint32_t next_line;
};

/* text is borrowed until csv_close. */
void csv_open(struct csv *c, const char *text, size_t len);
void csv_close(struct csv *c);
/* The next record; n is 0 at the end. False and why: it cannot be told where the next one begins. */
bool csv_next(struct csv *c, struct buf *why);
/* Is the text a number, as JSON writes one? */
bool csv_number(struct value text, struct value *number_out);
/* The number of the field named `name` in the header at hand; false and why: there is none, or it is there
 * twice. */
bool csv_find(const struct csv *head, const char *name, uint32_t *at_out, struct buf *why);

#endif
