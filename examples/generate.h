// SPDX-License-Identifier: Apache-2.0
/* What the parts of the generator share; generate.c says what it makes. */
#ifndef EXAMPLES_GENERATE_H
#define EXAMPLES_GENERATE_H

#include <stddef.h>
#include <stdint.h>

enum {
    FIRST_ATTACKER = 200, /* 203.0.113.200 and up are the incidents' own */
    USERS = 40,
};

struct line {
    int64_t at; /* s since 1970, event time */
    size_t seq; /* decides among equal times: as generated */
    char *text;
};

struct log {
    struct line *lines;
    size_t count, capacity;
};

struct generator {
    uint64_t random;
    int64_t failed_at[2][256]; /* last failure of 198.51.100.x and 203.0.113.x */
    int next_pid, next_attacker, next_person, next_order;
    struct log *log, *beside; /* the one being written; the second one, if its kind has two */
    struct log planted;       /* what has to be found */
};

struct stamp {
    char text[32];
};

struct person {
    char name[32];
};

/* low..high, both included */
int random_in(struct generator *g, int low, int high);

/* Appends one line, which is sorted in by its time AT. */
void log_add(struct log *log, int64_t at, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

struct stamp rfc3339(int64_t at);

/* RULE has to fire AT, for WHO. */
void plant(struct generator *g, const char *rule, int64_t at, const char *who);

/* A name that nobody else has. */
struct person person_new(struct generator *g, const char *stem);

/* Quiet background from AT on; the incidents and near misses of a log. */
void sshd_background(struct generator *g, int64_t at);
void sshd_incidents(struct generator *g, int64_t start, int64_t span);
void cloudtrail_background(struct generator *g, int64_t at);
void cloudtrail_incidents(struct generator *g, int64_t start, int64_t span);
void login_background(struct generator *g, int64_t at);
void login_incidents(struct generator *g, int64_t start, int64_t span);
void payments_background(struct generator *g, int64_t at);
void payments_incidents(struct generator *g, int64_t start, int64_t span);
void dns_background(struct generator *g, int64_t at);
void dns_incidents(struct generator *g, int64_t start, int64_t span);
void idp_background(struct generator *g, int64_t at);
void idp_incidents(struct generator *g, int64_t start, int64_t span);

#endif
