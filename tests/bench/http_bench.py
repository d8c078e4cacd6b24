#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Benchmark of the daemon's HTTP interface.

    http_bench.py --tocsind FILE --tocsin FILE [--work DIR] [--seconds N] [--rules N] [SECTION...]

Sections: gets (with wrk, a Debian package), ingest, reload, metrics, waits. Prints figures, wall times of this
machine, and judges nothing.
"""
import argparse
import http.client
import json
import os
import re
import shutil
import signal
import subprocess
import sys
import threading
import time


class Place:
    def __init__(self, args, name, rules="", source="", http=""):
        self.args, self.dir = args, os.path.join(args.work, name)
        shutil.rmtree(self.dir, ignore_errors=True)
        os.makedirs(self.path("rules"))
        self.write("rules/base.rule", rules)
        self.write("tocsin.conf", 'engine { rules "rules" state "state" }\n'
                   'source ev { file "ev.ndjson" time ts lateness 0s idle 1h }\n'
                   'source web { http {} time ts lateness 0s idle 1h }\n' + source +
                   'sink disk { file "alerts.ndjson" }\n'
                   'http { listen "127.0.0.1:0" %s }\n' % http)
        self.write("ev.ndjson", "")
        with open(self.path("log"), "w", encoding="utf-8") as log:
            self.process = subprocess.Popen([args.tocsind, "-c", "tocsin.conf"], cwd=self.dir, stdout=log, stderr=log)
        end = time.monotonic() + 60
        while not ('msg="ready"' in self.log()):
            if time.monotonic() > end or self.process.poll() is not None:
                sys.exit("the daemon is not ready: " + self.log())
            time.sleep(0.01)
        self.port = int(re.search(r"address=127.0.0.1:(\d+)", self.log())[1])

    def path(self, name):
        return os.path.join(self.dir, name)

    def log(self):
        with open(self.path("log"), encoding="utf-8") as f:
            return f.read()

    def write(self, name, text, mode="w"):
        with open(self.path(name), mode, encoding="utf-8") as f:
            f.write(text)

    def connect(self):
        return http.client.HTTPConnection("127.0.0.1", self.port, timeout=300)

    def ask(self, method, path, body=None, want=200, connection=None, **headers):
        c = connection or self.connect()
        if isinstance(body, dict):
            body, headers["Content-Type"] = json.dumps(body), "application/json"
        c.request(method, path, body, {"Content-Type": "text/plain", **headers})
        answer = c.getresponse()
        data = answer.read()
        if answer.status != want:
            sys.exit("%s %s: %d %s" % (method, path, answer.status, data[:500]))
        if not connection:
            c.close()
        return data

    def end(self):
        self.process.send_signal(signal.SIGTERM)
        self.process.wait()
        shutil.rmtree(self.dir, ignore_errors=True)


def rule(n, least=1):
    return ("rule r%d { match by user within 10m { a: ev where kind == \"k%d\" and n > %d  b: ev where kind == \"l%d\" } "
            "emit { n = b.n } title \"rule %d\" }\n" % (n, n % 50, least, n % 50, n))


def module_set(n, least=1):
    return {"modules": {"m%d" % i: rule(i, least) for i in range(n)}}


def ratio(name, value):
    print("RATIO %s | %s" % (name, value))


# ---- sections ---------------------------------------------------------------------------------------

def gets(args):
    wrk = shutil.which("wrk")
    if not wrk:
        print("    not measured: wrk (Debian package wrk) is not here")
        return
    place = Place(args, "gets", rules="".join(rule(i) for i in range(10)))
    rates = {}
    for path in ("/healthz", "/v1/rules"):
        for n in (1, 128, 512, 1000):
            run = subprocess.run([wrk, "-t", "1" if n == 1 else "2", "-c", str(n), "-d", "%ds" % args.seconds, "--latency",
                                  "http://127.0.0.1:%d%s" % (place.port, path)], capture_output=True, text=True)
            found = re.search(r"Requests/sec:\s*([\d.]+)", run.stdout)
            if not found:
                sys.exit("wrk: " + run.stdout + run.stderr)
            rates[path, n] = float(found[1])
            slow = re.search(r"99%\s+(\S+)", run.stdout)[1]
            errors = re.search(r"(Socket errors.*|Non-2xx.*)", run.stdout)
            print("    GET %-10s %5d connections: %8.0f/s, 99%% within %s%s" %
                  (path, n, rates[path, n], slow, "  " + errors[1] if errors else ""))
    place.end()
    ratio("GETs of /healthz a second: 1,000 connections against 128", "%.2fx" % (rates["/healthz", 1000] / rates["/healthz", 128]))
    ratio("GETs a second at 128 connections: /v1/rules (main answers) against /healthz",
          "%.2fx" % (rates["/v1/rules", 128] / rates["/healthz", 128]))


def ingest(args):
    count = 5000
    body = "".join(json.dumps({"ts": 1000 + n, "host": "h%d" % (n % 50), "user": "somebody", "action": "login",
                               "message": "m" * 120, "n": n}) + "\n" for n in range(count)).encode()
    rates = {}
    for clients in (1, 8):
        place = Place(args, "ingest", rules="rule none { match by id { a: web where n == -1 } }\n")
        done, stop = [0] * clients, time.monotonic() + args.seconds * 2

        def client(i):
            c = place.connect()
            while time.monotonic() < stop:
                place.ask("POST", "/v1/events/web", body, connection=c, **{"Content-Type": "application/x-ndjson"})
                done[i] += 1
        threads = [threading.Thread(target=client, args=(i,)) for i in range(clients)]
        begin = time.monotonic()
        for t in threads:
            t.start()
        for t in threads:
            t.join()
        took = time.monotonic() - begin
        rates[clients] = sum(done) * len(body) / took / 1e6
        print("    %d client%s: %7.1f MB/s, %8.0f events/s, posts of %d KB, durable" %
              (clients, "s" if clients > 1 else " ", rates[clients], sum(done) * count / took, len(body) // 1000))
        place.end()
    ratio("Events posted, durable: 8 clients against 1", "%.2fx" % (rates[8] / rates[1]))


def reload_rules(args):
    n = args.rules
    place = Place(args, "reload")
    times = {}

    def timed(what, *question):
        begin = time.monotonic()
        place.ask(*question)
        times[what] = time.monotonic() - begin
        print("    %-58s %8.1f ms" % (what, times[what] * 1000))
    timed("%d new rules, a module each" % n, "PUT", "/v1/modules", module_set(n))
    timed("a threshold of each", "PUT", "/v1/modules", module_set(n, 2))
    timed("a threshold of one", "PUT", "/v1/modules/m0", rule(0, 3))
    timed("a comment in one", "PUT", "/v1/modules/m0", "# more\n" + rule(0, 3))
    timed("one new rule", "PUT", "/v1/modules/new", rule(n))
    timed("one with a mistake", "PUT", "/v1/modules/new", "rule {", 422)
    timed("a dry run", "PUT", "/v1/modules/new?dry_run=1", rule(n, 4))
    # others, while checks take all the time of their thread
    stop = threading.Event()

    def checks():
        c = place.connect()
        while not stop.is_set():
            place.ask("POST", "/v1/rules:check", module_set(n, 5), connection=c)
    thread = threading.Thread(target=checks)
    thread.start()
    took = []
    c = place.connect()
    while len(took) < 50:
        begin = time.monotonic()
        place.ask("GET", "/v1/rules/r1", connection=c)
        took.append((time.monotonic() - begin) * 1000)
        time.sleep(0.02)
    stop.set()
    thread.join()
    took.sort()
    print("    GET of a rule while all are checked: half within %.1f ms, the slowest %.1f ms" % (took[25], took[-1]))
    swap = [float(ms) for ms in re.findall(r'msg="swapped" ms=([\d.]+)', place.log())]
    place.end()
    ratio("%d rules: a new threshold of one against a comment in one" % n, "%.1fx" %
          (times["a threshold of one"] / times["a comment in one"]))
    print("    the swaps of these, in ms: %s" % ", ".join("%.0f" % ms for ms in swap))


def metrics(args):
    times = {}
    for n in (10, args.rules):
        place = Place(args, "metrics", rules="".join(rule(i) for i in range(n)))
        c = place.connect()
        took = []
        for _ in range(15):
            begin = time.monotonic()
            size = len(place.ask("GET", "/metrics", connection=c))
            took.append((time.monotonic() - begin) * 1000)
        times[n] = sorted(took)[7]
        print("    %5d rules: %6.1f ms, %d KB" % (n, times[n], size // 1000))
        place.end()
    ratio("/metrics: %d rules against 10" % args.rules, "%.1fx" % (times[args.rules] / times[10]))


def waits(args):
    """How long an event waits for its alert, at lateness 0, while rules change all the time and while none do."""
    worst = {}
    for changing in (False, True):
        place = Place(args, "waits", rules="rule each { match by id { a: ev where n > 0 } emit { at = a.sent } }\n" +
                      "".join(rule(i) for i in range(args.rules)))
        stop, changes = threading.Event(), [0]

        def change():
            while not stop.is_set():
                place.ask("PUT", "/v1/modules/m", rule(args.rules, changes[0] % 7))
                changes[0] += 1
        thread = threading.Thread(target=change)
        if changing:
            thread.start()
        end, n = time.monotonic() + args.seconds * 2, 0
        while time.monotonic() < end:
            n += 1
            place.write("ev.ndjson", json.dumps({"ts": 1000 + n, "id": "i%d" % n, "n": n, "sent": time.time()}) + "\n", "a")
            time.sleep(0.005)
        stop.set()
        if changing:
            thread.join()
        time.sleep(1)
        import datetime
        took = []
        with open(place.path("alerts.ndjson"), encoding="utf-8") as f:
            for line in f:
                alert = json.loads(line)
                at = datetime.datetime.fromisoformat(alert["detected_at"].replace("Z", "+00:00")).timestamp()
                took.append((at - alert["fields"]["at"]) * 1000)
        took.sort()
        swaps = sorted(float(ms) for ms in re.findall(r'msg="swapped" ms=([\d.]+)', place.log()))
        if swaps:
            print("    events stood still for %.1f ms, half of the times, and %.1f ms at most" % (swaps[len(swaps) // 2], swaps[-1]))
        if len(took) != n:
            sys.exit("%d alerts of %d events" % (len(took), n))
        worst[changing] = took[-1]
        print("    %s: half of %d events within %.1f ms, 99%% %.1f ms, the longest %.1f ms" %
              ("%d changes of rules meanwhile" % changes[0] if changing else "no change", n, took[n // 2],
               took[n * 99 // 100], took[-1]))
        place.end()
    ratio("The longest that an event waits for its alert: while rules change against without",
          "%.1fx" % (worst[True] / worst[False]))


SECTIONS = {"gets": gets, "ingest": ingest, "reload": reload_rules, "metrics": metrics, "waits": waits}


def main():
    p = argparse.ArgumentParser(description=__doc__.split("\n\n")[0])
    p.add_argument("--tocsind", required=True)
    p.add_argument("--tocsin", required=True)
    p.add_argument("--work", default="/tmp/tocsin-bench-http")
    p.add_argument("--seconds", type=int, default=3)
    p.add_argument("--rules", type=int, default=1000)
    p.add_argument("section", nargs="*")
    args = p.parse_args()
    args.tocsind = os.path.abspath(args.tocsind)
    for name in args.section or SECTIONS:
        print("  " + name)
        SECTIONS[name](args)
    shutil.rmtree(args.work, ignore_errors=True)


if __name__ == "__main__":
    main()
