// SPDX-License-Identifier: Apache-2.0
/*
 * post - drives the webhook client (io/web.h) by lines on standard input; for tests/webhook/web.py.
 *
 *     endpoint NAME {"url":...,"secret":[...],"headers":{...},"ca":F,"certificate":F,"key":F,"tls":"1.3",
 *                    "proxy":U,"allow":[...],"connect_timeout":MS,"timeout":MS,"max_response":N,
 *                    "max_connections":N}
 *     renew NAME {...}    free NAME
 *     post NAME ID TEXT              posts the text;  posts NAME N SIZE: N bodies of SIZE bytes, ids NAME-1, ...
 *     wait N MS           N answers, for at most so long each; fewer are said by `none`
 *     stats NAME          wake MS (a thread wakes web_wait after so long)
 *
 * Prints a line of JSON for each answer and whatever is asked; the answer to a mistake is {"error":...}.
 * Names of hosts: `slow.test` takes ten seconds to be resolved, `rebind.test` is 198.51.100.1 at first
 * and 127.0.0.1 after that, `inside.test` is 127.0.0.1 and 10.0.0.1; the rest is real.
 */
#include <arpa/inet.h>
#include <dlfcn.h>
#include <inttypes.h>
#include <jansson.h>
#include <netdb.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "base/buf.h"
#include "base/mem.h"
#include "io/web.h"

#define MS INT64_C(1000000)
enum { MOST = 256 };

struct named {
    char name[64];
    struct web_endpoint *ep;
};
static struct named named[MOST];
static size_t n_named;
static char **ids; /* owned: of all requests ever */
static size_t n_ids, cap_ids;

/* ---- names of hosts that are not real: libcurl calls this function ----------------------------- */

static int numeric(const char *text, const char *service, const struct addrinfo *hints, struct addrinfo **out)
{
    static int (*real)(const char *, const char *, const struct addrinfo *, struct addrinfo **);

    if (!real)
        *(void **)&real = dlsym(RTLD_NEXT, "getaddrinfo");
    return real(text, service, hints, out);
}

int getaddrinfo(const char *node, const char *service, const struct addrinfo *hints, struct addrinfo **out)
{
    static atomic_int asked;

    if (node && strcmp(node, "slow.test") == 0) {
        sleep(10);
        return numeric("127.0.0.1", service, hints, out);
    }
    if (node && strcmp(node, "rebind.test") == 0)
        return numeric(atomic_fetch_add(&asked, 1) == 0 ? "198.51.100.1" : "127.0.0.1", service, hints, out);
    if (node && strcmp(node, "inside.test") == 0)
        return numeric("127.0.0.1", service, hints, out);
    return numeric(node, service, hints, out);
}

/* ---- options ------------------------------------------------------------------------------------- */

static const char *text_of(const json_t *o, const char *key)
{
    return json_string_value(json_object_get(o, key));
}

static int64_t number_of(const json_t *o, const char *key)
{
    return json_integer_value(json_object_get(o, key));
}

static void options_of(json_t *o, struct web_endpoint_options *opt, struct web_header *header, const char **allow)
{
    const char *key, *tls = text_of(o, "tls");
    json_t *value;
    size_t i;

    *opt = (struct web_endpoint_options){
        .name = "it", .url = text_of(o, "url"), .header = header, .allow = allow, .ca_file = text_of(o, "ca"),
        .certificate = text_of(o, "certificate"), .key = text_of(o, "key"), .proxy = text_of(o, "proxy"),
        .connect_timeout = number_of(o, "connect_timeout") * MS, .timeout = number_of(o, "timeout") * MS,
        .max_response = (size_t)number_of(o, "max_response"),
        .max_connections = (uint32_t)number_of(o, "max_connections"),
        .tls_least = tls && strcmp(tls, "1.3") == 0 ? WEB_TLS_1_3 : WEB_TLS_1_2};
    json_object_foreach(json_object_get(o, "headers"), key, value)
        if (opt->n_headers < MOST)
            header[opt->n_headers++] = (struct web_header){key, json_string_value(value)};
    json_array_foreach(json_object_get(o, "allow"), i, value)
        if (opt->n_allow < MOST)
            allow[opt->n_allow++] = json_string_value(value);
    json_array_foreach(json_object_get(o, "secret"), i, value)
        if (i < 2)
            opt->secret[i] = json_string_value(value);
}

static void say_error(const struct buf *why)
{
    struct buf out;

    buf_init(&out);
    buf_add_json_text(&out, why->data ? why->data : "", why->len);
    printf("{\"error\":%s}\n", out.data);
    buf_fini(&out);
}

static struct named *find(const char *name)
{
    for (size_t i = 0; i < n_named; i++)
        if (strcmp(named[i].name, name) == 0)
            return &named[i];
    if (n_named == MOST)
        exit(2);
    snprintf(named[n_named].name, sizeof named[0].name, "%s", name);
    return &named[n_named++];
}

static void endpoint(struct web *w, const char *name, const char *text, bool renew)
{
    struct named *n = find(name);
    struct web_header header[MOST];
    const char *allow[MOST];
    struct web_endpoint_options opt;
    json_t *o = json_loads(text, 0, NULL);
    struct buf why;

    if (!o)
        exit(2);
    buf_init(&why);
    options_of(o, &opt, header, allow);
    bool good = renew ? web_endpoint_renew(n->ep, &opt, &why) : (n->ep = web_endpoint_new(w, &opt, &why)) != NULL;
    if (good)
        puts("{\"good\":true}");
    else
        say_error(&why);
    buf_fini(&why);
    json_decref(o);
}

/* ---- requests ------------------------------------------------------------------------------------ */

static void post(struct web_endpoint *ep, const char *id, const char *body, size_t len)
{
    struct web_request request = {.id = id, .content_type = "application/json", .body = body, .len = len};

    ids = vec_reserve(ids, &cap_ids, n_ids + 1, sizeof *ids);
    request.ctx = ids[n_ids++] = mem_strndup(id, strlen(id));
    web_post(ep, &request);
}

static void posts(struct web_endpoint *ep, const char *name, int n, size_t size)
{
    char *body = malloc(size + 1), id[96];

    memset(body, 'b', size);
    for (int i = 1; i <= n; i++) {
        snprintf(id, sizeof id, "%s-%d", name, i);
        post(ep, id, body, size);
    }
    free(body);
}

static void say_answer(const struct web_answer *a)
{
    static const char *const OUTCOME[] = {"done", "again", "refused", "gone"};
    struct buf why;

    buf_init(&why);
    buf_add_json_text(&why, a->why, strlen(a->why));
    printf("{\"id\":\"%s\",\"outcome\":\"%s\",\"status\":%d,\"retry_after\":%" PRId64 ",\"took\":%" PRId64
           ",\"why\":%s}\n",
           (char *)a->ctx, OUTCOME[a->outcome], a->status, a->retry_after, a->took, why.data);
    buf_fini(&why);
}

static void wait_for(struct web *w, int n, int64_t ms)
{
    struct web_answer answer;

    for (int i = 0; i < n; i++) {
        if (!web_wait(w, ms < 0 ? -1 : ms * MS, &answer)) {
            puts("\"none\"");
            return;
        }
        say_answer(&answer);
    }
}

static void say_stats(const struct web_endpoint *ep)
{
    struct web_stats s;

    web_endpoint_stats(ep, &s);
    printf("{\"posted\":%" PRIu64 ",\"answered\":%" PRIu64 ",\"connections\":%" PRIu64 ",\"http2\":%" PRIu64
           ",\"waiting\":%u,\"under_way\":%u}\n",
           s.posted, s.answered, s.connections, s.http2, s.waiting, s.under_way);
}

struct waker {
    struct web *w;
    long ms;
};

static void *wake(void *ctx)
{
    struct waker *k = ctx;
    struct timespec ts = {.tv_sec = k->ms / 1000, .tv_nsec = k->ms % 1000 * 1000000};

    nanosleep(&ts, NULL);
    web_wake(k->w);
    return NULL;
}

static void wait_woken(struct web *w, long ms)
{
    struct waker k = {w, ms};
    struct web_answer answer;
    pthread_t thread;

    pthread_create(&thread, NULL, wake, &k);
    if (web_wait(w, -1, &answer))
        say_answer(&answer);
    else
        puts("\"woken\"");
    pthread_join(thread, NULL);
}

static void obey(struct web *w, char *line)
{
    char *rest = line, *command = strsep(&rest, " "), *name = strsep(&rest, " ");

    if (!name)
        exit(2);
    if (strcmp(command, "endpoint") == 0 || strcmp(command, "renew") == 0) {
        endpoint(w, name, rest, command[0] == 'r');
    } else if (strcmp(command, "free") == 0) {
        web_endpoint_free(&find(name)->ep);
    } else if (strcmp(command, "post") == 0) {
        char *id = strsep(&rest, " ");
        post(find(name)->ep, id, rest ? rest : "", rest ? strlen(rest) : 0);
    } else if (strcmp(command, "posts") == 0) {
        char *n = strsep(&rest, " ");
        posts(find(name)->ep, name, (int)strtol(n, NULL, 10), rest ? strtoul(rest, NULL, 10) : 0);
    } else if (strcmp(command, "wait") == 0) {
        wait_for(w, (int)strtol(name, NULL, 10), strtol(rest, NULL, 10));
    } else if (strcmp(command, "stats") == 0) {
        say_stats(find(name)->ep);
    } else if (strcmp(command, "wake") == 0) {
        wait_woken(w, strtol(name, NULL, 10));
    } else {
        exit(2);
    }
    fflush(stdout);
}

int main(void)
{
    struct web *w = web_new();
    char *line = NULL;
    size_t cap = 0;
    ssize_t len;

    signal(SIGPIPE, SIG_IGN);
    while ((len = getline(&line, &cap, stdin)) > 0) {
        if (line[len - 1] == '\n')
            line[len - 1] = '\0';
        obey(w, line);
    }
    free(line);
    web_free(&w);
    for (size_t i = 0; i < n_ids; i++)
        mem_free(ids[i]);
    mem_free(ids);
    return 0;
}
