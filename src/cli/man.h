// SPDX-License-Identifier: Apache-2.0
/* man - the manual page tocsin.1, from command.def and option.def. */
#ifndef CLI_MAN_H
#define CLI_MAN_H

/* In roff, to standard output: `tocsin --man`, which the build calls. */
void man_page(void);

#endif
