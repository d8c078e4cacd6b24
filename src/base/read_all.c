// SPDX-License-Identifier: Apache-2.0
#include "base/read_all.h"

#include <errno.h>
#include <unistd.h>

#include "base/buf.h"

enum { PIECE = 65536 };

bool read_all(int fd, size_t most, struct buf *out)
{
    while (out->len <= most) {
        buf_reserve(out, PIECE);
        ssize_t n = read(fd, out->data + out->len, PIECE);
        if (n == 0)
            return true;
        if (n < 0 && errno != EINTR)
            return false;
        out->len += n > 0 ? (size_t)n : 0;
    }
    return true;
}
