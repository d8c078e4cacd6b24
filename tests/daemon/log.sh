#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# The log: key=value, JSON, by level and category, to the journal. Secrets are nowhere.
. "$(cd "$(dirname "$0")" && pwd)/lib.sh"

plain_rules
conf() { # SETTINGS
    cat >tocsin.conf <<END
engine { rules "rules" state "state" $1 }
source auth { file "ev*.ndjson" time ts idle 1s }
sink disk { file "alerts.ndjson" }
END
}
once() {
    : >log
    start "$@"
    until_true "it runs" has_lines 30 alerts.ndjson
    kill -USR1 "$daemon"
    sleep 0.3
    stop
    want 0
    rm -rf state alerts.ndjson
}
events 0 100 >ev.ndjson
echo '{"k":"broken \u0001"' >>ev.ndjson

conf ''
once
in_file log '^[0-9T:.-]*Z level=info category=daemon msg="ready" rules=3 '
checks=$((checks + 1))
grep -v '^[0-9T:.-]*Z level=[a-z]* category=[a-z]* msg="' log && fault "lines of another form"

conf 'log_format json'
once
checks=$((checks + 1))
python3 - <<'END' || fault "the JSON is not what it should be"
import json
lines = [json.loads(line) for line in open("log", encoding="utf-8")]
ready = [l for l in lines if l["msg"] == "ready"]
assert ready[0]["rules"] == 3 and ready[0]["category"] == "daemon" and ready[0]["level"] == "info", ready
assert all(list(l)[:4] == ["time", "level", "category", "msg"] for l in lines)
figures = [l for l in lines if l["msg"] == "figures" and l.get("rule") == "pair"]
assert isinstance(figures[0]["alerts"], int), figures
END

conf 'log_level "error daemon=info"'
once
in_file log 'category=daemon msg="ready"'
not_logged 'category=source'

conf 'log_level "loud"'
command_line="tocsind --check"
"$TOCSIND" --check -c tocsin.conf >out 2>err
code=$?
want 2
says 'no level: `loud'

# the journal's stream is a socket or a pipe that systemd names; a file does as well
conf ''
: >log
touch log
once JOURNAL_STREAM="$(stat -c %d:%i log)"
in_file log '^<6>level=info category=daemon msg="ready"' '^<4>level=warning category=source'
once JOURNAL_STREAM=1:2
in_file log '^[0-9T:.-]*Z level=info category=daemon msg="ready"'

# what is secret stands neither in the log nor in what is told of mistakes
cat >>tocsin.conf <<'END'
sink hook { webhook "http://127.0.0.1:1/s3cretpath?token=s3cretquery" allow ["127.0.0.1"]
  secret "whsec_czNjcmV0czNjcmV0czNjcmV0czNjcmV0" headers { Authorization env("HOOK") } retry_least 50ms }
END
sed -i 's/state "state" /state "state" log_level "debug" stop_within 100ms /' tocsin.conf
once HOOK="Bearer s3cretheader"
in_file log 'sink="hook"'
not_logged 's3cret\|czNjcmV0'
done_testing
