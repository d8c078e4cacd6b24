// SPDX-License-Identifier: Apache-2.0
/* exception - see exception.h. */
#include "engine/exception.h"

#include <string.h>

#include "base/arena.h"
#include "base/buf.h"
#include "base/reader.h"
#include "engine/engine_priv.h"
#include "engine/vm.h"

bool exception_holds(struct engine *en, struct rule_state *rs, const struct value *emitted,
                     int64_t time)
{
    const struct program_rule *rule = rs->rule;
    en->vm.emitted = emitted;
    for (uint32_t i = 0; i < rule->n_excepted; i++) {
        uint32_t number = rule->excepted[i].exception;
        if (time >= en->prog->exception[number].until)
            continue;
        if (!vm_test(&en->vm, rule->excepted[i].where))
            continue;
        rs->excepted[i]++;
        rs->stats.excepted++;
        return true;
    }
    return false;
}

void exceptions_encode(struct buf *out, const struct engine *en, const struct rule_state *rs)
{
    buf_add_varint(out, rs->rule->n_excepted);
    for (uint32_t i = 0; i < rs->rule->n_excepted; i++) {
        const char *title = en->prog->exception[rs->rule->excepted[i].exception].title;
        buf_add_bytes(out, title, strlen(title));
        buf_add_varint(out, rs->excepted[i]);
    }
}

bool exceptions_decode(const struct engine *en, struct rule_state *rs, struct reader *r)
{
    uint64_t n = reader_varint(r);
    for (uint64_t i = 0; i < n && !r->bad; i++) {
        size_t len;
        const char *title = reader_bytes(r, &len);
        uint64_t count = reader_varint(r);
        for (uint32_t k = 0; k < rs->rule->n_excepted && !r->bad; k++) {
            const char *is = en->prog->exception[rs->rule->excepted[k].exception].title;
            if (strlen(is) == len && memcmp(is, title, len) == 0)
                rs->excepted[k] = count;
        }
    }
    return !r->bad;
}
