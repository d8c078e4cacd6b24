# SPDX-License-Identifier: Apache-2.0
"""The webhook client, driven by tests/webhook/post, in a directory with a script for receivers (receiver.py).

Its environment has a proxy and its home a .netrc: neither may be used. No message may have a secret in it.
"""
import base64
import json
import os
import shutil
import subprocess
import tempfile

from receiver import Receiver

HERE = os.path.dirname(os.path.abspath(__file__))
HUSH = "hush-hush"  # in every secret
SECRETS = ["whsec_" + base64.b64encode(b"hush-hush-hush-hush-hush").decode(), HUSH + " plain"]
HEADERS = {"Authorization": "Bearer " + HUSH + "-token", "X-Empty": ""}
checks = 0
faults = 0


def check(good, *what):
    global checks, faults
    checks += 1
    if not good:
        faults += 1
        print("FAIL:", *what, flush=True)


def same(got, want, *what):
    check(got == want, *what, "got", got, "want", want)


class Post:
    """The program, and what it said."""

    def __init__(self, program, home):
        env = dict(os.environ, HOME=home)
        for name in ("http_proxy", "https_proxy", "all_proxy", "HTTPS_PROXY", "ALL_PROXY"):
            env[name] = "http://127.0.0.1:1"
        self.process = subprocess.Popen([program], stdin=subprocess.PIPE, stdout=subprocess.PIPE, env=env)
        self.urls = {}

    def send(self, line):
        self.process.stdin.write(line.encode() + b"\n")
        self.process.stdin.flush()

    def read(self):
        line = self.process.stdout.readline().decode()
        if not line:
            raise SystemExit("the program is gone: %s" % self.process.wait())
        said = json.loads(line)
        if isinstance(said, dict):
            text = said.get("why", "") + said.get("error", "")
            for secret in (HUSH, SECRETS[0], SECRETS[0][6:]):
                check(secret not in text, "a secret is told:", text)
        return said

    def endpoint(self, name, url, verb="endpoint", **options):
        options.setdefault("allow", ["127.0.0.0/8", "::1"])
        options.setdefault("secret", SECRETS)
        options.setdefault("headers", HEADERS)
        self.send("%s %s %s" % (verb, name, json.dumps(dict(options, url=url))))
        return self.read()

    def post(self, name, message_id, text="{}"):
        self.send("post %s %s %s" % (name, message_id, text))

    def posts(self, name, n, size=10):
        self.send("posts %s %d %d" % (name, n, size))

    def wait(self, n=1, seconds=240):
        """n answers; fewer if they do not come."""
        self.send("wait %d %d" % (n, seconds * 1000))
        answers = []
        while len(answers) < n:
            said = self.read()
            if said == "none":
                break
            answers.append(said)
        return answers

    def one(self, name, message_id="m-1", text="{}"):
        self.post(name, message_id, text)
        answers = self.wait()
        return answers[0] if answers else {"outcome": "none", "why": "", "status": -1, "retry_after": None}

    def stats(self, name):
        self.send("stats " + name)
        return self.read()

    def end(self):
        """Its end while requests may be under way: with a sanitizer, a leak is another code."""
        self.process.stdin.close()
        code = self.process.wait(60)
        same(code, 0, "exit code:")


class Place:
    """A directory with a script, receivers of it, the program."""

    def __init__(self, program):
        self.dir = tempfile.mkdtemp()
        self.script = self.path("script")
        self.set()
        with open(self.path(".netrc"), "w", encoding="ascii") as f:
            f.write("default login netrc-user password netrc-password\n")
        os.chmod(self.path(".netrc"), 0o600)
        self.post = Post(program, self.dir)
        self.n = 0

    def path(self, name):
        return os.path.join(self.dir, name)

    def set(self, *lines):
        with open(self.script + ".new", "w", encoding="utf-8") as f:
            f.write("\n".join(lines) + "\n")
        os.replace(self.script + ".new", self.script)

    def receiver(self, **options):
        self.n += 1
        options.setdefault("secrets", SECRETS)
        receiver = Receiver(self.path("log-%d" % self.n), self.script, **options).start()
        receiver.path = self.path("log-%d" % self.n)
        return receiver

    def url(self, receiver, path="/", scheme="http", host="127.0.0.1"):
        return "%s://%s:%d%s" % (scheme, host, receiver.port, path)

    def certificates(self):
        where = self.path("certificates")
        if not os.path.isdir(where):
            os.mkdir(where)
            subprocess.run(["sh", os.path.join(HERE, "certificates.sh"), where], check=True)
        return lambda name: os.path.join(where, name)

    def close(self):
        self.post.end()
        shutil.rmtree(self.dir)
