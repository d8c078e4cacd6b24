// SPDX-License-Identifier: Apache-2.0
/*
 * courier_saved - what is kept of an endpoint over restarts, in its sink's position record: that it
 * answered 410 and is not to be asked any more, and for which URL. The URL itself is not kept, for
 * it may be a secret.
 */
#ifndef FLOW_COURIER_SAVED_H
#define FLOW_COURIER_SAVED_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct buf;

struct courier_saved {
    int64_t disabled_since; /* wall time, ns */
    uint8_t url[16];        /* courier_url_digest */
};

void courier_url_digest(const char *url, uint8_t digest_out[16]);
/* Appended. */
void courier_saved_encode(const struct courier_saved *saved, struct buf *out);
/* False: these bytes do not say that an endpoint is disabled (none, or the position of another kind of
 * sink). */
bool courier_saved_decode(const void *data, size_t len, struct courier_saved *saved_out);

#endif
