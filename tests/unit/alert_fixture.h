// SPDX-License-Identifier: Apache-2.0
/* What the tests of alerts that are kept share: alerts as the engine makes them, into a checkpoint. */
#ifndef TESTS_UNIT_ALERT_FIXTURE_H
#define TESTS_UNIT_ALERT_FIXTURE_H

#include <tests/unit/outbox_fixture.h>

#include "event/time_format.h"
#include "state/alert_log.h"

static const char *const severities[] = {"info", "low", "medium", "high", "critical"};

/* Fills text and about; key: of the object, in JSON. */
static inline void make_alert(struct buf *text, struct alert_about *about, const char *rule,
                              unsigned severity, int64_t time, const char *key)
{
    *about = (struct alert_about){.time = time, .severity = (uint8_t)severity};
    buf_adds(text, "{\"id\":\"00112233445566778899aabbccddeeff\",\"rule\":");
    about->rule.at = (uint32_t)text->len;
    buf_add_json_text(text, rule, strlen(rule));
    about->rule.len = (uint32_t)text->len - about->rule.at;
    buf_printf(text, ",\"severity\":\"%s\",\"time\":\"", severities[severity]);
    time_add_text(text, time);
    buf_adds(text, "\",\"title\":\"t\",\"tags\":[],\"key\":");
    about->key.at = (uint32_t)text->len;
    about->key.len = (uint32_t)strlen(key);
    buf_adds(text, key);
    buf_adds(text, ",\"fields\":{},\"events\":{},\"revision\":0,\"suppressed\":0}");
}

static inline struct epoch_message *add_alert(struct epoch *ep, const char *rule, unsigned severity,
                                              int64_t time, const char *key)
{
    struct epoch_message *m = epoch_message_add(ep);
    struct buf text;

    buf_init(&text);
    make_alert(&text, &m->about, rule, severity, time, key);
    m->len = text.len;
    m->text = buf_take(&text);
    m->is_alert = true;
    m->sink = mem_calloc(2, sizeof *m->sink);
    m->n_sinks = 1;
    return m;
}

static inline void submit(struct epoch *ep)
{
    checkpoint_submit(cp, ep);
    assert_true(checkpoint_settle(cp, 60 * SECOND));
}

/* n alerts of rule r, of the times first, first + 1 s ..., in one epoch. */
static inline void send_alerts(int64_t first, unsigned n)
{
    struct epoch *ep = epoch_new();

    for (unsigned i = 0; i < n; i++)
        add_alert(ep, "r", 1, (first + i) * SECOND, "{\"k\":1}");
    submit(ep);
}

#endif
