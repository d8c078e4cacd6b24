// SPDX-License-Identifier: Apache-2.0
/*
 * resolve_added - fields that streams add or rename: what a path means in the events of a stream.
 *
 *     stream s = a, b where P { user = lower(user.name)  Image = process.executable }
 *
 * By substitution. A path that is read through `s` becomes a copy of the expression, resolved where
 * the stream's inputs stand; a rename becomes the other path, and what is behind it is kept. So the
 * right sides see the inputs' fields, never those of their own stream, and nested streams compose.
 * Of a step that was bound, the copy is moved to it: fields to fields of the step, time() to
 * time(step).
 *
 * Where several streams mean different things by a path, the stream that the event was taken from
 * decides (stream() is known); inside a union, and in keys, the first listed that holds the event.
 */
#include <string.h>

#include "base/arena.h"
#include "base/diag.h"
#include "event/schema.h"
#include "lang/resolve_priv.h"

/* ---- copies -------------------------------------------------------------------------------- */

static struct ast_expr *copy_node(struct resolver *r, const struct ast_expr *from)
{
    if (from == NULL || r->expanded > RESOLVE_MAX_EXPANDED)
        return NULL;
    r->expanded++;
    struct ast_expr *copy = arena_memdup(r->arena, from, sizeof *from);
    copy->ref = REF_NONE;
    copy->has_slot = false;
    if (from->kind == AST_PATH) /* what it was found to mean */
        copy->n_args = 0;
    copy->args = arena_alloc(r->arena, copy->n_args * sizeof(struct ast_expr *));
    for (uint32_t i = 0; i < copy->n_args; i++)
        copy->args[i] = copy_node(r, from->args[i]);
    copy->where = copy_node(r, from->where);
    copy->within = copy_node(r, from->within);
    copy->index = copy_node(r, from->index);
    return copy;
}

struct ast_expr *resolve_copy(struct resolver *r, const struct ast_expr *from)
{
    struct ast_expr *copy = copy_node(r, from);
    if (r->expanded <= RESOLVE_MAX_EXPANDED)
        return copy;
    diag_add(r->diag, DIAG_ERROR, from->span,
             "fields of streams, exceptions and defs grow to more than %d operators",
             RESOLVE_MAX_EXPANDED);
    return NULL;
}

/* ---- what a path means --------------------------------------------------------------------- */

struct reading { /* of one path */
    struct resolver *r;
    struct span span;
    const struct path_part *part;
    uint32_t n_parts;
};

static struct ast_expr *of_streams(const struct reading *rd, const uint32_t *stream, uint32_t n,
                                   bool taken);

static struct ast_expr *event_field(const struct reading *rd)
{
    struct scope sc = {.r = rd->r, .kind = SCOPE_STREAM};
    struct ast_expr *field = ast_path(rd->r->arena, rd->span, rd->part, NULL, rd->n_parts);
    if (resolve_slot(&sc, field, rd->part, rd->n_parts))
        field->ref = REF_FIELD;
    return field;
}

static bool same_part(const struct path_part *a, const struct path_part *b)
{
    return a->name != NULL && b->name != NULL && a->len == b->len &&
           memcmp(a->name, b->name, a->len) == 0;
}

/* The field that the path is, or begins with. */
static const struct ast_assign *find_added(const struct ast_stream *decl, const struct reading *rd)
{
    for (const struct ast_assign *a = decl->fields; a != NULL; a = a->next) {
        uint32_t i = 0;
        while (i < a->n_parts && i < rd->n_parts && same_part(&a->part[i], &rd->part[i]))
            i++;
        if (i == a->n_parts)
            return a;
    }
    return NULL;
}

static bool is_rename(const struct ast_assign *added)
{
    return added->expr->kind == AST_PATH && added->expr->index == NULL;
}

/* The path of a rename, with what was behind the new name. */
static struct reading renamed(const struct reading *rd, const struct ast_assign *added)
{
    const struct ast_expr *to = added->expr;
    uint32_t rest = rd->n_parts - added->n_parts;
    struct path_part *part = arena_alloc(rd->r->arena, (to->n_parts + rest) * sizeof *part);
    memcpy(part, to->part, to->n_parts * sizeof *part);
    if (rest > 0)
        memcpy(part + to->n_parts, rd->part + added->n_parts, rest * sizeof *part);
    return (struct reading){rd->r, rd->span, part, to->n_parts + rest};
}

static struct ast_expr *of_stream(const struct reading *rd, uint32_t number)
{
    struct resolver *r = rd->r;
    const struct ast_stream *decl = r->streams.item[number];
    const struct lang_stream *stream = &r->stream[number];
    if (decl == NULL || !stream->adds)
        return event_field(rd);
    const struct ast_assign *added = find_added(decl, rd);
    if (added != NULL && is_rename(added)) {
        struct reading other = renamed(rd, added);
        return of_streams(&other, stream->input, stream->n_inputs, false);
    }
    if (added != NULL && added->n_parts < rd->n_parts && rd->part[added->n_parts].name == NULL) {
        diag_add(r->diag, DIAG_ERROR, rd->span, "`%s` is computed by the stream `%s`: it has no index",
                 resolve_path_text(r, added->part, added->n_parts), stream->name);
        return event_field(rd);
    }
    if (added == NULL || added->n_parts < rd->n_parts) /* behind a computed one: the event's own */
        return of_streams(rd, stream->input, stream->n_inputs, false);
    struct ast_expr *copy = resolve_copy(r, added->expr);
    struct scope sc = {.r = r, .kind = SCOPE_STREAM, .stream = stream->input,
                       .n_streams = stream->n_inputs};
    resolve_expr(&sc, copy);
    return copy != NULL ? copy : event_field(rd);
}

static struct ast_expr *call(const struct reading *rd, const char *name, struct ast_expr **args,
                             uint32_t n)
{
    struct ast_name called = {.text = name, .len = (uint32_t)strlen(name), .span = rd->span};
    return ast_call(rd->r->arena, rd->span, called, args, n);
}

/* Is it this stream that the event was taken from, or that holds it? */
static struct ast_expr *is_of(const struct reading *rd, uint32_t number, bool taken)
{
    const char *name = rd->r->stream[number].name;
    struct ast_expr *asks = call(rd, taken ? "stream" : "in_stream", NULL, 0);
    if (!taken) {
        asks->ref = REF_IN_STREAM;
        asks->number = number;
        return asks;
    }
    asks->ref = REF_FUNCTION;
    asks->function = FUNCTION_STREAM;
    struct ast_expr *literal = ast_literal(rd->r->arena, rd->span,
                                           value_text(name, strlen(name)), AST_FORM_PLAIN);
    return ast_binary(rd->r->arena, rd->span, AST_OP_EQ, false, asks, literal);
}

static struct ast_expr *of_streams(const struct reading *rd, const uint32_t *stream, uint32_t n,
                                   bool taken)
{
    if (n == 0)
        return event_field(rd);
    struct ast_expr *chain = of_stream(rd, stream[n - 1]);
    for (uint32_t i = n - 1; i-- > 0;) {
        struct ast_expr *one = of_stream(rd, stream[i]);
        if (resolve_same(one, chain))
            continue; /* so far all mean the same */
        struct ast_expr *args[] = {is_of(rd, stream[i], taken), one, chain};
        chain = call(rd, "if", args, 3);
        chain->ref = REF_FUNCTION;
        chain->function = FUNCTION_IF;
    }
    return chain;
}

/* What a path means in events of these streams, resolved; NULL: the event's own field. */
static struct ast_expr *resolve_added(struct resolver *r, const struct candidate *from,
                               const struct path_part *part, uint32_t n_parts, struct span span)
{
    struct reading rd = {r, span, part, n_parts};
    bool adds = false;
    for (uint32_t i = 0; i < from->n; i++)
        adds |= r->stream[from->stream[i]].adds;
    return adds ? of_streams(&rd, from->stream, from->n, from->taken) : NULL;
}

/* ---- of a step that was bound -------------------------------------------------------------- */

struct move {
    struct resolver *r;
    const struct ast_step *step;
    bool ok;
};

static bool move_node(struct ast_expr *expr, void *ctx)
{
    struct move *m = ctx;
    bool about = expr->ref == REF_FUNCTION && expr->n_args == 0 &&
                 (expr->function == FUNCTION_TIME || expr->function == FUNCTION_STREAM);
    if (expr->ref == REF_FIELD) {
        expr->ref = REF_STEP_FIELD;
    } else if (expr->ref == REF_IN_STREAM) {
        expr->ref = REF_STEP_IN_STREAM;
    } else if (about) {
        struct ast_expr *step = ast_path(m->r->arena, expr->span, NULL, NULL, 0);
        step->ref = REF_STEP;
        step->step = m->step->number;
        expr->args = arena_memdup(m->r->arena, &step, sizeof(struct ast_expr *));
        expr->n_args = 1;
        return true;
    } else if (expr->ref == REF_ANY_FIELD) {
        diag_add(m->r->diag, DIAG_ERROR, expr->span,
                 "`any_field` in a stream's field cannot be read of the step `%s`",
                 m->step->name.text);
        diag_hint(m->r->diag, "it knows the event at hand only: read the field in the step's own "
                  "`where`");
        m->ok = false;
        return false;
    } else {
        return true;
    }
    expr->step = m->step->number;
    return true;
}

/* Makes an expression about the candidate one about the event bound to the step. */
static bool resolve_move(struct resolver *r, struct ast_expr *expr, const struct ast_step *step)
{
    struct move m = {r, step, true};
    ast_walk(expr, move_node, &m);
    return m.ok;
}

/* ---- which streams an event may come from --------------------------------------------------- */

static void add_streams(struct resolver *r, struct candidate *c, uint32_t *into,
                        const struct ast_step *step)
{
    (void)r;
    for (uint32_t i = 0; step->stream != NULL && i < step->streams.n; i++) {
        bool there = false;
        for (uint32_t k = 0; k < c->n && !there; k++)
            there = into[k] == step->stream[i];
        if (!there)
            into[c->n++] = step->stream[i];
    }
}

/* In `emit` and texts: may the step have taken the event that completed the match? */
static bool may_complete(const struct match_info *info, const struct ast_step *step)
{
    if (info->body == AST_BODY_MATCH)
        return info->last != NULL && info->element_of[step->number] == info->last;
    return !step->negated;
}

struct candidate resolve_candidate(const struct scope *sc)
{
    const struct match_info *info = sc->match;
    if (sc->kind == SCOPE_STREAM)
        return (struct candidate){sc->stream, sc->n_streams, false};
    if (sc->kind == SCOPE_DEF || info == NULL)
        return (struct candidate){NULL, 0, false};
    const struct ast_step *own = sc->own != NULL ? sc->own : sc->key_of;
    if (own != NULL)
        return resolve_candidate_of(sc, own);
    const struct ast_match *match = info->match;
    struct candidate c = {.taken = true};
    size_t room = 1;
    for (uint32_t i = 0; i < match->n_steps; i++)
        room += match->steps[i]->streams.n;
    uint32_t *into = arena_alloc(sc->r->arena, room * sizeof *into);
    for (uint32_t i = 0; i < match->n_steps; i++) {
        if (sc->kind == SCOPE_KEY || sc->kind == SCOPE_ARGUMENT || may_complete(info, match->steps[i]))
            add_streams(sc->r, &c, into, match->steps[i]);
    }
    c.stream = into;
    return c;
}

struct candidate resolve_candidate_of(const struct scope *sc, const struct ast_step *step)
{
    /* the memory of a leading `not`, and a key, do not know which stream an event was taken from */
    bool taken = sc->key_of == NULL && (sc->match == NULL || sc->match->body != AST_BODY_MATCH ||
                                        sc->match->role[step->number] != ROLE_NOT_FIRST);
    uint32_t n = step->stream != NULL ? step->streams.n : 0;
    return (struct candidate){step->stream, n, taken};
}

/* ---- fields -------------------------------------------------------------------------------- */

static void becomes(struct resolver *r, struct ast_expr *expr, struct ast_expr *meaning)
{
    if (expr->kind == AST_PATH && (meaning->ref == REF_FIELD || meaning->ref == REF_STEP_FIELD)) {
        expr->ref = meaning->ref;
        expr->slot = meaning->slot;
        expr->has_slot = true;
        expr->step = meaning->step;
        return;
    }
    expr->ref = REF_ADDED;
    expr->args = arena_memdup(r->arena, &meaning, sizeof(struct ast_expr *));
    expr->n_args = 1;
}

bool resolve_field(const struct scope *sc, struct ast_expr *path, const struct candidate *from,
                   const struct path_part *part, uint32_t n, const struct ast_step *of)
{
    struct resolver *r = sc->r;
    struct ast_expr *meaning = resolve_added(r, from, part, n, path->span);
    if (meaning == NULL) {
        if (!resolve_slot(sc, path, part, n))
            return false;
        path->ref = of != NULL ? REF_STEP_FIELD : REF_FIELD;
        path->step = of != NULL ? of->number : 0;
        return true;
    }
    if (of != NULL && !resolve_move(r, meaning, of))
        return false;
    becomes(r, path, meaning);
    return true;
}

bool resolve_call_field(const struct scope *sc, struct ast_expr *call, const struct ast_step *step,
                        const struct path_part *part, uint32_t n, bool last)
{
    struct resolver *r = sc->r;
    struct candidate from = resolve_candidate_of(sc, step);
    struct ast_expr *meaning = resolve_added(r, &from, part, n, call->span);
    if (meaning == NULL)
        return resolve_slot(sc, call, part, n);
    if (meaning->ref == REF_FIELD) {
        call->slot = meaning->slot;
        call->has_slot = true;
        return true;
    }
    if (!last) { /* over each event: typecheck and plan find it in the argument's place */
        call->args = arena_memdup(r->arena, &meaning, sizeof(struct ast_expr *));
        call->is_over = true;
        return true;
    }
    if (!resolve_move(r, meaning, step))
        return false;
    becomes(r, call, meaning);
    return true;
}

/* ---- declarations -------------------------------------------------------------------------- */

bool resolve_adds(struct resolver *r, uint32_t number)
{
    struct lang_stream *stream = &r->stream[number];
    const struct ast_stream *decl = r->streams.item[number];
    if (stream->adds_known)
        return stream->adds;
    stream->adds = decl != NULL && decl->fields != NULL;
    for (uint32_t i = 0; i < stream->n_inputs; i++)
        stream->adds |= resolve_adds(r, stream->input[i]);
    stream->adds_known = true;
    return stream->adds;
}

void resolve_stream_fields(struct resolver *r, struct ast_stream *decl, uint32_t number)
{
    struct scope sc = {.r = r, .kind = SCOPE_STREAM, .stream = r->stream[number].input,
                       .n_streams = r->stream[number].n_inputs};
    resolve_expr(&sc, decl->where);
    resolve_refuse_fed(r, decl->where, "the condition of a stream");
    resolve_left_sides(r, decl->fields, "added");
    for (struct ast_assign *a = decl->fields; a != NULL; a = a->next) {
        struct ast_expr *alone = resolve_copy(r, a->expr); /* the pattern stays as written */
        resolve_expr(&sc, alone);
        a->checked = alone;
    }
    sc.stream = &number; /* `expect` stands behind the fields, and sees them */
    sc.n_streams = 1;
    resolve_expr(&sc, decl->expect);
    resolve_refuse_fed(r, decl->expect, "what a stream expects");
}
