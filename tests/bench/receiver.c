// SPDX-License-Identifier: Apache-2.0
#include <bench/receiver.h>

#include <arpa/inet.h>
#include <errno.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/mem.h"
#include <bench/bench.h>

enum { ROOM = 1 << 20 };

struct peer {
    int fd;
    size_t n;
    char data[ROOM];
};

static const char ANSWER[] = "HTTP/1.1 204 No Content\r\n\r\n";

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct receiver_stats stats;
static int64_t *age; /* ns, of each request that has one */
static size_t n_ages, cap_ages;
static int listener;

static void count(const char *body, size_t len)
{
    const char *sent = memmem(body, len, "\"sent\":", 7);

    pthread_mutex_lock(&lock);
    stats.requests++;
    if (sent) {
        age = vec_reserve(age, &cap_ages, n_ages + 1, sizeof *age);
        age[n_ages++] = clock_monotonic() - strtoll(sent + 7, NULL, 10);
    }
    pthread_mutex_unlock(&lock);
}

/* Bytes of the whole request at the start of the data, and where its body begins; 0: more must come. */
static size_t whole_request(char *data, size_t n, size_t *body_out)
{
    char *head = memmem(data, n, "\r\n\r\n", 4);
    if (!head)
        return 0;
    *body_out = (size_t)(head - data) + 4;
    char *length = memmem(data, (size_t)(head - data), "Content-Length: ", 16);
    size_t all = *body_out + (length ? strtoul(length + 16, NULL, 10) : 0);

    return n >= all ? all : 0;
}

static bool serve(struct peer *p)
{
    ssize_t got = read(p->fd, p->data + p->n, ROOM - p->n);
    size_t all, body = 0;

    if (got <= 0)
        return false;
    p->n += (size_t)got;
    while ((all = whole_request(p->data, p->n, &body)) > 0) {
        count(p->data + body, all - body);
        if (write(p->fd, ANSWER, sizeof ANSWER - 1) != (ssize_t)sizeof ANSWER - 1)
            return false;
        p->n -= all;
        memmove(p->data, p->data + all, p->n);
    }
    return true;
}

static void take_in(int epoll)
{
    struct peer *p = mem_alloc(sizeof *p);
    struct epoll_event event = {.events = EPOLLIN, .data.ptr = p};
    int on = 1;

    p->n = 0;
    p->fd = accept(listener, NULL, NULL);
    setsockopt(p->fd, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
    if (p->fd < 0 || epoll_ctl(epoll, EPOLL_CTL_ADD, p->fd, &event) != 0)
        bench_die("accept: %s", strerror(errno));
    pthread_mutex_lock(&lock);
    stats.connections++;
    pthread_mutex_unlock(&lock);
}

static void *receive(void *unused)
{
    int epoll = epoll_create1(0);
    struct epoll_event event = {.events = EPOLLIN, .data.ptr = NULL}, got[64];

    (void)unused;
    epoll_ctl(epoll, EPOLL_CTL_ADD, listener, &event);
    for (;;) {
        int n = epoll_wait(epoll, got, 64, -1);
        for (int i = 0; i < n; i++) {
            struct peer *p = got[i].data.ptr;
            if (!p) {
                take_in(epoll);
            } else if (!serve(p)) {
                close(p->fd);
                mem_free(p);
            }
        }
    }
    return NULL;
}

uint16_t receiver_start(uint16_t port)
{
    struct sockaddr_in a = {
        .sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK), .sin_port = htons(port)};
    socklen_t len = sizeof a;
    pthread_t thread;
    int on = 1;

    listener = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    setsockopt(listener, SOL_SOCKET, SO_REUSEADDR, &on, sizeof on);
    if (bind(listener, (struct sockaddr *)&a, sizeof a) != 0 || listen(listener, 512) != 0 ||
        getsockname(listener, (struct sockaddr *)&a, &len) != 0 ||
        pthread_create(&thread, NULL, receive, NULL) != 0)
        bench_die("no receiver: %s", strerror(errno));
    pthread_detach(thread);
    return ntohs(a.sin_port);
}

static int compare(const void *a, const void *b)
{
    int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;

    return (x > y) - (x < y);
}

void receiver_stats(struct receiver_stats *stats_out)
{
    pthread_mutex_lock(&lock);
    if (n_ages > 0) {
        qsort(age, n_ages, sizeof *age, compare);
        stats.p50 = age[n_ages / 2];
        stats.p99 = age[n_ages * 99 / 100];
        stats.most = age[n_ages - 1];
    }
    n_ages = 0;
    *stats_out = stats;
    stats = (struct receiver_stats){0};
    pthread_mutex_unlock(&lock);
}
