#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Benchmark of topics: events a second of CPU against librdkafka's bare consumer with decoding; what exactly once costs
beside at least once; from the time that an event is produced to that at which its alert can be read.

    kafka.py --tocsind FILE [--tocsin FILE] --bench FOLDER [--events N] [--size BYTES] [--partitions N] [--rounds N]
             [--latency N]

A real broker (tests/kafka/broker.sh); the daemon has ten.rule, or no rule that fits (`source alone`), reads the topic
to its end and stops; with --tocsin a replay does, too. Times are CPU times of all threads of the process, the best of
the rounds counts. --latency: so many events, one after the other, in wall time."""
import argparse
import json
import os
import resource
import shutil
import subprocess
import sys
import tempfile
import time

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(HERE, "../kafka"))
from broker import ADMIN, Broker, Missing  # noqa: E402

ALONE = 'rule none { match { a: events where nothing == 1 } }\n'


def cpu_of(*args):
    """CPU seconds of a child, and what it printed."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    done = subprocess.run(args, stdout=subprocess.PIPE, stderr=subprocess.PIPE, check=False)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    if done.returncode != 0:
        sys.exit(f"{args[0]} ended with {done.returncode}: {done.stderr.decode()[-2000:]}")
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime, done.stdout.decode()


FILE = 'sink out { file "alerts.ndjson" }'


def sink(broker, topic, more=""):
    return f'sink out {{ kafka {{ brokers "{broker.address}"  topic "{topic}"  application "{topic}"  on_marker accept }} {more} }}'


def configure(broker, place, rules, out, follow="false", topic="bench"):
    shutil.rmtree(place, ignore_errors=True)
    os.makedirs(os.path.join(place, "rules"))
    with open(os.path.join(place, "rules/r.rule"), "w", encoding="utf-8") as f:
        f.write(rules)
    conf = os.path.join(place, "tocsin.conf")
    with open(conf, "w", encoding="utf-8") as f:
        f.write(f"""engine {{ rules "rules"  state "state" }}
source events {{ kafka {{ brokers "{broker.address}"  topics "{topic}" }}  follow {follow}  time ts  lateness 1s  future 3650d }}
{out}
""")
    return conf


def daemon(args, broker, place, rules, out=FILE):
    return cpu_of(args.tocsind, "-c", configure(broker, place, rules, out))[0]


def replay(args, broker, place, rules):
    return cpu_of(args.tocsin, "replay", "-c", configure(broker, place, rules, FILE))[0]


def latency(args, broker, place, delivery):
    """Of events that come one after the other; (p50, p99) in ms."""
    name = "latency-" + delivery
    broker.create(name, 1)
    broker.create(name + "-alerts", 1)
    conf = configure(broker, place, "rule each { match { a: events } emit { sent = a.sent } }",
                     sink(broker, name + "-alerts", "delivery " + delivery), "true", name)
    with subprocess.Popen([args.tocsind, "-c", conf], stderr=subprocess.DEVNULL) as process, \
         subprocess.Popen(["kcat", "-b", broker.address, "-C", "-u", "-q", "-t", name + "-alerts", "-o", "beginning", "-f", "%s\n",
                           "-X", "isolation.level=read_committed", "-X", "fetch.wait.max.ms=10"], stdout=subprocess.PIPE) as reader, \
         subprocess.Popen([ADMIN, broker.address, "produce", name, "linger.ms=0"], stdin=subprocess.PIPE) as producer:
        took = []
        for i in range(args.latency + 20):
            now = time.time()
            producer.stdin.write(b'0\t0\t-\t{"ts":%d,"sent":%d}\n' % (now * 1000 + 2000 * i, now * 1e9))
            producer.stdin.flush()
            if i == 0:
                continue  # an alert is told when time has gone over its event
            alert = json.loads(reader.stdout.readline())
            took.append((time.time() * 1e9 - now * 1e9) / 1e6 if alert else 0)
        producer.stdin.close()
        reader.terminate()
        process.terminate()
    took = sorted(took[19:])
    return took[len(took) // 2], took[len(took) * 99 // 100]


def main():
    p = argparse.ArgumentParser()
    p.add_argument("--tocsind", required=True)
    p.add_argument("--tocsin")
    p.add_argument("--bench", required=True)
    p.add_argument("--events", type=int, default=1000000)
    p.add_argument("--size", type=int, default=250)
    p.add_argument("--partitions", type=int, default=4)
    p.add_argument("--rounds", type=int, default=3)
    p.add_argument("--latency", type=int, default=0)
    args = p.parse_args()
    with open(os.path.join(HERE, "ten.rule"), encoding="utf-8") as f:
        ten = f.read()
    work = tempfile.mkdtemp(prefix="tocsin-bench-kafka-")
    try:
        with Broker(os.path.join(work, "broker"), ("log.flush.interval.messages=1000000000",)) as broker:
            broker.create("bench", args.partitions)
            events = subprocess.run([os.path.join(args.bench, "bench_events"), str(args.size), str(args.events)],
                                    stdout=subprocess.PIPE, check=True).stdout
            data = (b"%d\t0\t-\t%s" % (i % args.partitions, line) for i, line in enumerate(events.splitlines()))
            broker.produce_lines("bench", data, linger_ms=20)
            rows = {}
            for topic in ("exact", "least"):
                broker.create(topic, 1)
            for _ in range(args.rounds):
                bare, said = cpu_of(os.path.join(args.bench, "bench_kafka"), broker.address, "bench", str(args.partitions))
                for name, took in [("librdkafka and decoding", bare),
                                   ("source alone", daemon(args, broker, work + "/alone", ALONE)),
                                   ("ten.rule", daemon(args, broker, work + "/ten", ten)),
                                   ("ten.rule, replay", replay(args, broker, work + "/ten", ten) if args.tocsin else None),
                                   ("ten.rule, at least once", daemon(args, broker, work + "/ten", ten,
                                                                      sink(broker, "least", "delivery at_least_once"))),
                                   ("ten.rule, exactly once", daemon(args, broker, work + "/ten", ten,
                                                                     sink(broker, "exact")))]:
                    if took is None:
                        continue
                    rows[name] = min(took, rows.get(name, took))
            print(said.strip())
            for name, took in rows.items():
                print(f"{name:26} {took:8.2f} s {args.events / took:12.0f} events/s {took / rows['librdkafka and decoding']:8.2f}")
            for delivery in ("at_least_once", "exactly_once") if args.latency else ():
                print("%s: from produced to readable %.1f ms p50, %.1f ms p99" %
                      (delivery, *latency(args, broker, work + "/latency", delivery)))
    except Missing as missing:
        print(f"not measured: {missing}")
    finally:
        shutil.rmtree(work, ignore_errors=True)


if __name__ == "__main__":
    main()
