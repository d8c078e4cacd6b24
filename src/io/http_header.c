// SPDX-License-Identifier: Apache-2.0
#include "io/http_header.h"

#include <string.h>
#include <strings.h>

void http_header_take(const char *line, size_t len, const char *name, char *out, size_t size)
{
    size_t n = strlen(name);

    if (len <= n || strncasecmp(line, name, n) != 0 || line[n] != ':')
        return;
    const char *p = line + n + 1, *end = line + len;
    while (p < end && (*p == ' ' || *p == '\t'))
        p++;
    while (end > p && (unsigned char)end[-1] <= ' ')
        end--;
    if ((size_t)(end - p) >= size || memchr(p, '\0', (size_t)(end - p)))
        return;
    memcpy(out, p, (size_t)(end - p));
    out[end - p] = '\0';
}
