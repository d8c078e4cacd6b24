// SPDX-License-Identifier: Apache-2.0
#include "flow/question.h"

#include "engine/look.h"
#include "engine/look_keys.h"
#include "plan/program.h"

enum { SLOTS = 512 }; /* of a table of keys, between two looks at the clock */

void question_box_init(struct question_box *box)
{
    *box = (struct question_box){.first = NULL};
    pthread_mutex_init(&box->lock, NULL);
}

void question_box_fini(struct question_box *box)
{
    pthread_mutex_destroy(&box->lock);
}

void question_put(struct question_box *box, struct question *question)
{
    pthread_mutex_lock(&box->lock);
    question->next = box->first;
    box->first = question;
    pthread_mutex_unlock(&box->lock);
}

bool question_waits(struct question_box *box)
{
    pthread_mutex_lock(&box->lock);
    bool any = box->first != NULL;
    pthread_mutex_unlock(&box->lock);
    return any;
}

void question_answer_all(struct question_box *box, bool ended,
                         bool (*answer)(void *ctx, struct question *question), void *ctx)
{
    pthread_mutex_lock(&box->lock);
    struct question *one = box->first, *next;
    box->first = NULL;
    pthread_mutex_unlock(&box->lock);
    for (; one; one = next) {
        next = one->next;
        one->ended = ended;
        if (!ended && !answer(ctx, one))
            question_put(box, one);
        else
            one->done(one->ctx, one);
    }
}

bool question_look_keys(struct question *question, const struct program *prog, struct engine *en)
{
    uint32_t rule = program_rule_named(prog, question->rule);

    if (rule != UINT32_MAX && !engine_look_keys(en, rule, question->largest, SLOTS))
        return false;
    look_keys_next(question->largest);
    return true;
}

void question_answer(struct question *question, const struct program *prog, struct engine *en)
{
    uint32_t rule = program_rule_named(prog, question->rule);
    size_t before = question->out.len;

    if (rule == UINT32_MAX || prog->rule[rule].n_keys != question->n_keys)
        return;
    if (before > 0)
        buf_addc(&question->out, ',');
    if (!engine_look(en, rule, question->key, &question->page, &question->out))
        buf_truncate(&question->out, before); /* it does not run in this engine */
}
