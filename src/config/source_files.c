// SPDX-License-Identifier: Apache-2.0
#include "config/source_files.h"

#include <errno.h>
#include <glob.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/buf.h"
#include "base/mem.h"
#include "config/config.h"

static void add(struct source_files *files, const char *path)
{
    for (size_t i = 0; i < files->n; i++)
        if (strcmp(files->path[i], path) == 0)
            return;
    files->path = vec_reserve(files->path, &files->cap, files->n + 1, sizeof *files->path);
    files->path[files->n++] = mem_strndup(path, strlen(path));
}

/* Is there anything but a directory? */
static bool is_file(const char *path)
{
    struct stat st;

    return stat(path, &st) == 0 && !S_ISDIR(st.st_mode);
}

static bool add_pattern(struct source_files *files, const struct config_source *source,
                        const char *pattern, struct buf *why)
{
    const char *wrong = NULL;
    size_t found = 0;
    glob_t g;

    if (is_file(pattern)) { /* the very name of a file, whatever is in it */
        add(files, pattern);
        return true;
    }
    int code = glob(pattern, 0, NULL, &g);
    for (size_t i = 0; code == 0 && i < g.gl_pathc; i++)
        if (is_file(g.gl_pathv[i])) {
            add(files, g.gl_pathv[i]);
            found++;
        }
    if (code == GLOB_NOSPACE || code == GLOB_ABORTED)
        wrong = strerror(code == GLOB_NOSPACE ? ENOMEM : errno);
    else if (found == 0)
        wrong = "there is no such file";
    if (wrong)
        buf_printf(why, "%ssource %s: %s: %s", why->len ? "\n" : "", source->name, pattern, wrong);
    globfree(&g);
    return !wrong;
}

static int by_text(const void *a, const void *b)
{
    return strcmp(*(char *const *)a, *(char *const *)b);
}

bool source_files_find(struct source_files *files_out, const struct config_source *source,
                       struct buf *why)
{
    bool ok = true;

    *files_out = (struct source_files){0};
    if (source->kind == CONFIG_STDIN)
        add(files_out, "-");
    for (size_t i = 0; i < source->n_paths; i++)
        ok = add_pattern(files_out, source, source->path[i], why) && ok;
    if (files_out->n > 1)
        qsort(files_out->path, files_out->n, sizeof *files_out->path, by_text);
    return ok;
}

void source_files_fini(struct source_files *files)
{
    for (size_t i = 0; i < files->n; i++)
        mem_free(files->path[i]);
    mem_free(files->path);
    *files = (struct source_files){0};
}
