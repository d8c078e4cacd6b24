// SPDX-License-Identifier: Apache-2.0
/* body - which operations a rule's body has. */
#include "engine/body.h"

#include "engine/join.h"
#include "engine/novel.h"
#include "plan/program.h"

const struct body_ops *body_ops(const struct program_rule *rule)
{
    switch (rule->body) {
    case BODY_MATCH: break;
    case BODY_WINDOW: break;
    case BODY_JOIN: return &join_ops;
    case BODY_NOVEL: return &novel_ops;
    }
    return NULL;
}
