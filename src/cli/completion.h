// SPDX-License-Identifier: Apache-2.0
/* completion - `tocsin --completion`: what bash completes, from the tables. */
#ifndef CLI_COMPLETION_H
#define CLI_COMPLETION_H

void completion_bash(void);

#endif
