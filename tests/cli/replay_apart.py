#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Rules of several groups of sources in one replay.

    replay_apart.py --tocsin FILE [--seed N] [--rounds N] [--events N]

The input and the rules of the kill test (../kill) hold two groups: what reads `shop`, and the rest. A replay of
all must tell what the replays of each group's rules tell, revisions of late events too, and in the order of
time. Each round has another input.
"""
import argparse
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(HERE, "..", "kill"))

from harness import Failure, Place, differ  # noqa: E402

SHOP = re.compile(r"\bshop\b|\bcarts\b")


def split(text):
    """The declarations of a file, and its rules."""
    first, *rules = re.split(r"^(?=rule )", text, flags=re.M)
    return first, rules


def replay_group(place, of_shop):
    """The alerts of a group's rules alone, over the same sources."""
    group = place.at("group")
    shutil.rmtree(group, ignore_errors=True)
    shutil.copytree(place.at("rules"), group)
    for name in os.listdir(group):
        if not name.endswith(".rule"):
            continue
        with open(os.path.join(group, name), encoding="utf-8") as f:
            declarations, rules = split(f.read())
        with open(os.path.join(group, name), "w", encoding="utf-8") as f:
            if of_shop:  # no rule that it names is there
                declarations = re.sub("^exception .*", "", declarations, flags=re.M)
            f.write(declarations)
            for rule in rules:
                head, brace, tail = rule.partition("\ntable ")  # behind the last rule of a file
                f.write((head if bool(SHOP.search(head)) == of_shop else "") + brace + tail)
    with open(place.at("tocsin.conf"), encoding="utf-8") as f:
        place.write("group.conf", f.read().replace('rules "rules"', 'rules "group"'))
    with open(place.at("group.out"), "w", encoding="utf-8") as out:
        subprocess.run([place.tools["tocsin"], "replay", "-c", place.at("group.conf")], stdin=subprocess.DEVNULL,
                       stdout=out, stderr=subprocess.DEVNULL, check=True)
    return place.lines("group.out")


LATE = ("traffic", "moving", "visits")  # windows that a late event may make tell something afterwards


def check_order(place):
    before = ""
    for line in place.lines("replay.out"):
        alert = json.loads(line)
        if alert["rule"] in LATE:
            continue
        at = alert["time"].rstrip("Z")
        if at < before:
            raise Failure("an alert comes after a later one: %s" % line)
        before = at


def one_round(args, tools, seed):
    place = Place(os.path.join(args.work, str(seed)), tools, seed, args.events)
    place.replay()
    check_order(place)
    parts = [replay_group(place, of_shop) for of_shop in (False, True)]
    if not all(parts):
        raise Failure("a group tells nothing: %s" % place.path)
    differ("alerts", sorted(parts[0] + parts[1]), place.expected, place.path)
    shutil.rmtree(place.path)
    return len(place.expected)


def main():
    p = argparse.ArgumentParser()
    p.add_argument("--tocsin", required=True)
    p.add_argument("--seed", type=int, default=1)
    p.add_argument("--rounds", type=int, default=4)
    p.add_argument("--events", type=int, default=12000)
    args = p.parse_args()
    tools = {"tocsin": os.path.abspath(args.tocsin)}
    args.work = tempfile.mkdtemp(prefix="tocsin-apart-")
    for number in range(args.rounds):
        try:
            told = one_round(args, tools, args.seed + number)
        except Failure as failure:
            sys.exit("FAIL (seed %d): %s" % (args.seed + number, failure))
        print("seed %d: %d alerts, together as apart" % (args.seed + number, told), flush=True)
    shutil.rmtree(args.work, ignore_errors=True)


if __name__ == "__main__":
    main()
