// SPDX-License-Identifier: Apache-2.0
/*
 * alert - what a rule says when it is true (language section 8), ready to be written.
 *
 * The JSON is rendered when the match is found, while its events are there. `detected_at` is not in
 * it: it is set at delivery. Alerts of one engine_feed are appended in the order in which they came
 * true; alert_order is the order of output among those of one time.
 */
#ifndef ENGINE_ALERT_H
#define ENGINE_ALERT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct alert {
    int64_t time;      /* ns, event time at which it became true */
    uint32_t rule;     /* number in the program */
    uint32_t revision;
    uint8_t id[16];
    uint8_t severity;  /* enum severity, as its JSON has it */
    bool limited;      /* beyond `limit alerts`: for the dead letters (engine_keep_limited) */
    uint32_t json_len;
    uint32_t rule_at, rule_len; /* the rule's name in the JSON, with its quotes */
    uint32_t key_at, key_len;   /* the key's object in it */
    char *json;        /* owned; one line without the line end */
    char *key;         /* owned; the key's JSON object as text, for ordering and routing */
    char *title;       /* owned; rendered, or the rule's name */
};

struct alert_list {
    struct alert *alert; /* owned array */
    size_t n, cap;
};

void alert_list_init(struct alert_list *list);
void alert_list_fini(struct alert_list *list);  /* frees what is still in it */
/* A new one at the end, to be filled. */
struct alert *alert_list_add(struct alert_list *list);
void alert_list_clear(struct alert_list *list);
/* time, then rule name, key, id, revision. `names` by rule number. */
struct program;
void alert_list_sort(struct alert_list *list, size_t from, const struct program *prog);

#endif
