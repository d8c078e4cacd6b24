// SPDX-License-Identifier: Apache-2.0
/* Any bytes as a file that may be gzip. The first byte says how much is read at a time. */
#include <fuzz/fuzz.h>

#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/gunzip.h"

enum { MAX_TEXT = 16 << 20 };

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    size_t piece = size ? 1 + (size_t)data[0] * 257 : 1;
    struct gunzip *gz;
    char *text;
    size_t total = 0;
    ssize_t n;
    int fd = memfd_create("fuzz", 0);

    if (size == 0 || fd < 0 || write(fd, data + 1, size - 1) != (ssize_t)(size - 1) ||
        lseek(fd, 0, SEEK_SET) != 0) {
        close(fd);
        return 0;
    }
    text = malloc(piece);
    gz = gunzip_new(fd);
    while ((n = gunzip_read(gz, text, piece)) > 0 && total < MAX_TEXT) {
        if ((size_t)n > piece)
            fuzz_fail("%zd bytes in room for %zu", n, piece);
        total += (size_t)n;
    }
    if (n < 0 && (gunzip_error(gz) == NULL || gunzip_error(gz)[0] == '\0'))
        fuzz_fail("an error without a message");
    if (gunzip_consumed(gz) > (long long)size - 1)
        fuzz_fail("more was read than there is");
    gunzip_free(&gz);
    free(text);
    return 0;
}
