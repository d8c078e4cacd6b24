// SPDX-License-Identifier: Apache-2.0
/* expr_compile_priv - the nodes between AST and bytecode, and the passes over them. */
#ifndef PLAN_EXPR_COMPILE_PRIV_H
#define PLAN_EXPR_COMPILE_PRIV_H

#include <stdbool.h>
#include <stdint.h>

#include "base/diag.h"
#include "event/value.h"
#include "plan/code.h"
#include "plan/operate.h"

struct arena;
struct ast_expr;
struct buf;
struct expr_context;

enum node_kind {
    NODE_CONST,      /* value */
    NODE_INSN,       /* insn after its operands arg[0..n) */
    NODE_AND,        /* arg[0..n): up to the first that is not true */
    NODE_OR,         /* up to the first that is true */
    NODE_DEFAULT,    /* up to the first that is not missing */
    NODE_IF,         /* arg[0] ? arg[1] : arg[2] */
    NODE_OVER,       /* arg[0] the value of one event; insn OVER with b */
    NODE_QUANTIFIED, /* arg[0] the list, arg[1] the condition; insn QUANTIFY with a and b */
};

struct node {
    enum node_kind kind;
    bool is_bool; /* its value is true or false, never missing */
    uint32_t n;
    struct node **arg;
    struct insn insn;
    struct value value;
};

/* One lowering of one expression. */
struct lower {
    const struct expr_context *cx;
    struct arena *arena;         /* nodes and folded values; dropped after emitting */
    struct operate op;           /* for folding */
    struct vm_counters counters; /* what folding would count */
    bool fold;                   /* fold constants */
    bool failed;                 /* an error went to diag */
    bool warned;                 /* a warning about a constant condition did */
    uint32_t depth;              /* of recursion */
    uint32_t variables;          /* of the enclosing any()/all() */
};

enum { LOWER_MAX_DEPTH = 1000, LOWER_MAX_OPERANDS = 200 /* of one instruction, on the stack */ };

/* Each returns a node, also after an error (l->failed is set then). */
struct node *lower_expr(struct lower *l, const struct ast_expr *expr);
struct node *lower_constant(struct lower *l, const struct ast_expr *expr); /* folds in any case */
struct node *lower_relation(struct lower *l, const struct ast_expr *expr); /* _match.c */
struct node *lower_call(struct lower *l, const struct ast_expr *expr);     /* _call.c */
struct node *lower_error(struct lower *l, struct span span, const char *fmt, ...)
    __attribute__((format(printf, 3, 4)));

struct node *node_new(struct lower *l, enum node_kind kind, struct node **arg, uint32_t n);
struct node *node_const(struct lower *l, struct value v);
/* An instruction with n operands; folds it when they are constant. */
struct node *node_insn(struct lower *l, struct insn insn, struct node **arg, uint32_t n);
struct node *node_unary(struct lower *l, enum opcode op, struct node *x);

/* The pattern of `expr`, the constant right side of a relation. False after an error. _pattern.c */
bool lower_pattern(struct lower *l, enum relation r, bool fold, const struct ast_expr *expr,
                   struct value value, uint32_t *number_out);
/* The same from a declared list. */
bool lower_list_pattern(struct lower *l, enum relation r, bool fold, const struct ast_expr *expr,
                        uint32_t *number_out);
/* The networks of cidr_match's arguments expr[0..n), constant texts. */
bool lower_networks(struct lower *l, struct ast_expr *const *expr, uint32_t n, uint32_t *number_out);

/* fold.c: the value of a pure instruction on constants; false if it is not pure. */
bool fold_insn(struct lower *l, struct insn insn, const struct value *arg, uint32_t n,
               struct value *out);

#endif
