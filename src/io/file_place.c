// SPDX-License-Identifier: Apache-2.0
#include "io/file_place.h"

#include <ctype.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "base/buf.h"
#include "base/mem.h"
#include "base/reader.h"

enum { STAMP_LEN = 16 }; /* 20261129T224501Z */

bool file_id_same(const struct file_id *a, const struct file_id *b)
{
    return a->ino == b->ino && a->born == b->born && (a->born != 0 || a->dev == b->dev);
}

void file_id_write(struct buf *out, const struct file_id *id)
{
    buf_add_u64(out, id->dev);
    buf_add_u64(out, id->ino);
    buf_add_u64(out, (uint64_t)id->born);
}

void file_id_read(struct reader *r, struct file_id *id_out)
{
    id_out->dev = reader_u64(r);
    id_out->ino = reader_u64(r);
    id_out->born = (int64_t)reader_u64(r);
}

void file_place_init(struct file_place *p, const char *path)
{
    const char *slash = strrchr(path, '/');

    p->path = mem_strndup(path, strlen(path));
    p->name = mem_strndup(slash ? slash + 1 : path, strlen(slash ? slash + 1 : path));
    p->dir = -1;
}

void file_place_fini(struct file_place *p)
{
    if (p->dir >= 0)
        close(p->dir);
    p->dir = -1;
    mem_free(p->path);
    mem_free(p->name);
}

bool file_place_open(struct file_place *p, struct buf *why)
{
    size_t len = strlen(p->path) - strlen(p->name);
    char *dir = len > 0 ? mem_strndup(p->path, len) : mem_strndup(".", 1);

    if (p->dir >= 0)
        close(p->dir);
    p->dir = open(dir, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (p->dir < 0 && errno == ENOENT)
        buf_printf(why, "%s: the directory %s does not exist; it is not made for a sink", p->path,
                   dir);
    else if (p->dir < 0)
        buf_printf(why, "%s: cannot open the directory %s: %s", p->path, dir, strerror(errno));
    mem_free(dir);
    return p->dir >= 0;
}

/* statx, for the time of birth. Name NULL: the file of fd itself. */
static int look(int fd, const char *name, struct statx *st)
{
    int flags = name ? AT_SYMLINK_NOFOLLOW : AT_EMPTY_PATH;

    return statx(fd, name ? name : "", flags, STATX_BASIC_STATS | STATX_BTIME, st);
}

static struct file_id id_of(const struct statx *st)
{
    struct file_id id = {.dev = (uint64_t)st->stx_dev_major << 32 | st->stx_dev_minor,
                         .ino = st->stx_ino};

    if (st->stx_mask & STATX_BTIME)
        id.born = st->stx_btime.tv_sec * INT64_C(1000000000) + st->stx_btime.tv_nsec;
    return id;
}

bool file_place_look(const struct file_place *p, const char *name, struct file_id *id_out)
{
    struct statx st;

    if (look(p->dir, name, &st) != 0)
        return false;
    *id_out = id_of(&st);
    return true;
}

/* Is it a file that may be written? Says in why what it is otherwise. */
static bool usable(const struct file_place *p, const char *name, int fd, struct statx *st,
                   struct buf *why)
{
    if (look(fd, NULL, st) != 0)
        buf_printf(why, "%s: %s", p->path, strerror(errno));
    else if (!S_ISREG(st->stx_mode))
        buf_printf(why, "%s: %s is not a regular file", p->path, name);
    else if (flock(fd, LOCK_EX | LOCK_NB) != 0)
        buf_printf(why, "%s: another sink or another process writes to %s", p->path, name);
    else
        return true;
    return false;
}

int file_place_file(struct file_place *p, const char *name, enum file_place_how how,
                    struct file_id *id_out, uint64_t *size_out, struct buf *why)
{
    int flags = O_RDWR | O_APPEND | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC;
    struct statx st;
    int fd;

    if (how & FILE_PLACE_NEW)
        flags |= O_CREAT;
    if (!(how & FILE_PLACE_OLD))
        flags |= O_EXCL;
    fd = openat(p->dir, name, flags, 0666);
    if (fd < 0) {
        int error = errno;
        if (error == ELOOP)
            buf_printf(why, "%s: %s is a symbolic link, which is not followed: name the file itself",
                       p->path, name);
        else if (error == ENXIO)
            buf_printf(why, "%s: %s is not a regular file", p->path, name);
        else if (error != ENOENT && error != EEXIST)
            buf_printf(why, "%s: cannot open %s: %s", p->path, name, strerror(error));
        errno = error;
        return -1;
    }
    if (!usable(p, name, fd, &st, why)) {
        close(fd);
        errno = EINVAL;
        return -1;
    }
    if ((how & FILE_PLACE_NEW) && st.stx_size == 0 && fsync(p->dir) != 0) {
        buf_printf(why, "%s: cannot sync the directory: %s", p->path, strerror(errno));
        close(fd);
        errno = EIO;
        return -1;
    }
    *id_out = id_of(&st);
    *size_out = st.stx_size;
    return fd;
}

/* Calls fn for each name of the directory until it returns false. */
static void each_name(const struct file_place *p, bool (*fn)(void *ctx, const struct dirent *e),
                      void *ctx)
{
    int fd = openat(p->dir, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    DIR *dir = fd >= 0 ? fdopendir(fd) : NULL;
    struct dirent *e;

    if (!dir) {
        if (fd >= 0)
            close(fd);
        return;
    }
    while ((e = readdir(dir)) && fn(ctx, e))
        continue;
    closedir(dir);
}

struct search {
    const struct file_place *place;
    const struct file_id *id;
    char *found;
};

static bool search_name(void *ctx, const struct dirent *e)
{
    struct search *s = ctx;
    struct file_id id;

    if (e->d_ino != s->id->ino || !file_place_look(s->place, e->d_name, &id) ||
        !file_id_same(&id, s->id))
        return true;
    s->found = mem_strndup(e->d_name, strlen(e->d_name));
    return false;
}

char *file_place_find(const struct file_place *p, const struct file_id *id)
{
    struct search s = {.place = p, .id = id};

    each_name(p, search_name, &s);
    return s.found;
}

/* Where renameat2 or its flag is not known: a second name, then the first goes. */
static int rename_by_link(const struct file_place *p, const char *from, const char *to)
{
    if (linkat(p->dir, from, p->dir, to, 0) != 0 || unlinkat(p->dir, from, 0) != 0)
        return errno;
    return 0;
}

int file_place_rename(const struct file_place *p, const char *from, const char *to)
{
    int error = renameat2(p->dir, from, p->dir, to, RENAME_NOREPLACE) == 0 ? 0 : errno;

    if (error == ENOSYS || error == EINVAL)
        error = rename_by_link(p, from, to);
    if (error == 0 && fsync(p->dir) != 0)
        error = errno;
    return error;
}

void file_place_archive(const struct file_place *p, int64_t wall, uint64_t number, struct buf *out)
{
    time_t seconds = (time_t)(wall / 1000000000);
    struct tm tm;

    gmtime_r(&seconds, &tm);
    buf_printf(out, "%s.%04d%02d%02dT%02d%02d%02dZ-%06llu", p->name, tm.tm_year + 1900,
               tm.tm_mon + 1, tm.tm_mday, tm.tm_hour, tm.tm_min, tm.tm_sec,
               (unsigned long long)number);
}

/* The number in the name of a rotated file; 0: it is none. */
static uint64_t archive_number(const struct file_place *p, const char *name)
{
    size_t len = strlen(p->name);
    const char *s = name + len + 1;
    char *end;

    if (strncmp(name, p->name, len) != 0 || name[len] != '.' || strlen(s) < STAMP_LEN + 7)
        return 0;
    for (int i = 0; i < STAMP_LEN; i++) {
        bool good = i == 8 ? s[i] == 'T' : i == 15 ? s[i] == 'Z' : isdigit((unsigned char)s[i]);
        if (!good)
            return 0;
    }
    if (s[STAMP_LEN] != '-' || !isdigit((unsigned char)s[STAMP_LEN + 1]))
        return 0;
    uint64_t number = strtoull(s + STAMP_LEN + 1, &end, 10);
    return *end == '\0' ? number : 0;
}

struct archives {
    const struct file_place *place;
    struct archive {
        uint64_t number;
        char *name; /* owned */
    } *item;
    size_t n, cap;
};

static bool add_archive(void *ctx, const struct dirent *e)
{
    struct archives *a = ctx;
    uint64_t number = archive_number(a->place, e->d_name);

    if (number > 0) {
        a->item = vec_reserve(a->item, &a->cap, a->n + 1, sizeof *a->item);
        a->item[a->n++] = (struct archive){number, mem_strndup(e->d_name, strlen(e->d_name))};
    }
    return true;
}

static int newest_first(const void *a, const void *b)
{
    const struct archive *x = a, *y = b;

    if (x->number != y->number)
        return x->number > y->number ? -1 : 1;
    return strcmp(y->name, x->name);
}

static struct archives archives_read(const struct file_place *p)
{
    struct archives a = {.place = p};

    each_name(p, add_archive, &a);
    if (a.n > 0)
        qsort(a.item, a.n, sizeof *a.item, newest_first);
    return a;
}

static void archives_fini(struct archives *a)
{
    for (size_t i = 0; i < a->n; i++)
        mem_free(a->item[i].name);
    mem_free(a->item);
}

uint64_t file_place_last(const struct file_place *p)
{
    struct archives a = archives_read(p);
    uint64_t last = a.n > 0 ? a.item[0].number : 0;

    archives_fini(&a);
    return last;
}

unsigned file_place_prune(const struct file_place *p, uint32_t keep)
{
    struct archives a = archives_read(p);
    unsigned gone = 0;

    for (size_t i = keep; i < a.n; i++)
        gone += unlinkat(p->dir, a.item[i].name, 0) == 0;
    archives_fini(&a);
    return gone;
}
