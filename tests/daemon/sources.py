# SPDX-License-Identifier: Apache-2.0
"""Followed files as they are in life: rotated while they are written, silent, with a line of 1 GB.

    sources.py TOCSIND TOCSIN [TEST...]

It waits for conditions, and never measures time."""
import json
import os
import shutil
import signal
import subprocess
import sys
import tempfile
import time

sys.path.append(os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))
from tocsind import Failure, Tocsind, kill_all, lines, write  # noqa: E402

TOOLS = [os.path.abspath(p) for p in sys.argv[1:3]]
GIB = 1 << 30


def append(path, text):
    write(path, text, "a")


def plain(text):
    """What makes an alert: its rule, key and time."""
    alert = json.loads(text)
    return alert["rule"], json.dumps(alert["key"]), alert["time"]


class Daemon(Tocsind):
    def __init__(self):
        super().__init__(TOOLS[0])
        self.ready()


def replayed(*files):
    done = subprocess.run([TOOLS[1], "replay", "-c", "tocsin.conf", *files], stdout=subprocess.PIPE, check=True)
    return sorted(plain(line) for line in done.stdout.decode().splitlines())


def must_give(daemon, expected):
    """Waits until the daemon has written as many alerts, and ends it: they are the expected ones."""
    daemon.until("all alerts", lambda: len(lines("alerts.ndjson")) >= len(expected))
    daemon.stop()
    if sorted(plain(line) for line in lines("alerts.ndjson")) != expected:
        raise Failure("alerts differ from those of a replay:\n%s\n%s" % (lines("alerts.ndjson"), expected))


def rotation():
    """Every line once: a rule that tells each of them, and one that needs their order."""
    os.mkdir("rules")
    write("rules/all.rule", """
rule each { match by k { a: auth where n >= 0 } }
rule pair { match by pair within 1h { a: auth where side == 1  b: auth where side == 2 } }
""")
    write("tocsin.conf", """
engine { rules "rules" state "state" checkpoint 50ms }
source auth { file "auth.ndjson" time ts idle 1h }
sink disk { file "alerts.ndjson" }
""")
    daemon = Daemon()
    whole, n = [], 0
    for turn in range(40):
        for _ in range(50):
            text = '{"ts":%d,"k":"k%d","n":%d,"pair":"p%d","side":%d}\n' % (1000 + n, n, n, n // 2, n % 2 + 1)
            append("auth.ndjson", text)
            whole.append(text)
            n += 1
        if turn % 10 == 5:
            daemon.kill()
            daemon = Daemon()
        # it has seen the file, and has not read all of it, or has
        daemon.until("a line of this file", lambda: len(lines("alerts.ndjson")) > turn * 75)
        os.rename("auth.ndjson", "auth.ndjson.%d" % turn)
    append("auth.ndjson", '{"ts":999999,"k":"last","n":-1}\n')
    write("whole.ndjson", "".join(whole))
    expected = replayed("auth=whole.ndjson")
    if len(expected) != n + n // 2:
        raise Failure("%d alerts of %d lines in a replay" % (len(expected), n))
    must_give(daemon, expected)


def copied():
    """Copied and truncated, when all of it was read: every line once."""
    os.mkdir("rules")
    write("rules/all.rule", "rule each { match by k { a: auth where n >= 0 } }\n")
    write("tocsin.conf", """
engine { rules "rules" state "state" checkpoint 50ms }
source auth { file "auth.ndjson" time ts idle 1h }
sink disk { file "alerts.ndjson" }
""")
    daemon = Daemon()
    n = 0
    for turn in range(12):
        for _ in range(60):
            append("auth.ndjson", '{"ts":%d,"k":"k%d","n":%d}\n' % (1000 + n, n, n))
            n += 1
        # time stands at the last line: its alert comes with the next one
        daemon.until("its alerts", lambda: len(lines("alerts.ndjson")) >= n - 1)
        shutil.copy("auth.ndjson", "auth.ndjson.%d" % turn)
        os.truncate("auth.ndjson", 0)
    append("auth.ndjson", '{"ts":999999,"k":"last","n":-1}\n')
    daemon.until("all alerts", lambda: len(lines("alerts.ndjson")) >= n)
    daemon.stop()
    keys = sorted(plain(line)[1] for line in lines("alerts.ndjson"))
    if len(keys) != n or len(set(keys)) != n:
        raise Failure("%d alerts, %d different ones, of %d lines" % (len(keys), len(set(keys)), n))


def rest():
    """Who is quiet holds nobody up; groups of unrelated rules are apart."""
    os.mkdir("rules")
    write("rules/all.rule", """
rule both { match by k within 1h { a: auth where n == 1  b: net where n == 2 } }
rule silent { match by k { a: auth where n == 3  not b: net where n == 4 within 2s } }
rule apart { match by k { a: held where n == 5  not b: held where n == 6 within 2s } }
rule alone { match by k { a: held where n == 7 } }
""")
    write("tocsin.conf", """
engine { rules "rules" state "state" checkpoint 50ms }
source auth { file "auth.ndjson" time ts idle 300ms }
source net  { file "d/net.ndjson" time ts idle 300ms }
source held { file "held.ndjson" time ts idle 300ms quiet hold }
sink disk { file "alerts.ndjson" }
""")

    def told(rule, key):
        return any(plain(line)[:2] == (rule, '{"k": "%s"}' % key) for line in lines("alerts.ndjson"))

    os.mkdir("d")
    write("d/net.ndjson", '{"ts":1000,"k":"a","n":0}\n')
    write("auth.ndjson", '{"ts":1000,"k":"a","n":1}\n')
    write("held.ndjson", '{"ts":1000,"k":"h","n":5}\n')
    daemon = Daemon()
    append("d/net.ndjson", '{"ts":1001,"k":"a","n":2}\n')  # auth has nothing more to say
    daemon.until("the pair of a", lambda: told("both", "a"))
    append("auth.ndjson", '{"ts":2000,"k":"s","n":3}\n')
    daemon.until("an absence, by quiet time", lambda: told("silent", "s"))
    if told("apart", "h"):
        raise Failure("time went on in a source with `quiet hold`")
    append("held.ndjson", '{"ts":2000,"k":"x","n":7}\n')  # its own group: nobody holds it up
    daemon.until("an absence, by the next event", lambda: told("apart", "h"))
    daemon.stop()


def giant():
    """A line of 1 GB is one dead letter, and little memory."""
    os.mkdir("rules")
    write("rules/all.rule", "rule each { match by k { a: auth where n >= 0 } }\n")
    write("tocsin.conf", """
engine { rules "rules" state "state" }
source auth { file "auth.ndjson" follow false time ts dead_letter dead }
sink disk { file "alerts.ndjson" }
sink dead { file "dead.ndjson" }
default_to disk
""")
    write("auth.ndjson", '{"ts":1000,"k":"before","n":1}\n{"ts":1001,"k":"')
    os.truncate("auth.ndjson", os.path.getsize("auth.ndjson") + GIB)  # NUL bytes, without blocks of the disk
    append("auth.ndjson", '","n":1}\n{"ts":1002,"k":"after","n":1}\n')
    with open("log", "ab") as log:
        process = subprocess.Popen([TOOLS[0], "-c", "tocsin.conf"], stdin=subprocess.DEVNULL, stdout=log, stderr=log)
        _, status, usage = os.wait4(process.pid, 0)
    with open("log", encoding="utf-8") as f:
        said = f.read()
    if status != 0:
        raise Failure("it ended with status %d: %s" % (status, said[-3000:]))
    if [plain(line)[1] for line in lines("alerts.ndjson")] != ['{"k": "before"}', '{"k": "after"}']:
        raise Failure("alerts: %s" % lines("alerts.ndjson"))
    dead = [json.loads(line) for line in lines("dead.ndjson")]
    if len(dead) != 1 or "max_line" not in dead[0]["reason"]:
        raise Failure("dead letters: %s" % str(dead)[:1000])
    if usage.ru_maxrss * 1024 > 300 << 20:
        raise Failure("%d MiB of memory" % (usage.ru_maxrss >> 10))


def stalled():
    """One of two files cannot be read for a while: time stands, over a kill, and then all is as in a replay."""
    os.mkdir("rules")
    os.mkdir("logs")
    write("rules/all.rule", """
rule silent { match by k { a: auth where n == 3  not b: auth where n == 4 within 5s } }
rule each { match by k { a: auth where n == 1 } }
""")
    write("tocsin.conf", """
engine { rules "rules" state "state" checkpoint 50ms }
source auth { file "logs/*.ndjson" time ts idle 200ms quiet hold }
sink disk { file "alerts.ndjson" }
""")
    path, away = "logs/b.ndjson", "b.away"

    def event(to, ts, k, n):
        append(to, '{"ts":%d,"k":"%s","n":%d}\n' % (ts, k, n))

    def told(rule, key):
        return any(plain(line)[:2] == (rule, '{"k": "%s"}' % key) for line in lines("alerts.ndjson"))

    def stalls():
        return [line for line in daemon.said().splitlines() if 'msg="stalled: ' in line]

    def stands(turn):
        time.sleep(1)  # several times `idle`; what must not come has no condition to wait for
        if told("each", "ahead%d" % turn) or told("silent", "silent%d" % turn) or told("silent", "answered%d" % turn):
            raise Failure("time went on while a file could not be read: %s" % lines("alerts.ndjson"))

    lives = 0
    write(path, "")
    write("logs/a.ndjson", "")
    daemon = Daemon()
    for turn, make_bad in enumerate([lambda: os.symlink("b.ndjson", path), lambda: os.mkdir(path)]):
        base = 1000 * (turn + 1)
        event(path, base, "silent%d" % turn, 3)
        event(path, base + 1, "b%d" % turn, 1)
        daemon.until("what came before", lambda: told("each", "b%d" % turn))
        event("logs/a.ndjson", base + 1, "answered%d" % turn, 3)
        event("logs/a.ndjson", base + 2, "a%d" % turn, 1)
        daemon.until("what came before", lambda: told("each", "a%d" % turn))
        os.rename(path, away)
        make_bad()
        seen = len(stalls())
        daemon.until("stalled", lambda: len(stalls()) > seen)
        event(away, base + 3, "answered%d" % turn, 4)
        event("logs/a.ndjson", base + 10, "ahead%d" % turn, 1)
        stands(turn)
        for _ in range(2):
            daemon.kill()
            seen = len(stalls())
            lives += 1
            daemon = Daemon()
            daemon.until("stalled after a kill", lambda: len(stalls()) > seen)
        stands(turn)
        seen = len(stalls())
        lives += 1
        write("rules/extra.rule", "rule extra%d { match by k { a: auth where n == 77 } }\n" % turn)
        daemon.process.send_signal(signal.SIGHUP)
        daemon.until("stalled after other rules", lambda: len(stalls()) > seen)
        stands(turn)
        if os.path.islink(path):
            os.unlink(path)
        else:
            os.rmdir(path)
        os.rename(away, path)
        daemon.until("the absence, when it can be read again", lambda: told("silent", "silent%d" % turn))
        daemon.until("what waited", lambda: told("each", "ahead%d" % turn))
        if len(stalls()) != lives + turn + 1:
            raise Failure("stalled is told %d times, not %d:\n%s" % (len(stalls()), lives + turn + 1, daemon.said()))
        if not all('partition="b.ndjson"' in line and "why=" in line for line in stalls()):
            raise Failure("which file, and why? %s" % stalls())
    for name in ["logs/a.ndjson", path]:
        event(name, 999999, "end", 0)
    must_give(daemon, replayed())


def main():
    failed = 0
    tests = [rotation, copied, rest, stalled, giant]
    for test in [t for t in tests if not sys.argv[3:] or t.__name__ in sys.argv[3:]]:
        place = tempfile.mkdtemp(prefix="tocsin-sources-")
        os.chdir(place)
        try:
            test()
            print("%s: ok" % test.__name__)
        except Failure as failure:
            failed += 1
            print("%s: FAILED: %s" % (test.__name__, failure))
        kill_all()
        os.chdir("/")
        shutil.rmtree(place, ignore_errors=True)
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
