#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Kills a tocsind (-9) at random moments and at each step of its protocol, until its input is done, and
compares its alerts with those of an unbroken `tocsin replay`: none is lost, none is doubled.

    kill.py --tocsind FILE --tocsin FILE --def failpoint.def [--kills N] [--seed N] [--events N]
            [--reload] [--stdin] [--grow] [--narrow] [--work DIR] [--quiet]

The build must be one with --enable-failpoints; sanitizers are welcome. --reload: rule files change in ways
that make no difference, with and without SIGHUP. --stdin: one source, through the spool. --grow: followed
files that are written and rotated meanwhile. --narrow: events that wait go to disk, alerts to standard
output, too, and keys leave memory whenever they can. Input and rules: generate.py, rules/. The work
directory of a failure is kept, and its seed is told: the same seed gives the same input and kills
(their moments depend on the machine).
"""
import argparse
import collections
import os
import random
import shutil
import signal
import sys
import tempfile
import time

import variants
from harness import LONGEST_RUN, Daemon, Failure, Place, failpoints_of

class Killer:
    """Decides when a daemon dies, and remembers what it died of."""

    def __init__(self, rng, points, kills):
        self.rng, self.points, self.wanted = rng, list(points), kills
        rng.shuffle(self.points)
        self.kills = 0
        self.by = collections.Counter()
        self.missed = collections.Counter()
        self.span = 0.5  # seconds: random kills come within it
        self.turn = 0

    def prefer(self, *names):
        """Steps whose names begin so come first."""
        self.points.sort(key=lambda point: not point.startswith(names))

    def next_point(self):
        """(failpoint or None, times passed before it kills)"""
        self.turn += 1
        open_points = [p for p in self.points if self.by[p] or self.missed[p] < 3] # others are not passed here
        if self.turn % 3 == 0 or not open_points:
            return None, 0
        point = open_points[(self.turn * 2 // 3) % len(open_points)]
        if self.by[point] <= self.missed[point]:
            return point, 1
        return point, self.rng.choice([1, 2, 2, 3, 5, 8])

    def killed(self, point, by_us):
        self.kills += 1
        if point and not by_us:
            self.by[point] += 1
        else:
            self.by["random"] += 1
            if point:
                self.missed[point] += 1

    def ends(self, place, daemon, code, point, hup=False):
        """What became of a life, which is over if code is None: time is up. True: the input is done."""
        by_us = code is None
        lived = time.monotonic() - daemon.began
        code = daemon.kill() if by_us else daemon.end()
        if code == 0:
            return True
        if by_us and lived >= LONGEST_RUN:
            raise Failure("it does not end by itself")
        if code == -signal.SIGHUP and hup and not daemon.is_ready():
            return False  # before it listened to signals
        if code != -signal.SIGKILL:
            raise Failure("tocsind ended with %d: %s" % (code, place.at("daemon.log")))
        self.killed(point, by_us)
        return False

    def progress(self, made):
        """Runs that get nowhere live longer next time."""
        self.span = max(0.05, self.span * 0.93) if made else min(20, self.span * 1.3)


def written(place):
    total = 0
    for name in os.listdir(place.path):
        if name.startswith(("alerts.ndjson", "late.ndjson")):
            try:
                total += os.stat(place.at(name)).st_size
            except FileNotFoundError:
                pass
    return total


def live_and_die(place, killer, reloader):
    """One life of the daemon. True: the input is done."""
    point, at = killer.next_point()
    before = written(place)
    daemon = Daemon(place, "%s=kill@%d" % (point, at) if point else "")
    limit = killer.span + 0.8 if point else killer.rng.random() * killer.span + 0.05
    if killer.kills >= killer.wanted:
        limit = LONGEST_RUN
    code = reloader.during(daemon, limit) if reloader else daemon.wait(limit)
    done = killer.ends(place, daemon, code, point, bool(reloader))
    killer.progress(written(place) > before)
    return done


def unbroken(place):
    """A run without kills; its time in seconds."""
    place.forget()
    daemon = Daemon(place)
    code = daemon.wait(LONGEST_RUN)
    took = time.monotonic() - daemon.began
    if code is None:
        daemon.kill()
        raise Failure("an unbroken run does not end")
    daemon.end()
    if code != 0:
        raise Failure("an unbroken run ended with %d: %s" % (code, place.at("daemon.log")))
    place.check()
    return took


def kill_rounds(args, rng, place, killer, say):
    rounds = 0
    while killer.kills < args.kills:
        rounds += 1
        reloader = variants.Reloader(place, rng) if args.reload else None
        place.forget()
        before = killer.kills
        while not live_and_die(place, killer, reloader):
            pass
        place.check()
        say("round %d: %d kills so far, %d alerts, each once" % (rounds, killer.kills, len(place.expected)))
        if killer.kills < args.kills:
            if killer.kills - before < 30: # the input is done too soon
                killer.span *= 0.5
            place = Place(place.path, place.tools, rng.randrange(1 << 30), args.events, narrow=args.narrow)
            place.replay()


def run(args, work, say):
    tools = {"tocsind": args.tocsind, "tocsin": args.tocsin}
    if args.narrow:
        Place.always += ",small_memory=error@1+"
    rng = random.Random(args.seed)
    points = [p for p in failpoints_of(args.failpoints)
              if not p.startswith(("courier_", "kafka_", "small_", "table_", "topic_"))] # tests/webhook/kill.py, tests/http/tables.py, tests/kafka/rules.py
    killer = Killer(rng, points, args.kills)
    if args.stdin:
        variants.stdin_rounds(args, rng, work, tools, killer, say)
        return killer
    if args.grow:
        variants.grow_rounds(args, rng, work, tools, killer, say)
        return killer
    if args.narrow:
        killer.prefer("spill_", "stdout_")
    place = Place(os.path.join(work, "run"), tools, args.seed, args.events, narrow=args.narrow)
    place.replay()
    took = unbroken(place)
    say("%d events, %d alerts; an unbroken run takes %.1f s" % (args.events, len(place.expected), took))
    killer.span = max(0.1, took * 3 / max(args.kills, 1))
    kill_rounds(args, rng, place, killer, say)
    return killer


def arguments():
    p = argparse.ArgumentParser(description=__doc__.split("\n\n")[0])
    p.add_argument("--tocsind", required=True)
    p.add_argument("--tocsin", required=True)
    p.add_argument("--def", dest="failpoints", required=True)
    p.add_argument("--kills", type=int, default=60)
    p.add_argument("--seed", type=int, default=int(time.time()) % 1000000)
    p.add_argument("--events", type=int, default=20000)
    p.add_argument("--reload", action="store_true")
    p.add_argument("--stdin", action="store_true")
    p.add_argument("--grow", action="store_true")
    p.add_argument("--narrow", action="store_true")
    p.add_argument("--work")
    p.add_argument("--quiet", action="store_true")
    return p.parse_args()


def main():
    args = arguments()
    work = args.work or tempfile.mkdtemp(prefix="tocsin-kill-")
    began = time.monotonic()

    def say(text):
        if not args.quiet:
            print("%6.1f s  %s" % (time.monotonic() - began, text), flush=True)

    say("seed %d" % args.seed)
    try:
        killer = run(args, work, say)
    except Failure as failure:
        print("FAILED with --seed %d: %s\nkept: %s" % (args.seed, failure, work))
        return 1
    hit = sorted(k for k in killer.by if k != "random")
    never = sorted(set(killer.points) - set(hit))
    print("%d kills, %d of them at %d steps; nothing lost, nothing doubled; seed %d"
          % (killer.kills, killer.kills - killer.by["random"], len(hit), args.seed))
    if never:
        say("not killed at: " + " ".join(never))
    if not args.work:
        shutil.rmtree(work, ignore_errors=True)
    return 0


if __name__ == "__main__":
    sys.exit(main())
