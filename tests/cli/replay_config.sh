#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# `tocsin replay -c`: sources, files, times, lateness and rules of a configuration.
. "$(cd "$(dirname "$0")" && pwd)/lib.sh"

mkdir -p conf/rules conf/logs/dir.ndjson
cat >conf/rules/a.rule <<'END'
rule both { match within 1m { x: auth where f == 1  y: web where f == 2 } emit { n = y.n } to soc }
END
cat >conf/tocsin.conf <<'END'
source auth { file ["logs/a*.ndjson", "logs/*a2.ndjson", "logs/*"]  time when.at  lateness 2s  late late }
source web  { file "web.ndjson"  lateness 10s  max_line 1KiB }
sink soc  { file "soc.ndjson" }
sink late { file "late.ndjson" }
END
at() { echo "2027-01-01T00:00:$1Z"; }
{
    echo "{\"when\":{\"at\":\"$(at 10)\"},\"f\":1}"
    echo "{\"when\":{\"at\":\"$(at 20)\"},\"f\":3}"
    echo "{\"when\":{\"at\":\"$(at 15)\"},\"f\":3,\"late\":1}"
} >conf/logs/a1.ndjson
echo "{\"when\":{\"at\":\"$(at 12)\"},\"f\":1}" >conf/logs/a2.ndjson
{
    echo "{\"time\":\"$(at 25)\",\"f\":2,\"n\":1}"
    echo "{\"time\":\"$(at 16)\",\"f\":2,\"n\":2}"
    printf '{"time":"%s","f":2,"pad":"%02000d"}\n' "$(at 17)" 1
} >conf/web.ndjson

# 16 would be late by the lateness of auth, and is not by that of web; 15 is late in auth.
run replay -c conf/tocsin.conf
want 0
alerts 1
prints '"n":2'
says '6 events (1 late, 1 rejected), 1 alert' 'source auth: 4 events, 1 late' 'web.ndjson:3'
[ ! -e conf/late.ndjson ] && [ ! -e conf/soc.ndjson ] || fault 'a sink was written'
run replay -c conf/tocsin.conf --late late
want 0
in_file late '"late":1'

# What the command line says counts more.
run replay -c conf/tocsin.conf --lateness 1m --max-line 1MiB
want 0
says '7 events (0 late, 0 rejected)'
echo "{\"when\":{\"at\":\"$(at 11)\"},\"f\":1}" >other
run replay -c conf/tocsin.conf auth=other web=conf/web.ndjson
want 0
says 'source auth: 1 event, 0 late'
echo 'rule r { match { x: web where f == 2 } }' >r.rule
run replay -c conf/tocsin.conf -r r.rule
want 0
alerts 2
says 'no rule reads the source auth'
run replay -c conf/tocsin.conf --time ts
want 2
says 'conf/tocsin.conf says where times are'
run replay -c conf/tocsin.conf aut=other
want 2
says 'has no source aut, did you mean auth?'
run replay -c conf/tocsin.conf -c conf/tocsin.conf
want 2

# What is not there, and what is wrong.
run replay -c none.conf
want 2
says 'cannot read none.conf'
sed 's/web.ndjson/wep.ndjson/' conf/tocsin.conf >conf/missing.conf
run replay -c conf/missing.conf
want 1
says '^tocsin: source web: conf/wep.ndjson: there is no such file$'
sed 's/sink soc/sink sock/' conf/tocsin.conf >conf/sink.conf
run replay -c conf/sink.conf
want 2
says '^conf/rules/a.rule:1:95: error: unknown sink `soc`' 'did you mean `sock`'
cat >in.conf <<'END'
engine { rules "r.rule" }
source web { stdin {}  time arrival }
END
run replay -c in.conf
want 2
says 'the times of source web are those of arrival'
sed 's/ time arrival//' in.conf >ok.conf
run replay -c ok.conf <conf/web.ndjson
want 0
says '3 events (2 late'

# A name with brackets is that file, if there is one; else a pattern. Those of the directory are no pattern.
mkdir 'd[1]'
cp conf/web.ndjson 'w[1].ndjson'
cp conf/web.ndjson w2.ndjson
cp conf/web.ndjson 'd[1]/w2.ndjson'
echo 'engine { rules "r.rule" } source web { file ["w[1].ndjson", "w[0-9].ndjson"] lateness 1m }' >name.conf
run replay -c name.conf
want 0
says '6 events'
echo 'engine { rules "../r.rule" } source web { file "w*.ndjson" lateness 1m }' >'d[1]/t.conf'
run replay -c 'd[1]/t.conf'
want 0
says '3 events'

# Who sends nothing needs no secrets, and no routes.
cat >hooks.conf <<'END'
engine { rules "r.rule" }
source web { file "w[1].ndjson" lateness 1m }
sink disk { file "d.ndjson" }
sink hook { webhook env("NO_SUCH_URL")  secret [env("NO_SUCH"), file("nowhere")]  headers { Authorization file("nowhere") }
  proxy env("NO_SUCH_PROXY") }
sink page { webhook "https://page.example/"  body pagerduty  routing_key env("NO_SUCH") }
route { rules "*"  to [hook, page]  group 1m  mute "00:00-24:00" }
http { tokens file("nowhere") }
END
run replay -c hooks.conf
want 0
[ ! -e d.ndjson ] || fault 'a sink was written'
sed 's/body pagerduty/body pagerdut/' hooks.conf >wrong.conf
run replay -c wrong.conf
want 2
says 'did you mean `pagerduty`'

# order_by decides among events of one time; without it where they were read.
cat >order.rule <<'END'
rule o { match within 1m { x: s where f == 1  next y: s where f == 2 } }
END
cat >order.conf <<'END'
engine { rules "order.rule" }
source s { file "order.ndjson"  order_by seq  lateness 0s }
END
{
    echo "{\"ts\":\"$(at 10)\",\"f\":2,\"seq\":2}"
    echo "{\"ts\":\"$(at 10)\",\"f\":1,\"seq\":1}"
} >order.ndjson
run replay -c order.conf
want 0
alerts 1
sed 's/order_by seq//' order.conf >plain.conf
run replay -c plain.conf
want 0
alerts 0
# Modules of a topic are not run, which is said; nor is a broker asked.
cat >topic.conf <<'END'
engine { rules "r.rule"  rules_topic { brokers "127.0.0.1:1"  topic "modules" } }
source web { file "w2.ndjson" lateness 1m }
END
run replay -c topic.conf
want 0
says '^tocsin: note: modules of the topic modules are not run: a replay has those of files, -r names others$'
run replay -c topic.conf -r r.rule
want 0
! grep -q 'modules of the topic' err || fault 'a note of modules that were not asked for'
# A table of a topic is read with -c alone; what it borrows has to be there.
cat >table.rule <<'END'
table t = kafka { brokers "127.0.0.1:1"  topic "t" } key @kafka.key
rule r { match { x: web where f in t } }
END
run replay -r table.rule web=w2.ndjson
want 0
says '^tocsin: note: the table t is read from a topic of Kafka: a replay without -c has no rows of it$'
sed 's/r.rule.*/table.rule" }/' topic.conf >table.conf
run replay -c table.conf
want 1
says '^tocsin: source table t: no broker answers'
done_testing
