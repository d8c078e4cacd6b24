/* SPDX-License-Identifier: Apache-2.0 */
/* The version is the one that configure.ac names: digits in three parts. */
#include "base/version.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include <cmocka.h>

static void version_has_three_numbers(void **state)
{
    unsigned major, minor, patch;
    char rest;

    (void)state;
    assert_string_equal(version_string(), PACKAGE_VERSION);
    assert_int_equal(sscanf(version_string(), "%u.%u.%u%c", &major, &minor, &patch, &rest), 3);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(version_has_three_numbers),
    };

    return cmocka_run_group_tests_name("version", tests, NULL, NULL);
}
