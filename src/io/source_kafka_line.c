// SPDX-License-Identifier: Apache-2.0
/* source_kafka_line - a record as a line: its value, behind what is known of the record if a rule reads that. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/utf8.h"
#include "event/time_format.h"
#include "io/source_kafka_priv.h"

#define MS INT64_C(1000000)

/* ---- what is known of it ------------------------------------------------------------------------ */

static void add_timestamp(struct buf *b, int64_t time)
{
    if (time == SOURCE_NO_TIME)
        return;
    buf_adds(b, ",\"timestamp\":\"");
    time_add_text(b, time);
    buf_addc(b, '"');
}

struct header {
    const char *name;
    const void *value; /* NULL: none */
    size_t len, at;
    bool hidden;       /* another of this name is behind it */
};

static int by_name(const void *a, const void *b)
{
    const struct header *x = a, *y = b;
    int order = strcmp(x->name, y->name);

    return order ? order : (x->at > y->at) - (x->at < y->at);
}

static int by_place(const void *a, const void *b)
{
    const struct header *x = a, *y = b;

    return (x->at > y->at) - (x->at < y->at);
}

/* Owned, in their order. A record may have hundreds of thousands. */
static struct header *read_headers(const rd_kafka_headers_t *headers, size_t n)
{
    struct header *h = mem_calloc(n + 1, sizeof *h);

    for (size_t i = 0; i < n; i++) {
        h[i].at = i;
        rd_kafka_header_get_all(headers, i, &h[i].name, &h[i].value, &h[i].len);
    }
    qsort(h, n, sizeof *h, by_name);
    for (size_t i = 0; i + 1 < n; i++)
        h[i].hidden = strcmp(h[i].name, h[i + 1].name) == 0;
    qsort(h, n, sizeof *h, by_place);
    return h;
}

static void add_headers(struct buf *b, const rd_kafka_message_t *msg)
{
    rd_kafka_headers_t *headers;
    const char *before = ",\"headers\":{";

    if (rd_kafka_message_headers(msg, &headers) != RD_KAFKA_RESP_ERR_NO_ERROR)
        return;
    size_t n = rd_kafka_header_cnt(headers);
    struct header *h = read_headers(headers, n);
    for (size_t i = 0; i < n; i++) {
        if (!h[i].value || h[i].hidden)
            continue;
        buf_adds(b, before);
        buf_add_json_bytes(b, h[i].name, strlen(h[i].name));
        buf_addc(b, ':');
        buf_add_json_bytes(b, h[i].value, h[i].len);
        before = ",";
    }
    if (*before == ',' && before[1] == '\0')
        buf_addc(b, '}');
    mem_free(h);
}

static void add_known(struct buf *b, const struct kafka_part *part, const rd_kafka_message_t *msg,
                      int64_t time)
{
    buf_adds(b, "\"topic\":");
    buf_add_json_bytes(b, part->topic->name, strlen(part->topic->name));
    buf_printf(b, ",\"partition\":%" PRId32 ",\"offset\":%" PRId64, part->number, msg->offset);
    add_timestamp(b, time);
    if (msg->key) {
        buf_adds(b, ",\"key\":");
        buf_add_json_bytes(b, msg->key, msg->key_len);
    }
    add_headers(b, msg);
    buf_addc(b, '}');
}

/* Which row of a table it is about: any bytes. */
static void add_row(struct buf *b, const rd_kafka_message_t *msg, bool deleted)
{
    struct buf id;
    size_t bad;

    if (msg->key) {
        bool text = utf8_valid(msg->key, msg->key_len, &bad);
        buf_init(&id);
        buf_addc(&id, text ? 't' : 'x');
        if (text)
            buf_add(&id, msg->key, msg->key_len);
        for (size_t i = 0; !text && i < msg->key_len; i++)
            buf_printf(&id, "%02x", ((const unsigned char *)msg->key)[i]);
        buf_adds(b, "\"id\":");
        buf_add_json_text(b, id.data, id.len);
        buf_addc(b, ',');
        buf_fini(&id);
    }
    if (deleted)
        buf_adds(b, "\"deleted\":true,");
}

/* ---- the line ------------------------------------------------------------------------------------ */

static bool is_blank(char c)
{
    return c == ' ' || c == '\t' || c == '\n' || c == '\r';
}

/* A line has no line ends in it: of JSON on several lines they are blanks. In a text they are no JSON, and
 * stay, to be told. */
static void join_lines(char *text, size_t len)
{
    bool quoted = false;

    for (size_t i = 0; i < len; i++) {
        if (text[i] == '"')
            quoted = !quoted;
        else if (quoted && text[i] == '\\')
            i++;
        else if (!quoted && (text[i] == '\n' || text[i] == '\r'))
            text[i] = ' ';
    }
}

/* Returns how many bytes stand between the value's first and its second one. */
static size_t add_value(struct source_kafka *s, const struct kafka_part *part, const rd_kafka_message_t *msg,
                        const char *value, size_t len, int64_t time, bool deleted)
{
    struct buf *b = &s->line;
    size_t inside = 0, at = 1;

    if (!s->source.wants_meta || len == 0 || value[0] != '{') {
        buf_add(b, value, len);
        return 0;
    }
    buf_addc(b, '{');
    buf_printf(b, "\"%s\":{", s->source.meta);
    if (s->rows)
        add_row(b, msg, deleted);
    add_known(b, part, msg, time);
    while (at < len && is_blank(value[at]))
        at++;
    if (at < len && value[at] != '}')
        buf_addc(b, ',');
    inside = b->len - 1;
    buf_add(b, value + 1, len - 1);
    return inside;
}

int64_t kafka_record_time(const rd_kafka_message_t *msg)
{
    rd_kafka_timestamp_type_t type;
    int64_t ms = rd_kafka_message_timestamp(msg, &type);

    return type == RD_KAFKA_TIMESTAMP_NOT_AVAILABLE || ms < 0 || ms > INT64_MAX / MS ? SOURCE_NO_TIME : ms * MS;
}

bool kafka_line(struct source_kafka *s, const struct kafka_part *part, rd_kafka_message_t *msg,
                struct source_item *item_out)
{
    const char *value = msg->payload;
    size_t len = msg->len;
    int64_t time = kafka_record_time(msg);
    bool deleted = false;

    if (s->rows && !value)
        value = "{}", len = 2, deleted = true;
    while (len > 0 && is_blank(value[0])) {
        value++;
        len--;
    }
    while (len > 0 && is_blank(value[len - 1]))
        len--;
    if ((!value || len == 0) && !s->rows)
        return false;
    item_out->what = SOURCE_EVENT_LINE;
    item_out->size = msg->len;
    item_out->record_time = time;
    if (len > s->max_line) {
        item_out->what = SOURCE_EVENT_TOO_LONG;
        item_out->len = len;
        return true;
    }
    buf_clear(&s->line);
    buf_reserve(&s->line, len + s->padding);
    item_out->inside = add_value(s, part, msg, value, len, time, deleted);
    if (memchr(value, '\n', len) || memchr(value, '\r', len))
        join_lines(s->line.data, s->line.len);
    buf_reserve(&s->line, s->padding);
    item_out->text = s->line.data;
    item_out->len = s->line.len;
    return true;
}
