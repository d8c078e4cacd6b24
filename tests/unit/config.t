# SPDX-License-Identifier: Apache-2.0
# What the reader of configurations says to mistakes. A case is `--- what', a text, `->', and what is
# printed of it, as it is printed. In the directory are the files `name' (out.ndjson) and `zero' (a NUL
# byte); the environment has CONFIG_NAME (out.ndjson) and CONFIG_EMPTY. Read by test_config.c.
--- unknown keys
engine { rulez "x"  checkpont 2s  brand_new 1 }
source s { stdin {}  latenes 5s  checkpoint 1s  a.b.c 1 }
sink a { file "a"  rotate_sice 1MiB  lateness 1s }
->
t.conf:1:10: error: `rulez` is no key of the engine
    engine { rulez "x"  checkpont 2s  brand_new 1 }
             ^~~~~ did you mean `rules`?
t.conf:1:21: error: `checkpont` is no key of the engine
    engine { rulez "x"  checkpont 2s  brand_new 1 }
                        ^~~~~~~~~ did you mean `checkpoint`?
t.conf:1:35: error: `brand_new` is no key of the engine
    engine { rulez "x"  checkpont 2s  brand_new 1 }
                                      ^~~~~~~~~ there are: rules, state, checkpoint, checkpoint_bytes, alert_delay, memory_limit, buffer_limit, spill_limit, queue_limit, dead_letter_bytes, dead_letter_count, stop_within, shards
t.conf:2:22: error: `latenes` is no key of a source
    source s { stdin {}  latenes 5s  checkpoint 1s  a.b.c 1 }
                         ^~~~~~~ did you mean `lateness`?
t.conf:2:34: error: `checkpoint` is no key of a source
    source s { stdin {}  latenes 5s  checkpoint 1s  a.b.c 1 }
                                     ^~~~~~~~~~ it belongs into a block `engine`
t.conf:2:49: error: `a.b.c` is no key of a source
    source s { stdin {}  latenes 5s  checkpoint 1s  a.b.c 1 }
                                                    ^~~~~ there are: file, stdin, follow, time, time_format, lateness, idle, future, quiet, order_by, late, dead_letter, max_line, spool_segment, spool_limit
t.conf:3:20: error: `rotate_sice` is no key of a sink
    sink a { file "a"  rotate_sice 1MiB  lateness 1s }
                       ^~~~~~~~~~~ did you mean `rotate_size`?
t.conf:3:38: error: `lateness` is no key of a sink
    sink a { file "a"  rotate_sice 1MiB  lateness 1s }
                                         ^~~~~~~~ it belongs into a block `source`
--- wrong types
engine { rules here  checkpoint 5  memory_limit 100  dead_letter_count 5s  shards many  stop_within { } }
source s { file 1  follow 1  time 5  time_format iso  lateness "5s"  quiet never  order_by [a]  late "x"  max_line 16 }
sink a { stdout true  rotate_keep 1.5  on_full drop }
->
t.conf:1:16: error: `rules` is a text
    engine { rules here  checkpoint 5  memory_limit 100  dead_letter_count 5s  shards many  stop_within { } }
                   ^~~~ put it in quotes
t.conf:1:33: error: `checkpoint` is a duration
    engine { rules here  checkpoint 5  memory_limit 100  dead_letter_count 5s  shards many  stop_within { } }
                                    ^ such as `500ms`, `30s` or `1h30m`
t.conf:1:49: error: `memory_limit` is a size
    engine { rules here  checkpoint 5  memory_limit 100  dead_letter_count 5s  shards many  stop_within { } }
                                                    ^~~ such as `64KiB`, `16MiB` or `4GiB`
t.conf:1:72: error: `dead_letter_count` is a whole number
    engine { rules here  checkpoint 5  memory_limit 100  dead_letter_count 5s  shards many  stop_within { } }
                                                                           ^~
t.conf:1:83: error: `shards` is `auto` or 1
    engine { rules here  checkpoint 5  memory_limit 100  dead_letter_count 5s  shards many  stop_within { } }
                                                                                      ^~~~
t.conf:1:89: error: `stop_within` has a value, no block
    engine { rules here  checkpoint 5  memory_limit 100  dead_letter_count 5s  shards many  stop_within { } }
                                                                                            ^~~~~~~~~~~ write stop_within DURATION
t.conf:2:17: error: `file` is a text
    source s { file 1  follow 1  time 5  time_format iso  lateness "5s"  quiet never  order_by [a]  late "x"  max_line 16 }
                    ^ write file "...", or env("NAME"), or file("path")
t.conf:2:27: error: `follow` is `true` or `false`
    source s { file 1  follow 1  time 5  time_format iso  lateness "5s"  quiet never  order_by [a]  late "x"  max_line 16 }
                              ^
t.conf:2:35: error: `time` is a field
    source s { file 1  follow 1  time 5  time_format iso  lateness "5s"  quiet never  order_by [a]  late "x"  max_line 16 }
                                      ^ such as `timestamp` or `event.created`, without `[ ]`
t.conf:2:50: error: unknown time format
    source s { file 1  follow 1  time 5  time_format iso  lateness "5s"  quiet never  order_by [a]  late "x"  max_line 16 }
                                                     ^~~ there are: rfc3339, datetime, epoch_s, epoch_ms, epoch_us, epoch_ns
t.conf:2:64: error: `lateness` is a duration
    source s { file 1  follow 1  time 5  time_format iso  lateness "5s"  quiet never  order_by [a]  late "x"  max_line 16 }
                                                                   ^~~~ such as `500ms`, `30s` or `1h30m`
t.conf:2:76: error: `quiet` is `advance` or `hold`
    source s { file 1  follow 1  time 5  time_format iso  lateness "5s"  quiet never  order_by [a]  late "x"  max_line 16 }
                                                                               ^~~~~
t.conf:2:92: error: `order_by` is a field
    source s { file 1  follow 1  time 5  time_format iso  lateness "5s"  quiet never  order_by [a]  late "x"  max_line 16 }
                                                                                               ^~~ such as `timestamp` or `event.created`, without `[ ]`
t.conf:2:102: error: `late` is the name of a sink
    source s { file 1  follow 1  time 5  time_format iso  lateness "5s"  quiet never  order_by [a]  late "x"  max_line 16 }
                                                                                                         ^~~
t.conf:2:116: error: `max_line` is a size
    source s { file 1  follow 1  time 5  time_format iso  lateness "5s"  quiet never  order_by [a]  late "x"  max_line 16 }
                                                                                                                       ^~ such as `64KiB`, `16MiB` or `4GiB`
t.conf:3:17: error: `stdout` has no value
    sink a { stdout true  rotate_keep 1.5  on_full drop }
                    ^~~~ write `stdout {}`
t.conf:3:35: error: `rotate_keep` is a whole number
    sink a { stdout true  rotate_keep 1.5  on_full drop }
                                      ^~~
t.conf:3:35: error: `rotate_keep` is for sinks of `file`
    sink a { stdout true  rotate_keep 1.5  on_full drop }
                                      ^~~
t.conf:3:48: error: `on_full` is `dead_letter` or `wait`
    sink a { stdout true  rotate_keep 1.5  on_full drop }
                                                   ^~~~
--- out of range
engine { checkpoint 1ms  memory_limit 1KiB  alert_delay -1s  shards 4 }
source s { file "x"  max_line 1GiB  idle 0s  lateness 4000d }
sink a { file "a"  queue_count 0 }
->
t.conf:1:21: error: `checkpoint` is 10ms at the least
    engine { checkpoint 1ms  memory_limit 1KiB  alert_delay -1s  shards 4 }
                        ^~~
t.conf:1:39: error: `memory_limit` is 64KiB at the least
    engine { checkpoint 1ms  memory_limit 1KiB  alert_delay -1s  shards 4 }
                                          ^~~~
t.conf:1:57: error: `alert_delay` is 0s at the least
    engine { checkpoint 1ms  memory_limit 1KiB  alert_delay -1s  shards 4 }
                                                            ^~~
t.conf:1:69: error: `shards` is `auto` or 1 in this version
    engine { checkpoint 1ms  memory_limit 1KiB  alert_delay -1s  shards 4 }
                                                                        ^ more than one come with a later version
t.conf:2:31: error: `max_line` is 64MiB at the most
    source s { file "x"  max_line 1GiB  idle 0s  lateness 4000d }
                                  ^~~~
t.conf:2:42: error: `idle` is 10ms at the least
    source s { file "x"  max_line 1GiB  idle 0s  lateness 4000d }
                                             ^~
t.conf:2:55: error: `lateness` is 3650d at the most
    source s { file "x"  max_line 1GiB  idle 0s  lateness 4000d }
                                                          ^~~~~
t.conf:3:32: error: `queue_count` is 1 at the least
    sink a { file "a"  queue_count 0 }
                                   ^
--- twice
engine { state "a"  state "b" }
engine { rules "c" }
source s { file "x"  file "y"  lateness 1s  lateness 1s }
default_to a
default_to [a, a]
sink a { file "a" }
->
t.conf:1:21: error: `state` is given twice
    engine { state "a"  state "b" }
                        ^~~~~ take one of them away
t.conf:2:1: error: `engine` is given twice
    engine { rules "c" }
    ^~~~~~ take one of them away
t.conf:3:22: error: `file` is given twice
    source s { file "x"  file "y"  lateness 1s  lateness 1s }
                         ^~~~ write a list: file ["a", "b"]
t.conf:3:45: error: `lateness` is given twice
    source s { file "x"  file "y"  lateness 1s  lateness 1s }
                                                ^~~~~~~~ take one of them away
t.conf:5:1: error: `default_to` is given twice
    default_to [a, a]
    ^~~~~~~~~~ take one of them away
t.conf:5:16: error: sink `a` is named twice
    default_to [a, a]
                   ^
--- names
source s { file "a" }
source s { file "b" }
source `any` { file "c" }
sink k { file "d" }
sink k { file "e" }
->
t.conf:2:8: error: source `s` is declared twice
    source s { file "b" }
           ^ first declared in line 1
t.conf:3:8: error: a source cannot be named `any`
    source `any` { file "c" }
           ^~~~~ `any` is all sources
t.conf:5:6: error: sink `k` is declared twice
    sink k { file "e" }
         ^ first declared in line 4
--- sinks that are not there
source s { file "a"  late late_evnts  dead_letter nowhere }
sink late_events { file "late" }
default_to [alert, late_events]
->
t.conf:1:27: error: there is no sink `late_evnts`
    source s { file "a"  late late_evnts  dead_letter nowhere }
                              ^~~~~~~~~~ did you mean `late_events`?
t.conf:1:51: error: there is no sink `nowhere`
    source s { file "a"  late late_evnts  dead_letter nowhere }
                                                      ^~~~~~~ declare it: sink nowhere { file "nowhere.ndjson" }
t.conf:3:13: error: there is no sink `alert`
    default_to [alert, late_events]
                ^~~~~ declare it: sink alert { file "alert.ndjson" }
--- kinds
source a { lateness 1s }
source b { file "b"  stdin {} }
source c { stdin {}  follow false }
source d { file "d"  spool_limit 1GiB  time arrival }
sink e { on_full wait }
sink f { file "f"  stdout {} }
sink g { stdout {}  rotate_size 1MiB }
->
t.conf:1:8: error: source `a` reads nothing
    source a { lateness 1s }
           ^ add `file "..."` or `stdin {}`
t.conf:2:22: error: a source has either `file` or `stdin`
    source b { file "b"  stdin {} }
                         ^~~~~ make two sources, and a stream of both
t.conf:3:12: error: another source reads `stdin` already
    source c { stdin {}  follow false }
               ^~~~~
t.conf:3:29: error: `follow` is for sources of `file`
    source c { stdin {}  follow false }
                                ^~~~~
t.conf:4:34: error: `spool_limit` is for sources of `stdin`
    source d { file "d"  spool_limit 1GiB  time arrival }
                                     ^~~~
t.conf:4:45: error: `time arrival` is for sources of `stdin`
    source d { file "d"  spool_limit 1GiB  time arrival }
                                                ^~~~~~~ lines of a file have no time of arrival that would be kept; for a field of this name write it in back quotes: `arrival`
t.conf:5:6: error: sink `e` writes nowhere
    sink e { on_full wait }
         ^ add `file "..."` or `stdout {}`
t.conf:6:20: error: a sink has either `file` or `stdout`
    sink f { file "f"  stdout {} }
                       ^~~~~~ make two sinks, and send to both: default_to [a, b]
t.conf:7:10: error: sink `f` writes there already
    sink g { stdout {}  rotate_size 1MiB }
             ^~~~~~
t.conf:7:33: error: `rotate_size` is for sinks of `file`
    sink g { stdout {}  rotate_size 1MiB }
                                    ^~~~
--- standard input and output once
source a { stdin {} }
source b { stdin {}  time arrival  time_format rfc3339 }
sink c { stdout {} }
sink d { stdout {} }
->
t.conf:2:12: error: another source reads `stdin` already
    source b { stdin {}  time arrival  time_format rfc3339 }
               ^~~~~
t.conf:2:48: error: `time_format` has no sense with `time arrival`
    source b { stdin {}  time arrival  time_format rfc3339 }
                                                   ^~~~~~~
t.conf:4:10: error: sink `c` writes there already
    sink d { stdout {} }
             ^~~~~~
--- stdin and stdout are blocks
source a { stdin true }
sink c { stdout { x 1 } }
->
t.conf:1:18: error: `stdin` has no value
    source a { stdin true }
                     ^~~~ write `stdin {}`
t.conf:2:19: error: `stdout` has no keys
    sink c { stdout { x 1 } }
                      ^ write `stdout {}`, and the keys behind it
--- sinks and sources get in each other's way
source a { file ["logs/*.ndjson", "x"] }
sink b { file "logs/alerts.ndjson" }
sink c { file "same" }
sink d { file "./same" }
sink e { file env("CONFIG_NAME") }
sink f { file file("name") }
->
t.conf:2:15: error: source `a` reads this file: it would read what this sink writes
    sink b { file "logs/alerts.ndjson" }
                  ^~~~~~~~~~~~~~~~~~~~ write it to another directory, or name the source's files otherwise
t.conf:4:15: error: sink `c` writes there already
    sink d { file "./same" }
                  ^~~~~~~~
t.conf:6:15: error: sink `e` writes there already
    sink f { file file("name") }
                  ^~~~~~~~~~~~
--- a spool that cannot hold its segment
source a { stdin {}  spool_segment 64MiB  spool_limit 1MiB }
->
t.conf:1:55: error: `spool_limit` is less than `spool_segment`
    source a { stdin {}  spool_segment 64MiB  spool_limit 1MiB }
                                                          ^~~~
--- texts from elsewhere
engine { rules env("CONFIG_NOT_THERE")  state env(5) }
source a { file [file("not-there"), file("zero"), file("."), env("CONFIG_EMPTY")] }
sink b { file evn("X")  queue_count env("CONFIG_NAME") }
sink c { file env("A", "B") }
->
t.conf:1:16: error: the environment has no variable `CONFIG_NOT_THERE`
    engine { rules env("CONFIG_NOT_THERE")  state env(5) }
                   ^~~~~~~~~~~~~~~~~~~~~~~ set it for the process that reads this
t.conf:1:47: error: `env` takes one text
    engine { rules env("CONFIG_NOT_THERE")  state env(5) }
                                                  ^~~~~~ write env("NAME")
t.conf:2:18: error: cannot read not-there: No such file or directory
    source a { file [file("not-there"), file("zero"), file("."), env("CONFIG_EMPTY")] }
                     ^~~~~~~~~~~~~~~~~
t.conf:2:37: error: cannot read zero: it holds a NUL byte
    source a { file [file("not-there"), file("zero"), file("."), env("CONFIG_EMPTY")] }
                                        ^~~~~~~~~~~~
t.conf:2:51: error: cannot read .: it is no regular file
    source a { file [file("not-there"), file("zero"), file("."), env("CONFIG_EMPTY")] }
                                                      ^~~~~~~~~
t.conf:2:62: error: `file` is empty
    source a { file [file("not-there"), file("zero"), file("."), env("CONFIG_EMPTY")] }
                                                                 ^~~~~~~~~~~~~~~~~~~
t.conf:3:15: error: there is no `evn()` in a configuration
    sink b { file evn("X")  queue_count env("CONFIG_NAME") }
                  ^~~ did you mean `env`?
t.conf:3:37: error: `queue_count` is a whole number
    sink b { file evn("X")  queue_count env("CONFIG_NAME") }
                                        ^~~~~~~~~~~~~~~~~~
t.conf:4:15: error: `env` takes one text
    sink c { file env("A", "B") }
                  ^~~~~~~~~~~~~ write env("NAME")
--- texts
engine { rules ""  state here.there }
sink a { file ['x', 'y'] }
source b { file [] }
source c { file "c"  time_format [] }
source d { file "d"  time_format ["rfc3339", "epoch"]  time `a..b`  order_by a[0] }
->
t.conf:1:16: error: `rules` is empty
    engine { rules ""  state here.there }
                   ^~
t.conf:1:26: error: `state` is a text
    engine { rules ""  state here.there }
                             ^~~~~~~~~~ put it in quotes
t.conf:2:15: error: `file` is a text
    sink a { file ['x', 'y'] }
                  ^~~~~~~~~~ write file "...", or env("NAME"), or file("path")
t.conf:3:17: error: `file` is an empty list
    source b { file [] }
                    ^~
t.conf:4:34: error: `time_format` is an empty list
    source c { file "c"  time_format [] }
                                     ^~
t.conf:5:46: error: unknown time format
    source d { file "d"  time_format ["rfc3339", "epoch"]  time `a..b`  order_by a[0] }
                                                 ^~~~~~~ there are: rfc3339, datetime, epoch_s, epoch_ms, epoch_us, epoch_ns
t.conf:5:61: error: `time` is a field
    source d { file "d"  time_format ["rfc3339", "epoch"]  time `a..b`  order_by a[0] }
                                                                ^~~~~~ such as `timestamp` or `event.created`, without `[ ]`
t.conf:5:78: error: `order_by` is a field
    source d { file "d"  time_format ["rfc3339", "epoch"]  time `a..b`  order_by a[0] }
                                                                                 ^~~~ such as `timestamp` or `event.created`, without `[ ]`
--- no sink is left for alerts
source a { file "a"  late k }
sink k { stdout {} }
->
t.conf:2:6: error: no sink is left for alerts
    sink k { stdout {} }
         ^ add `sink alerts { file "alerts.ndjson" }`
--- later versions
source a { kafka { brokers "127.0.0.1:9092" } }
source b { http {}  time record }
sink c { kafka { topic "alerts" }  delivery exactly_once }
sink d { webhook "https://soc.example/hook"  secret env("SOC_SECRET")  headers { Authorization file("token") }  body slack }
route { severity ["high"]  to [d] }
http { listen "127.0.0.1:7070" }
->
t.conf:1:12: error: sources of kafka come with a later version
    source a { kafka { brokers "127.0.0.1:9092" } }
               ^~~~~ today a source reads `file` or `stdin`
t.conf:2:12: error: sources of http come with a later version
    source b { http {}  time record }
               ^~~~ today a source reads `file` or `stdin`
t.conf:2:26: error: `time` is `record` only for sources of kafka, which come with a later version
    source b { http {}  time record }
                             ^~~~~~ for a field of this name write it in back quotes: `record`
t.conf:3:10: error: sinks of kafka come with a later version
    sink c { kafka { topic "alerts" }  delivery exactly_once }
             ^~~~~ today a sink writes to a `file` or to `stdout`
t.conf:4:10: error: webhooks come with a later version
    sink d { webhook "https://soc.example/hook"  secret env("SOC_SECRET")  headers { Authorization file("token") }  body sla...
             ^~~~~~~ today a sink writes to a `file` or to `stdout`
t.conf:5:1: error: `route` comes with a later version
    route { severity ["high"]  to [d] }
    ^~~~~ today a rule says `to [sink]`, and `default_to` is for all others
t.conf:6:1: error: `http` comes with a later version
    http { listen "127.0.0.1:7070" }
    ^~~~ today events come from `file` and `stdin`
--- syntax
source a { file "a" lateness }
sink { file "x" }
engine { nothing 1 }
->
t.conf:1:30: error: expected an expression, `{` or `.` after `lateness`, found `}`
    source a { file "a" lateness }
                                 ^
t.conf:2:6: error: expected a name after `sink`, found `{`
    sink { file "x" }
         ^
t.conf:3:10: error: `nothing` is no key of the engine
    engine { nothing 1 }
             ^~~~~~~ there are: rules, state, checkpoint, checkpoint_bytes, alert_delay, memory_limit, buffer_limit, spill_limit, queue_limit, dead_letter_bytes, dead_letter_count, stop_within, shards
--- rules
rule r { match { a: s } }
stream s = t
->
t.conf:1:6: error: `rule` belongs into a rule file
    rule r { match { a: s } }
         ^ `rules` of the block `engine` says where these are
t.conf:2:1: error: `stream` belongs into a rule file
    stream s = t
    ^~~~~~~~~~~~ `rules` of the block `engine` says where these are
