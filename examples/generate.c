/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Makes logs to try the shipped rules on. The same arguments give the same bytes.
 *
 *   generate [--seed N] [--sshd N] [--cloudtrail N] [--login N] [--payments N] [--dns N] [--idp N]
 *            DIRECTORY
 *
 * writes into DIRECTORY (made if need be) about so many lines of
 *
 *   sshd.ndjson         an SSH server's log           time: timestamp
 *   cloudtrail.ndjson   calls of a cloud's interface  time: eventTime
 *   login.ndjson        logins, password changes      time: @timestamp
 *   payments.ndjson     payments by card, and      }  time: @timestamp
 *   orders.ndjson       the orders that they are for }
 *   dns.ndjson          questions to a name server    time: @timestamp
 *   idp.ndjson          logins at an identity provider, over days     time: @timestamp
 *   planted.ndjson      which rule has to fire, when, and for whom
 *
 * Each log is quiet background with incidents planted in it, and near misses beside them: what a
 * rule must not fire on. The background never fires a rule, whatever the seed:
 *   1. an address fails at most twice, and then not again for QUIET_S;
 *   2. a background session is closed within 50 minutes;
 *   3. an order is paid within 50 minutes, of a card of its own, with 20 or more;
 *   4. names below a domain are short; a user logs in from one country, an address is one user's;
 *   5. incidents and near misses have addresses, users, pids, orders, cards of their own.
 * All addresses are from the ranges kept for documentation: 198.51.100.0/24 is the office,
 * 192.0.2.0/24 the VPN's exits, 203.0.113.0/24 everyone else.
 */
#include <errno.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>

#include <examples/generate.h>

enum { START_S = 1740960000 }; /* 2025-03-03T00:00:00Z: past, or a daemon sets the events aside (`future`) */

/* ---- small tools -------------------------------------------------------------------------- */

static uint64_t random_next(struct generator *g)
{
    g->random ^= g->random << 13;
    g->random ^= g->random >> 7;
    g->random ^= g->random << 17;
    return g->random;
}

int random_in(struct generator *g, int low, int high)
{
    return low + (int)((random_next(g) >> 11) % (uint64_t)(high - low + 1));
}

static void *must(void *memory)
{
    if (memory == NULL) {
        perror("generate");
        exit(1);
    }
    return memory;
}

void log_add(struct log *log, int64_t at, const char *format, ...)
{
    va_list args;
    char *text;

    va_start(args, format);
    if (vasprintf(&text, format, args) < 0)
        text = NULL;
    va_end(args);
    if (log->count == log->capacity) {
        log->capacity = log->capacity ? 2 * log->capacity : 1024;
        log->lines = must(realloc(log->lines, log->capacity * sizeof *log->lines));
    }
    log->lines[log->count] = (struct line){.at = at, .seq = log->count, .text = must(text)};
    log->count++;
}

struct stamp rfc3339(int64_t at)
{
    struct stamp stamp;
    struct tm parts;
    time_t seconds = (time_t)at;

    gmtime_r(&seconds, &parts);
    strftime(stamp.text, sizeof stamp.text, "%Y-%m-%dT%H:%M:%SZ", &parts);
    return stamp;
}

void plant(struct generator *g, const char *rule, int64_t at, const char *who)
{
    log_add(&g->planted, at, "{\"rule\":\"%s\",\"time\":\"%s\",\"who\":\"%s\"}", rule,
            rfc3339(at).text, who);
}

struct person person_new(struct generator *g, const char *stem)
{
    struct person person;

    snprintf(person.name, sizeof person.name, "%s-%d", stem, g->next_person++);
    return person;
}

/* ---- the files ------------------------------------------------------------------------------ */

static int line_compare(const void *left, const void *right)
{
    const struct line *a = left, *b = right;

    if (a->at != b->at)
        return a->at < b->at ? -1 : 1;
    return a->seq < b->seq ? -1 : a->seq > b->seq;
}

/* Writes LOG, in order of time, and empties it. */
static void log_write(struct log *log, const char *directory, const char *name)
{
    char path[4096];
    FILE *file;
    size_t i;

    if (log->count)
        qsort(log->lines, log->count, sizeof *log->lines, line_compare);
    snprintf(path, sizeof path, "%s/%s", directory, name);
    file = fopen(path, "w");
    for (i = 0; file != NULL && i < log->count; i++)
        fprintf(file, "%s\n", log->lines[i].text);
    if (file == NULL || fclose(file) != 0) {
        fprintf(stderr, "generate: %s: %s\n", path, strerror(errno));
        exit(1);
    }
    printf("%8zu lines  %s\n", log->count, path);
    for (i = 0; i < log->count; i++)
        free(log->lines[i].text);
    free(log->lines);
    *log = (struct log){0};
}

struct kind {
    const char *option, *file, *beside; /* beside: a second file, or NULL */
    void (*background)(struct generator *g, int64_t at);
    void (*incidents)(struct generator *g, int64_t start, int64_t span);
    int planted;  /* lines that the incidents have */
    int slowest;  /* s between two turns of the background, at most */
    int64_t span; /* s that the incidents need at least */
    long wanted;  /* lines */
};

/* The incidents are spread over the time that the background took. */
static void kind_write(struct generator *g, const struct kind *kind, const char *directory)
{
    struct log log = {0}, beside = {0};
    int64_t at = START_S;

    g->log = &log;
    g->beside = &beside;
    if (kind->wanted > 0) {
        while ((long)log.count < kind->wanted - kind->planted) {
            at += random_in(g, 1, kind->slowest);
            kind->background(g, at);
        }
        kind->incidents(g, START_S, at - START_S < kind->span ? kind->span : at - START_S);
    }
    log_write(&log, directory, kind->file);
    if (kind->beside)
        log_write(&beside, directory, kind->beside);
}

static struct kind kinds[] = {
    {"--sshd", "sshd.ndjson", NULL, sshd_background, sshd_incidents, 72, 39, 10800, 5000},
    {"--cloudtrail", "cloudtrail.ndjson", NULL, cloudtrail_background, cloudtrail_incidents, 18, 39,
     10800, 2000},
    {"--login", "login.ndjson", NULL, login_background, login_incidents, 12, 39, 10800, 2000},
    {"--payments", "payments.ndjson", "orders.ndjson", payments_background, payments_incidents, 36,
     59, 10800, 2000},
    {"--dns", "dns.ndjson", NULL, dns_background, dns_incidents, 107, 19, 10800, 3000},
    {"--idp", "idp.ndjson", NULL, idp_background, idp_incidents, 51, 599, 6 * 86400, 2000},
};

static int usage(void)
{
    fputs("usage: generate [--seed N] [--sshd N] [--cloudtrail N] [--login N] [--payments N] "
          "[--dns N]"
          " [--idp N] DIRECTORY\n",
          stderr);
    return 2;
}

int main(int argc, char **argv)
{
    struct generator g = {
        .next_pid = 1000, .next_attacker = FIRST_ATTACKER, .next_person = 100, .next_order = 70001};
    const size_t kind_count = sizeof kinds / sizeof *kinds;
    uint64_t seed = 1;
    size_t k;
    int i;

    for (i = 1; i + 1 < argc; i += 2) {
        char *end;
        long value = strtol(argv[i + 1], &end, 10);

        if (*argv[i + 1] == '\0' || *end != '\0' || value < 0)
            return usage();
        for (k = 0; k < kind_count && strcmp(argv[i], kinds[k].option) != 0; k++)
            ;
        if (k < kind_count)
            kinds[k].wanted = value;
        else if (strcmp(argv[i], "--seed") == 0)
            seed = (uint64_t)value;
        else
            return usage();
    }
    if (i != argc - 1 || argv[i][0] == '-')
        return usage();
    if (mkdir(argv[i], 0777) != 0 && errno != EEXIST) {
        fprintf(stderr, "generate: %s: %s\n", argv[i], strerror(errno));
        return 1;
    }
    g.random = seed * UINT64_C(0x9e3779b97f4a7c15) ^ UINT64_C(0x5851f42d4c957f2d);
    if (g.random == 0)
        g.random = 1; /* the one state that xorshift never leaves */
    for (k = 0; k < kind_count; k++)
        kind_write(&g, &kinds[k], argv[i]);
    log_write(&g.planted, argv[i], "planted.ndjson");
    return 0;
}
