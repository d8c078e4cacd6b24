// SPDX-License-Identifier: Apache-2.0
/*
 * Any text to the compiler. What is accepted is valid, with the passes that only make things faster
 * and without, and the messages and the results of its tests are the same. Lists and tables of files are left out: the input must
 * not name files of the machine.
 */
#include <fuzz/fuzz.h>

#include <string.h>

#include "base/buf.h"
#include "flow/test_run.h"
#include "plan/program.h"

enum { MAX_TESTS = 8 };

static void run_tests(struct program *prog, struct program *no_opt)
{
    struct buf with, without;

    buf_init(&with);
    buf_init(&without);
    if (prog->n_tests != no_opt->n_tests)
        fuzz_fail("%u tests, and %u not optimised", prog->n_tests, no_opt->n_tests);
    for (uint32_t i = 0; i < prog->n_tests && i < MAX_TESTS; i++) {
        buf_clear(&with);
        buf_clear(&without);
        if (test_run(prog, &prog->test[i], &with) != test_run(no_opt, &no_opt->test[i], &without) ||
            with.len != without.len || (with.len > 0 && memcmp(with.data, without.data, with.len) != 0))
            fuzz_fail("test optimised:\n%s\nnot optimised:\n%s", with.len ? with.data : "passes",
                      without.len ? without.data : "passes");
    }
    buf_fini(&with);
    buf_fini(&without);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct buf with, without;
    struct program *prog, *no_opt;

    if (size == 0 || memmem(data, size, "file", 4) != NULL)
        return 0;
    buf_init(&with);
    buf_init(&without);
    prog = fuzz_compile((const char *)data, size, false, &with);
    no_opt = fuzz_compile((const char *)data, size, true, &without);
    if ((prog != NULL) != (no_opt != NULL) || with.len != without.len ||
        (with.len > 0 && memcmp(with.data, without.data, with.len) != 0))
        fuzz_fail("optimised:\n%s\nnot optimised:\n%s", with.len ? with.data : "it compiles",
                  without.len ? without.data : "it compiles");
    if (prog != NULL)
        run_tests(prog, no_opt);
    program_unref(&prog);
    program_unref(&no_opt);
    buf_fini(&with);
    buf_fini(&without);
    return 0;
}
