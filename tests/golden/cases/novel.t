# Section 6: first seen.

=== a value not seen before
--- rule
rule r { novel x within 10s { e: s } emit { x = e.x } }
--- events
0s s {"x":"a"}
1s s {"x":"b"}
2s s {"x":"a"}
--- alerts
0s r e=#1 {"x":"a"}
1s r e=#2 {"x":"b"}

=== seen exactly `within` ago counts as seen, one ns more does not
--- rule
rule r { novel x within 14d { e: s } }
--- events
0d s {"x":"a"}
14d s {"x":"a"}
0d s {"x":"b"}
1209600.000000001s s {"x":"b"}
--- alerts
0s r e=#1
0s r e=#3
1209600.000000001s r e=#4

=== each sighting renews it
--- rule
rule r { novel x within 10s { e: s } }
--- events
0s s {"x":1}
8s s {"x":1}
16s s {"x":1}
24s s {"x":1}
34.000000001s s {"x":1}
--- alerts
0s r e=#1
34.000000001s r e=#5

=== at one time: the first in the order is new
--- rule
rule r { novel x within 10s { e: s } }
--- events
1s s {"x":1}
1s s {"x":1}
--- alerts
1s r e=#1

=== a value of one type is not that of another, 1 is 1.0
--- rule
rule r { novel x within 10s { e: s } }
--- events
0s s {"x":1}
1s s {"x":"1"}
2s s {"x":true}
3s s {"x":1.0}
4s s {"x":"true"}
--- alerts
0s r e=#1
1s r e=#2
2s r e=#3
4s r e=#5

=== by: for each key
--- rule
rule r { novel x by u within 10s { e: s } emit { u = u } }
--- events
0s s {"u":1,"x":"a"}
1s s {"u":2,"x":"a"}
2s s {"u":1,"x":"a"}
3s s {"x":"z"}
--- alerts
0s r e=#1 {"u":1} key {"u":1}
1s r e=#2 {"u":2} key {"u":2}

=== a tuple
--- rule
rule r { novel x, y within 10s { e: s } }
--- events
0s s {"x":1,"y":1}
1s s {"x":1,"y":2}
2s s {"x":2,"y":1}
3s s {"x":1,"y":1}
4s s {"x":"1","y":1}
--- alerts
0s r e=#1
1s r e=#2
2s r e=#3
4s r e=#5

=== a tuple of texts is not their concatenation
--- rule
rule r { novel x, y within 10s { e: s } }
--- events
0s s {"x":"ab","y":"c"}
1s s {"x":"a","y":"bc"}
--- alerts
0s r e=#1
1s r e=#2

=== a missing value is none
--- rule
rule r { novel x within 10s { e: s } }
--- events
0s s
1s s {"x":null}
2s s {"x":1}
--- alerts
2s r e=#3

=== a tuple with a missing part is none
--- rule
rule r { novel x, y within 10s { e: s } }
--- events
0s s {"x":1}
1s s {"y":1}
2s s {"x":1,"y":1}
--- alerts
2s r e=#3

=== P: what it refuses is no sighting
--- rule
rule r { novel x within 10s { e: s where k == 1 } }
--- events
0s s {"k":2,"x":"a"}
1s s {"k":1,"x":"a"}
2s s {"k":2,"x":"a"}
11.5s s {"k":1,"x":"a"}
--- alerts
1s r e=#2
11.5s r e=#4

=== after: only once the rule has been known for so long
--- rule
rule r { novel x within 60s after 10s { e: s } }
--- events
0s s {"x":"a"}
5s s {"x":"b"}
9.999999999s s {"x":"c"}
10s s {"x":"d"}
11s s {"x":"b"}
12s s {"x":"e"}
--- alerts
10s r e=#4
12s r e=#6

=== after: what was seen before is seen
--- rule
rule r { novel x within 60s after 10s { e: s } }
--- events
0s s {"x":"a"}
20s s {"x":"a"}
21s s {"x":"b"}
--- alerts
21s r e=#3

=== after: for each key
--- rule
rule r { novel x by u within 60s after 10s { e: s } }
--- events
0s s {"u":1,"x":"a"}
10s s {"u":2,"x":"b"}
12s s {"u":1,"x":"b"}
19s s {"u":2,"x":"c"}
20s s {"u":2,"x":"d"}
--- alerts
12s r e=#3
20s r e=#5

=== a key without events for `within` is forgotten, and `after` begins again
--- rule
rule r { novel x by u within 20s after 10s { e: s } }
--- events
0s s {"u":1,"x":"a"}
15s s {"u":1,"x":"b"}
35.000000001s s {"u":1,"x":"c"}
40s s {"u":1,"x":"d"}
45.000000001s s {"u":1,"x":"e"}
--- alerts
15s r e=#2
45.000000001s r e=#5

=== a key with an event at the very end of `within` is not forgotten
--- rule
rule r { novel x by u within 20s after 10s { e: s } }
--- events
0s s {"u":1,"x":"a"}
20s s {"u":1,"x":"b"}
40s s {"u":1,"x":"c"}
--- alerts
20s r e=#2
40s r e=#3

=== without by the rule is forgotten as a key is
--- rule
rule r { novel x within 20s after 10s { e: s } }
--- events
0s s {"x":"a"}
21s s {"x":"b"}
25s s {"x":"c"}
31s s {"x":"d"}
--- alerts
31s r e=#4

=== a list counts each element
--- rule
rule r { novel x within 10s { e: s } }
--- events
0s s {"x":["a","b"]}
1s s {"x":"b"}
2s s {"x":["b","c","a","c"]}
3s s {"x":[]}
4s s {"x":[null,"d"]}
--- alerts
0s r e=#1
0s r e=#1
2s r e=#3
4s r e=#5

=== two lists: each combination
--- rule
rule r { novel x, y within 10s { e: s } }
--- events
0s s {"x":[1,2],"y":["a","b"]}
1s s {"x":[2,3],"y":["b","c"]}
--- alerts
0s r e=#1
0s r e=#1
0s r e=#1
0s r e=#1
1s r e=#2
1s r e=#2
1s r e=#2

=== 100 combinations at most
--- rule
rule r { novel x, y within 10s { e: s } }
--- events
0s s {"x":[1,2,3,4,5,6,7,8,9,10,11],"y":[1,2,3,4,5,6,7,8,9,10]}
--- alerts
0s r e=#1
0s r e=#1
0s r e=#1
0s r e=#1
0s r e=#1
0s r e=#1
0s r e=#1
0s r e=#1
0s r e=#1
0s r e=#1
0s r e=#1
0s r e=#1
0s r e=#1
0s r e=#1
0s r e=#1
0s r e=#1
0s r e=#1
0s r e=#1
0s r e=#1
0s r e=#1
0s r e=#1
0s r e=#1
0s r e=#1
0s r e=#1
0s r e=#1
0s r e=#1
0s r e=#1
0s r e=#1
0s r e=#1
0s r e=#1
0s r e=#1
0s r e=#1
0s r e=#1
0s r e=#1
0s r e=#1
0s r e=#1
0s r e=#1
0s r e=#1
0s r e=#1
0s r e=#1
0s r e=#1
0s r e=#1
0s r e=#1
0s r e=#1
0s r e=#1
0s r e=#1
0s r e=#1
0s r e=#1
0s r e=#1
0s r e=#1
0s r e=#1
0s r e=#1
0s r e=#1
0s r e=#1
0s r e=#1
0s r e=#1
0s r e=#1
0s r e=#1
0s r e=#1
0s r e=#1
0s r e=#1
0s r e=#1
0s r e=#1
0s r e=#1
0s r e=#1
0s r e=#1
0s r e=#1
0s r e=#1
0s r e=#1
0s r e=#1
0s r e=#1
0s r e=#1
0s r e=#1
0s r e=#1
0s r e=#1
0s r e=#1
0s r e=#1
0s r e=#1
0s r e=#1
0s r e=#1
0s r e=#1
0s r e=#1
0s r e=#1
0s r e=#1
0s r e=#1
0s r e=#1
0s r e=#1
0s r e=#1
0s r e=#1
0s r e=#1
0s r e=#1
0s r e=#1
0s r e=#1
0s r e=#1
0s r e=#1
0s r e=#1
0s r e=#1
0s r e=#1
0s r e=#1
0s r e=#1

=== a list is renewed element by element
--- rule
rule r { novel x within 10s { e: s } }
--- events
0s s {"x":["a","b"]}
6s s {"x":["a"]}
12s s {"x":["a","b"]}
--- alerts
0s r e=#1
0s r e=#1
12s r e=#3

=== a path through a list of objects
--- rule
rule r { novel files.hash within 10s { e: s } }
--- events
0s s {"files":[{"hash":"a"},{"hash":"b"},{}]}
1s s {"files":[{"hash":"b"},{"hash":"c"}]}
--- alerts
0s r e=#1
0s r e=#1
1s r e=#2

=== a list-valued key: under each element
--- rule
rule r { novel x by ip within 10s { e: s } emit { ip = ip } }
--- events
0s s {"ip":["p","q"],"x":1}
1s s {"ip":"p","x":1}
2s s {"ip":["q","r"],"x":1}
--- alerts
0s r e=#1 {"ip":"p"}
0s r e=#1 {"ip":"q"}
2s r e=#3 {"ip":"r"}

=== an optional key
--- rule
rule r { novel x by ?u within 10s { e: s } }
--- events
0s s {"x":1}
1s s {"x":1,"u":1}
2s s {"x":1,"u":null}
--- alerts
0s r e=#1
1s r e=#2

=== emit: bare paths are of the event
--- rule
rule r { title "{u} first used {x}" novel x by u within 10s { e: s } emit { u = u  where_ = place } }
--- events
0s s {"u":"bob","x":"ssh","place":"home"}
--- alerts
0s r e=#1 {"u":"bob","where_":"home"} title "bob first used ssh"

=== suppress
--- rule
rule r { suppress 5s novel x by u within 60s { e: s } }
--- events
0s s {"u":1,"x":"a"}
1s s {"u":1,"x":"b"}
2s s {"u":2,"x":"a"}
5s s {"u":1,"x":"c"}
--- alerts
0s r e=#1
2s r e=#3
5s r e=#4 suppressed=1

=== a declared stream, several sources
--- rule
stream logins = ssh, vpn where ok == true
rule r { novel ip by u within 1d { e: logins } }
--- events
0s ssh {"u":1,"ip":"p","ok":true}
1s vpn {"u":1,"ip":"p","ok":true}
2s vpn {"u":1,"ip":"q","ok":false}
3s ssh {"u":1,"ip":"q","ok":true}
--- alerts
0s r e=#1
3s r e=#4

=== reading 40: an event without the value makes the key known
--- rule
rule r { novel x within 60s after 10s { e: s } }
--- events
0s s
5s s {"x":"a"}
9s s {"x":"b"}
12s s {"x":"c"}
--- alerts
12s r e=#4

=== refused: without within
--- rule
rule r { novel x { e: s } }
--- error-like
within

=== refused: a quantifier
--- rule
rule r { novel x within 10s { e{2}: s } }
--- error-like
quantifier | count | {2}

=== refused: nothing to see
--- rule
rule r { novel x within 10s { } }
--- error-like
step | expected | name | event

=== novel: beyond limit values the one that came last longest ago is forgotten
--- rule
rule r { novel v by k within 1h { a: s } emit { v = v } limit values 2 per key }
--- events
0s s {"k":1,"v":1}
1s s {"k":1,"v":2}
2s s {"k":1,"v":1}
3s s {"k":1,"v":3}
4s s {"k":1,"v":1}
5s s {"k":1,"v":2}
--- alerts
0s r a=0s {"v":1}
1s r a=1s {"v":2}
3s r a=3s {"v":3}
5s r a=5s {"v":2}
