// SPDX-License-Identifier: Apache-2.0
/* function_check - what can be known to be wrong about a call's constants before any event comes. */
#include <stdio.h>
#include <string.h>

#include "base/suggest.h"
#include "base/zone.h"
#include "lang/resolve.h"
#include "plan/function.h"
#include "plan/function_priv.h"

enum special { PLAIN, ZONE, UNIT, FORMAT, ENCODING, SEPARATOR };

static enum special special_of(uint32_t id, uint32_t arg)
{
    switch (id) {
    case FUNCTION_HOUR:
    case FUNCTION_WEEKDAY: return arg == 1 ? ZONE : PLAIN;
    case FUNCTION_DATE_TRUNC: return arg == 0 ? UNIT : arg == 2 ? ZONE : PLAIN;
    case FUNCTION_PARSE_TIME: return arg == 1 ? FORMAT : arg == 2 ? ZONE : PLAIN;
    case FUNCTION_BASE64_DECODE: return arg == 1 ? ENCODING : PLAIN;
    case FUNCTION_SPLIT:
    case FUNCTION_REPLACE: return arg == 1 ? SEPARATOR : PLAIN;
    default: return PLAIN;
    }
}

bool function_wants_constant(uint32_t id, uint32_t arg)
{
    enum special special = special_of(id, arg);

    return special != PLAIN && special != SEPARATOR;
}

int function_shown(struct value v)
{
    uint32_t len = v.len < 60 ? v.len : 60;

    while (len > 0 && len < v.len && ((unsigned char)v.u.text[len] & 0xc0) == 0x80)
        len--;
    return (int)len;
}

static bool check_zone(struct value v, struct function_fault *fault)
{
    if (zone_find(v.u.text, v.len))
        return true;
    snprintf(fault->text, sizeof fault->text, "there is no time zone `%.*s`", function_shown(v), v.u.text);
    snprintf(fault->hint, sizeof fault->hint,
             "a name of the tz database of this machine, as `Europe/Paris`");
    return false;
}

static bool check_unit(struct value v, struct function_fault *fault)
{
    enum time_unit unit;
    struct suggest s;
    char name[64];

    if (function_unit_named(v, &unit))
        return true;
    snprintf(fault->text, sizeof fault->text, "`%.*s` is no unit", function_shown(v), v.u.text);
    snprintf(name, sizeof name, "%.*s", function_shown(v), v.u.text);
    suggest_init(&s, name);
    for (int i = 0; i < UNIT_COUNT; i++)
        suggest_try(&s, function_unit_name((enum time_unit)i));
    if (suggest_result(&s))
        snprintf(fault->hint, sizeof fault->hint, "did you mean `%s`?", suggest_result(&s));
    else
        snprintf(fault->hint, sizeof fault->hint,
                 "units are second, minute, hour, day, week, month, quarter, year");
    return false;
}

static bool check_encoding(struct value v, struct function_fault *fault)
{
    bool utf16;

    if (function_encoding_named(v, &utf16))
        return true;
    snprintf(fault->text, sizeof fault->text, "`%.*s` is no encoding", function_shown(v), v.u.text);
    snprintf(fault->hint, sizeof fault->hint, "encodings are utf8 and utf16le");
    return false;
}

static bool check_separator(struct value v, struct function_fault *fault)
{
    if (v.len > 0)
        return true;
    snprintf(fault->text, sizeof fault->text, "an empty text is everywhere and nowhere");
    return false;
}

static bool check_one(enum special special, struct value v, bool *zone_fits,
                      struct function_fault *fault)
{
    if (special == PLAIN)
        return true;
    if (v.type != VALUE_TEXT) {
        snprintf(fault->text, sizeof fault->text, "this has to be a text");
        return false;
    }
    switch (special) {
    case ZONE:
        if (!*zone_fits) {
            snprintf(fault->text, sizeof fault->text,
                     "no zone is needed: the format says what the time is relative to");
            return false;
        }
        return check_zone(v, fault);
    case UNIT: return check_unit(v, fault);
    case FORMAT: return function_check_format(v, zone_fits, fault);
    case ENCODING: return check_encoding(v, fault);
    default: return check_separator(v, fault);
    }
}

bool function_check(uint32_t id, const struct value *const *arg, uint32_t n,
                    struct function_fault *fault_out)
{
    bool zone_fits = true;

    for (uint32_t i = 0; i < n; i++) {
        *fault_out = (struct function_fault){ .arg = i };
        if (arg[i] && !check_one(special_of(id, i), *arg[i], &zone_fits, fault_out))
            return false;
    }
    return true;
}
