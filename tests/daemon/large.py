#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""State that is larger than its memory, and state that comes and goes.

    large.py --tocsind FILE --tocsin FILE [--events N] [--keys N] [--rounds N] [--seed N] [--part PART] [--work DIR]

1. The input and the rules of the kill test (all kinds of state) with a memory_limit far below what they keep:
   the alerts are those of a replay, and keys were read back from the database.
2. KEYS keys are made and expire, ROUNDS times over, each time other ones: memory and the database do not grow
   in the second half of them.
"""
import argparse
import os
import re
import shutil
import signal
import statistics
import sys
import tempfile
import time

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(HERE, "..", "kill"))

from harness import Daemon, Failure, Place  # noqa: E402

START = 1767225600000  # ms
MIB = 1 << 20
HOUR = 3600000
EXPIRING = """rule pair {
  match by user within 1h { a: e where n == 1  b: e where n == 2 }
  emit { user = user }
  limit state 64GiB
}
"""


def figure(place, name):
    with open(place.at("daemon.log"), encoding="utf-8") as f:
        return int(re.findall(r'msg="figures".* %s=(\d+)' % name, f.read())[-1])


def larger_than_memory(args, tools):
    place = Place(os.path.join(args.work, "small"), tools, args.seed, args.events)
    with open(place.at("tocsin.conf"), encoding="utf-8") as f:
        place.write("tocsin.conf", f.read().replace("memory_limit 16MiB", "memory_limit 64KiB")
                    .replace("checkpoint 50ms  checkpoint_bytes 64KiB", "checkpoint 10ms  checkpoint_bytes 64KiB"))
    place.replay()
    # How much the limit alone lets go depends on the machine: how often there is a checkpoint, and batches.
    place.always += ",small_memory=error@1+"
    daemon = Daemon(place)
    code = daemon.wait(1800)
    if code is None:
        daemon.kill()
        raise Failure("it does not end")
    daemon.end()
    if code != 0:
        raise Failure("tocsind ended with %d: %s" % (code, place.at("daemon.log")))
    place.check()
    loaded = figure(place, "keys_loaded")
    if loaded < 100:
        raise Failure("only %d keys were read back: the limit was not felt" % loaded)
    print("%d alerts as in a replay; %d keys were read back from the database" % (len(place.expected), loaded))


class Bare(Place):
    """One followed file, one rule."""

    def __init__(self, path, tools):
        self.path, self.tools, self.lives = path, tools, 0
        shutil.rmtree(path, ignore_errors=True)
        os.makedirs(self.at("rules"))
        self.write("rules/pair.rule", EXPIRING)
        self.write("tocsin.conf", 'engine { rules "%s"  state "%s"  memory_limit 4MiB }\n'
                                  'source e { file "%s"  time ts  idle 1d  future 3650d }\n'
                                  'sink disk { file "%s" }\n'
                   % tuple(self.at(name) for name in ("rules", "state", "e.ndjson", "alerts.ndjson")))
        open(self.at("e.ndjson"), "w", encoding="utf-8").close()

    def disk(self):
        return sum(os.stat(os.path.join(d, f)).st_size for d, _, files in os.walk(self.at("state")) for f in files)


def a_round(place, daemon, number, keys):
    """Keys that begin within half an hour, and time beyond their end; (memory, disk) then."""
    begin = START + number * 3 * HOUR
    with open(place.at("e.ndjson"), "a", encoding="utf-8") as f:
        for i in range(keys):
            f.write('{"ts":%d,"user":"u-%d-%d","n":1}\n' % (begin + i * HOUR // 2 // keys, number, i))
        end = begin + 2 * HOUR
        for ts, n in ((end, 1), (end + 1, 2), (end + 2, 0)):
            f.write('{"ts":%d,"user":"end-%d","n":%d}\n' % (ts, number, n))
    most = time.monotonic() + 1800
    while not any('"end-%d"' % number in line for line in place.lines_so_far("alerts.ndjson")):
        if daemon.wait(0.05) is not None:
            raise Failure("tocsind ended: %s" % place.at("daemon.log"))
        if time.monotonic() > most:
            raise Failure("round %d does not end" % number)
    with open("/proc/%d/status" % daemon.process.pid, encoding="utf-8") as f:
        memory = int(re.search(r"VmRSS:\s+(\d+)", f.read()).group(1)) * 1024
    return memory, place.disk()


def come_and_go(args, tools):
    place = Bare(os.path.join(args.work, "rounds"), tools)
    # What is freed is to be given back or used again, not kept to find mistakes.
    os.environ["ASAN_OPTIONS"] = os.environ.get("ASAN_OPTIONS", "exitcode=99") + ":quarantine_size_mb=1"
    daemon = Daemon(place, "small_directories=delay:0")  # as it is, not as the kill test wants it
    seen = []
    try:
        for number in range(args.rounds):
            seen.append(a_round(place, daemon, number, args.keys))
            print("round %d: %.1f MiB of memory, %.1f MiB of disk" % (number + 1, *(n / MIB for n in seen[-1])),
                  flush=True)
        daemon.process.send_signal(signal.SIGTERM)
        if daemon.wait(120) != 0:
            raise Failure("it did not stop well: %s" % place.at("daemon.log"))
    finally:
        daemon.process.kill()
        daemon.end()
    # LevelDB takes more until it has filled two write buffers of 8 MiB and its cache of 64 MiB: the first half of
    # the rounds is for that. Then 10^5 keys a round that left 120 bytes each would be seen. What is there at one
    # moment has a checkpoint in it, or not: of the second half most rounds have to be below.
    half = max(2, len(seen) // 2)
    for what, at, spare in (("memory", 0, 32 * MIB), ("disk", 1, 32 * MIB)):
        before, after = max(s[at] for s in seen[:half]), statistics.median(s[at] for s in seen[half:])
        if after > before * 1.1 + spare:
            raise Failure("%s grows: %.1f MiB after %d rounds, then %.1f MiB" % (what, before / MIB, half, after / MIB))


def main():
    p = argparse.ArgumentParser()
    p.add_argument("--tocsind", required=True)
    p.add_argument("--tocsin", required=True)
    p.add_argument("--events", type=int, default=30000)
    p.add_argument("--keys", type=int, default=100000)
    p.add_argument("--rounds", type=int, default=10)
    p.add_argument("--seed", type=int, default=1)
    p.add_argument("--work")
    p.add_argument("--part", choices=["memory", "rounds"])
    args = p.parse_args()
    tools = {"tocsind": os.path.abspath(args.tocsind), "tocsin": os.path.abspath(args.tocsin)}
    own = args.work is None
    args.work = os.path.abspath(args.work or tempfile.mkdtemp(prefix="tocsin-large-"))
    try:
        if args.part != "rounds":
            larger_than_memory(args, tools)
        if args.part != "memory":
            come_and_go(args, tools)
    except Failure as failure:
        sys.exit("FAIL (seed %d): %s" % (args.seed, failure))
    if own:
        shutil.rmtree(args.work, ignore_errors=True)


if __name__ == "__main__":
    main()
