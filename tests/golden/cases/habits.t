# SPDX-License-Identifier: Apache-2.0
# What people write who know another language, and what they are told (src/lang/habit.def).

=== habit: startswith as a method
--- rule
rule r { match by k within 5m { a: s where x.startswith("a") b: s } }
--- error
case.rule:1:56: error: unexpected `(`
    rule r { match by k within 5m { a: s where x.startswith("a") b: s } }
                                                           ^ it stands between two values: `x startswith "..."`

=== habit: window: the key before the kind
--- rule
rule r { window by user tumbling 5m { a: s having count() > 3 } }
--- error
case.rule:1:17: error: unexpected `by`
    rule r { window by user tumbling 5m { a: s having count() > 3 } }
                    ^~ the kind comes first: `window tumbling 5m by user { ... }`

=== habit: within behind the elements
--- rule
rule r {
  match by k { a: s b: t } within 10m
}
--- error
case.rule:2:28: error: expected a clause of the rule or `}` after `}`, found `within`
      match by k { a: s b: t } within 10m
                               ^~~~~~ it stands before the elements: `match by user within 5m { ... }`

=== habit: having behind the inputs
--- rule
rule r {
  window tumbling 5m by user { a: s } having count() > 5
}
--- error
case.rule:2:39: error: expected a clause of the rule or `}` after `}`, found `having`
      window tumbling 5m by user { a: s } having count() > 5
                                          ^~~~~~ it stands inside, behind the inputs: `{ a: STREAM having count() > 5 }`

=== habit: a count in brackets
--- rule
rule r { match by k within 5m { a[3]: s where x == 1 b: s } }
--- error
case.rule:1:34: error: expected `:` after `a`, found `[`
    rule r { match by k within 5m { a[3]: s where x == 1 b: s } }
                                     ^ how many is written in braces: `a{3}`

=== habit: is null
--- rule
rule r { match by k within 5m { a: s where x is null } }
--- error
case.rule:1:49: error: expected `:` after `is`, found `null`
    rule r { match by k within 5m { a: s where x is null } }
                                                    ^~~~ write `not exists(x)`

=== habit: is not null
--- rule
rule r { match by k within 5m { a: s where x is not null } }
--- error
case.rule:1:49: error: expected `:` after `is`, found `not`
    rule r { match by k within 5m { a: s where x is not null } }
                                                    ^~~ write `exists(x)`

=== habit: = for ==
--- rule
rule r { match by k within 5m { a: s where x = "a" } }
--- error
case.rule:1:46: error: unexpected `=`
    rule r { match by k within 5m { a: s where x = "a" } }
                                                 ^ equality is `==`

=== habit: && || !
--- rule
rule r { match by k within 5m { a: s where x == 1 && y == 2 || !z } }
--- error
case.rule:1:51: error: `&&` is no operator of this language
    rule r { match by k within 5m { a: s where x == 1 && y == 2 || !z } }
                                                      ^~ write `and`
case.rule:1:61: error: `||` is no operator of this language
    rule r { match by k within 5m { a: s where x == 1 && y == 2 || !z } }
                                                                ^~ write `or`
case.rule:1:64: error: `!` is no operator of this language
    rule r { match by k within 5m { a: s where x == 1 && y == 2 || !z } }
                                                                   ^ write `not`

=== habit: a text plus a field
--- rule
rule r { match by k within 5m { a: s } emit { m = "user " + x } }
--- error
case.rule:1:51: error: `+` does not take a text and a field
    rule r { match by k within 5m { a: s } emit { m = "user " + x } }
                                                      ^~~~~~~~~~~ `concat(x, y)` joins texts

=== habit: between
--- rule
rule r { match by k within 5m { a: s where x between 1 and 5 } }
--- error
case.rule:1:54: error: expected `:` after `between`, found `1`
    rule r { match by k within 5m { a: s where x between 1 and 5 } }
                                                         ^ write `x >= LOW and x <= HIGH`

=== habit: count(*)
--- rule
rule r { window tumbling 5m by user { a: s having count(*) > 5 } }
--- error
case.rule:1:57: error: expected an expression, `)`, `where` or `within` after `(`, found `*`
    rule r { window tumbling 5m by user { a: s having count(*) > 5 } }
                                                            ^ all events are `count()`

=== habit: group by
--- rule
rule r { window tumbling 5m group by user { a: s having count() > 5 } }
--- error
case.rule:1:29: error: unexpected `group`
    rule r { window tumbling 5m group by user { a: s having count() > 5 } }
                                ^~~~~ the key is `by user`, without `group`

=== habit: Sigma: a modifier
--- rule
rule r { match by k within 5m { a: s where CommandLine|contains: "mimikatz" } }
--- error
case.rule:1:55: error: `|` has no place here
    rule r { match by k within 5m { a: s where CommandLine|contains: "mimikatz" } }
                                                          ^ an operator stands between two values, `CommandLine contains "..."`; either of two conditions is `or`
case.rule:1:64: error: expected an expression after `contains`, found `:`
    rule r { match by k within 5m { a: s where CommandLine|contains: "mimikatz" } }
                                                                   ^ nothing stands between an operator and its value: `x contains "..."`

=== habit: EQL: sequence by
--- rule
rule r { sequence by user within 5m [process where name == "x"] [network where port == 1] }
--- error
case.rule:1:10: error: expected a clause of the rule or `}` after `{`, found `sequence`
    rule r { sequence by user within 5m [process where name == "x"] [network where port == 1] }
             ^~~~~~~~ a sequence is `match by user within 5m { a: logins where ...  b: changes where ... }`

=== habit: EQL: [stream where ...]
--- rule
rule r { match by user within 5m { [process where name == "x"] [network where port == 1] } }
--- error
case.rule:1:36: error: expected a name, `all`, `any` or `not` after `{`, found `[`
    rule r { match by user within 5m { [process where name == "x"] [network where port == 1] } }
                                       ^ a step is a name, a stream and a condition: `a: process where name == "x"`

=== habit: 10 min
--- rule
rule r { match by k within 10 min { a: s b: s } }
--- error
case.rule:1:28: error: expected a duration after `within`, found `10`
    rule r { match by k within 10 min { a: s b: s } }
                               ^~ did you mean `10m`?

=== habit: 1 hour
--- rule
rule r { match by k within 1 hour { a: s b: s } }
--- error
case.rule:1:28: error: expected a duration after `within`, found `1`
    rule r { match by k within 1 hour { a: s b: s } }
                               ^ did you mean `1h`?

=== habit: 5mins
--- rule
rule r { match by k within 5mins { a: s b: s } }
--- error
case.rule:1:28: error: `5mins` is no number, duration or size
    rule r { match by k within 5mins { a: s b: s } }
                               ^~~~~ did you mean `5m`?

=== habit: a duration without a unit
--- rule
rule r { match by k within 5 { a: s b: s } }
--- error
case.rule:1:28: error: expected a duration after `within`, found `5`
    rule r { match by k within 5 { a: s b: s } }
                               ^ a duration has a unit, such as `30s` or `1h30m`

=== habit: a step without its colon, behind a count
--- rule
rule r { match by k within 5m { a{3} s where x == 1 } }
--- error
case.rule:1:38: error: expected `:` after `}`, found `s`
    rule r { match by k within 5m { a{3} s where x == 1 } }
                                         ^ `:` stands between a step's name and its stream: `a{3}: logins`

=== habit: a step without a name
--- rule
rule r { match by k within 5m { s where x == 1  } }
--- error
case.rule:1:35: error: expected `:` after `s`, found `where`
    rule r { match by k within 5m { s where x == 1  } }
                                      ^~~~~ a step has a name: `a: s where ...`

=== habit: a list in parentheses
--- rule
rule r { match by k within 5m { a: s where x in ("a", "b") } }
--- error
case.rule:1:53: error: unexpected `,`
    rule r { match by k within 5m { a: s where x in ("a", "b") } }
                                                        ^ a list stands in brackets: `x in ["a", "b"]`

=== habit: then
--- rule
rule r { severity "high"  match by k within 5m { a: s where x contains "a" then b: s } }
--- error
case.rule:1:81: error: expected `:` after `then`, found `b`
    rule r { severity "high"  match by k within 5m { a: s where x contains "a" then b: s } }
                                                                                    ^ nothing stands between two steps: each comes after the one before

=== habit: when
--- rule
rule r { when login followed by logout within 5m }
--- error
case.rule:1:10: error: expected a clause of the rule or `}` after `{`, found `when`
    rule r { when login followed by logout within 5m }
             ^~~~ what is looked for is `match { a: STREAM where ... }`

=== habit: not exists x
--- rule
rule r { match by k within 5m { a: s where not exists x } }
--- error
case.rule:1:57: error: expected `:` after `x`, found `}`
    rule r { match by k within 5m { a: s where not exists x } }
                                                            ^ a function has its values in brackets: `exists(x)`

=== habit: a name in quotes
--- rule
rule "my rule" { match by k within 5m { a: s } }
--- error
case.rule:1:6: error: expected a name after `rule`, found `"my rule"`
    rule "my rule" { match by k within 5m { a: s } }
         ^~~~~~~~~ a name has no quotes: letters, digits and `_`; what people read is `title`

=== habit: a clause with a colon
--- rule
rule r { title: "x"  match by k within 5m { a: s } }
--- error
case.rule:1:15: error: expected a text after `title`, found `:`
    rule r { title: "x"  match by k within 5m { a: s } }
                  ^ nothing stands between `title` and what it says

=== habit: tags without brackets
--- rule
rule r { tags "a", "b"  match by k within 5m { a: s } }
--- error
case.rule:1:15: error: expected `[` after `tags`, found `"a"`
    rule r { tags "a", "b"  match by k within 5m { a: s } }
                  ^~~ tags are a list: `tags ["a", "b"]`

=== habit: len()
--- rule
rule r { match by k within 5m { a: s where lower(x) == "a" and len(x) > 3 } }
--- error
case.rule:1:64: error: unknown function `len`
    rule r { match by k within 5m { a: s where lower(x) == "a" and len(x) > 3 } }
                                                                   ^~~ write `length(x)`

=== habit: having in front of the inputs
--- rule
rule r { window tumbling 5m by user having count() > 5 { a: s } }
--- error
case.rule:1:37: error: unexpected `having`
    rule r { window tumbling 5m by user having count() > 5 { a: s } }
                                        ^~~~~~ it stands inside, behind the inputs: `{ a: STREAM having count() > 5 }`

=== habit: an arrow between steps
--- rule
rule r { match by k within 5m { a: s -> b: s } }
--- error
case.rule:1:38: error: `->` has no place here
    rule r { match by k within 5m { a: s -> b: s } }
                                         ^~ take it away: nothing stands between two steps, each comes after the one before

=== habit: sum of a field without its step
--- rule
rule r { match by k within 5m { a: s where x } emit { n = count(a) total = sum(x) } }
--- error
case.rule:1:80: error: `x` is not a step of this match
    rule r { match by k within 5m { a: s where x } emit { n = count(a) total = sum(x) } }
                                                                                   ^ it is of a field of a step: `sum(a.x)`

=== habit: window: a size without its kind
--- rule
rule r { window 5m by user { a: s having count() > 5 } }
--- error
case.rule:1:17: error: unexpected `5m`
    rule r { window 5m by user { a: s having count() > 5 } }
                    ^~ the kind comes first: `window tumbling 5m by user { ... }`

=== habit: window: a size in parentheses
--- rule
rule r { window tumbling(5m) by user { a: s having count() > 5 } }
--- error
case.rule:1:25: error: expected a duration after `tumbling`, found `(`
    rule r { window tumbling(5m) by user { a: s having count() > 5 } }
                            ^ without brackets: `tumbling 5m`

=== habit: emit with a colon
--- rule
rule r { match by k within 5m { a: s where x == true && y } emit { s: x } }
--- error
case.rule:1:54: error: `&&` is no operator of this language
    rule r { match by k within 5m { a: s where x == true && y } emit { s: x } }
                                                         ^~ write `and`
case.rule:1:69: error: expected `[`, `.` or `=` after `s`, found `:`
    rule r { match by k within 5m { a: s where x == true && y } emit { s: x } }
                                                                        ^ a field is made with `=`: `s = ...`

=== habit: functions of other languages
--- rule
rule r { match by k within 5m { a: s where lower(x) == "b" and a.startswith("x") } emit { n = substr(x, 1) m = coalesce(x, y) t = now() } }
--- error
case.rule:1:76: error: unexpected `(`
    ... within 5m { a: s where lower(x) == "b" and a.startswith("x") } emit { n = substr(x, 1) m = coalesce(x, y) t = now() } }
                                                               ^ it stands between two values: `a startswith "..."`

=== habit: a step without its colon
--- rule
rule r { match by k within 5m { a s } }
--- error
case.rule:1:35: error: expected `:` after `a`, found `s`
    rule r { match by k within 5m { a s } }
                                      ^ `:` stands between a step's name and its stream: `a: s`

=== habit: a function as a method
--- rule
rule r { match by k within 2 days { a: s where name.lower() == "x"  b: s } }
--- error
case.rule:1:28: error: expected a duration after `within`, found `2`
    rule r { match by k within 2 days { a: s where name.lower() == "x"  b: s } }
                               ^ did you mean `2d`?

=== habit: IS
--- rule
rule r { match by k within 5m { a: s where x IS NULL } }
--- error
case.rule:1:49: error: expected `:` after `IS`, found `NULL`
    rule r { match by k within 5m { a: s where x IS NULL } }
                                                    ^~~~ write `exists(x)`, or `not exists(x)`

=== habit: BETWEEN
--- rule
rule r { match by k within 5m { a: s where x BETWEEN 1 AND 2 } }
--- error
case.rule:1:54: error: expected `:` after `BETWEEN`, found `1`
    rule r { match by k within 5m { a: s where x BETWEEN 1 AND 2 } }
                                                         ^ write `x >= LOW and x <= HIGH`

=== habit: equals
--- rule
rule r { match by k within 5m { a: s where x equals "a" } }
--- error
case.rule:1:53: error: expected `:` after `equals`, found `"a"`
    rule r { match by k within 5m { a: s where x equals "a" } }
                                                        ^~~ equality is `==`

=== habit: eq
--- rule
rule r { match by k within 5m { a: s where x eq "a" } }
--- error
case.rule:1:49: error: expected `:` after `eq`, found `"a"`
    rule r { match by k within 5m { a: s where x eq "a" } }
                                                    ^~~ equality is `==`

=== habit: is
--- rule
rule r { match by k within 5m { a: s where user.name is "a" } }
--- error
case.rule:1:57: error: expected `:` after `is`, found `"a"`
    rule r { match by k within 5m { a: s where user.name is "a" } }
                                                            ^~~ equality is `==`

=== habit: ne
--- rule
rule r { match by k within 5m { a: s where x ne 1 } }
--- error
case.rule:1:49: error: expected `:` after `ne`, found `1`
    rule r { match by k within 5m { a: s where x ne 1 } }
                                                    ^ write `!=`

=== habit: matches
--- rule
rule r { match by k within 5m { a: s where x matches "a.*" } }
--- error
case.rule:1:54: error: expected `:` after `matches`, found `"a.*"`
    rule r { match by k within 5m { a: s where x matches "a.*" } }
                                                         ^~~~~ write `x regex 'PATTERN'`, or `like` for `*` and `?`

=== habit: has
--- rule
rule r { match by k within 5m { a: s where x has "a" } }
--- error
case.rule:1:50: error: expected `:` after `has`, found `"a"`
    rule r { match by k within 5m { a: s where x has "a" } }
                                                     ^~~ write `x contains "..."`

=== habit: OR
--- rule
rule r { match by k within 5m { a: s where x == 1 OR y } }
--- error
case.rule:1:54: error: expected `:` after `OR`, found `y`
    rule r { match by k within 5m { a: s where x == 1 OR y } }
                                                         ^ words of the language are small: `or`

=== habit: IN
--- rule
rule r { match by k within 5m { a: s where x IN ["a"] } }
--- error
case.rule:1:49: error: expected `:` after `IN`, found `[`
    rule r { match by k within 5m { a: s where x IN ["a"] } }
                                                    ^ words of the language are small: `in`

=== habit: LIKE
--- rule
rule r { match by k within 5m { a: s where x LIKE "a%" } }
--- error
case.rule:1:51: error: expected `:` after `LIKE`, found `"a%"`
    rule r { match by k within 5m { a: s where x LIKE "a%" } }
                                                      ^~~~ words of the language are small: `like`, with `*` and `?`

=== habit: contains with a colon
--- rule
rule r { match by k within 5m { a: s where x contains: "a" } }
--- error
case.rule:1:54: error: expected an expression after `contains`, found `:`
    rule r { match by k within 5m { a: s where x contains: "a" } }
                                                         ^ nothing stands between an operator and its value: `x contains "..."`

=== habit: startswith with a colon
--- rule
rule r { match by k within 5m { a: s where x startswith: "a" } }
--- error
case.rule:1:56: error: expected an expression after `startswith`, found `:`
    rule r { match by k within 5m { a: s where x startswith: "a" } }
                                                           ^ nothing stands between an operator and its value: `x startswith "..."`

=== habit: endswith with a colon
--- rule
rule r { match by k within 5m { a: s where x endswith: "a" } }
--- error
case.rule:1:54: error: expected an expression after `endswith`, found `:`
    rule r { match by k within 5m { a: s where x endswith: "a" } }
                                                         ^ nothing stands between an operator and its value: `x endswith "..."`

=== habit: followed by
--- rule
rule r { match by k within 5m { a: s followed by b: t } }
--- error
case.rule:1:47: error: expected `:` after `followed`, found `by`
    rule r { match by k within 5m { a: s followed by b: t } }
                                                  ^~ nothing stands between two steps: each comes after the one before

=== habit: followed_by
--- rule
rule r { match by k within 5m { a: s followed_by b: t } }
--- error
case.rule:1:50: error: expected `:` after `followed_by`, found `b`
    rule r { match by k within 5m { a: s followed_by b: t } }
                                                     ^ nothing stands between two steps: each comes after the one before

=== habit: detection
--- rule
rule r {
  detection: selection
}
--- error
case.rule:2:3: error: expected a clause of the rule or `}` after `{`, found `detection`
      detection: selection
      ^~~~~~~~~ what is looked for is `match { a: STREAM where ... }`

=== habit: condition
--- rule
rule r {
  condition selection
}
--- error
case.rule:2:3: error: expected a clause of the rule or `}` after `{`, found `condition`
      condition selection
      ^~~~~~~~~ what is looked for is `match { a: STREAM where ... }`

=== habit: if
--- rule
rule r { if login then logout }
--- error
case.rule:1:10: error: expected a clause of the rule or `}` after `{`, found `if`
    rule r { if login then logout }
             ^~ what is looked for is `match { a: STREAM where ... }`

=== habit: where as a clause
--- rule
rule r { where x == 1 }
--- error
case.rule:1:10: error: expected a clause of the rule or `}` after `{`, found `where`
    rule r { where x == 1 }
             ^~~~~ what is looked for is `match { a: STREAM where ... }`

=== habit: select behind the elements
--- rule
rule r {
  match by k within 5m { a: s }
  select last
}
--- error
case.rule:3:3: error: expected a clause of the rule or `}` after `}`, found `select`
      select last
      ^~~~~~ it stands before the elements: `match by user within 5m select last { ... }`

=== habit: by behind the elements
--- rule
rule r {
  match by k within 5m { a: s }
  by user
}
--- error
case.rule:3:3: error: expected a clause of the rule or `}` after `}`, found `by`
      by user
      ^~ it stands before the elements: `match by user within 5m { ... }`

=== habit: until behind the elements
--- rule
rule r {
  match by k within 5m { a: s }
  until u: s
}
--- error
case.rule:3:3: error: expected a clause of the rule or `}` after `}`, found `until`
      until u: s
      ^~~~~ it stands inside, behind the elements: `{ ... until u: STREAM where ... }`

=== habit: fire behind the inputs
--- rule
rule r {
  window tumbling 5m by k { a: s }
  fire on match
}
--- error
case.rule:3:3: error: expected a clause of the rule or `}` after `}`, found `fire`
      fire on match
      ^~~~ it stands inside, behind the inputs: `{ a: STREAM having count() > 5 fire on match }`

=== habit: window without a kind
--- rule
rule r { window { a: s } }
--- error
case.rule:1:17: error: unexpected `{`
    rule r { window { a: s } }
                    ^ the kind comes first: `window tumbling 5m by user { ... }`

=== habit: a kind of window that there is not
--- rule
rule r { window rolling 5m by user { a: s } }
--- error
case.rule:1:17: error: unexpected `rolling`
    rule r { window rolling 5m by user { a: s } }
                    ^~~~~~~ the kinds are `tumbling 5m`, `hopping 10m every 1m`, `session 30m`, `sliding 10m` and `global expire 30d`

=== habit: hopping in parentheses
--- rule
rule r { window hopping(10m, 1m) { a: s } }
--- error
case.rule:1:24: error: expected a duration after `hopping`, found `(`
    rule r { window hopping(10m, 1m) { a: s } }
                           ^ without brackets: `hopping 10m every 1m`

=== habit: session in parentheses
--- rule
rule r { window session(10m) { a: s } }
--- error
case.rule:1:24: error: expected a duration after `session`, found `(`
    rule r { window session(10m) { a: s } }
                           ^ without brackets: `session 30m`

=== habit: sliding in parentheses
--- rule
rule r { window sliding(10m) { a: s } }
--- error
case.rule:1:24: error: expected a duration after `sliding`, found `(`
    rule r { window sliding(10m) { a: s } }
                           ^ without brackets: `sliding 10m`

=== habit: GROUP BY
--- rule
rule r { window tumbling 5m GROUP BY user { a: s } }
--- error
case.rule:1:29: error: unexpected `GROUP`
    rule r { window tumbling 5m GROUP BY user { a: s } }
                                ^~~~~ the key is `by user`, without `group`

=== habit: functions: len to ifnull
--- rule
rule r {
  match { a: s where x == 1 }
  emit {
    f0 = len(a.x)
    f1 = size(a.x)
    f2 = strlen(a.x)
    f3 = tolower(a.x)
    f4 = lcase(a.x)
    f5 = toupper(a.x)
    f6 = ucase(a.x)
    f7 = substr(a.x)
    f8 = starts_with(a.x)
    f9 = ends_with(a.x)
    f10 = has(a.x)
    f11 = matches(a.x)
    f12 = match(a.x)
    f13 = coalesce(a.x)
    f14 = ifnull(a.x)
  }
}
--- error
case.rule:4:10: error: unknown function `len`
        f0 = len(a.x)
             ^~~ write `length(x)`
case.rule:5:10: error: unknown function `size`
        f1 = size(a.x)
             ^~~~ write `length(x)`
case.rule:6:10: error: unknown function `strlen`
        f2 = strlen(a.x)
             ^~~~~~ write `length(x)`
case.rule:7:10: error: unknown function `tolower`
        f3 = tolower(a.x)
             ^~~~~~~ write `lower(x)`
case.rule:8:10: error: unknown function `lcase`
        f4 = lcase(a.x)
             ^~~~~ write `lower(x)`
case.rule:9:10: error: unknown function `toupper`
        f5 = toupper(a.x)
             ^~~~~~~ write `upper(x)`
case.rule:10:10: error: unknown function `ucase`
        f6 = ucase(a.x)
             ^~~~~ write `upper(x)`
case.rule:11:10: error: unknown function `substr`
        f7 = substr(a.x)
             ^~~~~~ write `substring(x, start, length)`
case.rule:12:10: error: unknown function `starts_with`
        f8 = starts_with(a.x)
             ^~~~~~~~~~~ write `x startswith "..."`
case.rule:13:10: error: unknown function `ends_with`
        f9 = ends_with(a.x)
             ^~~~~~~~~ write `x endswith "..."`
case.rule:14:11: error: unknown function `has`
        f10 = has(a.x)
              ^~~ write `x contains "..."`
case.rule:15:11: error: unknown function `matches`
        f11 = matches(a.x)
              ^~~~~~~ write `x regex '...'`, or `x like "..."` for `*` and `?`
case.rule:16:11: error: unknown function `match`
        f12 = match(a.x)
              ^~~~~ write `x regex '...'`, or `x like "..."` for `*` and `?`
case.rule:17:11: error: unknown function `coalesce`
        f13 = coalesce(a.x)
              ^~~~~~~~ write `x ?? y`
case.rule:18:11: error: unknown function `ifnull`
        f14 = ifnull(a.x)
              ^~~~~~ write `x ?? y`

=== habit: functions: iif to str
--- rule
rule r {
  match { a: s where x == 1 }
  emit {
    f0 = iif(a.x)
    f1 = iff(a.x)
    f2 = isnull(a.x)
    f3 = isempty(a.x)
    f4 = isnotnull(a.x)
    f5 = isnotempty(a.x)
    f6 = cidrmatch(a.x)
    f7 = incidr(a.x)
    f8 = ipv4_is_in_range(a.x)
    f9 = tonumber(a.x)
    f10 = toint(a.x)
    f11 = int(a.x)
    f12 = float(a.x)
    f13 = tostring(a.x)
    f14 = str(a.x)
  }
}
--- error
case.rule:4:10: error: unknown function `iif`
        f0 = iif(a.x)
             ^~~ write `if(condition, x, y)`
case.rule:5:10: error: unknown function `iff`
        f1 = iff(a.x)
             ^~~ write `if(condition, x, y)`
case.rule:6:10: error: unknown function `isnull`
        f2 = isnull(a.x)
             ^~~~~~ write `not exists(x)`
case.rule:7:10: error: unknown function `isempty`
        f3 = isempty(a.x)
             ^~~~~~~ write `not exists(x)`, or `x == ""`
case.rule:8:10: error: unknown function `isnotnull`
        f4 = isnotnull(a.x)
             ^~~~~~~~~ write `exists(x)`
case.rule:9:10: error: unknown function `isnotempty`
        f5 = isnotempty(a.x)
             ^~~~~~~~~~ write `exists(x)`
case.rule:10:10: error: unknown function `cidrmatch`
        f6 = cidrmatch(a.x)
             ^~~~~~~~~ write `cidr_match(x, "10.0.0.0/8")`, or `x in NAME` for a list of `cidr`
case.rule:11:10: error: unknown function `incidr`
        f7 = incidr(a.x)
             ^~~~~~ write `cidr_match(x, "10.0.0.0/8")`, or `x in NAME` for a list of `cidr`
case.rule:12:10: error: unknown function `ipv4_is_in_range`
        f8 = ipv4_is_in_range(a.x)
             ^~~~~~~~~~~~~~~~ write `cidr_match(x, "10.0.0.0/8")`, or `x in NAME` for a list of `cidr`
case.rule:13:10: error: unknown function `tonumber`
        f9 = tonumber(a.x)
             ^~~~~~~~ write `number(x)`
case.rule:14:11: error: unknown function `toint`
        f10 = toint(a.x)
              ^~~~~ write `number(x)`
case.rule:15:11: error: unknown function `int`
        f11 = int(a.x)
              ^~~ write `number(x)`
case.rule:16:11: error: unknown function `float`
        f12 = float(a.x)
              ^~~~~ write `number(x)`
case.rule:17:11: error: unknown function `tostring`
        f13 = tostring(a.x)
              ^~~~~~~~ write `string(x)`
case.rule:18:11: error: unknown function `str`
        f14 = str(a.x)
              ^~~ write `string(x)`

=== habit: functions: now to haversine
--- rule
rule r {
  match { a: s where x == 1 }
  emit {
    f0 = now(a.x)
    f1 = current_timestamp(a.x)
    f2 = dcount(a.x)
    f3 = dc(a.x)
    f4 = distinct(a.x)
    f5 = mean(a.x)
    f6 = average(a.x)
    f7 = median(a.x)
    f8 = distance(a.x)
    f9 = haversine(a.x)
  }
}
--- error
case.rule:4:10: error: unknown function `now`
        f0 = now(a.x)
             ^~~ the event's time is `time()`; nothing asks the clock
case.rule:5:10: error: unknown function `current_timestamp`
        f1 = current_timestamp(a.x)
             ^~~~~~~~~~~~~~~~~ the event's time is `time()`; nothing asks the clock
case.rule:6:10: error: unknown function `dcount`
        f2 = dcount(a.x)
             ^~~~~~ write `count_distinct(x)`
case.rule:7:10: error: unknown function `dc`
        f3 = dc(a.x)
             ^~ write `count_distinct(x)`
case.rule:8:10: error: unknown function `distinct`
        f4 = distinct(a.x)
             ^~~~~~~~ write `count_distinct(x)`, or `values(x, n)` for the values
case.rule:9:10: error: unknown function `mean`
        f5 = mean(a.x)
             ^~~~ write `avg(x)`
case.rule:10:10: error: unknown function `average`
        f6 = average(a.x)
             ^~~~~~~ write `avg(x)`
case.rule:11:10: error: unknown function `median`
        f7 = median(a.x)
             ^~~~~~ write `percentile(x, 50)`
case.rule:12:10: error: unknown function `distance`
        f8 = distance(a.x)
             ^~~~~~~~ write `geo_distance_km(lat, lon, lat, lon)`
case.rule:13:10: error: unknown function `haversine`
        f9 = haversine(a.x)
             ^~~~~~~~~ write `geo_distance_km(lat, lon, lat, lon)`

=== habit: AND
--- rule
rule r { match by k within 5m { a: s where x == "b" AND y == 2 } }
--- error
case.rule:1:57: error: expected `:` after `AND`, found `y`
    rule r { match by k within 5m { a: s where x == "b" AND y == 2 } }
                                                            ^ words of the language are small: `and`

=== habit: NOT
--- rule
rule r { match by k within 5m { a: s where x == 1 and NOT y } }
--- error
case.rule:1:61: error: expected `:` after `y`, found `}`
    rule r { match by k within 5m { a: s where x == 1 and NOT y } }
                                                                ^ words of the language are small: `not y`

=== habit: a comma between fields
--- rule
rule r { match { a: s where x == 1 } emit { x = a.x, y = a.y } }
--- error
case.rule:1:52: error: unexpected `,`
    rule r { match { a: s where x == 1 } emit { x = a.x, y = a.y } }
                                                       ^ nothing stands between one and the next: take it away; several values of one stand in `[ ]`

=== habit: a comma between conditions
--- rule
rule r { match { a: s where x == 1, y == 2 } }
--- error
case.rule:1:35: error: unexpected `,`
    rule r { match { a: s where x == 1, y == 2 } }
                                      ^ conditions are joined by `and`, or by `or`; nothing stands between steps, or inputs

=== habit: a comma between conditions of a window
--- rule
rule r { window tumbling 5m { a: s where x == 1, y == 2 having count() > 3 } }
--- error
case.rule:1:48: error: unexpected `,`
    rule r { window tumbling 5m { a: s where x == 1, y == 2 having count() > 3 } }
                                                   ^ conditions are joined by `and`, or by `or`; nothing stands between steps, or inputs

=== habit: where twice
--- rule
rule r { match { a: s where x == 1 where y == 2 } }
--- error
case.rule:1:36: error: the step has a `where` already
    rule r { match { a: s where x == 1 where y == 2 } }
                                       ^~~~~ join the conditions with `and`

=== habit: where behind having
--- rule
rule r { window tumbling 5m by u { a: s having count() > 3 where x == 1 } }
--- error
case.rule:1:60: error: unexpected `where`
    rule r { window tumbling 5m by u { a: s having count() > 3 where x == 1 } }
                                                               ^~~~~ conditions are joined by `and`, or by `or`; those of events stand before `having`

=== habit: a match that is not closed
--- rule
rule r {
  match { a: s where x == 1
  emit { x = 1 }
}
--- error
case.rule:3:10: error: expected a whole number after `{`, found `x`
      emit { x = 1 }
             ^ how many events a step takes is a number, `a{3}`; before a clause a `}` is missing

=== habit: icontains
--- rule
rule r { match { a: s where x icontains "a" } }
--- error
case.rule:1:41: error: expected `:` after `icontains`, found `"a"`
    rule r { match { a: s where x icontains "a" } }
                                            ^~~ write `x contains~ "..."`

=== habit: a duration in quotes
--- rule
rule r { match by u within "10m" { a: s where x == 1  b: s where x == 2 } }
--- error
case.rule:1:28: error: expected a duration after `within`, found `"10m"`
    rule r { match by u within "10m" { a: s where x == 1  b: s where x == 2 } }
                               ^~~~~ a duration has a unit and no quotes: `10m`

=== habit: suppress for
--- rule
rule r { match { a: s where x == 1 } suppress for 1h }
--- error
case.rule:1:47: error: expected a duration after `suppress`, found `for`
    rule r { match { a: s where x == 1 } suppress for 1h }
                                                  ^~~ write `suppress 1h`, without `for`

=== habit: a sink in quotes
--- rule
rule r { match { a: s where x == 1 } to "soc" }
--- error
case.rule:1:41: error: expected a name or `[` after `to`, found `"soc"`
    rule r { match { a: s where x == 1 } to "soc" }
                                            ^~~~~ the name of a sink has no quotes

=== habit: JSON with single quotes
--- rule
rule r { match { a: s where x == 1 } test "t" { 0s s {'x': 1} expect alert } }
--- error
case.rule:1:55: error: expected a text or `}` after `{`, found `'x'`
    rule r { match { a: s where x == 1 } test "t" { 0s s {'x': 1} expect alert } }
                                                          ^~~ JSON has double quotes

=== habit: novel without a field
--- rule
rule r { novel within 3d { a: s } }
--- error
case.rule:1:16: error: expected a name after `novel`, found `within`
    rule r { novel within 3d { a: s } }
                   ^~~~~~ what is new stands first: `novel country by user within 14d`

=== habit: novel: the key before what is new
--- rule
rule r { novel by u within 3d { a: s } }
--- error
case.rule:1:19: error: unexpected `u`
    rule r { novel by u within 3d { a: s } }
                      ^ what is new stands first: `novel country by user within 14d`

=== habit: level
--- rule
rule r {
  level high
  match { a: s where x == 1 }
}
--- error
case.rule:2:3: error: expected a clause of the rule or `}` after `{`, found `level`
      level high
      ^~~~~ write `severity`: info, low, medium, high or critical

=== habit: priority
--- rule
rule r {
  priority 1
  match { a: s where x == 1 }
}
--- error
case.rule:2:3: error: expected a clause of the rule or `}` after `{`, found `priority`
      priority 1
      ^~~~~~~~ write `severity`: info, low, medium, high or critical

=== habit: message
--- rule
rule r {
  message "x"
  match { a: s where x == 1 }
}
--- error
case.rule:2:3: error: expected a clause of the rule or `}` after `{`, found `message`
      message "x"
      ^~~~~~~ the text of an alert is its `title`

=== habit: throttle
--- rule
rule r {
  throttle 1h
  match { a: s where x == 1 }
}
--- error
case.rule:2:3: error: expected a clause of the rule or `}` after `{`, found `throttle`
      throttle 1h
      ^~~~~~~~ write `suppress 1h`

=== habit: author
--- rule
rule r {
  author "joe"
  match { a: s where x == 1 }
}
--- error
case.rule:2:3: error: expected a clause of the rule or `}` after `{`, found `author`
      author "joe"
      ^~~~~~ any further data stands in `meta { author "..." }`

=== habit: references
--- rule
rule r {
  references ["x"]
  match { a: s where x == 1 }
}
--- error
case.rule:2:3: error: expected a clause of the rule or `}` after `{`, found `references`
      references ["x"]
      ^~~~~~~~~~ any further data stands in `meta { references ["..."] }`

=== habit: a network where a list is wanted
--- rule
rule r { match { a: s where ip in "10.0.0.0/8" } }
--- error
case.rule:1:35: error: `in` takes a list, this is a text
    rule r { match { a: s where ip in "10.0.0.0/8" } }
                                      ^~~~~~~~~~~~ write `cidr_match(x, "10.0.0.0/8")`, or `x in NAME` for a list of `cidr`

=== habit: functions of other languages, more of them
--- rule
rule r {
  match { a: s where lowercase(x) == "a" or uppercase(x) == "A" or is_null(y) }
}
rule w {
  window tumbling 5m { a: s having distinct_count(x) > 3 or countif(x == 1) > 3 }
}
--- error
case.rule:2:22: error: unknown function `lowercase`
      match { a: s where lowercase(x) == "a" or uppercase(x) == "A" or is_null(y) }
                         ^~~~~~~~~ write `lower(x)`
case.rule:2:45: error: unknown function `uppercase`
      match { a: s where lowercase(x) == "a" or uppercase(x) == "A" or is_null(y) }
                                                ^~~~~~~~~ write `upper(x)`
case.rule:2:68: error: unknown function `is_null`
      match { a: s where lowercase(x) == "a" or uppercase(x) == "A" or is_null(y) }
                                                                       ^~~~~~~ write `not exists(x)`
case.rule:5:36: error: unknown function `distinct_count`
      window tumbling 5m { a: s having distinct_count(x) > 3 or countif(x == 1) > 3 }
                                       ^~~~~~~~~~~~~~ write `count_distinct(x)`
case.rule:5:61: error: unknown function `countif`
      window tumbling 5m { a: s having distinct_count(x) > 3 or countif(x == 1) > 3 }
                                                                ^~~~~~~ write `count(CONDITION)`

=== habit: ilike
--- rule
rule r { match { a: s where x ilike "a*" } }
--- error
case.rule:1:37: error: expected `:` after `ilike`, found `"a*"`
    rule r { match { a: s where x ilike "a*" } }
                                        ^~~~ write `x like~ "..."`, with `*` and `?`

=== habit: no body
--- rule
rule r { severity high }
--- error
case.rule:1:6: error: rule `r` has no body
    rule r { severity high }
         ^ what it looks for is one of `match`, `window`, `join` and `novel`

=== habit: YAML
--- rule
rule r:
  severity high
--- error
case.rule:1:7: error: expected `{` after `r`, found `:`
    rule r:
          ^ what belongs to it stands in braces: `r { ... }`
