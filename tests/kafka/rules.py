# SPDX-License-Identifier: Apache-2.0
"""Rules from a topic of Kafka, and the answers to it, against a real broker.

    rules.py TOCSIND TOCSIN [TEST...]

Without names the tests of CI, with `all`, or LONG set, every one; RULES_KILLS=N. It waits for conditions, and never measures time."""
import json
import os
import random
import re
import signal
import subprocess
import sys
import tempfile
import time

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, HERE)
from broker import ADMIN, Broker, Missing, skip  # noqa: E402
from rules_place import PLACES, TOCSIN, TOCSIND, Place, check  # noqa: E402
from tocsind import PATIENCE, Failure, preloaded, until, write  # noqa: E402

def rule(name, where="exists(user)", more=""):
    return f"rule {name} {{ match {{ a: ev where {where} }} emit {{ user = a.user }} {more} }}"


def seen(users, name="counts"):
    return f'rule {name} {{ match by user within 1d {{ a{{{users}}}: ev where exists(user) }}  }}'


# ---- the life of a module -----------------------------------------------------------------------------------


def life(broker):
    """Put, changed with its state kept, broken, taken away; headers; the HTTP interface and the tool see it."""
    p = Place(broker)
    write(p.at("rules/disk.rule"), rule("on_disk", 'user == "disk"'))
    p.put("a", seen(3), author="alice")
    d = p.begin()
    a = p.answer(0, d)
    check(a["result"] == "applied" and a["rules"] == {"counts": "added"} and a["version"] == 1 and a["author"] == "alice" and
          a["topic"] == p.topic and a["changed"] is True and a["name"] == "a" and a["warnings"] == [], a)
    check(p.modules() == {"a": ("topic", 1), "disk.rule": ("file", None)}, p.modules())
    p.events(("eve", 1), ("eve", 2))
    until("two events", lambda: "tocsin_engine_events_total 2" in p.request("GET", "/metrics"), d)
    # the same shape: what is open is kept; comments alone change no rule
    p.put("a", seen(3) + "\n# who needs it\n")
    check(p.answer(1, d)["rules"] == {"counts": "unchanged"}, p.answer(1))
    p.put("a", seen(3).replace("1d", "2d"))
    check(p.answer(2, d)["rules"] == {"counts": "kept"}, p.answer(2))
    p.events(("eve", 3))
    until("an alert of three", lambda: [x["rule"] for x in p.alerts()] == ["counts"], d)
    # broken: the old version goes on, and the reason is that of the HTTP interface
    p.put("a", "rule counts { match { a: ev whre true } }")
    b = p.answer(3, d)
    http = json.loads(p.request("POST", "/v1/rules:check?module=b", "rule counts { match { a: ev whre true } }", 422))
    check(b["result"] == "refused" and b["waits"] and b["status"] == 422 and b["type"] == http["type"], b)
    check([x["message"] for x in b["diagnostics"]] == [x["message"] for x in http["diagnostics"]] and
          b["diagnostics"][0]["file"] == "a", (b, http))
    check(p.modules()["a"] == ("topic", 3), p.modules())
    check("rules_refused" in p.request("GET", "/readyz"), p.request("GET", "/readyz"))
    # state that would be lost, and what allows it
    window = "rule counts { window sliding 1h by user { e: ev having count() > 100 } }"
    p.put("a", window, allow_state_drop="true")
    check(p.answer(4, d)["result"] == "applied", p.answer(4))
    p.put("a", window.replace("1h", "2h"))
    c = p.answer(5, d)
    check(c["result"] == "refused" and c["type"].endswith("state-would-be-lost") and c["rules"] == {"counts": "refused"}, c)
    p.put("a", window.replace("1h", "2h"), allow_state_drop="1")
    check(p.answer(6, d)["rules"] == {"counts": "fresh"}, p.answer(6))
    p.put("a", window.replace("1h", "2h"))
    same = p.answer(7, d)
    check(same["result"] == "unchanged" and same["changed"] is False and same["version"] == 5, same)
    # read over HTTP, compared, and not changed there; the tool lists it
    check('"origin":"topic"' in p.request("GET", "/v1/modules/a", code=200), "no origin")
    check("-rule counts { window sliding 1h" in p.request("GET", "/v1/modules/a/diff", code=200), "no difference")
    for method, path, body in (("PUT", "/v1/modules/a", seen(2)), ("DELETE", "/v1/modules/a", None),
                               ("POST", "/v1/modules/a/rollback?version=1", None)):
        check("comes from a topic" in p.request(method, path, body, 409), f"{method} {path}")
    listed = subprocess.run([TOCSIN, "modules", "list", "--url", f"http://127.0.0.1:{p.port}"], stdout=subprocess.PIPE,
                            env=preloaded(), check=True).stdout.decode()
    check("topic" in listed, listed)
    p.request("POST", "/v1/rules/counts:disable", code=200)
    p.request("POST", "/v1/rules/counts:enable", code=200)
    audit = p.get("/v1/audit")["entries"]
    first = [e for e in audit if e["name"] == "a"][-1] if audit[0]["number"] > audit[-1]["number"] else audit[0]
    check(first["who"] == "unproven: alice" and first["from"] == f"topic {p.topic}, partition 0, offset 0" and
          first["what"] == "put module", audit)
    # taken away
    p.put("a", None)
    gone = p.answer(8, d)
    check(gone["result"] == "applied" and gone["rules"] == {"counts": "removed"} and "etag" not in gone, gone)
    check(list(p.modules()) == ["disk.rule"], p.modules())
    p.put("a", None)
    check(p.answer(9, d)["result"] == "unchanged", p.answer(9))
    metrics = p.request("GET", "/metrics")
    for line in ('tocsin_rules_topic_records_total{result="applied"} 6', 'tocsin_rules_topic_records_total{result="refused"} 2',
                 'tocsin_rules_topic_records_total{result="unchanged"} 2', "tocsin_rules_topic_waiting 0",
                 "tocsin_rules_topic_failing 0"):
        check(line in metrics, f"{line} is not in {metrics}")
    page = subprocess.run([TOCSIND, "--man"], stdout=subprocess.PIPE, env=preloaded(), check=True).stdout.decode()
    rows = set(re.findall(r"^\\fB(tocsin_rules_topic_\w+)", page.replace("\\_", "_"), re.M))
    check(len(rows) > 6 and all(row in metrics for row in rows), f"{rows}: {metrics}")
    d.stop()
    p.end()


# ---- what is refused -------------------------------------------------------------------------------------------


def refused(broker):
    """Keys, values and headers that are none; names of another side, which wait until they are free."""
    p = Place(broker, more="max_module 2KiB", policy="delete") # compacted ones refuse records without a key
    write(p.at("rules/disk.rule"), rule("on_disk"))
    d = p.begin()
    p.request("PUT", "/v1/modules/web", rule("over_http"), 200)
    wanted = []

    def put(problem, name, text, waits=False, **headers):
        p.put(name, text, **headers)
        wanted.append((problem, waits))

    put("bad-request", "../x", rule("x"))
    put("bad-request", None, rule("x"))
    put("bad-request", "a" * 201, rule("x"))
    put("bad-body", "x", b"rule x { \xff }")
    put("bad-body", "x", b"rule x { \0 }")
    put("too-large", "x", rule("x") + "#" * 3000)
    put("bad-request", "x", rule("x"), on_reload="later")
    put("bad-request", "x", rule("x"), allow_state_drop="maybe")
    put("bad-request", "x", rule("x"), dry_run="1")
    put("bad-request", "x", rule("x"), if_match="*")
    put("bad-request", "x", rule("x"), author="a" * 300)
    put("conflict", "disk.rule", rule("other"), waits=True)
    put("conflict", "web", rule("other_too"), waits=True)
    put("rules-do-not-compile", "y", rule("on_disk"), waits=True) # the name of a rule that there is
    broker.kcat("-P", "-t", p.topic, "-K", "=", data=b"x=\n") # empty, and no tombstone
    wanted.append(("bad-body", False))
    for offset, (problem, waits) in enumerate(wanted):
        a = p.answer(offset, d)
        check(a["result"] == "refused" and a["type"] == f"urn:tocsin:problem:{problem}" and a["waits"] is waits and
              a["detail"], (offset, problem, a))
    check(p.modules() == {"disk.rule": ("file", None), "web": ("api", 1)}, p.modules())
    metrics = p.request("GET", "/metrics")
    check('records_total{result="refused"} 15' in metrics and "tocsin_rules_topic_waiting 3" in metrics, metrics)
    waiting = p.get("/v1/modules")["waiting"]
    check([(w["name"], w["offset"], w["deleted"]) for w in waiting] ==
          [("disk.rule", 11, False), ("web", 12, False), ("y", 13, False)], waiting)
    # what waits comes true: when the other side lets the name go, over a restart too
    p.request("DELETE", "/v1/modules/web", code=200)
    check(p.answer(12, d, "applied")["rules"] == {"other_too": "added"}, p.answer(12))
    d.stop()
    write(p.at("rules/else.rule"), rule("on_disk"))
    os.unlink(p.at("rules/disk.rule"))
    d = p.begin()
    check(p.answer(11, d, "applied")["rules"] == {"other": "added"}, p.answer(11))
    # a file of a module's name makes a reload refused; nothing of it is changed
    write(p.at("rules/web"), rule("again"))
    write(p.at("rules/web.rule"), rule("again"))
    os.unlink(p.at("rules/web"))
    p.put("web.rule", rule("mine"))
    check("is in the rules directory" not in p.answer(15, d).get("detail", ""), p.answer(15))
    d.hup()
    d.says("a name belongs to one side")
    os.unlink(p.at("rules/web.rule"))
    os.unlink(p.at("rules/else.rule"))
    d.hup()
    check(p.answer(13, d, "applied")["rules"] == {"on_disk": "added"}, p.answer(13))
    check(sorted(p.modules()) == ["disk.rule", "web", "web.rule", "y"], p.modules())
    d.stop()
    p.end()


# ---- modules that need each other -------------------------------------------------------------------------------


def together(broker):
    """The first start: all is one set with the files, whatever the order; then modules that come one by one."""
    p = Place(broker, partitions=3)
    write(p.at("rules/disk.rule"), "rule needs { match { a: declared } }")
    p.events(("eve", 1))
    records = [("b", "rule reads_a { match { x: a_out } }"), ("gone", rule("gone")), ("broken", "rule broken {"),
               ("one", rule("same_name")), ("two", rule("same_name")),
               ("a", rule("makes", more="").replace("emit {", "emit into a_out {")),
               ("s", "stream declared = ev where user == \"eve\""), ("gone", None), ("s", "stream declared = ev where exists(user)")]
    for i, (name, text) in enumerate(records):
        p.put(name, text)
    d = p.begin()
    by_name = lambda: {a["name"]: a for a in p.all_answers() if a["result"] != "superseded"}
    until("answers", lambda: len(p.all_answers()) >= len(records), d)
    got = by_name()
    check(len(p.all_answers()) == len(records), p.all_answers())
    check({n: a["result"] for n, a in got.items()} ==
          {"b": "applied", "gone": "unchanged", "broken": "refused", "a": "applied", "s": "applied",
           **({"one": "applied", "two": "refused"} if got["one"]["result"] == "applied" else
              {"one": "refused", "two": "applied"})}, got)
    check(len({a["generation"] for a in got.values() if a["result"] == "applied"}) == 1, f"one set: {got}")
    check("declared" in p.request("GET", "/v1/modules/s"), "no text")
    until("its event meets all", lambda: {x["rule"] for x in p.alerts()} >= {"needs", "reads_a"}, d)
    # one by one: what needs another one waits for it; what others need is not taken away
    p.put("late", "rule waits_for { match { x: later } }")
    until("refused", lambda: by_name().get("late", {}).get("result") == "refused", d)
    p.put("later", "stream later = ev")
    until("both", lambda: by_name()["late"]["result"] == "applied", d)
    p.put("later", None)
    until("it is needed", lambda: by_name()["later"]["result"] == "refused", d)
    check(by_name()["later"]["diagnostics"][0]["file"] == "late", by_name()["later"])
    p.put("late", None)
    until("it can go", lambda: by_name()["later"]["result"] == "applied", d)
    check(set(p.modules()) == {"disk.rule", "a", "b", "s", "one" if got["one"]["result"] == "applied" else "two"}, p.modules())
    # a name that becomes free
    free, waits = ("one", "two") if got["one"]["result"] == "applied" else ("two", "one")
    p.put(free, None)
    until("the other one comes true", lambda: by_name()[waits]["result"] == "applied", d)
    d.stop()
    p.end()


# ---- killed ---------------------------------------------------------------------------------------------------


STEPS = ["topic_taken", "topic_decided", "swap_decided", "swap_stopped", "epoch_submitted", "epoch_written", "swap_begun",
         "topic_durable", "topic_answered"]


def kills(broker, steps=None, rounds=1):
    """Killed at each step of a change while records come: the set is the topic's, each record has an answer, and
    versions and entries of the audit log count each change once."""
    seed = int(os.environ.get("SEED", "0")) or random.randrange(1, 1 << 30)
    rng = random.Random(seed)
    print(f"SEED={seed}", flush=True)
    p = Place(broker, partitions=2)
    last, sent = {}, 0

    def send(n):
        nonlocal sent
        records = []
        for _ in range(n):
            sent += 1
            name = f"m{rng.randrange(5)}"
            text = rng.choice([None, rule(name, f"user == \"{sent}\""), rule(name, f"user == \"{sent}\""),
                               f"rule {name} {{ broken {sent}", seen(sent + 1, name)])
            records.append((name, text))
            last[name] = text
        p.put_all(records)

    send(3)
    for step in (steps or STEPS) * rounds:
        d = p.begin(wait=False, failpoints=f"{step}=kill@{rng.randrange(1, 3)}")
        end = time.monotonic() + PATIENCE
        while d.process.poll() is None and time.monotonic() < end:
            send(rng.randrange(1, 4))
            time.sleep(rng.random() / 4)
        if d.process.poll() is None:
            raise Failure(f"{step} was not come to (SEED={seed}):\n{d.said()[-2000:]}")
        check(d.process.returncode == -9, f"{step}: it ended with {d.process.returncode}:\n{d.said()[-3000:]}")
    d = p.begin()
    until(f"an answer to each of {sent} (SEED={seed})", lambda: len(p.answers()) == sent, d)
    want = {name for name, text in last.items() if text and "broken" not in text}
    modules = p.modules()
    newest = {}
    for (partition, offset), a in sorted(p.answers().items()):
        newest[a["name"]] = a
    for name, text in last.items():
        a = newest[name]
        check(a["result"] in ("applied", "unchanged") if not text or "broken" not in text else a["result"] == "refused",
              (name, text, a))
        if name in want:
            check(json.loads(p.request("GET", f"/v1/modules/{name}"))["text"] == text, f"{name} is another text")
        elif not text:
            check(name not in modules, f"{name} is there")
    audit = p.get("/v1/audit?limit=1000")["entries"]
    for name in last:
        text = p.request("GET", f"/v1/modules/{name}/versions")
        versions = [v["version"] for v in json.loads(text).get("versions", [])]
        check(versions == list(range(len(versions), 0, -1)), f"{name}: {versions}")
        check(sum(e["name"] == name for e in audit) == len(versions), f"{name}: {versions} {audit}")
        told = {a["version"] for a in p.all_answers() if a["name"] == name and a["result"] == "applied"}
        check(told == set(versions), f"{name}: told {sorted(told)} of {versions}")
    d.stop()
    done = subprocess.run([TOCSIN, "state", "verify", p.at("state")], stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                          env=preloaded(), check=False)
    check(done.returncode == 0, done.stdout.decode())
    p.end()


# ---- topics and brokers ----------------------------------------------------------------------------------------


def recreated(broker):
    """Another topic of the same name, while it runs and while it does not; records that are gone."""
    p = Place(broker)
    for i in range(3):
        p.put(f"m{i}", rule(f"r{i}"))
    d = p.begin()
    p.answer(2, d)

    def again(*modules):
        broker.delete(p.topic)
        time.sleep(0.2)
        until("the topic is there again", lambda: not subprocess.run(
            ["true"]).returncode and try_create(broker, p.topic))
        for name in modules:
            p.put(name, rule(f"n_{name}"))

    again("a", "b", "c", "d", "e")
    d.says("the topic is read no more")
    check(sorted(p.modules()) == ["m0", "m1", "m2"], p.modules())
    check('"rules_topic"' in p.request("GET", "/readyz", code=200), p.request("GET", "/readyz"))
    d.stop()
    d = p.begin()
    d.says("the topic is read no more")
    check(sorted(p.modules()) == ["m0", "m1", "m2"], p.modules())
    d.stop()
    p.configure("on_reset earliest")
    d = p.begin()
    until("both", lambda: sorted(p.modules()) == ["a", "b", "c", "d", "e", "m0", "m1", "m2"], d)
    check("another topic has taken the place" in d.said(), d.said())
    again("x")                                   # while it runs, and shorter
    until("that too", lambda: "x" in p.modules(), d)
    p.put("m0", None)
    until("a tombstone alone takes away", lambda: "m0" not in p.modules(), d)
    d.stop()
    p.end()


def try_create(broker, topic):
    try:
        broker.admin("create", topic, 1, "cleanup.policy=compact")
        return True
    except subprocess.CalledProcessError:
        return False


def away(broker):
    """Brokers that are away: the first start waits and looks at no event, later ones go on; so do answers."""
    p = Place(broker, create=False)
    p.events(("eve", 1))
    d = p.begin(wait=False)                      # no such topic
    until("it says what it waits for", lambda: f"there is no topic {p.topic}" in p.request("GET", "/readyz"), d)
    check('"ready":false' in p.request("GET", "/readyz", code=503), "it is ready")
    d.stop()
    p.create()
    p.put("m", rule("seen"))
    broker.stop()
    d = p.begin(wait=False)
    until("it waits", lambda: '"rules_topic"' in p.request("GET", "/readyz"), d)
    broker.restart()
    d.ready()
    p.answer(0, d)
    until("the event", lambda: len(p.alerts()) == 1, d)
    d.stop()
    broker.stop()
    d = p.begin()                                # what ran goes on, and says so
    check(p.modules() == {"m": ("topic", 1)}, p.modules())
    until("it says so", lambda: '"rules_topic"' in p.request("GET", "/readyz", code=200), d)
    p.events(("eve", 2))
    until("another event", lambda: len(p.alerts()) == 2, d)
    broker.restart()
    p.put("m", rule("seen", 'user == "adam"'))
    check(p.answer(1, d)["rules"] == {"seen": "kept"}, p.answer(1))
    until("all is well", lambda: "tocsin_rules_topic_failing 0" in p.request("GET", "/metrics"), d)
    os.kill(broker.pid(), signal.SIGSTOP)        # one that hangs holds no stop up
    time.sleep(1)
    try:
        d.stop()
        d = p.begin()
        check(p.modules() == {"m": ("topic", 2)}, p.modules())
    finally:
        os.kill(broker.pid(), signal.SIGCONT)
    until("all is well again", lambda: "tocsin_rules_topic_failing 0" in p.request("GET", "/metrics"), d)
    # a transaction that is open holds what is behind it
    producer = subprocess.Popen([os.environ.get("ADMIN", ADMIN), broker.address, "produce", p.topic,
                                 "transactional.id=open"], stdin=subprocess.PIPE, env=preloaded())
    producer.stdin.write(f"\\init\n\\begin\n0\t0\tt\t{rule('in_transaction')}\n\\flush\n".encode())
    producer.stdin.flush()
    until("it is written", lambda: broker.offsets(p.topic, 1)[0][1] >= 3 or
          len(broker.consume(p.topic, isolation="read_uncommitted")) >= 3)
    p.put("behind", rule("behind"))
    producer.stdin.write(b"\\abort\n")
    producer.stdin.close()
    check(producer.wait(60) == 0, "the producer")
    until("what is behind it", lambda: "behind" in p.modules(), d)
    check("t" not in p.modules(), p.modules())
    # answers wait for a topic
    broker.delete(p.results)
    p.put("m", rule("seen"))
    until("it is made", lambda: p.modules()["m"] == ("topic", 3), d)
    until("it says so", lambda: '"rules_results"' in p.request("GET", "/readyz"), d)
    d.kill()
    until("the topic is there again", lambda: try_create(broker, p.results))
    d = p.begin()
    until("the answer", lambda: any(json.loads(r["payload"])["name"] == "m" for r in broker.consume(p.results)), d)
    d.stop()
    p.end()


def thousand(broker, n=1000):
    """So many modules at the first start, a few of them broken; then all of them again."""
    p = Place(broker)
    p.put_all([(f"m{i}", rule(f"r{i}", f'user == "u{i}"') if i % 100 else "rule {") for i in range(n)])
    begun = time.monotonic()
    d = p.begin()
    ready = time.monotonic() - begun
    until("all are answered", lambda: len(p.answers()) == n, d)
    print(f"{n} modules: ready after {ready:.2f} s, answered after {time.monotonic() - begun:.2f} s")
    check(sum(a["result"] == "applied" for a in p.answers().values()) == n - n // 100, "not all are applied")
    begun = time.monotonic()
    p.put_all([(f"m{i}", rule(f"r{i}", f'user == "v{i}"')) for i in range(n)])
    until("all are answered", lambda: len(p.answers()) == 2 * n, d)
    print(f"{n} again: answered after {time.monotonic() - begun:.2f} s")
    answers = p.answers()
    check(all(answers[(0, n + i)]["result"] == "applied" for i in range(n)), "not all are applied")
    check(len(p.modules()) == n, "not all are there")
    d.stop()
    p.end()


def history(broker, n=30000):
    """A topic with more of its past than can be answered: what is last is what runs, all else is counted."""
    p = Place(broker, policy="delete")
    p.put_all([(f"m{i % 10}", rule(f"r{i % 10}", f'user == "u{i}"')) for i in range(n)])
    d = p.begin()
    metric = lambda name: int(re.search(rf"^tocsin_rules_topic_{name} (\d+)$", p.request("GET", "/metrics"), re.M)[1])
    until("all are counted", lambda: metric("answers_dropped_total") + len(p.answers()) == n, d)
    check(metric("answers_dropped_total") > 0, "nothing was dropped")
    check(all(m == ("topic", 1) for m in p.modules().values()) and len(p.modules()) == 10, p.modules())
    last = json.loads(p.request("GET", "/v1/modules/m9"))["text"]
    check(f'"u{n - 1}"' in last, last)
    d.stop()
    p.end()


def kills_all(broker):
    kills(broker, rounds=int(os.environ.get("RULES_KILLS", "108")) // len(STEPS) or 1)


TESTS = [life, refused, together, kills, recreated]
MORE = [away, thousand, history, kills_all]
OWN = [away] # others need a broker


def run(tests, directory, own):
    with Broker(directory, shared=not own) as broker:
        for test in tests:
            begun = time.monotonic()
            test(broker)
            print(f"ok: {test.__name__} ({time.monotonic() - begun:.1f} s)", flush=True)


def main():
    wanted = sys.argv[3:] or (["all"] if os.environ.get("LONG") else [])
    tests = TESTS if not wanted else TESTS + MORE if wanted == ["all"] else [t for t in TESTS + MORE if t.__name__ in wanted]
    check(not wanted or wanted == ["all"] or len(tests) == len(wanted), f"there are {[t.__name__ for t in TESTS + MORE]}")
    with tempfile.TemporaryDirectory() as directory:
        os.environ["RULES_DIR"] = directory
        try:
            for own in (False, True):
                mine = [test for test in tests if (test in OWN) == own]
                if mine:
                    run(mine, os.path.join(directory, f"broker-own-{own}"), own)
        except Missing as why:
            skip(why)
        except Failure as failure:
            print(f"FAILED: {failure}")
            sys.exit(1)
        finally:
            for place in PLACES:
                place.end()


main()
