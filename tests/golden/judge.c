/* SPDX-License-Identifier: Apache-2.0 */
#include <golden/judge.h>

#include <golden/case_file.h>

#include "engine/alert.h"
#include "plan/program.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Number of an event of the case; 0: it is none. */
static uint32_t number_of(json_t *event)
{
    json_t *number = json_object_get(event, "#");

    return json_is_integer(number) ? (uint32_t)json_integer_value(number) : 0;
}

static bool is_empty(json_t *value)
{
    return !value || json_is_null(value) || (json_is_array(value) && json_array_size(value) == 0);
}

/* `value` is what the alert holds for a step: an event, a list, or first, last and count. */
static bool step_fits(const struct case_step *step, json_t *value)
{
    if (step->count) {
        return step->count == (uint32_t)json_integer_value(json_object_get(value, "count")) &&
               number_of(json_object_get(value, "first")) == step->number[0] &&
               number_of(json_object_get(value, "last")) == step->number[1];
    }
    if (!json_is_array(value))
        return step->n == 1 && number_of(value) == step->number[0];
    if (json_array_size(value) != step->n)
        return false;
    for (size_t i = 0; i < step->n; i++) {
        if (number_of(json_array_get(value, i)) != step->number[i])
            return false;
    }
    return true;
}

static bool events_fit(const struct case_alert *wanted, json_t *events)
{
    size_t n = 0;
    const char *name;
    json_t *value;

    json_object_foreach(events, name, value) {
        if (!is_empty(value))
            n++;
    }
    for (size_t i = 0; i < wanted->n_steps; i++) {
        value = json_object_get(events, wanted->step[i].name);
        if (is_empty(value) || !step_fits(&wanted->step[i], value))
            return false;
    }
    return n == wanted->n_steps;
}

/* Numbers by value; of objects the members that are wanted. */
static bool has(json_t *found, json_t *wanted)
{
    const char *name;
    json_t *value;

    if (json_is_null(wanted))
        return !found || json_is_null(found);
    if (json_is_number(wanted) && json_is_number(found)) {
        double a = json_number_value(found), b = json_number_value(wanted);

        return fabs(a - b) <= 1e-9 * fmax(1, fabs(b));
    }
    if (!json_is_object(wanted) || !json_is_object(found))
        return json_equal(found, wanted);
    json_object_foreach(wanted, name, value) {
        if (!has(json_object_get(found, name), value))
            return false;
    }
    return true;
}

static bool members_fit(const struct case_alert *wanted, const struct alert *al, json_t *found)
{
    const char *name;
    json_t *value;

    json_object_foreach(wanted->also, name, value) {
        if (strcmp(name, "title") == 0 && strcmp(json_string_value(value), al->title) == 0)
            continue;
        if (!json_equal(json_object_get(found, name), value))
            return false;
    }
    return true;
}

static bool alert_fits(const struct case_alert *wanted, const struct alert *al, json_t *found,
                       const char *rule)
{
    const char *severity = json_string_value(json_object_get(found, "severity"));
    bool cold = json_is_true(json_object_get(found, "cold"));
    bool retracted = json_is_true(json_object_get(found, "retracted"));

    return retracted == json_is_true(json_object_get(wanted->also, "retracted")) &&
           wanted->time == al->time && strcmp(wanted->rule, rule) == 0 &&
           (wanted->cold == COLD_ANY || cold == (wanted->cold == COLD_YES)) &&
           (!wanted->severity || (severity && strcmp(severity, wanted->severity) == 0)) &&
           (wanted->risk < 0 ||
            wanted->risk == json_integer_value(json_object_get(found, "risk"))) &&
           (wanted->suppressed < 0 ||
            wanted->suppressed == json_integer_value(json_object_get(found, "suppressed"))) &&
           ((retracted && wanted->n_steps == 0) ||
            events_fit(wanted, json_object_get(found, "events"))) &&
           (!wanted->fields || has(json_object_get(found, "fields"), wanted->fields)) &&
           members_fit(wanted, al, found);
}

static void print_step(const char *name, json_t *value)
{
    printf(" %s=", name);
    if (json_is_array(value)) {
        for (size_t i = 0; i < json_array_size(value); i++)
            printf("%s#%u", i ? "," : "", number_of(json_array_get(value, i)));
    } else if (number_of(value)) {
        printf("#%u", number_of(value));
    } else {
        printf("#%u..#%u/%d", number_of(json_object_get(value, "first")),
               number_of(json_object_get(value, "last")),
               (int)json_integer_value(json_object_get(value, "count")));
    }
}

/* As a case writes it. */
static void print_alert(const char *mark, const struct alert *al, json_t *found, const char *rule)
{
    static const char *const shown[] = {"fields", "title", "key"};
    const char *name;
    char offset[64];
    json_t *value;
    json_int_t suppressed = json_integer_value(json_object_get(found, "suppressed"));

    case_offset_text(offset, sizeof offset, al->time);
    printf("  %s %s %s", mark, offset, rule);
    json_object_foreach(json_object_get(found, "events"), name, value) {
        if (!is_empty(value))
            print_step(name, value);
    }
    if (json_is_true(json_object_get(found, "cold")))
        printf(" cold");
    if (json_is_true(json_object_get(found, "retracted")))
        printf(" retracted");
    if (al->revision)
        printf(" revision=%d", (int)al->revision);
    if (suppressed)
        printf(" suppressed=%d", (int)suppressed);
    for (size_t i = 0; i < sizeof shown / sizeof *shown; i++) {
        char *text = json_dumps(json_object_get(found, shown[i]), JSON_ENCODE_ANY | JSON_COMPACT);

        printf(" %s%s%s", i ? shown[i] : "", i ? " " : "", text ? text : "null");
        free(text);
    }
    printf("\n");
}

static const char *rule_of(const struct program *prog, const struct alert *al)
{
    return prog->rule[al->rule].name;
}

/* The alert as JSON, with what all alerts must have; NULL, and says so, if it is not right. */
static json_t *read_found(const struct golden_case *gc, const struct alert *al, const char *rule)
{
    json_error_t err;
    json_t *found = json_loadb(al->json, al->json_len, 0, &err);
    const char *name = json_string_value(json_object_get(found, "rule"));
    const char *id = json_string_value(json_object_get(found, "id"));

    if (found && name && strcmp(name, rule) == 0 && id && strlen(id) == 32 &&
        json_is_string(json_object_get(found, "time")) && strchr(al->json, '\n') == NULL)
        return found;
    printf("FAIL %s:%zu: %s: not an alert (%s): %s\n", gc->file, gc->line, gc->name,
           found ? "rule, id or time is missing" : err.text, al->json);
    json_decref(found);
    return NULL;
}

/* No two alerts of one id and revision, and before each revision the one that it revises. */
static bool ids_are_right(const struct golden_case *gc, const struct alert_list *list)
{
    for (size_t i = 0; i < list->n; i++) {
        const struct alert *al = &list->alert[i];
        bool has_earlier = al->revision == 0;

        for (size_t j = 0; j < list->n; j++) {
            const struct alert *other = &list->alert[j];

            if (i == j || memcmp(al->id, other->id, sizeof al->id) != 0)
                continue;
            has_earlier = has_earlier || other->revision + 1 == al->revision;
            if (other->revision == al->revision) {
                printf("FAIL %s:%zu: %s: two alerts of one id: %s\n", gc->file, gc->line, gc->name,
                       al->json);
                return false;
            }
        }
        if (!has_earlier) {
            printf("FAIL %s:%zu: %s: nothing of this id was told before: %s\n", gc->file, gc->line,
                   gc->name, al->json);
            return false;
        }
    }
    return true;
}

/* Those that ask for more choose first: one without `suppressed` fits alerts with any. */
static size_t meet_expected(const struct golden_case *gc, const struct alert_list *list,
                            const struct program *prog, json_t **found, bool *told, bool *met,
                            bool counted)
{
    size_t n = 0;

    for (size_t w = 0; w < gc->n_alerts; w++) {
        if ((strstr(gc->alert[w].line, "suppressed=") != NULL) != counted)
            continue;
        for (size_t i = 0; i < list->n && !met[w]; i++) {
            if (!told[i] && alert_fits(&gc->alert[w], &list->alert[i], found[i],
                                       rule_of(prog, &list->alert[i])))
                told[i] = met[w] = true;
        }
        n += met[w];
    }
    return n;
}

static void print_difference(const struct golden_case *gc, const struct alert_list *list,
                             const struct program *prog, json_t **found, const bool *told,
                             const bool *met)
{
    printf("FAIL %s:%zu: %s\n", gc->file, gc->line, gc->name);
    for (size_t i = 0; i < gc->n_alerts; i++) {
        if (!met[i])
            printf("  - %s\n", gc->alert[i].line);
    }
    for (size_t i = 0; i < list->n; i++)
        print_alert(told[i] ? " " : "+", &list->alert[i], found[i], rule_of(prog, &list->alert[i]));
}

bool judge_alerts(const struct golden_case *gc, const struct alert_list *list,
                  const struct program *prog)
{
    json_t **found = calloc(list->n + 1, sizeof *found);
    bool *told = calloc(list->n + 1, 1), *met = calloc(gc->n_alerts + 1, 1), right = true;
    size_t n_met = 0;

    for (size_t i = 0; i < list->n && right; i++) {
        found[i] = read_found(gc, &list->alert[i], rule_of(prog, &list->alert[i]));
        right = found[i] != NULL;
    }
    if (right) {
        n_met = meet_expected(gc, list, prog, found, told, met, true) +
                meet_expected(gc, list, prog, found, told, met, false);
        right = n_met == gc->n_alerts && n_met == list->n;
        if (!right)
            print_difference(gc, list, prog, found, told, met);
        right = right && ids_are_right(gc, list);
    }
    for (size_t i = 0; i < list->n; i++)
        json_decref(found[i]);
    free(found);
    free(told);
    free(met);
    return right;
}

/* ---- errors ---------------------------------------------------------------------------------- */

/* Does the text hold one of `a | b | c`, whatever the case of letters? */
static bool has_one_of(const char *text, const char *alternatives)
{
    bool found = false;
    char *copy = strdup(alternatives), *at = copy, *end;

    copy[strcspn(copy, "\n")] = '\0';
    while (at && !found) {
        end = strstr(at, " | ");
        if (end)
            *end = '\0';
        found = text && strcasestr(text, at);
        at = end ? end + 3 : NULL;
    }
    free(copy);
    return found;
}

bool judge_error(const struct golden_case *gc, const struct program *prog, const char *messages)
{
    bool right;

    if (!messages)
        messages = "";
    if (prog) {
        printf("FAIL %s:%zu: %s: it compiles, though it must not\n", gc->file, gc->line, gc->name);
        return false;
    }
    if (gc->wants == WANTS_ERROR_LIKE) {
        right = has_one_of(messages, gc->error ? gc->error : "");
    } else {
        size_t len = gc->error ? strlen(gc->error) : 0, found = strlen(messages);

        while (len > 0 && gc->error[len - 1] == '\n')
            len--;
        while (found > 0 && messages[found - 1] == '\n')
            found--;
        right = len == found && memcmp(messages, gc->error ? gc->error : "", len) == 0;
    }
    if (!right)
        printf("FAIL %s:%zu: %s: expected the error%s\n%sfound\n%s\n", gc->file, gc->line, gc->name,
               gc->wants == WANTS_ERROR_LIKE ? " to hold one of" : "", gc->error ? gc->error : "",
               messages);
    return right;
}

bool judge_order(const struct golden_case *gc, const char *way, const struct alert_list *found)
{
    for (size_t i = 1; i < found->n; i++) {
        if (found->alert[i].time < found->alert[i - 1].time) {
            printf("FAIL %s:%zu: %s (%s): an alert comes after a later one\n", gc->file, gc->line,
                   gc->name, way);
            return false;
        }
    }
    return true;
}

bool judge_same(const struct golden_case *gc, const char *way, const struct alert_list *a,
                const struct alert_list *b)
{
    size_t i = 0;

    while (i < a->n && i < b->n && a->alert[i].time == b->alert[i].time &&
           memcmp(a->alert[i].id, b->alert[i].id, sizeof a->alert[i].id) == 0 &&
           strcmp(a->alert[i].json, b->alert[i].json) == 0)
        i++;
    if (i == a->n && i == b->n)
        return true;
    printf("FAIL %s:%zu: %s (%s): not the alerts of the plain run, from number %zu on\n", gc->file,
           gc->line, gc->name, way, i + 1);
    printf("  plain %s\n  here  %s\n", i < a->n ? a->alert[i].json : "(no more)",
           i < b->n ? b->alert[i].json : "(no more)");
    return false;
}
