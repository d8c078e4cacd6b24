/* SPDX-License-Identifier: Apache-2.0 */
/* body_reference - the tables of bodies and templates for those who write a configuration. */
#ifndef IO_BODY_REFERENCE_H
#define IO_BODY_REFERENCE_H

struct buf;

/* Each appends a table of grammar/webhooks.md: of body.def, of the names that templates have
 * (body_member.def, body_message.def), of their filters (template.def). */
void body_reference_kinds(struct buf *out);
void body_reference_names(struct buf *out);
void body_reference_filters(struct buf *out);

#endif
