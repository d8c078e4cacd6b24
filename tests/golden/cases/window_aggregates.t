# Section 4: aggregates.

=== over nothing: count and sum are 0, collect values top are [], the others missing
--- rule
rule r {
  window tumbling 10s { a: s  b: t }
  emit {
    n = count(b)  s = sum(b.x)  av = avg(b.x)  lo = min(b.x)  hi = max(b.x)  sd = stddev(b.x)  va = variance(b.x)
    f = first(b.x)  l = last(b.x)  c = collect(b.x, 3)  v = values(b.x, 3)  t = top(b.x, 3)
  }
}
--- events
1s s
--- alerts
10s r a=#1 {"n":0,"s":0,"av":null,"lo":null,"hi":null,"sd":null,"va":null,"f":null,"l":null,"c":[],"v":[],"t":[]}

=== over nothing: count_distinct is 0
--- rule
rule r { window tumbling 10s { a: s  b: t } emit { d = count_distinct(b.x) } }
--- events
1s s
--- alerts
10s r a=#1 {"d":0}

=== over nothing: a comparison with what is missing is false
--- rule
rule q { window tumbling 10s { a: s having avg(x) < 5 } }
rule r { window tumbling 10s { a: s having not avg(x) < 5 and sum(x) == 0 } }
--- events
1s s
--- alerts
10s r a=#1

=== the field is in no event: as over nothing
--- rule
rule r { window tumbling 10s { a: s } emit { n = count()  s = sum(x)  av = avg(x)  c = collect(x, 2) } }
--- events
1s s
2s s {"x":null}
--- alerts
10s r a=#1,#2 {"n":2,"s":0,"av":null,"c":[]}

=== non-numbers are skipped: texts, lists, objects, booleans, null
--- rule
rule r { window tumbling 20s { a: s } emit { n = count()  s = sum(x)  av = avg(x)  lo = min(x)  hi = max(x)  va = variance(x) } }
--- events
1s s {"x":2}
2s s {"x":"100"}
3s s {"x":[50,60]}
4s s {"x":{"y":1}}
5s s {"x":true}
6s s {"x":null}
7s s
8s s {"x":4}
--- alerts
20s r a=#1,#2,#3,#4,#5,#6,#7,#8 {"n":8,"s":6,"av":3,"lo":2,"hi":4,"va":1}

=== only non-numbers
--- rule
rule r { window tumbling 20s { a: s } emit { s = sum(x)  av = avg(x)  hi = max(x) } }
--- events
1s s {"x":"a"}
2s s {"x":[1]}
--- alerts
20s r a=#1,#2 {"s":0,"av":null,"hi":null}

=== sum: integers are exact beyond 2^53
--- rule
rule r { window tumbling 10s { a: s having sum(x) == 9007199254740993 } emit { s = sum(x) } }
--- events
1s s {"x":9007199254740992}
2s s {"x":1}
--- alerts
10s r a=#1,#2 {"s":9007199254740993}

=== sum: an overflow turns to double
--- rule
rule r { window tumbling 10s { a: s having sum(x) > 9223372036854775807 } }
--- events
1s s {"x":9223372036854775807}
2s s {"x":9223372036854775807}
--- alerts
10s r a=#1,#2

=== sum: an overflow on the way that goes back is exact
--- rule
rule r { window sliding 10s { a: s having count() == 3 } emit { s = sum(x) } }
--- events
1s s {"x":9223372036854775807}
2s s {"x":9223372036854775807}
3s s {"x":-9223372036854775807}
--- alerts
3s r a=#1,#2,#3 {"s":9223372036854775807}

=== sum, sliding: exact after a large value has left
--- rule
rule r { window sliding 10s { a: s fire on every match } emit { s = sum(x) } }
--- events
0s s {"x":9007199254740993}
5s s {"x":1}
11s s {"x":2}
--- alerts
0s r a=#1 {"s":9007199254740993}
5s r a=#1,#2 {"s":9007199254740994}
11s r a=#2,#3 {"s":3}

=== sum, sliding: a large double leaves nothing behind
--- rule
rule r { window sliding 10s { a: s having sum(x) == 3 } }
--- events
0s s {"x":1e300}
5s s {"x":1}
11s s {"x":2}
--- alerts
11s r a=#2,#3

=== avg and variance, sliding: a large double leaves nothing behind
--- rule
rule r { window sliding 10s { a: s fire on every match } emit { av = avg(x) va = variance(x) } }
--- events
0s s {"x":100000000.0}
11s s {"x":1}
12s s {"x":3}
--- alerts
0s r a=#1 {"av":100000000}
11s r a=#2 {"av":1}
12s r a=#2,#3 {"av":2,"va":1}

=== sum of doubles and integers
--- rule
rule r { window tumbling 10s { a: s } emit { s = sum(x)  av = avg(x) } }
--- events
1s s {"x":1.5}
2s s {"x":2}
3s s {"x":0.25}
--- alerts
10s r a=#1,#2,#3 {"s":3.75,"av":1.25}

=== avg of integers is a fraction
--- rule
rule r { window tumbling 10s { a: s having avg(x) > 1.6 and avg(x) < 1.7 } emit { av = avg(x) } }
--- events
1s s {"x":1}
2s s {"x":2}
3s s {"x":2}
--- alerts
10s r a=#1,#2,#3 {"av":1.6666666666666667}

=== variance: stable far from zero
--- rule
rule r { window tumbling 10s { a: s } emit { va = variance(x)  sd = stddev(x) } }
--- events
1s s {"x":1000000000001}
2s s {"x":1000000000005}
3s s {"x":1000000000001}
4s s {"x":1000000000005}
--- alerts
10s r a=#1,#2,#3,#4 {"va":4,"sd":2}

=== variance, sliding: stable as values come and leave
--- rule
rule r { window sliding 3s { a: s having count() == 4 fire on every match } emit { va = variance(x) } }
--- events
0s s {"x":1000000000009}
1s s {"x":1000000000001}
2s s {"x":1000000000005}
3s s {"x":1000000000001}
4s s {"x":1000000000005}
--- alerts
3s r a=#1,#2,#3,#4 {"va":11}
4s r a=#2,#3,#4,#5 {"va":4}

=== min and max, sliding: as the greatest leaves
--- rule
rule r { window sliding 10s { a: s fire on every match } emit { lo = min(x)  hi = max(x) } }
--- events
0s s {"x":9}
1s s {"x":3}
2s s {"x":5}
11s s {"x":4}
12.000000001s s {"x":4}
--- alerts
0s r a=#1 {"lo":9,"hi":9}
1s r a=#1,#2 {"lo":3,"hi":9}
2s r a=#1,#2,#3 {"lo":3,"hi":9}
11s r a=#2,#3,#4 {"lo":3,"hi":5}
12.000000001s r a=#4,#5 {"lo":4,"hi":4}

=== count(cond)
--- rule
rule r { window tumbling 10s { a: s having count(k == 1) > count(k == 2) } emit { one = count(k == 1)  big = count(x > 3)  no = count(not exists(x)) } }
--- events
1s s {"k":1,"x":5}
2s s {"k":2}
3s s {"k":1,"x":1}
--- alerts
10s r a=#1,#2,#3 {"one":2,"big":1,"no":1}

=== count(cond) of an input
--- rule
rule r { window tumbling 10s { a: s  b: t having count(a.x > 3) >= 1 } emit { n = count(a.x > 3)  m = count(b.x > 3) } }
--- events
1s s {"x":5}
2s t {"x":9}
3s t {"x":8}
--- alerts
10s r a=#1 b=#2,#3 {"n":1,"m":2}

=== where in an aggregate
--- rule
rule r { window tumbling 10s { a: s } emit { s = sum(x where k == 1)  n = count(where k == 1)  av = avg(x where k == 3)  d = count_distinct(x where k != 1) } }
--- events
1s s {"k":1,"x":5}
2s s {"k":2,"x":7}
3s s {"k":1,"x":1}
4s s {"x":9}
--- alerts
10s r a=#1,#2,#3,#4 {"s":6,"n":2,"av":null,"d":1}

=== where in an aggregate of an input
--- rule
rule r { window tumbling 10s { a: s  b: t } emit { s = sum(a.x where a.k == 1)  t = sum(b.x where b.k == 1) } }
--- events
1s s {"k":1,"x":5}
2s t {"k":1,"x":7}
3s t {"k":2,"x":9}
--- alerts
10s r a=#1 b=#2,#3 {"s":5,"t":7}

=== where and within together
--- rule
rule r { window sliding 10s { a: s fire on every match } emit { s = sum(x where k == 1, within 2s) } }
--- events
0s s {"k":1,"x":1}
1s s {"k":2,"x":2}
2s s {"k":1,"x":4}
2.000000001s s {"k":1,"x":8}
--- alerts
0s r a=#1 {"s":1}
1s r a=#1,#2 {"s":1}
2s r a=#1,#2,#3 {"s":5}
2.000000001s r a=#1,#2,#3,#4 {"s":12}

=== count_distinct: numbers by value, texts are no numbers
--- rule
rule r { window tumbling 10s { a: s } emit { d = count_distinct(x) } }
--- events
1s s {"x":1}
2s s {"x":1.0}
3s s {"x":"1"}
4s s {"x":true}
5s s
6s s {"x":"1"}
--- alerts
10s r a=#1,#2,#3,#4,#5,#6 {"d":3}

=== count_distinct of a pair: an event that lacks one is skipped
--- rule
rule r { window tumbling 10s { a: s } emit { d = count_distinct(x, y) } }
--- events
1s s {"x":1,"y":2}
2s s {"x":2,"y":1}
3s s {"x":1,"y":2}
4s s {"x":1}
5s s {"y":2}
6s s {"x":1,"y":1}
--- alerts
10s r a=#1,#2,#3,#4,#5,#6 {"d":3}

=== count_distinct: a pair of texts is not their concatenation
--- rule
rule r { window tumbling 10s { a: s } emit { d = count_distinct(x, y) } }
--- events
1s s {"x":"ab","y":"c"}
2s s {"x":"a","y":"bc"}
--- alerts
10s r a=#1,#2 {"d":2}

=== count_distinct, sliding: a value that is still there twice stays
--- rule
rule r { window sliding 10s { a: s fire on every match } emit { d = count_distinct(x) } }
--- events
0s s {"x":1}
1s s {"x":1}
2s s {"x":2}
10.5s s {"x":3}
11.000000001s s {"x":3}
--- alerts
0s r a=#1 {"d":1}
1s r a=#1,#2 {"d":1}
2s r a=#1,#2,#3 {"d":2}
10.5s r a=#2,#3,#4 {"d":3}
11.000000001s r a=#3,#4,#5 {"d":2}

=== approx_count_distinct is exact over few
--- rule
rule r { window tumbling 10s { a: s } emit { d = approx_count_distinct(x) } }
--- events
1s s {"x":"a"}
2s s {"x":"b"}
3s s {"x":"a"}
4s s {"x":"c"}
--- alerts
10s r a=#1,#2,#3,#4 {"d":3}

=== first and last, in the order of events
--- rule
rule r { window tumbling 10s { a: s } emit { f = first(x)  l = last(x) } }
--- events
1s s {"x":"p"}
2s s {"x":"q"}
2s s {"x":"r"}
--- alerts
10s r a=#1,#2,#3 {"f":"p","l":"r"}

=== first, sliding: as the first leaves
--- rule
rule r { window sliding 10s { a: s fire on every match } emit { f = first(x)  l = last(x) } }
--- events
0s s {"x":1}
5s s {"x":2}
10.000000001s s {"x":3}
--- alerts
0s r a=#1 {"f":1,"l":1}
5s r a=#1,#2 {"f":1,"l":2}
10.000000001s r a=#2,#3 {"f":2,"l":3}

=== reading 9: first and last skip events without the field
--- rule
rule r { window tumbling 10s { a: s } emit { f = first(x)  l = last(x) } }
--- events
1s s
2s s {"x":1}
3s s {"x":2}
4s s
--- alerts
10s r a=#1,#2,#3,#4 {"f":1,"l":2}

=== collect: values in order, again and again
--- rule
rule r { window tumbling 10s { a: s } emit { c = collect(x, 5) } }
--- events
1s s {"x":2}
2s s {"x":1}
3s s
4s s {"x":2}
--- alerts
10s r a=#1,#2,#3,#4 {"c":[2,1,2]}

=== values: each once, as they first came
--- rule
rule r { window tumbling 10s { a: s } emit { v = values(x, 5) } }
--- events
1s s {"x":"b"}
2s s {"x":"a"}
3s s
4s s {"x":"b"}
--- alerts
10s r a=#1,#2,#3,#4 {"v":["b","a"]}

=== top: the most frequent first
--- rule
rule r { window tumbling 10s { a: s } emit { t = top(x, 2) } }
--- events
1s s {"x":"a"}
2s s {"x":"b"}
3s s {"x":"b"}
4s s {"x":"c"}
5s s {"x":"c"}
6s s {"x":"c"}
--- alerts
10s r a=#1,#2,#3,#4,#5,#6 {"t":["c","b"]}

=== prev: of the key's event before this one
--- rule
rule r { window sliding 60s by u { a: s having last(x) > prev(x) fire on every match } emit { was = prev(x)  is = last(x) } }
--- events
0s s {"u":1,"x":5}
1s s {"u":2,"x":1}
2s s {"u":1,"x":7}
3s s {"u":2,"x":1}
4s s {"u":1,"x":6}
5s s {"u":1,"x":8}
--- alerts
2s r a=#1,#3 {"was":5,"is":7}
5s r a=#1,#3,#5,#6 {"was":6,"is":8}

=== prev: missing at the first, and when that event lacks the field
--- rule
rule r { window sliding 60s { a: s fire on every match } emit { p = prev(x) } }
--- events
0s s {"x":5}
1s s
2s s {"x":6}
3s s {"x":7}
--- alerts
0s r a=#1 {"p":null}
1s r a=#1,#2 {"p":5}
2s r a=#1,#2,#3 {"p":null}
3s r a=#1,#2,#3,#4 {"p":6}

=== reading 10: variance and stddev are of the population
--- rule
rule r { window tumbling 10s { a: s } emit { va = variance(x)  sd = stddev(x) } }
--- events
1s s {"x":1}
2s s {"x":3}
--- alerts
10s r a=#1,#2 {"va":1,"sd":1}

=== reading 11: collect and values hold the first n
--- rule
rule r { window tumbling 10s { a: s } emit { c = collect(x, 2)  v = values(x, 2) } }
--- events
1s s {"x":1}
2s s {"x":1}
3s s {"x":2}
4s s {"x":3}
--- alerts
10s r a=#1,#2,#3,#4 {"c":[1,1],"v":[1,2]}

=== arithmetic and functions over aggregates
--- rule
rule r { window tumbling 10s { a: s having sum(x) / count() > 2 and max(x) - min(x) == 4 } emit { r = abs(0 - avg(x) * 10)  z = avg(y) ?? -1  d = if(count() > 2, "many", "few") } }
--- events
1s s {"x":1}
2s s {"x":5}
--- alerts
10s r a=#1,#2 {"r":30,"z":-1,"d":"few"}

=== a key in having
--- rule
rule r { window tumbling 10s by u { a: s having u != "root" and count() >= 2 } emit { u = u } }
--- events
1s s {"u":"root"}
2s s {"u":"root"}
3s s {"u":"x"}
4s s {"u":"x"}
--- alerts
10s r a=#3,#4 {"u":"x"}

=== window_start and window_end in having
--- rule
rule r { window session 5s { a: s having window_end - window_start > 10s } emit { d = window_end - window_start } }
--- events
0s s
20s s
24s s
28s s
--- alerts
33s r a=#2,#3,#4 {"d":13}

=== whole doubles stay doubles over a restore
--- rule
rule r { window sliding 10s { a: s fire on every match } emit { m = max(x)  f = first(x)  c = collect(x, 2)  v = values(x, 2)  p = prev(x) } }
--- events
0s s {"x":1.66e17}
1s s {"x":2e17}
2s s {"x":3e17}
--- alerts
0s r a=#1
1s r a=#1,#2
2s r a=#1,#2,#3
