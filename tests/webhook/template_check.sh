#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Templates of webhooks against what rules emit: what `tocsind --check` says.
set -u
here=$(cd "$(dirname "$0")" && pwd)
tocsind=$(cd "${top_builddir:-.}" && pwd)/tocsind
work=$(mktemp -d) || exit 2
trap 'rm -rf "$work"' EXIT
trap 'exit 130' INT TERM
mkdir "$work/rules"
cat >"$work/rules/r.rule" <<'END'
rule guess {
  title    "{user} was guessed"
  description "from {src_ip}"
  severity high
  tags     ["attack.t1110"]
  meta     { owner "soc"  level 2 }
  match by src_ip, user.id within 1m {
    fail{3}: log where kind == "failed"
    ok: log where kind == "login"
  }
  emit {
    user = user
    source.ip = src_ip
    `odd name` = 1
  }
}
rule count_of {
  severity low
  risk     10
  window tumbling 1m by host {
    line: log
    having count() > 3
  }
  emit { n = count() }
}
rule elsewhere {
  window tumbling 1m by host {
    line: log
    having count() > 3
  }
  emit { only_here = count() }
  to [file]
}
END
faults=0

# check NAME TEMPLATE [LINK [VALUE]]: what --check says, without what it shows of the text
check() {
    cat >"$work/t.conf" <<END
engine { rules "rules"  state "state" }
source log { file "log.ndjson" }
sink hook { webhook "https://soc.example/"  body template  link "${3:-https://soc.example/{id}}"
  template ${4:-'$2'} }
sink file { file "alerts.ndjson" }
default_to [hook]
END
    (cd "$work" && "$tocsind" --check -c t.conf 2>&1) |
        sed -n 's/^t\.conf:\([0-9]*:[0-9]*\): /\1 /p; s/^.*\^~* *\([a-z].*\)$/    \1/p; s/^ok.*/ok/p' >"$work/have"
    cat >"$work/want"
    if ! cmp -s "$work/want" "$work/have"; then
        echo "$1:"
        diff "$work/want" "$work/have"
        faults=$((faults + 1))
    fi
}

check 'what every alert has' '{"a": "{id} {rule} {severity} {time} {detected_at} {title} {key|join} {revision} {suppressed}",
  "b": [{tags}, {fields}, {events}, {tags[0]}, {alert}, {alert.title}, {alerts[0].rule}, {message.count},
  {message.first}, {message.link}, {cold}, {retracted}]}' <<'END'
ok
END
check 'a name that is no name' '{"a": "{titel}", "b": {message.cuont}, "c": "{title.x}"}' <<'END'
4:21 error: no alert that goes to sink `hook` has `{titel}`
    did you mean `{title}`?
4:36 error: no alert that goes to sink `hook` has `{message.cuont}`
    did you mean `{message.count}`?
4:59 error: no alert that goes to sink `hook` has `{title.x}`
    did you mean `{title}`?
END
check 'what nothing emits' '"{usr} {only_here} {fields.sourc}"' <<'END'
4:15 error: no alert that goes to sink `hook` has `{usr}`
    did you mean `{user}`?
4:21 error: no alert that goes to sink `hook` has `{only_here}`
    a rule has to emit it: emit { only_here = ... }
4:33 error: no alert that goes to sink `hook` has `{fields.sourc}`
END
check 'what some rules do not have' '"{user} {source} {source.ip} {fields.source.ip.x} {`odd name`} {description} {risk} {window.start}"' <<'END'
4:15 warning: alerts of `count_of` go to sink `hook` and do not have `{user}`
    say what stands for it: {user|default(-)}
4:22 warning: alerts of `count_of` go to sink `hook` and do not have `{source}`
    say what stands for it: {source|default(-)}
4:31 warning: alerts of `count_of` go to sink `hook` and do not have `{source.ip}`
    say what stands for it: {source.ip|default(-)}
4:43 warning: alerts of `count_of` go to sink `hook` and do not have `{fields.source.ip.x}`
    say what stands for it: {fields.source.ip.x|default(-)}
4:64 warning: alerts of `count_of` go to sink `hook` and do not have `{`odd name`}`
    say what stands for it: {`odd name`|default(-)}
4:77 warning: alerts of `count_of` go to sink `hook` and do not have `{description}`
    say what stands for it: {description|default(-)}
4:91 warning: alerts of `guess` go to sink `hook` and do not have `{risk}`
    say what stands for it: {risk|default(-)}
4:98 warning: alerts of `guess` go to sink `hook` and do not have `{window.start}`
    say what stands for it: {window.start|default(-)}
ok
END
check 'defaults' '"{user|default(-)} {window.start|upper|default(-)} {nobody|default(-)} {user.id|default(-)}"' <<'END'
4:65 warning: no alert that goes to sink `hook` has `{nobody}`
    a rule has to emit it: emit { nobody = ... }
ok
END
check 'members that none has' '"{risk} {risk|default(-)} {description|default(-)} {usr|default(-)}"' <<'END'
4:15 warning: alerts of `guess` go to sink `hook` and do not have `{risk}`
    say what stands for it: {risk|default(-)}
4:65 warning: no alert that goes to sink `hook` has `{usr}`
    did you mean `{user}`?
ok
END
sed -i.was 's/^  risk .*//' "$work/rules/r.rule"
check 'members that no rule has' '"{risk} {risk|default(-)}"' <<'END'
4:15 warning: no alert that goes to sink `hook` has `{risk}`
    say what stands for it: {risk|default(-)}
ok
END
mv "$work/rules/r.rule.was" "$work/rules/r.rule"
check 'keys, events, meta' '"{key.user.id|default(-)} {key.host|default(-)} {events.fail[0].x|default(-)} {events.line|default(-)} {events.no} {meta.owner|default(-)} {meta.level|default(-)} {meta.x} {key.id}"' <<'END'
4:117 error: no alert that goes to sink `hook` has `{events.no}`
4:177 error: no alert that goes to sink `hook` has `{meta.x}`
4:186 error: no alert that goes to sink `hook` has `{key.id}`
    did you mean `{id}`?
END
check 'the link' '{title}' 'https://soc.example/{rul}?{user|default(-)}' <<'END'
3:87 error: no alert that goes to sink `hook` has `{rul}`
    did you mean `{rule}`?
END
check 'a template that cannot be' '{"a": {title}' <<'END'
4:12 error: line 1, column 14: the template ends where `,` or `}` is expected
END
printf '{\n"a": "{titel}"}' >"$work/t.json"
check 'a file' '' '' 'file("t.json")' <<'END'
4:12 error: no alert that goes to sink `hook` has `{titel}`, in line 2 of its template
    did you mean `{title}`?
END

# examples/bodies.conf: one sink of each kind of body
top=$(cd "$here/../.." && pwd)
SLACK_URL=https://hooks.slack.example/T0 PAGERDUTY_KEY=key OPSGENIE_KEY="GenieKey key" OWN_SECRET=secret \
    "$tocsind" --check -c "$top/examples/bodies.conf" >"$work/have" 2>&1 ||
    { echo "examples/bodies.conf:"; cat "$work/have"; faults=$((faults + 1)); }
for kind in $(sed -n 's/^BODY(\([a-z]*\),.*/\1/p' "$top/src/io/body.def"); do
    [ "$kind" = tocsin ] || grep -q "^  body *$kind$" "$top/examples/bodies.conf" ||
        { echo "examples/bodies.conf has no body $kind"; faults=$((faults + 1)); }
done
[ "$faults" -eq 0 ]
