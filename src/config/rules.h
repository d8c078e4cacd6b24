// SPDX-License-Identifier: Apache-2.0
/*
 * rules - the rules of a configuration: the texts of all files below `rules`, and the program that
 * they are together with its sources and sinks. `tocsind`, `tocsind --check` and `tocsin replay -c`
 * all compile here.
 *
 * Every source that a rule reads must be one of the configuration, every sink that is named in `to` or
 * `quarantine` too.
 */
#ifndef CONFIG_RULES_H
#define CONFIG_RULES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "state/modules.h"

struct config;
struct diag;
struct program;
struct program_options;
struct program_source_text;

struct config_module {
    char *name; /* relative to the directory; of a single file without its directory */
    char *path; /* as it is opened and shown in diagnostics */
    char *text; /* NUL-terminated */
    size_t len;
    enum module_origin origin; /* one that is no file reads files of the rules directory alone */
    uint64_t version; /* of such */
};
struct config_rules { /* embedded: _read, _fini */
    struct config_module *module; /* owned; sorted by name */
    size_t n;
};

/* Reads all modules; false and diagnostics if some cannot be read, or there is none. rules_out is to
 * be freed either way. */
bool config_rules_read(const struct config *config, struct config_rules *rules_out,
                       struct diag *diag);
/* Adds one; name, text: copied. It is sorted in by config_rules_sort. */
struct config_module *config_rules_add(const struct config *config, struct config_rules *rules,
                                       const char *name, const char *text, size_t len);
void config_rules_sort(struct config_rules *rules);
void config_rules_fini(struct config_rules *rules);
/* The path of a module by its name, whether it is there or not: of a text that was kept. Owned. */
char *config_rules_path(const struct config *config, const char *name);
/* An owned program, or NULL and diagnostics. more: further options, or NULL; its sources, sinks and
 * paths are the configuration's. List and table files are relative to a module's path. */
struct program *config_rules_compile(const struct config *config, const struct config_rules *rules,
                                     const struct program_options *more, struct diag *diag);
/* The same of texts that come from elsewhere. */
struct program *config_texts_compile(const struct config *config,
                                     const struct program_source_text *text, size_t n,
                                     const struct program_options *more, struct diag *diag);
/* Both. `now` (ns) is for exceptions that have expired; 0: not judged. */
struct program *config_compile(const struct config *config, int64_t now, struct diag *diag);

#endif
