# Keys: by, by of a step, ?path, several, lists, expressions.

=== by: each value on its own
--- rule
rule r { match by u within 10s { a: a b: b } }
--- events
1s a {"u":"x"}
2s a {"u":"y"}
3s b {"u":"y"}
4s b {"u":"x"}
--- alerts
3s r a=2s b=3s {} key {"u":"y"}
4s r a=1s b=4s {} key {"u":"x"}

=== by: an event that lacks the key is not offered
--- rule
rule r { match by u within 10s { a: a b: b } }
--- events
1s a
2s a {"u":null}
3s b
4s b {"u":null}
--- alerts

=== by: two keys
--- rule
rule r { match by u, h within 10s { a: a b: b } }
--- events
1s a {"u":1,"h":1}
2s b {"u":1,"h":2}
3s b {"u":1}
4s b {"u":1,"h":1}
--- alerts
4s r a=1s b=4s {} key {"u":1,"h":1}

=== by: a dotted path is flat in the alert's key
--- rule
rule r { match by user.id within 10s { a: a b: b } }
--- events
1s a {"user":{"id":7}}
2s b {"user.id":7}
--- alerts
2s r a=1s b=2s {} key {"user.id":7}

=== by: 1 and 1.0 are one key, "1" and true are others
--- rule
rule r { match by u within 10s { a: a b: b } }
--- events
1s a {"u":1}
2s b {"u":"1"}
3s b {"u":true}
4s b {"u":1.0}
--- alerts
4s r a=1s b=4s

=== by ?path: missing is a value of its own
--- rule
rule r { match by ?u within 10s { a: a b: b } }
--- events
1s a
2s b {"u":1}
3s b
4s a {"u":1}
5s b
6s b {"u":1}
--- alerts
3s r a=1s b=3s
6s r a=4s b=6s

=== by u, ?h
--- rule
rule r { match by u, ?h within 10s { a: a b: b } }
--- events
1s a {"u":1}
2s b {"u":1,"h":1}
3s b {"h":1}
4s b {"u":1,"h":null}
--- alerts
4s r a=1s b=4s

=== by name = expr
--- rule
rule r { match by who = lower(u) within 10s { a: a b: b } }
--- events
1s a {"u":"Bob"}
2s b {"u":"BOB"}
--- alerts
2s r a=1s b=2s {} key {"who":"bob"}

=== by of a step overrides the head's
--- rule
rule r { match by u within 10s { a: a b: b by actor } }
--- events
1s a {"u":"x"}
2s b {"u":"x"}
3s b {"actor":"x","u":"z"}
--- alerts
3s r a=1s b=3s {} key {"u":"x"}

=== by of every step, none in the head
--- rule
rule r { match within 10s { a: a by src b: b by dst } }
--- events
1s a {"src":1,"dst":2}
2s b {"src":1,"dst":2}
3s b {"src":2,"dst":1}
--- alerts
3s r a=1s b=3s

=== two steps of one stream with different keys: offered under both, taken only through its own
--- rule
rule r { match within 10s { a: s by src b: s by dst } }
--- events
1s s {"src":"p","dst":"q"}
2s s {"src":"q","dst":"r"}
3s s {"src":"x","dst":"q"}
4s s {"src":"x","dst":"p"}
--- alerts
3s r a=2s b=3s
4s r a=1s b=4s

=== a hop: host to host
--- rule
rule r { match within 10s { a: s by dst b: s by src } }
--- events
1s s {"src":"p","dst":"q"}
2s s {"src":"q","dst":"r"}
3s s {"src":"r","dst":"p"}
--- alerts
2s r a=1s b=2s
3s r a=2s b=3s

=== an event whose two keys are equal is offered once
--- rule
rule r { match within 10s { a: s by src b: s by dst } }
--- events
1s s {"src":"p","dst":"p"}
2s s {"src":"p","dst":"p"}
--- alerts
2s r a=1s b=2s

=== not with a key of its own forbids only through it
--- rule
rule r { match by u within 10s { a: a not x: x by v b: b } }
--- events
1s a {"u":1}
2s x {"u":1,"v":2}
3s b {"u":1}
4s a {"u":1}
5s x {"u":2,"v":1}
6s b {"u":1}
--- alerts
3s r a=1s b=3s

=== until with a key of its own
--- rule
rule r { match by u within 10s { a: a b: b until x: x by v } }
--- events
1s a {"u":1}
2s x {"u":1,"v":2}
3s b {"u":1}
4s a {"u":1}
5s x {"u":2,"v":1}
6s b {"u":1}
--- alerts
3s r a=1s b=3s

=== next is broken only by what has the key through a step that reads the stream
--- rule
rule r { match by u within 10s { a: a next b: b not x: x by v within 1s } }
--- events
1s a {"u":1}
2s x {"u":1,"v":2}
3s b {"u":1}
11s a {"u":1}
12s x {"u":2,"v":1}
13s b {"u":1}
--- alerts
4s r a=1s b=3s

=== a list-valued key offers the event under each element
--- rule
rule r { match by ip within 10s { a: a b: b } }
--- events
1s a {"ip":["p","q"]}
2s b {"ip":"q"}
3s b {"ip":["r","p"]}
--- alerts
2s r a=1s b=2s {} key {"ip":"q"}
3s r a=1s b=3s {} key {"ip":"p"}

=== a list-valued key: one alert for each element
--- rule
rule r { match by ip within 10s { a: a b: b } }
--- events
1s a {"ip":["p","q"]}
2s b {"ip":["q","p"]}
--- alerts
2s r a=1s b=2s {} key {"ip":"p"}
2s r a=1s b=2s {} key {"ip":"q"}

=== a list-valued key: an element that is there twice counts once
--- rule
rule r { match by ip within 10s { a{2}: a } }
--- events
1s a {"ip":["p","p"]}
2s a {"ip":["p","p"]}
--- alerts
2s r a=1s,2s

=== a list-valued key: empty is no key
--- rule
rule r { match by ip within 10s { a: a } }
--- events
1s a {"ip":[]}
2s a {"ip":["p"]}
--- alerts
2s r a=2s

=== a key from an array of objects
--- rule
rule r { match by hits.ip within 10s { a: a b: b by ip } }
--- events
1s a {"hits":[{"ip":"p"},{"ip":"q"}]}
2s b {"ip":"q"}
--- alerts
2s r a=1s b=2s

=== a list-valued key and another key
--- rule
rule r { match by ip, u within 10s { a: a b: b } }
--- events
1s a {"ip":["p","q"],"u":1}
2s b {"ip":"q","u":2}
3s b {"ip":"q","u":1}
--- alerts
3s r a=1s b=3s

=== select works key by key
--- rule
rule r { match by u within 10s { a: a b: b } }
--- events
1s a {"u":1}
2s a {"u":2}
3s b {"u":1}
4s b {"u":2}
--- alerts
3s r a=1s b=3s
4s r a=2s b=4s

=== an until without the key ends nothing
--- rule
rule r { match by u within 10s { a: a b: b until x: x } }
--- events
1s a {"u":1}
2s x
3s b {"u":1}
--- alerts
3s r a=1s b=3s

=== without by a rule has one key
--- rule
rule r { match within 10s { a: a b: b } }
--- events
1s a {"u":1}
2s b {"u":2}
--- alerts
2s r a=1s b=2s {} key {}

=== a key that is a double beyond 2^53 is written the same after a restore
--- rule
rule r { match by k within 10s { a: s  b: s } emit { x = a.x } }
--- events
0s s {"k":1.66e17, "x":2e17}
1s s {"k":1.66e17}
--- alerts
1s r a=#1 b=#2
