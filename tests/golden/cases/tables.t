# Section 1 and 2: tables that events feed, as of the event's time. Tables of files: unit/test_table.c.

=== tables: an event sees the table as it was before it
--- rule
table leases = from dhcp key ip
rule r { match { a: net where ip in leases } emit { mac = leases[ip].mac  host = leases[ip].host.name } }
rule own { match { a: dhcp where ip in leases and leases[ip].mac != mac } emit { was = leases[ip].mac  is = mac } }
--- events
0s net {"ip":"i"}
1s dhcp {"ip":"i","mac":"m1","host":{"name":"h1"}}
2s net {"ip":"i"}
3s dhcp {"ip":"i","mac":"m2"}
4s net {"ip":"i"}
5s net {"ip":"j"}
6s dhcp {"ip":"i","mac":"m2"}
--- alerts
2s r a=#3 {"mac":"m1","host":"h1"}
3s own a=#4 {"was":"m1","is":"m2"}
4s r a=#5 {"mac":"m2","host":null}

=== tables: at one time by the order of events
--- rule
table t = from b key k
rule r { match { x: [a, c] where k in t } emit { v = t[k].v } }
--- events
0s a {"k":1}
0s b {"k":1,"v":5}
0s c {"k":1}
--- alerts
0s r x=#3 {"v":5}

=== tables: keep is to the moment itself
--- rule
table t = from b key k keep 10s
rule r { match { x: a where k in t } emit { v = t[k].v } }
rule n { match { x: a where k not in t } }
--- events
0s b {"k":1,"v":1}
9s a {"k":1}
10s a {"k":1}
10000000001ns a {"k":1}
11s b {"k":1,"v":2}
15s b {"k":1,"v":3}
21s a {"k":1}
25s a {"k":1}
26s a {"k":1}
--- alerts
9s r x=#2 {"v":1}
10s r x=#3 {"v":1}
10.000000001s n x=#4
21s r x=#7 {"v":3}
25s r x=#8 {"v":3}
26s n x=#9

=== tables: a miss, a missing key, lists
--- rule
table t = from b key k
rule has  { match { x: a where u in t } }
rule not_ { match { x: a where u not in t } }
rule get  { match { x: a where not exists(t[u].v) } }
rule say  { match { x: a where exists(t[u].v) } emit { v = t[u].v ?? "none" } }
--- events
0s b {"k":["p","q"],"v":7}
1s b {"v":8}
2s b {"k":{"o":1},"v":9}
3s a {"u":"p"}
4s a {"u":"z"}
5s a
6s a {"u":["z","q"]}
7s a {"u":["z"]}
8s a {"u":[]}
--- alerts
3s has x=#4
3s say x=#4 {"v":7}
4s get x=#5
4s not_ x=#5
5s get x=#6
6s get x=#7
6s has x=#7
7s get x=#8
7s not_ x=#8
8s get x=#9

=== tables: in keys, cross conditions, aggregates, emit at a deadline, having
--- rule
table owner = from inventory key host
rule by_owner { match by o = owner[host].user within 10s { a{2}: net } emit { hosts = values(a.host) } }
rule cross { match within 10s { a: net where kind == "p"  b: net where owner[host].user == owner[a.host].user and host != a.host } }
rule late { match { a: net where kind == "p" not b: net where kind == "z" within 5s } emit { u = owner[a.host].user } }
rule win { window tumbling 10s { a: net where owner[host].tier > 1 having sum(owner[host].tier) > 4 } emit { n = count()  top = max(owner[host].tier) } }
rule nov { novel t by host within 1d { a: net where owner[host].tier == 3 } }
--- events
0s inventory {"host":"h1","user":"joe","tier":2}
0s inventory {"host":"h2","user":"joe","tier":3}
1s net {"host":"h1","kind":"p","t":1}
2s net {"host":"h2","kind":"q","t":1}
4s inventory {"host":"h1","user":"ann","tier":1}
7s net {"host":"h1","kind":"q","t":1}
8s net {"host":"h2","kind":"q","t":1}
--- alerts
2s by_owner a=#3,#4 {"hosts":["h1","h2"]} key {"o":"joe"}
2s cross a=#3 b=#4
2s nov a=#4
6s late a=#3 {"u":"ann"}
10s win a=#3,#4,#7 {"n":3,"top":3}

=== tables: of a stream with fields, of a rule, of itself
--- rule
stream s = raw where kind == "lease" { ip = lower(addr)  seen = (count_of[lower(addr)].seen ?? 0) + 1 }
table count_of = from s key ip
table bad = from brute key user keep 1h
rule brute { match by user within 10s { f{2}: auth where ok == false } emit { user = user  tries = count(f)  `#` = `#` } }
rule after { match { a: auth where ok == true and user in bad } emit { tries = bad[user].tries } }
rule often { match { a: s where seen >= 3 } emit { n = a.seen  before = count_of[ip].seen } }
--- events
0s raw {"kind":"lease","addr":"A"}
1s raw {"kind":"lease","addr":"a"}
2s raw {"kind":"lease","addr":"A"}
3s auth {"user":"u","ok":false}
4s auth {"user":"u","ok":true}
5s auth {"user":"u","ok":false}
6s auth {"user":"u","ok":true}
7s auth {"user":"v","ok":true}
--- alerts
2s often a=#3 {"n":3,"before":2}
5s brute f=#4,#6
6s after a=#7 {"tries":2}

=== tables: numbers are equal by value, types are kept
--- rule
table t = from b key k
rule r { match { x: a where k in t } emit { v = t[k].v  l = t[k].l[0]  one = t[1].v  minus = t[-1].v  text = t["1"].v } }
--- events
0s b {"k":1,"v":{"o":[1,2]},"l":["x","y"]}
1s b {"k":-1,"v":true}
2s b {"k":"1","v":2.5}
3s a {"k":1.0}
--- alerts
3s r x=#4 {"v":{"o":[1,2]},"l":"x","one":{"o":[1,2]},"minus":true,"text":2.5}

=== tables: a group, an until, a not and next
--- rule
table t = from b key k keep 1m
rule r {
  match by u within 20s {
    all { x: a where kind == "x" and u in t  y: a where kind == "y" }
    not n: a where kind == "n" and t[u].on == true
    z: a where kind == "z"
    until e: a where kind == "e" and t[u].on == true
  }
}
--- events
0s a {"u":1,"kind":"x"}
1s b {"k":1,"on":true}
2s a {"u":1,"kind":"x"}
3s a {"u":1,"kind":"y"}
4s b {"k":1,"on":false}
5s a {"u":1,"kind":"n"}
6s a {"u":1,"kind":"e"}
7s a {"u":1,"kind":"z"}
8s b {"k":1,"on":true}
9s a {"u":1,"kind":"x"}
10s a {"u":1,"kind":"y"}
11s a {"u":1,"kind":"n"}
12s a {"u":1,"kind":"z"}
--- alerts
7s r x=#3 y=#4 z=#8

=== tables: an exception asks one
--- rule
table scanners = from inventory key ip
exception "scanners" for r where ip in scanners and scanners[ip].approved == true
rule r { match by ip { a: net } suppress 1h }
--- events
0s net {"ip":"i"}
1s inventory {"ip":"j","approved":true}
2s net {"ip":"j"}
3s inventory {"ip":"k","approved":false}
4s net {"ip":"k"}
--- alerts
0s r a=#1
4s r a=#5

=== tables: mistakes
--- rule
list both = ["x"]
table both = from b key k
table fed = from b key k
stream s = a where u in fed { f = fed[u].v }
stream t = s where f == 1
rule r {
  match within 10s {
    not n: a where v == x.v and u in fed
    x: s where u in~ fed and u like fed
      and fed[u] == 1 and nope[u].x == 1
  }
}
--- error
case.rule:2:7: error: table `both` is named like a list
    table both = from b key k
          ^~~~ `x in both` must mean one of them
case.rule:4:20: error: the condition of a stream reads a table that events feed
    stream s = a where u in fed { f = fed[u].v }
                       ^~~~~~~~ it is decided before the order of events is known: ask in the `where` of a step
case.rule:5:20: error: the condition of a stream reads a table that events feed
    stream t = s where f == 1
                       ^~~~~~ it is decided before the order of events is known: ask in the `where` of a step
case.rule:8:20: error: a `not` before the first step cannot both refer to that step and read a table that events feed
        not n: a where v == x.v and u in fed
                       ^~~~~~~~~~~~~~~~~~~~~
case.rule:9:16: error: a table is looked up by equal keys: `in~` has none
        x: s where u in~ fed and u like fed
                   ^~~~~~~~~ write `lower(x) in fed`, and the table's keys in lower case
case.rule:9:37: error: `fed` is a table: it stands behind `in`
        x: s where u in~ fed and u like fed
                                        ^~~
case.rule:10:11: error: a row of `fed` is no value
          and fed[u] == 1 and nope[u].x == 1
              ^~~~~~ name a column, as `fed[...].x`; whether there is a row asks `... in fed`
case.rule:10:27: error: `nope[...]` looks into a table, and no such is declared
          and fed[u] == 1 and nope[u].x == 1
                              ^~~~~~~~~ an element of a list is `x[0]` or `x[-1]`

=== tables: mistakes of those from Kafka
--- rule
table a = kafka { topics ["x"]  brokrs "b" } key k
table b = kafka { topic "x"  source ev  brokers "h:1"  options { client.id "x" } } key k
table c = kafka { topic x  brokers []  topic "y"  as_of now  on_reset later  options 5 } key k
table d = kafka { topic "x"  brokers getenv("B")  options { a { b 1 }  linger 5s  x "1"  x "2"  y file(1) } } key k
table e = kafka { topic "x"  brokers "h:1" } key k
stream s = a where u in e
rule r { match { a: `table b` where x in b and b[x].y == 1 } }
--- error
case.rule:1:1: error: the table `a` reads no topic
    table a = kafka { topics ["*"]  brokrs "*" } key k
    ^~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~ add `topic "..."`
case.rule:1:1: error: the table `a` has no `brokers`
    table a = kafka { topics ["*"]  brokrs "*" } key k
    ^~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~ add `brokers "127.0.0.1:9092"`, or `source NAME`: those of a source of the configuration
case.rule:1:19: error: `topics` is no key of a table from Kafka
    table a = kafka { topics ["*"]  brokrs "*" } key k
                      ^~~~~~ a table is one topic: topic "..."
case.rule:1:33: error: `brokrs` is no key of a table from Kafka
    table a = kafka { topics ["*"]  brokrs "*" } key k
                                    ^~~~~~ did you mean `brokers`?
case.rule:2:41: error: `brokers` beside `source`
    table b = kafka { topic "x"  source ev  brokers "h:1"  options { client.id "*" } } key k
                                            ^~~~~~~ brokers and options are the source's
case.rule:2:56: error: `options` beside `source`
    table b = kafka { topic "x"  source ev  brokers "h:1"  options { client.id "*" } } key k
                                                           ^~~~~~~ brokers and options are the source's
case.rule:3:25: error: `topic` is a text
    table c = kafka { topic x  brokers []  topic "y"  as_of now  on_reset later  options * } key k
                            ^ put it in quotes
case.rule:3:36: error: no broker is named
    table c = kafka { topic x  brokers []  topic "y"  as_of now  on_reset later  options * } key k
                                       ^~
case.rule:3:40: error: `topic` is given twice
    table c = kafka { topic x  brokers []  topic "y"  as_of now  on_reset later  options * } key k
                                           ^~~~~
case.rule:3:57: error: `as_of` is `record` or `latest`
    table c = kafka { topic x  brokers []  topic "y"  as_of now  on_reset later  options * } key k
                                                            ^~~
case.rule:3:71: error: `on_reset` is `reread` or `fail`
    table c = kafka { topic x  brokers []  topic "y"  as_of now  on_reset later  options * } key k
                                                                          ^~~~~
case.rule:3:78: error: `options` has keys, no value
    table c = kafka { topic x  brokers []  topic "y"  as_of now  on_reset later  options * } key k
                                                                                 ^~~~~~~
case.rule:4:38: error: a text is wanted here, or env("NAME") or file("path")
    table d = kafka { topic "x"  brokers getenv("*")  options { a { b * }  linger **  x "*"  x "*"  y file(*) } } key k
                                         ^~~~~~~~~~~
case.rule:4:61: error: an option has a value, no block
    table d = kafka { topic "x"  brokers getenv("*")  options { a { b * }  linger **  x "*"  x "*"  y file(*) } } key k
                                                                ^
case.rule:4:79: error: an option of a Kafka client is a text, a number or a word, without a unit
    table d = kafka { topic "x"  brokers getenv("*")  options { a { b * }  linger **  x "*"  x "*"  y file(*) } } key k
                                                                                  ^~
case.rule:4:90: error: the option `x` is given twice
    table d = kafka { topic "x"  brokers getenv("*")  options { a { b * }  linger **  x "*"  x "*"  y file(*) } } key k
                                                                                             ^
case.rule:4:99: error: `file` takes one text
    table d = kafka { topic "x"  brokers getenv("*")  options { a { b * }  linger **  x "*"  x "*"  y file(*) } } key k
                                                                                                      ^~~~~~~ write file("path")
case.rule:6:20: error: the condition of a stream reads a table that events feed
    stream s = a where u in e
                       ^~~~~~ it is decided before the order of events is known: ask in the `where` of a step
case.rule:7:21: error: what a table from Kafka reads is no stream
    rule r { match { a: `table b` where x in b and b[x].y == 1 } }
                        ^~~~~~~~~

