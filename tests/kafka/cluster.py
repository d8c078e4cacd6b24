#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Three brokers, each record on all of them, two of which must have it: brokers that are killed and that are restarted in
turn while events are read and alerts are sent, each once.

    cluster.py --tocsind FILE [--work DIR] [--only NAME,...] [--turns N]

Whoever is killed leads partitions and coordinates groups and transactions, which move each time.
"""
import argparse
import json
import os
import sys
import threading

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from broker import MISSING, PORT_TAKEN, Broker, Missing, free_ports
from sink_place import check, main, run_tests, until

NODES = 3
PROPERTIES = ["default.replication.factor=3", "min.insync.replicas=2", "offsets.topic.replication.factor=3",
              "offsets.topic.num.partitions=3", "transaction.state.log.replication.factor=3",
              "transaction.state.log.min.isr=2", "transaction.state.log.num.partitions=3",
              "share.coordinator.state.topic.replication.factor=3", "share.coordinator.state.topic.min.isr=2"]
PATIENT = "options { reconnect.backoff.max.ms 500  topic.metadata.refresh.interval.ms 2000 }"


class Node(Broker):
    """One of them, which was begun by the cluster."""

    def __init__(self, directory):
        self.directory, self.is_shared = directory, False


class Cluster(Broker):
    def __init__(self, directory):
        self.is_shared = False
        for turn in range(5):
            if self.begin(os.path.join(directory, str(turn))):
                return
        raise RuntimeError("ports are taken, again and again")

    def begin(self, directory):
        """False: a port was taken."""
        ports = free_ports(2 * NODES)
        voters = ",".join("%d@127.0.0.1:%d" % (i + 1, ports[NODES + i]) for i in range(NODES))
        self.nodes = [Node(os.path.join(directory, str(i + 1))) for i in range(NODES)]
        codes = self.at_once(lambda i: self._script(
            "start", self.nodes[i].directory, str(ports[i]), "node=%d" % (i + 1), "voters=" + voters,
            "controller=%d" % ports[NODES + i], *PROPERTIES))
        if PORT_TAKEN in codes:
            self.kill()
            return False
        if MISSING in codes:
            raise Missing("the brokers cannot be had: see what broker.sh said above")
        if any(codes):
            raise RuntimeError("the brokers do not start")
        self.address = ",".join("127.0.0.1:%d" % port for port in ports[:NODES])
        return True

    @staticmethod
    def at_once(call):
        found = [1] * NODES

        def one(i):
            found[i] = call(i)

        threads = [threading.Thread(target=one, args=(i,)) for i in range(NODES)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        return found

    def kill(self):
        for node in self.nodes:
            node.kill()


class Feed:
    """Events go into a topic, and a file, all the time."""

    def __init__(self, t, topic, d):
        self.t, self.topic, self.d, self.count = t, topic, d, 0

    def more(self, n):
        lines = [json.dumps({"t": 1790000000000 + i, "user": "u%d" % (i % 7), "n": i}) for i in range(self.count, self.count + n)]
        self.t.broker.produce(self.topic, lines)
        self.count += n
        self.d.append(n)


def begin(t):
    """From a topic to a topic, and from a file to one."""
    for topic in ("c-in", "c-out", "c-file"):
        t.topic(topic, 1 if topic == "c-in" else 3, replicas=3)
    source = 'source ev { kafka { brokers "%s"  topics "c-in"  %s }  time t  idle 1d }' % (t.broker.address, PATIENT)
    both = t.daemon("both", t.sink("c-out", PATIENT), sources=source, http=True).start()
    of_file = t.daemon("file", t.sink("c-file", PATIENT, name="file"), http=True).start()
    return both, of_file, Feed(t, "c-in", of_file)


def until_there(t, feed):
    for topic in ("c-out", "c-file"):
        until("%d alerts in %s" % (feed.count, topic), lambda: len(t.numbers(topic)) >= feed.count)


def moves(t):
    both, of_file, feed = begin(t)
    feed.more(100)
    until_there(t, feed)
    for turn in range(t.args.turns):
        node = t.broker.nodes[turn % NODES]
        of_file.append(20) # on their way when it is killed
        node.kill()
        feed.more(30)
        node.restart()
        feed.more(30)
    for node in t.broker.nodes[:NODES if t.args.turns >= NODES else 1]:
        node.stop()
        feed.more(30)
        node.restart()
    extra = 20 * t.args.turns
    until("all alerts of the file", lambda: len(t.numbers("c-file")) >= feed.count + extra)
    until("all alerts of the topic", lambda: len(t.numbers("c-out")) >= feed.count)
    # one is not enough: what is found waits, and is sent when there are two again
    for node in t.broker.nodes[:2]:
        node.kill()
    of_file.append(50)
    until("a sink fails", lambda: "sink_failing" in of_file.ready()[1])
    t.broker.at_once(lambda i: i < 2 and t.broker.nodes[i].restart())
    until("what waited", lambda: len(t.numbers("c-file")) >= feed.count + extra + 50)
    feed.more(20)
    until("all", lambda: len(t.numbers("c-out")) >= feed.count)
    until("both are well", lambda: both.ready("readyz?strict=1")[0] == of_file.ready("readyz?strict=1")[0] == 200)
    both.stop()
    of_file.stop()
    t.once("c-out", feed.count)
    t.once("c-file", of_file.lines)
    check(both.log().count("stopping, for good") == 0, "nobody took it over")


TESTS = [moves]


def run(args):
    with Cluster(os.path.join(args.work, "brokers")) as cluster:
        return run_tests(cluster, args, TESTS)


if __name__ == "__main__":
    parser = argparse.ArgumentParser()
    parser.add_argument("--turns", type=int, default=1)
    main(run, parser)
