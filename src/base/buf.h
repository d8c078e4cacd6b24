// SPDX-License-Identifier: Apache-2.0
/*
 * buf - a growing byte buffer, and the writers of text and JSON that everything shares.
 * Embedded: buf_init/buf_fini. `data` is always NUL-terminated once anything was added
 * (the NUL is not counted in `len`).
 */
#ifndef BASE_BUF_H
#define BASE_BUF_H

#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct buf {
    char *data; /* owned; NULL while empty */
    size_t len; /* bytes used */
    size_t cap; /* bytes allocated */
};

void buf_init(struct buf *b);
void buf_fini(struct buf *b);
void buf_clear(struct buf *b); /* len = 0, memory kept */
void buf_truncate(struct buf *b, size_t len); /* to its first len bytes, or fewer */
void buf_reserve(struct buf *b, size_t more);
void buf_add(struct buf *b, const void *data, size_t len);
void buf_adds(struct buf *b, const char *text); /* NUL-terminated text */
void buf_addc(struct buf *b, char c);
void buf_printf(struct buf *b, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
void buf_vprintf(struct buf *b, const char *fmt, va_list args)
    __attribute__((format(printf, 2, 0)));
char *buf_take(struct buf *b); /* returns owned, NUL-terminated; b is empty after */

/* JSON text "..." with quotes; escapes ", \, controls (\n \t ... \u00XX); UTF-8 goes through. */
void buf_add_json_text(struct buf *b, const char *text, size_t len);
/* The same of bytes that nobody has looked at (a line that is no event, the name of a file): each that is
 * no UTF-8 becomes U+FFFD. */
void buf_add_json_bytes(struct buf *b, const char *bytes, size_t len);
/* A double as the shortest decimal that reads back the same; integral values below 1e15 without
 * exponent or ".0"; the value must be finite. */
void buf_add_double(struct buf *b, double d);
void buf_add_int(struct buf *b, int64_t i);
void buf_add_hex(struct buf *b, const void *data, size_t len); /* lower case */

/* Fixed binary coding, little endian, for keys and the snapshot codec. */
void buf_add_u8(struct buf *b, uint8_t v);
void buf_add_u32(struct buf *b, uint32_t v);
void buf_add_u64(struct buf *b, uint64_t v);
void buf_add_varint(struct buf *b, uint64_t v);              /* LEB128 */
void buf_add_bytes(struct buf *b, const void *p, size_t n);  /* varint length + bytes */
/* Of which kind a record is, a text, and its version: what reader_kind asks for. */
void buf_add_kind(struct buf *b, const char *kind, uint8_t version);

#endif
