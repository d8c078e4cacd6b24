// SPDX-License-Identifier: Apache-2.0
/* http_header - a line of an answer's header, as curl gives it. */
#ifndef IO_HTTP_HEADER_H
#define IO_HTTP_HEADER_H

#include <stddef.h>

/* The value, without blanks around it and as a text, if the line is the header `name` (in any case) and the value
 * fits into `size`; else out stays as it is. */
void http_header_take(const char *line, size_t len, const char *name, char *out, size_t size);

#endif
