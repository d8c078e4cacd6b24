// SPDX-License-Identifier: Apache-2.0
#include "daemon/boot.h"

#include <stdio.h>

#include "config/config.h"
#include "daemon/options.h"

int daemon_run(struct config *config)
{
    config_free(&config);
    fputs("tocsind: running is not built yet; --check works\n", stderr);
    return DAEMON_FAILED;
}
