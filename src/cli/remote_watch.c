// SPDX-License-Identifier: Apache-2.0
/*
 * `tocsin modules put --watch DIR`: what is saved is put.
 *
 *     look > what differs from what the daemon took or refused? > all of it at once
 *          refused, and several > each alone, so that one mistake holds nobody up
 *          not reachable > again, until it is there
 *     wait > a change below DIR (inotify), quiet for a moment: editors write in several steps; or some seconds
 *            passed: what inotify does not tell (network file systems) is found then
 *
 * Texts are compared, not times: a file that is saved as it was is not put again. A daemon that was away has what it
 * took, in its database; what it does not have when it is another process (its state was lost) is put again.
 */
#include <dirent.h>
#include <errno.h>
#include <poll.h>
#include <stdio.h>
#include <string.h>
#include <sys/inotify.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/buf.h"
#include "base/clock.h"
#include "base/diag.h"
#include "base/digest.h"
#include "base/mem.h"
#include "cli/remote_change.h"
#include "event/time_format.h"

enum { QUIET_MS = 100, LOOK_MS = 2000, AGAIN_MS = 1000, DEEPEST = 40, MOST_WATCHES = 4096 };

enum watched_state { WATCHED_NEW, WATCHED_TAKEN, WATCHED_REFUSED };

struct watched { /* a file, as it was last seen */
    char *name, *path; /* owned */
    uint8_t text[16];  /* digest_id */
    enum watched_state state;
    bool there;        /* in this look */
};

struct watching {
    struct remote *r;
    struct watched *file; /* owned */
    size_t n, cap;
    int inotify;          /* -1: there is none */
    size_t watches;
    bool away;            /* the daemon did not answer last time */
    bool failed;          /* a file could not be read */
    char started[64];     /* when the daemon did; "": not known yet */
};

/* ---- what it says -------------------------------------------------------------------------------- */

static void say(const char *what)
{
    int64_t now = clock_wall();
    struct buf b;

    buf_init(&b);
    time_add_text(&b, now - now % 1000000000);
    printf("%s  %s\n", b.data, what);
    fflush(stdout);
    buf_fini(&b);
}

/* ---- putting ------------------------------------------------------------------------------------- */

static struct watched *find(struct watching *w, const char *name)
{
    for (size_t i = 0; i < w->n; i++)
        if (strcmp(w->file[i].name, name) == 0)
            return &w->file[i];
    return NULL;
}

static void settle(struct watching *w, const struct sent_modules *set, enum watched_state state)
{
    for (size_t i = 0; i < set->n; i++)
        find(w, set->module[i].name)->state = state;
}

/* Not there: it stays new. */
static void note_away(struct watching *w, const char *why)
{
    if (!w->away)
        remote_fail(0, "%s; trying again", why);
    w->away = true;
}

static bool is_for_later(const struct remote_answer *a)
{
    return a->http.status == 503 || a->http.status == 429;
}

/* Puts and prints. False: several were refused together, nothing was said. */
static bool put(struct watching *w, const struct sent_modules *set)
{
    struct remote_answer a;
    struct buf why;
    bool done = true;

    remote_answer_init(&a);
    buf_init(&why);
    buf_adds(&why, "");
    int code = change_send(w->r, CHANGE_PUT, set, &a, &why);
    if (code != EXIT_OK) {
        note_away(w, why.data);
    } else if (is_for_later(&a)) {
        note_away(w, *doc_text(a.doc, "detail") ? doc_text(a.doc, "detail") : "the daemon does not answer now");
    } else if (a.http.status / 100 != 2 && set->n > 1) {
        done = false;
    } else {
        w->away = false;
        say(set->n == 1 ? set->module[0].path : "several files");
        code = change_print(w->r, &a, set);
        fflush(stdout);
        settle(w, set, code == EXIT_OK ? WATCHED_TAKEN : WATCHED_REFUSED);
    }
    buf_fini(&why);
    remote_answer_fini(&a);
    return done;
}

static void put_each(struct watching *w, const struct sent_modules *set)
{
    for (size_t i = 0; i < set->n; i++) {
        struct sent_modules one = {.module = &set->module[i], .n = 1};
        put(w, &one);
    }
}

static void delete_module(struct watching *w, struct watched *file)
{
    struct http_client_request rq = {.method = "DELETE"};
    struct remote_answer a;
    struct buf path, why;

    remote_answer_init(&a);
    buf_init(&why);
    buf_adds(&why, "");
    remote_path(&path, "/v1/modules/", file->name, "");
    change_add_options(w->r, &path);
    rq.path = path.data;
    if (remote_send(w->r, &rq, &a, &why) != EXIT_OK || is_for_later(&a)) {
        note_away(w, *why.data ? why.data : "the daemon does not answer now");
    } else {
        say(file->path);
        if (a.http.status != 404) /* nobody has it */
            change_print(w->r, &a, NULL);
        fflush(stdout);
        mem_free(file->name);
        mem_free(file->path);
        *file = w->file[--w->n];
    }
    buf_fini(&path);
    buf_fini(&why);
    remote_answer_fini(&a);
}

static void handle_gone(struct watching *w)
{
    bool deletes = remote_option(w->r, "delete") != NULL;

    for (size_t i = w->n; i-- > 0;) {
        struct watched *file = &w->file[i];
        if (file->there)
            continue;
        if (deletes) {
            delete_module(w, file);
            continue;
        }
        say(file->path);
        printf("%s: its file is gone, the module stays (--delete takes it away)\n", file->name);
        fflush(stdout);
        mem_free(file->name);
        mem_free(file->path);
        *file = w->file[--w->n];
    }
}

/* ---- the daemon's side ---------------------------------------------------------------------------- */

static bool has_module(const struct json_doc *list, const char *name)
{
    for (size_t i = 0; i < doc_count(list); i++)
        if (strcmp(doc_text(json_doc_element(list, i), "name"), name) == 0)
            return true;
    return false;
}

/* What it does not have is new again. False: it is not known. */
static bool compare_modules(struct watching *w)
{
    struct http_client_request rq = {.method = "GET", .path = "/v1/modules"};
    struct remote_answer a;
    struct buf why;

    remote_answer_init(&a);
    buf_init(&why);
    bool good = remote_send(w->r, &rq, &a, &why) == EXIT_OK && a.http.status == 200 && a.doc;
    const struct json_doc *list = good ? json_doc_member(a.doc, "modules") : NULL;
    for (size_t i = 0; list && i < w->n; i++)
        if (w->file[i].state == WATCHED_TAKEN && !has_module(list, w->file[i].name))
            w->file[i].state = WATCHED_NEW;
    buf_fini(&why);
    remote_answer_fini(&a);
    return list != NULL;
}

/* Is it another process? One that is not there is not told of: there is nothing to put. */
static void look_at_daemon(struct watching *w)
{
    struct http_client_request rq = {.method = "GET", .path = "/v1/info"};
    struct remote_answer a;
    struct buf why;

    remote_answer_init(&a);
    buf_init(&why);
    bool good = remote_send(w->r, &rq, &a, &why) == EXIT_OK && a.http.status == 200;
    const char *started = good ? doc_text(a.doc, "started") : "";
    if (*started && strcmp(started, w->started) != 0 && (!*w->started || compare_modules(w)))
        snprintf(w->started, sizeof w->started, "%s", started);
    buf_fini(&why);
    remote_answer_fini(&a);
}

/* ---- looking ------------------------------------------------------------------------------------- */

/* What is new or another text is noted; true: it is to be put. */
static bool note(struct watching *w, const struct sent_module *m)
{
    struct watched *file = find(w, m->name);
    uint8_t text[16];

    digest_id(m->text, m->len, text);
    if (!file) {
        w->file = vec_reserve(w->file, &w->cap, w->n + 1, sizeof *w->file);
        file = &w->file[w->n++];
        *file = (struct watched){.name = mem_strndup(m->name, strlen(m->name)),
                                 .path = mem_strndup(m->path, strlen(m->path))};
    } else if (memcmp(file->text, text, sizeof text) != 0) {
        file->state = WATCHED_NEW;
    }
    memcpy(file->text, text, sizeof text);
    file->there = true;
    return file->state == WATCHED_NEW;
}

/* Is there something new? Then all that was refused is tried with it: it may have waited for just that. */
static bool choose(struct watching *w, struct sent_modules *set)
{
    size_t n = 0;
    bool any = false;

    for (size_t i = 0; i < w->n; i++)
        w->file[i].there = false;
    for (size_t i = 0; i < set->n; i++)
        any |= note(w, &set->module[i]);
    for (size_t i = 0; i < set->n; i++) {
        struct sent_module m = set->module[i];
        if (find(w, m.name)->state != WATCHED_TAKEN)
            set->module[n++] = m;
        else
            mem_free(m.name);
    }
    set->n = n;
    return any;
}

static void look(struct watching *w)
{
    struct sent_modules set;
    struct stat st;

    if (stat(w->r->word[0], &st) != 0) { /* a moment ago it was: it is being replaced, or all is gone for now */
        if (!w->failed)
            remote_fail(0, "%s: %s", w->r->word[0], strerror(errno));
        w->failed = true;
        return;
    }
    look_at_daemon(w);
    sent_modules_init(&set);
    set.files.diag = diag_new();
    int code = sent_modules_read(&set, w->r, w->r->word, 1);
    bool failed = code != EXIT_OK;
    if (failed && !w->failed) /* said once; the others go on */
        rule_files_say(set.files.diag);
    if (choose(w, &set) && !put(w, &set))
        put_each(w, &set);
    if (!failed)
        handle_gone(w);
    w->failed = failed;
    diag_free(&set.files.diag);
    sent_modules_fini(&set);
}

/* ---- waiting ------------------------------------------------------------------------------------- */

/* The directory and all below it. */
static void watch_below(struct watching *w, const char *path, int depth)
{
    DIR *dir = depth < DEEPEST && w->watches < MOST_WATCHES ? opendir(path) : NULL;
    struct dirent *entry;
    struct stat st;
    struct buf below;

    if (!dir)
        return;
    w->watches += inotify_add_watch(w->inotify, path, IN_CLOSE_WRITE | IN_MOVE | IN_CREATE | IN_DELETE | IN_ONLYDIR) >= 0;
    buf_init(&below);
    while ((entry = readdir(dir))) {
        buf_clear(&below);
        buf_printf(&below, "%s/%s", path, entry->d_name);
        if (entry->d_name[0] != '.' && stat(below.data, &st) == 0 && S_ISDIR(st.st_mode))
            watch_below(w, below.data, depth + 1);
    }
    buf_fini(&below);
    closedir(dir);
}

/* Directories come and go: all is watched anew. */
static void watch_again(struct watching *w)
{
    if (w->inotify >= 0)
        close(w->inotify);
    w->inotify = inotify_init1(IN_CLOEXEC | IN_NONBLOCK);
    w->watches = 0;
    if (w->inotify >= 0)
        watch_below(w, w->r->word[0], 0);
}

static bool something_happens(struct watching *w, int ms)
{
    struct pollfd fd = {.fd = w->inotify, .events = POLLIN};
    char events[4096];
    bool any = false;

    if (poll(&fd, 1, ms) <= 0) /* without inotify: the time passes */
        return false;
    while (read(w->inotify, events, sizeof events) > 0)
        any = true;
    return any;
}

static void wait_for_change(struct watching *w)
{
    if (!something_happens(w, w->away ? AGAIN_MS : LOOK_MS))
        return;
    for (int i = 0; i < 20 && something_happens(w, QUIET_MS); i++)
        ;
}

int watch_modules(struct remote *r)
{
    struct watching w = {.r = r, .inotify = -1};
    struct stat st;

    if (r->n_words > 1 || strcmp(r->word[0], "-") == 0)
        return command_usage_error(r->command, "--watch is for one directory or file");
    if (remote_option(r, "set") || remote_option(r, "dry-run") || remote_option(r, "if-match"))
        return command_usage_error(r->command, "--watch goes without --set, --dry-run and --if-match");
    if (stat(r->word[0], &st) != 0)
        return remote_fail(EXIT_USAGE, "%s: %s", r->word[0], strerror(errno));
    for (;;) {
        watch_again(&w); /* before it is looked at: what changes meanwhile is told then */
        look(&w);
        wait_for_change(&w);
    }
}
