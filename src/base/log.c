// SPDX-License-Identifier: Apache-2.0
#include "base/log.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/buf.h"
#include "base/clock.h"
#include "base/hash.h"
#include "base/log_form.h"

enum { N_PLACES = 256 };
#define PERIOD INT64_C(10000000000)

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static _Atomic int least[N_LOG_CATEGORIES] = { /* beginning with LOG_INFO */
#define LOG_CATEGORY(name) LOG_INFO,
#include "base/log.def"
#undef LOG_CATEGORY
};
static _Atomic int form; /* enum log_format */
static pthread_once_t journal_once = PTHREAD_ONCE_INIT;
static bool journal;     /* stderr is the journal's */

/* Places by the hash of their message; two that share one share the limit. */
static struct place {
    int64_t since; /* monotonic ns */
    uint32_t told, held;
} place[N_PLACES];

void log_set_levels(const struct log_levels *levels)
{
    for (int i = 0; i < N_LOG_CATEGORIES; i++)
        atomic_store(&least[i], levels->least[i]);
}

void log_set_format(enum log_format format)
{
    atomic_store(&form, format);
}

static bool is_wanted(enum log_level level, enum log_category category)
{
    return (int)level >= atomic_load_explicit(&least[category], memory_order_relaxed);
}

/* JOURNAL_STREAM is device and inode of the stream that systemd gave us (systemd.exec(5)). */
static void look_for_journal(void)
{
    const char *text = getenv("JOURNAL_STREAM");
    unsigned long long device, inode;
    struct stat st;

    journal = text && sscanf(text, "%llu:%llu", &device, &inode) == 2 &&
              fstat(STDERR_FILENO, &st) == 0 && st.st_dev == device && st.st_ino == inode;
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

void log_field(struct buf *b, const char *key, const char *value)
{
    buf_printf(b, " %s=", key);
    buf_add_json_bytes(b, value, strlen(value));
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

/* Called with the lock. */
static void write_entry(enum log_level level, enum log_category category, const char *msg,
                        const char *fields, uint32_t held)
{
    struct log_entry entry = {.level = level, .category = category, .msg = msg, .fields = fields,
                              .held = held, .time = clock_wall()};
    struct buf b;

    pthread_once(&journal_once, look_for_journal);
    buf_init(&b);
    log_form(&b, &entry, (enum log_format)atomic_load(&form), journal);
    write_all(b.data, b.len);
    buf_fini(&b);
}

void log_line(enum log_level level, enum log_category category, const char *msg,
              const char *fields, ...)
{
    struct buf b;
    uint32_t held;

    if (!is_wanted(level, category))
        return;
    buf_init(&b);
    pthread_mutex_lock(&lock);
    if (passes(msg, &held)) {
        if (fields) {
            va_list args;
            va_start(args, fields);
            buf_vprintf(&b, fields, args);
            va_end(args);
        }
        write_entry(level, category, msg, b.data, held);
    }
    pthread_mutex_unlock(&lock);
    buf_fini(&b);
}

void log_always(enum log_level level, enum log_category category, const char *msg,
                const char *fields)
{
    if (!is_wanted(level, category))
        return;
    pthread_mutex_lock(&lock);
    write_entry(level, category, msg, fields, 0);
    pthread_mutex_unlock(&lock);
}
