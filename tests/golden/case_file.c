/* SPDX-License-Identifier: Apache-2.0 */
#include <golden/case_file.h>

#include <ctype.h>
#include <errno.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Where the reader stands, for messages. */
struct place {
    const char *path;
    size_t line;
};

static _Noreturn void broken(const struct place *at, const char *fmt, ...)
    __attribute__((format(printf, 2, 3)));
static _Noreturn void broken(const struct place *at, const char *fmt, ...)
{
    va_list args;

    fprintf(stderr, "%s:%zu: ", at->path, at->line);
    va_start(args, fmt);
    vfprintf(stderr, fmt, args);
    va_end(args);
    fputc('\n', stderr);
    exit(2);
}

static void *more(void *array, size_t n, size_t size)
{
    if ((n & (n - 1)) == 0) {
        array = realloc(array, (n ? 2 * n : 1) * size);
        if (!array)
            abort();
    }
    return array;
}

static char *copy_of(const char *text, size_t len)
{
    char *copy = malloc(len + 1);

    if (!copy)
        abort();
    memcpy(copy, text, len);
    copy[len] = '\0';
    return copy;
}

static void add_text(char **text, const char *more_text)
{
    size_t old = *text ? strlen(*text) : 0, len = strlen(more_text);

    *text = realloc(*text, old + len + 2);
    if (!*text)
        abort();
    memcpy(*text + old, more_text, len);
    memcpy(*text + old + len, "\n", 2);
}

/* The next word of *at, which is moved behind it; NULL at the end. */
static char *next_word(char **at)
{
    char *word = *at + strspn(*at, " "), *end = word + strcspn(word, " ");

    if (*word == '\0')
        return NULL;
    *at = *end ? end + 1 : end;
    *end = '\0';
    return word;
}

static const struct {
    const char *name;
    int64_t ns;
} units[] = {
    {"ns", 1}, {"us", 1000}, {"ms", 1000000}, {"s", 1000000000}, {"m", INT64_C(60000000000)},
    {"h", INT64_C(3600000000000)}, {"d", INT64_C(86400000000000)},
};

static int64_t read_offset(const struct place *at, const char *text)
{
    char *end, *fraction_end;
    int64_t whole = strtoll(text, &end, 10), fraction = 0, scale = 1;

    if (end == text)
        broken(at, "`%s' is no offset", text);
    if (*end == '.') {
        fraction = strtoll(end + 1, &fraction_end, 10);
        for (const char *p = end + 1; p < fraction_end; p++)
            scale *= 10;
        end = fraction_end;
    }
    for (size_t i = 0; i < sizeof units / sizeof *units; i++) {
        if (strcmp(end, units[i].name) == 0)
            return whole * units[i].ns + fraction * (units[i].ns / scale);
    }
    broken(at, "`%s' is no offset", text);
}

void case_offset_text(char *text, size_t size, int64_t time)
{
    int64_t ns = time - CASE_BASE;
    const char *sign = ns < 0 ? "-" : "";
    uint64_t n = ns < 0 ? 0 - (uint64_t)ns : (uint64_t)ns;
    int len = snprintf(text, size, "%s%" PRIu64, sign, n / 1000000000);

    if (n % 1000000000 != 0) {
        len += snprintf(text + len, size - (size_t)len, ".%09" PRIu64, n % 1000000000);
        while (text[len - 1] == '0')
            len--;
    }
    snprintf(text + len, size - (size_t)len, "s");
}

/* ---- events --------------------------------------------------------------------------------- */

static void read_event(const struct place *at, struct golden_case *gc, char *line)
{
    struct case_event *ev;
    char *offset = next_word(&line), *source = next_word(&line);
    const char *json = line + strspn(line, " "), *inner;
    size_t size;

    if (!offset || !source)
        broken(at, "an event is an offset, a source and an object");
    gc->event = more(gc->event, gc->n_events, sizeof *gc->event);
    ev = &gc->event[gc->n_events++];
    ev->time = CASE_BASE + read_offset(at, offset);
    ev->source = copy_of(source, strlen(source));
    if (*json == '\0')
        json = "{}";
    if (*json != '{')
        broken(at, "`%s' is no object", json);
    inner = json + 1 + strspn(json + 1, " ");
    size = strlen(inner) + 40;
    ev->json = malloc(size);
    if (!ev->json)
        abort();
    snprintf(ev->json, size, "{\"#\":%zu%s%s", gc->n_events, *inner == '}' ? "" : ",", inner);
    ev->json_len = strlen(ev->json);
}

/* `#3` or the offset of the one event of that time. */
static uint32_t event_number(const struct place *at, const struct golden_case *gc, const char *text)
{
    uint32_t number = 0, n = 0;
    int64_t time;

    if (*text == '#')
        return (uint32_t)strtoul(text + 1, NULL, 10);
    time = CASE_BASE + read_offset(at, text);
    for (size_t i = 0; i < gc->n_events; i++) {
        if (gc->event[i].time == time) {
            number = (uint32_t)i + 1;
            n++;
        }
    }
    if (n != 1)
        broken(at, "%" PRIu32 " events are at %s: write #n", n, text);
    return number;
}

/* ---- alerts --------------------------------------------------------------------------------- */

static void add_number(struct case_step *step, uint32_t number)
{
    step->number = more(step->number, step->n, sizeof *step->number);
    step->number[step->n++] = number;
}

/* a=1s,2s or a=1s..9s/7 */
static void read_step(const struct place *at, const struct golden_case *gc, struct case_alert *al,
                      char *name, char *value)
{
    struct case_step *step;
    char *range = strstr(value, ".."), *slash = strchr(value, '/'), *comma;

    al->step = more(al->step, al->n_steps, sizeof *al->step);
    step = &al->step[al->n_steps++];
    *step = (struct case_step){.name = copy_of(name, strlen(name))};
    if (range && slash) {
        *range = *slash = '\0';
        add_number(step, event_number(at, gc, value));
        add_number(step, event_number(at, gc, range + 2));
        step->count = (uint32_t)strtoul(slash + 1, NULL, 10);
        return;
    }
    for (; value; value = comma) {
        comma = strchr(value, ',');
        if (comma)
            *comma++ = '\0';
        add_number(step, event_number(at, gc, value));
    }
}

static void read_word(const struct place *at, const struct golden_case *gc, struct case_alert *al,
                      char *word)
{
    char *value = strchr(word, '=');

    if (strcmp(word, "cold") == 0) {
        al->cold = COLD_YES;
    } else if (strcmp(word, "cold?") == 0) {
        al->cold = COLD_ANY;
    } else if (!value) {
        broken(at, "`%s' is no step=offsets", word);
    } else {
        *value++ = '\0';
        if (strcmp(word, "suppressed") == 0)
            al->suppressed = strtoll(value, NULL, 10);
        else if (strcmp(word, "risk") == 0)
            al->risk = strtoll(value, NULL, 10);
        else if (strcmp(word, "severity") == 0)
            al->severity = copy_of(value, strlen(value));
        else
            read_step(at, gc, al, word, value);
    }
}

static json_t *read_json(const struct place *at, const char **text)
{
    json_error_t err;
    json_t *value = json_loads(*text, JSON_DISABLE_EOF_CHECK | JSON_DECODE_ANY, &err);

    if (!value)
        broken(at, "%s: %s", err.text, *text);
    *text += err.position;
    *text += strspn(*text, " ");
    return value;
}

/* {fields} title "..." key {...} */
static void read_members(const struct place *at, struct case_alert *al, const char *text)
{
    al->fields = read_json(at, &text);
    al->also = json_object();
    while (*text) {
        size_t len = strcspn(text, " ");
        char *name = copy_of(text, len);

        text += len + strspn(text + len, " ");
        json_object_set_new(al->also, name, read_json(at, &text));
        free(name);
    }
}

static void read_alert(const struct place *at, struct golden_case *gc, char *line)
{
    struct case_alert *al;
    char *brace = strchr(line, '{'), *word;

    gc->alert = more(gc->alert, gc->n_alerts, sizeof *gc->alert);
    al = &gc->alert[gc->n_alerts++];
    *al = (struct case_alert){.suppressed = -1, .risk = -1, .line = copy_of(line, strlen(line))};
    if (brace) {
        read_members(at, al, brace);
        *brace = '\0';
    }
    word = next_word(&line);
    al->time = CASE_BASE + read_offset(at, word ? word : "");
    word = next_word(&line);
    if (!word)
        broken(at, "an alert is an offset, a rule and its events");
    al->rule = copy_of(word, strlen(word));
    while ((word = next_word(&line)))
        read_word(at, gc, al, word);
}

/* ---- files ---------------------------------------------------------------------------------- */

enum section { NOTHING, RULE, EVENTS, ALERTS, ERROR };

static enum section read_heading(const struct place *at, struct golden_case *gc, char *line)
{
    char *name = next_word(&line), *word = next_word(&line);

    if (name && strcmp(name, "rule") == 0)
        return RULE;
    if (name && strcmp(name, "events") == 0) {
        if (word && strcmp(word, "lateness") == 0 && (word = next_word(&line)))
            gc->lateness = read_offset(at, word);
        return EVENTS;
    }
    if (name && strcmp(name, "alerts") == 0)
        return ALERTS;
    if (name && strncmp(name, "error", 5) == 0) {
        gc->wants = name[5] ? WANTS_ERROR_LIKE : WANTS_ERROR;
        return ERROR;
    }
    broken(at, "unknown section");
}

static void read_line(const struct place *at, struct golden_case *gc, enum section section, char *line)
{
    bool blank = line[strspn(line, " ")] == '\0';

    if (section == RULE)
        add_text(&gc->rule, line);
    else if (section == ERROR && (gc->wants == WANTS_ERROR || !blank))
        add_text(&gc->error, line);
    else if (blank || *line == '#')
        return;
    else if (section == EVENTS)
        read_event(at, gc, line);
    else if (section == ALERTS)
        read_alert(at, gc, line);
}

void case_file_read(struct case_file *file, const char *path)
{
    struct place at = {path, 0};
    FILE *in = fopen(path, "r");
    char *line = NULL;
    size_t size = 0;
    ssize_t len;
    struct golden_case *gc = NULL;
    enum section section = NOTHING;

    *file = (struct case_file){0};
    if (!in)
        broken(&at, "%s", strerror(errno));
    while ((len = getline(&line, &size, in)) > 0) {
        at.line++;
        if (line[len - 1] == '\n')
            line[len - 1] = '\0';
        if (strncmp(line, "=== ", 4) == 0) {
            file->cases = more(file->cases, file->n, sizeof *file->cases);
            gc = &file->cases[file->n++];
            *gc = (struct golden_case){.file = path, .line = at.line, .lateness = -1,
                                       .name = copy_of(line + 4, strlen(line + 4))};
            section = NOTHING;
        } else if (gc && strncmp(line, "--- ", 4) == 0) {
            section = read_heading(&at, gc, line + 4);
        } else if (gc) {
            read_line(&at, gc, section, line);
        }
    }
    free(line);
    fclose(in);
}

static void alert_fini(struct case_alert *al)
{
    for (size_t i = 0; i < al->n_steps; i++) {
        free(al->step[i].name);
        free(al->step[i].number);
    }
    free(al->step);
    free(al->rule);
    free(al->severity);
    free(al->line);
    json_decref(al->fields);
    json_decref(al->also);
}

void case_file_fini(struct case_file *file)
{
    for (size_t i = 0; i < file->n; i++) {
        struct golden_case *gc = &file->cases[i];

        for (size_t j = 0; j < gc->n_events; j++) {
            free(gc->event[j].source);
            free(gc->event[j].json);
        }
        for (size_t j = 0; j < gc->n_alerts; j++)
            alert_fini(&gc->alert[j]);
        free(gc->event);
        free(gc->alert);
        free(gc->name);
        free(gc->rule);
        free(gc->error);
    }
    free(file->cases);
    *file = (struct case_file){0};
}
