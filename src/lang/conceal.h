// SPDX-License-Identifier: Apache-2.0
/*
 * conceal - what may be a secret in a text, found without its meaning: a diagnostic shows the line that it is about,
 * and that may be one that does not parse. So it goes by what is shown, as the last key says:
 *
 *     NAME in env("NAME"), file("NAME")     all of it
 *     CONCEAL_NOTHING                       all of it
 *     CONCEAL_URL                           scheme, host and port
 *     CONCEAL_NAMED: a block of names       names: where one may stand, and something behind it
 *     CONCEAL_TEXTS, a key that is none     neither texts nor words; numbers, if that is in no block of a block
 *     CONCEAL_ALL                           nothing
 *
 * Comments are not: what was taken out of use by one may be a secret all the same. What does not parse may have a
 * quotation mark too few or too many: then the text is looked at once more, as if there were none.
 */
#ifndef LANG_CONCEAL_H
#define LANG_CONCEAL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct diag;

enum conceal_mode { CONCEAL_NOTHING, CONCEAL_URL, CONCEAL_NAMED, CONCEAL_TEXTS, CONCEAL_ALL };

/* What stands behind a key. False: it is none, and what stands behind it is CONCEAL_TEXTS. */
typedef bool conceal_key_fn(const char *word, size_t len, enum conceal_mode *mode_out);

/* Conceals it in diag's file number `file`, whose text this is (another copy of it). parses: it does. */
void conceal_text(struct diag *diag, uint32_t file, const char *text, size_t len, bool parses, conceal_key_fn *key_of);
/* The same of a rule file, where only tables of Kafka hold secrets: diag's own text. */
void conceal_tables(struct diag *diag, uint32_t file, bool parses);

#endif
