# SPDX-License-Identifier: Apache-2.0
"""What source.py and replayed.py work with: events, and a daemon with a source of kafka in the directory of a test."""
import json
import os
import subprocess
import sys

from tocsind import Tocsind, lines, write

TOOLS = [os.path.abspath(p) for p in sys.argv[1:3]]


def alerts():
    return [json.loads(line) for line in lines("alerts.ndjson")]


def users(rule=None):
    return [a["fields"].get("user") for a in alerts() if rule in (None, a["rule"])]


def http(port, path):
    done = subprocess.run(["curl", "-s", f"http://127.0.0.1:{port}{path}"], stdout=subprocess.PIPE, check=False)
    return done.stdout.decode()


class Daemon(Tocsind):
    def __init__(self, conf="tocsin.conf", log="log", wait=True):
        super().__init__(TOOLS[0], "-c", conf, log=log)
        if wait:
            self.ready()

    def seen(self):
        return f"\n{alerts()[-3:]}"


RULE = "rule seen { match { a: any where exists(user) } emit { user = a.user } }\n"


def begin(broker, source, rules=RULE, more="", engine=""):
    """A directory's rules and configuration; source: keys of its block, BROKERS stands for the broker."""
    os.makedirs("rules", exist_ok=True)
    write("rules/all.rule", rules)
    write("tocsin.conf", f"""
engine {{ rules "rules"  state "state"  checkpoint 50ms {engine} }}
source ev {{ {source.replace("BROKERS", f'brokers "{broker.address}"')}  time ts  dead_letter dead }}
sink out  {{ file "alerts.ndjson" }}
sink dead {{ file "dead.ndjson" }}
default_to out
{more}
""")


def event(user, second, **more):
    return json.dumps({"ts": f"2026-01-01T{second // 3600:02}:{second // 60 % 60:02}:{second % 60:02}Z", "user": user, **more})
