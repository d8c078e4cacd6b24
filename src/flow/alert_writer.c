// SPDX-License-Identifier: Apache-2.0
#include "flow/alert_writer.h"

#include <string.h>

#include "base/mem.h"
#include "io/line_writer.h"
#include "plan/program.h"

void alert_writer_init(struct alert_writer *aw, const struct program *prog,
                       struct line_writer *out)
{
    *aw = (struct alert_writer){.prog = prog, .out = out, .passed = INT64_MIN};
    alert_list_init(&aw->waiting);
    aw->count = mem_calloc(prog->n_rules ? prog->n_rules : 1, sizeof *aw->count);
}

void alert_writer_fini(struct alert_writer *aw)
{
    alert_list_fini(&aw->waiting);
    mem_free(aw->count);
    aw->count = NULL;
}

/* About what an alert takes, with what the allocator adds to its three texts. */
static uint64_t bytes_of(const struct alert *alert)
{
    enum { OVERHEAD = 3 * 16 };

    return sizeof *alert + OVERHEAD + alert->json_len + strlen(alert->key) + strlen(alert->title);
}

uint64_t alert_writer_bytes(struct alert_writer *aw)
{
    while (aw->counted < aw->waiting.n)
        aw->bytes += bytes_of(&aw->waiting.alert[aw->counted++]);
    return aw->bytes;
}

static void write_alert(struct alert_writer *aw, struct alert *alert)
{
    aw->bytes -= bytes_of(alert);
    line_writer_add(aw->out, alert->json, alert->json_len);
    aw->count[alert->rule]++;
    aw->total++;
    mem_free(alert->json);
    mem_free(alert->key);
    mem_free(alert->title);
}

void alert_writer_pass(struct alert_writer *aw, int64_t frontier)
{
    struct alert_list *list = &aw->waiting;
    size_t n = 0;

    if (list->n == 0 || frontier <= aw->passed)
        return;
    aw->passed = frontier;
    alert_writer_bytes(aw); /* counts all before they are moved */
    alert_list_sort(list, 0, aw->prog);
    while (n < list->n && (list->alert[n].time < frontier || frontier == INT64_MAX))
        write_alert(aw, &list->alert[n++]);
    memmove(list->alert, list->alert + n, (list->n - n) * sizeof *list->alert);
    list->n -= n;
    aw->counted = list->n;
}
