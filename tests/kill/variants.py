# SPDX-License-Identifier: Apache-2.0
"""Variants of the kill test: rules that are reloaded, input by standard input, files that grow and are
rotated while they are read."""
import glob
import json
import os
import signal
import struct
import subprocess
import time
import zlib

import generate
from harness import LONGEST_RUN, Daemon, Failure, Place

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
        """As Daemon.wait(limit). The longer it lasts, the rarer: where a change takes longer than the pause between two
        the input would never be read."""
        begun = time.monotonic()
        end = begun + limit
        while time.monotonic() < end:
            pause = self.rng.uniform(0.05, 0.4) * max(1, (time.monotonic() - begun) / 10)
            code = daemon.wait(min(pause, end - time.monotonic()))
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

    def begin(self):
        """Away with what was there for the replay, or of a run before."""
        for path in glob.glob(self.path + "*"):
            os.remove(path)
        self.part, self.done, self.since = 0, 0, None

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


class Growth:
    """Files that grow in a place, from their beginning, and the daemons that follow them."""

    def __init__(self, place, growing, rng, wanted):
        self.place, self.growing, self.rng, self.wanted = place, growing, rng, wanted
        self.give_up = None
        place.forget()
        for g in growing:
            g.begin()
        for g in growing: # all are there before a daemon is: lines of one that comes later are late, by the definition
            g.step(0)

    def life(self, daemon, longest):
        """Until its end, or the end of its time. (exit code or None, was it told to stop?)"""
        alive, code = 0, None
        while code is None and alive < longest:
            code = daemon.wait(self.rng.uniform(0.005, 0.05))
            alive = time.monotonic() - daemon.began
            for g in self.growing:
                g.step(alive if code is None else 0)
            finished = all(g.finished() for g in self.growing)
            if code is None and finished and decided(self.place) >= self.wanted:
                return self.stop(daemon), True
            self.give_up = self.give_up or (finished and time.monotonic() + LONGEST_RUN)
            if self.give_up and time.monotonic() > self.give_up:
                daemon.kill()
                self.place.check(with_ids=False, until=UNTIL)
                raise Failure("it does not come to its end")
        return code, False

    def stop(self, daemon):
        began = time.monotonic()
        while daemon.wait(0.2) is None and not daemon.is_ready() and time.monotonic() - began < LONGEST_RUN:
            pass
        daemon.process.send_signal(signal.SIGTERM)
        code = daemon.wait(240)
        if code is None:
            daemon.kill()
            raise Failure("it does not stop at SIGTERM")
        return code


def grow_unbroken(place, growing, rng, wanted):
    """A run without kills: the alerts of the replay. Their ids tell the files that had a name in turn, which the
    replay read as one; so from here on these alerts are what is expected, with their ids."""
    daemon = Daemon(place)
    code, stopped = Growth(place, growing, rng, wanted).life(daemon, 2 * LONGEST_RUN)
    if code is None:
        daemon.kill()
        raise Failure("an unbroken run does not end")
    daemon.end()
    if code != 0 or not stopped:
        raise Failure("an unbroken run ended with %d: %s" % (code, place.at("daemon.log")))
    place.check(with_ids=False, until=UNTIL)
    place.expect_as_found()


def grow_place(args, rng, work, tools):
    """(a place, its files, how many alerts there are to be)"""
    place = Place(os.path.join(work, "grow"), tools, rng.randrange(1 << 30), args.events, tidy=3)
    with open(place.at("in/pieces.json"), encoding="utf-8") as f:
        pieces = json.load(f)
    growing = [Growing(place, name, rng, pieces[name], LAST[source])
               for source, names in generate.FILES.items() for name in names]
    place.replay()
    place.config("true")
    return place, growing, sum(json.loads(line)["time"] < UNTIL for line in place.expected)


def grow_once(growth, place, rng, killer):
    """To the end of the input, with kills."""
    while True:
        last = killer.kills >= killer.wanted
        point, at = (None, 0) if last else killer.next_point()
        daemon = Daemon(place, "%s=kill@%d" % (point, at) if point else "")
        code, stopped = growth.life(daemon, LONGEST_RUN if last else rng.uniform(0.1, 5))
        if killer.ends(place, daemon, code, point):
            if not stopped:
                raise Failure("it ended by itself: %s" % place.at("daemon.log"))
            place.check(until=UNTIL)
            return


def grow_rounds(args, rng, work, tools, killer, say):
    killer.prefer("follow_")
    rounds = 0
    while killer.kills < args.kills:
        if rounds % 4 == 0:
            place, growing, wanted = grow_place(args, rng, work, tools)
            grow_unbroken(place, growing, rng, wanted)
        rounds += 1
        grow_once(Growth(place, growing, rng, wanted), place, rng, killer)
        say("files that grew: %d kills so far, %d alerts" % (killer.kills, len(place.expected)))


# ---- standard input -----------------------------------------------------------------------------

HEADER, RECORD = 48, 32  # bytes; src/io/spool_priv.h


def spooled(directory):
    """How many bytes of the stream are in a spool, as whole records: what was not read of the pipe, or was
    lost with the process, is not among them and is to be given again."""
    names = sorted(os.listdir(directory)) if os.path.isdir(directory) else []
    names = [n for n in names if n.endswith(".spool")]
    if not names:
        return 0
    end = int(names[-1].split(".")[0])
    with open(os.path.join(directory, names[-1]), "rb") as f:
        data = f.read()[HEADER:]
    at = 0
    while at + RECORD <= len(data):
        size, crc = struct.unpack_from("<II", data, at + 8)
        size &= 0x3fffffff
        rest = data[at + 16:at + RECORD + size]
        if len(rest) < RECORD - 16 + size or zlib.crc32(rest, zlib.crc32(data[at:at + 12])) != crc:
            break
        end += struct.unpack_from("<Q", data, at + 24)[0]
        at += RECORD + size
    return end


def lines_in(lines, size):
    """How many lines are so many bytes."""
    n = 0
    while size > 0:
        size -= len(lines[n].encode())
        n += 1
    if size < 0:
        raise Failure("the spool ends within a line")
    return n


def give(daemon, data):
    """Writes to its standard input; False: it died."""
    try:
        daemon.process.stdin.write(data)
        daemon.process.stdin.flush()
    except BrokenPipeError:
        return False
    return True


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
    place.write("tocsin.conf", text.replace('file "in/auth-*.ndjson"  follow false',
                                              "stdin {}  spool_segment 64KiB"))
    files = ["auth=-", "net=" + place.at("in/net.ndjson")]
    files += ["shop=" + place.at("in/%s.ndjson" % name) for name in generate.FILES["shop"]]
    place.replay(files, place.at("in/auth.ndjson"))
    return place, [line + "\n" for line in lines]


def stdin_once(args, rng, work, tools, killer):
    place, lines = stdin_place(args, rng, work, tools)
    per_life = max(1, len(lines) * 3 // max(args.kills, 1))
    while True:
        given = lines_in(lines, spooled(place.at("state/spool/auth")))
        last = killer.kills >= killer.wanted
        point, at = (None, 0) if last else killer.next_point()
        daemon = Daemon(place, "%s=kill@%d" % (point, at) if point else "", stdin=subprocess.PIPE)
        piece = lines[given:] if last else lines[given:given + rng.randrange(2 * per_life)]
        alive = give(daemon, "".join(piece).encode())
        if alive and given + len(piece) == len(lines):
            daemon.process.stdin.close()
        limit = LONGEST_RUN if last else rng.random() * killer.span + (0.5 if point else 0)
        if killer.ends(place, daemon, daemon.wait(limit), point):
            place.check()
            return len(place.expected)


def stdin_rounds(args, rng, work, tools, killer, say):
    killer.prefer("spool_")
    while killer.kills < args.kills:
        alerts = stdin_once(args, rng, work, tools, killer)
        say("standard input: %d kills so far, %d alerts" % (killer.kills, alerts))
