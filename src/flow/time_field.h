// SPDX-License-Identifier: Apache-2.0
/*
 * time_field - where a source keeps the time of its events: `--time [NAME=]FIELD[,FORMAT...]`.
 *
 * A source has a list of fields; the first of them that an event has is its time, read by that
 * field's formats (language section 7). Without a setting: @timestamp timestamp time ts, all
 * formats. A setting without NAME is for every source that has none of its own; several settings
 * for one source are tried in the order in which they were given.
 * A source may also say which field decides among events of one time: `order_by`.
 * The paths must be in the schema: time_specs_paths gives them to program_options.extra_path before
 * the program is compiled, time_spec_bind finds their slots after.
 */
#ifndef FLOW_TIME_FIELD_H
#define FLOW_TIME_FIELD_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct buf;
struct event;
struct schema;

struct time_setting {
    char *source;     /* owned; NULL: all sources without one of their own */
    char *path;       /* owned; dotted */
    unsigned formats; /* OR of enum time_format */
};

struct time_specs { /* embedded: _init, _fini */
    struct time_setting *setting; /* owned array */
    size_t n, cap;
    struct time_setting *order_by; /* owned array; formats are not used */
    size_t n_order_by, cap_order_by;
};

enum { TIME_MAX_FIELDS = 16 }; /* of one source */

/* The fields of one source, with their slots. */
struct time_spec {
    struct {
        const char *path; /* of the settings, or static */
        uint32_t slot;
        unsigned formats;
    } field[TIME_MAX_FIELDS];
    uint32_t n;
    uint32_t order_by; /* slot, or UINT32_MAX */
};

enum time_outcome { TIME_FOUND, TIME_ABSENT, TIME_UNREADABLE };

void time_specs_init(struct time_specs *specs);
void time_specs_fini(struct time_specs *specs);
/* Adds one `[NAME=]FIELD[,FORMAT...]`; false and a message in why if it cannot be read. */
bool time_specs_add(struct time_specs *specs, const char *text, struct buf *why);
/* As a configuration says it: path NULL: the default ones; formats 0: all. The first for a source. */
void time_specs_set(struct time_specs *specs, const char *source, const char *path,
                    unsigned formats);
void time_specs_order_by(struct time_specs *specs, const char *source, const char *path);
/* All paths that the schema must hold, those of the default too; returns an owned array of borrowed
 * texts (mem_free), without duplicates. */
const char **time_specs_paths(const struct time_specs *specs, size_t *n_out);
/* The fields of a source; the schema must hold them. */
void time_spec_bind(const struct time_specs *specs, const char *source,
                    const struct schema *schema, struct time_spec *spec_out);
/* Sets ev->time, and ev->order_by (borrowed from the slot). */
enum time_outcome time_spec_read(const struct time_spec *spec, struct event *ev);
/* Of a line that has none of the fields: the first member that holds a time as text, at the top or in an object there,
 * as it is written in `--time`. False: there is none. */
bool time_field_guess(const char *line, size_t len, struct buf *path_out);
/* Appends why time_spec_read did not find it: "no time: none of ... is there". */
void time_spec_explain(const struct time_spec *spec, const struct event *ev, struct buf *out);

#endif
