// SPDX-License-Identifier: Apache-2.0
/* Clients of Kafka: sources; are the settings of all of them fine? */
#include "base/buf.h"
#include "config/config.h"
#include "daemon/wiring.h"
#include "io/source_kafka.h"

struct source *wiring_kafka_source(const struct config_source *from, const struct source_position *saved,
                                   size_t n_saved, struct buf *why)
{
    struct source_kafka_options opt = config_kafka_source(from);
    struct buf what;

    opt.saved = saved;
    opt.n_saved = n_saved;
    buf_init(&what);
    struct source *source = source_kafka_new(&opt, &what);
    if (!source)
        buf_printf(why, "source %s: %s", from->name, what.data);
    buf_fini(&what);
    return source;
}

static bool check_rules_topic(const struct config *config, struct buf *why)
{
    struct kafka_settings settings = config_kafka_settings(&config->rules_topic.kafka);
    struct buf what;
    bool ok = true;

    if (!config->rules_topic.given)
        return true;
    buf_init(&what);
    ok = kafka_settings_check(&settings, KAFKA_SOURCE, &what) &&
         (!config->rules_topic.results || kafka_settings_check(&settings, KAFKA_SINK, &what));
    if (!ok)
        buf_printf(why, "rules_topic: %s", what.data);
    buf_fini(&what);
    return ok;
}

bool wiring_kafka_check(const struct config *config, struct buf *why)
{
    bool ok = check_rules_topic(config, why);

    for (size_t i = 0; i < config->n_sources; i++) {
        const struct config_source *source = &config->source[i];
        struct kafka_settings settings = config_kafka_settings(&source->kafka);
        struct buf what;
        buf_init(&what);
        if (source->kind == CONFIG_KAFKA && !kafka_settings_check(&settings, KAFKA_SOURCE, &what)) {
            buf_printf(why, "%ssource %s: %s", why->len ? "\n" : "", source->name, what.data);
            ok = false;
        }
        buf_fini(&what);
    }
    return ok;
}
