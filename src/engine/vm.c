// SPDX-License-Identifier: Apache-2.0
/*
 * vm - the loop over one expression's instructions; what each means stands in plan/opcode.def, and
 * what operators do with values in plan/operate.h. Code was validated when it was compiled, so the
 * loop checks no depth and no operand; it checks what depends on data: is there a candidate, is the
 * step bound, does an event that an older program decoded have the slot.
 *
 * The stack is on the C stack: 4 KiB that are not cleared. Bodies of any()/all() run on the same
 * stack in a nested vm_run, at most CODE_MAX_VARIABLES deep.
 */
#include "engine/vm.h"

#include <string.h>

#include "base/arena.h"
#include "engine/table.h"
#include "event/event.h"
#include "plan/code.h"
#include "plan/function.h"
#include "plan/pools.h"
#include "plan/program.h"

struct machine {
    const struct vm *vm;
    const struct code *code;
    struct operate op;
    struct value variable[CODE_MAX_VARIABLES];
};

static struct value event_slot(const struct event *ev, uint32_t slot)
{
    return ev && slot < ev->n_slots ? ev->slot[slot] : value_missing();
}

static const struct bind *last_bind(const struct vm *vm, uint32_t step)
{
    return vm->bound ? vm->bound[step].last : NULL;
}

static struct value step_slot(const struct vm *vm, uint32_t step, uint32_t slot)
{
    const struct bind *bind = last_bind(vm, step);

    return bind ? event_slot(bind->ev, slot) : value_missing();
}

static struct value stream_name(const struct vm *vm, uint32_t stream)
{
    if (stream >= vm->prog->n_streams)
        return value_missing();
    const char *name = vm->prog->stream[stream].name;
    return value_text(name, strlen(name));
}

static struct value step_time(const struct vm *vm, uint32_t step)
{
    const struct bind *bind = last_bind(vm, step);

    return bind ? value_time(bind->ev->time) : value_missing();
}

static struct value step_stream(const struct vm *vm, uint32_t step)
{
    const struct bind *bind = last_bind(vm, step);

    return bind ? stream_name(vm, bind->stream) : value_missing();
}

static struct value step_first(const struct vm *vm, uint32_t step, uint32_t slot)
{
    const struct bind *bind = last_bind(vm, step);

    while (bind && bind->prev)
        bind = bind->prev;
    return bind ? event_slot(bind->ev, slot) : value_missing();
}

/* The chain is newest first; the aggregate wants the values in the order of the events. */
static struct value aggregate(const struct machine *m, struct insn in)
{
    uint32_t n = m->vm->bound ? m->vm->bound[in.b].count : 0, i = n;
    struct value *value = arena_alloc_raw(m->op.arena, n * sizeof *value);

    for (const struct bind *b = last_bind(m->vm, in.b); b && i > 0; b = b->prev)
        value[--i] = event_slot(b->ev, in.c);
    return function_aggregate(&m->op, in.a, value + i, n - i);
}

static struct value window_aggregate(const struct machine *m, uint32_t number)
{
    const struct vm_window *window = &m->vm->window;

    if (number >= window->n_aggregates)
        return value_missing();
    if (window->aggregate)
        return window->aggregate[number];
    return window->ask ? window->ask(window->ctx, number, m->op.arena) : value_missing();
}

static struct value window_bound(const struct vm_window *window, bool is_end)
{
    if (!window->is_window)
        return value_missing();
    return value_time(is_end ? window->end : window->start);
}

/* Evaluates the code about another event than the candidate. */
static struct value about(const struct machine *m, const struct code *code, const struct event *ev)
{
    struct vm vm = *m->vm;

    vm.ev = ev;
    vm.ev_stream = 0;
    return vm_eval(&vm, code);
}

/* As the probe decides it, without its memory: only where streams mean different things by a field. */
static bool in_stream(const struct machine *m, const struct event *ev, uint32_t number)
{
    const struct program_stream *stream = &m->vm->prog->stream[number];
    uint32_t source = ev->origin->source_id;
    bool member = false;

    if (number == 0)
        return source >= m->vm->prog->n_streams ||
               !(m->vm->prog->stream[source].is_derived || m->vm->prog->stream[source].is_table);
    if (stream->is_source)
        return source == number;
    for (uint32_t i = 0; i < stream->n_inputs && !member; i++)
        member = in_stream(m, ev, stream->input[i]);
    if (member && stream->where)
        member = operate_truth(about(m, stream->where, ev));
    if (member && stream->drops)
        member = operate_truth(about(m, stream->expect, ev));
    return member;
}

static bool step_in_stream(const struct machine *m, struct insn in)
{
    const struct bind *bind = last_bind(m->vm, in.b);

    return bind && in_stream(m, bind->ev, in.c);
}

/* Of a list: is one of them a key; the negative form: has it elements, and none is. */
static bool has_row(const struct machine *m, struct insn in, struct value v)
{
    const struct program_table *table = &m->vm->prog->table[in.c];
    bool found = false;

    if (v.type == VALUE_MISSING || (v.type == VALUE_LIST && v.len == 0))
        return false;
    if (v.type != VALUE_LIST)
        return table_has(m->vm->tables, table, in.c, v) != (in.a != 0);
    for (uint32_t i = 0; i < v.len && !found; i++)
        found = table_has(m->vm->tables, table, in.c, v.u.list[i]);
    return found != (in.a != 0);
}

static struct value make_list(const struct machine *m, const struct value *element, uint32_t n)
{
    return value_list(arena_memdup(m->op.arena, element, n * sizeof *element), n);
}

static struct value vm_run(struct machine *m, const struct insn *pc, struct value *sp);

/* any(): is it true for one element; all(): for every one, so of an empty list too. One value that
 * is no list is a list of one; of what is missing nothing is true. */
static bool quantify(struct machine *m, const struct insn *pc, struct value list, struct value *sp)
{
    bool all = pc->a;
    uint32_t n = list.type == VALUE_LIST ? list.len : list.type != VALUE_MISSING;
    const struct value *element = list.type == VALUE_LIST ? list.u.list : &list;

    for (uint32_t i = 0; i < n; i++) {
        m->variable[pc->b] = element[i];
        if (operate_truth(vm_run(m, pc + 1, sp)) != all)
            return !all;
    }
    return all && list.type != VALUE_MISSING;
}

/* The chain is newest first, the list in the order of the events. */
static struct value over(const struct machine *m, const struct insn *pc, struct value *sp)
{
    uint32_t n = m->vm->bound ? m->vm->bound[pc->b].count : 0, i = n;
    struct value *value = arena_alloc_raw(m->op.arena, n * sizeof *value);
    struct vm vm = *m->vm;
    struct machine one = *m;

    one.vm = &vm;
    for (const struct bind *b = last_bind(m->vm, pc->b); b && i > 0; b = b->prev) {
        vm.ev = b->ev;
        vm.ev_stream = b->stream;
        value[--i] = vm_run(&one, pc + 1, sp);
    }
    return value_list(value + i, n - i);
}

static inline bool equals(const struct machine *m, struct value x, const struct value *constant)
{
    if (x.type == VALUE_TEXT && constant->type == VALUE_TEXT)
        return x.len == constant->len && (x.len == 0 || memcmp(x.u.text, constant->u.text, x.len) == 0);
    if (x.type == VALUE_INT && constant->type == VALUE_INT)
        return x.u.i == constant->u.i;
    return operate_compare(&m->op, RELATION_EQ, false, x, *constant);
}

/* Runs from pc; sp is the first free place of the stack. */
static struct value vm_run(struct machine *m, const struct insn *pc, struct value *sp)
{
    const struct vm *vm = m->vm;
    const struct event *ev = vm->ev;
    const struct insn *begin = m->code->insn;
    const struct value *constant = m->code->pool->value;
    const struct pattern *const *pattern = m->code->pool->pattern;

    for (;; pc++) {
        struct insn in = *pc;

        switch ((enum opcode)in.op) {
        case OP_CONST: *sp++ = constant[in.c]; break;
        case OP_FIELD: *sp++ = event_slot(ev, in.c); break;
        case OP_STEP_FIELD: *sp++ = step_slot(vm, in.b, in.c); break;
        case OP_KEY: *sp++ = vm->key ? vm->key[in.c] : value_missing(); break;
        case OP_EMITTED: *sp++ = vm->emitted ? vm->emitted[in.c] : value_missing(); break;
        case OP_VARIABLE: *sp++ = m->variable[in.b]; break;
        case OP_TEXTS: *sp++ = ev ? value_list(ev->texts, ev->n_texts) : value_missing(); break;
        case OP_TIME: *sp++ = ev ? value_time(ev->time) : value_missing(); break;
        case OP_STREAM: *sp++ = ev ? stream_name(vm, vm->ev_stream) : value_missing(); break;
        case OP_STEP_TIME: *sp++ = step_time(vm, in.b); break;
        case OP_STEP_STREAM: *sp++ = step_stream(vm, in.b); break;
        case OP_STEP_EXISTS: *sp++ = value_bool(last_bind(vm, in.b) != NULL); break;
        case OP_STEP_COUNT: *sp++ = value_int(vm->bound ? vm->bound[in.b].count : 0); break;
        case OP_STEP_FIRST: *sp++ = step_first(vm, in.b, in.c); break;
        case OP_AGGREGATE: *sp++ = aggregate(m, in); break;
        case OP_AGGREGATE_LIST:
            sp[-1] = function_aggregate(&m->op, in.a, sp[-1].u.list, sp[-1].len);
            break;
        case OP_TABLE_HAS: sp[-1] = value_bool(has_row(m, in, sp[-1])); break;
        case OP_TABLE_GET:
            sp[-1] = table_get(vm->tables, &vm->prog->table[in.c], in.c, sp[-1], in.b);
            break;
        case OP_IN_STREAM: *sp++ = value_bool(ev && in_stream(m, ev, in.c)); break;
        case OP_STEP_IN_STREAM: *sp++ = value_bool(step_in_stream(m, in)); break;
        case OP_WINDOW_AGGREGATE: *sp++ = window_aggregate(m, in.c); break;
        case OP_WINDOW_START: *sp++ = window_bound(&vm->window, false); break;
        case OP_WINDOW_END: *sp++ = window_bound(&vm->window, true); break;
        case OP_LIST:
            sp -= in.c;
            *sp = make_list(m, sp, in.c);
            sp++;
            break;
        case OP_CALL:
            sp -= in.a;
            *sp = function_call(&m->op, in.b, sp, in.a);
            sp++;
            break;
        case OP_EXTRACT: sp[-1] = operate_extract(&m->op, sp[-1], pattern[in.c], in.b); break;
        case OP_MEMBER: {
            const struct pools_path *path = &m->code->pool->path[in.c];
            sp[-1] = operate_member(&m->op, sp[-1], path->part, path->n);
            break;
        }
        case OP_NOT: sp[-1] = value_bool(!operate_truth(sp[-1])); break;
        case OP_TRUTH: sp[-1] = value_bool(operate_truth(sp[-1])); break;
        case OP_EXISTS: sp[-1] = value_bool(sp[-1].type != VALUE_MISSING); break;
        case OP_NEG: sp[-1] = operate_neg(sp[-1]); break;
        case OP_ADD: sp--, sp[-1] = operate_add(sp[-1], sp[0]); break;
        case OP_SUB: sp--, sp[-1] = operate_sub(sp[-1], sp[0]); break;
        case OP_MUL: sp--, sp[-1] = operate_mul(sp[-1], sp[0]); break;
        case OP_DIV: sp--, sp[-1] = operate_div(sp[-1], sp[0]); break;
        case OP_MOD: sp--, sp[-1] = operate_mod(sp[-1], sp[0]); break;
        case OP_COMPARE:
            sp--;
            sp[-1] = value_bool(operate_compare(&m->op, in.a, in.b, sp[-1], sp[0]));
            break;
        case OP_COMPARE_CONST:
            sp[-1] = value_bool(operate_compare(&m->op, in.a, in.b, sp[-1], constant[in.c]));
            break;
        case OP_MATCH:
            sp[-1] = value_bool(operate_match(&m->op, in.a, sp[-1], pattern[in.c]));
            break;
        case OP_FIELD_EQ:
            *sp++ = value_bool(equals(m, event_slot(ev, in.b), &constant[in.c]));
            break;
        case OP_FIELD_COMPARE:
            *sp++ = value_bool(operate_compare(&m->op, in.a & 127, in.a & 128, event_slot(ev, in.b),
                                               constant[in.c]));
            break;
        case OP_FIELD_MATCH:
            *sp++ = value_bool(operate_match(&m->op, in.a, event_slot(ev, in.b), pattern[in.c]));
            break;
        case OP_FIELD_EXISTS:
            *sp++ = value_bool(event_slot(ev, in.c).type != VALUE_MISSING);
            break;
        case OP_FIELD_STEP:
            *sp++ = value_bool(operate_compare(&m->op, in.a & 127, in.a & 128, event_slot(ev, in.b),
                                               step_slot(vm, in.c >> 16, in.c & 0xffff)));
            break;
        case OP_JUMP: pc = begin + in.c - 1; break;
        case OP_JUMP_AND:
            if (operate_truth(sp[-1])) {
                sp--;
            } else {
                sp[-1] = value_bool(false);
                pc = begin + in.c - 1;
            }
            break;
        case OP_JUMP_OR:
            if (operate_truth(sp[-1]))
                pc = begin + in.c - 1;
            else
                sp--;
            break;
        case OP_JUMP_ELSE:
            if (!operate_truth(*--sp))
                pc = begin + in.c - 1;
            break;
        case OP_JUMP_PRESENT:
            if (sp[-1].type != VALUE_MISSING)
                pc = begin + in.c - 1;
            else
                sp--;
            break;
        case OP_QUANTIFY:
            sp[-1] = value_bool(quantify(m, pc, sp[-1], sp - 1));
            pc = begin + in.c - 1;
            break;
        case OP_OVER:
            *sp = over(m, pc, sp);
            sp++;
            pc = begin + in.c - 1;
            break;
        case OP_END_BODY:
        case OP_RETURN:
        case OP_COUNT: return sp[-1];
        }
    }
}

struct value vm_eval(struct vm *vm, const struct code *code)
{
    struct value stack[CODE_MAX_STACK];
    struct machine m;

    m.vm = vm;
    m.code = code;
    m.op = (struct operate){ vm->scratch, vm->regex, vm->counters };
    return vm_run(&m, code->insn, stack);
}

bool vm_test(struct vm *vm, const struct code *code)
{
    return operate_truth(vm_eval(vm, code));
}
