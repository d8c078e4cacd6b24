// SPDX-License-Identifier: Apache-2.0
/*
 * template_check - what the templates of webhooks say (`template`, `link`) against what the rules emit
 * whose alerts go there.
 *
 *     no alert can have it                error, "did you mean"
 *     some rules do not emit it           warning that names them, unless a `default` stands for it
 */
#ifndef CONFIG_TEMPLATE_CHECK_H
#define CONFIG_TEMPLATE_CHECK_H

#include <stdbool.h>

struct config;
struct diag;
struct program;

/* False if there was an error. diag need not be the one that the configuration was read with: then
 * messages have no place. */
bool config_check_templates(const struct config *config, const struct program *prog, struct diag *diag);

#endif
