# SPDX-License-Identifier: Apache-2.0
"""What the kill tests share: a directory with an input, a configuration and rules; the answer of
`tocsin replay`; what a daemon's sinks hold; comparing the two."""
import collections
import glob
import json
import os
import re
import shutil
import signal
import subprocess
import sys
import time

import generate

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.append(os.path.join(HERE, ".."))
from tocsind import Failure  # noqa: E402
DETECTED = re.compile(r',"detected_at":"[^"]*"')
ID = re.compile(r'^\{"id":"[0-9a-f]{32}"')
LONGEST_RUN = 300  # seconds without a kill: something hangs
RULE = re.compile(r'"rule":"(\w+)"')
KEYS = {"auth": "time timestamp", "net": "time ts", "shop": 'time time  time_format "epoch_ms"'}


def config_text(follow, state="state", narrow=False):
    lines = ['engine { rules "rules"  state "%s"  checkpoint 50ms  checkpoint_bytes 64KiB' % state,
             '  alert_delay 5ms  memory_limit 16MiB  stop_within 60s%s }' % ("  buffer_limit 1MiB" if narrow else "")]
    for source, key in KEYS.items():
        names = '"in/%s.ndjson"' % (generate.FILES[source][0] if len(generate.FILES[source]) == 1 else source + "-*")
        lines.append('source %s { file %s  follow %s  %s  lateness %ds  idle 1d  late late_lines  dead_letter dead_lines }'
                     % (source, names, follow, key, generate.LATENESS[source]))
    lines += ['sink disk       { file "alerts.ndjson"  rotate_size 300KiB }',
              'sink late_lines { file "late.ndjson" }',
              'sink dead_lines { file "dead.ndjson" }',
              'sink out        { stdout {} }' if narrow else '',
              'default_to [disk, out]' if narrow else 'default_to disk', '']
    return "\n".join(lines)


WHOLE = 12000  # events: each rule has its match in them


class Place:
    """A directory of one run to the end of an input. narrow: with so little room for events that wait that
    they go to disk, and alerts to standard output, too."""

    always = "small_directories=error@1+"  # failpoints of each life

    def __init__(self, path, tools, seed, events, tidy=0, narrow=False):
        self.path, self.tools, self.seed, self.events, self.narrow = path, tools, seed, events, narrow
        self.lives = 0
        shutil.rmtree(path, ignore_errors=True)
        os.makedirs(self.at("in"))
        shutil.copytree(os.path.join(HERE, "rules"), self.at("rules"))
        generate.generate(self.at("in"), seed, events, tidy)
        with open(self.at("in/counts.json"), encoding="utf-8") as f:
            self.counts = json.load(f)
        self.config("false")

    def at(self, name):
        return os.path.join(self.path, name)

    def config(self, follow):
        self.write("tocsin.conf", config_text(follow, narrow=self.narrow))

    def write(self, name, text):
        with open(self.at(name + ".tmp"), "w", encoding="utf-8") as f:
            f.write(text)
        os.rename(self.at(name + ".tmp"), self.at(name))

    def lines_so_far(self, pattern):
        """Whole lines of files that are being written, and renamed: each file once, or it is missed."""
        found, seen = [], set()
        for path in glob.glob(self.at(pattern)):
            try:
                with open(path, encoding="utf-8", errors="surrogateescape", newline="\n") as f:
                    file = os.fstat(f.fileno())
                    if (file.st_dev, file.st_ino) not in seen:
                        seen.add((file.st_dev, file.st_ino))
                        found += f.read().split("\n")[:-1]
            except FileNotFoundError:
                pass
        return found

    def lines(self, pattern):
        found = []
        for path in sorted(glob.glob(self.at(pattern))):
            with open(path, encoding="utf-8", errors="surrogateescape", newline="\n") as f:
                text = f.read()
            if text and not text.endswith("\n"):
                raise Failure("%s ends within a line" % path)
            found += text.split("\n")[:-1]
        return found

    def forget(self):
        """Removes what a daemon left."""
        shutil.rmtree(self.at("state"), ignore_errors=True)
        for name in ("alerts", "late", "dead", "stdout"):
            for path in glob.glob(self.at(name + ".ndjson*")):
                os.remove(path)

    def replay(self, files=(), stdin=os.devnull):
        """The right answer: alerts and late lines, each sorted. files: SOURCE=FILE, in place of the sources'."""
        with open(stdin, "rb") as given, open(self.at("replay.out"), "w", encoding="utf-8") as out, open(self.at("replay.err"), "w", encoding="utf-8") as err:
            code = subprocess.run([self.tools["tocsin"], "replay", "-c", self.at("tocsin.conf"), "--late",
                                   self.at("replay.late"), "--stats", *files], stdin=given, stdout=out, stderr=err, check=False).returncode
        if code != 0:
            raise Failure("tocsin replay ended with %d: %s" % (code, self.at("replay.err")))
        self.expected = sorted(self.lines("replay.out"))
        self.expected_late = sorted(self.lines("replay.late"))
        self.look_at_reference()

    def expect_as_found(self):
        """What the sink holds now is what is expected from here on."""
        self.expected = sorted(DETECTED.sub("", line) for line in self.lines("alerts.ndjson*"))

    def look_at_reference(self):
        """Each rule gives alerts (rare ones may not in a short input), and as many lines are late as the
        definition says."""
        told = collections.Counter(json.loads(line)["rule"] for line in self.expected)
        silent = [r for r in rule_names(self.at("rules")) if r not in told]
        if len(silent) > (0 if self.events >= WHOLE else 5):
            raise Failure("no alerts of " + ", ".join(silent))
        late = sum(self.counts["late"].values())
        if len(self.expected_late) != late:
            raise Failure("%d lines are late for tocsin replay, %d by the definition" % (len(self.expected_late), late))

    def check(self, with_ids=True, until=None):
        """Compares what the daemon's sinks hold with the replay."""
        found = [DETECTED.sub("", line) for line in self.lines("alerts.ndjson*")]
        expected = self.expected
        if until:
            found = [line for line in found if json.loads(line)["time"] < until]
            expected = [line for line in expected if json.loads(line)["time"] < until]
        if not with_ids:
            found = [ID.sub("{", line) for line in found]
            expected = [ID.sub("{", line) for line in expected]
        differ("alerts", expected, found, self.path)
        if self.narrow:
            self.check_stdout()
        late = self.lines("late.ndjson*")
        if len(late) != len(self.expected_late):
            raise Failure("%d late lines, not %d" % (len(late), len(self.expected_late)))
        dead = self.lines("dead.ndjson*")
        if len(dead) != sum(self.counts["dead"].values()):
            raise Failure("%d dead letters, not %d" % (len(dead), sum(self.counts["dead"].values())))


    def check_stdout(self):
        """Of each life a file, whose last line may be cut off: an alert is in one of them, or in several."""
        found = {DETECTED.sub("", line) for line in self.lines_so_far("stdout.ndjson*")}
        differ("stdout", sorted(set(self.expected)), sorted(found), self.path)


def rule_names(directory):
    """Rules that give alerts: all but those that only `emit into` a stream."""
    names = []
    for path in glob.glob(os.path.join(directory, "*.rule")):
        with open(path, encoding="utf-8") as f:
            for part in re.split(r"^rule ", f.read(), flags=re.M)[1:]:
                if "emit into" not in part:
                    names.append(part.split()[0])
    return names


def differ(what, expected, found, where):
    """Raises a Failure that says what was lost and doubled."""
    a, b = collections.Counter(expected), collections.Counter(found)
    lost, more = list((a - b).elements()), list((b - a).elements())
    if not lost and not more:
        return
    doubled = [line for line in more if line in a]
    with open(os.path.join(where, what + ".diff"), "w", encoding="utf-8") as f:
        for line in sorted(lost):
            f.write("-" + line + "\n")
        for line in sorted(more):
            f.write("+" + line + "\n")
    rules = collections.Counter((RULE.findall(line) or ["?"])[0] for line in lost + more)
    raise Failure("%s: %d expected; %d lost, %d more than expected (%d of them doubled); by rule: %s; %s.diff"
                  % (what, len(expected), len(lost), len(more), len(doubled),
                     ", ".join("%s %d" % r for r in rules.most_common(8)), os.path.join(where, what)))


class Daemon:
    """One life of a tocsind."""

    def __init__(self, place, failpoints="", stdin=subprocess.DEVNULL):
        env = dict(os.environ)
        # so that what comes with thousands of keys comes with a few
        env["TOCSIN_FAILPOINTS"] = failpoints if "small_directories" in failpoints else ",".join(
            filter(None, [failpoints, place.always]))
        env.setdefault("ASAN_OPTIONS", "exitcode=99")
        env.setdefault("UBSAN_OPTIONS", "print_stacktrace=1:exitcode=99")
        env.setdefault("TSAN_OPTIONS", "exitcode=99")
        self.place = place
        self.log = open(place.at("daemon.log"), "ab")
        self.log.write(("== %s\n" % failpoints).encode())
        self.log.flush()
        place.lives += 1
        with open(place.at("stdout.ndjson.%d" % place.lives), "wb") as out:
            self.process = subprocess.Popen([place.tools["tocsind"], "-c", place.at("tocsin.conf")], stdin=stdin,
                                            stdout=out, stderr=self.log, env=env)
        self.began = time.monotonic()

    def wait(self, seconds):
        """Its exit code (negative: a signal), or None: it runs."""
        try:
            return self.process.wait(max(seconds, 0.001))
        except subprocess.TimeoutExpired:
            return None

    def is_ready(self):
        """Has it said so? Before that any signal may end it."""
        with open(self.place.at("daemon.log"), encoding="utf-8") as f:
            return 'msg="ready"' in f.read().split("\n== ")[-1]

    def kill(self):
        self.process.send_signal(signal.SIGKILL)
        return self.end()

    def end(self):
        code = self.process.wait()
        if self.process.stdin:
            try:
                self.process.stdin.close()
            except BrokenPipeError:
                pass
        self.log.close()
        with open(self.place.at("daemon.log"), encoding="utf-8") as f:
            if "state was mended" in f.read():
                raise Failure("what was written was not whole: %s" % self.place.at("daemon.log"))
        return code


def failpoints_of(path):
    with open(path, encoding="utf-8") as f:
        return re.findall(r"^FAILPOINT\((\w+),", f.read(), flags=re.M)
