// SPDX-License-Identifier: Apache-2.0
/* The driver: checks the text as a whole, runs the grammar over it, and what all builders share. */
#include "lang/parse_priv.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "base/utf8.h"
#include "lang/conceal.h"

#include "grammar/rule_parser.h"

/* ---- what the builders share -------------------------------------------------------------- */

void parse_error_at(struct parse *p, struct span span, const char *hint, const char *fmt, ...)
{
    char message[512];
    va_list args;

    va_start(args, fmt);
    vsnprintf(message, sizeof message, fmt, args);
    va_end(args);
    diag_add(p->diag, DIAG_ERROR, span, "%s", message);
    if (hint)
        diag_hint(p->diag, "%s", hint);
}

int64_t parse_number(struct parse *p, const struct ast_expr *n, int64_t low, int64_t high, const char *name)
{
    int64_t value = n->value.u.i;

    if (n->value.type == VALUE_INT && value >= low && value <= high)
        return value;
    parse_error_at(p, n->span, NULL, "%s is a number from %lld to %lld", name, (long long)low, (long long)high);
    return n->value.type == VALUE_INT && value > high ? high : low;
}

void parse_twice(struct parse *p, struct span span, const char *what)
{
    parse_error_at(p, span, "take one of them away", "`%s` is given twice", what);
}

void *parse_chain(const struct build_list *list)
{
    if (!list || list->n == 0)
        return NULL;
    for (uint32_t i = 0; i < list->n; i++) {
        void *next = i + 1 < list->n ? list->item[i + 1] : NULL;

        memcpy(list->item[i], &next, sizeof next);
    }
    return list->item[0];
}

struct build_list *build_append(struct parse *p, struct build_list *list, void *item)
{
    if (!list)
        list = arena_alloc(p->arena, sizeof *list);
    if (!item)
        return list;
    if (list->n == PARSE_MAX_ITEMS) {
        parse_error_at(p, p->lex.last.span, NULL, "more than %d items in one list or block", (int)PARSE_MAX_ITEMS);
        return list;
    }
    if (list->n == list->cap) {
        uint32_t cap = list->cap ? 2 * list->cap : 4;
        void **grown = arena_alloc(p->arena, cap * sizeof *grown);

        if (list->n > 0)
            memcpy(grown, list->item, list->n * sizeof *grown);
        list->item = grown;
        list->cap = cap;
    }
    list->item[list->n++] = item;
    return list;
}

struct build_list *build_append_name(struct parse *p, struct build_list *list, struct ast_name name)
{
    return build_append(p, list, arena_memdup(p->arena, &name, sizeof name));
}

struct ast_names build_names(struct parse *p, struct span span, struct build_list *list)
{
    struct ast_names names = {.span = span};

    if (!list)
        return names;
    names.name = arena_alloc(p->arena, list->n * sizeof *names.name);
    names.n = list->n;
    for (uint32_t i = 0; i < list->n; i++)
        memcpy(&names.name[i], list->item[i], sizeof names.name[i]);
    return names;
}

struct ast_names build_one_name(struct parse *p, struct ast_name name)
{
    return (struct ast_names){.name = arena_memdup(p->arena, &name, sizeof name), .n = 1, .span = name.span};
}

struct ast_name build_text_name(struct parse *p, struct ast_expr *text)
{
    struct ast_name name = {.text = text->value.u.text, .len = text->value.len, .span = text->span};

    if (memchr(name.text, '\0', name.len))
        parse_error_at(p, text->span, NULL, "this text may not hold a NUL character");
    return name;
}

struct lex *build_lex(struct parse *p)
{
    return &p->lex;
}

void build_recover_declaration(struct parse *p)
{
    p->rule = NULL;
    p->lex.recovery = LEX_AT_DECLARATION;
}

void build_recover_clause(struct parse *p)
{
    p->lex.recovery = LEX_AT_CLAUSE;
}

/* ---- the text as a whole ------------------------------------------------------------------- */

static bool text_good(struct diag *diag, uint32_t file, const char *text, size_t len)
{
    struct span span = {.file = file};
    const char *nul = memchr(text, '\0', len);
    size_t bad;

    if (len > PARSE_MAX_BYTES) {
        diag_add(diag, DIAG_ERROR, span, "the file has more than %d MiB", (int)(PARSE_MAX_BYTES >> 20));
        return false;
    }
    if (nul) {
        span.start = (uint32_t)(nul - text);
        span.end = span.start + 1;
        diag_add(diag, DIAG_ERROR, span, "the file holds a NUL byte: it is no text");
        return false;
    }
    if (!utf8_valid(text, len, &bad)) {
        span.start = (uint32_t)bad;
        span.end = span.start + 1;
        diag_add(diag, DIAG_ERROR, span, "the byte 0x%02X here is not valid UTF-8", (unsigned)(unsigned char)text[bad]);
        return false;
    }
    return true;
}

/* ---- the parse ----------------------------------------------------------------------------- */

#define CHAIN_END(tail, first) \
    do { \
        (tail) = &(first); \
        while (*(tail)) \
            (tail) = &(*(tail))->next; \
    } while (0)

static void find_tails(struct parse_tails *tails, struct ast_module *module)
{
    CHAIN_END(tails->stream, module->streams);
    CHAIN_END(tails->list, module->lists);
    CHAIN_END(tails->table, module->tables);
    CHAIN_END(tails->def, module->defs);
    CHAIN_END(tails->exception, module->exceptions);
    CHAIN_END(tails->rule, module->rules);
    CHAIN_END(tails->config, module->configs);
}

/* Errors are added to diag; the result of START_EXPR is in p->result. */
static void parse_text(struct parse *p, struct ast_module *module, struct diag *diag, uint32_t file, enum lex_start start)
{
    size_t len;
    const char *text = diag_file_text(diag, file, &len);

    memset(p, 0, sizeof *p);
    if (!text_good(diag, file, text, len))
        return;
    p->module = module;
    p->arena = p->lex.arena = module->arena;
    p->diag = p->lex.diag = diag;
    p->lex.file = p->lex.last.span.file = file;
    p->lex.text = text;
    p->lex.len = (uint32_t)len;
    p->lex.pos = len >= 3 && memcmp(text, "\xef\xbb\xbf", 3) == 0 ? 3 : 0; /* a byte order mark */
    p->lex.start = start;
    find_tails(&p->tails, module);
    rule_parse_text(p);
}

bool parse_file(struct ast_module *module, struct diag *diag, uint32_t file)
{
    size_t errors = diag_errors(diag);
    struct parse p;

    parse_text(&p, module, diag, file, LEX_FILE);
    bool good = diag_errors(diag) == errors;
    conceal_tables(diag, file, good);
    return good;
}

struct ast_expr *parse_expr(struct ast_module *module, struct diag *diag, uint32_t file)
{
    size_t errors = diag_errors(diag);
    struct parse p;

    parse_text(&p, module, diag, file, LEX_EXPR);
    return diag_errors(diag) == errors ? p.result : NULL;
}
