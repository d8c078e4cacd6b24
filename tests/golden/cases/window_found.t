# Minimal cases of differences that the random ones found.

=== found: offset and zone together
--- rule
rule r { window tumbling 1d offset 6h zone "Europe/Paris" { a: s } emit { n = count()  ws = window_start } }
--- events
4.999999999h s
5h s
--- alerts
5h r a=#1 {"n":1,"ws":"2026-12-31T05:00:00Z"}
29h r a=#2 {"n":1,"ws":"2027-01-01T05:00:00Z"}

=== found: keep is of the last in the order of events, not of arrival
--- rule
rule r { keep 1 window tumbling 10s { a: s allow late 10s } emit { l = last(x) } }
--- events lateness 0s
5s s {"x":5}
14s s
4s s {"x":4}
--- alerts
10s r a=#1 {"l":5} revision 0
10s r a=#1 {"l":5} revision 1
20s r a=#2 {"l":null} revision 0

=== found: session, a late event of a session that is kept, though alone it would be too late
--- rule
# The session [10s, 15s] ends at 18s and is kept until 20s: 8s + gap + late is 13s.
rule r { window session 3s { a: s allow late 2s } emit { n = count() } }
--- events lateness 0s
10s s
13s s
15s s
20s s
8s s
--- alerts
18s r a=#1,#2,#3 {"n":3} revision 0
18s r a=#5,#1,#2,#3 {"n":4} revision 1
23s r a=#4 {"n":1} revision 0

=== found: limit matches is per event, also if it fits both sides (reading 32: the newest stay)
--- rule
rule r { limit matches 2 per event join by u within 10s { a: s b: s } }
--- events
0s s {"u":1}
1s s {"u":1}
2s s {"u":1}
--- alerts
1s r a=#1 b=#2
1s r a=#2 b=#1
2s r a=#2 b=#3
2s r a=#3 b=#2

=== found: exists of an aggregate
--- rule
rule r { window sliding 10s { a: s having exists(prev(v)) } }
--- events
1s s {"v":1}
2s s {"v":2}
--- alerts
2s r a=#1,#2

=== found: exists of other aggregates
--- rule
rule r { window sliding 10s { a: s having exists(avg(v)) and not exists(min(w)) } }
--- events
1s s
2s s {"v":2}
--- alerts
2s r a=#1,#2

=== found: after a reset H holds over nothing: the same in every kind of window
--- rule
rule q { window sliding 60s { a: s having count() < 2 fire on match reset } }
rule r { window tumbling 60s { a: s having count() < 2 fire on match reset } }
--- events
0s s
1s s
--- alerts
0s q a=#1
0s r a=#1

=== found: after a reset H holds over nothing, count_distinct
--- rule
rule r { window tumbling 60s { a: s having count_distinct(x) <= 3 fire on match reset } }
--- events
0s s {"x":1}
1s s {"x":1}
--- alerts
0s r a=#1
