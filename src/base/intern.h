// SPDX-License-Identifier: Apache-2.0
/* intern - equal texts become one number (0, 1, 2 ... in order of first sight) and one pointer. */
#ifndef BASE_INTERN_H
#define BASE_INTERN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct intern;

struct intern *intern_new(void);
void intern_free(struct intern **in);
uint32_t intern_add(struct intern *in, const char *text, size_t len); /* finds or adds */
bool intern_find(const struct intern *in, const char *text, size_t len, uint32_t *id_out); /* false: it was never added */
const char *intern_text(const struct intern *in, uint32_t id); /* NUL-terminated; lives as `in` */
uint32_t intern_count(const struct intern *in);

#endif
