# Diagnostics as they are printed (section 10): file:line:column, the line, a caret span, a hint.

=== error: a reference to a later step
--- rule
rule r { match within 10s { a: a where x == b.x b: b } }
--- error
case.rule:1:45: error: `b` comes later: no event is bound to it yet
    rule r { match within 10s { a: a where x == b.x b: b } }
                                                ^~~ if a field is meant, rename the step `b`

=== error: a unit that there is not
--- rule
rule r { match within 5min { a: a b: b } }
--- error
case.rule:1:23: error: `5min` is no number, duration or size
    rule r { match within 5min { a: a b: b } }
                          ^~~~ did you mean `5m`?

=== error: a bad pattern, with its offset
--- rule
rule r { match { a: s where x regex 'a(b' } }
--- error
case.rule:1:37: error: bad pattern: missing closing parenthesis at offset 3
    rule r { match { a: s where x regex 'a(b' } }
                                        ^~~~~

=== error: a misspelt clause
--- rule
rule r { matsh { a: s } }
--- error
case.rule:1:10: error: expected a clause of the rule or `}` after `{`, found `matsh`
    rule r { matsh { a: s } }
             ^~~~~ did you mean `match`?

=== error: a sequence without within, on the third line
--- rule
rule r {
  match {
    a: a
    b: b
  }
}
--- error
case.rule:2:3: error: the match has no `within`, and `b` has none of its own
      match {
      ^~~~~ add `within`: without it this state would grow for ever

=== error: errors of several rules in one go
--- rule
rule r { match { a: s where lowr(x) == "a" } }
rule q { match { a: a b: b } }
rule p { match { a: s where x == } }
rule o { match within 10s { a: a b?: b } }
--- error
case.rule:1:29: error: unknown function `lowr`
    rule r { match { a: s where lowr(x) == "a" } }
                                ^~~~ did you mean `lower`?
case.rule:2:10: error: the match has no `within`, and `b` has none of its own
    rule q { match { a: a b: b } }
             ^~~~~ add `within`: without it this state would grow for ever
case.rule:3:34: error: expected an expression after `==`, found `}`
    rule p { match { a: s where x == } }
                                     ^
case.rule:4:35: error: the last element may be empty
    rule o { match within 10s { a: a b?: b } }
                                      ^ the match is complete without it: leave it out, or let it take one

=== error: columns count code points
--- rule
rule r { match { a: s where x == "éé" and lowr(x) == "a" } }
--- error
case.rule:1:43: error: unknown function `lowr`
    rule r { match { a: s where x == "éé" and lowr(x) == "a" } }
                                              ^~~~ did you mean `lower`?
