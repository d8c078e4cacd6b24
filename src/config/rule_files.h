// SPDX-License-Identifier: Apache-2.0
/*
 * rule_files - the rules that a command line or a configuration names: files, and every *.rule file
 * below directories, in the order of their names; hidden ones are left out, and a file counts once.
 */
#ifndef CONFIG_RULE_FILES_H
#define CONFIG_RULE_FILES_H

#include <stdbool.h>
#include <stddef.h>

struct diag;
struct program;
struct program_options;
struct program_source_text;
struct rule_file_id;

struct rule_files { /* embedded: _init, _fini */
    struct program_source_text *text; /* owned, names and texts too */
    struct rule_file_id *id;          /* beside text: tells equal files */
    size_t n, cap_text, cap_id;
    size_t seen;                      /* rule files, those that were known already too */
    bool may_be_empty;                /* a directory without a rule is no mistake */
    bool failed;                      /* something could not be read; it was said */
    struct diag *diag;                /* borrowed: where; NULL: on standard error */
};

void rule_files_init(struct rule_files *files);
void rule_files_fini(struct rule_files *files);
/* Adds a file or directory; what is wrong is said, and sets failed. */
void rule_files_add(struct rule_files *files, const char *path);
/* Compiles all together: an owned program, or NULL. What is wrong is in diag. */
struct program *rule_files_compile(const struct rule_files *files,
                                   const struct program_options *opt, struct diag *diag);
/* Prints what is wrong to standard error. */
void rule_files_say(const struct diag *diag);
/* The same, and prints what is wrong, warnings too, to standard error. NULL if anything failed. */
struct program *rule_files_compile_loud(const struct rule_files *files,
                                        const struct program_options *opt);

#endif
