#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Benchmark of webhooks of the daemon: how fast a queue is delivered, from event to receiver, memory of a long queue.

    webhook.py --tocsind FILE --bench-web FILE [--work DIR] [--alerts N] [--queued N] [--seconds N] [SECTION...]

Sections: rate, latency, queue. The receiver is bench_web --receive, on the same machine. Prints figures and judges
nothing.
"""
import argparse
import json
import os
import re
import shutil
import signal
import socket
import subprocess
import sys
import time

START = 1767225600000  # ms
EACH = "rule each { match { a: e where sent > 0 }  emit { sent = a.sent } }\n"


class Receiver:
    def __init__(self, args, port=0):
        self.process = subprocess.Popen([args.bench_web, "--receive", str(port)], stdin=subprocess.PIPE,
                                        stdout=subprocess.PIPE)
        self.port = int(self.process.stdout.readline())

    def stats(self):
        self.process.stdin.write(b"\n")
        self.process.stdin.flush()
        return json.loads(self.process.stdout.readline())

    def wait(self, n, seconds=900):
        """Until n more requests have come; the figures of all of them."""
        total, end = dict(requests=0, connections=0), time.monotonic() + seconds
        while total["requests"] < n and time.monotonic() < end:
            time.sleep(0.01)
            got = self.stats()
            total = dict(got, requests=total["requests"] + got["requests"],
                         connections=total["connections"] + got["connections"])
        if total["requests"] < n:
            sys.exit("only %d of %d requests have come" % (total["requests"], n))
        return total

    def end(self):
        self.process.stdin.close()
        self.process.wait()


class Place:
    def __init__(self, args, name, sinks, source):
        self.args, self.dir = args, os.path.join(args.work, name)
        shutil.rmtree(self.dir, ignore_errors=True)
        os.makedirs(self.path("rules"))
        with open(self.path("rules/each.rule"), "w", encoding="utf-8") as f:
            f.write(EACH)
        with open(self.path("tocsin.conf"), "w", encoding="utf-8") as f:
            f.write('engine { rules "rules" state "state" dead_letter_count 10 }\n')
            f.write('source e { file "e.ndjson" time ts future 3650d %s }\n' % source)
            for i, sink in enumerate(sinks):
                f.write("sink s%d { %s }\n" % (i, sink))
            f.write("default_to [%s]\n" % ", ".join("s%d" % i for i in range(len(sinks))))
        open(self.path("e.ndjson"), "w", encoding="utf-8").close()
        self.process = None

    def path(self, name):
        return os.path.join(self.dir, name)

    def events(self, n):
        with open(self.path("e.ndjson"), "a", encoding="utf-8") as f:
            for base in range(0, n, 10000):
                f.write("".join('{"ts":%d,"sent":%d,"user":"user-%d","message":"%s"}\n' % (START + i, i + 1, i, "m" * 150)
                                for i in range(base, min(base + 10000, n))))

    def start(self):
        with open(self.path("log"), "w", encoding="utf-8") as log:
            self.process = subprocess.Popen([self.args.tocsind, "-c", "tocsin.conf"], cwd=self.dir, stdout=log, stderr=log)
        while not self.logged('msg="ready"'):
            if self.process.poll() is not None:
                sys.exit("tocsind has ended: see %s" % self.path("log"))
            time.sleep(0.005)

    def logged(self, pattern):
        with open(self.path("log"), encoding="utf-8") as f:
            return re.findall(pattern, f.read())

    def stop(self):
        self.process.send_signal(signal.SIGTERM)
        _, status, usage = os.wait4(self.process.pid, 0)
        if os.waitstatus_to_exitcode(status) != 0:
            sys.exit("tocsind failed: see %s" % self.path("log"))
        return usage.ru_utime + usage.ru_stime

    def cpu(self):
        with open("/proc/%d/stat" % self.process.pid, encoding="ascii") as f:
            words = f.read().rsplit(")", 1)[1].split()
        return (int(words[11]) + int(words[12])) / os.sysconf("SC_CLK_TCK")

    def memory(self):
        with open("/proc/%d/status" % self.process.pid, encoding="ascii") as f:
            return int(re.search(r"VmRSS:\s+(\d+)", f.read()).group(1)) * 1024

    def wait_queued(self, n):
        """Until so many messages wait, by its log of figures (SIGUSR1)."""
        while True:
            self.process.send_signal(signal.SIGUSR1)
            time.sleep(0.2)
            waiting = dict(self.logged(r'msg="figures" sink="(\w+)" waiting=(\d+)'))
            if waiting and all(int(x) >= n for x in waiting.values()):
                return


def free_port():
    """One where nobody listens; it stays ours to take."""
    with socket.socket() as s:
        s.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        s.bind(("127.0.0.1", 0))
        return s.getsockname()[1]


def sink(port, more=""):
    return ('webhook "http://127.0.0.1:%d/hook" allow "127.0.0.1" secret "a secret of the benchmark" '
            "queue_count 2000000 queue_bytes 8GiB retry_least 50ms retry_most 100ms %s" % (port, more))


def rate(args):
    """The queue is filled while nobody listens; then the receiver comes."""
    print("A queue of %d alerts is delivered, signed, each in a request (the last row: 50 in one):" % args.alerts)
    for endpoints, more in ((1, ""), (1, "in_flight 64"), (8, ""), (1, "batch_count 50")):
        port = free_port()
        n = args.alerts // endpoints
        place = Place(args, "rate", [sink(port, more)] * endpoints, "follow true idle 1h")
        place.events(n)
        place.start()
        place.wait_queued(n * 0.99)
        cpu, receiver = place.cpu(), Receiver(args, port)
        begin = time.monotonic()
        want = n * endpoints if "batch" not in more else n // 50 - 1
        got = receiver.wait(want)
        took, cpu = time.monotonic() - begin, place.cpu() - cpu
        place.stop()
        receiver.end()
        print("  %d endpoint%s %-14s %8.0f alerts/s, %5.1f us of CPU each; %d connections"
              % (endpoints, " " if endpoints == 1 else "s", more, args.alerts / took, cpu / args.alerts * 1e6,
                 got["connections"]), flush=True)


def latency(args):
    for alerts in (100, 1000):
        receiver = Receiver(args)
        place = Place(args, "latency", [sink(receiver.port)], "follow true idle 1h quiet hold")
        place.start()
        n, begin = alerts * args.seconds, time.monotonic()
        with open(place.path("e.ndjson"), "ab", buffering=0) as f:
            for i in range(n):
                time.sleep(max(0.0, begin + i / alerts - time.monotonic()))
                if i == n // 10:
                    receiver.stats()  # what came before is warming up
                f.write(b'{"ts":%d,"sent":%d}\n' % (START + i, time.monotonic_ns()))
        time.sleep(1)
        got = receiver.stats()
        cpu = place.stop()
        receiver.end()
        print("%d alerts/s, line in to webhook received, durable: p50 %.1f ms, p99 %.1f ms, most %.1f ms (%d of them; "
              "cpu %.0f %%)" % (alerts, got["p50"] / 1e6, got["p99"] / 1e6, got["most"] / 1e6, got["requests"],
                                100 * cpu / (args.seconds + 1)), flush=True)


def queue(args):
    """Nobody listens."""
    place = Place(args, "queue", [sink(free_port())], "follow true idle 1h")
    place.start()
    empty = place.memory()
    place.events(args.queued)
    place.wait_queued(args.queued * 0.99)
    full = place.memory()
    place.process.kill()
    place.process.wait()
    begin = time.monotonic()
    place.start()
    back = time.monotonic() - begin
    restored = place.memory()
    place.process.kill()
    place.process.wait()
    print("%d queued alerts: %.0f MB of memory (%.0f MB without), %.0f MB after kill -9 and %.2f s to be ready"
          % (args.queued, full / 1e6, empty / 1e6, restored / 1e6, back), flush=True)


SECTIONS = {"rate": rate, "latency": latency, "queue": queue}


def main():
    p = argparse.ArgumentParser()
    p.add_argument("--tocsind", required=True)
    p.add_argument("--bench-web", required=True)
    p.add_argument("--work", default="webhook-bench")
    p.add_argument("--alerts", type=int, default=100000)
    p.add_argument("--queued", type=int, default=1000000)
    p.add_argument("--seconds", type=int, default=10)
    p.add_argument("section", nargs="*")
    args = p.parse_args()
    args.tocsind, args.bench_web = os.path.abspath(args.tocsind), os.path.abspath(args.bench_web)
    args.work = os.path.abspath(args.work)
    for section in args.section or SECTIONS:
        SECTIONS[section](args)
    shutil.rmtree(args.work, ignore_errors=True)


if __name__ == "__main__":
    main()
