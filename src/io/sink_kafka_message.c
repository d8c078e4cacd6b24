// SPDX-License-Identifier: Apache-2.0
/* sink_kafka_message - a message as a record of Kafka: key, id, headers. Read first: sink_kafka.h. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "event/time_format.h"
#include "io/body_priv.h"
#include "io/sink_kafka_priv.h"

enum { MOST_DIGITS = 64 };

/* One form for equal numbers, as keys of rules have it: an integer in digits, others as they are written shortest.
 * Records of one key of a rule go to one partition, whatever form events bring. */
static void add_number(struct json_view number, struct buf *out)
{
    int64_t i;
    char digits[MOST_DIGITS + 1];

    if (json_view_int(number, &i)) {
        buf_add_int(out, i);
        return;
    }
    if (number.len > MOST_DIGITS) { /* nobody writes keys so */
        buf_add(out, number.text, number.len);
        return;
    }
    memcpy(digits, number.text, number.len);
    digits[number.len] = '\0';
    double d = strtod(digits, NULL);
    if (d >= -0x1p63 && d < 0x1p63 && d == (double)(int64_t)d)
        buf_add_int(out, (int64_t)d);
    else
        buf_add_double(out, d);
}

static void add_value(struct json_view value, bool bare, struct buf *out)
{
    if (json_view_type(value) == JSON_VIEW_NUMBER)
        add_number(value, out);
    else if (bare)
        json_view_add_text(value, out);
    else
        buf_add(out, value.text, value.len);
}

void kafka_add_key(struct json_view key, struct buf *out)
{
    struct json_view_walk walk = json_view_begin(key);
    struct json_view name, value;
    bool bare = json_view_count(key) == 1;
    const char *before = "{";

    while (json_view_next(&walk, &name, &value)) {
        if (!bare) {
            buf_adds(out, before);
            buf_add(out, name.text, name.len);
            buf_addc(out, ':');
            before = ",";
        }
        add_value(value, bare, out);
    }
    if (!bare)
        buf_addc(out, '}');
}

static void add_key(struct sink_kafka *s, const struct body_item *item)
{
    struct json_view key = item->member[MEMBER_key];
    size_t n = json_view_count(key);

    buf_clear(&s->key);
    s->has_key = item->is_alert && n > 0 && json_view_type(key) == JSON_VIEW_OBJECT;
    if (!s->has_key)
        return;
    kafka_add_key(key, &s->key);
}

/* id.revision of an alert; of what is none the hash of its text, and its number, as two may read the same.
 * No blanks, as it stands in the marker. */
static void add_id(struct sink_kafka *s, const struct body_item *item, uint64_t seq)
{
    buf_clear(&s->text);
    if (item->is_alert) {
        body_add_delivery_id(item, &s->text);
    } else {
        buf_add(&s->text, item->id + 1, strlen(item->id) - 2);
        buf_printf(&s->text, ".%" PRIu64, seq);
    }
    for (size_t i = 0; i < s->text.len; i++)
        if (s->text.data[i] <= ' ' || s->text.data[i] > '~')
            s->text.data[i] = '_';
    if (s->text.len >= KAFKA_LAST_MAX)
        s->text.len = KAFKA_LAST_MAX - 1;
    buf_adds(&s->text, "");
}

static void add_header(rd_kafka_headers_t *headers, const char *name, const struct buf *value)
{
    rd_kafka_header_add(headers, name, -1, value->data, (ssize_t)value->len);
}

static void add_word(rd_kafka_headers_t *headers, const char *name, const char *word)
{
    rd_kafka_header_add(headers, name, -1, word, -1);
}

/* CloudEvents 1.0, Kafka protocol binding, binary content mode. */
static rd_kafka_headers_t *cloudevents(struct sink_kafka *s, const struct body_item *item)
{
    rd_kafka_headers_t *headers = rd_kafka_headers_new(8);
    struct buf text;

    buf_init(&text);
    add_word(headers, "ce_specversion", "1.0");
    add_header(headers, "ce_id", &s->text);
    body_add_event_source(item, s->name, &text);
    add_header(headers, "ce_source", &text);
    add_word(headers, "ce_type", body_event_type(item));
    buf_clear(&text);
    time_add_text(&text, item->time);
    add_header(headers, "ce_time", &text);
    buf_clear(&text);
    body_add_event_subject(item, &text);
    if (text.len > 0)
        add_header(headers, "ce_subject", &text);
    add_word(headers, "content-type", item->whole.len > 0 ? "application/json" : "text/plain");
    buf_fini(&text);
    return headers;
}

rd_kafka_headers_t *kafka_describe(struct sink_kafka *s, const struct sink_message *m)
{
    struct body_alert alert = {.text = m->text, .len = m->len, .is_alert = m->is_alert};
    struct body_item item;

    body_item_init(&item, &alert, clock_wall());
    add_key(s, &item);
    add_id(s, &item, m->seq);
    return s->cloudevents ? cloudevents(s, &item) : NULL;
}
