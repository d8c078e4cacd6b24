// SPDX-License-Identifier: Apache-2.0
/* rules_topic_answer - what is told of each record of a round. */
#include <inttypes.h>
#include <string.h>

#include "base/mem.h"
#include "daemon/change_told.h"
#include "daemon/rules_topic_priv.h"
#include "event/time_format.h"
#include "flow/swap.h"
#include "http/problem.h"
#include "plan/program.h"

struct telling {
    struct rules_round *round;
    const struct rules_item **owner; /* owned; of each rule in outcome.swap; NULL: no module of the round */
    const struct rules_item *item;
};

static void add_text(struct buf *out, const char *key, const char *text, size_t len)
{
    buf_printf(out, ",\"%s\":", key);
    buf_add_json_bytes(out, text, len);
}

static const char *word_of(enum rules_item_state state)
{
    switch (state) {
    case RULES_APPLIED: return "applied";
    case RULES_UNCHANGED: return "unchanged";
    case RULES_SUPERSEDED: return "superseded";
    default: return "refused";
    }
}

/* {"result":"applied","topic":"rules","partition":0,"offset":17,... */
static void add_head(struct buf *out, const struct rules_topic *rt, const struct rules_item *item)
{
    const struct rules_wish *wish = &item->wish;

    buf_printf(out, "{\"result\":\"%s\"", word_of(item->state));
    add_text(out, "topic", rt->topic, strlen(rt->topic));
    buf_printf(out, ",\"partition\":%" PRId32 ",\"offset\":%" PRIu64, wish->partition, wish->offset);
    if (wish->time != INT64_MIN) {
        buf_adds(out, ",\"time\":\"");
        time_add_text(out, wish->time);
        buf_addc(out, '"');
    }
    if (wish->author)
        add_text(out, "author", wish->author, strlen(wish->author));
}

/* The rules of the module; and others of no module of this round, if something became of them. */
static bool is_told(void *ctx, size_t at)
{
    const struct telling *t = ctx;

    if (t->owner[at])
        return t->owner[at] == t->item;
    return t->round->outcome.swap.rule[at].fate != SWAP_UNCHANGED;
}

static void add_change(struct buf *out, struct telling *t)
{
    const struct rules_round *round = t->round;
    const struct rules_item *item = t->item;
    const struct modules *mods = round->made && round->result == RULESET_OK ? &round->next.mods : &round->rt->d->rules.mods;
    struct change_told told = {.changed = item->state == RULES_APPLIED,
                               .name = item->wish.name,
                               .version = item->version,
                               .etag = item->after,
                               .generation = mods->n > 0 ? mods->generation[0].number : 0,
                               .outcome = item->state == RULES_APPLIED ? &round->outcome : NULL,
                               .file = item->path,
                               .is_told = is_told,
                               .ctx = t};

    buf_addc(out, ',');
    change_told_add(out, round->rt->d->config, &told);
    buf_addc(out, '}');
}

static void add_refusal(struct buf *out, const struct rules_item *item)
{
    struct buf problem;

    if (item->wish.name)
        add_text(out, "name", item->wish.name, strlen(item->wish.name));
    buf_printf(out, ",\"waits\":%s,", item->state == RULES_WAITS ? "true" : "false");
    buf_init(&problem);
    http_problem_add(&problem, item->problem, item->detail.len ? item->detail.data : NULL, item->member, &item->json);
    buf_add(out, problem.data + 1, problem.len - 2); /* without the brace before it and the line end */
    buf_fini(&problem);
}

static void add_answer(struct buf *out, struct telling *t)
{
    const struct rules_item *item = t->item;

    add_head(out, t->round->rt, item);
    switch (item->state) {
    case RULES_APPLIED:
    case RULES_UNCHANGED:
        add_change(out, t);
        break;
    case RULES_SUPERSEDED:
        add_text(out, "name", item->wish.name, strlen(item->wish.name));
        buf_printf(out, ",\"by\":{\"partition\":%" PRId32 ",\"offset\":%" PRIu64 "}}", item->by_partition,
                   item->by_offset);
        break;
    default:
        add_refusal(out, item);
        break;
    }
}

/* By the new program, of what is gone by the one that runs. */
static void find_owners(struct telling *t)
{
    const struct rules_round *round = t->round;
    const struct swap *swap = &round->outcome.swap;
    const struct program *now = round->result == RULESET_OK ? round->next.prog[0] : round->next.told;
    const struct program *was = round->rt->d->rules.told;

    t->owner = mem_calloc(swap->n + 1, sizeof *t->owner);
    for (size_t i = 0; i < swap->n; i++) {
        const struct program *prog = now;
        uint32_t number = now ? program_rule_named(now, swap->rule[i].name) : UINT32_MAX;
        if (number == UINT32_MAX) {
            prog = was;
            number = was ? program_rule_named(was, swap->rule[i].name) : UINT32_MAX;
        }
        if (number != UINT32_MAX)
            t->owner[i] = rules_round_of_file(round, prog->rule[number].file);
    }
}

static bool wants_answer(const struct rules_item *item)
{
    return !item->undecided && !(item->state == RULES_WAITS && item->wish.answered);
}

struct rules_answer *rules_round_answer(struct rules_round *round, struct store_batch *batch, size_t *n_out)
{
    struct rules_topic *rt = round->rt;
    struct telling t = {.round = round};
    struct rules_answer *answer = mem_calloc(round->n + 1, sizeof *answer);

    *n_out = 0;
    if (round->made)
        find_owners(&t);
    for (size_t i = 0; i < round->n && rt->writer; i++) {
        struct rules_item *item = &round->item[i];
        struct rules_answer *one = &answer[*n_out];
        struct buf text;
        if (!wants_answer(item))
            continue;
        t.item = item;
        buf_init(&text);
        add_answer(&text, &t);
        const char *key = item->wish.name ? item->wish.name : item->key;
        size_t key_len = item->wish.name ? strlen(key) : item->key_len;
        *one = (struct rules_answer){.number = rt->next_answer++,
                                     .key = key ? mem_strndup(key, key_len) : NULL,
                                     .key_len = key ? key_len : 0,
                                     .len = text.len};
        one->text = buf_take(&text);
        rules_saved_put_answer(batch, one);
        (*n_out)++;
    }
    mem_free(t.owner);
    return answer;
}
