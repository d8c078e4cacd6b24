// SPDX-License-Identifier: Apache-2.0
/* The sources whose input cannot be asked for again: standard input, and what is posted. Each has a spool in
 * the state directory, and a thread that fills it. */
#include <errno.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/buf.h"
#include "base/mem.h"
#include "base/suggest.h"
#include "config/config.h"
#include "daemon/wiring.h"
#include "flow/position.h"
#include "flow/saved.h"
#include "io/source_http.h"
#include "io/source_stdin.h"
#include "io/spool.h"
#include "state/checkpoint.h"

struct spooled {
    char *name; /* owned */
    enum config_source_kind kind;
    uint64_t max_line, segment, limit;
    struct spool *spool;
    struct source_stdin *in;   /* one of these two */
    struct source_http *http;
};

struct spooler {
    struct spooled *source; /* owned array */
    size_t n, cap;
};

static struct spooled *find(const struct spooler *in, const char *name)
{
    for (size_t i = 0; in && i < in->n; i++)
        if (strcmp(in->source[i].name, name) == 0)
            return &in->source[i];
    return NULL;
}

static bool is_same(const struct spooled *s, const struct config_source *source)
{
    return s->kind == source->kind && s->max_line == source->max_line &&
           s->segment == source->spool_segment && s->limit == source->spool_limit;
}

/* ---- one of them ----------------------------------------------------------------------------- */

static void end(struct spooled *s)
{
    source_stdin_free(&s->in);
    source_http_free(&s->http);
    spool_free(&s->spool);
    mem_free(s->name);
}

static struct spool *open_spool(const struct config *config, const struct config_source *source,
                                const struct saved_positions *all, struct buf *why)
{
    struct spool_options opt = {.segment = source->spool_segment, .limit = source->spool_limit};
    struct spool *spool = NULL;
    struct buf dir;

    buf_init(&dir);
    buf_printf(&dir, "%s/spool", config->state);
    if (mkdir(dir.data, 0700) == 0 || errno == EEXIST) {
        buf_printf(&dir, "/%s", source->name);
        opt.dir = dir.data;
        for (size_t i = 0; i < all->n; i++) {
            if (strcmp(all->position[i].source, source->name) != 0)
                continue;
            opt.has_position = true;
            opt.resume = all->position[i].resume;
            opt.read = all->position[i].read;
        }
        spool = spool_open(&opt, why);
    } else {
        buf_printf(why, "%s: %s", dir.data, strerror(errno));
    }
    buf_fini(&dir);
    return spool;
}

static bool begin(struct spooled *s, const struct config *config, const struct config_source *source,
                  const struct saved_positions *all, struct buf *why)
{
    *s = (struct spooled){.name = mem_strndup(source->name, strlen(source->name)),
                          .kind = source->kind,
                          .max_line = source->max_line,
                          .segment = source->spool_segment,
                          .limit = source->spool_limit};
    s->spool = open_spool(config, source, all, why);
    if (!s->spool)
        return false;
    if (s->kind == CONFIG_HTTP)
        s->http = source_http_start(s->spool, s->max_line, why);
    else
        s->in = source_stdin_start(STDIN_FILENO, s->spool, s->max_line, why);
    return s->http || s->in;
}

/* ---- all ------------------------------------------------------------------------------------- */

bool wiring_spooler(const struct config *config, struct checkpoint *cp, struct spooler **in,
                    struct buf *why)
{
    struct saved_positions all;
    bool ok;

    if (!*in)
        *in = mem_calloc(1, sizeof **in);
    ok = saved_positions_read(checkpoint_store(cp), &all, why);
    for (size_t i = 0; ok && i < config->n_sources; i++) {
        const struct config_source *source = &config->source[i];
        if (!config_is_spooled(source) || find(*in, source->name))
            continue;
        (*in)->source = vec_reserve((*in)->source, &(*in)->cap, (*in)->n + 1, sizeof *(*in)->source);
        ok = begin(&(*in)->source[(*in)->n++], config, source, &all, why);
    }
    saved_positions_fini(&all);
    if (!ok)
        wiring_spooler_free(in);
    return ok;
}

void wiring_spooler_keep(struct spooler *in, const struct config *config)
{
    size_t kept = 0;

    for (size_t i = 0; in && i < in->n; i++) {
        uint32_t number = config_source_named(config, in->source[i].name);
        if (number != UINT32_MAX && is_same(&in->source[i], &config->source[number]))
            in->source[kept++] = in->source[i];
        else
            end(&in->source[i]);
    }
    if (in)
        in->n = kept;
}

void wiring_spooler_free(struct spooler **in)
{
    if (!*in)
        return;
    for (size_t i = 0; i < (*in)->n; i++)
        end(&(*in)->source[i]);
    mem_free((*in)->source);
    mem_free(*in);
    *in = NULL;
}

struct spool *wiring_spool(const struct spooler *in, const char *source)
{
    const struct spooled *s = find(in, source);

    return s ? s->spool : NULL;
}

struct source_http *wiring_http(const struct spooler *in, const char *source,
                                const char **nearest_out)
{
    const struct spooled *s = find(in, source);
    struct suggest suggest;

    if (s && s->http)
        return s->http;
    suggest_init(&suggest, source);
    for (size_t i = 0; in && i < in->n; i++)
        if (in->source[i].http)
            suggest_try(&suggest, in->source[i].name);
    *nearest_out = suggest_result(&suggest);
    return NULL;
}

void wiring_spooler_pause(struct spooler *in, bool pause)
{
    for (size_t i = 0; in && i < in->n; i++)
        if (in->source[i].in)
            source_stdin_pause(in->source[i].in, pause);
}

void wiring_spooler_settle(struct spooler *in)
{
    for (size_t i = 0; in && i < in->n; i++)
        if (in->source[i].http)
            source_http_settle(in->source[i].http);
}
