# SPDX-License-Identifier: Apache-2.0
# The files of src/io. To add one, append it and its header to the list:
#   libtocsin_sources += src/io/noun.c src/io/noun.h

libtocsin_sources += src/io/source_file.c src/io/source_file.h
libtocsin_sources += src/io/line_writer.c src/io/line_writer.h
libtocsin_sources += src/io/interrupt.c src/io/interrupt.h
libtocsin_sources += src/io/source.h src/io/sink.h
libtocsin_sources += src/io/source_follow.c src/io/source_follow.h src/io/source_follow_priv.h
libtocsin_sources += src/io/source_follow_read.c src/io/source_follow_look.c
libtocsin_sources += src/io/source_follow_scan.c src/io/source_follow_saved.c
libtocsin_sources += src/io/file_place.c src/io/file_place.h
libtocsin_sources += src/io/sink_file.c src/io/sink_file_start.c src/io/sink_file.h src/io/sink_file_priv.h
libtocsin_sources += src/io/sink_stdout.c src/io/sink_stdout.h
libtocsin_sources += src/io/spool.c src/io/spool_recover.c src/io/spool_read.c src/io/spool_record.c
libtocsin_sources += src/io/spool.h src/io/spool_priv.h
libtocsin_sources += src/io/source_spool.c src/io/source_spool.h
libtocsin_sources += src/io/source_stdin.c src/io/source_stdin.h
