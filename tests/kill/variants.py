# SPDX-License-Identifier: Apache-2.0
"""Variants of the kill test: rules that are reloaded, input by standard input, files that grow and are
rotated while they are read."""
import json
import os
import signal
import subprocess
import time

import generate
from harness import Daemon, Failure, Place

LONGEST_RUN = 120  # seconds

# Changes that change no alert: of each rule the shape stays, so its state is kept.
CHANGES = [
    ("sequences.rule", "count(fail) > 3", "count(fail) >= 4"),
    ("sequences.rule", "within 10m {\n    fail", "within 600s {\n    fail"),
    ("sequences.rule", "n > a.n", "a.n < n"),
    ("sequences.rule", "limit runs 50 per key", "limit runs 50 per key # as it was"),
    ("windows.rule", "count() > 8", "count() >= 9"),
    ("windows.rule", "> 10000", ">= 10001"),
    ("windows.rule", "count(f) > 5", "count(f) >= 6"),
    ("others.rule", "port < 1024", "port <= 1023"),
    ("others.rule", "hosts[host].tier == 1", "1 == hosts[host].tier"),
    ("others.rule", "failures >= g.failures", "not failures < g.failures"),
]
EXTRA = """rule never_%d {
  match by user within 1h { a: auth where type == "none"  b: net where kind == "none" and user == a.user }
}
"""


class Reloader:
    """Changes rule files now and then, and mostly says so."""

    def __init__(self, place, rng):
        self.place, self.rng, self.count = place, rng, 0

    def change(self):
        name, old, new = self.rng.choice(CHANGES)
        with open(self.place.at("rules/" + name), encoding="utf-8") as f:
            text = f.read()
        if new in text:
            text = text.replace(new, old)
        elif old in text:
            text = text.replace(old, new)
        else:
            raise Failure("rules/%s has no `%s'" % (name, old))
        self.place.write("rules/" + name, text)
        self.count += 1
        if self.rng.random() < 0.3:
            self.place.write("rules/extra.rule", EXTRA % self.count)
        elif self.rng.random() < 0.2 and os.path.exists(self.place.at("rules/extra.rule")):
            os.remove(self.place.at("rules/extra.rule"))

    def during(self, daemon, limit):
        """As Daemon.wait(limit)."""
        end = time.monotonic() + limit
        while time.monotonic() < end:
            code = daemon.wait(min(self.rng.uniform(0.05, 0.4), end - time.monotonic()))
            if code is not None:
                return code
            self.change()
            if self.rng.random() < 0.8:
                daemon.process.send_signal(signal.SIGHUP)
        return None


# ---- files that grow ----------------------------------------------------------------------------

LAST_DAY = "2026-01-02T"          # what the last lines move time to
UNTIL = "2026-01-01T20:00:00Z"    # alerts before it are decided by then
LAST = {"auth": '{"timestamp":"%s00:00:00Z","type":"end"}' % LAST_DAY,
        "net": '{"ts":"%s00:00:00Z","kind":"end"}' % LAST_DAY,
        "shop": '{"time":%d,"what":"end"}' % ((generate.START + 86400) * 1000)}


class Growing:
    """A file that is written in pieces, some of them ends within a line; between two of its parts it is
    renamed and begun anew."""

    def __init__(self, place, name, rng, parts, last):
        self.rng, self.path = rng, place.at("in/%s.ndjson" % name)
        with open(self.path, encoding="utf-8") as f:
            lines = f.read().split("\n")[:-1]
        with open(self.path, "a", encoding="utf-8") as f: # for the replay
            f.write(last + "\n")
        self.parts, begin = [], 0
        for end in parts:
            self.parts.append("\n".join(lines[begin:end]) + "\n")
            begin = end
        self.parts[-1] += last + "\n"
        self.part, self.done, self.since = 0, 0, None

    def begin(self):
        """Away with what was there for the replay."""
        os.remove(self.path)

    def finished(self):
        return self.part == len(self.parts)

    def step(self, alive):
        """Writes some more. alive: how long the daemon has been running without a kill."""
        if self.finished():
            return
        text = self.parts[self.part]
        if self.done == len(text):
            # the next part only when the daemon has seen this file, and that is in a checkpoint
            if min(alive, time.monotonic() - self.since) < 2:
                return
            self.part, self.done = self.part + 1, 0
            if not self.finished():
                os.rename(self.path, "%s.%d" % (self.path, self.part))
                self.since = None
            return
        size = self.rng.randrange(1, 20000)
        with open(self.path, "a", encoding="utf-8") as f:
            f.write(text[self.done:self.done + size])
        self.done = min(len(text), self.done + size)
        if self.since is None:
            self.since = time.monotonic()


def decided(place):
    return sum(json.loads(line)["time"] < UNTIL for line in place.lines_so_far("alerts.ndjson*"))


def grow_once(args, rng, work, tools, killer):
    place = Place(os.path.join(work, "grow"), tools, rng.randrange(1 << 30), args.events, tidy=3)
    with open(place.at("in/pieces.json"), encoding="utf-8") as f:
        pieces = json.load(f)
    growing = [Growing(place, name, rng, pieces[name], LAST[source])
               for source, names in generate.FILES.items() for name in names]
    place.replay()
    wanted = sum(json.loads(line)["time"] < UNTIL for line in place.expected)
    for g in growing:
        g.begin()
    place.config("true")
    give_up = None
    while True:
        daemon = Daemon(place)
        end = rng.uniform(0.1, 5) if killer.kills < killer.wanted else LONGEST_RUN
        while daemon.wait(rng.uniform(0.005, 0.05)) is None:
            alive = time.monotonic() - daemon.began
            for g in growing:
                g.step(alive)
            finished = all(g.finished() for g in growing)
            if finished and decided(place) >= wanted:
                return stop(place, daemon)
            if finished and give_up is None:
                give_up = time.monotonic() + LONGEST_RUN
            if give_up and time.monotonic() > give_up:
                daemon.kill()
                place.check(with_ids=False, until=UNTIL)
                raise Failure("it does not come to its end")
            if alive > end:
                daemon.kill()
                killer.killed(None, -9, True)
                break
        else:
            raise Failure("tocsind ended with %d: %s" % (daemon.end(), place.at("daemon.log")))


def stop(place, daemon):
    time.sleep(0.2)
    daemon.process.send_signal(signal.SIGTERM)
    if daemon.wait(60) is None:
        daemon.kill()
        raise Failure("it does not stop at SIGTERM")
    code = daemon.end()
    if code != 0:
        raise Failure("it ended with %d at SIGTERM" % code)
    place.check(with_ids=False, until=UNTIL)
    return len(place.expected)


def grow_rounds(args, rng, work, tools, killer, say):
    while killer.kills < args.kills:
        alerts = grow_once(args, rng, work, tools, killer)
        say("files that grew: %d kills so far, %d alerts" % (killer.kills, alerts))


# ---- standard input -----------------------------------------------------------------------------

def spool_end(directory):
    """How many bytes of the stream are in a spool (io/spool_priv.h tells its format)."""
    names = sorted(n for n in os.listdir(directory) if n.endswith(".spool")) if os.path.isdir(directory) else []
    if not names:
        return 0
    with open(os.path.join(directory, names[-1]), "rb") as f:
        data = f.read()
    base, at = int(names[-1][:20]), 48
    while at + 32 <= len(data):
        size, span = int.from_bytes(data[at + 8:at + 12], "little") & 0x3fffffff, int.from_bytes(data[at + 24:at + 32], "little")
        if at + 32 + size > len(data):
            break
        base, at = base + span, at + 32 + size
    return base


def wait_spooled(place, daemon, size):
    """Until the spool has so many bytes of the stream. False: the daemon died."""
    for _ in range(6000):
        if spool_end(place.at("state/spool/auth")) == size:
            return True
        if daemon.wait(0.01) is not None:
            return False
    raise Failure("%d bytes of standard input are not in the spool" % size)


def stdin_place(args, rng, work, tools):
    """auth comes by standard input, all of it in one stream."""
    place = Place(os.path.join(work, "stdin"), tools, rng.randrange(1 << 30), args.events, tidy=1)
    lines = []
    for name in generate.FILES["auth"]:
        with open(place.at("in/%s.ndjson" % name), encoding="utf-8") as f:
            lines += f.read().split("\n")[:-1]
        os.remove(place.at("in/%s.ndjson" % name))
    lines.sort(key=lambda line: json.loads(line)["timestamp"])
    place.write("in/auth.ndjson", "\n".join(lines) + "\n")
    with open(place.at("tocsin.conf"), encoding="utf-8") as f:
        text = f.read()
    place.write("tocsin.conf", text.replace('file "in/auth-*.ndjson"  follow false', "stdin {}"))
    files = ["auth=-", "net=" + place.at("in/net.ndjson")]
    files += ["shop=" + place.at("in/%s.ndjson" % name) for name in generate.FILES["shop"]]
    place.replay(files, place.at("in/auth.ndjson"))
    return place, [line + "\n" for line in lines]


def stdin_once(args, rng, work, tools, killer):
    place, lines = stdin_place(args, rng, work, tools)
    per_life = max(1, len(lines) * 2 // max(args.kills, 1))
    given = size = 0
    while True:
        daemon = Daemon(place, stdin=subprocess.PIPE)
        last = killer.kills >= killer.wanted
        piece = lines[given:] if last else lines[given:given + rng.randrange(2 * per_life)]
        data = "".join(piece).encode()
        daemon.process.stdin.write(data)
        daemon.process.stdin.flush()
        given, size = given + len(piece), size + len(data)
        if last or given == len(lines):
            daemon.process.stdin.close()
            code = daemon.wait(LONGEST_RUN)
            if code is None:
                daemon.kill()
                raise Failure("it does not end by itself")
            daemon.end()
            if code != 0:
                raise Failure("tocsind ended with %d: %s" % (code, place.at("daemon.log")))
            place.check()
            return len(place.expected)
        if not wait_spooled(place, daemon, size):
            raise Failure("tocsind ended with %d: %s" % (daemon.end(), place.at("daemon.log")))
        daemon.wait(rng.random() * killer.span)
        daemon.kill()
        killer.killed(None, -9, True)


def stdin_rounds(args, rng, work, tools, killer, say):
    while killer.kills < args.kills:
        alerts = stdin_once(args, rng, work, tools, killer)
        say("standard input: %d kills so far, %d alerts" % (killer.kills, alerts))
