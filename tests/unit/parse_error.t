# SPDX-License-Identifier: Apache-2.0
# What the parser says to mistakes. A case is `--- KIND', a text, `->', and what is said of it: a line
# LINE:COLUMN+LENGTH MESSAGE [HINT] for each error. Kinds: `file' is the text itself; `expr' stands
# behind `rule r { match { a: S where ', `body' behind `rule r { match { ', `clause' in the second line
# of a rule that has a match. Read by test_parse_error.c.

# declarations
--- file
lst n = ["a"]
->
1:1+3 expected a declaration, found `lst` [did you mean `list`?]
--- file
foo
->
1:1+3 expected a declaration, found `foo`
--- file
}
->
1:1+1 expected a declaration, found `}`
--- file
rule
->
1:5+1 expected a name after `rule`, found the end of the file
--- file
rule {
}
->
1:6+1 expected a name after `rule`, found `{`
--- file
rule "x" { match { a: S } }
->
1:6+3 expected a name after `rule`, found `"x"` [a name has no quotes: letters, digits and `_`; what people read is `title`]
--- file
rule r x { match { a: S } }
->
1:8+1 expected `{` after `r`, found `x`
--- file
rule all { match { a: S } }
->
1:6+3 expected a name after `rule`, found `all` [`all` is a word of the language: as a name it is back-quoted]
--- file
stream s a
->
1:10+1 expected `=` after `s`, found `a`
--- file
stream s = all
->
1:12+3 expected a name or `any` after `=`, found `all` [`all` is a word of the language: as a name it is back-quoted]
--- file
stream s = a where
->
1:19+1 expected an expression after `where`, found the end of the file
--- file
stream s = a expect x else wran
->
1:28+4 expected `drop`, `quarantine` or `warn` after `else`, found `wran` [did you mean `warn`?]
--- file
stream s = a expect x
->
1:22+1 the file ends too early
--- file
list n = [a]
->
1:11+1 a list holds texts, numbers and other literals only [text stands in quotes]
--- file
list n = txt ["a"]
->
1:10+3 unexpected `txt` [did you mean `text`?]
--- file
list n = like~ ["a"]
->
1:10+5 a list's kind has no `~` [compare with `in~` or `like~` where it is used]
--- file
list n = [null]
->
1:11+4 a list holds texts, numbers and other literals only [text stands in quotes]
--- file
list n = file path
->
1:15+4 expected a text after `file`, found `path` [text stands in quotes]
--- file
list n = ["a" "b"]
->
1:15+3 unexpected `"b"`
--- file
table t = file "p"
->
1:19+1 expected `key` after `"p"`, found the end of the file
--- file
table t = file "p" key k keep 1d
->
1:31+2 `keep` is for tables that a stream feeds
--- file
table t = frm s key k
->
1:11+3 expected `file`, `from` or `kafka` after `=`, found `frm` [did you mean `from`?]
--- file
def f( = 1
->
1:8+1 expected a name or `)` after `(`, found `=`
--- file
def f(a b) = 1
->
1:9+1 expected `)` or `,` after `a`, found `b`
--- file
def f = 1
->
1:7+1 expected `(` after `f`, found `=`
--- file
def f(x) =
->
1:11+1 expected an expression after `=`, found the end of the file
--- file
exception scanner for r where x
->
1:11+7 expected a text after `exception`, found `scanner` [text stands in quotes]
--- file
exception "s" for r until tomorrow where x
->
1:27+8 expected a time after `until`, found `tomorrow`
--- file
exception "s" for r
->
1:20+1 expected `where` or `until` after `r`, found the end of the file
--- file
exception "s" where x
->
1:15+5 expected `for` after `"s"`, found `where`
--- file
sink s
->
1:7+1 expected `{` after `s`, found the end of the file
--- file
source s { time }
->
1:17+1 expected an expression, `{` or `.` after `time`, found `}`
--- file
sink s { file alerts.ndjson kafka }
->
1:35+1 expected an expression, `{` or `.` after `kafka`, found `}`
--- file
engine x { }
->
1:8+1 expected `{` after `engine`, found `x`
--- file
default_to a, b
->
1:13+1 expected a declaration after `a`, found `,`
--- file
sink x { a-b "c" }
->
1:10+3 `a-b` is neither a name nor a difference [put the name into back quotes, or blanks around `-`]
--- file
stream s = a { x[0] = 1 }
->
1:16+4 a field that is made here is named without `[ ]`
--- file
table t = file "a\u0000b" key k
->
1:16+10 this text may not hold a NUL character

# clauses
--- clause
sevrity high
->
2:1+7 expected a clause of the rule or `}` after `}`, found `sevrity` [did you mean `severity`?]
--- clause
severity
->
3:1+1 expected an expression after `severity`, found `}`
--- clause
title foo
->
2:7+3 expected a text after `title`, found `foo` [text stands in quotes]
--- clause
title "a" title "b"
->
2:11+9 `title` is given twice [take one of them away]
--- clause
description "a"
description "b"
->
3:1+15 `description` is given twice [take one of them away]
--- clause
risk 1 risk 2
->
2:8+6 `risk` is given twice [take one of them away]
--- clause
tags "a"
->
2:6+3 expected `[` after `tags`, found `"a"` [tags are a list: `tags ["a", "b"]`]
--- clause
meta { } meta { }
->
2:10+8 `meta` is given twice [take one of them away]
--- clause
disabled disabled
->
2:10+8 `disabled` is given twice [take one of them away]
--- clause
emit { a = 1 } emit { }
->
2:16+8 `emit` is given twice [take one of them away]
--- clause
emit { a }
->
2:10+1 expected `[`, `.` or `=` after `a`, found `}`
--- clause
emit { a[0] = 1 }
->
2:8+4 a field that is made here is named without `[ ]`
--- clause
emit { all = 1 }
->
2:8+3 expected a name or `}` after `{`, found `all` [`all` is a word of the language: as a name it is back-quoted]
--- clause
emit itno x { }
->
2:6+4 expected `{` or `into` after `emit`, found `itno` [did you mean `into`?]
--- clause
suppress 10
->
2:10+2 expected a duration after `suppress`, found `10` [a duration has a unit, such as `30s` or `1h30m`]
--- clause
suppress 10m by
->
3:1+1 expected a name after `by`, found `}`
--- clause
suppress 10m summry
->
2:14+6 expected a clause of the rule or `}` after `10m`, found `summry` [did you mean `summary`?]
--- clause
suppress 1m suppress 2m
->
2:13+11 `suppress` is given twice [take one of them away]
--- clause
to a, b
->
2:5+1 expected a clause of the rule or `}` after `a`, found `,` [nothing stands between one and the next: take it away; several values of one stand in `[ ]`]
--- clause
to [a b]
->
2:7+1 expected `]` or `,` after `a`, found `b`
--- clause
to a to b
->
2:6+4 `to` is given twice [take one of them away]
--- clause
keep x
->
2:6+1 expected a whole number after `keep`, found `x`
--- clause
keep 1 keep 2
->
2:8+6 `keep` is given twice [take one of them away]
--- clause
on_reload drian
->
2:11+5 expected `drain`, `fresh` or `refuse` after `on_reload`, found `drian` [did you mean `drain`?]
--- clause
on_reload drain on_reload fresh
->
2:17+15 `on_reload` is given twice [take one of them away]
--- clause
limit runs 10 per ky
->
2:19+2 expected `key` after `per`, found `ky` [did you mean `key`?]
--- clause
limit runs
->
3:1+1 expected a whole number after `runs`, found `}`
--- clause
limit foo 1
->
2:7+3 unexpected `foo`
--- clause
limit state 5
->
2:13+1 expected a size after `state`, found `5`
--- clause
window sliding 5m { a: S }
->
2:1+26 the rule has a body already: its `match` [make it a rule of its own; one rule may read the other's matches as a stream]
--- clause
join by x within 1m { a: S b: T }
->
2:1+19 the rule has a body already: its `match` [make it a rule of its own; one rule may read the other's matches as a stream]
--- clause
fire on close
->
2:1+4 expected a clause of the rule or `}` after `}`, found `fire` [it stands inside, behind the inputs: `{ a: STREAM having count() > 5 fire on match }`]
--- clause
match { b: S }
->
2:1+5 the rule has a body already: its `match` [make it a rule of its own; one rule may read the other's matches as a stream]

# bodies
--- body

->
1:19+1 expected a name, `all`, `any` or `not` after `{`, found `}`
--- body
a
->
1:20+1 expected `:` after `a`, found `}`
--- body
a:
->
1:21+1 expected a name, `[` or `any` after `:`, found `}`
--- body
a S
->
1:20+1 expected `:` after `a`, found `S` [`:` stands between a step's name and its stream: `a: S`]
--- body
next: S
->
1:22+1 expected a name, `all`, `any` or `not` after `next`, found `:` [`next` is a word of the language: as a name it is back-quoted]
--- body
until: S
->
1:23+1 expected a name after `until`, found `:` [`until` is a word of the language: as a name it is back-quoted]
--- body
by: S
->
1:18+2 expected a name, `all`, `any` or `not` after `{`, found `by` [`by` is a word of the language: as a name it is back-quoted]
--- body
in: S
->
1:18+2 expected a name, `all`, `any` or `not` after `{`, found `in` [`in` is a word of the language: as a name it is back-quoted]
--- body
a: S where
->
1:29+1 expected an expression after `where`, found `}`
--- body
a: S whre x
->
1:28+1 expected `:` after `whre`, found `x` [did you mean `where`?]
--- body
a: S within
->
1:30+1 expected a duration after `within`, found `}`
--- body
a: S within 60
->
1:30+2 expected a duration after `within`, found `60` [a duration has a unit, such as `30s` or `1h30m`]
--- body
a: S within x
->
1:30+1 expected a duration after `within`, found `x`
--- body
a: S wihtin 60s
->
1:30+3 expected `:` after `wihtin`, found `60s` [did you mean `within`?]
--- body
a: S by
->
1:26+1 expected a name or `?` after `by`, found `}`
--- body
a: S by x,
->
1:29+1 expected a name or `?` after `,`, found `}`
--- body
a{}: S
->
1:20+1 expected a whole number after `{`, found `}`
--- body
a{x}: S
->
1:20+1 expected a whole number after `{`, found `x` [how many events a step takes is a number, `a{3}`; before a clause a `}` is missing]
--- body
a{2000000000}: S
->
1:20+10 how often a step is bound is a number from 0 to 1000000000
--- body
a{1}{2}: S
->
1:22+1 expected `:` after `}`, found `{`
--- body
a: S until b: S until c: S
->
1:34+10 `until` is given twice [take one of them away]
--- body
until u: S a: S
->
1:29+4 an element stands behind `until` [put `until` last]
--- body
next until a: S
->
1:23+5 expected a name, `all`, `any` or `not` after `next`, found `until` [`until` is a word of the language: as a name it is back-quoted]
--- body
any { }
->
1:24+1 expected a name, `all`, `any` or `not` after `{`, found `}`
--- body
any { a: S }{3}
->
1:30+3 a group has no number: which of its steps would be bound how often is not clear [give the number to the steps inside `all { }`, or write the group again]
--- body
all { a: S }+
->
1:30+1 a group has no number: which of its steps would be bound how often is not clear [give the number to the steps inside `all { }`, or write the group again]
--- body
any { a: S any { b: S } }
->
1:29+12 a group holds steps only, not another group [write the inner steps out, or match them in a rule of their own and read that as a stream]
--- body
all 3000000000 { a: S b: S }
->
1:22+10 how many steps of `all` are needed is a number from 0 to 1000000000
--- body
all x { a: S }
->
1:22+1 expected a whole number or `{` after `all`, found `x`
--- body
a: S by x by y
->
1:28+2 `by` is given twice [take one of them away]
--- body
a: S where x where y
->
1:31+5 the step has a `where` already [join the conditions with `and`]
--- body
a: S within 1m within 2m
->
1:33+6 `within` is given twice [take one of them away]
--- body
a: [S T]
->
1:24+1 expected `]` or `,` after `S`, found `T`
--- body
a: []
->
1:22+1 expected a name or `any` after `[`, found `]`
--- body
a: S; b: T
->
1:22+1 `;` has no place here [take it away: nothing stands between elements or clauses]
--- file
rule r { mach { a: S } }
->
1:10+4 expected a clause of the rule or `}` after `{`, found `mach` [did you mean `match`?]
--- file
rule r { match by x wihtin 60s { a: S } }
->
1:21+6 unexpected `wihtin` [did you mean `within`?]
--- file
rule r { match by { a: S } }
->
1:19+1 expected a name or `?` after `by`, found `{`
--- file
rule r { match by x by y { a: S } }
->
1:21+2 `by` is given twice [take one of them away]
--- file
rule r { match within 1m within 2m { a: S } }
->
1:26+6 `within` is given twice [take one of them away]
--- file
rule r { match select frist { a: S } }
->
1:23+5 expected `all`, `each`, `first` or `last` after `select`, found `frist` [did you mean `first`?]
--- file
rule r { match select first select last { a: S } }
->
1:36+4 `select` is given twice [take one of them away]
--- file
rule r { match by x[y] { a: S } }
->
1:19+4 a key that is looked up needs a name [name it: `name = expression`]
--- file
rule r { match by lower(x) { a: S } }
->
1:24+1 unexpected `(` [a key that is computed is named: `name = lower(x)`]
--- file
rule r { match by x { a: S where startswith(m, "x") } }
->
1:34+10 expected an expression after `where`, found `startswith` [it stands between two values: `a startswith "b"`]
--- file
rule r { window tumbling 5m by x having count() > 5 { a: S } }
->
1:34+6 unexpected `having` [it stands inside, behind the inputs: `{ a: STREAM having count() > 5 }`]
--- file
source s { file /var/log/x }
->
1:17+1 expected an expression, `{` or `.` after `file`, found `/` [text stands in quotes, paths too]
--- file
source s { file: "x" }
->
1:16+1 expected an expression, `{` or `.` after `file`, found `:` [nothing stands between a key and its value: `file "..."`]
--- file
sink s { stdout }
->
1:17+1 expected an expression, `{` or `.` after `stdout`, found `}` [write `stdout {}`]
--- file
rule r { window sliding { a: S } }
->
1:25+1 expected a duration after `sliding`, found `{`
--- file
rule r { window tumblng 5m { a: S } }
->
1:17+7 unexpected `tumblng` [did you mean `tumbling`?]
--- file
rule r { window hopping 5m { a: S } }
->
1:28+1 expected `every` after `5m`, found `{`
--- file
rule r { window global 5m { a: S } }
->
1:24+2 expected `expire` after `global`, found `5m`
--- file
rule r { window sliding 5m { } }
->
1:30+1 expected a name after `{`, found `}`
--- file
rule r { window sliding 5m { a+: S } }
->
1:31+1 an input of a window has no number [count them: `having count() >= 3`]
--- file
rule r { window sliding 5m { a: S within 1m } }
->
1:42+2 an input of a window has no `within`
--- file
rule r { window sliding 5m { a: S fire close } }
->
1:40+5 expected `on` after `fire`, found `close`
--- file
rule r { window sliding 5m { a: S fire on mach } }
->
1:43+4 expected `change`, `close`, `every` or `match` after `on`, found `mach` [did you mean `match`?]
--- file
rule r { window sliding 5m { a: S fire on match fire on close } }
->
1:49+4 `fire` is given twice [take one of them away]
--- file
rule r { window sliding 5m { a: S having x having y } }
->
1:44+6 the window has a `having` already [join the conditions with `and`]
--- file
rule r { window sliding 5m { a: S allow 5m } }
->
1:41+2 expected `late` after `allow`, found `5m`
--- file
rule r { window tumbling 5m offset 1m offset 2m { a: S } }
->
1:39+6 `offset` is given twice [take one of them away]
--- file
rule r { window tumbling 5m zone Paris { a: S } }
->
1:34+5 expected a text after `zone`, found `Paris` [text stands in quotes]
--- file
rule r { window tumbling 5m by a in~ b { a: S } }
->
1:38+1 a window's table is given with `in`, not `in~`
--- file
rule r { join by x within 5s { a: S } }
->
1:10+19 a join has two sides, not 1
--- file
rule r { join by x within 1h..0s { a: S b: S } }
->
1:27+2 the range ends before it begins
--- file
rule r { join by x within 1m { a{2}: S b: S within 1m } }
->
1:33+3 a side of a join has no number [`b?:` is an outer side]
1:52+2 a side of a join has no `within` [put it behind `join by ...`]
--- file
rule r { novel lower(x) within 1d { a: S } }
->
1:21+1 unexpected `(` [`novel` takes fields: compute one in a stream, `stream s = a { x = lower(y) }`]
--- file
rule r { novel a within 1d within 2d { a: S } }
->
1:28+6 `within` is given twice [take one of them away]

# expressions
--- expr
x ==
->
1:34+1 expected an expression after `==`, found `}`
--- expr
== x
->
1:29+2 expected an expression after `where`, found `==`
--- expr
x = 1
->
1:31+1 unexpected `=` [equality is `==`]
--- expr
a < b < c
->
1:35+1 comparisons do not chain [write `a < b and b < c`]
--- expr
a == b != c
->
1:36+2 comparisons do not chain [write `a < b and b < c`]
--- expr
a in b in c
->
1:36+2 comparisons do not chain [write `a < b and b < c`]
--- expr
x lke "a"
->
1:35+3 expected `:` after `lke`, found `"a"` [did you mean `like`?]
--- expr
x like "a" lik
->
1:44+1 expected `:` after `lik`, found `}` [did you mean `like`?]
--- expr
(x
->
1:29+1 this `(` is not closed [`}` comes before `)`]
--- expr
x)
->
1:30+1 unexpected `)`
--- expr
f(x
->
1:30+1 this `(` is not closed [`}` comes before `)`]
--- expr
f(x]
->
1:32+1 unexpected `]`
--- expr
f(x,)
->
1:33+1 expected an expression or `within` after `,`, found `)`
--- expr
f(a, where b)
->
1:34+5 expected an expression or `within` after `,`, found `where` [`where` is a word of the language: as a name it is back-quoted]
--- expr
f(within 5)
->
1:38+1 expected a duration after `within`, found `5` [a duration has a unit, such as `30s` or `1h30m`]
--- expr
f(within x)
->
1:38+1 expected a duration after `within`, found `x`
--- expr
x[
->
1:30+1 this `[` is not closed [`}` comes before `]`]
--- expr
x[]
->
1:31+1 expected an expression after `[`, found `]`
--- expr
x[1:2]
->
1:32+1 unexpected `:`
--- expr
x[a][b]
->
1:34+1 a path looks up one key only
--- expr
f(x)[a]
->
1:34+1 behind a call only a whole number may be an index
--- expr
x[99999999999]
->
1:31+11 the index is out of range
--- expr
a.0
->
1:31+1 expected a name after `.`, found `0`
--- expr
a.
->
1:32+1 expected a name after `.`, found `}`
--- expr
a..b
->
1:30+2 unexpected `..`
--- expr
.a
->
1:29+1 expected an expression after `where`, found `.`
--- expr
any == 1
->
1:33+2 expected `(` after `any`, found `==` [`any` is a word of the language: as a name it is back-quoted]
--- expr
all
->
1:33+1 expected `(` after `all`, found `}` [`all` is a word of the language: as a name it is back-quoted]
--- expr
where == 1
->
1:29+5 expected an expression after `where`, found `where` [`where` is a word of the language: as a name it is back-quoted]
--- expr
any(x in y)
->
1:39+1 unexpected `)`
--- expr
any(x in~ y: x)
->
1:29+15 `in~` has no place here: write `in`, and `~` in the condition
--- expr
any(1 in y: x)
->
1:33+1 expected a name after `(`, found `1`
--- expr
user-agent == 1
->
1:29+10 `user-agent` is neither a name nor a difference [put the name into back quotes, or blanks around `-`]
--- expr
a.b-c-d == 1
->
1:31+5 `b-c-d` is neither a name nor a difference [put the name into back quotes, or blanks around `-`]
--- expr
x == y z == 1
->
1:38+2 expected `:` after `z`, found `==`
--- expr
[1 2]
->
1:32+1 unexpected `2`
--- expr
[1,,2]
->
1:32+1 expected an expression or `]` after `,`, found `,`
--- expr
not
->
1:33+1 expected an expression after `not`, found `}`
--- expr
- 
->
1:32+1 expected an expression after `-`, found `}`
--- expr
x ~ y
->
1:31+1 `~` has no place here [`~` stands directly behind a text operator: `==~ in~ like~`]
1:35+1 expected `:` after `y`, found `}`
--- expr
x <~ y
->
1:32+1 `~` has no place here [`~` stands directly behind a text operator: `==~ in~ like~`]
--- expr
a ?? 
->
1:35+1 expected an expression after `??`, found `}`
--- expr
x not y
->
1:37+1 expected `:` after `y`, found `}`
--- expr
x not
->
1:35+1 expected a name after `not`, found `}`
--- expr
if x
->
1:34+1 expected `:` after `x`, found `}`
--- expr
true.x
->
1:33+1 unexpected `.`

# foreign operators
--- expr
a && b
->
1:31+2 `&&` is no operator of this language [write `and`]
--- expr
a || b
->
1:31+2 `||` is no operator of this language [write `or`]
--- expr
!a
->
1:29+1 `!` is no operator of this language [write `not`]
--- expr
a <> 1
->
1:31+2 `<>` is no operator of this language [write `!=`]
--- expr
a === 1
->
1:31+3 `===` is no operator of this language [write `==`]
--- expr
a =~ "x"
->
1:31+2 `=~` is no operator of this language [write `regex`]
--- expr
a !~ "x"
->
1:31+2 `!~` is no operator of this language [write `not regex`]
--- expr
a ; b
->
1:31+1 `;` has no place here [take it away: nothing stands between elements or clauses]
1:35+1 expected `:` after `b`, found `}`
--- expr
a $ b
->
1:31+1 `$` has no place here [text stands in quotes, a name with such characters in back quotes]
1:35+1 expected `:` after `b`, found `}`
--- expr
a @- b
->
1:32+1 expected `:` after `@`, found `-`
--- expr
x == “a”
->
1:34+1 the character `“` (U+201C) has no place here [a text stands in straight quotes, "..."]
1:36+1 the character `”` (U+201D) has no place here [a text stands in straight quotes, "..."]
--- expr
x == ‘a’
->
1:34+1 the character `‘` (U+2018) has no place here [a raw text stands in straight quotes, '...']
1:36+1 the character `’` (U+2019) has no place here [a raw text stands in straight quotes, '...']
--- expr
a ≠ b
->
1:31+1 the character `≠` (U+2260) has no place here [write `!=`]
1:35+1 expected `:` after `b`, found `}`
--- expr
a == b
->
1:30+1 the character ` ` (U+00A0) has no place here [this is a no-break space: put a blank there]
--- expr
größe > 1
->
1:31+1 the character `ö` (U+00F6) has no place here [text stands in quotes, a name with such characters in back quotes]
1:35+1 expected `:` after `e`, found `>`
--- expr
a ^ b
->
1:31+1 `^` has no place here
1:35+1 expected `:` after `b`, found `}`

# literals
--- expr
x == 5min
->
1:34+4 `5min` is no number, duration or size [did you mean `5m`?]
--- expr
x == 5M
->
1:34+2 `5M` is no number, duration or size [did you mean `5m` or `5MiB`?]
--- expr
x == 10K
->
1:34+3 `10K` is no number, duration or size [did you mean `10KiB`?]
--- expr
x == 64kb
->
1:34+4 `64kb` is no number, duration or size [did you mean `64KB`?]
--- expr
x == 5x
->
1:34+2 `5x` is no number, duration or size [units of time are ns us ms s m h d w, of size B KiB MiB GiB TiB KB MB GB TB]
--- expr
x == 5sec
->
1:34+4 `5sec` is no number, duration or size [did you mean `5s`?]
--- expr
x == 30m1h
->
1:34+5 a duration's units stand from large to small, each once [such as `1h30m`]
--- expr
x == 1h1h
->
1:34+4 a duration's units stand from large to small, each once [such as `1h30m`]
--- expr
x == 0.1ns
->
1:34+5 the duration is finer than a nanosecond
--- expr
x == 99999999w
->
1:34+9 the duration is too long: it has at most 106751 days
--- expr
x == 1.5B
->
1:34+4 the size is not a whole number of bytes
--- expr
x == 9999999999TiB
->
1:34+13 the size is too large
--- expr
x == 0x1f
->
1:34+4 `0x1f` is no number, duration or size
--- expr
x == 1_000
->
1:34+5 `1_000` is no number, duration or size
--- expr
x == 007
->
1:34+3 a number has no zeros before it [take them away, or put it into quotes if it is a text]
--- expr
x == 1.5e999
->
1:34+7 the number is too large
--- expr
x == 1e
->
1:34+2 `1e` is no number, duration or size [units of time are ns us ms s m h d w, of size B KiB MiB GiB TiB KB MB GB TB]
--- expr
x == 10.0.0.1
->
1:34+8 `10.0.0.1` is no number [an address stands in quotes: "10.0.0.1"]
--- expr
x == 10.0.0.0/8
->
1:34+8 `10.0.0.0` is no number [an address stands in quotes: "10.0.0.0"]
--- expr
x == 2027-13-01
->
1:34+10 `2027-13-01` is no date [a date is YYYY-MM-DD, between 1678 and 2262]
--- expr
x == 2027-02-29
->
1:34+10 `2027-02-29` is no date [a date is YYYY-MM-DD, between 1678 and 2262]
--- expr
x == 1500-01-01
->
1:34+10 `1500-01-01` is no date [a date is YYYY-MM-DD, between 1678 and 2262]
--- expr
x == 2027-01-01T25:00:00Z
->
1:34+20 `2027-01-01T25:00:00Z` is no time [a time is like 2027-01-01T12:00:00Z or 2027-01-01T12:00:00+01:00]
--- expr
x == 2027-01-01T10:00
->
1:34+16 `2027-01-01T10:00` is no time [a time is like 2027-01-01T12:00:00Z or 2027-01-01T12:00:00+01:00]
--- expr
x == "a\d"
->
1:36+2 unknown escape `\d` [a backslash is `\\`; in 'raw text' it stands for itself]
--- expr
x == "\x41"
->
1:35+2 unknown escape `\x` [a backslash is `\\`; in 'raw text' it stands for itself]
--- expr
x == "\u12"
->
1:35+4 four hexadecimal digits follow `\u`
--- expr
x == "\ud800"
->
1:35+6 `\ud800` is half of a surrogate pair [write both halves, or the character itself]
--- expr
x == "\ud800\u0041"
->
1:35+6 `\ud800` is half of a surrogate pair [write both halves, or the character itself]
--- expr
x == "\udc00"
->
1:35+6 `\udc00` is half of a surrogate pair [write both halves, or the character itself]
--- expr
x == "\é"
->
1:35+2 unknown escape `\é` [a backslash is `\\`; in 'raw text' it stands for itself]
--- expr
x == "a
->
1:16+1 this `{` is not closed [the file ends before `}`]
1:34+6 the text is not closed at the end of the line [a `"` is missing; a text that spans lines stands in 'raw quotes']
--- expr
x == 'a
b
->
1:16+1 this `{` is not closed [the file ends before `}`]
1:34+1 the raw text that begins here is not closed [a `'` is missing at its end; inside it `''` is one quote]
--- expr
x == `a b
->
1:16+1 this `{` is not closed [the file ends before `}`]
1:34+8 the back-quoted name is not closed [a ` is missing at its end]
--- expr
x == ``
->
1:34+2 a back-quoted name is not empty
--- expr
x == "a\
->
1:16+1 this `{` is not closed [the file ends before `}`]
1:34+7 the text is not closed at the end of the line [a `"` is missing; a text that spans lines stands in 'raw quotes']
1:36+2 unknown escape `\ ` [a backslash is `\\`; in 'raw text' it stands for itself]

# test blocks
--- clause
test "t" { 5 S {} }
->
2:12+1 unexpected `5` [a duration has a unit, such as `30s` or `1h30m`]
--- clause
test "t" { 0s {} }
->
2:15+1 expected a name after `0s`, found `{`
--- clause
test "t" { 0s S }
->
2:17+1 expected `{` after `S`, found `}`
--- clause
test "t" { 0s S [] }
->
2:17+1 expected `{` after `S`, found `[`
--- clause
test "t" { 0s S {a: 1} }
->
2:18+1 expected a text or `}` after `{`, found `a` [text stands in quotes]
--- clause
test "t" { 0s S {'a': 1} }
->
2:18+3 expected a text or `}` after `{`, found `'a'` [JSON has double quotes]
--- clause
test "t" { 0s S {"a" 1} }
->
2:22+1 expected `:` after `"a"`, found `1`
--- clause
test "t" { 0s S {"a": 1h} }
->
2:23+2 expected a JSON value after `:`, found `1h`
--- clause
test "t" { 0s S {"a": 01} }
->
2:23+2 a number has no zeros before it [take them away, or put it into quotes if it is a text]
--- clause
test "t" { 0s S {"a": x} }
->
2:23+1 expected a JSON value after `:`, found `x`
--- clause
test "t" { 0s S {"a": 1,} }
->
2:25+1 expected a text after `,`, found `}`
--- clause
test "t" { 0s S {"a": "\d"} }
->
2:24+2 unknown escape `\d` [a backslash is `\\`; in 'raw text' it stands for itself]
--- clause
test "t" { expect }
->
2:19+1 expected a whole number, `alert` or `none` after `expect`, found `}`
--- clause
test "t" { expect alrt }
->
2:19+4 expected a whole number, `alert` or `none` after `expect`, found `alrt` [did you mean `alert`?]
--- clause
test "t" { expect alert 5s }
->
2:28+1 expected a name after `5s`, found `}`
--- clause
test "t" { expect 2 }
->
2:21+1 expected `alert` or `alerts` after `2`, found `}`
--- clause
test "t" { expect 2 alert at 5s }
->
2:27+2 unexpected `at`
--- clause
test "t" { until }
->
2:18+1 expected a duration after `until`, found `}`
--- clause
test "t" { lateness 5 }
->
2:21+1 expected a duration after `lateness`, found `5` [a duration has a unit, such as `30s` or `1h30m`]
--- clause
test "t" { list n = x }
->
2:21+1 expected `[` after `=`, found `x`
--- clause
test "t" { table t = {} }
->
2:22+1 expected `[` after `=`, found `{`
--- clause
test "t" { foo }
->
2:12+3 unexpected `foo`
--- clause
test t { }
->
2:6+1 expected a text after `test`, found `t` [text stands in quotes]
--- clause
test "t"
->
3:1+1 expected `{` after `"t"`, found `}`

# recovery
--- file
rule a {
  match { a: S where x == }
  emit { a = }
  severity high
  wndow sliding 5m { a: S }
}
rule b { match { a: S } }
rule c { match { } }
->
2:27+1 expected an expression after `==`, found `}`
3:14+1 expected an expression after `=`, found `}`
5:3+5 unexpected `wndow` [did you mean `window`?]
8:18+1 expected a name, `all`, `any` or `not` after `{`, found `}`
--- file
def g(x) = x +
rule z { match { a: S where == 1 } }
def h( = 1
->
2:1+4 a declaration begins here, but the one before is not complete
2:29+2 expected an expression after `where`, found `==`
3:8+1 expected a name or `)` after `(`, found `=`
--- file
stream s = a,
rule z { match { } }
->
2:1+4 a declaration begins here, but the one before is not complete
2:18+1 expected a name, `all`, `any` or `not` after `{`, found `}`
--- file
rule q { match { a: S where f(x }
  sverity high
}
def h( = 1
->
1:30+1 this `(` is not closed [`}` comes before `)`]
4:8+1 expected a name or `)` after `(`, found `=`
--- file
rule q {
  severity high
  match { a: S where x == 1
  }
  emit { a = 1
exception "x" for a where b
def h( = 1
->
5:8+1 this `{` is not closed [a declaration begins in line 6, before `}`]
7:8+1 expected a name or `)` after `(`, found `=`
--- file
rule q {
  match { a: S
    b: T where x ==
->
2:9+1 this `{` is not closed [the file ends before `}`]
--- file
def f(x) =
rule "x" { }
rule q { match { } }
->
2:1+4 a declaration begins here, but the one before is not complete
2:6+3 expected a name after `rule`, found `"x"` [a name has no quotes: letters, digits and `_`; what people read is `title`]
3:18+1 expected a name, `all`, `any` or `not` after `{`, found `}`
--- file
rule rule { match { a: S } }
rule
rule q { match { } }
->
3:6+1 expected `{` after `rule`, found `q`
--- file
def f(x) = (x == 1
def g( = 1
->
1:12+1 this `(` is not closed [a declaration begins in line 2, before `)`]
2:8+1 expected a name or `)` after `(`, found `=`
--- file
rule a { severity [ }
rule b { emit } rule c { keep }
  rule d { risk }
->
1:19+1 this `[` is not closed [`}` comes before `]`]
2:15+1 expected `{` or `into` after `emit`, found `}`
2:31+1 expected a whole number after `keep`, found `}`
3:17+1 expected an expression after `risk`, found `}`
--- file
lst a = ["x"] list b = ["y"]
  list c = 1
list d = 2
->
1:1+3 expected a declaration, found `lst` [did you mean `list`?]
2:12+1 unexpected `1`
3:10+1 unexpected `2`
--- file
rule a {
  match { s: S where source.ip = 1 and list.x == 2 and
    rule.id == 3 }
  sverity high
}
rule b { + }
->
2:32+1 unexpected `=` [equality is `==`]
6:10+1 expected a clause of the rule or `}` after `{`, found `+`
--- file
rule a {
  test "x" {
    0s S {"a" }
    list n = ["a"]
    expect none
  }
  keep x
}
rule b { + }
->
3:15+1 expected `:` after `"a"`, found `}`
7:8+1 expected a whole number after `keep`, found `x`
9:10+1 expected a clause of the rule or `}` after `{`, found `+`
--- file
}}}
)
list a = 1
->
1:1+1 expected a declaration, found `}`
3:10+1 unexpected `1`
