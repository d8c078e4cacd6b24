// SPDX-License-Identifier: Apache-2.0
/*
 * kafka_told - what a client of Kafka says by itself: its log goes to the daemon's, why it cannot reach brokers and
 * what ended its transaction stay until they are asked for or forgotten. From librdkafka's words go those that are
 * others each time (how long it took), so that who tells them sees whether the reason has changed.
 */
#include <stdio.h>
#include <string.h>

#include "base/buf.h"
#include "base/log.h"
#include "io/kafka_priv.h"

enum { ERROR_BYTES = 512, DEBUG_LEVEL = 7, SCRAM_FROM = 0x020601ff };

/* ---- words ------------------------------------------------------------------------------------------ */

/* " (after 3ms in state UP, 1 identical error(s) suppressed)", " (after 12 ms)" */
static void add_without_times(struct buf *out, const char *text)
{
    for (const char *at; (at = strstr(text, " (after ")) != NULL;) {
        const char *end = strstr(at, "suppressed)");
        end = end ? end + 10 : strchr(at, ')');
        buf_add(out, text, (size_t)(at - text));
        text = end ? end + 1 : at + strlen(at);
    }
    buf_adds(out, text);
}

/* Where the word that ends at `at` begins. */
static const char *word_before(const char *from, const char *at)
{
    while (at > from && at[-1] != ' ')
        at--;
    return at;
}

void kafka_add_reason(struct buf *out, const char *text)
{
    static const char code[] = ":SSL routines::";
    struct buf plain;

    buf_init(&plain);
    add_without_times(&plain, text);
    const char *at = strstr(plain.data, code), *from = plain.data;
    while (at) { /* OpenSSL's "../ssl/statem.c:318:ssl3_read_n error:0A000086:SSL routines::", or without its place */
        const char *word = word_before(from, at);
        const char *place = word > from ? word_before(from, word - 1) : word;
        if (memmem(place, (size_t)(word - place), ".c:", 3))
            word = place;
        buf_add(out, from, (size_t)(word - from));
        from = at + sizeof code - 1;
        at = strstr(from, code);
    }
    buf_adds(out, from);
    buf_fini(&plain);
}

static void keep(char to[ERROR_BYTES], const char *text)
{
    struct buf b;

    buf_init(&b);
    kafka_add_reason(&b, text);
    size_t len = b.len < ERROR_BYTES ? b.len : ERROR_BYTES - 1;
    memcpy(to, b.data, len);
    to[len] = '\0';
    buf_fini(&b);
}

/* ---- certificates --------------------------------------------------------------------------------------- */

/* Numbers of OpenSSL's X509_V_ERR_. */
static const char *why_untrusted(int error)
{
    switch (error) {
    case 9: return "its certificate is not valid yet";
    case 10: return "its certificate has expired";
    case 2:
    case 18:
    case 19:
    case 20:
    case 21: return "its certificate is by nobody whom `ssl.ca.location` trusts";
    case 23: return "its certificate was revoked";
    case 62:
    case 64: return "its certificate is for another host name";
    default: return "its certificate cannot be verified";
    }
}

static int on_certificate(rd_kafka_t *rk, const char *broker, int32_t id, int *error, int depth, const char *der,
                          size_t len, char *said, size_t size, void *opaque)
{
    struct kafka_told *told = opaque;
    struct buf b;

    (void)rk, (void)id, (void)depth, (void)der, (void)len;
    if (*error == 0)
        return 1;
    buf_init(&b);
    buf_printf(&b, "%s: %s", broker, why_untrusted(*error));
    pthread_mutex_lock(&told->lock);
    keep(told->certificate, b.data);
    pthread_mutex_unlock(&told->lock);
    buf_fini(&b);
    snprintf(said, size, "%s", why_untrusted(*error));
    return 0;
}

/* ---- the log ---------------------------------------------------------------------------------------------- */

static enum log_level level_of(int syslog_level)
{
    return syslog_level <= 3 ? LOG_ERROR : syslog_level == 4 ? LOG_WARNING : syslog_level <= 6 ? LOG_INFO : LOG_DEBUG;
}

/* A partition lost its leader (its topic may be gone), a connection that had been there broke. */
static void find_doubt(const struct kafka_told *told, const char *facility, const char *text)
{
    if (strcmp(facility, "BROKERUA") == 0 || strcmp(facility, "LEADERUA") == 0)
        told->doubt(told->doubt_ctx, text);
    else if (strcmp(facility, "FAIL") == 0 && strstr(text, "in state UP"))
        told->doubt(told->doubt_ctx, NULL);
}

/* "[thrd:main]: Current transaction failed in state InTransaction: WHY (NAME)": calls after that may say no more than
 * that its state is wrong. */
static void keep_transaction(struct kafka_told *told, const char *text)
{
    static const rd_kafka_resp_err_t rights[] = {
        RD_KAFKA_RESP_ERR_TOPIC_AUTHORIZATION_FAILED, RD_KAFKA_RESP_ERR_GROUP_AUTHORIZATION_FAILED,
        RD_KAFKA_RESP_ERR_TRANSACTIONAL_ID_AUTHORIZATION_FAILED, RD_KAFKA_RESP_ERR_CLUSTER_AUTHORIZATION_FAILED};
    const char *why = strstr(text, "in state ");

    why = why ? strstr(why, ": ") : NULL;
    pthread_mutex_lock(&told->lock);
    keep(told->transaction, why ? why + 2 : text);
    told->transaction_error = RD_KAFKA_RESP_ERR_NO_ERROR;
    for (size_t i = 0; i < sizeof rights / sizeof *rights; i++)
        if (strstr(text, rd_kafka_err2name(rights[i])))
            told->transaction_error = rights[i];
    pthread_mutex_unlock(&told->lock);
}

/* What a client says while it is ended is of no matter, nor are properties of producers that a consumer passes
 * over; a broker that is away is told by who waits for it, and so is what a transaction or a producer failed of:
 * librdkafka says it again and again. */
static enum log_level level_in_log(int level, const char *facility, const char *text)
{
    if (strcmp(facility, "CONFWARN") == 0 || strstr(text, "Broker handle destroyed"))
        return LOG_DEBUG;
    if (strcmp(facility, "FAIL") == 0 || strcmp(facility, "ERROR") == 0 || strcmp(facility, "CERTVERIFY") == 0 ||
        strcmp(facility, "TXNERR") == 0 || strcmp(facility, "FATAL") == 0)
        return LOG_INFO;
    return level_of(level);
}

static void on_log(const rd_kafka_t *rk, int level, const char *facility, const char *text)
{
    struct kafka_told *told = rd_kafka_opaque(rk);
    struct buf fields, plain;

    if (told && told->doubt)
        find_doubt(told, facility, text);
    if (told && strcmp(facility, "TXNERR") == 0)
        keep_transaction(told, text);
    if (level >= DEBUG_LEVEL && !(told && told->debug))
        return;
    buf_init(&fields);
    buf_init(&plain);
    if (told)
        log_field(&fields, told->use == KAFKA_SOURCE ? "source" : "sink", told->name);
    log_field(&fields, "facility", facility);
    kafka_add_reason(&plain, text);
    log_field(&fields, "text", plain.data);
    if (level >= DEBUG_LEVEL) /* somebody has set `debug`, and wants it all */
        log_always(LOG_DEBUG, LOG_kafka, "the Kafka client says", fields.data);
    else
        log_line(level_in_log(level, facility, text), LOG_kafka, "the Kafka client says", "%s", fields.data);
    buf_fini(&plain);
    buf_fini(&fields);
}

/* ---- errors ------------------------------------------------------------------------------------------------- */

static enum kafka_ill ill_of(int error, const char *reason)
{
    if (error == RD_KAFKA_RESP_ERR__AUTHENTICATION || strstr(reason, "SASL"))
        return KAFKA_ILL_LOGIN;
    if (error == RD_KAFKA_RESP_ERR__SSL || strstr(reason, "SSL routines") || strstr(reason, "SSL handshake"))
        return KAFKA_ILL_TLS;
    return KAFKA_ILL_AWAY;
}

static void on_error(rd_kafka_t *rk, int error, const char *reason, void *opaque)
{
    struct kafka_told *told = opaque;
    char fatal[ERROR_BYTES];

    if (error == RD_KAFKA_RESP_ERR__FATAL) {
        error = rd_kafka_fatal_error(rk, fatal, sizeof fatal);
        reason = fatal;
    }
    pthread_mutex_lock(&told->lock);
    /* that all brokers are down says less than what was said of one */
    if (error != RD_KAFKA_RESP_ERR__ALL_BROKERS_DOWN || told->error[0] == '\0') {
        told->ill = ill_of(error, reason);
        bool untrusted = told->ill == KAFKA_ILL_TLS && told->certificate[0] && strstr(reason, "certificate verify failed");
        keep(told->error, untrusted ? told->certificate : reason);
    }
    pthread_mutex_unlock(&told->lock);
}

void kafka_told_init(struct kafka_told *told, const char *name, enum kafka_use use)
{
    *told = (struct kafka_told){.name = name, .use = use};
    pthread_mutex_init(&told->lock, NULL);
}

void kafka_told_fini(struct kafka_told *told)
{
    pthread_mutex_destroy(&told->lock);
}

void kafka_told_listen(struct kafka_told *told, rd_kafka_conf_t *conf, bool verifies)
{
    rd_kafka_conf_set_opaque(conf, told);
    rd_kafka_conf_set_log_cb(conf, on_log);
    rd_kafka_conf_set_error_cb(conf, on_error);
    if (verifies)
        (void)rd_kafka_conf_set_ssl_cert_verify_cb(conf, on_certificate);
}

/* What the library does not say of such a failure. */
static void add_hint(struct buf *why, enum kafka_ill ill, const char *error)
{
    if (ill == KAFKA_ILL_LOGIN && strstr(error, "with SASL mechanism SCRAM") && rd_kafka_version() < SCRAM_FROM)
        buf_printf(why, " (if that is right: Kafka from 4.0 on takes no SCRAM of librdkafka %s, only from 2.6.1 on)",
                   rd_kafka_version_str());
    if (ill != KAFKA_ILL_TLS)
        return;
    if (strstr(error, "alert") && (strstr(error, "certificate") || strstr(error, "unknown ca")))
        buf_adds(why, " (they want a certificate, `ssl.certificate.location`, that they trust)");
    else if (strstr(error, "unexpected eof") || strstr(error, "wrong version number"))
        buf_adds(why, " (is it TLS what is spoken there? `security.protocol`)");
}

void kafka_told_why(struct kafka_told *told, rd_kafka_resp_err_t error, struct buf *why)
{
    static const char *const what[] = {[KAFKA_ILL_AWAY] = "no broker answers",
                                       [KAFKA_ILL_TLS] = "no connection by TLS",
                                       [KAFKA_ILL_LOGIN] = "the brokers refuse the login"};

    pthread_mutex_lock(&told->lock);
    buf_printf(why, "%s: %s", what[told->ill], told->error[0] ? told->error : rd_kafka_err2str(error));
    add_hint(why, told->ill, told->error);
    pthread_mutex_unlock(&told->lock);
}

bool kafka_told_take(struct kafka_told *told, struct buf *why)
{
    struct buf last;

    buf_init(&last);
    bool any = kafka_told_last(told, &last);
    buf_fini(&last);
    if (any)
        kafka_told_why(told, RD_KAFKA_RESP_ERR_NO_ERROR, why);
    kafka_told_forget(told);
    return any;
}

bool kafka_told_last(struct kafka_told *told, struct buf *why)
{
    pthread_mutex_lock(&told->lock);
    bool any = told->error[0] != '\0';
    if (any)
        buf_adds(why, told->error);
    pthread_mutex_unlock(&told->lock);
    return any;
}

void kafka_told_begin(struct kafka_told *told)
{
    pthread_mutex_lock(&told->lock);
    told->transaction[0] = '\0';
    told->transaction_error = RD_KAFKA_RESP_ERR_NO_ERROR;
    pthread_mutex_unlock(&told->lock);
}

rd_kafka_resp_err_t kafka_told_transaction(struct kafka_told *told, struct buf *why)
{
    pthread_mutex_lock(&told->lock);
    rd_kafka_resp_err_t error = told->transaction_error;
    buf_adds(why, told->transaction);
    pthread_mutex_unlock(&told->lock);
    return error;
}

void kafka_told_forget(struct kafka_told *told)
{
    pthread_mutex_lock(&told->lock);
    told->error[0] = told->certificate[0] = '\0';
    told->ill = KAFKA_ILL_AWAY;
    pthread_mutex_unlock(&told->lock);
}
