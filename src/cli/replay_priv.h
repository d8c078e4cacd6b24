// SPDX-License-Identifier: Apache-2.0
/* replay_priv - what is asked of `tocsin replay`: by its command line (replay.c) and by a
 * configuration (replay_config.c). */
#ifndef CLI_REPLAY_PRIV_H
#define CLI_REPLAY_PRIV_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "config/rule_files.h"
#include "flow/replay_input.h"
#include "flow/time_field.h"

struct buf;
struct config;
struct program;

enum { REPLAY_NO_LATENESS = -1 };

struct request {
    const char *config_path;  /* or NULL */
    struct config *config;    /* owned; or NULL */
    struct config *secrets;   /* owned; the same with those of sources, if config has none and tables want them; or NULL */
    struct rule_files rules;
    struct time_specs times;
    struct replay_path *path; /* sources and paths owned */
    size_t n_paths, cap_paths;
    struct replay_stream *stream; /* sources owned */
    size_t n_streams;
    bool has_from, has_until; /* --from, --until */
    int64_t from, until;      /* ns, or KAFKA_EARLIEST, KAFKA_LATEST */
    const char **source;      /* their names, each once */
    size_t n_sources;
    int64_t lateness;         /* or REPLAY_NO_LATENESS: not said */
    uint64_t memory, max_line; /* max_line 0: not said */
    const char *late;
    bool no_opt, stats;
};

/* Prints messages, each of its lines as one. */
void replay_complain(const struct buf *why);
/* Copies both texts. */
void replay_request_add(struct request *req, const char *source, size_t len, const char *path);
/* Reads req->config_path and takes from it what the command line does not say. EXIT_OK: go on; else
 * it was said what is wrong. */
int replay_config(struct request *req);
/* The topics of tables, with a configuration. As replay_config. */
int replay_config_tables(struct request *req, const struct program *prog);

#endif
