// SPDX-License-Identifier: Apache-2.0
/* stream - answers without an end, as the server sees them (ops.h: as the daemon does). All of it on the
 * server's thread. */
#ifndef HTTP_STREAM_H
#define HTTP_STREAM_H

#include "http/server_priv.h"

struct http_stream;

/* What is to be queued for it; the caller's to destroy. NULL: none can be made. */
struct MHD_Response *http_stream_begin(struct http_stream *stream, int fd);
/* The request has ended, whoever ended it. NULL in it is fine. */
void http_stream_gone(struct http_stream **stream, int fd);
/* Those that were given something go on. */
void http_streams_resume(struct http_server *server);
/* All end, when what they hold is sent. */
void http_streams_end(struct http_server *server);
/* Which clients have gone, when server->watch has something to tell. */
void http_streams_look(struct http_server *server);

#endif
