# Section 4: `fire`, for every kind. Numbers in names are those of tests/oracle/READINGS_WINDOWS.md.

=== on close is what tumbling does unless told
--- rule
rule r { window tumbling 10s { a: s having count() >= 2 fire on close } emit { n = count() } }
--- events
1s s
2s s
3s s
11s s
--- alerts
10s r a=#1,#2,#3 {"n":3}

=== on close: H is asked at the close only
--- rule
rule r { window tumbling 10s { a: s having count() == 2 } emit { n = count() } }
--- events
1s s
2s s
3s s
--- alerts

=== on match, tumbling: once a window, at the event
--- rule
rule r { window tumbling 10s { a: s having count() >= 2 fire on match } emit { n = count() } }
--- events
1s s
2s s
3s s
4s s
11s s
12s s
--- alerts
2s r a=#1,#2 {"n":2}
12s r a=#5,#6 {"n":2}

=== on match, tumbling: once a window even if H was false between
--- rule
rule r { window tumbling 10s { a: s having last(x) > 5 fire on match } emit { x = last(x) } }
--- events
1s s {"x":9}
2s s {"x":1}
3s s {"x":8}
11s s {"x":7}
--- alerts
1s r a=#1 {"x":9}
11s r a=#4 {"x":7}

=== on match, hopping: once in each window
--- rule
rule r { window hopping 4s every 2s { a: s having count() >= 2 fire on match } emit { n = count()  ws = window_start } }
--- events
4s s
5s s
6s s
7s s
--- alerts
5s r a=#1,#2 {"n":2,"ws":"2027-01-01T00:00:02Z"}
5s r a=#1,#2 {"n":2,"ws":"2027-01-01T00:00:04Z"}
7s r a=#3,#4 {"n":2,"ws":"2027-01-01T00:00:06Z"}

=== on match, session: once a session
--- rule
rule r { window session 5s { a: s having count() >= 2 fire on match } emit { n = count() } }
--- events
0s s
1s s
2s s
10s s
15s s
--- alerts
1s r a=#1,#2 {"n":2}
15s r a=#4,#5 {"n":2}

=== on match is what sliding does unless told: again only after H was false
--- rule
rule r { window sliding 10s { a: s having count() >= 3 } emit { n = count() } }
--- events
0s s
1s s
2s s
3s s
4s s
30s s
31s s
32s s
--- alerts
2s r a=#1,#2,#3 {"n":3}
32s r a=#6,#7,#8 {"n":3}

=== on match, sliding: H becomes false when values leave between events, so the next may fire
--- rule
# At 10s and 1ns the first leaves: count() is 2, and the event at 11s makes it 3 again.
rule r { window sliding 10s { a: s having count() >= 3 } emit { n = count() } }
--- events
0s s
5s s
6s s
11s s
--- alerts
6s r a=#1,#2,#3 {"n":3}
11s r a=#2,#3,#4 {"n":3}

=== on match, sliding: an event comes at the last moment, H was never false
--- rule
rule r { window sliding 10s { a: s having count() >= 3 } emit { n = count() } }
--- events
0s s
5s s
6s s
10s s
10.000000001s s
--- alerts
6s r a=#1,#2,#3 {"n":3}

=== on match, sliding: what leaves at the very time of an event has left before it
--- rule
# At 10.000000001s the first has left, so two are there before the event.
rule r { window sliding 10s { a: s having count() >= 3 } emit { n = count() } }
--- events
0s s
5s s
6s s
10.000000001s s
--- alerts
6s r a=#1,#2,#3 {"n":3}
10.000000001s r a=#2,#3,#4 {"n":3}

=== on match, sliding: H that becomes true as values leave never fires
--- rule
rule r { window sliding 10s { a: s having count() <= 1 and sum(x) > 5 } }
--- events
0s s {"x":0}
1s s {"x":9}
--- alerts

=== on match, sliding: re-armed by the reach of one aggregate
--- rule
# `max(x, within 2s)` falls at 2.000000001s: the event at 3s makes H true again.
rule r { window sliding 60s { a: s having max(x, within 2s) > 5 } emit { n = count() } }
--- events
0s s {"x":9}
1s s {"x":1}
3s s {"x":9}
--- alerts
0s r a=#1 {"n":1}
3s r a=#1,#2,#3 {"n":3}

=== on match, sliding: the reach has not passed, H stayed true
--- rule
rule r { window sliding 60s { a: s having max(x, within 2s) > 5 } }
--- events
0s s {"x":9}
1s s {"x":1}
2s s {"x":9}
4s s {"x":9}
--- alerts
0s r a=#1

=== on match, sliding: an event makes H false, another true again
--- rule
rule r { window sliding 60s { a: s having last(x) > 5 } emit { x = last(x) } }
--- events
0s s {"x":9}
1s s {"x":8}
2s s {"x":1}
3s s {"x":7}
--- alerts
0s r a=#1 {"x":9}
3s r a=#1,#2,#3,#4 {"x":7}

=== on match, sliding, by a key: each armed by itself
--- rule
rule r { window sliding 10s by u { a: s having count() >= 2 } emit { u = u } }
--- events
0s s {"u":1}
1s s {"u":2}
2s s {"u":1}
3s s {"u":2}
4s s {"u":1}
--- alerts
2s r a=#1,#3 {"u":1}
3s r a=#2,#4 {"u":2}

=== on match, global: H was false, then true again
--- rule
rule r { window global expire 1d { a: s having count() % 2 == 0 } emit { n = count() } }
--- events
0s s
1s s
2s s
3s s
--- alerts
1s r a=#1,#2 {"n":2}
3s r a=#1,#2,#3,#4 {"n":4}

=== on match, global: stays true, told once
--- rule
rule r { window global expire 1d { a: s having sum(x) > 10 } emit { s = sum(x) } }
--- events
0s s {"x":6}
1s s {"x":6}
2s s {"x":6}
--- alerts
1s r a=#1,#2 {"s":12}

=== on match, two inputs: an event of either can make H true
--- rule
rule r { window sliding 10s by u { bad: s ok: t having count(bad) >= 1 and count(ok) >= 1 } emit { u = u } }
--- events
0s s {"u":1}
1s t {"u":1}
2s t {"u":2}
3s s {"u":2}
--- alerts
1s r bad=#1 ok=#2 {"u":1}
3s r bad=#4 ok=#3 {"u":2}

=== on match reset, sliding: every third
--- rule
rule r { window sliding 10s { a: s having count() >= 3 fire on match reset } emit { n = count() } }
--- events
0s s
1s s
2s s
3s s
4s s
5s s
6s s
--- alerts
2s r a=#1,#2,#3 {"n":3}
5s r a=#4,#5,#6 {"n":3}

=== on match reset, sliding: what came before the reset does not count any more
--- rule
rule r { window sliding 10s { a: s having sum(x) >= 10 fire on match reset } emit { s = sum(x) } }
--- events
0s s {"x":4}
1s s {"x":8}
2s s {"x":9}
3s s {"x":1}
--- alerts
1s r a=#1,#2 {"s":12}
3s r a=#3,#4 {"s":10}

=== on match reset, sliding: longer reaches are emptied too
--- rule
rule r { window sliding 2s { a: s having count(within 60s) >= 3 fire on match reset } emit { n = count(within 60s) } }
--- events
0s s
10s s
20s s
30s s
40s s
50s s
--- alerts
20s r a=#3 {"n":3}
50s r a=#6 {"n":3}

=== on match reset, only the key that fired
--- rule
rule r { window sliding 10s by u { a: s having count() >= 2 fire on match reset } emit { u = u } }
--- events
0s s {"u":1}
1s s {"u":2}
2s s {"u":1}
3s s {"u":2}
4s s {"u":1}
--- alerts
2s r a=#1,#3 {"u":1}
3s r a=#2,#4 {"u":2}

=== on match reset, global
--- rule
rule r { window global expire 1d by u { a: s having sum(x) >= 10 fire on match reset } emit { s = sum(x) } }
--- events
0s s {"u":1,"x":7}
1h s {"u":1,"x":7}
2h s {"u":1,"x":7}
3h s {"u":1,"x":2}
4h s {"u":1,"x":2}
--- alerts
1h r a=#1,#2 {"s":14}
4h r a=#3,#4,#5 {"s":11}

=== on every match, sliding: as long as H holds
--- rule
rule r { window sliding 10s { a: s having count() >= 2 fire on every match } emit { n = count() } }
--- events
0s s
1s s
2s s
11s s
13s s
30s s
--- alerts
1s r a=#1,#2 {"n":2}
2s r a=#1,#2,#3 {"n":3}
11s r a=#2,#3,#4 {"n":3}
13s r a=#4,#5 {"n":2}

=== on every match, tumbling
--- rule
rule r { window tumbling 10s { a: s having count() >= 2 fire on every match } emit { n = count() } }
--- events
1s s
2s s
3s s
11s s
--- alerts
2s r a=#1,#2 {"n":2}
3s r a=#1,#2,#3 {"n":3}

=== on every match, hopping: each window at which H holds
--- rule
rule r { window hopping 4s every 2s { a: s having count() >= 2 fire on every match } emit { n = count() } }
--- events
5s s
6s s
7s s
--- alerts
6s r a=#1,#2 {"n":2}
7s r a=#1,#2,#3 {"n":3}
7s r a=#2,#3 {"n":2}

=== on every match, session
--- rule
rule r { window session 5s { a: s having count() >= 2 fire on every match } emit { n = count() } }
--- events
0s s
5s s
6s s
12s s
--- alerts
5s r a=#1,#2 {"n":2}
6s r a=#1,#2,#3 {"n":3}

=== on every match, global
--- rule
rule r { window global expire 1h { a: s having max(x) > 5 fire on every match } emit { m = max(x) } }
--- events
0s s {"x":1}
1s s {"x":6}
2s s {"x":1}
--- alerts
1s r a=#1,#2 {"m":6}
2s r a=#1,#2,#3 {"m":6}

=== on change, sliding: an emitted value differs from the last told
--- rule
rule r { window sliding 60s { a: s having count() >= 2 fire on change } emit { m = max(x) } }
--- events
0s s {"x":3}
1s s {"x":2}
2s s {"x":1}
3s s {"x":5}
4s s {"x":5}
--- alerts
1s r a=#1,#2 {"m":3}
3s r a=#1,#2,#3,#4 {"m":5}

=== on change, global: the first is told, then what is new
--- rule
rule r { window global expire 1d by u { a: s fire on change } emit { d = count_distinct(x) } }
--- events
0s s {"u":1,"x":"a"}
1s s {"u":1,"x":"a"}
2s s {"u":2,"x":"a"}
3s s {"u":1,"x":"b"}
4s s {"u":1,"x":"a"}
--- alerts
0s r a=#1 {"d":1}
2s r a=#3 {"d":1}
3s r a=#1,#2,#4 {"d":2}

=== on change: one of two values is enough; missing is a value
--- rule
rule r { window global expire 1d { a: s fire on change } emit { n = min(x)  l = last(k) } }
--- events
0s s
1s s
2s s {"x":1}
3s s {"k":"a"}
4s s {"x":4}
--- alerts
0s r a=#1 {"n":null,"l":null}
2s r a=#1,#2,#3 {"n":1,"l":null}
3s r a=#1,#2,#3,#4 {"n":1,"l":"a"}

=== on change: back at an earlier value is a change
--- rule
rule r { window global expire 1d { a: s fire on change } emit { l = last(x) } }
--- events
0s s {"x":1}
1s s {"x":2}
2s s {"x":1}
3s s {"x":1}
--- alerts
0s r a=#1 {"l":1}
1s r a=#1,#2 {"l":2}
2s r a=#1,#2,#3 {"l":1}

=== on change: only while H holds
--- rule
rule r { window global expire 1d { a: s having last(x) > 5 fire on change } emit { l = last(x) } }
--- events
0s s {"x":1}
1s s {"x":7}
2s s {"x":2}
3s s {"x":8}
--- alerts
1s r a=#1,#2 {"l":7}
3s r a=#1,#2,#3,#4 {"l":8}

=== on change, sliding: values that leave change nothing until an event comes
--- rule
rule r { window sliding 10s { a: s fire on change } emit { n = count() } }
--- events
0s s
5s s
11s s
17s s
--- alerts
0s r a=#1 {"n":1}
5s r a=#1,#2 {"n":2}

=== on change, tumbling
--- rule
rule r { window tumbling 10s { a: s fire on change } emit { m = max(x)  ws = window_start } }
--- events
1s s {"x":1}
2s s {"x":1}
3s s {"x":2}
11s s {"x":2}
--- alerts
1s r a=#1 {"m":1}
3s r a=#1,#2,#3 {"m":2}
11s r a=#4 {"m":2}

=== on change, session
--- rule
rule r { window session 5s { a: s fire on change } emit { m = max(x)  ws = window_start } }
--- events
0s s {"x":3}
1s s {"x":2}
2s s {"x":4}
20s s {"x":4}
--- alerts
0s r a=#1 {"m":3}
2s r a=#1,#2,#3 {"m":4}
20s r a=#4 {"m":4}

=== on change, hopping
--- rule
rule r { window hopping 4s every 2s { a: s fire on change } emit { m = max(x)  ws = window_start } }
--- events
4s s {"x":1}
5s s {"x":1}
6s s {"x":1}
--- alerts
4s r a=#1 {"m":1,"ws":"2027-01-01T00:00:02Z"}
4s r a=#1 {"m":1,"ws":"2027-01-01T00:00:04Z"}
6s r a=#3 {"m":1,"ws":"2027-01-01T00:00:06Z"}

=== reading 1: H became true as values left, then an event comes: it fires, as it was false since
--- rule
rule r { window sliding 10s { a: s having count() <= 2 } emit { n = count() } }
--- events
0s s
1s s
2s s
11.5s s
--- alerts
0s r a=#1 {"n":1}
11.5s r a=#3,#4 {"n":2}

=== reading 2: on match reset, tumbling: the emptied window may fire again
--- rule
rule r { window tumbling 10s { a: s having count() >= 2 fire on match reset } emit { n = count() } }
--- events
1s s
2s s
3s s
4s s
5s s
12s s
13s s
--- alerts
2s r a=#1,#2 {"n":2}
4s r a=#3,#4 {"n":2}
13s r a=#6,#7 {"n":2}

=== reading 3: on match reset, hopping: all windows of the key are emptied
--- rule
rule r { window hopping 4s every 2s { a: s having count() >= 2 fire on match reset } emit { n = count()  ws = window_start } }
--- events
5s s
6s s
7s s
--- alerts
6s r a=#1,#2 {"n":2,"ws":"2027-01-01T00:00:04Z"}

=== reading 4: on match reset, H holds over nothing: not armed again
--- rule
rule r { window sliding 60s { a: s having count() < 2 fire on match reset } emit { n = count() } }
--- events
0s s
1s s
--- alerts
0s r a=#1 {"n":1}

=== reading 4: on match reset, hopping, H holds over nothing: each window is armed again by itself
--- rule
rule r { window hopping 6s every 2s { a: s having count() <= 2 fire on match reset } emit { n = count()  ws = window_start } }
--- events
5s s
5.5s s
7s s
9s s
9.5s s
17s s
18s s
18.5s s
18.6s s
--- alerts
5s r a=#1 {"n":1,"ws":"2027-01-01T00:00:00Z"}
7s r a=#3 {"n":1,"ws":"2027-01-01T00:00:06Z"}
9s r a=#4 {"n":1,"ws":"2027-01-01T00:00:08Z"}
17s r a=#6 {"n":1,"ws":"2027-01-01T00:00:12Z"}
18s r a=#7 {"n":1,"ws":"2027-01-01T00:00:18Z"}

=== reading 4: on match reset, tumbling, H holds over nothing: false once, then it may fire again
--- rule
rule r { window tumbling 10s { a: s having count() != 2 fire on match reset } emit { n = count() } }
--- events
0s s
1s s
2s s
3s s
4s s
12s s
--- alerts
0s r a=#1 {"n":1}
3s r a=#2,#3,#4 {"n":3}
12s r a=#6 {"n":1}

=== reading 5: on match reset, session: the next event starts a new one
--- rule
rule r { window session 5s { a: s having count() >= 2 fire on match reset } emit { ws = window_start } }
--- events
0s s
1s s
2s s
3s s
--- alerts
1s r a=#1,#2 {"ws":"2027-01-01T00:00:00Z"}
3s r a=#3,#4 {"ws":"2027-01-01T00:00:02Z"}

=== reading 6: sliding, all events have left: the key begins anew, though H never was false
--- rule
rule r { window sliding 10s { a: s having count() < 3 } }
--- events
0s s
5s s
60s s
--- alerts
0s r a=#1
60s r a=#3

=== reading 8: on change, tumbling: told in another window does not count
--- rule
rule r { window tumbling 10s { a: s fire on change } emit { m = max(x) } }
--- events
1s s {"x":1}
11s s {"x":1}
--- alerts
1s r a=#1 {"m":1}
11s r a=#2 {"m":1}

=== reading 15: on change: H was false between, the value is the last told
--- rule
rule r { window global expire 1d { a: s having last(x) > 5 fire on change } emit { l = last(x) } }
--- events
0s s {"x":7}
1s s {"x":1}
2s s {"x":7}
--- alerts
0s r a=#1 {"l":7}
