// SPDX-License-Identifier: Apache-2.0
#include "base/crc.h"

#include <zlib.h>

uint32_t crc_add(uint32_t crc, const void *data, size_t len)
{
    return (uint32_t)crc32_z(crc, data, len);
}
