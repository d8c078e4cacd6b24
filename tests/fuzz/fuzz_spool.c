// SPDX-License-Identifier: Apache-2.0
/*
 * Bytes as the last segment of a spool: as they are, or as changes to one that is whole. It is refused
 * with a message; or what it has is read to the end, a line more can be appended, and all is there again
 * when it is opened once more.
 */
#include <fuzz/fuzz.h>

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/buf.h"
#include "base/log.h"
#include "io/spool_priv.h"

enum { MOST_RECORDS = 20 };

static char dir[64];

static void remove_dir(void)
{
    char path[128];

    snprintf(path, sizeof path, "%s/00000000000000000000.spool", dir);
    unlink(path);
    rmdir(dir);
}

static void make_dir(void)
{
    if (*dir)
        return;
    snprintf(dir, sizeof dir, "%s/fuzz_spool.XXXXXX",
             access("/dev/shm", W_OK) == 0 ? "/dev/shm" : "/tmp");
    if (!mkdtemp(dir))
        fuzz_fail("no directory %s", dir);
    atexit(remove_dir);
}

/* A whole segment, then bytes of it changed, then cut. */
static void make_segment(struct fuzz_bytes *fb, struct buf *out)
{
    struct spool_header header = {.salt = fuzz_byte(fb)};
    unsigned char data[SPOOL_HEADER];
    char text[256];
    uint32_t n = fuzz_below(fb, MOST_RECORDS);
    uint64_t offset = 0;

    memset(text, 'x', sizeof text);
    spool_header_put(data, &header);
    buf_add(out, data, sizeof data);
    for (uint32_t i = 0; i < n; i++) {
        uint32_t flags = fuzz_byte(fb) % 8, len = fuzz_byte(fb);
        struct spool_record r = {.offset = offset, .span = len + 1, .arrival = i, .len = len,
                                 .flags = (flags & 1 ? SPOOL_SYNCED : 0) | (flags & 2 ? SPOOL_LONG : 0)};
        if (flags & 2)
            r.len = flags & 4 ? 8 : 0;
        if (flags == 4)
            r.span = fuzz_u64(fb);
        spool_record_put(out, header.salt, &r, text);
        offset += r.span;
    }
    for (uint32_t changes = fuzz_below(fb, 6); changes > 0; changes--)
        out->data[fuzz_u64(fb) % out->len] ^= (char)fuzz_byte(fb);
    if (fuzz_chance(fb, 100))
        out->len = fuzz_u64(fb) % out->len;
}

static struct spool *open_spool(struct buf *why)
{
    struct spool_options opt = {.dir = dir};
    struct spool *sp = spool_open(&opt, why);

    if (!sp && why->len == 0)
        fuzz_fail("refused without a message");
    return sp;
}

static size_t read_all(struct spool *sp, struct buf *why)
{
    struct spool_reader *rd = spool_reader_new(sp, 0, 0);
    struct spool_line line;
    enum spool_got got;
    size_t n = 0;

    while ((got = spool_read(rd, &line, why)) == SPOOL_LINE || got == SPOOL_TOO_LONG)
        n++;
    if (got != SPOOL_NOTHING)
        fuzz_fail("what was opened cannot be read: %s", why->data);
    spool_reader_free(&rd);
    return n;
}

static void use(struct buf *why)
{
    struct spool *sp = open_spool(why);
    size_t n;

    if (!sp)
        return;
    n = read_all(sp, why);
    if (!spool_append(sp, "line", 4, 5, 1) || !spool_sync(sp) || read_all(sp, why) != n + 1)
        fuzz_fail("a line cannot be appended");
    spool_free(&sp);
    sp = open_spool(why);
    if (!sp || read_all(sp, why) != n + 1)
        fuzz_fail("not the same when opened again: %s", why->data ? why->data : "");
    spool_free(&sp);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct fuzz_bytes fb = {data, data + size};
    struct buf segment, why;
    struct log_levels levels;
    char path[128];
    FILE *f;

    make_dir();
    log_levels_init(&levels);
    levels.least[LOG_source] = levels.least[LOG_daemon] = LOG_ERROR;
    log_set_levels(&levels);
    buf_init(&segment);
    buf_init(&why);
    if (fuzz_chance(&fb, 60))
        buf_add(&segment, fb.p, (size_t)(fb.end - fb.p));
    else
        make_segment(&fb, &segment);
    snprintf(path, sizeof path, "%s/00000000000000000000.spool", dir);
    f = fopen(path, "wb");
    if (!f || fwrite(segment.data, 1, segment.len, f) != segment.len || fclose(f) != 0)
        fuzz_fail("%s cannot be written", path);
    use(&why);
    buf_fini(&segment);
    buf_fini(&why);
    return 0;
}
