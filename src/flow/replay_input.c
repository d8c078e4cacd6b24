// SPDX-License-Identifier: Apache-2.0
#include "flow/replay_input.h"

#include <inttypes.h>
#include <string.h>

#include "base/buf.h"
#include "base/mem.h"
#include "event/json_decode.h"
#include "io/source_file.h"

/* ---- the partitions' names ------------------------------------------------------------------- */

/* The last `parts` parts of a path. */
static const char *last_parts(const char *path, unsigned parts)
{
    const char *at = path + strlen(path);

    while (at > path && (at[-1] != '/' || --parts > 0))
        at--;
    return at;
}

static bool same_name(const struct replay_part *a, const struct replay_part *b)
{
    return strcmp(a->origin.source, b->origin.source) == 0 &&
           strcmp(a->origin.partition, b->origin.partition) == 0;
}

/* Does any other file have the name of file i? */
static bool is_taken(const struct replay_inputs *in, size_t i)
{
    for (size_t j = 0; j < in->n_files; j++)
        if (j != i && same_name(&in->part[i], &in->part[j]))
            return true;
    return false;
}

/* One more part for every file that shares its name; false when nothing was left to add. */
static bool lengthen(struct replay_inputs *in, unsigned parts, bool *again_out)
{
    bool *taken = mem_calloc(in->n_files + 1, sizeof *taken);
    bool moved = false;

    *again_out = false;
    for (size_t i = 0; i < in->n_files; i++)
        *again_out |= taken[i] = is_taken(in, i);
    for (size_t i = 0; i < in->n_files; i++) {
        struct replay_part *f = &in->part[i];
        if (!taken[i] || f->origin.partition == f->path)
            continue;
        f->origin.partition = last_parts(f->path, parts);
        moved = true;
    }
    mem_free(taken);
    return moved;
}

static bool name_partitions(struct replay_inputs *in, struct buf *why)
{
    bool again = true;

    for (size_t i = 0; i < in->n_files; i++)
        in->part[i].origin.partition = last_parts(in->part[i].path, 1);
    for (unsigned parts = 2; again && lengthen(in, parts, &again); parts++)
        continue;
    for (size_t i = 0; i < in->n_files && again; i++)
        if (is_taken(in, i)) {
            buf_printf(why, "%s is given twice", in->part[i].path);
            return false;
        }
    for (size_t i = 0; i < in->n_files; i++) {
        struct replay_part *f = &in->part[i];
        f->partition = mem_strndup(f->origin.partition, strlen(f->origin.partition));
        f->origin.partition = f->partition;
    }
    return true;
}

/* ---- files ----------------------------------------------------------------------------------- */

static struct replay_source *source_named(struct replay_inputs *in, const char *name)
{
    for (size_t i = 0; i < in->n_sources; i++)
        if (strcmp(in->source[i].name, name) == 0)
            return &in->source[i];
    in->source[in->n_sources].name = name;
    return &in->source[in->n_sources++];
}

bool replay_inputs_init(struct replay_inputs *in, const struct replay_path *path, size_t n, size_t n_streams,
                        struct buf *why)
{
    *in = (struct replay_inputs){.n_files = n, .n_parts = n, .cap_parts = n + 1};
    in->part = mem_calloc(n + 1, sizeof *in->part);
    in->source = mem_calloc(n + n_streams + 1, sizeof *in->source);
    for (size_t i = 0; i < n; i++) {
        in->part[i].path = path[i].path;
        in->part[i].lateness = path[i].lateness;
        in->part[i].max_line = path[i].max_line;
        in->part[i].origin.source = path[i].source;
        in->part[i].source = source_named(in, path[i].source);
    }
    return name_partitions(in, why);
}

void replay_inputs_fini(struct replay_inputs *in)
{
    for (size_t i = 0; i < in->n_parts; i++) {
        source_file_free(&in->part[i].file);
        replay_stream_part_free(&in->part[i].stream);
        mem_free(in->part[i].partition);
    }
    for (size_t i = 0; i < in->n_sources; i++)
        for (uint32_t j = 0; j < in->source[i].n_reasons; j++)
            mem_free(in->source[i].reason[j]);
    mem_free(in->part);
    mem_free(in->source);
    *in = (struct replay_inputs){0};
}

bool replay_inputs_open(struct replay_inputs *in, struct buf *why)
{
    bool ok = true;

    for (size_t i = 0; i < in->n_files; i++) {
        struct replay_part *f = &in->part[i];
        struct buf what;

        buf_init(&what);
        f->file = source_file_open(f->path, f->max_line, decoder_padding(), &what);
        if (f->file)
            f->size = source_file_size(f->file);
        else
            buf_printf(why, "%s%s: %s", ok ? "" : "\n", f->path, what.data);
        ok = ok && f->file;
        buf_fini(&what);
    }
    return ok;
}

bool replay_inputs_add(struct replay_inputs *in, const struct replay_stream *stream, struct buf *why)
{
    struct replay_source *source = source_named(in, stream->source->name);
    struct replay_stream_part **found;
    struct buf what;
    size_t n;

    buf_init(&what);
    bool ok = replay_stream_open(stream, &found, &n, &what);
    if (!ok)
        buf_printf(why, "%ssource %s: %s", why->len ? "\n" : "", source->name, what.data);
    buf_fini(&what);
    source->rows = stream->rows;
    for (size_t i = 0; ok && i < n; i++) {
        const char *name = found[i]->partition->name;
        in->part = vec_reserve(in->part, &in->cap_parts, in->n_parts + 1, sizeof *in->part);
        in->part[in->n_parts++] = (struct replay_part){
            .lateness = stream->lateness,
            .max_line = stream->max_line,
            .partition = mem_strndup(name, strlen(name)),
            .origin = {.source = source->name, .generation = found[i]->partition->generation},
            .stream = found[i],
            .time_record = stream->time_record,
            .latest = stream->latest,
            .future = stream->future,
            .source = source};
        in->part[in->n_parts - 1].origin.partition = in->part[in->n_parts - 1].partition;
    }
    mem_free(found);
    return ok;
}

void replay_part_close(struct replay_part *p)
{
    if (!p->file)
        return;
    p->consumed = source_file_consumed(p->file);
    source_file_free(&p->file);
}

void replay_part_reject(struct replay_part *p, uint64_t number, const char *reason)
{
    struct replay_source *source = p->source;
    struct buf b;

    source->rejected++;
    if (source->n_reasons == REPLAY_MAX_REASONS)
        return;
    buf_init(&b);
    buf_printf(&b, "%s:%" PRIu64 ": %s", p->path ? p->path : p->partition, number, reason);
    source->reason[source->n_reasons++] = buf_take(&b);
}
