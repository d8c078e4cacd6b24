// SPDX-License-Identifier: Apache-2.0
/* `tocsin state inspect --rule`: what a rule keeps of each key. */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/buf.h"
#include "cli/command.h"
#include "cli/state_priv.h"
#include "explain/explain_report.h"
#include "engine/record_about.h"
#include "event/json_doc.h"
#include "event/time_format.h"
#include "state/modules.h"
#include "state/space.h"

struct keys {
    const char *wanted; /* JSON, or NULL: all */
    struct record_about about;
    struct buf key;     /* of the one whose records are met; len 0: none */
    uint64_t bytes, records;
    uint64_t n;         /* printed */
    uint64_t damaged;
};

/* A key's chunks follow its record. */
static void print_key(struct keys *k)
{
    struct buf b;

    if (k->key.len == 0)
        return;
    buf_init(&b);
    buf_printf(&b, "  %s: ", k->key.data);
    if (k->about.runs) {
        report_add_count(&b, k->about.runs);
        buf_printf(&b, " run%s, ", k->about.runs == 1 ? "" : "s");
    }
    buf_adds(&b, "next deadline ");
    if (k->about.due == INT64_MAX)
        buf_adds(&b, "-");
    else
        time_add_text(&b, k->about.due);
    buf_adds(&b, ", ");
    report_add_bytes(&b, k->bytes);
    if (k->records > 1)
        buf_printf(&b, " in %" PRIu64 " records", k->records);
    buf_adds(&b, ", in memory ");
    report_add_bytes(&b, k->about.charge);
    puts(b.data);
    k->n++;
    buf_fini(&b);
    buf_clear(&k->key);
}

static bool found_key(void *ctx, const void *key, size_t key_len, const void *value, size_t len)
{
    struct keys *k = ctx;
    struct record_about about;
    struct buf json;

    buf_init(&json);
    if (!record_about_key((const char *)key + 1, key_len - 1, value, len, &about, &json)) {
        k->damaged++;
    } else if (about.is_chunk) {
        if (k->key.len > 0 && strcmp(json.data, k->key.data) == 0) {
            k->bytes += key_len + len;
            k->records++;
        }
    } else {
        print_key(k);
        if (!k->wanted || strcmp(json.data, k->wanted) == 0)
            buf_add(&k->key, json.data, json.len);
        k->about = about;
        k->bytes = key_len + len;
        k->records = 1;
    }
    buf_fini(&json);
    return true;
}

static bool read_keys(struct store *st, struct keys *k, uint32_t incarnation, struct buf *why)
{
    uint8_t prefix[6] = {SPACE_ENGINE, 'P'};

    key_put_u32(prefix + 2, incarnation);
    bool ok = store_read(st, prefix, sizeof prefix, found_key, k, why) == STORE_OK;
    print_key(k);
    return ok;
}

/* What is no JSON is a text. Owned by json. */
static const char *as_json(const char *key, struct buf *json)
{
    char why[160];
    struct json_doc *doc = json_doc_parse_any(key, strlen(key), why, sizeof why);

    if (doc) {
        json_doc_free(&doc);
        return key;
    }
    buf_add_json_text(json, key, strlen(key));
    return json->data;
}

int state_keys(struct store *st, const struct modules *mods, const struct state_arguments *args)
{
    struct keys k = {.n = 0};
    struct buf why, json;
    bool ok = true;
    int code = EXIT_OK;

    buf_init(&why);
    buf_init(&json);
    buf_init(&k.key);
    k.wanted = args->key ? as_json(args->key, &json) : NULL;
    puts("\nkeys");
    for (size_t g = 0; ok && g < mods->n; g++) {
        const struct module_state *rule = generation_rule(&mods->generation[g], args->rule);
        uint64_t before = k.n;
        if (rule)
            ok = read_keys(st, &k, rule->incarnation, &why);
        if (ok && k.wanted && k.n > before) {
            fflush(stdout);
            state_look(st, mods, g, args->rule, k.wanted);
        }
    }
    if (!ok)
        code = state_fail(why.data);
    if (k.damaged) {
        fprintf(stderr, "tocsin: %" PRIu64 " records are damaged, or of a later version\n", k.damaged);
        code = EXIT_FAILED;
    }
    if (ok && args->key && k.n == 0) {
        fprintf(stderr, "tocsin: `%s` keeps nothing of the key %s\n", args->rule, args->key);
        code = EXIT_FAILED;
    }
    buf_fini(&k.key);
    buf_fini(&json);
    buf_fini(&why);
    return code;
}
