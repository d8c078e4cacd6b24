// SPDX-License-Identifier: Apache-2.0
/*
 * drain - the daemon takes nothing in any more, and decides nothing that is open.
 *
 *   runs --boot_drain: posts refused, sources end, a last checkpoint--> drained --boot_resume--> runs
 *
 * While it is drained a pipeline stands that is held (pipeline.h): rules and configuration may change, state
 * may be looked at, what waits for sinks is delivered. It is not remembered: who is started takes in.
 */
#include "base/failpoint.h"
#include "base/log.h"
#include "daemon/boot_priv.h"
#include "daemon/figures.h"
#include "daemon/wiring.h"
#include "flow/pipeline.h"
#include "state/checkpoint.h"
#include "state/store.h"

static void take_in(struct daemon *d, bool on)
{
    d->drained = !on;
    api_set_drained(d->api, !on);
    wiring_spooler_pause(d->in, !on);
    figures_note_drained(d->figures, !on);
    log_line(LOG_INFO, LOG_daemon, on ? "resumed: sources are read again" : "drained: nothing is taken in", NULL);
}

bool boot_drain(void *ctx, struct store_batch *extra, struct buf *why)
{
    struct daemon *d = ctx;

    if (d->drained) {
        struct epoch *ep = epoch_new();
        store_batch_append(ep->batch, extra);
        store_batch_free(&extra);
        checkpoint_submit(d->cp, ep);
        return true;
    }
    take_in(d, false);
    wiring_spooler_settle(d->in); /* what was posted before is in the spool */
    failpoint_hit(FAILPOINT_drain_begun);
    pipeline_stop(d->pipeline, extra);
    if (!boot_settle(d, why))
        return false;
    failpoint_hit(FAILPOINT_drain_settled);
    boot_end_pipeline(d);
    return boot_begin_pipeline(d, why);
}

void boot_resume(void *ctx)
{
    struct daemon *d = ctx;

    if (!d->drained)
        return;
    take_in(d, true);
    pipeline_read(d->pipeline);
}
