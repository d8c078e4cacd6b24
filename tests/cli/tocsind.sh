#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# `tocsind`: its command line and manual pages, and --check.
here=$(cd "$(dirname "$0")" && pwd)
. "$here/lib.sh"
src=$here/../../src
TOCSIN=${TOCSIND:-$(dirname "$TOCSIN")/tocsind}

mkdir -p conf/rules
cat >conf/rules/a.rule <<'END'
rule a { match { x: auth where f == 1 } to soc }
rule b { match { x: auth where f == 2 } }
END
cat >conf/tocsin.conf <<'END'
source auth { file "auth.ndjson"  time at  order_by n }
sink soc { file "soc.ndjson" }
END

# --check: what is relative is relative to the file; nothing is made.
run -c conf/tocsin.conf --check
want 0
prints '^ok: 2 rules, 1 source, 1 sink$'
says '^warning: source auth: conf/auth\.ndjson: there is no such file$'
run --check --config=conf/tocsin.conf
want 0
run --check -cconf/tocsin.conf
want 0
[ "$(echo conf/*)" = 'conf/rules conf/tocsin.conf' ] || fault "--check made files"

{ cat conf/tocsin.conf; echo 'sink hook { webhook "https://soc.example/" tls { ca "nowhere.pem" } }'; } >conf/tls.conf
run --check -c conf/tls.conf
want 0
says '^warning: sink hook: the CA file conf/nowhere.pem: No such file or directory$'
rm conf/tls.conf

# Mistakes of the configuration, and of the rules, with their places.
echo 'engine { chekpoint 1s }  sink x { }' >bad.conf
run --check -c bad.conf
want 2
says '^bad.conf:1:10: error: `chekpoint` is no key of the engine$' 'did you mean `checkpoint`?' \
    '^bad.conf:1:31: error: sink `x` writes nowhere'
run -c bad.conf
want 2
sed 's/soc {/sock {/; s/auth {/auht {/' conf/tocsin.conf >conf/wrong.conf
run --check -c conf/wrong.conf
want 2
says '^conf/rules/a.rule:1:21: error: unknown stream or source `auth`' 'did you mean `auht`?' \
    '^conf/rules/a.rule:1:44: error: unknown sink `soc`' 'did you mean `sock`?'
run --check -c conf/none.conf
want 2
says 'cannot read conf/none.conf: No such file'

# A secret is shown nowhere, not even where it is wrong.
echo 'sink a { file env("SECRET") }  sink b { file env("SECRET") }' >secret.conf
SECRET=hunter2 run --check -c secret.conf
want 2
says 'sink `a` writes there already'
! grep -q hunter2 out err || fault 'a secret was printed'

# What the HTTP interface would not begin with; that a certificate is not here may be right.
for http in 'listen "nowhere"' 'listen "0.0.0.0:7070"' 'tokens file("tokens")'; do
    echo 'ann read short' >conf/tokens
    { cat conf/tocsin.conf; echo "http { $http }"; } >conf/http.conf
    run --check -c conf/http.conf
    want 2
    says '^conf/http.conf:[0-9]*:[0-9]*: error: '
    ! grep -q short err || fault 'a line of the tokens was printed'
done
says ' error: line 1 of the tokens: the hash is 64 hexadecimal digits'
{ cat conf/tocsin.conf; echo 'http { tls { certificate "c.pem"  key "k.pem" } }'; } >conf/http.conf
run --check -c conf/http.conf
want 0
says '^warning: http: conf/c.pem: '
rm conf/http.conf conf/tokens

# A sink that could write nothing.
mkdir conf/dir
echo 'source auth { file "auth.ndjson" }  sink soc { file "dir" }' >conf/dir.conf
run --check -c conf/dir.conf
want 0
says '^warning: sink soc: conf/dir is a directory$'
rm -r conf/dir conf/dir.conf

# Files that a table names are beside its rules; its secrets are shown in no line, whatever is wrong with it.
cat >conf/rules/t.rule <<'END'
table u = kafka {
  brokers "127.0.0.1:1"  topic "t"
  options { security.protocol ssl  ssl.ca.location "ca.pem"  ssl.key.password "hunter2" }
} key @kafka.key
END
run --check -c conf/tocsin.conf
want 2
says '^conf/rules/t.rule:3:3: error: a client of Kafka cannot begin so: ssl.ca.location failed' 'conf/rules/ca.pem'
! grep -q hunter2 out err || fault 'a secret was printed'
sed -i 's/ssl.key.password/ssl.key.password =/' conf/rules/t.rule
run --check -c conf/tocsin.conf
want 2
says '^conf/rules/t.rule:3:79: error: '
! grep -q hunter2 out err || fault 'a secret was printed'
rm conf/rules/t.rule

# Without a configuration: ./rules, standard input.
run --check
want 2
says 'rules: No such file' '`rules` of the block `engine`'
cp -r conf/rules .
run --check
want 2
says 'unknown stream or source `auth`'
echo 'rule c { match { x: events where f == 1 } to stdout }' >rules/a.rule
run --check
want 0
prints '^ok: 1 rule, 1 source, 1 sink$'

# The command line.
run --chek
want 2
says 'unknown option --chek, did you mean --check?'
run -c
want 2
says '--config needs an argument'
run -c a -c b
want 2
says 'given twice'
run conf/tocsin.conf
want 2
says 'is no option'
run --check=1
want 2
says 'takes no argument'
run --help
want 0
prints '^usage: tocsind' '--check'
run --version
want 0
prints '^tocsind [0-9]'

# The manual pages name every option, and every key.
run --man
want 0
prints '^\.TH TOCSIND 1' '^\.SH EXIT STATUS$'
tr -d '\\' <out >plain
for option in $(sed -n 's/^OPTION([A-Z_]*, [^,]*, "\([a-z-]*\)".*/\1/p' "$src/daemon/option.def"); do
    in_file plain "fB--${option}fR"
done
run --man-conf
want 0
prints '^\.TH TOCSIN.CONF 5'
for key in $(sed -n 's/^OPTION([a-z_]*, \([a-z_]*\),.*/\1/p' "$src/config/option.def"); do
    prints "^.fB$key.fR "
done
done_testing
