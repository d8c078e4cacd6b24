// SPDX-License-Identifier: Apache-2.0
#include "base/log.h"

#include <inttypes.h>
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "base/buf.h"
#include "base/clock.h"
#include "base/hash.h"

enum { N_PLACES = 256 };
#define PERIOD INT64_C(10000000000)

static const char *const level_name[] = {"debug", "info", "warning", "error"};
static const char *const category_name[] = {
#define LOG_CATEGORY(name) #name,
#include "base/log.def"
#undef LOG_CATEGORY
};

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static enum log_level least_level = LOG_INFO;

/* Places by the hash of their message; two that share one share the limit. */
static struct place {
    int64_t since; /* monotonic ns */
    uint32_t told, held;
} place[N_PLACES];

void log_set_level(enum log_level least)
{
    least_level = least;
}

/* Called with the lock; *held_out: how many were held since the last one let through. */
static bool passes(const char *msg, uint32_t *held_out)
{
    struct place *p = &place[hash64(msg, strlen(msg), 0) % N_PLACES];
    int64_t now = clock_monotonic();

    if (p->since == 0 || now - p->since >= PERIOD) {
        *held_out = p->held;
        *p = (struct place){.since = now, .told = 1};
        return true;
    }
    *held_out = 0;
    if (p->told++ < LOG_BURST)
        return true;
    p->held++;
    return false;
}

static void add_time(struct buf *b)
{
    struct tm tm;
    int64_t now = clock_wall();
    time_t seconds = (time_t)(now / 1000000000);

    gmtime_r(&seconds, &tm);
    buf_printf(b, "%04d-%02d-%02dT%02d:%02d:%02d.%03dZ", tm.tm_year + 1900, tm.tm_mon + 1,
               tm.tm_mday, tm.tm_hour, tm.tm_min, tm.tm_sec, (int)(now / 1000000 % 1000));
}

void log_field(struct buf *b, const char *key, const char *value)
{
    buf_printf(b, " %s=", key);
    buf_add_json_text(b, value, strlen(value));
}

static void write_all(const char *data, size_t len)
{
    while (len > 0) {
        ssize_t n = write(STDERR_FILENO, data, len);
        if (n <= 0)
            return;
        data += n;
        len -= (size_t)n;
    }
}

static void begin_line(struct buf *b, enum log_level level, enum log_category category,
                       const char *msg)
{
    buf_init(b);
    add_time(b);
    buf_printf(b, " level=%s category=%s", level_name[level], category_name[category]);
    log_field(b, "msg", msg);
}

static void add_fields(struct buf *b, const char *fields, size_t len)
{
    if (len > 0 && *fields != ' ')
        buf_addc(b, ' ');
    buf_add(b, fields, len);
}

static void end_line(struct buf *b)
{
    buf_addc(b, '\n');
    write_all(b->data, b->len);
    buf_fini(b);
}

void log_line(enum log_level level, enum log_category category, const char *msg,
              const char *fields, ...)
{
    struct buf b;
    uint32_t held;

    if (level < least_level)
        return;
    pthread_mutex_lock(&lock);
    if (passes(msg, &held)) {
        begin_line(&b, level, category, msg);
        if (fields) {
            struct buf rest;
            va_list args;
            buf_init(&rest);
            va_start(args, fields);
            buf_vprintf(&rest, fields, args);
            va_end(args);
            add_fields(&b, rest.len ? rest.data : "", rest.len);
            buf_fini(&rest);
        }
        if (held)
            buf_printf(&b, " held=%" PRIu32, held);
        end_line(&b);
    }
    pthread_mutex_unlock(&lock);
}

void log_always(enum log_level level, enum log_category category, const char *msg,
                const char *fields)
{
    struct buf b;

    if (level < least_level)
        return;
    pthread_mutex_lock(&lock);
    begin_line(&b, level, category, msg);
    if (fields)
        add_fields(&b, fields, strlen(fields));
    end_line(&b);
    pthread_mutex_unlock(&lock);
}
