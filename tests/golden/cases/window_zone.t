# Section 4: `tumbling ... zone`: calendar days.

=== zone: a day of Paris begins at 23:00 UTC in winter
--- rule
rule r { window tumbling 1d zone "Europe/Paris" { a: s } emit { n = count()  ws = window_start  we = window_end } }
--- events
22h s
22.999999999h s
23h s
46.9h s
--- alerts
23h r a=#1,#2 {"n":2,"ws":"2026-12-31T23:00:00Z","we":"2027-01-01T23:00:00Z"}
47h r a=#3,#4 {"n":2,"ws":"2027-01-01T23:00:00Z","we":"2027-01-02T23:00:00Z"}

=== zone: the day of 23 hours
--- rule
# 2027-03-28, day 86 from the first: Paris goes to summer time at 01:00 UTC.
rule r { window tumbling 1d zone "Europe/Paris" { a: s } emit { n = count()  ws = window_start  we = window_end } }
--- events
2062h s
2063h s
2085.999999999h s
2086h s
--- alerts
2063h r a=#1 {"n":1,"we":"2027-03-27T23:00:00Z"}
2086h r a=#2,#3 {"n":2,"ws":"2027-03-27T23:00:00Z","we":"2027-03-28T22:00:00Z"}
2110h r a=#4 {"n":1,"ws":"2027-03-28T22:00:00Z","we":"2027-03-29T22:00:00Z"}

=== zone: the day of 25 hours
--- rule
# 2027-11-07: New York goes to standard time at 06:00 UTC.
rule r { window tumbling 1d zone "America/New_York" { a: s } emit { n = count()  ws = window_start  we = window_end } }
--- events
7444h s
7468.5h s
7469h s
--- alerts
7469h r a=#1,#2 {"n":2,"ws":"2027-11-07T04:00:00Z","we":"2027-11-08T05:00:00Z"}
7493h r a=#3 {"n":1,"ws":"2027-11-08T05:00:00Z","we":"2027-11-09T05:00:00Z"}

=== zone: a midnight that does not exist
--- rule
# 2027-04-30 in Cairo begins at 01:00, 22:00 UTC of the day before, as the days before it.
rule r { window tumbling 1d zone "Africa/Cairo" { a: s } emit { n = count()  ws = window_start  we = window_end } }
--- events
2853s s
10274399s s
10274400s s
10357199s s
10357200s s
--- alerts
79200s r a=#1 {"n":1}
10274400s r a=#2 {"n":1,"we":"2027-04-29T22:00:00Z"}
10357200s r a=#3,#4 {"n":2,"ws":"2027-04-29T22:00:00Z","we":"2027-04-30T21:00:00Z"}
10443600s r a=#5 {"n":1}

=== zone: half hours
--- rule
rule r { window tumbling 1d zone "Asia/Kolkata" { a: s } emit { n = count() } }
--- events
18.4h s
18.5h s
42.4h s
--- alerts
18.5h r a=#1 {"n":1}
42.5h r a=#2,#3 {"n":2}

=== zone: UTC is as without
--- rule
rule r { window tumbling 1d zone "UTC" { a: s } emit { n = count() } }
--- events
0h s
23.999h s
24h s
--- alerts
24h r a=#1,#2 {"n":2}
48h r a=#3 {"n":1}

=== zone: seven days are counted from the epoch, a Thursday
--- rule
# 2027-01-01 is a Friday: the week began on Thursday, 2026-12-31, 00:00 in Paris.
rule r { window tumbling 7d zone "Europe/Paris" { a: s } emit { n = count()  ws = window_start } }
--- events
0s s
142.9h s
143h s
--- alerts
143h r a=#1,#2 {"n":2,"ws":"2026-12-30T23:00:00Z"}
311h r a=#3 {"n":1,"ws":"2027-01-06T23:00:00Z"}

=== zone: fire on match
--- rule
rule r { window tumbling 1d zone "Europe/Paris" { a: s having count() >= 2 fire on match } emit { n = count() } }
--- events
22h s
23h s
24h s
25h s
--- alerts
24h r a=#2,#3 {"n":2}
