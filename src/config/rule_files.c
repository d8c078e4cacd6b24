// SPDX-License-Identifier: Apache-2.0
#include "config/rule_files.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/buf.h"
#include "base/diag.h"
#include "base/mem.h"
#include "base/read_all.h"
#include "config/table_kafka.h"
#include "lang/parse.h"
#include "plan/program.h"

enum { MAX_DEPTH = 40 }; /* of directories: links may make circles */

struct rule_file_id {
    uint64_t device, inode;
};

void rule_files_init(struct rule_files *files)
{
    *files = (struct rule_files){0};
}

void rule_files_fini(struct rule_files *files)
{
    for (size_t i = 0; i < files->n; i++) {
        mem_free((char *)(uintptr_t)files->text[i].name);
        mem_free((char *)(uintptr_t)files->text[i].text);
    }
    mem_free(files->text);
    mem_free(files->id);
    rule_files_init(files);
}

static void complain(struct rule_files *files, const char *path, const char *what)
{
    struct span nowhere = {.file = UINT32_MAX};

    if (files->diag)
        diag_add(files->diag, DIAG_ERROR, nowhere, "%s: %s", path, what);
    else
        fprintf(stderr, "tocsin: %s: %s\n", path, what);
    files->failed = true;
}

static void add_text(struct rule_files *files, const char *path, const struct stat *st,
                     struct buf *text)
{
    struct program_source_text source = {.name = mem_strndup(path, strlen(path)),
                                         .len = text->len};

    source.text = buf_take(text);
    files->text = vec_reserve(files->text, &files->cap_text, files->n + 1, sizeof *files->text);
    files->id = vec_reserve(files->id, &files->cap_id, files->n + 1, sizeof *files->id);
    files->text[files->n] = source;
    files->id[files->n++] = (struct rule_file_id){st->st_dev, st->st_ino};
}

static bool is_known(const struct rule_files *files, const struct stat *st)
{
    for (size_t i = 0; i < files->n; i++)
        if (files->id[i].device == st->st_dev && files->id[i].inode == st->st_ino)
            return true;
    return false;
}

static void add_file(struct rule_files *files, const char *path)
{
    struct stat st;
    struct buf text;
    int fd = open(path, O_RDONLY | O_CLOEXEC);

    files->seen++;
    if (fd < 0 || fstat(fd, &st) != 0) {
        complain(files, path, strerror(errno));
    } else if (!is_known(files, &st)) {
        buf_init(&text);
        buf_adds(&text, ""); /* never NULL */
        if (read_all(fd, PARSE_MAX_BYTES, &text))
            add_text(files, path, &st, &text);
        else
            complain(files, path, strerror(errno));
        buf_fini(&text);
    }
    if (fd >= 0)
        close(fd);
}

static int is_wanted(const struct dirent *entry)
{
    return entry->d_name[0] != '.';
}

static int by_name(const struct dirent **a, const struct dirent **b)
{
    return strcmp((*a)->d_name, (*b)->d_name);
}

static bool is_rule_file(const char *name)
{
    size_t len = strlen(name);
    return len > 5 && strcmp(name + len - 5, ".rule") == 0;
}

static void add_directory(struct rule_files *files, const char *path, int depth)
{
    struct dirent **entry;
    int n = depth < MAX_DEPTH ? scandir(path, &entry, is_wanted, by_name) : -1;

    if (n < 0) {
        complain(files, path, depth < MAX_DEPTH ? strerror(errno) : "too deep");
        return;
    }
    for (int i = 0; i < n; i++) {
        struct buf below;
        struct stat st;

        buf_init(&below);
        buf_printf(&below, "%s%s%s", path, path[strlen(path) - 1] == '/' ? "" : "/",
                   entry[i]->d_name);
        bool there = stat(below.data, &st) == 0;
        if (there && S_ISDIR(st.st_mode))
            add_directory(files, below.data, depth + 1);
        else if (is_rule_file(entry[i]->d_name) && there && S_ISFIFO(st.st_mode))
            complain(files, below.data, "a pipe, which may never end"); /* one that is named is read */
        else if (is_rule_file(entry[i]->d_name))
            add_file(files, below.data);
        buf_fini(&below);
        free(entry[i]);
    }
    free(entry);
}

void rule_files_add(struct rule_files *files, const char *path)
{
    struct stat st;
    size_t before = files->seen;

    if (!*path || stat(path, &st) != 0) {
        complain(files, path, *path ? strerror(errno) : "an empty name");
    } else if (S_ISDIR(st.st_mode)) {
        add_directory(files, path, 0);
        if (files->seen == before && !files->failed && !files->may_be_empty)
            complain(files, path, "there is no *.rule file below it");
    } else {
        add_file(files, path);
    }
}

struct program *rule_files_compile(const struct rule_files *files,
                                   const struct program_options *opt, struct diag *diag)
{
    struct config_table_check check = {.config = NULL};
    struct program_options with = *opt;

    if (!with.check_kafka) {
        with.check_kafka = config_check_table;
        with.check_kafka_ctx = &check;
    }
    return program_compile(files->text, files->n, &with, diag);
}

void rule_files_say(const struct diag *diag)
{
    struct buf out;

    buf_init(&out);
    diag_print(diag, &out);
    fputs(out.len ? out.data : "", stderr);
    buf_fini(&out);
}

struct program *rule_files_compile_loud(const struct rule_files *files,
                                        const struct program_options *opt)
{
    struct diag *diag = diag_new();
    struct program *prog = rule_files_compile(files, opt, diag);

    rule_files_say(diag);
    diag_free(&diag);
    if (files->failed && prog)
        program_unref(&prog);
    return prog;
}
