# SPDX-License-Identifier: Apache-2.0
# The files of src/engine. To add one, append it and its header to the list:
#   libtocsin_sources += src/engine/noun.c src/engine/noun.h

libtocsin_sources += src/engine/vm.c src/engine/vm.h
libtocsin_sources += src/engine/deadline.c src/engine/deadline.h
libtocsin_sources += src/engine/key.c src/engine/key.h
libtocsin_sources += src/engine/partition.c src/engine/partition.h
libtocsin_sources += src/engine/run.c src/engine/run.h
libtocsin_sources += src/engine/link_table.c src/engine/link_table.h
libtocsin_sources += src/engine/matcher.c src/engine/matcher.h src/engine/matcher_priv.h
libtocsin_sources += src/engine/matcher_group.c src/engine/matcher_end.c src/engine/matcher_lead.c
libtocsin_sources += src/engine/suppress.c src/engine/suppress.h
libtocsin_sources += src/engine/probe.c src/engine/probe.h
libtocsin_sources += src/engine/engine.c src/engine/engine.h src/engine/engine_priv.h
libtocsin_sources += src/engine/alert.c src/engine/alert.h src/engine/alert_tell.c
libtocsin_sources += src/engine/alert_render.c src/engine/alert_render.h
libtocsin_sources += src/engine/snapshot.c src/engine/snapshot.h
libtocsin_sources += src/engine/snapshot_event.c src/engine/snapshot_partition.c
libtocsin_sources += src/engine/body.c src/engine/body.h
libtocsin_sources += src/engine/finding.c src/engine/finding.h
libtocsin_sources += src/engine/novel.c src/engine/novel.h
libtocsin_sources += src/engine/join.c src/engine/join.h
libtocsin_sources += src/engine/accumulator.c src/engine/accumulator.h src/engine/accumulator_priv.h
libtocsin_sources += src/engine/accumulator_exact.c src/engine/accumulator_exact.h
libtocsin_sources += src/engine/accumulator_set.c src/engine/accumulator_set.h
libtocsin_sources += src/engine/accumulator_number.c src/engine/accumulator_order.c
libtocsin_sources += src/engine/accumulator_distinct.c src/engine/accumulator_values.c
libtocsin_sources += src/engine/accumulator_sketch.c
libtocsin_sources += src/engine/sketch_distinct.c src/engine/sketch_distinct.h
libtocsin_sources += src/engine/sketch_quantile.c src/engine/sketch_quantile.h
libtocsin_sources += src/engine/window.h src/engine/window_priv.h src/engine/window_pane.h
libtocsin_sources += src/engine/window_cell.c src/engine/window_fire.c
libtocsin_sources += src/engine/window_pane.c src/engine/window_pane_state.c src/engine/window_bounds.c
libtocsin_sources += src/engine/window_session.c src/engine/window_sliding.c
libtocsin_sources += src/engine/derived.c src/engine/derived.h
libtocsin_sources += src/engine/exception.c src/engine/exception.h
