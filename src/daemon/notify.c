// SPDX-License-Identifier: Apache-2.0
#include "daemon/notify.h"

#include <inttypes.h>
#include <stddef.h>
#include <stdlib.h>

#include "base/clock.h"
#include "base/log.h"

#ifdef HAVE_LIBSYSTEMD
#include <systemd/sd-daemon.h>
#else
#define sd_notify(unset, text) ((void)(text))
#define sd_notifyf(unset, ...) ((void)0)
#endif

#define SECOND INT64_C(1000000000)
#define MORE (INT64_C(30) * SECOND) /* asked for at a time */

void notify_init(struct notify *n)
{
    *n = (struct notify){.on = getenv("NOTIFY_SOCKET") != NULL};
#ifdef HAVE_LIBSYSTEMD
    uint64_t usec;
    if (sd_watchdog_enabled(0, &usec) > 0)
        n->watchdog = (int64_t)usec * 1000;
#else
    if (n->on)
        log_line(LOG_WARNING, LOG_daemon,
                 "a service manager waits to hear from it, and it was built without libsystemd", NULL);
    n->on = false;
#endif
}

void notify_ready(struct notify *n)
{
    if (n->on)
        sd_notify(0, "READY=1");
}

void notify_reloading(struct notify *n)
{
    if (n->on)
        sd_notifyf(0, "RELOADING=1\nMONOTONIC_USEC=%" PRIi64, clock_monotonic() / 1000);
}

void notify_stopping(struct notify *n, int64_t within)
{
    int64_t usec = (within + MORE) / 1000;

    if (!n->on)
        return;
    sd_notifyf(0, "STOPPING=1\nSTATUS=stopping\nEXTEND_TIMEOUT_USEC=%" PRIi64, usec);
    if (n->watchdog > 0)
        sd_notifyf(0, "WATCHDOG_USEC=%" PRIi64, n->watchdog / 1000 > usec ? n->watchdog / 1000 : usec);
}

void notify_wait(struct notify *n, int64_t within)
{
    if (n->on)
        sd_notifyf(0, "EXTEND_TIMEOUT_USEC=%" PRIi64, (within + MORE) / 1000);
}

void notify_status(struct notify *n, const char *text)
{
    if (n->on)
        sd_notifyf(0, "STATUS=%s", text);
}

void notify_alive(struct notify *n)
{
    int64_t now = clock_monotonic();

    if (n->watchdog == 0 || (n->fed != 0 && now - n->fed < n->watchdog / 4))
        return;
    n->fed = now;
    sd_notify(0, "WATCHDOG=1");
}

void notify_busy(struct notify *n)
{
    int64_t now = clock_monotonic();

    notify_alive(n);
    if (!n->on || now - n->extended < SECOND)
        return;
    n->extended = now;
    sd_notifyf(0, "EXTEND_TIMEOUT_USEC=%" PRIi64, MORE / 1000);
}
