// SPDX-License-Identifier: Apache-2.0
/* crc - CRC-32 (that of gzip), for records on disk. */
#ifndef BASE_CRC_H
#define BASE_CRC_H

#include <stddef.h>
#include <stdint.h>

/* Of what crc (0: nothing) was of, and data behind it. */
uint32_t crc_add(uint32_t crc, const void *data, size_t len);

#endif
