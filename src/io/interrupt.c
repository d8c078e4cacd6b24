// SPDX-License-Identifier: Apache-2.0
/*
 * interrupt - the handler puts /dev/null in the place of what is being read.
 *
 * No signal is lost between the question whether there was one and the read: either the handler
 * sees `reading`, or interrupt_reading sees `came`.
 */
#include "io/interrupt.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdbool.h>
#include <stddef.h>
#include <unistd.h>

enum { N_SIGNALS = 2 };
static const int number[N_SIGNALS] = {SIGINT, SIGTERM};

static struct sigaction before[N_SIGNALS];
static bool taken[N_SIGNALS]; /* before holds what was there */
static int nothing = -1;      /* /dev/null; -1: nothing is taken, and threads may read files at once */
static volatile sig_atomic_t came;
static volatile sig_atomic_t reading = -1; /* descriptor */

static void end_reading(void)
{
    if (reading >= 0 && nothing >= 0)
        dup2(nothing, reading);
}

static void handle(int signal_number)
{
    int kept = errno;

    came = signal_number;
    end_reading();
    for (int i = 0; i < N_SIGNALS; i++)
        if (taken[i])
            signal(number[i], SIG_DFL);
    errno = kept;
}

void interrupt_keep_off(bool keep_off)
{
    sigset_t set;

    sigemptyset(&set);
    for (int i = 0; i < N_SIGNALS; i++)
        sigaddset(&set, number[i]);
    pthread_sigmask(keep_off ? SIG_BLOCK : SIG_UNBLOCK, &set, NULL);
}

void interrupt_begin(void)
{
    struct sigaction action = {.sa_handler = handle}; /* no SA_RESTART: read looks again */

    came = 0;
    nothing = open("/dev/null", O_RDONLY | O_CLOEXEC);
    sigemptyset(&action.sa_mask);
    for (int i = 0; i < N_SIGNALS; i++)
        sigaddset(&action.sa_mask, number[i]);
    for (int i = 0; i < N_SIGNALS; i++) {
        taken[i] = nothing >= 0 && sigaction(number[i], NULL, &before[i]) == 0 &&
                   before[i].sa_handler != SIG_IGN;
        if (taken[i])
            sigaction(number[i], &action, NULL);
    }
}

void interrupt_end(void)
{
    for (int i = 0; i < N_SIGNALS; i++)
        if (taken[i])
            sigaction(number[i], &before[i], NULL);
    if (nothing >= 0)
        close(nothing);
    nothing = -1;
}

int interrupt_signal(void)
{
    return came;
}

void interrupt_reading(int fd)
{
    if (nothing < 0)
        return;
    reading = fd;
    if (came)
        end_reading();
}

void interrupt_done(void)
{
    if (nothing >= 0)
        reading = -1;
}
