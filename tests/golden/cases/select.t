# first, last, each; equalities that link.

=== first: all runs that began at or before the match's last event end
--- rule
rule r { match within 20s { a: a b: b c: c } }
--- events
1s a
2s a
3s b
4s c
5s c
6s b
7s c
--- alerts
4s r a=1s b=3s c=4s

=== first: what began with the match's last event ends too
--- rule
rule r { match within 20s { a: s b: s c: s } }
--- events
1s s
2s s
3s s
4s s
5s s
6s s
--- alerts
3s r a=1s b=2s c=3s
6s r a=4s b=5s c=6s

=== first: who finishes first is the match, not who began first
--- rule
rule r { match within 20s { a: a b: b where v == a.v + 0 c: c } }
--- events
1s a {"v":1}
2s a {"v":2}
3s b {"v":2}
4s c
5s b {"v":1}
6s c
--- alerts
4s r a=2s b=3s c=4s

=== first: expired runs do not hide later ones
--- rule
rule r { match within 3s { a: a b: b } }
--- events
1s a
3s a
5s b
--- alerts
5s r a=3s b=5s

=== last: the nearest predecessor
--- rule
rule r { match within 20s select last { a: a b: b c: c } }
--- events
1s a
2s a
3s b
4s a
5s b
6s c
--- alerts
6s r a=4s b=5s c=6s

=== last: a newcomer replaces, it does not merge
--- rule
rule r { match within 20s select last { a: a b: b where v > a.v } }
--- events
1s a {"v":1}
2s a {"v":9}
3s b {"v":5}
--- alerts

=== last: counts are slots of their own
--- rule
rule r { match within 20s select last { a{2}: a b: b } }
--- events
1s a
2s a
3s a
4s b
5s b
--- alerts
4s r a=2s,3s b=4s

=== last: only the run that matched ends
--- rule
rule r { match within 20s select last { a: s where v > 0 b: s where v > 1 c: s where v > 2 } }
--- events
1s s {"v":1}
2s s {"v":2}
3s s {"v":3}
4s s {"v":3}
--- alerts
3s r a=1s b=2s c=3s
4s r a=2s b=3s c=4s

=== last: an event cannot advance the run it just made
--- rule
rule r { match within 20s select last { a: s b: s c: s } }
--- events
1s s
2s s
3s s
4s s
--- alerts
3s r a=1s b=2s c=3s
4s r a=2s b=3s c=4s

=== last with an optional step in the middle
--- rule
rule r { match within 20s select last { a: a b?: b c: c } }
--- events
1s a
2s b
3s a
4s c
5s c
--- alerts
4s r a=1s b=2s c=4s
4s r a=3s c=4s

=== last: all, per set that is filled
--- rule
rule r { match within 20s select last { all { a: a b: b c: c } d: d } }
--- events
1s a
2s b
3s a
4s b
5s c
6s d
--- alerts
6s r b=4s a=3s c=5s d=6s

=== each: every start its own
--- rule
rule r { match within 20s select each { a: a b{2}: b } }
--- events
1s a
2s b
3s a
4s b
5s b
--- alerts
4s r a=1s b=2s,4s
5s r a=3s b=4s,5s

=== each: only that run ends
--- rule
rule r { match within 20s select each { a: s b: s } }
--- events
1s s
2s s
3s s
--- alerts
2s r a=1s b=2s
3s r a=2s b=3s

=== link: in first a match ends only what agrees
--- rule
rule r { match within 60s { p: p c: c where ppid == p.pid d: d } }
--- events
1s p {"pid":10}
2s p {"pid":20}
3s c {"ppid":20}
4s d
5s c {"ppid":10}
6s d
--- alerts
4s r p=2s c=3s d=4s
6s r p=1s c=5s d=6s

=== link: several of one event that do not agree are all told
--- rule
rule r { match within 60s { p: p c: c where ppid == p.pid d: d } }
--- events
1s p {"pid":10}
2s p {"pid":20}
3s c {"ppid":20}
4s c {"ppid":10}
5s d
--- alerts
5s r p=1s c=4s d=5s
5s r p=2s c=3s d=5s

=== link: in first those that agree end
--- rule
rule r { match within 60s { p: p c: c where ppid == p.pid } }
--- events
1s p {"pid":10}
2s p {"pid":10}
3s c {"ppid":10}
4s c {"ppid":10}
--- alerts
3s r p=1s c=3s

=== link: in last a newcomer replaces only what agrees
--- rule
rule r { match within 60s select last { p: p c: c where ppid == p.pid } }
--- events
1s p {"pid":10}
2s p {"pid":20}
3s p {"pid":20}
4s c {"ppid":10}
5s c {"ppid":20}
--- alerts
4s r p=1s c=4s
5s r p=3s c=5s

=== link: written the other way round
--- rule
rule r { match within 60s select last { p: p c: c where p.pid == ppid and v == 1 } }
--- events
1s p {"pid":10}
2s p {"pid":20}
3s c {"ppid":10,"v":1}
4s c {"ppid":20,"v":2}
5s c {"ppid":20,"v":1}
--- alerts
3s r p=1s c=3s
5s r p=2s c=5s

=== link: only a conjunct links, not an alternative
--- rule
rule r { match within 60s select last { p: p c: c where ppid == p.pid or v == 1 } }
--- events
1s p {"pid":10}
2s p {"pid":20}
3s c {"ppid":10}
4s c {"ppid":20}
--- alerts
4s r p=2s c=4s

=== link: != and arithmetic do not link
--- rule
rule r { match within 60s select last { p: p c: c where ppid != p.pid and n == p.n + 0 } }
--- events
1s p {"pid":10,"n":1}
2s p {"pid":20,"n":2}
3s c {"ppid":11,"n":1}
4s c {"ppid":11,"n":2}
--- alerts
4s r p=2s c=4s

=== link: two values
--- rule
rule r { match within 60s { p: p c: c where ppid == p.pid and host == p.host } }
--- events
1s p {"pid":10,"host":"h"}
2s p {"pid":10,"host":"i"}
3s c {"ppid":10,"host":"h"}
4s c {"ppid":10,"host":"i"}
--- alerts
3s r p=1s c=3s
4s r p=2s c=4s

=== link: a chain of three
--- rule
rule r { match within 60s { p: s where e == "p" c: s where e == "c" and ppid == p.pid g: s where e == "c" and ppid == c.pid } }
--- events
1s s {"e":"p","pid":1}
2s s {"e":"p","pid":5}
3s s {"e":"c","ppid":1,"pid":2}
4s s {"e":"c","ppid":5,"pid":6}
5s s {"e":"c","ppid":2,"pid":3}
6s s {"e":"c","ppid":6,"pid":7}
--- alerts
5s r p=1s c=3s g=5s
6s r p=2s c=4s g=6s

=== link: a value that one has not bound yet does not keep them apart
--- rule
rule r { match within 60s { a: a p: p c: c where ppid == p.pid } }
--- events
1s a
2s p {"pid":1}
3s a
4s c {"ppid":1}
5s p {"pid":2}
6s c {"ppid":2}
--- alerts
4s r a=1s p=2s c=4s

=== link: each is not touched by links
--- rule
rule r { match within 60s select each { p: p c: c where ppid == p.pid } }
--- events
1s p {"pid":1}
2s p {"pid":1}
3s p {"pid":2}
4s c {"ppid":1}
5s c {"ppid":2}
--- alerts
4s r p=1s c=4s
4s r p=2s c=4s
5s r p=3s c=5s

=== link with a trailing not: one deadline does not hide the other
--- rule
rule r { match within 60s { p: p c: c where ppid == p.pid not x: x within 5s } }
--- events
1s p {"pid":1}
2s p {"pid":2}
3s c {"ppid":1}
3s c {"ppid":2}
--- alerts
8s r p=1s c=#3
8s r p=2s c=#4

=== first: several complete on one event, the earliest start is the match
--- rule
rule r { match within 60s { a: a b: b c: c } }
--- events
1s a
2s b
3s a
4s b
5s c
--- alerts
5s r a=1s b=2s c=5s

=== first with loops: a match ends the shorter ones
--- rule
rule r { match within 60s { a{2,}: a b: b } }
--- events
1s a
2s a
3s a
4s b
5s b
--- alerts
4s r a=1s,2s,3s b=4s

=== loops in each: every start takes all that follows
--- rule
rule r { match within 60s select each { a+: a b: b } }
--- events
1s a
2s a
3s b
--- alerts
3s r a=1s,2s b=3s
3s r a=2s b=3s

=== limit runs: first refuses new starts
--- rule
rule r { limit runs 2 per key match within 5s { a: a b: b } }
--- events
1s a
2s a
3s a
7.5s b
--- alerts

=== limit runs: without it the third would have matched
--- rule
rule r { match within 5s { a: a b: b } }
--- events
1s a
2s a
3s a
7.5s b
--- alerts
7.5s r a=3s b=7.5s

=== limit runs: each drops the oldest
--- rule
rule r { limit runs 2 per key match within 10s select each { a: a b: b } }
--- events
1s a
2s a
3s a
4s b
--- alerts
4s r a=2s b=4s
4s r a=3s b=4s

=== limit runs is per key
--- rule
rule r { limit runs 1 per key match by k within 10s { a: a b: b } }
--- events
1s a {"k":1}
2s a {"k":2}
3s b {"k":1}
4s b {"k":2}
--- alerts
3s r a=1s b=3s
4s r a=2s b=4s

=== limit runs: expired runs do not count
--- rule
rule r { limit runs 1 per key match within 3s { a: a b: b } }
--- events
1s a
5s a
6s b
--- alerts
6s r a=5s b=6s
