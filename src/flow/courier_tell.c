// SPDX-License-Identifier: Apache-2.0
/* courier_tell - what an endpoint has to say in the log, in the words of deliver.c. */
#include <inttypes.h>
#include <string.h>

#include "base/buf.h"
#include "base/log.h"
#include "event/time_format.h"
#include "flow/courier_priv.h"

#define MS INT64_C(1000000)
#define TELL_AGAIN (300000 * MS)
#define TELL_CHANGE (5000 * MS) /* least time between two reasons: they may take turns */

static void begin(struct buf *fields, const struct endpoint *e)
{
    buf_init(fields);
    log_field(fields, "sink", e->name);
}

/* Before e->stats.last_error becomes why. */
void tell_failure(struct endpoint *e, const char *why, int64_t retry, struct moment now)
{
    bool changed = strncmp(e->stats.last_error, why, sizeof e->stats.last_error - 1) != 0;
    int64_t least = changed ? TELL_CHANGE : TELL_AGAIN;
    struct buf fields;

    if (e->told && now.mono - e->told_at < least)
        return;
    e->told = true;
    e->told_at = now.mono;
    begin(&fields, e);
    log_field(&fields, "why", why);
    buf_printf(&fields, " retry=%" PRId64 "ms", (retry > 0 ? retry : 0) / MS);
    log_line(LOG_ERROR, LOG_sink, "a sink fails: what is for it waits in the outbox", "%s",
             fields.data);
    buf_fini(&fields);
}

void tell_works(struct endpoint *e)
{
    struct buf fields;

    if (!e->told)
        return;
    e->told = false;
    begin(&fields, e);
    log_line(LOG_INFO, LOG_sink, "a sink works again", "%s", fields.data);
    buf_fini(&fields);
}

void tell_rejected(const struct endpoint *e, const struct parcel *p, const char *why)
{
    struct buf fields;

    begin(&fields, e);
    if (p->id)
        log_field(&fields, "id", p->id);
    buf_printf(&fields, " messages=%zu", p->n);
    log_field(&fields, "why", why);
    log_line(LOG_WARNING, LOG_sink, "a message goes to the dead letters", "%s", fields.data);
    buf_fini(&fields);
}

void tell_disabled(const struct endpoint *e, const char *what)
{
    struct buf fields, since;

    begin(&fields, e);
    if (e->stats.disabled_since != 0) {
        buf_init(&since);
        time_add_text(&since, e->stats.disabled_since);
        log_field(&fields, "since", since.data);
        buf_fini(&since);
    }
    log_always(e->state == ENDPOINT_DISABLED ? LOG_ERROR : LOG_INFO, LOG_sink, what, fields.data);
    buf_fini(&fields);
}
