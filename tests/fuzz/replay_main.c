// SPDX-License-Identifier: Apache-2.0
/*
 * replay_main - a fuzz target without a fuzzer: runs it over files.
 *
 *   fuzz_NOUN [FILE|FOLDER ...]    without arguments: $top_srcdir/tests/fuzz/corpus/NOUN
 *
 * Each input is in memory of its own exact size, so that reading behind it is seen.
 */
#include <fuzz/fuzz.h>

#include <dirent.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

static const char *current = "";

/* AddressSanitizer calls it before its report. */
void __asan_on_error(void);
void __asan_on_error(void)
{
    fprintf(stderr, "input: %s\n", current);
}

static bool run_file(const char *path, size_t size)
{
    FILE *file = fopen(path, "rb");
    uint8_t *data = malloc(size + !size);
    bool right = file != NULL && data != NULL && fread(data, 1, size, file) == size;

    if (file != NULL)
        fclose(file);
    if (right) {
        current = path;
        printf("%s\n", path); /* what is to be seen if it aborts */
        fflush(stdout);
        LLVMFuzzerTestOneInput(data, size);
    } else {
        fprintf(stderr, "%s: cannot be read\n", path);
    }
    free(data);
    return right;
}

static int run_path(const char *path)
{
    struct stat st;
    struct dirent **entry;
    int n = 0, n_entries;

    if (stat(path, &st) != 0)
        return -1;
    if (!S_ISDIR(st.st_mode))
        return run_file(path, (size_t)st.st_size) ? 1 : -1;
    n_entries = scandir(path, &entry, NULL, alphasort);
    for (int i = 0; i < n_entries; i++) {
        char below[PATH_MAX];

        snprintf(below, sizeof below, "%s/%s", path, entry[i]->d_name);
        if (entry[i]->d_name[0] != '.' && n >= 0) {
            int one = run_path(below);

            n = one < 0 ? -1 : n + one;
        }
        free(entry[i]);
    }
    if (n_entries >= 0)
        free(entry);
    return n;
}

int main(int argc, char **argv)
{
    const char *top = getenv("top_srcdir"), *name = strstr(argv[0], "fuzz_");
    char corpus[PATH_MAX];
    int total = 0;

    for (const char *at = name; at != NULL; at = strstr(at + 1, "fuzz_"))
        name = at;
    snprintf(corpus, sizeof corpus, "%s/tests/fuzz/corpus/%s", top ? top : ".", name ? name + 5 : "");
    for (int i = 1; i < argc || (argc == 1 && i == 1); i++) {
        const char *path = argc == 1 ? corpus : argv[i];
        int n = run_path(path);

        if (n < 0)
            fprintf(stderr, "%s: cannot be read\n", path);
        if (n < 0)
            return 2;
        total += n;
    }
    printf("%d inputs\n", total);
    return total > 0 ? 0 : 1;
}
