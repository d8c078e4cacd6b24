# SPDX-License-Identifier: Apache-2.0
"""What the tests of webhooks of the daemon share: a directory with rules, input and a configuration, receivers
(receiver.py, processes of their own), a tocsind, and what must be true of what arrived."""
import argparse
import base64
import collections
import glob
import hashlib
import json
import os
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import time

sys.path.append(os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))
from port import fixed_port  # noqa: E402
from receiver import wait_port  # noqa: E402

HERE = os.path.dirname(os.path.abspath(__file__))
HUSH = "hush-hush"  # in every secret
SECRETS = ["whsec_" + base64.b64encode(b"hush-hush-hush-hush-hush").decode(), HUSH + " plain"]
TOKEN = "Bearer " + HUSH + "-token"
ENVIRONMENT = {"HOOK_SECRET": SECRETS[0], "HOOK_SECRET_2": SECRETS[1], "HOOK_TOKEN": TOKEN}
HIDDEN = [HUSH, SECRETS[0], SECRETS[0][6:]]
LONGEST = 300  # seconds: then something hangs
EACH = "rule each { match { a: e where n > 0 }  emit { n = a.n } }\n"


class Failure(Exception):
    """What a test found; the message is for who reads the log."""


def until(what, seconds, true):
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        if true():
            return
        time.sleep(0.02)
    raise Failure("not within %d s: %s" % (seconds, what))


class Hook:
    """A receiver: its process may be killed and begun again on the same port."""

    def __init__(self, place, name, script="", options=(), secrets=SECRETS):
        self.place, self.name, self.options, self.secrets = place, name, list(options), secrets
        self.port = fixed_port()
        self.process = None
        self.log = place.at(name + ".got")
        self.records, self.offset = [], 0
        self.script(script)
        self.start()

    def script(self, text):
        self.place.write(self.name + ".script", text + "\n")

    def start(self):
        port_file = self.place.at(self.name + ".port")
        if os.path.exists(port_file):
            os.remove(port_file)
        command = [sys.executable, "-B", os.path.join(HERE, "receiver.py"), "--log", self.log, "--port-file", port_file,
                   "--script", self.place.at(self.name + ".script"), "--port", str(self.port)] + self.options
        for secret in self.secrets:
            command += ["--secret", secret]
        with open(self.place.at(self.name + ".err"), "ab") as err:
            self.process = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=err)
        self.port = wait_port(port_file)

    def kill(self):
        if self.process:
            self.process.send_signal(signal.SIGKILL)
            self.process.wait()
        self.process = None

    def got(self, path=None):
        """Its records up to now. A line that is being written may be seen in part, even as zeros: it is read again."""
        if os.path.exists(self.log):
            with open(self.log, "rb") as f:
                f.seek(self.offset)
                for line in f:
                    try:
                        record = json.loads(line) if line.endswith(b"\n") else None
                    except ValueError:
                        record = None
                    if record is None:
                        break
                    self.records.append(record)
                    self.offset += len(line)
        return [r for r in self.records if path is None or r["path"] == path]


class Place:
    """A directory of one test, and the daemon in it."""

    def __init__(self, path, tools, rules=EACH):
        self.path, self.tools = path, tools
        shutil.rmtree(path, ignore_errors=True)
        os.makedirs(self.at("in"))
        os.makedirs(self.at("rules"))
        self.write("rules/each.rule", rules)
        self.daemon = None
        self.hooks = []
        self.sent = 0

    def at(self, name):
        return os.path.join(self.path, name)

    def write(self, name, text):
        with open(self.at(name + ".tmp"), "w", encoding="utf-8") as f:
            f.write(text)
        os.rename(self.at(name + ".tmp"), self.at(name))

    def hook(self, name="hook", script="", options=(), secrets=SECRETS):
        self.hooks.append(Hook(self, name, script, options, secrets))
        return self.hooks[-1]

    def configure(self, sinks, engine="stop_within 20s", more=""):
        """sinks: name -> the text of its block."""
        lines = ['engine { rules "rules"  state "state"  checkpoint 50ms  alert_delay 2ms  %s }' % engine,
                 'source e { file "in/*.ndjson"  follow true  time ts  idle 1h }']
        lines += ["sink %s { %s }" % sink for sink in sinks.items()]
        self.write("tocsin.conf", "\n".join(lines + [more, ""]))

    def sink(self, hook, path="/", more="", scheme="http"):
        """A signed webhook with a token and a secret in its URL, quick to try again."""
        text = ('webhook "%s://127.0.0.1:%d%s?key=%s"  allow "127.0.0.0/8"  secret [env("HOOK_SECRET"), env("HOOK_SECRET_2")]'
                '  headers { Authorization env("HOOK_TOKEN") }  %s' % (scheme, hook.port, path, HUSH, more))
        for key, value in (("retry_least", "20ms"), ("retry_most", "300ms"), ("timeout", "60s"), ("connect_timeout", "20s")):
            if key + " " not in more:
                text += "  %s %s" % (key, value)
        return text

    def events(self, n):
        """n more events, each of which is an alert; its n is its number, from 1."""
        with open(self.at("in/e.ndjson"), "a", encoding="utf-8") as f:
            f.write("".join('{"ts":%d,"n":%d}\n' % (1000 + i // 100, i) for i in range(self.sent + 1, self.sent + n + 1)))
        self.sent += n

    # ---- the daemon

    def start(self, failpoints=""):
        env = dict(os.environ, TOCSIN_FAILPOINTS=failpoints, **ENVIRONMENT)
        env.setdefault("ASAN_OPTIONS", "exitcode=99")
        env.setdefault("UBSAN_OPTIONS", "print_stacktrace=1:exitcode=99")
        env.setdefault("TSAN_OPTIONS", "exitcode=99")
        with open(self.at("daemon.log"), "ab") as log:
            log.write(("== start %s\n" % failpoints).encode())
            log.flush()
            self.daemon = subprocess.Popen([self.tools["tocsind"], "-c", "tocsin.conf"], cwd=self.path, env=env,
                                           stdin=subprocess.DEVNULL, stdout=log, stderr=log)

    def end(self, seconds=LONGEST):
        """Its exit code (negative: a signal), or None: it runs."""
        try:
            code = self.daemon.wait(max(seconds, 0.001))
            self.daemon = None
            return code
        except subprocess.TimeoutExpired:
            return None

    def stop(self):
        self.daemon.send_signal(signal.SIGTERM)
        code = self.end()
        if code != 0:
            raise Failure("at SIGTERM it ended with %s: %s" % (code, self.at("daemon.log")))

    def kill(self):
        self.daemon.send_signal(signal.SIGKILL)
        return self.end()

    def log(self):
        with open(self.at("daemon.log"), encoding="utf-8", errors="surrogateescape") as f:
            return f.read()

    def logged(self, pattern):
        return len(re.findall(pattern, self.log()))

    def tocsin(self, *words):
        done = subprocess.run([self.tools["tocsin"], *words], cwd=self.path, capture_output=True, text=True, check=False,
                              env=dict(os.environ, **ENVIRONMENT))
        if done.returncode != 0:
            raise Failure("tocsin %s ended with %d: %s" % (" ".join(words), done.returncode, done.stderr))
        return done.stdout

    def letters(self, *words):
        return [json.loads(line) for line in self.tocsin("state", "dead-letters", "list", *words, "state").splitlines()]

    def close(self):
        if self.daemon:
            self.kill()
        for hook in self.hooks:
            hook.kill()


# ---- what arrived --------------------------------------------------------------------------------------------

def alerts_of(record):
    """The alerts that a request of the body `tocsin` brings."""
    said = json.loads(record["body"])
    if said["type"] in ("alert.batch", "alert.group"):
        return said["data"]["alerts"]
    return [said["data"]]


def numbers(records):
    return [alert["fields"]["n"] for record in records for alert in alerts_of(record)]


def accepted(records):
    return [r for r in records if r["ok"]]


def judge(records, expected, doubles=False, in_order=False, signed=True):
    """Each of the numbers 1..expected (or of that list) arrived, once by id (doubles: or more often, as after a kill,
    but with one id and one body); every request is signed; in_order: accepted in order."""
    expected = range(1, expected + 1) if isinstance(expected, int) else expected
    good = accepted(records)
    ids = collections.defaultdict(set)
    for record in records:
        for n in numbers([record]):
            ids[n].add(record["id"])
        if signed and record["signature"] != "good":
            raise Failure("request %d: its signature is %s" % (record["n"], record["signature"]))
        if signed and record["headers"].get("authorization") != TOKEN:
            raise Failure("request %d: no token" % record["n"])
        check_id(record)
    said = numbers(good)
    once = list(dict.fromkeys(said))
    if sorted(once) != sorted(expected):
        lost = sorted(set(expected) - set(once))
        raise Failure("of %d alerts %d are lost (%s), %d were not expected"
                      % (len(list(expected)), len(lost), lost[:10], len(set(once) - set(expected))))
    if not doubles and len(said) != len(once):
        raise Failure("%d alerts were accepted more than once" % (len(said) - len(once)))
    if in_order and once != sorted(once):
        raise Failure("not in order: %s" % once[:50])
    return ids


def check_id(record):
    """`id.revision` of one alert; of several the beginning of the SHA-256 of these."""
    own = ["%s.%d" % (alert["id"], alert["revision"]) for alert in alerts_of(record)]
    want = own[0] if len(own) == 1 else hashlib.sha256("\n".join(own).encode()).hexdigest()[:32]
    if record["id"] != want:
        raise Failure("request %d has the id %s, not %s" % (record["n"], record["id"], want))


def same_at_each_try(records):
    """One body to an id, however often it was sent."""
    body = {}
    for record in records:
        if body.setdefault(record["id"], record["body"]) != record["body"]:
            raise Failure("the body of %s is another one at another try" % record["id"])


def no_secret(place):
    """Nothing that the daemon wrote has a secret in it; the state neither."""
    done = subprocess.run([place.tools["tocsind"], "-c", "tocsin.conf", "--check"], cwd=place.path, capture_output=True,
                          text=True, check=False, env=dict(os.environ, **ENVIRONMENT))
    for hidden in HIDDEN:
        if hidden in done.stdout + done.stderr:
            raise Failure("--check shows a secret")
    for path in [place.at("daemon.log")] + glob.glob(place.at("state/**"), recursive=True):
        if os.path.isfile(path):
            with open(path, "rb") as f:
                text = f.read()
            for hidden in HIDDEN:
                if hidden.encode() in text:
                    raise Failure("%s has a secret in it" % path)


places = []  # of the part that runs


def run_parts(parts, doc):
    """All of them, or those that the command line names: each gives its place, in which no secret may be. What failed
    can be looked at."""
    parser = argparse.ArgumentParser(description=doc.split("\n", maxsplit=1)[0])
    parser.add_argument("--tocsind", required=True)
    parser.add_argument("--tocsin", required=True)
    parser.add_argument("--work")
    parser.add_argument("parts", nargs="*", choices=[part.__name__ for part in parts] + [[]])
    args = parser.parse_args()
    tools = {"tocsind": os.path.abspath(args.tocsind), "tocsin": os.path.abspath(args.tocsin)}
    work = args.work or tempfile.mkdtemp(prefix="tocsin-webhook-")
    failed = 0
    for part in parts:
        if args.parts and part.__name__ not in args.parts:
            continue
        began = time.monotonic()
        try:
            no_secret(part(work, tools))
            print("ok    %-14s %.1f s" % (part.__name__, time.monotonic() - began), flush=True)
        except (Failure, subprocess.CalledProcessError) as failure:
            failed += 1
            print("FAIL  %-14s %s" % (part.__name__, failure), flush=True)
        finally:  # whatever it was: nothing is left running
            for place in places:
                place.close()
            places.clear()
    if failed:
        print("kept: " + work)
    elif not args.work:
        shutil.rmtree(work)
    return 1 if failed else 0
