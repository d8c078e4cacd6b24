// SPDX-License-Identifier: Apache-2.0
#include "io/body_reference.h"

#include "base/buf.h"

void body_reference_kinds(struct buf *out)
{
    buf_adds(out, "| `body` | content type | |\n|---|---|---|\n");
#define BODY(name, word, type, batch_type, most, message, alert, doc)                              \
    buf_printf(out, "| `%s` | %s%s | %s |\n", word, type,                                          \
               sizeof(batch_type) == sizeof(type) ? "" : "; several: " batch_type, doc);
#include "io/body.def"
#undef BODY
}

void body_reference_names(struct buf *out)
{
    buf_adds(out, "| name | |\n|---|---|\n");
#define MEMBER(name, doc) buf_printf(out, "| `%s` | %s |\n", #name, doc);
#include "io/body_member.def"
#undef MEMBER
    buf_adds(out, "| `alert` `alerts` | the alert whole, and a list of all alerts of the message |\n");
#define MESSAGE(name, doc) buf_printf(out, "| `message.%s` | %s |\n", #name, doc);
#include "io/body_message.def"
#undef MESSAGE
    buf_adds(out, "| anything else | what the rule emits under this name, or else its key |\n");
}

void body_reference_filters(struct buf *out)
{
    buf_adds(out, "| filter | |\n|---|---|\n");
#define FILTER(name, least, most, doc) buf_printf(out, "| `%s` | %s |\n", #name, doc);
#include "io/template.def"
#undef FILTER
}
