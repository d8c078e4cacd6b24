// SPDX-License-Identifier: Apache-2.0
#include "state/database.h"

#include <dirent.h>
#include <errno.h>
#include <string.h>
#include <sys/random.h>
#include <sys/stat.h>

#include "base/buf.h"
#include "base/clock.h"
#include "base/mem.h"
#include "base/reader.h"
#include "state/space.h"

enum { META_VERSION = 1 };

static const char name_key[] = {SPACE_META, 'd', 'a', 't', 'a', 'b', 'a', 's', 'e'};
static const char epoch_key[] = {SPACE_META, 'e', 'p', 'o', 'c', 'h'};

/* ---- records --------------------------------------------------------------------------------- */

static bool is_key(const void *key, size_t key_len, const char *ours, size_t len)
{
    return key_len == len && memcmp(key, ours, len) == 0;
}

bool database_knows_format(uint32_t format)
{
    return format >= STATE_FORMAT_OLDEST && format <= STATE_FORMAT;
}

bool database_is_name(const void *key, size_t key_len)
{
    return is_key(key, key_len, name_key, sizeof name_key);
}

void database_put_epoch(struct store_batch *batch, uint64_t epoch, int64_t time)
{
    struct buf b;

    buf_init(&b);
    buf_add_u8(&b, META_VERSION);
    buf_add_u64(&b, epoch);
    buf_add_u64(&b, (uint64_t)time);
    store_batch_put(batch, epoch_key, sizeof epoch_key, b.data, b.len);
    buf_fini(&b);
}

/* The format stands first and alone, so that any version can read it. */
static void put_name(struct store_batch *batch, const struct database_meta *meta)
{
    struct buf b;

    buf_init(&b);
    buf_add_u32(&b, meta->format);
    buf_add_u64(&b, (uint64_t)meta->created);
    buf_add(&b, meta->id, sizeof meta->id);
    store_batch_put(batch, name_key, sizeof name_key, b.data, b.len);
    buf_fini(&b);
}

static bool read_name(struct database_meta *meta, const void *value, size_t len)
{
    struct reader r;

    reader_init(&r, value, len);
    meta->format = reader_u32(&r);
    if (r.bad)
        meta->format = STATE_FORMAT; /* damaged, not of another format */
    if (!database_knows_format(meta->format))
        return true;
    meta->created = (int64_t)reader_u64(&r);
    for (size_t i = 0; i < sizeof meta->id; i++)
        meta->id[i] = reader_u8(&r);
    return !r.bad && reader_left(&r) == 0;
}

static bool read_epoch(struct database_meta *meta, const void *value, size_t len)
{
    struct reader r;

    reader_init(&r, value, len);
    bool known = reader_u8(&r) == META_VERSION;
    meta->epoch = reader_u64(&r);
    meta->epoch_time = (int64_t)reader_u64(&r);
    return known && !r.bad && reader_left(&r) == 0;
}

bool database_read_meta(struct database_meta *meta, const void *key, size_t key_len,
                        const void *value, size_t len, bool *known_out)
{
    *known_out = true;
    if (database_is_name(key, key_len))
        return read_name(meta, value, len);
    if (is_key(key, key_len, epoch_key, sizeof epoch_key))
        return read_epoch(meta, value, len);
    *known_out = false;
    return true;
}

/* ---- the directory --------------------------------------------------------------------------- */

static bool is_ours(const char *name)
{
    static const char *const ours[] = {".", "..", "db", "spool", "spill", "lost+found"};

    for (size_t i = 0; i < sizeof ours / sizeof *ours; i++)
        if (strcmp(name, ours[i]) == 0)
            return true;
    return false;
}

/* A directory that has a database, or nothing in it that is not ours; with create it is made. */
static bool check_dir(const char *dir, const char *db, bool create, struct buf *why)
{
    struct stat about;

    if (create && mkdir(dir, 0700) != 0 && errno != EEXIST) {
        buf_printf(why, "state directory %s: cannot make it: %s", dir, strerror(errno));
        return false;
    }
    DIR *d = opendir(dir);
    if (!d) {
        buf_printf(why, "state directory %s: cannot read it: %s", dir, strerror(errno));
        return false;
    }
    bool ours = true, has_db = !create || stat(db, &about) == 0; /* check_db looks for it */
    for (struct dirent *e; ours && !has_db && (e = readdir(d));) {
        ours = is_ours(e->d_name);
        if (!ours)
            buf_printf(why, "state directory %s: holds `%s`, which is not of tocsin; name a "
                            "directory that is empty, or that tocsin made", dir, e->d_name);
    }
    closedir(d);
    return ours;
}

static bool check_db(const char *dir, const char *db, bool create, struct buf *why)
{
    struct stat about;

    if (stat(db, &about) == 0 && !S_ISDIR(about.st_mode)) {
        buf_printf(why, "state directory %s: %s is no directory", dir, db);
        return false;
    }
    if (!create && stat(db, &about) != 0) {
        buf_printf(why, "state directory %s: holds no state (%s: %s)", dir, db, strerror(errno));
        return false;
    }
    if (create && mkdir(db, 0700) != 0 && errno != EEXIST) {
        buf_printf(why, "state directory %s: cannot make %s: %s", dir, db, strerror(errno));
        return false;
    }
    return true;
}

/* ---- opening --------------------------------------------------------------------------------- */

struct look {
    struct database_meta *meta;
    bool named, damaged;
    bool any; /* record */
};

static bool found_meta(void *ctx, const void *key, size_t key_len, const void *value, size_t len)
{
    struct look *look = ctx;
    bool known;

    look->named |= database_is_name(key, key_len);
    if (!database_read_meta(look->meta, key, key_len, value, len, &known))
        look->damaged = true;
    return true;
}

static bool found_any(void *ctx, const void *key, size_t key_len, const void *value, size_t len)
{
    struct look *look = ctx;

    (void)key, (void)key_len, (void)value, (void)len;
    look->any = true;
    return false;
}

static bool make(struct store *st, const char *dir, struct database_meta *meta, struct buf *why)
{
    struct store_batch *batch = store_batch_new();

    *meta = (struct database_meta){.format = STATE_FORMAT, .created = clock_wall()};
    bool ok = getrandom(meta->id, sizeof meta->id, 0) == (ssize_t)sizeof meta->id;
    if (!ok)
        buf_printf(why, "state directory %s: no random numbers: %s", dir, strerror(errno));
    put_name(batch, meta);
    ok = ok && store_write(st, batch, true, why) == STORE_OK;
    store_batch_free(&batch);
    return ok;
}

static bool check_format(const char *dir, const struct look *look, struct buf *why)
{
    const struct database_meta *meta = look->meta;

    if (look->named && meta->format > STATE_FORMAT) {
        buf_printf(why, "state directory %s: its format is %u and this tocsin knows %d: it was "
                        "written by a later version; run that one", dir, meta->format, STATE_FORMAT);
        return false;
    }
    if (look->named && !database_knows_format(meta->format)) {
        buf_printf(why, "state directory %s: its format is %u and this tocsin knows %d only: "
                        "export it with the version that wrote it and import it here", dir,
                   meta->format, STATE_FORMAT);
        return false;
    }
    if (look->damaged) {
        buf_printf(why, "state directory %s: the records that describe it are damaged; put it back "
                        "from a backup or a savepoint, or name another directory", dir);
        return false;
    }
    return true;
}

/* From now on versions that know less refuse it. */
static bool upgrade(struct store *st, struct database_meta *meta, struct buf *why)
{
    struct store_batch *batch = store_batch_new();

    meta->format = STATE_FORMAT;
    put_name(batch, meta);
    bool ok = store_write(st, batch, true, why) == STORE_OK;
    store_batch_free(&batch);
    return ok;
}

static bool check_meta(struct store *st, const char *dir, bool create, struct database_meta *meta,
                       struct buf *why)
{
    struct look look = {.meta = meta};
    static const uint8_t space = SPACE_META;

    if (store_read(st, &space, 1, found_meta, &look, why) != STORE_OK ||
        !check_format(dir, &look, why))
        return false;
    if (look.named)
        return !create || meta->format == STATE_FORMAT || upgrade(st, meta, why);
    if (store_read(st, "", 0, found_any, &look, why) != STORE_OK)
        return false;
    if (look.any) {
        buf_printf(why, "state directory %s: its database is not of tocsin, or of an import that "
                        "was not finished; name another directory, or empty it", dir);
        return false;
    }
    if (!create) {
        buf_printf(why, "state directory %s: holds no state yet", dir);
        return false;
    }
    return make(st, dir, meta, why);
}

struct store *database_open(const char *dir, const struct store_options *opt,
                            struct database_meta *meta_out, struct buf *why)
{
    bool create = opt->create && !opt->read_only;
    struct store *st = NULL;
    struct buf db;

    *meta_out = (struct database_meta){0};
    buf_init(&db);
    buf_printf(&db, "%s/db", dir);
    if (check_dir(dir, db.data, create, why) && check_db(dir, db.data, create, why) &&
        store_open(db.data, opt, &st, why) == STORE_OK &&
        !check_meta(st, dir, create, meta_out, why))
        store_free(&st);
    buf_fini(&db);
    return st;
}

struct store *database_make(const char *dir, struct buf *why)
{
    struct store_options opt = {.create = true};
    struct store *st = NULL;
    struct stat about;
    struct buf db;

    buf_init(&db);
    buf_printf(&db, "%s/db", dir);
    if (stat(db.data, &about) == 0)
        buf_printf(why, "state directory %s: holds a database already; name one that is empty, or "
                        "that does not exist", dir);
    else if (check_dir(dir, db.data, true, why) && check_db(dir, db.data, true, why))
        store_open(db.data, &opt, &st, why);
    buf_fini(&db);
    return st;
}
