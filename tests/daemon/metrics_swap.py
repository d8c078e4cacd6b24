# SPDX-License-Identifier: Apache-2.0
"""Figures while rules change: no answer of /metrics lacks what the one before had (but for times that sources show),
and no counter of it is less than before.

    metrics_swap.py PORT PID CHANGES      in the daemon's directory, with rules of its own: metrics.sh begins it"""
import os
import re
import signal
import sys
import threading
import time
import urllib.request

PORT, PID, CHANGES = map(int, sys.argv[1:4])
COUNTS = re.compile(r"^(tocsin_\w+_(?:total|bucket|sum|count)(?:\{.*\})?) (\S+)$", re.M)
LIVES = re.compile(r"^(tocsin_(?:(?:rule|table|order|engine|sink)\w*|source\w*_total)(?:\{.*\})?) ", re.M)
faults, ends = [], threading.Event()


def scrape():
    with urllib.request.urlopen(f"http://127.0.0.1:{PORT}/metrics", timeout=120) as answer:
        text = answer.read().decode()
    return {name: float(value) for name, value in COUNTS.findall(text)}, set(LIVES.findall(text))


def watch():
    counts, series = scrape()
    while not ends.is_set() and not faults:
        now, there = scrape()
        if series - there:
            faults.append(f"not told: {sorted(series - there)[:5]}")
        back = [(name, counts[name], value) for name, value in now.items() if value < counts.get(name, value)]
        if back:
            faults.append(f"gone back (name, was, is): {back[:5]}")
        counts, series = now, {name for name in there if '"changes' not in name}


def swapped():
    with open("log", encoding="utf-8", errors="replace") as log:
        return log.read().count('msg="swapped"')


watchers = [threading.Thread(target=watch) for _ in range(3)]
for watcher in watchers:
    watcher.start()
for change in range(CHANGES):
    before = swapped()
    with open("rules/changes.tmp", "w", encoding="utf-8") as rule:
        rule.write(f"rule changes {{ match by k {{ a: auth where n == {200 + change} }} }}\n")
    os.rename("rules/changes.tmp", "rules/changes.rule")
    os.kill(PID, signal.SIGHUP)
    until = time.monotonic() + 120
    while swapped() == before and not faults:
        if time.monotonic() > until:
            faults.append(f"change {change} never came")
        time.sleep(0.02)
ends.set()
for watcher in watchers:
    watcher.join()
if faults:
    sys.exit("\n".join(faults))
