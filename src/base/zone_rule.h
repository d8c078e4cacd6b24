// SPDX-License-Identifier: Apache-2.0
/*
 * zone_rule - the rule of a POSIX TZ string, "CET-1CEST,M3.5.0,M10.5.0/3", as it stands at the end
 * of a TZif file (RFC 8536 section 3.3; hours of -167 to 167 as version 3 has them).
 */
#ifndef BASE_ZONE_RULE_H
#define BASE_ZONE_RULE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* When a year's summer time begins or ends. */
struct zone_rule_day {
    char kind;        /* 'J': day 1-365 without the leap day, 'D': day 0-365, 'M': month */
    uint16_t day;     /* J, D: of the year; M: of the week, 0 is Sunday */
    uint8_t month;    /* 1-12 */
    uint8_t week;     /* 1-5, 5: the last */
    int32_t seconds;  /* local time of the day */
};

struct zone_rule {
    int32_t standard, summer; /* seconds east of UTC */
    bool has_summer;
    struct zone_rule_day begin, end; /* of summer time */
};

/* An offset, and until when it holds (UTC seconds; INT64_MAX: for ever). */
struct zone_span {
    int32_t offset;
    int64_t end;
};

bool zone_rule_parse(struct zone_rule *rule_out, const char *text, size_t len);
struct zone_span zone_rule_at(const struct zone_rule *rule, int64_t utc);

#endif
