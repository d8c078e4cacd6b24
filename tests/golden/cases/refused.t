# What the compiler refuses, with the reason. `error-like`: the diagnostics hold one of the texts.

=== refused: a quantifier on a group, any
--- rule
rule r { match within 10s { any{2} { a: a b: b } c: c } }
--- error-like
quantifier | unexpected | expected | syntax

=== refused: all with more than there are
--- rule
rule r { match within 10s { all 3 { a: a b: b } c: c } }
--- error-like
all 3 | steps | group

=== refused: groups in groups
--- rule
rule r { match within 10s { all { a: a any { b: b c: c } } d: d } }
--- error-like
group | unexpected | expected | syntax

=== refused: not inside a group
--- rule
rule r { match within 10s { all { a: a not b: b c: c } d: d } }
--- error-like
not | unexpected | syntax

=== refused: not with within between two elements
--- rule
rule r { match within 10s { a: a not x: x within 5s b: b } }
--- error-like
within

=== refused: not directly behind an element that may be empty
--- rule
rule r { match within 10s { a: a b?: b not x: x c: c } }
--- error-like
empty

=== refused: not directly behind a*
--- rule
rule r { match within 10s { a*: a not x: x c: c } }
--- error-like
empty

=== refused: next first
--- rule
rule r { match within 10s { next a: a b: b } }
--- error-like
next

=== refused: next directly behind an element that may be empty
--- rule
rule r { match within 10s { a: a b?: b next c: c } }
--- error-like
empty

=== refused: an element that may be empty at the end
--- rule
rule r { match within 10s { a: a b?: b } }
--- error-like
empty

=== refused: a* at the end
--- rule
rule r { match within 10s { a: a b*: b } }
--- error-like
empty

=== refused: a reference to a later step
--- rule
rule r { match within 10s { a: a where x == b.x b: b } }
--- error-like
later

=== refused: a reference to a not
--- rule
rule r { match within 10s { a: a not x: x b: b where v == x.v } }
--- error-like
not

=== refused: a reference to an until
--- rule
rule r { match within 10s { a: a b: b where v == u.v until u: u } }
--- error-like
until | later

=== refused: last with a{3,}
--- rule
rule r { match within 10s select last { a{3,}: a b: b } }
--- error-like
last

=== refused: last with a+
--- rule
rule r { match within 10s select last { a+: a b: b } }
--- error-like
last

=== refused: last with a*
--- rule
rule r { match within 10s select last { a: a b*: b c: c } }
--- error-like
last

=== refused: last with a{2,5}
--- rule
rule r { match within 10s select last { a{2,5}: a b: b } }
--- error-like
last

=== refused: a sequence without within
--- rule
rule r { match { a: a b: b } }
--- error-like
within

=== refused: a loop without within
--- rule
rule r { match { a{3}: a } }
--- error-like
within

=== refused: one of the later steps lacks its own within
--- rule
rule r { match { a: a b: b within 5s c: c } }
--- error-like
within

=== refused: a leading not without a reach
--- rule
rule r { match { not x: x a: a } }
--- error-like
within

=== refused: a trailing not without a reach
--- rule
rule r { match { a: a not x: x } }
--- error-like
within

=== refused: an unknown mode
--- rule
rule r { match within 10s select newest { a: a b: b } }
--- error-like
first | select | newest

=== refused: two steps of one name
--- rule
rule r { match within 10s { a: a a: b } }
--- error-like
a

=== refused: a step named like the first part of a field that the rule uses
--- rule
rule r { match within 10s { user: a where user.id == 1 b: b } }
--- error-like
user

=== refused: two bodies
--- rule
rule r { match { a: a } match { b: b } }
--- error-like
body | match | twice | one

=== refused: no body
--- rule
rule r { title "x" }
--- error-like
body | match

=== refused: two rules of one name
--- rule
rule r { match { a: a } }
rule r { match { a: b } }
--- error-like
r

=== refused: a bad pattern, with its offset
--- rule
rule r { match { a: s where x regex 'a(b' } }
--- error-like
regex | pattern | parenthes

=== refused: an unknown escape
--- rule
rule r { match { a: s where x == "a\qb" } }
--- error-like
escape

=== refused: a number that is followed by letters
--- rule
rule r { match within 5min { a: a b: b } }
--- error-like
5m

=== refused: an unknown function
--- rule
rule r { match { a: s where lowr(x) == "a" } }
--- error-like
lower

=== refused: too many arguments
--- rule
rule r { match { a: s where lower(x, y) == "a" } }
--- error-like
lower | argument

=== refused: x-y without blanks is not a subtraction
--- rule
rule r { match { a: s where user-agent == "a" } }
--- error-like
`user-agent`

=== refused: some steps have a key and the head has none
--- rule
rule r { match within 10s { a: a by u b: b } }
--- error-like
by | key

=== refused: as many keys in a step as in the head
--- rule
rule r { match by u, v within 10s { a: a b: b by w } }
--- error-like
key

=== refused: an exact message is not asked, but all errors come in one go
--- rule
rule r { match within 10s { a: a where lowr(x) == 1 b: b where uper(y) == 2 } }
--- error-like
lowr | lower

=== refused: cidr list with a bad network
--- rule
list n = cidr ["10.0.0.0/33"]
rule r { match { a: s where ip in n } }
--- error-like
10.0.0.0/33 | cidr

=== refused: a stream that reads itself
--- rule
stream s = t
stream t = s
rule r { match { a: s } }
--- error-like
itself | cycle
