# SPDX-License-Identifier: Apache-2.0
# What the reader of configurations says to mistakes. A case is `--- what', a text, `->', and what is
# printed of it, as it is printed. In the directory are the files `name' (out.ndjson) and `zero' (a NUL
# byte), and the directory `sub'; the environment has CONFIG_NAME (out.ndjson) and CONFIG_EMPTY. SECRET in a text is in nothing
# that is printed. Read by test_config.c.
--- unknown keys
engine { rulez "x"  checkpont 2s  brand_new 1 }
source s { stdin {}  latenes 5s  checkpoint 1s  a.b.c 1 }
sink a { file "a"  rotate_sice 1MiB  lateness 1s }
->
t.conf:1:10: error: `rulez` is no key of the engine
    engine { rulez "*"  checkpont 2s  brand_new 1 }
             ^~~~~ did you mean `rules`?
t.conf:1:21: error: `checkpont` is no key of the engine
    engine { rulez "*"  checkpont 2s  brand_new 1 }
                        ^~~~~~~~~ did you mean `checkpoint`?
t.conf:1:35: error: `brand_new` is no key of the engine
    engine { rulez "*"  checkpont 2s  brand_new 1 }
                                      ^~~~~~~~~ there are: rules, state, checkpoint, checkpoint_bytes, alert_delay, memory_limit, buffer_limit, spill_limit, queue_limit, dead_letter_bytes, dead_letter_count, stop_within, log_format, log_level, shards, rules_topic
t.conf:2:22: error: `latenes` is no key of a source
    source s { stdin {}  latenes 5s  checkpoint 1s  a.b.c 1 }
                         ^~~~~~~ did you mean `lateness`?
t.conf:2:34: error: `checkpoint` is no key of a source
    source s { stdin {}  latenes 5s  checkpoint 1s  a.b.c 1 }
                                     ^~~~~~~~~~ it belongs into a block `engine`
t.conf:2:49: error: `a.b.c` is no key of a source
    source s { stdin {}  latenes 5s  checkpoint 1s  a.b.c 1 }
                                                    ^~~~~ there are: file, stdin, http, kafka, follow, time, time_format, lateness, idle, future, quiet, order_by, late, dead_letter, max_line, spool_segment, spool_limit
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
           ^ add `file "..."`, `stdin {}`, `http {}` or `kafka { ... }`
t.conf:2:22: error: a source has one of `file`, `stdin`, `http` and `kafka`
    source b { file "b"  stdin {} }
                         ^~~~~ make two sources, and a stream of both
t.conf:3:29: error: `follow` is for sources of `file` or `kafka`
    source c { stdin {}  follow false }
                                ^~~~~
t.conf:4:34: error: `spool_limit` is for sources of `stdin` or `http`
    source d { file "d"  spool_limit 1GiB  time arrival }
                                     ^~~~
t.conf:4:45: error: `time arrival` is for sources of `stdin` or `http`
    source d { file "d"  spool_limit 1GiB  time arrival }
                                                ^~~~~~~ lines of a file have no time of arrival that would be kept; for a field of this name write it in back quotes: `arrival`
t.conf:5:6: error: sink `e` writes nowhere
    sink e { on_full wait }
         ^ add `file "..."`, `stdout {}`, `webhook "https://..."` or `kafka { ... }`
t.conf:6:20: error: a sink has one of `file`, `stdout`, `webhook` and `kafka`
    sink f { file "f"  stdout {} }
                       ^~~~~~ make two sinks, and send to both: default_to [a, b]
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
    sink c { stdout { x * } }
                      ^ write `stdout {}`, and the keys behind it
--- sinks and sources get in each other's way
source a { file ["logs/*.ndjson", "x"] }
sink b { file "logs/alerts.ndjson" }
sink c { file "same" }
sink d { file "./same" }
sink e { file env("CONFIG_NAME") }
sink f { file file("name") }
engine { rules "sub" }
sink g { file "sub/../x" }
sink h { file "sub/../same" }
sink i { file "sub/../sub/new.rule" }
sink j { file "sub/new.txt" }
sink k { file "sub/../t.conf" }
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
t.conf:8:15: error: source `a` reads this file: it would read what this sink writes
    sink g { file "sub/../x" }
                  ^~~~~~~~~~ write it to another directory, or name the source's files otherwise
t.conf:9:15: error: sink `c` writes there already
    sink h { file "sub/../same" }
                  ^~~~~~~~~~~~~
t.conf:10:15: error: this file is one of the rules: alerts would be written behind it
    sink i { file "sub/../sub/new.rule" }
                  ^~~~~~~~~~~~~~~~~~~~~
t.conf:12:15: error: this file is the configuration: alerts would be written behind it
    sink k { file "sub/../t.conf" }
                  ^~~~~~~~~~~~~~~
--- a source reads the topic that a sink writes to
source a { kafka { brokers ["k1", "k2:9093"]  topics ["in", "^al.*"] } }
source b { kafka { brokers "other:9092"  topics "alerts" } }
sink c { kafka { brokers "k9:1,PLAINTEXT://K1:9092"  topic "alerts" } }
sink d { kafka { brokers "k2:9092"  topic "alerts" } }
sink e { kafka { brokers "k2:9093"  topic "in" } }
sink f { kafka { brokers "k1:9092"  topic "out" } }
->
t.conf:3:60: error: source `a` reads this topic: it would read what this sink writes
    sink c { kafka { brokers "k9:1,PLAINTEXT://K1:9092"  topic "alerts" } }
                                                               ^~~~~~~~ write to another topic, or have the source's pattern leave this one out
t.conf:5:43: error: source `a` reads this topic: it would read what this sink writes
    sink e { kafka { brokers "k2:9093"  topic "in" } }
                                              ^~~~ write to another topic, or have the source's pattern leave this one out
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
    sink b { file evn("*")  queue_count env("CONFIG_NAME") }
                  ^~~ did you mean `env`?
t.conf:3:37: error: `queue_count` is a whole number
    sink b { file evn("*")  queue_count env("CONFIG_NAME") }
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
sink d { webhook "https://soc.example/hook"  secret env("SOC_KEY")  headers { Authorization file("token") }  body slack }
route { severity ["high"]  to [d] }
->
t.conf:1:12: error: `kafka` reads no topic
    source a { kafka { brokers "127.0.0.1:9092" } }
               ^~~~~ add `topics ["events"]`
t.conf:2:12: error: nobody can post to `b`: there is no block `http`
    source b { http {}  time record }
               ^~~~ add `http {}`, which listens on 127.0.0.1:7070
t.conf:2:26: error: `time record` is for sources of `kafka`
    source b { http {}  time record }
                             ^~~~~~ for a field of this name write it in back quotes: `record`
t.conf:3:10: error: `kafka` has no `brokers`
    sink c { kafka { topic "alerts" }  delivery exactly_once }
             ^~~~~ add `brokers "127.0.0.1:9092"`
t.conf:4:53: error: the environment has no variable `SOC_KEY`
    ...ink d { webhook "https://soc.example*****"  secret env("SOC_KEY")  headers { Authorization file("token") }  body slack }
                                                          ^~~~~~~~~~~~~~ set it for the process that reads this
t.conf:4:93: error: cannot read token: No such file or directory
    ...ink d { webhook "https://soc.example*****"  secret env("SOC_KEY")  headers { Authorization file("token") }  body slack }
                                                                                                  ^~~~~~~~~~~~~
--- kafka
source a { kafka { brokers "k1:9092"  topics ["a", "^b-.*"]  start "2026-01-31T00:00:00Z"  options { acks 1  sasl.password "pw1"  security.protocol "SASL_SSL" } }  time record }
source b { kafka { brokers ["k1:0", "k2"]  topics "no topic"  start sometime  on_reset maybe } }
source c { kafka { topics ["a", "a", "^("]  options { group.id x  linger.ms 5s  securty.protocol plaintext  linger.ms 10000000  linger.ms 5  linger.ms 6 } } }
sink d { kafka { brokers "k1:9092"  topic "a/b"  options { transactional.id x } } }
sink e { kafka {} }
->
t.conf:1:124: warning: a secret stands in the configuration itself
    ..."]  start "2026-01-31T00:00:00Z"  options { acks *  sasl.password "***"  security.protocol "********" } }  time record }
                                                                         ^~~~~ better: env("NAME") or file("path")
t.conf:2:29: error: a broker is HOST:PORT
    source b { kafka { brokers ["k1:0", "k2"]  topics "no topic"  start sometime  on_reset maybe } }
                                ^~~~~~ such as "kafka1.example:9092", or a list of some
t.conf:2:51: error: `no topic` is no name of a topic
    source b { kafka { brokers ["k1:0", "k2"]  topics "no topic"  start sometime  on_reset maybe } }
                                                      ^~~~~~~~~~ what begins with `^` is a pattern
t.conf:2:69: error: `start` is `earliest`, `latest` or a time
    source b { kafka { brokers ["k1:0", "k2"]  topics "no topic"  start sometime  on_reset maybe } }
                                                                        ^~~~~~~~ such as "2026-01-31T00:00:00Z"
t.conf:2:88: error: `on_reset` is `fail`, `earliest` or `latest`
    source b { kafka { brokers ["k1:0", "k2"]  topics "no topic"  start sometime  on_reset maybe } }
                                                                                           ^~~~~
t.conf:3:12: error: `kafka` has no `brokers`
    source c { kafka { topics ["a", "a", "^("]  options { group.id *  linger.ms **  securty.protocol *********  linger.ms **...
               ^~~~~ add `brokers "127.0.0.1:9092"`
t.conf:3:27: error: the topic `a` is named twice
    source c { kafka { topics ["a", "a", "^("]  options { group.id *  linger.ms **  securty.protocol *********  linger.ms **...
                              ^~~~~~~~~~~~~~~~
t.conf:3:27: error: `^(` is no regular expression: missing closing parenthesis
    source c { kafka { topics ["a", "a", "^("]  options { group.id *  linger.ms **  securty.protocol *********  linger.ms **...
                              ^~~~~~~~~~~~~~~~
t.conf:3:55: error: `group.id` cannot be set
    ...ka { topics ["a", "a", "^("]  options { group.id *  linger.ms **  securty.protocol *********  linger.ms ********  linger...
                                               ^~~~~~~~ of sources the key `group` says it; a sink has none
t.conf:3:77: error: an option of a Kafka client is a text, a number or a word, without a unit
    ... "^("]  options { group.id *  linger.ms **  securty.protocol *********  linger.ms ********  linger.ms *  linger.ms * } }...
                                               ^~
t.conf:3:81: error: there is no option `securty.protocol` of Kafka clients
    ...^("]  options { group.id *  linger.ms **  securty.protocol *********  linger.ms ********  linger.ms *  linger.ms * } } }
                                                 ^~~~~~~~~~~~~~~~ did you mean `security.protocol`?
t.conf:3:109: error: the option `linger.ms` cannot have this value
    ...^("]  options { group.id *  linger.ms **  securty.protocol *********  linger.ms ********  linger.ms *  linger.ms * } } }
                                                                             ^~~~~~~~~ from 0..900000
t.conf:3:142: error: the option `linger.ms` is given twice
    ...^("]  options { group.id *  linger.ms **  securty.protocol *********  linger.ms ********  linger.ms *  linger.ms * } } }
                                                                                                              ^~~~~~~~~
t.conf:4:43: error: `a/b` is no name of a topic
    sink d { kafka { brokers "k1:9092"  topic "a/b"  options { transactional.id * } } }
                                              ^~~~~
t.conf:4:60: error: `transactional.id` cannot be set
    sink d { kafka { brokers "k1:9092"  topic "a/b"  options { transactional.id * } } }
                                                               ^~~~~~~~~~~~~~~~ `delivery exactly_once` sets it
t.conf:5:10: error: `kafka` has no `brokers`
    sink e { kafka {} }
             ^~~~~ add `brokers "127.0.0.1:9092"`
t.conf:5:10: error: `kafka` has no `topic`
    sink e { kafka {} }
             ^~~~~
--- sinks of kafka
sink a { kafka { brokers "k1:9092"  topic "t"  application "a b"  format xml  on_marker no }  delivery twice }
sink b { kafka { brokers "k1:9092"  topic "t"  options { acks 1 } } }
sink c { kafka { brokers "k1:9092"  topic "t"  options { acks 1 } }  delivery at_least_once }
sink d { file "d"  delivery exactly_once }
sink e { kafka { brokers "k1:9092"  topic "t"  options { message.timeout.ms 60000  transaction.timeout.ms 10000 } } }
->
t.conf:1:60: error: `application` has letters, digits, `.`, `_` and `-`, and is not longer than 249
    sink a { kafka { brokers "k1:9092"  topic "t"  application "a b"  format xml  on_marker no }  delivery twice }
                                                               ^~~~~
t.conf:1:74: error: `format` is `plain` or `cloudevents`
    sink a { kafka { brokers "k1:9092"  topic "t"  application "a b"  format xml  on_marker no }  delivery twice }
                                                                             ^~~
t.conf:1:89: error: `on_marker` is `refuse` or `accept`
    sink a { kafka { brokers "k1:9092"  topic "t"  application "a b"  format xml  on_marker no }  delivery twice }
                                                                                            ^~
t.conf:1:104: error: `delivery` is `exactly_once` or `at_least_once`
    sink a { kafka { brokers "k1:9092"  topic "t"  application "a b"  format xml  on_marker no }  delivery twice }
                                                                                                           ^~~~~
t.conf:2:10: error: a producer cannot begin so: `acks` must be set to `all` when `enable.idempotence` is true
    sink b { kafka { brokers "k1:9092"  topic "t"  options { acks * } } }
             ^~~~~
t.conf:3:10: error: a producer cannot begin so: `acks` must be set to `all` when `enable.idempotence` is true
    sink c { kafka { brokers "k1:9092"  topic "t"  options { acks * } }  delivery at_least_once }
             ^~~~~
t.conf:4:29: error: `delivery` is for sinks of `kafka`
    sink d { file "d"  delivery exactly_once }
                                ^~~~~~~~~~~~
t.conf:5:10: error: a producer cannot begin so: `message.timeout.ms` must be set <= `transaction.timeout.ms`
    sink e { kafka { brokers "k1:9092"  topic "t"  options { message.timeout.ms *****  transaction.timeout.ms ***** } } }
             ^~~~~
--- http
source a { file "a" }
http { tls { certificate "c" }  max_bodies 1KiB  lisen "x"  connections 1 }
http { tokens "" }
->
t.conf:2:8: error: `tls` has `certificate` and `key`
    http { tls { certificate "c" }  max_bodies 1KiB  lisen "*"  connections 1 }
           ^~~ write tls { certificate "cert.pem"  key "key.pem" }
t.conf:2:44: error: `max_bodies` is less than `max_body`
    http { tls { certificate "c" }  max_bodies 1KiB  lisen "*"  connections 1 }
                                               ^~~~
t.conf:2:50: error: `lisen` is no key of http
    http { tls { certificate "c" }  max_bodies 1KiB  lisen "*"  connections 1 }
                                                     ^~~~~ did you mean `listen`?
t.conf:2:73: error: `connections` is 16 at the least
    http { tls { certificate "c" }  max_bodies 1KiB  lisen "*"  connections 1 }
                                                                            ^
t.conf:3:1: error: `http` is given twice
    http { tokens "" }
    ^~~~ take one of them away
t.conf:3:15: error: `tokens` is empty
    http { tokens "" }
                  ^~
--- http beyond loopback
source a { file "a" }
http { listen "0.0.0.0:7070" }
->
t.conf:2:15: error: without `tokens` only loopback addresses are served
    http { listen "0.0.0.0:7070" }
                  ^~~~~~~~~~~~~~ add `tokens file("tokens")`; `tocsin token new` prints a line of it
--- http beyond loopback, IPv6
source a { file "a" }
http { listen "[::]:7070" }
->
t.conf:2:15: error: without `tokens` only loopback addresses are served
    http { listen "[::]:7070" }
                  ^~~~~~~~~~~ add `tokens file("tokens")`; `tocsin token new` prints a line of it
--- a port that there is not, and no role
source a { file "a" }
http { listen "127.0.0.1:70700"  tokens "SECRET everything 00" }
->
t.conf:2:15: error: `listen` is HOST:PORT, such as "127.0.0.1:7070" or "[::1]:7070"
    http { listen "127.0.0.1:70700"  tokens "********************" }
                  ^~~~~~~~~~~~~~~~~
t.conf:2:41: error: line 1 of the tokens: the role is one of read, rules, ingest, admin
    http { listen "127.0.0.1:70700"  tokens "********************" }
                                            ^~~~~~~~~~~~~~~~~~~~~~
--- no port
source a { file "a" }
http { listen "127.0.0.1" }
->
t.conf:2:15: error: `listen` is HOST:PORT, such as "127.0.0.1:7070" or "[::1]:7070"
    http { listen "127.0.0.1" }
                  ^~~~~~~~~~~
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
             ^~~~~~~ there are: rules, state, checkpoint, checkpoint_bytes, alert_delay, memory_limit, buffer_limit, spill_limit, queue_limit, dead_letter_bytes, dead_letter_count, stop_within, log_format, log_level, shards, rules_topic
--- rules
rule r { match { a: s } }
stream s = t
->
t.conf:1:6: error: `rule` belongs into a rule file
    rule r { match { a: * } }
         ^ `rules` of the block `engine` says where these are
t.conf:2:1: error: `stream` belongs into a rule file
    stream s = t
    ^~~~~~~~~~~~ `rules` of the block `engine` says where these are
--- webhooks
sink a { webhook "https://soc.example/hook"  file "x" }
sink b { webhook "ftp://soc.example/hook" }
sink c { webhook "http://soc.example/hook"  rotate_size 1MiB }
sink d { webhook "https://127.0.0.1/"  }
sink e { webhook "https://localhost/"  allow "10.0.0.0/8" }
sink f { webhook "https://[::1]:8443/"  allow ["::1", "10.0.0.0/8"] }
sink g { webhook "https://169.254.1.1/"  proxy "http://proxy.example:3128" }
sink h { webhook env("CONFIG_EMPTY") }
sink i { webhook "https://soc.example/"  allow ["10.0.0.1/8", "soc", 10] }
sink j { webhook "https://soc.example/"  proxy "proxy:3128" }
->
t.conf:1:18: error: a sink has one of `file`, `stdout`, `webhook` and `kafka`
    sink a { webhook "https://soc.example*****"  file "x" }
                     ^~~~~~~~~~~~~~~~~~~~~~~~~~ make two sinks, and send to both: default_to [a, b]
t.conf:2:18: error: an URL begins with `https://` or `http://`, this one with `ftp:`
    sink b { webhook "ftp://soc.example*****" }
                     ^~~~~~~~~~~~~~~~~~~~~~~~
t.conf:3:18: warning: `http://`: alerts, and headers, can be read and changed on their way
    sink c { webhook "http://soc.example*****"  rotate_size 1MiB }
                     ^~~~~~~~~~~~~~~~~~~~~~~~~ use `https://`
t.conf:3:57: error: `rotate_size` is for sinks of `file`
    sink c { webhook "http://soc.example*****"  rotate_size 1MiB }
                                                            ^~~~
t.conf:4:18: error: the address is loopback: webhooks go there only if `allow` says so
    sink d { webhook "https://127.0.0.1*"  }
                     ^~~~~~~~~~~~~~~~~~~~ add `allow "127.0.0.0/8"`
t.conf:5:18: error: the address is loopback: webhooks go there only if `allow` says so
    sink e { webhook "https://localhost*"  allow "10.0.0.0/8" }
                     ^~~~~~~~~~~~~~~~~~~~ add `allow "127.0.0.0/8"`
t.conf:8:18: error: this is no URL like `https://host:port/path`
    sink h { webhook env("CONFIG_EMPTY") }
                     ^~~~~~~~~~~~~~~~~~~
t.conf:9:49: error: this is no network: address bits behind the prefix length are set
    sink i { webhook "https://soc.example*"  allow ["10.0.0.1/8", "soc", 10] }
                                                    ^~~~~~~~~~~~ write it as 10.1.0.0/16, 2001:db8::/32 or a single address
t.conf:9:63: error: this is no network: not an IPv4 or IPv6 address
    sink i { webhook "https://soc.example*"  allow ["10.0.0.1/8", "soc", 10] }
                                                                  ^~~~~ write it as 10.1.0.0/16, 2001:db8::/32 or a single address
t.conf:9:70: error: `allow` is a text
    sink i { webhook "https://soc.example*"  allow ["10.0.0.1/8", "soc", 10] }
                                                                         ^~ write allow "...", or env("NAME"), or file("path")
t.conf:10:48: error: a proxy is an URL like `http://host:port` or `socks5h://host:port`
    sink j { webhook "https://soc.example*"  proxy "proxy:3128" }
                                                   ^~~~~~~~~~~~
--- what a webhook says
sink k { webhook https  body slak }
sink l { webhook "https://soc.example/"  body 1  order fast  in_flight 0  batch_count 5 }
sink m { webhook "https://soc.example/"  order strict  in_flight 3  batch_wait 1s  retry_least 1h  connect_timeout 1m }
sink n { webhook "https://soc.example/"  body pagerduty }
sink o { webhook "https://soc.example/"  body pagerduty  routing_key env("CONFIG_NAME")  batch_count 2 }
sink p { webhook "https://soc.example/"  template "x"  content_type "text/plain"  routing_key file("name") }
sink q { webhook "https://soc.example/"  body template  template '{"a":{b}' }
sink r { file "r"  secret env("CONFIG_NAME")  tls { ca "x" } }
sink s { webhook "https://soc.example/"  template "" }
->
t.conf:1:18: error: `webhook` is a text
    sink k { webhook https  body slak }
                     ^~~~~ put it in quotes
t.conf:1:30: error: `body` is the name of a form
    sink k { webhook https  body slak }
                                 ^~~~ did you mean `slack`?
t.conf:2:47: error: `body` is the name of a form
    sink l { webhook "https://soc.example*"  body 1  order fast  in_flight 0  batch_count 5 }
                                                  ^ there are: tocsin, cloudevents, slack, pagerduty, alertmanager, ecs, ocsf, template
t.conf:2:56: error: `order` is `relaxed` or `strict`
    sink l { webhook "https://soc.example*"  body 1  order fast  in_flight 0  batch_count 5 }
                                                           ^~~~
t.conf:2:72: error: `in_flight` is 1 at the least
    sink l { webhook "https://soc.example*"  body 1  order fast  in_flight 0  batch_count 5 }
                                                                           ^
t.conf:3:66: error: with `order strict` one message is in flight
    sink m { webhook "https://soc.example*"  order strict  in_flight 3  batch_wait 1s  retry_least 1h  connect_timeout 1m }
                                                                     ^
t.conf:3:80: error: `batch_wait` has no sense without `batch_count`
    sink m { webhook "https://soc.example*"  order strict  in_flight 3  batch_wait 1s  retry_least 1h  connect_timeout 1m }
                                                                                   ^~
t.conf:3:96: error: `retry_least` is more than `retry_most`
    sink m { webhook "https://soc.example*"  order strict  in_flight 3  batch_wait 1s  retry_least 1h  connect_timeout 1m }
                                                                                                   ^~
t.conf:3:116: error: `connect_timeout` is more than `timeout`, of which it is a part
    sink m { webhook "https://soc.example*"  order strict  in_flight 3  batch_wait 1s  retry_least 1h  connect_timeout 1m }
                                                                                                                       ^~
t.conf:4:47: error: the body `pagerduty` needs a `routing_key`
    sink n { webhook "https://soc.example*"  body pagerduty }
                                                  ^~~~~~~~~
t.conf:5:102: error: a message of `body pagerduty` holds at most 1 alert
    sink o { webhook "https://soc.example*"  body pagerduty  routing_key env("CONFIG_NAME")  batch_count 2 }
                                                                                                         ^
t.conf:6:51: error: `template` is for `body template`
    sink p { webhook "https://soc.example*"  template "x"  content_type "text/plain"  routing_key file("name") }
                                                      ^~~ add `body template`
t.conf:6:69: error: `content_type` is for `body template`
    sink p { webhook "https://soc.example*"  template "x"  content_type "text/plain"  routing_key file("name") }
                                                                        ^~~~~~~~~~~~ add `body template`
t.conf:6:95: error: `routing_key` is for `body pagerduty`
    sink p { webhook "https://soc.example*"  template "x"  content_type "text/plain"  routing_key file("name") }
                                                                                                  ^~~~~~~~~~~~ add `body pagerduty`
t.conf:7:66: error: line 1, column 9: the template ends where `,` or `}` is expected
    sink q { webhook "https://soc.example*"  body template  template '{"a":{b}' }
                                                                     ^~~~~~~~~~
t.conf:8:27: error: `secret` is for sinks of `webhook`
    sink r { file "r"  secret env("CONFIG_NAME")  tls { ca "x" } }
                              ^~~~~~~~~~~~~~~~~~
t.conf:8:47: error: `tls` is for sinks of `webhook`
    sink r { file "r"  secret env("CONFIG_NAME")  tls { ca "x" } }
                                                  ^~~
t.conf:9:51: error: `template` is empty
    sink s { webhook "https://soc.example*"  template "" }
                                                      ^~
t.conf:9:51: error: `template` is for `body template`
    sink s { webhook "https://soc.example*"  template "" }
                                                      ^~ add `body template`
--- TLS of webhooks
sink a { webhook "https://soc.example/"  tls { ca "ca.pem"  key "k.pem"  min_version 1.1  cipher "x" } }
sink b { webhook "http://127.0.0.1/"  allow "127.0.0.1"  tls { ca "ca.pem" } }
sink c { webhook "https://soc.example/"  tls "ca.pem" }
sink d { webhook "https://soc.example/"  tls { ca { }  ca "x"  min_version "1.3" } }
sink e { webhook "https://soc.example/"  certificate "c.pem" }
->
t.conf:1:65: error: a `key` without a `certificate`
    sink a { webhook "https://soc.example*"  tls { ca "ca.pem"  key "*****"  min_version 1.1  cipher "*" } }
                                                                    ^~~~~~~
t.conf:1:86: error: `min_version` is 1.2 or 1.3
    sink a { webhook "https://soc.example*"  tls { ca "ca.pem"  key "*****"  min_version 1.1  cipher "*" } }
                                                                                         ^~~
t.conf:1:91: error: `cipher` is no key of tls
    sink a { webhook "https://soc.example*"  tls { ca "ca.pem"  key "*****"  min_version 1.1  cipher "*" } }
                                                                                              ^~~~~~ there are: ca, certificate, key, min_version
t.conf:2:67: error: the URL begins with `http://`: there is no TLS
    sink b { webhook "http://127.0.0.1*"  allow "127.0.0.1"  tls { ca "ca.pem" } }
                                                                      ^~~~~~~~
t.conf:3:46: error: `tls` has keys, no value
    sink c { webhook "https://soc.example*"  tls "ca.pem" }
                                                 ^~~~~~~~ write tls { ... }
t.conf:4:48: error: `ca` has a value, no block
    sink d { webhook "https://soc.example*"  tls { ca { }  ca "x"  min_version "1.3" } }
                                                   ^~ write ca TEXT
t.conf:4:56: error: `ca` is given twice
    sink d { webhook "https://soc.example*"  tls { ca { }  ca "x"  min_version "1.3" } }
                                                           ^~ take one of them away
t.conf:5:42: error: `certificate` is no key of a sink
    sink e { webhook "https://soc.example*"  certificate "c.pem" }
                                             ^~~~~~~~~~~ it belongs into a block `tls`
--- headers
sink a { webhook "https://soc.example/"  headers { Authorization env("CONFIG_NAME")  `X-Team` "soc"  `x-team` "b" } }
sink b { webhook "https://soc.example/"  headers { `Content-Length` "1"  `a b` "x"  Team { x 1 }  Other 1 } }
sink c { webhook "https://soc.example/"  headers { Team env("CONFIG_NOT_THERE")  Cookie "SECRET" } }
sink d { webhook "https://soc.example/"  headers "SECRET" }
sink e { webhook "https://soc.example/"  headers { Team "SECRET\nSECRET" } }
->
t.conf:1:102: error: the header `x-team` is given twice
    sink a { webhook "https://soc.example*"  headers { Authorization env("CONFIG_NAME")  `X-Team` "***"  `x-team` "*" } }
                                                                                                         ^~~~~~~~
t.conf:2:52: error: the header `Content-Length` is made by tocsin itself
    sink b { webhook "https://soc.example*"  headers { `Content-Length` "*"  `a b` "*"  Team { x * }  Other * } }
                                                       ^~~~~~~~~~~~~~~~
t.conf:2:74: error: `a b` cannot be the name of a header
    sink b { webhook "https://soc.example*"  headers { `Content-Length` "*"  `a b` "*"  Team { x * }  Other * } }
                                                                             ^~~~~
t.conf:2:85: error: a header has a text, no block
    sink b { webhook "https://soc.example*"  headers { `Content-Length` "*"  `a b` "*"  Team { x * }  Other * } }
                                                                                        ^~~~
t.conf:2:105: error: `Other` is a text
    sink b { webhook "https://soc.example*"  headers { `Content-Length` "*"  `a b` "*"  Team { x * }  Other * } }
                                                                                                            ^ write Other "...", or env("NAME"), or file("path")
t.conf:3:57: error: the environment has no variable `CONFIG_NOT_THERE`
    sink c { webhook "https://soc.example*"  headers { Team env("CONFIG_NOT_THERE")  Cookie "******" } }
                                                            ^~~~~~~~~~~~~~~~~~~~~~~ set it for the process that reads this
t.conf:3:89: warning: a secret stands in the configuration itself
    sink c { webhook "https://soc.example*"  headers { Team env("CONFIG_NOT_THERE")  Cookie "******" } }
                                                                                            ^~~~~~~~ better: env("NAME") or file("path")
t.conf:4:50: error: `headers` has keys, no value
    sink d { webhook "https://soc.example*"  headers "******" }
                                                     ^~~~~~~~ write headers { NAME TEXT ... }
t.conf:5:52: error: the value of the header `Team` has a control character (a line end?) in it
    sink e { webhook "https://soc.example*"  headers { Team "**************" } }
                                                       ^~~~
--- what could not be read is not missing, too
sink o { webhook "https://soc.example/"  body pagerduty  routing_key env("CONFIG_NOT_THERE") }
sink t { webhook "https://soc.example/"  body template  template file("not-there") }
->
t.conf:1:70: error: the environment has no variable `CONFIG_NOT_THERE`
    sink o { webhook "https://soc.example*"  body pagerduty  routing_key env("CONFIG_NOT_THERE") }
                                                                         ^~~~~~~~~~~~~~~~~~~~~~~ set it for the process that reads this
t.conf:2:66: error: cannot read not-there: No such file or directory
    sink t { webhook "https://soc.example*"  body template  template file("not-there") }
                                                                     ^~~~~~~~~~~~~~~~~
--- secrets
sink a { webhook "https://user:SECRET@soc.example:8443/SECRET?SECRET"  secret "SECRET" }
sink b { webhook "https://soc.example/SECRET"  secret ["SECRET", 'SECRET', env("CONFIG_NAME")]  bogus 1 }
sink c { webhook "https://soc.example/SECRET"  secret [env("CONFIG_NAME"), file("name")]  bogus 1 }
sink d { webhook "https://soc.example/SECRET"  secret "whsec_SECRET!"  secrte "SECRET" }
sink e { webhook "https://soc.example/SECRET"  secret env("CONFIG_EMPTY") }
sink f { webhook "https://soc.example/SECRET"  secret SECRET }
sink g { webhook "https://soc.example/SECRET"  secret []  body pagerduty  routing_key "SECRET" } # bogus
sink h { webhook "https://soc.example/SECRET"  proxy "http://user:SECRET@proxy:1/SECRET"  bogus 1 }
->
t.conf:1:18: error: the URL has a user name or password in it: write them as a header (Authorization) in `headers`
    sink a { webhook "https://***********@soc.example:8443**************"  secret "******" }
                     ^~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~
t.conf:1:79: warning: a secret stands in the configuration itself
    sink a { webhook "https://***********@soc.example:8443**************"  secret "******" }
                                                                                  ^~~~~~~~ better: env("NAME") or file("path")
t.conf:2:55: error: `secret` has more than 2 entries
    sink b { webhook "https://soc.example*******"  secret ["******", '******', env("CONFIG_NAME")]  bogus 1 }
                                                          ^~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~
t.conf:2:97: error: `bogus` is no key of a sink
    sink b { webhook "https://soc.example*******"  secret ["******", '******', env("CONFIG_NAME")]  bogus 1 }
                                                                                                    ^~~~~ there are: file, stdout, rotate_size, rotate_every, rotate_keep, webhook, secret, headers, body, template, content_type, routing_key, link, max_body, batch_count, batch_wait, in_flight, order, connect_timeout, timeout, retry_least, retry_most, max_age, max_response, proxy, allow, tls, kafka, delivery, on_full, queue_count, queue_bytes
t.conf:3:91: error: `bogus` is no key of a sink
    sink c { webhook "https://soc.example*******"  secret [env("CONFIG_NAME"), file("name")]  bogus 1 }
                                                                                              ^~~~~ there are: file, stdout, rotate_size, rotate_every, rotate_keep, webhook, secret, headers, body, template, content_type, routing_key, link, max_body, batch_count, batch_wait, in_flight, order, connect_timeout, timeout, retry_least, retry_most, max_age, max_response, proxy, allow, tls, kafka, delivery, on_full, queue_count, queue_bytes
t.conf:4:55: warning: a secret stands in the configuration itself
    sink d { webhook "https://soc.example*******"  secret "*************"  secrte "******" }
                                                          ^~~~~~~~~~~~~~~ better: env("NAME") or file("path")
t.conf:4:55: error: the secret begins with `whsec_`, but base64 does not follow
    sink d { webhook "https://soc.example*******"  secret "*************"  secrte "******" }
                                                          ^~~~~~~~~~~~~~~
t.conf:4:72: error: `secrte` is no key of a sink
    sink d { webhook "https://soc.example*******"  secret "*************"  secrte "******" }
                                                                           ^~~~~~ did you mean `secret`?
t.conf:5:55: error: `secret` is empty
    sink e { webhook "https://soc.example*******"  secret env("CONFIG_EMPTY") }
                                                          ^~~~~~~~~~~~~~~~~~~
t.conf:6:55: error: `secret` is a text
    sink f { webhook "https://soc.example*******"  secret ****** }
                                                          ^~~~~~ put it in quotes
t.conf:7:55: error: `secret` is an empty list
    sink g { webhook "https://soc.example*******"  secret []  body pagerduty  routing_key "******" } #******
                                                          ^~ take it away, or say what
t.conf:7:87: warning: a secret stands in the configuration itself
    sink g { webhook "https://soc.example*******"  secret []  body pagerduty  routing_key "******" } #******
                                                                                          ^~~~~~~~ better: env("NAME") or file("path")
t.conf:8:91: error: `bogus` is no key of a sink
    sink h { webhook "https://soc.example*******"  proxy "http://***********@proxy:1*******"  bogus 1 }
                                                                                              ^~~~~ there are: file, stdout, rotate_size, rotate_every, rotate_keep, webhook, secret, headers, body, template, content_type, routing_key, link, max_body, batch_count, batch_wait, in_flight, order, connect_timeout, timeout, retry_least, retry_most, max_age, max_response, proxy, allow, tls, kafka, delivery, on_full, queue_count, queue_bytes
--- secrets where nothing can be read
sink a { webhook "https://soc.example/" secret "SECRET" "SECRET" }
sink b { webhook "https://soc.example/" secret ["SECRET" "SECRET"] }
sink c { webhook "https://soc.example/" secret SECRET-SECRET }
sink d { webhook "https://soc.example/" headers { Authorization Bearer SECRET } }
sink e { webhook "https://soc.example/" headers { Authorization: "SECRET" } }
sink f { webhook "https://soc.example/" secret = "SECRET" }
sink g { webhook "https://soc.example/" headers { "X-Key" "SECRET" } }
sink h { webhook "https://soc.example/" secret "SECRET }
->
t.conf:1:57: error: expected a name or `}` after `***`, found `***`
    sink a { webhook "https://soc.example*" secret "******" "******" }
                                                            ^~~~~~~~
t.conf:2:58: error: unexpected `***`
    sink b { webhook "https://soc.example*" secret ["******" "******"] }
                                                             ^~~~~~~~
t.conf:3:48: error: `***` is neither a name nor a difference
    sink c { webhook "https://soc.example*" secret ************* }
                                                   ^~~~~~~~~~~~~ put the name into back quotes, or blanks around `***`
t.conf:3:48: error: `secret` is a text
    sink c { webhook "https://soc.example*" secret ************* }
                                                   ^~~~~~~~~~~~~ put it in quotes
t.conf:4:79: error: expected an expression, `{` or `.` after `***`, found `}`
    sink d { webhook "https://soc.example*" headers { Authorization ****** ****** } }
                                                                                  ^
t.conf:5:64: error: expected an expression, `{` or `.` after `Authorization`, found `:`
    sink e { webhook "https://soc.example*" headers { Authorization: "******" } }
                                                                   ^ nothing stands between a key and its value: `Authorization "..."`
t.conf:6:48: error: expected an expression, `{` or `.` after `secret`, found `=`
    sink f { webhook "https://soc.example*" secret = "******" }
                                                   ^ nothing stands between a key and its value: `secret "..."`
t.conf:7:51: error: expected a name or `}` after `{`, found `***`
    sink g { webhook "https://soc.example*" headers { "*****" "******" } }
                                                      ^~~~~~~
t.conf:8:8: error: this `{` is not closed
    sink h { webhook "https://soc.example*" secret "********
           ^ the file ends before `}`
t.conf:8:48: error: the text is not closed at the end of the line
    sink h { webhook "https://soc.example*" secret "********
                                                   ^~~~~~~~~ a `"` is missing; a text that spans lines stands in 'raw quotes'
--- options where nothing can be read
sink a { kafka { brokers "k:1"  topic "t"  options { sasl.password "SECRET" "SECRET" } } }
sink b { kafka { brokers "k:1"  topic "t"  options { sasl.password SECRET-SECRET } } }
source c { kafka { brokers "k:1"  topics "t"  options { sasl.pasword "SECRET"  sasl.password = "SECRET" } } }
->
t.conf:1:77: error: expected a name or `}` after `***`, found `***`
    sink a { kafka { brokers "k:1"  topic "t"  options { sasl.password "******" "******" } } }
                                                                                ^~~~~~~~
t.conf:2:68: error: `***` is neither a name nor a difference
    sink b { kafka { brokers "k:1"  topic "t"  options { sasl.password ************* } } }
                                                                       ^~~~~~~~~~~~~ put the name into back quotes, or blanks around `***`
t.conf:2:68: warning: a secret stands in the configuration itself
    sink b { kafka { brokers "k:1"  topic "t"  options { sasl.password ************* } } }
                                                                       ^~~~~~~~~~~~~ better: env("NAME") or file("path")
t.conf:3:94: error: expected an expression, `{` or `.` after `password`, found `=`
    source c { kafka { brokers "k:1"  topics "t"  options { sasl.pasword "******"  sasl.password = "******" } } }
                                                                                                 ^ nothing stands between a key and its value: `password "..."`
--- routes
sink disk { file "disk" }
sink soc  { webhook "https://soc.example/" }
route { }
route { severity high }
route { to [disk] }
route { severity ["hihg", loud, 1]  to [disk, disk, sock, "soc"] }
route { tags []  rules [""]  to [] }
route { rules "*"  to disk  group 1h }
route { rules "*"  to [soc]  group 2d }
route { rules "*"  to [soc]  group 1h  severities high  name "x" }
route { rules "*"  rules "b"  to soc }
->
t.conf:3:1: error: this route does not say for which alerts it is
    route { }
    ^~~~~ add `severity`, `tags` or `rules`; for all alerts: rules "*"
t.conf:3:1: error: this route leads nowhere
    route { }
    ^~~~~ add `to [SINK]`
t.conf:4:1: error: this route leads nowhere
    route { severity high }
    ^~~~~ add `to [SINK]`
t.conf:5:1: error: this route does not say for which alerts it is
    route { to [disk] }
    ^~~~~ add `severity`, `tags` or `rules`; for all alerts: rules "*"
t.conf:6:19: error: there is no severity `hihg`
    route { severity ["hihg", loud, 1]  to [disk, disk, sock, "soc"] }
                      ^~~~~~ did you mean `high`?
t.conf:6:27: error: there is no severity `loud`
    route { severity ["hihg", loud, 1]  to [disk, disk, sock, "soc"] }
                              ^~~~ there are: info, low, medium, high, critical
t.conf:6:33: error: `severity` is a text
    route { severity ["hihg", loud, 1]  to [disk, disk, sock, "soc"] }
                                    ^ write severity "...", or env("NAME"), or file("path")
t.conf:6:47: error: sink `disk` is named twice
    route { severity ["hihg", loud, 1]  to [disk, disk, sock, "soc"] }
                                                  ^~~~
t.conf:6:53: error: there is no sink `sock`
    route { severity ["hihg", loud, 1]  to [disk, disk, sock, "soc"] }
                                                        ^~~~ did you mean `soc`?
t.conf:6:59: error: `to` is the names of sinks
    route { severity ["hihg", loud, 1]  to [disk, disk, sock, "soc"] }
                                                              ^~~~~ without quotes: to [disk, soc]
t.conf:7:14: error: `tags` is an empty list
    route { tags []  rules [""]  to [] }
                 ^~ take it away, or say what
t.conf:7:25: error: a pattern is empty
    route { tags []  rules [""]  to [] }
                            ^~ `*` fits all
t.conf:7:33: error: `to` is an empty list
    route { tags []  rules [""]  to [] }
                                    ^~ take it away, or say what
t.conf:8:35: error: `group` is for webhooks, and sink `disk` is none
    route { rules "*"  to disk  group 1h }
                                      ^~ make a route of its own for `disk`
t.conf:9:36: error: `group` is 1d at the most
    route { rules "*"  to [soc]  group 2d }
                                       ^~
t.conf:10:40: error: `severities` is no key of a route
    route { rules "*"  to [soc]  group 1h  severities ****  name "*" }
                                           ^~~~~~~~~~ did you mean `severity`?
t.conf:10:57: error: `name` is no key of a route
    route { rules "*"  to [soc]  group 1h  severities ****  name "*" }
                                                            ^~~~ there are: severity, tags, rules, to, mute, group
t.conf:11:20: error: `rules` is given twice
    route { rules "*"  rules "b"  to soc }
                       ^~~~~ take one of them away
--- windows of mute
sink disk { file "disk" }
route { rules "*"  to [disk]  mute ["22:00-06:00 Europe/Paris", "Sat,Sun 00:00-24:00", "mon-friday 12:00-13:00 America/New_York"] }
route { rules "*"  to [disk]  mute ["22:00", "22-06", "25:00-26:00", "22:60-23:00", "24:00-01:00", "10:00-10:00", "10:00 - 11:00"] }
route { rules "*"  to [disk]  mute ["Mo 10:00-11:00", "Mon-10:00-11:00", "weekend 10:00-11:00", "Mon,Tue"] }
route { rules "*"  to [disk]  mute ["10:00-11:00 Europe/Pari", "10:00-11:00 CET6", "10:00-11:00 ../etc", "10:00-11:00Z", "", 10] }
route { rules "*"  to [disk]  mute 22:00 }
->
t.conf:3:37: error: a window is HH:MM-HH:MM of 24 hours, as in `22:00-06:00 Europe/Paris`
    route { rules "*"  to [disk]  mute ["22:00", "22-06", "25:00-26:00", "22:60-23:00", "24:00-01:00", "10:00-10:00", "10:00...
                                        ^~~~~~~
t.conf:3:46: error: a window is HH:MM-HH:MM of 24 hours, as in `22:00-06:00 Europe/Paris`
    ... { rules "*"  to [disk]  mute ["22:00", "22-06", "25:00-26:00", "22:60-23:00", "24:00-01:00", "10:00-10:00", "10:00 - 11...
                                               ^~~~~~~
t.conf:3:55: error: a window is HH:MM-HH:MM of 24 hours, as in `22:00-06:00 Europe/Paris`
    ...s "*"  to [disk]  mute ["22:00", "22-06", "25:00-26:00", "22:60-23:00", "24:00-01:00", "10:00-10:00", "10:00 - 11:00"] }
                                                 ^~~~~~~~~~~~~
t.conf:3:70: error: a window is HH:MM-HH:MM of 24 hours, as in `22:00-06:00 Europe/Paris`
    ...s "*"  to [disk]  mute ["22:00", "22-06", "25:00-26:00", "22:60-23:00", "24:00-01:00", "10:00-10:00", "10:00 - 11:00"] }
                                                                ^~~~~~~~~~~~~
t.conf:3:85: error: a window begins at 23:59 at the latest: midnight is 00:00
    ...s "*"  to [disk]  mute ["22:00", "22-06", "25:00-26:00", "22:60-23:00", "24:00-01:00", "10:00-10:00", "10:00 - 11:00"] }
                                                                               ^~~~~~~~~~~~~
t.conf:3:100: error: it ends where it begins: a whole day is 00:00-24:00
    ...s "*"  to [disk]  mute ["22:00", "22-06", "25:00-26:00", "22:60-23:00", "24:00-01:00", "10:00-10:00", "10:00 - 11:00"] }
                                                                                              ^~~~~~~~~~~~~
t.conf:3:115: error: a window is HH:MM-HH:MM of 24 hours, as in `22:00-06:00 Europe/Paris`
    ...s "*"  to [disk]  mute ["22:00", "22-06", "25:00-26:00", "22:60-23:00", "24:00-01:00", "10:00-10:00", "10:00 - 11:00"] }
                                                                                                             ^~~~~~~~~~~~~~~
t.conf:4:37: error: `Mo` is no day: days are Mon, Tue, Wed, Thu, Fri, Sat, Sun, as in Mon-Fri or Sat,Sun
    route { rules "*"  to [disk]  mute ["Mo 10:00-11:00", "Mon-10:00-11:00", "weekend 10:00-11:00", "Mon,Tue"] }
                                        ^~~~~~~~~~~~~~~~
t.conf:4:55: error: a day is missing, as in Mon-Fri or Sat,Sun
    route { rules "*"  to [disk]  mute ["Mo 10:00-11:00", "Mon-10:00-11:00", "weekend 10:00-11:00", "Mon,Tue"] }
                                                          ^~~~~~~~~~~~~~~~~
t.conf:4:74: error: `weekend` is no day: days are Mon, Tue, Wed, Thu, Fri, Sat, Sun, as in Mon-Fri or Sat,Sun
    route { rules "*"  to [disk]  mute ["Mo 10:00-11:00", "Mon-10:00-11:00", "weekend 10:00-11:00", "Mon,Tue"] }
                                                                             ^~~~~~~~~~~~~~~~~~~~~
t.conf:4:97: error: behind the days stand a blank and the times, as in `Sat,Sun 00:00-24:00`
    route { rules "*"  to [disk]  mute ["Mo 10:00-11:00", "Mon-10:00-11:00", "weekend 10:00-11:00", "Mon,Tue"] }
                                                                                                    ^~~~~~~~~
t.conf:5:37: error: there is no time zone `Europe/Pari`: zones have names such as Europe/Paris, America/New_York or UTC
    route { rules "*"  to [disk]  mute ["10:00-11:00 Europe/Pari", "10:00-11:00 CET6", "10:00-11:00 ../etc", "10:00-11:00Z",...
                                        ^~~~~~~~~~~~~~~~~~~~~~~~~
t.conf:5:64: error: there is no time zone `CET6`: zones have names such as Europe/Paris, America/New_York or UTC
    ...les "*"  to [disk]  mute ["10:00-11:00 Europe/Pari", "10:00-11:00 CET6", "10:00-11:00 ../etc", "10:00-11:00Z", "", 10] }
                                                            ^~~~~~~~~~~~~~~~~~
t.conf:5:84: error: there is no time zone `../etc`: zones have names such as Europe/Paris, America/New_York or UTC
    ...les "*"  to [disk]  mute ["10:00-11:00 Europe/Pari", "10:00-11:00 CET6", "10:00-11:00 ../etc", "10:00-11:00Z", "", 10] }
                                                                                ^~~~~~~~~~~~~~~~~~~~
t.conf:5:106: error: a window is HH:MM-HH:MM of 24 hours, as in `22:00-06:00 Europe/Paris`
    ...les "*"  to [disk]  mute ["10:00-11:00 Europe/Pari", "10:00-11:00 CET6", "10:00-11:00 ../etc", "10:00-11:00Z", "", 10] }
                                                                                                      ^~~~~~~~~~~~~~
t.conf:5:122: error: a window is HH:MM-HH:MM of 24 hours, as in `22:00-06:00 Europe/Paris`
    ...les "*"  to [disk]  mute ["10:00-11:00 Europe/Pari", "10:00-11:00 CET6", "10:00-11:00 ../etc", "10:00-11:00Z", "", 10] }
                                                                                                                      ^~
t.conf:5:126: error: `mute` is a text
    ...les "*"  to [disk]  mute ["10:00-11:00 Europe/Pari", "10:00-11:00 CET6", "10:00-11:00 ../etc", "10:00-11:00Z", "", 10] }
                                                                                                                          ^~ write mute "...", or env("NAME"), or file("path")
t.conf:6:38: error: expected a name or `}` after `22`, found `:`
    route { rules "*"  to [disk]  mute 22:00 }
                                         ^
t.conf:6:39: error: a number has no zeros before it
    route { rules "*"  to [disk]  mute 22:00 }
                                          ^~ take them away, or put it into quotes if it is a text
--- rules from a topic: nothing is said
engine { rules_topic {} }
source x { file "x" }
->
t.conf:1:10: error: `rules_topic` has no `brokers`
    engine { rules_topic {} }
             ^~~~~~~~~~~ add `brokers "127.0.0.1:9092"`
t.conf:1:10: error: `rules_topic` has no `topic`
    engine { rules_topic {} }
             ^~~~~~~~~~~ add `topic "rules"`
--- rules from a topic: mistakes
engine {
  rules_topic { broker "a:9092"  topic "a b"  results "a b"  on_reset latest  max_module 1B  options { group.id "x"  acks 77 } }
}
source x { file "x" }
->
t.conf:2:3: error: `rules_topic` has no `brokers`
      rules_topic { broker "******"  topic "a b"  results "a b"  on_reset latest  max_module 1B  options { group.id "*"  ack...
      ^~~~~~~~~~~ add `brokers "127.0.0.1:9092"`
t.conf:2:17: error: `broker` is no key of rules_topic
      rules_topic { broker "******"  topic "a b"  results "a b"  on_reset latest  max_module 1B  options { group.id "*"  ack...
                    ^~~~~~ did you mean `brokers`?
t.conf:2:40: error: `a b` is no name of a topic
      rules_topic { broker "******"  topic "a b"  results "a b"  on_reset latest  max_module 1B  options { group.id "*"  ack...
                                           ^~~~~
t.conf:2:55: error: `a b` is no name of a topic
    ...topic { broker "******"  topic "a b"  results "a b"  on_reset latest  max_module 1B  options { group.id "*"  acks ** } }
                                                     ^~~~~
t.conf:2:55: error: answers would be read as rules
    ...topic { broker "******"  topic "a b"  results "a b"  on_reset latest  max_module 1B  options { group.id "*"  acks ** } }
                                                     ^~~~~ write them to another topic
t.conf:2:71: error: `on_reset` is `fail` or `earliest`
    ...topic { broker "******"  topic "a b"  results "a b"  on_reset latest  max_module 1B  options { group.id "*"  acks ** } }
                                                                     ^~~~~~
t.conf:2:90: error: `max_module` is 1KiB at the least
    ...topic { broker "******"  topic "a b"  results "a b"  on_reset latest  max_module 1B  options { group.id "*"  acks ** } }
                                                                                        ^~
t.conf:2:104: error: `group.id` cannot be set
    ...topic { broker "******"  topic "a b"  results "a b"  on_reset latest  max_module 1B  options { group.id "*"  acks ** } }
                                                                                                      ^~~~~~~~ of sources the key `group` says it; a sink has none
--- rules from a topic: circles
engine { rules_topic { brokers "a:9092"  topic "t"  results "t" } }
source x { file "x" }
sink s { kafka { brokers "A"  topic "t" } }
->
t.conf:1:61: error: answers would be read as rules
    engine { rules_topic { brokers "a:9092"  topic "t"  results "t" } }
                                                                ^~~ write them to another topic
t.conf:3:37: error: rules are read from this topic: alerts would be read as rules
    sink s { kafka { brokers "A"  topic "t" } }
                                        ^~~
