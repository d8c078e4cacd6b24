// SPDX-License-Identifier: Apache-2.0
/* body - which operations a rule's body has. */
#include "engine/body.h"

#include "plan/program.h"

const struct body_ops *body_ops(const struct program_rule *rule)
{
    switch (rule->body) {
    case BODY_MATCH: break;
    case BODY_WINDOW: break;
    case BODY_JOIN: break;
    case BODY_NOVEL: break;
    }
    return NULL;
}
