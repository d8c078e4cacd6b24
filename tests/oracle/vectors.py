# SPDX-License-Identifier: Apache-2.0
"""The table of vectors of section 3, row by row: the pattern as the page has it, the same as a rule
body, the head, the events, and what is told in each mode - copied from the page, not computed.

An alert is the bound times, with "@t" behind when it is told at another time than its last event's.
"""
S, R, N = "same", "refused", []

VECTORS = [
    ("a b", "a: a b: b", "within 10s", "a1 a2 b3 b4", ["1,3"], ["2,3"], ["1,3", "2,3"]),
    ("a b c", "a: a b: b c: c", "within 10s", "a1 a2 b3 b4 a5 c6",
     ["1,3,6"], ["2,3,6"], ["1,3,6", "2,3,6"]),
    ("a b c", "a: a b: b c: c", "within 100s", "a1 b2 a3 c4 b5 c6",
     ["1,2,4"], ["1,2,4", "3,5,6"], ["1,2,4", "3,5,6"]),
    ("a b", "a: a b: b", "within 5s", "a1 b6 a10 b15.001", ["1,6"], ["1,6"], ["1,6"]),
    ("a b", "a: a b: b", "within 5s", "a0 a4 b6", ["4,6"], ["4,6"], ["4,6"]),
    ("a{3,} b", "a{3,}: a b: b", "within 10s", "a1 a2 a3 a4 b5",
     ["1,2,3,4,5"], R, ["1,2,3,4,5", "2,3,4,5"]),
    ("a{3,} b", "a{3,}: a b: b", "within 3s", "a1 a2 a3 a4 b5", ["2,3,4,5"], R, ["2,3,4,5"]),
    ("a{3} b", "a{3}: a b: b", "within 10s", "a1 a2 a3 a4 b5 b6",
     ["1,2,3,5"], ["2,3,4,5"], ["1,2,3,5", "2,3,4,5"]),
    ("a not x b", "a: a not x: x b: b", "within 10s", "a1 x2 b3 a4 b5", ["4,5"], ["4,5"], ["4,5"]),
    ("a+ not x b", "a+: a not x: x b: b", "within 10s", "a1 x2 a3 b4", ["3,4"], R, ["3,4"]),
    ("a{2,} not x b", "a{2,}: a not x: x b: b", "within 10s", "a1 x2 a3 b4", ["1,3,4"], R, ["1,3,4"]),
    ("a; not b within 5s", "a: a not b: b within 5s", "", "a1 b3 a10", ["10@15"], ["10@15"], ["10@15"]),
    ("a; not b within 5s", "a: a not b: b within 5s", "", "a1 a3",
     ["1@6", "3@8"], ["1@6", "3@8"], ["1@6", "3@8"]),
    ("hb; not hb within 5s", "hb: hb not hb2: hb within 5s", "", "hb0 hb3 hb6",
     ["6@11"], ["6@11"], ["6@11"]),
    ("a b not c within 5m", "a: a b: b not c: c within 5m", "within 60s", "a0 b1",
     ["0,1@301"], ["0,1@301"], ["0,1@301"]),
    ("a; not x within 5s; not y within 60s", "a: a not x: x within 5s not y: y within 60s", "",
     "a0 y30", N, N, N),
    ("a; not b within 5s; until u", "a: a not b: b within 5s until u: u", "", "a1 u6", N, N, N),
    ("all{a b} c", "all { a: a b: b } c: c", "within 10s", "b1 a2 c3", ["1,2,3"], ["1,2,3"], ["1,2,3"]),
    ("a next b (the rule also names x)", "a: a next b: b until x: x where never == 1", "within 10s",
     "a1 x2 b3 a4 b5", ["4,5"], ["4,5"], ["4,5"]),
    ("a next b{2}", "a: a next b{2}: b until x: x where never == 1", "within 10s", "a1 b2 x3 b4", N, N, N),
    ("a a", "a: a a2: a", "within 10s", "a1 a2 a3 a4",
     ["1,2", "3,4"], ["1,2", "2,3", "3,4"], ["1,2", "2,3", "3,4"]),
    ("p; c where ppid == p.pid", "p: p c: c where ppid == p.pid", "within 60s",
     'p1{"pid":10} p2{"pid":20} c3{"ppid":10} c4{"ppid":20}',
     ["1,3", "2,4"], ["1,3", "2,4"], ["1,3", "2,4"]),
    ("f{3,} ok until ok", "f{3,}: f ok: ok until ok2: ok", "within 100s", "f1 f2 ok3 f4 f5 f6 ok7",
     ["4,5,6,7"], R, ["4,5,6,7"]),
]


def rule_text(body, head, mode):
    return f"rule r {{ keep 1000 match {head + ' ' if head else ''}select {mode} {{ {body} }} }}"
