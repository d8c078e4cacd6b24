# Section 1: streams with fields added and renamed, and what they expect.

=== streams: a computed field in a condition, a key, emit and a title; the events stay raw
--- rule
stream s = a where kind == 1 { user = lower(user.name)  n2 = n * 2 }
rule r {
  title "{user} {n2}"
  match by user within 10s { x: s where n2 > 4  y: s where n2 > x.n2 }
  emit { u = user  first = x.n2  n2 = n2  raw = n }
  suppress 1s by n2
}
--- events
0s a {"kind":1,"user":{"name":"JOE"},"n":3}
1s a {"kind":2,"user":{"name":"joe"},"n":9}
2s a {"kind":1,"user":{"name":"Joe"},"n":5}
3s a {"kind":1,"user":{"name":"ann"},"n":9}
--- alerts
2s r x=#1 y=#3 {"u":"joe","first":6,"n2":10,"raw":5} title "joe 10" key {"user":"joe"}

=== streams: two sources, one vocabulary
--- rule
stream win = sysmon where EventID == 1 { process.executable = Image  host = Computer }
stream nix = auditd { process.executable = exe  host = node.name }
stream proc = win, nix
rule r { match by host within 10s { a: proc where process.executable == "nc"  b: proc where process.executable == a.process.executable } emit { e = process.executable  h = a.host } }
--- events
0s sysmon {"EventID":1,"Image":"nc","Computer":"h"}
1s auditd {"exe":"nc","node":{"name":"h"}}
2s sysmon {"EventID":2,"Image":"nc","Computer":"g"}
3s auditd {"exe":"nc","node":{"name":"g"}}
--- alerts
1s r a=#1 b=#2 {"e":"nc","h":"h"}

=== streams: a step over two streams reads the one that it was taken from
--- rule
stream s = a where n < 5 { v = n + 100 }
stream t = a, b { v = 0 - n }
rule r { match by k within 10s { x: [s, t]  y: [t, s] where v == y1 } emit { xv = x.v  yv = y.v  v = v  from = stream(x) } }
--- events
0s a {"k":1,"n":4,"y1":-4}
1s a {"k":1,"n":3,"y1":-3}
2s b {"k":1,"n":3,"y1":-3}
3s a {"k":1,"n":7,"y1":-7}
--- alerts
1s r x=#1 y=#2 {"xv":104,"yv":-3,"v":-3,"from":"s"}
3s r x=#3 y=#4 {"xv":-3,"yv":-7,"v":-7,"from":"t"}

=== streams: one of two defines the field
--- rule
stream s = a { v = n + 100 }
rule r { match { x: [s, b] where v > 5 } emit { v = v  again = x.v } }
--- events
0s a {"n":1,"v":1}
1s b {"n":1,"v":1}
2s b {"n":1,"v":9}
--- alerts
0s r x=#1 {"v":101,"again":101}
2s r x=#3 {"v":9,"again":9}

=== streams: in a union the first listed that holds the event
--- rule
stream big = a where n > 10 { size = "big" }
stream all_of = a { size = "any" }
stream u = big, all_of { size2 = concat(size, "!") }
rule r { match { x: u } emit { s = x.size  t = size2 } }
rule k { match by size2 within 10s { x{2}: u } emit { s = values(x.size2) } }
--- events
0s a {"n":11}
1s a {"n":5}
2s a {"n":12}
--- alerts
0s r x=#1 {"s":"big","t":"big!"}
1s r x=#2 {"s":"any","t":"any!"}
2s k x=#1,#3 {"s":["big!"]}
2s r x=#3 {"s":"big","t":"big!"}

=== streams: a rename takes what is behind it, and links as the field does
--- rule
stream s = a { proc = process  parent = process.parent }
rule r { match within 60s { p: s where kind == "p"  c: s where kind == "c" and parent.pid == p.proc.pid } emit { pid = p.proc.pid  par = c.parent.pid } }
--- events
1s a {"kind":"p","process":{"pid":10}}
2s a {"kind":"p","process":{"pid":20}}
3s a {"kind":"c","process":{"pid":30,"parent":{"pid":10}}}
4s a {"kind":"c","process":{"pid":31,"parent":{"pid":20}}}
--- alerts
3s r p=#1 c=#3 {"pid":10,"par":10}
4s r p=#2 c=#4 {"pid":20,"par":20}

=== streams: right sides see the inputs' fields; behind a computed field is the event's own
--- rule
stream s = a where x == 1 { x = x + 1  y = x  user = lower(user.name) }
stream t = s where x == 2 { x = x + 10 }
rule r { match { e: t where x == 12 and y == 1 and user == "joe" and user.name == "JOE" } emit { x = x  y = y  n = user.name } }
--- events
0s a {"x":1,"user":{"name":"JOE"}}
1s a {"x":2,"user":{"name":"JOE"}}
--- alerts
0s r e=#1 {"x":12,"y":1,"n":"JOE"}

=== streams: aggregates over a computed field
--- rule
stream s = a { u = lower(user)  half = n / 2  at = time() }
rule r {
  match within 1m { f{3}: s where not exists(prev(f).half) or half > prev(f).half and half > avg(f.half) }
  emit { u = values(f.u)  d = count_distinct(f.u)  sum = sum(f.half)  min = min(f.half)  first = first(f).half  last = last(f).half  plain = f.half  took = time(f) - first(f).at  mid = max(f.at) - min(f.at) }
}
--- events
0s a {"user":"A","n":2}
1s a {"user":"b","n":1}
2s a {"user":"B","n":4}
4s a {"user":"a","n":9}
--- alerts
4s r f=#1,#3,#4 {"u":["a","b"],"d":2,"sum":7.5,"min":1,"first":1,"last":4.5,"plain":4.5,"took":4,"mid":4}

=== streams: aggregates over streams that differ
--- rule
stream s = a { v = n * 10 }
stream t = b { v = n }
rule r { match within 1m { f{3}: [s, t] } emit { v = values(f.v)  sum = sum(f.v) } }
--- events
0s a {"n":1}
1s b {"n":2}
2s a {"n":3}
--- alerts
2s r f=#1,#2,#3 {"v":[10,2,30],"sum":42}

=== streams: time() of a bound step
--- rule
stream s = a { age = time() - 2027-01-01T00:00:00Z }
rule r { match within 1m { x: s  y: s where age - x.age > 2s } emit { d = y.age - x.age  e = x.age } }
--- events
1s a
2s a
4s a
--- alerts
4s r x=#1 y=#3 {"d":3,"e":1}

=== streams: the `not`s, `until` and groups
--- rule
stream s = a { u = lower(user) }
rule r {
  match by u within 1m {
    not w: s where kind == "w" within 10s
    all { p: s where kind == "p"  q: s where kind == "q" }
    not n: s where kind == "n" and u == p.u
    z: s where kind == "z"
    until e: s where kind == "e" and u == "x"
  }
  emit { u = u }
}
--- events
0s  a {"user":"OTHER","kind":"k"}
20s a {"user":"X","kind":"p"}
21s a {"user":"y","kind":"q"}
22s a {"user":"x","kind":"q"}
23s a {"user":"Y","kind":"p"}
24s a {"user":"y","kind":"N"}
25s a {"user":"x","kind":"z"}
26s a {"user":"Y","kind":"n"}
27s a {"user":"y","kind":"z"}
30s a {"user":"w","kind":"w"}
31s a {"user":"W","kind":"p"}
32s a {"user":"w","kind":"q"}
33s a {"user":"w","kind":"z"}
--- alerts
25s r p=#2 q=#4 z=#7 {"u":"x"}

=== streams: a leading not over two streams, with a reference
--- rule
stream s = a { v = n + 1 }
stream t = b { v = n + 2 }
rule r { match within 10s { not w: [s, t] where kind == "w" and v == x.n  x: c } }
--- events
0s  a {"kind":"w","n":4}
1s  b {"kind":"w","n":4}
11s c {"n":6}
12s b {"kind":"w","n":7}
13s a {"kind":"w","n":7}
14s c {"n":7}
15s c {"n":8}
16s c {"n":9}
--- alerts
14s r x=#6

=== streams: window, join and novel
--- rule
stream s = a { u = lower(user)  v = n * 2 }
stream t = b { u = who  v = n }
rule w { window tumbling 10s by u { x: [s, t] where v > 1  having sum(v) > 5 } emit { sum = sum(v)  vs = collect(v, 5) } }
rule j { join by u within 3s { l: s where v == 6  r: t where v > l.v } emit { d = r.v - l.v } }
rule n { novel u within 1d { x: [s, t] } emit { u = u } }
--- events
0s a {"user":"JOE","n":3}
1s b {"who":"joe","n":7}
2s b {"who":"joe","n":1}
5s a {"user":"ann","n":1}
--- alerts
0s n x=#1 {"u":"joe"}
1s j l=#1 r=#2 {"d":1}
5s n x=#4 {"u":"ann"}
10s w x=#1,#2 {"sum":13,"vs":[6,7]} key {"u":"joe"}

=== streams: a def reads the stream's field
--- rule
def is_admin() = u in ["root", "adm"]
stream s = a { u = lower(user) }
rule r { match { x: s where is_admin() and any(g in gs: g == u) } }
--- events
0s a {"user":"ROOT","gs":["x","root"]}
1s a {"user":"ROOT","gs":["x"]}
2s a {"u":"root","gs":["root"]}
--- alerts
0s r x=#1

=== streams: fields of a rule's stream
--- rule
rule base { match by h { a: s } emit { v = v  `#` = `#` } }
stream b = base { host = key.h  v2 = v * 2 }
rule r { match by host within 10s { x{2}: b where v2 > 2 } emit { sum = sum(x.v2) } }
--- events
0s s {"h":"p","v":2}
1s s {"h":"q","v":2}
2s s {"h":"p","v":3}
--- alerts
0s base a=#1
1s base a=#2
2s base a=#3
2s r x=#1,#3 {"sum":10}

=== streams: what does not satisfy `expect` is dropped, quarantined or kept
--- rule
stream dropped = a { id = upper(i) } expect exists(id) and id != "X" else drop
stream gone    = a expect exists(i) else quarantine bad
stream kept    = a expect exists(i) else warn
stream over    = dropped
rule d { match { x: dropped } }
rule g { match { x: gone } }
rule k { match { x: kept } }
rule o { match { x: over } }
rule s { match { x: a } }
--- events
0s a {"i":"a"}
1s a {"i":"x"}
2s a
--- alerts
0s d x=#1
0s g x=#1
0s k x=#1
0s o x=#1
0s s x=#1
1s g x=#2
1s k x=#2
1s s x=#2
2s k x=#3
2s s x=#3

=== streams: mistakes
--- rule
stream s = a { x = lower(y)  x = 1  p.q = 1  p = 2  f = any_field contains "z" }
stream t = s where stream() == "s" { bad = nosuch(x) }
rule r { match within 1m { a1: s where x[0] == 1  b: s where f == a1.f } }
--- error
case.rule:1:30: error: `x` is added twice
    stream s = a { x = lower(y)  x = 1  p.q = 1  p = 2  f = any_field contains "z" }
                                 ^
case.rule:1:46: error: `p` cannot stand beside `p.q`: one is inside the other
    stream s = a { x = lower(y)  x = 1  p.q = 1  p = 2  f = any_field contains "z" }
                                                 ^
case.rule:1:57: error: `any_field` in a stream's field cannot be read of the step `a1`
    stream s = a { x = lower(y)  x = 1  p.q = 1  p = 2  f = any_field contains "z" }
                                                            ^~~~~~~~~ it knows the event at hand only: read the field in the step's own `where`
case.rule:2:20: error: `stream()` is not known in a `stream`
    stream t = s where stream() == "s" { bad = nosuch(x) }
                       ^~~~~~~~ it is the stream that a step takes the event from
case.rule:2:44: error: unknown function `nosuch`
    stream t = s where stream() == "s" { bad = nosuch(x) }
                                               ^~~~~~
case.rule:3:40: error: `x` is computed by the stream `s`: it has no index
    rule r { match within 1m { a1: s where x[0] == 1  b: s where f == a1.f } }
                                           ^~~~

=== streams: a step named like a part of a field that a stream reads
--- rule
stream s = a { u = lower(user.name) }
rule r { match within 1m { user: s where u == "x"  b: s } }
--- error-like
step `user` is named like the first part of the field `user.name`
