// SPDX-License-Identifier: Apache-2.0
/*
 * reader - bounds-checked reading of the binary coding that buf_add_* writes.
 *
 * Invariants:
 * 1. After the first read past the end or malformed varint `bad` is set and stays set; all further reads
 *    give 0 / empty and do not move. So a decoder may check once at the end, as long as it checks each
 *    count against reader_left() before it allocates.
 * 2. What is read is what buf_add_* would have written: a number has one form, and a varint that is longer
 *    than it need be is malformed. So what a decoder takes is coded again to the same bytes.
 */
#ifndef BASE_READER_H
#define BASE_READER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct reader {
    const uint8_t *p;   /* next byte */
    const uint8_t *end; /* one past the last */
    bool bad;
};

void reader_init(struct reader *r, const void *data, size_t len); /* borrows data until done */
size_t reader_left(const struct reader *r);
uint8_t reader_u8(struct reader *r);
uint32_t reader_u32(struct reader *r);
uint64_t reader_u64(struct reader *r);
uint64_t reader_varint(struct reader *r);
/* Varint length + bytes; *len_out its length; the pointer is into the data. NULL when bad. */
const char *reader_bytes(struct reader *r, size_t *len_out);
/* Does buf_add_kind of these two stand here? If not the reader is bad. */
bool reader_kind(struct reader *r, const char *kind, uint8_t version);

#endif
