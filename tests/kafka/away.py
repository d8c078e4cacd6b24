#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""A broker that is away for long, while alerts are found: checkpoints go on, the outbox grows to its bound, then
`on_full` says what becomes of the rest; when the broker is there again all of it arrives, each alert once.

    away.py --tocsind FILE [--work DIR] [--only NAME,...]
    away.py --tocsind FILE --seconds 1500 [--rate 1200] [--work DIR]

The second form is for a person: the broker is really away for so long, with so many alerts in a second; each half
minute a line says how much memory and disk that takes.
"""
import argparse
import collections
import os
import re
import subprocess
import sys
import time
import urllib.request

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from broker import Broker
from sink_place import check, main, run_tests, until

OPTIONS = "options { transaction.timeout.ms 10000 reconnect.backoff.max.ms 500 }"


def metric(d, name, label=None):
    text = d.ready("metrics")[1]
    found = re.search(r"^%s%s ([0-9.e+-]+)$" % (name, r'\{%s\}' % label if label else ""), text, re.M)
    return float(found.group(1)) if found else 0


def of_sink(d, name):
    return metric(d, "tocsin_sink_" + name, 'sink="alerts"')


def post(d, path):
    request = urllib.request.Request("http://127.0.0.1:%d%s" % (d.http, path), method="POST", data=b"",
                                     headers={"Content-Type": "application/json"})
    with urllib.request.urlopen(request, timeout=60) as answer:
        return answer.read().decode()


def append(d, parts, count):
    """Lines in parts, each of which is in a checkpoint of its own."""
    for _ in range(parts):
        before = metric(d, "tocsin_checkpoint_epochs_total")
        d.append(count)
        until("checkpoints go on", lambda: metric(d, "tocsin_checkpoint_epochs_total") > before)


def is_red(d):
    body = d.ready("readyz")[1]
    return "sink_failing" in body


def put_back(d):
    """All dead letters that the queue has room for; true when none is left."""
    if metric(d, "tocsin_dead_letters_kept") > 0:
        post(d, "/v1/sinks/alerts/dead_letters:replay?numbers=all")
    return metric(d, "tocsin_dead_letters_kept") == 0


# ---- bounds that are reached soon -------------------------------------------------------------------------


def dead_letters(t):
    """The queue is full: the others become dead letters, also over a kill, and can be put back. Input is read on."""
    topic = t.topic("a-dead")
    d = t.daemon("dead", t.sink(topic, OPTIONS, "queue_count 200"), http=True).start()
    d.append(50)
    t.until_there(topic, 50)
    t.broker.kill()
    append(d, 4, 25)
    until("the outbox grows", lambda: of_sink(d, "waiting") == 100)
    until("it says that it fails", lambda: is_red(d))
    append(d, 3, 300)
    until("the outbox is at its bound", lambda: of_sink(d, "waiting") == 200)
    until("the others are dead letters", lambda: of_sink(d, "overflowed_total") == 800)
    check("a queue is full" in d.log(), "the log says so")
    d.kill()
    d.start()
    until("it is there without a broker", lambda: of_sink(d, "waiting") == 200)
    d.append(50)
    until("more dead letters", lambda: metric(d, "tocsin_dead_letters_kept") == 850)
    t.broker.restart()
    t.until_there(topic, 250)
    t.once(topic, 250)
    until("it works again", lambda: not is_red(d))
    until("all are put back, as there is room", lambda: put_back(d))
    t.until_there(topic, 1100)
    d.stop()
    t.once(topic, 1100)


def waits(t):
    """`on_full wait`: sources wait, and nothing becomes a dead letter."""
    topic = t.topic("a-wait")
    d = t.daemon("wait", t.sink(topic, OPTIONS, "queue_count 200  on_full wait"), http=True).start()
    d.append(50)
    t.until_there(topic, 50)
    t.broker.kill()
    d.append(30000)
    until("the outbox is at its bound", lambda: of_sink(d, "waiting") >= 200)
    until("input waits", lambda: d.ready()[0] == 503 and "input_waits" in d.ready()[1])
    waiting = of_sink(d, "waiting")
    check(waiting < 30000, "not all was read: %d wait" % waiting)
    d.kill()
    d.start()
    until("input waits again", lambda: d.ready()[0] == 503 and "input_waits" in d.ready()[1])
    t.broker.restart()
    t.until_there(topic, 30050)
    until("ready", lambda: d.ready()[0] == 200)
    d.stop()
    t.once(topic, 30050)


# ---- long, by hand ------------------------------------------------------------------------------------------


def memory(d):
    """MiB: its own, and of files that are mapped."""
    with open("/proc/%d/status" % d.process.pid, encoding="ascii") as f:
        text = f.read()
    return tuple(int(re.search(name + r":\s+(\d+)", text).group(1)) / 1024 for name in ("RssAnon", "RssFile"))


def disk(path):
    done = subprocess.run(["du", "-sk", path], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, check=False)
    return int(done.stdout.split()[0])


def tell(d, began, what=""):
    print("%6.0f s  %s alerts %d  waiting %d (%.0f MiB)  delivered %d  epochs %d  oldest checkpoint %.1f s  "
          "memory %.0f MiB, and %.0f of mapped files  disk %.0f MiB %s"
          % (time.monotonic() - began, time.strftime("%H:%M:%S"), d.lines, of_sink(d, "waiting"),
             of_sink(d, "waiting_bytes") / 2**20, of_sink(d, "delivered_total"),
             metric(d, "tocsin_checkpoint_epochs_total"), metric(d, "tocsin_checkpoint_age_seconds"),
             *memory(d), disk(d.at("state")) / 1024, what), flush=True)


def numbers(t, topic):
    """Each n and how often it came; the topic is too large for JSON."""
    found = collections.Counter()
    reader = subprocess.Popen(["kcat", "-b", t.broker.address, "-m", "120", "-C", "-t", topic, "-e", "-q", "-o", "beginning",
                               "-X", "isolation.level=read_committed", "-f", "%s\n"], stdout=subprocess.PIPE)
    for line in reader.stdout:
        found[int(re.search(rb'"fields":\{"n":(\d+)', line).group(1))] += 1
    check(reader.wait() == 0, "kcat")
    return found


def long(t, seconds, rate):
    topic = t.topic("long", 3)
    d = t.daemon("long", t.sink(topic, more="queue_count 100000000  queue_bytes 1TiB"), http=True).start()
    until("ready", lambda: d.ready()[0] == 200)
    began = time.monotonic()

    def feed(until_time):
        told = 0
        while time.monotonic() < until_time:
            due = int((time.monotonic() - began) * rate) - d.lines
            if due > 0:
                d.append(due)
            if time.monotonic() - told > 30:
                told = time.monotonic()
                tell(d, began)
            time.sleep(0.2)

    feed(time.monotonic() + 20)
    tell(d, began, "the broker is killed")
    t.broker.kill()
    feed(time.monotonic() + seconds)
    tell(d, began, "the broker comes back")
    t.broker.restart()
    back = time.monotonic()
    while of_sink(d, "waiting") > 2 * rate:
        feed(time.monotonic() + 1)
    tell(d, began, "it has caught up, after %.1f s" % (time.monotonic() - back))
    feed(time.monotonic() + 60)
    until("all is delivered", lambda: of_sink(d, "waiting") == 0)
    tell(d, began, "all is delivered")
    d.stop()
    found = numbers(t, topic)
    check(sum(found.values()) == len(found) == d.lines,
          "%d alerts, %d of %d in the topic" % (sum(found.values()), len(found), d.lines))
    print("%d alerts, each once; %.0f MiB of state directory" % (len(found), disk(d.at("state")) / 1024))


# ---- main ------------------------------------------------------------------------------------------------------

TESTS = [dead_letters, waits]


def run(args):
    with Broker(os.path.join(args.work, "broker")) as broker:
        if not args.seconds:
            return run_tests(broker, args, TESTS)

        def for_long(t):
            long(t, args.seconds, args.rate)

        return run_tests(broker, args, [for_long])


if __name__ == "__main__":
    parser = argparse.ArgumentParser()
    parser.add_argument("--seconds", type=int)
    parser.add_argument("--rate", type=int, default=1200)
    main(run, parser)
