// SPDX-License-Identifier: Apache-2.0
/*
 * store_leveldb - the store on LevelDB 1.23; the only file that knows it.
 *
 *   readers: enter() ... leave()       any number at once, while db is open
 *   store_reopen: waits until no reader is in, closes, opens
 *
 * Invariants:
 *  1. db is NULL only between a failed store_reopen and the next one that works; readers wait then
 *     (what they need is durable and comes back), unless the store was abandoned.
 *  2. after a failed write nothing is written until store_reopen: LevelDB goes on appending behind a
 *     torn record, and what comes behind one may not be read back.
 */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <leveldb/c.h>
#include <pthread.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/buf.h"
#include "base/failpoint.h"
#include "base/log.h"
#include "base/mem.h"
#include "state/store.h"
#include "state/store_batch.h"
#include "state/store_log.h"

#define MIB ((size_t)1 << 20)
/* A start reads the log again, 10 to 20 ms a MiB. */
#define WRITE_BUFFER (8 * MIB)
#define MOST_KEPT (32 * MIB) /* bytes of a batch whose memory is kept: its growth is a tenth of the time of a write */
enum { BLOOM_BITS = 10, OPEN_FILES = 500 };

struct store {
    char *dir;
    leveldb_options_t *options;
    leveldb_cache_t *cache;
    leveldb_filterpolicy_t *filter;
    leveldb_readoptions_t *reading, *scanning; /* scanning: all there is; the cache stays as it is */
    leveldb_writeoptions_t *writing, *syncing;

    pthread_mutex_t lock; /* db, readers, abandoned */
    pthread_cond_t changed;
    leveldb_t *db; /* NULL: could not be opened again */
    unsigned readers;
    bool wanted; /* store_reopen waits for them */
    bool abandoned;
    leveldb_writebatch_t *whole; /* its memory is kept for the next one; NULL: not made yet */
    size_t write_buffer;
    bool failed; /* a write; the writing thread's, */
    bool big;    /* the last batch was as big as a log should become */
};

#ifdef __SANITIZE_THREAD__
/* LevelDB is not instrumented: its atomics are not seen. */
const char *__tsan_default_suppressions(void);
const char *__tsan_default_suppressions(void)
{
    return "race:libleveldb\nrace:leveldb::\nrace:snappy::\n";
}
#endif

/* ---- what went wrong ------------------------------------------------------------------------- */

static bool begins(const char *text, const char *with)
{
    return strncmp(text, with, strlen(with)) == 0;
}

static bool is_damage(const char *message)
{
    /* a table that is shorter than the manifest says, or missing */
    if (strstr(message, ".ldb: Invalid argument") || strstr(message, ".ldb: No such file"))
        return true;
    return begins(message, "Corruption") || begins(message, "NotFound");
}

static enum store_result corrupt(const char *dir, const char *message, struct buf *why)
{
    buf_printf(why,
               "%s is damaged (%s); nothing was changed in it. Put it back from a backup or a "
               "savepoint (tocsin state import), or move it away to begin with empty state: then "
               "input is read again from the beginning of what the sources still have",
               dir, message);
    return STORE_CORRUPT;
}

/* What LevelDB's message means; appended to why with advice. */
static enum store_result judge(const char *dir, const char *message, struct buf *why)
{
    if (strstr(message, "/LOCK: ")) {
        if (strstr(message, strerror(EAGAIN)) || strstr(message, strerror(EACCES)) ||
            strstr(message, "already held")) {
            buf_printf(why, "%s is in use by another process: the daemon has it while it runs; "
                            "stop it first (%s)", dir, message);
            return STORE_LOCKED;
        }
    }
    if (strstr(message, strerror(ENOSPC)) || strstr(message, strerror(EDQUOT))) {
        buf_printf(why, "no space left for %s (%s)", dir, message);
        return STORE_FULL;
    }
    if (is_damage(message))
        return corrupt(dir, message, why);
    buf_printf(why, "%s: %s", dir, message);
    return STORE_FAILED;
}

static enum store_result judge_free(const char *dir, char *message, struct buf *why)
{
    enum store_result result = judge(dir, message, why);

    leveldb_free(message);
    return result;
}

/* A failpoint's errno as LevelDB would tell it; false: none. */
static bool fails(const struct store *st, enum failpoint point, struct buf *why,
                  enum store_result *result_out)
{
    int error = failpoint_hit(point);
    struct buf message;

    if (!error)
        return false;
    buf_init(&message);
    buf_printf(&message, "IO error: failpoint: %s", strerror(error));
    *result_out = judge(st->dir, message.data, why);
    buf_fini(&message);
    return true;
}

/* ---- opening and closing --------------------------------------------------------------------- */

/* A file that a database has once it was made; while it is being made there is only the first
 * manifest, and CURRENT comes last: a kill then leaves nothing that could be lost. */
static bool is_leveldb_file(const char *name)
{
    static const char *const suffix[] = {".ldb", ".sst", ".log"};
    const char *dot = strrchr(name, '.');

    for (size_t i = 0; dot && i < sizeof suffix / sizeof *suffix; i++)
        if (strcmp(dot, suffix[i]) == 0)
            return true;
    return begins(name, "MANIFEST-") && strcmp(name, "MANIFEST-000001") != 0;
}

/* LevelDB would make a new database over the files of one that has lost its CURRENT. */
static bool lost_current(const char *dir)
{
    DIR *d = opendir(dir);
    bool current = false, files = false;

    for (struct dirent *e; d && (e = readdir(d));) {
        current |= strcmp(e->d_name, "CURRENT") == 0;
        files |= is_leveldb_file(e->d_name);
    }
    if (d)
        closedir(d);
    return files && !current;
}

/* By another process; asked first, since its files change while they are looked at. */
static bool is_locked(const char *dir, struct buf *why)
{
    struct flock lock = {.l_type = F_WRLCK, .l_whence = SEEK_SET};
    struct buf path;

    buf_init(&path);
    buf_printf(&path, "%s/LOCK", dir);
    int fd = open(path.data, O_RDONLY | O_CLOEXEC);
    buf_fini(&path);
    if (fd < 0)
        return false;
    bool locked = fcntl(fd, F_GETLK, &lock) == 0 && lock.l_type != F_UNLCK;
    close(fd);
    if (locked)
        buf_printf(why, "%s is in use by process %ld: the daemon has it while it runs; stop it first",
                   dir, (long)lock.l_pid);
    return locked;
}

static void tell_torn(const char *dir)
{
    struct buf field;

    buf_init(&field);
    log_field(&field, "dir", dir);
    log_line(LOG_WARNING, LOG_checkpoint,
             "the last write to the database was not finished: it is left out", "%s", field.data);
    buf_fini(&field);
}

/* Without paranoid checks LevelDB leaves out a write that is half there. */
static leveldb_t *open_torn(struct store *st, char **message_out)
{
    leveldb_options_set_paranoid_checks(st->options, 0);
    leveldb_t *db = leveldb_open(st->options, st->dir, message_out);
    leveldb_options_set_paranoid_checks(st->options, 1);
    if (!db)
        return NULL;
    leveldb_close(db); /* the log is gone by now; all else is to be checked */
    return leveldb_open(st->options, st->dir, message_out);
}

static enum store_result open_db(struct store *st, leveldb_t **db_out, struct buf *why)
{
    enum store_result result;
    char *message = NULL;

    *db_out = NULL;
    if (fails(st, FAILPOINT_store_open, why, &result))
        return result;
    if (lost_current(st->dir))
        return corrupt(st->dir, "the file CURRENT is missing", why);
    if (is_locked(st->dir, why))
        return STORE_LOCKED;
    /* LevelDB itself passes over zeros, and over a length that is beyond the end, in silence */
    enum store_log_state log = store_log_check_all(st->dir);
    if (log == STORE_LOG_DAMAGED)
        return corrupt(st->dir, "records in its log cannot be read", why);
    if (log == STORE_LOG_TORN)
        tell_torn(st->dir);
    *db_out = leveldb_open(st->options, st->dir, &message);
    if (message && is_damage(message) && log == STORE_LOG_TORN) {
        leveldb_free(message);
        message = NULL;
        *db_out = open_torn(st, &message);
    }
    return message ? judge_free(st->dir, message, why) : STORE_OK;
}

static void set_options(struct store *st, const struct store_options *opt)
{
    st->write_buffer = opt->write_buffer ? opt->write_buffer : WRITE_BUFFER;
    st->cache = leveldb_cache_create_lru(opt->cache ? opt->cache : 64 * MIB);
    st->filter = leveldb_filterpolicy_create_bloom(BLOOM_BITS);
    st->options = leveldb_options_create();
    leveldb_options_set_create_if_missing(st->options, opt->create && !opt->read_only);
    leveldb_options_set_paranoid_checks(st->options, 1);
    leveldb_options_set_write_buffer_size(st->options, st->write_buffer);
    leveldb_options_set_max_file_size(st->options, 32 * MIB);
    leveldb_options_set_max_open_files(st->options, OPEN_FILES);
    leveldb_options_set_cache(st->options, st->cache);
    leveldb_options_set_filter_policy(st->options, st->filter);
    leveldb_options_set_compression(st->options, leveldb_snappy_compression);
    st->reading = leveldb_readoptions_create();
    leveldb_readoptions_set_verify_checksums(st->reading, 1);
    st->scanning = leveldb_readoptions_create();
    leveldb_readoptions_set_verify_checksums(st->scanning, 1);
    leveldb_readoptions_set_fill_cache(st->scanning, 0);
    st->writing = leveldb_writeoptions_create();
    st->syncing = leveldb_writeoptions_create();
    leveldb_writeoptions_set_sync(st->syncing, 1);
}

enum store_result store_open(const char *dir, const struct store_options *opt,
                             struct store **store_out, struct buf *why)
{
    struct store *st = mem_calloc(1, sizeof *st);

    st->dir = mem_strndup(dir, strlen(dir));
    pthread_mutex_init(&st->lock, NULL);
    pthread_cond_init(&st->changed, NULL);
    set_options(st, opt);
    enum store_result result = open_db(st, &st->db, why);
    if (result != STORE_OK)
        store_free(&st);
    *store_out = st;
    return result;
}

void store_free(struct store **stp)
{
    struct store *st = *stp;

    if (!st)
        return;
    *stp = NULL;
    if (st->db)
        leveldb_close(st->db);
    if (st->whole)
        leveldb_writebatch_destroy(st->whole);
    leveldb_options_destroy(st->options);
    leveldb_cache_destroy(st->cache);
    leveldb_filterpolicy_destroy(st->filter);
    leveldb_readoptions_destroy(st->reading);
    leveldb_readoptions_destroy(st->scanning);
    leveldb_writeoptions_destroy(st->writing);
    leveldb_writeoptions_destroy(st->syncing);
    pthread_mutex_destroy(&st->lock);
    pthread_cond_destroy(&st->changed);
    mem_free(st->dir);
    mem_free(st);
}

enum store_result store_reopen(struct store *st, struct buf *why)
{
    leveldb_t *db;

    pthread_mutex_lock(&st->lock);
    st->wanted = true;
    while (st->readers > 0)
        pthread_cond_wait(&st->changed, &st->lock);
    st->wanted = false;
    db = st->db;
    st->db = NULL; /* new readers wait from here on */
    pthread_mutex_unlock(&st->lock);
    if (db)
        leveldb_close(db);
    enum store_result result = open_db(st, &db, why);
    pthread_mutex_lock(&st->lock);
    st->db = db;
    st->failed = db == NULL;
    pthread_cond_broadcast(&st->changed);
    pthread_mutex_unlock(&st->lock);
    return result;
}

void store_abandon(struct store *st)
{
    pthread_mutex_lock(&st->lock);
    st->abandoned = true;
    pthread_cond_broadcast(&st->changed);
    pthread_mutex_unlock(&st->lock);
}

/* ---- writing --------------------------------------------------------------------------------- */

static void write_found(void *ctx, const void *key, size_t key_len, const void *value, size_t len)
{
    leveldb_writebatch_t *whole = ctx;

    if (value)
        leveldb_writebatch_put(whole, key, key_len, value, len);
    else
        leveldb_writebatch_delete(whole, key, key_len);
}

/* What LevelDB writes in one go is one batch of its own. In the order of keys: each goes into a list that
 * it seeks in from the top, and neighbours share the way (0.4 us of 1.3 us a record). */
static void write_whole(struct store *st, const struct store_batch *batch, bool sync,
                        char **message_out)
{
    if (!st->whole)
        st->whole = leveldb_writebatch_create();
    store_batch_each(batch, write_found, st->whole);
    leveldb_write(st->db, sync ? st->syncing : st->writing, st->whole, message_out);
    leveldb_writebatch_clear(st->whole);
    if (store_batch_bytes(batch) <= MOST_KEPT)
        return;
    leveldb_writebatch_destroy(st->whole);
    st->whole = NULL;
}

enum store_result store_write(struct store *st, const struct store_batch *batch, bool sync,
                              struct buf *why)
{
    enum store_result result;
    char *message = NULL;

    if (st->failed || !st->db) {
        buf_printf(why, "%s: a write failed before", st->dir);
        return STORE_FAILED;
    }
    st->failed = true;
    if (fails(st, FAILPOINT_store_write, why, &result))
        return result;
    write_whole(st, batch, sync, &message);
    if (message)
        return judge_free(st->dir, message, why);
    if (fails(st, FAILPOINT_store_written, why, &result))
        return result;
    st->failed = false;
    st->big = store_batch_bytes(batch) >= st->write_buffer;
    return STORE_OK;
}

void store_rest(struct store *st)
{
    char *message = NULL;

    if (!st->big || st->failed || !st->db)
        return;
    st->big = false;
    /* It looks at how big its log is when the next batch comes: an empty one. What fails comes up again. */
    leveldb_writebatch_t *nothing = leveldb_writebatch_create();
    leveldb_write(st->db, st->writing, nothing, &message);
    leveldb_writebatch_destroy(nothing);
    st->failed = message != NULL;
    leveldb_free(message);
}

/* ---- reading --------------------------------------------------------------------------------- */

static bool enter(struct store *st, bool waits, struct buf *why)
{
    pthread_mutex_lock(&st->lock);
    while (waits && !st->db && !st->abandoned)
        pthread_cond_wait(&st->changed, &st->lock);
    bool open = st->db != NULL;
    st->readers += open;
    pthread_mutex_unlock(&st->lock);
    if (!open)
        buf_printf(why, "%s is not open: it could not be opened again", st->dir);
    return open;
}

static void leave(struct store *st)
{
    pthread_mutex_lock(&st->lock);
    if (--st->readers == 0)
        pthread_cond_broadcast(&st->changed);
    pthread_mutex_unlock(&st->lock);
}

enum store_result store_read(struct store *st, const void *prefix, size_t prefix_len,
                             store_found_fn *found, void *ctx, struct buf *why)
{
    return store_read_from(st, prefix, prefix_len, prefix, prefix_len, found, ctx, why);
}

/* To the place where a reading begins. */
static void seek(leveldb_iterator_t *it, const void *from, size_t from_len, bool back)
{
    size_t len;

    leveldb_iter_seek(it, from, from_len);
    if (!back)
        return;
    if (!leveldb_iter_valid(it)) {
        leveldb_iter_seek_to_last(it);
        return;
    }
    const char *key = leveldb_iter_key(it, &len);
    if (len != from_len || memcmp(key, from, len) != 0)
        leveldb_iter_prev(it);
}

static enum store_result look(struct store *st, const void *prefix, size_t prefix_len,
                              const void *from, size_t from_len, bool back, bool waits,
                              store_found_fn *found, void *ctx, struct buf *why)
{
    enum store_result result;
    char *message = NULL;

    if (fails(st, FAILPOINT_store_read, why, &result))
        return result;
    if (!enter(st, waits, why))
        return STORE_FAILED;
    leveldb_iterator_t *it = leveldb_create_iterator(st->db, prefix_len ? st->reading : st->scanning);
    for (seek(it, from, from_len, back); leveldb_iter_valid(it);
         back ? leveldb_iter_prev(it) : leveldb_iter_next(it)) {
        size_t key_len, len;
        const char *key = leveldb_iter_key(it, &key_len);
        if (key_len < prefix_len || memcmp(key, prefix, prefix_len) != 0)
            break;
        const char *value = leveldb_iter_value(it, &len);
        if (!found(ctx, key, key_len, value, len))
            break;
    }
    leveldb_iter_get_error(it, &message);
    leveldb_iter_destroy(it);
    leave(st);
    return message ? judge_free(st->dir, message, why) : STORE_OK;
}

enum store_result store_read_from(struct store *st, const void *prefix, size_t prefix_len,
                                  const void *from, size_t from_len, store_found_fn *found,
                                  void *ctx, struct buf *why)
{
    return look(st, prefix, prefix_len, from, from_len, false, true, found, ctx, why);
}

enum store_result store_look(struct store *st, const void *prefix, size_t prefix_len,
                             const void *from, size_t from_len, bool back, store_found_fn *found,
                             void *ctx, struct buf *why)
{
    return look(st, prefix, prefix_len, from, from_len, back, false, found, ctx, why);
}

enum store_result store_get(struct store *st, const void *key, size_t key_len, bool *found_out,
                            struct buf *value_out, struct buf *why)
{
    enum store_result result;
    char *message = NULL;
    size_t len;

    *found_out = false;
    if (fails(st, FAILPOINT_store_read, why, &result))
        return result;
    if (!enter(st, true, why))
        return STORE_FAILED;
    char *value = leveldb_get(st->db, st->reading, key, key_len, &len, &message);
    leave(st);
    if (message)
        return judge_free(st->dir, message, why);
    if (value) {
        *found_out = true;
        buf_add(value_out, value, len);
        leveldb_free(value);
    }
    return STORE_OK;
}

/* ---- upkeep ---------------------------------------------------------------------------------- */

bool store_is_wanted(struct store *st)
{
    pthread_mutex_lock(&st->lock);
    bool wanted = st->wanted;
    pthread_mutex_unlock(&st->lock);
    return wanted;
}

uint64_t store_disk_bytes(struct store *st)
{
    DIR *d = opendir(st->dir);
    uint64_t bytes = 0;
    struct stat about;

    for (struct dirent *e; d && (e = readdir(d));)
        if (fstatat(dirfd(d), e->d_name, &about, 0) == 0 && S_ISREG(about.st_mode))
            bytes += (uint64_t)about.st_size;
    if (d)
        closedir(d);
    return bytes;
}
