// SPDX-License-Identifier: Apache-2.0
/* `tocsin state sink enable`: a webhook that answered 410 is asked again at the next start. */
#include <stdio.h>
#include <string.h>

#include "base/buf.h"
#include "cli/command.h"
#include "cli/state_priv.h"
#include "flow/courier_saved.h"
#include "state/outbox_record.h"
#include "state/space.h"

/* The key of the sink's record, appended. */
static void add_key(struct buf *key, const char *sink)
{
    buf_addc(key, SPACE_SINK);
    buf_adds(key, sink);
}

/* The record without the position that says disabled. */
static int enable(struct store *st, const char *sink, struct buf *why)
{
    struct outbox_sink_record record;
    struct courier_saved saved;
    struct buf key, value, next;
    int code = EXIT_FAILED;
    bool found;

    buf_init(&key);
    buf_init(&value);
    buf_init(&next);
    add_key(&key, sink);
    if (store_get(st, key.data, key.len, &found, &value, why) != STORE_OK) {
        buf_adds(why, ""); /* it says why */
    } else if (!found) {
        buf_printf(why, "there is no sink `%s`", sink);
    } else if (!outbox_sink_decode(value.data, value.len, &record)) {
        buf_printf(why, "the record of the sink `%s` is damaged, or of a later version", sink);
    } else if (!courier_saved_decode(record.position, record.position_len, &saved)) {
        printf("%s is not disabled\n", sink);
        code = EXIT_OK;
    } else {
        struct store_batch *batch = store_batch_new();
        record.position_len = 0;
        outbox_sink_encode(&record, &next);
        store_batch_put(batch, key.data, key.len, next.data, next.len);
        code = store_write(st, batch, true, why) == STORE_OK ? EXIT_OK : EXIT_FAILED;
        store_batch_free(&batch);
        if (code == EXIT_OK)
            printf("%s will be asked again\n", sink);
    }
    buf_fini(&key);
    buf_fini(&value);
    buf_fini(&next);
    return code;
}

int state_sink_enable(const struct state_arguments *args)
{
    struct store_options opt = {0};
    struct database_meta meta;
    struct buf why;
    int code = EXIT_FAILED;

    buf_init(&why);
    struct store *st = database_open(args->dir, &opt, &meta, &why);
    if (st)
        code = enable(st, args->more, &why);
    if (code != EXIT_OK)
        state_fail(why.data);
    store_free(&st);
    buf_fini(&why);
    return code;
}
