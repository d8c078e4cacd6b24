// SPDX-License-Identifier: Apache-2.0
/* `tocsin replay`: runs rules over files of events. */
#include "flow/replay.h"

#include <ctype.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/buf.h"
#include "base/diag.h"
#include "base/mem.h"
#include "base/suggest.h"
#include "cli/command.h"
#include "cli/progress.h"
#include "cli/replay_summary.h"
#include "cli/replay_priv.h"
#include "config/config.h"
#include "config/rules.h"
#include "event/time_format.h"
#include "flow/order.h"
#include "flow/time_field.h"
#include "io/interrupt.h"
#include "io/source.h"
#include "io/source_file.h"
#include "lang/parse.h"
#include "plan/program.h"

#define DEFAULT_MEMORY (UINT64_C(4) << 30)
#define HIGHEST_MAX_LINE (UINT64_C(64) << 20)

static const char default_source[] = "events";

/* ---- the command line ------------------------------------------------------------------------ */

static size_t name_length(const char *text)
{
    size_t n = 0;

    while (isalpha((unsigned char)text[n]) || text[n] == '_' || text[n] == '@' ||
           (n > 0 && isdigit((unsigned char)text[n])))
        n++;
    return n;
}

void replay_request_add(struct request *req, const char *source, size_t len, const char *path)
{
    struct replay_path added = {.source = mem_strndup(source, len),
                                .path = mem_strndup(path, strlen(path))};

    req->path = vec_reserve(req->path, &req->cap_paths, req->n_paths + 1, sizeof added);
    req->path[req->n_paths++] = added;
}

/* [NAME=]FILE */
static void add_path(struct request *req, const char *text)
{
    size_t len = name_length(text);

    if (len > 0 && text[len] == '=')
        replay_request_add(req, text, len, text + len + 1);
    else
        replay_request_add(req, default_source, strlen(default_source), text);
}

static bool read_time(struct request *req, const char *text)
{
    struct buf why;
    bool ok;

    buf_init(&why);
    ok = time_specs_add(&req->times, text, &why);
    if (!ok)
        command_usage_error(COMMAND_replay, "--time %s: %s", text, why.data);
    buf_fini(&why);
    return ok;
}

static bool read_duration(const char *name, const char *text, int64_t *ns_out)
{
    if (parse_duration(text, ns_out) && *ns_out >= 0)
        return true;
    command_usage_error(COMMAND_replay, "%s %s: not a duration like 500ms, 30s, 5m, 1h30m", name,
                        text);
    return false;
}

static bool read_size(const char *name, const char *text, uint64_t most, uint64_t *size_out)
{
    if (!parse_size(text, size_out) || *size_out == 0)
        command_usage_error(COMMAND_replay, "%s %s: not a size like 64KiB, 16MiB, 4GiB", name,
                            text);
    else if (*size_out > most)
        command_usage_error(COMMAND_replay, "%s %s: more than there may be, %llu bytes", name,
                            text, (unsigned long long)most);
    else
        return true;
    return false;
}

static bool read_moment(const char *name, const char *text, int64_t *time_out)
{
    struct value value = value_text(text, strlen(text));

    if (time_read(value, TIME_RFC3339 | TIME_DATETIME, 0, time_out))
        return true;
    command_usage_error(COMMAND_replay, "%s %s: not a time like 2026-01-31T00:00:00Z", name, text);
    return false;
}

static bool take_option(struct request *req, enum option_id option, const char *value)
{
    switch (option) {
    case OPTION_replay_RULES:
        rule_files_add(&req->rules, value);
        return true;
    case OPTION_replay_CONFIG:
        if (req->config_path) {
            command_usage_error(COMMAND_replay, "--config is given twice");
            return false;
        }
        req->config_path = value;
        return true;
    case OPTION_replay_TIME:
        return read_time(req, value);
    case OPTION_replay_FROM:
        req->has_from = true;
        req->from = KAFKA_EARLIEST;
        return strcmp(value, "earliest") == 0 || read_moment("--from", value, &req->from);
    case OPTION_replay_UNTIL:
        req->has_until = true;
        return read_moment("--until", value, &req->until);
    case OPTION_replay_LATENESS:
        return read_duration("--lateness", value, &req->lateness);
    case OPTION_replay_LATE:
        req->late = value;
        return true;
    case OPTION_replay_MEMORY:
        return read_size("--memory", value, UINT64_MAX, &req->memory);
    case OPTION_replay_MAX_LINE:
        return read_size("--max-line", value, HIGHEST_MAX_LINE, &req->max_line);
    case OPTION_replay_NO_OPT:
        req->no_opt = true;
        return true;
    case OPTION_replay_STATS:
        req->stats = true;
        return true;
    default: /* OPTION_OTHER; command_line_next gives options of this command only */
        add_path(req, value);
        return true;
    }
}

/* The names of the sources, each once. */
static void gather_sources(struct request *req)
{
    req->source = mem_calloc(req->n_paths + req->n_streams + 1, sizeof *req->source);
    for (size_t i = 0; i < req->n_paths; i++) {
        size_t j = 0;
        while (j < req->n_sources && strcmp(req->source[j], req->path[i].source) != 0)
            j++;
        if (j == req->n_sources)
            req->source[req->n_sources++] = req->path[i].source;
    }
    for (size_t i = 0; i < req->n_streams; i++) /* each is one of a configuration, and has no files */
        req->source[req->n_sources++] = req->stream[i].source->name;
}

/* A --time for a source that is not given would be taken for one that works. */
static bool check_times(const struct request *req)
{
    for (size_t i = 0; i < req->times.n; i++) {
        const char *name = req->times.setting[i].source;
        struct suggest s;
        bool known = !name;

        if (name)
            suggest_init(&s, name);
        for (size_t j = 0; j < req->n_sources && !known; j++) {
            known = strcmp(req->source[j], name) == 0;
            suggest_try(&s, req->source[j]);
        }
        if (known)
            continue;
        const char *nearest = suggest_result(&s);
        command_usage_error(COMMAND_replay, "--time %s=%s: there is no source %s%s%s%s", name,
                            req->times.setting[i].path, name, nearest ? ", did you mean " : "",
                            nearest ? nearest : "", nearest ? "?" : "");
        return false;
    }
    return true;
}

/* `s=` and '' are slips of a script. */
static bool check_named(const struct request *req)
{
    for (size_t i = 0; i < req->n_paths; i++) {
        const struct replay_path *path = &req->path[i];
        if (*path->path)
            continue;
        if (strcmp(path->source, default_source) == 0)
            command_usage_error(COMMAND_replay, "the name of a file of events is empty");
        else
            command_usage_error(COMMAND_replay, "the source `%s` has no file", path->source);
        return false;
    }
    return true;
}

/* Which file of the disk a path is, however it is spelled. */
struct file_id {
    bool known;
    bool plain; /* no character device: what is written there may be read there */
    dev_t device;
    ino_t inode;
};

static struct file_id id_of(int failed, const struct stat *st)
{
    if (failed)
        return (struct file_id){.known = false};
    return (struct file_id){
        .known = true, .plain = !S_ISCHR(st->st_mode), .device = st->st_dev, .inode = st->st_ino};
}

static struct file_id id_of_path(const char *path)
{
    struct stat st;
    int failed = stat(path, &st);

    return id_of(failed, &st);
}

static struct file_id id_of_fd(int fd)
{
    struct stat st;
    int failed = fstat(fd, &st);

    return id_of(failed, &st);
}

static struct file_id id_of_input(const char *path)
{
    return strcmp(path, "-") == 0 ? id_of_fd(STDIN_FILENO) : id_of_path(path);
}

static bool same_file(const struct file_id *a, const struct file_id *b)
{
    return a->known && b->known && a->device == b->device && a->inode == b->inode;
}

/* id: of each path of the request. */
static bool check_twice(const struct request *req, const struct file_id *id)
{
    for (size_t i = 0; i < req->n_paths; i++)
        for (size_t j = 0; j < i; j++) {
            const char *path = req->path[i].path, *before = req->path[j].path;
            bool alike = strcmp(path, before) == 0;
            if ((!alike && !same_file(&id[i], &id[j])) ||
                strcmp(req->path[i].source, req->path[j].source) != 0)
                continue;
            if (alike)
                command_usage_error(COMMAND_replay, "%s is given twice", path);
            else
                command_usage_error(COMMAND_replay, "%s is given twice: it is the same file as %s",
                                    path, before);
            return false;
        }
    return true;
}

/* To write late lines where something is read, or where alerts go, would destroy it. */
static bool check_late(const struct request *req, const struct file_id *id)
{
    struct file_id late, other = id_of_fd(STDOUT_FILENO);
    const char *what = NULL, *name = "";

    if (!req->late)
        return true;
    late = id_of_path(req->late);
    if (!late.plain)
        return true;
    if (same_file(&late, &other))
        what = "where the alerts go, standard output";
    for (size_t i = 0; i < req->n_paths && !what; i++)
        if (same_file(&late, &id[i])) {
            what = "a file of events that is read: ";
            name = req->path[i].path;
        }
    for (size_t i = 0; i < req->rules.n && !what; i++) {
        other = id_of_path(req->rules.text[i].name);
        if (same_file(&late, &other)) {
            what = "a file of rules: ";
            name = req->rules.text[i].name;
        }
    }
    if (what)
        command_usage_error(COMMAND_replay, "--late %s: this is %s%s", req->late, what, name);
    return !what;
}

static bool check_files(const struct request *req)
{
    struct file_id *id = mem_calloc(req->n_paths + 1, sizeof *id);
    bool ok;

    for (size_t i = 0; i < req->n_paths; i++)
        id[i] = id_of_input(req->path[i].path);
    ok = check_twice(req, id) && check_late(req, id);
    mem_free(id);
    return ok;
}

static int no_rules(const struct request *req)
{
    for (size_t i = 0; i < req->n_paths; i++) {
        const char *path = req->path[i].path;
        size_t len = strlen(path);
        if (len > 5 && strcmp(path + len - 5, ".rule") == 0)
            return command_usage_error(COMMAND_replay, "no rules are named, did you mean -r %s?",
                                       path);
    }
    return command_usage_error(COMMAND_replay, "no rules are named: -r FILE|DIR, or -c FILE");
}

/* EXIT_OK: go on. */
static int check_request(struct request *req)
{
    if (req->rules.failed)
        return EXIT_USAGE;
    if (req->rules.n == 0)
        return no_rules(req);
    if (req->n_paths == 0 && req->n_streams == 0)
        return command_usage_error(COMMAND_replay, "no file of events is named");
    if ((req->has_from || req->has_until) && req->n_streams == 0)
        return command_usage_error(COMMAND_replay, "--%s is of topics, and none is read",
                                   req->has_from ? "from" : "until");
    gather_sources(req);
    return check_named(req) && check_files(req) && (req->config || check_times(req)) ? EXIT_OK
                                                                                      : EXIT_USAGE;
}

/* What the command line says of all files, or else nobody does. */
static void take_defaults(struct request *req)
{
    for (size_t i = 0; i < req->n_paths; i++) {
        struct replay_path *path = &req->path[i];
        if (req->lateness != REPLAY_NO_LATENESS)
            path->lateness = req->lateness;
        else if (!req->config)
            path->lateness = ORDER_WHOLE;
        if (req->max_line)
            path->max_line = (size_t)req->max_line;
        else if (!req->config)
            path->max_line = SOURCE_MAX_LINE;
    }
    for (size_t i = 0; i < req->n_streams; i++) /* its longest line is known to it already */
        if (req->lateness != REPLAY_NO_LATENESS)
            req->stream[i].lateness = req->lateness;
}

/* Does a stream take events of a source? */
static bool takes(const struct program *prog, uint32_t stream, uint32_t source)
{
    bool found = stream == 0 || stream == source;

    for (uint32_t i = 0; i < prog->stream[stream].n_inputs && !found; i++)
        found = takes(prog, prog->stream[stream].input[i], source);
    return found;
}

static bool is_read(const struct program *prog, uint32_t source)
{
    for (uint32_t i = 0; i < prog->n_probes; i++)
        for (uint32_t j = 0; j < prog->probe[i].n_streams; j++)
            if (takes(prog, prog->probe[i].stream[j], source))
                return true;
    return false;
}

/* A source that no rule reads may be a slip of the pen. */
static void note_unread(const struct request *req, const struct program *prog)
{
    for (size_t i = 0; i < req->n_sources; i++)
        if (!is_read(prog, program_source(prog, req->source[i])))
            fprintf(stderr, "tocsin: note: no rule reads the source %s\n", req->source[i]);
}

/* Without a configuration no broker is asked. */
static void note_tables(const struct program *prog)
{
    for (uint32_t i = 0; i < prog->n_tables; i++)
        if (prog->table[i].kafka)
            fprintf(stderr, "tocsin: note: the table %s is read from a topic of Kafka: a replay without -c has no rows of it\n",
                    prog->table[i].name);
}

/* ---- the run --------------------------------------------------------------------------------- */

/* With the sources and sinks of the configuration, as tocsind does. */
static struct program *compile_config(const struct request *req)
{
    struct program_options opt = {.no_opt = req->no_opt, .no_tests = true, .kafka_secrets = true};
    struct diag *diag = diag_new();
    struct program *prog =
        config_texts_compile(req->config, req->rules.text, req->rules.n, &opt, diag);

    rule_files_say(diag);
    diag_free(&diag);
    return prog;
}

static struct program *compile(const struct request *req)
{
    if (req->config)
        return compile_config(req);

    struct program_options opt = {.no_opt = req->no_opt,
                                  .no_tests = true,
                                  .source = req->source,
                                  .n_sources = req->n_sources};
    const char **path = time_specs_paths(&req->times, &opt.n_extra_paths);

    opt.extra_path = path;
    struct program *prog = rule_files_compile_loud(&req->rules, &opt);
    mem_free(path);
    return prog;
}

/* Each file stays open while it is read, and they are read side by side. */
static void raise_file_limit(void)
{
    struct rlimit limit;

    if (getrlimit(RLIMIT_NOFILE, &limit) == 0 && limit.rlim_cur < limit.rlim_max) {
        limit.rlim_cur = limit.rlim_max;
        setrlimit(RLIMIT_NOFILE, &limit);
    }
}

static void draw(void *ctx, uint64_t done, uint64_t total, uint64_t events)
{
    progress_draw(ctx, done, total, events);
}

void replay_complain(const struct buf *why)
{
    const char *text = why->len ? why->data : "";

    while (*text) {
        size_t len = strcspn(text, "\n");
        fprintf(stderr, "tocsin: %.*s\n", (int)len, text);
        text += len + (text[len] != '\0');
    }
}

/* 128 and the signal, as a shell has it. */
static int note_interrupt(int signal_number)
{
    fprintf(stderr,
            "tocsin: interrupted by %s: what was not read, and what waited to be put in order, was "
            "not given to the rules\n",
            signal_number == SIGINT ? "SIGINT" : "SIGTERM");
    return 128 + signal_number;
}

static int run(const struct request *req, struct program *prog)
{
    struct progress progress;
    struct replay_options opt = {
        .path = req->path,
        .n_paths = req->n_paths,
        .stream = req->stream,
        .n_streams = req->n_streams,
        .times = &req->times,
        .max_bytes = req->memory,
        .time_rules = req->stats,
        .late_path = req->late,
        .out_fd = STDOUT_FILENO,
        .progress = draw,
        .progress_ctx = &progress,
    };
    struct buf why;
    int code, interrupted = 0;

    raise_file_limit();
    progress_init(&progress);
    buf_init(&why);
    struct replay *r = replay_new(prog, &opt, &why);
    code = EXIT_FAILED;
    if (r) {
        interrupt_begin();
        code = replay_run(r, &why) ? EXIT_OK : EXIT_FAILED;
        interrupted = interrupt_signal();
        interrupt_end();
    }
    progress_wipe(&progress);
    replay_complain(&why);
    if (interrupted)
        code = note_interrupt(interrupted);
    if (r) {
        replay_summary(r, prog, progress_seconds(&progress));
        if (req->stats)
            replay_summary_stats(r, prog);
    }
    replay_free(&r);
    buf_fini(&why);
    return code;
}

static int compile_and_run(struct request *req)
{
    int code = req->config_path ? replay_config(req) : EXIT_OK;

    if (code == EXIT_OK)
        code = check_request(req);
    if (code != EXIT_OK)
        return code;
    take_defaults(req);

    struct program *prog = compile(req);
    if (!prog)
        return EXIT_USAGE;
    note_unread(req, prog);
    if (req->config)
        code = replay_config_tables(req, prog);
    else
        note_tables(prog);
    if (code == EXIT_OK)
        code = run(req, prog);
    program_unref(&prog);
    return code;
}

static void request_fini(struct request *req)
{
    for (size_t i = 0; i < req->n_paths; i++) {
        mem_free((char *)(uintptr_t)req->path[i].source);
        mem_free((char *)(uintptr_t)req->path[i].path);
    }
    for (size_t i = 0; i < req->n_streams; i++)
        source_free(&req->stream[i].source);
    mem_free(req->stream);
    mem_free(req->path);
    mem_free(req->source);
    time_specs_fini(&req->times);
    rule_files_fini(&req->rules);
    config_free(&req->config);
    config_free(&req->secrets);
}

int run_replay(int argc, char **argv)
{
    struct request req = {.lateness = REPLAY_NO_LATENESS, .memory = DEFAULT_MEMORY};
    struct command_line line;
    enum option_id option;
    const char *value;
    bool fine = true;
    int code = EXIT_OK;

    rule_files_init(&req.rules);
    time_specs_init(&req.times);
    command_line_init(&line, COMMAND_replay, argc, argv);
    while (fine && (option = command_line_next(&line, &value)) < OPTION_HELP)
        fine = take_option(&req, option, value);
    if (!fine || option == OPTION_BAD)
        code = EXIT_USAGE;
    else if (option == OPTION_END)
        code = compile_and_run(&req);
    request_fini(&req);
    return code;
}
