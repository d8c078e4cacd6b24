// SPDX-License-Identifier: Apache-2.0
/*
 * file_place - a file that is written, by its directory and its name there: which file stands at the
 * name, where one has gone that was renamed, names of rotated ones.
 *
 * All goes by a handle of the directory, so that a directory that is renamed meanwhile stays the same
 * one. No name is followed through a symbolic link, and nothing that has a name is ever written over:
 * a rename to a name that is taken fails (EEXIST). Rotated files are named NAME.20261129T224501Z-000001,
 * numbered on and on.
 */
#ifndef IO_FILE_PLACE_H
#define IO_FILE_PLACE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct buf;
struct reader;

/* Which file it is, whatever its name. An inode's number is given again to the next file: the time
 * of birth tells them apart, where the file system knows it (0: it does not). A device's number may
 * change at a boot; it counts only where there is no birth. */
struct file_id {
    uint64_t dev, ino;
    int64_t born; /* wall ns */
};

struct file_place {
    char *path; /* owned; as it was given, for messages */
    char *name; /* owned; the last part of it */
    int dir;    /* handle of the directory; -1: not open */
};

bool file_id_same(const struct file_id *a, const struct file_id *b);
void file_id_write(struct buf *out, const struct file_id *id);
void file_id_read(struct reader *r, struct file_id *id_out);

void file_place_init(struct file_place *p, const char *path);
void file_place_fini(struct file_place *p);
/* (Re)opens the directory; false and a message in why. */
bool file_place_open(struct file_place *p, struct buf *why);

enum file_place_how {
    FILE_PLACE_OLD = 1, /* it must be there */
    FILE_PLACE_NEW = 2, /* it must not be there */
    FILE_PLACE_ANY = 3,
};
/* Opens the file `name` of the directory for reading and appending; locked, so that nobody else opens
 * it so. -1: not possible, with errno (ENOENT: not there; EEXIST: there), and a message in why if that
 * is neither of the two. A file that is new is durable in its directory. */
int file_place_file(struct file_place *p, const char *name, enum file_place_how how,
                    struct file_id *id_out, uint64_t *size_out, struct buf *why);
/* What stands at the name now; false: nothing (or it cannot be told). */
bool file_place_look(const struct file_place *p, const char *name, struct file_id *id_out);
/* The name in the directory that the file has now, or NULL. Returns owned. */
char *file_place_find(const struct file_place *p, const struct file_id *id);
/* 0 or errno; EEXIST if `to` is taken. Durable when it returns. */
int file_place_rename(const struct file_place *p, const char *from, const char *to);

/* The name of a rotated file: appended to out. */
void file_place_archive(const struct file_place *p, int64_t wall, uint64_t number, struct buf *out);
/* The greatest number of rotated files that are there; 0: none. */
uint64_t file_place_last(const struct file_place *p);
/* Removes the rotated files with the lowest numbers, but `keep`. Returns how many went. */
unsigned file_place_prune(const struct file_place *p, uint32_t keep);

#endif
