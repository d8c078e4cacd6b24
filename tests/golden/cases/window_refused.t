# Section 4: what the compiler refuses. `error-like`: the diagnostics hold one of the texts.

=== refused: fire on close, sliding
--- rule
rule r { window sliding 10s { a: s fire on close } }
--- error-like
close

=== refused: fire on close, global
--- rule
rule r { window global expire 1d { a: s fire on close } }
--- error-like
close

=== refused: hopping, the size is no multiple of every
--- rule
rule r { window hopping 10s every 3s { a: s } }
--- error-like
multiple

=== refused: hopping, every is longer than the size
--- rule
rule r { window hopping 10s every 20s { a: s } }
--- error-like
multiple

=== refused: hopping without every
--- rule
rule r { window hopping 10s { a: s } }
--- error-like
every

=== refused: global without expire
--- rule
rule r { window global { a: s } }
--- error-like
expire

=== refused: a bare field in having
--- rule
rule r { window tumbling 10s { a: s having x > 5 } }
--- error-like
last(x) | last(

=== refused: a bare field in having beside an aggregate
--- rule
rule r { window sliding 10s by u { a: s having count() > 5 and x == 1 } }
--- error-like
last(

=== refused: a bare field in emit
--- rule
rule r { window tumbling 10s by u { a: s } emit { u = u  x = x } }
--- error-like
last(

=== refused: a field of an input outside an aggregate, in having
--- rule
rule r { window tumbling 10s { a: s having a.x > 5 } }
--- error-like
last(

=== refused: a field of an input outside an aggregate, in emit
--- rule
rule r { window tumbling 10s { a: s } emit { x = a.x } }
--- error-like
last(

=== refused: allow late, sliding
--- rule
rule r { window sliding 10s { a: s allow late 5s } }
--- error-like
late

=== refused: allow late, global
--- rule
rule r { window global expire 1d { a: s allow late 5s } }
--- error-like
late

=== refused: a reach of its own outside a sliding window
--- rule
rule r { window tumbling 10s { a: s having count(within 5s) > 2 } }
--- error-like
sliding

=== refused: a reach of its own in a global window
--- rule
rule r { window global expire 1d { a: s having sum(x, within 5s) > 2 } }
--- error-like
sliding

=== refused: an aggregate of which input?
--- rule
rule r { window tumbling 10s { a: s b: t having sum(x) > 2 } }
--- error-like
input | a. | which

=== refused: a quantifier on an input
--- rule
rule r { window tumbling 10s { a{2}: s } }
--- error-like
count | quantifier | {2} | input

=== refused: within on an input
--- rule
rule r { window tumbling 10s { a: s within 5s } }
--- error-like
within

=== refused: two inputs of one name
--- rule
rule r { window tumbling 10s { a: s a: t } }
--- error-like
a

=== refused: no input
--- rule
rule r { window tumbling 10s { having count() > 1 } }
--- error-like
input | expected | name

=== refused: an unknown zone
--- rule
rule r { window tumbling 1d zone "Europe/Pariss" { a: s } }
--- error-like
zone | Europe/Paris

=== refused: a zone and no whole days
--- rule
rule r { window tumbling 5m zone "Europe/Paris" { a: s } }
--- error-like
day

=== refused: a size of nothing
--- rule
rule r { window tumbling 0s { a: s } }
--- error-like
0 | positive | longer | least

=== refused: an unknown aggregate
--- rule
rule r { window tumbling 10s { a: s having cuont() > 2 } }
--- error-like
count

=== refused: an aggregate in P
--- rule
rule r { window tumbling 10s { a: s where count() > 2 } }
--- error-like
aggregate | count | having

=== refused: an aggregate in an aggregate
--- rule
rule r { window tumbling 10s { a: s having sum(count()) > 2 } }
--- error-like
aggregate | count

=== refused: count(a, b)
--- rule
rule r { window tumbling 10s { a: s having sum(x, y) > 2 } }
--- error-like
argument | sum

=== refused: the keys of an input are as many as those of the rule
--- rule
rule r { window tumbling 10s by u { a: s b: t by v, w } }
--- error-like
key

=== refused: having is a condition
--- rule
rule r { window tumbling 10s { a: s having count() + 1 } }
--- error-like
condition | true or false | bool | truth

=== refused: two bodies
--- rule
rule r { window tumbling 10s { a: s } window sliding 5s { a: s } }
--- error-like
body | already | once | second | one of

=== refused: offset of a hopping window
--- rule
rule r { window hopping 10s every 5s offset 1s { a: s } }
--- error-like
offset

=== refused: fire twice
--- rule
rule r { window tumbling 10s { a: s fire on close fire on match } }
--- error-like
fire | twice | once | already

=== refused: window_start in a match
--- rule
rule r { window tumbling 10s { a: s where window_start > 5 } }
--- error-like
window_start | having
