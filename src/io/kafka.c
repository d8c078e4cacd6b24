// SPDX-License-Identifier: Apache-2.0
#include "io/kafka.h"

#include <assert.h>
#include <string.h>
#include <strings.h>

#include "base/buf.h"
#include "base/mem.h"
#include "base/suggest.h"
#include "io/kafka_priv.h"

enum { ERROR_BYTES = 512, MAX_PORT = 65535 };

const char *kafka_reset_word(enum kafka_reset reset)
{
    static const char *const word[KAFKA_N_RESETS] = {"fail", "earliest", "latest"};

    return word[reset];
}

/* ---- which options there are --------------------------------------------------------------------- */

static const struct {
    const char *property, *why;
} owned[] = {
#define KAFKA_OWNED(property, why) {property, why},
#include "io/kafka_owned.def"
#undef KAFKA_OWNED
};

static const char *why_owned(const char *name)
{
    for (size_t i = 0; i < sizeof owned / sizeof *owned; i++)
        if (strcmp(owned[i].property, name) == 0)
            return owned[i].why;
    return NULL;
}

bool kafka_is_secret(const char *property)
{
    static const char *const parts[] = {"password", "secret", "ssl.key.pem", "oauthbearer.config"};

    for (size_t i = 0; i < sizeof parts / sizeof *parts; i++)
        if (strcasestr(property, parts[i]))
            return true;
    return false;
}

/* Properties that are functions, or belong to the program. */
static bool is_text_property(const char *name)
{
    size_t len = strlen(name);

    return !(len > 3 && strcmp(name + len - 3, "_cb") == 0) && strcmp(name, "opaque") != 0 &&
           strcmp(name, "default_topic_conf") != 0 && strcmp(name, "ssl_key") != 0 &&
           strcmp(name, "ssl_certificate") != 0 && strcmp(name, "ssl_ca") != 0 &&
           strcmp(name, "partitioner_cb") != 0 && strcmp(name, "interceptors") != 0;
}

/* As the nearest of those that a new conf has. */
static void suggest_property(const char *name, struct buf *hint)
{
    rd_kafka_conf_t *conf = rd_kafka_conf_new();
    rd_kafka_topic_conf_t *topic = rd_kafka_topic_conf_new();
    size_t n, n_topic;
    const char **pair = rd_kafka_conf_dump(conf, &n);
    const char **topic_pair = rd_kafka_topic_conf_dump(topic, &n_topic);
    struct suggest s;

    suggest_init(&s, name);
    for (size_t i = 0; i < n; i += 2)
        if (is_text_property(pair[i]) && !why_owned(pair[i]))
            suggest_try(&s, pair[i]);
    for (size_t i = 0; i < n_topic; i += 2)
        if (is_text_property(topic_pair[i]) && !why_owned(topic_pair[i]))
            suggest_try(&s, topic_pair[i]);
    const char *best = suggest_result(&s);
    if (best)
        buf_printf(hint, "did you mean `%s`?", best);
    else
        buf_adds(hint, "the properties are those of librdkafka");
    rd_kafka_conf_dump_free(pair, n);
    rd_kafka_conf_dump_free(topic_pair, n_topic);
    rd_kafka_topic_conf_destroy(topic);
    rd_kafka_conf_destroy(conf);
}

/* What librdkafka said of a value, without the value. */
static void hint_range(const char *said, struct buf *hint)
{
    const char *range = strstr(said, "allowed range ");

    if (range)
        buf_printf(hint, "from %.*s", (int)strcspn(range + 14, "\n"), range + 14);
}

bool kafka_option_check(const struct kafka_option *option, enum kafka_use use, struct buf *why,
                        struct buf *hint)
{
    const char *reason = why_owned(option->name);
    char said[ERROR_BYTES];

    (void)use;
    if (reason) {
        buf_printf(why, "`%s` cannot be set", option->name);
        buf_adds(hint, reason);
        return false;
    }
    rd_kafka_conf_t *conf = rd_kafka_conf_new();
    rd_kafka_conf_res_t result =
        is_text_property(option->name)
            ? rd_kafka_conf_set(conf, option->name, option->value, said, sizeof said)
            : RD_KAFKA_CONF_UNKNOWN;
    rd_kafka_conf_destroy(conf);
    if (result == RD_KAFKA_CONF_UNKNOWN) {
        buf_printf(why, "there is no option `%s` of Kafka clients", option->name);
        suggest_property(option->name, hint);
    } else if (result == RD_KAFKA_CONF_INVALID) {
        buf_printf(why, "the option `%s` cannot have this value", option->name);
        hint_range(said, hint);
    }
    return result == RD_KAFKA_CONF_OK;
}

/* ---- brokers --------------------------------------------------------------------------------------- */

/* One of them: HOST, HOST:PORT, [V6]:PORT, with a protocol before it or not. */
static bool broker_is_fine(const char *text, size_t len)
{
    const char *scheme = memmem(text, len, "://", 3);
    if (scheme) {
        len -= (size_t)(scheme - text) + 3;
        text = scheme + 3;
    }
    const char *end = text + len;
    const char *colon = len && *text == '[' ? memchr(text, ']', len) : text;
    if (!colon)
        return false;
    colon = memchr(colon, ':', (size_t)(end - colon));
    size_t host = colon ? (size_t)(colon - text) : len;
    for (size_t i = 0; i < host; i++)
        if (strchr(" \t\"'/@", text[i]))
            return false;
    unsigned port = 0;
    for (const char *c = colon ? colon + 1 : end; c < end; c++) {
        if (*c < '0' || *c > '9')
            return false;
        port = port * 10 + (unsigned)(*c - '0');
        if (port > MAX_PORT)
            return false;
    }
    return host > 0 && (!colon || (colon + 1 < end && port > 0));
}

bool kafka_brokers_check(const char *brokers, struct buf *why)
{
    for (const char *at = brokers;; at++) {
        at += strspn(at, " ");
        size_t len = strcspn(at, ",");
        size_t trimmed = len;
        while (trimmed > 0 && at[trimmed - 1] == ' ')
            trimmed--;
        if (!broker_is_fine(at, trimmed)) {
            buf_adds(why, "a broker is HOST:PORT");
            return false;
        }
        at += len;
        if (!*at)
            return true;
    }
}

/* ---- clients ----------------------------------------------------------------------------------------- */

void kafka_conf_set(rd_kafka_conf_t *conf, const char *name, const char *value)
{
    char said[ERROR_BYTES];
    rd_kafka_conf_res_t result = rd_kafka_conf_set(conf, name, value, said, sizeof said);

    assert(result == RD_KAFKA_CONF_OK);
    (void)result;
}

/* Borrowed; NULL: the options do not say it. */
static const char *option_of(const struct kafka_settings *settings, const char *name)
{
    for (size_t i = 0; i < settings->n_options; i++)
        if (strcmp(settings->option[i].name, name) == 0)
            return settings->option[i].value;
    return NULL;
}

void kafka_conf_default(rd_kafka_conf_t *conf, const struct kafka_settings *settings, const char *name,
                        const char *other_name, const char *value)
{
    if (!option_of(settings, name) && !(other_name && option_of(settings, other_name)))
        kafka_conf_set(conf, name, value);
}

/* What all clients have if the options do not say otherwise. */
static void set_defaults(rd_kafka_conf_t *conf, enum kafka_use use)
{
    kafka_conf_set(conf, "client.id", "tocsin");
    kafka_conf_set(conf, "socket.nagle.disable", "true");
    kafka_conf_set(conf, "socket.keepalive.enable", "true");
    kafka_conf_set(conf, "reconnect.backoff.max.ms", "5000");
    kafka_conf_set(conf, "allow.auto.create.topics", "false");
    if (use == KAFKA_SOURCE)
        kafka_conf_set(conf, "queued.max.messages.kbytes", "4096"); /* of a partition */
}

static bool set_options(rd_kafka_conf_t *conf, const struct kafka_settings *settings, enum kafka_use use,
                        struct buf *why)
{
    char said[ERROR_BYTES];
    struct buf hint;

    for (size_t i = 0; i < settings->n_options; i++) {
        const struct kafka_option *option = &settings->option[i];
        buf_init(&hint);
        bool ok = kafka_option_check(option, use, why, &hint);
        if (!ok && hint.len > 0)
            buf_printf(why, ": %s", hint.data);
        buf_fini(&hint);
        if (!ok || rd_kafka_conf_set(conf, option->name, option->value, said, sizeof said) !=
                       RD_KAFKA_CONF_OK)
            return false;
    }
    return true;
}

/* That a partition lost its leader only a line of `debug` says. */
static void watch_leaders(rd_kafka_conf_t *conf, const struct kafka_settings *settings, struct kafka_told *told)
{
    struct buf debug;

    buf_init(&debug);
    buf_adds(&debug, "");
    for (size_t i = 0; i < settings->n_options; i++)
        if (strcmp(settings->option[i].name, "debug") == 0)
            buf_printf(&debug, "%s,", settings->option[i].value);
    told->debug = debug.len > 0;
    buf_adds(&debug, "topic");
    if (told->doubt)
        kafka_conf_set(conf, "debug", debug.data);
    buf_fini(&debug);
}

/* Do the options leave it at that: certificates of brokers are verified? */
static bool verifies(const struct kafka_settings *settings)
{
    const char *said = option_of(settings, "enable.ssl.certificate.verification");

    return !said || (strcasecmp(said, "false") != 0 && strcmp(said, "0") != 0 && strcasecmp(said, "f") != 0);
}

rd_kafka_conf_t *kafka_conf_new(const struct kafka_settings *settings, struct kafka_told *told,
                                struct buf *why)
{
    rd_kafka_conf_t *conf = rd_kafka_conf_new();

    set_defaults(conf, told->use);
    if (!set_options(conf, settings, told->use, why)) {
        rd_kafka_conf_destroy(conf);
        return NULL;
    }
    if (settings->brokers)
        kafka_conf_set(conf, "bootstrap.servers", settings->brokers);
    watch_leaders(conf, settings, told);
    kafka_told_listen(told, conf, verifies(settings));
    return conf;
}

rd_kafka_t *kafka_new(rd_kafka_type_t type, rd_kafka_conf_t *conf, struct buf *why)
{
    char said[ERROR_BYTES];
    rd_kafka_t *rk = rd_kafka_new(type, conf, said, sizeof said);

    if (!rk) {
        buf_adds(why, said);
        rd_kafka_conf_destroy(conf);
    }
    return rk;
}

bool kafka_settings_check(const struct kafka_settings *settings, enum kafka_use use, struct buf *why)
{
    struct kafka_settings alone = *settings;
    struct kafka_told told;
    rd_kafka_t *rk = NULL;

    alone.brokers = NULL; /* nobody to connect to */
    kafka_told_init(&told, "check", use);
    rd_kafka_conf_t *conf = kafka_conf_new(&alone, &told, why);
    if (conf) {
        if (use == KAFKA_SOURCE)
            kafka_conf_set(conf, "group.id", "check");
        rk = kafka_new(use == KAFKA_SOURCE ? RD_KAFKA_CONSUMER : RD_KAFKA_PRODUCER, conf, why);
    }
    bool ok = rk != NULL;
    if (rk)
        rd_kafka_destroy(rk);
    kafka_told_fini(&told);
    return ok;
}

/* ---- rights ---------------------------------------------------------------------------------------------- */

bool kafka_add_missing(rd_kafka_resp_err_t error, const struct kafka_need *need, struct buf *out)
{
    const char *text = rd_kafka_err2str(error);

    if (error == RD_KAFKA_RESP_ERR_TOPIC_AUTHORIZATION_FAILED && need->topic)
        buf_printf(out, "the right `%s` on the topic %s is missing (%s)", need->on_topic, need->topic, text);
    else if (error == RD_KAFKA_RESP_ERR_GROUP_AUTHORIZATION_FAILED && need->group)
        buf_printf(out, "the right `Read` on the group %s is missing (%s)", need->group, text);
    else if (error == RD_KAFKA_RESP_ERR_TRANSACTIONAL_ID_AUTHORIZATION_FAILED && need->id)
        buf_printf(out, "the right `Write` on the transactional id %s is missing (%s)", need->id, text);
    else if (error == RD_KAFKA_RESP_ERR_CLUSTER_AUTHORIZATION_FAILED && need->topic)
        buf_printf(out, "the right `Write` on the topic %s is missing, or before Kafka 2.8 `IdempotentWrite` on the cluster "
                        "(%s)", need->topic, text);
    else
        return false;
    return true;
}

void kafka_add_read_error(rd_kafka_resp_err_t error, const char *topic, struct buf *out)
{
    const struct kafka_need need = {.topic = topic, .on_topic = "Read"};

    if (!kafka_add_missing(error, &need, out))
        buf_adds(out, rd_kafka_err2str(error));
}
