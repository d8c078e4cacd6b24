// SPDX-License-Identifier: Apache-2.0
/* Entries of the audit log for what changes no rules. */
#include <string.h>

#include "base/clock.h"
#include "base/log.h"
#include "base/mem.h"
#include "daemon/api_priv.h"
#include "state/audit.h"

struct api_audit {
    uint64_t number;
    int64_t time;
    char *who, *from, *name, *before, *after; /* owned */
    const char *what;
};

static char *copy(const char *text)
{
    return mem_strndup(text ? text : "", text ? strlen(text) : 0);
}

struct api_audit *api_audit_new(struct api_call *call, const char *what, const char *name,
                                const char *before, const char *after)
{
    struct api_audit *au = mem_calloc(1, sizeof *au);
    struct buf b;

    *au = (struct api_audit){.number = audit_reserve(call->api->audit),
                             .time = clock_wall(),
                             .who = copy(http_request_who(call->rq)),
                             .from = copy(http_request_from(call->rq)),
                             .name = copy(name),
                             .before = copy(before),
                             .after = copy(after),
                             .what = what};
    buf_init(&b);
    log_field(&b, "what", what);
    if (*au->name)
        log_field(&b, "name", au->name);
    if (*au->before)
        log_field(&b, "of", au->before);
    log_field(&b, "who", au->who);
    log_field(&b, "from", au->from);
    log_always(LOG_INFO, LOG_http, "asked for", b.data);
    buf_fini(&b);
    return au;
}

void api_audit_put(const struct api_audit *au, struct store_batch *batch, const char *result)
{
    struct audit_entry entry = {.number = au->number,
                                .time = au->time,
                                .who = au->who,
                                .from = au->from,
                                .what = au->what,
                                .name = au->name,
                                .before = au->before,
                                .after = au->after,
                                .result = result};

    audit_put(batch, &entry);
}

void api_audit_free(struct api_audit **au)
{
    if (!*au)
        return;
    mem_free((*au)->who);
    mem_free((*au)->from);
    mem_free((*au)->name);
    mem_free((*au)->before);
    mem_free((*au)->after);
    mem_free(*au);
    *au = NULL;
}
