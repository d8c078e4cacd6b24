// SPDX-License-Identifier: Apache-2.0
/* alert_record - one alert as the database keeps it for looking at (alert_log.h), and what is known of one
 * without reading its JSON. */
#ifndef STATE_ALERT_RECORD_H
#define STATE_ALERT_RECORD_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct buf;

enum { ALERT_KEY_BYTES = 9 };

/* Where something stands in the alert's JSON. */
struct alert_part {
    uint32_t at, len;
};

struct alert_about {
    int64_t time;     /* ns: of the events */
    uint8_t severity; /* enum severity */
    struct alert_part rule; /* the text, with its quotes */
    struct alert_part key;  /* the object, with its braces */
};

struct alert_record {
    uint64_t number;
    int64_t at;       /* wall time, ns, when it became durable: `detected_at` */
    struct alert_about about;
    const char *text; /* decoded: borrowed from the record, not NUL-terminated; without detected_at */
    size_t len;
};

void alert_record_key(uint8_t key[ALERT_KEY_BYTES], uint64_t number);
/* The record's value, appended. */
void alert_record_encode(const struct alert_record *record, struct buf *value_out);
/* Also says no when rule and key do not stand where they should. */
bool alert_record_decode(const void *key, size_t key_len, const void *value, size_t len,
                         struct alert_record *record_out);

#endif
