// SPDX-License-Identifier: Apache-2.0
#include "io/body_entity.h"

#include <stdio.h>
#include <string.h>

#include "base/buf.h"
#include "base/cidr.h"
#include "io/body_priv.h"

/* ---- key and fields -------------------------------------------------------------------------- */

enum { MAX_DEPTH = 4, NAME_MAX_BYTES = 64 };

struct pairs {
    void (*found)(void *ctx, const struct body_pair *pair);
    void *ctx;
    struct buf path;
    struct buf seen; /* paths, each between line ends */
    int left;
};

/* The path's letters and digits, small, from the `names`th last name on; false: too long. */
static bool plain_name(const struct buf *path, int names, char out[NAME_MAX_BYTES])
{
    size_t from = path->len, n = 0;

    while (from > 0 && (path->data[from - 1] != '.' || --names > 0))
        from--;
    for (size_t i = from; i < path->len; i++) {
        char c = path->data[i];
        if (c == '.' || c == '_' || c == '-')
            continue;
        if (n + 1 >= NAME_MAX_BYTES)
            return false;
        out[n++] = c >= 'A' && c <= 'Z' ? (char)(c | 0x20) : c;
    }
    out[n] = '\0';
    return true;
}

static enum body_entity by_name(const struct buf *path)
{
    static const struct {
        enum body_entity entity;
        const char *name;
    } names[] = {
#define ENTITY(kind, name) {BODY_ENTITY_##kind, name},
#include "io/body_entity.def"
#undef ENTITY
    };
    char name[NAME_MAX_BYTES];

    for (int n = 1; n <= 2; n++) {
        if (!plain_name(path, n, name))
            continue;
        for (size_t i = 0; i < sizeof names / sizeof names[0]; i++)
            if (strcmp(names[i].name, name) == 0)
                return names[i].entity;
    }
    return BODY_ENTITY_none;
}

static enum body_entity classify(const struct buf *path, struct json_view value)
{
    struct ip_address ip;

    if (json_view_type(value) != JSON_VIEW_TEXT || value.len <= 2)
        return BODY_ENTITY_none;
    if (ip_parse(value.text + 1, value.len - 2, &ip))
        return BODY_ENTITY_ip;
    return by_name(path);
}

/* A field that has the name of a member of the key is mostly the same again. */
static bool is_new(struct pairs *p)
{
    struct buf line;

    buf_init(&line);
    buf_addc(&line, '\n');
    buf_add(&line, p->path.data, p->path.len);
    buf_addc(&line, '\n');
    bool seen = p->seen.len > 0 && memmem(p->seen.data, p->seen.len, line.data, line.len) != NULL;
    if (!seen)
        buf_add(&p->seen, line.data, line.len);
    buf_fini(&line);
    return !seen;
}

static void walk(struct pairs *p, struct json_view object, int depth)
{
    struct json_view_walk members = json_view_begin(object);
    struct json_view name, value;
    size_t before = p->path.len;

    while (p->left > 0 && json_view_next(&members, &name, &value)) {
        if (before > 0)
            buf_addc(&p->path, '.');
        json_view_add_text(name, &p->path);
        if (json_view_type(value) == JSON_VIEW_OBJECT && depth < MAX_DEPTH) {
            walk(p, value, depth + 1);
        } else if (is_new(p)) {
            struct body_pair pair = {classify(&p->path, value), p->path.data, p->path.len, value};
            p->found(p->ctx, &pair);
            p->left--;
        }
        buf_truncate(&p->path, before);
    }
}

void body_each_pair(const struct body_item *item, void (*found)(void *ctx, const struct body_pair *pair),
                    void *ctx)
{
    struct pairs p = {.found = found, .ctx = ctx, .left = BODY_MAX_FIELDS};

    buf_init(&p.path);
    buf_init(&p.seen);
    buf_adds(&p.path, "");
    walk(&p, item->member[MEMBER_key], 0);
    walk(&p, item->member[MEMBER_fields], 0);
    buf_fini(&p.path);
    buf_fini(&p.seen);
}

/* ---- ATT&CK ---------------------------------------------------------------------------------- */

static bool digits(const char *p, size_t n)
{
    for (size_t i = 0; i < n; i++)
        if (p[i] < '0' || p[i] > '9')
            return false;
    return true;
}

/* "t1110" or "t1110.003". */
static bool read_technique(const char *p, size_t len, struct body_attack *attack)
{
    if ((len != 5 && len != 9) || (*p != 't' && *p != 'T') || !digits(p + 1, 4) ||
        (len == 9 && (p[5] != '.' || !digits(p + 6, 3))))
        return false;
    snprintf(attack->technique, sizeof attack->technique, "T%.4s", p + 1);
    if (len == 9)
        snprintf(attack->sub_technique, sizeof attack->sub_technique, "T%.8s", p + 1);
    return true;
}

static bool read_tactic(const char *p, size_t len, struct body_attack *attack)
{
    static const struct {
        const char *tag, *id, *name;
    } tactics[] = {
#define TACTIC(tag, id, name) {tag, id, name},
#include "io/body_attack.def"
#undef TACTIC
    };

    for (size_t i = 0; i < sizeof tactics / sizeof tactics[0]; i++) {
        size_t k = 0;
        while (k < len && tactics[i].tag[k] &&
               (p[k] == tactics[i].tag[k] || (p[k] == '-' && tactics[i].tag[k] == '_')))
            k++;
        if (k == len && tactics[i].tag[k] == '\0') {
            attack->tactic_id = tactics[i].id;
            attack->tactic = tactics[i].name;
            return true;
        }
    }
    return false;
}

void body_each_attack(const struct body_item *item,
                      void (*found)(void *ctx, const struct body_attack *attack), void *ctx)
{
    struct json_view_walk walk = json_view_begin(item->member[MEMBER_tags]);
    static const char prefix[] = "attack.";
    enum { PREFIX = sizeof prefix - 1 };
    struct json_view tag;

    while (json_view_next(&walk, NULL, &tag)) {
        struct body_attack attack = {0};
        if (json_view_type(tag) != JSON_VIEW_TEXT || tag.len < PREFIX + 3 ||
            memcmp(tag.text + 1, prefix, PREFIX) != 0)
            continue;
        const char *p = tag.text + 1 + PREFIX;
        size_t len = tag.len - 2 - PREFIX;
        if (read_technique(p, len, &attack) || read_tactic(p, len, &attack))
            found(ctx, &attack);
    }
}
