// SPDX-License-Identifier: Apache-2.0
#include "state/store_log.h"

#include <dirent.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/mem.h"

enum { BLOCK = 32768, HEADER = 7 };
enum { ZERO, FULL, FIRST, MIDDLE, LAST };

/* ---- CRC-32C --------------------------------------------------------------------------------- */

static uint32_t crc_table[8][256]; /* the thread that opens the database is the only one here */

static void fill_table(void)
{
    for (uint32_t i = 0; i < 256; i++) {
        crc_table[0][i] = i;
        for (int bit = 0; bit < 8; bit++)
            crc_table[0][i] = crc_table[0][i] >> 1 ^ (crc_table[0][i] & 1 ? UINT32_C(0x82f63b78) : 0);
    }
    for (uint32_t i = 0; i < 256; i++)
        for (int k = 1; k < 8; k++)
            crc_table[k][i] = crc_table[k - 1][i] >> 8 ^ crc_table[0][crc_table[k - 1][i] & 0xff];
}

static uint32_t little_endian(const uint8_t *p)
{
    return p[0] | (uint32_t)p[1] << 8 | (uint32_t)p[2] << 16 | (uint32_t)p[3] << 24;
}

/* Eight bytes a step ("slicing by 8", Kounavis and Berry 2008): a log of 64 MiB is read at each start. */
static uint32_t crc_of(const uint8_t *data, size_t len)
{
    uint32_t crc = UINT32_MAX;

    if (!crc_table[0][255])
        fill_table();
    for (; len >= 8; data += 8, len -= 8) {
        uint32_t low = crc ^ little_endian(data), high = little_endian(data + 4);
        crc = crc_table[7][low & 0xff] ^ crc_table[6][low >> 8 & 0xff] ^
              crc_table[5][low >> 16 & 0xff] ^ crc_table[4][low >> 24] ^
              crc_table[3][high & 0xff] ^ crc_table[2][high >> 8 & 0xff] ^
              crc_table[1][high >> 16 & 0xff] ^ crc_table[0][high >> 24];
    }
    for (size_t i = 0; i < len; i++)
        crc = crc_table[0][(crc ^ data[i]) & 0xff] ^ crc >> 8;
    return ~crc;
}

/* As LevelDB masks it. */
static uint32_t masked(uint32_t crc)
{
    return (crc >> 15 | crc << 17) + UINT32_C(0xa282ead8);
}

/* ---- records --------------------------------------------------------------------------------- */

static size_t length_of(const uint8_t *record)
{
    return record[4] | (size_t)record[5] << 8;
}

/* Is what stands there, with `left` bytes until the end of its block, a record that is whole? */
static bool is_record(const uint8_t *p, size_t left)
{
    if (left < HEADER || p[6] < FULL || p[6] > LAST || length_of(p) > left - HEADER)
        return false;
    return masked(crc_of(p + 6, length_of(p) + 1)) == little_endian(p);
}

/* Does a batch begin at any place from `at` on? The damage may be in a length, so all are tried. */
static bool begins_behind(const uint8_t *log, size_t len, size_t at)
{
    for (; at + HEADER <= len; at++) {
        size_t block_end = at - at % BLOCK + BLOCK;
        size_t left = (block_end < len ? block_end : len) - at;
        if (left >= HEADER && (log[at + 6] == FULL || log[at + 6] == FIRST) && length_of(log + at) &&
            is_record(log + at, left))
            return true;
    }
    return false;
}

enum store_log_state store_log_check(const void *log, size_t len, size_t *torn_at_out)
{
    const uint8_t *data = log;
    size_t at = 0;

    while (at < len) {
        size_t in_block = BLOCK - at % BLOCK;
        if (in_block < HEADER) {
            at += in_block; /* its trailer */
            continue;
        }
        if (!is_record(data + at, in_block < len - at ? in_block : len - at))
            break;
        at += HEADER + length_of(data + at);
    }
    *torn_at_out = at;
    if (at >= len)
        return STORE_LOG_WHOLE;
    return begins_behind(data, len, at + 1) ? STORE_LOG_DAMAGED : STORE_LOG_TORN;
}

/* ---- files ----------------------------------------------------------------------------------- */

static bool read_all(int fd, uint8_t *data, size_t len)
{
    size_t got = 0;

    while (got < len) {
        ssize_t n = read(fd, data + got, len - got);
        if (n <= 0)
            return false;
        got += (size_t)n;
    }
    return true;
}

static enum store_log_state check_file(int dir, const char *name)
{
    int fd = openat(dir, name, O_RDONLY | O_CLOEXEC);
    enum store_log_state state = STORE_LOG_DAMAGED;
    struct stat about;
    size_t torn_at;

    if (fd < 0)
        return state;
    if (fstat(fd, &about) == 0) {
        size_t len = (size_t)about.st_size;
        uint8_t *data = mem_alloc(len + 1);
        if (read_all(fd, data, len))
            state = store_log_check(data, len, &torn_at);
        mem_free(data);
    }
    close(fd);
    return state;
}

enum store_log_state store_log_check_all(const char *dir)
{
    enum store_log_state worst = STORE_LOG_WHOLE;
    DIR *d = opendir(dir);

    for (struct dirent *e; d && (e = readdir(d));) {
        const char *dot = strrchr(e->d_name, '.');
        if (!dot || strcmp(dot, ".log") != 0)
            continue;
        enum store_log_state state = check_file(dirfd(d), e->d_name);
        if (state > worst)
            worst = state;
    }
    if (d)
        closedir(d);
    return worst;
}
