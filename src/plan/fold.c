// SPDX-License-Identifier: Apache-2.0
/* fold - instructions whose operands are constants, done while compiling. */
#include "base/arena.h"
#include "base/regex.h"
#include "plan/expr_compile.h"
#include "plan/expr_compile_priv.h"
#include "plan/function.h"
#include "plan/pools.h"

static const struct pattern *pattern_of(struct lower *l, struct insn insn)
{
    const struct pattern *p = pools_get_pattern(l->cx->pools, insn.c);

    if (p->kind == PATTERN_REGEXES && !l->op.regex)
        l->op.regex = regex_scratch_new();
    return p;
}

bool fold_insn(struct lower *l, struct insn insn, const struct value *arg, uint32_t n,
               struct value *out)
{
    switch (insn.op) {
    case OP_NOT: *out = value_bool(!operate_truth(arg[0])); return true;
    case OP_TRUTH: *out = value_bool(operate_truth(arg[0])); return true;
    case OP_EXISTS: *out = value_bool(!value_is_missing(arg[0])); return true;
    case OP_NEG: *out = operate_neg(arg[0]); return true;
    case OP_ADD: *out = operate_add(arg[0], arg[1]); return true;
    case OP_SUB: *out = operate_sub(arg[0], arg[1]); return true;
    case OP_MUL: *out = operate_mul(arg[0], arg[1]); return true;
    case OP_DIV: *out = operate_div(arg[0], arg[1]); return true;
    case OP_MOD: *out = operate_mod(arg[0], arg[1]); return true;
    case OP_COMPARE:
        *out = value_bool(operate_compare(&l->op, insn.a, insn.b, arg[0], arg[1]));
        return true;
    case OP_MATCH:
        *out = value_bool(operate_match(&l->op, insn.a, arg[0], pattern_of(l, insn)));
        return true;
    case OP_EXTRACT:
        *out = operate_extract(&l->op, arg[0], pattern_of(l, insn), insn.b);
        return true;
    case OP_CALL: *out = function_call(&l->op, insn.b, arg, n); return true;
    case OP_LIST:
        *out = value_list(n ? arena_memdup(l->arena, arg, n * sizeof *arg) : NULL, n);
        return true;
    default: return false;
    }
}
