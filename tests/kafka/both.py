#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Kills a tocsind from topics to topics at each step of a transaction and at random, and its broker now and
then, until its input is done: a reader of what is committed sees each alert of an unbroken `tocsin replay -c` once,
the same by id and content but for detected_at.
What goes to a topic at least once is all there.

    both.py --tocsind FILE --tocsin FILE --def failpoint.def [--kills N] [--brokers N] [--seed N]
                 [--events N] [--work DIR]

The build must be one with --enable-failpoints. Input and rules are those of tests/kill. A round is an input to its
end; there are as many as the kills need. The work directory of a failure is kept.
"""
import argparse
import collections
import os
import random
import shutil
import sys
import tempfile
import time

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path[:0] = [HERE, os.path.join(HERE, "..", "kill")]
import generate
from broker import Broker, Missing, skip
from harness import DETECTED, KEYS, Daemon, Failure, Place, differ, failpoints_of

LONGEST_LIFE = 300  # seconds: then something hangs
MOST_TRIES = 20


class Topics(Place):
    """A round: an input, and sinks that are topics of its own."""

    def __init__(self, broker, number, path, tools, seed, events):
        self.broker, self.number = broker, number
        super().__init__(path, tools, seed, events)
        self.fill_topics()
        self.replay()
        for name in ("alerts", "least", "late", "dead"):
            broker.create(self.topic(name), 3)

    def topic(self, name):
        return "%s-%d" % (name, self.number)

    def sink(self, name, more=""):
        return ('sink %s { kafka { brokers "%s" topic "%s" application "round%d" options { reconnect.backoff.max.ms 500 } } %s }'
                % (name, self.broker.address, self.topic(name), self.number, more))

    def fill_topics(self):
        """Of each source a topic, of each of its files a partition."""
        for source, files in generate.FILES.items():
            self.broker.create(self.topic("in-" + source), len(files))
            for i, name in enumerate(files):
                with open(self.at("in/%s.ndjson" % name), "rb") as f:
                    self.broker.produce_lines(self.topic("in-" + source), [
                        b"%d\t0\t-\t%s" % (i, line) for line in f.read().split(b"\n") if line], linger_ms=5)

    def source(self, name):
        return 'kafka { brokers "%s"  topics "%s" }' % (self.broker.address, self.topic("in-" + name))

    def config(self, follow):
        lines = ['engine { rules "rules"  state "state"  checkpoint 50ms  checkpoint_bytes 64KiB',
                 '  alert_delay 5ms  memory_limit 16MiB  stop_within 60s }']
        for source, key in KEYS.items():
            lines.append('source %s { %s  follow %s  %s  lateness %ds  idle 1d  late late  dead_letter dead }'
                         % (source, self.source(source), follow, key, generate.LATENESS[source]))
        lines += [self.sink("alerts"), self.sink("least", "delivery at_least_once"), self.sink("late"),
                  self.sink("dead", "delivery at_least_once"), "default_to [alerts, least]", ""]
        self.write("tocsin.conf", "\n".join(lines))

    def look_at_reference(self):
        """An input may be short, so some rules may be silent in it."""
        if not self.expected:
            raise Failure("no alerts")
        if len(self.expected_late) != sum(self.counts["late"].values()):
            raise Failure("%d lines are late for tocsin replay" % len(self.expected_late))

    def delivered(self):
        """The input is done. Was the last daemon in time, or does the next one deliver the rest?"""
        with open(self.at("daemon.log"), encoding="utf-8") as f:
            return "not everything was delivered" not in f.read().split("\n== ")[-1]

    def records(self, name):
        text = self.broker.kcat("-C", "-t", self.topic(name), "-e", "-q", "-o", "beginning", "-f", "%s\n",
                                "-X", "isolation.level=read_committed")
        return [DETECTED.sub("", line) for line in text.decode("utf-8", "surrogateescape").split("\n")[:-1]]

    def compare(self):
        differ("alerts", self.expected, self.records("alerts"), self.path)
        late = self.records("late")
        if len(late) != len(self.expected_late):
            raise Failure("%d late lines, not %d" % (len(late), len(self.expected_late)))
        least = self.records("least")
        differ("least", sorted(set(self.expected)), sorted(set(least)), self.path)
        if len(set(self.records("dead"))) != sum(self.counts["dead"].values()):
            raise Failure("dead letters are missing")
        return len(least) - len(self.expected)


class Reaper:
    """Points are taken in their order, those first that killed the least: each that can be met kills."""

    def __init__(self, rng, points, kills, brokers):
        self.rng, self.points, self.kills, self.brokers = rng, points, kills, brokers
        self.by, self.tried, self.turn, self.broker_kills = collections.Counter(), collections.Counter(), 0, 0

    def done(self):
        return sum(self.by.values()) >= self.kills

    def failpoint(self):
        """NAME=kill@NUMBER. The first times of some are those of the claims; what was not met is tried nearer."""
        point = min(self.points, key=lambda p: self.by[p])
        number = max(1, self.rng.choice([1, 2, 2, 3, 3, 4, 6]) - self.tried[point])
        self.tried[point] += 1
        if self.tried[point] > MOST_TRIES:
            raise Failure("%s is never met" % point)
        return point, "%s=kill@%d" % (point, number)

    def life(self, place):
        """True: the input is done."""
        self.turn += 1
        point, failpoint, limit = "", "", LONGEST_LIFE
        if not self.done() and self.turn % 4 == 0:
            limit = self.rng.uniform(0.1, 2)
        elif not self.done():
            point, failpoint = self.failpoint()
        daemon = Daemon(place, failpoint)
        if self.turn % 7 == 3 and self.broker_kills < self.brokers:
            time.sleep(self.rng.uniform(0.2, 1.5))
            place.broker.kill()
            place.broker.restart()
            self.broker_kills += 1
        code = daemon.wait(limit)
        by_us = code is None
        code = daemon.kill() if by_us else daemon.end()
        if code == 0:
            return place.delivered()
        if by_us and limit == LONGEST_LIFE:
            raise Failure("it does not end by itself")
        if code != -9:
            raise Failure("tocsind ended with %d: %s" % (code, place.at("daemon.log")))
        self.by["random" if by_us else point] += 1
        self.tried[point] = 0
        return False


def points_of(definition, rng, prefixes):
    points = [p for p in failpoints_of(definition) if p.startswith(prefixes)]
    rng.shuffle(points)
    return points


def run(args, work):
    rng = random.Random(args.seed)
    points = points_of(args.definition, rng, ("kafka_", "deliver_", "ack_"))  # few kills are for these
    points += points_of(args.definition, rng, ("barrier_", "epoch_"))
    reaper = Reaper(rng, points, args.kills, args.brokers)
    tools = {"tocsind": os.path.abspath(args.tocsind), "tocsin": os.path.abspath(args.tocsin)}
    alerts = again = rounds = 0
    with Broker(os.path.join(work, "broker")) as broker:
        while not reaper.done():
            rounds += 1
            place = Topics(broker, rounds, os.path.join(work, "round"), tools, args.seed + rounds, args.events)
            while not reaper.life(place):
                pass
            again += place.compare()
            alerts += len(place.expected)
    print("ok: %d rounds, %d kills (%s), %d of the broker; %d alerts, 0 lost, 0 doubled; at least once %d came again"
          % (rounds, sum(reaper.by.values()), ", ".join("%s %d" % x for x in sorted(reaper.by.items())),
             reaper.broker_kills, alerts, again))


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--tocsind", required=True)
    parser.add_argument("--tocsin", required=True)
    parser.add_argument("--def", dest="definition", required=True)
    parser.add_argument("--kills", type=int, default=15)
    parser.add_argument("--brokers", type=int, default=1)
    parser.add_argument("--seed", type=int, default=int(os.environ.get("SEED", "0")) or int(time.time()))
    parser.add_argument("--events", type=int, default=2000)
    parser.add_argument("--work")
    args = parser.parse_args()
    work = args.work or tempfile.mkdtemp(prefix="tocsin-both-")
    try:
        run(args, work)
    except Missing as error:
        skip(error)
    except Failure as failure:
        print("FAILED (SEED=%d): %s (%s)" % (args.seed, failure, work))
        sys.exit(1)
    shutil.rmtree(work, ignore_errors=True)


if __name__ == "__main__":
    main()
