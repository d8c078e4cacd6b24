// SPDX-License-Identifier: Apache-2.0
#include "base/random.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/random.h>

void random_bytes(void *out, size_t len)
{
    char *to = out;

    while (len > 0) {
        ssize_t n = getrandom(to, len, 0);
        if (n < 0 && errno == EINTR)
            continue;
        if (n <= 0) {
            perror("tocsin: getrandom");
            abort();
        }
        to += n;
        len -= (size_t)n;
    }
}
