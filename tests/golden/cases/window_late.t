# Section 4, `allow late`; section 7, what is late. The order of events is that of their arrival.

=== a late event updates a closed window: a revision
--- rule
rule r { window tumbling 10s { a: s allow late 10s } emit { n = count() } }
--- events lateness 0s
1s s
12s s
5s s
--- alerts
10s r a=#1 {"n":1} revision 0
10s r a=#1,#3 {"n":2} revision 1
20s r a=#2 {"n":1} revision 0

=== each late event one revision
--- rule
rule r { window tumbling 10s { a: s allow late 10s } emit { n = count() } }
--- events lateness 0s
1s s
12s s
5s s
6s s
--- alerts
10s r a=#1 {"n":1} revision 0
10s r a=#1,#3 {"n":2} revision 1
10s r a=#1,#3,#4 {"n":3} revision 2
20s r a=#2 {"n":1} revision 0

=== H holds only now: the window is told for the first time
--- rule
rule r { window tumbling 10s { a: s having count() >= 2 allow late 10s } emit { n = count() } }
--- events lateness 0s
1s s
12s s
5s s
--- alerts
10s r a=#1,#3 {"n":2} revision 0

=== H no longer holds: retracted
--- rule
rule r { window tumbling 10s { a: s having count() < 2 allow late 10s } emit { n = count() } }
--- events lateness 0s
1s s
12s s
5s s
--- alerts
10s r a=#1 {"n":1} revision 0
10s r {} revision 1 retracted true
20s r a=#2 {"n":1} revision 0

=== retracted, then H holds again
--- rule
rule r { window tumbling 10s { a: s having count() % 2 == 1 allow late 10s } emit { n = count() } }
--- events lateness 0s
1s s
12s s
5s s
6s s
--- alerts
10s r a=#1 {"n":1} revision 0
10s r {} revision 1 retracted true
10s r a=#1,#3,#4 {"n":3} revision 2
20s r a=#2 {"n":1} revision 0

=== retracted once: H does not hold, and does not hold
--- rule
rule r { window tumbling 10s { a: s having count() < 2 allow late 10s } emit { n = count() } }
--- events lateness 0s
1s s
12s s
5s s
6s s
--- alerts
10s r a=#1 {"n":1} revision 0
10s r {} revision 1 retracted true
20s r a=#2 {"n":1} revision 0

=== a late event of a window that is still open just enters
--- rule
rule r { window tumbling 10s { a: s allow late 10s } emit { n = count() } }
--- events lateness 0s
1s s
8s s
5s s
--- alerts
10s r a=#1,#3,#2 {"n":3} revision 0

=== late is below the watermark: at the watermark is in time
--- rule
rule r { window tumbling 10s { a: s allow late 1s } emit { n = count() } }
--- events lateness 2s
1s s
12s s
10s s
9.999999999s s
--- alerts
10s r a=#1,#4 {"n":2} revision 0
20s r a=#3,#2 {"n":2} revision 0

=== the window is kept until the frontier is beyond its end by more than d
--- rule
rule r { window tumbling 10s { a: s allow late 5s } emit { n = count() } }
--- events lateness 0s
1s s
15s s
5s s
--- alerts
10s r a=#1 {"n":1} revision 0
10s r a=#1,#3 {"n":2} revision 1
20s r a=#2 {"n":1} revision 0

=== one ns later it is gone
--- rule
rule r { window tumbling 10s { a: s allow late 5s } emit { n = count() } }
--- events lateness 0s
1s s
15.000000001s s
5s s
--- alerts
10s r a=#1 {"n":1} revision 0
20s r a=#2 {"n":1} revision 0

=== the window is closed when the frontier has left its end behind
--- rule
rule r { window tumbling 10s { a: s allow late 5s } emit { n = count() } }
--- events lateness 0s
1s s
10s s
5s s
--- alerts
10s r a=#1,#3 {"n":2} revision 0
20s r a=#2 {"n":1} revision 0

=== without allow late nothing late comes in, not even into an open window
--- rule
rule r { window tumbling 10s { a: s } emit { n = count() } }
--- events lateness 0s
1s s
8s s
5s s
--- alerts
10s r a=#1,#2 {"n":2}

=== other bodies are given no late event
--- rule
rule m { match within 20s { a: s where k == 1 b: s where k == 2 } }
rule w { window sliding 20s { a: s having count() >= 3 } }
rule j { join by u within 20s { a: s where k == 1 b: s where k == 2 } }
rule n { novel k within 20s { a: s } }
--- events lateness 0s
4s s {"k":2,"u":1}
8s s {"k":2,"u":1}
5s s {"k":1,"u":1}
--- alerts
4s n a=#1

=== a late event makes a window of its own
--- rule
rule r { window tumbling 10s { a: s allow late 10s } emit { n = count() } }
--- events lateness 0s
11s s
12s s
5s s
--- alerts
10s r a=#3 {"n":1} revision 0
20s r a=#1,#2 {"n":2} revision 0

=== a late event of another key
--- rule
rule r { window tumbling 10s by u { a: s allow late 10s } emit { u = u  n = count() } }
--- events lateness 0s
1s s {"u":1}
12s s {"u":1}
5s s {"u":2}
6s s {"u":1}
--- alerts
10s r a=#1 {"u":1,"n":1} revision 0
10s r a=#3 {"u":2,"n":1} revision 0
10s r a=#1,#4 {"u":1,"n":2} revision 1
20s r a=#2 {"u":1,"n":1} revision 0

=== first, last and collect go by the order of events, not of arrival
--- rule
rule r { window tumbling 10s { a: s allow late 10s } emit { f = first(x)  l = last(x)  c = collect(x, 5) } }
--- events lateness 0s
3s s {"x":3}
7s s {"x":7}
12s s
5s s {"x":5}
1s s {"x":1}
8s s {"x":8}
--- alerts
10s r a=#1,#2 {"f":3,"l":7,"c":[3,7]} revision 0
10s r a=#1,#4,#2 {"f":3,"l":7,"c":[3,5,7]} revision 1
10s r a=#5,#1,#4,#2 {"f":1,"l":7,"c":[1,3,5,7]} revision 2
10s r a=#5,#1,#4,#2,#6 {"f":1,"l":8,"c":[1,3,5,7,8]} revision 3
20s r a=#3 {"f":null,"l":null} revision 0

=== hopping: each window by itself, closed, kept or open
--- rule
rule r { window hopping 6s every 2s { a: s allow late 2s } emit { n = count() we = window_end } }
--- events lateness 0s
6s s
11s s
7s s
--- alerts
8s r a=#1 {"n":1} revision 0
10s r a=#1 {"n":1} revision 0
10s r a=#1,#3 {"n":2} revision 1
12s r a=#1,#3,#2 {"n":3} revision 0
14s r a=#2 {"n":1} revision 0
16s r a=#2 {"n":1} revision 0

=== session: a late event inside
--- rule
rule r { window session 5s { a: s allow late 20s } emit { n = count() } }
--- events lateness 0s
1s s
5s s
20s s
3s s
--- alerts
10s r a=#1,#2 {"n":2} revision 0
10s r a=#1,#4,#2 {"n":3} revision 1
25s r a=#3 {"n":1} revision 0

=== session: a late event makes it longer
--- rule
rule r { window session 5s { a: s allow late 20s } emit { n = count()  ws = window_start  we = window_end } }
--- events lateness 0s
1s s
20s s
6s s
--- alerts
6s r a=#1 {"n":1,"we":"2027-01-01T00:00:06Z"} revision 0
11s r a=#1,#3 {"n":2,"ws":"2027-01-01T00:00:01Z","we":"2027-01-01T00:00:11Z"} revision 1
25s r a=#2 {"n":1} revision 0

=== session: a late event before it makes it longer and keeps its id
--- rule
rule r { window session 5s { a: s allow late 20s } emit { n = count()  ws = window_start } }
--- events lateness 0s
5s s
20s s
0s s
--- alerts
10s r a=#1 {"n":1,"ws":"2027-01-01T00:00:05Z"} revision 0
10s r a=#3,#1 {"n":2,"ws":"2027-01-01T00:00:00Z"} revision 1
25s r a=#2 {"n":1} revision 0

=== session: one ns more than the gap away is a session of its own
--- rule
rule r { window session 5s { a: s allow late 20s } emit { n = count() } }
--- events lateness 0s
1s s
20s s
6.000000001s s
--- alerts
6s r a=#1 {"n":1} revision 0
11.000000001s r a=#3 {"n":1} revision 0
25s r a=#2 {"n":1} revision 0

=== session: a late event merges two; the earliest one's id stays, the other is retracted
--- rule
rule r { window session 5s { a: s allow late 30s } emit { n = count() } }
--- events lateness 0s
1s s
9s s
30s s
5s s
--- alerts
6s r a=#1 {"n":1} revision 0
14s r a=#2 {"n":1} revision 0
14s r {} revision 1 retracted true
14s r a=#1,#4,#2 {"n":3} revision 1
35s r a=#3 {"n":1} revision 0

=== session: merges two that were not told
--- rule
rule r { window session 5s { a: s having count() >= 3 allow late 30s } emit { n = count() } }
--- events lateness 0s
1s s
9s s
30s s
5s s
--- alerts
14s r a=#1,#4,#2 {"n":3} revision 0

=== session: merges one that was told into an earlier one that was not
--- rule
rule r { window session 5s { a: s having sum(x) >= 5 allow late 30s } emit { s = sum(x) } }
--- events lateness 0s
1s s {"x":1}
9s s {"x":5}
30s s
5s s {"x":1}
--- alerts
14s r a=#2 {"s":5} revision 0
14s r {} revision 1 retracted true
14s r a=#1,#4,#2 {"s":7} revision 0

=== session: merged, and H holds no longer: both are retracted
--- rule
rule r { window session 5s { a: s having count() == 1 allow late 30s } emit { n = count() } }
--- events lateness 0s
1s s
9s s
30s s
5s s
--- alerts
6s r a=#1 {"n":1} revision 0
14s r a=#2 {"n":1} revision 0
14s r {} revision 1 retracted true
14s r {} revision 1 retracted true
35s r a=#3 {"n":1} revision 0

=== reading 17: session, a late event opens it again: the revision is told when it closes
--- rule
rule r { window session 5s { a: s allow late 30s } emit { n = count() } }
--- events lateness 0s
1s s
7s s
6s s
8s s
20s s
--- alerts
6s r a=#1 {"n":1} revision 0
13s r a=#1,#3,#2,#4 {"n":4} revision 1
25s r a=#5 {"n":1} revision 0

=== revisions are not suppressed, and hold nothing back
--- rule
rule r { suppress 1h window tumbling 10s { a: s allow late 60s } emit { n = count() } }
--- events lateness 0s
1s s
12s s
5s s
--- alerts
10s r a=#1 {"n":1} revision 0
10s r a=#1,#3 {"n":2} revision 1

=== late: the place is behind the events of the time of the watermark
--- rule
rule r { window session 10s { e: s allow late 30s }  emit { n = count() } }
--- events lateness 0s
0s s
12s s
6s s
12s s
40s s
--- alerts
10s r e=#1 {"n":1}
22s r e=#1,#3,#2,#4 {"n":4} revision 1
50s r e=#5 {"n":1}

=== late: a place before the first event of all is the first event's
--- rule
rule r { window tumbling 10s { e: s allow late 1s }  emit { n = count() } }
--- events lateness 50s
100s s
40s s
62s s
52s s
120s s
--- alerts
60s r e=#4 {"n":1}
70s r e=#3 {"n":1}
110s r e=#1 {"n":1}
130s r e=#5 {"n":1}

=== a late event moves the start of a session that is cut by max: its end is past, so it closes at once
--- rule
rule r { window session 4s max 6s by u { a: s allow late 10s } emit { n = count()  ws = window_start  we = window_end } }
--- events lateness 0s
3s s {"u":1}
6s s {"u":1}
8.9s s {"u":1}
8.95s s {"u":2}
2.92s s {"u":1}
2.93s s {"u":1}
8.96s s {"u":1}
30s s {"u":3}
--- alerts
8.92s r a=#5,#1,#2,#3 {"n":4,"ws":"2027-01-01T00:00:02.920Z","we":"2027-01-01T00:00:08.920Z"}
8.92s r a=#5,#6,#1,#2,#3 {"n":5} revision 1
12.95s r a=#4 {"n":1}
12.96s r a=#7 {"n":1}
34s r a=#8 {"n":1}
