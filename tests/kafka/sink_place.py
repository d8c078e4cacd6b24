# SPDX-License-Identifier: Apache-2.0
"""What tests of the sink `kafka` work with: daemons that find an alert for each line {"t":..,"user":..,"n":N}, and what
of that is in topics. Programs: sink.py, away.py, cluster.py, secure.py.

    PROGRAM --tocsind FILE [--work DIR] [--only NAME,...] [--keep]
"""
import argparse
import collections
import json
import os
import shutil
import signal
import subprocess
import sys
import tempfile
import time
import urllib.error
import urllib.request

from broker import Missing, free_port, skip, stacks
from tocsind import Failure, until


def check(good, what):
    if not good:
        raise Failure(what)


class Daemon:
    """A directory with a configuration and a state, and the daemon that runs in it, or does not."""

    def __init__(self, directory, tocsind, sinks, engine="", late="", http=False, sources=None):
        """sources: in place of a file."""
        self.path, self.tocsind, self.process = directory, tocsind, None
        self.sources = sources or 'source ev { file "in.ndjson" time t idle 1d %s }' % late
        self.http = free_port() if http else None
        os.makedirs(directory)
        self.write("r.rule", "rule found { match by user { a: ev where n >= 0 } emit { n = n } }\n")
        self.lines = 0
        self.sinks, self.engine = sinks, engine
        self.configure()
        open(self.at("in.ndjson"), "w", encoding="ascii").close()

    def configure(self, sinks=None):
        self.sinks = sinks or self.sinks
        self.write("tocsin.conf", 'engine { rules "r.rule" state "state" checkpoint 100ms alert_delay 5ms stop_within 3s %s }\n'
                   '%s\n%s\n%s'
                   % (self.engine, self.sources, self.sinks,
                      'http { listen "127.0.0.1:%d" }\n' % self.http if self.http else ""))

    def text(self):
        """Of its configuration."""
        with open(self.at("tocsin.conf"), encoding="utf-8") as f:
            return f.read()

    def at(self, name):
        return os.path.join(self.path, name)

    def write(self, name, text):
        with open(self.at(name), "w", encoding="utf-8") as f:
            f.write(text)

    def append(self, count, extra=""):
        """Lines with the next n."""
        with open(self.at("in.ndjson"), "a", encoding="utf-8") as f:
            for n in range(self.lines, self.lines + count):
                f.write('{"t":%d,"user":"u%d","n":%d%s}\n' % (1790000000000 + n, n % 7, n, extra))
        self.lines += count

    def start(self, failpoints=""):
        env = dict(os.environ, TOCSIN_FAILPOINTS=failpoints)
        env.setdefault("ASAN_OPTIONS", "exitcode=99")
        if "TOCSIN_PRELOAD" in env:  # tests/tsan.sh
            env["LD_PRELOAD"] = env["TOCSIN_PRELOAD"]
        self.process = subprocess.Popen([self.tocsind, "-c", self.at("tocsin.conf")], env=env,
                                        stderr=open(self.at("log"), "ab"))
        return self

    def wait(self, seconds=240):
        code = stacks.wait(self.process, seconds)
        self.process = None
        return code

    def stop(self):
        self.process.terminate()
        code = self.wait()
        check(code == 0, "it ended with %d: %s" % (code, self.at("log")))

    def kill(self):
        if self.process:
            self.process.kill()
            self.process.send_signal(signal.SIGCONT)
            self.wait()

    def signal(self, number):
        self.process.send_signal(number)

    def log(self):
        with open(self.at("log"), encoding="utf-8", errors="replace") as f:
            return f.read()

    def file(self, name):
        """Its lines."""
        if not os.path.exists(self.at(name)):
            return []
        with open(self.at(name), encoding="utf-8") as f:
            return f.readlines()

    def waiting(self, sink="alerts"):
        """How much is in the queue of a sink."""
        status, body = self.ready("v1/sinks")
        return next((s["waiting"] for s in json.loads(body)["sinks"] if s["name"] == sink), 0) if status == 200 else 0

    def checkpoint(self):
        """What is counted is durable."""
        with urllib.request.urlopen("http://127.0.0.1:%d/v1/checkpoints" % self.http, data=b"", timeout=240) as answer:
            answer.read()

    def until_logged(self, text):
        until("the log says: " + text, lambda: text in self.log())

    def ready(self, path="readyz"):
        """(status, body) of /readyz"""
        try:
            with urllib.request.urlopen("http://127.0.0.1:%d/%s" % (self.http, path), timeout=10) as answer:
                return answer.status, answer.read().decode()
        except urllib.error.HTTPError as error:
            return error.code, error.read().decode()
        except urllib.error.URLError:
            return 0, ""


class Test:
    def __init__(self, broker, args, name="tocsin"):
        self.broker, self.args, self.name, self.turn, self.daemons = broker, args, name, 0, []

    def daemon(self, name, sinks, **more):
        d = Daemon(os.path.join(self.args.work, name), self.args.tocsind, sinks, **more)
        self.daemons.append(d)
        return d

    def copy(self, d, name, state, **more):
        """Another daemon with the same configuration and input, and a copy of that state."""
        other = self.daemon(name, d.sinks, **more)
        shutil.copyfile(d.at("in.ndjson"), other.at("in.ndjson"))
        os.remove(other.at("in.ndjson"))
        os.link(d.at("in.ndjson"), other.at("in.ndjson"))
        other.lines = d.lines
        if state:
            shutil.copytree(state, other.at("state"))
        return other

    def sink(self, topic, kafka="", more="", name="alerts"):
        return ('sink %s { kafka { brokers "%s" topic "%s" application "%s" %s } %s }'
                % (name, self.broker.address, topic, self.name, kafka, more))

    def topic(self, name, partitions=3, **config):
        self.broker.create(name, partitions, **config)
        return name

    def numbers(self, topic):
        return collections.Counter(json.loads(r["payload"])["fields"]["n"] for r in self.broker.consume(topic))

    def until_there(self, topic, count):
        until("%d alerts in %s" % (count, topic), lambda: len(self.numbers(topic)) >= count)

    def once(self, topic, count, but=(), least=False):
        """All n up to count are there, once; least: or several times."""
        found = self.numbers(topic)
        if least:
            found = collections.Counter(set(found))
        wanted = collections.Counter(n for n in range(count) if n not in but)
        lost, more = wanted - found, found - wanted
        check(not lost and not more, "%s: %d lost, %d too many: %s %s"
              % (topic, sum(lost.values()), sum(more.values()), list(lost)[:5], list(more)[:5]))


def run_tests(broker, args, tests, kind=Test):
    for test in tests:
        if args.only and test.__name__ not in args.only.split(","):
            continue
        began = time.monotonic()
        t = kind(broker, args, test.__name__)
        try:
            test(t)
        except Failure as failure:
            print("FAILED: %s: %s (%s)" % (test.__name__, failure, args.work))
            return 1
        finally:
            for d in t.daemons:
                d.kill()
        print("ok %s (%.1f s)" % (test.__name__, time.monotonic() - began), flush=True)
    return 0


def main(run, parser=None):
    """Calls run with the arguments, in a directory that goes if it gives 0; keep: it stays."""
    parser = parser or argparse.ArgumentParser()
    parser.add_argument("--tocsind", required=True)
    parser.add_argument("--work")
    parser.add_argument("--only")
    parser.add_argument("--keep", action="store_true")
    args = parser.parse_args()
    args.work = args.work or tempfile.mkdtemp(prefix="tocsin-kafka-")
    try:
        code = run(args)
    except Missing as error:
        skip(error)
    if code == 0 and not args.keep:
        shutil.rmtree(args.work, ignore_errors=True)
    sys.exit(code)
