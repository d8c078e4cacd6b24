// SPDX-License-Identifier: Apache-2.0
#include "daemon/change_told.h"

#include <inttypes.h>
#include <string.h>

#include "base/buf.h"
#include "base/diag.h"
#include "config/config.h"
#include "daemon/ruleset.h"
#include "flow/swap.h"

static void add_member(struct buf *out, const char *key, const char *text)
{
    buf_printf(out, ",\"%s\":", key);
    buf_add_json_bytes(out, text, strlen(text));
}

static void add_fates(struct buf *out, const struct swap *swap, const struct change_told *told, bool refused_alone)
{
    bool any = false;

    buf_addc(out, '{');
    for (size_t i = 0; i < swap->n; i++) {
        if (told && told->is_told && !told->is_told(told->ctx, i))
            continue;
        if (refused_alone && swap->rule[i].fate != SWAP_REFUSED)
            continue;
        if (any)
            buf_addc(out, ',');
        buf_add_json_text(out, swap->rule[i].name, strlen(swap->rule[i].name));
        buf_printf(out, ":\"%s\"", swap_fate_name(swap->rule[i].fate));
        any = true;
    }
    buf_addc(out, '}');
}

/* Names of modules begin behind the rules directory. */
static void add_diagnostics(struct buf *out, const struct config *config, const struct diag *diag,
                            const char *file, bool errors)
{
    struct buf prefix;

    buf_init(&prefix);
    buf_printf(&prefix, "%s/", config->rules);
    diag_print_json_in(diag, file, prefix.data, errors, !errors, out);
    buf_fini(&prefix);
}

void change_told_add(struct buf *out, const struct config *config, const struct change_told *told)
{
    buf_printf(out, "\"changed\":%s,\"dry_run\":%s", told->changed ? "true" : "false",
               told->dry ? "true" : "false");
    if (*told->name)
        add_member(out, "name", told->name);
    if (told->version > 0)
        buf_printf(out, ",\"version\":%" PRIu64, told->version);
    if (*told->etag)
        add_member(out, "etag", told->etag);
    if (told->table)
        buf_printf(out, ",\"table\":%s", told->table);
    buf_printf(out, ",\"generation\":%" PRIu32 ",\"rules\":", told->generation);
    if (told->outcome)
        add_fates(out, &told->outcome->swap, told, false);
    else
        buf_adds(out, "{}");
    buf_adds(out, ",\"warnings\":");
    if (told->outcome)
        add_diagnostics(out, config, told->outcome->diag, told->file, false);
    else
        buf_adds(out, "[]");
}

enum http_problem change_told_refused(const struct config *config, const struct ruleset_outcome *outcome,
                                      const char *file, struct buf *detail, const char **member_out,
                                      struct buf *json)
{
    size_t all = diag_errors(outcome->diag), n = file ? diag_errors_in(outcome->diag, file) : all;

    *member_out = NULL;
    if (n > 0) {
        buf_printf(detail, "%zu mistake%s; nothing was changed", n, n == 1 ? "" : "s");
        add_diagnostics(json, config, outcome->diag, file, true);
        *member_out = "diagnostics";
        return HTTP_COMPILE;
    }
    if (all == 0 && outcome->swap.refused) {
        buf_adds(detail, "`on_reload=drain` or `fresh`, or `allow_state_drop=1`, allows it; nothing was changed");
        add_fates(json, &outcome->swap, NULL, file != NULL);
        *member_out = "rules";
        return HTTP_STATE_LOST;
    }
    buf_adds(detail, outcome->why.len ? outcome->why.data : "it is refused");
    return HTTP_CONFLICT;
}
