// SPDX-License-Identifier: Apache-2.0
/*
 * code - the validator and the disassembler of bytecode; both walk opcode.def.
 *
 * The validator is one pass: jumps go forward only, so when it comes to an instruction it has seen
 * every way there. depth[i] is the stack depth before instruction i, UNKNOWN while no way there was
 * seen. Bodies of QUANTIFY are kept on a small stack of open blocks.
 */
#include "plan/code.h"

#include "base/buf.h"
#include "base/mem.h"
#include "event/schema.h"
#include "plan/function.h"
#include "plan/operate.h"
#include "plan/pools.h"
#include "plan/program.h"

static const struct {
    const char *name;
    int8_t pops, pushes;
} OPCODES[] = {
#define OPCODE(id, pops, pushes, doc) { #id, pops, pushes },
#include "plan/opcode.def"
#undef OPCODE
};

const char *opcode_name(enum opcode op)
{
    return op < OP_COUNT ? OPCODES[op].name : "?";
}

/* ---- validation -------------------------------------------------------------------------------- */

enum { UNKNOWN = -1, MAX_STEPS = 64 };

struct check {
    const struct program *prog;
    const struct code *code;
    int32_t *depth;
    const char *why;
    struct {
        uint32_t end;  /* the instruction behind the body */
        int32_t depth; /* at its begin */
    } body[CODE_MAX_VARIABLES];
    uint32_t n_bodies;
};

static bool good(struct check *k, bool condition, const char *why)
{
    if (!condition && !k->why)
        k->why = why;
    return condition;
}

static bool good_relation(struct check *k, uint8_t a)
{
    return good(k, a < RELATION_COUNT, "no such relation");
}

static bool good_constant(struct check *k, uint32_t c)
{
    return good(k, c < pools_count_values(k->prog->pools), "no such constant");
}

static bool good_pattern(struct check *k, uint32_t c)
{
    return good(k, c < pools_count_patterns(k->prog->pools), "no such pattern");
}

static bool good_slot(struct check *k, uint32_t slot)
{
    return good(k, !k->prog->schema || slot < schema_count(k->prog->schema), "no such slot");
}

static bool good_step(struct check *k, uint32_t step)
{
    return good(k, step < MAX_STEPS, "no such step");
}

static bool good_extract(struct check *k, struct insn in)
{
    if (!good_pattern(k, in.c))
        return false;
    const struct pattern *p = pools_get_pattern(k->prog->pools, in.c);
    return good(k, p->kind == PATTERN_REGEXES && p->n == 1, "EXTRACT wants one regex");
}

static bool good_operands(struct check *k, struct insn in)
{
    switch (in.op) {
    case OP_CONST: return good_constant(k, in.c);
    case OP_FIELD:
    case OP_FIELD_EXISTS: return good_slot(k, in.c);
    case OP_STEP_FIELD:
    case OP_STEP_FIRST: return good_step(k, in.b) && good_slot(k, in.c);
    case OP_STEP_TIME:
    case OP_STEP_STREAM:
    case OP_STEP_COUNT:
    case OP_STEP_EXISTS: return good_step(k, in.b);
    case OP_AGGREGATE:
        return good_step(k, in.b) && good_slot(k, in.c) &&
               good(k, in.a < function_aggregate_count(), "no such aggregate");
    case OP_AGGREGATE_LIST: return good(k, in.a < function_aggregate_count(), "no such aggregate");
    case OP_IN_STREAM: return good(k, in.c < k->prog->n_streams, "no such stream");
    case OP_STEP_IN_STREAM:
        return good_step(k, in.b) && good(k, in.c < k->prog->n_streams, "no such stream");
    case OP_OVER: return good_step(k, in.b);
    case OP_TABLE_HAS: return good(k, in.c < k->prog->n_tables, "no such table");
    case OP_TABLE_GET:
        return good(k, in.c < k->prog->n_tables && in.b < k->prog->table[in.c].n_columns,
                    "no such column");
    case OP_MEMBER: return good(k, in.c < pools_count_paths(k->prog->pools), "no such path");
    case OP_VARIABLE: return good(k, in.b < k->n_bodies, "no such variable");
    case OP_CALL:
        return good(k, in.b < function_count() && in.a <= FUNCTION_MAX_ARGS, "no such function");
    case OP_EXTRACT: return good_extract(k, in);
    case OP_COMPARE: return good_relation(k, in.a);
    case OP_COMPARE_CONST: return good_relation(k, in.a) && good_constant(k, in.c);
    case OP_MATCH: return good_relation(k, in.a) && good_pattern(k, in.c);
    case OP_FIELD_EQ: return good_slot(k, in.b) && good_constant(k, in.c);
    case OP_FIELD_COMPARE:
        return good_relation(k, in.a & 127) && good_slot(k, in.b) && good_constant(k, in.c);
    case OP_FIELD_MATCH:
        return good_relation(k, in.a) && good_slot(k, in.b) && good_pattern(k, in.c);
    case OP_FIELD_STEP:
        return good_relation(k, in.a & 127) && good_slot(k, in.b) && good_step(k, in.c >> 16) &&
               good_slot(k, in.c & 0xffff);
    default: return true;
    }
}

/* A way from instruction `from` to `to`, with that depth there. */
static bool way(struct check *k, uint32_t from, uint32_t to, int32_t depth)
{
    uint32_t end = k->n_bodies ? k->body[k->n_bodies - 1].end : k->code->n;

    if (!good(k, to > from && to < end, "a jump that does not go forward within its block") ||
        !good(k, depth >= 0 && depth <= k->code->max_stack, "stack out of bounds") ||
        !good(k, k->depth[to] == UNKNOWN || k->depth[to] == depth, "two stack depths"))
        return false;
    k->depth[to] = depth;
    return true;
}

static bool open_body(struct check *k, uint32_t i, struct insn in, int32_t depth)
{
    if (!good(k, in.op == OP_OVER || in.b == k->n_bodies, "wrong variable") ||
        !good(k, k->n_bodies < CODE_MAX_VARIABLES, "bodies nested too deeply") ||
        !way(k, i, in.c, depth + 1) || !good(k, in.c > i + 2, "empty body"))
        return false;
    k->body[k->n_bodies].end = in.c;
    k->body[k->n_bodies++].depth = depth;
    return way(k, i, i + 1, depth);
}

static bool close_body(struct check *k, uint32_t i, int32_t depth)
{
    if (!good(k, k->n_bodies > 0, "END_BODY without QUANTIFY"))
        return false;
    k->n_bodies--;
    return good(k, k->body[k->n_bodies].end == i + 1, "END_BODY is not at the end") &&
           good(k, k->body[k->n_bodies].depth == depth, "a body that does not leave one value");
}

static bool check_insn(struct check *k, uint32_t i)
{
    struct insn in = k->code->insn[i];
    int32_t depth = k->depth[i], pops;

    if (!good(k, in.op < OP_COUNT, "no such opcode") ||
        !good(k, depth != UNKNOWN, "an instruction that is never reached") || !good_operands(k, in))
        return false;
    pops = in.op == OP_LIST ? (int32_t)(in.c < CODE_MAX_STACK ? in.c : CODE_MAX_STACK)
           : in.op == OP_CALL ? in.a : OPCODES[in.op].pops;
    if (!good(k, depth >= pops, "stack underflow"))
        return false;
    if (k->n_bodies &&
        !good(k, depth - pops >= k->body[k->n_bodies - 1].depth, "a body that takes from outside"))
        return false;
    depth -= pops;
    switch (in.op) {
    case OP_RETURN: return good(k, depth == 0 && i + 1 == k->code->n, "RETURN is not the end");
    case OP_JUMP: return way(k, i, in.c, depth);
    case OP_JUMP_ELSE: return way(k, i, in.c, depth) && way(k, i, i + 1, depth);
    case OP_JUMP_AND:
    case OP_JUMP_OR:
    case OP_JUMP_PRESENT: return way(k, i, in.c, depth + 1) && way(k, i, i + 1, depth);
    case OP_QUANTIFY:
    case OP_OVER: return open_body(k, i, in, depth);
    case OP_END_BODY: return close_body(k, i, depth);
    default: return way(k, i, i + 1, depth + OPCODES[in.op].pushes);
    }
}

bool code_validate(const struct program *prog, const struct code *code, const char **why_out)
{
    struct check k = { .prog = prog, .code = code };

    good(&k, code->n > 0 && code->n <= CODE_MAX_INSNS, "no code, or too much");
    good(&k, code->max_stack <= CODE_MAX_STACK, "stack too deep");
    if (!k.why) {
        k.depth = mem_alloc(code->n * sizeof *k.depth);
        k.depth[0] = 0;
        for (uint32_t i = 1; i < code->n; i++)
            k.depth[i] = UNKNOWN;
        for (uint32_t i = 0; i < code->n && !k.why; i++)
            check_insn(&k, i);
        good(&k, k.n_bodies == 0, "a body without end");
        good(&k, code->insn[code->n - 1].op == OP_RETURN, "no RETURN");
        mem_free(k.depth);
    }
    *why_out = k.why;
    return !k.why;
}

/* ---- disassembly ------------------------------------------------------------------------------- */

enum { PRINT_MEMBERS = 8 };

static void print_value(struct buf *out, struct value v)
{
    if (v.type == VALUE_TIME || v.type == VALUE_DURATION)
        value_add_text(out, v);
    else
        value_add_json(out, v);
}

static void print_constant(struct buf *out, const struct program *prog, uint32_t c)
{
    print_value(out, *pools_value(prog->pools, c));
}

static void print_slot(struct buf *out, const struct program *prog, uint32_t slot)
{
    if (prog->schema)
        buf_adds(out, schema_path(prog->schema, slot));
    else
        buf_printf(out, "slot%u", slot);
}

static void print_path(struct buf *out, const struct pools_path *path)
{
    for (uint32_t i = 0; i < path->n; i++) {
        if (path->part[i].name)
            buf_printf(out, ".%s", path->part[i].name);
        else
            buf_printf(out, "[%d]", path->part[i].index);
    }
}

static void print_pattern(struct buf *out, const struct program *prog, uint32_t c)
{
    const struct pattern *p = pools_get_pattern(prog->pools, c);

    if (p->name) {
        buf_printf(out, "%s (%u)", p->name, p->n);
        return;
    }
    buf_addc(out, '[');
    for (uint32_t i = 0; i < p->n && i < PRINT_MEMBERS; i++) {
        buf_adds(out, i ? ", " : "");
        print_value(out, p->set ? value_set_at(p->set, i) : p->source[i]);
    }
    if (p->n > PRINT_MEMBERS)
        buf_printf(out, ", ... %u", p->n);
    buf_addc(out, ']');
}

static void print_relation(struct buf *out, unsigned relation, bool fold)
{
    buf_printf(out, " %s%s ", relation_name(relation), fold ? "~" : "");
}

static void print_fused(struct buf *out, const struct program *prog, struct insn in)
{
    print_slot(out, prog, in.b);
    switch (in.op) {
    case OP_FIELD_EQ:
        print_relation(out, RELATION_EQ, false);
        print_constant(out, prog, in.c);
        break;
    case OP_FIELD_COMPARE:
        print_relation(out, in.a & 127, in.a & 128);
        print_constant(out, prog, in.c);
        break;
    case OP_FIELD_MATCH:
        print_relation(out, in.a, pools_get_pattern(prog->pools, in.c)->fold);
        print_pattern(out, prog, in.c);
        break;
    default:
        print_relation(out, in.a & 127, in.a & 128);
        buf_printf(out, "step%u.", in.c >> 16);
        print_slot(out, prog, in.c & 0xffff);
        break;
    }
}

static void print_operands(struct buf *out, const struct program *prog, struct insn in)
{
    switch (in.op) {
    case OP_CONST: print_constant(out, prog, in.c); break;
    case OP_FIELD:
    case OP_FIELD_EXISTS: print_slot(out, prog, in.c); break;
    case OP_STEP_FIELD:
    case OP_STEP_FIRST:
        buf_printf(out, "step%u.", in.b);
        print_slot(out, prog, in.c);
        break;
    case OP_STEP_TIME:
    case OP_STEP_STREAM:
    case OP_STEP_COUNT:
    case OP_STEP_EXISTS: buf_printf(out, "step%u", in.b); break;
    case OP_AGGREGATE_LIST: buf_adds(out, function_aggregate_name(in.a)); break;
    case OP_TABLE_HAS:
        buf_printf(out, "%s%s", in.a ? "not " : "", prog->table[in.c].name);
        break;
    case OP_TABLE_GET:
        buf_printf(out, "%s.%s", prog->table[in.c].name, prog->table[in.c].column_name[in.b]);
        break;
    case OP_IN_STREAM: buf_adds(out, prog->stream[in.c].name); break;
    case OP_STEP_IN_STREAM: buf_printf(out, "step%u %s", in.b, prog->stream[in.c].name); break;
    case OP_OVER: buf_printf(out, "step%u, to %u", in.b, in.c); break;
    case OP_AGGREGATE:
        buf_printf(out, "%s step%u.", function_aggregate_name(in.a), in.b);
        print_slot(out, prog, in.c);
        break;
    case OP_VARIABLE: buf_printf(out, "%u", in.b); break;
    case OP_MEMBER: print_path(out, &pools_view(prog->pools)->path[in.c]); break;
    case OP_KEY:
    case OP_EMITTED:
    case OP_WINDOW_AGGREGATE:
    case OP_LIST: buf_printf(out, "%u", in.c); break;
    case OP_CALL: buf_printf(out, "%s %u", function_name(in.b), in.a); break;
    case OP_EXTRACT:
        print_pattern(out, prog, in.c);
        buf_printf(out, " group %u", in.b);
        break;
    case OP_COMPARE: print_relation(out, in.a, in.b); break;
    case OP_COMPARE_CONST:
        print_relation(out, in.a, in.b);
        print_constant(out, prog, in.c);
        break;
    case OP_MATCH:
        print_relation(out, in.a, pools_get_pattern(prog->pools, in.c)->fold);
        print_pattern(out, prog, in.c);
        break;
    case OP_FIELD_EQ:
    case OP_FIELD_COMPARE:
    case OP_FIELD_MATCH:
    case OP_FIELD_STEP: print_fused(out, prog, in); break;
    case OP_JUMP:
    case OP_JUMP_AND:
    case OP_JUMP_OR:
    case OP_JUMP_ELSE:
    case OP_JUMP_PRESENT: buf_printf(out, "to %u", in.c); break;
    case OP_QUANTIFY: buf_printf(out, "%s %u, to %u", in.a ? "all" : "any", in.b, in.c); break;
    default: break;
    }
}

void code_print(struct buf *out, const struct program *prog, const struct code *code)
{
    for (uint32_t i = 0; i < code->n; i++) {
        buf_printf(out, "%4u  ", i);
        size_t start = out->len;
        buf_printf(out, "%-14s ", opcode_name(code->insn[i].op));
        print_operands(out, prog, code->insn[i]);
        while (out->len > start && out->data[out->len - 1] == ' ')
            out->data[--out->len] = '\0';
        buf_addc(out, '\n');
    }
}
