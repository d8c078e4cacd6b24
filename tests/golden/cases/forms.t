# Every form of section 3, one by one.

=== one plain step needs no within and tells every event
--- rule
rule r { match { a: s where k == "a" } }
--- events
1s s {"k":"a"}
2s s {"k":"b"}
3s s {"k":"a"}
--- alerts
1s r a=1s
3s r a=3s

=== one plain step, two events of one time
--- rule
rule r { match { a: s } }
--- events
1s s
1s s
--- alerts
1s r a=#1
1s r a=#2

=== a step of several streams
--- rule
rule r { match within 10s { a: [s, t] where k == 1 b: u } }
--- events
1s t {"k":1}
2s s {"k":2}
3s u
4s s {"k":1}
5s u
--- alerts
3s r a=1s b=3s
5s r a=4s b=5s

=== a step of any stream
--- rule
rule r { match within 10s { a: any where k == 1 b: t } }
--- events
1s whatever {"k":1}
2s t
--- alerts
2s r a=1s b=2s

=== a declared stream is a union with a condition
--- rule
stream st = s, t where k == 1
rule r { match within 10s { a: st b: st where v == 2 } }
--- events
1s s {"k":1}
2s t {"k":2,"v":2}
3s t {"k":1,"v":2}
--- alerts
3s r a=1s b=3s

=== a stream of a stream, both conditions count
--- rule
stream one = s where k == 1
stream two = one where v == 1
rule r { match { a: two } }
--- events
1s s {"k":1}
2s s {"v":1}
3s s {"k":1,"v":1}
--- alerts
3s r a=3s

=== P may refer to an earlier step
--- rule
rule r { match within 10s { a: s where k == "a" b: s where k == "b" and v > a.v } }
--- events
1s s {"k":"a","v":5}
2s s {"k":"b","v":5}
3s s {"k":"b","v":6}
--- alerts
3s r a=1s b=3s

=== a{2,3} takes up to three: what the next element fits it takes
--- rule
rule r { match within 10s { a{2,3}: s where k == "a" b: s where k == "b" } }
--- events
1s s {"k":"a"}
2s s {"k":"a"}
3s s {"k":"a"}
4s s {"k":"a"}
5s s {"k":"b"}
--- alerts
5s r a=1s,2s,3s b=5s

=== a{2,3} with too few
--- rule
rule r { match within 10s { a{2,3}: s where k == "a" b: s where k == "b" } }
--- events
1s s {"k":"a"}
2s s {"k":"b"}
--- alerts

=== a{2,3} each: every start has its own
--- rule
rule r { match within 10s select each { a{2,3}: s where k == "a" b: s where k == "b" } }
--- events
1s s {"k":"a"}
2s s {"k":"a"}
3s s {"k":"a"}
4s s {"k":"a"}
5s s {"k":"b"}
--- alerts
5s r a=1s,2s,3s b=5s
5s r a=2s,3s,4s b=5s
5s r a=3s,4s b=5s

=== a+ is reluctant: an event that fits both goes on
--- rule
rule r { match within 10s { a+: s where v >= 1 b: s where v >= 2 } }
--- events
1s s {"v":1}
2s s {"v":1}
3s s {"v":2}
--- alerts
3s r a=1s,2s b=3s

=== a+ whose every event also fits what follows
--- rule
rule r { match within 10s { a+: s b: s } }
--- events
1s s
2s s
3s s
4s s
--- alerts
2s r a=1s b=2s
4s r a=3s b=4s

=== a{3} before its minimum keeps what also fits the next
--- rule
rule r { match within 10s { a{3}: s b: s where k == 1 } }
--- events
1s s {"k":1}
2s s {"k":1}
3s s {"k":1}
4s s {"k":1}
--- alerts
4s r a=1s,2s,3s b=4s

=== b* in the middle, none
--- rule
rule r { match within 10s { a: a b*: b c: c } }
--- events
1s a
2s c
--- alerts
2s r a=1s c=2s

=== b* in the middle, many
--- rule
rule r { match within 10s { a: a b*: b c: c } }
--- events
1s a
2s b
3s b
4s c
--- alerts
4s r a=1s b=2s,3s c=4s

=== b? takes one
--- rule
rule r { match within 10s { a: a b?: b c: c } }
--- events
1s a
2s b
3s b
4s c
--- alerts
4s r a=1s b=2s c=4s

=== moves over several elements that may be empty
--- rule
rule r { match within 10s { a: a b?: b c*: c d: d } }
--- events
1s a
2s d
3s a
4s c
5s b
6s d
--- alerts
2s r a=1s d=2s
6s r a=3s c=4s d=6s

=== of the elements that an event fits the last takes it
--- rule
rule r { match within 10s { a: a b?: s where v >= 1 c?: s where v >= 2 d: s where v >= 3 } }
--- events
1s a
2s s {"v":2}
3s s {"v":1}
4s s {"v":3}
--- alerts
4s r a=1s c=2s d=4s

=== an optional first, given
--- rule
rule r { match within 10s { a?: a b: b } }
--- events
1s a
2s b
--- alerts
2s r a=1s b=2s

=== an optional first, left out
--- rule
rule r { match within 10s { a?: a b: b c: c } }
--- events
1s b
2s c
--- alerts
2s r b=1s c=2s

=== an optional first, each: both the longer and the shorter
--- rule
rule r { match within 10s select each { a?: a b: b } }
--- events
1s a
2s b
--- alerts
2s r a=1s b=2s
2s r b=2s

=== a* first
--- rule
rule r { match within 10s { a*: a b: b } }
--- events
1s a
2s a
3s b
4s b
--- alerts
3s r a=1s,2s b=3s
4s r b=4s

=== two optional firsts
--- rule
rule r { match within 10s { a?: a b?: b c: c } }
--- events
1s b
2s c
3s a
4s b
5s c
--- alerts
2s r b=1s c=2s
5s r a=3s b=4s c=5s

=== a trailing a{3} is complete at three
--- rule
rule r { match within 10s { a{3}: a } }
--- events
1s a
2s a
3s a
4s a
5s a
6s a
7s a
--- alerts
3s r a=1s,2s,3s
6s r a=4s,5s,6s

=== a trailing a{2,} is complete at two
--- rule
rule r { match within 10s { a{2,}: a } }
--- events
1s a
2s a
3s a
4s a
--- alerts
2s r a=1s,2s
4s r a=3s,4s

=== a trailing b{2,4} is complete at two
--- rule
rule r { match within 10s { a: a b{2,4}: b } }
--- events
1s a
2s b
3s b
4s b
5s b
--- alerts
3s r a=1s b=2s,3s

=== a trailing b+ is complete at one
--- rule
rule r { match within 10s { a: a b+: b } }
--- events
1s a
2s b
3s b
--- alerts
2s r a=1s b=2s

=== a{3} in last keeps the newest three
--- rule
rule r { match within 10s select last { a{3}: a } }
--- events
1s a
2s a
3s a
4s a
--- alerts
3s r a=1s,2s,3s
4s r a=2s,3s,4s

=== a{3} in each
--- rule
rule r { match within 10s select each { a{3}: a } }
--- events
1s a
2s a
3s a
4s a
--- alerts
3s r a=1s,2s,3s
4s r a=2s,3s,4s

=== later, a alone means the last
--- rule
rule r { match within 10s { a{2}: a b: b where v == a.v } }
--- events
1s a {"v":1}
2s a {"v":2}
3s b {"v":1}
4s b {"v":2}
--- alerts
4s r a=1s,2s b=4s

=== first(a).x and last(a).x
--- rule
rule r { match within 10s { a{2}: a b: b where v == first(a).v and w == last(a).v } }
--- events
1s a {"v":1}
2s a {"v":2}
3s b {"v":2,"w":1}
4s b {"v":1,"w":2}
--- alerts
4s r a=1s,2s b=4s

=== aggregates of a step in a later condition
--- rule
rule r { match within 20s { a+: a b: b where sum(a.v) > 5 and count(a) >= 2 and max(a.v) < 5 and min(a.v) >= 1 and avg(a.v) == 3 } }
--- events
1s a {"v":2}
2s b
3s a {"v":4}
4s b
--- alerts
4s r a=1s,3s b=4s

=== count_distinct and values
--- rule
rule r {
  match within 20s { a{3,}: a b: b where count_distinct(a.v) == 2 }
  emit { v = values(a.v) n = count_distinct(a.v) }
}
--- events
1s a {"v":"x"}
2s a {"v":"x"}
3s a {"v":"x"}
4s b
5s a {"v":"y"}
6s b
--- alerts
6s r a=1s,2s,3s,5s b=6s {"v":["x","y"],"n":2}

=== count of a step that is not there is 0, the rest missing
--- rule
rule r {
  match within 20s { a: a b*: b c: c where count(b) == 0 and not sum(b.v) >= 0 and not exists(b) }
  emit { n = count(b) }
}
--- events
1s a
2s c
--- alerts
2s r a=1s c=2s {"n":0}

=== exists of a step that is bound
--- rule
rule r { match within 20s { a: a b?: b c: c where exists(b) } }
--- events
1s a
2s c
3s b
4s c
--- alerts
4s r a=1s b=3s c=4s

=== prev(a): each greater than the one before, missing at first
--- rule
rule r { match within 20s { a{3}: a where not exists(prev(a).v) or v > prev(a).v } }
--- events
1s a {"v":1}
2s a {"v":3}
3s a {"v":2}
4s a {"v":4}
--- alerts
4s r a=1s,2s,4s

=== prev(a) in a plain comparison never starts: missing is false
--- rule
rule r { match within 20s { a{2}: a where v > prev(a).v } }
--- events
1s a {"v":1}
2s a {"v":2}
3s a {"v":3}
--- alerts

=== aggregates inside the own P stand for what is bound so far
--- rule
rule r { match within 20s { a+: a where count(a) < 2 b: b } }
--- events
1s a
2s a
3s a
4s b
--- alerts
4s r a=1s,2s b=4s

=== a budget: sum of what is bound plus the candidate
--- rule
rule r { match within 20s { a+: a where (sum(a.v) ?? 0) + v <= 10 b: b } }
--- events
1s a {"v":6}
2s a {"v":5}
3s a {"v":4}
4s b
--- alerts
4s r a=1s,3s b=4s

=== any: exactly one of them
--- rule
rule r { match within 10s { any { a: a b: b } c: c } }
--- events
1s b
2s c
3s a
4s c
--- alerts
2s r b=1s c=2s
4s r a=3s c=4s

=== any: the first listed that fits
--- rule
rule r { match within 10s { any { a: s where v > 5 b: s where v > 0 } c: c } }
--- events
1s s {"v":9}
2s c
3s s {"v":2}
4s c
--- alerts
2s r a=1s c=2s
4s r b=3s c=4s

=== any in the middle takes one, what follows is skipped
--- rule
rule r { match within 10s { x: x any { a: a b: b } c: c } }
--- events
1s x
2s a
3s b
4s c
--- alerts
4s r x=1s a=2s c=4s

=== any at the end
--- rule
rule r { match within 10s { x: x any { a: a b: b } } }
--- events
1s x
2s b
3s a
4s x
5s a
--- alerts
2s r x=1s b=2s
5s r x=4s a=5s

=== a field of an alternative that was not taken is missing
--- rule
rule r { match within 10s { any { a: a b: b } c: c where v == a.v or not exists(a) } }
--- events
1s a {"v":1}
2s c {"v":2}
3s c {"v":1}
4s b
5s c {"v":7}
--- alerts
3s r a=1s c=3s
5s r b=4s c=5s

=== all in either order
--- rule
rule r { match within 10s { all { a: a b: b c: c } } }
--- events
1s c
2s a
3s b
4s b
5s c
6s a
--- alerts
3s r c=1s a=2s b=3s
6s r b=4s c=5s a=6s

=== all: a second of a kind is skipped
--- rule
rule r { match within 10s { all { a: a b: b } c: c } }
--- events
1s a
2s a
3s b
4s c
--- alerts
4s r a=1s b=3s c=4s

=== all 2 of three
--- rule
rule r { match within 10s { all 2 { a: a b: b c: c } } }
--- events
1s a
2s a
3s c
--- alerts
3s r a=1s c=3s

=== all 2 of three, then a step
--- rule
rule r { match within 10s { all 2 { a: a b: b c: c } d: d } }
--- events
1s b
2s d
3s c
4s a
5s d
--- alerts
5s r b=1s c=3s d=5s

=== all with a{2}
--- rule
rule r { match within 10s { all { a{2}: a b: b } } }
--- events
1s a
2s b
3s a
--- alerts
3s r a=1s,3s b=2s

=== all with a{2}: one is not enough
--- rule
rule r { match within 10s { all { a{2}: a b: b } } }
--- events
1s a
2s b
3s b
--- alerts

=== all: to the first listed open step that it fits
--- rule
rule r { match within 10s { all { a: s where v > 0 b: s where v > 1 } } }
--- events
1s s {"v":5}
2s s {"v":5}
--- alerts
2s r a=1s b=2s

=== all: bound events change places to make room
--- rule
rule r { match within 10s { all { a: s where v > 0 b: s where v > 1 } } }
--- events
1s s {"v":5}
2s s {"v":1}
--- alerts
2s r a=2s b=1s

=== all: room through a chain of three
--- rule
rule r { match within 10s { all { a: s where v in [1, 3] b: s where v in [1, 2] c: s where v == 2 } d: d } }
--- events
1s s {"v":1}
2s s {"v":2}
3s s {"v":3}
4s d
--- alerts
4s r a=3s b=1s c=2s d=4s

=== all: no room, it is skipped
--- rule
rule r { match within 10s { all { a: s where v == 1 b: s where v == 2 } } }
--- events
1s s {"v":1}
2s s {"v":1}
3s s {"v":2}
--- alerts
3s r a=1s b=3s

=== all whose steps refer to each other: judged when the later is bound
--- rule
rule r { match within 10s { all { a: a where v != b.v b: b } } }
--- events
1s a {"v":1}
2s b {"v":1}
3s b {"v":2}
--- alerts
3s r a=1s b=3s

=== all whose steps refer to each other, the other order
--- rule
rule r { match within 10s { all { a: a where v != b.v b: b } } }
--- events
1s b {"v":1}
2s a {"v":1}
3s a {"v":2}
--- alerts
3s r b=1s a=3s

=== all whose steps refer to each other does not change places
--- rule
rule r { match within 3s { all { a: s where v > 0 b: s where v > 1 and w >= a.w } } }
--- events
1s s {"v":5,"w":1}
2s s {"v":1,"w":0}
--- alerts

=== all in last: the newest of each
--- rule
rule r { match within 10s select last { all { a: a b: b } c: c } }
--- events
1s a
2s a
3s b
4s c
--- alerts
4s r a=2s b=3s c=4s

=== all in each: every start
--- rule
rule r { match within 10s select each { all { a: a b: b } } }
--- events
1s a
2s a
3s b
--- alerts
3s r a=1s b=3s
3s r a=2s b=3s

=== not between: from the moment the element before has its minimum
--- rule
rule r { match within 20s { a{2}: a not x: x b: b } }
--- events
1s a
2s x
3s a
4s b
5s a
6s a
7s x
8s b
--- alerts
4s r a=1s,3s b=4s

=== not between: until the first event of the element after
--- rule
rule r { match within 20s { a: a not x: x b{2}: b } }
--- events
1s a
2s b
3s x
4s b
--- alerts
4s r a=1s b=2s,4s

=== not between: an event that fits both the next and the not is taken
--- rule
rule r { match within 20s { a: a not x: s b: s where k == 1 } }
--- events
1s a
2s s {"k":1}
3s a
4s s {"k":2}
5s s {"k":1}
--- alerts
2s r a=1s b=2s

=== not between: P may refer to earlier steps
--- rule
rule r { match within 20s { a: a not x: x where u == a.u b: b } }
--- events
1s a {"u":1}
2s x {"u":2}
3s b
4s a {"u":1}
5s x {"u":1}
6s b
--- alerts
3s r a=1s b=3s

=== not between ends the run before the element can take more
--- rule
rule r { match within 20s { a+: s where v > 0 not x: s where v > 8 b: b } }
--- events
1s s {"v":1}
2s s {"v":9}
3s b
--- alerts
3s r a=2s b=3s

=== two nots in one gap
--- rule
rule r { match within 20s { a: a not x: x not y: y b: b } }
--- events
1s a
2s y
3s b
4s a
5s x
6s b
7s a
8s b
--- alerts
8s r a=7s b=8s

=== not behind a, optional b: the gap is closed by b
--- rule
rule r { match within 20s { a: a not x: x b?: b c: c } }
--- events
1s a
2s b
3s x
4s c
5s a
6s x
7s c
--- alerts
4s r a=1s b=2s c=4s

=== not before the first
--- rule
rule r { match within 10s { not x: x a: a b: b } }
--- events
0s x
5s a
6s b
20s a
21s b
--- alerts
21s r a=20s b=21s

=== not before the first: [t - D, t), the far end counts
--- rule
rule r { match within 10s { not x: x a: a b: b } }
--- events
0s x
10s a
11s b
30s x
40.000000001s a
41s b
--- alerts
41s r a=40.000000001s b=41s

=== not before the first, within its own reach
--- rule
rule r { match within 60s { not x: x within 2s a: a b: b } }
--- events
0s x
3s a
4s b
10s x
12s a
13s b
--- alerts
4s r a=3s b=4s

=== not before the first: at t but earlier in the order
--- rule
rule r { match within 10s { not x: b a: c z: z } }
--- events
0s b
20s c
20s b
21s z
--- alerts

=== not before the first: at t but later in the order does not count
--- rule
rule r { match within 10s { not x: x a: c z: z } }
--- events
0s x
20s c
20s x
21s z
--- alerts
21s r a=#2 z=21s

=== not before the first: an event does not forbid itself
--- rule
rule r { match within 10s { not x: s a: s b: b } }
--- events
0s s
11s s
12s b
--- alerts
12s r a=11s b=12s

=== not before the first: P may refer to the first step
--- rule
rule r { match within 10s { not x: x where u == a.u a: a b: b } }
--- events
0s x {"u":1}
10s x {"u":1}
12s a {"u":2}
13s b
14s a {"u":1}
15s b
--- alerts
13s r a=12s b=13s

=== cold: until the rule has seen the reach
--- rule
rule r { match within 10s { not x: x a: a b: b } }
--- events
0s x {"n":1}
10.5s x
20s x
30s a
31s b
--- alerts

=== cold until the reach is seen, then not
--- rule
rule r { match within 10s { not x: x a: a b: b } }
--- events
0s a
1s b
9s a
9.5s b
10s a
10.5s b
--- alerts
1s r a=0s b=1s cold
9.5s r a=9s b=9.5s cold
10.5s r a=10s b=10.5s

=== a lone step with a not before it
--- rule
rule r { match { not x: x within 5s a: a } }
--- events
0s a
4s x
8s a
9.000000001s a
--- alerts
0s r a=0s cold
9.000000001s r a=9.000000001s

=== next: what neither takes ends the run
--- rule
rule r { match within 20s { a: a next b: b c: c } }
--- events
1s a
2s c
3s b
4s c
5s a
6s b
7s c
--- alerts
7s r a=5s b=6s c=7s

=== next: the element before may take more
--- rule
rule r { match within 20s { a+: a next b: b c: c } }
--- events
1s a
2s a
3s b
4s a
5s c
--- alerts
5s r a=1s,2s b=3s c=5s

=== next: before the minimum of the element before anything may come
--- rule
rule r { match within 20s { a{2}: a next b: b c: c } }
--- events
1s a
2s c
3s a
4s b
5s c
--- alerts
5s r a=1s,3s b=4s c=5s

=== next a{3}: until it is full
--- rule
rule r { match within 20s { a: a next b{3}: b c: c } }
--- events
1s a
2s b
3s b
4s b
5s a
6s c
--- alerts
6s r a=1s b=2s,3s,4s c=6s

=== next a{3}: broken in the middle
--- rule
rule r { match within 20s { a: a next b{3}: b c: c } }
--- events
1s a
2s b
3s b
4s c
5s b
6s c
--- alerts

=== next all: any order, nothing between
--- rule
rule r { match within 20s { a: a next all { b: b c: c } d: d } }
--- events
1s a
2s c
3s b
4s d
5s a
6s b
7s d
8s c
9s d
--- alerts
4s r a=1s c=2s b=3s d=4s

=== next any
--- rule
rule r { match within 20s { a: a next any { b: b c: c } d: d } }
--- events
1s a
2s c
3s d
4s a
5s d
6s b
7s d
--- alerts
3s r a=1s c=2s d=3s

=== next: an event of a stream that the rule does not name is nothing
--- rule
rule r { match within 20s { a: a next b: b } }
--- events
1s a
2s z
3s b
--- alerts
3s r a=1s b=3s

=== next: an event of the stream that does not fit P breaks too
--- rule
rule r { match within 20s { a: s where k == "a" next b: s where k == "b" } }
--- events
1s s {"k":"a"}
2s s {"k":"z"}
3s s {"k":"b"}
4s s {"k":"a"}
5s s {"k":"b"}
--- alerts
5s r a=4s b=5s

=== next: another key does not break
--- rule
rule r { match by u within 20s { a: s where k == "a" next b: s where k == "b" } }
--- events
1s s {"u":1,"k":"a"}
2s s {"u":2,"k":"z"}
3s s {"u":1,"k":"b"}
--- alerts
3s r a=1s b=3s

=== next: the same kind again breaks the old run and starts a new one
--- rule
rule r { match within 20s select each { a: a next b: b } }
--- events
1s a
2s a
3s b
--- alerts
3s r a=2s b=3s

=== until ends open runs
--- rule
rule r { match within 20s { a: a b: b until u: u } }
--- events
1s a
2s u
3s b
4s a
5s b
--- alerts
5s r a=4s b=5s

=== until: a run that it completes is complete
--- rule
rule r { match within 20s { a: a b: s until u: s } }
--- events
1s a
2s s
3s s
--- alerts
2s r a=1s b=2s

=== until ends those that it started
--- rule
rule r { match within 20s { a: s b: b until u: s where k == 1 } }
--- events
1s s {"k":1}
2s b
3s s {"k":2}
4s b
--- alerts
4s r a=3s b=4s

=== until: P is judged for each run
--- rule
rule r { match within 20s select each { a: a b: b until u: u where v == a.v } }
--- events
1s a {"v":1}
2s a {"v":2}
3s u {"v":1}
4s b
--- alerts
4s r a=2s b=4s

=== until ends matches that wait for a trailing not
--- rule
rule r { match within 20s { a: a b: b not c: c within 5s until u: u } }
--- events
1s a
2s b
4s u
10s a
11s b
--- alerts
16s r a=10s b=11s

=== until: a match that it completes, waiting for a trailing not, is ended
--- rule
rule r { match within 20s { a: a b: s not c: c within 5s until u: s where k == 1 } }
--- events
1s a
2s s {"k":1}
10s a
11s s
--- alerts
16s r a=10s b=11s

=== until: only the key of the event
--- rule
rule r { match by k within 20s { a: a b: b until u: u } }
--- events
1s a {"k":1}
2s a {"k":2}
3s u {"k":1}
4s b {"k":1}
5s b {"k":2}
--- alerts
5s r a=2s b=5s

=== n failures with no success in between, then a success
--- rule
rule r { match by k within 60s { fail{3,}: s where e == "f" ok: s where e == "ok" until x: s where e == "ok" } }
--- events
1s s {"k":1,"e":"f"}
2s s {"k":1,"e":"f"}
3s s {"k":2,"e":"f"}
4s s {"k":1,"e":"ok"}
5s s {"k":1,"e":"f"}
6s s {"k":1,"e":"f"}
7s s {"k":1,"e":"f"}
8s s {"k":1,"e":"ok"}
9s s {"k":1,"e":"ok"}
--- alerts
8s r fail=5s,6s,7s ok=8s
