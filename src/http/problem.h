// SPDX-License-Identifier: Apache-2.0
/* problem - problem documents (RFC 9457), application/problem+json. */
#ifndef HTTP_PROBLEM_H
#define HTTP_PROBLEM_H

#include "http/ops.h"

#define HTTP_PROBLEM_TYPE "application/problem+json"

int http_problem_status(enum http_problem problem);
const char *http_problem_name(enum http_problem problem);
/* Appends the document. detail may be NULL; member too: else a further member whose value, JSON, is json. */
void http_problem_add(struct buf *out, enum http_problem problem, const char *detail,
                      const char *member, const struct buf *json);

#endif
