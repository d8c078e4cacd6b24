// SPDX-License-Identifier: Apache-2.0
/* body - see body.h. Each kind is in body_KIND.c; what they share in body_item.c and body_text.c. */
#include "io/body.h"

#include <string.h>

#include "base/buf.h"
#include "base/mem.h"
#include "io/body_priv.h"
#include "io/template.h"

static const struct {
    const char *word, *type, *batch_type;
    uint32_t most, message, alert;
    bool (*write)(const struct body *b, const struct body_message *m, struct buf *out,
                  struct buf *why);
} KINDS[] = {
#define BODY(name, word, type, batch_type, most, message, alert, doc)                              \
    {word, type, batch_type, most, message << 10, alert << 10, body_write_##name},
#include "io/body.def"
#undef BODY
};

bool body_kind_named(const char *word, enum body_kind *kind_out)
{
    for (int k = 0; k < BODY_N_KINDS; k++) {
        if (strcmp(KINDS[k].word, word) == 0) {
            *kind_out = (enum body_kind)k;
            return true;
        }
    }
    return false;
}

const char *body_kind_word(enum body_kind kind)
{
    return KINDS[kind].word;
}

/* ---- beginning and end ----------------------------------------------------------------------- */

static char *copy(const char *text)
{
    return text ? mem_strndup(text, strlen(text)) : NULL;
}

static bool make_template(struct body *b, const struct body_options *opt, struct buf *why)
{
    if (opt->template == NULL) {
        buf_adds(why, "the body `template` needs a `template`");
        return false;
    }
    b->content_type = copy(opt->content_type ? opt->content_type : "application/json");
    b->template = template_new(opt->template, strlen(opt->template),
                               template_mode_of(b->content_type), why);
    if (b->template == NULL)
        return false;
    if (template_own_bytes(b->template) > b->max_bytes / 2) {
        buf_printf(why, "the template has %zu bytes of its own, a message at most %zu",
                   template_own_bytes(b->template), b->max_bytes);
        return false;
    }
    for (size_t i = 0; i < template_count(b->template); i++) {
        const struct template_step *root = &template_path(b->template, i)->step[0];
        b->takes_all |= root->len == 6 && memcmp(root->name, "alerts", 6) == 0;
    }
    return true;
}

static bool fill(struct body *b, const struct body_options *opt, struct buf *why)
{
    if (opt->url != NULL) {
        size_t before = why->len;
        b->link = template_new(opt->url, strlen(opt->url), TEMPLATE_URL, why);
        if (b->link == NULL) {
            struct buf what;
            buf_init(&what);
            buf_add(&what, why->data + before, why->len - before);
            buf_truncate(why, before);
            buf_printf(why, "`link`: %s", what.data);
            buf_fini(&what);
            return false;
        }
    }
    if (opt->kind == BODY_KIND_pagerduty && (!opt->routing_key || !*opt->routing_key)) {
        buf_adds(why, "the body `pagerduty` needs a `routing_key`");
        return false;
    }
    return opt->kind != BODY_KIND_template || make_template(b, opt, why);
}

struct body *body_new(const struct body_options *opt, struct buf *why)
{
    struct body *b = mem_calloc(1, sizeof *b);
    uint64_t max = opt->max_bytes ? opt->max_bytes : BODY_MAX_BYTES;

    b->kind = opt->kind;
    b->max_bytes = max < KINDS[b->kind].message ? KINDS[b->kind].message : (size_t)max;
    b->sink = copy(opt->sink ? opt->sink : "");
    b->routing_key = copy(opt->routing_key);
    if (!fill(b, opt, why))
        body_free(&b);
    return b;
}

void body_free(struct body **b)
{
    struct body *old = *b;

    *b = NULL;
    if (!old)
        return;
    template_free(&old->link);
    template_free(&old->template);
    mem_free(old->sink);
    mem_free(old->routing_key);
    mem_free(old->content_type);
    mem_free(old);
}

/* ---- what is known of it --------------------------------------------------------------------- */

const char *body_content_type(const struct body *b, size_t n, bool group)
{
    if (b->content_type)
        return b->content_type;
    return n > 1 && !group ? KINDS[b->kind].batch_type : KINDS[b->kind].type;
}

size_t body_bytes(const struct body *b)
{
    return b->max_bytes;
}

uint32_t body_most(const struct body *b, bool group)
{
    size_t fit = b->max_bytes / KINDS[b->kind].alert;
    uint32_t most = group || b->takes_all ? 0 : KINDS[b->kind].most;

    return most == 0 || most > fit ? (uint32_t)fit : most;
}

static void each_field(const struct template *t, bool is_link,
                       void (*found)(void *ctx, const struct body_field *field), void *ctx)
{
    for (size_t i = 0; t != NULL && i < template_count(t); i++) {
        struct body_field field = {.path = template_path(t, i), .is_link = is_link,
                                   .root = BODY_ROOT_EMITTED};
        const struct template_step *root = &field.path->step[0];
        for (int m = 0; m < BODY_N_MEMBERS; m++) {
            const char *name = body_member_name((enum body_member)m);
            if (root->len == strlen(name) && memcmp(root->name, name, root->len) == 0)
                field.root = BODY_ROOT_MEMBER;
        }
        if (field.root == BODY_ROOT_EMITTED &&
            ((root->len == 7 && memcmp(root->name, "message", 7) == 0) ||
             (root->len == 5 && memcmp(root->name, "alert", 5) == 0) ||
             (root->len == 6 && memcmp(root->name, "alerts", 6) == 0)))
            field.root = BODY_ROOT_MESSAGE;
        found(ctx, &field);
    }
}

void body_each_field(const struct body *b, void (*found)(void *ctx, const struct body_field *field),
                     void *ctx)
{
    each_field(b->template, false, found, ctx);
    each_field(b->link, true, found, ctx);
}

/* ---- writing --------------------------------------------------------------------------------- */

bool body_write(const struct body *b, const struct body_alert *alert, size_t n,
                const struct body_group *group, int64_t now, struct buf *out, struct buf *why)
{
    size_t fit = b->max_bytes / KINDS[b->kind].alert, given = n;
    struct body_group whole;

    if (group) { /* those that do not fit count nevertheless */
        whole = *group;
        whole.count = whole.count > given ? whole.count : given;
        group = &whole;
        n = n > fit ? fit : n;
    }
    struct body_item one, *item = n == 1 ? &one : mem_calloc(n, sizeof *item);
    size_t before = out->len;
    for (size_t i = 0; i < n; i++)
        body_item_init(&item[i], &alert[i], now);
    struct body_message m = {b, item, n, group, now, b->max_bytes};
    bool good = KINDS[b->kind].write(b, &m, out, why);
    if (!good)
        buf_truncate(out, before);
    if (item != &one)
        mem_free(item);
    return good;
}
