// SPDX-License-Identifier: Apache-2.0
/* shard_answer - what is asked of the engine thread (question.h), between two batches. */
#include "base/clock.h"
#include "base/queue.h"
#include "flow/question.h"
#include "flow/shard_priv.h"

#define ANSWER_BUDGET INT64_C(1000000) /* ns of what is asked between two batches */

void shard_ask(struct shard *sh, struct question *question)
{
    question_put(&sh->questions, question);
    queue_wake(sh->opt.in);
}

static bool answer(void *ctx, struct question *question)
{
    struct shard *sh = ctx;

    for (size_t i = 0; i < sh->n_fed && !question->largest; i++)
        question_answer(question, sh->fed[i].is.prog, sh->fed[i].is.en);
    while (question->largest && question->at < sh->n_fed) {
        const struct shard_engine *is = &sh->fed[question->at].is;
        question->at += question_look_keys(question, is->prog, is->en);
        if (clock_monotonic() >= sh->answer_until)
            break;
    }
    return !question->largest || question->at >= sh->n_fed;
}

void shard_answer(struct shard *sh)
{
    sh->answer_until = clock_monotonic() + ANSWER_BUDGET;
    question_answer_all(&sh->questions, atomic_load(&sh->broken), answer, sh);
}

void shard_answer_ended(struct shard *sh)
{
    question_answer_all(&sh->questions, true, answer, sh);
}
