// SPDX-License-Identifier: Apache-2.0
/*
 * config - what the configuration file says (language section 11), read, checked and with defaults:
 * engine, sources, sinks, default_to. The syntax is that of rules; the keys are one table, option.def.
 * Mistakes are diagnostics with spans and hints, all of them in one go. What a later version brings to
 * life (kafka, http, webhook, route ...) is refused with a plain message.
 * A text may be env("NAME") or file("path"); what it is then never stands in a diagnostic.
 * Paths are relative to the file's directory in the file, and to the current directory here.
 * Read next: option.def; block.c (reading), check.c (what must fit together), rules.h (the rules).
 */
#ifndef CONFIG_CONFIG_H
#define CONFIG_CONFIG_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct diag;
struct time_specs;

enum config_source_kind { CONFIG_FILE, CONFIG_STDIN };
struct config_source {
    char *name;
    enum config_source_kind kind;
    char **path;          /* patterns as of glob(3); of CONFIG_FILE */
    size_t n_paths;
    bool follow;          /* true; false: read to the end, then over */
    char *time;           /* dotted path, or NULL: the default ones */
    bool time_arrival;    /* `time arrival`: only sources that are spooled */
    unsigned formats;     /* OR of enum time_format; 0: all */
    int64_t lateness;     /* ns; 0 */
    int64_t idle;         /* ns; 30 s */
    int64_t future;       /* ns; 5 min */
    bool quiet_hold;      /* `quiet hold`: time stands still while the source is quiet */
    char *order_by;       /* dotted path or NULL */
    char *late;           /* name of a sink, or NULL */
    char *dead_letter;    /* likewise */
    uint64_t max_line;    /* bytes; 16 MiB */
    uint64_t spool_segment; /* bytes of a segment; 64 MiB */
    uint64_t spool_limit; /* bytes; 4 GiB: beyond it input waits */
};

enum { CONFIG_MAX_BLOCKS = 1000, CONFIG_MAX_PATTERNS = 10000 }; /* sources, sinks; all patterns */

enum config_sink_kind { CONFIG_SINK_FILE, CONFIG_SINK_STDOUT };
struct config_sink {
    char *name;
    enum config_sink_kind kind;
    char *path;
    uint64_t rotate_size; /* bytes; 0: never */
    int64_t rotate_every; /* ns; 0: never */
    uint32_t rotate_keep; /* files; 0: all */
    bool wait;            /* on_full: wait; false: dead_letter */
    uint64_t max_count, max_bytes; /* of its queue */
};

struct config {
    char *path;           /* of the file; NULL: none, all defaults */
    char *text;           /* of the file, when it was read from one; else NULL */
    size_t len;
    char *dir;            /* of the file, with a `/` at its end; "" for the current one */
    char *rules;          /* directory or file */
    char *state;
    int64_t checkpoint;   /* ns; 1 s */
    uint64_t checkpoint_bytes; /* 16 MiB of changed state */
    int64_t alert_delay;  /* ns; 10 ms */
    uint64_t memory_limit;  /* bytes; 4 GiB: state in memory */
    uint64_t buffer_limit;  /* bytes; 256 MiB: events that wait to be put in order */
    uint64_t spill_limit;   /* bytes on disk; 16 GiB */
    uint64_t queue_limit;   /* bytes; 64 MiB: read and not yet ordered */
    uint64_t dead_letter_bytes, dead_letter_count;
    int64_t stop_within;  /* ns; 30 s: to deliver at a stop */
    uint32_t shards;      /* 1 */
    struct config_source *source;
    size_t n_sources;
    struct config_sink *sink;
    size_t n_sinks;
    char **default_to;    /* names of sinks, one at least; if the file does not say: every sink that no
                             source has as `late` or `dead_letter`, and if there is none, a sink
                             `stdout` that is made for it */
    size_t n_default_to;
};

/* Reads the file. NULL when it cannot be read (message in diag) or has mistakes. Returns owned. */
struct config *config_read(const char *path, struct diag *diag);
/* The same of a text; path is its name, and where relative paths start. */
struct config *config_read_text(const char *path, const char *text, size_t len, struct diag *diag);
/* Without a file: rules from ./rules, one source `events` from stdin, one sink `stdout`. */
struct config *config_default(void);
void config_free(struct config **config);
/* Whether the file is not what it was when it was read. */
bool config_changed(const struct config *config);
/* Number of the sink; UINT32_MAX if there is none. */
uint32_t config_sink_named(const struct config *config, const char *name);
uint32_t config_source_named(const struct config *config, const char *name);
/* Adds where the sources keep their times and `order_by` to specs (flow/time_field.h). Sources with
 * `time arrival` have none: their time is the reader's to set. */
void config_times(const struct config *config, struct time_specs *specs);

#endif
