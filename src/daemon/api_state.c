// SPDX-License-Identifier: Apache-2.0
/* What a rule keeps of a key, and which are its largest, over HTTP: a question to the engine thread
 * (flow/question.h). */
#include <string.h>

#include "base/mem.h"
#include "daemon/api_priv.h"
#include "engine/look_keys.h"
#include "event/json_doc.h"
#include "event/value.h"
#include "flow/question.h"
#include "plan/program.h"

struct asking {
    struct question question;
    struct http_request *rq;
    struct json_doc *doc;  /* that the key is of; or NULL */
    struct value *key;     /* owned; texts are the document's, or the request's */
    struct look_keys *largest; /* owned; or NULL: of a key */
};

static void asking_free(struct asking *as)
{
    buf_fini(&as->question.out);
    if (as->doc)
        json_doc_free(&as->doc);
    look_keys_free(&as->largest);
    mem_free(as->key);
    mem_free(as);
}

/* On the engine thread. */
static void told(void *ctx, struct question *question)
{
    struct asking *as = ctx;
    struct http_request *rq = as->rq;
    struct buf b;

    if (question->ended) {
        http_answer_problem(rq, HTTP_UNAVAILABLE, "the rules are being changed");
        http_answer_retry_after(rq, 1);
    } else {
        buf_init(&b);
        buf_addc(&b, '{');
        api_add_text(&b, "rule", http_request_name(rq));
        buf_addc(&b, ',');
        if (as->largest)
            look_keys_add_json(as->largest, &b);
        else
            buf_printf(&b, "\"states\":[%s]", question->out.len ? question->out.data : "");
        buf_adds(&b, "}\n");
        http_answer_json(rq, 200, &b);
    }
    asking_free(as);
    http_request_done(rq);
}

struct naming {
    const struct program_rule *rule;
    struct value *key;
    uint32_t n; /* that were found; a name stands once in a document */
};

static bool found_member(void *ctx, const char *name, const struct json_doc *doc)
{
    struct naming *naming = ctx;

    for (uint32_t i = 0; i < naming->rule->n_keys; i++)
        if (strcmp(naming->rule->key_name[i], name) == 0) {
            naming->n++;
            return json_doc_value(doc, &naming->key[i]);
        }
    return false;
}

/* key[0..n_keys) from what was given: as alerts have it, a list, or a value; false: it does not fit. */
static bool read_key(struct asking *as, const char *given, const struct program_rule *rule)
{
    uint32_t n = rule->n_keys;
    struct naming naming = {.rule = rule};
    char why[160];
    size_t elements;

    as->key = mem_calloc(n + 1, sizeof *as->key);
    if (!given)
        return n == 0;
    as->doc = json_doc_parse_any(given, strlen(given), why, sizeof why);
    if (!as->doc) {
        as->key[0] = value_text(given, strlen(given));
        return n == 1;
    }
    elements = json_doc_elements(as->doc);
    naming.key = as->key;
    if (elements == SIZE_MAX)
        return (n == 1 && json_doc_value(as->doc, &as->key[0])) ||
               (json_doc_each(as->doc, found_member, &naming) && naming.n == n);
    for (uint32_t i = 0; elements == n && i < n; i++)
        if (!json_doc_value(json_doc_element(as->doc, i), &as->key[i]))
            return false;
    return elements == n;
}

bool api_state_get(struct api_call *call)
{
    const struct program *prog = call->host->rules->prog[0];
    uint32_t number = program_rule_named(prog, http_request_name(call->rq));
    struct asking *as;

    if (number == UINT32_MAX) {
        http_answer_problem(call->rq, HTTP_NOT_FOUND, "there is no rule %s",
                            http_request_name(call->rq));
        return true;
    }
    as = mem_calloc(1, sizeof *as);
    as->rq = call->rq;
    buf_init(&as->question.out);
    uint32_t limit = (uint32_t)http_request_count(call->rq, "limit", LOOK_LIMIT);
    if (!http_request_query(call->rq, "key") && prog->rule[number].n_keys > 0) {
        as->largest = look_keys_new(limit);
    } else if (!read_key(as, http_request_query(call->rq, "key"), &prog->rule[number])) {
        http_answer_problem(call->rq, HTTP_BAD_REQUEST,
                            "`key` is a value, a list of %u or an object of them by their names: the rule has so many keys",
                            (unsigned)prog->rule[number].n_keys);
        asking_free(as);
        return true;
    }
    as->question.rule = http_request_name(call->rq);
    as->question.key = as->key;
    as->question.n_keys = prog->rule[number].n_keys;
    as->question.page = (struct look_page){http_request_count(call->rq, "from", 0), limit};
    as->question.largest = as->largest;
    as->question.done = told;
    as->question.ctx = as;
    call->later = true;
    pipeline_ask(*call->host->pipeline, &as->question);
    return true;
}
