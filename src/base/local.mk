# SPDX-License-Identifier: Apache-2.0
# The files of src/base. To add one, append it and its header to the list:
#   libtocsin_sources += src/base/noun.c src/base/noun.h

libtocsin_sources += src/base/version.c src/base/version.h
libtocsin_sources += src/base/arena.c src/base/arena.h
libtocsin_sources += src/base/buf.c src/base/buf.h
libtocsin_sources += src/base/casefold.c src/base/casefold.h
libtocsin_sources += src/base/cidr.c src/base/cidr.h
libtocsin_sources += src/base/civil.c src/base/civil.h
libtocsin_sources += src/base/diag.c src/base/diag_print.c src/base/diag.h src/base/diag_priv.h
libtocsin_sources += src/base/digest.c src/base/digest.h
libtocsin_sources += src/base/glob.c src/base/glob.h
libtocsin_sources += src/base/gunzip.c src/base/gunzip.h
libtocsin_sources += src/base/hash.c src/base/hash.h
libtocsin_sources += src/base/intern.c src/base/intern.h
libtocsin_sources += src/base/mem.c src/base/mem.h
libtocsin_sources += src/base/page.c src/base/page.h
libtocsin_sources += src/base/pool.c src/base/pool.h
libtocsin_sources += src/base/reader.c src/base/reader.h
libtocsin_sources += src/base/regex.c src/base/regex.h
libtocsin_sources += src/base/suggest.c src/base/suggest.h
libtocsin_sources += src/base/utf8.c src/base/utf8.h
libtocsin_sources += src/base/zone.c src/base/zone.h
libtocsin_sources += src/base/zone_rule.c src/base/zone_rule.h
libtocsin_sources += src/base/clock.c src/base/clock.h
libtocsin_sources += src/base/failpoint.c src/base/failpoint.h src/base/failpoint.def
libtocsin_sources += src/base/log.c src/base/log.h src/base/log.def
libtocsin_sources += src/base/queue.c src/base/queue.h
libtocsin_sources += src/base/crc.c src/base/crc.h
