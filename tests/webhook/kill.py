#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Kills a tocsind (-9) at random moments and at each step on the way of a webhook, while receivers answer 500,
hang, reset, die and return, refuse, are gone; then lets it come to rest: each alert was accepted or is a dead
letter, one id and one body to each, in order where that is asked.

    kill.py --tocsind FILE --tocsin FILE --def failpoint.def [--kills N] [--seed N] [--work DIR]

The build must be one with --enable-failpoints; sanitizers are welcome. The work directory of a failure is kept, and its
seed is told.
"""
import argparse
import collections
import json
import os
import random
import re
import shutil
import signal
import sys
import tempfile
import time

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "kill"))
from harness import failpoints_of  # noqa: E402
from place import (HUSH, LONGEST, Failure, Place, accepted, alerts_of, judge, no_secret, numbers,  # noqa: E402
                   same_at_each_try, until)

KEY = "?key=" + HUSH
ON_THE_WAY = ("courier_", "ack_", "epoch_", "store_writ")
RULES = """rule each { match { a: e where n > 0 }  emit { n = a.n } }
rule noisy { match { a: e where n % 3 == 0 }  emit { n = a.n }  to [disk] }
"""
SINKS = { # name: (what its receiver does, options)
    "plain": ("each: 500, 200", ""),
    "strict": ("200 * 5, 500, 200 * 3, reset, 200 * 7, half, 429 retry-after=0, 200 * 5, 503 * 2, 200", "order strict"),
    "slow": ("200 delay=0.02", "in_flight 4"),
    "hangs": ("hang, 200 * 20, hang, 200", "timeout 500ms  connect_timeout 400ms"),
    "batch": ("each: close, 200", "batch_count 7  batch_wait 20ms"),
    "dies": ("200", ""),
    "refuses": ("200 * 10, 404, 200 * 10, 422, 200", "order strict"),
    "gone": ("200 * 20, 410", "order strict"),
    "small": ("500 * 100, 200", "queue_count 30"),
    "grouped": ("each: 500, 200", ""),
}


class Run:
    def __init__(self, args, work):
        self.rng = random.Random(args.seed)
        self.wanted = args.kills
        self.kills = 0
        self.by = collections.Counter()
        points = [p for p in failpoints_of(args.failpoints) if p.startswith(ON_THE_WAY)]
        self.rng.shuffle(points)
        own = [p for p in points if p.startswith("courier_")]
        self.points = [p for point in points for p in (point, own[len(point) % len(own)])] # these more often
        self.turn = 0
        tools = {"tocsind": os.path.abspath(args.tocsind), "tocsin": os.path.abspath(args.tocsin)}
        self.place = Place(os.path.join(work, "run"), tools, RULES)
        self.hook = self.place.hook("hook")
        self.mortal = self.place.hook("mortal")
        self.script(True)
        sinks = {name: self.place.sink(self.mortal if name == "dies" else self.hook, "/" + name, options)
                 for name, (_, options) in SINKS.items()}
        sinks["disk"] = 'file "alerts.ndjson"'
        self.place.configure(sinks, more="default_to [%s]\nroute { rules \"noisy\"  to grouped  group 100ms }"
                             % ", ".join(name for name in SINKS if name != "grouped"))

    def script(self, badly):
        for hook in (self.hook, self.mortal):
            hook.script("\n".join("/%s%s %s" % (name, KEY, does if badly or name == "gone" else "200")
                                  for name, (does, _) in SINKS.items()))

    def failpoint(self):
        """Two of three lives end at a step of the protocol."""
        self.turn += 1
        if self.turn % 3 == 0:
            return "", self.rng.random() * 0.5 + 0.03
        point = self.points[(self.turn * 2 // 3) % len(self.points)]
        times = [1, 2, 3, 8, 20, 50, 100] if point.startswith("courier_") else [1, 2, 3, 4, 6]
        return "%s=kill@%d" % (point, self.rng.choice(times)), 1.5

    def live_and_die(self):
        place = self.place
        failpoint, span = self.failpoint()
        place.events(self.rng.randrange(5, 60))
        place.start(failpoint)
        if self.rng.random() < 0.5:
            time.sleep(self.rng.random() * 0.1)
            place.events(self.rng.randrange(1, 30))
        if self.rng.random() < 0.3:
            self.mortal.kill()
            time.sleep(self.rng.random() * 0.1)
            self.mortal.start()
        code = place.end(span)
        by_us = code is None
        if by_us:
            code = place.kill()
        if code != -signal.SIGKILL:
            raise Failure("tocsind ended with %s: %s" % (code, place.at("daemon.log")))
        self.kills += 1
        self.by["random" if by_us or not failpoint else failpoint.split("=")[0]] += 1

    def waiting(self):
        """Messages in queues, by the last figures."""
        told = self.place.log().rsplit("== start", 1)[1]
        found = dict(re.findall(r'msg="figures" sink="(\w+)" waiting=(\d+)', told))
        return sum(map(int, found.values())) if len(found) == len(SINKS) + 1 else None

    def rest(self):
        """Without kills, and with receivers that behave, until nothing waits."""
        self.script(False)
        place = self.place
        place.start()
        until("it is ready", LONGEST, lambda: 'msg="ready"' in place.log().rsplit("== start", 1)[1])
        with open(place.at("alerts.ndjson"), encoding="utf-8") as f:
            until("all was read", LONGEST, lambda: f.seek(0) == 0 and len(f.readlines()) >= place.sent // 3)

        def empty():
            place.daemon.send_signal(signal.SIGUSR1)
            time.sleep(0.2)
            return self.waiting() == 0
        time.sleep(0.3) # the last one or two alerts of the other rule
        until("nothing waits", LONGEST, empty)
        place.stop()

    def judge(self):
        place = self.place
        dead = collections.defaultdict(list)
        for letter in place.letters():
            dead[letter["sink"]].append(json.loads(letter["text"])["fields"]["n"])
        everything = range(1, place.sent + 1)
        for name in SINKS:
            hook = self.mortal if name == "dies" else self.hook
            records = hook.got("/" + name + KEY)
            wanted = [n for n in everything if n % 3 == 0] if name == "grouped" else list(everything)
            try:
                self.judge_sink(name, records, wanted, dead.get(name, []))
            except Failure as failure:
                raise Failure("%s: %s" % (name, failure)) from None
        no_secret(place)
        lines = place.at("alerts.ndjson")
        with open(lines, encoding="utf-8") as f:
            told = [json.loads(line)["fields"]["n"] for line in f]
        if told != [n for n in everything if n % 3 == 0]:
            raise Failure("the file has other alerts")

    def judge_sink(self, name, records, wanted, dead):
        got = {alert["fields"]["n"] for record in accepted(records) for alert in alerts_of(record)}
        if len(dead) != len(set(dead)):
            raise Failure("dead letters are doubled")
        if name in ("plain", "strict", "slow", "hangs", "batch", "dies", "grouped") and dead:
            raise Failure("%d dead letters" % len(dead))
        if name == "gone" and not dead:
            raise Failure("it was not gone")
        lost = set(wanted) - got - set(dead)
        if lost:
            raise Failure("%d of %d alerts are lost: %s" % (len(lost), len(wanted), sorted(lost)[:20]))
        own = {}
        for record in records:
            for alert in alerts_of(record):
                if own.setdefault(alert["fields"]["n"], alert["id"]) != alert["id"]:
                    raise Failure("alert %d has two ids" % alert["fields"]["n"])
        judge(records, sorted(got), doubles=True)
        # what was refused, and killed before that was durable, is sent again, and may be taken then
        refused = {n for record in records if record["did"] in ("404", "422") for n in numbers([record])}
        once = [n for n in dict.fromkeys(numbers(accepted(records))) if n not in refused]
        if "order strict" in SINKS[name][1] and once != sorted(once):
            raise Failure("not in order: %s" % once[:50])
        same_at_each_try(records)


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n", maxsplit=1)[0])
    parser.add_argument("--tocsind", required=True)
    parser.add_argument("--tocsin", required=True)
    parser.add_argument("--def", dest="failpoints", required=True)
    parser.add_argument("--kills", type=int, default=60)
    parser.add_argument("--seed", type=int, default=int(time.time()))
    parser.add_argument("--work")
    args = parser.parse_args()
    work = args.work or tempfile.mkdtemp(prefix="tocsin-webhook-kill-")
    began = time.monotonic()
    run = Run(args, work)
    try:
        while run.kills < run.wanted:
            run.live_and_die()
        run.rest()
        run.judge()
    except Failure as failure:
        print("FAIL after %d kills (seed %d): %s\nkept: %s" % (run.kills, args.seed, failure, work))
        return 1
    finally:
        run.place.close()
    print("ok: %d alerts to %d webhooks over %d kills (%s), none lost; %d requests; %.0f s, seed %d"
          % (run.place.sent, len(SINKS), run.kills, ", ".join("%s %d" % b for b in sorted(run.by.items())),
             len(run.hook.got()) + len(run.mortal.got()), time.monotonic() - began, args.seed))
    if not args.work:
        shutil.rmtree(work)
    return 0


if __name__ == "__main__":
    sys.exit(main())
