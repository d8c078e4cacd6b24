// SPDX-License-Identifier: Apache-2.0
#include "flow/mute.h"

#include <string.h>
#include <strings.h>

#include "base/buf.h"
#include "base/civil.h"
#include "base/zone.h"

enum { DAY = 86400, HOUR = 3600, ALL_DAYS = 0x7f };

/* What is left of the text. */
struct rest {
    const char *at, *end;
};

static bool take_char(struct rest *rest, char c)
{
    bool is = rest->at < rest->end && *rest->at == c;

    rest->at += is;
    return is;
}

static void skip_blanks(struct rest *rest)
{
    while (take_char(rest, ' '))
        continue;
}

static bool is_letter(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}

/* ---- days ------------------------------------------------------------------------------------ */

/* "Mon" or "Monday", in any case; -1: none. */
static int day_named(const char *text, size_t len)
{
    static const char *const names[] = {"Sunday",   "Monday", "Tuesday", "Wednesday",
                                        "Thursday", "Friday", "Saturday"};

    for (int day = 0; day < 7; day++)
        if ((len == 3 || len == strlen(names[day])) && strncasecmp(names[day], text, len) == 0)
            return day;
    return -1;
}

static int take_day(struct rest *rest, struct buf *why)
{
    const char *from = rest->at;

    while (rest->at < rest->end && is_letter(*rest->at))
        rest->at++;
    int day = day_named(from, (size_t)(rest->at - from));
    if (day < 0 && rest->at == from)
        buf_adds(why, "a day is missing, as in Mon-Fri or Sat,Sun");
    else if (day < 0)
        buf_printf(why, "`%.*s` is no day: days are Mon, Tue, Wed, Thu, Fri, Sat, Sun, as in Mon-Fri "
                        "or Sat,Sun", (int)(rest->at - from), from);
    return day;
}

static bool take_days(struct rest *rest, uint8_t *days_out, struct buf *why)
{
    *days_out = 0;
    do {
        int first = take_day(rest, why);
        int last = first >= 0 && take_char(rest, '-') ? take_day(rest, why) : first;
        if (first < 0 || last < 0)
            return false;
        for (int day = first;; day = (day + 1) % 7) { /* Fri-Mon goes over Sunday */
            *days_out |= (uint8_t)(1 << day);
            if (day == last)
                break;
        }
    } while (take_char(rest, ','));
    if (rest->at == rest->end || *rest->at != ' ') {
        buf_adds(why, "behind the days stand a blank and the times, as in `Sat,Sun 00:00-24:00`");
        return false;
    }
    skip_blanks(rest);
    return true;
}

/* ---- times ----------------------------------------------------------------------------------- */

static bool take_digits(struct rest *rest, uint32_t most, uint32_t *n_out)
{
    if (rest->end - rest->at < 2 || rest->at[0] < '0' || rest->at[0] > '9' || rest->at[1] < '0' ||
        rest->at[1] > '9')
        return false;
    *n_out = (uint32_t)(rest->at[0] - '0') * 10 + (uint32_t)(rest->at[1] - '0');
    rest->at += 2;
    return *n_out <= most;
}

/* HH:MM, to the end of the day. */
static bool take_time(struct rest *rest, uint32_t *seconds_out)
{
    uint32_t hour, minute;

    if (!take_digits(rest, 24, &hour) || !take_char(rest, ':') || !take_digits(rest, 59, &minute))
        return false;
    *seconds_out = hour * HOUR + minute * 60;
    return *seconds_out <= DAY;
}

static bool take_times(struct rest *rest, struct mute *mute, struct buf *why)
{
    if (!take_time(rest, &mute->begin) || !take_char(rest, '-') || !take_time(rest, &mute->end) ||
        (rest->at < rest->end && *rest->at != ' ')) {
        buf_adds(why, "a window is HH:MM-HH:MM of 24 hours, as in `22:00-06:00 Europe/Paris`");
        return false;
    }
    if (mute->begin == mute->end || mute->begin == DAY) {
        buf_adds(why, mute->begin == DAY ? "a window begins at 23:59 at the latest: midnight is 00:00"
                                         : "it ends where it begins: a whole day is 00:00-24:00");
        return false;
    }
    return true;
}

/* ---- all ------------------------------------------------------------------------------------- */

static bool find_zone(struct rest *rest, struct mute *mute, struct buf *why)
{
    size_t len;

    skip_blanks(rest);
    len = (size_t)(rest->end - rest->at);
    mute->zone = len == 0 ? zone_find("UTC", 3) : zone_find(rest->at, len);
    if (!mute->zone && len == 0)
        buf_adds(why, "the machine has no time zones (package tzdata)");
    else if (!mute->zone)
        buf_printf(why, "there is no time zone `%.*s`: zones have names such as Europe/Paris, "
                        "America/New_York or UTC", (int)(len < 64 ? len : 64), rest->at);
    return mute->zone != NULL;
}

bool mute_parse(const char *text, size_t len, struct mute *mute_out, struct buf *why)
{
    struct rest rest = {text, text + len};

    *mute_out = (struct mute){.days = ALL_DAYS};
    skip_blanks(&rest);
    while (rest.end > rest.at && rest.end[-1] == ' ')
        rest.end--;
    if (rest.at < rest.end && is_letter(*rest.at) && !take_days(&rest, &mute_out->days, why))
        return false;
    return take_times(&rest, mute_out, why) && find_zone(&rest, mute_out, why);
}

bool mute_has(const struct mute *mute, int64_t wall)
{
    int64_t utc = civil_floor(wall, INT64_C(1000000000));
    int64_t local = utc + zone_offset(mute->zone, utc);
    int64_t day = civil_floor(local, DAY);
    uint32_t second = (uint32_t)civil_rest(local, DAY);
    bool today = mute->days & (1u << civil_weekday(day));
    bool yesterday = mute->days & (1u << civil_weekday(day - 1));

    if (mute->begin < mute->end)
        return today && second >= mute->begin && second < mute->end;
    return (today && second >= mute->begin) || (yesterday && second < mute->end);
}
