#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The sink `kafka` against a real broker: what is in the topics is what was found, once.

    sink.py --tocsind FILE [--work DIR] [--only NAME,...] [--keep]

One alert for each line {"t":..,"user":..,"n":N} that is appended to a file; a reader of what is committed
sees each n once. Needs a build with --enable-failpoints. Kills: both.py.
"""
import json
import os
import shutil
import signal
import subprocess
import sys
import time

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from broker import ADMIN, Broker, preloaded
from sink_place import check, main, run_tests, until

ENDED = 3   # exit status: another daemon has taken over
ADVICE = "on_marker accept"


# ---- what there is ----------------------------------------------------------------------------------

def marker(t):
    """What all this stands on is true of this broker."""
    program = os.path.join(os.environ.get("top_builddir", "."), "tests/kafka/marker")
    done = subprocess.run([program, t.broker.address, t.topic("marker", 1)], stdout=subprocess.PIPE, check=False, timeout=300)
    check(done.returncode == 0, "tests/kafka/marker: " + done.stdout.decode()[-300:])


def forms(t):
    """Keys, headers, compression, partitions as Java has them; late lines and dead letters in topics."""
    sinks = ['default_to [plain, events, keys, %s]' % ", ".join("c_" + c for c in ("gzip", "snappy", "lz4", "zstd"))]
    sinks.append(t.sink(t.topic("f-plain"), name="plain"))
    sinks.append(t.sink(t.topic("f-events"), "format cloudevents", name="events"))
    sinks.append(t.sink(t.topic("f-keys"), more="delivery at_least_once", name="keys"))
    for c in ("gzip", "snappy", "lz4", "zstd"):
        sinks.append(t.sink(t.topic("f-" + c), "options { compression.type %s }" % c, name="c_" + c))
    sinks.append(t.sink(t.topic("f-late"), "format cloudevents", name="late"))
    sinks.append(t.sink(t.topic("f-dead"), name="dead"))
    d = t.daemon("forms", "\n".join(sinks), late="late late dead_letter dead")
    d.write("s.rule", "")
    d.write("r.rule", "rule found { match by user { a: ev where n >= 0 } emit { n = n } }\n"
            "rule pair { to [keys] match by user, n { a: ev where n == 5 } emit { n = n } }\n"
            "rule none { to [keys] match { a: ev where n == 6 } emit { n = n } }\n")
    d.append(50)
    with open(d.at("in.ndjson"), "a", encoding="ascii") as f:
        f.write('broken\n{"t":1700000000000,"user":"late","n":1}\n{"t":1700000000000,"user":"late","n":1}\n')
    d.start()
    for topic in ("f-plain", "f-events", "f-gzip", "f-snappy", "f-lz4", "f-zstd"):
        t.until_there(topic, 50)
        t.once(topic, 50)
    until("what is late", lambda: len(t.broker.consume("f-late")) == 2 and len(t.broker.consume("f-dead")) == 1)
    d.stop()
    for record in t.broker.consume("f-events"):
        alert = json.loads(record["payload"])
        headers = dict(zip(record["headers"][::2], record["headers"][1::2]))
        check(record["key"] == alert["key"]["user"], "the key is the value of the alert's only one")
        check(headers == {"ce_specversion": "1.0", "ce_id": alert["id"] + ".0", "ce_source": "/tocsin/rules/found",
                          "ce_type": "tocsin.alert.created", "ce_time": alert["time"],
                          "ce_subject": "user=" + record["key"], "content-type": "application/json"},
              "headers: %s" % headers)
        check("detected_at" in alert, "an alert has detected_at")
    check(all("headers" not in r for r in t.broker.consume("f-plain")), "plain records have no headers")
    keys = {json.loads(r["payload"])["rule"]: r["key"] for r in t.broker.consume("f-keys")}
    check(keys["pair"] == '{"user":"u5","n":5}' and keys["none"] is None, "keys: %s" % keys)
    late = t.broker.consume("f-late")
    ids = {dict(zip(r["headers"][::2], r["headers"][1::2]))["ce_id"] for r in late}
    check(len(ids) == 2, "two late lines that read the same have two ids")
    check(json.loads(t.broker.consume("f-dead")[0]["payload"])["event"] == "broken", "the dead letter")
    # murmur2: the partitions that Java's default partitioner takes
    java = t.topic("f-java")
    t.broker.kcat("-P", "-t", java, "-K", ":", "-X", "partitioner=murmur2_random",
                  data="".join("u%d:x\n" % i for i in range(7)).encode())
    place = {r["key"]: r["partition"] for r in t.broker.consume(java)}
    check(all(place[r["key"]] == r["partition"] for r in t.broker.consume("f-plain")), "partitions are those of murmur2")


def unknown_topic(t):
    """Told, and tried again until somebody makes it."""
    d = t.daemon("unknown", t.sink("u-alerts"), http=True).start()
    d.append(10)
    d.until_logged("there is no topic u-alerts")
    said = subprocess.run([os.path.join(os.path.dirname(t.args.tocsind) or ".", "tocsin"), "sinks", "--url",
                           "http://127.0.0.1:%d" % d.http], stdout=subprocess.PIPE, check=True, text=True).stdout
    check("failing" in said and "there is no topic u-alerts" in said, "the tool names it: " + said)
    t.topic("u-alerts")
    t.until_there("u-alerts", 10)
    d.until_logged("a sink works again")
    d.stop()
    t.once("u-alerts", 10)


def too_large(t):
    """Of a batch only what is too large becomes dead letters, whoever finds that out."""
    t.topic("l-exact", max_message_bytes="5000")
    t.topic("l-least", max_message_bytes="5000")
    t.topic("l-client")
    d = t.daemon("large", "default_to [exact, least, client]\n" + t.sink("l-exact", name="exact") + "\n"
                 + t.sink("l-least", more="delivery at_least_once", name="least") + "\n"
                 + t.sink("l-client", "options { message.max.bytes 5000 }", name="client"))
    big = ',"more":"%s"' % ("x" * 6000)
    d.append(20)
    d.append(1, big)
    d.append(30)
    d.append(2, big)
    d.append(20)
    d.start()
    for topic in ("l-exact", "l-least", "l-client"):
        t.until_there(topic, 70)
        t.once(topic, 73, but=(20, 51, 52), least=topic == "l-least")
    until("dead letters", lambda: d.log().count("a message cannot be delivered") == 9)
    d.append(10)
    for topic in ("l-exact", "l-least", "l-client"):
        t.until_there(topic, 80)
        t.once(topic, 83, but=(20, 51, 52), least=topic == "l-least")
    d.stop()


def broker_down(t):
    """Checkpoints go on without a broker, and it stops without one. After it, also when it was killed in the middle of
    transactions, all is there once. Queues at their bounds: away.py."""
    d = t.daemon("down", t.sink(t.topic("d-alerts"), "options { transaction.timeout.ms 10000 message.timeout.ms 10000 "
                                "reconnect.backoff.max.ms 500 }")).start()
    d.append(100)
    t.until_there("d-alerts", 100)
    for turn in range(2):
        d.append(50)
        t.broker.kill()
        d.append(100)
        time.sleep(1.5 + turn)
        t.broker.restart()
        t.until_there("d-alerts", 250 + 150 * turn)
    t.once("d-alerts", 400)
    t.broker.kill()
    d.append(10)
    before = epochs_of(d)
    until("the input is read", lambda: epochs_of(d) > before)
    d.stop()  # it ends all the same; what is left goes on
    t.broker.restart()
    d.start()
    t.until_there("d-alerts", 410)
    d.stop()
    t.once("d-alerts", 410)


def epochs_of(d):
    def lines():
        return [line for line in d.log().splitlines() if "epochs=" in line]
    before = len(lines())
    d.signal(signal.SIGUSR1)
    until("figures", lambda: len(lines()) > before)
    return int(lines()[-1].split("epochs=")[1].split()[0])


# ---- one after the other, one beside the other --------------------------------------------------------

def long_transaction(t, options=""):
    return t.sink("", "", "").replace('topic ""', 'topic "%s"' + " options { transaction.timeout.ms 3000 message.timeout.ms 3000 %s }" % options)


def stopped(t):
    """A process that is stopped in a transaction, until the brokers have ended it, goes on by itself."""
    d = t.daemon("stopped", long_transaction(t) % t.topic("s-alerts")).start("kafka_marked=delay:1000@3")
    d.append(10)
    t.until_there("s-alerts", 10)
    d.append(10)
    time.sleep(0.5)
    d.signal(signal.SIGSTOP)
    time.sleep(5)
    d.signal(signal.SIGCONT)
    t.until_there("s-alerts", 20)
    d.stop()
    t.once("s-alerts", 20)


def taken_over(t, pause, name):
    """The same with a new process that has a copy of the state: the old one ends, and says why."""
    topic = t.topic(name)
    old = t.daemon(name + "-old", long_transaction(t) % topic).start("kafka_marked=delay:1000@3")
    old.append(10)
    t.until_there(topic, 10)
    time.sleep(0.5)
    old.append(10)
    time.sleep(0.5)
    old.signal(signal.SIGSTOP)
    new = t.copy(old, name + "-new", old.at("state"))
    time.sleep(pause)
    new.start()
    t.until_there(topic, 20)
    old.append(5)
    t.until_there(topic, 25)
    old.signal(signal.SIGCONT)
    check(old.wait() == ENDED, "the old process ends with 3: " + old.at("log"))
    check("stopping, for good" in old.log() and "another process" in old.log(), "it says why")
    old.append(5)
    t.until_there(topic, 30)
    new.stop()
    t.once(topic, 30)


def taken_over_soon(t):
    taken_over(t, 0, "ts-alerts")


def taken_over_late(t):
    taken_over(t, 5, "tl-alerts")


def two_daemons(t):
    """Another state directory with the same application: it is refused, and the first goes on. Told to accept, it
    takes over."""
    topic = t.topic("two-alerts")
    first = t.daemon("two-first", t.sink(topic)).start()
    first.append(10)
    t.until_there(topic, 10)
    second = t.copy(first, "two-second", None, http=True)
    second.start()
    second.until_logged("another state directory writes to the topic")
    check(ADVICE in second.log(), "the advice")
    until("readiness is red", lambda: second.ready()[0] == 503 and "sink_undecided" in second.ready()[1])
    check(ADVICE in json.loads(second.ready("v1/sinks")[1])["sinks"][0]["last_error"], "the sink's last error")
    first.append(10)
    t.until_there(topic, 20)
    check(first.process.poll() is None, "the first goes on")
    second.stop()
    t.once(topic, 20)
    second.configure(t.sink(topic, "on_marker accept"))
    second.lines = 20
    second.start()
    t.until_there(topic, 20)
    until("it sends all of its own", lambda: sum(t.numbers(topic).values()) == 40)
    first.append(1)
    check(first.wait() == ENDED, "the first ends")
    until("the second goes on", lambda: t.numbers(topic)[20] == 1)
    second.stop()
    second.start()
    second.until_logged("ready")
    second.append(0)
    first.append(1)
    until("it goes on with its own marker", lambda: t.numbers(topic)[21] == 1)
    second.stop()
    check(sum(t.numbers(topic).values()) == 42, "nothing is sent a third time")


def older_copy(t):
    """A state directory from before what was sent: refused, with advice, also when it has grown beyond that."""
    topic = t.topic("o-alerts")
    d = t.daemon("older", t.sink(topic), http=True).start()
    d.append(20)
    t.until_there(topic, 20)
    d.stop()
    shutil.copytree(d.at("state"), d.at("copy"))
    d.start()
    d.append(20)
    t.until_there(topic, 40)
    d.stop()
    os.rename(d.at("state"), d.at("newer"))
    shutil.copytree(d.at("copy"), d.at("state"))
    d.append(20)
    d.start()
    d.until_logged("it is an older copy")
    check(ADVICE in d.log(), "the advice")
    until("readiness is red", lambda: d.ready()[0] == 503 and "sink_undecided" in d.ready()[1])
    time.sleep(1)
    d.kill()
    d.start()
    time.sleep(2)
    d.stop()
    t.once(topic, 40)
    # the newer one in its place
    shutil.rmtree(d.at("state"))
    shutil.copytree(d.at("newer"), d.at("state"))
    d.start()
    t.until_there(topic, 60)
    d.stop()
    t.once(topic, 60)
    # or accepted: 20 of them again
    shutil.rmtree(d.at("state"))
    shutil.copytree(d.at("copy"), d.at("state"))
    d.configure(t.sink(topic, "on_marker accept"))
    d.start()
    until("what the copy has not sent", lambda: sum(t.numbers(topic).values()) == 100)
    d.stop()
    found = t.numbers(topic)
    check(all(found[n] == (1 if n < 20 else 2) for n in range(60)), "from the copy on")


def diverged(t):
    """A copy that went on by itself before it met the broker: its message of the marker's number is another, and
    none before that is taken for sent, though they are more than a batch has."""
    topic = t.topic("v-alerts")
    d = t.daemon("diverged", t.sink(topic)).start()
    d.append(10)
    t.until_there(topic, 10)
    d.stop()
    other = t.copy(d, "diverged-copy", d.at("state"), http=True)
    d.start()
    d.append(2500)
    t.until_there(topic, 2510)
    d.stop()
    os.remove(other.at("in.ndjson"))
    with open(d.at("in.ndjson"), encoding="ascii") as f:
        lines = f.readlines()[:10]
    other.write("in.ndjson", "".join(lines))
    other.lines = 10
    address = t.broker.address
    other.configure(t.sink(topic).replace(address, "127.0.0.1:1"))
    other.start()
    other.lines = 10000
    other.append(3000)
    until("all of them wait", lambda: other.waiting() == 3000)
    other.checkpoint()
    other.kill()
    other.configure(t.sink(topic))
    other.start()
    other.until_logged("an older copy that went on by itself")
    other.stop()
    t.once(topic, 2510)
    other.configure(t.sink(topic, "on_marker accept"))
    other.start()
    until("all of its own", lambda: sum(t.numbers(topic).values()) >= 5510)
    other.stop()
    t.once(topic, 13000, but=range(2510, 10000))


def other_kind(t):
    """A sink that is one of files for a while goes on where the marker is; also when the marker was ahead of it."""
    topic = t.topic("k-alerts")
    kafka, disk = t.sink(topic), 'sink alerts { file "alerts.ndjson" }'
    d = t.daemon("other-kind", kafka, http=True).start()
    d.append(10)
    t.until_there(topic, 10)
    d.stop()
    d.configure(disk)
    d.start()
    d.append(10)
    until("they are in the file", lambda: len(d.file("alerts.ndjson")) == 10)
    d.configure(kafka)
    d.signal(signal.SIGHUP)  # a reload is no other way
    until("it is one of Kafka again", lambda: '"kind":"kafka"' in d.ready("v1/sinks")[1].replace(" ", ""))
    d.append(10)
    t.until_there(topic, 20)
    until("readiness is green", lambda: d.ready()[0] == 200)
    d.stop()
    t.once(topic, 30, but=range(10, 20))
    d.start("kafka_committed=kill@2")  # all are there, which the state directory does not know
    d.append(10)
    d.wait()
    d.configure(disk)
    d.start()
    until("they are in the file, too", lambda: len(d.file("alerts.ndjson")) == 20)
    d.stop()
    d.configure(kafka)
    d.start()
    d.append(10)
    t.until_there(topic, 40)
    d.stop()
    t.once(topic, 50, but=range(10, 20))
    check(sorted(json.loads(line)["fields"]["n"] for line in d.file("alerts.ndjson")) ==
          list(range(10, 20)) + list(range(30, 40)), "what is in the file")
    other = t.copy(d, "other-kind-new", None)  # another state directory is still one
    other.start()
    other.until_logged("another state directory writes to the topic")
    other.stop()
    t.once(topic, 50, but=range(10, 20))


def no_marker(t):
    """The topic is another one of the same name: the marker went with the old one. Told; what waits is sent."""
    topic = t.topic("n-alerts")
    d = t.daemon("none", t.sink(topic)).start()
    d.append(10)
    t.until_there(topic, 10)
    d.stop()
    t.broker.delete(topic)
    time.sleep(1)
    t.topic(topic)
    d.start()
    d.until_logged("there is no marker any more")
    d.append(10)
    t.until_there(topic, 10)
    d.stop()
    t.once(topic, 20, but=range(10))


def not_decided(t):
    """A transaction that wrote the marker and does not end: nothing is sent, and what it waits for is told."""
    topic = t.topic("nd-alerts")
    d = t.daemon("undecided", t.sink(topic)).start()
    d.append(10)
    t.until_there(topic, 10)
    d.stop()
    with subprocess.Popen([ADMIN, t.broker.address, "produce", topic, "transactional.id=undecided",
                           "transaction.timeout.ms=600000"], stdin=subprocess.PIPE, env=preloaded()) as other:
        other.stdin.write(("\\init\n\\begin\n\\offset %s.alerts.outbox 11\n" % t.name).encode())
        other.stdin.flush()
        d.append(10)
        d.start()
        d.until_logged("is not decided: a transaction that wrote it has not ended")
        t.once(topic, 10)
        other.stdin.write(b"\\abort\n")
        other.stdin.close()
        check(other.wait() == 0, "the transaction ends")
    t.until_there(topic, 20)
    d.stop()
    t.once(topic, 20)


def failures(t):
    """Steps that fail: a transaction that is ended, one of which nobody knows, a producer that is given up."""
    topic = t.topic("e-alerts")
    d = t.daemon("failures", t.sink(topic)).start(
        "kafka_begun=error@2,kafka_marked=error@4,kafka_committed=error@6,kafka_marked=error@8,kafka_committed=error@1")
    for turn in range(12):
        d.append(10)
        t.until_there(topic, 10 * (turn + 1))
    d.stop()
    t.once(topic, 120)
    check("the failpoint kafka_marked" in d.log() and "the failpoint kafka_committed" in d.log(), "they failed")


TESTS = [marker, forms, unknown_topic, too_large, failures, stopped, taken_over_soon, taken_over_late, two_daemons, older_copy,
         diverged, other_kind, not_decided, no_marker, broker_down]


OWN = [broker_down]  # these kill it


def run(args):
    tests = [t for t in TESTS if not args.only or t.__name__ in args.only.split(",")]
    for own in (False, True):
        some = [t for t in tests if (t in OWN) == own]
        if some:
            with Broker(os.path.join(args.work, "broker" + "-own" * own), shared=not own) as broker:
                if run_tests(broker, args, some) != 0:
                    return 1
    return 0


if __name__ == "__main__":
    main(run)
