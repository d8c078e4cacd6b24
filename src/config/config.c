// SPDX-License-Identifier: Apache-2.0
#include "config/config.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <unistd.h>

#include "base/buf.h"
#include "base/mem.h"
#include "config/config_priv.h"
#include "flow/time_field.h"
#include "lang/parse.h"

uint32_t config_sink_named(const struct config *config, const char *name)
{
    for (size_t i = 0; i < config->n_sinks; i++)
        if (strcmp(config->sink[i].name, name) == 0)
            return (uint32_t)i;
    return UINT32_MAX;
}

uint32_t config_source_named(const struct config *config, const char *name)
{
    for (size_t i = 0; i < config->n_sources; i++)
        if (strcmp(config->source[i].name, name) == 0)
            return (uint32_t)i;
    return UINT32_MAX;
}

static void free_texts(char **text, size_t n)
{
    for (size_t i = 0; i < n; i++)
        mem_free(text[i]);
    mem_free(text);
}

void config_free(struct config **config)
{
    struct config *c = *config;

    *config = NULL;
    if (!c)
        return;
    for (size_t i = 0; i < c->n_sources; i++) {
        struct config_source *source = &c->source[i];
        mem_free(source->name);
        free_texts(source->path, source->n_paths);
        mem_free(source->time);
        mem_free(source->order_by);
        mem_free(source->late);
        mem_free(source->dead_letter);
    }
    for (size_t i = 0; i < c->n_sinks; i++) {
        mem_free(c->sink[i].name);
        mem_free(c->sink[i].path);
    }
    free_texts(c->default_to, c->n_default_to);
    mem_free(c->text);
    mem_free(c->source);
    mem_free(c->sink);
    mem_free(c->rules);
    mem_free(c->state);
    mem_free(c->path);
    mem_free(c->dir);
    mem_free(c);
}

/* ---- reading --------------------------------------------------------------------------------- */

/* path NULL: nowhere. */
static struct config *new_config(const char *path)
{
    struct config *c = mem_calloc(1, sizeof *c);
    const char *slash = path ? strrchr(path, '/') : NULL;

    c->path = path ? mem_strndup(path, strlen(path)) : NULL;
    c->dir = slash ? mem_strndup(path, (size_t)(slash - path) + 1) : mem_strndup("", 0);
    config_set_defaults(c, CONFIG_OF_engine, c);
    return c;
}

/* whole: there were no syntax errors, which leave blocks out. */
static struct config *read_module(const char *path, const struct ast_module *module, bool whole,
                                  struct diag *diag)
{
    struct reading rd = {.config = new_config(path), .diag = diag, .module = module};

    config_read_blocks(&rd);
    if (whole)
        config_check(&rd);
    mem_free(rd.source);
    mem_free(rd.sink);
    return rd.config;
}

struct config *config_read_text(const char *path, const char *text, size_t len, struct diag *diag)
{
    size_t before = diag_errors(diag);
    struct ast_module *module = ast_module_new();
    struct config *c;

    bool whole = parse_file(module, diag, diag_file_add(diag, path, text, len));
    c = read_module(path, module, whole, diag); /* all is told in one go */
    ast_module_free(&module);
    if (diag_errors(diag) > before)
        config_free(&c);
    return c;
}

static bool read_all(int fd, struct buf *out)
{
    while (out->len <= PARSE_MAX_BYTES) { /* the parser tells what is longer */
        buf_reserve(out, 65536);
        ssize_t n = read(fd, out->data + out->len, 65536);
        if (n == 0)
            return true;
        if (n < 0 && errno != EINTR)
            return false;
        out->len += n > 0 ? (size_t)n : 0;
    }
    return true;
}

/* False, and errno. */
static bool read_file(const char *path, struct buf *text)
{
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    bool ok;

    buf_adds(text, "");
    if (fd < 0)
        return false;
    ok = read_all(fd, text);
    int error = errno;
    close(fd);
    errno = error;
    return ok;
}

struct config *config_read(const char *path, struct diag *diag)
{
    struct config *c = NULL;
    struct buf text;

    buf_init(&text);
    if (read_file(path, &text)) {
        c = config_read_text(path, text.data, text.len, diag);
        if (c) {
            c->len = text.len;
            c->text = mem_strndup(text.data, text.len);
        }
    } else {
        struct span nowhere = {.file = UINT32_MAX};
        diag_add(diag, DIAG_ERROR, nowhere, "cannot read %s: %s", path, strerror(errno));
    }
    buf_fini(&text);
    return c;
}

bool config_changed(const struct config *config)
{
    struct buf text;
    bool changed = false;

    buf_init(&text);
    if (config->text)
        changed = !read_file(config->path, &text) || text.len != config->len ||
                  memcmp(text.data, config->text, text.len) != 0;
    buf_fini(&text);
    return changed;
}

struct config *config_default(void)
{
    struct ast_module *module = ast_module_new();
    struct diag *diag = diag_new();
    struct config *c = read_module(NULL, module, true, diag);

    diag_free(&diag);
    ast_module_free(&module);
    return c;
}

/* ---- what the flow wants to know ------------------------------------------------------------- */

void config_times(const struct config *config, struct time_specs *specs)
{
    for (size_t i = 0; i < config->n_sources; i++) {
        const struct config_source *source = &config->source[i];
        if (source->time || source->formats)
            time_specs_set(specs, source->name, source->time, source->formats);
        if (source->order_by)
            time_specs_order_by(specs, source->name, source->order_by);
    }
}
