// SPDX-License-Identifier: Apache-2.0
/* `tocsin replay -c`: sources, times, lateness and rules of a configuration. */
#include <stdio.h>
#include <string.h>

#include "base/log.h"
#include "base/buf.h"
#include "base/diag.h"
#include "base/mem.h"
#include "base/suggest.h"
#include "cli/command.h"
#include "cli/replay_priv.h"
#include "config/config.h"
#include "config/source_files.h"
#include "config/table_source.h"
#include "io/interrupt.h"
#include "io/source_kafka.h"
#include "lang/table_kafka.h"
#include "plan/program.h"

static bool read_config(struct request *req)
{
    struct diag *diag = diag_new();

    req->config = req->n_paths > 0 ? config_read_without_secrets(req->config_path, diag)
                                   : config_read_for_sources(req->config_path, diag);
    rule_files_say(diag);
    diag_free(&diag);
    return req->config != NULL;
}

/* ---- topics ---------------------------------------------------------------------------------- */

/* What the client of Kafka says of itself is of no use beside what the replay says. */
static void quiet_log(void)
{
    struct log_levels levels;

    for (int i = 0; i < N_LOG_CATEGORIES; i++)
        levels.least[i] = LOG_ERROR;
    log_set_levels(&levels);
}

static bool add_topics(struct request *req, const struct config_source *from, struct buf *why)
{
    struct source_kafka_options opt = config_kafka_source(from);
    struct buf what;

    opt.group = NULL;
    opt.follow = false;
    opt.on_reset = KAFKA_RESET_FAIL;
    opt.start = req->has_from ? req->from : opt.start;
    opt.until = req->has_until ? req->until : KAFKA_LATEST;
    opt.max_line = req->max_line ? (size_t)req->max_line : opt.max_line;
    buf_init(&what);
    if (opt.start == KAFKA_LATEST) {
        buf_adds(&what, "it begins at the ends of its topics (`start latest`): say with --from where a replay begins");
    } else {
        interrupt_keep_off(true);
        struct source *source = source_kafka_new(&opt, &what);
        interrupt_keep_off(false);
        if (source)
            req->stream[req->n_streams++] = (struct replay_stream){.source = source,
                                                                   .lateness = from->lateness,
                                                                   .max_line = opt.max_line,
                                                                   .time_record = from->time_record,
                                                                   .complete = source_kafka_complete};
    }
    if (what.len > 0)
        buf_printf(why, "%ssource %s: %s", why->len ? "\n" : "", from->name, what.data);
    bool ok = what.len == 0;
    buf_fini(&what);
    return ok;
}

/* ---- all --------------------------------------------------------------------------------------- */

/* All files and topics of all sources, as they are there now. */
static bool find_input(struct request *req)
{
    struct buf why;
    bool ok = true;

    buf_init(&why);
    quiet_log();
    req->stream = mem_calloc(req->config->n_sources + 1, sizeof *req->stream);
    for (size_t i = 0; i < req->config->n_sources; i++) {
        const struct config_source *source = &req->config->source[i];
        struct source_files files;

        if (source->kind == CONFIG_KAFKA) {
            ok = add_topics(req, source, &why) && ok;
            continue;
        }
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
        if (source->time_record) {
            command_usage_error(COMMAND_replay,
                                "the times of source %s are those of its records, which files do not have",
                                source->name);
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
    if (req->rules.n == 0 && !req->rules.failed) {
        rule_files_add(&req->rules, req->config->rules);
        if (req->config->rules_topic.given)
            fprintf(stderr, "tocsin: note: modules of the topic %s are not run: a replay has those of files, -r names others\n",
                    req->config->rules_topic.kafka.topic);
    }
    config_times(req->config, &req->times);
    if (req->n_paths == 0 && !find_input(req))
        return EXIT_FAILED;
    return take_settings(req) ? EXIT_OK : EXIT_USAGE;
}

/* ---- tables ------------------------------------------------------------------------------------ */

/* A configuration whose secrets of sources were read, if a table borrows from a source. */
static bool read_secrets(struct request *req, const struct program *prog)
{
    const struct program_table *table;
    struct diag *diag = diag_new();
    bool borrows = false;

    for (size_t i = 0; (table = table_source_at(prog, i)) != NULL; i++)
        borrows = borrows || table->kafka->source.text;
    if (borrows && req->n_paths > 0) {
        req->secrets = config_read_for_sources(req->config_path, diag);
        borrows = req->secrets != NULL;
        if (!borrows)
            rule_files_say(diag);
    } else {
        borrows = true;
    }
    diag_free(&diag);
    return borrows;
}

static bool add_table(struct request *req, const struct program *prog, const struct program_table *table, struct buf *why)
{
    const struct config *config = req->secrets ? req->secrets : req->config;

    interrupt_keep_off(true);
    struct source *source = table_source_new(config, prog, table, false, NULL, 0, why);
    interrupt_keep_off(false);
    if (source)
        req->stream[req->n_streams++] = (struct replay_stream){.source = source,
                                                               .max_line = TABLE_SOURCE_MAX_LINE,
                                                               .time_record = true,
                                                               .rows = true,
                                                               .latest = table->kafka->latest,
                                                               .future = TABLE_SOURCE_FUTURE,
                                                               .complete = source_kafka_complete};
    return source != NULL;
}

int replay_config_tables(struct request *req, const struct program *prog)
{
    size_t n = table_sources(prog), cap = req->n_streams;
    bool ok = true;
    struct buf why;

    if (n == 0)
        return EXIT_OK;
    if (!read_secrets(req, prog))
        return EXIT_USAGE;
    quiet_log();
    req->stream = vec_reserve(req->stream, &cap, req->n_streams + n, sizeof *req->stream);
    for (size_t i = 0; i < n; i++) {
        buf_init(&why);
        ok = add_table(req, prog, table_source_at(prog, i), &why) && ok;
        replay_complain(&why);
        buf_fini(&why);
    }
    return ok ? EXIT_OK : EXIT_FAILED;
}
