// SPDX-License-Identifier: Apache-2.0
/* spool_note - the notes that a spool has when it is opened. */
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/mem.h"
#include "io/spool_priv.h"

/* Up to what is not whole: who reads the lines tells of it. */
static void each_of(const unsigned char *data, size_t size,
                    void (*found)(void *ctx, const void *note, size_t len), void *ctx)
{
    struct spool_header h;

    if (size < SPOOL_HEADER || !spool_header_get(data, &h))
        return;
    uint64_t next = h.base;
    for (size_t at = SPOOL_HEADER; at + SPOOL_RECORD <= size;) {
        struct spool_record r;

        spool_record_get(data + at, h.salt, &r);
        if (r.offset != next || r.len > size - at - SPOOL_RECORD)
            return;
        if (spool_record_is_note(&r)) {
            if (!spool_record_is_whole(data + at, &r))
                return;
            found(ctx, data + at + SPOOL_RECORD, r.len);
        }
        at += SPOOL_RECORD + r.len;
        next += r.span;
    }
}

bool spool_each_note(struct spool *sp, void (*found)(void *ctx, const void *note, size_t len),
                     void *ctx, struct buf *why)
{
    size_t from = sp->n_segments > 2 ? sp->n_segments - 2 : 0;

    for (size_t i = from; i < sp->n_segments; i++) {
        char *path = spool_path(sp, sp->segment[i].base);
        int fd = open(path, O_RDONLY | O_CLOEXEC);
        size_t size = (size_t)sp->segment[i].size;
        void *data = fd < 0 ? MAP_FAILED : mmap(NULL, size, PROT_READ, MAP_PRIVATE, fd, 0);

        if (data == MAP_FAILED)
            buf_printf(why, "spool %s: cannot be read: %s", path, strerror(errno));
        if (fd >= 0)
            close(fd);
        mem_free(path);
        if (data == MAP_FAILED)
            return false;
        each_of(data, size, found, ctx);
        munmap(data, size);
    }
    return true;
}
