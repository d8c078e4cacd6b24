// SPDX-License-Identifier: Apache-2.0
/* openapi - the OpenAPI 3.1 document of the routes (routes.def, schema.def, problem.def). */
#ifndef HTTP_OPENAPI_H
#define HTTP_OPENAPI_H

struct buf;

void http_openapi_add(struct buf *out);

#endif
