// SPDX-License-Identifier: Apache-2.0
/*
 * POST /v1/checkpoints:export: the state of a running daemon as a savepoint (state/savepoint.h).
 *
 *   asked --a checkpoint that was begun after it is durable--> WRITING --a thread: database > file--> sent
 *
 * The database is read with one iterator: all of it is as it was after one batch, so at a barrier; epochs go on
 * meanwhile. LevelDB keeps for an iterator the files and the memory that it began with, and no snapshot.
 * It is held for as long as the disk needs, not the client: what is read goes to a file in the state directory,
 * which has no name, so a kill leaves none. When the database has to be opened again (a write failed) the
 * writing gives up, as it does before the disk is full: a savepoint is never worth a checkpoint.
 */
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/statvfs.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/log.h"
#include "base/mem.h"
#include "config/config.h"
#include "daemon/api_priv.h"
#include "daemon/api_wait.h"
#include "flow/pipeline.h"
#include "state/checkpoint.h"
#include "state/savepoint.h"
#include "state/store.h"

#define CHECKPOINT_WITHIN INT64_C(60000000000) /* ns */
#define LEAST_ROOM (UINT64_C(128) << 20)       /* bytes that stay free on the disk */
enum { LOOK_AT_ROOM = 8 << 20 };               /* bytes between two looks */

struct exporting {
    struct api_wait wait;
    uint64_t pipeline, number; /* the checkpoint, as pipeline_checkpoint said */
    bool writing;
    pthread_t thread;
    /* the thread's, until over */
    struct store *store;
    int fd;                    /* owned; -1: none */
    uint64_t bytes, looked_at, records;
    bool ok;
    struct buf why;
    _Atomic bool stop, over;
};

/* ---- the thread --------------------------------------------------------------------------------- */

static bool has_room(struct exporting *ex, struct buf *why)
{
    struct statvfs about;

    if (ex->bytes < ex->looked_at)
        return true;
    ex->looked_at = ex->bytes + LOOK_AT_ROOM;
    if (fstatvfs(ex->fd, &about) != 0 || (uint64_t)about.f_bavail * about.f_frsize >= LEAST_ROOM)
        return true;
    buf_adds(why, "the disk of the state directory has not enough room for a savepoint");
    return false;
}

static bool write_out(void *ctx, const void *data, size_t len, struct buf *why)
{
    struct exporting *ex = ctx;
    const char *p = data;

    if (atomic_load(&ex->stop) || store_is_wanted(ex->store)) {
        buf_adds(why, "the database is being opened again, or the daemon stops");
        return false;
    }
    if (!has_room(ex, why))
        return false;
    while (len > 0) {
        ssize_t n = write(ex->fd, p, len);
        if (n < 0 && errno == EINTR)
            continue;
        if (n < 0) {
            buf_printf(why, "the savepoint cannot be written: %s", strerror(errno));
            return false;
        }
        p += n;
        len -= (size_t)n;
        ex->bytes += (uint64_t)n;
    }
    return true;
}

static void *run(void *ctx)
{
    struct exporting *ex = ctx;

    ex->ok = savepoint_export(ex->store, write_out, ex, &ex->records, &ex->why);
    atomic_store(&ex->over, true);
    api_wait_wake();
    return NULL;
}

/* A file without a name in the directory; -1: errno. */
static int open_nameless(const char *dir)
{
    int fd = open(dir, O_TMPFILE | O_RDWR | O_CLOEXEC, 0600);
    struct buf name;

    if (fd >= 0 || (errno != EOPNOTSUPP && errno != EISDIR && errno != EINVAL))
        return fd;
    buf_init(&name);
    buf_printf(&name, "%s/savepoint.XXXXXX", dir);
    fd = mkostemp(name.data, O_CLOEXEC);
    if (fd >= 0)
        unlink(name.data);
    buf_fini(&name);
    return fd;
}

/* False: it is answered. */
static bool begin(struct exporting *ex)
{
    const struct api_host *host = ex->wait.api->host;

    ex->wait.until = 0; /* as long as the disk needs */
    ex->store = checkpoint_store(*host->cp);
    ex->fd = open_nameless(host->config->state);
    if (ex->fd < 0) {
        http_answer_problem(ex->wait.rq, HTTP_UNAVAILABLE, "no file can be made in the state directory: %s",
                            strerror(errno));
        return false;
    }
    ex->writing = pthread_create(&ex->thread, NULL, run, ex) == 0;
    if (!ex->writing)
        http_answer_problem(ex->wait.rq, HTTP_UNAVAILABLE, "no thread can be made");
    return ex->writing;
}

/* ---- main --------------------------------------------------------------------------------------- */

static void ask(struct exporting *ex)
{
    const struct api_host *host = ex->wait.api->host;

    ex->pipeline = *host->pipelines;
    ex->number = pipeline_checkpoint(*host->pipeline);
}

static void answer(struct exporting *ex)
{
    pthread_join(ex->thread, NULL);
    ex->writing = false;
    if (!ex->ok) {
        http_answer_problem(ex->wait.rq, HTTP_UNAVAILABLE, "%s", ex->why.len ? ex->why.data : "it failed");
        http_answer_retry_after(ex->wait.rq, 5);
        return;
    }
    log_line(LOG_INFO, LOG_http, "a savepoint", "records=%" PRIu64 " bytes=%" PRIu64 " seconds=%.3f",
             ex->records, ex->bytes, api_wait_seconds(&ex->wait));
    http_answer_file(ex->wait.rq, "application/octet-stream", ex->fd, ex->bytes);
    ex->fd = -1;
}

static bool export_look(struct api_wait *w)
{
    struct exporting *ex = (struct exporting *)w;
    const struct api_host *host = w->api->host;
    bool answered = false;

    if (ex->writing && atomic_load(&ex->over)) {
        answer(ex);
        answered = true;
    } else if (!ex->writing) {
        if (ex->pipeline != *host->pipelines)
            ask(ex);
        if (pipeline_checkpointed(*host->pipeline, ex->number))
            answered = !begin(ex);
    }
    return answered;
}

static void export_stop(struct api_wait *w)
{
    struct exporting *ex = (struct exporting *)w;

    atomic_store(&ex->stop, true);
    if (ex->writing)
        pthread_join(ex->thread, NULL);
    ex->writing = false;
}

/* The last reference is always main's. */
static void export_fini(struct api_wait *w)
{
    struct exporting *ex = (struct exporting *)w;

    w->api->exporting = false;
    if (ex->fd >= 0)
        close(ex->fd);
    buf_fini(&ex->why);
}

static const struct api_wait_ops export_ops = {sizeof(struct exporting), export_look, export_stop, export_fini};

bool api_checkpoint_export(struct api_call *call)
{
    struct api_audit *audit;
    struct exporting *ex;
    struct epoch *ep;

    if (call->api->exporting) {
        http_answer_problem(call->rq, HTTP_CONFLICT, "a savepoint is being written: one at a time");
        http_answer_retry_after(call->rq, 5);
        return true;
    }
    audit = api_audit_new(call, "export", NULL, NULL, NULL);
    ep = epoch_new();
    api_audit_put(audit, ep->batch, "");
    api_audit_free(&audit);
    checkpoint_submit(*call->host->cp, ep);
    call->api->exporting = true;
    ex = (struct exporting *)api_wait_new(call, &export_ops);
    ex->wait.until = ex->wait.begun + CHECKPOINT_WITHIN;
    ex->fd = -1;
    buf_init(&ex->why);
    ask(ex);
    return true;
}
