#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Benchmark of the daemon: what checkpoints cost, restarts after kill -9, memory and disk per key, latency.

    daemon.py --tocsind FILE --tocsin FILE [--work DIR] [--events N] [--keys N]... [--rounds N] [SECTION...]

Sections: cost, restart, latency, rules. Prints figures and judges nothing. Times called cpu are CPU times of
all threads of the process; the best of the rounds counts.
"""
import argparse
import os
import re
import resource
import shutil
import signal
import subprocess
import sys
import threading
import time

START = 1767225600000  # ms

WINDOW = """rule usage {
  window tumbling 30d by user { c: e having sum(c.bytes) > 1000000000000000 }
  emit { total = sum(c.bytes) }
  keep 1
}
"""
PAIR = """rule pair {
  match by user within 30d { a: e where n == 1  b: e where n == 2 }
  emit { user = user }
  limit state 64GiB
}
"""  # without that limit a rule refuses keys beyond 1 GiB

EACH = "rule each { match { a: e where sent > 0 }  emit { sent = a.sent } }\n"


class Place:
    """A directory with rules and a configuration, and the daemon in it."""

    def __init__(self, args, name, rules, engine="", source="follow false"):
        self.args = args
        self.dir = os.path.join(args.work, name)
        shutil.rmtree(self.dir, ignore_errors=True)
        os.makedirs(os.path.join(self.dir, "rules"))
        with open(self.path("rules/r.rule"), "w", encoding="utf-8") as f:
            f.write(rules)
        self.configure(engine, source)

    def path(self, name):
        return os.path.join(self.dir, name)

    def configure(self, engine, source, file="e.ndjson"):
        with open(self.path("tocsin.conf"), "w", encoding="utf-8") as f:
            f.write('engine { rules "rules" state "state" %s }\n' % engine)
            f.write('source e { file "%s" time ts future 3650d %s }\n' % (file, source))
            f.write('sink disk { file "alerts.ndjson" }\n')

    def clear(self):
        shutil.rmtree(self.path("state"), ignore_errors=True)
        for name in ("alerts.ndjson", "log"):
            if os.path.exists(self.path(name)):
                os.remove(self.path(name))

    def start(self):
        with open(self.path("log"), "a", encoding="utf-8") as log:
            return subprocess.Popen([self.args.tocsind, "-c", "tocsin.conf"], cwd=self.dir, stdout=log, stderr=log)

    def logged(self, pattern):
        with open(self.path("log"), encoding="utf-8") as f:
            return re.findall(pattern, f.read())


def finish(process):
    """(wall, CPU) seconds from now until it ends, of its whole life."""
    begin = time.monotonic()
    _, status, usage = os.wait4(process.pid, 0)
    process.returncode = os.waitstatus_to_exitcode(status)
    return time.monotonic() - begin, usage.ru_utime + usage.ru_stime


def write_events(path, n, keys, rules=1):
    """Uniform over the keys, by a linear congruential generator; four events a millisecond."""
    x = 1
    with open(path, "w", encoding="utf-8") as f:
        for base in range(0, n, 10000):
            lines = []
            for i in range(base, min(base + 10000, n)):
                x = (x * 6364136223846793005 + 1442695040888963407) & 0xFFFFFFFFFFFFFFFF
                k = (x >> 33) % keys
                lines.append('{"ts":%d,"type":"t%d","user":"user-%07d","host":"host-%03d","src":"10.1.%d.%d",'
                             '"bytes":%d,"n":%d,"message":"a session of the user was changed by the daemon"}\n'
                             % (START + i // 4, k % rules, k, k % 500, k & 255, i & 255, x >> 50, i))
            f.write("".join(lines))


def best(runs):
    return tuple(min(column) for column in zip(*runs))


def wait_read(place, process):
    """Until as much was read as there is input. (What is in queues then is little: queue_limit.)"""
    size = os.path.getsize(place.path("e.ndjson"))
    while True:
        with open("/proc/%d/io" % process.pid, encoding="utf-8") as f:
            if int(f.readline().split()[1]) >= size:
                return
        time.sleep(0.002)


def run_daemon(place, rounds):
    """Best (wall, CPU) until the input is read: then it is killed, as its end would cost something, too. The
    longest pause is that of one more run, which is stopped."""
    runs = []
    for i in range(rounds + 1):
        place.clear()
        begin, process = time.monotonic(), place.start()
        wait_read(place, process)
        took = time.monotonic() - begin
        process.send_signal(signal.SIGKILL if i < rounds else signal.SIGTERM)
        runs.append((took, finish(process)[1]))
    return best(runs[:-1]) + (max(1e3 * float(s) for s in place.logged(r"longest_pause_cpu_seconds=([0-9.]+)")),)


def run_replay(place, rounds):
    runs = []
    for _ in range(rounds):
        with open(os.devnull, "wb") as null:
            runs.append(finish(subprocess.Popen([place.args.tocsin, "replay", "-c", "tocsin.conf"], cwd=place.dir,
                                                stdout=null, stderr=null)))
    return best(runs)


def cost(args):
    """Events are uniform over the keys: at full speed each key changes in each second, if speed suffices."""
    n = args.events
    print("Checkpoints of 1 s against none: %d events at full speed; per event" % n)
    print("  %-10s %14s %14s %14s %9s %9s  %s" % ("keys", "replay", "none", "1s", "1s/none", "wall", "longest pause (cpu)"))
    for keys in (10000, 100000, 1000000):
        place = Place(args, "cost", WINDOW)
        write_events(place.path("e.ndjson"), n, keys)
        replay = run_replay(place, args.rounds)
        place.configure("queue_limit 1MiB checkpoint 1h checkpoint_bytes 64GiB", "idle 1h")
        none = run_daemon(place, args.rounds)
        place.configure("queue_limit 1MiB checkpoint 1s", "idle 1h")
        with_it = run_daemon(place, args.rounds)
        print("  %-10d %11.0f ns %11.0f ns %11.0f ns %8.2fx %8.2fx  %.1f ms"
              % (keys, replay[1] / n * 1e9, none[1] / n * 1e9, with_it[1] / n * 1e9, with_it[1] / none[1],
                 with_it[0] / none[0], with_it[2]), flush=True)


def many_rules(args):
    n, rules = args.events // 2, 2000
    text = "".join('rule r%d { match by user within 1h { a: e where type == "t%d" and n < 0  '
                   'b: e where type == "t%d" } }\n' % (i, i, i) for i in range(rules))
    place = Place(args, "rules", text, "queue_limit 1MiB checkpoint 1s", "idle 1h")
    write_events(place.path("e.ndjson"), n, 100000, rules)
    replay = run_replay(place, args.rounds)
    daemon = run_daemon(place, args.rounds)
    print("%d rules: replay %.0f ns of CPU an event, daemon %.0f ns (%.2fx), longest pause %.1f ms"
          % (rules, replay[1] / n * 1e9, daemon[1] / n * 1e9, daemon[1] / replay[1], daemon[2]), flush=True)


def append(path, *events):
    with open(path, "a", encoding="utf-8") as f:
        for ts, user, n in events:
            f.write('{"ts":%d,"user":"%s","n":%d}\n' % (ts, user, n))


def wait_for(what, place, process, text, seconds=900):
    """Until the sink's file has the text."""
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        if process.poll() is not None:
            break
        try:
            with open(place.path("alerts.ndjson"), encoding="utf-8") as f:
                if text in f.read():
                    return
        except FileNotFoundError:
            pass
        time.sleep(0.002)
    sys.exit("never: " + what)


def memory_of(process):
    with open("/proc/%d/status" % process.pid, encoding="utf-8") as f:
        return int(re.search(r"VmRSS:\s+(\d+)", f.read()).group(1)) * 1024


def disk_of(path):
    return sum(os.stat(os.path.join(d, f)).st_blocks * 512 for d, _, files in os.walk(path) for f in files)


def restart(args):
    for keys in args.keys:
        place = Place(args, "restart", PAIR, "memory_limit 1GiB", "idle 1h quiet hold")
        with open(place.path("e.ndjson"), "w", encoding="utf-8") as f:
            for base in range(0, keys, 10000):
                f.write("".join('{"ts":%d,"user":"user-%08d","n":1}\n' % (START + i // 100, i)
                                for i in range(base, min(base + 10000, keys))))
        t = START + keys
        append(place.path("e.ndjson"), (t, "x", 1), (t + 1, "x", 2), (t + 2, "y", 0))
        begin = time.monotonic()
        process = place.start()
        wait_for("all keys", place, process, '"x"')
        took, full = time.monotonic() - begin, memory_of(process)
        process.kill()
        process.wait()
        append(place.path("e.ndjson"), (t + 3, "z", 1), (t + 4, "z", 2), (t + 5, "y", 0))
        begin = time.monotonic()
        process = place.start()
        wait_for("an alert after the kill", place, process, '"z"')
        back, restored = time.monotonic() - begin, memory_of(process)
        process.send_signal(signal.SIGTERM)
        cpu = finish(process)[1]
        disk = disk_of(place.path("state"))
        print("%d keys waiting (made in %.1f s): kill -9 to the next alert %.2f s (cpu until the stop %.2f s); "
              "a key takes %.0f B of memory, %.0f B when only its place is known, %.0f B of disk"
              % (keys, took, back, cpu, full / keys, restored / keys, disk / keys), flush=True)


class Tail(threading.Thread):
    """Follows the sink's file; delays in ms."""

    def __init__(self, path):
        super().__init__(daemon=True)
        self.path, self.delays, self.over = path, [], False

    def run(self):
        while not os.path.exists(self.path) and not self.over:
            time.sleep(0.001)
        rest = b""
        with open(self.path, "rb") as f:
            while not self.over:
                data = f.read()
                now = time.monotonic_ns()
                if not data:
                    time.sleep(0.0005)
                    continue
                lines = (rest + data).split(b"\n")
                rest = lines.pop()
                for line in lines:
                    self.delays.append((now - int(re.search(rb'"sent":(\d+)', line).group(1))) / 1e6)


def latency(args):
    for rate in (100, 1000):
        place = Place(args, "latency", EACH, "", "idle 1h quiet hold")
        open(place.path("e.ndjson"), "w", encoding="utf-8").close()
        process = place.start()
        while not place.logged('msg="ready"'):
            time.sleep(0.01)
        tail = Tail(place.path("alerts.ndjson"))
        tail.start()
        n, begin = rate * args.seconds, time.monotonic()
        with open(place.path("e.ndjson"), "ab", buffering=0) as f:
            for i in range(n):
                time.sleep(max(0.0, begin + i / rate - time.monotonic()))
                f.write(b'{"ts":%d,"sent":%d}\n' % (START + i, time.monotonic_ns()))
        time.sleep(1)
        tail.over = True
        tail.join()
        process.send_signal(signal.SIGTERM)
        cpu = finish(process)[1]
        delays = sorted(tail.delays[len(tail.delays) // 10:])
        print("%d alerts/s, line in to line out: p50 %.1f ms, p99 %.1f ms, most %.1f ms (%d of them; cpu %.0f %%)"
              % (rate, delays[len(delays) // 2], delays[len(delays) * 99 // 100], delays[-1], len(delays),
                 100 * cpu / (args.seconds + 1)), flush=True)


SECTIONS = {"cost": cost, "rules": many_rules, "restart": restart, "latency": latency}


def main():
    p = argparse.ArgumentParser()
    p.add_argument("--tocsind", required=True)
    p.add_argument("--tocsin", required=True)
    p.add_argument("--work", default="daemon-bench")
    p.add_argument("--events", type=int, default=1000000)
    p.add_argument("--keys", type=int, nargs="*", default=[1000000])
    p.add_argument("--rounds", type=int, default=3)
    p.add_argument("--seconds", type=int, default=10)
    p.add_argument("section", nargs="*")
    args = p.parse_args()
    args.tocsind, args.tocsin = os.path.abspath(args.tocsind), os.path.abspath(args.tocsin)
    args.work = os.path.abspath(args.work)
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    for section in args.section or SECTIONS:
        SECTIONS[section](args)
    shutil.rmtree(args.work, ignore_errors=True)


if __name__ == "__main__":
    main()
