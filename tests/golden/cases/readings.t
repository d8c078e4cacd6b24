# The numbers are those of tests/oracle/READINGS.md: cases whose answer the page leaves open. Each
# expects the first reading named there; decide, then move the case to its place.

=== reading 1: first, several at one deadline
--- rule
rule r { match { a: a not b: b within 5s } }
--- events
1s a
1s a
--- alerts
6s r a=#1

=== reading 2: began after the match's last event in the order, at its time
--- rule
rule r { match within 20s { a: s where k == "a" b: s where k == "b" not c: c within 5s } }
--- events
1s s {"k":"a"}
1s s {"k":"b"}
1s s {"k":"a"}
2s s {"k":"b"}
--- alerts
6s r a=#1 b=#2
7s r a=#3 b=2s

=== reading 3: last, alternatives of any have slots of their own
--- rule
rule r { match within 10s select last { any { a: a b: b } c: c } }
--- events
1s a
2s b
3s c
--- alerts
3s r a=1s c=3s
3s r b=2s c=3s

=== reading 3: last, full all 2 of three
--- rule
rule r { match within 10s select last { all 2 { a: a b: b c: c } d: d } }
--- events
1s a
2s b
3s c
4s d
--- alerts
4s r a=1s b=2s d=4s
4s r b=2s c=3s d=4s

=== reading 4: an equality of a trailing not links
--- rule
rule r { match within 20s { p: p q: q not x: x where id == p.id within 5s } }
--- events
1s p {"id":1}
2s p {"id":2}
3s q
--- alerts
8s r p=1s q=3s
8s r p=2s q=3s

=== reading 4: an equality of until links
--- rule
rule r { match within 20s { p: p q: q until x: x where id == p.id } }
--- events
1s p {"id":1}
2s p {"id":2}
3s q
--- alerts
3s r p=1s q=3s
3s r p=2s q=3s

=== reading 5: next b{2,4} is full at 4
--- rule
rule r { match within 20s { a: a next b{2,4}: b c: c until x: x where never == 1 } }
--- events
1s a
2s b
3s b
4s x
5s c
11s a
12s b
13s b
14s c
--- alerts
14s r a=11s b=12s,13s c=14s

=== reading 6: the value of a link to a quantified step is the last one's
--- rule
rule r { match within 20s { a{2}: a b: b where x == a.x c: c } }
--- events
1s a {"x":1}
2s a {"x":2}
3s a {"x":1}
4s b {"x":2}
5s b {"x":1}
6s c
--- alerts
6s r a=1s,2s b=4s c=6s
6s r a=2s,3s b=5s c=6s

=== reading 7: all, the ways to change places
--- rule
rule r { match within 10s { all { a: s where v <= 1 b: s where v <= 2 c: s where v == 2 } d: d } }
--- events
1s s {"v":1}
2s s {"v":2}
3s s {"v":1}
4s d
--- alerts
4s r a=3s b=1s c=2s d=4s

=== reading 8: cold counts from the first event of the input
--- rule
rule r { match within 10s { not x: x a: a where k == 1 b: b } }
--- events
0s a {"k":2}
10s a {"k":1}
11s b
--- alerts
11s r a=10s b=11s

=== reading 9: last, an optional first
--- rule
rule r { match within 10s select last { a?: a b: b c: c } }
--- events
1s a
2s b
3s c
--- alerts
3s r b=2s c=3s

=== reading 10: a start takes the last element that fits
--- rule
rule r { match within 10s { a?: s where v >= 1 b: s where v >= 2 c: c } }
--- events
1s s {"v":2}
2s c
--- alerts
2s r b=1s c=2s

=== reading 11: all k, what a step that is not filled holds
--- rule
rule r { match within 10s { all 2 { a{2}: a b: b c: c } } }
--- events
1s a
2s b
3s c
--- alerts
3s r a=1s b=2s c=3s

=== reading 13: limit runs counts what waits for a trailing not
--- rule
rule r { limit runs 1 per key match { a: a not b: b within 5s } }
--- events
1s a
2s a
--- alerts
6s r a=1s

=== reading 14: suppress lets the earliest start through
--- rule
rule r { suppress 10s match within 10s select each { a: a b: b } }
--- events
1s a
2s a
3s b
--- alerts
3s r a=1s b=3s

=== reading 17: a null in a list-valued key is passed over
--- rule
rule r { match by ip { a: s } emit { ip = ip } }
--- events
1s s {"ip":["p",null]}
--- alerts
1s r a=1s {"ip":"p"} key {"ip":"p"}

=== reading 18: any over objects reads their fields
--- rule
rule r { match { a: s where any(f in files: f.name == "x" and f.size > 5) } }
--- events
1s s {"files":[{"name":"x","size":1},{"name":"y","size":9}]}
2s s {"files":[{"name":"x","size":9}]}
--- alerts
2s r a=2s
