#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# `tocsin fmt`: in place, --check, --stdout, syntax errors, links, permissions.
. "$(cd "$(dirname "$0")" && pwd)/lib.sh"

mkdir rules
echo 'rule a{match{x:s where f==1 # why
}}' >rules/a.rule
cp rules/a.rule first.rule
cat >want.rule <<'END'
rule a {
  match {
    x: s where f == 1  # why
  }
}
END
chmod 640 rules/a.rule

run fmt --check rules
want 1
prints '^rules/a.rule$'
same rules/a.rule first.rule
run fmt --stdout rules/a.rule
want 0
same out want.rule
same rules/a.rule first.rule
run fmt rules
want 0
prints '^rules/a.rule$'
same rules/a.rule want.rule
checks=$((checks + 1))
[ "$(stat -c %a rules/a.rule)" = 640 ] || fault "the file's mode has changed"
run fmt rules
want 0
alerts 0
run fmt --check rules/a.rule
want 0
alerts 0

# A link stays one; what cannot be read as rules stays as it is, the others are written.
cp first.rule b.rule
ln -s b.rule link.rule
echo 'rule {' >bad.rule
run fmt link.rule bad.rule
want 2
says '^bad.rule:1:6: error: '
same b.rule want.rule
checks=$((checks + 1))
[ -h link.rule ] || fault 'the link is gone'
checks=$((checks + 1))
[ "$(cat bad.rule)" = 'rule {' ] || fault 'a file with errors was written'
run fmt --check bad.rule
want 2
run fmt --stdout bad.rule
want 2
alerts 0

run fmt
want 2
says 'no rules are named'
run fmt no-such.rule
want 2
says 'no-such.rule: No such file'
run fmt --check --stdout b.rule
want 2
says 'do not go together'
done_testing
