// SPDX-License-Identifier: Apache-2.0
/*
 * config - what the configuration file says (language section 11), read, checked and with defaults:
 * engine, sources, sinks, default_to, routes. The syntax is that of rules; the keys are one table,
 * option.def. Mistakes are diagnostics with spans and hints, all of them in one go.
 * A text may be env("NAME") or file("path"); what it is then never stands in a diagnostic. Secrets do
 * not even if they were written into the file (conceal.c).
 * Paths are relative to the file's directory in the file, and to the current directory here.
 * Read next: option.def; block.c (reading), setting.h (values), check.c (what must
 * fit together), rules.h (the rules).
 */
#ifndef CONFIG_CONFIG_H
#define CONFIG_CONFIG_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/diag.h"
#include "io/body.h"
#include "io/kafka.h"
#include "io/sink_kafka.h"
#include "io/source_kafka.h"
#include "io/web.h"


struct route_table;
struct time_specs;

struct config_texts {
    char **text; /* owned */
    size_t n;
};

/* The block `kafka` of a source or sink; what option values are stays out of every message. */
struct config_kafka {
    char *brokers;              /* HOST:PORT, several with commas */
    struct config_texts topics; /* of a source */
    char *topic;                /* of a sink, as is what follows */
    char *application;          /* first part of its transactional.id */
    bool at_least_once, cloudevents, accept_marker;
    char *group;                /* of a source */
    int64_t start;              /* ns of Unix time, or KAFKA_EARLIEST, KAFKA_LATEST */
    enum kafka_reset on_reset;
    uint32_t partition_figures; /* of a source: so many partitions have figures of their own, if there are no more */
    struct kafka_option *option; /* owned, as are its texts */
    size_t n_options;
    uint64_t files;             /* a hash of the files that options name */
};

enum config_source_kind { CONFIG_FILE, CONFIG_STDIN, CONFIG_HTTP, CONFIG_KAFKA };
struct config_source {
    char *name;
    enum config_source_kind kind;
    char **path;          /* patterns as of glob(3); of CONFIG_FILE */
    size_t n_paths;
    bool follow;          /* true; false: read to the end, then over */
    char *time;           /* dotted path, or NULL: the default ones */
    bool time_arrival;    /* `time arrival`: only sources that are spooled */
    bool time_record;     /* `time record`: only of CONFIG_KAFKA */
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
    uint64_t spool_limit; /* bytes; 4 GiB: beyond it input waits, posts are refused */
    struct config_kafka kafka; /* of CONFIG_KAFKA */
};

enum { CONFIG_MAX_BLOCKS = 1000, CONFIG_MAX_PATTERNS = 10000 }; /* sources, sinks; all patterns */

/* Of `webhook`: what its texts are stays out of every message (url: all but scheme, host, port). */
struct config_webhook {
    char *url;
    char *secret[2];           /* NULL: none; two while it is changed */
    struct web_header *header; /* owned, as are its texts */
    size_t n_headers;
    enum body_kind body;
    char *template, *content_type, *routing_key, *link; /* of the body; or NULL */
    struct span template_span, link_span; /* of these values, in the diag that they were read with */
    uint64_t max_body;         /* bytes */
    uint32_t batch_count;      /* 1 */
    int64_t batch_wait;        /* ns; 0 */
    uint32_t in_flight;        /* 8; with `order strict` 1 */
    bool strict;
    int64_t connect_timeout, timeout; /* ns; 5 s, 20 s */
    int64_t max_age;           /* ns; 24 h: what could not be delivered for so long is a dead letter */
    int64_t retry_least, retry_most; /* ns; 1 s, 10 min */
    char *ca, *certificate, *key; /* paths of PEM files, or NULL */
    bool tls_1_3;              /* at least; false: 1.2 */
    char *proxy;               /* or NULL */
    struct config_texts allow; /* networks */
    uint64_t max_response;     /* bytes; 64 KiB */
};

enum config_sink_kind { CONFIG_SINK_FILE, CONFIG_SINK_STDOUT, CONFIG_SINK_WEBHOOK, CONFIG_SINK_KAFKA };
struct config_sink {
    char *name;
    enum config_sink_kind kind;
    char *path;
    uint64_t rotate_size; /* bytes; 0: never */
    int64_t rotate_every; /* ns; 0: never */
    uint32_t rotate_keep; /* files; 0: all */
    bool wait;            /* on_full: wait; false: dead_letter */
    uint64_t max_count, max_bytes; /* of its queue */
    struct config_webhook web; /* of CONFIG_SINK_WEBHOOK */
    struct config_kafka kafka; /* of CONFIG_SINK_KAFKA */
};

/* `route`: alerts for which each condition that it has is true go to its sinks too. */
struct config_route {
    unsigned severities;      /* bits 1 << enum severity; 0: any */
    struct config_texts tags, rules; /* patterns, one of which must match; none: any */
    struct config_texts to;   /* names of sinks, one at least */
    struct config_texts mute; /* windows as of flow/mute.h */
    int64_t group;            /* ns; 0: not grouped */
    struct span span;         /* of the block, in the diag that it was read with */
    uint32_t line;            /* where it begins */
};

/* The HTTP interface (http/server.h). */
struct config_http {
    bool given;           /* there is a block `http` */
    char *listen;         /* 127.0.0.1:7070 */
    char *tokens;         /* the text of a tokens file, or NULL */
    char *certificate, *key; /* paths, or NULL */
    uint64_t max_body;    /* bytes; 8 MiB */
    uint64_t max_bodies;  /* bytes of all that are under way; 64 MiB */
    uint64_t max_header;  /* bytes; 32 KiB */
    uint32_t connections; /* 4096 */
    int64_t request_timeout; /* ns; 30 s */
    uint32_t versions;    /* of a module that are kept; 50 */
    uint64_t versions_bytes; /* of all modules */
    uint64_t table_bytes; /* of all rows that came over it; 256 MiB */
    uint32_t table_versions; /* of a table's rows that are kept; 5 */
    uint64_t alerts_count, alerts_bytes; /* that are kept; 100,000 (0: none), 256 MiB */
    int64_t alerts_keep;  /* ns; 7 days */
    uint32_t streams;     /* of alerts, at once; 1000 */
    int64_t heartbeat;    /* ns; 15 s */
};

/* `rules_topic` of the engine: modules that are records. */
struct config_rules_topic {
    bool given;
    struct config_kafka kafka; /* brokers, topic, options */
    char *results;        /* or NULL */
    bool go_on;           /* `on_reset earliest` */
    uint64_t max_module;  /* bytes; 1 MiB */
};

struct config {
    char *path;           /* of the file; NULL: none, all defaults */
    char *dir;            /* of the file, with a `/` at its end; "" for the current one */
    char *rules;          /* directory or file */
    struct config_rules_topic rules_topic;
    char *state;
    int64_t checkpoint;   /* ns; 1 s */
    uint64_t checkpoint_bytes; /* 32 MiB, as they are written */
    int64_t alert_delay;  /* ns; 10 ms */
    uint64_t memory_limit;  /* bytes; 4 GiB: state in memory */
    uint64_t buffer_limit;  /* bytes; 256 MiB: events that wait to be put in order */
    uint64_t spill_limit;   /* bytes on disk; 16 GiB */
    uint64_t queue_limit;   /* bytes; 64 MiB: read and not yet ordered */
    uint64_t dead_letter_bytes, dead_letter_count;
    int64_t stop_within;  /* ns; 30 s: to deliver at a stop */
    uint32_t shards;      /* 1 */
    bool log_json;        /* the log is JSON, not key=value */
    char *log_level;      /* as log_levels_read takes it; NULL: info */
    struct config_source *source;
    size_t n_sources;
    struct config_sink *sink;
    size_t n_sinks;
    struct config_http http;
    char **default_to;    /* names of sinks, one at least; if the file does not say: every sink that no
                             source has as `late` or `dead_letter` and no route names, and if there
                             is none, a sink `stdout` that is made for it */
    size_t n_default_to;
    struct config_route *route; /* in the order of the file */
    size_t n_routes;
    size_t warnings;      /* that were told when it was read */
    struct route_table *routes; /* owned reference: these and default_to, compiled */
};

/* Reads the file. NULL when it cannot be read (message in diag) or has mistakes. Returns owned. */
struct config *config_read(const char *path, struct diag *diag);
/* The same for who sends nothing: what env() and file() give for secrets, headers and URLs of webhooks is
 * not read, and need not be there. */
struct config *config_read_without_secrets(const char *path, struct diag *diag);
/* The same for who reads the sources: their secrets are read. */
struct config *config_read_for_sources(const char *path, struct diag *diag);
/* The same of a text; path is its name, and where relative paths start. */
struct config *config_read_text(const char *path, const char *text, size_t len, struct diag *diag);
/* Without a file: rules from ./rules, one source `events` from stdin, one sink `stdout`. */
struct config *config_default(void);
/* Has the log take the form and the levels that the configuration says. */
void config_apply_log(const struct config *config);
void config_free(struct config **config);
/* Number of the sink; UINT32_MAX if there is none. */
uint32_t config_sink_named(const struct config *config, const char *name);
uint32_t config_source_named(const struct config *config, const char *name);
/* Is its input put into a spool first? */
bool config_is_spooled(const struct config_source *source);
/* As io wants it; borrowed from kafka, from source, from sink. */
struct kafka_settings config_kafka_settings(const struct config_kafka *kafka);
struct source_kafka_options config_kafka_source(const struct config_source *source);
struct sink_kafka_options config_kafka_sink(const struct config_sink *sink);
/* What makes the bodies of a sink that is a webhook. Returns owned, or NULL and why. */
struct body *config_webhook_body(const struct config_sink *sink, struct buf *why);
/* Adds where the sources keep their times and `order_by` to specs (flow/time_field.h). Sources with
 * `time arrival` or `time record` have none: their time is the reader's to set. */
void config_times(const struct config *config, struct time_specs *specs);

#endif
