// SPDX-License-Identifier: Apache-2.0
/* random - bytes of the system's generator, fit for secrets. */
#ifndef BASE_RANDOM_H
#define BASE_RANDOM_H

#include <stddef.h>

void random_bytes(void *out, size_t len); /* any thread */

#endif
