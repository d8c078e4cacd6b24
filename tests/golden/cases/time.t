# Edges of time: equality, one nanosecond more, ties, deadlines at the very time.

=== within: equality passes
--- rule
rule r { match within 5s { a: a b: b } }
--- events
1s a
6s b
--- alerts
6s r a=1s b=6s

=== within: one nanosecond more does not
--- rule
rule r { match within 5s { a: a b: b } }
--- events
1s a
6.000000001s b
--- alerts

=== within is from the first event to the last, not step to step
--- rule
rule r { match within 5s { a: a b: b c: c } }
--- events
1s a
4s b
6.000000001s c
7s a
10s b
12s c
--- alerts
12s r a=7s b=10s c=12s

=== within of a step: equality passes
--- rule
rule r { match { a: a b: b within 5s } }
--- events
1s a
6s b
--- alerts
6s r a=1s b=6s

=== within of a step: one nanosecond more does not
--- rule
rule r { match { a: a b: b within 5s } }
--- events
1s a
6.000000001s b
--- alerts

=== within of a step is from the event bound before it
--- rule
rule r { match { a: a b: b within 5s c: c within 5s } }
--- events
1s a
5s b
10s c
11s a
16s b
21.000000001s c
--- alerts
10s r a=1s b=5s c=10s

=== within of a step: each event of a loop
--- rule
rule r { match { a{3}: a within 2s } }
--- events
1s a
3s a
5s a
10s a
12s a
14.000000001s a
--- alerts
5s r a=1s,3s,5s

=== within of a step with its own and the rule's
--- rule
rule r { match within 10s { a: a b: b within 3s c: c } }
--- events
1s a
5s b
6s a
9s b
16s c
--- alerts
16s r a=6s b=9s c=16s

=== within of an optional step
--- rule
rule r { match within 10s { a: a b?: b within 2s c: c } }
--- events
1s a
4s b
5s c
6s a
8s b
9s c
--- alerts
5s r a=1s c=5s
9s r a=6s b=8s c=9s

=== within of steps in a group
--- rule
rule r { match within 20s { all { a: a within 2s b: b within 2s } } }
--- events
1s a
4s b
6s a
--- alerts
6s r b=4s a=6s

=== within of steps in a group that refer to each other: equality passes, more does not
--- rule
rule r { match within 20s { all { a: a where v != b.v b: b within 2s } } }
--- events
1s a {"v":1}
3s b {"v":2}
11s a {"v":1}
13.000000001s b {"v":2}
--- alerts
3s r a=1s b=3s

=== events of one time: the source's name decides
--- rule
rule r { match within 5s { a: b b: a } }
rule t { match within 5s { a: a b: b } }
--- events
1s b
1s a
--- alerts
1s t a=#2 b=#1

=== events of one time and source: the offset decides
--- rule
rule r { match within 5s { a: s where k == "a" b: s where k == "b" } }
--- events
1s s {"k":"a"}
1s s {"k":"b"}
2s s {"k":"b"}
3s s {"k":"b"}
3s s {"k":"a"}
--- alerts
1s r a=#1 b=#2

=== within 0s: only events of one time
--- rule
rule r { match within 0s { a: s where k == "a" b: s where k == "b" } }
--- events
1s s {"k":"a"}
1s s {"k":"b"}
2s s {"k":"a"}
2.000000001s s {"k":"b"}
--- alerts
1s r a=#1 b=#2

=== trailing not: an event at the deadline's very time comes before it
--- rule
rule r { match { a: a not b: b within 5s } }
--- events
1s a
6s b
--- alerts

=== trailing not: one nanosecond later is too late
--- rule
rule r { match { a: a not b: b within 5s } }
--- events
1s a
6.000000001s b
--- alerts
6s r a=1s

=== trailing not without its own within: until first + D
--- rule
rule r { match within 10s { a: a b: b not c: c } }
--- events
1s a
4s b
11s c
20s a
24s b
30.000000001s c
--- alerts
30s r a=20s b=24s

=== trailing not with its own: after the last event, D does not cut it
--- rule
rule r { match within 5s { a: a b: b not c: c within 1m } }
--- events
1s a
6s b
66.000000001s c
--- alerts
66s r a=1s b=6s

=== trailing not: an event of the last event's time, behind it in the order, forbids
--- rule
rule r { match { a: a not b: b within 5s } }
--- events
1s b
1s a
--- alerts

=== trailing not: an event of the last event's time, before it in the order, does not
--- rule
rule r { match { a: b not x: a within 5s } }
--- events
1s b
1s a
--- alerts
6s r a=#1

=== trailing nots: each watches its own reach, told at the longest
--- rule
rule r { match { a: a not x: x within 5s not y: y within 10s } }
--- events
0s a
6s x
20s a
25s x
40s a
50s y
60s a
70.000000001s y
--- alerts
10s r a=0s
70s r a=60s

=== trailing not: P may refer to steps
--- rule
rule r { match { a: a not b: b where id == a.id within 5s } }
--- events
1s a {"id":1}
2s b {"id":2}
10s a {"id":3}
11s b {"id":3}
--- alerts
6s r a=1s

=== trailing not with a key
--- rule
rule r { match by u { a: a not b: b within 5s } }
--- events
1s a {"u":1}
2s a {"u":2}
3s b {"u":2}
--- alerts
6s r a=1s {} key {"u":1}

=== trailing not in select each
--- rule
rule r { match within 20s select each { a: a b: b not c: c within 5s } }
--- events
1s a
2s a
3s b
4s b
--- alerts
8s r a=1s b=3s
8s r a=2s b=3s

=== trailing not in select last: what waits holds no slot
--- rule
rule r { match within 20s select last { a: a b: b not c: c within 5s } }
--- events
1s a
2s b
3s a
4s b
--- alerts
7s r a=1s b=2s
9s r a=3s b=4s

=== trailing not in select first: what waits takes nothing
--- rule
rule r { match within 20s { a: a b: b not c: c within 5s } }
--- events
1s a
2s b
3s b
4s a
5s b
--- alerts
7s r a=1s b=2s
10s r a=4s b=5s

=== trailing not in select first: a match ends what began before its last event
--- rule
rule r { match within 20s { a: a b: b where v >= a.v not c: c within 5s } }
--- events
1s a {"v":5}
2s a {"v":1}
3s b {"v":1}
4s b {"v":5}
--- alerts
8s r a=2s b=3s

=== deadline and event of one time: the event is first, then the deadline
--- rule
rule r { match { a: a not b: b within 5s } }
--- events
1s a
6s a
--- alerts
6s r a=1s
11s r a=6s

=== until at the deadline's very time ends what waits
--- rule
rule r { match { a: a not b: b within 5s until u: u } }
--- events
1s a
6s u
--- alerts

=== until after the deadline does not
--- rule
rule r { match { a: a not b: b within 5s until u: u } }
--- events
1s a
6.000000001s u
--- alerts
6s r a=1s

=== the end of the input decides what is open
--- rule
rule r { match { a: a not b: b within 7d } }
--- events
1s a
--- alerts
604801s r a=1s

=== not within a: lead, its own reach in nanoseconds
--- rule
rule r { match within 60s { not x: x within 500ms a: a } }
--- events
0s x
0.5s a
2s x
2.500000001s a
--- alerts
2.500000001s r a=2.500000001s

=== lateness: the same whatever the order of arrival
--- rule
rule r { match by u within 10s select each { a: a b: b not c: c within 3s } }
--- events lateness 4s
1s a {"u":1}
2s a {"u":1}
3s b {"u":1}
3s a {"u":2}
5s c {"u":2}
5s b {"u":2}
6s a {"u":1}
7s b {"u":1}
9s c {"u":2}
11s c {"u":1}
--- alerts
6s r a=1s b=#3
6s r a=2s b=#3
10s r a=6s b=7s

=== before the epoch of the case nothing happens: offsets with parts of a second
--- rule
rule r { match within 1500ms { a: a b: b } }
--- events
0.1s a
1.6s b
1.7s a
3.200000001s b
--- alerts
1.6s r a=0.1s b=1.6s

=== within 0s: at one time, in their order
--- rule
rule r { match by u within 0s { a: s where n == 1  b: s where n == 2 } }
rule k { match by u within 1m { a: s where n == 1  b: s where n == 2 within 0s } }
--- events
0s s {"u":1,"n":1}
0s s {"u":1,"n":2}
5s s {"u":1,"n":1}
6s s {"u":1,"n":2}
7s s {"u":1,"n":2}
7s s {"u":1,"n":1}
--- alerts
0s k a=#1 b=#2
0s r a=#1 b=#2

=== not within 0s: none at that very time
--- rule
rule r { match by u { a: s where n == 1  not b: s where n == 2 within 0s } }
--- events
0s s {"u":1,"n":1}
0s s {"u":1,"n":2}
5s s {"u":1,"n":2}
5s s {"u":1,"n":1}
6s s {"u":1,"n":2}
--- alerts
5s r a=#4

=== x{5} of seven: complete at the fifth, what follows begins anew
--- rule
rule r { match by u within 1m { f{5}: s } emit { n = count(f) } }
--- events
0s s {"u":1}
1s s {"u":1}
2s s {"u":1}
3s s {"u":1}
4s s {"u":1}
5s s {"u":1}
6s s {"u":1}
--- alerts
4s r f=#1,#2,#3,#4,#5 {"n":5}
