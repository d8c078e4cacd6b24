# Section 1: exceptions. Those of the rules' clauses that count alerts do not count what is held back.

=== exceptions: by a key, an emitted field, a step, the completing event
--- rule
exception "key" for r where u == "k"
exception "emitted" for r where n == 2
exception "step" for r where a.v == 7
exception "event" for r where w == "w"
rule r { match by u within 10s { a: s  b: t } emit { n = b.v } }
--- events
0s s {"u":"k","v":1}
1s t {"u":"k","v":1}
2s s {"u":"x","v":1}
3s t {"u":"x","v":2}
4s s {"u":"x","v":7}
5s t {"u":"x","v":1}
6s s {"u":"x","v":1}
7s t {"u":"x","v":1,"w":"w"}
8s s {"u":"x","v":1}
9s t {"u":"x","v":1}
--- alerts
9s r a=#9 b=#10 {"n":1}

=== exceptions: an emitted field hides the event's
--- rule
exception "e" for r where v == 1
rule r { match { a: s } emit { v = a.v + 1 } }
--- events
0s s {"v":0}
1s s {"v":1}
--- alerts
1s r a=#2 {"v":2}

=== exceptions: until is compared with the alert's time, and is not in it
--- rule
exception "a" for r until 2027-01-01T00:00:05Z where k == 1
exception "b" for late until 2027-01-01T00:00:05Z where k == 1
rule r { match { a: s } emit { k = k } }
rule late { match by k { a: s not b: t within 2s } }
--- events
2s s {"k":1}
4999999999ns s {"k":1}
5s s {"k":1}
--- alerts
5s r a=#3
6.999999999s late a=#2
7s late a=#3

=== exceptions: several rules, and others are not touched
--- rule
exception "e" for [p, q] where k == 1
rule p { match { a: s } }
rule q { match { a: s } }
rule r { match { a: s } }
--- events
0s s {"k":1}
1s s {"k":2}
--- alerts
0s r a=#1
1s p a=#2
1s q a=#2
1s r a=#2

=== exceptions: what is held back is neither counted nor remembered by suppress
--- rule
exception "e" for r where test == true
rule r { match by u { a: s } suppress 10s }
--- events
0s s {"u":1,"test":true}
1s s {"u":1}
2s s {"u":1,"test":true}
3s s {"u":1}
12s s {"u":1,"test":true}
13s s {"u":1}
--- alerts
1s r a=#2 suppressed=0
13s r a=#6 suppressed=1

=== exceptions: nor by limit alerts
--- rule
exception "e" for r where test == true
rule r { match { a: s } limit alerts 1 per 10s }
--- events
0s s {"test":true}
1s s
2s s {"test":true}
--- alerts
1s r a=#2

=== exceptions: what the rule makes for others is made
--- rule
exception "e" for [base, r] where test == true
rule base { match { a: s } emit { test = test  `#` = `#` } }
rule r { match { b: base } }
rule o { match { b: base } }
--- events
0s s {"test":true}
1s s {"test":false}
--- alerts
0s o b=#1
1s base a=#2
1s o b=#2
1s r b=#2

=== exceptions: an emit into with to
--- rule
exception "e" for maker where v == 1
rule maker { match { a: s } emit into made { v = v  `#` = `#` } to [disk] }
rule r { match { b: made } }
--- events
0s s {"v":1}
1s s {"v":2}
--- alerts
0s r b=#1
1s maker a=#2
1s r b=#2

=== exceptions: of windows, joins and first sightings
--- rule
exception "w" for w where count() == 2 and u == "x"
exception "j" for j where l.v + r.v == 3
exception "n" for n where u startswith "svc"
rule w { window tumbling 10s by u { a: s } }
rule j { join by u within 2s { l: s r: t } }
rule n { novel u within 1d { a: s } }
--- events
0s s {"u":"x","v":1}
1s t {"u":"x","v":2}
1500ms t {"u":"x","v":3}
2s s {"u":"x","v":9}
3s s {"u":"svc1","v":9}
--- alerts
0s n a=#1
1.5s j l=#1 r=#3
2s j l=#4 r=#2
2s j l=#4 r=#3
10s w a=#5 {} key {"u":"svc1"}

=== exceptions: through a stream's field, a list and a def
--- rule
list known = ["joe"]
def is_known(u) = u in known
stream s = a { user = lower(name) }
exception "e" for r where is_known(user)
rule r { match { x: s } emit { n = name } }
--- events
0s a {"name":"JOE"}
1s a {"name":"Ann"}
--- alerts
1s r x=#2 {"n":"Ann"}

=== exceptions: in a computed severity's rule, with a loop
--- rule
exception "few" for r where count(f) < 4 and first(f).ip == last(f).ip
rule r { severity if(count(f) > 3, high, low) match within 10s { f{3,4}: s  g: t } emit { n = count(f) } }
--- events
0s s {"ip":1}
1s s {"ip":2}
2s s {"ip":1}
3s t
4s s {"ip":1}
5s s {"ip":2}
6s s {"ip":2}
7s t
--- alerts
7s r f=#5,#6,#7 g=#8 severity=low

=== exceptions: an unknown rule
--- rule
exception "e" for brute_forse where x == 1
rule brute_force { match { a: s } }
--- error
case.rule:1:19: error: unknown rule `brute_forse`
    exception "e" for brute_forse where x == 1
                      ^~~~~~~~~~~ did you mean `brute_force`?
