# Section 8: `emit into`, rules' names as streams. A derived event is named in the alerts by the
# member "#" that its rule emits: the number of the event that it was made of.

=== derived: a sequence over the alerts of another rule
--- rule
rule brute { match by u within 10s { f{2}: s where ok == false } emit { u = u  n = count(f)  `#` = `#` } }
rule then_in { match by u within 1m { b: brute  login: s where ok == true } emit { n = b.n  rule = b.rule  gap = time(login) - time(b) } }
--- events
0s s {"u":"x","ok":false}
1s s {"u":"y","ok":false}
2s s {"u":"x","ok":false}
3s s {"u":"y","ok":true}
5s s {"u":"x","ok":true}
--- alerts
2s brute f=#1,#3 {"n":2}
5s then_in b=#3 login=#5 {"n":2,"rule":"brute","gap":3} key {"u":"x"}

=== derived: emit into without to makes events and no alerts
--- rule
rule maker { match { a: s where k == 1 } emit into made { v = v  `#` = `#` } }
rule reader { match { m: made where v > 1 } emit { v = m.v } }
--- events
0s s {"k":1,"v":1}
1s s {"k":1,"v":2}
2s s {"k":2,"v":3}
3s made {"v":9}
--- alerts
1s reader m=#2 {"v":2}
3s reader m=#4 {"v":9}

=== derived: emit into with to makes both
--- rule
rule maker { match { a: s } emit into made { v = v  `#` = `#` } to [disk] }
rule reader { match { m: made where v > 1 } emit { v = m.v } }
--- events
0s s {"v":1}
1s s {"v":2}
--- alerts
0s maker a=#1 {"v":1}
1s maker a=#2 {"v":2}
1s reader m=#2 {"v":2}

=== derived: emit into that nobody reads
--- rule
rule maker { match { a: s } emit into made { v = v } }
rule other { match { a: s } }
--- events
0s s {"v":1}
--- alerts
0s other a=#1

=== derived: rule, severity and key are fields of a rule's own stream
--- rule
rule low_one { severity low match by host.name, ip = source.ip { a: s } emit { x = x  `#` = `#` } }
rule reader {
  match { a: low_one where rule == "low_one" and severity == "low" }
  emit { host = a.key.`host.name`  ip = a.key.ip  sev = a.severity  x = a.x }
}
--- events
0s s {"host":{"name":"h"},"source":{"ip":"i"},"x":[1,2]}
--- alerts
0s low_one a=#1 {}
0s reader a=#1 {"host":"h","ip":"i","sev":"low","x":[1,2]}

=== derived: the severity is the computed one; what is emitted under these names wins
--- rule
rule base { severity if(n > 5, high, low) match { a: s } emit { n = n  `#` = `#` } }
rule own { match { a: s } emit { rule = "mine"  severity = 7  key = "k"  `#` = `#` } }
rule read_base { match { a: base } emit { sev = a.severity } }
rule read_own { match { a: own } emit { r = a.rule  s = a.severity  k = a.key } }
--- events
0s s {"n":9}
1s s {"n":1}
--- alerts
0s base a=#1 severity=high
0s own a=#1
0s read_base a=#1 {"sev":"high"}
0s read_own a=#1 {"r":"mine","s":7,"k":"k"}
1s base a=#2 severity=low
1s own a=#2
1s read_base a=#2 {"sev":"low"}
1s read_own a=#2 {"r":"mine","s":7,"k":"k"}

=== derived: an emit into stream has the emitted fields only
--- rule
rule maker { match by k { a: s } emit into made { a.b.c = v  a.d = 1  `#` = `#` } }
rule reader { match { m: made where not exists(rule) and not exists(key) and a.b.c == 2 } emit { d = m.a.d } }
--- events
0s s {"k":"x","v":2}
--- alerts
0s reader m=#1 {"d":1}

=== derived: events are never suppressed
--- rule
rule base { match by u { a: s } emit { `#` = `#` } suppress 1h }
rule three { match by key.u within 10s { b{3}: base } }
--- events
0s s {"u":1}
1s s {"u":1}
2s s {"u":1}
--- alerts
0s base a=#1
2s three b=#1,#2,#3

=== derived: deadlines make events, at the deadline's time
--- rule
rule silent { match by h { a: hb not b: hb within 5s } emit { h = h  `#` = a.`#` } }
rule two { match within 10s { x: silent where h == "p" y: silent where h == "q" } emit { gap = time(y) - time(x) } }
--- events
0s hb {"h":"p"}
2s hb {"h":"q"}
--- alerts
5s silent a=#1
7s silent a=#2
7s two x=#1 y=#2 {"gap":2}

=== derived: a deadline over derived events
--- rule
rule up { match by h { a: s where state == "up" } emit { h = h  `#` = `#` } }
rule stays { match by h { a: up not b: s where state == "down" within 10s } }
--- events
0s s {"h":1,"state":"up"}
1s s {"h":2,"state":"up"}
10s s {"h":1,"state":"down"}
12s s {"h":2,"state":"down"}
--- alerts
0s up a=#1
1s up a=#2
11s stays a=#2 {} key {"h":2}

=== derived: derived of derived, and the order by depth
--- rule
rule z_first { match { a: s } emit { v = v  `#` = `#` } }
rule b_second { match { a: z_first } emit { v = a.v + 1  `#` = `#` } }
rule a_third { match { a: b_second where v == 11 } emit { v = a.v + 1  `#` = `#` } }
rule all_of_it { match within 1s { a: [z_first, b_second, a_third] where rule == "z_first" b: [z_first, b_second, a_third] where rule == "b_second" c: [z_first, b_second, a_third] } emit { rules = concat(a.rule, " ", b.rule, " ", c.rule) } }
--- events
0s s {"v":10}
--- alerts
0s a_third a=#1 {"v":12}
0s all_of_it a=#1 b=#1 c=#1 {"rules":"z_first b_second a_third"}
0s b_second a=#1 {"v":11}
0s z_first a=#1 {"v":10}

=== derived: events of one instant come by depth, then rule, then key
--- rule
rule m2 { match by u { a: s } emit into made { from = concat("m2 ", u)  `#` = `#` } }
rule m1 { match by u { a: s } emit into made { from = concat("m1 ", u)  `#` = `#` } }
rule deep { match { a: m1 } emit into made { from = "deep" `#` = `#` } }
rule seen { match within 1s { a{5}: made } emit { order = values(a.from) } }
--- events
0s s {"u":["y","x"]}
--- alerts
0s seen a=#1,#1,#1,#1,#1 {"order":["m1 x","m1 y","m2 x","m2 y","deep"]}

=== derived: a derived event comes before the next source event of the same time
--- rule
rule made { match { a: s where k == 1 } emit { `#` = `#` } }
rule r { match within 10s { m: made b: s where k == 2 } }
rule q { match within 10s { b: s where k == 2 m: made } }
--- events
0s s {"k":1}
0s s {"k":2}
5s s {"k":2}
5s s {"k":1}
--- alerts
0s made a=#1
0s r m=#1 b=#2
5s made a=#4
5s q b=#2 m=#4

=== derived: `any` holds no derived events
--- rule
rule maker { match { a: s } emit into made { `#` = 77 } }
rule counts { match within 10s { a{2}: any } }
rule reads { match { a: made } }
--- events
0s s
1s s
--- alerts
0s reads a=#77
1s counts a=#1,#2
1s reads a=#77

=== derived: a declared stream over a source and a rule
--- rule
rule base { match { a: s where k == 1 } emit { u = u  `#` = `#` } }
stream both = base, t where u != "skip"
rule r { match by u within 10s { a{2}: both } emit { from = stream(a) } }
--- events
0s s {"k":1,"u":"x"}
1s t {"u":"x"}
2s s {"k":1,"u":"skip"}
3s t {"u":"skip"}
--- alerts
0s base a=#1
1s r a=#1,#2 {"from":"both"}
2s base a=#3

=== derived: a window over alerts
--- rule
rule base { match by u { a: s where bad == true } emit { u = u  `#` = `#` } }
rule many { window tumbling 10s by u { a: base having count() >= 2 } emit { n = count() } }
--- events
0s s {"u":"x","bad":true}
3s s {"u":"y","bad":true}
9s s {"u":"x","bad":true}
12s s {"u":"x","bad":true}
--- alerts
0s base a=#1
3s base a=#2
9s base a=#3
10s many a=#1,#3 {"n":2}
12s base a=#4

=== derived: a window's own events, read by a sequence
--- rule
rule busy { window tumbling 10s by u { a: s having count() >= 2 } emit { n = count()  `#` = 0 + count() } }
rule again { match by key.u within 10s { x: busy y: busy } emit { sum = x.n + y.n } }
--- events
0s s {"u":"x"}
1s s {"u":"x"}
12s s {"u":"x"}
13s s {"u":"x"}
14s s {"u":"x"}
--- alerts
10s busy a=#1,#2 {"n":2}
20s again x=#2 y=#3 {"sum":5}
20s busy a=#3,#4,#5 {"n":3}

=== derived: a disabled rule makes nothing
--- rule
rule base { disabled match { a: s } }
rule r { match { a: base } }
--- events
0s s
--- alerts

=== derived: rules that read each other
--- rule
rule a { match { x: b } }
rule b { match { x: a } }
--- error
case.rule:1:6: error: rule `a` reads itself: a -> b -> a
    rule a { match { x: b } }
         ^ a rule may read what other rules make, but nothing that comes of its own events

=== derived: a rule that reads itself
--- rule
rule a { match { x: [s, a] } }
--- error-like
rule `a` reads itself: a -> a

=== derived: a way round over streams
--- rule
stream t = u where x == 1
stream u = s, made
rule first { match { x: t } emit { v = 1 } }
rule second { match { x: first } emit into made { v = 1 } }
--- error-like
rule `first` reads itself: first -> made -> second -> first

=== derived: emit into what is no stream of its own
--- rule
stream d = s
rule q { match { a: s } }
rule r { match { a: s } emit into d { x = 1 } }
rule t { match { a: s } emit into q { x = 1 } }
rule u { match { a: s } emit into `any` { x = 1 } }
rule v { match { a: s } emit into v { x = 1 } }
--- error
case.rule:3:35: error: `emit into d`: that stream is declared
    rule r { match { a: s } emit into d { x = 1 } }
                                      ^ what is declared at case.rule:1 reads other streams; emit into one of a new name and let it read that
case.rule:4:35: error: `emit into q`: that is the name of a rule
    rule t { match { a: s } emit into q { x = 1 } }
                                      ^ a rule's name is the stream of its own matches; name another stream
case.rule:5:35: error: no rule can emit into `any`
    rule u { match { a: s } emit into `any` { x = 1 } }
                                      ^~~~~ `any` is all sources
case.rule:6:35: error: `emit into v`: that is the name of a rule
    rule v { match { a: s } emit into v { x = 1 } }
                                      ^ a rule's name is the stream of its own matches; name another stream
