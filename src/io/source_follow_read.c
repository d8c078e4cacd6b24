// SPDX-License-Identifier: Apache-2.0
/*
 * source_follow_read - lines of one file that may grow, by offset.
 *
 *     file   ..... | line so far ......... | not looked at .....
 *                  ^offset                 ^scanned
 *     block        [at ................ at + len)       holds some piece of it
 *
 * A line that lies in the block is given where it is. One that does not (longer than half a block,
 * or begun under another block) is looked through piece by piece, and read once more as a whole when
 * its newline was found; beyond max_line it never is. After each read the fingerprint is compared:
 * what was read belongs to the file that it was.
 */
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/failpoint.h"
#include "base/hash.h"
#include "base/mem.h"
#include "io/source_file.h"
#include "io/source_follow_priv.h"

enum { LOOK_BYTES = 4 << 20 }; /* of a long line, in one turn */

/* ---- what tells a file ------------------------------------------------------------------------ */

static uint64_t mix_id(uint64_t dev, uint64_t ino, uint64_t birth)
{
    uint64_t id = hash_mix(birth, hash_mix(ino, dev));

    return id ? id : 1;
}

static int stat_at(int fd, const char *path, int flags, struct follow_stat *st)
{
    struct statx sx;

    if (statx(fd, path, flags, STATX_BASIC_STATS | STATX_BTIME, &sx) != 0)
        return errno;
    uint64_t birth = sx.stx_mask & STATX_BTIME
                         ? (uint64_t)sx.stx_btime.tv_sec * 1000000000 + sx.stx_btime.tv_nsec
                         : 0;
    *st = (struct follow_stat){
        .id = mix_id((uint64_t)sx.stx_dev_major << 32 | sx.stx_dev_minor, sx.stx_ino, birth),
        .size = sx.stx_size,
        .mtime = sx.stx_mtime.tv_sec * INT64_C(1000000000) + sx.stx_mtime.tv_nsec,
        .deleted = sx.stx_nlink == 0,
        .regular = S_ISREG(sx.stx_mode),
    };
    return 0;
}

int follow_stat_path(const char *path, struct follow_stat *st_out)
{
    return stat_at(AT_FDCWD, path, 0, st_out);
}

int follow_stat_fd(int fd, struct follow_stat *st_out)
{
    return stat_at(fd, "", AT_EMPTY_PATH, st_out);
}

static uint64_t print_hash(const char *data, size_t len)
{
    return hash64(data, len, 0) & UINT64_C(0xffffffffff);
}

/* Up to `size` bytes at `at`; fewer only at the end. -1 and errno. */
static ssize_t read_at(int fd, char *data, size_t size, uint64_t at)
{
    size_t n = 0;

    while (n < size) {
        ssize_t r = pread(fd, data + n, size - n, (off_t)(at + n));
        if (r < 0 && errno == EINTR)
            continue;
        if (r < 0)
            return -1;
        if (r == 0)
            break;
        n += (size_t)r;
    }
    return (ssize_t)n;
}

/* Of up to `limit` bytes at the beginning of fd; false: cannot be read. */
static bool follow_print_fd(int fd, size_t limit, struct follow_print *print_out)
{
    char data[FOLLOW_PRINT];
    ssize_t n = read_at(fd, data, limit < sizeof data ? limit : sizeof data, 0);

    if (n < 0)
        return false;
    *print_out = (struct follow_print){(uint8_t)n, print_hash(data, (size_t)n)};
    return true;
}

int follow_look_at(const char *path, struct follow_stat *st_out, struct follow_print *print_out)
{
    int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
    int err = fd < 0 ? errno : follow_stat_fd(fd, st_out);

    if (!err && !follow_print_fd(fd, FOLLOW_PRINT, print_out))
        err = errno;
    if (fd >= 0)
        close(fd);
    return err;
}

bool follow_print_matches(const char *path, const struct follow_print *print)
{
    struct follow_print is = {0};
    int fd = print->len ? open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY) : -1;
    bool ok = fd >= 0 && follow_print_fd(fd, print->len, &is);

    if (fd >= 0)
        close(fd);
    return print->len == 0 || (ok && is.len == print->len && is.hash == print->hash);
}

/* length 8 bits | path 16 bits | fingerprint 40 bits */
uint64_t follow_identity1(const struct follow_file *f)
{
    const char *path = f->home->path;

    return (uint64_t)f->print.len << 56 | (path ? follow_path_hash(path) : 0) << 40 |
           (f->print.len ? f->print.hash : 0);
}

struct follow_print follow_print_saved(uint64_t identity1)
{
    return (struct follow_print){(uint8_t)(identity1 >> 56),
                                 identity1 & UINT64_C(0xffffffffff)};
}

uint64_t follow_path_hash(const char *path)
{
    return hash64(path, strlen(path), 0) & 0xffff;
}

uint64_t follow_path_hash_saved(uint64_t identity1)
{
    return identity1 >> 40 & 0xffff;
}

/* Is fd the file that f was? Makes a young file's fingerprint longer. */
static enum follow_got check_print(struct follow_file *f)
{
    char data[FOLLOW_PRINT];
    ssize_t n = read_at(f->fd, data, sizeof data, 0);

    if (n < 0)
        return FOLLOW_FAILED;
    if (n < f->print.len || (f->print.len && print_hash(data, f->print.len) != f->print.hash))
        return FOLLOW_CHANGED;
    if (n > f->print.len) {
        f->print = (struct follow_print){(uint8_t)n, print_hash(data, (size_t)n)};
        atomic_store(&f->part->identity[1], follow_identity1(f));
    }
    return FOLLOW_LINE;
}

/* ---- blocks ----------------------------------------------------------------------------------- */

static void block_grow(struct source_follow *s, struct follow_block *b, size_t cap)
{
    if (b->cap >= cap)
        return;
    mem_free(b->data);
    b->data = mem_calloc(1, cap + s->padding);
    b->cap = cap;
    b->len = 0;
}

static struct follow_block *block_of(struct source_follow *s, struct follow_file *f)
{
    struct follow_block *b = f->block;

    if (b)
        return b;
    b = s->free_block;
    if (b) {
        s->free_block = b->next;
    } else if (s->n_blocks < FOLLOW_BLOCKS) {
        b = mem_calloc(1, sizeof *b);
        block_grow(s, b, FOLLOW_BLOCK);
        s->n_blocks++;
    } else {
        b = &s->common;
        block_grow(s, b, FOLLOW_TURN);
    }
    b->at = f->offset;
    b->len = 0;
    return f->block = b;
}

void follow_block_drop(struct source_follow *s, struct follow_file *f)
{
    if (f->block && f->block != &s->common) {
        f->block->next = s->free_block;
        s->free_block = f->block;
    }
    f->block = NULL;
}

/* ---- opening ---------------------------------------------------------------------------------- */

/* Closes a file that is read to its end and quiet, else one whose turn it is not: by now they lie where
 * they were found, and are found there again. */
static bool close_one(struct source_follow *s)
{
    for (int busy = 0; busy < 2; busy++)
        for (size_t i = 0; i < s->n_slots; i++) {
            struct follow_file *f = s->slot[s->close_at++ % s->n_slots].file;
            bool quiet = f->caught_up && !f->ready;

            if (f->fd >= 0 && (quiet || (busy && f != s->ready_first)) && !f->over_since &&
                !f->deleted) {
                follow_close(s, f);
                return true;
            }
        }
    return false;
}

static void make_way(struct source_follow *s)
{
    if (s->n_open < s->max_open)
        return;
    if (!s->told_max_open)
        log_line(LOG_WARNING, LOG_source,
                 "more files than may be open at once: quiet ones are closed meanwhile",
                 "source=%s limit=%u", s->name, s->max_open);
    s->told_max_open = true;
    close_one(s);
}

static int open_file(struct source_follow *s, struct follow_file *f)
{
    int err = failpoint_hit(FAILPOINT_follow_open);

    make_way(s);
    for (;;) {
        int fd = err ? -1 : open(f->path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
        if (fd >= 0)
            return fd;
        if (!err)
            err = errno;
        if ((err != EMFILE && err != ENFILE) || !close_one(s)) {
            errno = err;
            return -1;
        }
        err = 0;
    }
}

static bool is_gz(int fd)
{
    char magic[2];

    return read_at(fd, magic, 2, 0) == 2 && memcmp(magic, "\x1f\x8b", 2) == 0;
}

enum follow_got follow_open(struct source_follow *s, struct follow_file *f, struct buf *why)
{
    struct follow_stat st;
    int fd = open_file(s, f), err;

    if (fd < 0) {
        err = errno;
        if (err == ENOENT || err == ENOTDIR)
            return FOLLOW_GONE;
        buf_printf(why, "%s: cannot be opened: %s", f->path, strerror(err));
        if (err == EMFILE || err == ENFILE)
            buf_adds(why, " (raise the limit of open files: ulimit -n)");
        return FOLLOW_FAILED;
    }
    err = follow_stat_fd(fd, &st);
    if (err || st.id != f->id) {
        close(fd);
        if (!err)
            return FOLLOW_GONE;
        buf_printf(why, "%s: %s", f->path, strerror(err));
        return FOLLOW_FAILED;
    }
    if (!s->follow && is_gz(fd)) {
        close(fd);
        f->gz = source_file_open(f->path, s->max_line, s->padding, why);
        return f->gz ? FOLLOW_LINE : FOLLOW_FAILED;
    }
    f->fd = fd;
    s->n_open++;
    f->size = st.size;
    f->mtime = st.mtime;
    enum follow_got got = check_print(f);
    if (got == FOLLOW_FAILED) {
        buf_printf(why, "%s: cannot be read: %s", f->path, strerror(errno));
        follow_close(s, f);
    }
    return got;
}

void follow_close(struct source_follow *s, struct follow_file *f)
{
    source_file_free(&f->gz);
    if (f->fd < 0)
        return;
    close(f->fd);
    f->fd = -1;
    s->n_open--;
}

/* ---- lines ------------------------------------------------------------------------------------ */

static bool is_blank(const char *text, size_t len)
{
    for (size_t i = 0; i < len; i++)
        if (text[i] != ' ' && text[i] != '\t')
            return false;
    return true;
}

/* At the end of what is there: is it still the same file? */
static enum follow_got at_end(struct follow_file *f)
{
    struct follow_stat st;
    int err = follow_stat_fd(f->fd, &st);

    if (err) {
        errno = err;
        return FOLLOW_FAILED;
    }
    if (st.size < f->scanned)
        return FOLLOW_CHANGED;
    f->size = f->scanned; /* if there is more by now, the next look finds it */
    f->mtime = st.mtime;
    return FOLLOW_END;
}

/* Reads on behind `scanned`. */
static enum follow_got fill(struct source_follow *s, struct follow_file *f)
{
    struct follow_block *b = block_of(s, f);
    size_t keep = (size_t)(f->scanned - f->offset);
    int err = failpoint_hit(FAILPOINT_follow_read);

    if (keep > b->cap / 2) {
        b->at = f->scanned;
        b->len = 0;
    } else if (f->offset >= b->at && f->scanned <= b->at + b->len) {
        memmove(b->data, b->data + (f->offset - b->at), keep);
        b->at = f->offset;
        b->len = keep;
    } else {
        b->at = f->offset;
        b->len = 0;
    }
    errno = err;
    ssize_t n = err ? -1 : read_at(f->fd, b->data + b->len, b->cap - b->len, b->at + b->len);
    if (n < 0)
        return FOLLOW_FAILED;
    b->len += (size_t)n;
    s->arrival = clock_wall();
    enum follow_got got = check_print(f);
    if (got != FOLLOW_LINE) {
        b->len = 0;
        return got;
    }
    return b->at + b->len > f->scanned ? FOLLOW_LINE : at_end(f);
}

/* The bytes [offset, offset + len), wherever they are now. */
static enum follow_got text_of(struct source_follow *s, struct follow_file *f, size_t len,
                               const char **text_out)
{
    struct follow_block *b = f->block;

    if (f->offset >= b->at && f->offset + len <= b->at + b->len) {
        *text_out = b->data + (f->offset - b->at);
        return FOLLOW_LINE;
    }
    block_grow(s, &s->big, len > FOLLOW_BLOCK ? len : FOLLOW_BLOCK);
    ssize_t n = read_at(f->fd, s->big.data, len, f->offset);
    if (n < 0)
        return FOLLOW_FAILED;
    *text_out = s->big.data;
    enum follow_got got = check_print(f);
    return got == FOLLOW_LINE && (size_t)n < len ? FOLLOW_CHANGED : got;
}

static bool ends_in_cr(const struct follow_file *f, uint64_t end)
{
    const struct follow_block *b = f->block;
    char c = 0;

    if (end == f->offset)
        return false;
    if (end - 1 >= b->at && end - 1 < b->at + b->len)
        return b->data[end - 1 - b->at] == '\r';
    return read_at(f->fd, &c, 1, end - 1) == 1 && c == '\r';
}

/* The line [offset, end), with `ending` bytes behind it. FOLLOW_MORE: it is blank. */
static enum follow_got take(struct source_follow *s, struct follow_file *f, uint64_t end,
                            unsigned ending, struct source_item *item)
{
    uint64_t len = end - f->offset;
    enum follow_got got = FOLLOW_LINE;

    if (ends_in_cr(f, end))
        len--;
    *item = (struct source_item){.what = SOURCE_EVENT_TOO_LONG, .partition = f->part,
                                 .len = (size_t)len, .offset = f->offset, .next = end + ending,
                                 .arrival = s->arrival};
    if (len <= s->max_line) {
        item->what = SOURCE_EVENT_LINE;
        got = text_of(s, f, (size_t)len, &item->text);
        if (got == FOLLOW_LINE && f->offset == 0 && len >= 3 &&
            memcmp(item->text, "\xef\xbb\xbf", 3) == 0) {
            item->text += 3;
            item->len -= 3;
            item->offset = 3;
        }
        if (got == FOLLOW_LINE && is_blank(item->text, item->len))
            got = FOLLOW_MORE;
    }
    if (got == FOLLOW_LINE || got == FOLLOW_MORE) {
        s->turn += (size_t)(end + ending - f->offset);
        f->offset = end + ending;
        if (f->scanned < f->offset)
            f->scanned = f->offset;
    }
    return got;
}

/* Where the next newline is; reads as far as needed, but no more than LOOK_BYTES. */
static enum follow_got find_newline(struct source_follow *s, struct follow_file *f,
                                    uint64_t *newline_out)
{
    for (size_t looked = 0; looked < LOOK_BYTES;) {
        struct follow_block *b = block_of(s, f);
        uint64_t behind = b->at + b->len;

        if (f->scanned >= b->at && f->scanned < behind) {
            const char *from = b->data + (f->scanned - b->at);
            const char *nl = memchr(from, '\n', (size_t)(behind - f->scanned));
            if (nl) {
                *newline_out = b->at + (uint64_t)(nl - b->data);
                return FOLLOW_LINE;
            }
            looked += (size_t)(behind - f->scanned);
            f->scanned = behind;
        }
        enum follow_got got = fill(s, f);
        if (got != FOLLOW_LINE)
            return got;
    }
    return FOLLOW_MORE;
}

static enum follow_got gz_line(struct source_follow *s, struct follow_file *f,
                               struct source_item *item, struct buf *why)
{
    struct source_line line;

    for (;;) {
        enum source_result result = source_file_line(f->gz, &line);
        if (result == SOURCE_END)
            return FOLLOW_END;
        if (result == SOURCE_ERROR) {
            buf_printf(why, "%s: %s", f->path, source_file_error(f->gz));
            return FOLLOW_FAILED;
        }
        if (line.offset < f->offset)
            continue;
        *item = (struct source_item){
            .what = result == SOURCE_LINE ? SOURCE_EVENT_LINE : SOURCE_EVENT_TOO_LONG,
            .partition = f->part, .text = line.text, .len = line.len, .offset = line.offset,
            .next = line.offset + line.len + 1, .arrival = s->arrival};
        f->offset = f->scanned = item->next;
        s->turn += line.len + 1;
        return FOLLOW_LINE;
    }
}

static enum follow_got failed(struct follow_file *f, enum follow_got got, struct buf *why)
{
    if (got == FOLLOW_FAILED)
        buf_printf(why, "%s: cannot be read: %s", f->path, strerror(errno));
    return got;
}

enum follow_got follow_line(struct source_follow *s, struct follow_file *f,
                            struct source_item *item_out, struct buf *why)
{
    uint64_t newline;

    if (f->gz)
        return gz_line(s, f, item_out, why);
    if (s->big.cap > FOLLOW_BLOCK) { /* the long line was given */
        mem_free(s->big.data);
        s->big = (struct follow_block){0};
    }
    for (;;) {
        enum follow_got got = find_newline(s, f, &newline);
        if (got != FOLLOW_LINE)
            return failed(f, got, why);
        got = take(s, f, newline, 1, item_out);
        if (got != FOLLOW_MORE || s->turn >= FOLLOW_TURN)
            return failed(f, got, why);
    }
}

enum follow_got follow_rest(struct source_follow *s, struct follow_file *f,
                            struct source_item *item_out, struct buf *why)
{
    if (f->gz || f->scanned == f->offset)
        return FOLLOW_END;
    block_of(s, f);
    enum follow_got got = take(s, f, f->scanned, 0, item_out);
    return got == FOLLOW_MORE ? FOLLOW_END : failed(f, got, why);
}
