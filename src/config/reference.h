// SPDX-License-Identifier: Apache-2.0
/* reference - the keys of option.def for those who write a configuration. */
#ifndef CONFIG_REFERENCE_H
#define CONFIG_REFERENCE_H

struct buf;

/* The tables of grammar/configuration.md, one a block. */
void config_reference_markdown(struct buf *out);
/* The manual page tocsin.conf(5), on standard output. */
void config_reference_man(void);

#endif
