// SPDX-License-Identifier: Apache-2.0
#include "http/problem.h"

#include <string.h>

#include "base/buf.h"

struct problem {
    const char *name, *title;
    int status;
};

static const struct problem problems[N_HTTP_PROBLEMS] = {
#define PROBLEM(id, name_, status_, title_) {.name = (name_), .title = (title_), .status = (status_)},
#include "http/problem.def"
#undef PROBLEM
};

int http_problem_status(enum http_problem problem)
{
    return problems[problem].status;
}

const char *http_problem_name(enum http_problem problem)
{
    return problems[problem].name;
}

void http_problem_add(struct buf *out, enum http_problem problem, const char *detail,
                      const char *member, const struct buf *json)
{
    const struct problem *p = &problems[problem];

    buf_printf(out, "{\"type\":\"urn:tocsin:problem:%s\",\"title\":\"%s\",\"status\":%d", p->name,
               p->title, p->status);
    if (detail && *detail) {
        buf_adds(out, ",\"detail\":");
        buf_add_json_text(out, detail, strlen(detail));
    }
    if (member) {
        buf_printf(out, ",\"%s\":", member);
        buf_add(out, json->data, json->len);
    }
    buf_adds(out, "}\n");
}
