// SPDX-License-Identifier: Apache-2.0
/*
 * posted - the events in what is posted: lines, a JSON array, or JSON values one behind the other.
 *
 *     {"a":1}\n{"a":2}\n         lines, blank ones passed over
 *     [{"a":1}, {"a":2}]         whatever begins with `[`
 *     {\n "a": 1\n}  {"a":2}     as JSON (Content-Type): values, over several lines too
 *
 * It says where each begins and ends, and no more: what stands there need not be an event, or JSON. An
 * array that has no end, or no `,` between two values, is broken as a whole.
 */
#ifndef IO_POSTED_H
#define IO_POSTED_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum posted_form { POSTED_LINES, POSTED_ARRAY, POSTED_VALUES };
struct posted {
    const char *text; /* borrowed */
    size_t len, at;
    enum posted_form form;
    uint64_t number;  /* from 1: the line of what was given last, or the how manieth value it is */
    bool begun;       /* the array was */
};
enum posted_got { POSTED_EVENT, POSTED_END, POSTED_BROKEN };

/* is_json: its type is application/json. */
void posted_init(struct posted *p, const char *text, size_t len, bool is_json);
/* The next one: [*text_out, + *len_out) of the text. POSTED_BROKEN: *why_out is static, p->at is where. */
enum posted_got posted_next(struct posted *p, const char **text_out, size_t *len_out,
                            const char **why_out);

#endif
