// SPDX-License-Identifier: Apache-2.0
#include "flow/rules_wish.h"

#include <string.h>

#include "base/buf.h"
#include "base/mem.h"
#include "base/reader.h"
#include "base/utf8.h"
#include "io/topic_reader.h"
#include "plan/program.h"
#include "state/module_version.h"

enum { CODEC_VERSION = 1 };

/* ---- a record ------------------------------------------------------------------------------------------ */

static enum rules_fault take_key(const struct topic_record *record, struct rules_wish *wish, struct buf *why)
{
    if (record->key && strlen(record->key) == record->key_len && module_name_ok(record->key)) {
        wish->name = mem_strndup(record->key, record->key_len);
        return RULES_FINE;
    }
    buf_printf(why, "the key is the name of a module: 1 to %d of A-Z a-z 0-9 . _ - in parts between /, none of which "
                    "begins with a dot", (int)MODULE_NAME_MOST);
    return RULES_BAD_KEY;
}

static enum rules_fault take_value(const struct topic_record *record, struct rules_wish *wish, struct buf *why)
{
    size_t bad;

    if (record->too_long) {
        buf_printf(why, "the value has %zu bytes, more than `max_module`", record->len);
        return RULES_TOO_LONG;
    }
    if (!record->value)
        return RULES_FINE; /* a tombstone */
    if (record->len == 0)
        buf_adds(why, "the value is empty; a record without a value takes the module away");
    else if (!utf8_valid(record->value, record->len, &bad))
        buf_printf(why, "byte %zu of the value is not UTF-8", bad);
    else if (memchr(record->value, '\0', record->len))
        buf_adds(why, "the value has a NUL");
    if (why->len > 0)
        return RULES_BAD_VALUE;
    wish->text = mem_strndup(record->value, record->len);
    wish->len = record->len;
    return RULES_FINE;
}

static bool is_one_of(const struct topic_header *header, const char *const word[], size_t n, size_t *at_out)
{
    for (size_t i = 0; header->value && i < n; i++)
        if (header->len == strlen(word[i]) && memcmp(header->value, word[i], header->len) == 0) {
            *at_out = i;
            return true;
        }
    return false;
}

/* False and why. */
static bool take_header(const struct topic_header *header, struct rules_wish *wish, struct buf *why)
{
    static const char *const reload[] = {[RELOAD_DRAIN] = "drain", [RELOAD_FRESH] = "fresh", [RELOAD_REFUSE] = "refuse"};
    static const char *const flag[] = {"0", "false", "1", "true"};
    size_t at = 0;

    if (strcmp(header->name, "on_reload") == 0) {
        if (!is_one_of(header, reload, sizeof reload / sizeof *reload, &at))
            buf_adds(why, "the header `on_reload` is drain, fresh or refuse");
        wish->policy.on_reload = (int)at;
    } else if (strcmp(header->name, "allow_state_drop") == 0) {
        if (!is_one_of(header, flag, sizeof flag / sizeof *flag, &at))
            buf_adds(why, "the header `allow_state_drop` is 1 or 0");
        wish->policy.allow_drop = at >= 2;
    } else if (strcmp(header->name, "author") == 0) {
        if (!header->value || header->len > RULES_AUTHOR_MOST || memchr(header->value, '\0', header->len) ||
            !utf8_valid(header->value, header->len, NULL))
            buf_printf(why, "the header `author` is a text of at most %d bytes", (int)RULES_AUTHOR_MOST);
        mem_free(wish->author);
        wish->author = header->value ? mem_strndup(header->value, header->len) : NULL;
    } else if (strcmp(header->name, "dry_run") == 0 || strcmp(header->name, "if_match") == 0) {
        buf_printf(why, "there is no `%s` in a topic: compaction would leave this record alone of all that the module "
                        "had", header->name);
    }
    return why->len == 0;
}

enum rules_fault rules_wish_read(const struct topic_record *record, struct rules_wish *wish_out, struct buf *why)
{
    *wish_out = (struct rules_wish){.policy = {.on_reload = -1},
                                    .partition = record->partition,
                                    .offset = record->offset,
                                    .time = record->time};
    enum rules_fault fault = take_key(record, wish_out, why);
    if (fault == RULES_FINE)
        fault = take_value(record, wish_out, why);
    for (size_t i = 0; fault == RULES_FINE && i < record->n_headers; i++)
        if (!take_header(&record->header[i], wish_out, why))
            fault = RULES_BAD_HEADER;
    return fault;
}

void rules_wish_fini(struct rules_wish *wish)
{
    mem_free(wish->name);
    mem_free(wish->text);
    mem_free(wish->author);
    *wish = (struct rules_wish){0};
}

/* ---- the database -------------------------------------------------------------------------------------- */

static void add_text(struct buf *out, const char *text, size_t len)
{
    buf_add_u8(out, text != NULL);
    buf_add_bytes(out, text ? text : "", text ? len : 0);
}

void rules_wish_encode(struct buf *out, const struct rules_wish *wish)
{
    buf_add_varint(out, CODEC_VERSION);
    buf_add_bytes(out, wish->name, strlen(wish->name));
    add_text(out, wish->text, wish->len);
    add_text(out, wish->author, wish->author ? strlen(wish->author) : 0);
    buf_add_u8(out, (uint8_t)(wish->policy.on_reload + 1));
    buf_add_u8(out, wish->policy.allow_drop);
    buf_add_u8(out, wish->answered);
    buf_add_varint(out, (uint64_t)wish->partition);
    buf_add_varint(out, wish->offset);
    buf_add_u64(out, (uint64_t)wish->time);
}

/* NULL: there is none, or it is bad. */
static char *read_text(struct reader *r, bool may_be_none, size_t *len_out)
{
    uint8_t there = may_be_none ? reader_u8(r) : 1;
    const char *text = reader_bytes(r, len_out);

    r->bad |= there > 1 || (text && memchr(text, '\0', *len_out) != NULL) || (!there && *len_out > 0);
    return r->bad || !there ? NULL : mem_strndup(text, *len_out);
}

bool rules_wish_decode(const void *data, size_t len, struct rules_wish *wish_out)
{
    struct reader r;
    size_t n;

    *wish_out = (struct rules_wish){0};
    reader_init(&r, data, len);
    r.bad |= reader_varint(&r) != CODEC_VERSION;
    wish_out->name = read_text(&r, false, &n);
    wish_out->text = read_text(&r, true, &wish_out->len);
    wish_out->author = read_text(&r, true, &n);
    uint8_t on_reload = reader_u8(&r), allow = reader_u8(&r), answered = reader_u8(&r);
    uint64_t partition = reader_varint(&r);
    r.bad |= on_reload > RELOAD_REFUSE + 1 || allow > 1 || answered > 1 || partition > INT32_MAX;
    wish_out->policy.on_reload = on_reload - 1;
    wish_out->policy.allow_drop = allow == 1;
    wish_out->answered = answered == 1;
    wish_out->partition = (int32_t)partition;
    wish_out->offset = reader_varint(&r);
    wish_out->time = (int64_t)reader_u64(&r);
    if (!r.bad && reader_left(&r) == 0 && module_name_ok(wish_out->name))
        return true;
    rules_wish_fini(wish_out);
    return false;
}
