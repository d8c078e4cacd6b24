/* SPDX-License-Identifier: Apache-2.0 */
/* function_fixture - functions of the language on values, without a program: an arena for each test. */
#ifndef UNIT_FUNCTION_FIXTURE_H
#define UNIT_FUNCTION_FIXTURE_H

#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include <string.h>

#include "base/arena.h"
#include "base/buf.h"
#include "plan/function.h"
#include "plan/operate.h"

static struct arena *a;
static struct vm_counters counters;
static struct operate op;

static inline int setup(void **state)
{
    (void)state;
    a = arena_new(0);
    op = (struct operate){ .arena = a, .counters = &counters };
    return 0;
}

static inline int teardown(void **state)
{
    (void)state;
    arena_free(&a);
    return 0;
}

static inline struct value text(const char *s)
{
    return value_text(s, strlen(s));
}

static inline void is_value(struct value v, struct value want, size_t row)
{
    struct buf b;

    if (v.type == want.type && value_same(v, want))
        return;
    buf_init(&b);
    buf_printf(&b, "row %zu: want %s ", row, value_type_name(want.type));
    value_add_json(&b, want);
    buf_printf(&b, ", got %s ", value_type_name(v.type));
    value_add_json(&b, v);
    fail_msg("%s", b.data);
}

#endif
