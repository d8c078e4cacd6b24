# SPDX-License-Identifier: Apache-2.0
# The files of src/http. To add one, append it and its header to the list.

libtocsin_sources += src/http/address.c src/http/address.h
libtocsin_sources += src/http/auth.c src/http/auth.h
libtocsin_sources += src/http/exchange.c src/http/server.c src/http/server.h src/http/server_priv.h
libtocsin_sources += src/http/openapi.c src/http/openapi.h src/http/schema.def
libtocsin_sources += src/http/problem.c src/http/problem.h src/http/problem.def
libtocsin_sources += src/http/request.c src/http/request.h src/http/ops.h
libtocsin_sources += src/http/route.c src/http/route.h src/http/routes.def src/http/query_type.def
libtocsin_sources += src/http/tls.c src/http/tls.h
libtocsin_sources += src/http/uri.c src/http/uri.h
libtocsin_sources += src/http/stream.c src/http/stream.h
