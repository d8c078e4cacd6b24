// SPDX-License-Identifier: Apache-2.0
/* boot - the daemon from its start to its end. */
#ifndef DAEMON_BOOT_H
#define DAEMON_BOOT_H

struct config;

/* Runs until a signal stops it or all input has ended; gives the exit code (options.h). Takes config,
 * which a reload replaces. */
int daemon_run(struct config *config);

#endif
