// SPDX-License-Identifier: Apache-2.0
/* `tocsind`: reads the command line and the configuration. Read next: options.h, boot.h, check.h. */
#include <signal.h>
#include <stdio.h>

#include "base/diag.h"
#include "config/config.h"
#include "config/rule_files.h"
#include "daemon/boot.h"
#include "daemon/check.h"
#include "daemon/options.h"

static int with_config(const struct daemon_options *options)
{
    struct diag *diag = diag_new();
    struct config *config =
        options->config ? config_read(options->config, diag) : config_default();
    int code = DAEMON_WRONG;

    if (!config) {
        rule_files_say(diag);
    } else if (options->check) {
        code = daemon_check(config, diag);
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
    sigset_t early;

    /* Asked before there is anything to reload or to tell: later, and not the end of the process. */
    sigemptyset(&early);
    sigaddset(&early, SIGHUP);
    sigaddset(&early, SIGUSR1);
    sigprocmask(SIG_BLOCK, &early, NULL);
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
