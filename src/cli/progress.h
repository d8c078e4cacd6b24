// SPDX-License-Identifier: Apache-2.0
/* progress - a line on standard error that is drawn again, when it is a terminal. */
#ifndef CLI_PROGRESS_H
#define CLI_PROGRESS_H

#include <stdbool.h>
#include <stdint.h>

struct progress { /* embedded */
    bool shown;      /* standard error is a terminal of its own */
    bool drawn;      /* there is something to wipe */
    int64_t started; /* ns, monotonic */
    int64_t last;    /* ns, when it was drawn */
};

void progress_init(struct progress *p);
/* Bytes read, of how many (0: not known), events so far. */
void progress_draw(struct progress *p, uint64_t done, uint64_t total, uint64_t events);
void progress_wipe(struct progress *p);
double progress_seconds(const struct progress *p); /* since progress_init */

#endif
