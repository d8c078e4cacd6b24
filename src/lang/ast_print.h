// SPDX-License-Identifier: Apache-2.0
/* ast_print - declarations as canonical text; parsing it again gives the same tree. */
#ifndef LANG_AST_PRINT_H
#define LANG_AST_PRINT_H

struct ast_expr;
struct ast_module;
struct ast_rule;
struct buf;

void ast_print_module(struct buf *out, const struct ast_module *module);
void ast_print_rule(struct buf *out, const struct ast_rule *rule);
void ast_print_expr(struct buf *out, const struct ast_expr *expr);

#endif
