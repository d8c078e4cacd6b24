// SPDX-License-Identifier: Apache-2.0
/*
 * source_follow, inside: a path is what the patterns match, a file is one generation of it.
 *
 *     path "a.log" --oldest--> [file 3, ENDED] -> [file 4, READING, over] -> [file 5, WAITING] <--newest
 *
 *   WAITING  an older generation is not at its end
 *   READING  has a slot; `ready` while it may have lines
 *   ENDED    remembered by its identity until it is forgotten
 *
 * All of it belongs to the reader's thread, but for `released` (under `lock`).
 * source_follow.c: turns and what is told; _read.c: lines of one file; _look.c: has a file changed;
 * _scan.c: what lies in the directories; _beside.c: what lies beside a path; _saved.c: names, and what
 * was saved.
 */
#ifndef IO_SOURCE_FOLLOW_PRIV_H
#define IO_SOURCE_FOLLOW_PRIV_H

#include <pthread.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/buf.h"
#include "base/log.h"
#include "io/source_follow.h"

struct gunzip;
struct hash_index;
struct source_file;

enum {
    FOLLOW_BLOCK = 256 * 1024, /* bytes */
    FOLLOW_TURN = 64 * 1024,   /* bytes, the most that one file gives while others wait */
    FOLLOW_BLOCKS = 64,        /* of files that have lines; more of them read shorter pieces */
    FOLLOW_PRINT = 255,        /* bytes of a fingerprint */
    FOLLOW_PRINT_COPY = 32,    /* bytes of it that tell a copy */
};
#define FOLLOW_MS INT64_C(1000000) /* ns */

/* What tells a file, and the outcome of looking at it. */
struct follow_stat {
    uint64_t id;   /* hash of device, inode, time of birth; never 0 */
    uint64_t size; /* bytes */
    int64_t mtime; /* ns */
    bool deleted;  /* no name is left */
    bool regular;
};

struct follow_print {
    uint8_t len;   /* bytes that it is made of; 0: none */
    uint64_t hash; /* 40 bits */
};

/* Bytes of a file: data[0] is its byte `at`. */
struct follow_block {
    char *data; /* owned; NULL until used; cap + padding bytes */
    size_t cap, len;
    uint64_t at;
    struct follow_block *next; /* of the free ones */
};

enum follow_state { FOLLOW_WAITING, FOLLOW_READING, FOLLOW_ENDED };

struct follow_file {
    struct source_partition *part; /* owned by the source */
    struct follow_path *home;
    struct follow_file *next;      /* the newer generation */
    char *path;                    /* owned; where it lies, as far as known */
    enum follow_state state;
    int fd;                        /* -1: closed */
    uint64_t id;
    struct follow_print print;
    uint64_t offset;               /* of the next line */
    uint64_t scanned;              /* >= offset: no newline in [offset, scanned) */
    uint64_t size;                 /* when last looked at */
    int64_t mtime;
    struct follow_block *block;    /* NULL, one of the source's, or its common one */
    struct source_file *gz;        /* bounded and compressed */
    int64_t changed;               /* monotonic: when it was last seen to grow */
    int64_t over_since;            /* monotonic; 0: it is what lies at its path */
    uint32_t slot;                 /* while READING */
    uint32_t seen;                 /* number of the last scan that found it somewhere */
    int64_t gone_since;            /* monotonic: ENDED and not found; 0: found */
    struct follow_file *ready_next;
    bool ready;
    bool opened, caught_up, stalled;
    bool stalled_path; /* what stalls it is what lies at its path, or its directory: for the scan */
    bool ending;      /* over, and quiet: its end is the end */
    bool still;       /* a copy, or followed by a newer file: nobody writes to it */
    bool deleted;
    bool lost;        /* cannot be found: ends at once */
    bool released;    /* its saved position says `ended` */
    bool forgotten;
};

struct follow_path {
    char *path; /* owned; NULL: only its name is known, from what was saved */
    char *name; /* owned by the source */
    struct follow_file *oldest, *newest;
    uint32_t seen; /* number of the last scan that found a file there */
};

struct follow_pattern {
    char *text, *dir;    /* owned */
    bool literal;        /* a path, not a pattern */
    bool wild_dir;       /* the directories are a pattern, too */
    int64_t mtime;       /* of dir, at the last scan; wall ns */
    bool bad;            /* dir cannot be read; told */
};

/* One regular file that a pattern matched. */
struct follow_found {
    char *path; /* owned */
    struct follow_stat st;
    char *name; /* borrowed from path while names are chosen */
};
struct follow_founds {
    struct follow_found *item;
    size_t n, cap;
};

struct follow_slot {
    int64_t due; /* monotonic */
    struct follow_file *file;
};

struct follow_told {
    enum source_event what;
    struct follow_file *file;
    char *message; /* owned, or NULL */
};

struct follow_release {
    char *partition; /* owned */
    uint32_t generation;
};

struct source_follow {
    struct source source;
    char *name;
    bool follow;
    size_t max_line, padding;
    int64_t poll, rescan, rotate_wait, forget_after; /* ns */
    uint32_t max_open, n_open;
    bool told_max_open;
    struct follow_pattern *pattern;
    size_t n_patterns;

    struct follow_path **path;
    size_t n_paths, cap_paths;
    struct hash_index *by_path, *by_name, *by_id; /* struct follow_path *, ditto, follow_file * */
    struct source_partition **part; /* owned, all there ever were */
    size_t n_parts, cap_parts;
    char **kept_name;               /* owned, likewise */
    size_t n_kept_names, cap_kept_names;

    struct follow_slot *slot;
    size_t n_slots, cap_slots;
    _Atomic uint64_t unread;     /* bytes, of all files that are read */
    size_t close_at;             /* where closing of quiet files goes on */
    struct follow_file *ready_first, *ready_last;
    size_t turn;                 /* bytes that the first ready file has given */
    int64_t arrival;             /* wall ns, of what was read last */
    struct follow_block *free_block;
    uint32_t n_blocks;
    struct follow_block common;  /* for files beyond FOLLOW_BLOCKS; of one turn */
    struct follow_block big;     /* a line that is longer than a block */

    struct follow_told *told;    /* [told_first, n_told) */
    size_t told_first, n_told, cap_told;
    struct source_item held;     /* a line that waits for what is told before it */
    bool holds;
    char *message;               /* owned: of the item given last */

    struct source_position *saved; /* owned copies; freed at the first scan */
    size_t n_saved;
    uint32_t scans;
    int64_t next_scan, next_full, next_look; /* monotonic */

    pthread_mutex_t lock;
    struct follow_release *release;
    size_t n_releases, cap_releases;
};

/* ---- source_follow.c */
void follow_tell(struct source_follow *s, enum source_event what, struct follow_file *f,
                 const char *message);
void follow_make_ready(struct source_follow *s, struct follow_file *f);
/* A new generation behind the newest of p. */
struct follow_file *follow_file_add(struct source_follow *s, struct follow_path *p,
                                    uint32_t generation, const char *path,
                                    const struct follow_stat *st);
/* Its beginning, seen before it is read: if it is truncated before that, it is noticed. */
void follow_set_print(struct follow_file *f, const struct follow_print *print);
void follow_file_free(struct source_follow *s, struct follow_file **f);
/* The oldest generation that has not ended begins to be read, if it does not yet. */
void follow_begin(struct source_follow *s, struct follow_path *p);
/* A file that is READING; the reader's side tells it in the log. */
void follow_stall(struct source_follow *s, struct follow_file *f, const char *message);
/* If it was stalled: and it is read on. */
void follow_resumed(struct source_follow *s, struct follow_file *f);
void follow_set_id(struct source_follow *s, struct follow_file *f, uint64_t id);
struct follow_path *follow_path_add(struct source_follow *s, const char *path, const char *name);
void follow_path_unindex(struct source_follow *s, struct follow_path *p);
struct follow_path *follow_path_at(struct source_follow *s, const char *path);
struct follow_path *follow_path_named(struct source_follow *s, const char *name);
struct follow_file *follow_file_of(struct source_follow *s, uint64_t id);
/* Lines that nobody will read: logs it. end: of what is known; 0: not known. */
void follow_lost(struct source_follow *s, struct follow_file *f, const char *why, uint64_t end);
void follow_log(struct source_follow *s, enum log_level level, const char *msg,
                const struct follow_file *f, const char *path, const char *why);

/* ---- source_follow_read.c */
enum follow_got {
    FOLLOW_LINE,
    FOLLOW_END,     /* of what is there now */
    FOLLOW_MORE,    /* its turn is over without a line */
    FOLLOW_CHANGED, /* not the file that it was: shorter, or its beginning is another */
    FOLLOW_FAILED,  /* why says what */
    FOLLOW_GONE,    /* what lies at its path is another file; or nothing does */
};
enum follow_got follow_line(struct source_follow *s, struct follow_file *f,
                            struct source_item *item_out, struct buf *why);
/* What is behind the last newline, as a line; FOLLOW_END if there is nothing. */
enum follow_got follow_rest(struct source_follow *s, struct follow_file *f,
                            struct source_item *item_out, struct buf *why);
void follow_block_drop(struct source_follow *s, struct follow_file *f);
/* FOLLOW_LINE: it is open. */
enum follow_got follow_open(struct source_follow *s, struct follow_file *f, struct buf *why);
void follow_close(struct source_follow *s, struct follow_file *f);
int follow_stat_path(const char *path, struct follow_stat *st_out); /* 0 or errno */
int follow_stat_fd(int fd, struct follow_stat *st_out);
/* Both, of what lies at path; 0 or errno. */
int follow_look_at(const char *path, struct follow_stat *st_out, struct follow_print *print_out);
/* Does the file at path begin as print says? Yes if print is empty. */
bool follow_print_matches(const char *path, const struct follow_print *print);
uint64_t follow_identity1(const struct follow_file *f);
struct follow_print follow_print_saved(uint64_t identity1);
uint64_t follow_path_hash(const char *path);        /* 16 bits */
uint64_t follow_path_hash_saved(uint64_t identity1);

/* ---- source_follow_look.c */
/* Looks at the files that are due; they become ready if there may be more in them. */
void follow_look(struct source_follow *s, int64_t now);
void follow_truncated(struct source_follow *s, struct follow_file *f, int64_t now);
/* The path has another file now, or none: f is where it was renamed to, or lost. */
void follow_moved(struct source_follow *s, struct follow_file *f, int64_t now);

/* ---- source_follow_scan.c */
void follow_pattern_add(struct source_follow *s, const char *text);
void follow_scan(struct source_follow *s, int64_t now);

/* ---- source_follow_beside.c */
bool follow_is_absent(int err); /* errno of a path where nothing lies */
/* Is it an error that path is not there, since its directory is not, or cannot be looked into? */
bool follow_dir_bad(const struct source_follow *s, const char *path, struct buf *why);
/* Is there something at path that is no file, or cannot be told (a loop of links, no permission, an
 * error of the disk), or is its directory bad? Not if nothing lies there. */
bool follow_path_bad(const struct source_follow *s, const char *path, struct buf *why);
/* The file that lies at path, if it is known: not one that ended, and another got its inode. */
struct follow_file *follow_known(struct source_follow *s, const char *path,
                                 const struct follow_stat *st);
/* A file beside `path`: with this identity, or (id 0) another one than not_id that begins as print
 * says and has `size` bytes. Returns its path, owned, or NULL. */
char *follow_beside(const char *path, uint64_t id, uint64_t not_id,
                    const struct follow_print *print, uint64_t size, struct follow_stat *st_out);
/* Generations for files rotated between the newest of p and `found` (time of change `after` ..). */
void follow_add_between(struct source_follow *s, struct follow_path *p, int64_t after,
                        const struct follow_stat *found);
bool follow_has_ending(const char *path, const char *ending); /* as a path: "b/c" of "a/b/c" */
/* What lies at the path of p is not its newest generation. */
void follow_rotated(struct source_follow *s, struct follow_path *p, const struct follow_stat *st,
                    int64_t now);

/* ---- source_follow_saved.c */
void follow_restore(struct source_follow *s, const struct follow_founds *found, int64_t now);
void follow_saved_free(struct source_follow *s);
/* Paths for files that have none, with their names. */
void follow_add_paths(struct source_follow *s, struct follow_founds *found);

#endif
