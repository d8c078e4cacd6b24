# The vectors of section 3, every row in first, last and each (tests/oracle/vectors.py holds the
# same table as the page has it).

=== vector 1: a b, within 10s, first
--- rule
rule r { match within 10s { a: a b: b } }
--- events
1s a
2s a
3s b
4s b
--- alerts
3s r a=1s b=3s

=== vector 1: a b, within 10s, last
--- rule
rule r { match within 10s select last { a: a b: b } }
--- events
1s a
2s a
3s b
4s b
--- alerts
3s r a=2s b=3s

=== vector 1: a b, within 10s, each
--- rule
rule r { match within 10s select each { a: a b: b } }
--- events
1s a
2s a
3s b
4s b
--- alerts
3s r a=1s b=3s
3s r a=2s b=3s

=== vector 2: a b c, within 10s, first
--- rule
rule r { match within 10s { a: a b: b c: c } }
--- events
1s a
2s a
3s b
4s b
5s a
6s c
--- alerts
6s r a=1s b=3s c=6s

=== vector 2: a b c, within 10s, last
--- rule
rule r { match within 10s select last { a: a b: b c: c } }
--- events
1s a
2s a
3s b
4s b
5s a
6s c
--- alerts
6s r a=2s b=3s c=6s

=== vector 2: a b c, within 10s, each
--- rule
rule r { match within 10s select each { a: a b: b c: c } }
--- events
1s a
2s a
3s b
4s b
5s a
6s c
--- alerts
6s r a=1s b=3s c=6s
6s r a=2s b=3s c=6s

=== vector 3: a b c, within 100s, first
--- rule
rule r { match within 100s { a: a b: b c: c } }
--- events
1s a
2s b
3s a
4s c
5s b
6s c
--- alerts
4s r a=1s b=2s c=4s

=== vector 3: a b c, within 100s, last
--- rule
rule r { match within 100s select last { a: a b: b c: c } }
--- events
1s a
2s b
3s a
4s c
5s b
6s c
--- alerts
4s r a=1s b=2s c=4s
6s r a=3s b=5s c=6s

=== vector 3: a b c, within 100s, each
--- rule
rule r { match within 100s select each { a: a b: b c: c } }
--- events
1s a
2s b
3s a
4s c
5s b
6s c
--- alerts
4s r a=1s b=2s c=4s
6s r a=3s b=5s c=6s

=== vector 4: a b, within 5s, first
--- rule
rule r { match within 5s { a: a b: b } }
--- events
1s a
6s b
10s a
15.001s b
--- alerts
6s r a=1s b=6s

=== vector 4: a b, within 5s, last
--- rule
rule r { match within 5s select last { a: a b: b } }
--- events
1s a
6s b
10s a
15.001s b
--- alerts
6s r a=1s b=6s

=== vector 4: a b, within 5s, each
--- rule
rule r { match within 5s select each { a: a b: b } }
--- events
1s a
6s b
10s a
15.001s b
--- alerts
6s r a=1s b=6s

=== vector 5: a b, within 5s, first
--- rule
rule r { match within 5s { a: a b: b } }
--- events
0s a
4s a
6s b
--- alerts
6s r a=4s b=6s

=== vector 5: a b, within 5s, last
--- rule
rule r { match within 5s select last { a: a b: b } }
--- events
0s a
4s a
6s b
--- alerts
6s r a=4s b=6s

=== vector 5: a b, within 5s, each
--- rule
rule r { match within 5s select each { a: a b: b } }
--- events
0s a
4s a
6s b
--- alerts
6s r a=4s b=6s

=== vector 6: a{3,} b, within 10s, first
--- rule
rule r { match within 10s { a{3,}: a b: b } }
--- events
1s a
2s a
3s a
4s a
5s b
--- alerts
5s r a=1s,2s,3s,4s b=5s

=== vector 6: a{3,} b, within 10s, last
--- rule
rule r { match within 10s select last { a{3,}: a b: b } }
--- error-like
last

=== vector 6: a{3,} b, within 10s, each
--- rule
rule r { match within 10s select each { a{3,}: a b: b } }
--- events
1s a
2s a
3s a
4s a
5s b
--- alerts
5s r a=1s,2s,3s,4s b=5s
5s r a=2s,3s,4s b=5s

=== vector 7: a{3,} b, within 3s, first
--- rule
rule r { match within 3s { a{3,}: a b: b } }
--- events
1s a
2s a
3s a
4s a
5s b
--- alerts
5s r a=2s,3s,4s b=5s

=== vector 7: a{3,} b, within 3s, last
--- rule
rule r { match within 3s select last { a{3,}: a b: b } }
--- error-like
last

=== vector 7: a{3,} b, within 3s, each
--- rule
rule r { match within 3s select each { a{3,}: a b: b } }
--- events
1s a
2s a
3s a
4s a
5s b
--- alerts
5s r a=2s,3s,4s b=5s

=== vector 8: a{3} b, within 10s, first
--- rule
rule r { match within 10s { a{3}: a b: b } }
--- events
1s a
2s a
3s a
4s a
5s b
6s b
--- alerts
5s r a=1s,2s,3s b=5s

=== vector 8: a{3} b, within 10s, last
--- rule
rule r { match within 10s select last { a{3}: a b: b } }
--- events
1s a
2s a
3s a
4s a
5s b
6s b
--- alerts
5s r a=2s,3s,4s b=5s

=== vector 8: a{3} b, within 10s, each
--- rule
rule r { match within 10s select each { a{3}: a b: b } }
--- events
1s a
2s a
3s a
4s a
5s b
6s b
--- alerts
5s r a=1s,2s,3s b=5s
5s r a=2s,3s,4s b=5s

=== vector 9: a not x b, within 10s, first
--- rule
rule r { match within 10s { a: a not x: x b: b } }
--- events
1s a
2s x
3s b
4s a
5s b
--- alerts
5s r a=4s b=5s

=== vector 9: a not x b, within 10s, last
--- rule
rule r { match within 10s select last { a: a not x: x b: b } }
--- events
1s a
2s x
3s b
4s a
5s b
--- alerts
5s r a=4s b=5s

=== vector 9: a not x b, within 10s, each
--- rule
rule r { match within 10s select each { a: a not x: x b: b } }
--- events
1s a
2s x
3s b
4s a
5s b
--- alerts
5s r a=4s b=5s

=== vector 10: a+ not x b, within 10s, first
--- rule
rule r { match within 10s { a+: a not x: x b: b } }
--- events
1s a
2s x
3s a
4s b
--- alerts
4s r a=3s b=4s

=== vector 10: a+ not x b, within 10s, last
--- rule
rule r { match within 10s select last { a+: a not x: x b: b } }
--- error-like
last

=== vector 10: a+ not x b, within 10s, each
--- rule
rule r { match within 10s select each { a+: a not x: x b: b } }
--- events
1s a
2s x
3s a
4s b
--- alerts
4s r a=3s b=4s

=== vector 11: a{2,} not x b, within 10s, first
--- rule
rule r { match within 10s { a{2,}: a not x: x b: b } }
--- events
1s a
2s x
3s a
4s b
--- alerts
4s r a=1s,3s b=4s

=== vector 11: a{2,} not x b, within 10s, last
--- rule
rule r { match within 10s select last { a{2,}: a not x: x b: b } }
--- error-like
last

=== vector 11: a{2,} not x b, within 10s, each
--- rule
rule r { match within 10s select each { a{2,}: a not x: x b: b } }
--- events
1s a
2s x
3s a
4s b
--- alerts
4s r a=1s,3s b=4s

=== vector 12: a; not b within 5s, no within, first
--- rule
rule r { match { a: a not b: b within 5s } }
--- events
1s a
3s b
10s a
--- alerts
15s r a=10s

=== vector 12: a; not b within 5s, no within, last
--- rule
rule r { match select last { a: a not b: b within 5s } }
--- events
1s a
3s b
10s a
--- alerts
15s r a=10s

=== vector 12: a; not b within 5s, no within, each
--- rule
rule r { match select each { a: a not b: b within 5s } }
--- events
1s a
3s b
10s a
--- alerts
15s r a=10s

=== vector 13: a; not b within 5s, no within, first
--- rule
rule r { match { a: a not b: b within 5s } }
--- events
1s a
3s a
--- alerts
6s r a=1s
8s r a=3s

=== vector 13: a; not b within 5s, no within, last
--- rule
rule r { match select last { a: a not b: b within 5s } }
--- events
1s a
3s a
--- alerts
6s r a=1s
8s r a=3s

=== vector 13: a; not b within 5s, no within, each
--- rule
rule r { match select each { a: a not b: b within 5s } }
--- events
1s a
3s a
--- alerts
6s r a=1s
8s r a=3s

=== vector 14: hb; not hb within 5s, no within, first
--- rule
rule r { match { hb: hb not hb2: hb within 5s } }
--- events
0s hb
3s hb
6s hb
--- alerts
11s r hb=6s

=== vector 14: hb; not hb within 5s, no within, last
--- rule
rule r { match select last { hb: hb not hb2: hb within 5s } }
--- events
0s hb
3s hb
6s hb
--- alerts
11s r hb=6s

=== vector 14: hb; not hb within 5s, no within, each
--- rule
rule r { match select each { hb: hb not hb2: hb within 5s } }
--- events
0s hb
3s hb
6s hb
--- alerts
11s r hb=6s

=== vector 15: a b not c within 5m, within 60s, first
--- rule
rule r { match within 60s { a: a b: b not c: c within 5m } }
--- events
0s a
1s b
--- alerts
301s r a=0s b=1s

=== vector 15: a b not c within 5m, within 60s, last
--- rule
rule r { match within 60s select last { a: a b: b not c: c within 5m } }
--- events
0s a
1s b
--- alerts
301s r a=0s b=1s

=== vector 15: a b not c within 5m, within 60s, each
--- rule
rule r { match within 60s select each { a: a b: b not c: c within 5m } }
--- events
0s a
1s b
--- alerts
301s r a=0s b=1s

=== vector 16: a; not x within 5s; not y within 60s, no within, first
--- rule
rule r { match { a: a not x: x within 5s not y: y within 60s } }
--- events
0s a
30s y
--- alerts

=== vector 16: a; not x within 5s; not y within 60s, no within, last
--- rule
rule r { match select last { a: a not x: x within 5s not y: y within 60s } }
--- events
0s a
30s y
--- alerts

=== vector 16: a; not x within 5s; not y within 60s, no within, each
--- rule
rule r { match select each { a: a not x: x within 5s not y: y within 60s } }
--- events
0s a
30s y
--- alerts

=== vector 17: a; not b within 5s; until u, no within, first
--- rule
rule r { match { a: a not b: b within 5s until u: u } }
--- events
1s a
6s u
--- alerts

=== vector 17: a; not b within 5s; until u, no within, last
--- rule
rule r { match select last { a: a not b: b within 5s until u: u } }
--- events
1s a
6s u
--- alerts

=== vector 17: a; not b within 5s; until u, no within, each
--- rule
rule r { match select each { a: a not b: b within 5s until u: u } }
--- events
1s a
6s u
--- alerts

=== vector 18: all{a b} c, within 10s, first
--- rule
rule r { match within 10s { all { a: a b: b } c: c } }
--- events
1s b
2s a
3s c
--- alerts
3s r b=1s a=2s c=3s

=== vector 18: all{a b} c, within 10s, last
--- rule
rule r { match within 10s select last { all { a: a b: b } c: c } }
--- events
1s b
2s a
3s c
--- alerts
3s r b=1s a=2s c=3s

=== vector 18: all{a b} c, within 10s, each
--- rule
rule r { match within 10s select each { all { a: a b: b } c: c } }
--- events
1s b
2s a
3s c
--- alerts
3s r b=1s a=2s c=3s

=== vector 19: a next b (the rule also names x), within 10s, first
--- rule
rule r { match within 10s { a: a next b: b until x: x where never == 1 } }
--- events
1s a
2s x
3s b
4s a
5s b
--- alerts
5s r a=4s b=5s

=== vector 19: a next b (the rule also names x), within 10s, last
--- rule
rule r { match within 10s select last { a: a next b: b until x: x where never == 1 } }
--- events
1s a
2s x
3s b
4s a
5s b
--- alerts
5s r a=4s b=5s

=== vector 19: a next b (the rule also names x), within 10s, each
--- rule
rule r { match within 10s select each { a: a next b: b until x: x where never == 1 } }
--- events
1s a
2s x
3s b
4s a
5s b
--- alerts
5s r a=4s b=5s

=== vector 20: a next b{2}, within 10s, first
--- rule
rule r { match within 10s { a: a next b{2}: b until x: x where never == 1 } }
--- events
1s a
2s b
3s x
4s b
--- alerts

=== vector 20: a next b{2}, within 10s, last
--- rule
rule r { match within 10s select last { a: a next b{2}: b until x: x where never == 1 } }
--- events
1s a
2s b
3s x
4s b
--- alerts

=== vector 20: a next b{2}, within 10s, each
--- rule
rule r { match within 10s select each { a: a next b{2}: b until x: x where never == 1 } }
--- events
1s a
2s b
3s x
4s b
--- alerts

=== vector 21: a a, within 10s, first
--- rule
rule r { match within 10s { a: a a2: a } }
--- events
1s a
2s a
3s a
4s a
--- alerts
2s r a=1s a2=2s
4s r a=3s a2=4s

=== vector 21: a a, within 10s, last
--- rule
rule r { match within 10s select last { a: a a2: a } }
--- events
1s a
2s a
3s a
4s a
--- alerts
2s r a=1s a2=2s
3s r a=2s a2=3s
4s r a=3s a2=4s

=== vector 21: a a, within 10s, each
--- rule
rule r { match within 10s select each { a: a a2: a } }
--- events
1s a
2s a
3s a
4s a
--- alerts
2s r a=1s a2=2s
3s r a=2s a2=3s
4s r a=3s a2=4s

=== vector 22: p; c where ppid == p.pid, within 60s, first
--- rule
rule r { match within 60s { p: p c: c where ppid == p.pid } }
--- events
1s p {"pid":10}
2s p {"pid":20}
3s c {"ppid":10}
4s c {"ppid":20}
--- alerts
3s r p=1s c=3s
4s r p=2s c=4s

=== vector 22: p; c where ppid == p.pid, within 60s, last
--- rule
rule r { match within 60s select last { p: p c: c where ppid == p.pid } }
--- events
1s p {"pid":10}
2s p {"pid":20}
3s c {"ppid":10}
4s c {"ppid":20}
--- alerts
3s r p=1s c=3s
4s r p=2s c=4s

=== vector 22: p; c where ppid == p.pid, within 60s, each
--- rule
rule r { match within 60s select each { p: p c: c where ppid == p.pid } }
--- events
1s p {"pid":10}
2s p {"pid":20}
3s c {"ppid":10}
4s c {"ppid":20}
--- alerts
3s r p=1s c=3s
4s r p=2s c=4s

=== vector 23: f{3,} ok until ok, within 100s, first
--- rule
rule r { match within 100s { f{3,}: f ok: ok until ok2: ok } }
--- events
1s f
2s f
3s ok
4s f
5s f
6s f
7s ok
--- alerts
7s r f=4s,5s,6s ok=7s

=== vector 23: f{3,} ok until ok, within 100s, last
--- rule
rule r { match within 100s select last { f{3,}: f ok: ok until ok2: ok } }
--- error-like
last

=== vector 23: f{3,} ok until ok, within 100s, each
--- rule
rule r { match within 100s select each { f{3,}: f ok: ok until ok2: ok } }
--- events
1s f
2s f
3s ok
4s f
5s f
6s f
7s ok
--- alerts
7s r f=4s,5s,6s ok=7s
