// SPDX-License-Identifier: Apache-2.0
/* outbox_record - how entries and sinks stand in the database (spaces OUTBOX and SINK). */
#ifndef STATE_OUTBOX_RECORD_H
#define STATE_OUTBOX_RECORD_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct buf;

enum { OUTBOX_KEY_BYTES = 13 };

/* Of a message. Version 1 had neither `at` nor `direct`: such a message was sent directly, nobody knows
 * when. */
struct outbox_entry_record {
    bool is_alert;
    bool direct;      /* by `to` or `default_to`, not by a route only */
    int64_t at;       /* wall time, ns, when it became durable; 0: not known */
    const char *text;
    size_t len;
};

/* Of a sink; its key is its name. */
struct outbox_sink_record {
    uint32_t number;      /* in the keys of its entries; never changes */
    uint64_t next;        /* number of the next entry; from 1, never used again */
    uint64_t acked;       /* all up to here are delivered */
    uint64_t waiting, waiting_bytes;
    const void *position; /* borrowed */
    size_t position_len;
};

void outbox_entry_key(uint8_t key[OUTBOX_KEY_BYTES], uint32_t number, uint64_t seq);
/* Always of the newest version. */
void outbox_entry_encode(const struct outbox_entry_record *record, struct buf *value_out);
/* The text is borrowed from value. False: damaged, or of a later version. */
bool outbox_entry_decode(const void *value, size_t len, struct outbox_entry_record *record_out);
void outbox_sink_encode(const struct outbox_sink_record *record, struct buf *value_out);
/* The position is borrowed from value. False: damaged, or of a later version. */
bool outbox_sink_decode(const void *value, size_t len, struct outbox_sink_record *record_out);

#endif
