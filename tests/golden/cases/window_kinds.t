# Section 4: which events are in which window, and the time of the alert.

=== tumbling: [k*D, (k+1)*D) since the epoch, told at the end
--- rule
rule r { window tumbling 10s { a: s } emit { n = count() } }
--- events
0s s
9.999999999s s
10s s
--- alerts
10s r a=#1,#2 {"n":2}
20s r a=#3 {"n":1}

=== tumbling: windows without events are not told
--- rule
rule r { window tumbling 10s { a: s } emit { n = count() } }
--- events
3s s
57s s
--- alerts
10s r a=#1 {"n":1}
60s r a=#2 {"n":1}

=== tumbling: a window of 7s is counted from the epoch, not from the first event
--- rule
# 2027-01-01 is 1798761600 s after the epoch: 6 more than a multiple of 7.
rule r { window tumbling 7s { a: s } emit { n = count() } }
--- events
0s s
0.999999999s s
1s s
7s s
8s s
--- alerts
1s r a=#1,#2 {"n":2}
8s r a=#3,#4 {"n":2}
15s r a=#5 {"n":1}

=== tumbling with an offset
--- rule
rule r { window tumbling 10s offset 3s { a: s } emit { n = count() ws = window_start we = window_end } }
--- events
0s s
2.999999999s s
3s s
12.999999999s s
13s s
--- alerts
3s r a=#1,#2 {"n":2,"ws":"2026-12-31T23:59:53Z","we":"2027-01-01T00:00:03Z"}
13s r a=#3,#4 {"n":2,"ws":"2027-01-01T00:00:03Z","we":"2027-01-01T00:00:13Z"}
23s r a=#5 {"n":1,"ws":"2027-01-01T00:00:13Z","we":"2027-01-01T00:00:23Z"}

=== tumbling by a key: each its own
--- rule
rule r { window tumbling 10s by u { a: s } emit { u = u  n = count() } }
--- events
1s s {"u":"x"}
2s s {"u":"y"}
3s s {"u":"x"}
4s s
5s s {"u":null}
--- alerts
10s r a=#1,#3 {"u":"x","n":2} key {"u":"x"}
10s r a=#2 {"u":"y","n":1} key {"u":"y"}

=== tumbling: several events at one time, at both edges
--- rule
rule r { window tumbling 5s { a: s } emit { n = count() } }
--- events
5s s
5s s
5s s
10s s
10s s
--- alerts
10s r a=#1,#2,#3 {"n":3}
15s r a=#4,#5 {"n":2}

=== hopping: each event is in size / every windows
--- rule
rule r { window hopping 6s every 2s { a: s } emit { n = count()  ws = window_start } }
--- events
6s s
--- alerts
8s r a=#1 {"n":1,"ws":"2027-01-01T00:00:02Z"}
10s r a=#1 {"n":1,"ws":"2027-01-01T00:00:04Z"}
12s r a=#1 {"n":1,"ws":"2027-01-01T00:00:06Z"}

=== hopping: edges
--- rule
rule r { window hopping 4s every 2s { a: s having count() >= 2 } emit { n = count()  we = window_end } }
--- events
4s s
5.999999999s s
6s s
8s s
--- alerts
6s r a=#1,#2 {"n":2,"we":"2027-01-01T00:00:06Z"}
8s r a=#1,#2,#3 {"n":3,"we":"2027-01-01T00:00:08Z"}
10s r a=#3,#4 {"n":2,"we":"2027-01-01T00:00:10Z"}

=== hopping: size equal to every is tumbling
--- rule
rule r { window hopping 5s every 5s { a: s } emit { n = count() } }
--- events
4s s
5s s
9s s
--- alerts
5s r a=#1 {"n":1}
10s r a=#2,#3 {"n":2}

=== session: takes an event at last + gap
--- rule
rule r { window session 5s { a: s } emit { n = count()  ws = window_start  we = window_end } }
--- events
0s s
5s s
10s s
15.000000001s s
--- alerts
15s r a=#1,#2,#3 {"n":3,"ws":"2027-01-01T00:00:00Z","we":"2027-01-01T00:00:15Z"}
20.000000001s r a=#4 {"n":1}

=== session: ends at start + max if that is earlier
--- rule
rule r { window session 5s max 12s { a: s } emit { n = count()  we = window_end } }
--- events
0s s
4s s
8s s
12s s
12s s
12.000000001s s
--- alerts
12s r a=#1,#2,#3,#4,#5 {"n":5,"we":"2027-01-01T00:00:12Z"}
17.000000001s r a=#6 {"n":1}

=== session: max later than last + gap does not matter
--- rule
rule r { window session 5s max 12s { a: s } emit { n = count() } }
--- events
0s s
6.9s s
--- alerts
5s r a=#1 {"n":1}
11.9s r a=#2 {"n":1}

=== session: max is 24h unless given
--- rule
rule r { window session 10h { a: s } emit { n = count() } }
--- events
0h s
9h s
18h s
24h s
24.5h s
--- alerts
24h r a=0s,32400s,64800s,86400s {"n":4}
34.5h r a=#5 {"n":1}

=== session by a key
--- rule
rule r { window session 5s by u { a: s } emit { u = u  n = count() } }
--- events
0s s {"u":1}
3s s {"u":2}
5s s {"u":1}
8.000000001s s {"u":2}
--- alerts
8s r a=#2 {"u":2,"n":1}
10s r a=#1,#3 {"u":1,"n":2}
13.000000001s r a=#4 {"u":2,"n":1}

=== sliding: both ends
--- rule
rule r { window sliding 10s { a: s having count() >= 2 fire on every match } emit { n = count() } }
--- events
0s s
10s s
20.000000001s s
--- alerts
10s r a=#1,#2 {"n":2}

=== sliding: one ns too far
--- rule
rule r { window sliding 10s { a: s having count() >= 2 } }
--- events
0s s
10.000000001s s
--- alerts

=== sliding: of events at one time each sees those before it
--- rule
rule r { window sliding 10s { a: s fire on every match } emit { n = count() } }
--- events
1s s
1s s
1s s
--- alerts
1s r a=#1 {"n":1}
1s r a=#1,#2 {"n":2}
1s r a=#1,#2,#3 {"n":3}

=== sliding: window_start and window_end
--- rule
rule r { window sliding 10s { a: s having count() >= 2 } emit { ws = window_start  we = window_end  d = window_end - window_start } }
--- events
11s s
13.5s s
--- alerts
13.5s r a=#1,#2 {"ws":"2027-01-01T00:00:03.500Z","we":"2027-01-01T00:00:13.500Z","d":10}

=== sliding: an aggregate with a reach of its own, shorter
--- rule
rule r { window sliding 10s { a: s having count(within 2s) >= 2 and count() >= 3 fire on every match } emit { n = count()  m = count(within 2s) } }
--- events
0s s
8s s
10s s
12.000000001s s
--- alerts
10s r a=#1,#2,#3 {"n":3,"m":2}

=== sliding: an aggregate with a reach of its own, longer than the window
--- rule
rule r { window sliding 2s { a: s having sum(x, within 1s) > 1.5 * avg(x, within 10s) fire on every match } emit { one = sum(x, within 1s)  ten = avg(x, within 10s)  n = count() } }
--- events
0s s {"x":2}
5s s {"x":2}
10s s {"x":12}
20s s {"x":5}
20.000000001s s {"x":5}
--- alerts
10s r a=#3 {"one":12,"ten":5.3333333333333333,"n":1}
20.000000001s r a=#4,#5 {"one":10,"ten":5,"n":2}

=== global: all of the key
--- rule
rule r { window global expire 30d by u { a: s having sum(x) >= 10 } emit { s = sum(x) n = count() } }
--- events
0s s {"u":1,"x":4}
10d s {"u":1,"x":4}
20d s {"u":2,"x":9}
40d s {"u":1,"x":4}
--- alerts
40d r a=#1,#2,#4 {"s":12,"n":3}

=== global: an event at last + expire is in time
--- rule
rule r { window global expire 10s { a: s fire on every match } emit { n = count() } }
--- events
0s s
10s s
20.000000001s s
--- alerts
0s r a=#1 {"n":1}
10s r a=#1,#2 {"n":2}
20.000000001s r a=#3 {"n":1}

=== global: after it expired the key may fire again
--- rule
rule r { window global expire 10s { a: s having count() >= 2 } emit { n = count() } }
--- events
0s s
1s s
2s s
13s s
14s s
--- alerts
1s r a=#1,#2 {"n":2}
14s r a=#4,#5 {"n":2}

=== without having H is true
--- rule
rule r { window tumbling 10s { a: s where k == 1 } }
--- events
1s s {"k":1}
2s s {"k":2}
--- alerts
10s r a=#1 {}

=== an event that P refuses opens no window
--- rule
rule r { window tumbling 10s { a: s where k == 1 having count() == 0 } }
--- events
1s s {"k":2}
--- alerts

=== no window before the first event: count() == 0 is never told without a table
--- rule
rule r { window tumbling 10s by u { a: s having count() == 0 } }
--- events
1s s {"u":1}
45s s {"u":1}
--- alerts

=== two inputs: each its own condition and stream
--- rule
rule r { window tumbling 10s { ok: s where k == "ok"  bad: t having count(bad) > count(ok) } emit { ok = count(ok)  bad = count(bad)  n = count() } }
--- events
1s s {"k":"ok"}
2s t
3s t
4s s {"k":"no"}
11s s {"k":"ok"}
12s t
--- alerts
10s r ok=#1 bad=#2,#3 {"ok":1,"bad":2,"n":3}

=== two inputs: an event that fits both is in both, and count() is the sum
--- rule
rule r { window tumbling 10s { all_: s  bad: s where k == 1 } emit { total = count(all_)  bad = count(bad)  n = count() } }
--- events
1s s {"k":1}
2s s {"k":2}
--- alerts
10s r all_=#1,#2 bad=#1 {"total":2,"bad":1,"n":3}

=== two inputs: an event in both is one event of the window
--- rule
rule r { window sliding 10s { p: s  q: s where k == 1 having count() >= 2 fire on every match } emit { n = count() } }
--- events
1s s {"k":1}
2s s {"k":2}
--- alerts
1s r p=#1 q=#1 {"n":2}
2s r p=#1,#2 q=#1 {"n":3}

=== two inputs: keys of their own
--- rule
rule r { window tumbling 10s by user { login: vpn  act: cloud by actor } emit { user = user  l = count(login)  a = count(act) } }
--- events
1s vpn {"user":"x"}
2s cloud {"actor":"x","user":"z"}
3s cloud {"actor":"y"}
4s cloud {"user":"x"}
--- alerts
10s r login=#1 act=#2 {"user":"x","l":1,"a":1}
10s r act=#3 {"user":"y","l":0,"a":1}

=== two inputs of one stream, keys of their own: one event under two keys
--- rule
rule r { window tumbling 10s by src { out: s  in_: s by dst } emit { host = src  o = count(out)  i = count(in_) } }
--- events
1s s {"src":"a","dst":"b"}
2s s {"src":"b","dst":"b"}
--- alerts
10s r out=#1 {"host":"a","o":1,"i":0}
10s r out=#2 in_=#1,#2 {"host":"b","o":1,"i":2}

=== a list-valued key: under each element
--- rule
rule r { window tumbling 10s by tags { a: s } emit { tag = tags  n = count() } }
--- events
1s s {"tags":["x","y"]}
2s s {"tags":"y"}
3s s {"tags":[]}
--- alerts
10s r a=#1 {"tag":"x","n":1}
10s r a=#1,#2 {"tag":"y","n":2}

=== an optional key: missing is a value of its own
--- rule
rule r { window tumbling 10s by ?u { a: s } emit { n = count() } }
--- events
1s s {"u":1}
2s s
3s s {"u":null}
--- alerts
10s r a=#1 {"n":1}
10s r a=#2,#3 {"n":2}

=== a key with a name
--- rule
rule r { window tumbling 10s by who = lower(u) { a: s } emit { who = who  n = count() } }
--- events
1s s {"u":"BOB"}
2s s {"u":"Bob"}
--- alerts
10s r a=#1,#2 {"who":"bob","n":2} key {"who":"bob"}

=== two keys
--- rule
rule r { window tumbling 10s by u, v { a: s } emit { n = count() } }
--- events
1s s {"u":1,"v":1}
2s s {"u":1,"v":2}
3s s {"u":1,"v":1}
4s s {"u":1}
--- alerts
10s r a=#1,#3 {"n":2} key {"u":1,"v":1}
10s r a=#2 {"n":1} key {"u":1,"v":2}

=== events: the last ten of an input unless keep says otherwise
--- rule
rule r { window tumbling 20s { a: s } emit { n = count() } }
--- events
0s s
1s s
2s s
3s s
4s s
5s s
6s s
7s s
8s s
9s s
10s s
11s s
--- alerts
20s r a=2s,3s,4s,5s,6s,7s,8s,9s,10s,11s {"n":12}

=== events: keep
--- rule
rule r { keep 2 window tumbling 20s { a: s b: t } emit { n = count() } }
--- events
0s s
1s t
2s s
3s s
--- alerts
20s r a=2s,3s b=1s {"n":4}

=== events: keep of a sliding window holds only what is in it
--- rule
rule r { keep 3 window sliding 5s { a: s having count() >= 2 fire on every match } }
--- events
0s s
4s s
8s s
--- alerts
4s r a=0s,4s
8s r a=4s,8s

=== suppress: per key
--- rule
rule r { suppress 10s window sliding 5s by u { a: s fire on every match } }
--- events
0s s {"u":1}
1s s {"u":2}
4s s {"u":1}
9.999999999s s {"u":1}
10s s {"u":1}
--- alerts
0s r a=#1
1s r a=#2
10s r a=#4,#5 suppressed=2

=== suppress: by the time at which a window is told
--- rule
rule r { suppress 15s window tumbling 10s { a: s } }
--- events
5s s
15s s
25s s
--- alerts
10s r a=#1
30s r a=#3 suppressed=1

=== title and severity see the emitted fields
--- rule
rule r { title "{n} of {u}" severity high window tumbling 10s by u { a: s } emit { n = count() } }
--- events
1s s {"u":"bob"}
2s s {"u":"bob"}
--- alerts
10s r a=#1,#2 severity=high {"n":2} title "2 of bob"

=== two rules over the same events
--- rule
rule q { window tumbling 10s { a: s } emit { n = count() } }
rule r { window sliding 10s { a: s having count() >= 2 } emit { n = count() } }
--- events
1s s
2s s
--- alerts
2s r a=#1,#2 {"n":2}
10s q a=#1,#2 {"n":2}

=== a declared stream
--- rule
stream fails = ssh, pam where outcome == "failure"
rule r { window sliding 10s by ip { a: fails having count() >= 2 } }
--- events
1s ssh {"ip":"x","outcome":"failure"}
2s pam {"ip":"x","outcome":"failure"}
3s web {"ip":"x","outcome":"failure"}
4s pam {"ip":"x","outcome":"ok"}
--- alerts
2s r a=#1,#2

=== ids: one window told for two keys, two windows of one key, at one time (hopping)
--- rule
rule r { window hopping 4s every 2s by u { a: s fire on match } emit { u = u  ws = window_start } }
--- events
4s s {"u":1}
4s s {"u":2}
--- alerts
4s r a=#1 {"u":1,"ws":"2027-01-01T00:00:02Z"}
4s r a=#1 {"u":1,"ws":"2027-01-01T00:00:04Z"}
4s r a=#2 {"u":2,"ws":"2027-01-01T00:00:02Z"}
4s r a=#2 {"u":2,"ws":"2027-01-01T00:00:04Z"}
