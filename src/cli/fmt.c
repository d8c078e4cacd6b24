// SPDX-License-Identifier: Apache-2.0
/* `tocsin fmt`: rule files in canonical layout. */
#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/buf.h"
#include "base/diag.h"
#include "cli/command.h"
#include "config/rule_files.h"
#include "lang/format.h"
#include "plan/program.h"

struct request {
    struct rule_files files;
    bool check, to_stdout;
};

static int complain(const char *path)
{
    fprintf(stderr, "tocsin: %s: %s\n", path, strerror(errno));
    return EXIT_FAILED;
}

static bool write_all(int fd, const char *data, size_t len)
{
    for (size_t done = 0; done < len;) {
        ssize_t n = write(fd, data + done, len - done);

        if (n < 0 && errno != EINTR)
            return false;
        done += n > 0 ? (size_t)n : 0;
    }
    return true;
}

/* The text in the file `temporary`, as open to others as the file was. */
static bool fill(int fd, const struct stat *st, const struct buf *text)
{
    bool good = write_all(fd, text->data, text->len) && fchmod(fd, st->st_mode & 07777) == 0;

    if (good && fchown(fd, st->st_uid, st->st_gid) != 0)
        errno = 0; /* another's file: it becomes the writer's */
    good = good && fsync(fd) == 0;
    return close(fd) == 0 && good;
}

/* The file has the old text or the new one, whatever happens; a link stays one. */
static int replace(const char *path, const struct buf *text)
{
    char *target = realpath(path, NULL);
    struct buf temporary;
    struct stat st;
    bool good = false;
    int fd = -1;

    if (!target || stat(target, &st) != 0) {
        free(target);
        return complain(path);
    }
    buf_init(&temporary);
    buf_printf(&temporary, "%s.XXXXXX", target);
    fd = mkstemp(temporary.data);
    if (fd >= 0) {
        good = fill(fd, &st, text) && rename(temporary.data, target) == 0;
        if (!good) {
            int why = errno;

            unlink(temporary.data);
            errno = why;
        }
    }
    buf_fini(&temporary);
    free(target);
    return good ? EXIT_OK : complain(path);
}

static int done(const struct request *rq, const struct program_source_text *file, const struct buf *text)
{
    if (rq->to_stdout) {
        fwrite(text->data, 1, text->len, stdout);
        return EXIT_OK;
    }
    if (text->len == file->len && memcmp(text->data, file->text, text->len) == 0)
        return EXIT_OK;
    printf("%s\n", file->name);
    return rq->check ? EXIT_FAILED : replace(file->name, text);
}

static int format_one(const struct request *rq, const struct program_source_text *file)
{
    struct diag *diag = diag_new();
    struct buf text, why;
    int code = EXIT_USAGE;

    buf_init(&text);
    buf_init(&why);
    if (format_text(file->name, file->text, file->len, diag, &text) == FORMAT_OK) {
        code = done(rq, file, &text);
    } else {
        diag_print(diag, &why);
        fputs(why.data, stderr);
    }
    buf_fini(&text);
    buf_fini(&why);
    diag_free(&diag);
    return code;
}

static int format_all(const struct request *rq)
{
    int code = rq->files.failed ? EXIT_USAGE : EXIT_OK;

    for (size_t i = 0; i < rq->files.n; i++) {
        int one = format_one(rq, &rq->files.text[i]);

        code = one > code ? one : code;
    }
    return code;
}

int run_fmt(int argc, char **argv)
{
    struct command_line line;
    struct request rq = {0};
    enum option_id option;
    const char *value;
    int code;

    rule_files_init(&rq.files);
    command_line_init(&line, COMMAND_fmt, argc, argv);
    while ((option = command_line_next(&line, &value)) < OPTION_HELP) {
        if (option == OPTION_fmt_CHECK)
            rq.check = true;
        else if (option == OPTION_fmt_STDOUT)
            rq.to_stdout = true;
        else
            rule_files_add(&rq.files, value);
    }
    if (option == OPTION_HELP)
        code = EXIT_OK;
    else if (option == OPTION_BAD)
        code = EXIT_USAGE;
    else if (rq.check && rq.to_stdout)
        code = command_usage_error(COMMAND_fmt, "--check and --stdout do not go together");
    else if (rq.files.n == 0)
        code = rq.files.failed ? EXIT_USAGE : command_usage_error(COMMAND_fmt, "no rules are named");
    else
        code = format_all(&rq);
    rule_files_fini(&rq.files);
    return code;
}
