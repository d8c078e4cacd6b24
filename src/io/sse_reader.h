// SPDX-License-Identifier: Apache-2.0
/*
 * sse_reader - Server-Sent Events as they come, in pieces of any size (HTML Living Standard, "Parsing an event
 * stream"). Memory is bounded: an event is at most so many bytes.
 */
#ifndef IO_SSE_READER_H
#define IO_SSE_READER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/buf.h"

enum { SSE_NAME = 64, SSE_ID = 128 };

struct sse_event { /* valid while it is told */
    const char *name; /* "message" if it has none */
    const char *data; /* NUL-terminated; "" of one without */
    size_t len;
    const char *id;   /* the last that came, of this event or before; "" : none did */
};

struct sse_reader { /* embedded: _init, _fini */
    size_t most;
    struct buf line, data;
    char name[SSE_NAME];
    char next_id[SSE_ID]; /* of what is being read */
    char id[SSE_ID];      /* of what is complete: where a broken connection goes on */
    bool cr;       /* the last byte was one: a line feed behind it is no line */
    bool has_data;
    bool begun;    /* a byte order mark may stand before */
};

void sse_reader_init(struct sse_reader *r, size_t most);
void sse_reader_fini(struct sse_reader *r);
/* Behind a broken connection: what is not complete is dropped, the id stays. */
void sse_reader_restart(struct sse_reader *r);
/* Calls found for each event. False: an event is longer than there may be, or found was false. */
bool sse_reader_add(struct sse_reader *r, const char *bytes, size_t len,
                    bool (*found)(void *ctx, const struct sse_event *event), void *ctx);

#endif
