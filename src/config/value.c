// SPDX-License-Identifier: Apache-2.0
/* Texts of a configuration: literals, env("NAME"), file("path"); paths. */
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/buf.h"
#include "base/mem.h"
#include "base/suggest.h"
#include "base/utf8.h"
#include "config/config_priv.h"

enum { MAX_TEXT = 65536, MAX_PATH = 4095 };

bool config_did_you_mean(struct reading *rd, const struct suggest *s)
{
    const char *best = suggest_result(s);

    if (best)
        diag_hint(rd->diag, "did you mean `%s`?", best);
    return best != NULL;
}

/* ---- env and file ---------------------------------------------------------------------------- */

static char *from_environment(struct reading *rd, struct span span, const char *name)
{
    const char *text = getenv(name);

    if (!text) {
        diag_add(rd->diag, DIAG_ERROR, span, "the environment has no variable `%s`", name);
        diag_hint(rd->diag, "set it for the process that reads this");
        return NULL;
    }
    return mem_strndup(text, strlen(text));
}

const char *config_file_text(const char *path, struct buf *out)
{
    struct stat st;
    int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    const char *wrong = fd < 0 || fstat(fd, &st) != 0 ? strerror(errno) : NULL;

    if (!wrong && !S_ISREG(st.st_mode))
        wrong = "it is no regular file";
    while (!wrong && out->len <= MAX_TEXT) {
        buf_reserve(out, MAX_TEXT);
        ssize_t n = read(fd, out->data + out->len, MAX_TEXT);
        if (n == 0)
            break;
        if (n < 0 && errno != EINTR)
            wrong = strerror(errno);
        out->len += n > 0 ? (size_t)n : 0;
    }
    if (fd >= 0)
        close(fd);
    if (!wrong && out->len > MAX_TEXT)
        wrong = "it has more than 64 KiB";
    if (!wrong && out->len > 0 && memchr(out->data, '\0', out->len))
        wrong = "it holds a NUL byte";
    return wrong;
}

/* The content of a file without the line ends behind it. */
static char *from_file(struct reading *rd, struct span span, const char *name)
{
    char *path = config_join(rd->config->dir, name, false);
    struct buf text;
    const char *wrong;

    buf_init(&text);
    buf_adds(&text, "");
    wrong = config_file_text(path, &text);
    if (wrong)
        diag_add(rd->diag, DIAG_ERROR, span, "cannot read %s: %s", path, wrong);
    while (text.len > 0 && (text.data[text.len - 1] == '\n' || text.data[text.len - 1] == '\r'))
        text.len--;
    mem_free(path);
    char *result = wrong ? NULL : mem_strndup(text.data, text.len);
    buf_fini(&text);
    return result;
}

static bool is_text(const struct ast_expr *value)
{
    return value->kind == AST_LITERAL && value->value.type == VALUE_TEXT;
}

static char *call(struct reading *rd, const struct ast_expr *value)
{
    bool env = strcmp(value->name.text, "env") == 0;
    struct suggest s;

    if (!env && strcmp(value->name.text, "file") != 0) {
        diag_add(rd->diag, DIAG_ERROR, value->name.span, "there is no `%s()` in a configuration",
                 value->name.text);
        suggest_init(&s, value->name.text);
        suggest_try(&s, "env");
        suggest_try(&s, "file");
        if (!config_did_you_mean(rd, &s))
            diag_hint(rd->diag, "there are env(\"NAME\") and file(\"path\")");
        return NULL;
    }
    if (value->n_args != 1 || !is_text(value->args[0]) || value->args[0]->value.len == 0 ||
        memchr(value->args[0]->value.u.text, '\0', value->args[0]->value.len)) {
        diag_add(rd->diag, DIAG_ERROR, value->span, "`%s` takes one text", value->name.text);
        diag_hint(rd->diag, env ? "write env(\"NAME\")" : "write file(\"path\")");
        return NULL;
    }
    char *name = mem_strndup(value->args[0]->value.u.text, value->args[0]->value.len);
    char *text = env ? from_environment(rd, value->span, name) : from_file(rd, value->span, name);
    mem_free(name);
    size_t bad;
    if (text && !utf8_valid(text, strlen(text), &bad)) {
        diag_add(rd->diag, DIAG_ERROR, value->span, "what it holds is not valid UTF-8");
        mem_free(text);
        text = NULL;
    }
    return text;
}

/* ---- texts ----------------------------------------------------------------------------------- */

static void no_text(struct reading *rd, const char *key, const struct ast_expr *value)
{
    diag_add(rd->diag, DIAG_ERROR, value->span, "`%s` is a text", key);
    if (value->kind == AST_PATH)
        diag_hint(rd->diag, "put it in quotes");
    else
        diag_hint(rd->diag, "write %s \"...\", or env(\"NAME\"), or file(\"path\")", key);
}

char *config_text(struct reading *rd, const char *key, const struct ast_expr *value)
{
    if (value->kind == AST_CALL && value->n_parts == 0)
        return call(rd, value);
    if (!is_text(value)) {
        no_text(rd, key, value);
        return NULL;
    }
    if (memchr(value->value.u.text, '\0', value->value.len)) {
        diag_add(rd->diag, DIAG_ERROR, value->span, "`%s` may not hold a NUL character", key);
        return NULL;
    }
    return mem_strndup(value->value.u.text, value->value.len);
}

char *config_secret_text(struct reading *rd, const char *key, const struct ast_expr *value,
                         const char *stand_in)
{
    bool is_call = value->kind == AST_CALL && value->n_parts == 0 && value->n_args == 1 &&
                   (strcmp(value->name.text, "env") == 0 || strcmp(value->name.text, "file") == 0);

    if (rd->no_secrets && is_call)
        return mem_strndup(stand_in, strlen(stand_in));
    return config_text(rd, key, value);
}

/* ---- paths ----------------------------------------------------------------------------------- */

char *config_join(const char *dir, const char *path, bool pattern)
{
    struct buf b;

    buf_init(&b);
    while (path[0] == '.' && path[1] == '/' && path[2]) /* one spelling of one file */
        path += 2;
    for (const char *c = path[0] == '/' ? "" : dir; *c; c++) {
        if (pattern && (*c == '*' || *c == '?' || *c == '['))
            buf_printf(&b, "[%c]", *c);
        else if (pattern && *c == '\\')
            buf_adds(&b, "\\\\");
        else
            buf_addc(&b, *c);
    }
    buf_adds(&b, path);
    while (!pattern && b.len > 1 && b.data[b.len - 1] == '/')
        b.data[--b.len] = '\0';
    return buf_take(&b);
}

char *config_path(struct reading *rd, const char *key, const struct ast_expr *value, bool pattern)
{
    char *text = config_text(rd, key, value), *path = NULL;

    if (!text)
        return NULL;
    if (!*text)
        diag_add(rd->diag, DIAG_ERROR, value->span, "`%s` is empty", key);
    else if (strlen(text) > MAX_PATH)
        diag_add(rd->diag, DIAG_ERROR, value->span, "`%s` is longer than %d bytes", key,
                 (int)MAX_PATH);
    else
        path = config_join(rd->config->dir, text, pattern);
    mem_free(text);
    return path;
}
