// SPDX-License-Identifier: Apache-2.0
/* `tocsin replay -c`: sources, times, lateness and rules of a configuration. */
#include <string.h>

#include "base/buf.h"
#include "base/diag.h"
#include "base/mem.h"
#include "base/suggest.h"
#include "cli/command.h"
#include "cli/replay_priv.h"
#include "config/config.h"
#include "config/source_files.h"

static bool read_config(struct request *req)
{
    struct diag *diag = diag_new();

    req->config = config_read(req->config_path, diag);
    rule_files_say(diag);
    diag_free(&diag);
    return req->config != NULL;
}

/* All files of all sources, as they are there now. */
static bool find_files(struct request *req)
{
    struct buf why;
    bool ok = true;

    buf_init(&why);
    for (size_t i = 0; i < req->config->n_sources; i++) {
        const struct config_source *source = &req->config->source[i];
        struct source_files files;

        ok = source_files_find(&files, source, &why) && ok;
        for (size_t j = 0; j < files.n; j++)
            replay_request_add(req, source->name, strlen(source->name), files.path[j]);
        source_files_fini(&files);
    }
    replay_complain(&why);
    buf_fini(&why);
    return ok;
}

static bool unknown_source(const struct request *req, const char *name)
{
    struct suggest s;

    suggest_init(&s, name);
    for (size_t i = 0; i < req->config->n_sources; i++)
        suggest_try(&s, req->config->source[i].name);
    const char *nearest = suggest_result(&s);
    command_usage_error(COMMAND_replay, "%s has no source %s%s%s%s", req->config_path, name,
                        nearest ? ", did you mean " : "", nearest ? nearest : "",
                        nearest ? "?" : "");
    return false;
}

/* Lateness and longest line of each file are its source's. */
static bool take_settings(struct request *req)
{
    for (size_t i = 0; i < req->n_paths; i++) {
        struct replay_path *path = &req->path[i];
        uint32_t number = config_source_named(req->config, path->source);

        if (number == UINT32_MAX)
            return unknown_source(req, path->source);
        const struct config_source *source = &req->config->source[number];
        if (source->time_arrival) {
            command_usage_error(COMMAND_replay,
                                "the times of source %s are those of arrival, which a replay does "
                                "not have", source->name);
            return false;
        }
        path->lateness = source->lateness;
        path->max_line = (size_t)source->max_line;
    }
    return true;
}

int replay_config(struct request *req)
{
    if (req->times.n > 0)
        return command_usage_error(COMMAND_replay, "--time: %s says where times are",
                                   req->config_path);
    if (!read_config(req))
        return EXIT_USAGE;
    if (req->rules.n == 0 && !req->rules.failed)
        rule_files_add(&req->rules, req->config->rules);
    config_times(req->config, &req->times);
    if (req->n_paths == 0 && !find_files(req))
        return EXIT_FAILED;
    return take_settings(req) ? EXIT_OK : EXIT_USAGE;
}
