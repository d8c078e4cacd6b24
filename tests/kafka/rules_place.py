# SPDX-License-Identifier: Apache-2.0
"""What rules.py works with: a place with a topic of rules and one of answers, and daemons in it."""
import json
import os
import shutil
import signal
import subprocess
import sys
import tempfile

from broker import free_port
from tocsind import Failure, Tocsind, lines, until, write

TOCSIND, TOCSIN = (os.path.abspath(p) for p in sys.argv[1:3])
NUMBER = [0]
PLACES = []


def check(condition, what):
    if not condition:
        raise Failure(what)


class Place:
    """A directory, two topics and a port of its own."""

    def __init__(self, broker, partitions=1, create=True, results=True, more="", address=None, policy="compact"):
        NUMBER[0] += 1
        self.broker, self.policy = broker, policy
        self.topic, self.results = (f"{what}-{os.getpid()}-{NUMBER[0]}" for what in ("rules", "results"))
        self.dir = tempfile.mkdtemp(dir=os.environ["RULES_DIR"])
        self.port = free_port()
        self.daemons, self.consumer = [], None
        PLACES.append(self)
        os.makedirs(self.at("rules"))
        write(self.at("ev.ndjson"), "")
        if create:
            self.create(partitions)
        self.more, self.address, self.with_results = more, address or broker.address, results
        self.configure()

    def create(self, partitions=1):
        self.broker.create(self.topic, partitions, cleanup_policy=self.policy)
        self.broker.create(self.results, 1)
        self.consume()

    def consume(self):
        with open(self.at("results"), "wb") as f:
            self.consumer = subprocess.Popen(["kcat", "-b", self.broker.address, "-C", "-t", self.results, "-o", "beginning",
                                              "-m", "120", "-q", "-u", "-J", "-E", "-X", "reconnect.backoff.max.ms=500"],
                                             stdout=f, stderr=subprocess.DEVNULL)

    def configure(self, more=None):
        self.more = self.more if more is None else more
        results = f'results "{self.results}"' if self.with_results else ""
        write(self.at("tocsin.conf"), f"""
engine {{
  rules "rules"  state "state"  checkpoint 50ms
  rules_topic {{ brokers "{self.address}"  topic "{self.topic}"  {results}  {self.more}
                options {{ message.timeout.ms 5000  reconnect.backoff.max.ms 500 }} }}
}}
source ev {{ file "ev.ndjson"  time ts }}
sink out {{ file "alerts.ndjson" }}
http {{ listen "127.0.0.1:{self.port}" }}
""")

    def at(self, name):
        return os.path.join(self.dir, name)

    # ---- records

    def put(self, name, text, topic=None, **headers):
        """text None: a tombstone."""
        args = [a for key, value in headers.items() for a in ("-H", f"{key}={value}")]
        if text is None:
            self.broker.kcat("-P", "-t", topic or self.topic, "-K", "=", "-Z", *args, data=f"{name}=".encode())
            return
        path = self.at("value")
        with open(path, "wb") as f:
            f.write(text if isinstance(text, bytes) else text.encode())
        key = ["-k", name] if name is not None else []
        self.broker.kcat("-P", "-t", topic or self.topic, *key, *args, path)

    def put_all(self, modules, **options):
        """Of one line each; None: a tombstone."""
        self.broker.produce_lines(self.topic, [f"-1\t0\t{k}\t{N if v is None else v}" for k, v in modules], **options)

    def answers(self):
        """By offset; of several the last."""
        return {(a["partition"], a["offset"]): a for a in self.all_answers()}

    def all_answers(self):
        found = []
        if self.consumer and self.consumer.poll() is not None:  # the broker did not know the topic yet, or was away
            self.consume()
        for r in map(json.loads, lines(self.at("results"))):
            a = json.loads(r["payload"])
            check(a.get("name", r.get("key")) == r.get("key") or "name" not in a, f"another key: {r}")
            found.append(a)
        return found

    def answer(self, offset, daemon=None, result=None):
        def look():
            found = self.answers().get((0, offset))
            return found if found and result in (None, found["result"]) else None
        return until(f"an answer to {offset}", look, daemon)

    # ---- the daemon

    def begin(self, wait=True, failpoints=None):
        d = Daemon(self, failpoints)
        self.daemons.append(d)
        if wait:
            d.ready()
        return d

    def events(self, *users):
        with open(self.at("ev.ndjson"), "a", encoding="utf-8") as f:
            for user, second in users:
                f.write(json.dumps({"ts": f"2026-01-01T00:{second // 60:02}:{second % 60:02}Z", "user": user}) + "\n")

    def alerts(self):
        return [json.loads(line) for line in lines(self.at("alerts.ndjson"))]

    def request(self, method, path, body=None, code=None):
        args = ["curl", "-s", "-X", method, "-o", "-", "-w", "\n%{http_code}", f"http://127.0.0.1:{self.port}{path}"]
        if body is not None:
            args += ["--data-binary", "@-"]
        done = subprocess.run(args, input=body.encode() if body is not None else None, stdout=subprocess.PIPE, check=False)
        text, _, status = done.stdout.decode().rpartition("\n")
        if code is not None:
            check(status == str(code), f"{method} {path}: {status}: {text}")
        return text

    def get(self, path):
        text = self.request("GET", path)
        try:
            return json.loads(text)
        except ValueError as error:
            raise Failure(f"{path}: {text!r}") from error

    def modules(self):
        return {m["name"]: (m["origin"], m.get("version")) for m in self.get("/v1/modules")["modules"]}

    def end(self):
        for d in self.daemons:
            d.kill()
        if self.consumer:
            self.consumer.kill()
            self.consumer.wait()
        shutil.rmtree(self.dir, ignore_errors=True)


N = "\\N"


class Daemon(Tocsind):
    """Each life has a log of its own."""

    def __init__(self, place, failpoints=None):
        super().__init__(TOCSIND, directory=place.dir, log=f"log{len(place.daemons)}", failpoints=failpoints)

    def hup(self):
        self.process.send_signal(signal.SIGHUP)
