// SPDX-License-Identifier: Apache-2.0
/*
 * code - bytecode of one expression: immutable after expr_compile, run by engine/vm.
 *
 * A stack machine. An instruction is 8 bytes: opcode, small operand a (8 bit), b (16 bit), c (32
 * bit); what each operand means stands in opcode.def. Constants, regexes, lists and patterns that
 * instructions refer to by number are in the program's pools, so code is position-free and small.
 * Invariants, checked by code_validate after compiling: the stack depth at each instruction is the
 * same on every path, never above max_stack, and exactly 1 at RETURN; jumps go forward only, so
 * every code ends. The body of QUANTIFY is a block of its own: no jump enters or leaves it.
 */
#ifndef PLAN_CODE_H
#define PLAN_CODE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "event/value.h"

struct buf;
struct pools_view;
struct program;

enum opcode {
#define OPCODE(id, pops, pushes, doc) OP_##id,
#include "plan/opcode.def"
#undef OPCODE
    OP_COUNT
};

struct insn {
    uint8_t op; /* enum opcode */
    uint8_t a;
    uint16_t b;
    uint32_t c;
};

enum {
    CODE_MAX_STACK = 256,
    CODE_MAX_INSNS = 1 << 20,
    CODE_MAX_VARIABLES = 8, /* nested any()/all(): lists of n elements cost n^8 */
};

struct code {
    const struct insn *insn; /* in the program's arena; ends with OP_RETURN */
    const struct pools_view *pool; /* of the program's pools */
    uint32_t n;
    uint16_t max_stack;
    bool reads_candidate;
    uint64_t steps;          /* bit n: reads events bound to step n */
};

const char *opcode_name(enum opcode op);

bool code_validate(const struct program *prog, const struct code *code, const char **why_out);
/* One line an instruction, with field paths and constants written out. */
void code_print(struct buf *out, const struct program *prog, const struct code *code);

#endif
