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
        en->excepted[number]++;
        rs->stats.excepted++;
        return true;
    }
    return false;
}

void exceptions_encode(struct buf *out, const struct engine *en)
{
    buf_add_varint(out, en->prog->n_exceptions);
    for (uint32_t i = 0; i < en->prog->n_exceptions; i++) {
        const char *title = en->prog->exception[i].title;
        buf_add_bytes(out, title, strlen(title));
        buf_add_varint(out, en->excepted[i]);
    }
}

bool exceptions_decode(struct engine *en, struct reader *r)
{
    uint64_t n = reader_varint(r);
    for (uint64_t i = 0; i < n && !r->bad; i++) {
        size_t len;
        const char *title = reader_bytes(r, &len);
        uint64_t count = reader_varint(r);
        for (uint32_t k = 0; k < en->prog->n_exceptions && !r->bad; k++) {
            const char *is = en->prog->exception[k].title;
            if (strlen(is) == len && memcmp(is, title, len) == 0)
                en->excepted[k] = count;
        }
    }
    return !r->bad;
}
