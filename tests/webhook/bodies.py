#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Checks what webhooks say against the schemas of those who read it (schemas/*.json, by jsonschema),
and what no schema says: sizes, counts in UTF-16 units, mentions, numbers that must not change.

    bodies.py check MAKE_BODIES WORK [ALERTS...]   all kinds, over alerts.ndjson, others.ndjson, alerts
                                                   that are deep or huge, and the files given
    bodies.py golden MAKE_BODIES [--write]         bodies of alerts.ndjson against golden/KIND.txt
    bodies.py daemon TOCSIND WORK                  what arrives from a daemon with a sink of each kind
"""
import ipaddress
import json
import os
import re
import subprocess
import sys
from urllib.parse import urlparse

import jsonschema

HERE = os.path.dirname(os.path.abspath(__file__))
FLOOR = {"slack": 128, "pagerduty": 32, "alertmanager": 64, "ecs": 32, "ocsf": 32}  # KiB: src/io/body.def
MIB = 1 << 20

# ---- formats ---------------------------------------------------------------------------------------

formats = jsonschema.FormatChecker(formats=())
RFC3339 = re.compile(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d{1,9})?(Z|[+-]\d\d:\d\d)\Z")
URI = re.compile(r"[A-Za-z0-9\-._~:/?#\[\]@!$&'()*+,;=%]*\Z")  # RFC 3986


def format_of(name):
    def add(function):
        formats.checks(name)(lambda text: not isinstance(text, str) or function(text))
    return add


format_of("date-time")(lambda text: RFC3339.match(text) is not None)


@format_of("uri-reference")
def _(text):
    return URI.match(text) is not None and not re.search(r"%(?![0-9A-Fa-f]{2})", text)


@format_of("uri")
def _(text):
    parts = urlparse(text)
    return URI.match(text) is not None and bool(parts.scheme) and bool(parts.netloc)


@format_of("ip")
def _(text):
    try:
        return bool(ipaddress.ip_address(text))
    except ValueError:
        return False


def schemas():
    """A validator for each kind."""
    texts = {}
    for name in os.listdir(os.path.join(HERE, "schemas")):
        with open(os.path.join(HERE, "schemas", name), encoding="utf-8") as file:
            texts[name[:-5]] = json.load(file)
    store = {texts[name]["$id"]: texts[name] for name in texts if "$id" in texts[name]}
    for text in texts.values():
        jsonschema.Draft202012Validator.check_schema(text)
    # The schemas are whole without looking anything up: what they refer to is put into each.
    found = {}
    for name, text in texts.items():
        whole = json.loads(json.dumps(text).replace('"$ref": "tocsin:', '"$ref": "#/$defs/tocsin_'))
        if "$id" in whole:
            continue
        whole.setdefault("$defs", {})
        for key, other in store.items():
            part = json.loads(json.dumps(other).replace('"$ref": "tocsin:', '"$ref": "#/$defs/tocsin_'))
            del part["$id"], part["$schema"]
            whole["$defs"]["tocsin_" + key.split(":")[1]] = part
        found[name] = jsonschema.Draft202012Validator(whole, format_checker=formats)
    return found


# ---- reading ---------------------------------------------------------------------------------------

class Number(str):
    """A number as it is written."""


def no_doubles(pairs):
    names = [name for name, _ in pairs]
    if len(set(names)) != len(names):
        raise ValueError("a name stands twice: %s" % sorted(names))
    return dict(pairs)


def strict(text):
    def constant(name):
        raise ValueError(name + " is no JSON")
    return json.loads(text, object_pairs_hook=no_doubles, parse_constant=constant)


def exact(text):
    return json.loads(text, parse_int=Number, parse_float=Number)


# ---- what no schema says ---------------------------------------------------------------------------

def units(text):
    return len(text.encode("utf-16-le", "surrogatepass")) // 2


def each_text(value):
    if isinstance(value, dict):
        for inner in value.values():
            yield from each_text(inner)
    elif isinstance(value, list):
        for inner in value:
            yield from each_text(inner)
    elif isinstance(value, str):
        yield value


def need(good, what):
    if not good:
        raise ValueError(what)


ALLOWED = re.compile(r"<!date\^-?\d+\^\{date_short_pretty\} \{time_secs\}\|[^<>|]*>|<https://soc\.example/[^<>| ]*\|Open>")


def check_mrkdwn(text):
    rest = ALLOWED.sub("", text)
    need("<" not in rest and ">" not in rest, "markup in %r" % text)
    need(not re.search(r"&(?!(amp|lt|gt);)", rest), "an & that is not escaped in %r" % text)


def check_slack(body, record):
    check_mrkdwn(body["text"])
    blocks = body["blocks"] + [block for part in body.get("attachments", []) for block in part["blocks"]]
    need(len(blocks) <= 50, "%d blocks" % len(blocks))
    for block in blocks:
        if block["type"] == "header":
            need(units(block["text"]["text"]) <= 150, "a long header")
            need(not re.search(r"<[!@#]", block["text"]["text"]), "markup in a header")
            continue
        for part in [block.get("text")] + block.get("fields", []) + block.get("elements", []):
            if part is not None:
                need(units(part["text"]) <= 3000, "a long text")
                check_mrkdwn(part["text"])
        for part in block.get("fields", []):
            need(units(part["text"]) <= 2000, "a long field")
            need(part["text"].count("`") in (0, 2), "a field whose code ends early: %r" % part["text"])
    for text in each_text(body):
        need(not re.search(r"@(here|channel|everyone)", text), "a mention in %r" % text)


def check_pagerduty(body, record):
    need(len(record["body"].encode()) <= 512000, "more than 512 kB")
    need(units(body["payload"]["summary"]) <= 1024, "a long summary")


def check_tocsin(body, record):
    if record["n"] == 1 and not record["group"] and record["alert"] is not None:
        have = exact(record["body"])["data"]
        if body["type"] != "event" and "truncated" not in have:
            del have["detected_at"]
            need(have == exact(record["alert"]), "not the alert")
    for alert in body["data"].get("alerts", []):
        need(isinstance(alert, (dict, str, list, int)), "no alert")
    if "alerts" in body["data"] and "max" in record:
        want = max(7, record["n"]) if record["group"] else record["n"]
        need(body["data"]["count"] == want, "count %d" % body["data"]["count"])


def check_cloudevents(body, record):
    batch = record["n"] > 1 and not record["group"]
    need(isinstance(body, list) == batch, "batch or not")
    want = "application/cloudevents-batch+json" if batch else "application/cloudevents+json"
    need(record["content_type"] == want, record["content_type"])


def check_alertmanager(body, record):
    need(len(body) == record["n"] or record["group"], "as many alerts")
    for alert in body:
        if "endsAt" in alert:
            need(alert["startsAt"] <= alert["endsAt"] or alert["endsAt"] >= "2027", "ends before it starts")


def check_several(body, record):
    want = record["n"] > 1
    need(isinstance(body, list) == want or record["group"], "an array or not")
    for document in body if isinstance(body, list) else [body]:
        need(isinstance(document, dict), "no document")


CHECKS = {"slack": check_slack, "pagerduty": check_pagerduty, "tocsin": check_tocsin,
          "cloudevents": check_cloudevents, "alertmanager": check_alertmanager,
          "ecs": check_several, "ocsf": check_several}


# ---- the run ---------------------------------------------------------------------------------------

def huge_alerts():
    """Alerts that are deep, wide and large."""
    head = ('{"id":"%032x","rule":"huge","severity":"high","time":"2027-03-01T00:00:00Z","title":%s,"tags":%s,'
            '"key":%s,"fields":%s,"events":%s,"revision":0,"suppressed":0}')
    deep = "[" * 500 + '{"a":"\\ud83d\\ude00"}' + "]" * 500
    event = json.dumps({"text": "\U0001f600\n\"\\" * 200}, ensure_ascii=False)
    wide = json.dumps({"k%d" % i: "v\u0001%d" % i for i in range(3000)})
    long = json.dumps("x\u0001\U0001f600" * 40000)
    yield head % (1, '"t"', "[]", "{}", "{}", '{"e":%s}' % deep)
    yield head % (2, '"t"', "[]", '{"a":%s}' % deep, '{"b":%s}' % deep, "{}")
    yield head % (3, '"t"', "[]", '{"user":"u"}', "{}", '{"e":[%s],"f":{"x":1}}' % ",".join([event] * 3000))
    yield head % (4, long, "[]", "{}", "{}", "{}")
    yield head % (5, '"t"', "[]", wide, wide, '{"e":%s}' % wide)
    yield head % (6, '"t"', json.dumps(["attack.t1110.%03d" % (i % 999) for i in range(5000)]), "{}", '{"list":[%s]}' % ("9" * 300 + "," + "1," * 200000 + "2"), "{}")
    yield head % (7, '"t"', "[]", '{"user":%s,"host":%s}' % (long, long), '{"x":%s}' % long, '{"e":{"x":%s}}' % long)
    yield head % (8, '"t"', "[]", '{%s:1}' % long, '{%s:2}' % long, '{%s:3}' % long)


def make(program, options, path):
    run = subprocess.run([program] + options + [path], capture_output=True, check=False)
    if run.returncode != 0:
        sys.exit("make_bodies %s %s: %s" % (" ".join(options), path, run.stderr.decode()))
    return run.stdout.decode("utf-8").split("\n")[:-1]


def check_record(record, validators):
    kind = record["kind"]
    size = len(record["body"].encode())
    bound = max(record.get("max") or MIB, FLOOR.get(kind, 16) << 10)
    need(size <= bound, "%d bytes, more than %d" % (size, bound))
    body = strict(record["body"])
    error = jsonschema.exceptions.best_match(validators[kind].iter_errors(body))
    if error is not None:
        raise ValueError("%s: %s" % (error.json_path, error.message[:300]))
    CHECKS[kind](body, record)


def check_file(program, path, options, validators, shown):
    alerts = [line for line in open(path, encoding="utf-8", errors="replace").read().split("\n") if line]
    place, counts = {}, {}
    for line in make(program, options, path):
        record = json.loads(line)
        kind = record["kind"]
        record["alert"] = None
        if record["n"] == 1 and not record["group"]:
            place[kind] = place.get(kind, -1) + 1
            record["alert"] = None if "--others" in options else alerts[place[kind]]
        try:
            check_record(record, validators)
        except ValueError as why:
            shown.append("%s %s %s n=%d group=%s: %s" % (os.path.basename(path), " ".join(options), kind,
                                                         record["n"], record["group"], why))
        counts[kind] = counts.get(kind, 0) + 1
    return counts


def check(program, work, files):
    validators = schemas()
    huge = os.path.join(work, "huge.ndjson")
    with open(huge, "w", encoding="utf-8") as file:
        file.write("\n".join(huge_alerts()) + "\n")
    runs = [(os.path.join(HERE, "alerts.ndjson"), []), (os.path.join(HERE, "others.ndjson"), ["--others"]),
            (huge, []), (huge, ["--max", "16384"]),
            (huge, ["--others", "--max", "16384"]), (os.path.join(HERE, "alerts.ndjson"), ["--max", "16384"])]
    runs += [(path, []) for path in files]
    faults, total = [], {}
    for path, options in runs:
        for kind, n in check_file(program, path, options, validators, faults).items():
            total[kind] = total.get(kind, 0) + n
    print("bodies checked: " + ", ".join("%s %d" % pair for pair in sorted(total.items())))
    if set(total) != set(CHECKS):
        faults.append("kinds without a check, or checks without a kind: %s" % sorted(set(total) ^ set(CHECKS)))
    for fault in faults[:20]:
        print("FAULT " + fault[:1000])
    if faults:
        sys.exit("%d faults" % len(faults))


def golden(program, write):
    bodies = {}
    for line in make(program, [], os.path.join(HERE, "alerts.ndjson")):
        record = json.loads(line)
        if record["n"] == 1 or record["kind"] in ("slack", "cloudevents"):
            name = "alone" if record["n"] == 1 and not record["group"] else "group" if record["group"] else "batch"
            bodies.setdefault(record["kind"], []).append("%s %s" % (name, record["body"]))
    bad = False
    for kind, lines in sorted(bodies.items()):
        path = os.path.join(HERE, "golden", kind + ".txt")
        if write:
            with open(path, "w", encoding="utf-8") as file:
                file.write("\n".join(lines) + "\n")
            continue
        with open(path, encoding="utf-8") as file:
            want = file.read().split("\n")[:-1]
        for number, (a, b) in enumerate(zip(want + [None] * len(lines), lines + [None] * len(want))):
            if a != b:
                bad = True
                print("golden/%s.txt:%d\n  want %s\n  have %s" % (kind, number + 1, a, b))
                break
    if bad:
        sys.exit("bodies are not what they were; if that is meant: bodies.py golden MAKE_BODIES --write")


# ---- through the daemon ----------------------------------------------------------------------------

RULES = """
rule each {
  title       "{text} of {user}"
  description "n is {n}"
  severity    if(n % 3 == 0, "critical", "low")
  tags        ["attack.t1110", "attack.impact"]
  match by user, source.ip within 1m { a: e where n > 0 }
  emit {
    n = a.n
    user = a.user
    text = a.text
    source.ip = a.source.ip
  }
}
rule many {
  window tumbling 10s by user {
    line: e
    having count() >= 3
  }
  emit {
    n = count()
    text = first(line.text)
    user = user
  }
}
"""
FORMS = {  # content type, template, what a body of it must be
    "json": ("application/json", '{"t": "{title}", "n": {n}, "all": {alerts}}', json.loads),
    "lines": ("application/x-ndjson", '{"create":{}}\n{alert}', lambda text: [json.loads(line) for line in text.split("\n")[:-1]]),
    "form": ("application/x-www-form-urlencoded", "t={title}&n={n}",
             lambda text: need(re.match(r"t=[A-Za-z0-9%._~-]+&n=\d+\Z", text), text)),
    "plain": ("text/plain", "{severity|upper}: {title}", lambda text: need(re.match("(LOW|MEDIUM|CRITICAL): ", text), text)),
}
HOSTILE = ["<!channel> @here", '"\\\n\u0001', "\U0001f600 \u65e5", "a&b<script>", "{title} {{x}}", "%00&n=9"]


def configure(port):
    """A sink of each kind: for each alert, in batches, in groups; and each form of templates."""
    sinks, direct, grouped = [], [], []
    for kind in sorted(CHECKS):
        for way in ["one", "batch", "group"]:
            name = "%s_%s" % (kind, way)
            if way == "batch" and kind == "pagerduty":
                continue
            more = "batch_count 4  batch_wait 100ms" if way == "batch" else ""
            if kind == "pagerduty":
                more += '  routing_key env("KEY")'
            sinks.append('sink %s { webhook "http://127.0.0.1:%d/%s/%s"  allow "127.0.0.1"  body %s  '
                         'link "https://soc.example/{id}"  %s }' % (name, port, way, kind, kind, more))
            (grouped if way == "group" else direct).append(name)
    for form, (content_type, template, _) in FORMS.items():
        sinks.append("sink form_%s { webhook \"http://127.0.0.1:%d/form/%s\"  allow \"127.0.0.1\"  body template  "
                     "content_type \"%s\"  template '%s' }" % (form, port, form, content_type, template))
        direct.append("form_" + form)
    return ('engine { rules "rules"  state "state"  checkpoint 50ms }\n'
            'source e { file "e.ndjson"  follow false  time t  late tocsin_one  dead_letter slack_one }\n%s\n'
            'default_to [%s]\nroute { rules "*"  to [%s]  group 500ms }\n'
            % ("\n".join(sinks), ", ".join(direct), ", ".join(grouped)))


def write_events(path):
    with open(path, "w", encoding="utf-8") as file:
        for n in range(1, 25):
            text = HOSTILE[n % len(HOSTILE)]
            file.write(json.dumps({"t": "2024-03-01T00:00:%02dZ" % n, "n": n, "big": 2**63 + n, "user": "user %d %s" % (n % 4, text),
                                   "source": {"ip": "192.0.2.%d" % (n % 4)}, "text": text + " %d" % n}) + "\n")
        file.write('{"t": "2024-02-01T00:00:00Z", "n": 1, "user": "late"}\nno JSON <!channel>\n')


def daemon(tocsind, work):
    sys.path.insert(0, HERE)
    from receiver import Receiver, read_log
    log = os.path.join(work, "got")
    receiver = Receiver(log).start()
    os.makedirs(os.path.join(work, "rules"))
    for name, text in [("rules/r.rule", RULES), ("tocsin.conf", configure(receiver.port))]:
        with open(os.path.join(work, name), "w", encoding="utf-8") as file:
            file.write(text)
    write_events(os.path.join(work, "e.ndjson"))
    run = subprocess.run([tocsind, "-c", "tocsin.conf"], cwd=work, capture_output=True, timeout=120, check=False,
                         env=dict(os.environ, KEY="k" * 32))
    if run.returncode != 0:
        sys.exit("tocsind ended with %d: %s" % (run.returncode, run.stderr.decode()[-3000:]))
    validators, seen, faults = schemas(), {}, []
    for got in read_log(log):
        _, way, kind = got["path"].split("/")
        try:
            if way == "form":
                need(got["headers"]["content-type"] == FORMS[kind][0], got["headers"]["content-type"])
                FORMS[kind][2](got["body"])
            else:
                body = strict(got["body"])
                check_record({"kind": kind, "content_type": got["headers"]["content-type"], "body": got["body"],
                              "n": len(body) if isinstance(body, list) and kind != "alertmanager" else 1, "alert": None,
                              "group": way == "group" or kind == "alertmanager"}, validators)
        except ValueError as why:
            faults.append("%s: %s: %s" % (got["path"], why, got["body"][:500]))
        seen[way, kind] = seen.get((way, kind), 0) + 1
    alone = seen.get(("form", "plain"), 0)
    for (way, kind), n in sorted(seen.items()):
        fewer = way in ("batch", "group")
        if n < 1 or (n >= alone if fewer else n < alone):
            faults.append("%s %s: %d messages for %d alerts" % (way, kind, n, alone))
    if len(seen) != 3 * len(CHECKS) - 1 + len(FORMS) or alone < 24:
        faults.append("only %s came" % sorted(seen))
    print("through the daemon: %d messages, of %d sinks" % (sum(seen.values()), len(seen)))
    for fault in faults[:20]:
        print("FAULT " + fault)
    if faults:
        sys.exit("%d faults" % len(faults))


if __name__ == "__main__":
    if sys.argv[1] == "golden":
        golden(sys.argv[2], "--write" in sys.argv[3:])
    elif sys.argv[1] == "daemon":
        daemon(sys.argv[2], sys.argv[3])
    else:
        check(sys.argv[2], sys.argv[3], sys.argv[4:])
