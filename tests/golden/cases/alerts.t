# Section 8: what an alert says. Section 10: limits.

=== without emit, fields is {}
--- rule
rule r { match { a: s } }
--- events
1s s {"x":1}
--- alerts
1s r a=1s {} title "r"

=== emit: a bare path is a field of the event that completed the match
--- rule
rule r { match within 10s { a: a b: b } emit { x = x  ax = a.x } }
--- events
1s a {"x":1}
2s b {"x":2}
--- alerts
2s r a=1s b=2s {"x":2,"ax":1}

=== emit: a bare path is a key first
--- rule
rule r { match by u within 10s { a: a b: b by v } emit { u = u } }
--- events
1s a {"u":1}
2s b {"u":9,"v":1}
--- alerts
2s r a=1s b=2s {"u":1}

=== emit: a key with a name
--- rule
rule r { match by who = lower(u) within 10s { a: a b: b } emit { who = who  u = u } }
--- events
1s a {"u":"BOB"}
2s b {"u":"Bob"}
--- alerts
2s r a=1s b=2s {"who":"bob","u":"Bob"}

=== emit: paths on the left make nested objects
--- rule
rule r { match { a: s } emit { source.ip = ip  source.port = 22  user = "x" } }
--- events
1s s {"ip":"10.0.0.1"}
--- alerts
1s r a=1s {"source":{"ip":"10.0.0.1","port":22},"user":"x"}

=== emit: with a trailing not, the event that completed the match is its last
--- rule
rule r { match within 5s { a: a b: b not c: c } emit { x = x } }
--- events
1s a {"x":1}
2s b {"x":2}
3s b {"x":3}
--- alerts
6s r a=1s b=2s {"x":2}

=== emit: aggregates and lists
--- rule
rule r {
  match within 20s { a{3}: a b: b }
  emit { n = count(a)  sum = sum(a.v)  avg = avg(a.v)  lo = min(a.v)  hi = max(a.v)  us = values(a.u)  d = count_distinct(a.u)  one = first(a).v  end = last(a).v  av = a.v }
}
--- events
1s a {"v":1,"u":"x"}
2s a {"v":2,"u":"y"}
3s a {"v":6,"u":"x"}
4s b
--- alerts
4s r a=1s,2s,3s b=4s {"n":3,"sum":9,"avg":3,"lo":1,"hi":6,"us":["x","y"],"d":2,"one":1,"end":6,"av":6}

=== emit: an aggregate over values that are not all there
--- rule
rule r {
  match within 20s { a{3}: a }
  emit { n = count(a)  sum = sum(a.v)  avg = avg(a.v) }
}
--- events
1s a {"v":1}
2s a
3s a {"v":3}
--- alerts
3s r a=1s,2s,3s {"n":3,"sum":4,"avg":2}

=== emit: a list-valued key is the element
--- rule
rule r { match by ip { a: s } emit { ip = ip } }
--- events
1s s {"ip":["p","q"]}
--- alerts
1s r a=1s {"ip":"p"} key {"ip":"p"}
1s r a=1s {"ip":"q"} key {"ip":"q"}

=== emit: expressions
--- rule
rule r { match within 10s { a: a b: b } emit { d = b.v - a.v  t = concat(a.n, "/", b.n)  w = if(b.v > a.v, "up", "down")  z = b.zip ?? "none" } }
--- events
1s a {"v":1,"n":"x"}
2s b {"v":4,"n":"y"}
--- alerts
2s r a=1s b=2s {"d":3,"t":"x/y","w":"up","z":"none"}

=== time of an alert and times in emit are RFC 3339 UTC
--- rule
rule r { match within 10s { a: a b: b } emit { at = time(b)  from = time(a) } }
--- events
0s a
1.25s b
--- alerts
1.25s r a=0s b=1.25s {"at":"2027-01-01T00:00:01.250Z","from":"2027-01-01T00:00:00Z"}

=== durations are numbers of seconds
--- rule
rule r { match within 10s { a: a b: b } emit { gap = time(b) - time(a) } }
--- events
0s a
1.25s b
--- alerts
1.25s r a=0s b=1.25s {"gap":1.25}

=== title: an emitted field first, else what a bare path in emit would be
--- rule
rule r {
  title "{u} from {ip}: {n} {{x} in {gap}"
  match by u within 60s { a{2}: a b: b }
  emit { n = count(a)  gap = time(b) - time(a) }
}
--- events
0s a {"u":"bob"}
1s a {"u":"bob"}
31s b {"u":"bob","ip":"10.0.0.1"}
--- alerts
31s r a=0s,1s b=31s {"n":2} title "bob from 10.0.0.1: 2 {x} in 30s"

=== title: fields of steps
--- rule
rule r { title "{a.x} then {b.x}" match within 60s { a: a b: b } }
--- events
0s a {"x":1}
1s b {"x":"two"}
--- alerts
1s r a=0s b=1s {} title "1 then two"

=== title: what is missing is nothing
--- rule
rule r { title "[{x}]" match { a: s } }
--- events
0s s
--- alerts
0s r a=0s {} title "[]"

=== description is rendered as the title is
--- rule
rule r { title "t" description "who: {u}" match by u { a: s } }
--- events
0s s {"u":"bob"}
--- alerts
0s r a=0s {} title "t" description "who: bob"

=== severity, risk, tags
--- rule
rule r { severity high risk 70 tags ["attack.t1098", "x"] match { a: s } }
--- events
0s s
--- alerts
0s r a=0s severity=high risk=70 {} tags ["attack.t1098", "x"]

=== suppress: one at last + d is let through and says how many were held
--- rule
rule r { suppress 10s match { a: s } }
--- events
0s s
5s s
9.999999999s s
10s s
15s s
20.000000001s s
--- alerts
0s r a=0s
10s r a=10s suppressed=2
20.000000001s r a=20.000000001s suppressed=1

=== suppress: held ones do not prolong it
--- rule
rule r { suppress 10s match { a: s } }
--- events
0s s
8s s
11s s
12s s
--- alerts
0s r a=0s
11s r a=11s suppressed=1

=== suppress: per key of the rule
--- rule
rule r { suppress 10s match by u { a: s } }
--- events
0s s {"u":1}
1s s {"u":2}
2s s {"u":1}
12s s {"u":1}
--- alerts
0s r a=0s
1s r a=1s
12s r a=12s suppressed=1

=== suppress by another path than the key
--- rule
rule r { suppress 10s by ip match by u { a: s } emit { ip = ip } }
--- events
0s s {"u":1,"ip":"p"}
1s s {"u":2,"ip":"p"}
2s s {"u":1,"ip":"q"}
10s s {"u":2,"ip":"p"}
--- alerts
0s r a=0s {"ip":"p"}
2s r a=2s {"ip":"q"}
10s r a=10s suppressed=1 {"ip":"p"}

=== suppress without a key: the rule
--- rule
rule r { suppress 5s match within 10s { a: a b: b } }
--- events
0s a
1s b
2s a
3s b
6s a
7s b
--- alerts
1s r a=0s b=1s
7s r a=6s b=7s suppressed=1

=== suppress goes by the alert's time: deadlines
--- rule
rule r { suppress 10s match { a: a not b: b within 5s } }
--- events
0s a
3s a
10s a
--- alerts
5s r a=0s
15s r a=10s suppressed=1

=== keep: more events than it are first, last and count
--- rule
rule r { keep 3 match within 60s { a{5}: a b: b } }
--- events
1s a
2s a
3s a
4s a
5s a
6s b
--- alerts
6s r a=1s..5s/5 b=6s

=== keep: as many as it are all there
--- rule
rule r { keep 3 match within 60s { a{3}: a b: b } }
--- events
1s a
2s a
3s a
4s b
--- alerts
4s r a=1s,2s,3s b=4s

=== keep: 10 unless said
--- rule
rule r { match within 60s { a{10,}: a b: b } }
--- events
1s a
2s a
3s a
4s a
5s a
6s a
7s a
8s a
9s a
10s a
11s b
21s a
22s a
23s a
24s a
25s a
26s a
27s a
28s a
29s a
30s a
31s a
32s b
--- alerts
11s r a=1s,2s,3s,4s,5s,6s,7s,8s,9s,10s b=11s
32s r a=21s..31s/11 b=32s

=== two rules: each its own alerts, in order of time, then name
--- rule
rule z { match { a: s } }
rule b { match { a: s } }
--- events
1s s
2s s
--- alerts
1s b a=1s
1s z a=1s
2s b a=2s
2s z a=2s

=== a disabled rule says nothing
--- rule
rule r { disabled match { a: s } }
rule q { match { a: s } }
--- events
1s s
--- alerts
1s q a=1s

=== the example of section 1
--- rule
stream auth = winlog where event.category == "authentication"
list   vpn_exits = cidr ["10.8.0.0/16", "192.0.2.0/24"]

rule login_then_password_change {
  title       "{user} changed the password from {change_ip} {gap} after a login from {login_ip}"
  description "Password changed within a minute of a login from another address"
  severity    high
  tags        ["attack.t1098", "account-takeover"]

  match by user.id within 60s {
    login:  auth where event.action == "login" and event.outcome == "success"
    change: iam  where event.action == "password_change"
                   and source.ip != login.source.ip
                   and source.ip not in vpn_exits
  }
  emit {
    user      = user.id
    login_ip  = login.source.ip
    change_ip = change.source.ip
    gap       = time(change) - time(login)
  }
  suppress 10m
  to [soc_webhook, alerts_topic]

  test "fires on a new address" {
    0s  auth {"user":{"id":"u1"}, "event":{"category":"authentication","action":"login","outcome":"success"}, "source":{"ip":"198.51.100.7"}}
    30s iam  {"user":{"id":"u1"}, "event":{"action":"password_change"}, "source":{"ip":"203.0.113.9"}}
    expect alert at 30s {"user":"u1", "change_ip":"203.0.113.9"}
  }
}
--- events
0s  winlog {"user":{"id":"u1"}, "event":{"category":"authentication","action":"login","outcome":"success"}, "source":{"ip":"198.51.100.7"}}
10s iam    {"user":{"id":"u1"}, "event":{"action":"password_change"}, "source":{"ip":"198.51.100.7"}}
20s iam    {"user":{"id":"u1"}, "event":{"action":"password_change"}, "source":{"ip":"10.8.3.4"}}
30s iam    {"user":{"id":"u1"}, "event":{"action":"password_change"}, "source":{"ip":"203.0.113.9"}}
--- alerts
30s login_then_password_change login=0s change=30s severity=high {"user":"u1","login_ip":"198.51.100.7","change_ip":"203.0.113.9","gap":30} key {"user.id":"u1"} title "u1 changed the password from 203.0.113.9 30s after a login from 198.51.100.7"

=== suppress summary: what was held is told when d has passed
--- rule
rule r { match by k { a: s } suppress 10s summary }
--- events
0s s {"k":1}
3s s {"k":1}
9s s {"k":1}
9s s {"k":2}
10s s {"k":1}
30s s {"k":1}
--- alerts
0s r a=#1
9s r a=#4
10s r a=#5 suppressed=2
30s r a=#6

=== suppress summary: an alert that comes in time carries the count, else the summary tells it
--- rule
rule r { match by k { a: s } suppress 10s summary }
--- events
0s s {"k":1}
3s s {"k":1}
9s s {"k":1}
30s s {"k":1}
--- alerts
0s r a=#1
10s r {"suppressed":2}
30s r a=#4 suppressed=0

=== suppress summary, by an emitted field
--- rule
rule r { match { a: s } emit { user = a.u } suppress 5s by user summary }
--- events
0s s {"u":"x"}
1s s {"u":"x"}
2s s {"u":"y"}
--- alerts
0s r a=#1
2s r a=#3
5s r {"suppressed":1}
