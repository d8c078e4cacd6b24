# Section 5: pairs within a time bound.

=== a pair in either order
--- rule
rule r { join by u within 5s { a: s b: t } emit { x = a.x  y = b.y } }
--- events
0s s {"u":1,"x":1}
3s t {"u":1,"y":2}
10s t {"u":2,"y":3}
12s s {"u":2,"x":4}
--- alerts
3s r a=#1 b=#2 {"x":1,"y":2}
12s r a=#4 b=#3 {"x":4,"y":3}

=== the bound is included
--- rule
rule r { join by u within 5s { a: s b: t } }
--- events
0s s {"u":1}
5s t {"u":1}
20s t {"u":2}
25s s {"u":2}
40s s {"u":3}
45.000000001s t {"u":3}
60s t {"u":4}
65.000000001s s {"u":4}
--- alerts
5s r a=#1 b=#2
25s r a=#4 b=#3

=== every pair, each once
--- rule
rule r { join by u within 10s { a: s b: t } }
--- events
0s s {"u":1}
1s s {"u":1}
2s t {"u":1}
3s t {"u":1}
4s s {"u":1}
--- alerts
2s r a=#1 b=#3
2s r a=#2 b=#3
3s r a=#1 b=#4
3s r a=#2 b=#4
4s r a=#5 b=#3
4s r a=#5 b=#4

=== equal times, in either order
--- rule
rule r { join by u within 0s { a: s b: t } }
--- events
1s t {"u":1}
1s s {"u":1}
1s t {"u":1}
2s s {"u":1}
--- alerts
1s r a=#2 b=#1
1s r a=#2 b=#3

=== keys: other values do not pair, an event without a key is not offered
--- rule
rule r { join by u within 10s { a: s b: t } }
--- events
0s s {"u":1}
1s t {"u":2}
2s t
3s s
4s t {"u":null}
--- alerts

=== keys: numbers by value
--- rule
rule r { join by u within 10s { a: s b: t } }
--- events
0s s {"u":1}
1s t {"u":1.0}
2s t {"u":"1"}
--- alerts
1s r a=#1 b=#2

=== keys: of a side of its own
--- rule
rule r { join by user within 10s { a: vpn b: cloud by actor } emit { user = user } }
--- events
0s vpn {"user":"x"}
1s cloud {"user":"x","actor":"y"}
2s cloud {"actor":"x"}
--- alerts
2s r a=#1 b=#3 {"user":"x"} key {"user":"x"}

=== keys: list-valued, under each element
--- rule
rule r { join by ip within 10s { a: s b: t } emit { ip = ip } }
--- events
0s s {"ip":["p","q"]}
1s t {"ip":["q","r","p"]}
--- alerts
1s r a=#1 b=#2 {"ip":"p"}
1s r a=#1 b=#2 {"ip":"q"}

=== keys: two
--- rule
rule r { join by u, v within 10s { a: s b: t } }
--- events
0s s {"u":1,"v":1}
1s t {"u":1,"v":2}
2s t {"u":1,"v":1}
--- alerts
2s r a=#1 b=#3

=== within 0s..D: b after a
--- rule
rule r { join by u within 0s..5s { a: s b: t } }
--- events
0s s {"u":1}
5s t {"u":1}
10s t {"u":2}
11s s {"u":2}
20s s {"u":3}
25.000000001s t {"u":3}
--- alerts
5s r a=#1 b=#2

=== within 0s..D: at one time, a first in the order
--- rule
rule r { join by u within 0s..5s { a: s b: t } }
--- events
1s s {"u":1}
1s t {"u":1}
--- alerts
1s r a=#1 b=#2

=== within lower..upper
--- rule
rule r { join by u within 2s..5s { a: s b: t } }
--- events
0s s {"u":1}
1.999999999s t {"u":1}
2s t {"u":1}
5s t {"u":1}
5.000000001s t {"u":1}
--- alerts
2s r a=#1 b=#3
5s r a=#1 b=#4

=== within -D..d
--- rule
rule r { join by u within -3s..1s { a: s b: t } }
--- events
0s t {"u":1}
2s t {"u":1}
3s s {"u":1}
4s t {"u":1}
4.000000001s t {"u":1}
5s s {"u":1}
--- alerts
3s r a=#3 b=#1
3s r a=#3 b=#2
4s r a=#3 b=#4
5s r a=#6 b=#2
5s r a=#6 b=#4
5s r a=#6 b=#5

=== P of either side, and across
--- rule
rule r { join by u within 10s { a: s where k == 1 and x < b.x  b: t where k == 2 } }
--- events
0s s {"u":1,"k":1,"x":5}
1s t {"u":1,"k":2,"x":5}
2s t {"u":1,"k":2,"x":6}
3s t {"u":1,"k":3,"x":9}
4s s {"u":1,"k":2,"x":1}
5s s {"u":1,"k":1,"x":1}
--- alerts
2s r a=#1 b=#3
5s r a=#6 b=#2
5s r a=#6 b=#3

=== P of b refers to a
--- rule
rule r { join by u within 10s { a: s b: t where ip != a.ip } }
--- events
0s s {"u":1,"ip":"p"}
1s t {"u":1,"ip":"p"}
2s t {"u":1,"ip":"q"}
3s t {"u":1}
4s s {"u":1,"ip":"r"}
--- alerts
2s r a=#1 b=#3
4s r a=#5 b=#2
4s r a=#5 b=#3

=== P across: an equality
--- rule
rule r { join by host within 10s { p: procs  n: net where pid == p.pid } }
--- events
0s procs {"host":"h","pid":10}
1s procs {"host":"h","pid":20}
2s net {"host":"h","pid":20}
3s net {"host":"h","pid":30}
4s procs {"host":"h","pid":30}
--- alerts
2s r p=#2 n=#3
4s r p=#5 n=#4

=== P of both sides refer to the other
--- rule
rule r { join by u within 10s { a: s where x < b.x  b: t where y < a.y } }
--- events
0s s {"u":1,"x":1,"y":5}
1s t {"u":1,"x":2,"y":5}
2s t {"u":1,"x":2,"y":4}
3s t {"u":1,"x":1,"y":4}
--- alerts
2s r a=#1 b=#3

=== P uses time()
--- rule
rule r { join by u within 10s { a: s b: t where time() - time(a) > 3s } }
--- events
0s s {"u":1}
3s t {"u":1}
3.000000001s t {"u":1}
--- alerts
3.000000001s r a=#1 b=#3

=== one stream on both sides: an event makes no pair with itself
--- rule
rule r { join by u within 10s { a: s where k == 1  b: s where x == 1 } }
--- events
0s s {"u":1,"k":1,"x":1}
1s s {"u":1,"k":1}
2s s {"u":1,"x":1}
--- alerts
1s r a=#2 b=#1
2s r a=#1 b=#3
2s r a=#2 b=#3

=== reading 31: two events that both fit both sides are two pairs
--- rule
rule r { join by u within 10s { a: s b: s } }
--- events
0s s {"u":1}
1s s {"u":1}
--- alerts
1s r a=#1 b=#2
1s r a=#2 b=#1

=== outer: a alone at time(a) + D
--- rule
rule r { join by u within 5s { a: s b?: t } emit { x = a.x  y = b.y  has = exists(b) } }
--- events
0s s {"u":1,"x":1}
10s s {"u":1,"x":2}
12s t {"u":1,"y":3}
30s t {"u":1,"y":4}
--- alerts
5s r a=#1 {"x":1,"y":null,"has":false}
12s r a=#2 b=#3 {"x":2,"y":3,"has":true}

=== outer: a b at the very end of the bound is in time
--- rule
rule r { join by u within 5s { a: s b?: t } }
--- events
0s s {"u":1}
5s t {"u":1}
11s s {"u":1}
16.000000001s t {"u":1}
--- alerts
5s r a=#1 b=#2
16s r a=#3

=== outer: a b before it counts
--- rule
rule r { join by u within 5s { a: s b?: t } }
--- events
0s t {"u":1}
5s s {"u":1}
5.000000001s s {"u":1}
--- alerts
5s r a=#2 b=#1
10.000000001s r a=#3

=== outer on the other side
--- rule
rule r { join by u within 5s { a?: s b: t } }
--- events
0s s {"u":1}
6s t {"u":1}
20s t {"u":1}
21s s {"u":1}
--- alerts
11s r b=#2
21s r a=#4 b=#3

=== outer with a range: a alone at time(a) + its upper end
--- rule
rule r { join by u within 0s..5s { a: s b?: t } }
--- events
0s t {"u":1}
1s s {"u":1}
--- alerts
6s r a=#2

=== outer with a range: b alone when no a may come
--- rule
rule r { join by u within 0s..5s { a?: s b: t } }
--- events
1s t {"u":1}
2s s {"u":1}
10s s {"u":2}
11s t {"u":2}
--- alerts
1s r b=#1
11s r a=#3 b=#4

=== outer with a range from below
--- rule
rule r { join by u within -4s..5s { a?: s b: t } }
--- events
1s t {"u":1}
5.000000001s s {"u":1}
--- alerts
5s r b=#1

=== full outer
--- rule
rule r { join by u within 5s { a?: s b?: t } }
--- events
0s s {"u":1}
2s t {"u":1}
10s s {"u":2}
11s t {"u":3}
--- alerts
2s r a=#1 b=#2
15s r a=#3
16s r b=#4

=== outer: P across refuses, so a is alone
--- rule
rule r { join by u within 5s { a: s b?: t where x == a.x } }
--- events
0s s {"u":1,"x":1}
1s t {"u":1,"x":2}
--- alerts
5s r a=#1

=== outer: P of a that reads b is no condition on a alone
--- rule
rule r { join by u within 5s { a: s where k == 1 and x == b.x  b?: t } }
--- events
0s s {"u":1,"k":1,"x":1}
1s t {"u":1,"x":2}
2s s {"u":1,"k":2,"x":2}
--- alerts
5s r a=#1

=== outer: several pairs, and none alone
--- rule
rule r { join by u within 5s { a: s b?: t } }
--- events
0s s {"u":1}
1s t {"u":1}
2s t {"u":1}
--- alerts
1s r a=#1 b=#2
2s r a=#1 b=#3

=== not: only the unpaired a
--- rule
rule r { join by u within 5s { a: s not b: t } emit { x = x } }
--- events
0s s {"u":1,"x":1}
3s t {"u":1}
10s s {"u":1,"x":2}
--- alerts
15s r a=#3 {"x":2}

=== not: b before a counts too
--- rule
rule r { join by u within 5s { a: s not b: t } }
--- events
0s t {"u":1}
5s s {"u":1}
5.000000001s s {"u":1}
--- alerts
10.000000001s r a=#3

=== not with a range: b after a
--- rule
rule r { join by user within 0s..1h { badge: doors where action == "in"  not login: auth } emit { user = user } }
--- events
0s auth {"user":"x"}
1s doors {"user":"x","action":"in"}
2s doors {"user":"y","action":"in"}
3602s auth {"user":"y"}
4000s doors {"user":"z","action":"out"}
--- alerts
3601s r badge=#2 {"user":"x"}

=== not: P across
--- rule
rule r { join by u within 5s { a: s not b: t where x == a.x } }
--- events
0s s {"u":1,"x":1}
0s s {"u":1,"x":2}
1s t {"u":1,"x":2}
--- alerts
5s r a=#1

=== not a: only the unpaired b
--- rule
rule r { join by u within 5s { not a: s b: t } }
--- events
0s s {"u":1}
3s t {"u":1}
9s t {"u":1}
--- alerts
14s r b=#3

=== emit: a bare path is a field of the later of the two
--- rule
rule r { join by u within 5s { a: s b: t } emit { x = x } }
--- events
0s s {"u":1,"x":"a"}
1s t {"u":1,"x":"b"}
2s s {"u":1,"x":"c"}
--- alerts
1s r a=#1 b=#2 {"x":"b"}
2s r a=#3 b=#2 {"x":"c"}

=== suppress
--- rule
rule r { suppress 5s join by u within 5s { a: s b: t } }
--- events
0s s {"u":1}
1s t {"u":1}
2s t {"u":1}
6.5s s {"u":1}
--- alerts
1s r a=#1 b=#2
6.5s r a=#4 b=#3 suppressed=1

=== limit matches
--- rule
rule r { limit matches 2 per event join by u within 50s { a: s b: t } }
--- events
0s s {"u":1}
1s s {"u":1}
2s t {"u":1}
3s t {"u":1}
--- alerts
2s r a=#1 b=#3
2s r a=#2 b=#3
3s r a=#1 b=#4
3s r a=#2 b=#4

=== reading 32: limit matches leaves out the oldest
--- rule
rule r { limit matches 2 per event join by u within 50s { a: s b: t } }
--- events
0s s {"u":1}
1s s {"u":1}
2s s {"u":1}
3s t {"u":1}
--- alerts
3s r a=#2 b=#4
3s r a=#3 b=#4

=== reading 30: within 0s.., at one time: by time
--- rule
rule r { join by u within 0s..5s { a: s b: t } }
--- events
1s t {"u":1}
1s s {"u":1}
--- alerts
1s r a=#2 b=#1

=== a declared stream on a side
--- rule
stream fails = ssh, pam where ok == false
rule r { join by u within 5s { a: fails b: [web, vpn] } }
--- events
0s ssh {"u":1,"ok":false}
1s pam {"u":1,"ok":true}
2s vpn {"u":1}
--- alerts
2s r a=#1 b=#3

=== refused: one side
--- rule
rule r { join by u within 5s { a: s } }
--- error-like
two | sides

=== refused: three sides
--- rule
rule r { join by u within 5s { a: s b: t c: v } }
--- error-like
two | sides

=== refused: without within
--- rule
rule r { join by u { a: s b: t } }
--- error-like
within

=== refused: a quantifier that is not ?
--- rule
rule r { join by u within 5s { a: s b{2}: t } }
--- error-like
quantifier | count | {2} | side | ?

=== refused: not on both sides
--- rule
rule r { join by u within 5s { not a: s not b: t } }
--- error-like
not

=== refused: a range that is empty
--- rule
rule r { join by u within 5s..1s { a: s b: t } }
--- error-like
within | range | less | before

=== refused: two sides of one name
--- rule
rule r { join by u within 5s { a: s a: t } }
--- error-like
a
