// SPDX-License-Identifier: Apache-2.0
/* body_template - the body that the sink's own template makes (template.h), of the first alert's members. */
#include "io/body_priv.h"
#include "io/template.h"

bool body_write_template(const struct body *b, const struct body_message *m, struct buf *out,
                         struct buf *why)
{
    struct template_names names = {body_find, (void *)(uintptr_t)m};

    (void)why;
    template_write(b->template, &names, m->max_bytes, out);
    return true;
}
