// SPDX-License-Identifier: Apache-2.0
#include "base/metrics_text.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/buf.h"
#include "base/histogram.h"
#include "base/mem.h"
#include "base/page.h"

static const char *const suffix[] = {
    [METRIC_COUNTER] = "_total", [METRIC_GAUGE] = "", [METRIC_INFO] = "_info", [METRIC_HISTOGRAM] = ""};

static void add_family(struct buf *out, enum metric metric)
{
    const struct metric_spec *spec = &metric_specs[metric];

    buf_printf(out, "%s_%s", metric_group_prefix[spec->group], spec->id);
}

void metric_add_name(struct buf *out, enum metric metric)
{
    add_family(out, metric);
    buf_adds(out, suffix[metric_specs[metric].type]);
}

/* Seconds with as many decimals as there are, nine at most. */
static void add_seconds(struct buf *out, int64_t ns)
{
    uint64_t size = ns < 0 ? -(uint64_t)ns : (uint64_t)ns;
    char text[40];
    int len = snprintf(text, sizeof text, "%s%" PRIu64 ".%09" PRIu64, ns < 0 ? "-" : "",
                       size / 1000000000, size % 1000000000);

    while (text[len - 1] == '0')
        len--;
    if (text[len - 1] == '.')
        len--;
    buf_add(out, text, (size_t)len);
}

/* There are tens of thousands of them: no printf. */
static void add_whole(struct buf *out, uint64_t n)
{
    char text[20], *at = text + sizeof text;

    do {
        *--at = (char)('0' + n % 10);
        n /= 10;
    } while (n > 0);
    buf_add(out, at, (size_t)(text + sizeof text - at));
}

static void add_value(struct buf *out, const struct metric_sample *sample)
{
    if (metric_specs[sample->metric].type == METRIC_INFO)
        buf_addc(out, '1');
    else if (sample->is_time)
        add_seconds(out, sample->value);
    else
        add_whole(out, (uint64_t)sample->value);
}

/* ---- for monitoring systems ------------------------------------------------------------------ */

const char *metrics_content_type(enum metrics_format format)
{
    return format == METRICS_OPENMETRICS
               ? "application/openmetrics-text; version=1.0.0; charset=utf-8"
               : "text/plain; version=0.0.4; charset=utf-8";
}

/* Both formats escape \ and line breaks; quotes: OpenMetrics everywhere, Prometheus in values alone. */
static void add_escaped(struct buf *out, const char *text, bool quotes)
{
    size_t plain = strcspn(text, "\\\"\n");

    buf_add(out, text, plain);
    text += plain;
    for (; *text; text++) {
        if (*text == '\n')
            buf_adds(out, "\\n");
        else if (*text == '\\' || (quotes && *text == '"'))
            buf_printf(out, "\\%c", *text);
        else
            buf_addc(out, *text);
    }
}

static void add_head(struct buf *out, enum metric metric, enum metrics_format format)
{
    static const char *const open_type[] = {"counter", "gauge", "info", "histogram"};
    static const char *const plain_type[] = {"counter", "gauge", "gauge", "histogram"};
    const struct metric_spec *spec = &metric_specs[metric];
    struct buf name;

    buf_init(&name);
    if (format == METRICS_OPENMETRICS)
        add_family(&name, metric);
    else
        metric_add_name(&name, metric);
    buf_printf(out, "# HELP %s ", name.data);
    add_escaped(out, spec->doc, format == METRICS_OPENMETRICS);
    buf_printf(out, "\n# TYPE %s %s\n", name.data,
               format == METRICS_OPENMETRICS ? open_type[spec->type] : plain_type[spec->type]);
    if (format == METRICS_OPENMETRICS && *spec->unit)
        buf_printf(out, "# UNIT %s %s\n", name.data, spec->unit);
    buf_fini(&name);
}

/* What all samples of a metric have in common: the text before each label and before the value. */
struct family {
    struct buf before[METRIC_LABELS + 1];
    unsigned n_labels;
};

static void family_begin(struct family *family, enum metric metric)
{
    struct buf *at = family->before;

    family->n_labels = metric_label_count(metric);
    for (unsigned i = 0; i <= METRIC_LABELS; i++)
        buf_clear(&family->before[i]);
    metric_add_name(at, metric);
    for (unsigned i = 0; i < family->n_labels; i++) {
        size_t len;
        const char *name = metric_label_name(metric, i, &len);
        buf_adds(at, i == 0 ? "{" : "\",");
        buf_add(at, name, len);
        buf_adds(at, "=\"");
        at++;
    }
    buf_adds(at, family->n_labels > 0 ? "\"} " : " ");
}

static void add_sample(struct buf *out, const struct family *family,
                       const struct metric_sample *sample)
{
    for (unsigned i = 0; i < family->n_labels; i++) {
        buf_add(out, family->before[i].data, family->before[i].len);
        add_escaped(out, sample->label[i] ? sample->label[i] : "", true);
    }
    buf_add(out, family->before[family->n_labels].data, family->before[family->n_labels].len);
    add_value(out, sample);
    buf_addc(out, '\n');
}

/* `{label="value",` without what ends it. */
static void add_labels(struct buf *out, const struct metric_sample *sample)
{
    for (unsigned i = 0; i < metric_label_count(sample->metric); i++) {
        size_t len;
        const char *name = metric_label_name(sample->metric, i, &len);
        buf_printf(out, "%s%.*s=\"", i == 0 ? "{" : ",", (int)len, name);
        add_escaped(out, sample->label[i] ? sample->label[i] : "", true);
        buf_addc(out, '"');
    }
}

static void add_part(struct buf *out, const struct metric_sample *sample, const char *part)
{
    add_family(out, sample->metric);
    buf_adds(out, part);
    add_labels(out, sample);
    buf_adds(out, metric_label_count(sample->metric) > 0 ? "} " : " ");
}

/* Each bucket has all that the ones before it have. */
static void add_histogram(struct buf *out, const struct metric_sample *sample)
{
    const struct histogram *h = sample->histogram;
    bool labels = metric_label_count(sample->metric) > 0;
    uint64_t n = 0;

    for (int i = 0; i <= HISTOGRAM_BOUNDS; i++) {
        n += h->count[i];
        add_family(out, sample->metric);
        buf_adds(out, "_bucket");
        add_labels(out, sample);
        buf_adds(out, labels ? ",le=\"" : "{le=\"");
        if (i == HISTOGRAM_BOUNDS) {
            buf_adds(out, "+Inf");
        } else {
            add_seconds(out, histogram_bound[i]);
            if (histogram_bound[i] % 1000000000 == 0) /* canonical, as OpenMetrics wants it */
                buf_adds(out, ".0");
        }
        buf_adds(out, "\"} ");
        add_whole(out, n);
        buf_addc(out, '\n');
    }
    add_part(out, sample, "_sum");
    add_seconds(out, (int64_t)h->sum);
    buf_addc(out, '\n');
    add_part(out, sample, "_count");
    add_whole(out, n);
    buf_addc(out, '\n');
}

void metrics_write(struct metrics *m, enum metrics_format format, struct buf *out)
{
    struct family family;
    int last = -1;

    for (unsigned i = 0; i <= METRIC_LABELS; i++)
        buf_init(&family.before[i]);
    metrics_sort(m);
    for (size_t i = 0; i < metrics_n(m); i++) {
        struct metric_sample sample = metrics_sample(m, i);
        if ((int)sample.metric != last) {
            add_head(out, sample.metric, format);
            family_begin(&family, sample.metric);
            last = (int)sample.metric;
        }
        if (sample.histogram)
            add_histogram(out, &sample);
        else
            add_sample(out, &family, &sample);
    }
    for (unsigned i = 0; i <= METRIC_LABELS; i++)
        buf_fini(&family.before[i]);
    if (format == METRICS_OPENMETRICS)
        buf_adds(out, "# EOF\n");
}

/* ---- for the log ----------------------------------------------------------------------------- */

/* The lines of one group: one for each value of the first label, in the order in which they came. */
struct lines {
    struct line {
        const char *label;        /* borrowed; NULL: none */
        struct buf fields;
    } *line;
    size_t n, cap, at;            /* at: where the last one was: what follows is likely the next */
};

static bool same_label(const char *a, const char *b)
{
    return a == b || (a && b && strcmp(a, b) == 0);
}

static struct line *line_of(struct lines *lines, const struct metric_sample *sample)
{
    const char *label = sample->label[0];

    for (size_t i = 0; i < lines->n; i++) {
        struct line *line = &lines->line[(lines->at + i) % lines->n];
        if (same_label(line->label, label)) {
            lines->at = (lines->at + i) % lines->n;
            return line;
        }
    }
    lines->line = vec_reserve(lines->line, &lines->cap, lines->n + 1, sizeof *lines->line);
    struct line *line = &lines->line[lines->n++];
    *line = (struct line){.label = label};
    buf_init(&line->fields);
    lines->at = lines->n - 1;
    if (label) {
        size_t len;
        const char *name = metric_label_name(sample->metric, 0, &len);
        char *key = mem_strndup(name, len);
        log_field(&line->fields, key, label);
        mem_free(key);
    }
    return line;
}

static void add_field(struct lines *lines, const struct metric_sample *sample)
{
    const struct metric_spec *spec = &metric_specs[sample->metric];
    struct line *line = line_of(lines, sample);

    if (spec->type == METRIC_INFO || (sample->label[1] && sample->value == 0))
        return; /* of many that may be, only those that are */
    if (sample->histogram) {
        buf_printf(&line->fields, " %s_count=%" PRIu64 " %s_sum=", spec->id, histogram_count(sample->histogram),
                   spec->id);
        add_seconds(&line->fields, (int64_t)sample->histogram->sum);
        return;
    }
    buf_printf(&line->fields, " %s", spec->id);
    if (sample->label[1])
        buf_printf(&line->fields, "_%s", sample->label[1]);
    buf_addc(&line->fields, '=');
    add_value(&line->fields, sample);
}

/* Without a label of their own: of those, only what stands beside it (reloads by result). */
static void one_line_without_label(struct metric_sample *sample)
{
    enum metric_group group = metric_specs[sample->metric].group;

    if (group != METRIC_GROUP_daemon || !sample->label[0])
        return;
    sample->label[1] = sample->label[0];
    sample->label[0] = NULL;
}

static void end_lines(struct lines *lines, enum log_category category, metrics_line_fn *say, void *ctx)
{
    for (size_t i = 0; i < lines->n; i++) {
        if (lines->line[i].fields.len > 0)
            say(ctx, category, lines->line[i].fields.data);
        buf_fini(&lines->line[i].fields);
    }
    mem_free(lines->line);
    *lines = (struct lines){0};
}

void metrics_lines(struct metrics *m, metrics_line_fn *line, void *ctx)
{
    struct lines lines = {0};

    metrics_sort(m);
    for (size_t i = 0; i < metrics_n(m); i++) {
        struct metric_sample sample = metrics_sample(m, i);
        enum metric_group group = metric_specs[sample.metric].group;
        if (group == METRIC_GROUP_partition) /* the line of their source has what they are together */
            continue;
        one_line_without_label(&sample);
        add_field(&lines, &sample);
        if (i + 1 == metrics_n(m) || metric_specs[metrics_sample(m, i + 1).metric].group != group)
            end_lines(&lines, metric_group_category[group], line, ctx);
    }
}

/* ---- for those who read ---------------------------------------------------------------------- */

static const char *type_name(enum metric metric)
{
    static const char *const name[] = {"counter", "gauge", "info", "histogram"};

    return name[metric_specs[metric].type];
}

void metrics_reference_markdown(struct buf *out)
{
    buf_adds(out, "| metric | labels | what it is |\n|---|---|---|\n");
    for (int i = 0; i < N_METRICS; i++) {
        buf_adds(out, "| `");
        metric_add_name(out, (enum metric)i);
        buf_printf(out, "` | %s | %s: %s |\n", metric_specs[i].labels, type_name((enum metric)i),
                   metric_specs[i].doc);
    }
}

void metrics_reference_man(void)
{
    for (int i = 0; i < N_METRICS; i++) {
        struct buf name;
        buf_init(&name);
        metric_add_name(&name, (enum metric)i);
        printf(".TP\n\\fB%s\\fR", name.data);
        if (*metric_specs[i].labels)
            printf(" (%s)", metric_specs[i].labels);
        printf("\n%s: ", type_name((enum metric)i));
        page_roff(metric_specs[i].doc);
        putchar('\n');
        buf_fini(&name);
    }
}
