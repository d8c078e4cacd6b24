// SPDX-License-Identifier: Apache-2.0
/* Which file a path means, however it is spelled: a sink must write to none that is read. */
#include <fnmatch.h>
#include <stdlib.h>
#include <string.h>

#include "base/buf.h"
#include "base/mem.h"
#include "config/config_priv.h"

/* The path with its directory as the system has it, if that is there and is no pattern. Owned. */
static char *real_path(const char *path)
{
    const char *slash = strrchr(path, '/');
    size_t len = slash ? (size_t)(slash - path) + 1 : 0;
    char *dir = slash ? mem_strndup(path, len) : mem_strndup(".", 1);
    char *real = strpbrk(dir, "*?[\\") ? NULL : realpath(dir, NULL);
    char *result;

    if (real) {
        struct buf b;
        buf_init(&b);
        buf_printf(&b, "%s/%s", strcmp(real, "/") == 0 ? "" : real, path + len);
        result = buf_take(&b);
    } else {
        result = mem_strndup(path, strlen(path));
    }
    free(real);
    mem_free(dir);
    return result;
}

bool config_same_file(const char *a, const char *b)
{
    char *real_a = real_path(a), *real_b = real_path(b);
    bool same = strcmp(a, b) == 0 || strcmp(real_a, real_b) == 0;

    mem_free(real_a);
    mem_free(real_b);
    return same;
}

bool config_reads_file(const struct config_source *source, const char *path)
{
    char *real = real_path(path);
    bool reads = false;

    for (size_t i = 0; i < source->n_paths && !reads; i++) {
        char *pattern = real_path(source->path[i]);
        reads = strcmp(pattern, real) == 0 || fnmatch(pattern, real, FNM_PATHNAME | FNM_PERIOD) == 0 ||
                fnmatch(source->path[i], path, FNM_PATHNAME | FNM_PERIOD) == 0;
        mem_free(pattern);
    }
    mem_free(real);
    return reads;
}

bool config_is_rule_file(const struct config *config, const char *path)
{
    static const char end[] = ".rule";
    size_t len = strlen(path);
    bool is = config_same_file(path, config->rules);

    if (is || len < sizeof end || strcmp(path + len - sizeof end + 1, end) != 0)
        return is;
    char *file = real_path(path), *rules = realpath(config->rules, NULL);
    size_t n = rules ? strlen(rules) : 0;
    is = rules && strncmp(file, rules, n) == 0 && file[n] == '/';
    free(rules);
    mem_free(file);
    return is;
}
