#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# `tocsin test`: what passes, what fails and what it says then.
. "$(cd "$(dirname "$0")" && pwd)/lib.sh"

rule() {
    cat <<END
stream good = s where kind == "good"
rule r {
  match by k within 10s {
    a: s where n == 1
    b: good where n == 2
  }
  emit { k = k  sum = a.n + b.n  deep.er = b.n }
  test "the only" {
$1
  }
}
END
}

# passes TEXT: a test of that text passes.
passes() {
    rule "$1" >r.rule
    run test r.rule
    want 0
    prints '^ok   r: the only$' '^1 passed, 0 failed$'
}

# fails TEXT PATTERN...: it fails, and says so.
fails() {
    rule "$1" >r.rule
    shift
    run test r.rule
    want 1
    prints '^FAIL r: the only (r.rule:8)$' '^0 passed, 1 failed$' "$@"
}

a='0s s {"k":"x","n":1}'
b='5s good {"k":"x","n":2,"kind":"good"}'

passes "$a $b expect alert at 5s {\"k\":\"x\",\"sum\":3}"
passes "$a $b expect alert {\"deep\":{\"er\":2}}"
passes "$a $b expect alert at 5s"
passes "$a $b expect 1 alert"
passes "$a expect none"
passes "$a $b $a"' 6s good {"k":"x","n":2,"kind":"good"} expect 1 alerts'
passes "lateness 5s $b $a expect alert at 5s"
passes "$a $b until 5s expect alert at 5s"
passes "$a 5s s {\"k\":\"x\",\"n\":3} expect none"

# what else is in the file takes part; a disabled rule is tested all the same
cat >more.rule <<'END'
rule base { match { a: s where n == 1 } emit into made { n = n  k = k }
  test "what it makes is judged" { 0s s {"n":1,"k":2} expect alert {"k":2} }
}
table t = from w key k
exception "known" for r where k == 3
rule r { disabled match { m: made where k in t } emit { v = t[k].v  k = k }
  test "over another rule's events" { 0s w {"k":2,"v":7} 1s s {"n":1,"k":2} expect alert at 1s {"v":7} }
  test "an exception" { 0s w {"k":3,"v":7} 1s s {"n":1,"k":3} expect none }
  test "a table of its own" {
    table t = [{"k": 5, "v": [1]}, {"k": 6}]
    0s made {"k":5}
    1s made {"k":7}
    expect alert at 0s {"v":[1]}
  }
}
END
run test more.rule
want 0
prints '^4 passed, 0 failed$'

fails "$a $b expect none" 'r.rule:[0-9]*: expected no alert, there was 1' \
    'alert at 5s {"k":"x","sum":3' 's {"k":"x","n":1}'
fails "$a $b" '1 alert more than expected'
fails "$a expect alert at 5s" 'expected an alert at 5s, there was none' 'got: no alert'
fails "$a $b expect alert at 6s" 'expected an alert at 6s' 'got alert at 5s'
fails "$a $b expect alert {\"sum\":4}" 'differs at sum'
fails "$a $b expect alert {\"deep\":{\"er\":3}}" 'differs at deep.er'
fails "$a $b expect alert {\"sun\":3}" 'differs at sun'
fails "$a $b expect 2 alerts" 'expected 2 alerts, there was 1'
fails "$a $b expect alert expect alert" 'expected an alert, there was none left'
fails "$a 5s good {\"k\":\"x\",\"n\":2} expect none" \
    'the event does not satisfy the condition of stream good'
# Late without `lateness`, and it is shown.
fails "5s s {\"k\":\"x\",\"n\":3} $a expect 1 alert" '# late' '# fits no step'
fails "$a $b until 4s expect none" 'comes after `until`'
cat >r.rule <<'END'
rule fed { match { a: s where n == 1 } }
rule r { match { a: fed where m == 1 }  test "the only" { 0s s {"n":1}  1s s {"n":2}  expect alert } }
END
run test r.rule
want 1
prints "0s s {\"n\":1}   # fits another rule's step, none of this one\$" '1s s {"n":2}   # fits no step$'

# Absence: at infinity, unless `until` stops time before.
absent() {
    cat >r.rule <<END
rule r {
  match by k within 10s { a: s where n == 1  not b: s where n == 2 }
  test "the only" { 0s s {"k":"x","n":1} $1 }
}
END
    run test r.rule
    want "$2"
}
absent 'expect alert at 10s' 0
absent 'expect none until 9s' 0
absent 'expect none until 10s' 0
absent 'expect alert at 10s until 10001ms' 0
absent 'expect none' 1

# Rules that do not compile; tests of several files.
echo 'rule x {' >bad.rule
run test bad.rule
want 2
says 'bad.rule:[0-9]*:[0-9]*: error: '
run test no-such.rule
want 2
run test
want 2
mkdir set
rule "$a $b expect alert" >set/one.rule
rule "$a $b expect none" | sed -e 's/rule r/rule r2/' -e 's/good/good2/' -e 's/: good /: good2 /' \
    -e 's/5s good /5s good2 /' >set/two.rule
run test -r set
want 1
prints '^ok   r: ' '^FAIL r2: ' '^1 passed, 1 failed$'
echo 'rule q { match { a: s where n == 1 } }' >none.rule
run test none.rule
want 0
prints '^0 passed, 0 failed$'
says 'no rule has a .test. block'
done_testing
