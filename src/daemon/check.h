// SPDX-License-Identifier: Apache-2.0
/* check - `tocsind --check`: what is wrong with a configuration and its rules, and where alerts go. */
#ifndef DAEMON_CHECK_H
#define DAEMON_CHECK_H

struct config;
struct diag;

/* Messages go to standard error, "ok: ..." and the table to standard output. diag: that the configuration
 * was read with. Returns a code of daemon/options.h. */
int daemon_check(const struct config *config, struct diag *diag);

#endif
