// SPDX-License-Identifier: Apache-2.0
/*
 * resolve_list - the items of declared lists: literals of the list's kind, or the lines of a file
 * that stands beside the file which declares it. Blank lines and lines that begin with `#` are no
 * entries. A bad line is told at the place of the file's name, with its number; one message a file.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/arena.h"
#include "base/cidr.h"
#include "base/diag.h"
#include "base/hash.h"
#include "base/mem.h"
#include "base/regex.h"
#include "base/utf8.h"
#include "lang/resolve_priv.h"

enum {
    LIST_MAX_BYTES = 64 << 20,
    LIST_MAX_ENTRIES = 1000000,
    LIST_WHY = 200, /* bytes of a reason */
};

/* Is the text an entry of a list of this kind? If not, why, in `why`. */
static bool fits_kind(enum ast_list_kind kind, struct cidr_set *nets, const char *text, size_t len,
                      char why[LIST_WHY])
{
    if (kind == AST_LIST_CIDR) {
        const char *reason;
        if (cidr_set_add(nets, text, len, &reason))
            return true;
        snprintf(why, LIST_WHY, "bad network `%.*s`: %s", len < 60 ? (int)len : 60, text, reason);
        return false;
    }
    if (kind == AST_LIST_REGEX) {
        char *error = NULL;
        size_t offset = 0;
        struct regex *re = regex_new(text, len, false, &error, &offset);
        if (re != NULL) {
            regex_free(&re);
            return true;
        }
        snprintf(why, LIST_WHY, "bad pattern: %s at offset %zu", error, offset);
        mem_free(error);
        return false;
    }
    return true;
}

static const char *kind_name(enum ast_list_kind kind)
{
    static const char *const names[] = {
        [AST_LIST_PLAIN] = "list", [AST_LIST_TEXT] = "text",   [AST_LIST_CIDR] = "cidr",
        [AST_LIST_LIKE] = "like",  [AST_LIST_REGEX] = "regex",
    };
    return names[kind];
}

void resolve_fold_sign(struct ast_expr *item)
{
    if (item->kind != AST_UNARY || item->op != AST_OP_NEG || item->args[0]->kind != AST_LITERAL)
        return;
    struct value v = item->args[0]->value;
    if (v.type == VALUE_DOUBLE)
        v.u.d = -v.u.d;
    else if ((v.type == VALUE_INT || v.type == VALUE_DURATION) && v.u.i != INT64_MIN)
        v.u.i = -v.u.i;
    else
        return;
    item->kind = AST_LITERAL;
    item->value = v;
    item->n_args = 0;
}

static void check_item(struct resolver *r, enum ast_list_kind kind, struct cidr_set *nets,
                       struct ast_expr *item)
{
    char why[LIST_WHY];
    resolve_fold_sign(item);
    if (item->kind != AST_LITERAL) {
        diag_add(r->diag, DIAG_ERROR, item->span, "a list holds literals only");
        return;
    }
    if (item->value.type == VALUE_MISSING) {
        diag_add(r->diag, DIAG_ERROR, item->span, "`null` in a list equals nothing");
        return;
    }
    if (kind == AST_LIST_PLAIN)
        return;
    if (item->value.type != VALUE_TEXT)
        diag_add(r->diag, DIAG_ERROR, item->span, "an entry of a `%s` list is a text, this is not",
                 kind_name(kind));
    else if (!fits_kind(kind, nets, item->value.u.text, item->value.len, why))
        diag_add(r->diag, DIAG_ERROR, item->span, "%s", why);
}

/* ---- files --------------------------------------------------------------------------------- */

const char *resolve_beside(struct resolver *r, const struct ast_name *file)
{
    const char *declaring = diag_file_name(r->diag, file->span.file);
    const char *slash = strrchr(declaring, '/');
    if (file->text[0] == '/' || slash == NULL)
        return file->text;
    size_t folder = (size_t)(slash - declaring) + 1, len = strlen(file->text);
    char *path = arena_alloc(r->arena, folder + len + 1);
    memcpy(path, declaring, folder);
    memcpy(path + folder, file->text, len);
    return path;
}

static bool read_whole(int fd, char *text, size_t size, size_t *len_out)
{
    *len_out = 0;
    while (*len_out < size) {
        ssize_t n = read(fd, text + *len_out, size - *len_out);
        if (n < 0 && errno == EINTR)
            continue;
        if (n < 0)
            return false;
        if (n == 0)
            break;
        *len_out += (size_t)n;
    }
    return true;
}

bool resolve_is_confined(const struct resolver *r, uint32_t file)
{
    const struct lang_options *opt = r->opt;

    return opt && file >= opt->confined_from && file - opt->confined_from < opt->n_confined &&
           opt->confined[file - opt->confined_from];
}

static bool leads_elsewhere(const char *path)
{
    if (path[0] == '/')
        return true;
    for (const char *at = path; *at;) {
        size_t len = strcspn(at, "/");
        if (len == 2 && at[0] == '.' && at[1] == '.')
            return true;
        at += len + (at[len] == '/');
    }
    return false;
}

void resolve_note_loaded(struct resolver *r, const void *data, size_t len)
{
    r->unit->has_loaded = true;
    for (int i = 0; i < 2; i++)
        r->unit->loaded[i] = hash_mix(hash64(data, len, (uint64_t)i), r->unit->loaded[i]);
}

char *resolve_load(struct resolver *r, const struct ast_name *file, size_t max, size_t padding,
                   size_t *len_out)
{
    const char *path = resolve_beside(r, file);
    struct stat st;
    char *text = NULL;
    if (resolve_is_confined(r, file->span.file) && leads_elsewhere(file->text)) {
        diag_add(r->diag, DIAG_ERROR, file->span,
                 "a module that came over the network reads files of the rules directory alone");
        diag_hint(r->diag, "a relative path without `..`");
        return NULL;
    }
    int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    if (fd < 0 || fstat(fd, &st) < 0) {
        diag_add(r->diag, DIAG_ERROR, file->span, "cannot read `%s`: %s", path, strerror(errno));
    } else if (!S_ISREG(st.st_mode)) {
        diag_add(r->diag, DIAG_ERROR, file->span, "cannot read `%s`: not a file", path);
    } else if ((size_t)st.st_size > max) {
        diag_add(r->diag, DIAG_ERROR, file->span, "`%s` has more than %zu MiB", path, max >> 20);
    } else {
        text = mem_alloc((size_t)st.st_size + padding + 1);
        if (read_whole(fd, text, (size_t)st.st_size, len_out)) {
            memset(text + *len_out, 0, padding + 1);
            resolve_note_loaded(r, text, *len_out);
        } else {
            diag_add(r->diag, DIAG_ERROR, file->span, "cannot read `%s`: %s", path,
                     strerror(errno));
            mem_free(text);
            text = NULL;
        }
    }
    if (fd >= 0)
        close(fd);
    return text;
}

struct line {
    const char *text; /* trimmed */
    size_t len;
};

/* Takes the next line off [*at, end); false at the end. */
static bool next_line(const char **at, const char *end, struct line *line_out)
{
    if (*at == end)
        return false;
    const char *from = *at, *to = memchr(from, '\n', (size_t)(end - from));
    *at = to != NULL ? to + 1 : end;
    if (to == NULL)
        to = end;
    while (from < to && (*from == ' ' || *from == '\t' || *from == '\r'))
        from++;
    while (from < to && (to[-1] == ' ' || to[-1] == '\t' || to[-1] == '\r'))
        to--;
    *line_out = (struct line){from, (size_t)(to - from)};
    return true;
}

static void bad_line(struct resolver *r, const struct ast_name *file, uint32_t number,
                     const char *why)
{
    diag_add(r->diag, DIAG_ERROR, file->span, "%s, line %u: %s", file->text, number, why);
}

static void load_file(struct resolver *r, struct ast_list *list, enum ast_list_kind kind,
                      struct cidr_set *nets)
{
    size_t len, cap = 0, n = 0;
    char *loaded = resolve_load(r, &list->file, LIST_MAX_BYTES, 0, &len);
    if (loaded == NULL)
        return;
    const char *text = arena_memdup(r->arena, loaded, len + 1);
    mem_free(loaded);
    const char *at = text, *end = text + len;
    if (len >= 3 && memcmp(text, "\xef\xbb\xbf", 3) == 0)
        at += 3; /* byte order mark */

    struct ast_expr **item = NULL;
    struct line line;
    char why[LIST_WHY];
    for (uint32_t number = 1; next_line(&at, end, &line); number++) {
        if (line.len == 0 || line.text[0] == '#')
            continue;
        const char *bad = NULL;
        if (n == LIST_MAX_ENTRIES)
            bad = "more than 1000000 entries";
        else if (!utf8_valid(line.text, line.len, NULL))
            bad = "not UTF-8";
        else if (!fits_kind(kind, nets, line.text, line.len, why))
            bad = why;
        if (bad != NULL) {
            bad_line(r, &list->file, number, bad);
            break;
        }
        item = vec_reserve(item, &cap, n + 1, sizeof(struct ast_expr *));
        item[n++] =
            ast_literal(r->arena, list->file.span, value_text(line.text, line.len), AST_FORM_PLAIN);
    }
    list->item = n > 0 ? arena_memdup(r->arena, item, n * sizeof(struct ast_expr *)) : NULL;
    list->n_items = (uint32_t)n;
    mem_free(item);
}

void resolve_list_items(struct resolver *r, struct ast_list *list, enum ast_list_kind kind)
{
    struct cidr_set *nets = cidr_set_new();
    if (list->file.text != NULL) {
        load_file(r, list, kind, nets);
    } else {
        for (uint32_t i = 0; i < list->n_items; i++)
            check_item(r, kind, nets, list->item[i]);
    }
    cidr_set_free(&nets);
}
