/* SPDX-License-Identifier: Apache-2.0 */
#include "base/version.h"

const char *version_string(void)
{
    return PACKAGE_VERSION; /* from configure.ac */
}
