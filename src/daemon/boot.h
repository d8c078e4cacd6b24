// SPDX-License-Identifier: Apache-2.0
/*
 * boot - the daemon from its start to its end.
 *
 *   database > outbox, sinks > rules (those that ran, then what the directory says) > pipeline
 *   SIGHUP: rules anew (a swap at a barrier), sinks reopen     SIGUSR1: figures to the log
 *   SIGTERM, SIGINT: no more input, a last checkpoint, what waits is delivered, exit 0
 *   bounded input is over: the same
 */
#ifndef DAEMON_BOOT_H
#define DAEMON_BOOT_H

struct config;

/* Takes config. Returns the exit code (options.h); what went wrong is in the log. */
int daemon_run(struct config *config);

#endif
