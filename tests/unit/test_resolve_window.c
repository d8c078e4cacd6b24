// SPDX-License-Identifier: Apache-2.0
/*
 * What resolve and typecheck say about windows, joins and first sightings. All bodies are turned on,
 * whether the engine runs them or not.
 *
 * A case is a text and all that is said about it, a line a message:
 *     LINE:COLUMN: LEVEL: MESSAGE (HINT)
 */
#include <unit/resolve_fixture.h>

/* aggregates: their inputs and arguments */
static const struct text_case aggregates[] = {
    { "rule r { window tumbling 5m by user.id { a: s where ok == true having count() > 5 and "
      "count(a) > 1 and sum(a.x) > 2 and sum(x) > 2 and count(x == 1 and a.y == 2) > 0 and "
      "count(a where x == 1) > 0 and sum(price * qty where c == 1) > 1 } emit { user = user.id "
      " n = count()  d = count_distinct(x, y)  p = percentile(a.x, 99.9)  l = last(x)  v = "
      "values(x, 10)  t = top(a.x, 3)  c = collect(x, 1)  m = max(time()) - min(time(a))  from "
      "= window_start  to = window_end  o = stddev(x) + variance(x) + approx_count_distinct(x) "
      " s = any(v in values(x, 5): v == 1 and exists(first(y))) } title \"{user} {n} {user.id} "
      "{window_start}\" severity if(count() > 10, high, low) risk count(a) }",
      "" },
    { "rule r { window sliding 10m { a: s b: t having count(a) > 1 and count() > 3 and "
      "sum(b.x) > 2 and count(where b.x == 1) > 1 and sum(a.amount, within 1h) > 5 * "
      "avg(a.amount, within 30d) and prev(a.x) != last(a.x) and count(x == 1) > 2 and "
      "count(exists(a.x)) > 1 }  }",
      "" },
    { "rule r { window tumbling 5m { a: s b: t having sum(x) > 1 and sum(a.x + b.x) > 2 and "
      "min(time()) > max(time(b)) and sum(1) > 0 and count(a where b.x == 1) > 0 }  }",
      "1:48: error: over which input `sum` is, is not said (name it, as `a.x` or `b.x`)\n"
      "1:73: error: an aggregate is over one input, this one over `a` and `b`\n"
      "1:86: error: over which input `min` is, is not said (name it, as `a.x` or `b.x`)\n"
      "1:117: error: over which input `sum` is, is not said (name it, as `a.x` or `b.x`)\n"
      "1:146: error: an aggregate is over one input, this one over `a` and `b`\n" },
    { "rule r { window tumbling 5m { a: s where count() > 5 and prev(x) == 1 having "
      "sum(max(x)) > 5 and count(count(a) > 1) > 0 }  }",
      "1:42: error: `count` is an aggregate: it cannot choose the events that it is over (put "
      "it into `having`)\n"
      "1:58: error: `prev` is an aggregate: it cannot choose the events that it is over (put "
      "it into `having`)\n"
      "1:82: error: `max` stands inside `sum`: aggregates do not nest\n"
      "1:104: error: `count` stands inside `count`: aggregates do not nest\n" },
    { "rule r { window tumbling 5m by k = last(x) { a: s }  }",
      "1:36: error: `last` is an aggregate: it cannot be in a key\n" },
    { "rule r { window tumbling 5m { a: s having percentile(x) > 1 and percentile(x, 101) > 1 "
      "and percentile(x, y) > 1 and percentile(x, -1) > 2 and length(top(x, 0)) > 1 and "
      "length(values(x)) > 1 and length(collect(x, 10001)) > 1 and length(top(x, 2.5)) == 1 "
      "and sum() > 1 and count(a, a) > 1 and count_distinct(x, y, z) > 1 }  }",
      "1:43: error: `percentile` takes 2 arguments, 1 given (write `percentile(x, 95)`)\n"
      "1:79: error: which percentile is a number from 0 to 100, as `95`\n"
      "1:106: error: which percentile is a number from 0 to 100, as `95`\n"
      "1:131: error: which percentile is a number from 0 to 100, as `95`\n"
      "1:157: error: how many values `top` gives is a whole number from 1 to 10000\n"
      "1:176: error: `values` takes 2 arguments, 1 given (how many at most? write `values(x, "
      "10)`)\n"
      "1:213: error: how many values `collect` gives is a whole number from 1 to 10000\n"
      "1:243: error: how many values `top` gives is a whole number from 1 to 10000\n"
      "1:258: error: `sum` takes 1 argument, 0 given\n"
      "1:272: error: `count` takes 1 or fewer arguments, 2 given\n"
      "1:292: error: `count_distinct` takes 2 or fewer arguments, 3 given\n" },
    { "rule r { window tumbling 5m { a: s having last(a).x == 1 and last(x).y == 2 and sum(a) "
      "> 1 and a.x == 1 and count(a[0]) > 0 and exists(a) and time(a) > time() and stream() == "
      "\"s\" and a == 1 }  }",
      "1:43: error: `last(...)` has no fields (write `last(a.x)`)\n"
      "1:62: error: `last(...)` has no fields (write `last(x.y)`)\n"
      "1:85: error: `a` is an input, not a field (name a field of it, as `a.x`, or rename the "
      "input)\n"
      "1:96: error: the window holds many events of `a` (take a value of it, as `last(a.x)`)\n"
      "1:115: error: the events of an input have no index (there are `first(a.x)`, `last(a.x)` "
      "and `collect(a.x, 10)`)\n"
      "1:136: error: the window holds many events of `a` (`count(a)` counts them)\n"
      "1:143: error: the window holds many events of `a` (take a value of it, as "
      "`last(time(a))`)\n"
      "1:153: error: `time()` is of one event, the window holds many (take a value of it, as "
      "`last(time())`)\n"
      "1:164: error: `stream()` is of one event, the window holds many (take a value of it, as "
      "`last(stream())`)\n"
      "1:184: error: the window holds many events of `a` (`count(a)` counts them)\n" },
    { "rule r { window tumbling 5m { a: s having sum(x, within 1h) > 1 }  }",
      "1:57: error: an aggregate has its own `within` in a `sliding` window only\n" },
    { "rule r { window sliding 5m { a: s having sum(x, within 0s) > 1 and sum(x where y == 1, "
      "within 1h) > 1 }  }",
      "1:56: error: `within` must be more than 0\n" },
    { "rule r { window tumbling 5m { a: s having prev(x) == 1 }  }",
      "1:43: error: `prev` is of the event before the one that fires, and a window's close is "
      "no event (`fire on match`, `on every match` and `on change` are at events)\n" },
    { "rule r { window tumbling 5m { a: s having prev(x where y == 1) == 1 fire on match }  }",
      "1:43: error: `prev` takes no `where` and no `within`\n" },
    { "rule r { window tumbling 5m { a: s having any(v in values(x, 5): sum(v) > 1 and "
      "count(any(w in tags: w == v)) > 0 and count(any(w in tags: w == 1)) > 0) }  }",
      "1:70: error: `v` goes through a list outside of `sum(...)`, it cannot be read inside\n"
      "1:107: error: `v` goes through a list outside of `count(...)`, it cannot be read "
      "inside\n" },
    { "rule r { window tumbling 5m { a: s having count(a.ok) > 1 and count(x) > 1 }  }",
      "1:49: warning: this counts the events whose `a.ok` is true (`count(exists(a.ok))` "
      "counts those that have it, `count_distinct(a.ok)` its values)\n"
      "1:69: warning: this counts the events whose `x` is true (`count(exists(x))` counts "
      "those that have it, `count_distinct(x)` its values)\n" },
    { "rule r { window tumbling 5m { a: s having cuont() > 1 and stdev(x) > 1 and nonsense(x) "
      "== 1 }  }",
      "1:43: error: unknown function `cuont` (did you mean `count`?)\n"
      "1:59: error: unknown function `stdev` (did you mean `stddev`?)\n"
      "1:76: error: unknown function `nonsense`\n" },
    { "def much(x) = sum(x) > 10 and length(collect(x, 3)) > 0 rule r { window sliding 5m { a: "
      "s having much(a.x) } }",
      "" },
    { "def busy() = count() > 5 and sum(x where ok == 1) > 2 and length(top(x, 5)) > 1 rule r "
      "{ window tumbling 5m { a: s having busy() } }",
      "" },
    { "def busy() = count() > 5 and sum(x) > 5 rule r { match { a: s where busy() } }",
      "1:14: error: `count` takes one step of the match, 0 given\n"
      "1:30: error: `sum` of a step is not known in a `def`, except of a parameter\n"
      "1:34: error: `x` is not a step of this match (it is of a field of a step: `sum(a.x)`)\n" },
    { "def spread(x) = stddev(x) / avg(x) rule r { window sliding 5m { a: s having spread(a.x) "
      "> 2 } } rule m { match { a: s } emit { x = stddev(a.x) } }",
      "1:132: error: `stddev` is an aggregate of a `window`\n" },
};

/* what stands bare */
static const struct text_case names[] = {
    { "rule r { window tumbling 5m by user.id { a: s having amount > 5 and user.id == \"x\" } "
      "emit { x = amount.y  u = user.id } title \"{x} {amount.y} {u}\" suppress 5m by u, other "
      "}",
      "1:54: error: `amount` is no key, and the window holds many events (take a value of it, "
      "as `last(amount)`)\n"
      "1:97: error: `amount.y` is no key, and the window holds many events (take a value of "
      "it, as `last(amount.y)`)\n"
      "1:133: error: `amount.y` is no key, and the window holds many events (emit a value of "
      "it, as `amount.y = last(amount.y)`)\n"
      "1:166: error: `other` is no key, and the window holds many events (emit a value of it, "
      "as `other = last(other)`)\n" },
    { "rule r { window tumbling 5m { a: s b: t having amount > 5 and time() > window_start } "
      "emit { x = amount } }",
      "1:48: error: `amount` is no key, and the window holds many events (take a value of it, "
      "as `last(a.amount)`)\n"
      "1:63: error: `time()` is of one event, the window holds many (take a value of it, as "
      "`last(time(a))`)\n"
      "1:98: error: `amount` is no key, and the window holds many events (take a value of it, "
      "as `last(a.amount)`)\n" },
    { "rule r { window tumbling 5m by host { a: s where window_start == 1 and `window_end` == "
      "2 having count(time() > window_start) > 0 and `window_start` == 1 }  }",
      "1:50: error: `window_start` is not known where one event is looked at (it may stand in "
      "`having`, `emit` and texts; a field of that name is written with back quotes)\n"
      "1:112: error: `window_start` is not known where one event is looked at (it may stand in "
      "`having`, `emit` and texts; a field of that name is written with back quotes)\n"
      "1:134: error: `window_start` is no key, and the window holds many events (take a value "
      "of it, as `last(window_start)`)\n" },
    { "rule r { window tumbling 5m { auth: s where auth.x == 1 having count() > 1 }  }",
      "1:31: error: input `auth` is named like the first part of the field `auth.x` (rename "
      "the input; the field is read at t:1)\n" },
    { "rule r { window tumbling 5m by auth.user { auth: s having count() > 1 }  }",
      "1:44: error: input `auth` is named like the first part of the field `auth.user` (rename "
      "the input; the field is read at t:1)\n" },
    { "rule r { window tumbling 5m { a: s where time(a) > time() and exists(a) }  }",
      "1:42: error: the `where` of an input knows the event itself only, not `a` (write "
      "`time()`)\n"
      "1:70: error: the `where` of an input knows the event itself only, not `a`\n" },
    { "rule r { window tumbling 5m by x { a: s by y, z b: t by y a: u }  }",
      "1:44: error: `a` has 2 keys, the rule has 1 (an input's keys stand for the rule's, "
      "position by position)\n"
      "1:59: error: input `a` is named twice (first named at t:1)\n" },
    { "rule r { window tumbling 5m { a: s by y b: t }  }",
      "1:41: error: `b` has no `by`, `a` has one (put `by` into the head, or into every "
      "input)\n" },
    { "rule r { window tumbling 5m by a { a: s a: t }  }",
      "1:32: error: key `a` is named like an input (rename one of them; the input is at t:1)\n"
      "1:36: error: input `a` is named like the first part of the field `a` (rename the input; "
      "the field is read at t:1)\n"
      "1:41: error: input `a` is named twice (first named at t:1)\n" },
    { "rule r { window tumbling 5m by user { a: s having any_field contains \"x\" and "
      "count(any_field contains \"x\") > 0 }  }",
      "1:51: error: `any_field` stands to the left of a text operator in `where` only (a field "
      "of that name is written with back quotes)\n" },
    { "rule r { window tumbling 5m { a: s having count() > 1 } severity level emit { l = "
      "last(x) } }",
      "1:66: error: unknown severity `level` (one of info, low, medium, high, critical)\n" },
    { "rule r { window tumbling 5m { a: s having count() > 1 } severity l risk l emit { l = "
      "last(x) } }",
      "" },
};

/* sizes, kinds, when they fire */
static const struct text_case kinds[] = {
    { "rule a { window tumbling 1d offset 3h zone \"Europe/Paris\" { a: s } } rule b { window "
      "hopping 10m every 1m { a: s } } rule c { window session 30m max 12h { a: s } } rule d { "
      "window sliding 10m { a: s } } rule e { window global expire 30d { a: s having count() > "
      "3 } } rule f { window tumbling 5m { a: s allow late 1h fire on close } }",
      "" },
    { "rule r { window tumbling 0s { a: s }  }",
      "1:26: error: `tumbling` must be more than 0\n" },
    { "rule r { window tumbling 5m offset 5m { a: s }  }",
      "1:36: error: `offset` must be less than the window's size\n" },
    { "rule r { window tumbling 36h zone \"Europe/Paris\" { a: s }  }",
      "1:35: error: a window with a `zone` is of whole days (without a zone it may have any "
      "size; its bounds are those of UTC)\n" },
    { "rule r { window tumbling 1d zone \"Europe/Pariss\" { a: s }  }",
      "1:34: error: no time zone `Europe/Pariss` on this machine (as `Europe/Paris`, of the "
      "system's time zone database (tzdata))\n" },
    { "rule r { window hopping 10m every 3m { a: s }  }",
      "1:35: error: the size is not a multiple of `every` (each event is then in as many "
      "windows as any other)\n" },
    { "rule r { window hopping 10m every 0s { a: s }  }",
      "1:35: error: `every` must be more than 0\n" },
    { "rule r { window hopping 1m every 10m { a: s }  }",
      "1:34: error: the size is not a multiple of `every` (each event is then in as many "
      "windows as any other)\n" },
    { "rule r { window session 2d { a: s }  }",
      "1:25: error: a session ends after 24h at most (give another bound, as `session 2d max "
      "7d`)\n" },
    { "rule r { window session 2h max 1h { a: s }  }",
      "1:32: error: the session would end within its first gap (`max` is the longest session, "
      "the gap is before it)\n" },
    { "rule r { window session 2d max 7d { a: s }  }",
      "" },
    { "rule r { window sliding 0s { a: s }  }",
      "1:25: error: `sliding` must be more than 0\n" },
    { "rule r { window global expire 0s { a: s }  }",
      "1:31: error: `expire` must be more than 0\n" },
    { "rule r { window sliding 5m { a: s fire on close }  }",
      "1:10: error: a `sliding` window never closes: `fire on close` (`fire on match` is at "
      "the event that makes `having` true)\n" },
    { "rule r { window global expire 5d { a: s fire on close allow late 5m }  }",
      "1:10: error: a `global` window never closes: `fire on close` (`fire on match` is at the "
      "event that makes `having` true)\n"
      "1:66: error: a `global` window has no `allow late` (tumbling, hopping and session "
      "windows have)\n" },
    { "rule r { window sliding 5m { a: s allow late 5m fire on every match }  }",
      "1:46: error: a `sliding` window has no `allow late` (tumbling, hopping and session "
      "windows have)\n" },
    { "rule r { window hopping 10m every 5m { a: s fire on change allow late 5m }  }",
      "1:10: warning: `fire on change` without `emit`: no value ever differs (it tells once; "
      "emit what should be watched)\n" },
    { "rule r { window tumbling 5m by host in hosts { a: s having count() == 0 }  }",
      "1:40: error: unknown table `hosts`\n" },
    { "table t = from s key k rule r { window sliding 5m by host, x in t { a: s allow late 1m } }",
      "1:65: error: a window for each row of a table is a `tumbling` one\n"
      "1:65: error: a window for each row of a table has one key, the table's\n"
      "1:65: error: `t` is fed by events: windows are made for the rows of a table from a file\n"
      "1:85: error: a `sliding` window has no `allow late` (tumbling, hopping and session windows "
      "have)\n"
      "1:85: error: a window for each row of a table has no `allow late` in this version\n" },
    { "rule r { window tumbling 5m { a: s } limit runs 5 per key limit events 5 per run limit "
      "values 5 per key limit matches 5 per event limit state 1GiB limit alerts 5 per 1m }",
      "1:44: error: a `window` has no `limit runs`\n"
      "1:65: error: a `window` has no `limit events`\n"
      "1:111: error: a `window` has no `limit matches`\n" },
    { "rule r { window tumbling 5m { a{3}: s b: t within 5m }  }",
      "1:32: error: an input of a window has no number (count them: `having count() >= 3`)\n"
      "1:51: error: an input of a window has no `within`\n" },
};

/* joins */
static const struct text_case joins[] = {
    { "rule r { join by user within 5m { a: s where x == b.x and exists(b) and time() > "
      "time(b) b: t by account where y != a.y } emit { x = a.x  y = b.y  gap = time(b) - "
      "time(a)  both = exists(b)  u = user } title \"{a.x} {user}\" limit matches 5 per event }",
      "" },
    { "rule r { join by user within -1m..1h { a?: s b?: t }  }",
      "" },
    { "rule r { join by user within 0s..1h { a: s not b: t where x == a.x } emit { x = a.x  n "
      "= time() }  }",
      "" },
    { "rule r { join by user within 5m { a: s not b: t } emit { x = b.x y = z } title "
      "\"{b.x}\" }",
      "1:62: error: no event is ever bound to `b`, which is a `not` (if a field is meant, "
      "rename the side `b`)\n"
      "1:82: error: no event is ever bound to `b`, which is a `not` (if a field is meant, "
      "rename the side `b`)\n" },
    { "rule r { join by user within 5m { a: s b: t } emit { z = z  u = user } }",
      "1:58: warning: `z` is read of the event that came last, whichever side it is of (name "
      "the side: `a.z` or `b.z`)\n" },
    { "rule r { join by user within 1s..5m { a: s b: t } emit { z = z } }",
      "" },
    { "rule r { join by user { a: s b: t }  }",
      "1:10: error: the join has no `within` (add `within`: without it this state would grow "
      "for ever)\n" },
    { "rule r { join by user within 5m { not a: s not b: t }  }",
      "1:44: error: a `not` on both sides leaves nothing to tell (one side must be an event: "
      "`b: ...`)\n" },
    { "rule r { join by user within 5m { a?: s not b: t }  }",
      "1:36: error: `a?` beside `not b`: neither is needed (`not b` tells each `a` that is "
      "alone already)\n" },
    { "rule r { join by user within 5m { a: s not b?: t }  }",
      "1:45: error: a `not` takes no quantifier\n" },
    { "rule r { join within 1h..1m { a: s b: t }  }",
      "1:22: error: the range ends before it begins\n" },
    { "rule r { join by user within 5m { a: s b: t c: u }  }",
      "1:10: error: a join has two sides, not 3\n" },
    { "rule r { join by user within 5m { a: s where a.x == 1 and time(a) > time(b) and "
      "prev(a).x == 1 and count(b) > 1 and exists(a) b: t } emit { n = count(a) f = first(a).x "
      "a = a w = window_start } }",
      "1:46: error: `a` is not bound yet in its own `where` (write `x`; if the field `a.x` is "
      "meant, rename the side)\n"
      "1:59: error: `a` is not bound yet in its own `where` (its own is `time()`)\n"
      "1:81: error: `prev` belongs to a `match` or a `window` (each side of a `join` is one "
      "event)\n"
      "1:100: error: `count` belongs to a `match` or a `window` (each side of a `join` is one "
      "event)\n"
      "1:124: error: `a` is not bound yet in its own `where`\n"
      "1:145: error: `count` belongs to a `match` or a `window` (each side of a `join` is one "
      "event)\n"
      "1:158: error: `first` belongs to a `match` or a `window` (each side of a `join` is one "
      "event)\n"
      "1:173: error: `a` is a side, not a field (name a field of it, as `a.x`, or rename the "
      "side)\n"
      "1:179: warning: `window_start` is read of the event that came last, whichever side it "
      "is of (name the side: `a.window_start` or `b.window_start`)\n" },
    { "rule r { join within 5m { a: s b: t } limit runs 5 per key limit values 5 per key }",
      "1:45: error: a `join` has no `limit runs`\n"
      "1:66: error: a `join` has no `limit values`\n" },
    { "rule r { join by user within 5m { a: s b: t } emit { x = a[0] y = c.x z = time(c) } }",
      "1:58: error: `a` is one event: it has no index\n"
      "1:67: warning: `c.x` is read of the event that came last, whichever side it is of (name "
      "the side: `a.c.x` or `b.c.x`)\n"
      "1:80: error: `c` is not a side of this join (did you mean `a`?)\n" },
    { "rule r { join by user within 5m { a: s b: t by x, y }  }",
      "1:48: error: `b` has 2 keys, the rule has 1 (a side's keys stand for the rule's, "
      "position by position)\n" },
};

/* first sightings */
static const struct text_case novels[] = {
    { "rule r { novel geo.country, agent by user within 14d after 3d { a: s where ok == 1 b: t "
      "} emit { c = geo.country  u = user  ip = source.ip  t = time()  w = time(a)  which = "
      "exists(b)  x = a.ip } title \"{geo.country} {source.ip}\" limit values 5 per key }",
      "" },
    { "rule r { novel x by user { a: s }  }",
      "1:10: error: the novel has no `within` (add how long a value stays known, as `within "
      "14d`: without it this state would grow for ever)\n" },
    { "rule r { novel x within 0s { a: s }  }",
      "1:25: error: `within` must be more than 0\n" },
    { "rule r { novel x, y, x within 5d { a: s }  }",
      "1:22: error: `x` is named twice\n" },
    { "rule r { novel a.x within 5d { a: s }  }",
      "1:32: error: input `a` is named like the first part of the field `a.x` (rename the "
      "input; the field is read at t:1)\n" },
    { "rule r { novel x within 5d { a: s where a.y == 1 and time(a) > time() } emit { n = "
      "count(a) p = prev(a).x } }",
      "1:30: error: input `a` is named like the first part of the field `a.y` (rename the "
      "input; the field is read at t:1)\n"
      "1:54: error: the `where` of an input knows the event itself only, not `a` (write "
      "`time()`)\n"
      "1:84: error: `count` belongs to a `match` or a `window` (each input of a `novel` is one "
      "event)\n"
      "1:97: error: `prev` belongs to a `match` or a `window` (each input of a `novel` is one "
      "event)\n" },
    { "rule r { novel x within 5d { a{2}: s }  }",
      "1:31: error: an input of a novel has no number (count them: `having count() >= 3`)\n" },
    { "rule r { novel x within 5d { a: s } limit runs 5 per key limit events 5 per run limit "
      "matches 5 per event }",
      "1:43: error: a `novel` has no `limit runs`\n"
      "1:64: error: a `novel` has no `limit events`\n"
      "1:87: error: a `novel` has no `limit matches`\n" },
};

/* types */
static const struct text_case types[] = {
    { "rule r { window tumbling 5m { a: s having count() }  }",
      "1:43: error: a condition is true or false, this is a number\n" },
    { "rule r { window tumbling 5m { a: s having count() == \"x\" and window_start > 5 and "
      "sum(lower(x)) > 1 and avg(x == 1) > 2 and stddev(time()) > 1 and percentile(time() - "
      "time(), 5) > 1 and max(x == 1) and count(lower(x)) > 1 and sum(x where lower(y)) > 1 "
      "and values(x, 5) > 5 and last(time()) > 5 }  }",
      "1:43: warning: this comparison can never be true (a number is compared with a text)\n"
      "1:62: warning: this comparison can never be true (a time is compared with a number)\n"
      "1:87: error: `sum` takes a number or a duration, this is a text\n"
      "1:109: error: `avg` takes a number or a duration, this is true or false\n"
      "1:132: error: `stddev` takes a number, this is a time\n"
      "1:159: error: `percentile` takes a number, this is a duration\n"
      "1:187: error: a condition is true or false, this is a text or a number or a time or a "
      "duration\n"
      "1:191: error: `max` takes a text or a number or a time or a duration, this is true or "
      "false\n"
      "1:209: error: a condition is true or false, this is a text\n"
      "1:239: error: a condition is true or false, this is a text\n"
      "1:278: warning: this comparison can never be true (a time is compared with a number)\n" },
    { "rule r { window tumbling 5m { a: s having sum(time() - parse) > 1 }  }",
      "1:47: error: `-` does not take a time and a field (no field is a time or a duration: "
      "JSON has none)\n" },
    { "rule r { window tumbling 5m { a: s having window_end - max(time()) > 1m and max(time()) "
      "- min(time()) < 5m and avg(window) > 5s and length(values(x, 5)) > 2 and last(x) + 1 > "
      "2 and any(v in collect(x, 5): v == 1) and last(x) in [1, 2] and window_start == \"x\" } "
      " }",
      "1:112: warning: this comparison can never be true (a number is compared with a "
      "duration)\n"
      "1:240: warning: this comparison can never be true (a text is no time: write it without "
      "quotes, as 2027-01-01T12:00:00Z)\n" },
    { "rule r { window tumbling 5m { a: s having count() > 1 } severity count() risk "
      "lower(last(x)) }",
      "1:66: error: `severity` is a text, this is a number\n"
      "1:79: error: `risk` is a number, this is a text\n" },
    { "rule r { join by user within 5m { a: s where time(b) - time() b: t where lower(a.x) }  }",
      "1:46: error: a condition is true or false, this is a duration\n"
      "1:74: error: a condition is true or false, this is a text\n" },
};

static void aggregates_are_resolved(void **state)
{
    (void)state;
    check_cases(aggregates, sizeof aggregates / sizeof aggregates[0], NULL);
}

static void names_are_resolved(void **state)
{
    (void)state;
    check_cases(names, sizeof names / sizeof names[0], NULL);
}

static void kinds_are_resolved(void **state)
{
    (void)state;
    check_cases(kinds, sizeof kinds / sizeof kinds[0], NULL);
}

static void joins_are_resolved(void **state)
{
    (void)state;
    check_cases(joins, sizeof joins / sizeof joins[0], NULL);
}

static void novels_are_resolved(void **state)
{
    (void)state;
    check_cases(novels, sizeof novels / sizeof novels[0], NULL);
}

static void types_are_resolved(void **state)
{
    (void)state;
    check_cases(types, sizeof types / sizeof types[0], NULL);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(aggregates_are_resolved),
        cmocka_unit_test(names_are_resolved),
        cmocka_unit_test(kinds_are_resolved),
        cmocka_unit_test(joins_are_resolved),
        cmocka_unit_test(novels_are_resolved),
        cmocka_unit_test(types_are_resolved),
    };
    return cmocka_run_group_tests_name("resolve_window", tests, NULL, NULL);
}
