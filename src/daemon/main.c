// SPDX-License-Identifier: Apache-2.0
/* `tocsind`: reads the command line and the configuration. Read next: options.h, boot.h. */
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>

#include "base/buf.h"
#include "base/diag.h"
#include "base/mem.h"
#include "config/config.h"
#include "config/rule_files.h"
#include "config/rules.h"
#include "config/source_files.h"
#include "daemon/boot.h"
#include "daemon/options.h"
#include "plan/program.h"

static const char *plural(size_t n)
{
    return n == 1 ? "" : "s";
}

/* What is no mistake, but often one. */
static void look_outside(const struct config *config)
{
    for (size_t i = 0; i < config->n_sources; i++) {
        struct source_files files;
        struct buf why;
        buf_init(&why);
        if (!source_files_find(&files, &config->source[i], &why))
            for (const char *line = why.data; *line;) {
                int len = (int)strcspn(line, "\n");
                fprintf(stderr, "warning: %.*s\n", len, line);
                line += len + (line[len] == '\n');
            }
        source_files_fini(&files);
        buf_fini(&why);
    }
    for (size_t i = 0; i < config->n_sinks; i++) {
        const char *path = config->sink[i].path, *slash = path ? strrchr(path, '/') : NULL;
        struct stat st;
        if (!slash || slash == path)
            continue;
        char *dir = mem_strndup(path, (size_t)(slash - path));
        if (stat(dir, &st) != 0 || !S_ISDIR(st.st_mode))
            fprintf(stderr, "warning: sink %s: there is no directory %s: it is not made\n",
                    config->sink[i].name, dir);
        mem_free(dir);
    }
}

static int check(const struct config *config, struct diag *diag)
{
    struct program *prog = config_compile(config, (int64_t)time(NULL) * 1000000000, diag);

    rule_files_say(diag);
    if (!prog)
        return DAEMON_WRONG;
    look_outside(config);
    printf("ok: %u rule%s, %zu source%s, %zu sink%s\n", prog->n_rules, plural(prog->n_rules),
           config->n_sources, plural(config->n_sources), config->n_sinks, plural(config->n_sinks));
    program_unref(&prog);
    return DAEMON_OK;
}

static int with_config(const struct daemon_options *options)
{
    struct diag *diag = diag_new();
    struct config *config =
        options->config ? config_read(options->config, diag) : config_default();
    int code = DAEMON_WRONG;

    if (!config) {
        rule_files_say(diag);
    } else if (options->check) {
        code = check(config, diag);
        config_free(&config);
    } else {
        code = daemon_run(config);
    }
    diag_free(&diag);
    return code;
}

int main(int argc, char **argv)
{
    struct daemon_options options;
    int code = DAEMON_OK;

    /* A reader that has gone is an error of the write, not the end of the process. */
    signal(SIGPIPE, SIG_IGN);
    if (!daemon_options_read(&options, argc, argv))
        code = DAEMON_WRONG;
    else if (!options.told)
        code = with_config(&options);
    if ((fflush(stdout) != 0 || ferror(stdout)) && code == DAEMON_OK)
        code = DAEMON_FAILED;
    return code;
}
