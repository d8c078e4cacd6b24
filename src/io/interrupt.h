// SPDX-License-Identifier: Apache-2.0
/*
 * interrupt - SIGINT and SIGTERM end what is read, so that what was found by then can be written.
 *
 * From the first signal on, the descriptor that is being read is at its end: a read that waits
 * returns 0, whoever called it and however it treats EINTR. The second signal ends the process.
 * A signal that was ignored before stays so. There is one for the process, which has one thread that reads.
 */
#ifndef IO_INTERRUPT_H
#define IO_INTERRUPT_H

#include <stdbool.h>

/* Threads that are made while they are kept off do not take signals: one that does not read would not end it. */
void interrupt_keep_off(bool keep_off);
void interrupt_begin(void);
void interrupt_end(void); /* signals do again what they did before */
/* The signal that came since interrupt_begin, or 0. */
int interrupt_signal(void);
/* The descriptor that will be read until interrupt_done; it is lost when a signal comes. */
void interrupt_reading(int fd);
void interrupt_done(void);

#endif
