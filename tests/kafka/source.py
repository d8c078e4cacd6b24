# SPDX-License-Identifier: Apache-2.0
"""A source of kafka against a real broker: with the broker killed under it, with partitions that are
idle, stalled, ahead, added, re-created, trimmed; transactions; what records may be.

    source.py TOCSIND TOCSIN [TEST...]

It waits for conditions, and never measures time. The daemon itself is killed by both.sh.
SEED=N repeats a run of `broker_killed`."""
import json
import os
import random
import shutil
import signal
import subprocess
import sys
import tempfile
import time

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(HERE, "../kill"))
import generate  # noqa: E402
import harness  # noqa: E402
import replayed  # noqa: E402
from broker import ADMIN, Broker, Missing, free_port, skip  # noqa: E402
from source_place import RULE, TOOLS, Daemon, alerts, begin, event, http, users  # noqa: E402
from tocsind import Failure, kill_all, lines, write  # noqa: E402

# ---- the broker killed ---------------------------------------------------------------------------------------------


class Place(harness.Place):
    """Files of tests/kill in topics: of each source one, of each of its files a partition."""

    def __init__(self, path, broker, prefix, seed, events):
        self.broker, self.prefix = broker, prefix
        super().__init__(path, {"tocsind": TOOLS[0], "tocsin": TOOLS[1]}, seed, events)
        for source, files in generate.FILES.items():
            broker.create(prefix + source, len(files))
            for i, name in enumerate(files):
                with open(self.at(f"in/{name}.ndjson"), "rb") as f:
                    data = [b"%d\t0\t-\t%s" % (i, line) for line in f.read().split(b"\n") if line]
                broker.produce_lines(prefix + source, data, linger_ms=5)
        self.write("tocsin.conf", self.topics("false"))
        self.replay()  # ids are made of places

    def topics(self, follow):
        text = harness.config_text(follow)
        for source, files in generate.FILES.items():
            pattern = f'{source}-*' if len(files) > 1 else files[0]
            block = f'kafka {{ brokers "{self.broker.address}"  topics "{self.prefix}{source}" }}'
            assert f'file "in/{pattern}.ndjson"' in text
            text = text.replace(f'file "in/{pattern}.ndjson"', block)
        return text


def broker_killed(broker):
    """The broker is killed and comes back while the daemon reads: nothing is lost, nothing comes twice."""
    rng = random.Random(int(os.environ.get("SEED", time.time())))
    place = Place(os.getcwd() + "/place", broker, "broker-", rng.randrange(1 << 31), 30000)
    daemon = harness.Daemon(place)
    time.sleep(rng.uniform(0.1, 0.8))
    broker.kill()
    time.sleep(rng.uniform(0, 0.5))
    broker.restart()
    code = daemon.wait(harness.LONGEST_RUN)
    if code is None:
        daemon.kill()
        raise Failure("it does not end: " + place.at("daemon.log"))
    if daemon.end() != 0:
        raise Failure(f"tocsind ended with {code}: {place.at('daemon.log')}")
    place.check()


# ---- records ----------------------------------------------------------------------------------------------


def records(broker):
    """Keys, headers, tombstones, 1 MB, JSON on several lines, broken JSON; kcat and the console's producer."""
    broker.create("records", 1, max_message_bytes=3000000)
    port = free_port()

    def source():
        return json.loads(http(port, "/v1/sources"))["sources"][0]

    large = event("large", 4, pad="x" * 1000000)  # as long as a line may be, without what is put in
    begin(broker, f'''kafka {{ BROKERS  topics "records"  partition_figures 0  options {{ fetch.message.max.bytes 100000 }} }}
  max_line {len(large)}B''', """
rule seen {
  match { a: any where exists(user) }
  emit {
    user = a.user  key = a.@kafka.key  topic = a.@kafka.topic  partition = a.@kafka.partition
    offset = a.@kafka.offset  at = a.@kafka.timestamp  x = a.@kafka.headers.x
  }
}
rule tenants { match by @kafka.key { a: any where @kafka.key == "tenant" and @kafka.headers.x contains "ell" } }
""", f'http {{ listen "127.0.0.1:{port}" }}')
    second = 1769904000000
    broker.produce_lines("records", [
        f"0\t{second}\tk1\t" + event("plain", 1),
        "0\t0\t-\t" + event("no-key", 2),
        "0\t0\tk1\t\\N",                       # a tombstone
        "0\t0\tk1\t",                          # an empty value
        "0\t0\tk1\t   ",
        "0\t0\tk1\t" + event("broken", 3)[:-1],
        "0\t0\tk1\tno JSON at all",
        "0\t0\tk1\t" + large,
        "0\t0\tk1\t" + event("spoof", 5, **{"@kafka": {"key": "forged"}}),
        "0\t0\tk1\t{}",
    ], message_max_bytes=3000000)
    pretty = json.dumps(json.loads(event("pretty", 6)), indent=2).encode()
    broker.kcat("-P", "-t", "records", "-k", "tenant", "-H", "x=first", "-H", "x=hello \xff\"", "-D", "\x01", data=pretty)
    broker.kcat("-P", "-t", "records", "-K", "|", data=b"k\xff\xfe|" + event("binary-key", 7).encode())
    broker.tool("org.apache.kafka.tools.ConsoleProducer", "--bootstrap-server", broker.address, "--topic", "records",
                input=event("console", 8) + "\n")
    broker.produce("records", [event("end", 9)])
    daemon = Daemon()
    daemon.until("the last but one", lambda: "console" in users("seen"))
    daemon.until("dead letters", lambda: len(lines("dead.ndjson")) >= 3)
    daemon.until("figures", lambda: (source()["behind_records"], source()["empty_records"]) == (0, 3))
    if "tocsin_partition_" in http(port, "/metrics"):
        raise Failure("figures of more partitions than there may be")
    daemon.stop()
    found = {a["fields"]["user"]: a for a in alerts() if a["rule"] == "seen"}
    want = ["plain", "no-key", "large", "spoof", "pretty", "binary-key", "console"]
    if [u for u in users("seen") if u != "end"] != want:
        raise Failure(f"users: {users('seen')}")
    fields = found["plain"]["fields"]
    if fields != {"user": "plain", "key": "k1", "topic": "records", "partition": 0, "offset": 0,
                  "at": "2026-02-01T00:00:00Z", "x": None}:
        raise Failure(f"plain: {fields}")
    if found["no-key"]["fields"]["key"] is not None or found["spoof"]["fields"]["key"] != "k1":
        raise Failure(f"keys: {found['no-key']['fields']} {found['spoof']['fields']}")
    if found["pretty"]["fields"]["x"] != "hello \xff\"" or found["binary-key"]["fields"]["key"] != "k\ufffd\ufffd":
        raise Failure(f"headers: {found['pretty']['fields']} {found['binary-key']['fields']}")
    if [a["rule"] for a in alerts()].count("tenants") != 1:
        raise Failure("a rule by the key of records")
    if len(found["large"]["events"]["a"]["pad"]) != 1000000:
        raise Failure("the large one is cut")
    dead = [json.loads(line) for line in lines("dead.ndjson")]
    where = [(d["partition"], d["offset"]) for d in dead]
    if where != [("records/0", 5), ("records/0", 6), ("records/0", 9)]:
        raise Failure(f"dead letters: {dead}")
    if dead[0]["event"] != event("broken", 3)[:-1] or dead[1]["event"] != "no JSON at all":
        raise Failure(f"dead letters are not what was sent: {dead}")


def record_time(broker):
    """`time record`: the time that Kafka has."""
    broker.create("clocked", 1)
    os.makedirs("rules")
    write("rules/all.rule", RULE)
    write("tocsin.conf", f"""
engine {{ rules "rules"  state "state" }}
source ev {{ kafka {{ brokers "{broker.address}"  topics "clocked"  start "2026-02-01T00:00:01Z" }}  time record  follow false }}
sink out {{ file "alerts.ndjson" }}
""")
    broker.produce_lines("clocked", [f"0\t{1769904000000 + i * 500}\t-\t" + json.dumps({"user": i}) for i in range(6)])
    Daemon(wait=False).wait()
    found = [(a["fields"]["user"], a["time"]) for a in alerts()]
    if found != [(i, f"2026-02-01T00:00:{i // 2:02}{'.500' if i % 2 else ''}Z") for i in range(2, 6)]:
        raise Failure(f"{found}")


# ---- partitions ---------------------------------------------------------------------------------------------


def rest(broker):
    """Partitions that are idle hold nobody up; the broker that is away does; one that is ahead waits."""
    port = free_port()
    broker.create("rest", 3)
    begin(broker, 'kafka { BROKERS  topics "rest" }  idle 2s  quiet hold', RULE + """
rule silent { match by user { a: any where n == 1  not b: any where n == 2 within 10s } emit { user = a.user } }
""", f'http {{ listen "127.0.0.1:{port}" }}')
    broker.produce("rest", [event("a", 1)], 0)
    broker.produce("rest", [event("b", 2)], 1)
    daemon = Daemon()
    daemon.until("both, though a third partition is empty", lambda: sorted(users("seen")) == ["a", "b"])
    broker.produce("rest", [event("first", 3, n=1)], 0)
    daemon.until("the first", lambda: "first" in users("seen"))
    broker.kill()
    daemon.says('msg="stalled: ')
    time.sleep(3)  # longer than `idle`; what must not come has no condition to wait for
    if "first" in users("silent"):
        raise Failure("time went on while the broker was away")
    daemon.until("it is not ready", lambda: "source_stalled" in http(port, "/readyz"))
    daemon.kill()
    daemon = Daemon()  # the broker is away when it starts
    daemon.says('msg="stalled: ', 2)
    daemon.until("it is not ready", lambda: "source_stalled" in http(port, "/readyz"))
    broker.restart()
    broker.produce("rest", [event("first", 5, n=2)], 1)      # from another partition, before the absence is over
    broker.produce("rest", [event("second", 6, n=1)], 2)
    broker.produce("rest", [event("ahead", 100)], 0)         # this one is far ahead of the others
    daemon.until("the rest", lambda: "ahead" in users("seen"))
    daemon.until("the absence", lambda: "second" in users("silent"))
    daemon.stop()
    if "first" in users("silent"):
        raise Failure("an absence that was none")
    order = users("seen")
    if order.index("second") > order.index("ahead"):
        raise Failure(f"not in the order of time: {order}")
    if "it can be read again" not in daemon.said():
        raise Failure("nobody says that it can be read again")


def down_at_start(broker):
    """No broker at the start: it waits, says so, and begins when there is one."""
    broker.create("late-broker", 2)
    broker.produce("late-broker", [event("a", 1)], 0)
    broker.stop()
    port = free_port()
    begin(broker, 'kafka { BROKERS  topics "late-broker" }  idle 1s', more=f'http {{ listen "127.0.0.1:{port}" }}')
    daemon = Daemon()
    daemon.says("no broker answers")
    daemon.until("it is not ready", lambda: "source_stalled" in http(port, "/readyz"))
    broker.restart()
    daemon.until("the event", lambda: users() == ["a"])
    daemon.until("it is ready", lambda: "source_stalled" not in http(port, "/readyz"))
    daemon.stop()


def partitions_added(broker):
    """Partitions and topics that come later are read from their beginning; `start latest` is for the first start."""
    broker.create("grow", 1)
    broker.produce("grow", [event("old", 1)], 0)
    begin(broker, 'kafka { BROKERS  topics ["grow", "^more-.*"]  start latest }  idle 300ms  quiet hold  lateness 1h')
    daemon = Daemon()
    daemon.until("the partition", lambda: os.path.exists("state"))
    # what is produced until it has looked where the end is would be old, too
    n = 0
    while not users():
        broker.produce("grow", [event(f"n{n}", 2 + n)], 0)
        n += 1
        time.sleep(1)
    daemon.kill()
    broker.produce("grow", [event("while-down", 500)], 0)
    broker.add_partitions("grow", 2)
    broker.produce("grow", [event("new-partition", 501)], 1)
    daemon = Daemon()
    daemon.until("both", lambda: {"while-down", "new-partition"} <= set(users()))
    broker.add_partitions("grow", 3)
    broker.produce("grow", [event("newer-partition", 502)], 2)
    broker.create("more-1", 1)
    broker.produce("more-1", [event("new-topic", 503)], 0)
    daemon.until("all", lambda: {"newer-partition", "new-topic"} <= set(users()))
    daemon.stop()
    if "old" in users():
        raise Failure("`start latest` read what was there")
    if len(users()) != len(set(users())):
        raise Failure(f"twice: {users()}")


def trimmed(broker):
    """Records that were not read are gone: `fail` stops and says so, also over a restart; `earliest` goes on."""
    broker.create("trim", 1)
    port = free_port()
    more = f'http {{ listen "127.0.0.1:{port}" }}'
    begin(broker, 'kafka { BROKERS  topics "trim" }  idle 300ms', more=more)
    broker.produce("trim", [event(f"a{i}", i) for i in range(10)], 0)
    daemon = Daemon()
    daemon.until("the first ten", lambda: len(users()) == 10)
    daemon.stop()
    broker.produce("trim", [event(f"b{i}", 20 + i) for i in range(10)], 0)
    broker.delete_records("trim", 0, 15)
    for _ in range(2):
        daemon = Daemon()
        daemon.until("it is not ready", lambda: "source_stalled" in http(port, "/readyz"))
        daemon.says("records from offset 10 on are gone, the oldest is 15")
        daemon.until("sources say why", lambda: "the oldest is 15" in json.loads(http(port, "/v1/sources"))["sources"][0].get("stalled", ""))
        daemon.kill()
    begin(broker, 'kafka { BROKERS  topics "trim"  on_reset earliest }  idle 300ms', more=more)
    daemon = Daemon()
    daemon.until("what is left", lambda: len(users()) == 15)
    daemon.says('msg="records are lost"')
    daemon.stop()
    if users()[10:] != [f"b{i}" for i in range(5, 10)]:
        raise Failure(f"{users()}")


def crooked(broker):
    """Late records, a partition that is idle, one that is stalled, one whose clock is a day ahead: time is that of the others,
    and stands still while one is stalled."""
    broker.create("crooked", 4)
    base, port = int(time.time()) - 1000, free_port()
    at = lambda user, second: json.dumps({"user": user, "ts": base + second})
    source = 'kafka { BROKERS  topics "crooked" %s }  lateness 2s  idle 500ms  quiet hold  late late'
    more = f'sink late {{ file "late.ndjson" }}\nhttp {{ listen "127.0.0.1:{port}" }}'
    begin(broker, source % "", more=more)
    broker.produce("crooked", [at("a", 0), at("b", 10), at("late", 5), at("c", 20)], 0)
    broker.produce("crooked", [at("quiet", 1)], 1)
    broker.produce("crooked", [at("d", 19)], 2)
    broker.produce("crooked", [at("tomorrow", 1000 + 86400), at("e", 21)], 3)
    daemon = Daemon()
    daemon.until("all, once they are idle", lambda: len(users()) >= 6)
    figures = json.loads(http(port, "/v1/sources"))["sources"][0]
    daemon.stop()
    if users() != ["a", "quiet", "b", "d", "c", "e"] or (figures["late"], figures["set_aside"]) != (1, 1):
        raise Failure(f"{users()} {figures}")
    if [json.loads(x).get("user") or json.loads(x)["event"] for x in lines("late.ndjson")] != ["late"]:
        raise Failure(f"{lines('late.ndjson')}")
    # one is stalled: the others are read, and wait
    broker.produce("crooked", [at("gone", 22), at("f", 30)], 2)
    broker.delete_records("crooked", 2, 2)
    broker.produce("crooked", [at("g", 40)], 0)
    broker.produce("crooked", [at("h", 41)], 3)
    daemon = Daemon()
    daemon.until("it is stalled", lambda: "source_stalled" in http(port, "/readyz"))
    daemon.until("the others are read", lambda: json.loads(http(port, "/v1/sources"))["sources"][0]["waiting_events"] >= 2)
    time.sleep(2)  # longer than `idle`; what must not come has no condition to wait for
    daemon.kill()
    if len(users()) != 6:
        raise Failure(f"time went on: {users()}")
    begin(broker, source % "on_reset earliest", more=more)
    broker.produce("crooked", [at("i", 43)], 2)
    daemon = Daemon()
    daemon.until("all", lambda: len(users()) >= 10)
    daemon.stop()
    if users()[6:] != ["f", "g", "h", "i"]:
        raise Failure(f"{users()}")


def recreated(broker):
    """Another topic of the same name, shorter or longer than the old one was read: noticed, never mixed."""
    for length, policy, live in [(3, "fail", True), (3, "earliest", False), (40, "fail", False), (40, "earliest", True),
                                 (40, "latest", False)]:
        recreate(broker, f"re-{length}-{policy}-{live}", length, policy, live)


def recreate(broker, topic, length, policy, live):
    for name in ["state", "alerts.ndjson", "dead.ndjson", "log"]:
        shutil.rmtree(name, ignore_errors=True)
        if os.path.exists(name):
            os.remove(name)
    broker.create(topic, 1)
    begin(broker, f'kafka {{ BROKERS  topics "{topic}"  on_reset {policy} }}  idle 300ms  lateness 1h')
    broker.produce(topic, [event(f"a{i}", i) for i in range(20)], 0)
    daemon = Daemon()
    daemon.until("the old topic", lambda: len(users()) == 20)
    if not live:
        daemon.kill()
    broker.delete(topic)
    for _ in range(100):  # until the name is free
        try:
            broker.create(topic, 1)
            break
        except subprocess.CalledProcessError:
            time.sleep(0.1)
    broker.produce(topic, [event(f"b{i}", 100 + i) for i in range(length)], 0)
    if not live:
        daemon = Daemon()
    if policy == "fail":
        daemon.says("another topic of this name")
        daemon.says('msg="stalled: ')
        time.sleep(1)
        if len(users()) != 20:
            raise Failure(f"{topic}: {users()}")
        daemon.kill()
        return
    daemon.says('msg="another topic has taken the place of the one that was read"')
    # with `latest` what is produced until it has looked where the end is would be old, too
    broker.produce(topic, [event("after", 5000)], 0)
    while policy == "latest" and "after" not in users():
        broker.produce(topic, [event("after", 5000)], 0)
        time.sleep(0.5)
    daemon.until("the new topic", lambda: "after" in users())
    daemon.kill()
    daemon = Daemon()  # its own positions
    broker.produce(topic, [event("later", 5001)], 0)
    daemon.until("the new topic, after a restart", lambda: "later" in users())
    daemon.stop()
    expected = [f"a{i}" for i in range(20)]
    expected += [f"b{i}" for i in range(length)] if policy == "earliest" else []
    found = users()
    if [u for i, u in enumerate(found) if u != "after" or u not in found[:i]] != expected + ["after", "later"]:
        raise Failure(f"{topic}: {users()}")


def transactions(broker):
    """Aborted records are never read; an open transaction holds time; one that is over does not."""
    broker.create("tx", 2)
    port = free_port()
    begin(broker, 'kafka { BROKERS  topics "tx" }  idle 500ms', more=f'http {{ listen "127.0.0.1:{port}" }}')

    def lag():
        found = json.loads(http(port, "/v1/sources"))["sources"][0]
        return [(p["partition"], p["position"], p["behind_records"], p["behind_seconds"] > 0) for p in found["lag"]]
    producer = subprocess.Popen([ADMIN, broker.address, "produce",
                                 "tx", "transactional.id=t", "transaction.timeout.ms=600000", "linger.ms=0"], stdin=subprocess.PIPE)

    def say(*commands):
        producer.stdin.write("".join(c + "\n" for c in commands).encode())
        producer.stdin.flush()

    say("\\init", "\\begin", "0\t0\t-\t" + event("committed", 1), "\\commit",
        "\\begin", "0\t0\t-\t" + event("aborted", 2), "\\flush", "\\abort",
        "\\begin", "0\t0\t-\t" + event("open", 3), "\\flush")
    daemon = Daemon()
    daemon.until("the open one is there", lambda: any(json.loads(r["payload"])["user"] == "open" for r in
                                                      broker.consume("tx", "read_uncommitted", 0)))
    daemon.until("the committed one", lambda: users() == ["committed"])
    broker.produce("tx", [event("other", 1000)], 1)
    time.sleep(3)  # several times `idle`
    if users() != ["committed"]:
        raise Failure(f"time went on over an open transaction: {users()}")
    daemon.until("the lag", lambda: lag() == [("tx/0", 4, 1, True), ("tx/1", 1, 0, False)])
    if 'tocsin_partition_behind_records{source="ev",partition="tx/0"} 1\n' not in http(port, "/metrics"):
        raise Failure(http(port, "/metrics"))
    said = subprocess.run([TOOLS[1], "sources", "--url", f"http://127.0.0.1:{port}"], stdout=subprocess.PIPE, check=True).stdout
    if b"1 records behind" not in said or b"tx/0 most: 1, " not in said:
        raise Failure(said.decode())
    say("\\commit")
    daemon.until("the rest", lambda: users() == ["committed", "open", "other"])
    daemon.until("no lag", lambda: [p[2:] for p in lag()] == [(0, False), (0, False)])
    say("\\begin", "0\t0\t-\t" + event("aborted", 1001), "\\flush", "\\abort")
    producer.stdin.close()
    producer.wait()
    broker.produce("tx", [event("last", 1002)], 1)
    daemon.until("the last: the other partition is idle behind what was aborted", lambda: users()[-1] == "last")
    daemon.stop()
    if "aborted" in users():
        raise Failure(f"{users()}")


def told_to_the_group(broker):
    """The group is told how far it is, and nothing is read from there."""
    broker.create("told", 2)
    begin(broker, 'kafka { BROKERS  topics "told"  group "watchers" }  idle 300ms')
    broker.produce("told", [event(f"a{i}", i) for i in range(7)], 1)
    daemon = Daemon()
    daemon.until("all", lambda: len(users()) == 7)
    daemon.stop()
    said = broker.tool("org.apache.kafka.tools.consumer.group.ConsumerGroupCommand", "--bootstrap-server", broker.address,
                       "--describe", "--group", "watchers")
    rows = {row.split()[2]: row.split()[3:6] for row in said.splitlines() if row.startswith("watchers")}
    if rows.get("1") != ["7", "7", "0"]:
        raise Failure(said)
    shutil.rmtree("state")
    daemon = Daemon()
    daemon.until("all again: the state is new", lambda: len(users()) == 14)
    daemon.stop()
    # a group with a member refuses: it is in the log once, and is tried until the member has gone
    member = subprocess.Popen(["kcat", "-b", broker.address, "-G", "watchers", "told"], stdout=subprocess.DEVNULL,
                              stderr=open("member", "wb"))
    try:
        for _ in range(1200):
            if "assigned" in open("member", encoding="utf-8", errors="replace").read():
                break
            time.sleep(0.05)
        daemon = Daemon()
        broker.produce("told", [event("b", 10)], 1)
        daemon.says("the group is not told")
        time.sleep(3)  # tries: they have no condition to wait for
    finally:
        member.terminate()
        member.wait()
    daemon.says("the group is told again")
    broker.produce("told", [event("c", 11)], 1)
    daemon.until("it is told", lambda: broker.committed("told", 2, "watchers")[1] == 9)
    daemon.stop()
    if daemon.said().count("the group is not told") != 1:
        raise Failure("told again and again")


def internal(broker):
    """Patterns find no topics of the brokers themselves; by its name one is read."""
    port = free_port()
    for topic in "inner-1", "__inner-2", "__inner-3":
        broker.create(topic, 1)
        broker.produce(topic, [event(topic, 1)], 0)
    begin(broker, 'kafka { BROKERS  topics ["^(__|inner-).*", "__inner-2"]  group "internal" }  idle 300ms  quiet hold  lateness 1h',
          more=f'http {{ listen "127.0.0.1:{port}" }}')
    daemon = Daemon()
    daemon.until("two of them", lambda: set(users()) == {"inner-1", "__inner-2"})
    daemon.until("the group is told", lambda: broker.committed("inner-1", 1, "internal") == [1])
    broker.create("inner-4", 1)
    broker.produce("inner-4", [event("inner-4", 2)], 0)
    daemon.until("a later one", lambda: "inner-4" in users())
    found = {p["partition"] for p in json.loads(http(port, "/v1/sources"))["sources"][0]["lag"]}
    daemon.stop()
    if found != {"inner-1/0", "__inner-2/0", "inner-4/0"} or len(users()) != 3:
        raise Failure(f"{found} {users()}")


def reloaded(broker):
    """SIGHUP with other rules and other topics: reading goes on where it was."""
    broker.create("hup-1", 2)
    broker.create("hup-2", 1)
    begin(broker, 'kafka { BROKERS  topics "hup-1" }  idle 300ms  lateness 1h')
    daemon = Daemon()
    for i in range(30):
        broker.produce("hup-1", [event(f"a{i}", i)], i % 2)
        if i % 10 == 5:
            write("rules/all.rule", RULE + f"rule other{i} {{ match {{ a: any where n == {i} }} }}\n")
            daemon.process.send_signal(signal.SIGHUP)
        if i == 18:
            begin(broker, 'kafka { BROKERS  topics ["hup-1", "hup-2"] }  idle 300ms  lateness 1h')
            daemon.process.send_signal(signal.SIGHUP)
            broker.produce("hup-2", [event("b", 19)], 0)
    daemon.until("all", lambda: len(users()) >= 31)
    begin(broker, 'kafka { BROKERS  topics ["hup-1", "hup-2"]  options { linger.mz 5 } }')
    daemon.process.send_signal(signal.SIGHUP)
    daemon.says("there is no option")
    daemon.stop()
    if sorted(users()) != sorted([f"a{i}" for i in range(30)] + ["b"]):
        raise Failure(f"{users()}")


def hung(broker):
    """Brokers that take requests and never answer hold no change up: what waits for them does so alone."""
    broker.create("hung", 1)
    begin(broker, 'kafka { BROKERS  topics "hung"  group "hung"  options { socket.timeout.ms 300000 } }  idle 300ms')
    daemon = Daemon()
    broker.produce("hung", [event("a", 1)], 0)
    daemon.until("one", lambda: users() == ["a"])
    os.kill(broker.pid(), signal.SIGSTOP)  # the group is told within a second
    try:
        for i in range(2):
            write("rules/all.rule", RULE + f"rule other{i} {{ match {{ a: any where n == {i} }} }}\n")
            daemon.process.send_signal(signal.SIGHUP)
            daemon.says('msg="swapped"', i + 1)
        daemon.says("their client ends by itself")
    finally:
        os.kill(broker.pid(), signal.SIGCONT)
    broker.produce("hung", [event("b", 2)], 0)
    daemon.until("another", lambda: users() == ["a", "b"])
    daemon.stop()


TESTS = [records, record_time, transactions, partitions_added, trimmed, crooked, recreated, told_to_the_group, internal, reloaded, hung,
         rest, down_at_start, broker_killed] + replayed.TESTS


OWN = {"hung", "rest", "down_at_start", "broker_killed", "broker_killed_under_it"}  # these stop it


def run(broker, top, tests):
    """How many failed."""
    failed = 0
    for test in tests:
        place = os.path.join(top, test.__name__)
        os.mkdir(place)
        os.chdir(place)
        began = time.monotonic()
        try:
            test(broker)
            print(f"{test.__name__}: ok ({time.monotonic() - began:.1f} s)", flush=True)
        except (Failure, subprocess.SubprocessError) as failure:
            failed += 1
            print(f"{test.__name__}: FAILED: {failure}", flush=True)
        kill_all()
    return failed


def main():
    failed = 0
    wanted = [t for t in TESTS if not sys.argv[3:] or t.__name__ in sys.argv[3:]]
    top = tempfile.mkdtemp(prefix="tocsin-kafka-")
    try:
        for own in False, True:
            tests = [t for t in wanted if (t.__name__ in OWN) == own]
            if tests:
                with Broker(os.path.join(top, "broker-own" if own else "broker"), shared=not own) as broker:
                    failed += run(broker, top, tests)
    except Missing as missing:
        skip(missing)
    if failed and os.environ.get("KEEP"):
        print(f"kept: {top}")
    else:
        os.chdir("/")
        shutil.rmtree(top, ignore_errors=True)
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
