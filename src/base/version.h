/* SPDX-License-Identifier: Apache-2.0 */
/* The version of this build. */
#ifndef BASE_VERSION_H
#define BASE_VERSION_H

/* "MAJOR.MINOR.PATCH", static. */
const char *version_string(void);

#endif
