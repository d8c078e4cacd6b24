// SPDX-License-Identifier: Apache-2.0
/*
 * regex - one PCRE2 pattern, and what a thread needs to run it.
 *
 * Bounded in every direction, since both pattern and text come from outside: the match limit counts
 * backtracking, the heap limit and the JIT stack bound memory; what exceeds one of them is
 * REGEX_LIMIT, which is no match and is told to the user. The JIT runs when it can make code of the
 * pattern, otherwise the interpreter; newlines are LF whatever the library was built with.
 */
#include "base/regex.h"

#define PCRE2_CODE_UNIT_WIDTH 8
#include <pcre2.h>
#include <stdint.h>
#include <string.h>

#include "base/mem.h"

#define STRING_OF(x) #x
#define STRING(x) STRING_OF(x)

enum {
    MATCH_LIMIT = 100000,           /* backtracking steps */
    HEAP_LIMIT_KIB = 16 * 1024,     /* of the interpreter */
    JIT_STACK_FIRST = 32 * 1024,    /* bytes */
    JIT_STACK_LIMIT = 1024 * 1024,  /* bytes */
    PATTERN_LIMIT = 64 * 1024,      /* bytes */
    FIRST_PAIRS = 10,               /* captures that a new scratch has room for */
};

struct regex {
    pcre2_code *code;
    unsigned groups; /* capture groups, without the whole */
    bool jit;        /* there is machine code */
};

struct regex_scratch {
    pcre2_match_context *context; /* the limits, the JIT stack */
    pcre2_jit_stack *stack;       /* NULL: no JIT in this build */
    pcre2_match_data *data;
    unsigned pairs; /* captures that data has room for */
};

static void *allocate(size_t size, void *ctx)
{
    (void)ctx;
    return mem_alloc(size);
}

static void release(void *p, void *ctx)
{
    (void)ctx;
    mem_free(p);
}

/* PCRE2 allocates through mem, so its NULL returns cannot happen. */
static pcre2_general_context *memory_new(void)
{
    return pcre2_general_context_create(allocate, release, NULL);
}

static char *error_text(int code)
{
    PCRE2_UCHAR text[256];

    pcre2_get_error_message(code, text, sizeof text);
    return mem_strndup((const char *)text, strlen((const char *)text));
}

struct regex *regex_new(const char *pattern, size_t len, bool fold, char **error_out,
                        size_t *offset_out)
{
    uint32_t options = PCRE2_UTF | PCRE2_NEVER_BACKSLASH_C | (fold ? PCRE2_CASELESS : 0);
    pcre2_general_context *memory = memory_new();
    pcre2_compile_context *context = pcre2_compile_context_create(memory);
    PCRE2_SIZE offset = 0;
    int code = 0;

    pcre2_set_newline(context, PCRE2_NEWLINE_LF);
    pcre2_set_max_pattern_length(context, PATTERN_LIMIT);
    pcre2_code *compiled =
        pcre2_compile((PCRE2_SPTR)(len ? pattern : ""), len, options, &code, &offset, context);
    pcre2_compile_context_free(context);
    pcre2_general_context_free(memory);
    if (!compiled) {
        *error_out = error_text(code);
        *offset_out = offset;
        return NULL;
    }

    struct regex *re = mem_calloc(1, sizeof *re);
    size_t code_size = 0;
    uint32_t groups = 0;
    re->code = compiled;
    /* No JIT (platform, "(*NO_JIT)", out of executable memory) only means a slower match. */
    re->jit = pcre2_jit_compile(compiled, PCRE2_JIT_COMPLETE) == 0 &&
              pcre2_pattern_info(compiled, PCRE2_INFO_JITSIZE, &code_size) == 0 && code_size > 0;
    pcre2_pattern_info(compiled, PCRE2_INFO_CAPTURECOUNT, &groups);
    re->groups = groups;
    return re;
}

void regex_free(struct regex **re)
{
    if (!*re)
        return;
    pcre2_code_free((*re)->code);
    mem_free(*re);
    *re = NULL;
}

/* Makes room for the whole and `groups` groups. */
static void scratch_reserve(struct regex_scratch *rs, unsigned groups)
{
    if (rs->data && groups + 1 <= rs->pairs)
        return;
    pcre2_general_context *memory = memory_new();
    pcre2_match_data_free(rs->data);
    rs->pairs = groups + 1 < FIRST_PAIRS ? FIRST_PAIRS : groups + 1;
    rs->data = pcre2_match_data_create(rs->pairs, memory);
    pcre2_general_context_free(memory);
}

struct regex_scratch *regex_scratch_new(void)
{
    struct regex_scratch *rs = mem_calloc(1, sizeof *rs);
    pcre2_general_context *memory = memory_new();

    rs->context = pcre2_match_context_create(memory);
    pcre2_set_match_limit(rs->context, MATCH_LIMIT);
    pcre2_set_heap_limit(rs->context, HEAP_LIMIT_KIB);
    rs->stack = pcre2_jit_stack_create(JIT_STACK_FIRST, JIT_STACK_LIMIT, memory);
    pcre2_jit_stack_assign(rs->context, NULL, rs->stack);
    pcre2_general_context_free(memory);
    scratch_reserve(rs, 0);
    return rs;
}

void regex_scratch_free(struct regex_scratch **rs)
{
    if (!*rs)
        return;
    pcre2_match_data_free((*rs)->data);
    pcre2_match_context_free((*rs)->context);
    pcre2_jit_stack_free((*rs)->stack);
    mem_free(*rs);
    *rs = NULL;
}

enum regex_result regex_match(const struct regex *re, struct regex_scratch *rs, const char *text,
                              size_t len)
{
    PCRE2_SPTR subject = (PCRE2_SPTR)(len ? text : "");
    int rc = re->jit ? pcre2_jit_match(re->code, subject, len, 0, PCRE2_NO_UTF_CHECK, rs->data,
                                       rs->context)
                     : pcre2_match(re->code, subject, len, 0, PCRE2_NO_UTF_CHECK, rs->data,
                                   rs->context);

    if (rc >= 0)
        return REGEX_YES;
    /* Everything but "no match" means that PCRE2 could not tell: match, depth, heap or JIT stack
     * limit, recursion that goes nowhere. */
    return rc == PCRE2_ERROR_NOMATCH ? REGEX_NO : REGEX_LIMIT;
}

enum regex_result regex_group(const struct regex *re, struct regex_scratch *rs, const char *text,
                              size_t len, unsigned n, size_t *start_out, size_t *len_out)
{
    if (n > re->groups)
        return REGEX_NO;
    scratch_reserve(rs, n);
    enum regex_result result = regex_match(re, rs, text, len);
    if (result != REGEX_YES)
        return result;

    const PCRE2_SIZE *pair = pcre2_get_ovector_pointer(rs->data) + 2 * (size_t)n;
    if (pair[0] == PCRE2_UNSET)
        return REGEX_NO;
    *start_out = pair[0];
    /* \K can put the start of the whole behind its end */
    *len_out = pair[1] > pair[0] ? pair[1] - pair[0] : 0;
    return REGEX_YES;
}

unsigned regex_groups(const struct regex *re)
{
    return re->groups;
}

const char *regex_version(void)
{
    return STRING(PCRE2_MAJOR) "." STRING(PCRE2_MINOR);
}
