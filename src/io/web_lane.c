// SPDX-License-Identifier: Apache-2.0
#include "io/web_lane.h"

#include <arpa/inet.h>
#include <curl/curl.h>
#include <errno.h>
#include <inttypes.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/socket.h>

#include "base/buf.h"
#include "base/clock.h"
#include "base/mem.h"
#include "base/version.h"
#include "io/address_policy.h"
#include "io/http_header.h"
#include "io/web.h"
#include "io/web_answer.h"
#include "io/web_settings.h"
#include "io/web_sign.h"

#define MS INT64_C(1000000)
#define SECOND (1000 * MS)
#define GRACE SECOND /* beyond its time-out, libcurl has the word */
enum { MOST_STREAMS = 100, LONGEST_HEADERS = 65536 };

struct web_flight { /* a request under way; kept with its easy handle for the next one */
    struct web_lane *lane;
    struct web_transfer *transfer;
    struct web_flight *prev, *next; /* in the order of their starts; or `spare` */
    CURL *easy;
    struct curl_slist *header;
    int64_t started; /* monotonic */
    size_t head_bytes, body_bytes;
    bool cut;          /* the answer is longer than what is read */
    char refused[160]; /* the address that the policy does not allow */
    char error[CURL_ERROR_SIZE];
    struct web_reply reply;
};

struct web_lane {
    int epoll;
    uint32_t number;
    struct web_settings *settings;
    CURLM *multi;
    int64_t timer; /* monotonic: when libcurl wants to be called; INT64_MAX: not */
    struct web_flight *first, *last, *spare;
    struct web_flight *ended; /* whose reply the caller may be reading */
    uint32_t under_way;
    bool connected; /* since nothing was under way */
    bool http2;
    bool stale;
};

static _Noreturn void broken(const char *what)
{
    fprintf(stderr, "tocsin: libcurl: %s failed\n", what);
    abort();
}

static pthread_once_t once = PTHREAD_ONCE_INIT;

static void begin(void)
{
    if (curl_global_init(CURL_GLOBAL_DEFAULT) != CURLE_OK)
        broken("curl_global_init");
}

/* ---- what libcurl calls ------------------------------------------------------------------------ */

static int watch_socket(CURL *easy, curl_socket_t fd, int what, void *ctx, void *unused)
{
    struct web_lane *lane = ctx;
    struct epoll_event event = {.data.u64 = (uint64_t)lane->number << 32 | (uint32_t)fd};

    (void)easy;
    (void)unused;
    if (what == CURL_POLL_REMOVE) {
        epoll_ctl(lane->epoll, EPOLL_CTL_DEL, fd, &event);
        return 0;
    }
    event.events = (what & CURL_POLL_IN ? (uint32_t)EPOLLIN : 0) |
                   (what & CURL_POLL_OUT ? (uint32_t)EPOLLOUT : 0);
    if (epoll_ctl(lane->epoll, EPOLL_CTL_MOD, fd, &event) == 0)
        return 0;
    return errno == ENOENT && epoll_ctl(lane->epoll, EPOLL_CTL_ADD, fd, &event) == 0 ? 0 : -1;
}

static int set_timer(CURLM *multi, long ms, void *ctx)
{
    struct web_lane *lane = ctx;

    (void)multi;
    lane->timer = ms < 0 ? INT64_MAX : clock_monotonic() + ms * MS;
    return 0;
}

/* Each new connection, after the name was resolved: the address is the one that is connected to. */
static curl_socket_t open_socket(void *ctx, curlsocktype purpose, struct curl_sockaddr *address)
{
    struct web_flight *f = ctx;
    const struct web_settings *s = f->lane->settings;
    char text[INET6_ADDRSTRLEN] = "?";
    const char *kind = "unknown";

    if (purpose != CURLSOCKTYPE_IPCXN)
        return CURL_SOCKET_BAD;
    if (s->proxy[0] == '\0' && !address_policy_allows(s->policy, &address->addr, &kind)) {
        const struct sockaddr *sa = &address->addr;
        if (sa->sa_family == AF_INET)
            inet_ntop(AF_INET, &((const struct sockaddr_in *)(const void *)sa)->sin_addr, text, sizeof text);
        else if (sa->sa_family == AF_INET6)
            inet_ntop(AF_INET6, &((const struct sockaddr_in6 *)(const void *)sa)->sin6_addr, text, sizeof text);
        snprintf(f->refused, sizeof f->refused, "its address %s is %s: not connected, since `allow` does not have it",
                 text, kind);
        return CURL_SOCKET_BAD;
    }
    return socket(address->family, address->socktype | SOCK_CLOEXEC, address->protocol);
}

static int before_request(void *ctx, char *to, char *from, int to_port, int from_port)
{
    struct web_flight *f = ctx;

    (void)to;
    (void)from;
    (void)to_port;
    (void)from_port;
    f->lane->connected = true;
    return CURL_PREREQFUNC_OK;
}

static size_t take_header(char *line, size_t one, size_t len, void *ctx)
{
    struct web_flight *f = ctx;
    struct web_reply *r = &f->reply;

    (void)one;
    f->head_bytes += len;
    if (f->head_bytes > LONGEST_HEADERS)
        return 0;
    if (len >= 5 && memcmp(line, "HTTP/", 5) == 0) /* another head: after a 1xx, or of a proxy */
        r->retry_after[0] = r->location[0] = '\0';
    http_header_take(line, len, "retry-after", r->retry_after, sizeof r->retry_after);
    http_header_take(line, len, "location", r->location, sizeof r->location);
    return len;
}

static size_t take_body(char *data, size_t one, size_t len, void *ctx)
{
    struct web_flight *f = ctx;
    struct web_reply *r = &f->reply;
    size_t room = sizeof r->text - r->text_len, n = len < room ? len : room;

    (void)one;
    memcpy(r->text + r->text_len, data, n);
    r->text_len += n;
    f->body_bytes += len;
    if (f->body_bytes > f->lane->settings->max_response) {
        f->cut = true;
        return 0;
    }
    return len;
}

/* ---- settings to options ----------------------------------------------------------------------- */

static void set_blob(CURL *easy, CURLoption option, const struct buf *b)
{
    struct curl_blob blob = {.data = b->data, .len = b->len, .flags = CURL_BLOB_NOCOPY};

    if (b->len > 0 && curl_easy_setopt(easy, option, &blob) != CURLE_OK)
        broken("curl_easy_setopt of a PEM file");
}

static void set_tls(CURL *e, const struct web_settings *s)
{
    curl_easy_setopt(e, CURLOPT_SSL_VERIFYPEER, 1L);
    curl_easy_setopt(e, CURLOPT_SSL_VERIFYHOST, 2L);
    curl_easy_setopt(e, CURLOPT_SSLVERSION,
                     s->tls_least == WEB_TLS_1_3 ? (long)CURL_SSLVERSION_TLSv1_3 : (long)CURL_SSLVERSION_TLSv1_2);
    set_blob(e, CURLOPT_CAINFO_BLOB, &s->ca);
    if (s->ca.len > 0)
        curl_easy_setopt(e, CURLOPT_CAPATH, NULL); /* nobody but the given ones */
    set_blob(e, CURLOPT_SSLCERT_BLOB, &s->certificate);
    set_blob(e, CURLOPT_SSLKEY_BLOB, &s->private_key);
    /* a key that needs a passphrase fails: without this, OpenSSL asks for it at the terminal */
    curl_easy_setopt(e, CURLOPT_KEYPASSWD, "");
}

static void set_limits(CURL *e, const struct web_settings *s)
{
    long connect = (long)(s->connect_timeout / MS), total = (long)(s->timeout / MS);

    curl_easy_setopt(e, CURLOPT_CONNECTTIMEOUT_MS, connect > 0 ? connect : 1);
    curl_easy_setopt(e, CURLOPT_TIMEOUT_MS, total > 0 ? total : 1);
    curl_easy_setopt(e, CURLOPT_MAXLIFETIME_CONN, (long)(WEB_MOST_AGE / SECOND));
    curl_easy_setopt(e, CURLOPT_TCP_KEEPALIVE, 1L);
    curl_easy_setopt(e, CURLOPT_NOSIGNAL, 1L);
    /* a name that does not resolve in time: its thread is left alone, not waited for */
    curl_easy_setopt(e, CURLOPT_QUICK_EXIT, 1L);
}

static void set_callbacks(struct web_flight *f)
{
    CURL *e = f->easy;

    curl_easy_setopt(e, CURLOPT_PRIVATE, f);
    curl_easy_setopt(e, CURLOPT_ERRORBUFFER, f->error);
    curl_easy_setopt(e, CURLOPT_OPENSOCKETFUNCTION, open_socket);
    curl_easy_setopt(e, CURLOPT_OPENSOCKETDATA, f);
    curl_easy_setopt(e, CURLOPT_PREREQFUNCTION, before_request);
    curl_easy_setopt(e, CURLOPT_PREREQDATA, f);
    curl_easy_setopt(e, CURLOPT_HEADERFUNCTION, take_header);
    curl_easy_setopt(e, CURLOPT_HEADERDATA, f);
    curl_easy_setopt(e, CURLOPT_WRITEFUNCTION, take_body);
    curl_easy_setopt(e, CURLOPT_WRITEDATA, f);
}

static struct web_flight *flight_new(struct web_lane *lane)
{
    struct web_flight *f = mem_calloc(1, sizeof *f);
    const struct web_settings *s = lane->settings;
    char agent[64];

    f->lane = lane;
    f->easy = curl_easy_init();
    if (!f->easy)
        broken("curl_easy_init");
    snprintf(agent, sizeof agent, "tocsin/%s", version_string());
    if (curl_easy_setopt(f->easy, CURLOPT_URL, s->url.text) != CURLE_OK ||
        curl_easy_setopt(f->easy, CURLOPT_PROTOCOLS_STR, "http,https") != CURLE_OK ||
        curl_easy_setopt(f->easy, CURLOPT_PROXY, s->proxy) != CURLE_OK ||
        curl_easy_setopt(f->easy, CURLOPT_NOPROXY, "") != CURLE_OK ||
        curl_easy_setopt(f->easy, CURLOPT_USERAGENT, agent) != CURLE_OK)
        broken("curl_easy_setopt");
    curl_easy_setopt(f->easy, CURLOPT_HTTP_VERSION, (long)CURL_HTTP_VERSION_2TLS);
    curl_easy_setopt(f->easy, CURLOPT_FOLLOWLOCATION, 0L);
    curl_easy_setopt(f->easy, CURLOPT_NETRC, (long)CURL_NETRC_IGNORED);
    set_tls(f->easy, s);
    set_limits(f->easy, s);
    set_callbacks(f);
    return f;
}

static void flight_free(struct web_flight *f)
{
    curl_easy_cleanup(f->easy);
    curl_slist_free_all(f->header);
    mem_free(f);
}

/* ---- a lane ------------------------------------------------------------------------------------ */

struct web_lane *web_lane_new(int epoll, uint32_t number, struct web_settings *settings)
{
    struct web_lane *lane = mem_calloc(1, sizeof *lane);

    pthread_once(&once, begin);
    lane->epoll = epoll;
    lane->number = number;
    lane->settings = settings;
    lane->timer = INT64_MAX;
    lane->multi = curl_multi_init();
    if (!lane->multi)
        broken("curl_multi_init");
    curl_multi_setopt(lane->multi, CURLMOPT_SOCKETFUNCTION, watch_socket);
    curl_multi_setopt(lane->multi, CURLMOPT_SOCKETDATA, lane);
    curl_multi_setopt(lane->multi, CURLMOPT_TIMERFUNCTION, set_timer);
    curl_multi_setopt(lane->multi, CURLMOPT_TIMERDATA, lane);
    curl_multi_setopt(lane->multi, CURLMOPT_PIPELINING, (long)CURLPIPE_MULTIPLEX);
    curl_multi_setopt(lane->multi, CURLMOPT_MAX_CONCURRENT_STREAMS, (long)MOST_STREAMS);
    curl_multi_setopt(lane->multi, CURLMOPT_MAXCONNECTS, (long)settings->max_connections);
    curl_multi_setopt(lane->multi, CURLMOPT_MAX_HOST_CONNECTIONS, (long)settings->max_connections);
    return lane;
}

static void unlink_flight(struct web_lane *lane, struct web_flight *f)
{
    *(f->prev ? &f->prev->next : &lane->first) = f->next;
    *(f->next ? &f->next->prev : &lane->last) = f->prev;
    lane->under_way--;
    if (lane->under_way == 0)
        lane->connected = false;
}

void web_lane_free(struct web_lane **lp, void (*drop)(void *ctx, struct web_transfer *t), void *ctx)
{
    struct web_lane *lane = *lp;
    struct web_flight *f;

    if (!lane)
        return;
    *lp = NULL;
    while ((f = lane->first)) {
        curl_multi_remove_handle(lane->multi, f->easy);
        unlink_flight(lane, f);
        drop(ctx, f->transfer);
        flight_free(f);
    }
    while ((f = lane->spare)) {
        lane->spare = f->next;
        flight_free(f);
    }
    curl_multi_cleanup(lane->multi);
    web_settings_unref(&lane->settings);
    mem_free(lane);
}

struct web_settings *web_lane_settings(const struct web_lane *lane)
{
    return lane->settings;
}

bool web_lane_is_stale(const struct web_lane *lane)
{
    return lane->stale;
}

uint32_t web_lane_under_way(const struct web_lane *lane)
{
    return lane->under_way;
}

bool web_lane_has_place(const struct web_lane *lane)
{
    if (lane->settings->url.tls && !lane->connected)
        return lane->under_way == 0;
    return lane->under_way < (lane->http2 ? MOST_STREAMS : lane->settings->max_connections);
}

/* ---- a request --------------------------------------------------------------------------------- */

static void add_header(struct web_flight *f, const char *line)
{
    struct curl_slist *longer = curl_slist_append(f->header, line);

    if (!longer)
        broken("curl_slist_append");
    f->header = longer;
}

static void add_signature(struct web_flight *f, struct buf *line)
{
    const struct web_settings *s = f->lane->settings;
    const struct web_transfer *t = f->transfer;
    int64_t seconds = clock_wall() / SECOND;

    buf_clear(line);
    buf_printf(line, "webhook-timestamp: %" PRId64, seconds);
    add_header(f, line->data);
    if (s->n_keys == 0)
        return;
    buf_clear(line);
    buf_adds(line, "webhook-signature: ");
    for (size_t i = 0; i < s->n_keys; i++) {
        if (i > 0)
            buf_addc(line, ' ');
        web_sign(line, &s->key[i], t->id, seconds, t->body, t->len);
    }
    add_header(f, line->data);
}

static void set_headers(struct web_flight *f)
{
    const struct web_settings *s = f->lane->settings;
    struct buf line;

    buf_init(&line);
    curl_slist_free_all(f->header);
    f->header = NULL;
    buf_printf(&line, "Content-Type: %s", f->transfer->content_type);
    add_header(f, line.data);
    add_header(f, "Expect:"); /* no pause before a long body */
    buf_clear(&line);
    buf_printf(&line, "webhook-id: %s", f->transfer->id);
    add_header(f, line.data);
    add_signature(f, &line);
    for (size_t i = 0; i < s->n_headers; i++)
        add_header(f, s->header[i]);
    buf_fini(&line);
    curl_easy_setopt(f->easy, CURLOPT_HTTPHEADER, f->header);
}

void web_lane_start(struct web_lane *lane, struct web_transfer *t)
{
    struct web_flight *f = lane->spare;

    if (f)
        lane->spare = f->next;
    else
        f = flight_new(lane);
    f->transfer = t;
    f->started = clock_monotonic();
    f->head_bytes = f->body_bytes = 0;
    f->cut = false;
    f->refused[0] = f->error[0] = '\0';
    memset(&f->reply, 0, offsetof(struct web_reply, text));
    f->reply.text_len = 0;
    f->next = NULL;
    f->prev = lane->last;
    *(lane->last ? &lane->last->next : &lane->first) = f;
    lane->last = f;
    lane->under_way++;
    set_headers(f);
    curl_easy_setopt(f->easy, CURLOPT_POST, 1L);
    curl_easy_setopt(f->easy, CURLOPT_POSTFIELDS, t->body);
    curl_easy_setopt(f->easy, CURLOPT_POSTFIELDSIZE_LARGE, (curl_off_t)t->len);
    if (curl_multi_add_handle(lane->multi, f->easy) != CURLM_OK)
        broken("curl_multi_add_handle");
}

/* ---- progress ---------------------------------------------------------------------------------- */

void web_lane_socket(struct web_lane *lane, int fd, uint32_t events)
{
    int running, what = 0;

    if (events & (EPOLLIN | EPOLLHUP))
        what |= CURL_CSELECT_IN;
    if (events & EPOLLOUT)
        what |= CURL_CSELECT_OUT;
    if (events & EPOLLERR)
        what |= CURL_CSELECT_ERR;
    curl_multi_socket_action(lane->multi, fd, what, &running);
}

int64_t web_lane_deadline(const struct web_lane *lane)
{
    int64_t guard = lane->first ? lane->first->started + lane->settings->timeout + GRACE : INT64_MAX;

    return guard < lane->timer ? guard : lane->timer;
}

void web_lane_tick(struct web_lane *lane, int64_t now)
{
    int running;

    if (lane->timer > now)
        return;
    lane->timer = INT64_MAX;
    curl_multi_socket_action(lane->multi, CURL_SOCKET_TIMEOUT, 0, &running);
    if (lane->timer == INT64_MAX) { /* it says nothing if nothing has changed for it */
        long ms = -1;
        curl_multi_timeout(lane->multi, &ms);
        if (ms >= 0)
            set_timer(lane->multi, ms > 0 ? ms : 1, lane);
    }
}

/* ---- the end of a request ------------------------------------------------------------------------ */

static void say_failure(struct web_flight *f, CURLcode code)
{
    const char *text = f->error[0] != '\0' ? f->error : curl_easy_strerror(code), *before = "";

    if (code == CURLE_COULDNT_CONNECT && f->refused[0] != '\0')
        text = f->refused;
    else if (code == CURLE_WRITE_ERROR && f->head_bytes > LONGEST_HEADERS)
        text = "the answer's headers are longer than 64 KiB";
    else if (code == CURLE_PEER_FAILED_VERIFICATION)
        before = "the server's certificate is not accepted: ";
    else if (code == CURLE_SSL_CERTPROBLEM)
        before = "the client certificate or its key cannot be used: ";
    else if (code == CURLE_SSL_CONNECT_ERROR)
        before = "TLS: ";
    else if (f->reply.status > 0)
        before = "the answer is not whole: ";
    snprintf(f->reply.failure, sizeof f->reply.failure, "%s%s", before, text);
}

static void finish(struct web_flight *f, CURLcode code)
{
    struct web_lane *lane = f->lane;
    struct web_reply *r = &f->reply;
    long status = 0, version = 0;

    curl_easy_getinfo(f->easy, CURLINFO_RESPONSE_CODE, &status);
    curl_easy_getinfo(f->easy, CURLINFO_HTTP_VERSION, &version);
    curl_easy_getinfo(f->easy, CURLINFO_NUM_CONNECTS, &r->connections);
    r->status = (int)status;
    r->whole = status > 0 && (code == CURLE_OK || f->cut);
    r->took = clock_monotonic() - f->started;
    if (version != 0)
        lane->http2 = r->http2 = version == CURL_HTTP_VERSION_2_0;
    if (!r->whole)
        say_failure(f, code);
    lane->stale |= code == CURLE_OPERATION_TIMEDOUT && r->connections == 0;
    curl_multi_remove_handle(lane->multi, f->easy);
    unlink_flight(lane, f);
    f->next = lane->spare;
    lane->spare = f;
}

struct web_transfer *web_lane_next_done(struct web_lane *lane, const struct web_reply **reply_out)
{
    struct web_flight *f = NULL;
    CURLMsg *message;
    int left;

    while (!f && (message = curl_multi_info_read(lane->multi, &left))) {
        if (message->msg != CURLMSG_DONE)
            continue;
        CURLcode code = message->data.result;
        curl_easy_getinfo(message->easy_handle, CURLINFO_PRIVATE, (char **)&f);
        finish(f, code);
    }
    if (!f && lane->first && clock_monotonic() >= lane->first->started + lane->settings->timeout + GRACE) {
        f = lane->first;
        finish(f, CURLE_OPERATION_TIMEDOUT);
    }
    if (!f)
        return NULL;
    *reply_out = &f->reply;
    return f->transfer;
}
