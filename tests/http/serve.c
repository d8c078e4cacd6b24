// SPDX-License-Identifier: Apache-2.0
/*
 * The HTTP server alone, for tests: what the daemon would do is answered by a thread that tells what it
 * was asked; for the name `big` in 8 MiB.
 *
 *     serve [--tokens FILE] [--certificate FILE --key FILE] [--connections N] [--body N] [--bodies N]
 *           [--seconds N] [--listen ADDRESS]
 *
 * Prints its address. A line on standard input: `renew` reads tokens and certificate again; the end of
 * input: it stops.
 */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/buf.h"
#include "base/mem.h"
#include "base/queue.h"
#include "http/server.h"

struct files {
    const char *tokens, *certificate, *key;
};

static void answer(struct http_request *rq)
{
    struct buf b;
    size_t len;
    const char *body = http_request_body(rq, &len);

    buf_init(&b);
    buf_printf(&b, "{\"operation\":%d,\"name\":", (int)http_request_operation(rq));
    buf_add_json_text(&b, http_request_name(rq), strlen(http_request_name(rq)));
    buf_printf(&b, ",\"who\":\"%s\",\"bytes\":%zu,\"begin\":", http_request_who(rq), len);
    buf_add_json_text(&b, body, len < 20 ? len : 20);
    buf_adds(&b, "}\n");
    while (strcmp(http_request_name(rq), "big") == 0 && b.len < 8 << 20)
        buf_adds(&b, "                                                                \n");
    http_answer_json(rq, 200, &b);
    http_request_done(rq);
}

static void *work(void *ctx)
{
    for (struct http_request *rq; (rq = queue_pop(ctx, -1)) || !queue_closed(ctx);)
        if (rq)
            answer(rq);
    return NULL;
}

static void call(void *ctx, enum http_operation operation, struct http_request *rq)
{
    (void)operation;
    queue_push_now(ctx, rq, 1);
}

/* The text of a file, owned; NULL without one. */
static char *text_of(const char *path)
{
    struct buf b;
    FILE *f = path ? fopen(path, "r") : NULL;
    char piece[4096];
    size_t n;

    if (!f)
        return NULL;
    buf_init(&b);
    buf_adds(&b, "");
    while ((n = fread(piece, 1, sizeof piece, f)) > 0)
        buf_add(&b, piece, n);
    fclose(f);
    return buf_take(&b);
}

static bool read_options(int argc, char **argv, struct http_options *opt, struct files *files)
{
    for (int i = 1; i + 1 < argc; i += 2) {
        const char *name = argv[i], *value = argv[i + 1];
        if (strcmp(name, "--tokens") == 0)
            files->tokens = value;
        else if (strcmp(name, "--certificate") == 0)
            files->certificate = value;
        else if (strcmp(name, "--key") == 0)
            files->key = value;
        else if (strcmp(name, "--connections") == 0)
            opt->max_connections = (uint32_t)strtoul(value, NULL, 10);
        else if (strcmp(name, "--body") == 0)
            opt->max_body = strtoul(value, NULL, 10);
        else if (strcmp(name, "--bodies") == 0)
            opt->max_bodies = strtoul(value, NULL, 10);
        else if (strcmp(name, "--seconds") == 0)
            opt->request_timeout = strtol(value, NULL, 10) * 1000000000;
        else if (strcmp(name, "--listen") == 0)
            opt->listen = value;
        else
            return false;
    }
    return argc % 2 == 1;
}

static void renew(struct http_server *server, const struct files *files)
{
    char *tokens = text_of(files->tokens);
    struct http_secrets secrets = {tokens, files->certificate, files->key};
    struct buf why;

    buf_init(&why);
    if (http_server_renew(server, &secrets, &why))
        puts("renewed");
    else
        printf("not renewed: %s\n", why.data);
    fflush(stdout);
    buf_fini(&why);
    mem_free(tokens);
}

int main(int argc, char **argv)
{
    struct queue *queue = queue_new(UINT64_MAX);
    struct http_options opt = {.listen = "127.0.0.1:0",
                               .max_header = 32768,
                               .max_body = 1 << 20,
                               .max_bodies = 64 << 20,
                               .max_connections = 4096,
                               .request_timeout = INT64_C(30000000000),
                               .ops = {queue, call}};
    struct files files = {0};
    struct buf why;
    char line[64];
    pthread_t thread;

    buf_init(&why);
    if (!read_options(argc, argv, &opt, &files))
        return 2;
    char *tokens = text_of(files.tokens);
    opt.secrets = (struct http_secrets){tokens, files.certificate, files.key};
    pthread_create(&thread, NULL, work, queue);
    struct http_server *server = http_server_start(&opt, &why);
    if (!server) {
        fprintf(stderr, "%s\n", why.data);
    } else {
        printf("%s\n", http_server_address(server));
        fflush(stdout);
        while (fgets(line, sizeof line, stdin))
            if (strcmp(line, "renew\n") == 0)
                renew(server, &files);
    }
    bool started = server != NULL;
    http_server_stop(&server);
    queue_close(queue);
    pthread_join(thread, NULL);
    queue_free(&queue);
    mem_free(tokens);
    buf_fini(&why);
    return started ? 0 : 1;
}
