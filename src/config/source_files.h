// SPDX-License-Identifier: Apache-2.0
/* source_files - the files that a source names, as they are there now: for a replay. */
#ifndef CONFIG_SOURCE_FILES_H
#define CONFIG_SOURCE_FILES_H

#include <stdbool.h>
#include <stddef.h>

struct buf;
struct config_source;

struct source_files { /* embedded: _find, _fini */
    char **path;      /* owned; each once, sorted; "-" of a source of `stdin` */
    size_t n, cap;
};

/* False and a line of message for each pattern that no file fits. Directories are left out. */
bool source_files_find(struct source_files *files_out, const struct config_source *source,
                       struct buf *why);
void source_files_fini(struct source_files *files);

#endif
