# SPDX-License-Identifier: Apache-2.0
"""What tables.py works with: events and records of tables, a daemon that reads both, and what events should see."""
import json
import math
import os
import subprocess
import sys
import time

from broker import free_port
from tocsind import Failure, Tocsind, lines, write

TOOLS = [os.path.abspath(p) for p in sys.argv[1:3]]
BASE = 1767225600  # 2026-01-01T00:00:00Z
FOREVER = {"retention_ms": "-1"}
COMPACT = {"cleanup_policy": "compact"}


def alerts():
    return [json.loads(line) for line in lines("alerts.ndjson")]


def told(field="team"):
    """What each event was told to see: its number > the value; an event that is told twice is a fault."""
    seen = {}
    for alert in alerts():
        n = alert["fields"]["n"]
        if n in seen:
            raise Failure(f"event {n} is told twice")
        seen[n] = alert["fields"].get(field)
    return seen


def event(n, second, user, **more):
    t = time.strftime("%Y-%m-%dT%H:%M:%S", time.gmtime(BASE + math.floor(second)))
    return json.dumps({"ts": f"{t}.{round(second % 1 * 1000):03}Z", "n": n, "user": user, **more})


def record(partition, second, key, value):
    """value: a dict, None (a tombstone) or a text as it is."""
    text = "\\N" if value is None else value if isinstance(value, str) else json.dumps(value)
    return f"{partition}\t{round((BASE + second) * 1000)}\t{key}\t{text}"


class Daemon(Tocsind):
    def __init__(self, failpoints=None, wait=True):
        super().__init__(TOOLS[0], failpoints=failpoints)
        with open("port", encoding="ascii") as f:
            self.port = int(f.read())
        if wait:
            self.ready()

    def seen(self):
        return f"\n{self.get('/v1/sources')}\n{alerts()[-3:]}"

    def ask(self, method, path, data=None, kind="text/plain"):
        args = ["curl", "-s", "-m", "60", "-X", method, "-w", "\n%{http_code}", f"http://127.0.0.1:{self.port}{path}"]
        if data is not None:
            args += ["-H", f"Content-Type: {kind}", "--data-binary", "@-"]
        done = subprocess.run(args, input=(data or "").encode(), stdout=subprocess.PIPE, check=False).stdout.decode()
        body, _, code = done.rpartition("\n")
        return int(code or 0), body

    def get(self, path):
        code, body = self.ask("GET", path)
        return json.loads(body) if code and body.startswith("{") else {}

    def source(self, name):
        return next((s for s in self.get("/v1/sources").get("sources", []) if s["name"] == name), {})

    def rows(self, table):
        return self.get(f"/v1/tables/{table}").get("rows", -1)

    def has_read(self, table, second):
        """Until a record of that time was read of a table, and it is at rest: events that come now see it."""
        def read():
            s = self.source(f"table {table}")
            return s.get("newest_event_timestamp_seconds", 0) >= BASE + second and \
                s["partitions_idle"] == s["partitions"] and not s.get("loading")
        self.until(f"{table} is read to {second}", read)

    def is_read(self, table):
        self.until(f"{table} is read", lambda: self.source(f"table {table}").get("partitions", 0) > 0 and
                   not self.source(f"table {table}").get("loading"))


SEES = """
rule sees {{
  match {{ a: ev where exists(n) }}
  emit {{ n = a.n  team = {table}[a.user].team  there = if(a.user in {table}, 1, 0) }}
  {more}
}}
"""


def begin(broker, table, source=None, more="", rules=None, topic="ev", engine=""):
    """A directory with one table `users` (its block) and a rule that tells of each event what it sees."""
    write("rules/a.rule", f"table users = {table}\n" + SEES.format(table="users", more=more) + (rules or ""))
    source = source or f'kafka {{ brokers "{broker.address}"  topics ["{topic}"] }}'
    port = free_port()
    write("port", str(port))
    write("tocsin.conf", f"""
engine {{ rules "rules"  state "state"  checkpoint 50ms  {engine} }}
source ev {{ {source}  time ts  idle 500ms }}
sink out {{ file "alerts.ndjson" }}
http {{ listen "127.0.0.1:{port}" }}
""")


def expect(daemon, want, field="team"):
    """want: event > what it sees."""
    daemon.until(f"{len(want)} events", lambda: len(alerts()) >= len(want))
    seen = told(field)
    if seen != want:
        wrong = {n: (seen.get(n, "nothing"), want.get(n, "nothing")) for n in {*seen, *want}
                 if seen.get(n, "nothing") != want.get(n, "nothing")}
        raise Failure(f"events see other rows (number: has, wants): {dict(list(wrong.items())[:10])}")


class Oracle:
    """What events see: rows are as of the highest time that their partition had shown when their record came."""

    def __init__(self):
        self.versions = []  # (place, order, key, team or None), in the order of the topic of each partition
        self.highest = {}

    def put(self, partition, second, key, value):
        self.highest[partition] = place = max(self.highest.get(partition, second), second)
        self.versions.append((place, len(self.versions), key, value and value.get("team")))

    def see(self, second, key):
        held = [(place, order, team) for place, order, k, team in self.versions if k == key and place <= second]
        return max(held)[2] if held else None
