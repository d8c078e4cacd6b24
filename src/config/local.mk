# SPDX-License-Identifier: Apache-2.0
# The files of src/config. To add one, append it and its header to the list:
#   libtocsin_sources += src/config/noun.c src/config/noun.h

libtocsin_sources += src/config/config.h src/config/config_priv.h src/config/config.c
libtocsin_sources += src/config/option.def src/config/option.h src/config/option.c
libtocsin_sources += src/config/reference.c src/config/reference.h
libtocsin_sources += src/config/compare.c src/config/compare.h
libtocsin_sources += src/config/block.c src/config/value.c src/config/check.c src/config/conceal.c
libtocsin_sources += src/config/setting.c src/config/setting.h src/config/webhook.c src/config/kafka.c src/config/kafka_files.c src/config/place.c src/config/route.c
libtocsin_sources += src/config/rule_files.c src/config/rule_files.h
libtocsin_sources += src/config/rules.c src/config/rules.h
libtocsin_sources += src/config/table_kafka.c src/config/table_kafka.h
libtocsin_sources += src/config/table_source.c src/config/table_source.h
libtocsin_sources += src/config/source_files.c src/config/source_files.h
libtocsin_sources += src/config/template_check.c src/config/template_check.h
