# SPDX-License-Identifier: Apache-2.0
# The files of src/flow. To add one, append it and its header to the list:
#   libtocsin_sources += src/flow/noun.c src/flow/noun.h

libtocsin_sources += src/flow/time_field.c src/flow/time_field.h
libtocsin_sources += src/flow/event_queue.c src/flow/event_queue.h
libtocsin_sources += src/flow/order.c src/flow/order_live.c src/flow/order_spill.c src/flow/order.h
libtocsin_sources += src/flow/order_priv.h
libtocsin_sources += src/flow/waiting.c src/flow/waiting.h src/flow/spill.c src/flow/spill.h
libtocsin_sources += src/flow/position.c src/flow/position.h
libtocsin_sources += src/flow/group.c src/flow/group.h
libtocsin_sources += src/flow/alert_writer.c src/flow/alert_writer.h
libtocsin_sources += src/flow/replay_input.c src/flow/replay_input.h
libtocsin_sources += src/flow/replay.c src/flow/replay.h
libtocsin_sources += src/flow/test_run.c src/flow/test_judge.c src/flow/test_run.h
libtocsin_sources += src/flow/test_run_priv.h
libtocsin_sources += src/flow/batch.c src/flow/batch.h
libtocsin_sources += src/flow/intake.c src/flow/intake.h
libtocsin_sources += src/flow/reader.c src/flow/reader.h
libtocsin_sources += src/flow/swap.c src/flow/swap.h
libtocsin_sources += src/flow/deliver.c src/flow/alert_stamp.c src/flow/deliver.h
libtocsin_sources += src/flow/saved.c src/flow/saved.h
libtocsin_sources += src/flow/barrier.c src/flow/barrier.h
libtocsin_sources += src/flow/shard.c src/flow/shard.h
libtocsin_sources += src/flow/stage.c src/flow/stage_take.c src/flow/stage_barrier.c
libtocsin_sources += src/flow/stage.h src/flow/stage_priv.h
libtocsin_sources += src/flow/pipeline.c src/flow/pipeline_restore.c
libtocsin_sources += src/flow/pipeline.h src/flow/pipeline_priv.h
libtocsin_sources += src/flow/limit_watch.c src/flow/limit_watch.h
