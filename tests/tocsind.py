# SPDX-License-Identifier: Apache-2.0
"""A running tocsind, for tests in Python, and how they wait for what it does.

Lives that follow each other in one directory share a log; each knows where its own part of it begins."""
import os
import signal
import subprocess
import time

import stacks

PATIENCE = 240  # seconds until what must come is taken for something that hangs


class Failure(Exception):
    """What a test found; the message is for who reads the log."""


def preloaded():
    """The environment of programs of ours that have librdkafka: see tests/tsan.sh."""
    more = {"LD_PRELOAD": os.environ["TOCSIN_PRELOAD"]} if "TOCSIN_PRELOAD" in os.environ else {}
    return dict(os.environ, **more)


def write(path, text, mode="w"):
    os.makedirs(os.path.dirname(path) or ".", exist_ok=True)
    with open(path, mode, encoding="utf-8") as f:
        f.write(text)


def lines(path):
    """Whole lines of a file that is being written, or is not there yet."""
    if not os.path.exists(path):
        return []
    with open(path, encoding="utf-8") as f:
        return f.read().split("\n")[:-1]


def until(what, condition, daemon=None):
    """What the condition gives, once that is something; the daemon must not end before."""
    end = time.monotonic() + PATIENCE
    while time.monotonic() < end:
        found = condition()
        if found:
            return found
        if daemon and daemon.process.poll() is not None:
            raise Failure(f"{what}: it ended with {daemon.process.returncode}:\n{daemon.said()[-3000:]}")
        time.sleep(0.05)
    raise Failure(f"never: {what}\n{daemon.said()[-3000:] if daemon else ''}{daemon.seen() if daemon else ''}")


class Tocsind:
    """One life of a daemon in a directory; Tocsind.all: those that began, for who ends a test."""
    all = []

    def __init__(self, program, *arguments, directory=".", log="log", failpoints=None):
        self.log_path = os.path.join(directory, log)
        self.begins = os.path.getsize(self.log_path) if os.path.exists(self.log_path) else 0
        env = preloaded()
        if failpoints:
            env["TOCSIN_FAILPOINTS"] = failpoints
        with open(self.log_path, "ab") as out:
            self.process = subprocess.Popen([program, *(arguments or ("-c", "tocsin.conf"))], cwd=directory,
                                            stdin=subprocess.DEVNULL, stdout=out, stderr=out, env=env)
        Tocsind.all.append(self)

    def said(self):
        """What the log says, of earlier lives too."""
        with open(self.log_path, encoding="utf-8", errors="replace") as f:
            return f.read()

    def seen(self):
        """What else helps to understand why something never came: for the message."""
        return ""

    def until(self, what, condition):
        return until(what, condition, self)

    def ready(self):
        def is_ready():
            with open(self.log_path, "rb") as f:
                f.seek(self.begins)
                return b'msg="ready"' in f.read()
        self.until("ready", is_ready)

    def says(self, text, n=1):
        """Waits until the log says it n times."""
        self.until(f"it says {text}", lambda: self.said().count(text) >= n)

    def wait(self):
        """Until it has ended by itself, well."""
        try:
            code = stacks.wait(self.process, PATIENCE)
        except subprocess.TimeoutExpired as late:
            raise Failure(f"it does not end:\n{self.said()[-3000:]}") from late
        if code != 0:
            raise Failure(f"it ended with {code}:\n{self.said()[-3000:]}")

    def stop(self):
        self.process.send_signal(signal.SIGTERM)
        self.wait()

    def kill(self):
        self.process.kill()
        self.process.wait()


def kill_all():
    """What a test left running."""
    for daemon in Tocsind.all:
        if daemon.process.poll() is None:
            daemon.kill()
