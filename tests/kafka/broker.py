# SPDX-License-Identifier: Apache-2.0
"""A real broker for tests (broker.sh), and what they ask of it.

    with Broker(directory) as broker:
        broker.create("events", 4)
        broker.produce("events", ["{}"], partition=0)
        broker.kill(); broker.restart()

A test that leaves the broker as it is takes the one that all such tests share (broker.sh):

    with Broker(directory, shared=True) as broker:

It is not killed and has no properties of the test; names of topics, groups, transactional ids and a sink's
`application` are no other test's.

    broker.py begin DIR      one to share, in the background; prints its address

Where Java, Maven or kcat is missing `Broker` raises Missing: tests end with `skip(error)` then, which
says so and is a failure where CI is set."""

import json
import os
import subprocess
import sys
import time

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.append(os.path.join(HERE, ".."))
from port import fixed_port as free_port, fixed_ports as free_ports  # noqa: E402, F401
from skip import skip  # noqa: E402, F401
import stacks  # noqa: E402, F401
from tocsind import preloaded  # noqa: E402
SCRIPT = os.path.join(HERE, "broker.sh")
PORT_TAKEN, MISSING = 75, 77
ADMIN = os.path.abspath(os.path.join(os.environ.get("top_builddir", "."), "tests/kafka/admin"))


class Missing(Exception):
    pass


class Broker:
    """listeners: (NAME, PROTOCOL) of those that there are beside the plain one; self.listener[NAME] is where."""

    def __init__(self, directory, properties=(), listeners=(), shared=False):
        self.directory = directory
        self.is_shared = shared and bool(os.environ.get("TOCSIN_KAFKA"))
        for program in ("kcat", "java"):
            if not any(os.access(os.path.join(p, program), os.X_OK)
                       for p in os.environ.get("PATH", "").split(":")):
                raise Missing(f"there is no {program} (Debian packages kcat, default-jre-headless, maven)")
        if self.is_shared:
            self.address = os.environ["TOCSIN_KAFKA"]
            return
        for _ in range(5):
            self.port, *ports = free_ports(1 + len(listeners))
            self.listener = {name: f"127.0.0.1:{p}" for (name, _), p in zip(listeners, ports)}
            code = self._script("start", directory, str(self.port), *properties,
                                *(f"listener={name}:{protocol}:{p}" for (name, protocol), p in zip(listeners, ports)))
            if code != PORT_TAKEN:
                break
        if code == MISSING:
            raise Missing("the broker cannot be had: see what broker.sh said above")
        if code != 0:
            raise RuntimeError("the broker does not start")
        self.address = f"127.0.0.1:{self.port}"

    def __enter__(self):
        return self

    def __exit__(self, *_):
        if not self.is_shared:
            self.kill()

    def _script(self, *args):
        assert not self.is_shared, "others need it: " + args[0]
        return subprocess.run(["sh", SCRIPT, *args], stdout=sys.stderr, check=False).returncode

    def kill(self):
        """SIGKILL, as a crash."""
        self._script("kill", self.directory)

    def stop(self):
        """SIGTERM, and until it has ended."""
        self._script("stop", self.directory)

    def restart(self):
        """On the same data and port; ready when this returns."""
        if self._script("restart", self.directory) != 0:
            raise RuntimeError("the broker does not start again")

    def pid(self):
        with open(os.path.join(self.directory, "pid"), encoding="ascii") as f:
            return int(f.read())

    def tool(self, name, *args, **options):
        """One of Kafka's console tools; costs the start of a JVM."""
        return subprocess.run(["sh", SCRIPT, "tool", name, *args], check=True, text=True,
                              stdout=subprocess.PIPE, **options).stdout

    # ---- topics ------------------------------------------------------------------------------------

    def admin(self, *args, data=None):
        return subprocess.run([ADMIN, self.address, *map(str, args)], check=True, input=data, stdout=subprocess.PIPE,
                              env=preloaded()).stdout.decode()

    def create(self, topic, partitions=1, **config):
        """config: of the topic, `_` for `.`. A broker that has just begun again may not be counted as there yet."""
        until = time.monotonic() + 240
        while True:
            try:
                self.admin("create", topic, partitions,
                           *(f"{k.replace('_', '.')}={v}" for k, v in config.items()))
                return
            except subprocess.CalledProcessError:
                if time.monotonic() > until:
                    raise
                time.sleep(0.5)

    def delete(self, *topics):
        self.admin("delete", *topics)

    def add_partitions(self, topic, partitions):
        self.admin("partitions", topic, partitions)

    def delete_records(self, topic, partition, before):
        self.admin("delete-records", topic, partition, before)

    def offsets(self, topic, partitions):
        """[(low, high)] of each partition."""
        lines = self.admin("offsets", topic, partitions).splitlines()
        return [(int(low), int(high)) for _, low, high in map(str.split, lines)]

    def committed(self, topic, partitions, group):
        """What the group was told of each partition; below 0: nothing."""
        return [int(line.split()[1]) for line in self.admin("committed", topic, partitions, group).splitlines()]

    def library(self):
        """The version of librdkafka, as (2, 0, 2)."""
        number = int(subprocess.run([ADMIN, "-", "version"], check=True, stdout=subprocess.PIPE, env=preloaded()).stdout, 16)
        return number >> 24, number >> 16 & 255, number >> 8 & 255

    # ---- records -------------------------------------------------------------------------------------

    def produce_lines(self, topic, lines, **options):
        """Lines as `admin produce` reads them: PARTITION TAB TIMESTAMP TAB KEY TAB VALUE, and commands
        such as \\begin. options: of librdkafka, `_` for `.`"""
        data = b"".join((x if isinstance(x, bytes) else x.encode()) + b"\n" for x in lines)
        self.admin("produce", topic, *(f"{k.replace('_', '.')}={v}" for k, v in options.items()), data=data)

    def produce(self, topic, values, partition=-1, key="-", timestamp=0):
        self.produce_lines(topic, [f"{partition}\t{timestamp}\t{key}\t{v}" for v in values])

    def kcat(self, *args, data=None, timeout=240):
        safe = ["-X", "enable.idempotence=true"] if "-P" in args else []  # what is sent again is there once, in its place
        return subprocess.run(["kcat", "-b", self.address, "-m", "120", *safe, *args], check=True, input=data,
                              stdout=subprocess.PIPE, timeout=timeout).stdout

    def consume(self, topic, isolation="read_committed", partition=None):
        """All there is now, as kcat's JSON has it: topic, partition, offset, ts, key, payload, headers."""
        args = ["-C", "-t", topic, "-e", "-q", "-J", "-o", "beginning", "-X", f"isolation.level={isolation}"]
        if partition is not None:
            args += ["-p", str(partition)]
        return [json.loads(line) for line in self.kcat(*args).splitlines()]


def begin(directory):
    try:
        print(Broker(directory).address)
    except Missing as missing:
        sys.exit(f"broker.py: {missing}")


if __name__ == "__main__":
    begin(*sys.argv[2:])
