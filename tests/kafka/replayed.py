# SPDX-License-Identifier: Apache-2.0
"""`tocsin replay -c` on topics, for source.py: what it gives is what the daemon gives, ids, too."""
import json
import os
import re
import subprocess

from broker import ADMIN, free_port
from source_place import RULE, TOOLS, Daemon, event
from tocsind import Failure, lines, write

DETECTED = re.compile(r',"detected_at":"[^"]*"')


def replay(*args, env=None):
    return subprocess.run([TOOLS[1], "replay", "-c", "tocsin.conf", *args], stdin=subprocess.DEVNULL,
                          stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, timeout=300, check=False,
                          env=dict(os.environ, **(env or {})))


def want(done, code, *said):
    for text in said:
        if text not in done.stderr:
            raise Failure(f"it does not say {text}: {done.stderr}")
    if done.returncode != code:
        raise Failure(f"{done.args} ended with {done.returncode}: {done.stderr}")
    return done.stdout.split("\n")[:-1]


def users(found):
    return [json.loads(line)["fields"]["user"] for line in found]


def configure(broker, kafka, keys="time ts", more="", name="ev"):
    write("tocsin.conf", f"""
engine {{ rules "rules"  state "state" }}
source {name} {{ kafka {{ brokers "{broker.address}"  {kafka} }}  {keys}  follow false }}
{more}
sink out {{ file "alerts.ndjson" }}
default_to out
""")


def as_the_daemon(broker):
    """Topics beside files: late ones, broken ones, tombstones, aborted ones, an empty partition, times of records."""
    broker.create("re-ev", 3)
    broker.create("re-clock", 1)
    os.makedirs("rules")
    write("rules/all.rule", """
rule seen { match { a: ev where exists(user) } emit { user = a.user  key = a.@kafka.key  at = a.@kafka.offset } }
rule pair { match by user within 10s { a: ev where n == 1  b: logs where n == 2 } emit { user = b.user } }
rule absent { match by user { a: any where n == 1  not b: any where n == 3 within 20s } emit { user = a.user } }
rule counts { window tumbling 10s by user { c: clock } emit { user = user  n = count() } }
rule late { window tumbling 10s by user { c: ev allow late 5s } emit { user = user  n = count() } }
""")
    configure(broker, 'topics ["re-ev", "^re-nothing"]  group "re-group"', "time ts  lateness 3s  late late  dead_letter dead",
              f"""source clock {{ kafka {{ brokers "{broker.address}"  topics "re-clock"  start "2026-02-01T00:00:01Z" }}
  time record  follow false  lateness 1s }}
source logs {{ file "logs.ndjson"  follow false  time ts  lateness 2s }}
sink late {{ file "late.ndjson" }}
sink dead {{ file "dead.ndjson" }}""")
    write("logs.ndjson", "".join(event(f"u{i % 5}", i + i % 2, n=i % 4) + "\n" for i in range(60)))
    for part in range(2):
        broker.produce_lines("re-ev", [
            f"{part}\t0\tk{i}\t" + event(f"u{i % 7}", max(0, i - (15 if i % 11 == 10 else i % 3)), n=i % 5)
            for i in range(part, 60, 2)] + [f"{part}\t0\tk\t\\N", f"{part}\t0\tk\t", f"{part}\t0\tk\tno JSON"])
    broker.produce_lines("re-ev", ["\\init", "\\begin", "1\t0\t-\t" + event("committed", 61), "\\commit", "\\begin",
                                   "1\t0\t-\t" + event("aborted", 62), "\\flush", "\\abort"], transactional_id="re")
    broker.produce_lines("re-clock", [f"0\t{1769904000000 + i * 700}\t-\t" + json.dumps({"user": f"c{i % 3}"})
                                      for i in range(40)])
    Daemon(wait=False).wait()
    daemon = [DETECTED.sub("", line) for line in lines("alerts.ndjson")]
    done = replay("--late", "late.replay")
    found = want(done, 0, "re-ev/0:32: a word that is not", "source clock: 38 events, 0 late, 0 rejected")
    if sorted(found) != sorted(daemon) or len(found) < 100:
        raise Failure(f"{len(found)} alerts, {len(daemon)} of the daemon: {set(found) ^ set(daemon)}")
    if {json.loads(line)["rule"] for line in found} != {"seen", "pair", "absent", "counts", "late"}:
        raise Failure("not all rules give alerts")
    if "aborted" in str(found) or "committed" not in str(found):
        raise Failure("transactions")
    if sorted(lines("late.ndjson")) != sorted(lines("late.replay")) or not lines("late.ndjson"):
        raise Failure(f"late: {lines('late.ndjson')} {lines('late.replay')}")
    if "re-group" in broker.tool("org.apache.kafka.tools.consumer.group.ConsumerGroupCommand", "--bootstrap-server",
                                 broker.address, "--list"):
        raise Failure("a group was told")


def from_until(broker):
    """--from and --until are times of records; `start` without them."""
    broker.create("re-from", 2)
    os.makedirs("rules")
    write("rules/all.rule", RULE)
    broker.produce_lines("re-from", [f"{i % 2}\t{1769904000000 + i * 1000}\t-\t" + event(f"u{i}", i) for i in range(10)])

    def gives(numbers, *args):
        found = users(want(replay(*args), 0))
        if found != [f"u{i}" for i in numbers]:
            raise Failure(f"{args}: {found}")

    configure(broker, 'topics "re-from"  start "2026-02-01T00:00:04Z"', "time ts  lateness 1m")
    gives(range(4, 10))
    gives(range(10), "--from", "earliest")
    gives(range(3, 10), "--from", "2026-02-01T00:00:02.500Z")
    gives(range(4, 7), "--until", "2026-02-01T00:00:07Z")
    gives(range(2, 3), "--from", "2026-02-01T00:00:02Z", "--until", "2026-02-01T00:00:03Z")
    gives([], "--from", "2026-02-01T00:00:07Z", "--until", "2026-02-01T00:00:03Z")
    gives([], "--from", "2027-01-01T00:00:00Z")
    want(replay("--from", "soon"), 2, "--from soon: not a time like")
    configure(broker, 'topics "re-from"  start latest', "time ts  lateness 1m")
    want(replay(), 1, "source ev: it begins at the ends of its topics (`start latest`)")
    gives(range(10), "--from", "earliest")
    write("other.ndjson", event("file", 1) + "\n")
    gives([], "-r", "rules", "ev=/dev/null")
    if users(want(replay("ev=other.ndjson"), 0)) != ["file"]:
        raise Failure("a file in the place of topics")
    want(replay("--until", "2026-02-01T00:00:07Z", "ev=other.ndjson"), 2, "--until is of topics, and none is read")
    configure(broker, 'topics "re-from"', "time record")
    want(replay("ev=other.ndjson"), 2, "the times of source ev are those of its records")


def open_transaction(broker):
    """What is of a transaction that is open is left out, and what is behind it; nobody waits for it."""
    broker.create("re-open", 2)
    os.makedirs("rules")
    write("rules/all.rule", RULE)
    configure(broker, 'topics "re-open"')
    if want(replay(), 0, "0 events"):
        raise Failure("alerts of nothing")
    broker.produce("re-open", [event("first", 1)], 0)
    producer = subprocess.Popen([ADMIN, broker.address, "produce", "re-open", "transactional.id=open",
                                 "transaction.timeout.ms=600000", "linger.ms=0"],
                                stdin=subprocess.PIPE)
    producer.stdin.write(("\\init\n\\begin\n0\t0\t-\t" + event("open", 2) + "\n\\flush\n").encode())
    producer.stdin.flush()
    for _ in range(600):
        if len(broker.consume("re-open", "read_uncommitted", 0)) == 2:
            break
    broker.produce("re-open", [event("behind", 3)], 0)
    broker.produce("re-open", [event("beside", 4)], 1)
    found = users(want(replay(), 0))
    producer.stdin.write(b"\\commit\n")
    producer.stdin.close()
    producer.wait()
    if found != ["first", "beside"]:
        raise Failure(f"{found}")
    if users(want(replay(), 0)) != ["first", "open", "behind", "beside"]:
        raise Failure("when it is committed")


def away(broker):
    """Nobody answers, there is no such topic, secrets that are not there: said, and no waiting without an end."""
    os.makedirs("rules")
    write("rules/all.rule", RULE)
    configure(broker, 'topics ["re-none", "re-neither"]')
    want(replay(), 1, "source ev: there is no topic re-none, there is no topic re-neither")
    configure(broker, 'topics "re-none"  options { sasl.password env("RE_SECRET") }')
    want(replay(), 2, "RE_SECRET")
    write("other.ndjson", event("file", 1) + "\n")
    want(replay("ev=other.ndjson"), 0)
    configure(broker, 'topics "re-none"  options { security.protocol sasl_plaintext  sasl.mechanism PLAIN  '
                      'sasl.username u  sasl.password env("RE_SECRET") }')
    want(replay(env={"RE_SECRET": "x"}), 1, "source ev: the brokers refuse the login")
    configure(broker, 'topics "re-none"')
    with open("tocsin.conf", encoding="utf-8") as f:
        text = f.read()
    write("tocsin.conf", text.replace(broker.address, f"127.0.0.1:{free_port()}"))
    if want(replay(), 1, "source ev: no broker answers"):
        raise Failure("alerts")


def broker_killed_under_it(broker):
    """The broker is killed while a replay reads, and comes back."""
    broker.create("re-killed", 2)
    os.makedirs("rules")
    write("rules/all.rule", RULE)
    configure(broker, 'topics "re-killed"  options { queued.max.messages.kbytes 64  fetch.message.max.bytes 50000 }')
    n = 6000
    broker.produce_lines("re-killed", [f"{i % 2}\t0\t-\t" + event(f"u{i}", i, pad="x" * 1000) for i in range(n)])
    with open("replay.err", "wb") as err, subprocess.Popen(
            [TOOLS[1], "replay", "-c", "tocsin.conf"], stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=err) as process:
        first = process.stdout.readline()  # and it waits for who reads its alerts
        broker.kill()
        broker.restart()
        rest = process.stdout.read()
        code = process.wait()
    found = users((first + rest).decode().split("\n")[:-1])
    if code != 0 or found != [f"u{i}" for i in range(n)]:
        raise Failure(f"it ended with {code}, {len(found)} alerts: {lines('replay.err')}")


TESTS = [as_the_daemon, from_until, open_transaction, away, broker_killed_under_it]
