// SPDX-License-Identifier: Apache-2.0
/* What the tests of src/state share: directories of their own, files that are damaged. */
#ifndef TESTS_UNIT_STATE_FIXTURE_H
#define TESTS_UNIT_STATE_FIXTURE_H

#include <dirent.h>
#include <fcntl.h>
#include <ftw.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/buf.h"

#define SECOND INT64_C(1000000000)

static inline int remove_one(const char *path, const struct stat *about, int type, struct FTW *ftw)
{
    (void)about, (void)type, (void)ftw;
    return remove(path);
}

static inline void remove_tree(const char *dir)
{
    nftw(dir, remove_one, 16, FTW_DEPTH | FTW_PHYS);
}

/* Returns owned: a directory that is there and empty. */
static inline char *temp_dir(void)
{
    char *dir = strdup("/tmp/tocsin_state_XXXXXX");

    if (!mkdtemp(dir))
        abort();
    return dir;
}

static inline void temp_dir_end(char *dir)
{
    remove_tree(dir);
    free(dir);
}

/* Returns owned. */
static inline char *path_in(const char *dir, const char *name)
{
    char *path = malloc(strlen(dir) + strlen(name) + 2);

    snprintf(path, strlen(dir) + strlen(name) + 2, "%s/%s", dir, name);
    return path;
}

/* The biggest file of dir whose name begins or ends with `part`; returns owned or NULL. */
static inline char *file_of(const char *dir, const char *part)
{
    DIR *d = opendir(dir);
    char *best = NULL;
    off_t size = -1;

    for (struct dirent *e; d && (e = readdir(d));) {
        struct stat about;
        size_t len = strlen(e->d_name), n = strlen(part);
        bool fits = strncmp(e->d_name, part, n) == 0 ||
                    (len >= n && strcmp(e->d_name + len - n, part) == 0);
        if (!fits)
            continue;
        char *path = path_in(dir, e->d_name);
        if (stat(path, &about) == 0 && about.st_size > size) {
            size = about.st_size;
            free(best);
            best = path;
        } else {
            free(path);
        }
    }
    if (d)
        closedir(d);
    return best;
}

static inline off_t file_size(const char *path)
{
    struct stat about;

    return stat(path, &about) == 0 ? about.st_size : -1;
}

/* Turns over all bits of one byte. */
static inline void flip(const char *path, off_t at)
{
    uint8_t byte;
    int fd = open(path, O_RDWR);

    if (fd < 0 || pread(fd, &byte, 1, at) != 1)
        abort();
    byte = (uint8_t)~byte;
    if (pwrite(fd, &byte, 1, at) != 1)
        abort();
    close(fd);
}

static inline void write_file(const char *path, const char *text)
{
    FILE *f = fopen(path, "w");

    if (!f)
        abort();
    fputs(text, f);
    fclose(f);
}

#endif
